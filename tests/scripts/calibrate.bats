#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calibrate.bats - jobio calibrate, with fake-slurm, fake-fio and a temporary
# ledger
# shellcheck disable=SC2030,SC2031 # each test is a subshell, teardown included

# shellcheck source=tests/scripts/calibrate.bash
source "$SRCDIR/tests/scripts/calibrate.bash"

setup() { setup_calibrate; }
teardown() { teardown_calibrate; }

# one [OPTION...] - the smallest calibration: one job
one() { calibrate --io-cores=1 --processes=2 --repeats=1 "$@"; }

# No file of the calibration is left in the directory, and no job in the queue.
expect_clean() {
	expect_equal '' "$(ls -A "$DIR/fs")"
	expect_equal '' "$(find "$DIR/bin/slurm" -name '*.job' 2>/dev/null)"
}

# its JQ - a value of calibration.json
its() { jq -r "$1" "$DIR/out/calibration.json"; }

@test "each number of cores is measured several times, and the results are written" {
	run calibrate
	expect_equal 0 "$status"
	expect_text "6 jobs of 24 runs (3 settings, repeats: 2), about 6 min when none waits; files of 256 MiB below $DIR/fs, at most 16 TiB read and written" "$output"
	expect_clean
	# one after the other, each job alone on its node, in two rounds
	expect_equal 6 "$(grep -c -- '--dependency=singleton --nodes=1 --ntasks=1 --exclusive --no-requeue --time=8 ' "$DIR/bin/sbatch.asked")"
	expect_equal 2 "$(grep -c -- ' --io-cores=2 ' "$DIR/bin/sbatch.asked")"
	expect_equal 2 "$(grep -vc -- ' --io-cores=' "$DIR/bin/sbatch.asked")"
	expect_equal 1 "$(grep -o -- '--job-name=[^ ]*' "$DIR/bin/sbatch.asked" | sort -u | wc -l)"
	expect_equal '3 3' "$(its '[.jobs[] | .io_cores] | "\(.[:3] | unique | length) \(.[3:] | unique | length)"')"
	expect_equal "1 $DIR/fs wekafs c 2" "$(its '"\(.jobio_calibration) \(.directory) \(.fstype) \(.cluster) \(.repeats)"')"
	expect_equal '6 6' "$(its '"\([.jobs[] | select(.agrees)] | length) \([.jobs[] | select(.counts)] | length)"')"
	expect_equal '3 1m-read-sync-1 2 2' "$(its '.settings | "\(length) \(.[1].shapes[0] | "\(.shape) \(.Bps.samples) \(.Bps.mean / 1e9 | round)")"')"
	expect_equal 'read_Bps 2 4' "$(its '.per_core[0] | "\(.metric) \(.grows_to) \(.samples)"')"
	# fake-fio: a core does 100,000 calls/s and 5 GB/s, less some percent; one call takes 100 us
	expect_equal '50 50 100 4' "$(its '.advice | "\(.small_read_kb) \(.small_write_kb) \(.sync_call_us) \(.io_processes)"')"
	expect_equal true "$(its '.advice | .core_read_mbs >= 4800 and .core_write_mbs >= 4800 and .core_read_iops >= 96000 and .core_write_iops <= 100000')"
	expect_equal "$(its '.advice | to_entries[] | "\(.key) = \(.value)"' | sort)" "$(grep '=' "$DIR/out/advice.conf" | grep -v '^#' | sort)"
	for picture in scaling engines direct; do
		python3 -c 'import sys, xml.dom.minidom as m; assert m.parse(sys.argv[1]).getElementsByTagName("desc")' "$DIR/out/$picture.svg"
	done
}

@test "reports read the file that it writes" {
	run one
	expect_equal 0 "$status"
	printf '[advice]\ncalibration = %s\n' "$DIR/out/advice.conf" >>"$DIR/jobio.conf"
	run "$BUILDDIR/jobio" report --conf="$DIR/jobio.conf" 101
	expect_equal 0 "$status"
	[[ $output != *calibration* ]]
	rm "$DIR/out/advice.conf"
	run "$BUILDDIR/jobio" report --conf="$DIR/jobio.conf" 101
	expect_equal 0 "$status"
	expect_text "jobio: report: $DIR/jobio.conf: [advice] calibration: '$DIR/out/advice.conf': cannot read: No such file or directory; its numbers are not used" "$output"
	expect_text 'Job 101' "$output"
}

@test "profiles are requested by name, and options after -- are passed to sbatch" {
	run one --profiles=stream,cached -- --partition=fast --comment="a b"
	expect_equal 0 "$status"
	expect_equal 2 "$(grep -c -- ' --partition=fast --comment=a b /' "$DIR/bin/sbatch.asked")"
	expect_equal 1 "$(grep -c -- ' --io-cores=1 --io-profile=stream ' "$DIR/bin/sbatch.asked")"
	expect_equal 'cached stream' "$(its '[.settings[].profile] | sort | join(" ")')"
}

@test "with too little space for the files nothing is submitted, and --dry-run reports it as well" {
	local dry
	for dry in '' --dry-run; do
		run one --space=900000T $dry
		expect_equal 1 "$status"
		[[ $output =~ "'$DIR/fs': "[0-9]+' MiB are free, and 943718400000 MiB are needed; see --space'$ ]]
		run one --dir="$DIR/nosuch" $dry
		expect_equal "1 jobio: calibrate: '$DIR/nosuch': cannot be used: No such file or directory" "$status $output"
		run one --output="$DIR/jobio.conf" $dry
		expect_equal "1 jobio: calibrate: --output: '$DIR/jobio.conf': cannot write there: Not a directory" "$status $output"
		[[ ! -e $DIR/bin/sbatch.asked && ! -e $DIR/out ]]
		expect_clean
	done
}

@test "io-cores that no node has are left out, or refused if they were requested" {
	local no='2 io-cores, no profile: sbatch: exit status 1: allocation failure: Requested node configuration is not available'
	echo --io-cores=2 >"$DIR/bin/impossible"
	run calibrate --dry-run
	expect_equal "1 jobio: calibrate: $no" "$status $output"
	run calibrate
	expect_equal "1 jobio: calibrate: $no" "$status $output"
	run "$BUILDDIR/jobio" calibrate --conf="$DIR/jobio.conf" --dir="$DIR/fs" --space=256M --profiles=none,stream --processes=1 --repeats=1 --dry-run
	expect_equal 0 "$status"
	expect_text "jobio: calibrate: $no; left out" "$output"
	expect_text 'jobio: calibrate: no io-cores, profile stream: [profile stream] io_cores = 2 gives it some; left out' "$output"
	expect_text '7 jobs of 16 runs (7 settings, repeats: 1)' "$output"
	[[ ! -e $DIR/bin/sbatch.asked ]]
	expect_clean
}

@test "a job that Slurm refuses ends it, and no file or job is left" {
	printf 'sbatch: error: invalid partition specified: nosuch\nsbatch: error: Batch job submission failed: Invalid partition name specified\n' >"$DIR/bin/sbatch-fails"
	run calibrate
	expect_equal 1 "$status"
	expect_text 'jobio: calibrate: no io-cores, no profile: sbatch: exit status 1: sbatch: error: invalid partition specified: nosuch' "$output"
	expect_clean
	PATH=$BUILDDIR/tests/bin
	run one
	expect_equal 1 "$status"
	expect_text 'jobio: calibrate: there is no sbatch in PATH' "$output"
	expect_clean
}

@test "a job is cancelled also if its ID could not be read" {
	echo 'Submitted batch job' >"$DIR/bin/sbatch-output"
	: >"$DIR/bin/fio-hangs"
	run one
	expect_equal 1 "$status"
	expect_text "jobio: calibrate: sbatch: 'Submitted batch job': not a job id" "$output"
	expect_clean
}

@test "failed jobs are reported with their output, and the rest is cancelled after some failures" {
	echo 103 >"$DIR/bin/last-start" # otherwise all six might fail before it checks
	run calibrate --fio=nosuchfio
	rm "$DIR/bin/last-start"
	expect_equal 1 "$status"
	expect_text 'jobio: calibrate: the first jobs have all failed: the jobs that are left are cancelled' "$output"
	[[ $output =~ 'jobio: calibrate: job 101'.*' ('[^\)]+'): 0 of 24 runs: there is no nosuchfio on ' ]]
	expect_text 'jobio: calibrate: no job has measured anything' "$output"
	[[ ! -e $DIR/out/calibration.json ]]
	expect_clean
	printf 'fio: io_u error on file data.0: No space left on device\n' >"$DIR/bin/fio-fails"
	run one
	expect_equal 1 "$status"
	expect_text '(1 io-core, no profile): 0 of 16 runs: fio: io_u error on file data.0: No space left on device' "$output"
	expect_clean
}

@test "a job that cannot start is reported and cancelled" {
	echo BadConstraints >"$DIR/bin/held"
	run one
	expect_equal 1 "$status"
	expect_text 'jobio: calibrate: job 101 (1 io-core, no profile): Slurm does not start it: BadConstraints' "$output"
	expect_clean
	# a job that only waits in the queue has until --max-time
	echo Resources >"$DIR/bin/held"
	run one --max-time=0:02
	expect_equal 1 "$status"
	expect_text 'jobio: calibrate: --max-time is over: the jobs that are left are cancelled' "$output"
	expect_text 'jobio: calibrate: job 102 (1 io-core, no profile): --max-time is over; job 102 waits: Resources' "$output"
	expect_clean
}

job_runs() { grep -qs '|RUNNING|' "$DIR"/bin/slurm/*.job; }

@test "Ctrl-C ends its jobs, removes its files and prints that" {
	local pid
	: >"$DIR/bin/fio-hangs"
	calibrate >"$DIR/said" 2>&1 3>&- &
	pid=$!
	within 20 job_runs
	kill -INT "$(pgrep -P "$pid" -x jobio || echo "$pid")"
	status=0
	wait "$pid" || status=$?
	expect_equal 130 "$status"
	expect_text 'jobio: calibrate: stopped; cancelling its jobs, removing its files' "$(<"$DIR/said")"
	expect_equal "--name=$(grep -om1 'jobio-calibrate-[^ ]*' "$DIR/bin/sbatch.asked")" "$(<"$DIR/bin/scancel.asked")"
	expect_clean
	[[ ! -e $DIR/out/calibration.json ]]
}

@test "a record that differs from fio is reported, and the results are kept" {
	echo '.app[0].read_bytes *= 2' >"$DIR/bin/record"
	run one
	expect_equal 1 "$status"
	[[ $output =~ 'job 101 on c1 (1 io-core, no profile): bytes read: '[0-9]+' by fio, '[0-9]+' in jobio'.'s record (bpf), and no flag of the record explains it' ]]
	expect_equal 'false true' "$(its '.jobs[0] | "\(.agrees) \(.counts)"')"
	expect_clean
}

@test "a difference that a flag of the record explains is accepted" {
	echo '.app[0] |= (.source = "stepd" | .fs = null | .read_bytes = (.read_bytes * 0.9 | floor)) | .quality = ["all_files", "aio_missing"]' >"$DIR/bin/record"
	run one
	expect_equal 0 "$status"
	expect_equal 'true stepd ["all_files","aio_missing"]' "$(its '.jobs[0] | "\(.agrees) \(.record.source) \(.record.quality)"')"
}

@test "a job without a record is reported" {
	: >"$DIR/bin/no-records"
	sed -i 's/^send_timeout_ms.*/send_timeout_ms = 1000/' "$DIR/jobio.conf"
	run one
	expect_equal 1 "$status"
	# its node is known only if squeue has shown it running
	expect_text "(1 io-core, no profile): jobio has no record of it: job: '101': ledger: job '101': no record that you may read" "$output"
	expect_equal 'false true null' "$(its '.jobs[0] | "\(.agrees) \(.counts) \(.record)"')"
}

@test "a job that did not get its profile or its cores is not used" {
	echo '.request.applied = false' >"$DIR/bin/record"
	run one --profiles=none,stream
	expect_equal 1 "$status"
	expect_text '(1 io-core, profile stream): its profile was not applied; see jobio report -v 10' "$output"
	expect_equal 'null:true stream:false' "$(its '[.jobs[] | "\(.profile):\(.counts)"] | sort | join(" ")')"
	echo '.request.cores_met = false' >"$DIR/bin/record"
	run one
	expect_equal 1 "$status"
	expect_text 'the client did not work on its io-cores' "$output"
	expect_text 'no job has measured anything' "$output"
}

@test "two calibrations at the same time have jobs and files of their own" {
	local first
	one --output="$DIR/first" >"$DIR/said" 2>&1 3>&- &
	first=$!
	run one
	[[ $status == 0 ]] || { echo "$output"; cat "$DIR/bin/live.err"; return 1; }
	wait "$first" || { cat "$DIR/said"; return 1; }
	expect_equal 2 "$(grep -o -- '--job-name=[^ ]*' "$DIR/bin/sbatch.asked" | sort -u | wc -l)"
	expect_equal 'true true' "$(jq -r '.jobs[0].agrees' "$DIR/out/calibration.json" "$DIR/first/calibration.json" | xargs)"
	expect_clean
	# folders of another calibration are kept, and reported
	mkdir "$DIR/fs/jobio-calibrate.abc123"
	run one
	[[ $status == 0 ]] || { echo "$output"; cat "$DIR/bin/live.err"; return 1; }
	expect_text "jobio: calibrate: '$DIR/fs': others run there, or were killed (jobio-calibrate.*: 1): if they run, all measure less" "$output"
	expect_equal jobio-calibrate.abc123 "$(ls -A "$DIR/fs")"
}

@test "--dry-run prints the plan and submits nothing" {
	run calibrate --dry-run
	expect_equal 0 "$status"
	expect_text '6 jobs of 24 runs (3 settings, repeats: 2)' "$output"
	[[ ! -e $DIR/out && ! -e $DIR/bin/sbatch.asked ]]
	expect_clean
}

@test "a usage error is one line" {
	local wrong
	while IFS='|' read -r option wrong; do
		run one ${option:+"$option"}
		expect_equal 2 "$status"
		expect_equal "jobio: calibrate: $wrong" "$output"
	done <<-'TABLE'
		--repeats=0|--repeats: '0': not a number from 1 to 100
		--seconds=1s|--seconds: '1s': not a number from 1 to 3600
		--space=8g|--space: '8g': expected a size like 800M, 8G or 16T
		--space=0G|--space: '0G': expected a size like 800M, 8G or 16T
		--max-bytes=1G|--max-bytes: 16 runs of at least 64 MiB need 1088 MiB; fewer --io-cores, --profiles, --processes or --repeats need less
		--max-time=1:2:3:4|--max-time: '1:2:3:4': expected minutes, minutes:seconds or hours:minutes:seconds
		--max-time=0|--max-time: '0': expected minutes, minutes:seconds or hours:minutes:seconds
		--max-time=1:60|--max-time: '1:60': expected minutes, minutes:seconds or hours:minutes:seconds
		--io-cores=9|--io-cores: '9': this site allows 0, and 1 to 4
		--profiles=fast|--profiles: 'fast': no such [profile]
		--fio=|--fio: '': must not be empty
		--nosuch|'--nosuch': no such option; see jobio calibrate --help
		word|'word': one word too many; options of sbatch are after --
	TABLE
	run "$BUILDDIR/jobio" calibrate
	expect_equal 2 "$status"
	expect_equal 'jobio: calibrate: --dir: which folder?' "$output"
}
