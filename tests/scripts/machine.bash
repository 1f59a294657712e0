# SPDX-License-Identifier: GPL-2.0-or-later
# machine.bash - machines of tests/machines for scripts

# machine NAME - the path of its hwloc XML, in the folder $machines
machine() {
	"$BUILDDIR/tests/tools/machine" xml "$1" >"${machines:?}/$1.xml" || return
	printf '%s\n' "$machines/$1.xml"
}
