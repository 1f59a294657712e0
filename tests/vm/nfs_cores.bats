#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# nfs_cores.bats - core_change=affinity on real NFS, over TCP and RDMA: CPUs of its work; see
# nfs-cores
#
# Requirements: see nfs_machines.bash.
#
# shellcheck disable=SC2154 # nfs_machines.bash sets kernels

load nfs_machines

setup_file() { machines nfs-cores; }

# The reserved core of these machines is CPUs 6 and 7.
on() { expect "served $1" "$2" "$3"; }

# same CASE CASE - both have the same output
same() {
	local kernel
	for kernel in "${kernels[@]}"; do
		[[ $(of "$kernel" "$1" .) == "$(of "$kernel" "$2" .)" ]] || {
			diff <(of "$kernel" "$1" '.[]') <(of "$kernel" "$2" '.[]')
			return 1
		}
	done
}

@test "the machines run their scripts to the end" { expect_done; }

@test "before and after a job with a reserved core the client's work runs on any CPU" {
	local when
	for when in before after; do
		on "$when" .lost 0
		on "$when" '[.on[] | select(.kind == "unbound" and .cpu < 6)] | length > 0' true
	done
}

@test "with core_change=affinity all unbound workers of the client run on the reserved core only" {
	on 'in the job' .lost 0
	on 'in the job' '[.on[] | select(.kind == "unbound") | .cpu] | [length > 0, all(. >= 6)]' '[true,true]'
	expect 'record of the job' '[.client.cpus, .request.cores_met]' '["6-7",true]'
	expect 'record of the job' '[.findings[] | select(.severity == "error" or .code == "NF47")]' '[]'
}

@test "work that is bound to a CPU stays: packets, completions and memory of RDMA, the renewal of a lease" {
	on 'in the job' '[.on[] | select(.kind != "task" and .cpu < 6) | .kind + " " + .name] | unique | map(select(test("softirq")))' \
		'["softirq NET_RX"]'
	on 'in the job' '[.on[] | select(.kind != "task" and .cpu < 6) | .kind + " " + .name] | unique - [
		"softirq NET_RX", "bound ib_cq_poll_work", "bound rpcrdma_mr_refresh_worker", "bound nfs4_renew_state"]' '[]'
}

@test "the tasks of the job run on its own cores only" {
	on 'in the job' '[.on[] | select(.kind == "task") | .cpu] | [length > 0, all(. < 6)]' '[true,true]'
}

@test "workqueues, the threads of callbacks and the interrupts of the card are moved, and restored" {
	same 'told before' 'told after'
	expect 'told in the job' '[.[] | select(startswith("callback"))] | unique' '["callback 6-7"]'
	expect 'told in the job' '[.[] | select(startswith("irq")) | split(" ")[2]] | [length, unique]' '[3,["6-7"]]'
	expect 'told in the job' '[.[] | select(startswith("cpumask"))]' '["cpumask c0"]'
	expect 'record of the job' '[.changes[] | [.what, .made, .restored]] | sort' \
		'[["interrupt",true,true],["thread",true,true],["workqueue",true,true]]'
}

@test "by name only writeback can be moved on this kernel, and a finding names the others" {
	expect 'record of the job that moves by name' '[.findings[] | select(.code == "NF47") | .text]' \
		'["this kernel cannot move workqueues by name: nfsiod rpciod xprtiod: not moved"]'
	expect 'told in the job that moves by name' '[.[] | select(test("^(writeback/)?cpumask"))]' '["cpumask ff","writeback/cpumask c0"]'
	same 'told before' 'told after the job that moves by name'
}

@test "after a prolog that is killed before, between and after the moves epilog, --recover or the next job restores all CPUs" {
	expect 'killed before the first move' '[.status, .moved, .back]' '["137",false,true]'
	expect 'killed after the first move' '[.status, .moved, .back]' '["137",true,true]'
	expect 'killed at the end' '[.status, .moved, .back]' '["137",true,true]'
}

@test "jobio calibrate over TCP and RDMA, on a reserved core: jobio's counters agree with fio, also for libaio" {
	expect calibration .status 0
	expect calibration '[.fstype, .left]' '["nfs",""]'
	expect calibration '[.jobs[] | [.io_cores, .record.source, .agrees, .counts, .record.quality]]' '[[1,"bpf",true,true,[]]]'
	# the job also reads its plan and writes fio's output on the same filesystem
	expect calibration '.jobs[0] | [.record.read_bytes - .fio.read_bytes, .record.write_bytes - .fio.write_bytes] |
		map(. >= 0 and . < 300000)' '[true,true]'
	expect calibration '.per_core | length == 4 and all(.per_core > 0)' true
	expect calibration '.advice | .nfs_ops_per_s > 0 and .core_read_mbs > 0' true
	expect 'record of the calibration' '[.io_cores.os_cpus, .client.cpus, .request.cores_met]' '["6-7","6-7",true]'
	local kernel on=()
	for kernel in "${kernels[@]}"; do on+=("$(of "$kernel" calibration .on)"); done
	[[ ${#kernels[@]} != 2 || ${on[*]} == '/m/t3 /m/r3' ]]
}
