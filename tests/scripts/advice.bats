#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# advice.bats - the rows of tests/cases/advice.cases and the jobs of tests/samples/advice, through
# a ledger of our own and jobio report --json

# shellcheck source=tests/scripts/sacct.bash
source "$SRCDIR/tests/scripts/sacct.bash"

# All jobs are sent once; each [advice] is a jobio.conf for one call of jobio report.
setup_file() {
	local conf jobs
	export DIR LEDGER MUNGED PORT
	setup_sacct
	advice make "$SRCDIR/tests/cases/advice.cases" "$SRCDIR/tests/samples/advice" "$DIR"
	send
	for conf in "$DIR"/conf*.advice; do
		cat "$DIR/jobio.conf" "$conf" >"$DIR/one.conf"
		mapfile -t jobs <"${conf%.advice}"
		"$BUILDDIR/jobio" report --json --conf="$DIR/one.conf" "${jobs[@]}"
	done >"$DIR/reports"
}

teardown_file() { teardown_ledger; }

advice() { python3 "$SRCDIR/tests/cases/advice.py" "$@"; }

@test "each row of advice.cases is told what it says, and so is each job that ran" {
	run advice judge "$DIR" <"$DIR/reports"
	[[ ${lines[-1]} =~ ^([0-9]+)' jobs, 0 wrong'$ && ${BASH_REMATCH[1]} -ge 550 ]] || { printf '%s\n' "${lines[@]}"; return 1; }
}

@test "each advice of the manual has a row, and each row's advice is in the manual" {
	run diff <(grep -oE '^A[0-9]{2}' "$SRCDIR/man/jobio-advice.7" | sort -u) \
		<(sed -nE 's/^= (A[0-9]{2}):.*/\1/p' "$SRCDIR/tests/cases/advice.cases" | sort -u)
	[[ $status -eq 0 ]] || { echo "$output"; return 1; }
}

@test "each advice has a job that ran and was told it, and one that just was not" {
	local code names
	names=$(find "$SRCDIR/tests/samples/advice" -name '*.json' -printf '%f\n')
	while read -r code; do
		[[ $names =~ (^|-and-|$'\n')$code- && $names == *-not-$code-* ]] || { echo "$code"; return 1; }
	done < <(grep -oE '^A[0-9]{2}' "$SRCDIR/man/jobio-advice.7" | sort -u)
}

@test "each key of [advice] has a row" {
	run diff <(sed -n '/^.SH .advice./,/^.SH [^[]*$/p' "$SRCDIR/man/jobio.conf.5" | sed -nE 's/^\.BR ([a-z_]+) " = .*/\1/p' | sort | grep -v calibration) \
		<(sed -nE 's/^\[([a-z_]+)=.*/\1/p' "$SRCDIR/tests/cases/advice.cases" | sort -u)
	[[ $status -eq 0 ]] || { echo "$output"; return 1; }
}

@test "each advice says what was seen, why it matters, what to do, and its source" {
	advice told "$DIR" <"$DIR/reports" >"$DIR/told"
	[[ ${JOBIO_UPDATE:-} != 1 ]] || cp "$DIR/told" "$SRCDIR/tests/samples/advice/told.golden"
	diff "$SRCDIR/tests/samples/advice/told.golden" "$DIR/told"
}
