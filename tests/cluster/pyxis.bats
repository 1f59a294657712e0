#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# pyxis.bats - jobs in containers of pyxis and enroot, with jobio's line of plugstack.conf before
# and after that of pyxis
#
# The client uses CPU 1 of 0 and 1 of every node, which is the spec set of c1.
# shellcheck disable=SC2154,SC2016,SC2030,SC2031 # submit sets $job, in each test anew; quoted code runs elsewhere

load lib

readonly orders='a z' pyxis='required /usr/lib/x86_64-linux-gnu/slurm/spank_pyxis.so'
readonly refusal='jobio: gate: not started: the job may run on CPU 1 of node c1'

setup_file() {
	local host
	expect_healthy
	for host in c1 c2 c3; do
		on $host sh -c 'mkdir -p /run/pyxis /tmp/enroot && chmod 1777 /run/pyxis /tmp/enroot
			for what in RUNTIME DATA CACHE; do
				echo "ENROOT_${what}_PATH /tmp/enroot/$what-\$(id -u)"
			done >>/etc/enroot/enroot.conf'
	done
	on login cp /image.sqsh /home/image.sqsh
	slurm_of_c1 's/^NodeName=c\[1-3\]\(.*\)/NodeName=c1 CpuSpecList=1\1\nNodeName=c[2-3]\1/'
}

# pyxis_line NAME - load pyxis by plugstack.conf.d/NAME.conf; jobio is loaded by jobio.conf there
pyxis_line() {
	local host
	for host in login c1 c2 c3; do
		on $host sh -c "rm -f /etc/slurm/plugstack.conf.d/[az].conf; echo '$pyxis' >/etc/slurm/plugstack.conf.d/$1.conf"
	done
}

# contained OPTION... -- COMMAND... - run as alice, by srun on c1 in a container
contained() {
	local options=()
	while [[ $1 != -- ]]; do options+=("$1"); shift; done
	shift
	run as alice srun -w c1 "${options[@]}" --container-image=/home/image.sqsh "$@"
}

@test "a container has its job's cores, profile and variables, and its I/O is in the record" {
	local order
	for order in $orders; do
		pyxis_line "$order"
		contained --io-cores=1 --io-profile=stream --container-mounts=/mnt/weka -- sh -c 'grep Cpus_allowed_list /proc/self/status
			echo "$SLURM_JOB_ID $SLURM_IO_CORES $SLURM_IO_CPUS $SLURM_IO_PROFILE"; cat /proc/self/cgroup'
		expect_equal 0 "$status"
		[[ $output != *job_* ]]
		expect_text $'Cpus_allowed_list:\t0' "$output"
		expect_text ' 1 1 stream' "$output"
		job=$(grep -oE '^[0-9]+ 1 1 stream' <<<"$output" | cut -d' ' -f1)
		expect_summary "$job" ' nodes=1/1 cores=1 cpus=1 prof=stream .* chg=1/1'
	done
}

@test "no container starts on the client's CPU, bound or not, in either order of the lines" {
	local order bind
	for order in $orders; do
		pyxis_line "$order"
		for bind in none map_cpu:0; do
			contained --core-spec=0 -n1 -c2 --cpu-bind=$bind -- taskset -c 1 true
			expect_equal "1 1" "$status $(grep -c "$refusal" <<<"$output")"
		done
		submit 'srun --container-image=/home/image.sqsh true' -w c1 --core-spec=0
		wait_for_job "$job"
		expect_record "$job" c1 '.refused | startswith("the job may run on CPU 1")' true
	done
}

@test "gate = warn starts the container and reports it" {
	local order
	on c1 sed -i.before 's/^gate *=.*/gate = warn/' /etc/slurm/jobio.conf
	for order in $orders; do
		pyxis_line "$order"
		contained --core-spec=0 -n1 -c2 --cpu-bind=map_cpu:0 -- sh -c 'echo "$SLURM_JOB_ID"'
		expect_equal 0 "$status"
		expect_record "$(tail -n 1 <<<"$output")" c1 .gate.warned 1
	done
	on c1 mv /etc/slurm/jobio.conf.before /etc/slurm/jobio.conf
}
