# SPDX-License-Identifier: GPL-2.0-or-later
# static.m4 - link what each job starts without shared libraries, where that works
#
# JOBIO_STATIC sets HELPER_LDFLAGS for jobio-prepare and jobio-release, in the place
# of PIE_LDFLAGS: looking up and mapping shared libraries is a fifth of their cost. They need no more of
# libc than works so (no names of users or hosts). libtool would drop the flag
# without -XCClinker.
AC_DEFUN([JOBIO_STATIC], [
	AC_ARG_ENABLE([static-helpers],
		[AS_HELP_STRING([--enable-static-helpers],
			[link the helpers that each job starts statically
			(default: where static libraries of libc and hwloc are)])],
		[], [enable_static_helpers=auto])
	HELPER_LDFLAGS=$PIE_LDFLAGS
	jobio_static=no
	AS_IF([test "$enable_sanitizers" = yes], [enable_static_helpers=no])
	AS_IF([test "$enable_static_helpers" != no], [
		AC_MSG_CHECKING([whether helpers can be linked statically])
		jobio_cflags=$CFLAGS jobio_ldflags=$LDFLAGS jobio_libs=$LIBS
		CFLAGS="-Werror $HARD_CFLAGS $CFLAGS"
		LDFLAGS="$HARD_LDFLAGS -static-pie $LDFLAGS"
		LIBS="$HWLOC_LIBS -lm $LIBS"
		AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <stdlib.h>]],
			[[free(malloc(1));]])],
			[AC_MSG_RESULT([yes])
			jobio_static=yes
			HELPER_LDFLAGS='-XCClinker -static-pie'],
			[AC_MSG_RESULT([no])
			AS_IF([test "$enable_static_helpers" = yes],
				[AC_MSG_ERROR([static libraries are missing, or the
					compiler cannot link them])])])
		CFLAGS=$jobio_cflags LDFLAGS=$jobio_ldflags LIBS=$jobio_libs
	])
	AC_SUBST([HELPER_LDFLAGS])
])
