# SPDX-License-Identifier: GPL-2.0-or-later
# hardening.m4 - what compiler and linker can do against a bug that is exploited
#
# JOBIO_HARDENING sets HARD_CFLAGS, HARD_LDFLAGS (programs and the plugin) and
# PIE_LDFLAGS (programs), each flag only where it works here. What the user's own
# flags say wins: they come later on the command line, and a level
# of _FORTIFY_SOURCE among them is left alone. With sanitizers there is no
# _FORTIFY_SOURCE: its checked functions hide bugs from AddressSanitizer.

# JOBIO_TRY_CFLAG(VARIABLE, FLAG), JOBIO_TRY_LDFLAG(VARIABLE, FLAG)
AC_DEFUN([JOBIO_TRY_CFLAG], [
	AC_MSG_CHECKING([whether $CC takes $2])
	jobio_cflags=$CFLAGS
	CFLAGS="-Werror $2 $CFLAGS"
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM()],
		[AC_MSG_RESULT([yes]); $1="$$1 $2"], [AC_MSG_RESULT([no])])
	CFLAGS=$jobio_cflags
])
AC_DEFUN([JOBIO_TRY_LDFLAG], [
	AC_MSG_CHECKING([whether the linker takes $2])
	jobio_cflags=$CFLAGS jobio_ldflags=$LDFLAGS
	CFLAGS="-Werror $HARD_CFLAGS $CFLAGS" LDFLAGS="$2 $LDFLAGS"
	AC_LINK_IFELSE([AC_LANG_PROGRAM()],
		[AC_MSG_RESULT([yes]); $1="$$1 $2"], [AC_MSG_RESULT([no])])
	CFLAGS=$jobio_cflags LDFLAGS=$jobio_ldflags
])

# JOBIO_TRY_FORTIFY(LEVEL) - it needs optimization, and level 3 a compiler that
# knows the size of what malloc() returned
AC_DEFUN([JOBIO_TRY_FORTIFY], [
	AS_IF([test -z "$FORTIFY_FLAGS"], [
		AC_MSG_CHECKING([whether _FORTIFY_SOURCE=$1 works])
		jobio_cppflags=$CPPFLAGS jobio_cflags=$CFLAGS
		CPPFLAGS="-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$1 $CPPFLAGS"
		CFLAGS="-Werror $CFLAGS"
		AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
			#include <stdio.h>
			#if !defined __USE_FORTIFY_LEVEL || __USE_FORTIFY_LEVEL < $1
			#error not here
			#endif
		]])], [AC_MSG_RESULT([yes])
			FORTIFY_FLAGS="-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$1"],
			[AC_MSG_RESULT([no])])
		CPPFLAGS=$jobio_cppflags CFLAGS=$jobio_cflags
	])
])

AC_DEFUN([JOBIO_HARDENING], [
	FORTIFY_FLAGS= HARD_LDFLAGS= PIE_LDFLAGS=
	AS_CASE(["$enable_sanitizers $CPPFLAGS $CFLAGS"],
		[yes* | *_FORTIFY_SOURCE*], [],
		[JOBIO_TRY_FORTIFY([3])
		JOBIO_TRY_FORTIFY([2])])
	HARD_CFLAGS=$FORTIFY_FLAGS
	JOBIO_TRY_CFLAG([HARD_CFLAGS], [-fstack-protector-strong])
	JOBIO_TRY_CFLAG([HARD_CFLAGS], [-fstack-clash-protection])
	JOBIO_TRY_CFLAG([HARD_CFLAGS], [-fPIE])
	JOBIO_TRY_LDFLAG([PIE_LDFLAGS], [-pie])
	JOBIO_TRY_LDFLAG([HARD_LDFLAGS], [-Wl,-z,relro])
	JOBIO_TRY_LDFLAG([HARD_LDFLAGS], [-Wl,-z,now])
	JOBIO_TRY_LDFLAG([HARD_LDFLAGS], [-Wl,-z,noexecstack])
	JOBIO_TRY_LDFLAG([HARD_LDFLAGS], [-Wl,--as-needed])
	AC_SUBST([HARD_CFLAGS])
	AC_SUBST([HARD_LDFLAGS])
	AC_SUBST([PIE_LDFLAGS])
])
