#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# prolog.bats - prolog and epilog on a node, run as slurmd runs them.
#
# every test is a process of its own, which shellcheck calls a loss
# shellcheck disable=SC2030,SC2031,SC2034 # NODE_CLIENT is node.bash's

load node

setup() {
	node_make
}

teardown() {
	node_remove
}

FORCEDIRECT='"what":"mount-option","target":"/mnt/weka","old":"writecache","new":"forcedirect"'

@test "a profile is set while the job runs, and the node has its own options afterwards" {
	job 7 1 stream
	expect_run 0 prolog
	expect_options forcedirect
	expect_gate 7 client_cpus=7,15
	expect_gate 7 io_cpus=7,15
	expect_gate 7 io_profile=stream
	expect_gate 7 note=
	step 7 batch 1000 2000
	step 7 0 24 48
	expect_run 0 epilog
	expect_base
	[ ! -e "$NODE/run/7" ]
	[ ! -e "$NODE/spool/open/7.c1.json" ]
	text=$(record 7)
	expect_in "$FORCEDIRECT,\"restored\":true" "$text"
	expect_in '"read_bytes":1024' "$text"
	expect_in '"write_bytes":2048' "$text"
	expect_in '"steps":2' "$text"
	expect_in '"profile":"stream","applied":true,"cores_met":true' "$text"
	expect_in '"os_cpus":"7,15"' "$text"
	expect_in '"nodelist":"c[1-2]"' "$text"
	expect_in '"findings":[]' "$text"
}

@test "only root can read a node's jobs, their requests, and the reasons of unmet ones" {
	mkdir -m 755 "$NODE/run"
	umask 000
	starts 7 1 stream
	node_stepd 7
	starts 8 - bogus!
	step 7 batch 1 2
	chmod 600 "$NODE/run/7/steps/batch" "$NODE/run/7/begun" # the tests wrote these
	[ -e "$NODE/run/7/gate" ]
	grep -q "^note=the job's I/O options have no effect: SPANK_JOBIO_IO_PROFILE" "$NODE/run/8/gate"
	run find "$NODE/run" "$NODE/spool" -perm /077
	[ "$output" = '' ]
}

@test "the epilog starts jobio-send and does not wait for it" {
	# shellcheck disable=SC2016 # the fake expands it
	node_fake jobio-send 'echo $$ >"${0%/bin/*}/sender"; exec sleep 20'
	starts 7
	start=$SECONDS
	epilog
	[ $((SECONDS - start)) -lt 15 ]
	wait_for test -s "$NODE/sender"
	kill "$(<"$NODE/sender")"
}

@test "a job without a request gets a gate file and a record, and the client is not changed" {
	starts 8
	expect_base
	expect_gate 8 client_cpus=7,15
	[ ! -e "$NODE/run/8/journal" ]
	[ ! -e "$NODE/weka/mount-calls" ]
	[ ! -e "$NODE/asked" ]
	step 8 batch 5 6
	epilog
	expect_in '"request":null' "$(record 8)"
	expect_in '"read_bytes":5' "$(record 8)"
}

@test "a profile is applied to every file system of the client, or to those of mounts=" {
	sed 's|be0/default /mnt/weka|be0/scratch /mnt/scratch|' "$NODE/weka/mounts" >"$NODE/weka/more"
	cat "$NODE/weka/more" >>"$NODE/weka/mounts"
	cp "$NODE/weka/mounts" "$NODE/weka/before"
	starts 7 1 stream
	[ "$(grep -c forcedirect "$NODE/weka/mounts")" -eq 2 ]
	epilog
	diff <(tr , '\n' <"$NODE/weka/before" | sort) <(tr , '\n' <"$NODE/weka/mounts" | sort)
	[ "$(grep -o '"restored":true' <<<"$(record 7)" | grep -c .)" -eq 2 ]
	NODE_CLIENT=mounts=/mnt/scratch node_conf
	starts 8 1 stream
	[[ $(grep forcedirect "$NODE/weka/mounts") == 'be0/scratch /mnt/scratch '* ]]
	epilog
	diff <(tr , '\n' <"$NODE/weka/before" | sort) <(tr , '\n' <"$NODE/weka/mounts" | sort)
}

@test "two options of a profile are set with one remount, and restored with one" {
	starts 7 1 metadata
	expect_options readcache
	expect_options dentry_max_age_positive=10000
	epilog
	expect_base
	[ "$(wc -l <"$NODE/weka/mount-calls")" -eq 2 ]
	expect_in '"old":"writecache,dentry_max_age_positive=1000","new":"readcache,dentry_max_age_positive=10000","restored":true' "$(record 7)"
}

@test "a remount repeats the general options of the mount, so that none returns to its default" {
	sed -i 's/relatime/noatime,nodiratime,sync/; s/negative=0/negative=50/' "$NODE/weka/mounts"
	starts 7 1 stream
	for command in : epilog; do
		$command
		expect_options noatime
		expect_options nodiratime
		expect_options sync
		expect_options dentry_max_age_negative=50
	done
	expect_options writecache
}

@test "for the second job on a node the client is not called" {
	one_job 7
	[ "$(wc -l <"$NODE/weka/calls")" -eq 3 ]
	starts 8
	[ "$(wc -l <"$NODE/weka/calls")" -eq 3 ]
	expect_gate 8 client_cpus=7,15
}

@test "jobio cores uses the prolog's cache, in the run_dir of jobio.conf" {
	local try
	for try in 1 2 3; do # a slurmd that starts on this machine meanwhile makes the cache invalid
		one_job "$try" 1
		run in_env "$BUILDDIR/jobio" cores --conf="$NODE/jobio.conf" --core-spec=1 --format=json
		[[ $status -ne 0 ]] || break
	done
	expect_in '"os_cpus":"7,15"' "$output"
	run in_env "$BUILDDIR/jobio" cores --conf="$NODE/nowhere.conf" --core-spec=1
	[[ $status -eq 1 ]]
	expect_in "$NODE/nowhere.conf" "$output"
}

@test "a client is called again after ten minutes, whatever the number of jobs" {
	one_job 7
	local at
	at=$(grep -o '"at":[0-9]*' "$NODE/run/client.weka.json")
	at=${at#*:}
	sed -i "s/\"at\":$at/\"at\":$((at - 1))/" "$NODE/run/client.weka.json"
	one_job 8
	expect_in "\"at\":$((at - 1))," "$(cat "$NODE/run/client.weka.json")"
	sed -i "s/\"at\":$((at - 1))/\"at\":$((at - 601))/" "$NODE/run/client.weka.json"
	echo STEM >"$NODE/weka/status" # no file tells
	job 9
	run prolog
	expect_in "W08 container 'client' is STEM" "$output"
	[ "$(wc -l <"$NODE/weka/calls")" -eq 6 ]
}

# timeout_ms and prolog_budget_ms are a fifth of their defaults
@test "a weka command that takes 5 s delays the first job, and none of the next 100" {
	local id
	echo 1.05 >"$NODE/weka/slow"
	NODE_JOBIO=prolog_budget_ms=2000 NODE_CLIENT=timeout_ms=1000 node_conf
	one_job 1
	[ "$(wc -l <"$NODE/weka/calls")" -eq 3 ]
	[ "$(record 1 | jq -c '[.findings[]?.code]')" = '[]' ]
	for id in {2..101}; do
		job "$id"
		in_env "$NODE/bin/jobio-prepare" --conf="$NODE/jobio.conf" --sysfs="$NODE/sysfs"
		[[ $((id % 10)) -ne 0 ]] || epilog
	done
	[ "$(wc -l <"$NODE/weka/calls")" -eq 3 ]
}

@test "a client is called again after a change of its files, frontends or agent, and after a day at the latest" {
	local at calls=3
	mkdir -p "$NODE/data/client/container" "$NODE/cgroup/system.slice/weka-agent.service"
	sed -i "s/pid 0/pid $$/" "$NODE/proc/interface"
	again() { # COMMAND...
		"$@"
		one_job 8 2>/dev/null
		one_job 8 2>/dev/null
		calls=$((calls + 3))
		[[ $(wc -l <"$NODE/weka/calls") -eq $calls ]] || fail "$*: $(wc -l <"$NODE/weka/calls") calls"
	}
	one_job 7 2>/dev/null
	again touch "$NODE/data/client/container/resources.json.staging"
	again sed -i "s/pid $$/pid $PPID/" "$NODE/proc/interface"
	again sed -i "s/Connected frontend.*/Frontend is not connected/" "$NODE/proc/interface"
	again sed -i "s/Frontend is not.*/Connected frontend pid $$/" "$NODE/proc/interface"
	# shellcheck disable=SC2016 # again expands it
	again eval 'rmdir "$NODE/cgroup/system.slice/weka-agent.service"; sleep 0.01; mkdir "$NODE/cgroup/system.slice/weka-agent.service"'
	[ "$(jq .age_max "$NODE/run/client.weka.json")" -eq 86400 ]
	at=$(jq .at "$NODE/run/client.weka.json")
	sed -i "s/\"at\":$at/\"at\":$((at - 700))/" "$NODE/run/client.weka.json"
	one_job 9 2>/dev/null
	[ "$(wc -l <"$NODE/weka/calls")" -eq "$calls" ]
	again sed -i 's/86400/699/' "$NODE/run/client.weka.json"
}

@test "a warning is logged when the client was called again, and is in every record" {
	sed -i 's/"conf_read_at"/"mem_spec_limit":5000,&/' "$NODE/node-record"
	job 7 1
	expect_run 0 prolog 'W13 MemSpecLimit is 5000 MiB, and 1 frontends need about 5100 MiB; cure: raise MemSpecLimit'
	epilog
	expect_in '"code":"W13","severity":"warning","text":"MemSpecLimit is 5000 MiB' "$(record 7)"
	job 8 1
	run prolog
	[ -z "$output" ]
	epilog
	expect_in '"code":"W13"' "$(record 8)"
}

@test "the client's files may be links, made by a site's configuration management" {
	local file
	for file in service.conf mounts; do
		mv "$NODE/weka/$file" "$NODE/weka/$file.real"
		ln -s "$file.real" "$NODE/weka/$file"
	done
	job 7
	expect_run 0 prolog ''
}

@test "a spec set without MemSpecLimit is a finding, with a sufficient one it is not" {
	sed -i 's/"conf_read_at"/"mem_spec_limit":0,&/; s/"core_spec_count":0/"core_spec_count":1/' \
		"$NODE/node-record"
	job 7 1
	run prolog
	expect_in 'W13 MemSpecLimit is not set, and 1 frontends need about 5100 MiB' "$output"
	epilog
	rm -r "$NODE/run"
	sed -i 's/limit":0/limit":5100/' "$NODE/node-record"
	[ "$(grep -c 'limit":5100' "$NODE/node-record")" -eq 1 ]
	job 8 1
	run prolog
	[ -z "$output" ]
}

@test "for a job without io-cores the client uses the cores of the spec set" {
	sed -i 's/"core_spec_count":0/"core_spec_count":1/' "$NODE/node-record"
	one_job 7 1 # caches the node's record
	one_job 8
	[ "$(record 8 | jq '.findings | map(select(.text | contains("Slurm reserves")))')" = '[]' ]
}

@test "without a spec set a node needs no MemSpecLimit" {
	sed -i 's/"conf_read_at"/"mem_spec_limit":0,&/' "$NODE/node-record"
	job 7 1
	run prolog
	[ -z "$output" ]
	epilog
	expect_in '"findings":[]' "$(record 7)"
}

# doctor OPTION... - run jobio check on this node
doctor() {
	node_scontrol Sockets=1 CoresPerSocket=8 ThreadsPerCore=2 CPUTot=16 MemSpecLimit=5000
	run env -i PATH="$NODE/bin:$PATH" "$BUILDDIR/jobio" check --role=node --conf="$NODE/jobio.conf" "$@" \
		--host=c1 --topology="$NODE/machine.xml"
}

@test "jobio check reports the same about MemSpecLimit" {
	doctor
	expect_in 'W13 warning: MemSpecLimit is 5000 MiB, and 1 frontends need about 5100 MiB' "$output"
}

@test "a finding has the same text in log, drain reason, record and jobio check" {
	NODE_JOBIO=on_error=drain node_conf
	echo STEM >"$NODE/weka/status"
	local text="container 'client' is STEM, not READY: Joining cluster" cure
	cure="correct what the agent's log names (journalctl -u weka-agent), then: weka local start client"
	job 7
	run prolog
	expect_in "jobio: prolog: job 7: W08 $text; cure: $cure" "$output"
	[ "$(<"$NODE/run/reason")" = "jobio:W08 $text; cure: $cure" ]
	# Slurm stores reasons without quotes
	expect_in "--timeout-ms=2000 drain c1 jobio:W08 ${text//\'/}; cure: ${cure//\'/}" "$(cat "$NODE/asked")"
	epilog
	expect_in "{\"code\":\"W08\",\"severity\":\"error\",\"text\":\"$text\",\"cure\":\"$cure\"}" "$(record 7)"
	doctor
	expect_in "W08 error: $text"$'\n'"    cure: $cure" "$output"
	doctor --format=json
	expect_in "\"$text\"" "$output"
	expect_in "\"$cure\"" "$output"
}

# ---- alone on the node or not -----------------------------------------------

@test "nothing is changed on a node that the job shares with others" {
	job 7 - stream
	expect_run 0 prolog
	expect_base
	expect_gate 7 "note=profile 'stream' was not applied: the profile's mount options were left out: the job shares this node with others; ask for io-cores or --exclusive"
	epilog
	expect_in '"code":"W46","severity":"info"' "$(record 7)"
	expect_in '"cure":"ask for io-cores or --exclusive","users":true}' "$(record 7)"
	expect_in '"profile":"stream","applied":false' "$(record 7)"
}

# Columns: io-cores of a job with a profile; OverSubscribe and Exclusive in the prolog's
# environment (-: not set, old: Slurm before 23.02 sets neither); slurmctld's reply whether the
# job is alone; is the profile applied; how often was slurmctld asked.
@test "Slurm's variables decide whether a job has its node alone, and slurmctld is asked once if they do not" {
	local cores oversubscribe exclusive alone made asked what
	while read -r cores oversubscribe exclusive alone made asked; do
		what="$cores $oversubscribe $exclusive $alone"
		node_slurm 1 "$alone"
		[[ $alone != silent ]] || node_fake jobio-slurm 'exit 1'
		: >"$NODE/asked"
		job 7 "$cores" stream
		[[ $oversubscribe == [-o]* ]] || JOB_ENV+=("SLURM_JOB_OVERSUBSCRIBE=${oversubscribe#empty}")
		[[ $exclusive == - ]] || JOB_ENV+=("SLURM_JOB_EXCLUSIVE=$exclusive")
		[[ $oversubscribe != old ]] || old_slurm
		prolog 2>/dev/null
		[[ $made == no ]] || expect_options forcedirect || fail "$what"
		[[ $made == yes ]] || expect_base || fail "$what"
		[[ $what != 1*OK* ]] || grep -q 'others; use a partition without OverSubscribe=FORCE' "$NODE/run/7/gate" || fail "$what: no cure that works with io-cores"
		[ "$(grep -c ' job 7$' "$NODE/asked")" -eq "$asked" ] || fail "$what: $(<"$NODE/asked")"
		epilog
		expect_base
		[ "$(record 7 | jq -r 'if .request.applied then "yes" elif [.findings[].code] - ["W46", "W56"] == [.findings[].code] then "" else "no" end')" = "$made" ] ||
			fail "$what: $(record 7)"
		rm "$NODE"/spool/{7.*.json,released}
	done <<-'END'
		- NO - true yes 0
		- NO NODE true yes 0
		- OK NODE true yes 0
		- OK - true no 0
		- FORCE:2 - true no 0
		- NO USER true no 0
		- NO MCS true no 0
		- NO TOPO true no 0
		- NO NO true yes 1
		- NO NO false no 1
		- YES NO true no 0
		- old - true yes 1
		- old - false no 1
		1 NO TOPO true yes 0
		1 YES - true no 0
		1 OK - true no 0
		1 USER - true no 0
		1 empty - true no 0
		1 old - true yes 1
		1 old - false no 1
		1 old - silent no 0
	END
	: >"$NODE/asked"
	job 8 1 # for no change nobody asks
	old_slurm
	prolog
	[[ $(<"$NODE/asked") != *' job '* ]]
}

# weka5 VERSION TENTHS [LINE...] - a client that restarts at a remount, for TENTHS of a second, and
# more lines of [client weka]
weka5() {
	echo "$1" >"$NODE/weka/version"
	echo "$2" >"$NODE/weka/restarts"
	NODE_CLIENT=$(printf '%s\n' "timeout_ms=20000" "${@:3}") node_conf
}

# restarted N - it was restarted N times, and is READY
restarted() {
	local have
	have=$(wc -l 2>/dev/null <"$NODE/weka/restarted" || echo 0)
	[[ $have -eq $1 ]] || fail "restarted $have times" || return
	[[ ! -e $NODE/weka/ready-at || ${EPOCHREALTIME/./} -ge $(<"$NODE/weka/ready-at") ]] || fail "not READY yet"
}

@test "a profile restarts a client of WEKA 5 once to set and once to restore it, and both wait until it is READY" {
	weka5 5.1.0 8
	job 7 1 stream
	expect_run 0 prolog ''
	restarted 1
	expect_options forcedirect
	run epilog
	[ -z "$output" ]
	restarted 2
	expect_base
	: >"$NODE/weka/calls"
	one_job 8 1
	[ ! -s "$NODE/weka/calls" ]
}

@test "a client of WEKA 5 that is not READY in time after a remount is a finding" {
	weka5 5.1.0 30 ready_timeout_ms=1500
	job 7 1 stream
	expect_run 0 prolog "W08 container 'client' was restarted by the remount of '/mnt/weka': it was not READY with all frontends connected after 1500 ms"
	expect_options forcedirect
	sleep 2
	epilog 2>/dev/null
	expect_base
}

@test "one remount sets the cores and the options of a job" {
	touch "$NODE/weka/idle"
	weka5 5.1.0 2 core_change=grow core_method=remount
	starts 7 2 stream
	restarted 1
	expect_cores 6,7
	expect_options forcedirect
	epilog
	restarted 2
	expect_base
	[ "$(record 7 | jq -c '[.request.applied, (.changes[] | .what, .made, .restored)]')" = \
		'[true,"cores",true,false,"mount-option",true,true]' ]
}

# light VERSION OPTIONS TEXT - with remount=light_only a job has these options, and TEXT is printed
light() {
	rm -f "$NODE/run/client.weka.json"
	weka5 "$1" 1 remount=light_only
	job 7 1 stream
	run prolog
	[[ $status -eq 0 ]] || fail "$1: $status" || return
	expect_in "$3" "$output" || return
	expect_options "$2" || return
	epilog 2>/dev/null
	expect_base
}

@test "remount=light_only leaves out options that would restart a client, with a finding" {
	local keeps="W47 '/mnt/weka' keeps writecache, although this job should find forcedirect: remount=light_only"
	light 4.4.4 forcedirect ''
	light 5.1.0 writecache "$keeps"
	light 6.0.0 writecache "$keeps"
	light '' writecache "$keeps" # an unknown version may restart
	[ ! -e "$NODE/weka/restarted" ]
	# stateful: the source is the name of the file system only
	sed -i 's|^be0/||' "$NODE/weka/mounts"
	light 5.1.0 forcedirect ''
}

@test "with remount=light_only core_method=remount does not restart a client" {
	touch "$NODE/weka/idle"
	weka5 5.1.0 1 core_change=grow core_method=remount remount=light_only
	job 7 2
	prolog 2>/dev/null
	[ ! -e "$NODE/weka/restarted" ]
	epilog
	expect_in "remount=light_only, and a remount restarts the container" "$(record 7)"
}
