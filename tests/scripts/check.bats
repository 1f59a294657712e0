#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# check.bats - ./check adds up the results of its parts, and failures to run them
# shellcheck disable=SC2016,SC2030,SC2031 # the parts expand what is quoted; each test is a
# process of its own

setup() {
	top=$(mktemp -d "${BATS_TMPDIR:-/tmp}/jobio-check.XXXXXX")
	chmod 755 "$top" # or place.bash would copy it
	mkdir -p "$top/tests/tools" "$top/tests/cluster"
	cp "$SRCDIR/"{check,packages.list} "$top"
	cp "$SRCDIR/tests/tools/"{part.bash,place.bash,tally} "$top/tests/tools"
	printf '%s\n' 'host_docker_stop() { :; }' >"$top/tests/cluster/host.bash"
	parts 'thing_packages() { :; }' 'thing_root() { :; }' 'thing_source() { :; }'
}

teardown() { rm -rf "$top"; }

# parts LINE... - add lines to parts.bash
parts() { printf '%s\n' "$@" >>"$top/tests/tools/parts.bash"; }

# check PART... - run it; sets status, output and lines
check() { run env -u JOBIO_CHECK_LEVEL -u JOBIO_CHECK_BEGIN -u JOBIO_UPDATE ${update:+JOBIO_UPDATE=1} "$top/check" "$@"; }

# is_said LINE... - fail unless a line of the output matches each LINE
is_said() {
	local line
	for line in "$@"; do
		grep -qxE -e "$line" <<<"$output" || { printf 'no line "%s" in:\n%s\n' "$line" "$output" >&2; return 1; }
	done
}

@test "the results of all parts are added up, and one failed test is a failure" {
	parts 'part_lint() { result 3 0 three; }' 'part_count() { result 4 1 "five things"; }'
	check lint count
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = '7 passed, 1 failed' ]
	is_said 'lint +3 +0 +[0-9]+ +[0-9]+' 'count +4 +1 +[0-9]+ +[0-9]+' 'FAILED: 1 of 5: five things'
}

@test "./check passes if all parts pass" {
	parts 'part_lint() { result 3 0 three; }'
	check lint
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = '3 passed, 0 failed' ]
}

@test "a thing that cannot be made is one failure with its cause, and parts that need it do not run" {
	parts 'thing_kernel() { echo called >>"$top/calls"; echo "E: Failed to fetch linux-image-$1"; return 100; }' \
		'part_count() { need kernel-6.1 || return 0; result 0 25 counting; }' \
		'part_diff() { need kernel-6.1 || return 0; result 0 7 differences; }' \
		'part_lint() { result 3 0 three; }'
	check lint count diff
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = '3 passed, 1 failed' ]
	is_said 'FAILED: no kernel-6.1: E: Failed to fetch linux-image-6.1' \
		'count .* not run, for lack of: kernel-6.1' 'diff .* not run, for lack of: kernel-6.1'
	[ "$(wc -l <"$top/calls")" -eq 1 ]
}

@test "without its packages no part runs, and that is one failure" {
	parts 'thing_packages() { echo "cannot install clang: E: Unable to fetch"; return 1; }' \
		'part_lint() { result 3 0 three; }'
	check lint
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = '0 passed, 1 failed' ]
	is_said 'FAILED: no packages-base: cannot install clang: E: Unable to fetch'
}

@test "a part that ends early is a failure" {
	parts 'part_lint() { result 3 0 three; false; result 1 0 four; }'
	check lint
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = '3 passed, 1 failed' ]
	is_said 'lint .* did not come to its end'
}

@test "a part without tests is a failure" {
	parts 'part_lint() { :; }'
	check lint
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = '0 passed, 0 failed' ]
}

@test "the ten slowest files are printed, the slowest first" {
	parts 'part_lint() {
		for i in {1..12}; do printf "1..1\nok 1 a\n# took tests/scripts/x%s.bats %s.5 0.1\n" $i $i; done >"$dir/log"
		tests three 0 "$dir/log"; }'
	check lint
	[ "${lines[-1]}" = '12 passed, 0 failed' ]
	[ "$(grep -oE 'x[0-9]+' <<<"$output" | xargs)" = 'x12 x11 x10 x9 x8 x7 x6 x5 x4 x3' ]
}

@test "output of a test file ends with its times, and its exit status is kept" {
	run "$SRCDIR/tests/tools/timed" bash -c 'echo tests; exit 3' x/tests/scripts/a.bats
	[ "$status" -eq 3 ]
	[ "${lines[0]}" = tests ]
	[[ ${lines[1]} =~ ^'# took tests/scripts/a.bats '[0-9]+\.[0-9]\ [0-9]+\.[0-9]$ ]]
}

@test "only ./check itself updates docs/tested.md, not the tests in it" {
	printf '#!/bin/sh\necho "written: $1"\n' >"$top/tests/tools/tested"
	chmod +x "$top/tests/tools/tested"
	parts 'part_lint() { result 3 "$(printenv JOBIO_UPDATE | wc -l)" three; }'
	update=1
	check lint
	[ "$status" -eq 0 ]
	is_said 'written: .*/build/check/parts'
}

@test "a part that passed is noted with its commit, a part that failed or did not run keeps its line" {
	mkdir "$top/docs"
	cp "$SRCDIR/tests/tools/"{tested,fill} "$top/tests/tools"
	printf '<!-- %s -->\n' 'begin tested' 'end tested' 'begin last' 'end last' >"$top/docs/tested.md"
	printf '%s\n' 'count 2020-01-02 1234abcd 5' 'fuzz 2020-01-02 1234abcd 13' >"$top/tests/tools/last"
	printf 'build\n' >"$top/.gitignore"
	parts 'part_lint() { result 3 0 three; }' 'part_count() { result 4 1 five; }' \
		'part_nfs() { not_run "a network"; }'
	git -C "$top" init -q
	git -C "$top" add .
	git -C "$top" -c user.name=a -c user.email=a@b commit -qm all
	local at now last
	at=$(git -C "$top" rev-parse --short=8 HEAD) now=$(date +%F) last=$top/tests/tools/last
	update=1
	check lint count nfs
	[ "$(xargs -d '\n' printf '%s; ' <"$last")" = "count 2020-01-02 1234abcd 5; fuzz 2020-01-02 1234abcd 13; lint $now $at 3; " ]
	run cat "$top/docs/tested.md"
	is_said "\\| lint \\| $now \\| $at \\| 3 \\|" '\| count \| 2020-01-02 \| 1234abcd \| 5 \|' '\| nfs \| not recorded \| \| +\|'
	[ "$(sed -n '/begin last/,$p' "$top/docs/tested.md" | grep -c '^| lint')" -eq 1 ]
	echo 'part_diff() { result 7 0 seven; }' >>"$top/tests/tools/parts.bash"
	check diff
	grep -qx "diff $now $at+ 7" "$last"
	# before a commit parts do not run in full
	parts 'part_sanitizers() { :; }' 'part_soak() { :; }' 'part_dist() { :; }' 'part_glibc() { :; }' \
		'part_page() { result 1 0 one; }' 'part_fuzz() { :; }' 'part_cluster() { :; }'
	check
	run grep -c page "$last"
	[ "$output" -eq 0 ]
}

@test "each Slurm of a kit is a part of its own" {
	mkdir -p "$top/kit/25.05.8" "$top/kit/23.11.11"
	parts 'part_slurms() { result 3 0 "Slurm $1, from source"; }'
	export JOBIO_SLURM_KIT=$top/kit
	check slurms
	[ "$status" -eq 0 ]
	is_said 'slurms-23.11.11 +3 +0 .*' 'slurms-25.05.8 +3 +0 .*'
	[ "${lines[-1]}" = '6 passed, 0 failed' ]
}

@test "a part for which there is no kit is named in the last table, and is no failure" {
	cp "$SRCDIR/tests/tools/parts.bash" "$top/tests/tools"
	parts 'thing_packages() { :; }' 'thing_root() { :; }' 'thing_source() { :; }' 'part_lint() { result 3 0 three; }'
	export JOBIO_SHARED=$top/nowhere
	check lint slurms lustre
	[ "$status" -eq 0 ]
	is_said 'slurms +0 +0 .* not run, for lack of: a kit of other Slurms' \
		'lustre +0 +0 .* not run, for lack of: a kit of a real Lustre'
	[ "${lines[-1]}" = '3 passed, 0 failed' ]
}

@test "without a kit of Slurms one part reports that" {
	parts 'part_slurms() { say "not there: $1"; }' 'part_lint() { result 3 0 three; }'
	export JOBIO_SLURM_KIT=$top/nowhere
	check lint slurms
	[ "$status" -eq 0 ]
	is_said '.* slurms: not there: slurms' 'slurms +0 +0 .*'
}

@test "dockerd is ended only by the run that started it, and not while it has containers" {
	local pid status=0
	mkdir "$top/bin" "$top/state"
	cp "$(command -v sleep)" "$top/bin/dockerd"
	printf '#!/bin/sh\n%s\n' "cat '$top/containers'" >"$top/bin/docker"
	printf '#!/bin/sh\n%s\n' "kill \$(cat '$top/pid')" >"$top/bin/systemctl"
	chmod 755 "$top"/bin/*
	PATH="$top/bin:$PATH"
	. "$SRCDIR/tests/cluster/host.bash"
	dockerd 60 3>&- &
	pid=$!
	echo $pid >"$top/pid"
	until [ -n "$(host_dockerd $pid)" ]; do sleep 0.1; done
	host_dockerd $pid >"$top/state/dockerd"
	# it has a container; docker does not answer; the PID belongs to another process
	echo 4711 >"$top/containers"
	run host_docker_stop "$top/state"
	[[ $output == *" goes on: it has containers of others" ]]
	rm "$top/containers"
	host_docker_stop "$top/state" 2>/dev/null
	: >"$top/containers"
	cp "$top/state/dockerd" "$top/kept"
	sed -i 's/ .*/ 1 x/' "$top/state/dockerd"
	host_docker_stop "$top/state"
	[ -n "$(host_dockerd $pid)" ]
	mv "$top/kept" "$top/state/dockerd"
	host_docker_stop "$top/state"
	wait $pid || status=$?
	[ "$status" -eq 143 ]
}
