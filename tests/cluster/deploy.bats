#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# deploy.bats - the steps of docs/deploy.md on a cluster: jobio check on each host, a
# job with all parts of jobio, a canary, the switch, and what drains a node
# shellcheck disable=SC2016,SC2154,SC2030,SC2031 # a node's shell expands; submit sets $job,
# for one test

load lib

setup_file() { expect_healthy; }

teardown() {
	[[ -z ${hooked:-} ]] || hooks_restore
	[[ -z ${bobs:-} ]] || bobs_ledger_stop
	site_restore
	expect_healthy
}

@test "jobio check finds no error of Slurm, jobio.conf or the ledger on any host of the site" {
	local host
	for host in login ctld dbd c1 c2 c3; do
		check "$host"
		# a node of two cores has too few for io_cores_max (J08)
		no 'S[0-9]+|J0[1-79]|J1[0-9]|L[0-9]+|H0[13]' || { echo "$host"; return 1; }
		expect_text 'role ' "$output"
	done
}

@test "jobio check finds the roles of hosts, and prints the same on equal nodes" {
	local answers host
	answers=$(for host in login ctld dbd c1 c2 c3; do
		printf '%s: ' "$host"
		on "$host" jobio check --format=json || :
	done)
	expect_text '"roles":["login"]' "$(grep '^login:' <<<"$answers")"
	expect_text '"roles":["ctld"' "$(grep '^ctld:' <<<"$answers")"
	expect_text '"ledger"]' "$(grep '^dbd:' <<<"$answers")"
	expect_text '"roles":["node"]' "$(grep '^c2:' <<<"$answers")"
	answers=$(on c1 jobio check || :)
	expect_text 'role node: ' "$answers"
	for host in c2 c3; do expect_equal "$answers" "$(on "$host" jobio check || :)"; done
}

@test "the job of jobio check --submit runs with option, gate and report" {
	run as alice jobio check --submit --role=login
	expect_text 'option   srun took --io-cores=1: job ' "$output"
	expect_text 'gate     the task may start' "$output"
	expect_text 'ledger   jobio/1 ' "$output"
	expect_text 'report   sacct has the same' "$output"
	no 'T[0-9]+'
}

@test "a slurm.conf that slurmctld has not read is found" {
	on login sed -i 's:^Epilog=.*:Epilog=/usr/libexec/jobio/new-epilog:' /etc/slurm/slurm.conf
	check login
	on login sed -i 's:^Epilog=.*:Epilog=/usr/libexec/jobio/epilog:' /etc/slurm/slurm.conf
	expect_text 'runs with: Epilog=/usr/libexec/jobio/new-epilog here, /usr/libexec/jobio/epilog there' "$output"
}

@test "a ledger that is down is found, with the name of its host" {
	on dbd svc stop jobio-ledgerd
	check c1
	on dbd svc start jobio-ledgerd
	expect_text "L04 error: the ledger cannot be reached: ledger 'dbd:8632'" "$output"
}

# everywhere SED - change jobio.conf on all hosts
everywhere() {
	local host
	for host in login dbd c1 c2 c3; do set_conf "$host" "$1"; done
}

# submit_output OPTION... - submit; sets $printed to the output of sbatch, and $job
submit_output() {
	printed=$(enter_as alice "$JOBIO_CLUSTER-login" sbatch --parsable -o '/home/alice/%j.out' "$@" \
		<<<$'#!/bin/bash\nawk "/Cpus_allowed_list/ { print \\$2 }" /proc/self/status; echo "cores ${SLURM_IO_CORES:-none}"' 2>&1)
	job=$(tail -n 1 <<<"$printed")
}

@test "enabled = no: options are accepted, nothing is reserved or changed, and the record has the reason" {
	everywhere '/^\[jobio\]/a enabled = no'
	submit_output --io-cores=1 --io-profile=stream -n1 -w c1
	expect_text 'sbatch: jobio: option: --io-cores and --io-profile: nothing is done: the site has switched jobio off (enabled=no)' "$printed"
	wait_for_job "$job"
	within 20 accounted "$job" COMPLETED
	expect_text 'cores none' "$(job_output "$job")"
	expect_equal writecache "$(mount_mode c1)"
	expect_record "$job" c1 '.findings[0].code' W57
	check c1
	expect_text 'J10 info: jobio does nothing on this host' "$output"
}

@test "enabled = no switches the gate off at once, also for jobs after their prolog" {
	reserving no
	submit 'echo ran' -n1 -w c1 --exclusive --io-cores=1
	wait_for_job "$job"
	within 20 accounted "$job" FAILED
	set_conf c1 '/^\[jobio\]/a enabled = no'
	submit 'echo ran' -n1 -w c1 --exclusive --io-cores=1
	wait_for_job "$job"
	reserving yes
	expect_equal ran "$(job_output "$job")"
}

@test "a canary: one partition, then nodes" {
	everywhere '/^\[jobio\]/a partitions = other'
	submit_output --io-cores=1 -n1 -w c1 -p batch
	expect_text 'does not use jobio in partition batch yet (partitions=)' "$printed"
	wait_for_job "$job"
	expect_text 'cores none' "$(job_output "$job")"
	everywhere 's/^partitions = .*/partitions = batch/'
	submit_output --io-cores=1 -n1 -w c1 -p batch
	wait_for_job "$job"
	expect_text 'cores 1' "$(job_output "$job")"
	everywhere 's/^partitions = .*/nodes = c[1-2]/'
	submit_output --io-cores=1 -n1 -w c3
	wait_for_job "$job"
	expect_record "$job" c3 '.findings[0].code' W57
	submit_output --io-cores=1 -n1 -w c2
	wait_for_job "$job"
	expect_text 'cores 1' "$(job_output "$job")"
}

is_drained() { [[ $(on login sinfo -h -n "$1" -o %T) == drain* ]]; }

# drained_by FILE REASON - c1 without this script is drained by its next job
drained_by() {
	on c1 mv "$1" "$1.away"
	check c1
	submit 'echo ran' -n1 -w c1
	within 30 is_drained c1 || { on c1 mv "$1.away" "$1"; return 1; }
	on c1 mv "$1.away" "$1"
	expect_text "S17 error: slurm.conf: " "$output"
	expect_text 'No such file or directory: slurmd drains this node at its next job' "$output"
	expect_text "$2" "$(on login sinfo -h -R -n c1 -o %E)"
	on login scancel "$job"
	within 30 queue_is_empty
	on login scontrol update nodename=c1 state=resume
}

@test "a node without the script of Prolog= is drained by Slurm at its next job, and jobio check reports it before" {
	drained_by /usr/libexec/jobio/prolog Prolog
}

# Slurm before 23.02 does not show whether a job is alone: jobio then waits ten minutes.
@test "a node without the script of Epilog= is drained at its next job; its record is sent by the next job that has the node alone" {
	local late
	drained_by /usr/libexec/jobio/epilog Epilog
	late=$job
	[[ $JOBIO_SUITE != b* ]] || on c1 touch -d '-11 minutes' "/run/jobio/$late"
	submit 'echo ran' --io-cores=1 -n1 -w c1
	wait_for_job "$job"
	within 20 no_traces c1
	expect_record "$late" c1 .job "$late"
}

# ---- an existing prolog and epilog ---------------------------------------------------

# hooks LINE... - replace Prolog= and Epilog= of c1's slurm.conf by these lines, and restart its
# slurmd
hooks() {
	hooked=1
	on c1 sed -i '/^\(Prolog\|Epilog\)=/d' /etc/slurm/slurm.conf
	inside "$JOBIO_CLUSTER-c1" sh -c 'cat >>/etc/slurm/slurm.conf' < <(printf '%s\n' "$@")
	on c1 svc stop slurmd
	on c1 svc start slurmd
	expect_healthy
}

# site_script PATH LINE... - write a script of the site with these lines
site_script() {
	inside "$JOBIO_CLUSTER-c1" install -D -m 755 /dev/stdin "$1" < <(printf '%s\n' '#!/bin/bash' "${@:2}")
}

# log_folder WORD - a line of a site's script: log whether the job has a folder of jobio now
log_folder() {
	printf 'if [ -e /run/jobio/$SLURM_JOB_ID ]; then echo "%s with"; else echo "%s without"; fi >>/tmp/order\n' "$1" "$1"
}

# beside_jobio ORDER - run a job with a profile: the scripts ran in this order, and its record
# is there
beside_jobio() {
	check c1
	no 'S1[278]|H01'
	on c1 rm -f /tmp/order
	submit 'grep " /mnt/weka " /run/weka-sim/mounts' --io-cores=1 --io-profile=stream -n1 -w c1
	wait_for_job "$job"
	expect_text forcedirect "$(job_output "$job")"
	expect_record "$job" c1 '.changes[0].restored' true
	within 20 no_traces c1
	expect_equal "$1" "$(on c1 cat /tmp/order | xargs)"
}

# hooks_restore - undo hooks()
hooks_restore() {
	hooks Prolog=/usr/libexec/jobio/prolog Epilog=/usr/libexec/jobio/epilog
	on c1 rm -rf /etc/slurm/prolog.d /etc/slurm/epilog.d /etc/slurm/prolog /etc/slurm/epilog
}

@test "patterns: a link 00-jobio in prolog.d runs after the site's scripts, and zz-jobio in epilog.d before them" {
	local dir
	for dir in prolog epilog; do
		site_script /etc/slurm/$dir.d/10-site "$(log_folder "$dir-10")"
		site_script /etc/slurm/$dir.d/90-site "$(log_folder "$dir-90")"
	done
	on c1 ln -s /usr/libexec/jobio/prolog /etc/slurm/prolog.d/00-jobio
	on c1 ln -s /usr/libexec/jobio/epilog /etc/slurm/epilog.d/zz-jobio
	hooks 'Prolog=/etc/slurm/prolog.d/*' 'Epilog=/etc/slurm/epilog.d/*'
	beside_jobio 'prolog-90 without prolog-10 without epilog-90 without epilog-10 without'
}

@test "the site's prolog may end with jobio's prolog, and its epilog begin with jobio's epilog" {
	site_script /etc/slurm/prolog "$(log_folder prolog)" 'exec /usr/libexec/jobio/prolog'
	site_script /etc/slurm/epilog "$(log_folder before)" '/usr/libexec/jobio/epilog || exit 1' "$(log_folder after)"
	hooks Prolog=/etc/slurm/prolog Epilog=/etc/slurm/epilog
	beside_jobio 'prolog without before with after without'
}

@test "several lines of Prolog= and Epilog= run in their order, if this Slurm accepts several" {
	local order='prolog without epilog with'
	site_script /etc/slurm/prolog "$(log_folder prolog)"
	site_script /etc/slurm/epilog "$(log_folder epilog)"
	if [[ $JOBIO_SUITE == b* ]]; then # the last line alone
		order=''
	fi
	hooks Prolog=/etc/slurm/prolog Prolog=/usr/libexec/jobio/prolog \
		Epilog=/etc/slurm/epilog Epilog=/usr/libexec/jobio/epilog
	beside_jobio "$order"
}

# ---- a SlurmUser that is not slurm ---------------------------------------------------

# bobs_ledger - replace the ledger that runs as slurm by one of bob, an operator of Slurm
bobs_ledger() {
	bobs=1
	everywhere 's,^host = dbd,&\nuser = bob\nstore = /tmp/bob.sqlite,'
	on dbd svc stop jobio-ledgerd
	on ctld sacctmgr -i -Q add account site || : # ledger.bats has made it
	on ctld sacctmgr -i -Q add user bob account=site adminlevel=operator ||
		on ctld sacctmgr -i -Q modify user bob set adminlevel=operator
	docker exec -d "$JOBIO_CLUSTER-dbd" setpriv --reuid=bob --regid=bob --init-groups \
		bash -c 'echo $$ >/tmp/bob.pid; exec /usr/sbin/jobio-ledgerd 2>>/tmp/bob.log'
	within 20 on dbd grep -q ready /tmp/bob.log
}

bobs_ledger_stop() {
	on dbd sh -c 'kill "$(cat /tmp/bob.pid)"'
	on ctld sacctmgr -i -Q modify user bob set adminlevel=none
	site_restore
	on dbd svc start jobio-ledgerd
}

@test "user = bob: a ledger that runs as another user, an operator of Slurm, accepts records and writes summaries" {
	bobs_ledger
	submit true --io-cores=1 -n1 -w c1
	wait_for_job "$job"
	expect_summary "$job" '^jobio/1 .* nodes=1/1 cores=1 '
	expect_equal "$job" "$(on dbd sqlite3 /tmp/bob.sqlite 'SELECT job FROM runs')"
	check c1
	no 'L0[345]|L09'
}
