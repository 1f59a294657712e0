#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# hostile.bats - attempts of a user to harm nodes, records or other jobs
#
# After each of these the node is not drained, every job that ran has its record, the client has
# its own settings, and no task has run on the client's CPU, which is CPU 1.
#
# Other attempts are tested elsewhere:
#   jobs that share a node, in all ways                       alone.bats
#   refusals, bindings, bytes that slurmstepd forwards        gate.bats
#   all values of a request                                   node.bats
#   memory of the ledger, frames, limits by user              tests/scripts/peers.bats
#   replies replayed, and replies of another user             tests/scripts/ledger.bats
#   node lists, texts and numbers of records                  tests/unit/test_record.c, tests/fuzz
#   running jobs by title and cgroup                          tests/scripts/prolog_left.bats, prolog_faults.bats
#   reading others' jobs, with PrivateData                    ledger.bats, tests/scripts/prolog.bats, report.bats
#   markup and terminals                                      tests/scripts/page.bats, report.bats
#   full spools, the clock                                    tests/scripts/prolog_left.bats
#   a bpffs that a user has opened first, a job_4242 that counts  tests/vm/count.bats
#   steps below a SLUID's folder, task epilogs that stay      tests/vm/gate_v2.bats
# shellcheck disable=SC2154,SC2030,SC2031 # submit sets $job, for one test
# shellcheck disable=SC2016 # quoted code runs elsewhere

load lib

setup_file() { expect_healthy; }
teardown_file() { slurm_conf ''; }

setup() { ran=(); }

teardown() {
	on login scancel -u alice
	# a failed test does not make the next one fail
	[[ -n ${BATS_TEST_COMPLETED:-} ]] || on login scontrol update nodename=c[1-3] state=resume || :
	on c1 pkill -u bob || : # he may run nothing
	within 60 queue_is_empty
	site_restore
	expect_healthy
	unharmed
}

# unharmed - the conditions above, for the jobs in $ran
unharmed() {
	local id
	expect_equal writecache "$(mount_mode c1)"
	for id in "${ran[@]}"; do
		expect_record "$id" c1 .job "$id"
	done
	within 20 no_traces c1
}

# newest - the ID of the last job that alice submitted
newest() { on login squeue -h -t all -u alice -o %i | sort -n | tail -n 1; }

# mischief COMMAND... - run it as alice; sets output and status
mischief() { run as alice "$@"; }

# ---- requests ----------------------------------------------------------------

# is_none COMMAND... - the job runs like a job without a request
is_none() {
	mischief "$@" -Q -n1 -w c1 sh -c 'echo "started $SLURM_IO_CORES"'
	expect_equal 'started ' "$output"
	ran+=("$(newest)")
}

@test "a request that is forged in the environment is ignored" {
	is_none srun --export=ALL,SPANK_JOBIO_VERSION=1,SPANK_JOBIO_IO_CORES=99
	is_none env SLURM_SPANK__SLURM_SPANK_OPTION_jobio_io_cores=99 srun
	is_none env SLURM_SPANK_JOBIO_VERSION=1 SLURM_SPANK_JOBIO_IO_CORES=99 srun
}

@test "a job with a wrong request in the environment or the script is not submitted" {
	local before
	before=$(newest)
	mischief env SBATCH_IO_CORES=99 sbatch --wrap true
	expect_equal 1 "$status"
	expect_text "'99': this site allows a number from 1 to 4" "$output"
	mischief sh -c 'printf "#!/bin/bash\n#SBATCH --io-cores=99\n" | sbatch'
	expect_equal 1 "$status"
	expect_text "'99': this site allows a number from 1 to 4" "$output"
	expect_equal "$before" "$(newest)"
}

@test "a request by a jobio.conf of the user's own is checked by the node's jobio.conf and not applied" {
	as alice sh -c 'printf "[option]\nio_cores_max = 64\n[profile mine]\nio_cores = 1\n" >own.conf
		echo "optional jobio.so conf=$PWD/own.conf" >own.plugstack
		sed "s:^PlugStackConfig=.*:PlugStackConfig=$PWD/own.plugstack:" /etc/slurm/slurm.conf >own.slurm.conf'
	mischief env SLURM_CONF=/home/alice/own.slurm.conf srun -Q -n1 -w c1 --io-profile=mine echo started
	expect_text "jobio: node c1: profile 'mine' was not applied: jobio.conf of this node has no such profile" "$output"
	expect_equal 1 "$(grep -cx started <<<"$output")"
	ran+=("$(newest)")
	expect_record "${ran[0]}" c1 .request.applied false
}

# ---- variables and names that root's programs must not use ---------------------

@test "LD_PRELOAD and BASH_ENV take effect in the job, and in no program of root's" {
	on c1 sh -c 'rm -f /tmp/evil.*'
	as alice sh -c 'printf "%s\n" "#include <stdio.h>" "#include <unistd.h>" \
		"__attribute__((constructor)) static void f(void) { char p[40];
		snprintf(p, 40, \"/tmp/evil.so.%d\", (int)geteuid()); FILE *f = fopen(p, \"w\"); if (f) fclose(f); }" |
		gcc -shared -fPIC -o evil.so -x c -
		echo ": >/tmp/evil.sh.\$EUID" >evil.sh'
	forger_make
	mischief env SLURM_CONF=/tmp/forge.slurm.conf FORGE_LD_PRELOAD=/home/alice/evil.so FORGE_BASH_ENV=/home/alice/evil.sh \
		FORGE_JOBIO_VERSION=1 FORGE_JOBIO_IO_CORES=1 srun -Q -n1 -w c1 --core-spec=1 \
		--export=ALL,LD_PRELOAD=/home/alice/evil.so,BASH_ENV=/home/alice/evil.sh bash -c true
	expect_equal 0 "$status"
	ran+=("$(newest)")
	expect_record "${ran[0]}" c1 .job "${ran[0]}" # the epilog has run
	expect_equal '/tmp/evil.sh.1000 /tmp/evil.so.1000' "$(on c1 sh -c 'echo /tmp/evil.*')"
}

@test "newlines and escape sequences in names are not printed" {
	local report
	job=$(as alice sh -c 'dir=$(printf "w\n\033[31m|x"); mkdir -p "$dir"; cd "$dir" &&
		sbatch --parsable -w c1 -n1 --io-cores=1 --io-profile=stream -o /dev/null \
			-J "$(printf "n\nREFUSED=1 \033[2J|a")" --comment="$(printf "c\njobio/1 prof=x \033]0;t\007")" --wrap true')
	ran+=("$job")
	wait_for_job "$job"
	expect_summary "$job" '^jobio/1 .* nodes=1/1 '
	[[ $(summary "$job") =~ ^jobio/1(\ [a-z]+=[A-Za-z0-9+/=._:\;,@%-]+)+$ ]]
	report=$(as alice jobio report "$job")
	[[ $report != *$'\e'* && $report != *$'\a'* ]]
	expect_text "Job $job  " "$report"
}

@test "C1 control characters and bidirectional marks are not printed to a terminal" {
	local shown
	job=$(as alice sh -c 'sbatch --parsable -w c1 -n1 --io-cores=1 -o /dev/null \
		-J "$(printf "n\302\2332J\342\200\256gnp.exe\342\201\246x")" --wrap true')
	ran+=("$job")
	wait_for_job "$job"
	expect_summary "$job" '^jobio/1 .* nodes=1/1 '
	shown=$(as alice jobio report -v "$job"; as alice jobio report -v "$job" --html 2>/dev/null || :)
	[[ $shown != *$'\302\233'* && $shown != *$'\342\200\256'* && $shown != *$'\342\201\246'* ]]
	expect_text "Job $job  " "$shown"
}

@test "a job with an environment of 1 MiB gets its profile and its record" {
	job=$(as alice python3 -c 'import os
for i in range(8): os.environ["BIG%d" % i] = "x" * 130000
os.execvp("sbatch", ["sbatch", "--parsable", "-w", "c1", "-n1", "--io-cores=1", "--io-profile=stream",
	"-o", "/home/alice/%j.out", "--wrap", "env | wc -c"])')
	ran+=("$job")
	wait_for_job "$job"
	(($(job_output "$job") > 1000000))
	expect_record "$job" c1 '.changes[0] | "\(.made) \(.restored)"' 'true true'
}

@test "users' processes with the title of WEKA's agent or of a slurmstepd have no effect" {
	docker exec -d -u bob "$JOBIO_CLUSTER-c1" bash -c 'exec -a "slurmstepd: [4242.extern]" sleep 120'
	docker exec -d -u bob "$JOBIO_CLUSTER-c1" python3 -c 'import time; time.sleep(120)' /usr/bin/weka --agent
	within 10 on c1 pgrep -u bob -f '^slurmstepd: .4242'
	on c1 rm -f /run/jobio/client.json # the client is examined again
	submit 'grep " /mnt/weka " /run/weka-sim/mounts | grep -ow forcedirect' -n1 -w c1 --io-cores=1 --io-profile=stream
	ran+=("$job")
	wait_for_job "$job"
	expect_equal forcedirect "$(job_output "$job")"
	expect_record "$job" c1 '.findings | map(.code) | contains(["W10"]) or contains(["W46"])' false
}

# ---- cores -------------------------------------------------------------------

@test "neither overcommitted nor rebound tasks run on the client's CPU" {
	submit 'srun -O -n8 --overlap sh -c "taskset -pc 1 \$\$; taskset -pc 0-1 \$\$; grep Cpus_allowed_list /proc/self/status" 2>&1' \
		-n1 -O -s -w c1 --io-cores=1
	ran+=("$job")
	wait_for_job "$job"
	expect_equal 8 "$(job_output "$job" | grep -cx $'Cpus_allowed_list:\t0')"
	expect_equal 8 "$(job_output "$job" | grep -c Cpus_allowed_list)"
}

@test "a job that ignores its preemption is ended; its record and the client's settings are kept" {
	slurm_conf PreemptType=preempt/partition_prio PreemptMode=REQUEUE \
		'PartitionName=low Nodes=c[1-3] PriorityTier=1 PreemptMode=REQUEUE' \
		'PartitionName=high Nodes=c[1-3] PriorityTier=10 PreemptMode=OFF'
	submit 'trap "" TERM CONT TSTP HUP INT QUIT USR1 USR2
		for i in 1 2 3; do setsid sh -c "trap \"\" TERM HUP INT; while :; do sleep 1; done" & done
		touch begun; while :; do sleep 1; done' -n1 -w c1 -p low --requeue --io-cores=1 --io-profile=stream
	local first=$job
	ran+=("$first")
	within 30 on login test -e /home/alice/begun
	# if a job is in its first second, Slurm may fail to kill its extern step, which drains
	# the node after a minute (seen on 24.11)
	sleep 3
	submit 'grep " /mnt/weka " /run/weka-sim/mounts | grep -oE "readcache|forcedirect"; pgrep -u alice -f trap | wc -l' \
		-n1 -w c1 -p high --io-cores=1 --io-profile=cached
	ran+=("$job")
	wait_for_job "$job"
	expect_equal $'readcache\n0' "$(job_output "$job")"
	on login scancel "$first"
	as alice rm begun
	expect_record "$first" c1 '.changes[0] | "\(.new) \(.made) \(.restored)"' 'forcedirect true true'
	within 60 queue_is_empty
}

@test "a job can read no files of jobio on its node" {
	submit 'exec 2>&1; ls /run/jobio; cat /run/jobio/gate /run/jobio/$SLURM_JOB_ID/gate /run/jobio/$SLURM_JOB_ID/start.json
		ls /var/spool/jobio; echo x >/run/jobio/x; mkdir /run/jobio/4242; stat -c %a:%U /run/jobio /var/spool/jobio' -n1 -w c1
	ran+=("$job")
	wait_for_job "$job"
	expect_equal 7 "$(job_output "$job" | grep -c 'Permission denied')"
	expect_equal $'700:root\n700:root' "$(job_output "$job" | grep -v 'Permission denied')"
}

@test "a cgroup with the name of a job's outside of Slurm's hierarchy is not taken for a job" {
	# made by root for bob, as for a container, outside of slurmd's cgroups
	on c1 sh -c 'for top in /sys/fs/cgroup/freezer /sys/fs/cgroup; do
		mkdir -p $top/evil/job_4242 2>/dev/null && { echo $top/evil >/tmp/evil.cgroup; exit 0; }; done; exit 1'
	docker exec -d -u bob "$JOBIO_CLUSTER-c1" sleep 120
	within 10 on c1 sh -c 'pgrep -u bob sleep >"$(cat /tmp/evil.cgroup)/job_4242/cgroup.procs"'
	submit 'grep " /mnt/weka " /run/weka-sim/mounts | grep -ow forcedirect' -n1 -w c1 --io-cores=1 --io-profile=stream
	ran+=("$job")
	wait_for_job "$job"
	expect_equal forcedirect "$(job_output "$job")"
	on c1 pkill -u bob sleep
	within 10 on c1 sh -c 'rmdir "$(cat /tmp/evil.cgroup)/job_4242" "$(cat /tmp/evil.cgroup)"'
	expect_equal '' "$(record 4242 c1)"
}

# ---- records -----------------------------------------------------------------

@test "jobs that are cancelled at any moment have a record, and leave no files" {
	local id
	for id in {1..6}; do
		submit 'sleep 60' -n1 -w c1 --io-cores=1 --io-profile=stream
		within 20 is_configured "$job"
		sleep "0.$((id * 2 % 7))"
		on login scancel "$job"
		ran+=("$job")
	done
	within 60 queue_is_empty
	for id in "${ran[@]}"; do
		expect_record "$id" c1 '[.changes[] | select(.restored | not)] | length' 0
	done
}

is_configured() { [[ $(on login squeue -h -t all -j "$1" -o %T) != PENDING ]]; }

@test "a user cannot put a record into the ledger" {
	submit true -n1 -w c1
	ran+=("$job")
	wait_for_job "$job"
	expect_record "$job" c1 .job "$job"
	record "$job" c1 | jq -c '.job = 424242 | .user = "bob"' |
		enter_as alice "$JOBIO_CLUSTER-login" sh -c 'umask 077; mkdir -p ~alice/spool
			cat >~alice/spool/424242.0.c1.json
			sed "s:^\[jobio\]:&\nspool_dir = /home/alice/spool\nrun_dir = /home/alice/run:" /etc/slurm/jobio.conf >~alice/send.conf'
	mischief /usr/libexec/jobio/jobio-send --once --conf=/home/alice/send.conf
	expect_text 'only root may put records' "$output"
	expect_equal '' "$(record 424242 c1)"
}

# The requests are valid and have a MUNGE credential; their replies are long.
readers='import json, socket, struct, subprocess, sys, time
text = "jobio/1 " + "0" * 32 + "\n" + json.dumps({"op": "list", "jobs": [int(sys.argv[1])] * 1000})
sealed = subprocess.run(["munge", "-u", sys.argv[2]], input=text.encode(), stdout=subprocess.PIPE, check=True).stdout.strip()
held = []
for i in range(900):
    s = socket.create_connection(("dbd", 8632))
    s.settimeout(0.1)
    held.append(s)
    try:
        s.sendall(4 * (struct.pack(">I", len(sealed)) + sealed))
    except OSError:
        pass
open("held", "w").close()
time.sleep(90)'

@test "900 clients that do not read their replies delay no record by ten seconds, and do not fill the ledger's memory" {
	submit true -n1 -w c1 --io-cores=1
	wait_for_job "$job"
	expect_record "$job" c1 .job "$job"
	docker exec -d -u alice -w /home/alice "$JOBIO_CLUSTER-login" \
		python3 -c "$readers" "$job" "$(on dbd id -u slurm)"
	within 120 on login test -e /home/alice/held
	for _ in {1..3}; do
		submit true -n1 -w c1 --io-cores=1
		ran+=("$job")
		wait_for_job "$job"
		within 10 record_says "$job" c1 .job "$job"
	done
	(($(on dbd sh -c 'awk "/^VmHWM/ { print \$2 }" /proc/$(svc pid jobio-ledgerd)/status') < 512 * 1024))
	on login pkill -u alice python3
	as alice rm held
}

@test "a user's connections and requests do not delay records" {
	submit true -n1 -w c1
	wait_for_job "$job"
	docker exec -d -u alice "$JOBIO_CLUSTER-login" python3 -c 'import socket, time
held = []
for i in range(300):
    s = socket.create_connection(("dbd", 8632))
    s.sendall(b"\x00\x00\x00\x10half")
    held.append(s)
time.sleep(20)'
	docker exec -d -u alice "$JOBIO_CLUSTER-login" sh -c \
		"for i in \$(seq 40); do (for j in \$(seq 5); do jobio report $job; done >/dev/null 2>&1) & done; wait"
	for _ in {1..3}; do
		submit true -n1 -w c1 --io-cores=1
		ran+=("$job")
	done
	wait_for_job "$job"
	expect_summary "$job" '^jobio/1 .* nodes=1/1 '
}
