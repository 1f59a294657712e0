#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# account.bats - the summaries that jobio-ledgerd writes to slurmdbd: text, row, and faults
# shellcheck disable=SC2030,SC2031 # each test is a subshell, teardown included

# shellcheck source=tests/scripts/ledger.bash
source "$SRCDIR/tests/scripts/ledger.bash"

setup() {
	SLURMDB=$BATS_TEST_TMPDIR/slurmdb
	mkdir "$SLURMDB"
	: >"$SLURMDB/rows"
	PRELOAD=$BUILDDIR/.libs/slurmdb.so
	LEDGER_MORE=$'grace_s = 0\n'
	export SLURMDB
	[[ ! -w /dev/shm ]] || BATS_TMPDIR=/dev/shm # eight hundred records are committed one by one
	setup_ledger
	export DIR
}
teardown() { teardown_ledger; }

# cases KIND NAME - run the table tests/cases/NAME.cases
cases() { run python3 "$SRCDIR/tests/cases/account.py" "$1" "$SRCDIR/tests/cases/$2.cases"; printf '%s\n' "$output"; [[ $status == 0 ]]; }

@test "the summary is written to the row of the run, and to no other" { cases rows rows; }
@test "the summary in SystemComment has the figures of the nodes' records" { cases summary summary; }

# row JOB START END STATE ARRAY TASK HET OFFSET ACCOUNT [COMMENT] - add a row to slurmdbd
row() { printf 'c %s %s %s %s %s %s %s %s %s %s|%s\n' "$1" "$2" "${@:2:8}" "${10:-}" >>"$SLURMDB/rows"; }

# comment JOB - SystemComment of its last row
comment() { sed -n "s/^c $1 [^|]*|//p" "$SLURMDB/rows" | tail -n 1; }
has_comment() { [[ $(comment "$1") == *jobio/1* ]]; }
said() { grep -q -- "$1" "$DIR/ledger.log"; }
calls() { grep -cx "$1" "$SLURMDB/log"; }

# Start and end in the records of spool().
readonly START=1795224862 END=1795224890

@test "an ended row is selected by state and end, a running job by its newest row, a task and a component by both IDs" {
	row 7 $START $END 3 - - - - a
	row 7 $START $((END + 1)) 5 - - - - a
	row 8 $((START - 100)) 0 1 - - - - a
	row 8 $START 0 1 - - - - a
	row 9 $START $END 3 5 1 - - physics
	row 10 $START $END 3 - - 6 2 a
	local job
	for job in 7 8 9 10; do spool "$job" c1; done
	send
	for job in 8 9 10; do within 20 has_comment "$job"; done
	expect_equal '1 1' "$(grep -c '^c 7 .*jobio/1' "$SLURMDB/rows") $(grep -c '^c 8 .*jobio/1' "$SLURMDB/rows")"
	# and array and het IDs of the row can be queried in the store
	expect_equal '5_1|6+2' "$(in_store "SELECT (SELECT array_job||'_'||array_task FROM runs WHERE job=9),
		(SELECT het_job||'+'||het_offset FROM runs WHERE job=10)")"
	expect_text physics "$(in_store 'SELECT * FROM run_sums')"
}

@test "if two rows match both are changed, and that is logged" {
	row 7 $START $END 3 - - - - a
	row 7 $((START + 1)) $END 3 - - - - a
	spool 7 c1
	send
	within 20 said "job: '7': 2 rows were changed"
}

@test "while slurmdbd is down no summary is lost; the fault is logged once, and so is its end" {
	row 7 $START $END 3 - - - - a
	row 8 $START $END 3 - - - - a
	stop "$LEDGER"
	echo 111 >"$SLURMDB/fail-connect"
	start_ledger
	spool 7 c1
	send
	within 20 said 'slurmdbd: cannot connect: Connection refused: trying again until it works'
	spool 8 c1
	send
	rm "$SLURMDB/fail-connect"
	within 20 has_comment 7
	within 20 has_comment 8
	expect_equal '1 1' "$(grep -c 'trying again' "$DIR/ledger.log") $(grep -c 'slurmdbd: works again' "$DIR/ledger.log")"
}

# why JOB CALL ERRNO TEXT - CALL of slurmdbd fails with ERRNO: TEXT is logged; then it works again
why() {
	row "$1" $START $END 3 - - - - a
	echo "$3" >"$SLURMDB/fail-$2"
	spool "$1" c1
	send
	within 20 said "$4"
	rm "$SLURMDB/fail-$2"
	within 40 has_worked_again "$1"
	has_comment "$1"
}
has_worked_again() { (($(grep -c 'slurmdbd: works again' "$DIR/ledger.log") == $1)); }

@test "a failed call of slurmdbd is logged with its cause, and tried again on a new connection" {
	why 1 look 104 'slurmdbd: cannot look up jobs: Connection reset by peer'
	why 2 commit 32 'slurmdbd: cannot commit: Broken pipe'
	why 3 change 110 'slurmdbd: cannot change a job: Connection timed out'
	(($(calls connect) >= 4))
	row 4 $START $END 3 - - - - a
	echo denied >"$SLURMDB/fail-change"
	spool 4 c1
	send
	within 20 said "job: '4': slurmdbd: Access/permission denied: the ledger must run as SlurmUser or an operator"
	rm "$SLURMDB/fail-change"
	row 9 $START $END 3 - - - - a
	: >"$SLURMDB/lose"
	spool 9 c1
	send
	within 20 said "job: '9': slurmdbd: the change was lost: a connection broke before the commit"
	rm "$SLURMDB/lose"
	within 20 has_comment 9
}

@test "a large batch is written over four connections at once" {
	local i
	stop "$LEDGER"
	for i in {1..70}; do row "$i" $START $END 3 - - - - a; done
	: >"$SLURMDB/log"
	start_ledger
	for i in {1..70}; do spool "$i" c1; done
	kill -STOP "$(pgrep -P "$LEDGER")"
	send
	kill -CONT "$(pgrep -P "$LEDGER")"
	for i in 1 35 70; do within 20 has_comment "$i"; done
	expect_equal '4 70' "$(calls connect) $(calls change)"
}

@test "a SystemComment that is full of other text is kept, and that is logged once" {
	row 7 $START $END 3 - - - - a "$(printf 'x%.0s' {1..59990})"
	spool 7 c1
	send
	within 20 said "job: '7': SystemComment: other text takes all of its 60000 bytes"
	sleep 2.5
	expect_equal 1 "$(grep -c 'other text takes' "$DIR/ledger.log")"
	expect_equal 59990 "$(comment 7 | tr -d '\n' | wc -c)"
}

@test "an unreadable record does not affect others, and is logged" {
	row 7 $START $END 3 - - - - a
	stop "$LEDGER"
	sed -i 's/^grace_s.*/grace_s = 3/' "$DIR/jobio.conf"
	start_ledger
	record 7 c1 'c[1-2]' >"$DIR/spool/7.0.c1.json"
	send
	python3 -c 'import sqlite3, sys
c = sqlite3.connect(sys.argv[1], timeout=10)
c.execute("UPDATE records SET text = ?", ("{}",))
c.commit()' "$DIR/store.sqlite"
	spool 7 c2 'c[1-2]'
	send
	within 20 has_comment 7
	expect_text "job: '7': store: 1 of 2 records cannot be read: record: jobio" "$(<"$DIR/ledger.log")"
	expect_text ' nodes=1/2 ' "$(comment 7) "
}

@test "runs older than retention_days are removed, unless the clock may have jumped" {
	local now
	now=$(date +%s)
	record 7 c1 | sed "s/$START/$((now - 3 * 86400))/; s/$END/$((now - 2 * 86400))/" >"$DIR/spool/7.0.c1.json"
	record 8 c1 | sed "s/$START/$((now - 90))/; s/$END/$((now - 60))/" >"$DIR/spool/8.0.c1.json"
	send
	stop "$LEDGER"
	printf 'retention_days = 1\n' >>"$DIR/jobio.conf"
	start_ledger
	within 20 forgotten 7
	expect_equal 8 "$(in_store 'SELECT job FROM runs')"
}
forgotten() { [[ -z $(in_store "SELECT job FROM runs WHERE job=$1") ]]; }

@test "no run is removed if the newest record ended long ago: the clock may have jumped" {
	spool 7 c1
	send
	stop "$LEDGER"
	printf 'retention_days = 1\n' >>"$DIR/jobio.conf"
	start_ledger
	within 20 said 'store: nothing is purged: the newest record ended [0-9]* h ago: check the clock'
	expect_equal 7 "$(in_store 'SELECT job FROM runs')"
}
