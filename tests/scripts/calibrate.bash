# SPDX-License-Identifier: GPL-2.0-or-later
# calibrate.bash - fake-slurm, fake-fio and a temporary ledger, for jobio
# calibrate
# shellcheck shell=bash disable=SC2030,SC2031 # bats runs each test in a subshell

# shellcheck source=tests/scripts/sacct.bash
source "$SRCDIR/tests/scripts/sacct.bash"

setup_calibrate() {
	setup_sacct
	mkdir "$DIR/fs"
	cp "$SRCDIR/tests/scripts/fake-fio" "$DIR/bin/fio"
	for name in sbatch squeue scancel; do
		cp "$SRCDIR/tests/scripts/fake-slurm" "$DIR/bin/$name"
	done
	printf '%s\n' "$SRCDIR/report/calibrate-job" >"$DIR/bin/script"
	printf '%s\n' "$BUILDDIR/jobio-send" >"$DIR/bin/send"
	cat >>"$DIR/jobio.conf" <<-'EOC'
		grace_s = 0
		[option]
		io_cores_max = 4
		[client weka]
		type = weka
		[profile stream]
		mount_options = forcedirect
		io_cores = 2
		[profile cached]
		mount_options = readcache
	EOC
	sed -i 's/^send_timeout_ms.*/send_timeout_ms = 15000/' "$DIR/jobio.conf"
}

teardown_calibrate() {
	local pid
	while read -r pid; do
		((pid < 2)) || kill -KILL -- "-$pid" 2>/dev/null || :
	done < <(sed -n 's/.*|//p' "$DIR"/bin/slurm/*.job 2>/dev/null)
	teardown_ledger
}

# calibrate [OPTION...] - run it; small by default
calibrate() {
	"$BUILDDIR/jobio" calibrate --conf="$DIR/jobio.conf" --dir="$DIR/fs" --output="$DIR/out" \
		--fio="$DIR/bin/fio" --space=256M --io-cores=0,1,2 --profiles=none --processes=1,4 --repeats=2 --seconds=1 "$@"
}
