# SPDX-License-Identifier: GPL-2.0-or-later
# slurm.m4 - which Slurm jobio is built for, and where that one looks for plugins
#
# JOBIO_SLURM sets SLURM_CPPFLAGS, SLURM_LIBS, SLURM_VERSION and plugindir. A site
# that has built Slurm itself names its place, --with-slurm=PREFIX: headers, library
# and commands of another Slurm on this host are then not looked at.
AC_DEFUN([JOBIO_SLURM], [
	AC_ARG_WITH([slurm],
		[AS_HELP_STRING([--with-slurm=PREFIX],
			[build for the Slurm installed there (default: the one
			that compiler and linker find)])],
		[], [with_slurm=yes])
	slurm_install='install libslurm-dev, or use --with-slurm=PREFIX'
	AS_CASE([$with_slurm],
		[yes], [JOBIO_SLURM_HERE],
		[/*], [JOBIO_SLURM_AT([$with_slurm])],
		[AC_MSG_ERROR([--with-slurm=$with_slurm: PREFIX is an absolute path])])
	jobio_cppflags=$CPPFLAGS jobio_libs=$LIBS
	CPPFLAGS="$SLURM_CPPFLAGS $CPPFLAGS"
	AC_CHECK_HEADER([slurm/spank.h], [],
		[AC_MSG_ERROR([slurm/spank.h is missing: $slurm_install])])
	AC_COMPUTE_INT([SLURM_VERSION], [SLURM_VERSION_NUMBER],
		[[#include <slurm/slurm.h>]],
		[AC_MSG_ERROR([slurm/slurm_version.h tells no version])])
	AS_IF([test "$SLURM_VERSION" -lt $((0x160500))],
		[AC_MSG_ERROR([jobio is for Slurm 22.05 and later: $slurm_install])])
	JOBIO_SLURM_VERSION
	AC_MSG_CHECKING([for Slurm's library])
	LIBS="$SLURM_LIBS $LIBS"
	AC_LINK_IFELSE([AC_LANG_CALL([], [slurm_load_node_single])],
		[AC_MSG_RESULT([$SLURM_LIBS])],
		[AC_MSG_RESULT([no])
		AC_MSG_ERROR([libslurm is missing: $slurm_install])])
	# Later versions take the caller's uid for it.
	AC_CHECK_MEMBERS([update_node_msg_t.reason_uid], [], [],
		[[#include <slurm/slurm.h>]])
	CPPFLAGS=$jobio_cppflags LIBS=$jobio_libs
	AC_SUBST([SLURM_CPPFLAGS])
	AC_SUBST([SLURM_LIBS])
	AC_SUBST([SLURM_VERSION])
	JOBIO_SLURM_PLUGINDIR
])

# The one that compiler and linker find; packages of Slurm's own spec tell pkg-config
# where it is.
AC_DEFUN([JOBIO_SLURM_HERE], [
	SLURM_CPPFLAGS='' SLURM_LIBS=-lslurm slurm_lib='' slurm_scontrol=scontrol
	AC_MSG_CHECKING([whether pkg-config knows Slurm])
	AS_IF([test -n "$PKG_CONFIG" && $PKG_CONFIG --exists slurm 2>/dev/null], [
		SLURM_CPPFLAGS=`$PKG_CONFIG --cflags slurm | sed 's/ *$//'`
		SLURM_LIBS=`$PKG_CONFIG --libs slurm | sed 's/ *$//'`
		slurm_lib=`$PKG_CONFIG --variable=libdir slurm`
		# a folder that the loader does not look into by itself
		AS_CASE([$SLURM_LIBS],
			[*-L*], [SLURM_LIBS="$SLURM_LIBS -Wl,-rpath,$slurm_lib"])
		slurm_pc=`$PKG_CONFIG --modversion slurm`
		AC_MSG_RESULT([$slurm_pc, in $slurm_lib])
	], [AC_MSG_RESULT([no])])
])

# JOBIO_SLURM_VERSION - that of the headers, and whether it is that of the commands
# here: Slurm loads no plugin that was built for another major version
AC_DEFUN([JOBIO_SLURM_VERSION], [
	AC_MSG_CHECKING([for Slurm's version])
	slurm_major=`printf '%02d.%02d' $((SLURM_VERSION >> 16)) $((SLURM_VERSION >> 8 & 255))`
	slurm_here=`timeout 5 "$slurm_scontrol" --version 2>/dev/null | sed -n 's/^slurm[[^ ]]* //p'`
	AS_CASE([$slurm_here],
		[''], [AC_MSG_RESULT([$slurm_major.$((SLURM_VERSION & 255)), none runs here])],
		[AC_MSG_RESULT([$slurm_major.$((SLURM_VERSION & 255)), and scontrol says $slurm_here])])
	AS_CASE([$slurm_here],
		['' | "$slurm_major".*], [],
		[AC_MSG_WARN([the headers are those of Slurm $slurm_major, and Slurm $slurm_here
			is here, which will not load jobio.so: install its own headers and
			library, or name where they are with --with-slurm=PREFIX])])
])

# JOBIO_SLURM_AT(PREFIX) - what lies there
AC_DEFUN([JOBIO_SLURM_AT], [
	slurm_lib=
	for dir in "$1/lib64" "$1/lib"; do
		AS_IF([test -z "$slurm_lib" && test -f "$dir/libslurm.so"],
			[slurm_lib=$dir])
	done
	AS_IF([test -f "$1/include/slurm/spank.h"], [],
		[AC_MSG_ERROR([--with-slurm=$1: no $1/include/slurm/spank.h])])
	AS_IF([test -n "$slurm_lib"], [],
		[AC_MSG_ERROR([--with-slurm=$1: no libslurm.so in $1/lib64 or $1/lib])])
	SLURM_CPPFLAGS="-I$1/include"
	# where its own make install looks for it
	AC_DEFINE_UNQUOTED([JOBIO_SLURM_CONF], ["$1/etc/slurm.conf"],
		[slurm.conf of the Slurm of --with-slurm])
	# which sudo, for one, does not have in PATH
	AC_DEFINE_UNQUOTED([JOBIO_SLURM_BIN], ["$1/bin"],
		[the folder with its commands])
	AC_SUBST([SLURM_BIN], [$1/bin])
	# no place where the loader looks by itself
	SLURM_LIBS="-L$slurm_lib -Wl,-rpath,$slurm_lib -lslurm"
	slurm_scontrol=$1/bin/scontrol
])

# jobio.so must be where Slurm looks for plugins, and each packager has a place of
# his own: Slurm is asked, if it runs, else the folder that holds its plugins.
AC_DEFUN([JOBIO_SLURM_PLUGINDIR], [
	AC_ARG_WITH([slurm-plugindir],
		[AS_HELP_STRING([--with-slurm-plugindir=DIR],
			[where jobio.so goes (default: PluginDir of Slurm);
			plugindir=DIR is the same])],
		[plugindir=$withval])
	AC_MSG_CHECKING([for Slurm's PluginDir])
	AS_IF([test -n "$plugindir"], [plugindir_from='as given'], [
		plugindir=`timeout 5 "$slurm_scontrol" show config 2>/dev/null |
			sed -n 's/^PluginDir *= *//p' | sed 's/:.*//'`
		plugindir_from='says scontrol'
	])
	AS_IF([test -z "$plugindir"], [
		AS_IF([test "$with_slurm" = yes], [
			AS_IF([test -z "$slurm_lib"], [
				slurm_lib=`$CC -print-file-name=libslurm.so`
				slurm_lib=`readlink -f "$slurm_lib"`
				slurm_lib=`dirname "$slurm_lib"`
			])
			slurm_dirs='/usr/lib64/slurm /usr/lib/slurm /usr/local/lib/slurm'
		], [slurm_dirs=])
		for dir in "$slurm_lib/slurm-wlm" "$slurm_lib/slurm" $slurm_dirs; do
			AS_IF([test -z "$plugindir" && test -f "$dir/select_cons_tres.so"],
				[plugindir=$dir])
		done
		plugindir_from='its plugins are there'
	])
	AS_IF([test -n "$plugindir"],
		[AC_MSG_RESULT([$plugindir ($plugindir_from)])],
		[AS_IF([test "$with_slurm" = yes],
			[plugindir='${libdir}/slurm'], [plugindir=$slurm_lib/slurm])
		AC_MSG_RESULT([not found])
		AC_MSG_WARN([jobio.so will go to $plugindir; if Slurm looks elsewhere,
			use --with-slurm-plugindir=DIR])])
	AC_SUBST([plugindir])
])
