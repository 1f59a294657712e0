#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# auth.bats - Slurm without MUNGE: AuthType=auth/slurm with its slurm.key, and a munged for
# jobio only (SITE=auth_slurm); steps that are managed on the job's node (enable_stepmgr)
# shellcheck disable=SC2154,SC2030,SC2031 # submit sets $job, for one test
# shellcheck disable=SC2016 # quoted code runs elsewhere

load lib

setup_file() { expect_healthy; }
teardown() { expect_healthy; }

setting() { on login scontrol show config | sed -n "s/^$1 *= //p"; }

# quiet HOST CODES - jobio check has none of these findings there
quiet() {
	check "$1"
	no "$2" || { echo "$1"; return 1; }
}

# munged stop|start HOST...
munged() {
	local host
	for host in "${@:2}"; do
		on "$host" svc "$1" munged
		[[ $1 == stop ]] || within 10 on "$host" test -S /run/munge/munge.socket.2
	done
}

@test "from submission to the report: Slurm uses auth/slurm, records are sent with MUNGE credentials" {
	local host
	expect_equal auth/slurm "$(setting AuthType)"
	expect_equal cred/slurm "$(setting CredType)"
	submit 'srun sh -c "dd if=/dev/zero of=/mnt/weka/\$SLURMD_NODENAME bs=1M count=8 2>/dev/null; echo \$SLURM_IO_CPUS"' \
		-N2 -w c1,c2 --io-cores=1
	wait_for_job "$job"
	expect_equal $'1\n1' "$(job_output "$job")"
	expect_summary "$job" '^jobio/1 .* nodes=2/2 cores=1 '
	expect_text 'io-cores 1' "$(as alice jobio report "$job")"
	run as alice jobio check --submit --role=login
	expect_text 'report   sacct has the same' "$output"
	no 'T[0-9]+'
	for host in login ctld dbd c1; do quiet "$host" 'S[0-9]+|L[0-9]+'; done
}

@test "without munged Slurm runs jobs as before; jobio check prints the commands to start it, and the record is sent later" {
	local host
	munged stop login c1 dbd
	submit 'hostname' -n1 -w c1 --io-cores=1
	wait_for_job "$job"
	expect_equal c1 "$(job_output "$job")"
	for host in login c1 dbd; do
		check "$host"
		no 'S[0-9]+' || { echo "$host"; return 1; }
		expect_text 'L03 error: MUNGE does not work on this host: munge: Failed to access "/run/munge/munge.socket.2"' "$output"
		expect_text 'jobio needs it, although Slurm does not (AuthType=auth/slurm)' "$output"
		[[ $host != dbd ]] || expect_text 'if not: head -c 1024 /dev/urandom | install' "$output"
		[[ $host == dbd ]] || expect_text 'copy /etc/munge/munge.key of dbd to this host, of user munge' "$output"
	done
	[[ -n $(spooled c1) ]]
	munged start dbd c1 login
	expect_summary "$job" '^jobio/1 .* nodes=1/1 cores=1 '
}

@test "a login host without sackd: jobio check names the daemon that Slurm's commands need" {
	on login svc stop sackd
	check login
	expect_text 'S21 error: slurmctld does not answer: scontrol: failed to connect to any sack sockets' "$output"
	expect_text 'cure: systemctl start sackd, on this host' "$output"
	no S15
	on login svc start sackd
	within 10 on login scontrol ping
	quiet login 'S[0-9]+'
}

@test "with enable_stepmgr the job's node starts its steps: they are counted, and the gate checks each" {
	slurm_of_c1 's/^NodeName=c\[1-3\]\(.*\)/NodeName=c1 CpuSpecList=1\1\nNodeName=c[2-3]\1/
		$a SlurmctldParameters=enable_stepmgr'
	submit 'srun sh -c "echo \$SLURMD_NODENAME \$SLURM_IO_CPUS \$SLURM_STEPMGR"
		srun -n1 -N1 -w c2 dd if=/dev/zero of=/mnt/weka/y bs=1M count=8 2>/dev/null' -N2 -w c1,c2 --io-cores=1
	wait_for_job "$job"
	expect_equal $'c1 1 c1\nc2 1 c1' "$(job_output "$job" | sort)"
	expect_equal "$job.batch $job.extern $job.0 $job.1" "$(on login sacct -n -P -j "$job" -o JobID | tail -n +2 | xargs)"
	expect_record "$job" c2 '[.app[].write_bytes // 0] | add >= 8388608' true
	expect_record "$job" c1 .request.io_cores 1
	expect_summary "$job" '^jobio/1 rd=[^ ]* wr=8[^ ]*MiB/.* nodes=2/2 cores=1 cpus=1 '
	run as alice srun -Q -n1 -w c1 --core-spec=0 hostname
	[ "$status" -ne 0 ]
	expect_text 'jobio: gate: not started: the job may run on CPU 1 of node c1' "$output"
}
