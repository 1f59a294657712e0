# SPDX-License-Identifier: GPL-2.0-or-later
# client.bash - words for jobs whose client gets other cores: the stand-in of
# tests/sim on a machine that has some to give; beside those of lib.bash
# shellcheck shell=bash disable=SC2154 # $job, $work and more are lib.bash's
# shellcheck disable=SC2016 # quoted code runs in the job

# client_new CORES [KNOB...] - a mounted client with a frontend on each of these
# CPUs, known to jobio by nothing yet
client_new() {
	local options=core=${1//,/,core=},net=eth0
	shift
	on_node "rm -rf /run/jobio/* /var/spool/jobio/state/*; /payload/client new boot.options=$options $*"
}

# client_moved CORE - somebody gives the client this one core
client_moved() {
	on_node "weka local resources cores 1 --only-frontend-cores --core-ids $1; weka local resources apply -f"
	expect_client "$1"
}

# knob KEY=VALUE - a fault of the client from now on
knob() { on_node "weka-sim set $*"; }

# allow LINE... - what jobio.conf says of the client
allow() { on_node "/payload/client conf $(printf "'%s' " "$@")"; }

# What a job sees: the CPUs that its batch script can get, those that it is
# told, where the frontends run meanwhile, and what a step can get.
readonly look="$vm_grab"'; echo "$SLURM_IO_CPUS"; /payload/client cpus'
readonly look_step='; srun -n1 --cpu-bind=none bash -c '\''taskset -p -c 0-7 $$ >/dev/null 2>&1
	awk "/^Cpus_allowed_list/ { print \$2 }" /proc/self/status'\'

# look OPTION... - have such a job come and go; sets $job
look() {
	submit "$look" "$@"
	finish "$job"
}

look_and_step() {
	submit "$look$look_step" "$@"
	finish "$job"
	expect_equal 4 "$(wc -l <"$work/$job.out")" "lines of the job, $(<"$work/$job.out")"
}

# expect_apart RESERVED FRONTENDS - the job could get at all CPUs but RESERVED,
# as Slurm and jobio say alike, and the client ran on FRONTENDS, one a core
expect_apart() {
	local seen reserved=$1
	mapfile -t seen <"$work/$job.out"
	[[ ${seen[0]:-} =~ ^[0-9,-]+$ ]] || { printf 'it did not run: %s\n' "${seen[*]}" >&2; return 1; }
	expect_equal "$(cpus "$reserved")" "$(others "${seen[0]}")" 'kept from the batch script'
	expect_equal "$reserved" "${seen[1]:-}" 'SLURM_IO_CPUS'
	expect_equal "$2" "${seen[2]:-}" 'frontends'
	((${#seen[@]} == 3)) || expect_equal "${seen[0]}" "${seen[3]}" 'CPUs of the step'
}

# expect_client IDS - it runs with these core ids, and no others are staged
expect_client() {
	expect_equal "$1" "$(on_node '/payload/client cpus')" 'frontends'
	expect_equal "$1" "$(core_ids --stable)" 'cores'
	expect_equal "$1" "$(core_ids)" 'staged cores'
}
core_ids() {
	on_node "weka local resources $* -J" |
		jq -r '[.nodes[] | select(.roles[] == "FRONTEND") | .core_id] | sort | join(" ")'
}

# expect_findings CODE... - the record's warnings and errors, but for MemSpecLimit
expect_findings() {
	expect_of "$job" '[.findings[] | select(.severity != "info" and .code != "W13") | .code] | sort | join(" ")' "$*"
}

# expect_says CODE TEXT - the sentence of this finding
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

# expect_refused CPUS - the gate did not start the job, which could use them
expect_refused() {
	[[ $(<"$work/$job.out") == *"jobio: gate: not started: the job may run on CPU $1 of node vm1, where the filesystem client weka:weka works"* ]] ||
		{ printf 'not refused because of CPU %s: %s\n' "$1" "$(<"$work/$job.out")" >&2; return 1; }
	expect_equal FAILED "$(controller squeue -h -j "$job" -t all -o %T)" 'state'
}

# expect_warned CPUS - the gate started the job, which could use them, and told of it
expect_warned() {
	expect_of "$job" ".gate | [.warned, (.text | startswith(\"the job may run on CPU $1 of \"))]" '[1,true]'
}

expect_idle() { within 20 node_is_idle; }
node_is_idle() { [[ $(controller sinfo -h -o %T) == idle ]]; }

frontend_pids() { on_node "pgrep -f '^/weka/wekanode --slot [1-9]' | paste -sd' '"; }
