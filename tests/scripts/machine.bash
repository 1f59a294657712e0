# SPDX-License-Identifier: GPL-2.0-or-later
# machine.bash - machines of tests/machines, for scripts

# machine NAME - write its hwloc XML to the folder $machines, and print the path
machine() {
	"$BUILDDIR/tests/tools/machine" xml "$1" >"${machines:?}/$1.xml" || return
	printf '%s\n' "$machines/$1.xml"
}
