# SPDX-License-Identifier: GPL-2.0-or-later
# cgroup.bash - reserved cores on a real kernel, with both versions of cgroups
# shellcheck shell=bash disable=SC2054 # lists of CPUs have commas

# withholds CGROUP NUMBERING FILESYSTEM - check the threads of the first and the last core, and
# the cores that are kept from jobs that reserve zero, one, two and three cores: the last of
# socket 1, one of each socket, all but the first
withholds() {
	local cores=(0-1 6-7 2-3,6-7 2-7)
	[[ $2 == block ]] || cores=(0,4 3,7 1,3,5,7 1-3,5-7)
	node_uncounted "$1" "$2"
	expect_equal "$3" "$(on_node 'stat -fc %T /sys/fs/cgroup')" 'cgroups'
	expect_equal "${cores[0]}" "$(siblings_of 0)" 'first core'
	expect_equal "${cores[1]}" "$(siblings_of 7)" 'last core'
	expect_equal 0-7 "$(batch_cpus --exclusive)" '--exclusive'
	expect_withheld 1 "${cores[1]}"
	expect_withheld 2 "${cores[2]}"
	expect_withheld 3 "${cores[3]}"
}
