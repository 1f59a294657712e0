#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# boot.bats - scripts on a chosen kernel, as other tests use them

setup() {
	dir=$(mktemp -d)
	boot=$BATS_TEST_DIRNAME/boot
}

teardown() { rm -rf "$dir"; }

# script TEXT - write $dir/script
script() {
	printf '#!/bin/bash\n%s\n' "$1" >"$dir/script"
	chmod +x "$dir/script"
}

# on_kernel SERIES - boot it and check the script's output and status
on_kernel() {
	script 'uname -r; cat data; exit 7'
	echo 'from the payload' >"$dir/data"
	run "$boot" "$1" script "$dir"
	[[ $status == 7 ]]
	[[ ${lines[0]} == "$1".*-cloud-amd64 ]]
	[[ ${lines[1]} == 'from the payload' ]]
}

@test "a script on Linux 5.10 returns its output and exit status" { on_kernel 5.10; }

@test "a script on Linux 6.1 returns its output and exit status" { on_kernel 6.1; }

@test "a script on Linux 6.12 returns its output and exit status" { on_kernel 6.12; }

@test "long output is complete" {
	script 'seq 20000'
	run "$boot" -c v1 6.1 script "$dir"
	[[ $status == 0 ]]
	[[ $output == "$(seq 20000)" ]]
}

@test "a script that does not end is killed after the time limit: status 124" {
	script 'echo started; sleep 1000'
	run "$boot" -t 15 6.1 script "$dir"
	[[ $status == 124 ]]
	[[ $output == *'boot: script is not done within 15 s' ]]
}

@test "after a kernel panic the console is printed: status 125" {
	script 'echo c >/proc/sysrq-trigger'
	run "$boot" 6.1 script "$dir"
	[[ $status == 125 ]]
	[[ $output == *'Kernel panic'*'boot: the machine ended before script did' ]]
}

@test "a kernel, a script or cgroups that do not exist are refused: status 125" {
	script true
	run "$boot" six script "$dir"
	[[ $status == 125 && $output == *"kernel: 'six': no series of kernels"* ]]
	run "$boot" 6.1 other "$dir"
	[[ $status == 125 && $output == "boot: '$dir/other': no executable script" ]]
	run "$boot" -c v3 6.1 script "$dir"
	[[ $status == 125 && $output == "boot: 'v3': cgroups are v1 or v2" ]]
}
