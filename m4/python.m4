# SPDX-License-Identifier: GPL-2.0-or-later

# JOBIO_PYTHON - set PYTHON to the interpreter of the jobio command, and have_python
#
# By default the system's: the first in PATH may be one of pyenv or conda, in a home that
# other users do not enter.
AC_DEFUN([JOBIO_PYTHON], [
AC_ARG_VAR([PYTHON], [interpreter of the jobio command (default: /usr/bin/python3)])
AC_ARG_WITH([python],
	[AS_HELP_STRING([--without-python],
		[install no jobio command: what a node needs (default: with, Python 3.9 or later)])],
	[], [with_python=yes])
have_python=no
AS_IF([test "$with_python" != no], [
	AS_IF([test "$with_python" != yes], [PYTHON=$with_python])
	# Enterprise Linux 8 and later always have the second
	AS_IF([test -n "$PYTHON"], [],
		[test ! -x /usr/bin/python3 && test -x /usr/libexec/platform-python],
		[PYTHON=/usr/libexec/platform-python], [PYTHON=/usr/bin/python3])
	AC_MSG_CHECKING([for Python 3.9 or later])
	# the interpreter that a name in PATH or a shim of pyenv starts, then why it will not do
	jobio_python=`"$PYTHON" -I -c '
import os, sys, sysconfig
print(sys.executable)
if sys.version_info < (3, 9):
    print("is Python %d.%d" % sys.version_info@<:@:2@:>@)
    sys.exit()
for path in sys.executable, os.path.realpath(sys.executable), sysconfig.get_path("stdlib"):
    while path != "/":
        mode = os.stat(path).st_mode & 0o7777
        if not mode & 1:
            print("cannot be run by other users, because %s has mode %04o" % (path, mode))
            sys.exit()
        path = os.path.dirname(path)
' 2>/dev/null` || jobio_python="$PYTHON
does not run"
	PYTHON=`echo "$jobio_python" | sed -n 1p`
	jobio_python=`echo "$jobio_python" | sed -n 2p`
	AC_MSG_RESULT([$PYTHON])
	AS_IF([test -n "$jobio_python"], [
		AC_MSG_ERROR([$PYTHON $jobio_python: name a Python 3.9 or later, ./configure PYTHON=/usr/bin/python3.11, or build without the jobio command, --without-python])])
	have_python=yes
])
AM_CONDITIONAL([HAVE_PYTHON], [test "$have_python" = yes])
])

# JOBIO_PYTHON_MODULES - print a line if the jobio command has no jinja2
AC_DEFUN([JOBIO_PYTHON_MODULES], [
AS_IF([test "$have_python" = no || "$PYTHON" -I -c 'import jinja2' 2>/dev/null], [],
	[AC_MSG_WARN([$PYTHON has no jinja2, which jobio report --html needs: install python3-jinja2])])
])
