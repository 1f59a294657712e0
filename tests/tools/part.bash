# SPDX-License-Identifier: GPL-2.0-or-later
# part.bash - functions for the parts of ./check
#
# Terms   part    a process of its own (./check --part NAME). It writes to $dir:
#                 result, a line "PASSED FAILED WHAT" for each test suite; took,
#                 the times of its test files; behind, what was missing;
#                 done, when it has finished.
#         thing   something that several parts need, and that is made once a run:
#                 packages, build trees, images, kernels. A thing that cannot be
#                 made is one failure, with its cause; parts that need it do not
#                 run and do not count as failed.
# Needs $self, $top, $work and, in a part, $part and $dir.
# shellcheck shell=bash disable=SC2154

say() { printf '[%4d s] %s%s\n' $((EPOCHSECONDS - JOBIO_CHECK_BEGIN)) "${part:+$part: }" "$*"; }

# result PASSED FAILED WHAT - add a line to the results of this part
result() { printf '%d %d %s\n' "$@" >>"$dir/result"; }

# verdict WHAT COMMAND... - one test: passed if the command exits 0
verdict() {
	local what=$1
	shift
	if "$@"; then
		result 1 0 "$what"
	else
		result 0 1 "$what"
		say "FAILED: $what"
	fi
}

# show_failures LOG... - print the lines about failures, forty of each log
show_failures() {
	local log
	for log in "$@"; do
		[[ -r $log ]] || { printf '  missing: %s\n' "$log"; continue; }
		awk -v log_name="${log#"$top"/}" '
			/^1\.\./ { bailed = 0 }
			bailed && (/^not ok/ || /# skip/) { next }
			/^Bail out!/ { bailed = 1 }
			/^not ok|# skip|^Bail out!|^[^ ]+:[0-9]+:[FE]:|^[0-9]+%: Checks/ {
				if (/^100%/) next
				printf "  %s: %s\n", log_name, $0; more = 12; next }
			/^#/ && !/^# took / && more-- > 0 { print "    " $0; next }
			{ more = 0 }' "$log" | sed -n '1,40p; 41s/.*/  .../p'
	done
}

# tests WHAT STATUS LOG... - add up test logs; a non-zero status without a failed
# test in the logs is a failure of its own
tests() {
	local what=$1 status=$2 p f
	shift 2
	(($# > 0)) || set -- 'no test log at all'
	read -r p f < <("$top/tests/tools/tally" "$@")
	((status == 0 || f > 0)) || f=1
	result "$p" "$f" "$what"
	sed -n "s/^# took /$part: /p" "$@" 2>/dev/null >>"$dir/took" || :
	say "$what: $p passed, $f failed"
	((f == 0)) || show_failures "$@"
}

# run LOG LIMIT COMMAND... - run with a timeout of LIMIT seconds; output to LOG
run() {
	local log=$1 limit=$2 status=0
	shift 2
	mkdir -p "$(dirname -- "$log")"
	timeout -k 10 "$limit" "$@" >"$log" 2>&1 </dev/null 9>&- || status=$?
	((status != 124)) || say "not done within $limit s: $log"
	return $status
}

# bats_files LOG LIMIT FILE... - run test files within LIMIT seconds, all output to LOG;
# JOBIO_BATS_FILTER selects tests by name
bats_files() {
	local log=$1 end=$((SECONDS + $2)) file status=0
	shift 2
	: >"$log"
	for file in "$@"; do
		timeout -k 10 $((end > SECONDS ? end - SECONDS : 1)) \
			"$top/tests/tools/timed" bats --tap ${JOBIO_BATS_FILTER:+--filter "$JOBIO_BATS_FILTER"} "$file" >>"$log" 2>&1 </dev/null 9>&- || status=$?
	done
	return $status
}

# need THING... - make them, unless they were made or failed before in this run
need() {
	local thing lock
	for thing in "$@"; do
		lock=$work/things/${thing/#packages-*/packages}.lock # one apt at a time
		exec 9>"$lock"
		flock 9
		[[ -e $work/things/$thing.had || -e $work/things/$thing.failed ]] || get "$thing"
		exec 9>&-
		[[ ! -e $work/things/$thing.failed ]] || {
			printf '%s\n' "$thing" >"$dir/behind"
			say "not run, for lack of: $thing"
			return 1
		}
	done
}

# not_run WHAT - this part is not run, since WHAT is missing, which no package provides:
# not a failure; the last table prints it
not_run() {
	printf '%s\n' "$1" >"$dir/behind"
	say "not run, for lack of: $1"
}

# get THING - make it; creates THING.had, or THING.failed with the cause
get() {
	local thing=$1 log=$work/things/$1.log had=$SECONDS
	if timeout -k 10 1800 "$self" --thing "$thing" >"$log" 2>&1 </dev/null 9>&-; then
		: >"$work/things/$thing.had"
		((SECONDS - had < 2)) || say "$thing: had after $((SECONDS - had)) s"
	else
		printf 'no %s: %s\n' "$thing" "$(tail -n 1 "$log")" >"$work/things/$thing.failed"
		tail -n 20 "$log"
	fi
}

# in_image SUITE WHAT LIMIT [OPTION... --] COMMAND... - run in the image of a
# suite, without a network, with the build for it in /jobio; writes
# $dir/WHAT.log, and $dir/WHAT.passed if the command exits 0
in_image() {
	local suite=$1 what=$2 limit=$3 options=()
	shift 3
	while [[ $1 != -- ]]; do options+=("$1"); shift; done
	shift
	# shellcheck disable=SC2016 # the container's shell expands it
	timeout --foreground -k 10 "$limit" docker run --rm --network=none \
		--name "$project-$suite-$what" -v "$top/build/cluster/$suite:/jobio" \
		"${options[@]}" "jobio-$suite:site" \
		bash -c '"$@"; status=$?; times >/jobio/times; exit $status' bash "$@" \
		>"$dir/$what.log" 2>&1 </dev/null && : >"$dir/$what.passed"
	awk '{ for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); cpu += t[1] * 60 + t[2] } }
		END { print cpu + 0 }' "$top/build/cluster/$suite/times" >>"$JOBIO_CPU"
}

missing() { [[ -e $1 ]] && echo 0 || echo 1; }

test_logs() { find "$1/tests" -name '*.trs' | sed 's/\.trs$/.log/' | sort; }
