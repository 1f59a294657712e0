#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# advice.bats - the rows of tests/cases/advice*.cases and the jobs of tests/samples/advice, with
# jobio-ledgerd --judge and the texts of report/advice.py

# A60 uses figures of sacct; the other advice without a recorded job needs times from the kernel
UNRECORDED='A33'

advice() { python3 "$SRCDIR/tests/cases/advice.py" "$@"; }

# judged ROWS FILE [SAMPLES] - at least ROWS jobs are judged, without a difference
judged() {
	run advice "$SRCDIR/tests/cases/$2" "${@:3}"
	[[ $status -eq 0 && ${lines[-1]} =~ ^([0-9]+)' jobs, 0 wrong'$ && ${BASH_REMATCH[1]} -ge $1 ]] ||
		{ printf '%s\n' "${lines[@]}"; return 1; }
}

@test "each row of advice.cases gets its advice, and so does each recorded job" {
	judged 400 advice.cases "$SRCDIR/tests/samples/advice"
}

@test "typical jobs of users get the advice first that was chosen before the rules were written" {
	judged 26 advice_jobs.cases
}

@test "each advice of the manual has a row, and each row's advice is in the manual" {
	run diff <(grep -oE '^A[0-9]{2}' "$SRCDIR/man/jobio-advice.7" | grep -v A60 | sort -u) \
		<(sed -nE 's/^= (A[0-9]{2})[:,].*/\1/p' "$SRCDIR/tests/cases/advice.cases" | sort -u)
	[[ $status -eq 0 ]] || { echo "$output"; return 1; }
}

@test "each advice that recorded counters can cause has a recorded job" {
	local code names
	names=$(find "$SRCDIR/tests/samples/advice" -name '*.json' -printf '%f\n')
	while read -r code; do
		[[ $names =~ (^|-and-|$'\n')$code- ]] || { echo "$code"; return 1; }
	done < <(grep -oE '^A[0-9]{2}' "$SRCDIR/man/jobio-advice.7" | grep -vE "A60|$UNRECORDED" | sort -u)
}

@test "each key of [advice] has a row" {
	run diff <(sed -n '/^.SH .advice./,/^.SH [^[]*$/p' "$SRCDIR/man/jobio.conf.5" | sed -nE 's/^\.BR ([a-z_]+) " = .*/\1/p' | sort | grep -v calibration) \
		<(sed -nE 's/^\[([a-z_]+)=.*/\1/p' "$SRCDIR/tests/cases/advice.cases" | sort -u)
	[[ $status -eq 0 ]] || { echo "$output"; return 1; }
}

@test "each advice has observation, reason, cure and certainty" {
	advice "$SRCDIR/tests/cases/advice.cases" '' print >"$BATS_TEST_TMPDIR/told"
	[[ ${JOBIO_UPDATE:-} != 1 ]] || cp "$BATS_TEST_TMPDIR/told" "$SRCDIR/tests/samples/advice/told.golden"
	diff "$SRCDIR/tests/samples/advice/told.golden" "$BATS_TEST_TMPDIR/told"
	run grep -cE '"(what|why|do)": ("|".*\?[^"]* )"' "$BATS_TEST_TMPDIR/told"
	[[ $output == 0 ]]
}

# texts_of CODE - print the texts of the first advice for the judged job on standard input
texts_of() {
	python3 -c 'import json, sys
from report import advice
slurm = json.loads(sys.argv[1])
answer = {"judged": json.load(sys.stdin)}
for one in advice.lines(answer, slurm): print(one.code, one.what, one.cure)
print(advice.silence(answer))' "$1"
}

@test "denied permissions are advice for failed jobs only; idle GPUs come before the cause of their waiting" {
	local PYTHONPATH=$SRCDIR
	export PYTHONPATH
	a='{"judged":true,"silence":null,"advice":[{"code":"A50","kind":"EACCES","fs":"/w","share":0,"numbers":{"calls":1}}]}'
	[[ $(texts_of '{"state":"FAILED"}' <<<"$a") == 'A50 1 call on /w failed: permission denied'* ]]
	[[ $(texts_of '{"state":"COMPLETED"}' <<<"$a") != A50* ]]
	a='{"judged":true,"advice":[{"code":"A13","fs":"/w","share":0.3,"confidence":"sure","numbers":{"opens":9}}]}'
	[[ $(texts_of '{"gpu_percent":20}' <<<"$a") == 'A60 The GPUs were busy 20 % of the time, while I/O took 30 % of the processes'\'' time. Keep the input'* ]]
	[[ $(texts_of '{"gpu_percent":50}' <<<"$a") == A13* ]]
}

@test "a site can replace texts in /etc/slurm/jobio/advice.words" {
	mkdir -p "$BATS_TEST_TMPDIR/slurm/jobio"
	printf 'A13\n  cure: module load stage; see {fs} in the wiki\n' >"$BATS_TEST_TMPDIR/slurm/jobio/advice.words"
	run env PYTHONPATH="$SRCDIR" python3 -c 'import sys
from report import advice, paths
paths.SYSCONF = sys.argv[1]
one = {"code": "A13", "fs": "/w", "share": 0.3, "numbers": {"opens": 9, "each_bytes": 4096}}
for told in advice.lines({"judged": {"advice": [one]}}, None):
    print(told.what, told.cure)' "$BATS_TEST_TMPDIR"
	[[ $output == *"9 files were opened on /w and 4 KiB read of each"*"module load stage; see /w in the wiki"* ]] || { echo "$output"; return 1; }
}
