# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2034 # node.bash uses NODE_ENV
#
# crash.bash - kill prolog and epilog at their fault points, and check that the
# node is restored in the end. Uses node.bash, with the helpers of tests/faults.

# crash_node - make a node with helpers that can be killed
crash_node() {
	export HELPER_DIR=tests/faults
	node_make
	touch "$NODE/weka/idle" # otherwise the client keeps the cores
	node_interface
}

# points COMMAND... - number of fault points that it passes. Without cached replies of the client
# there are more.
points() {
	rm -f "$NODE/points" "$NODE"/run/client.*.json
	NODE_ENV=(JOBIO_FAULT_LOG="$NODE/points")
	"$@" >/dev/null 2>&1
	NODE_ENV=()
	wc -l <"$NODE/points"
}

# third N COMMAND... - run it with every third step from the N-th on: three tests share the
# steps, since each kind of change is made by the same engine
third() {
	local every=${JOBIO_CRASH_EVERY:-8}
	((every > 3)) || every=3
	JOBIO_CRASH_FIRST=$(((${JOBIO_CRASH_FIRST:-1} + $1 - 2) % every + 1)) JOBIO_CRASH_EVERY=$every "${@:2}"
}

# killed_at N COMMAND... - kill it at point N; fails if it passes that point
killed_at() {
	local at=$1 rc=0
	shift
	rm -f "$NODE"/run/client.*.json
	NODE_ENV=(JOBIO_FAULT_AT="$at")
	"$@" >/dev/null 2>&1 || rc=$?
	NODE_ENV=()
	[[ $rc -eq 137 ]]
}

# watch_helpers - log the paths that prepare and release use in $NODE/watched; watch.so is made
# by watch_library
watch_helpers() {
	node_fault_helpers
	# shellcheck disable=SC2034 # node.bash uses it
	NODE_ENV=(LD_PRELOAD="$BATS_FILE_TMPDIR/watch.so" WATCH_LOG="$NODE/watched"
		ASAN_OPTIONS=verify_asan_link_order=0)
}

# prepare and release run without the bash fronts, which would hide the signal.
prepare() {
	in_env "$NODE/bin/jobio-prepare" --conf="$NODE/jobio.conf" \
		--sysfs="$NODE/sysfs"
}

release() {
	in_env "$NODE/bin/jobio-release" --conf="$NODE/jobio.conf" \
		--sysfs="$NODE/sysfs"
}

# Mounted with its own options; the cores may be those of the killed change if the
# baseline is known.
expect_mounted() {
	local cores
	expect_base || return
	[[ ! -e $NODE/weka/gone ]] || fail "the container is gone" || return
	[[ ! -e $NODE/spool/state/weka.mounts ]] || fail "a set of mounts is left" || return
	cores=$(<"$NODE/weka/stable")/$(<"$NODE/weka/staged")
	case $cores in
		7/7) ;;
		6,7/6,7) [[ -s $NODE/spool/state/weka.baseline ]] ||
			fail "no baseline is known for core $cores" ;;
		*) fail "cores/staged: $cores" ;;
	esac
}

# expect_clean JOB... - the baseline is restored, no folder is left, each job has a record
expect_clean() {
	local job left
	expect_base || return
	for job in "$@"; do
		[[ ! -e $NODE/run/$job ]] || fail "run/$job is left" || return
		# x: the prolog was killed before it could write the restart count
		[[ -s $NODE/spool/$job.0.c1.json || -s $NODE/spool/$job.x.c1.json ]] ||
			fail "job $job has no record" || return
	done
	left=$(find "$NODE/spool/open" "$NODE/run" -name '*.json' \
		! -name node.json ! -name 'client.*.json')
	[[ -z $left ]] || fail "left: $left" || return
	[[ ! -e $NODE/spool/state/weka.mounts ]] || fail "a set of mounts is left" || return
	left=$(cat "$NODE/weka/stable" "$NODE/weka/staged")
	[[ $left == $'7\n7' ]] || fail "cores, staged cores: $left"
}

# next_job ID - a plain job, alone on the node, as the next job of an
# administrator would be.
next_job() {
	slurmd_env "$1"
	JOB_ENV+=(SLURM_JOB_CORE_SPEC_COUNT=1 SLURM_JOB_CORE_SPEC_TYPE=cores
		SLURM_JOB_OVERSUBSCRIBE=NO)
	prepare && release
}

# cores_by METHOD - allow core_change=any with this core_method
cores_by() {
	NODE_CLIENT="core_change=any
core_method=$1
timeout_ms=60000" node_conf
}

# Seconds by which the node's clock may be set.
CLOCKS=(0 0 0 -90000 90000 -3 -4000000 40000000)
set_clock() { export JOBIO_CLOCK=${CLOCKS[RANDOM % ${#CLOCKS[@]}]}; }

# rebooted - the state of the client after a boot; WEKA's is idle. Files for other clients
# define their own.
rebooted() {
	touch "$NODE/weka/idle"
	node_interface
}

# crash_reboot - reboot at any point; slurmd may start without jobio-recover.service
crash_reboot() {
	reboot
	rebooted
	[[ $((RANDOM % 3)) -eq 0 ]] || recover 2>/dev/null
}

# maybe N COMMAND... - run it one time in N
maybe() { [[ $((RANDOM % $1)) -ne 0 ]] || "${@:2}" || :; }

# two_releases - Slurm before 26.05 may run two epilogs of a job at the same time; kill one of
# them at a random point
two_releases() {
	(killed_at $((RANDOM % 25 + 1)) release || :) &
	local pid=$!
	release 2>/dev/null || :
	wait "$pid" # a node may have processes of its own
}

# hand_over - remove the records from the spool as jobio-send does
hand_over() {
	mkdir -p "$NODE/taken"
	find "$NODE/spool" -maxdepth 1 -name '*.json' -exec mv -t "$NODE/taken" {} +
}

# expect_one_run JOB - all records of the job belong to one run: one restart count and one start
# (store.h); records without counters (run_row.h) belong to a run with counters
expect_one_run() {
	local runs
	runs=$(cat "$NODE/spool/$1".*.json "$NODE/taken/$1".*.json 2>/dev/null |
		jq -rs 'map(select(.restart != null or .app != [] or (.quality | index("start_unknown") | not))) as $known |
			(if $known == [] then . else $known end)[] | "\(.restart) \(.start)"' | sort -u | wc -l)
	[[ $runs == 1 ]] || fail "job $1 has $runs runs:" \
		"$(cat "$NODE/spool/$1".*.json "$NODE/taken/$1".*.json 2>/dev/null)"
}

# crash_round ID - kill the helpers of the job at random points; reboots, clock changes and
# failing calls may happen at any point
crash_round() {
	killed_at $((RANDOM % 60 + 1)) prepare || :
	maybe 4 killed_at $((RANDOM % 60 + 1)) prepare
	maybe 4 fails_somewhere prepare
	[[ ! -d $NODE/run/$1/steps ]] || step "$1" batch 1 2
	maybe 2 set_clock
	maybe 6 crash_reboot
	maybe 3 killed_at $((RANDOM % 20 + 1)) recover
	maybe 3 two_releases
	maybe 3 fails_somewhere release
	killed_at $((RANDOM % 25 + 1)) release || :
	maybe 3 hand_over
	maybe 6 crash_reboot
	maybe 2 release 2>/dev/null
	maybe 3 release 2>/dev/null
	maybe 3 two_releases
}

crash_begin() {
	rm -rf "$NODE"/spool/*.json "$NODE/taken"
	export JOBIO_CLOCK=0
}

# crash_end ID... - slurmd finally runs an epilog for each, and one more job runs without
# crashes: no file of any job is left, and each had one run
crash_end() {
	local id
	for id; do
		job "$id" 1
		release 2>/dev/null || return
		maybe 3 release 2>/dev/null
	done
	next_job $((id + 1)) 2>/dev/null || return
	for id; do
		expect_one_run "$id" || return
	done
	[[ ! -d $NODE/taken ]] || find "$NODE/taken" -name '*.json' -exec cp -t "$NODE/spool" {} +
	expect_clean "$@" $((id + 1))
}

# random_schedule SEED - some jobs with helpers killed at random points, then one without
# crashes; cores are changed by resources or by a new mount
random_schedule() {
	local id ids=() round profile cores method
	RANDOM=$1
	crash_begin
	for round in {1..3}; do
		id=$(($1 % 10000000 * 10 + round))
		ids+=("$id")
		profile=(stream metadata "")
		cores=$((RANDOM % 2 + 1))
		method=(resources mount)
		cores_by "${method[RANDOM % 2]}"
		job "$id" "$cores" "${profile[RANDOM % 3]}"
		crash_round "$id"
	done
	crash_end "${ids[@]}"
}

# ---- clients of any type; the test file defines request_of ID (the job's request),
# is_back (all settings are restored) and rebooted

# crash_walk COMMAND MENDER POINT... - kill COMMAND at each of its points, which must include these,
# then run MENDER ID. After that no file and no change of the job is left.
crash_walk() {
	local at count id command=$1 mender=$2 point
	shift 2
	node_fault_helpers
	request_of 100
	[[ $command != release ]] || prepare
	count=$(points "$command")
	for point in "$@"; do
		grep -q "$point" "$NODE/points" || fail "no point $point"
	done
	[[ $command == release ]] || release
	for at in $(steps "$count"); do
		id=$((1000 + at))
		request_of "$id"
		[[ $command != release ]] || prepare
		killed_at "$at" "$command" || fail "survived point $at"
		"$mender" "$id" || fail "after point $at"
		is_back || fail "after point $at"
		release # slurmd runs an epilog for each job
		is_back || fail "after point $at"
		expect_clean "$id" || fail "after point $at"
	done
}

# crash_next_job ID - run another job: a job with a gate file counts as starting, so
# only its epilog restores
crash_next_job() {
	local starts=0
	[[ ! -e $NODE/run/$1/gate ]] || starts=1
	next_job $(($1 + 1000)) || return
	((starts)) || is_back || return
	request_of "$1"
	((!starts)) || release
}

# crash_schedules PROFILE... - jobs with helpers killed at random points, each with one
# of these profiles, then one without crashes
crash_schedules() {
	local seed
	node_fault_helpers
	for seed in $(seeds 5); do
		crash_schedule "$seed" "$@" || fail "seed $seed"
	done
}

crash_schedule() {
	local id ids=() round profiles=("${@:2}")
	RANDOM=$1
	crash_begin
	for round in 1 2 3; do
		id=$(($1 % 10000000 * 10 + round))
		ids+=("$id")
		job "$id" 1 "${profiles[RANDOM % ${#profiles[@]}]}"
		crash_round "$id"
	done
	crash_end "${ids[@]}" && is_back
}

# ---- calls that fail: with watch.so

# watch_made - compile watch.so once, and set WATCH
watch_made() {
	WATCH=${BATS_FILE_TMPDIR:-$NODE}/watch.so
	[[ -e $WATCH ]] || watch_library "$WATCH"
}

ERRORS=(12 24 23 5) # ENOMEM EMFILE ENFILE EIO

# fails_somewhere COMMAND - make a random call of it fail, or all calls from there on
fails_somewhere() {
	local all=()
	((RANDOM % 2)) || all=(all)
	watch_made
	fails_at $((RANDOM % 150 + 1)) "${ERRORS[RANDOM % 4]}" "${all[@]}" "$1"
}

# fails_at CALL ERRNO [all] COMMAND - make this call fail in one run of COMMAND only
fails_at() {
	local order="$1 $2"
	[[ $3 != all ]] || { order+=" all"; set -- "$1" "$2" "${@:4}"; }
	NODE_ENV=(LD_PRELOAD="${LUSTRE_LIBRARY:+$LUSTRE_LIBRARY:}$WATCH" WATCH_FAIL="$order"
		WATCH_COUNT="$NODE/calls" ASAN_OPTIONS=verify_asan_link_order=0)
	rm -f "$NODE"/run/client.*.json
	LUSTRE_LIBRARY=${NODE_ENV[0]#LD_PRELOAD=} "$3" >"$NODE/said" 2>&1 || :
	NODE_ENV=()
}

# expect_true ID - all is restored if its record has 'restored' for each change
expect_true() {
	local record
	for record in "$NODE/spool/$1".*.json; do
		[[ -e $record ]] || continue
		jq -e 'any(.changes[]; .restored | not)' "$record" >"$NODE/jq" || is_back ||
			fail "job $1: 'restored' is not so: $(<"$record")" || return
	done
}

# fail_walk COMMAND [all] - for each call of COMMAND, make it fail, or it and all later calls; in
# the end all is restored, and the job has one record with right values
fail_walk() {
	local at id count command=$1 each=${2:-} error every=${JOBIO_CRASH_EVERY:-8}
	FAIL_JOBS=$((${FAIL_JOBS:-0} + 10000))
	watch_made
	node_fault_helpers
	crash_begin
	request_of "$FAIL_JOBS"
	[[ $command != release ]] || prepare
	fails_at 0 5 "$command"
	count=$(sort -n "$NODE/calls" | tail -n 1)
	[[ $command == release ]] || release
	[[ $count -gt 20 ]] || fail "$count calls"
	# if only some calls are tried, take a quarter of them: there are many
	((every == 1)) || every=$((4 * every))
	for at in $(JOBIO_CRASH_EVERY=$every steps "$count"); do
		id=$((FAIL_JOBS + at)) error=${ERRORS[at % 4]}
		request_of "$id"
		[[ $command != release ]] || prepare
		fails_at "$at" "$error" ${each:+"$each"} "$command"
		[[ $command != prepare || ! -d $NODE/run/$id/steps ]] || step "$id" batch 4711 1
		expect_true "$id" || fail "call $at, errno $error"
		request_of "$id"
		[[ $command != prepare ]] || release || fail "call $at, errno $error: epilog"
		crash_next_job "$id" || fail "call $at, errno $error: next job"
		is_back || fail "call $at, errno $error: $(<"$NODE/said")"
		{ expect_true "$id" && expect_one_run "$id"; } || fail "call $at, errno $error"
		[[ ! -e $NODE/run/$id ]] || fail "call $at, errno $error: run/$id is left"
	done
}

# ---- child processes that run late: with watch.so

# late_at N COMMAND - the child of its N-th fork(2) continues only after COMMAND was killed and the
# epilog has run; returns 1 if that child does not wait (see watch.c)
late_at() {
	local order=$NODE/hold pid parent
	rm -f "$order"*
	NODE_ENV=(LD_PRELOAD="$WATCH" WATCH_HOLD="$1 $order" ASAN_OPTIONS=verify_asan_link_order=0)
	rm -f "$NODE"/run/client.*.json
	"$2" >/dev/null 2>&1 3>&- &
	NODE_ENV=()
	until [[ -s $order.at ]]; do
		kill -0 $! 2>/dev/null || return
		sleep 0.01
	done
	read -r pid parent <"$order.at"
	kill -9 "$parent"
	wait $! || :
	release || fail "fork $1: epilog" || return
	touch "$order"
	while [[ -d /proc/$pid && $(<"/proc/$pid/stat") != *' Z '* ]]; do sleep 0.01; done
}

# late_walk COMMAND - for each of its forks: kill COMMAND at the fork, and let the child run late
late_walk() {
	local at found=0
	watch_made
	node_fault_helpers
	crash_begin
	for at in {1..12}; do
		request_of $((90000 + at))
		[[ $1 == prepare ]] || prepare
		if late_at "$at" "$1"; then
			found=$((found + 1))
		else
			release
		fi
		is_back || fail "fork $at of $1 came late"
	done
	((found)) || fail "$1: no fork was held"
}
