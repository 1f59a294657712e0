#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# file.bats - a job's report as a file in its directory: report_dir, jobio-file
# shellcheck disable=SC2030,SC2031 # each test is a subshell, teardown included

# shellcheck source=tests/scripts/ledger.bash
source "$SRCDIR/tests/scripts/ledger.bash"

readonly USER_ID=65534 OTHER_ID=65533

setup() { :; }
teardown() {
	[[ ! -v DIR ]] || teardown_ledger
	[[ ! -v NODE ]] || node_remove
}

# ledger - one with nobody's job 7, and a directory of his
ledger() {
	[[ $EUID == 0 ]] || skip 'needs root, to become somebody else'
	setup_ledger
	printf 'grace_s = 0\n' >>"$DIR/jobio.conf"
	mkdir -m 700 "$DIR/home"
	chown "$USER_ID:$USER_ID" "$DIR/home"
	bin=$BUILDDIR
}

# arrive NODE [NODELIST] - the record of a node
arrive() {
	OWNER=$USER_ID spool 7 "$@"
	send 2>/dev/null
}

# file_report [DIRECTORY [RUN]] - as the epilog starts it
file_report() {
	timeout 60 "$bin/jobio-file" --conf="$DIR/jobio.conf" 7 "${2:-0}" "$USER_ID" "$USER_ID" '' "${1:-$DIR/home}"
}

@test "a job's report is left in its directory, as its user's, and for nobody else" {
	ledger
	arrive c1
	run file_report
	[ "$status" -eq 0 ]
	[ "$output" = '' ]
	[ "$(stat -c '%u %g %a' "$DIR/home/jobio-7.html")" = "$USER_ID $USER_ID 600" ]
	python3 "$SRCDIR/tests/scripts/page_check.py" "$DIR/home/jobio-7.html"
	grep -q '<h1>Job 7' "$DIR/home/jobio-7.html"
	[ "$(ls "$DIR/home")" = jobio-7.html ]
	# again, over the older one; where Slurm does not number runs, too
	echo old >"$DIR/home/jobio-7.html"
	chown "$USER_ID" "$DIR/home/jobio-7.html"
	file_report "$DIR/home" -
	grep -q '<h1>Job 7' "$DIR/home/jobio-7.html"
}

@test "nodes that are late are waited for, and those that are too late are missing on the page" {
	ledger
	sed -i 's/grace_s = 0/grace_s = 40/' "$DIR/jobio.conf"
	arrive c1 'c[1-2]'
	file_report &
	local filing=$!
	sleep 3
	[ ! -e "$DIR/home/jobio-7.html" ]
	arrive c2 'c[1-2]'
	wait "$filing"
	grep -q '<dt>Nodes</dt><dd>2</dd>' "$DIR/home/jobio-7.html"
	sed -i 's/grace_s = 40/grace_s = 0/' "$DIR/jobio.conf"
	OWNER=$USER_ID record 8 c1 'c[1-2]' >"$DIR/spool/8.0.c1.json"
	send
	timeout 60 "$bin/jobio-file" --conf="$DIR/jobio.conf" 8 0 "$USER_ID" "$USER_ID" '' "$DIR/home"
	grep -q '<dt>Nodes</dt><dd>2, of which 1 reported</dd>' "$DIR/home/jobio-8.html"
}

@test "what is of another's, or a link, stays as it is" {
	ledger
	arrive c1
	echo precious >"$DIR/precious"
	chmod 666 "$DIR/precious"
	ln -s "$DIR/precious" "$DIR/home/jobio-7.html"
	run file_report
	[ "$status" -eq 70 ]
	[ "$output" = "jobio: file: job 7: '$DIR/home/jobio-7.html': there is something else of that name: it stays" ]
	[ "$(<"$DIR/precious")" = precious ]
	[ -L "$DIR/home/jobio-7.html" ]
	rm "$DIR/home/jobio-7.html"
	echo theirs >"$DIR/home/jobio-7.html"
	chown "$OTHER_ID" "$DIR/home/jobio-7.html"
	run file_report
	[ "$status" -eq 70 ]
	[[ $output == *'there is something else of that name: it stays' ]]
	[ "$(<"$DIR/home/jobio-7.html")" = theirs ]
	rm "$DIR/home/jobio-7.html"
	mkdir "$DIR/home/jobio-7.html"
	run file_report
	[[ $output == *'there is something else of that name: it stays' ]]
}

@test "a directory of root's, of another's or behind a link gets nothing that its user could not put there" {
	ledger
	arrive c1
	mkdir -m 755 "$DIR/roots"
	mkdir -m 700 "$DIR/theirs"
	chown "$OTHER_ID" "$DIR/theirs"
	ln -s "$DIR/roots" "$DIR/home/link"
	local to
	for to in roots theirs home/link; do
		run file_report "$DIR/$to"
		[ "$status" -eq 70 ]
		[[ $output == "jobio: file: job 7: jobio: report: "*"cannot create '$DIR/$to/jobio-7.html.tmp."*"': Permission denied" ]]
	done
	[ -z "$(find "$DIR/roots" "$DIR/theirs" -type f)" ]
}

@test "a directory that is gone or full is one line, and leaves no half of a report" {
	ledger
	arrive c1
	run file_report "$DIR/home/gone"
	[ "$status" -eq 70 ]
	[[ $output == *"cannot create '$DIR/home/gone/jobio-7.html.tmp."*"': No such file or directory" ]]
	run prlimit --fsize=1000 "$bin/jobio-file" --conf="$DIR/jobio.conf" 7 0 "$USER_ID" "$USER_ID" '' "$DIR/home"
	[ "$status" -eq 70 ]
	[ "$output" = "jobio: file: job 7: '$BUILDDIR/jobio' ended with 153" ]
	[ ! -e "$DIR/home/jobio-7.html" ]
}

@test "a job of another user's is not told" {
	ledger
	OWNER=$OTHER_ID spool 7 c1
	send
	run file_report
	[ "$status" -eq 70 ]
	[ "$output" = "jobio: file: job 7: the ledger shows no record of it after 5 s: no report in '$DIR/home'" ]
	[ -z "$(ls "$DIR/home")" ]
}

@test "root's jobs, and words that are none of the epilog's, get nothing" {
	local words
	for words in '7 0 0 0' '7 0 1000 0' '0 0 1000 1000' '7 x 1000 1000' '7 0 1000' '7 0 y 1000' '7 0 1000 1000 u v'; do
		# shellcheck disable=SC2086 # words
		run "$BUILDDIR/jobio-file" $words u relative
		[ "$status" -eq 64 ]
		[[ ${lines[0]} == 'usage: jobio-file [--conf=FILE] JOB RUN UID GID USER DIR' ]]
	done
}

# says SOURCE SEEN STATE - what false_jobio says of a job of two nodes
says() {
	jq -nc --arg source "$1" --argjson seen "$2" --arg state "$3" \
		'{state: "waiting", $source, nodes_seen: $seen, nodes_expected: 2, slurm: {$state}}' >"$DIR/says"
}

# false_jobio SOURCE SEEN STATE - a jobio that notes as whom it was asked
false_jobio() {
	bin=$DIR/bin
	mkdir -p "$bin"
	cp "$BUILDDIR/jobio-file" "$bin"
	says "$@"
	: >"$DIR/asked"
	chmod 666 "$DIR/asked"
	# shellcheck disable=SC2016 # the fake expands it
	printf '#!/bin/bash\n%s\n' 'echo "$(id -u):$(id -g):$(id -G) $(umask) $*" >>"${0%/bin/*}/asked"
		[[ $* == *--html* ]] || exec cat "${0%/bin/*}/says"' >"$bin/jobio"
	chmod 755 "$bin" "$bin/jobio"
}

@test "jobio is asked as the user, and of the very run that has ended" {
	ledger
	false_jobio ledger 2 COMPLETED
	file_report "$DIR/home" 3
	[ "$(<"$DIR/asked")" = "$USER_ID:$USER_ID:$USER_ID 0077 report --conf=$DIR/jobio.conf --json --advice=none 7 --restart=3
$USER_ID:$USER_ID:$USER_ID 0077 report --conf=$DIR/jobio.conf --html=$DIR/home/jobio-7.html 7 --restart=3" ]
}

@test "a job that Slurm still calls running is asked for again" {
	ledger
	false_jobio ledger 2 RUNNING
	file_report &
	local filing=$!
	within 20 grep -q json "$DIR/asked"
	[ "$(grep -c html "$DIR/asked")" -eq 0 ]
	says ledger 2 FAILED
	wait "$filing"
	[ "$(grep -c json "$DIR/asked")" -ge 2 ]
	[ "$(grep -c html "$DIR/asked")" -eq 1 ]
	# what sacct alone knows is no report of it
	false_jobio sacct 2 COMPLETED
	run file_report
	[[ $output == *'the ledger shows no record of it'* ]]
}

# node LINE... - a node whose epilog starts a false jobio-file; lines for [jobio]
node() {
	# shellcheck source=tests/scripts/node.bash
	source "$SRCDIR/tests/scripts/node.bash"
	[[ -v NODE ]] || node_make
	NODE_JOBIO=$(printf '%s\n' "$@") NODE_MORE=$'[ledger]\nhost=127.0.0.1' node_conf
	# shellcheck disable=SC2016 # the fake expands it
	node_fake jobio-file 'printf "%s\n" "$*" >>"${0%/bin/*}/filed"; exec sleep 20'
	rm -f "$NODE/filed" "$NODE/spool/released"
}

# filed VARIABLE... - what jobio-file was started with after a job with these
filed() {
	job 7
	JOB_ENV+=("$@")
	rm -f "$NODE/spool/released"
	prolog
	epilog || return
	wait_for test -s "$NODE/filed" 2>/dev/null || :
	cat "$NODE/filed" 2>/dev/null || :
}

@test "the epilog of a job's first node starts to file, in the directory that the site names, and does not wait" {
	node 'report_dir=%w/r-%j-%u%%'
	local start=$SECONDS
	run filed "SLURM_JOB_WORK_DIR=/scratch/a dir"
	[ $((SECONDS - start)) -lt 15 ]
	printf '%s\n' "$output" # where a busy machine has more to say
	[ "${lines[-1]}" = "--conf=$NODE/jobio.conf 7 0 1000 1000 alice /scratch/a dir/r-7-alice%" ]
	# no more than once for a run
	epilog
	sleep 0.3
	[ "$(wc -l <"$NODE/filed")" -eq 1 ]
}

@test "where nothing is to be filed, nothing is started" {
	node 'report_dir=%w'
	# shellcheck disable=SC2317 # filed calls it
	wait_for() { sleep 0.5; } # for what is not to come
	run filed SLURM_JOB_WORK_DIR=/w 'SLURM_JOB_NODELIST=b7,c[1-2]' 'SLURM_NODELIST=b7,c[1-2]'
	[ "$output" = '' ]
	run filed SLURM_JOB_WORK_DIR=/w SLURM_JOB_UID=0 SLURM_UID=0
	[ "$output" = '' ]
	node 'report_dir=%w' 'nodes=d*'
	run filed SLURM_JOB_WORK_DIR=/w
	[ "$output" = '' ]
	node
	run filed SLURM_JOB_WORK_DIR=/w
	[ "$output" = '' ]
	node 'report_dir=%w'
	sed -i '/^host=/d' "$NODE/jobio.conf"
	run filed SLURM_JOB_WORK_DIR=/w
	[ "$output" = '' ]
}

@test "a directory that Slurm does not tell, and a helper that is not there, are one line and no failure" {
	node 'report_dir=%w'
	# shellcheck disable=SC2317 # filed calls it
	wait_for() { :; }
	run filed
	[ "$status" -eq 0 ]
	[ "$output" = "jobio: epilog: job 7: report_dir: '%w': Slurm does not tell what %w stands for" ]
	rm "$NODE/bin/jobio-file"
	run filed SLURM_JOB_WORK_DIR=/w
	[ "$status" -eq 0 ]
	[ "$output" = 'jobio: epilog: job 7: report_dir: there is no jobio-file beside this program' ]
	run filed SLURM_JOB_WORK_DIR=../w
	[ "$output" = "jobio: epilog: job 7: report_dir: '../w': not an absolute path" ]
}

# in_namespace WORK_DIR - job 7, of which a step says that this was no directory of
# the node's
in_namespace() {
	job 7
	JOB_ENV+=("SLURM_JOB_WORK_DIR=$1")
	rm -f "$NODE/spool/released" "$NODE/filed"
	prolog
	step 7 batch 10 20
	sed -i 's/}$/,"own_work_dir":true}/' "$NODE/run/7/steps/batch"
	epilog
}

@test "an epilog that goes on where one was killed leaves no report in the node's directory, either" {
	node 'report_dir=%w/out'
	cp "$BUILDDIR/tests/faults/jobio-release" "$NODE/bin"
	NODE_ENV=(JOBIO_FAULT_LOG="$NODE/points")
	in_namespace /tmp 2>/dev/null
	NODE_ENV=(JOBIO_FAULT_AT="$(sed -n 's/ record name before$//p' "$NODE/points")")
	in_namespace /tmp 2>/dev/null || :
	[ -e "$NODE/run/7/start.json" ]
	NODE_ENV=()
	run epilog
	[ "$status" -eq 0 ]
	[ "$output" = "jobio: epilog: job 7: report_dir: '/tmp/out': the job's working directory was in a mount namespace of its own and is gone: no report is left" ]
	[ ! -e "$NODE/filed" ]
}

@test "a working directory that the job had in a namespace of its own gets no report, and one line" {
	node 'report_dir=%w/out'
	run in_namespace /tmp
	[ "$status" -eq 0 ]
	[ "$output" = "jobio: epilog: job 7: report_dir: '/tmp/out': the job's working directory was in a mount namespace of its own and is gone: no report is left" ]
	[ ! -e "$NODE/filed" ]
	# where the site names another place, it does
	node "report_dir=/reports/%%w/%u"
	run in_namespace /tmp
	[ "$output" = '' ]
	wait_for test -s "$NODE/filed"
	[[ $(<"$NODE/filed") == *' alice /reports/%w/alice' ]]
}

@test "the prolog leaves what the node's namespace is, for a slurmstepd that is in another one" {
	node
	job 7
	JOB_ENV+=('SLURM_JOB_WORK_DIR=//tmp///a dir/b\c/')
	prolog
	[ "$(sed -n 1p "$NODE/run/7/mountinfo")" = "$(readlink /proc/self/ns/mnt)" ]
	[ "$(sed -n 2p "$NODE/run/7/mountinfo")" = '/tmp/a\040dir/b\134c' ]
	cmp <(sed 1,2d "$NODE/run/7/mountinfo") /proc/self/mountinfo
	[ "$(stat -c %a "$NODE/run/7/mountinfo")" = 600 ]
	epilog
	[ ! -e "$NODE/run/7" ]
	JOB_ENV=("${JOB_ENV[@]/SLURM_JOB_WORK_DIR*/SLURM_JOB_WORK_DIR=/}")
	prolog
	[ "$(sed -n 2p "$NODE/run/7/mountinfo")" = / ]
}
