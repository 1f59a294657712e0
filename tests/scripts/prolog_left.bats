#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# prolog_left.bats - jobs without a complete epilog: changes are undone, each has one record.
#
# every test is a process of its own, which shellcheck calls a loss
# shellcheck disable=SC2030,SC2031,SC2034 # NODE_ENV is node.bash's

load node

setup() {
	node_make
}

teardown() {
	node_remove
}

FORCEDIRECT='"what":"mount-option","target":"/mnt/weka","old":"writecache","new":"forcedirect"'

@test "an epilog that runs twice writes one record" {
	starts 7 1 stream
	step 7 batch 1000 2000
	epilog
	before=$(record 7)
	expect_run 0 epilog
	[ "$(record 7)" = "$before" ]
	rm "$NODE"/spool/*.json
	epilog
	[ ! -e "$NODE/spool/7.0.c1.json" ]
}

@test "an epilog that runs twice writes one record of a job that was requeued meanwhile" {
	starts 7 1 stream
	JOB_ENV+=(SLURM_JOB_RESTART_COUNT=1) # slurmctld raises it before the epilog
	epilog
	epilog
	[ "$(find "$NODE/spool" -name '7.*.json')" = "$NODE/spool/7.0.c1.json" ]
}

@test "a user with half of spool_max_records does not prevent records of others" {
	local id uid
	NODE_JOBIO='spool_max_records = 4' node_conf
	# two records of one user, two of another
	for id in 1 2 3 4 5; do
		uid=1000
		((id < 4)) || uid=1001
		job $id
		JOB_ENV+=("SLURM_JOB_UID=$uid" "SLURM_UID=$uid")
		prolog
		expect_run 0 epilog
		if ((id == 3)); then
			expect_in "record: '$NODE/spool/3.0.c1.json': this user's jobs have half of spool_max_records: this record is lost, older ones are kept" "$output"
			[ "$(grep -c 'is lost' <<<"$output")" -eq 1 ]
		else
			[[ $output != *lost* ]] || fail "$output"
		fi
	done
	[ "$(cd "$NODE/spool" && echo *.json)" = '1.0.c1.json 2.0.c1.json 4.0.c1.json 5.0.c1.json' ]
}

@test "a spool with spool_max_records refuses the newest record with a message, and keeps the others" {
	NODE_JOBIO='spool_max_records = 3' node_conf
	for id in 1 2 3; do
		job $id
		((id < 3)) || JOB_ENV+=(SLURM_JOB_UID=1001 SLURM_UID=1001)
		prolog
		expect_run 0 epilog
		[[ $output != *lost* ]]
	done
	starts 4
	expect_run 0 epilog "record: '$NODE/spool/4.0.c1.json': the spool has spool_max_records: this record is lost, older ones are kept: look why jobio-send does not reach the ledger"
	[ "$(grep -c 'is lost' <<<"$output")" -eq 1 ]
	[ "$(cd "$NODE/spool" && echo *.json)" = '1.0.c1.json 2.0.c1.json 3.0.c1.json' ]
	[ ! -e "$NODE/run/4" ] && [ ! -e "$NODE/spool/open/4.c1.json" ]
	# a record that is there may be written again, and free space is used
	starts 3
	run epilog
	[[ $output != *lost* ]]
	rm "$NODE/spool/1.0.c1.json"
	job 5
	JOB_ENV+=(SLURM_JOB_UID=1001 SLURM_UID=1001)
	prolog
	epilog
	[ -e "$NODE/spool/5.0.c1.json" ]
}

@test "a job without a prolog has a record, too" {
	job 7
	epilog
	expect_in '"quality":["no_step","start_unknown"]' "$(record 7 x)"
}

@test "a prolog that runs twice has the effect of one" {
	starts 7 1 stream
	prolog
	expect_options forcedirect
	epilog
	expect_base
	expect_in "$FORCEDIRECT,\"restored\":true" "$(record 7)"
}

@test "changes of a job without an epilog are undone by the next job, which also writes its record" {
	starts 7 1 stream
	step 7 batch 1000 2000
	job 8 1
	expect_run 0 prolog 'finished jobs without an epilog'
	expect_base
	expect_in "$FORCEDIRECT,\"restored\":true" "$(record 7)"
	expect_in '"read_bytes":1000' "$(record 7)"
	[ ! -e "$NODE/run/7" ]
	[ ! -e "$NODE/spool/open/7.c1.json" ]
}

# cgroup FOLDER [FILE TEXT] - make a cgroup of slurmd, with a file
cgroup() {
	mkdir -p "$NODE/sysfs/fs/cgroup/$1"
	[[ $# -eq 1 ]] || printf '%s' "$3" >"$NODE/sysfs/fs/cgroup/$1/$2"
}

# killed_in FOLDER FILE SOME NONE - the slurmstepds of job 7 were killed; FILE in FOLDER shows with
# SOME that the job has processes, with NONE that they have ended
killed_in() {
	job 7 1 stream
	JOB_ENV+=(SLURM_JOB_SLUID=sEKNKTV3WPV500)
	prolog
	node_stepd_was 7
	cgroup "$1" "$2" "$3"
	job 8 1 metadata
	run prolog
	[[ $status -eq 0 && $output != *'without an epilog'* ]] || fail "$1: $output" || return
	expect_options forcedirect || return
	[[ -d $NODE/run/7 ]] || return
	grep -q "^note=profile 'metadata' was not applied: .*: the job shares this node" "$NODE/run/8/gate" || return
	epilog
	cgroup "$1" "$2" "$4"
	job 9 1
	run prolog
	expect_in 'finished jobs without an epilog' "$output" || return
	expect_base || return
	expect_in "$FORCEDIRECT,\"restored\":true" "$(record 7)" || return
	epilog
	rm -r "$NODE"/sysfs/fs "$NODE"/spool/*.json
}

@test "a job without slurmstepds runs as long as it has a process, in all kinds of Slurm's cgroups" {
	local scope some=$'populated 1\nfrozen 0\n' none=$'populated 0\nfrozen 0\n'
	for scope in system.slice/slurmstepd.scope system.slice/c1_slurmstepd.scope slurmstepd.scope; do
		cgroup "$scope/system" cgroup.events "$some"
		killed_in "$scope/job_7" cgroup.events "$some" "$none"
	done
	killed_in system.slice/slurmstepd.scope/sEKNKTV3WPV500 cgroup.events "$some" "$none"
	for scope in freezer/slurm cpuset/slurm_c1; do
		cgroup "$scope/uid_1000/job_7/step_extern" cgroup.procs ''
		killed_in "$scope/uid_1000/job_7/step_batch/task_0" cgroup.procs $'4242\n' ''
	done
}

@test "processes in the cgroup of an ended job do not prevent another from having the node alone" {
	local scope=system.slice/slurmstepd.scope some=$'populated 1\n'
	cgroup "$scope/job_5" cgroup.events "$some"
	cgroup "$scope/system" cgroup.events "$some"
	cgroup "user.slice/user-1000.slice/my_slurmstepd.scope/job_6" cgroup.events "$some"
	mkdir -m 700 "$NODE/run"
	mkdir "$NODE"/run/6
	starts 7 1 stream
	expect_options forcedirect
	epilog
	mkdir -p "$NODE/run/5/steps"
	starts 7 1 stream
	expect_base
	grep -q "^note=profile 'stream' was not applied: .*: the job shares this node" "$NODE/run/7/gate"
}

@test "a job folder without the job's data is removed, after its changes are undone" {
	starts 7 1 stream
	node_stepd_was 7
	rm -r "$NODE/spool/open/7.c1.json" "$NODE/run/7/start.json"
	mkdir -p "$NODE/run/6/steps" # made by slurmstepd: no prolog and no epilog have run
	step 6 batch 1 2
	job 8 1
	expect_run 0 prolog
	expect_base
	expect_in 'of job 7: no record: its user is unknown' "$output"
	[ ! -e "$NODE/run/7" ]
	# counters are kept for the job's epilog
	job 6
	epilog
	expect_in '"read_bytes":1,"write_bytes":2,' "$(record 6 x)"
	[ ! -e "$NODE/run/6" ]
}

@test "a job folder without the job's data is removed on a shared node, too, if it is old and without a slurmstepd" {
	one_job 5 # the folder is of its next run
	mkdir -p "$NODE"/run/{4,5,6}/steps
	step 5 batch 1 2
	touch -d '11 minutes ago' "$NODE"/run/{5,6}/steps "$NODE"/run/{5,6}
	node_stepd 6
	job 8
	expect_run 0 prolog 'of job 5: no record: its user is unknown'
	[ "$(cd "$NODE/run" && echo [456])" = '4 6' ]
}

# Columns: request of job 7; its slurmstepd runs (yes), is not started yet (soon), or there was no
# prolog either (none); request of job 8; finding of job 8; mount option meanwhile
@test "settings are not changed nor restored while a job uses them, whatever other jobs request" {
	local seven lives eight code options
	while IFS='|' read -r seven lives eight code options; do
		# shellcheck disable=SC2086 # words of their own
		[[ $lives == none ]] || starts 7 $seven
		[[ $lives == soon ]] || node_stepd 7
		# shellcheck disable=SC2086
		job 8 $eight
		expect_run 0 prolog
		expect_options "$options"
		[[ $options == writecache || -e $NODE/run/7/journal ]]
		epilog
		expect_options "$options"
		[ "$(record 8 | jq -r '.findings[].code | select(. == "W46")')" = "$code" ]
		[[ -z $code ]] || [ "$(record 8 | jq .request.applied)" = false ]
		[[ $lives == soon ]] || node_stepd_ends 7
		if [[ $lives != none ]]; then
			step 7 batch 1000 2000
			job 7
			epilog
			expect_in '"read_bytes":1000' "$(record 7)"
			[[ -z $seven ]] || expect_in "$FORCEDIRECT,\"restored\":true,\"made\":true" "$(record 7)"
		fi
		expect_base
		rm "$NODE"/spool/{*.json,released}
	done <<-'END'
		1 stream|yes|1 metadata|W46|forcedirect
		1 stream|soon|1 metadata|W46|forcedirect
		1 stream|yes|||forcedirect
		1 stream|soon|||forcedirect
		|yes|1 stream|W46|writecache
		|soon|1 stream|W46|writecache
		|none|1 stream|W46|writecache
	END
}

@test "a job without a step ten minutes after its prolog has ended" {
	starts 7 1 stream
	touch -d '11 minutes ago' "$NODE/run/7/gate"
	job 8 1
	expect_run 0 prolog '1 settings restored, 1 records written'
	expect_base
	[ ! -e "$NODE/run/7" ]
}

@test "a job without changes and epilog has its record also on a node that is always shared" {
	for id in 6 7; do
		starts $id
	done
	node_stepd 6
	step 7 batch 1000 2000
	touch -d '11 minutes ago' "$NODE"/run/{6,7}{,/steps}
	job 8
	expect_run 0 prolog '0 settings restored, 1 records written'
	expect_in '"read_bytes":1000' "$(record 7)"
	[ ! -e "$NODE/run/7" ]
	[ -e "$NODE/run/6/start.json" ]
}

@test "a failed restore is tried again by each job, also one with the node alone" {
	starts 7 1 stream
	node_stepd_was 7
	touch "$NODE/weka/mount-fails"
	job 8 1
	expect_run 0 prolog
	expect_options forcedirect
	[ -e "$NODE/run/7/journal" ]
	epilog
	rm "$NODE/weka/mount-fails"
	starts 9 1
	expect_base
	expect_in "$FORCEDIRECT,\"restored\":true" "$(record 7)"
}

@test "a job that shares the node undoes changes of an ended job, and writes its record" {
	starts 7 1 stream
	node_stepd_was 7
	job 8
	run prolog
	expect_in '1 settings restored, 1 records written' "$output"
	expect_base
	[ ! -e "$NODE/run/7" ]
	expect_in "$FORCEDIRECT,\"restored\":true" "$(record 7)"
	job 7 1 stream
	epilog
	expect_in "$FORCEDIRECT,\"restored\":true" "$(record 7)"
}

@test "temporary files of killed processes are removed by the next prolog, those of the spool by --recover" {
	local left=(run/.gone.5 run/lock.tmp.3 spool/a.json.tmp.12 spool/open/7.c1.json.tmp.1 spool/state/weka.mounts.tmp.1)
	one_job 6
	mkdir "$NODE/run/.gone.5"
	touch "$NODE/run/.gone.5/start.json" "${left[@]/#/$NODE/}"
	one_job 7
	[ ! -e "$NODE/run/.gone.5" ] && [ ! -e "$NODE/run/lock.tmp.3" ]
	recover
	[ -z "$(cd "$NODE" && ls -d "${left[@]}" 2>/dev/null)" ]
	[ -e "$NODE/spool/released" ] && [ -e "$NODE/spool/7.0.c1.json" ]
}

@test "runs without a restart count have a record each" {
	local start
	for start in 1795224862 1795224962; do
		job 7
		JOB_ENV+=("SLURM_JOB_START_TIME=$start" SLURM_JOB_RESTART_COUNT=65534) # NO_VAL16
		prolog
		epilog
		epilog
	done
	[[ $(cd "$NODE/spool" && echo 7.*.json) =~ ^7.x.c1.[0-9]+.json\ 7.x.c1.json$ ]] || fail "$(ls "$NODE/spool")"
}

@test "spool/released has the last 1024 runs" {
	mkdir -p "$NODE/spool"
	printf '%s 0 -\n' {1001..2024} >"$NODE/spool/released"
	one_job 7
	[ "$(cut -d' ' -f1 "$NODE/spool/released" | paste -sd' ')" = "$(echo {1002..2024} 7)" ]
}

@test "damaged lines of spool/released are ignored" {
	one_job 7
	printf '%s\n' '7 0' 'x 1' '0 1' '' '4294967296 0' '10 1 y' >"$NODE/spool/released"
	taken
	job 7
	epilog
	[ "$(records 7)" -eq 1 ]
	one_job 12
	[ "$(cut -d' ' -f1,2 "$NODE/spool/released" | paste -sd,)" = '7 0,10 1,12 0' ] || fail "$(<"$NODE/spool/released")"
}

@test "a user's process with the title of a slurmstepd is not taken for one, and its title is not read" {
	[[ $EUID == 0 ]] || skip 'needs root, to become somebody else'
	starts 7 1 stream
	node_stepd 7
	rm "$NODE/sysfs/proc/7/cmdline"
	mkfifo "$NODE/sysfs/proc/7/cmdline" # who opens it waits for ever
	chown 1000 "$NODE/sysfs/proc/7"
	job 8
	run prolog
	[[ $output != *W54* ]] || fail "$output"
	expect_base
	[ ! -e "$NODE/run/7" ]
}

# flags - run the epilog of job 7 and print the flags in its record
flags() {
	epilog 2>/dev/null
	record 7 | jq -r '.quality - ["all_files", "orphans_missing", "mmap_missing", "aio_missing", "copies_twice"] | join(" ")'
	rm "$NODE"/spool/{7.*.json,released}
}

# an action between prolog and epilog | flags
@test "flags of the record show missing steps, and that the plugin was removed" {
	local what wanted had
	while IFS='|' read -r what wanted; do
		starts 7
		eval "$what"
		had=$(flags)
		[ "$had" = "$wanted" ] || fail "$what: $had"
	done <<-'END'
		:|no_step
		step 7 0 1 2|includes_stepd
		step 7 1.tmp.12 1 2|no_step
		echo "{" >"$NODE/run/7/steps/0"|step_missing
		echo "{\"read_bytes\":1,\"own_out\":true}" >"$NODE/run/7/steps/0"|step_missing
		touch "$NODE/run/7/away"|plugin_away
		step 7 0 1 2; touch "$NODE/run/7/away"|includes_stepd plugin_away
		echo "$NODE/jobio.so" >"$NODE/run/plugin"|plugin_away
		echo "$NODE/jobio.so" >"$NODE/run/plugin"; echo 1 >"$NODE/run/7/begun"|no_step
	END
}

@test "a step file that cannot be read is in the log, and step_missing in the record" {
	starts 7
	echo "{" >"$NODE/run/7/steps/0"
	mkdir "$NODE/run/7/steps/1"
	expect_run 0 epilog "a step's counters are lost: $NODE/run/7/steps/0: not the JSON of jobio.so"
	expect_in "a step's counters are lost: cannot read '$NODE/run/7/steps/1': " "$output"
	expect_in step_missing "$(record 7)"
}

@test "a requeued job has two records, one for each run" {
	starts 7 1 stream
	step 7 batch 1 2
	epilog
	job 7 1 stream
	JOB_ENV+=(SLURM_JOB_RESTART_COUNT=1)
	prolog
	expect_options forcedirect
	step 7 batch 3 4
	epilog
	expect_base
	expect_in '"read_bytes":1' "$(record 7 0)"
	expect_in '"read_bytes":3' "$(record 7 1)"
}

# records ID - number of the job's records in the spool or sent
records() { find "$NODE/spool" "$NODE/taken" -name "$1.*.json" -not -path '*/open/*' | wc -l; }

# taken - remove the records from the spool, as jobio-send does
taken() {
	mkdir -p "$NODE/taken"
	mv "$NODE"/spool/*.json "$NODE/taken"
}

@test "an epilog that runs again after a reboot writes no second record" {
	starts 7 1 stream
	step 7 batch 1000 2000
	epilog
	taken
	reboot
	recover
	expect_run 0 epilog ''
	[ "$(records 7)" -eq 1 ]
}

@test "an epilog that runs again after those of all other jobs of a large node writes no second record" {
	starts 7
	step 7 batch 1000 2000
	epilog
	taken
	printf '%s 0\n' {1001..1384} >>"$NODE/spool/released" # a core each
	epilog
	[ "$(records 7)" -eq 1 ]
}

@test "an epilog that runs again after SPOOL was full for a moment writes no second record" {
	starts 7
	mkdir "$NODE/spool/released" # cannot be replaced by a file
	step 7 batch 1000 2000
	epilog
	taken
	[ -s "$NODE/run/released" ]
	expect_run 0 epilog
	[ "$(records 7)" -eq 1 ]
	rmdir "$NODE/spool/released"
	one_job 8
	[ ! -e "$NODE/run/released" ]
	grep -q '^7 ' "$NODE/spool/released"
}

@test "an epilog killed at any step, and run again after a reboot, writes one record with the counters" {
	job 100 1 stream
	node_fault_helpers
	local at count
	prolog
	NODE_ENV=(JOBIO_FAULT_LOG="$NODE/points")
	epilog
	count=$(grep -n 'folder away before' "$NODE/points" | cut -d: -f1)
	[ "$count" -gt 5 ]
	NODE_ENV=()
	for ((at = 1; at <= count; at++)); do
		starts $((1000 + at)) 1 stream
		step $((1000 + at)) batch 4711 1
		NODE_ENV=(JOBIO_FAULT_AT="$at")
		epilog >/dev/null 2>&1 || :
		NODE_ENV=()
		! compgen -G "$NODE/spool/*.json" >/dev/null || taken
		had=$(records $((1000 + at)))
		reboot
		[ $((at % 2)) -eq 0 ] || recover
		epilog
		[ "$(records $((1000 + at)))" -eq 1 ] || fail "killed at $at: $(records $((1000 + at))) records, $had before"
		# before it was written the counters were in /run only, which a reboot clears
		grep -q "^$at .*record" "$NODE/points" || continue
		[ $at -le "$(grep -n 'record after' "$NODE/points" | cut -d: -f1)" ] ||
			grep -q '"read_bytes":4711' "$NODE"/{spool,taken}/$((1000 + at)).*.json
	done
}

@test "a requeued run has a record, also if its prolog was killed before its first change" {
	node_fault_helpers
	one_job 7
	taken
	local at
	for at in $(steps 12); do
		job 7
		JOB_ENV+=(SLURM_JOB_RESTART_COUNT=1)
		NODE_ENV=(JOBIO_FAULT_AT="$at")
		prolog >/dev/null 2>&1 || :
		NODE_ENV=()
		epilog
		[ "$(find "$NODE/spool" -name '7.*.json' -not -path '*/open/*' | wc -l)" -eq 1 ] || fail "killed at $at"
		rm "$NODE"/spool/7.*.json
	done
}

# old ID... - set the time of their folders to eleven minutes ago
old() {
	local id
	for id; do find "$NODE/run/$id" -exec touch -h -d '11 minutes ago' {} +; done
}

@test "--recover writes the record of a job without an epilog, ten minutes after the last change of its folder" {
	for id in 5 6 7; do
		starts $id
		node_stepd_was $id
		step $id batch 1000 2000
	done
	node_stepd 5
	old 5 6
	expect_run 0 recover 'finished jobs without an epilog: 0 settings restored, 1 records written'
	expect_in '"read_bytes":1000' "$(record 6)"
	[ "$(cd "$NODE/run" && echo [567])" = '5 7' ]
	[ ! -e "$NODE/spool/open/6.c1.json" ]
	touch "$NODE/run/7/steps" # a step has just ended
	touch -d '11 minutes ago' "$NODE/run/7"
	recover
	[ -e "$NODE/run/7" ]
	run list
	[ "$output" = $'5 lives\n7 lives' ]
	old 7
	run list
	[ "$output" = $'5 lives\n7 left' ]
}

@test "--recover keeps a job that runs by slurmctld, and decides by itself if slurmctld does not answer" {
	starts 7
	old 7
	# shellcheck disable=SC2016 # the fake expands it
	node_fake jobio-slurm 'echo "{\"job\":7,\"here\":true}"'
	expect_run 0 recover ''
	[ -e "$NODE/run/7" ]
	node_fake jobio-slurm 'echo "slurmctld: no answer before the deadline" >&2; exit 1'
	expect_run 0 recover
	[ ! -e "$NODE/run/7" ]
	[ -s "$NODE/spool/7.0.c1.json" ]
}

@test "--recover finds the node's name as slurmd does, without the prolog's variable" {
	job 7
	JOB_ENV+=(SLURMD_NODENAME=cn07.example.org)
	expect_run 0 prolog
	rm "$NODE/run/7/start.json"
	old 7
	JOB_ENV=(PWD=/ SHLVL=1 SLURM_CONF=/etc/slurm/slurm.conf HWLOC_XMLFILE="$NODE/machine.xml")
	# shellcheck disable=SC2016 # the fake expands it; jobio-slurm of 22.05 was tried
	node_fake jobio-slurm 'case $* in *" name") echo cn07.example.org ;; *) echo "{\"job\":7,\"here\":false}" ;; esac'
	expect_run 0 recover 'finished jobs without an epilog: 0 settings restored, 1 records written'
	expect_in '"node":"cn07.example.org"' "$(<"$NODE/spool/7.0.cn07.example.org.json")"
}

@test "a slurmstepd with the pid of an ended one does not keep the job's folder" {
	starts 7
	node_stepd $$
	printf '%d 4711' $$ >"$NODE/run/7/begun" # $$ has another start time
	old 7
	starts 9
	[ ! -e "$NODE/run/7" ]
	[ -s "$NODE/spool/7.0.c1.json" ]
}

@test "an ended job with a setting that cannot be restored has one record" {
	starts 7 1 stream
	node_stepd_was 7
	step 7 batch 1000 2000
	touch "$NODE/weka/mount-fails"
	job 8
	expect_run 0 prolog
	[ -e "$NODE/run/7/journal" ]
	expect_in '"read_bytes":1000' "$(record 7)"
	expect_in "$FORCEDIRECT,\"restored\":false" "$(record 7)"
	taken
	old 7
	starts 9
	recover
	[ "$(records 7)" -eq 1 ]
	run list
	expect_in '7 left' "$output"
	rm "$NODE/weka/mount-fails"
	starts 10
	expect_base
	[ ! -e "$NODE/run/7" ]
}

@test "a job folder with steps only becomes a record" {
	one_job 7
	taken
	mkdir -p "$NODE/run/7/steps" # of its next run, whose prolog was killed
	step 7 batch 1000 2000
	sed -i 's/"restart":0/"uid":1000/' "$NODE/run/7/steps/batch"
	job 8 1
	expect_run 0 prolog '0 settings restored, 1 records written'
	expect_in '"read_bytes":1000' "$(record 7 x)"
	expect_in '"uid":1000' "$(record 7 x)"
	expect_in '"start_unknown"' "$(record 7 x)"
	job 7
	JOB_ENV+=(SLURM_JOB_RESTART_COUNT=1 SLURM_JOB_START_TIME=1795225000)
	epilog
	[ "$(records 7)" -eq 2 ]
}

@test "a requeued run has a record, also if its prolog was killed early and its folder is missing" {
	node_fault_helpers
	local at
	for at in 1 2 3 4 5 6; do
		starts $((1000 + at))
		JOB_ENV+=(SLURM_JOB_RESTART_COUNT=1) # slurmctld counts before the epilog
		epilog
		taken
		JOB_ENV+=(SLURM_JOB_START_TIME=1795229999)
		NODE_ENV=(JOBIO_FAULT_AT="$at")
		prolog >/dev/null 2>&1 || :
		NODE_ENV=()
		rm -rf "$NODE/run/$((1000 + at))" "$NODE"/spool/open/*
		epilog
		[ "$(records $((1000 + at)))" -eq 2 ] || fail "killed at $at"
		epilog
		[ "$(records $((1000 + at)))" -eq 2 ] || fail "killed at $at, twice"
	done
}

@test "a run without epilog and steps gets its record from the prolog of the next run, also after a reboot" {
	local boots
	for boots in 0 1; do
		starts 7 1 stream
		((boots == 0)) || reboot
		JOB_ENV+=(SLURM_JOB_RESTART_COUNT=1 SLURM_JOB_START_TIME=1795229999)
		prolog
		expect_options forcedirect
		epilog
		expect_base
		[ -s "$NODE/spool/7.0.c1.json" ] && [ -s "$NODE/spool/7.1.c1.json" ]
		[ "$(grep -c node_rebooted "$NODE/spool/7.0.c1.json")" -eq "$boots" ]
		[ ! -e "$NODE/run/7" ] && [ ! -e "$NODE/spool/open/7.c1.json" ]
		rm "$NODE"/spool/*.json
	done
}

@test "a record without counters does not replace one in the spool that has them" {
	starts 7
	step 7 batch 1000 2000
	epilog
	mkdir -p "$NODE/run/7/steps"
	jq -c '.app = [] | .steps = 0 | .end = null' "$NODE/spool/7.0.c1.json" >"$NODE/run/7/start.json"
	rm "$NODE/spool/released"
	epilog
	expect_in '"read_bytes":1000' "$(record 7)"
	[ "$(records 7)" -eq 1 ]
	[ ! -e "$NODE/run/7" ]
	[ ! -e "$NODE/spool/open/7.c1.json" ]
}

@test "two epilogs of a job at the same time write one record with the counters" {
	local id
	for id in {1001..1012}; do
		starts "$id" 1 stream
		step "$id" batch 4711 1
		epilog &
		epilog
		wait
		[ "$(records "$id")" -eq 1 ]
		expect_in '"read_bytes":4711' "$(record "$id")"
		[ ! -e "$NODE/run/$id" ]
		expect_base
	done
}

@test "the package can be removed with the folder of an ended job, and not while a job runs" {
	local prerm
	prerm=$(sed "s|^\(\s*helper=\).*|\1$NODE/bin/helper|" "$SRCDIR/debian/jobio-node.prerm")
	# shellcheck disable=SC2016 # the fake expands it
	node_fake helper 'exec "${0%/*}/jobio-prepare" "$@" --conf="${0%/bin/*}/jobio.conf" --sysfs="${0%/bin/*}/sysfs"'
	node_fake deb-systemd-invoke :
	starts 5 1 stream # cannot be restored
	for id in 6 7; do
		starts $id
	done
	node_stepd_was 5
	node_stepd 6
	touch "$NODE/weka/mount-fails"
	old 5 6 7
	run in_env env PATH="$NODE/bin:$PATH" sh -c "$prerm" prerm remove
	[ "$status" -eq 1 ]
	expect_in $'jobs that need its epilog run here: 6 \n' "$output"
	[ -s "$NODE/spool/5.0.c1.json" ] && [ -s "$NODE/spool/7.0.c1.json" ]
	node_stepd_ends 6
	run in_env env PATH="$NODE/bin:$PATH" sh -c "$prerm" prerm remove
	[ "$status" -eq 0 ]
	[ "$(find "$NODE/run" -maxdepth 1 -name '[0-9]*')" = "$NODE/run/5" ]
}

# clock SECONDS - from now on the node's clock is so many seconds ahead
clock() {
	node_fault_helpers
	# shellcheck disable=SC2034 # node.bash uses it
	NODE_ENV=(JOBIO_FAULT_CLOCK="$1")
}

# took RECORD - seconds from its start to its end
took() { jq '.end - .start | round' <<<"$1"; }

@test "no record is lost if the clock is set while a job runs, and the record has clock_set" {
	NODE_JOBIO=on_error=drain node_conf
	local by
	for by in -90000 -864000 -120 120 40000000; do
		job 7 1 stream
		clock 0
		prolog
		step 7 batch 1000 2000
		clock "$by"
		expect_run 0 epilog ''
		expect_in '"clock_set"' "$(record 7)"
		expect_in '"read_bytes":1000' "$(record 7)"
		[ "$(took "$(record 7)")" -lt 60 ]
		[ "$(took "$(record 7)")" -ge 0 ]
		[ ! -e "$NODE/run/7" ]
		expect_base
		rm "$NODE"/spool/*.json
	done
}

@test "a clock that is set by seconds has no effect" {
	job 7
	clock 0
	prolog
	clock -20
	epilog
	[[ $(record 7) != *clock_set* ]]
}

@test "a run that ends after a reboot with a clock before its start has no end time" {
	job 7
	clock 0
	prolog
	sed -i 's/"boot_id":"[^"]*"/"boot_id":"00000000-0000-4000-8000-000000000000"/' \
		"$NODE"/spool/open/*.json "$NODE"/run/*/start.json
	clock -864000
	expect_run 0 epilog ''
	expect_in '"end":null' "$(record 7)"
	expect_in '"clock_set"' "$(record 7)"
	expect_in '"node_rebooted"' "$(record 7)"
}

@test "a run that another prolog finishes after the clock was set back has a record" {
	job 7
	clock 0
	prolog
	step 7 batch 1000 2000
	clock -864000
	job 8 1
	expect_run 0 prolog 'finished jobs without an epilog: 0 settings restored, 1 records written'
	expect_in '"clock_set"' "$(record 7)"
}

@test "a value that was changed by someone else since is kept" {
	starts 7 1 stream
	sed -i 's/forcedirect/readcache/' "$NODE/weka/mounts"
	expect_run 0 epilog
	expect_options readcache
	expect_in 'W43' "$output"
	expect_in "$FORCEDIRECT,\"restored\":false" "$(record 7)"
}

@test "for a mount that is gone nothing is restored" {
	starts 7 1 stream
	: >"$NODE/weka/mounts"
	expect_run 0 epilog ''
	expect_in '"restored":null,"made":true' "$(record 7)"
}

@test "an option that cannot be restored is a finding; the record is written, and the next job tries again" {
	starts 7 1 stream
	touch "$NODE/weka/mount-fails"
	expect_run 0 epilog "W42 '/mnt/weka' could not get writecache back: mount -o remount,"
	expect_in "$FORCEDIRECT,\"restored\":false" "$(record 7)"
	rm "$NODE/weka/mount-fails"
	starts 8
	expect_base
}

@test "an epilog without the lock writes a record, and the next prolog writes it again with the same end time" {
	local end
	starts 7 1 stream
	step 7 batch 1000 2000
	NODE_JOBIO=prolog_budget_ms=100 node_conf
	exec 9>>"$NODE/run/lock"
	flock 9
	run epilog 9>&-
	exec 9>&-
	[ "$status" -eq 0 ]
	expect_in 'another prolog or epilog has held it for 5100 ms: left for the next prolog' "$output"
	expect_options forcedirect
	[ "$(record 7 | jq -c '[.app[0].read_bytes, (.quality | index("other") != null)]')" = '[1000,true]' ]
	end=$(record 7 | jq .end)
	node_conf
	starts 8 1
	expect_base
	[ ! -e "$NODE/run/7" ]
	[ "$(record 7 | jq -c '[.app[0].read_bytes, (.quality | index("other") != null), .changes[].restored]')" = '[1000,false,true]' ]
	[[ $(record 7 | jq "(.end - $end) * 1000 | round") == [12] ]]
}

@test "a setting is restored also with an unreadable journal" {
	starts 7 1 stream
	head -c 300 /dev/urandom >"$NODE/run/7/journal"
	echo >>"$NODE/run/7/journal"
	expect_run 0 epilog
	expect_base
	expect_in '"journal_damaged"' "$(record 7)"
}

@test "a setting is restored also if files in /run cannot be written" {
	starts 7 1 stream
	rm "$NODE/run/command"
	mkdir -p "$NODE/run/command" "$NODE/run/released"
	chmod 0400 "$NODE/run/7/journal"
	expect_run 0 epilog
	expect_base
	expect_in "$FORCEDIRECT,\"restored\":true" "$(record 7)"
	[ ! -e "$NODE/run/7" ]
}

@test "a setting is restored also if the journal is not a file" {
	starts 7 1 stream
	rm "$NODE/run/7/journal"
	mkdir "$NODE/run/7/journal"
	expect_run 0 epilog
	expect_base
	[ ! -e "$NODE/run/7" ]
}

@test "without journal and start.json a setting is restored from the open record in the spool" {
	starts 7 1 stream
	rm -r "$NODE/run/7"
	expect_run 0 epilog
	expect_base
	expect_in "$FORCEDIRECT,\"restored\":true" "$(record 7)"
}

@test "changes of a job that is cancelled during its prolog are undone by the epilog, which waits for the prolog" {
	node_slow_mount 1
	job 7 1 stream
	prolog &
	wait_for test -e "$NODE/weka/mount-begun"
	run epilog
	wait
	[ "$status" -eq 0 ]
	expect_base
	[ ! -e "$NODE/run/7" ]
}

@test "a remount that a killed prolog has started is ended before anything is restored" {
	node_slow_mount 1
	job 7 1 stream
	env -i "${JOB_ENV[@]}" "$NODE/bin/jobio-prepare" \
		--conf="$NODE/jobio.conf" --sysfs="$NODE/sysfs" &
	wait_for test -e "$NODE/weka/mount-begun"
	kill -KILL $!
	wait
	grep -q '^[1-9]' "$NODE/run/command"
	epilog
	expect_base
	sleep 1.5 # longer than the remount would have taken
	expect_base
	[ ! -e "$NODE/weka/mount-ended" ]
}

@test "after a reboot --recover turns open records into complete ones" {
	starts 7 1 stream
	reboot
	expect_run 0 recover 'finished jobs without an epilog: 0 settings restored, 1 records written'
	expect_in '"node_rebooted"' "$(record 7)"
	expect_in '"end":null' "$(record 7)"
	[ ! -e "$NODE/spool/open/7.c1.json" ]
	expect_run 0 recover ''
}

@test "after a reboot a setting that was not read back is null in the record, beside restored ones, and it keeps its flags" {
	sed 's|be0/default /mnt/weka|be0/scratch /mnt/scratch|' "$NODE/weka/mounts" >"$NODE/weka/more"
	cat "$NODE/weka/more" >>"$NODE/weka/mounts"
	starts 7 1 stream
	local open="$NODE/spool/open/7.c1.json"
	[ "$(jq -c '[.changes[].restored]' "$open")" = '[null,null]' ]
	jq -c '.changes[0].restored = true | .quality = ["truncated"]' "$open" >"$NODE/more"
	cp "$NODE/more" "$open"
	reboot
	expect_run 0 recover
	[ "$(record 7 | jq -c '[.changes[].restored], .quality' | xargs)" = '[true,null] [node_rebooted,truncated]' ]
}

@test "an epilog after a reboot sets node_rebooted in the record" {
	starts 7 1 stream
	reboot
	epilog
	expect_in '"node_rebooted"' "$(record 7)"
	[ "$(ls "$NODE/spool/open")" = "" ]
}

@test "--recover undoes changes of jobs without a slurmstepd, and keeps others" {
	starts 7 1 stream
	node_stepd 7
	recover
	expect_options forcedirect
	node_stepd_ends 7
	recover
	expect_base
}

@test "the record of a requeued job has the restart count of its own run, not of the next" {
	job 7
	expect_run 0 prolog
	# slurmctld raises the count before the epilog runs
	JOB_ENV+=(SLURM_JOB_RESTART_COUNT=1)
	expect_run 0 epilog
	expect_in '"restart":0' "$(record 7)"
}

# a variable of slurmd, its value (empty: not set), and the message
@test "an epilog without a job ID in its environment prints that, and jobs of the node are not changed" {
	local name value said rows=0 variable=()
	starts 7 1 stream
	while IFS='|' read -r name value said; do
		variable=("$name=$value")
		[[ -n $value ]] || variable=(-u "$name")
		run in_env env "${variable[@]}" "$NODE/bin/jobio-release" --conf="$NODE/jobio.conf" --sysfs="$NODE/sysfs"
		[ "$status" -eq 0 ]
		expect_in "jobio: epilog: $said" "$output"
		expect_in $'\njobio: epilog: going on: on_error=continue' "$output"
		rows=$((rows + 1))
	done <<-'END'
		SLURM_JOB_ID||SLURM_JOB_ID is not set: not run by slurmd?
		SLURM_JOB_ID|7x|SLURM_JOB_ID: '7x': 
		SLURM_JOB_ID|0|SLURM_JOB_ID '0': not a job
		SLURM_JOB_UID||SLURM_JOB_UID is not set
		SLURM_JOB_UID|-1|SLURM_JOB_UID: '-1': 
		SLURMD_NODENAME|a/b|node name 'a/b': not a name
		SLURMD_NODENAME|.c1|node name '.c1': not a name
	END
	[ $rows -eq 7 ]
	NODE_JOBIO=on_error=drain node_conf
	run in_env env -u SLURM_JOB_ID "$NODE/bin/jobio-release" --conf="$NODE/jobio.conf" --sysfs="$NODE/sysfs"
	[ "$status" -eq 70 ]
	[ -e "$NODE/run/7" ]
	expect_options forcedirect
}

@test "an epilog with wrong arguments prints the wrong one, and the job is not changed" {
	local word
	starts 7 1 stream
	for word in --nosuch more; do
		run in_env "$NODE/bin/jobio-release" --conf="$NODE/jobio.conf" --sysfs="$NODE/sysfs" "$word"
		[ "$status" -eq 64 ]
		expect_in "jobio: release: '$word': " "$output"
	done
	run in_env "$NODE/bin/jobio-release" --conf="$NODE/jobio.conf" --sysfs="$NODE/sysfs" --help
	[ "$status" -eq 0 ]
	expect_in 'usage: jobio-release [--conf=FILE]' "$output"
	[ -e "$NODE/run/7" ]
	expect_options forcedirect
	expect_run 0 epilog
	expect_base
}
