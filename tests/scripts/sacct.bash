# SPDX-License-Identifier: GPL-2.0-or-later
# sacct.bash - a temporary ledger, and fake-sacct with the jobs of
# $DIR/bin/jobs; in addition to the functions of ledger.bash
# shellcheck shell=bash disable=SC2031 # bats runs each test in a subshell

# shellcheck source=tests/scripts/ledger.bash
source "$SRCDIR/tests/scripts/ledger.bash"

# setup_sacct - set them up, without jobs
setup_sacct() {
	setup_ledger
	mkdir "$DIR/bin"
	cp "$SRCDIR/tests/scripts/fake-sacct" "$DIR/bin/sacct"
	: >"$DIR/bin/jobs"
	cp "$DIR/jobio.conf" "$DIR/kept.conf"
	cp "$DIR/bin/sacct" "$DIR/kept.sacct"
	PATH=$DIR/bin:$PATH
	export TZ=UTC LC_ALL=C SLURM_CONF=$DIR/slurm.conf # which is not there
}

# restore_sacct - restore jobio.conf and sacct for the next test
restore_sacct() {
	cp "$DIR/kept.conf" "$DIR/jobio.conf"
	cp "$DIR/kept.sacct" "$DIR/bin/sacct"
}

# sorted_json - print JSON with sorted keys, without uid; versions of jq write small numbers differently
sorted_json() {
	python3 -c '
import json, sys
json.dump(json.load(sys.stdin, object_hook=lambda o: {k: o[k] for k in o if k != "uid"}),
          sys.stdout, indent=2, sort_keys=True, ensure_ascii=False)
print()'
}

# expect_kept NAME FILE - FILE equals tests/samples/report/NAME. JOBIO_UPDATE=1 writes the sample,
# and the difference is reviewed
expect_kept() {
	local kept=$SRCDIR/tests/samples/report/$1
	if [[ ${JOBIO_UPDATE:-} == 1 ]]; then cp "$2" "$kept"; fi
	diff "$kept" "$2"
}
