#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# count_load.bats - loading, upgrade and removal of the BPF programs on real kernels
#
# Needs SRCDIR, BUILDDIR with jobio-count, docker, jq and tests/vm/packages. Boots the kernels of
# JOBIO_LOADED (6.1 and the newest) with count-load, one after the other, and the last one with
# systemd (of the image jobio-trixie:site) and count-service: a minute or two each.

load bail
load payload

read -ra kernels <<<"${JOBIO_LOADED:-6.1 newest}"
readonly image=${JOBIO_VM_IMAGE:-jobio-bookworm:site}

setup_file() {
	local kernel
	export work=$BATS_FILE_TMPDIR
	payload_add "$work/payload" "$BUILDDIR/jobio-count" "$BUILDDIR/jobio-prepare"
	sed 's:@jobiolibexecdir@:/usr/libexec/jobio:' "$SRCDIR/etc/jobio-recover.service.in" >"$work/payload/jobio-recover.service"
	cp "$SRCDIR"/tests/vm/count-{load,service} "$SRCDIR/debian/jobio-node.prerm" "$work/payload"
	for kernel in "${kernels[@]}"; do
		"$SRCDIR/tests/vm/boot" -t 600 -r "$image" -p maxcpus=2 "$kernel" count-load \
			"$work/payload" >"$work/$kernel" 2>"$work/$kernel.err" ||
			echo "count-load: exit status $?" >>"$work/$kernel.err"
	done
	"$SRCDIR/tests/vm/boot" -t 600 -r jobio-trixie:site -c systemd -p maxcpus=2 "${kernels[-1]}" count-service \
		"$work/payload" >"$work/service" 2>"$work/service.err" || echo "count-service: exit status $?" >>"$work/service.err"
}

# expect LABEL FILTER VALUE - fail unless jq prints VALUE for the label on each kernel
expect() {
	local kernel have
	for kernel in "${kernels[@]}"; do
		have=$(jq -c --arg it "$1" "select(has(\$it)) | .[\$it] | $2" < <(grep '^{' "$work/$kernel"))
		[[ $have == "$3" ]] || {
			printf '%s: %s: %s: %s instead of %s\n' "$kernel" "$1" "$2" "$have" "$3"
			tail -n 3 "$work/$kernel.err"
			return 1
		}
	done
}

@test "probe with times attaches nothing" {
	expect probe '[.tier, .reason, (.groups | length)]' '["bpf",null,7]'
	expect 'hooked by probe' . 0
}

@test "start --wait=0 loads the programs in the background; that job is not counted, the next one is" {
	expect 'no time' '[.tier, .loading, .reason]' '["none",true,"counters: loading the BPF programs takes longer than 0 ms and goes on: this job is not counted by filesystem"]'
	expect 'read uncounted' '[.tier, .app]' '["none",[]]'
	expect 'loaded by then' '[.tier, .loading]' '["bpf",null]'
	expect 'read counted' '[.app[0].write_bytes, .quality]' '[1048576,[]]'
}

@test "with kernel.ftrace_enabled=0 no program is loaded, a later start loads them, and missing counters have flags" {
	local reason='"kernel.ftrace_enabled=0: the kernel does not run BPF programs of functions"'
	grep -qx 6.1 <<<"$(printf '%s\n' "${kernels[@]}")" || return 0
	kernels=(6.1) # Linux 7.3 cannot switch it off
	expect 'start without ftrace' '[.tier, .reason]' "[\"none\",$reason]"
	expect 'probe without ftrace' '[.tier, .reason]' "[\"none\",$reason]"
	expect 'probe after ftrace' '[.tier, .reason]' "[\"exit\",$reason]"
	expect 'read without ftrace' '[[.app[].source], (.app[0].write_bytes > 1048575), .quality]' \
		'[["exit"],true,["all_files","mmap_missing","aio_missing","copies_twice"]]'
	expect 'read of before' '.quality | contains(["lower_bound_read", "lower_bound_write", "lower_bound_ops", "mmap_missing"])' true
}

@test "programs of another version are unloaded with their last job; it cannot be read, and is listed and stopped" {
	expect 'folders beside' . '["0-v2","ours-v2"]'
	expect 'status beside' '[.jobs[].job] | unique' '[2]'
	expect 'read of another version' .reason '"counters: job 2: another version of jobio began to count it"'
	expect 'start beside' .tier '"bpf"'
	expect 'status after' '[.jobs[].job] | unique' '[3]'
	expect 'folders with latency' . '["ours-v2","ours-v2-latency"]'
	expect 'folders after start' 'map(select(endswith("-old") | not))' '["ours-v2-latency"]'
}

@test "unload removes all programs and pins" {
	expect 'hooked at first' . 0
	expect 'hooked of one set' '. > 0' true
	expect 'hooked after unload' . 0
	expect 'pins after unload' . 0
}

@test "jobio-recover.service loads the programs before slurmd starts, and restarts and stops without an error" {
	kernels=(service)
	expect 'when slurmd started' . '["ours-v2-latency"]'
	expect 'functions of the programs' '. > 0' true
	expect 'services after the start' . '["inactive success","active success"]'
	expect 'services after the restart' . '["inactive success","active success"]'
	expect 'programs after the restart' '[.same, .names]' '[true,["ours-v2-latency"]]'
	expect 'services after the stop' . '["inactive success","inactive success"]'
}

@test "removal of the package leaves no BPF program and no pin" {
	kernels=(service)
	expect 'functions after the removal, more than at first' . 0
	expect 'pins after the removal' . 0
}
