#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calibrate.bats - jobio calibrate with a real fio on the stand-in's filesystem
# shellcheck disable=SC2016,SC2030,SC2031 # jq's variables; each test is a subshell

load lib

setup_file() { expect_healthy; }
teardown() {
	site_restore
	on c3 rm -rf /home/alice/calibration
	on login scancel -u alice
	within 60 queue_is_empty
	expect_healthy
}

# calibrate [OPTION...] - run jobio calibrate, small, as alice on c3, which has the filesystem
# of the nodes and is used as a login node. Sets status and output
calibrate() {
	run enter_as alice "$JOBIO_CLUSTER-c3" timeout -s INT "${stop_after:-500}" \
		jobio calibrate --dir=/mnt/weka --io-cores=1 --processes=4 --repeats=1 --seconds=1 \
		--space=256M --max-bytes=2200M "$@" </dev/null
}

# its JQ - a value of calibration.json
its() { on c3 jq -r "$1" /home/alice/calibration/calibration.json; }

expect_no_files() { expect_equal '' "$(on c3 find /mnt/weka -maxdepth 1 -name 'jobio-calibrate.*')"; }

@test "fio runs on reserved cores with each profile, and jobio's records agree with fio" {
	calibrate --profiles=none,stream -- --exclude=c3
	expect_equal '0' "$status" || { echo "$output"; return 1; }
	expect_text '2 jobs of 16 runs (2 settings, repeats: 1)' "$output"
	expect_equal 'wekafs /mnt/weka jobio' "$(its '"\(.fstype) \(.mount) \(.cluster)"')"
	expect_equal 'null 1 true true 16, stream 1 true true 16' \
		"$(its '[.jobs | sort_by(.profile)[] | "\(.profile) \(.io_cores) \(.agrees) \(.counts) \(.runs | length)"] | join(", ")')"
	# slurmstepd does not count libaio's I/O: it has fewer bytes than fio, at most 10 % more
	expect_equal 'true true' "$(its '[.jobs[] | .fio.write_bytes as $fio | .record |
		.source == "stepd" and (.quality | contains(["aio_missing"])) and .write_bytes > 0 and .write_bytes < $fio * 1.1] | join(" ")')"
	expect_equal true "$(its '.advice | .core_read_mbs > 0 and .core_write_iops > 0 and .sync_call_us > 0')"
	expect_no_files
	# the site's reports use the measured values
	on c3 cp /home/alice/calibration/advice.conf /home/alice/advice.conf
	docker exec -i "$JOBIO_CLUSTER-login" sh -c 'printf "[advice]\ncalibration = /home/alice/advice.conf\n" >>/etc/slurm/jobio.conf'
	run as alice jobio report "$(its '.jobs[0].job')"
	expect_equal 0 "$status"
	[[ $output != *'are not used'* ]]
}

@test "for a job that the gate refuses the gate's message is printed" {
	reserving no
	calibrate --profiles=none -- -w c1
	reserving yes
	expect_equal 1 "$status"
	expect_text '(1 io-core, no profile): 0 of 16 runs: ' "$output"
	expect_text 'jobio: gate: not started: the job may run on CPU ' "$output"
	expect_text 'jobio: calibrate: no job has measured anything' "$output"
	expect_no_files
}

@test "a calibration that is interrupted leaves no job and no file" {
	stop_after=8
	calibrate --profiles=none,stream,cached --seconds=30 --max-bytes=4T -- --exclude=c3
	expect_text 'jobio: calibrate: stopped; cancelling its jobs, removing its files' "$output"
	# exit status of timeout(1) for an interrupted command
	expect_equal 124 "$status"
	expect_equal '' "$(on login squeue -h)"
	expect_no_files
}

@test "jobs that are held are reported and cancelled" {
	calibrate --profiles=none -- --hold
	expect_equal 1 "$status"
	expect_text '(1 io-core, no profile): Slurm does not start it: JobHeldUser' "$output"
	expect_equal '' "$(on login squeue -h)"
	expect_no_files
}

@test "two calibrations at once have jobs and files of their own" {
	enter_as alice "$JOBIO_CLUSTER-c3" timeout 500 jobio calibrate --dir=/mnt/weka --io-cores=1 \
		--profiles=none --processes=4 --repeats=1 --seconds=1 --space=256M --max-bytes=1100M --output=other \
		-- -w c2 </dev/null >"$BATS_TEST_TMPDIR/other" 2>&1 3>&- &
	other=$!
	calibrate --profiles=none --max-bytes=1100M -- -w c1
	expect_equal 0 "$status" || { echo "$output"; return 1; }
	wait "$other" || { cat "$BATS_TEST_TMPDIR/other"; return 1; }
	expect_equal true "$(its '.jobs[0].agrees')"
	expect_equal true "$(on c3 jq '.jobs[0].agrees' /home/alice/other/calibration.json)"
	on c3 rm -rf /home/alice/other
	expect_no_files
}
