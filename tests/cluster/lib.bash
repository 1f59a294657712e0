# SPDX-License-Identifier: GPL-2.0-or-later
# lib.bash - words for the tests that drive a running cluster
#
# Bats runs on the docker host. JOBIO_CLUSTER names the compose project. Every
# wait has a limit; a wait that fails says what it saw last.
# shellcheck shell=bash

# on HOST COMMAND... - run as root on a host of the cluster
on() {
	local host=$1
	shift
	docker exec -i "$JOBIO_CLUSTER-$host" "$@" </dev/null
}

# as USER COMMAND... - run as a user on the login node, in the user's home
as() {
	local user=$1
	shift
	docker exec -i -u "$user" -w "/home/$user" -e "HOME=/home/$user" \
		-e "USER=$user" "$JOBIO_CLUSTER-login" "$@" </dev/null
}

# within SECONDS COMMAND... - repeat until it succeeds or time is up
within() {
	local limit=$((SECONDS + $1))
	shift
	until "$@"; do
		((SECONDS < limit)) || { printf 'gave up: %s\n' "$*" >&2; return 1; }
		sleep 0.1
	done
}

# submit SCRIPT [SBATCH OPTION...] - submit as alice; sets $job
submit() {
	local script=$1
	shift
	job=$(docker exec -i -u alice -w /home/alice "$JOBIO_CLUSTER-login" \
		sbatch --parsable -o '/home/alice/%j.out' "$@" <<<$'#!/bin/bash\n'"$script")
	[[ $job =~ ^[0-9]+ ]] || { printf 'no job id: %s\n' "$job" >&2; return 1; }
}

job_state() { on login scontrol show job "$1" -o | grep -o '^.*JobState=[A-Z_]*' | sed 's/.*JobState=//'; }

job_ended() {
	[[ $(on login squeue -h -j "$1" -t all -o %T) =~ ^(COMPLETED|FAILED|CANCELLED|NODE_FAIL|TIMEOUT|BOOT_FAIL) ]]
}

# wait_for_job ID - until it is over on all nodes (limit 60 s)
wait_for_job() {
	within 60 job_ended "$1" || {
		on login scontrol show job "$1" >&2
		return 1
	}
}

# job_output ID - what a batch job printed
job_output() { on login cat "/home/alice/$1.out"; }

# accounted ID STATE - has slurmdbd this state of the job?
accounted() { [[ $(on login sacct -n -X -j "$1" -P -o State) == "$2"* ]]; }

all_nodes_idle() { [[ $(on login sinfo -h -t idle -o %D) == 3 ]]; }

# expect_healthy - no node is drained or down and all become idle again
expect_healthy() {
	within 30 all_nodes_idle || { on login sinfo -R -N -l >&2; return 1; }
}

# expect_text TEXT IN - assert that IN contains TEXT
expect_text() {
	[[ $2 == *"$1"* ]] || { printf "expected '%s' in:\n%s\n" "$1" "$2" >&2; return 1; }
}

# expect_equal WANTED GOT
expect_equal() {
	[[ $2 == "$1" ]] || { printf "expected '%s', got '%s'\n" "$1" "$2" >&2; return 1; }
}

# expand_cpus LIST - "0-2,5" as "0,1,2,5"
expand_cpus() {
	local part out=
	for part in ${1//,/ }; do
		out+=$(seq -s, "${part%-*}" "${part#*-}"),
	done
	printf '%s\n' "${out%,}"
}
