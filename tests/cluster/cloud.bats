#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cloud.bats - nodes that are made when a job needs them, and taken away with their disk
# when it has ended: State=CLOUD, ResumeProgram, SuspendProgram, PowerDownOnIdle
#
# The cloud is this machine's docker. Slurm's programs leave an order in ctld:/srv/cloud,
# which is carried out here: a new container of the nodes' image, with an empty disk and a
# name of its own, as machines of a cloud have; or its end. Nothing of it is kept.
# shellcheck disable=SC2016,SC2154,SC2030,SC2031 # alice's shell expands; submit sets $job,
# for one test

load lib

ORDERS=/srv/cloud

setup_file() {
	local lines
	export CONF=$BATS_FILE_TMPDIR
	expect_healthy
	program_make
	lines=$(on ctld sed -n 's/^NodeName=[^ ]* \(.*\) State=.*/NodeName=k[1-2] \1 State=CLOUD/p' /etc/slurm/slurm.conf)
	slurm_conf "$lines" 'PartitionName=cloud Nodes=k[1-2] MaxTime=INFINITE State=UP SuspendTime=600 PowerDownOnIdle=YES' \
		ResumeProgram=/usr/local/sbin/cloud-resume SuspendProgram=/usr/local/sbin/cloud-suspend \
		ResumeTimeout=120 SuspendTimeout=4 SuspendTime=INFINITE \
		SlurmctldParameters=cloud_reg_addrs,idle_on_node_suspend,power_save_interval=1,power_save_min_interval=0
	on ctld cat /etc/slurm/slurm.conf >"$CONF/slurm.conf"
	cloud 3>&- &
	echo $! >"$CONF/cloud.pid"
}

teardown_file() {
	kill "$(<"$CONF/cloud.pid")"
	machine_suspend k1
	machine_suspend k2
	slurm_conf ''
	on ctld rm -rf /usr/local/sbin/cloud-resume /usr/local/sbin/cloud-suspend $ORDERS
	expect_healthy
}

# Each test begins with an empty cloud.
setup() {
	site_conf
	within 60 is_empty
}

teardown() {
	rm -f "$CONF/flush"
	[[ -z ${ledgerless:-} ]] || on dbd svc start jobio-ledgerd
	on login scancel -u alice
	within 60 queue_is_empty
	on login rm -f /home/alice/go
	power_down
}

# ---- the cloud -----------------------------------------------------------------------

# program_make - ResumeProgram and SuspendProgram, which slurmctld runs as SlurmUser
program_make() {
	on ctld install -d -o slurm -m 700 $ORDERS
	docker exec -i "$JOBIO_CLUSTER-ctld" sh -c 'cat >/usr/local/sbin/cloud-resume
		chmod 755 /usr/local/sbin/cloud-resume
		ln -sf cloud-resume /usr/local/sbin/cloud-suspend' <<-END
		#!/bin/bash
		export PATH=/usr/sbin:/usr/bin:/sbin:/bin
		for node in \$(scontrol show hostnames "\$1"); do
			order=\$(mktemp $ORDERS/.XXXXXX)
			echo "\${0##*-} \$node" >"\$order"
			mv "\$order" "$ORDERS/\$EPOCHREALTIME.\$node"
		done
	END
}

# cloud - carry orders out, in their order, until somebody ends this
cloud() {
	local file verb node orders
	container_pid "$JOBIO_CLUSTER-ctld"
	orders=/proc/$container_pid/root$ORDERS
	while [[ -d $orders ]]; do
		for file in "$orders"/*; do
			[[ -e $file ]] || continue
			read -r verb node <"$file"
			rm "$file"
			"machine_$verb" "$node" >>"$CONF/cloud.log" 2>&1
		done
		sleep 0.1
	done
}

# machine_resume NODE - a new machine, that its cloud calls by another name
machine_resume() {
	docker run -d --name "$JOBIO_CLUSTER-$1" --hostname "ip-10-0-0-${1#k}" --label "jobio.cluster=$JOBIO_CLUSTER" \
		--network "${JOBIO_CLUSTER}_default" --network-alias "$1" --volumes-from "$JOBIO_CLUSTER-c1" \
		--tmpfs /run:mode=755 --cap-add=SYS_ADMIN --cap-add=SYS_NICE --security-opt apparmor:unconfined \
		--device /dev/fuse -e NODE_NAME="$1" -v "$CONF/slurm.conf:/conf/slurm.conf:ro" \
		-v "$CONF/jobio.conf:/conf/jobio.conf:ro" \
		"$(docker inspect -f '{{.Config.Image}}' "$JOBIO_CLUSTER-c1")" compute
}

# machine_suspend NODE - it ends as it stands; "flush": SuspendProgram has a last word
machine_suspend() {
	[[ ! -e $CONF/flush ]] || docker exec "$JOBIO_CLUSTER-$1" /usr/libexec/jobio/jobio-send --flush=40
	! is_up "$1" || docker rm -f -v "$JOBIO_CLUSTER-$1"
}

is_up() { [[ -n $(docker ps -aq -f "name=^$JOBIO_CLUSTER-$1\$") ]]; }
is_down() { ! is_up "$1"; }
is_powered_down() { [[ $(on ctld scontrol -o show node "$1" 2>&1) =~ POWERED_DOWN\ |'not found' ]]; }
is_empty() { is_down k1 && is_down k2 && is_powered_down k1 && is_powered_down k2; }

power_down() {
	local node
	for node in k1 k2; do
		is_powered_down $node || on ctld scontrol update nodename=$node state=power_down_force
	done
	within 60 is_empty || { on ctld scontrol show node 'k[1-2]' >&2; cat "$CONF/cloud.log" >&2; return 1; }
}

# site_conf LINE... - the jobio.conf of the next machines, with these lines in [ledger]
site_conf() {
	on c1 cat /conf/jobio.conf | sed 's/^nodes = c\*$/nodes = c* k*/' >"$CONF/jobio.conf"
	printf '%s\n' "$@" >>"$CONF/jobio.conf"
}

# ---- jobs ----------------------------------------------------------------------------

# order SCRIPT OPTION... - a job for the cloud; sets $job
order() {
	local script=$1
	shift
	submit "$script" -p cloud --io-cores=1 --io-profile=stream --ntasks-per-node=1 "$@"
}

# over JOB - it has ended, and its machine is gone
over() {
	within 90 job_ended "$1"
	within 60 is_empty
}

# runs_on JOB NODES
runs_on() { [[ $(on login squeue -h -j "$1" -o '%T %N') == "RUNNING $2" ]]; }

stop_ledger() {
	ledgerless=1
	on dbd svc stop jobio-ledgerd
}

completing() { [[ $(on login squeue -h -t all -j "$1" -o %T) == COMPLETING ]]; }

SHOW='grep " /mnt/weka " /run/weka-sim/mounts | grep -ow forcedirect; awk "/Cpus_allowed_list/ { print \$2 }" /proc/self/status'

@test "a job with io-cores and a profile on a machine that is made for it, and is gone when it ends: its record and summary arrive" {
	site_conf 'wait_nodes = k*'
	order "$SHOW; hostname; until [ -e go ]; do sleep 0.1; done" -N1
	within 60 runs_on "$job" k1
	expect_equal "$job" "$(on k1 find /run/jobio -mindepth 1 -maxdepth 1 -type d -printf '%f\n')"
	expect_equal "$job.k1.json" "$(on k1 find /var/spool/jobio -type f -printf '%f\n')"
	on login touch /home/alice/go
	over "$job"
	expect_equal COMPLETED "$(job_state "$job")"
	expect_equal $'forcedirect\n0\nip-10-0-0-1' "$(job_output "$job")"
	expect_record "$job" k1 '"\(.io_cores.count) \(.changes[0].restored) \(.quality | contains(["node_rebooted"]))"' '1 true false'
	expect_summary "$job" '^jobio/1 .* nodes=1/1 cores=1 .*prof=stream '
}

@test "wait_nodes: the ledger is restarted while the job ends, its machine stays until the ledger has the record" {
	site_conf 'wait_nodes = k*' 'send_timeout_ms = 30000'
	stop_ledger
	order true -N1
	within 60 completing "$job"
	sleep 4
	completing "$job"
	is_up k1
	on dbd svc start jobio-ledgerd
	over "$job"
	expect_record "$job" k1 '.changes[0].restored' true
}

@test "without wait_nodes a machine that is gone at once takes a record with it that the ledger did not take; SuspendProgram can send it before" {
	local lost
	site_conf
	stop_ledger
	order true -N1
	over "$job"
	lost=$job
	: >"$CONF/flush"
	order true -N1
	within 90 job_ended "$job"
	within 30 on k1 pgrep -f 'jobio-send --flush=40'
	on dbd svc start jobio-ledgerd
	expect_record "$job" k1 '.changes[0].restored' true
	within 60 is_empty
	expect_equal '' "$(record "$lost" k1)"
}

# rows JOB - the summaries of its runs
rows() { on login sacct -D -n -X -P -j "$1" -o SystemComment; }
has_row() { [[ $(rows "$1") =~ $2 ]]; }

@test "a machine that its cloud takes away under a job: the run lacks its record, and the next run, on a new one of the same name, has all" {
	site_conf 'wait_nodes = k*'
	order 'srun -Q sh -c "touch at.\$SLURMD_NODENAME.${SLURM_RESTART_COUNT:-0}"; [ -n "$SLURM_RESTART_COUNT" ] || sleep 300' -N2 --requeue
	within 60 runs_on "$job" 'k[1-2]'
	within 60 on login test -e /home/alice/at.k2.0
	docker rm -f -v "$JOBIO_CLUSTER-k2"
	on ctld scontrol update nodename=k2 state=down reason=reclaimed
	within 60 job_is "$job" PENDING
	on ctld scontrol update nodename=k2 state=power_down_force
	within 60 is_empty
	start_again "$job"
	over "$job"
	expect_equal COMPLETED "$(job_state "$job")"
	expect_record "$job" k2 '"\(.restart) \(.changes[0].old) \(.changes[0].restored) \(.quality | contains(["node_rebooted"]))"' \
		'1 writecache true false'
	within 60 has_row "$job" 'nodes=1/2 .*miss=k2'
	within 60 has_row "$job" 'nodes=2/2 '
	on login sh -c 'rm /home/alice/at.*'
}

@test "jobio check on a machine of a cloud names it by the name that its slurmd has, and finds nothing wrong" {
	site_conf 'wait_nodes = k*'
	order 'until [ -e go ]; do sleep 0.2; done' -N1
	within 60 job_runs "$job"
	check k1
	no 'S[0-9]+|N0[12]|J0[1-79]|J1[0-9]|L[0-9]+|H0[13]'
	run on k1 jobio check --format=json
	expect_text '"host":"k1"' "$output"
	as alice touch go
	over "$job"
}
