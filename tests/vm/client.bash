# SPDX-License-Identifier: GPL-2.0-or-later
# client.bash - functions for jobs for which the client gets other cores: the stand-in of
# tests/sim on a machine with several cores; in addition to those of lib.bash
# shellcheck shell=bash disable=SC2154 # $job, $work and more are lib.bash's
# shellcheck disable=SC2016 # quoted code runs in the job

# client_new CORES [KNOB...] - start a mounted client with a frontend on each of these
# CPUs; jobio has no state about it
client_new() {
	local options=core=${1//,/,core=},net=eth0
	shift
	on_node "rm -rf /run/jobio/* /var/spool/jobio/state/*; /payload/client new boot.options=$options $*"
}

# client_moved CORE - move the client to this one core, as an administrator does
client_moved() {
	on_node "weka local resources cores 1 --only-frontend-cores --core-ids $1; weka local resources apply -f"
	expect_client "$1"
}

# knob KEY=VALUE - set a fault of the client
knob() { on_node "weka-sim set $*"; }

# allow LINE... - write lines for the client to jobio.conf
allow() { on_node "/payload/client conf $(printf "'%s' " "$@")"; }

# A job prints: the CPUs that its batch script can use, SLURM_IO_CPUS, the CPUs of the
# frontends meanwhile, and the CPUs that a step can use.
readonly look="$vm_grab"'; echo "$SLURM_IO_CPUS"; /payload/client cpus'
readonly look_step='; srun -n1 --cpu-bind=none bash -c '\''taskset -p -c 0-7 $$ >/dev/null 2>&1
	awk "/^Cpus_allowed_list/ { print \$2 }" /proc/self/status'\'

# look OPTION... - run such a job; sets $job
look() {
	submit "$look" "$@"
	finish "$job"
}

look_and_step() {
	submit "$look$look_step" "$@"
	finish "$job"
	expect_equal 4 "$(wc -l <"$work/$job.out")" "lines of the job, $(<"$work/$job.out")"
}

# expect_apart RESERVED FRONTENDS - the job could use all CPUs but RESERVED, by Slurm and by
# jobio, and the client ran on FRONTENDS, one CPU for each core
expect_apart() {
	local seen reserved=$1
	mapfile -t seen <"$work/$job.out"
	[[ ${seen[0]:-} =~ ^[0-9,-]+$ ]] || { printf 'it did not run: %s\n' "${seen[*]}" >&2; return 1; }
	expect_equal "$(cpus "$reserved")" "$(others "${seen[0]}")" 'kept from the batch script'
	expect_equal "$reserved" "${seen[1]:-}" 'SLURM_IO_CPUS'
	expect_equal "$2" "${seen[2]:-}" 'frontends'
	((${#seen[@]} == 3)) || expect_equal "${seen[0]}" "${seen[3]}" 'CPUs of the step'
}

# expect_client IDS - it runs with these core IDs, and no others are staged
expect_client() {
	expect_equal "$1" "$(on_node '/payload/client cpus')" 'frontends'
	expect_equal "$1" "$(core_ids --stable)" 'cores'
	expect_equal "$1" "$(core_ids)" 'staged cores'
}
core_ids() {
	on_node "weka local resources $* -J" |
		jq -r '[.nodes[] | select(.roles[] == "FRONTEND") | .core_id] | sort | join(" ")'
}

# expect_findings CODE... - the record has these warnings and errors, without that on MemSpecLimit
expect_findings() {
	expect_of "$job" '[.findings[] | select(.severity != "info" and .code != "W13") | .code] | sort | join(" ")' "$*"
}

# expect_says CODE TEXT - the finding in the record has this text
expect_says() {
	expect_equal "$2" "$(of "$job" ".findings[] | select(.code == \"$1\") | .text")" "$1"
}

expect_summary() {
	local word
	for word; do
		words "$job" | grep -qxF -- "$word" ||
			{ printf "no '%s' in: %s\n" "$word" "$(jq -r .summary "$work/$job")" >&2; return 1; }
	done
}

# expect_refused CPUS - the gate did not start the job, which could use these CPUs of the client
expect_refused() {
	[[ $(<"$work/$job.out") == *"jobio: gate: not started: the job may run on CPU $1 of node vm1, where the filesystem client weka:weka works"* ]] ||
		{ printf 'not refused because of CPU %s: %s\n' "$1" "$(<"$work/$job.out")" >&2; return 1; }
	expect_equal FAILED "$(controller squeue -h -j "$job" -t all -o %T)" 'state'
}

# expect_warned CPUS - the gate started the job, which could use these CPUs, and reported it
expect_warned() {
	expect_of "$job" ".gate | [.warned, (.text | startswith(\"the job may run on CPU $1 of \"))]" '[1,true]'
}

expect_idle() { within 20 node_is_idle; }
node_is_idle() { [[ $(controller sinfo -h -o %T) == idle ]]; }

frontend_pids() { on_node "pgrep -f '^/weka/wekanode --slot [1-9]' | paste -sd' '"; }
