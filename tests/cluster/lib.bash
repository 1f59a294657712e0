# SPDX-License-Identifier: GPL-2.0-or-later
# lib.bash - functions for tests that use a running cluster
#
# Bats runs on the docker host. JOBIO_CLUSTER names the compose project. Every
# wait has a limit, and prints the last state if it fails.
# shellcheck shell=bash

: "${JOBIO_CLUSTER:?names the compose project of a running cluster}"
# shellcheck source=tests/cluster/enter.bash
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/enter.bash"

# on HOST COMMAND... - run as root on a host of the cluster
on() {
	local host=$1
	shift
	enter "$JOBIO_CLUSTER-$host" "$@"
}

# as USER COMMAND... - run as a user on the login node, in the user's home
as() {
	local user=$1
	shift
	enter_as "$user" "$JOBIO_CLUSTER-login" "$@" </dev/null
}

# within SECONDS COMMAND... - repeat it until it succeeds; after SECONDS fail and print
# the output of the last try
within() {
	local limit=$((SECONDS + $1)) said
	shift
	until said=$("$@" 2>&1); do
		((SECONDS < limit)) || { printf 'gave up: %s\n%s\n' "$*" "$said" >&2; return 1; }
		sleep 0.1
	done
}

# submit SCRIPT [SBATCH OPTION...] - submit as alice; sets $job
submit() {
	local script=$1
	shift
	job=$(enter_as alice "$JOBIO_CLUSTER-login" \
		sbatch --parsable -o '/home/alice/%j.out' "$@" <<<$'#!/bin/bash\n'"$script")
	[[ $job =~ ^[0-9]+ ]] || { printf 'no job id: %s\n' "$job" >&2; return 1; }
}

job_state() { on login scontrol show job "$1" -o | grep -o '^.*JobState=[A-Z_]*' | sed 's/.*JobState=//'; }

job_ended() {
	[[ $(on login squeue -h -j "$1" -t all -o %T) =~ ^(COMPLETED|FAILED|CANCELLED|NODE_FAIL|TIMEOUT|BOOT_FAIL) ]]
}

# wait_for_job ID - wait until it has ended on all nodes (limit 60 s)
wait_for_job() {
	within 60 job_ended "$1" || {
		on login scontrol show job "$1" >&2
		return 1
	}
}

# job_output ID - output of a batch job
job_output() { on login cat "/home/alice/$1.out"; }

# accounted ID STATE - slurmdbd has the job in this state
accounted() { [[ $(on login sacct -n -X -j "$1" -P -o State) == "$2"* ]]; }

# the nodes of compose.yml: cloud.bats has more
all_nodes_idle() { [[ $(on login sinfo -h -n c1,c2,c3 -t idle -o %D) == 3 ]]; }

# expect_healthy - wait until no node is drained or down and all are idle
expect_healthy() {
	within 30 all_nodes_idle || { on login sinfo -R -N -l >&2; return 1; }
}

# expect_text TEXT IN - fail unless IN contains TEXT
expect_text() {
	[[ $2 == *"$1"* ]] || { printf "expected '%s' in:\n%s\n" "$1" "$2" >&2; return 1; }
}

# expect_equal WANTED GOT - fail unless they are equal
expect_equal() {
	[[ $2 == "$1" ]] || { printf "expected '%s', got '%s'\n" "$1" "$2" >&2; return 1; }
}

# expand_cpus LIST - print "0-2,5" as "0,1,2,5"
expand_cpus() {
	local part out=
	for part in ${1//,/ }; do
		out+=$(seq -s, "${part%-*}" "${part#*-}"),
	done
	printf '%s\n' "${out%,}"
}

# queue_is_empty - no job is pending or running
queue_is_empty() { [[ -z $(on login squeue -h) ]]; }

# set_conf HOST SED - change jobio.conf on one host; site_restore undoes it
set_conf() { on "$1" sed -i "$2" /etc/slurm/jobio.conf; }

# slurm_conf LINE... - set the site's slurm.conf and these lines for slurmctld
slurm_conf() {
	on ctld sh -c '[ -e /tmp/site.slurm.conf ] || cp /etc/slurm/slurm.conf /tmp/site.slurm.conf' || return
	{ [[ -z $* ]] || printf '%s\n' "$@"; } | docker exec -i "$JOBIO_CLUSTER-ctld" \
		sh -c 'cat /tmp/site.slurm.conf - >/etc/slurm/slurm.conf' || return
	on ctld svc stop slurmctld || return
	on ctld svc start slurmctld || return
	within 30 on login scontrol ping || return
	expect_healthy
}

# slurm_of_c1 SED - change slurm.conf for slurmctld and c1, and make them read it
slurm_of_c1() {
	local of
	for of in ctld/slurmctld c1/slurmd; do
		on "${of%/*}" sed -i "$1" /etc/slurm/slurm.conf || return
		on "${of%/*}" svc stop "${of#*/}" || return
		on "${of%/*}" svc start "${of#*/}" || return
	done
	expect_healthy
}

# reserving yes|no - set AllowSpecResourcesUsage
reserving() { slurm_of_c1 "s/^AllowSpecResourcesUsage=.*/AllowSpecResourcesUsage=$1/"; }

# site_restore - restore the site's configuration on every host
site_restore() {
	local host
	for host in login ctld dbd c1 c2 c3; do
		on "$host" cp /conf/jobio.conf /etc/slurm/jobio.conf
	done
}

job_is() { [[ $(on login squeue -h -j "$1" -o %T) == "$2" ]]; }

# start_again ID - start a requeued job, which otherwise waits two minutes. Not in
# the second in which its first run was killed: slurmd would refuse it as the old
# run ("Job credential revoked", seen on 22.05).
start_again() {
	within 30 job_is "$1" PENDING
	on login scontrol update "jobid=$1" StartTime=now+2
	within 60 job_left "$1" PENDING
}
job_left() { ! job_is "$@"; }

# Message to a job with a request if the node's prolog did not finish
# shellcheck disable=SC2034 # the tests read it
UNPREPARED="jobio: node c1: the node's prolog did not prepare this job: its I/O options may have no effect"

# mount_mode NODE - print the cache mode of the client's mount
mount_mode() {
	on "$1" grep ' /mnt/weka ' /run/weka-sim/mounts |
		grep -owE 'forcedirect|readcache|writecache'
}

# hand FROM FOLDER [TAR OPTION...] - copy installed files to a folder that all hosts can read
hand() {
	on login mkdir -p "$2"
	tar -C "$1" -c "${@:3}" . | docker exec -i "$JOBIO_CLUSTER-login" tar -C "$2" -x
}

# exchange HOST FOLDER - install the files of that folder as a package manager does: first write
# all of them beside the old ones, then rename each
exchange() {
	# shellcheck disable=SC2016 # the host's shell expands it
	on "$1" sh -ec 'cd "$1"
		find . ! -type d >/tmp/files
		while read -r f; do mkdir -p "/${f%/*}"; cp -a "$f" "/$f.dpkg-new"; done </tmp/files
		while read -r f; do mv -f "/$f.dpkg-new" "/$f"; done </tmp/files' sh "$2"
}

# in_ledger STATEMENT - run SQL on the store as the ledger's user
in_ledger() {
	inside "$JOBIO_CLUSTER-dbd" setpriv --reuid=slurm --regid=slurm --init-groups \
		sqlite3 /var/lib/jobio/ledger.sqlite "$1" </dev/null
}

# record ID NODE - print the record of a job's last run on a node, from the ledger
record() {
	in_ledger "SELECT text FROM records JOIN runs ON run = id
		WHERE job = $1 AND node = '$2' ORDER BY first DESC LIMIT 1"
}

record_says() { [[ $(record "$1" "$2" | jq -r "$3") == "$4" ]]; }

# expect_record ID NODE JQ VALUE - wait until the record is there and JQ prints VALUE
expect_record() {
	within 40 record_says "$@" || { record "$1" "$2" >&2; return 1; }
}

# summary ID - print the SystemComment of a job
summary() { on login sacct -n -X -P -j "$1" -o SystemComment; }

summary_matches() { [[ $(summary "$1") =~ $2 ]]; }

# expect_summary ID REGEX - wait until the summary is in sacct and matches
expect_summary() {
	within 60 summary_matches "$@" || { summary "$1" >&2; return 1; }
}

# no_traces NODE - no folder of any job, and no unfinished record
no_traces() {
	[[ -z $(on "$1" find /run/jobio -mindepth 1 -maxdepth 1 -type d
		on "$1" find /var/spool/jobio/open -type f) ]] ||
		{ on "$1" find /run/jobio /var/spool/jobio >&2; return 1; }
}

# spooled NODE - records that wait on a node
spooled() { on "$1" find /var/spool/jobio -maxdepth 1 -name '*.json' -printf '%f\n'; }

job_runs() { [[ $(on login squeue -h -j "$1" -o %T) == RUNNING ]]; }

# reason NODE - the reason of its drain in slurmctld
reason() { on login scontrol -o show node "$1" | sed -n 's/.* Reason=\(.*\) \[[^]]*\].*/\1/p'; }
reason_starts() { [[ $(reason "$1") == "$2"* ]]; }

# is_slurms_reason NODE - it is drained with Slurm's own reason for a failed prolog
is_slurms_reason() { [[ $(reason "$1") =~ ^('Prolog error'|'batch job complete failure')$ ]]; }

# node_state NODE - print idle, drained, ...
node_state() { on login sinfo -h -n "$1" -o %T; }

# resume NODE - resume it as an administrator does, when no job is on it
resume() {
	[[ $(node_state "$1") != drain* ]] || on ctld scontrol update "nodename=$1" state=resume
}

# forger_make - alice loads a plugin of her own instead of the site's
forger_make() {
	docker exec -i "$JOBIO_CLUSTER-login" sh -c 'cat >/tmp/forge.c' <"$BATS_TEST_DIRNAME/forge.c"
	on login sh -c 'gcc -shared -fPIC -o /tmp/forge.so /tmp/forge.c
		echo "required /tmp/forge.so" >/tmp/forge.conf
		sed "s#^PlugStackConfig=.*#PlugStackConfig=/tmp/forge.conf#" /etc/slurm/slurm.conf >/tmp/forge.slurm.conf'
}

# forged OPTION... NAME=VALUE... - run srun with forged variables; sets out and status
forged() {
	local pair arguments=() options=()
	for pair in "$@"; do
		if [[ $pair == -* ]]; then options+=("$pair"); else arguments+=("FORGE_JOBIO_$pair"); fi
	done
	status=0
	# shellcheck disable=SC2016,SC2034 # the task expands it; the test reads out
	out=$(as alice env SLURM_CONF=/tmp/forge.slurm.conf "${arguments[@]}" \
		srun -Q -n1 -w c1 "${options[@]}" sh -c 'echo "job $SLURM_JOB_ID ran"' 2>&1) || status=$?
}

# check HOST OPTION... - run jobio check there, as root
check() {
	local host=$1
	shift
	run on "$host" jobio check "$@"
}

# no REGEX - $output has no finding with a code that matches
# shellcheck disable=SC2154 # of bats
no() {
	! grep -qE "^($1) (error|warning|info): " <<<"$output" || { printf '%s\n' "$output" >&2; return 1; }
}

# plugin HOST - print the path of jobio.so there
plugin() { echo "$(on "$1" scontrol show config | sed -n 's/^PluginDir *= //p')/jobio.so"; }

# mismatched HOST BUILT HERE - S16 there: jobio.so is for Slurm BUILT (23.11), the host has HERE
mismatched() {
	check "$1"
	expect_text 'S16 error: ' "$output" || return
	expect_text "Incompatible Slurm plugin $(plugin "$1") version ($2." "$output" || return
	expect_text "; this host has Slurm $3." "$output"
}
