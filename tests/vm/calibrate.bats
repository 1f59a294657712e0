#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calibrate.bats - jobio calibrate with really reserved cores, a client that works on them, and
# counting in the kernel: fio's figures and jobio's records agree
#
# The machine is emulated: its figures have no meaning.

# shellcheck disable=SC2016,SC2030,SC2031 # jq's variables; each test is a process

load lib
load client

setup_file() { export work=$BATS_FILE_TMPDIR; }
teardown_file() { node_end; }

# its JQ - a value of calibration.json on the node
its() { on_node 'cat /tmp/calibration/calibration.json' | jq -rc "$1"; }
is_over() { [[ -n $(on_node 'cat /tmp/calibration.status 2>/dev/null') ]]; }

# calibrate OPTION... - run it as alice, on the node itself; on_node accepts one line
calibrate() {
	local command="jobio calibrate --dir=/mnt/weka --profiles=none --processes=1 --repeats=1 --seconds=1"
	command+=" --space=64M --max-bytes=4400M $*"
	on_node "rm -rf /tmp/calibration*; setsid su alice -c 'cd /tmp; $command >calibration.said 2>&1; echo \$? >calibration.status' >/dev/null 2>&1 </dev/null &"
	within 1200 is_over
}

@test "with one and two cores the client is on the reserved ones, and jobio's counters agree with fio, also for libaio" {
	node_is v2 block
	allow core_change=any core_method=mount
	on_node 'sed -i "s/^grace_s.*/grace_s = 60/; s/^kernel = no/kernel = yes/" /etc/slurm/jobio.conf'
	client_new 6
	on_node '/payload/preload /usr/libexec/jobio/jobio-count /etc/slurm/jobio.conf'
	calibrate --io-cores=1,2
	expect_equal 0 "$(on_node 'cat /tmp/calibration.status')" "$(on_node 'cat /tmp/calibration.said')"
	expect_equal '[[1,"bpf",true,true,[]],[2,"bpf",true,true,[]]]' \
		"$(its '[.jobs[] | [.io_cores, .record.source, .agrees, .counts, .record.quality]] | sort')" 'jobs'
	# the job also reads its plan and writes fio's output on the same filesystem
	expect_equal true "$(its '[.jobs[] | .record.read_bytes - .fio.read_bytes, .record.write_bytes - .fio.write_bytes] |
		length == 4 and all(. >= 0 and . < 300000)')" 'bytes'
	expect_equal true "$(its '.per_core | length == 4 and all(.per_core > 0)')" 'lines'
	expect_equal '[1,2]' "$(its '[.settings[].io_cores] | sort')" 'numbers of cores'
	expect_equal '' "$(on_node 'ls -A /mnt/weka')" 'what is left'
}
