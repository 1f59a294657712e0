#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cloud.bats - nodes that exist only while jobs need them: State=CLOUD, ResumeProgram,
# SuspendProgram, PowerDownOnIdle; dynamic nodes (slurmd -Z), and configless nodes
#
# The cloud is docker on this machine. Slurm's programs write orders to ctld:/srv/cloud, which
# are carried out here: a new container of the nodes' image with an empty disk and a name that
# is not its node's; or the end of one. Nothing of it is kept, except where a test notes it.
# shellcheck disable=SC2016,SC2154,SC2030,SC2031 # alice's shell expands; submit sets $job,
# for one test

load lib

ORDERS=/srv/cloud
NODES=(k1 k2 k3)

setup_file() {
	local line
	export CLOUD=$BATS_FILE_TMPDIR
	expect_healthy
	programs_make
	set_conf dbd 's/^grace_s = .*/grace_s = 5/'
	ledger_again
	line=$(on ctld sed -n 's/^NodeName=[^ ]* \(.*\) State=.*/NodeName=k[1-3] \1 State=CLOUD/p' /etc/slurm/slurm.conf)
	[[ -n $line ]]
	slurm_conf "$line" 'PartitionName=cloud Nodes=k[1-3] MaxTime=INFINITE State=UP SuspendTime=600 PowerDownOnIdle=YES' \
		MaxNodeCount=16 'PartitionName=dynamic Nodes=ALL MaxTime=INFINITE State=UP' \
		ResumeProgram=/usr/local/sbin/cloud-resume SuspendProgram=/usr/local/sbin/cloud-suspend \
		ResumeTimeout=120 SuspendTimeout=3 SuspendTime=INFINITE \
		SlurmctldParameters=enable_configless,cloud_reg_addrs,idle_on_node_suspend,power_save_interval=1,power_save_min_interval=0
	on ctld cat /etc/slurm/slurm.conf >"$CLOUD/slurm.conf"
	cloud >"$CLOUD/cloud.log" 2>&1 3>&- &
	echo $! >"$CLOUD/cloud.pid"
}

# Every step is done, also after a failed step or an aborted test.
teardown_file() {
	local status=0
	[[ ! -s $CLOUD/cloud.pid ]] || kill "$(<"$CLOUD/cloud.pid")" || :
	machines_end || status=1
	slurm_conf '' || status=1
	on ctld rm -rf /usr/local/sbin/cloud-{resume,suspend} $ORDERS || status=1
	site_restore || status=1
	ledger_again || status=1
	expect_healthy || status=1
	return $status
}

# Each test starts with an empty cloud.
setup() { site_conf; }

teardown() {
	local node status=0
	rm -f "$CLOUD"/{flush,keep,spool}
	on dbd svc start jobio-ledgerd || status=1
	on login scancel -u alice
	within 60 queue_is_empty || status=1
	on login sh -c 'rm -f /home/alice/go /home/alice/at.*'
	for node in "${NODES[@]}"; do
		is_powered_down "$node" || on ctld scontrol update "nodename=$node" state=power_down_force
	done
	within 60 is_empty || status=1
	machines_end || status=1
	on ctld sh -c '[ ! -e /tmp/plugstack.conf ] || mv /tmp/plugstack.conf /etc/slurm/plugstack.conf' || status=1
	if ((status)); then on ctld scontrol show node 'k[1-3]'; cat "$CLOUD/cloud.log"; fi >&2
	return $status
}

ledger_again() {
	on dbd svc stop jobio-ledgerd
	on dbd svc start jobio-ledgerd
}

# ---- the cloud -----------------------------------------------------------------------

# programs_make - write ResumeProgram and SuspendProgram, which slurmctld runs as SlurmUser
programs_make() {
	on ctld install -d -o slurm -m 700 $ORDERS
	docker exec -i "$JOBIO_CLUSTER-ctld" sh -c 'cat >/usr/local/sbin/cloud-resume
		chmod 755 /usr/local/sbin/cloud-resume
		ln -sf cloud-resume /usr/local/sbin/cloud-suspend' <<-END
		#!/bin/bash
		export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C
		for node in \$(scontrol show hostnames "\$1"); do
			order=\$(mktemp $ORDERS/.XXXXXX)
			echo "\${0##*-} \$node" >"\$order"
			mv "\$order" "$ORDERS/\$EPOCHREALTIME.\$node"
		done
	END
}

# cloud - carry out the orders one by one until killed
cloud() {
	local file verb node orders
	set +e
	container_pid "$JOBIO_CLUSTER-ctld"
	orders=/proc/$container_pid/root$ORDERS
	while [[ -d $orders ]]; do
		for file in "$orders"/*; do
			[[ -e $file ]] || continue
			read -r verb node <"$file"
			rm "$file"
			printf '%(%T)T %s %s\n' -1 "$verb" "$node"
			"machine_$verb" "$node" &
		done
		sleep 0.1
	done
}

# container NAME OPTION... - start another host
container() {
	local name=$1
	shift
	docker run -d --name "$JOBIO_CLUSTER-$name" --label "jobio.cluster=$JOBIO_CLUSTER" --network "${JOBIO_CLUSTER}_default" "$@"
}

image() { docker inspect -f '{{.Config.Image}}' "$JOBIO_CLUSTER-c1"; }

# machine NODE OPTION... - start a new machine with another host name than its node's. If the file
# "spool" contains the node's name, SlurmdSpoolDir is on its disk.
machine() {
	local node=$1 options=('--tmpfs=/var/spool/slurmd:mode=755,exec')
	! is_marked spool "$node" || options=()
	options+=("${@:2}")
	container "$node" --hostname "ip-10-0-0-${node:1}" --volumes-from "$JOBIO_CLUSTER-c1" --tmpfs /run:mode=755 \
		--cap-add=SYS_ADMIN --cap-add=SYS_NICE --security-opt apparmor:unconfined --device /dev/fuse \
		-e NODE_NAME="$node" -v "$CLOUD/slurm.conf:/conf/slurm.conf:ro" -v "$CLOUD/jobio.conf:/conf/jobio.conf:ro" \
		"${options[@]}" "$(image)" compute
}

# machine_resume NODE - start a new machine, or the old one with another address
machine_resume() {
	if is_there "$1"; then docker start "$JOBIO_CLUSTER-$1"; else machine "$1"; fi
}

# machine_suspend NODE - end it without a shutdown. If the file "flush" contains the node's name,
# SuspendProgram first runs jobio-send there; if "keep" does, its disk is kept.
machine_suspend() {
	! is_marked flush "$1" || docker exec "$JOBIO_CLUSTER-$1" /usr/libexec/jobio/jobio-send --flush=60
	if is_marked keep "$1"; then crash "$1"; else machine_end "$1"; fi
}

# crash NODE - its memory is lost, its disk is kept
crash() { ! is_up "$1" || docker kill "$JOBIO_CLUSTER-$1"; }
machine_end() { ! is_there "$1" || docker rm -f -v "$JOBIO_CLUSTER-$1"; }

# machines_end - remove all machines of this cloud
machines_end() {
	local all
	mapfile -t all < <(docker ps -aq -f "label=jobio.cluster=$JOBIO_CLUSTER")
	((${#all[@]} == 0)) || docker rm -f -v "${all[@]}" >/dev/null
}

is_marked() { [[ -e $CLOUD/$1 ]] && grep -qx "$2" "$CLOUD/$1"; }
is_there() { [[ -n $(docker ps -aq -f "name=^$JOBIO_CLUSTER-$1\$") ]]; }
is_up() { [[ -n $(docker ps -q -f "name=^$JOBIO_CLUSTER-$1\$") ]]; }
is_powered_down() { [[ $(on ctld scontrol -o show node "$1" 2>&1) =~ POWERED_DOWN ]]; }
is_away() { ! is_up "$1" && is_powered_down "$1"; }

is_empty() {
	local node
	for node in "${NODES[@]}"; do is_away "$node" || return 1; done
}

address() { docker inspect -f '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}' "$JOBIO_CLUSTER-$1"; }

# site_conf LINE... - write the jobio.conf of later machines, with these lines in [ledger]
site_conf() {
	on c1 cat /conf/jobio.conf | sed 's/^nodes = c.*/&,k[1-99],z[1-99]/' >"$CLOUD/jobio.conf"
	printf '%s\n' "$@" >>"$CLOUD/jobio.conf"
}

# ---- jobs ----------------------------------------------------------------------------

# order SCRIPT OPTION... - submit a job for the cloud; sets $job
order() {
	local script=$1
	shift
	submit "$script" -p cloud --io-cores=1 --io-profile=stream --ntasks-per-node=1 "$@"
}

# runs_on JOB NODES
runs_on() { [[ $(on login squeue -h -j "$1" -o '%T %N') == "RUNNING $2" ]]; }
completing() { [[ $(on login squeue -h -t all -j "$1" -o %T) == COMPLETING ]]; }

# expect_end JOB NODE... - it has completed, and its machines are gone
expect_end() {
	local job=$1 node
	shift
	within 60 job_ended "$job"
	expect_equal COMPLETED "$(job_state "$job")"
	for node in "$@"; do within 60 is_away "$node"; done
}

MODE='grep " /mnt/weka " /run/weka-sim/mounts | grep -ow forcedirect; hostname'

# job_time_limit() of slurmctld tests every 30 s whether the machines of a job are up: a job takes
# that long, so these three run at the same time.
@test "machines that are made for a job and end with it: while the ledger is down no record is lost if the epilog waits for it (wait_nodes) or SuspendProgram sends it, otherwise the record is lost" {
	local job_of=() i=0 node waiting lost flushed
	site_conf 'wait_nodes = k1' 'send_timeout_ms = 60000'
	echo k3 >"$CLOUD/flush"
	for node in "${NODES[@]}"; do
		order "$MODE; until [ -e go ]; do sleep 0.1; done" -N1 -w "$node"
		job_of[i++]=$job
	done
	waiting=${job_of[0]} lost=${job_of[1]} flushed=${job_of[2]}
	for i in 0 1 2; do within 60 runs_on "${job_of[i]}" "${NODES[i]}"; done
	expect_equal "$waiting" "$(on k1 find /run/jobio -mindepth 1 -maxdepth 1 -type d -printf '%f\n')"
	check k1
	no 'S[0-9]+|N0[12]|J0[1-79]|J1[0-9]|L[0-9]+|H0[13]'
	check k1 --format=json
	expect_text '"host":"k1"' "$output"

	on dbd svc stop jobio-ledgerd
	on login touch /home/alice/go
	expect_end "$lost" k2
	within 60 completing "$waiting"
	within 30 on k3 pgrep -f 'jobio-send --flush=60'
	is_up k1
	on dbd svc start jobio-ledgerd
	expect_end "$waiting" k1
	expect_end "$flushed" k3
	expect_equal $'forcedirect\nip-10-0-0-1' "$(job_output "$waiting")"
	expect_record "$waiting" k1 '"\(.io_cores.count) \(.changes[0].restored) \(.quality | contains(["node_rebooted"]))"' '1 true false'
	expect_summary "$waiting" '^jobio/1 .* nodes=1/1 cores=1 .*prof=stream '
	expect_record "$flushed" k3 '.changes[0].restored' true
	expect_equal '' "$(record "$lost" k2)"
}

# first_record JOB NODE - the record of the job's first run
first_record() {
	in_ledger "SELECT text FROM records JOIN runs ON run = id WHERE job = $1 AND node = '$2' ORDER BY first LIMIT 1"
}

# has_row JOB REGEX - one of its runs has a summary that matches
has_row() { [[ $(on login sacct -D -n -X -P -j "$1" -o SystemComment) =~ $2 ]]; }

# restarted JOB NODE VALUES - the record of its last run: restart, applied, old value, node_rebooted
restarted() { expect_record "$1" "$2" '"\(.restart) \(.request.applied) \(.changes[0].old) \(.quality | contains(["node_rebooted"]))"' "$3"; }

@test "machines that end under a job: if the disk comes back, with another boot and address, the record is sent; the next run has its settings, unless slurmd still knows the job" {
	local node before boot
	site_conf 'wait_nodes = k[1-99]'
	printf '%s\n' k1 k3 >"$CLOUD/keep"
	echo k3 >"$CLOUD/spool"
	order 'srun -Q sh -c "touch at.\$SLURMD_NODENAME"; [ -n "$SLURM_RESTART_COUNT" ] || sleep 300' -N3 -w 'k[1-3]' --requeue
	for node in "${NODES[@]}"; do within 60 on login test -e "/home/alice/at.$node"; done
	before=$(address k1) boot=$(on k1 cat /proc/sys/kernel/random/boot_id)
	expect_equal 1 "$(on k1 find /var/spool/jobio/open -type f | wc -l)"
	crash k1
	crash k3
	machine_end k2
	# other hosts take their addresses
	for node in "${NODES[@]}"; do container "not-$node" --entrypoint sleep "$(image)" infinity; done
	on ctld scontrol update 'nodename=k[1-3]' state=down reason=reclaimed
	within 30 job_is "$job" PENDING
	on ctld scontrol update 'nodename=k[1-3]' state=power_down_force
	within 60 is_empty
	start_again "$job"
	within 60 is_up k1
	[[ $(address k1) != "$before" ]]
	expect_end "$job" "${NODES[@]}"
	restarted "$job" k1 '1 true writecache false'
	restarted "$job" k2 '1 true writecache false'
	[[ $(record "$job" k1 | jq -r .boot_id) != "$boot" ]]
	for node in k1 k3; do
		expect_equal true "$(first_record "$job" $node | jq '.restart == 0 and (.quality | contains(["node_rebooted"]))')"
	done
	# slurmd runs no prolog for a job that it has seen before (cred_context.c)
	expect_record "$job" k3 '"\(.restart) \(.request.applied) \(.quality | contains(["start_unknown"]))"' 'null false true'
	expect_text "jobio: node k3: the node's prolog did not prepare this job" "$(job_output "$job")"
	within 30 has_row "$job" 'nodes=3/3 '
	within 30 has_row "$job" 'nodes=2/3 .*miss=k2'
}

is_idle() { [[ $(node_state "$1") == idle ]]; }

# as_any_other NODE - a job there has its io-cores and profile, and jobio check has no findings
as_any_other() {
	submit "$MODE" -p dynamic -w "$1" --io-cores=1 --io-profile=stream -n1
	wait_for_job "$job"
	expect_equal "forcedirect
ip-10-0-0-${1:1}" "$(job_output "$job")"
	# steps that the plugin has counted
	expect_record "$job" "$1" '"\(.io_cores.count) \(.changes[0].restored) \(.steps)"' '1 true 1'
	expect_summary "$job" '^jobio/1 .* nodes=1/1 cores=1 '
	check "$1"
	no 'S[0-9]+|J0[1-79]|J1[0-9]|L[0-9]+|H0[13]'
	on ctld scontrol delete "nodename=$1"
}

@test "a dynamic node (slurmd -Z), which slurm.conf does not name, works like any other" {
	machine z1 -e SLURMD_OPTIONS=-Z
	within 60 is_idle z1
	as_any_other z1
}

@test "a configless node, with Slurm's files from slurmctld and a jobio.conf of its own, works like any other" {
	# the default of PlugStackConfig: a path would be one on the node
	on ctld sed -i '/^PlugStackConfig=/d' /etc/slurm/slurm.conf
	on ctld sh -c 'cd /etc/slurm && cp plugstack.conf /tmp/plugstack.conf && echo "optional jobio.so" >plugstack.conf'
	on ctld scontrol reconfigure
	machine z2 -e 'SLURMD_OPTIONS=-Z --conf-server ctld'
	within 60 is_idle z2
	on z2 sh -c 'cd /etc/slurm && rm -r slurm.conf cgroup.conf plugstack.conf plugstack.conf.d'
	on z2 svc stop slurmd
	on z2 svc start slurmd
	within 30 is_idle z2
	as_any_other z2
}
