# SPDX-License-Identifier: GPL-2.0-or-later
# inih.m4 - the library that the plugin holds
#
# JOBIO_INIH sets INIH_CPPFLAGS and INIH_A. jobio.so is loaded into every sbatch and
# slurmstepd of a site and must not need a library that a login node may lack: inih
# is linked into it, so its static library has to be here. Debian's libinih-dev has
# one, inih-devel of Enterprise Linux has none: --with-inih=PREFIX.
AC_DEFUN([JOBIO_INIH], [
	AC_ARG_WITH([inih],
		[AS_HELP_STRING([--with-inih=PREFIX],
			[PREFIX/include/ini.h and PREFIX/lib/libinih.a (default:
			those that compiler and pkg-config find)])],
		[], [with_inih=yes])
	AS_CASE([$with_inih],
		[yes], [JOBIO_INIH_HERE],
		[/*], [JOBIO_INIH_AT([$with_inih])],
		[AC_MSG_ERROR([--with-inih=$with_inih: PREFIX is an absolute path])])
	AC_MSG_CHECKING([for a static inih that a plugin can hold])
	INIH_A=
	for dir in $inih_dirs; do
		AS_IF([test -z "$INIH_A" && test -r "$dir/libinih.a"],
			[INIH_A=$dir/libinih.a])
	done
	AS_IF([test -n "$INIH_A"], [AC_MSG_RESULT([$INIH_A])], [
		AC_MSG_RESULT([no])
		inih_dirs=`echo $inih_dirs | sed 's/ / or /'`
		JOBIO_INIH_MISSING([no libinih.a in $inih_dirs])
	])
	AC_SUBST([INIH_CPPFLAGS])
	AC_SUBST([INIH_A])
])

AC_DEFUN([JOBIO_INIH_HERE], [
	INIH_CPPFLAGS=
	inih_dirs=`$PKG_CONFIG --variable=libdir inih 2>/dev/null`
	AS_IF([test -z "$inih_dirs"],
		[inih_dirs=`$CC -print-file-name=libinih.a`
		inih_dirs=`dirname "$inih_dirs"`])
	AC_CHECK_HEADER([ini.h], [], [JOBIO_INIH_MISSING([ini.h is missing])])
])

# JOBIO_INIH_AT(PREFIX)
AC_DEFUN([JOBIO_INIH_AT], [
	AS_IF([test -f "$1/include/ini.h"], [],
		[JOBIO_INIH_MISSING([--with-inih=$1: no $1/include/ini.h])])
	INIH_CPPFLAGS="-I$1/include"
	inih_dirs="$1/lib64 $1/lib"
])

# JOBIO_INIH_MISSING(WHAT) - and what to do
AC_DEFUN([JOBIO_INIH_MISSING], [AC_MSG_ERROR([$1. jobio.so holds inih, so that hosts need no
  library for it. Debian has it: apt-get install libinih-dev. Elsewhere make it, in the
  sources of inih (https://github.com/benhoyt/inih):
    cc -O2 -fPIC -c ini.c && ar rcs libinih.a ini.o
    install -D -m 644 -t /opt/inih/include ini.h
    install -D -m 644 -t /opt/inih/lib libinih.a
  and name it: ./configure --with-inih=/opt/inih])])
