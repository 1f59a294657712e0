#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What prolog and epilog do on a node, run as slurmd runs them.
#
# every test is a process of its own, which shellcheck calls a loss
# shellcheck disable=SC2030,SC2031

load node

setup() {
	node_make
}

teardown() {
	node_remove
}

FORCEDIRECT='"what":"mount-option","target":"/mnt/weka","old":"writecache","new":"forcedirect"'

@test "a job gets its profile while it runs, and the node has its own options back afterwards" {
	job 7 1 stream
	run prolog
	[ "$status" -eq 0 ]
	expect_options forcedirect
	expect_gate 7 verdict=admit
	expect_gate 7 client_cpus=7,15
	expect_gate 7 io_cpus=7,15
	expect_gate 7 io_profile=stream
	step 7 batch 1000 2000
	step 7 0 24 48
	run epilog
	[ "$status" -eq 0 ]
	expect_base
	[ ! -e "$NODE/run/7" ]
	[ ! -e "$NODE/spool/open/7.c1.json" ]
	text=$(record 7)
	expect_in "$FORCEDIRECT,\"restored\":true" "$text"
	expect_in '"read_bytes":1024' "$text"
	expect_in '"write_bytes":2048' "$text"
	expect_in '"steps":2' "$text"
	expect_in '"profile":"stream"' "$text"
	expect_in '"os_cpus":"7,15"' "$text"
	expect_in '"nodelist":"c[1-2]"' "$text"
	expect_in '"findings":[]' "$text"
}

@test "the epilog starts jobio-send and does not wait for it" {
	# shellcheck disable=SC2016 # the fake expands it
	node_fake jobio-send 'echo $$ >"${0%/bin/*}/sender"; exec sleep 20'
	job 7
	prolog
	start=$SECONDS
	epilog
	[ $((SECONDS - start)) -lt 15 ]
	wait_for test -s "$NODE/sender"
	kill "$(<"$NODE/sender")"
}

@test "a job that asks for nothing gets a gate file and a record, and the client stays as it is" {
	job 8
	prolog
	expect_base
	expect_gate 8 verdict=admit
	expect_gate 8 client_cpus=7,15
	[ ! -e "$NODE/run/8/journal" ]
	[ ! -e "$NODE/weka/mount-calls" ]
	[ ! -e "$NODE/asked" ]
	step 8 batch 5 6
	epilog
	expect_in '"request":null' "$(record 8)"
	expect_in '"read_bytes":5' "$(record 8)"
}

@test "a profile is applied to every file system of the client, or to those that mounts= names" {
	sed 's|be0/default /mnt/weka|be0/scratch /mnt/scratch|' "$NODE/weka/mounts" >"$NODE/weka/more"
	cat "$NODE/weka/more" >>"$NODE/weka/mounts"
	cp "$NODE/weka/mounts" "$NODE/weka/before"
	job 7 1 stream
	prolog
	[ "$(grep -c forcedirect "$NODE/weka/mounts")" -eq 2 ]
	epilog
	diff <(tr , '\n' <"$NODE/weka/before" | sort) <(tr , '\n' <"$NODE/weka/mounts" | sort)
	[ "$(grep -o '"restored":true' <<<"$(record 7)" | grep -c .)" -eq 2 ]
	NODE_CLIENT=mounts=/mnt/scratch node_conf
	job 8 1 stream
	prolog
	[[ $(grep forcedirect "$NODE/weka/mounts") == 'be0/scratch /mnt/scratch '* ]]
	epilog
	diff <(tr , '\n' <"$NODE/weka/before" | sort) <(tr , '\n' <"$NODE/weka/mounts" | sort)
}

@test "two options of a profile are set and put back with one remount each" {
	job 7 1 metadata
	prolog
	expect_options readcache
	expect_options dentry_max_age_positive=10000
	epilog
	expect_base
	[ "$(wc -l <"$NODE/weka/mount-calls")" -eq 2 ]
	expect_in '"old":"writecache,dentry_max_age_positive=1000","new":"readcache,dentry_max_age_positive=10000","restored":true' "$(record 7)"
}

@test "a remount repeats the general options of the mount, so that none falls back" {
	sed -i 's/relatime/noatime,nodiratime,sync/; s/negative=0/negative=50/' "$NODE/weka/mounts"
	job 7 1 stream
	prolog
	for command in : epilog; do
		$command
		expect_options noatime
		expect_options nodiratime
		expect_options sync
		expect_options dentry_max_age_negative=50
	done
	expect_options writecache
}

@test "the second job on a node asks the client nothing" {
	job 7
	prolog
	epilog
	[ "$(wc -l <"$NODE/weka/calls")" -eq 3 ]
	job 8
	prolog
	[ "$(wc -l <"$NODE/weka/calls")" -eq 3 ]
	expect_gate 8 client_cpus=7,15
}

@test "a client is asked again after ten minutes, however many jobs come" {
	job 7
	prolog
	epilog
	local at
	at=$(grep -o '"at":[0-9]*' "$NODE/run/client.json")
	at=${at#*:}
	sed -i "s/\"at\":$at/\"at\":$((at - 1))/" "$NODE/run/client.json"
	job 8
	prolog
	epilog
	expect_in "\"at\":$((at - 1))," "$(cat "$NODE/run/client.json")"
	sed -i "s/\"at\":$((at - 1))/\"at\":$((at - 601))/" "$NODE/run/client.json"
	echo STEM >"$NODE/weka/status" # no file tells
	job 9
	run prolog
	expect_in "W08 container 'client' is STEM" "$output"
	[ "$(wc -l <"$NODE/weka/calls")" -eq 6 ]
}

@test "a client that was started anew is asked again" {
	job 7
	prolog
	epilog
	sleep 30 &
	echo $! >"$NODE/weka/pid"
	mkdir -p "$NODE/data/client/container"
	echo '{}' >"$NODE/data/client/container/resources.json"
	job 8
	prolog
	kill %1
	[ "$(wc -l <"$NODE/weka/calls")" -eq 6 ]
}

@test "a warning is logged when the client was asked anew, and is in every record" {
	sed -i 's/"conf_read_at"/"mem_spec_limit":5000,&/' "$NODE/node-record"
	job 7 1
	run prolog
	[ "$status" -eq 0 ]
	expect_in 'W13 MemSpecLimit is 5000 MiB, and 1 frontends need about 5100 MiB; cure: raise MemSpecLimit' "$output"
	epilog
	expect_in '"code":"W13","severity":"warning","text":"MemSpecLimit is 5000 MiB' "$(record 7)"
	job 8 1
	run prolog
	[ -z "$output" ]
	epilog
	expect_in '"code":"W13"' "$(record 8)"
}

@test "the client's files may be links, as a site's configuration leaves them" {
	local file
	for file in service.conf mounts; do
		mv "$NODE/weka/$file" "$NODE/weka/$file.real"
		ln -s "$file.real" "$NODE/weka/$file"
	done
	job 7
	run prolog
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "a node with a spec set and no MemSpecLimit is told so, one that has enough is not" {
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

@test "without a spec set a node needs no MemSpecLimit" {
	sed -i 's/"conf_read_at"/"mem_spec_limit":0,&/' "$NODE/node-record"
	job 7 1
	run prolog
	[ -z "$output" ]
	epilog
	expect_in '"findings":[]' "$(record 7)"
}

# doctor OPTION... - what it says of this node
doctor() {
	cat >"$NODE/slurm.conf" <<-'END'
		ClusterName=dslurm
		NodeName=c1 Sockets=1 CoresPerSocket=8 ThreadsPerCore=2 CPUs=16 MemSpecLimit=5000
	END
	run env -i "$BUILDDIR/jobio" doctor --conf="$NODE/jobio.conf" "$@" \
		--slurm-conf="$NODE/slurm.conf" --host=c1 --topology="${JOBIO_SHARED:-$SRCDIR/../shared}/oracle/xml/syn_intel_smt_1x8x2.xml"
}

@test "jobio doctor says the same about MemSpecLimit" {
	doctor
	expect_in 'W13 warning: MemSpecLimit is 5000 MiB, and 1 frontends need about 5100 MiB' "$output"
}

# ---- the user's fault ------------------------------------------------------

@test "a forged request is refused with a reason, changes nothing and drains no node" {
	NODE_JOBIO=on_error=drain node_conf
	job 7
	JOB_ENV+=(SPANK_JOBIO_VERSION=1 'SPANK_JOBIO_IO_CORES=1; rm -rf /')
	run prolog
	[ "$status" -eq 0 ]
	expect_in 'refused: SPANK_JOBIO_IO_CORES' "$output"
	expect_gate 7 verdict=refuse
	grep -q '^reason=SPANK_JOBIO_IO_CORES' "$NODE/run/7/gate"
	expect_base
	epilog
	expect_in '"refused":"SPANK_JOBIO_IO_CORES' "$(record 7)"
}

@test "more io-cores than Slurm reserves for the job are refused" {
	job 7 1
	JOB_ENV+=(SPANK_JOBIO_IO_CORES=2)
	prolog
	expect_gate 7 'reason=--io-cores=2: Slurm reserves 1 cores for this job; submit with --io-cores and without --core-spec'
}

@test "io-cores without a reservation are refused where Slurm tells the prolog" {
	job 7
	JOB_ENV+=(SPANK_JOBIO_VERSION=1 SPANK_JOBIO_IO_CORES=1)
	prolog
	expect_gate 7 'reason=--io-cores=1: Slurm reserves no cores for this job; submit it with the option --io-cores'
}

@test "a profile that the site does not have is refused" {
	job 7 1 strem
	prolog
	grep -q "^reason=--io-profile: 'strem': this site has no such profile; did you mean 'stream'?" "$NODE/run/7/gate"
	expect_base
}

@test "no random bytes in SPANK_JOBIO_* get further than refused" {
	NODE_JOBIO=on_error=drain node_conf
	for _ in {1..40}; do
		cores=$(head -c 12 /dev/urandom | tr -d '\0\n')
		profile=$(head -c 40 /dev/urandom | tr -d '\0\n')
		slurmd_env 7
		JOB_ENV+=(SPANK_JOBIO_VERSION=1 SPANK_JOBIO_IO_CORES="x$cores"
			SPANK_JOBIO_IO_PROFILE="$profile" SLURM_JOB_CORE_SPEC_COUNT=1)
		prolog 2>"$NODE/log"
		expect_gate 7 verdict=refuse
		LC_ALL=C grep -qaP '[\x00-\x08\x0b-\x1f\x7f]' "$NODE/log" "$NODE/run/7/gate" &&
			fail "control characters got through"
		epilog
	done
	expect_base
	[ ! -e "$NODE/weka/mount-calls" ]
}

@test "a silent slurmctld is not taken for a client that hangs, and drains no node" {
	NODE_JOBIO=$'on_error=drain\nprolog_budget_ms=6000' node_conf
	node_fake jobio-slurm 'exec sleep 1000'
	job 7 1
	run prolog
	[ "$status" -eq 0 ]
	expect_in 'W50 the cores that Slurm withholds are unknown' "$output"
	[ "$(grep -c . <<<"$output")" -eq 1 ]
	expect_gate 7 client_cpus=7,15
}

@test "a client and a driver that hang keep to the budget of the prolog together" {
	NODE_JOBIO=$'on_error=drain\nprolog_budget_ms=1200' NODE_CLIENT=timeout_ms=1000 node_conf
	touch "$NODE/weka/hang"
	rm "$NODE/proc/interface"
	mkfifo "$NODE/proc/interface" # open(2) waits for a writer
	job 7
	local began=${EPOCHREALTIME/./}
	run prolog
	[ "$status" -eq 1 ]
	expect_in "W14 'weka local ps' hangs: '$NODE/bin/weka': no answer within" "$output"
	expect_in "W38 the budget was used up before the driver could answer: the client was not judged" "$output"
	[ $((${EPOCHREALTIME/./} - began)) -lt 5000000 ]
}

@test "a driver that hangs alone is a finding" {
	NODE_CLIENT=timeout_ms=1000 node_conf
	rm "$NODE/proc/interface"
	mkfifo "$NODE/proc/interface"
	job 7
	run prolog
	[ "$status" -eq 0 ]
	expect_in "W24 reading $NODE/proc/interface hangs: the driver is stuck" "$output"
}

# ---- our own fault ---------------------------------------------------------

@test "a client type that this version does not know is said, and the job runs" {
	NODE_CLIENT=type=lustre node_conf
	job 7 1 stream
	run prolog
	[ "$status" -eq 0 ]
	expect_in "W52 [client weka] type: 'lustre': this jobio knows only weka" "$output"
	expect_gate 7 verdict=admit
	epilog
	expect_in '"client":null' "$(record 7)"
}

@test "a node that no client section names runs its jobs without a client" {
	NODE_CLIENT='nodes=gpu* login?' node_conf
	job 7 1 stream
	run prolog
	[ "$status" -eq 0 ]
	expect_gate 7 client=
	epilog
	expect_in 'W51' "$(record 7)"
	expect_in 'jobio.conf has no client for node c1' "$(record 7)"
}

@test "without jobio.conf a job that wants nothing runs, and nothing is said" {
	rm "$NODE/jobio.conf"
	job 8
	run prolog
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	run epilog
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "without jobio.conf a job that wants something runs, and the log says why in vain" {
	rm "$NODE/jobio.conf"
	job 7 1 stream
	run prolog
	[ "$status" -eq 0 ]
	expect_in 'No such file or directory; the job runs without jobio' "$output"
}

@test "a broken jobio.conf costs nobody a job" {
	NODE_JOBIO=gate=maybe node_conf
	job 7 1 stream
	run prolog
	[ "$status" -eq 0 ]
	expect_in "jobio.conf:4: [jobio] gate: 'maybe'" "$output"
	run epilog
	[ "$status" -eq 0 ]
}

@test "a node that will be drained leaves its reason for the ledger, and takes it back when it is mended" {
	NODE_JOBIO=on_error=drain node_conf
	echo STEM >"$NODE/weka/status"
	job 7 1 stream
	run prolog
	[ "$status" -eq 1 ]
	wait_for grep -q -- --conf= "$NODE/sent"
	expect_in '{"op":"reason","cluster":"dslurm","node":"c1","time":' "$(cat "$NODE/spool/reason")"
	expect_in '"reason":"jobio:W08 container client is STEM, not READY' "$(cat "$NODE/spool/reason")"
	epilog
	rm "$NODE/spool/reason" # it was sent
	echo READY >"$NODE/weka/status"
	job 8 1 stream
	run prolog
	[ "$status" -eq 0 ]
	expect_in '"reason":null}' "$(cat "$NODE/spool/reason")"
	epilog
	rm "$NODE/spool/reason"
	job 9 1 stream
	prolog
	[ ! -e "$NODE/spool/reason" ]
}

@test "a client that takes CPUs from Slurm drains its node when the site wants that" {
	NODE_JOBIO=on_error=drain node_conf
	local setting
	for setting in isolate_cpusets=true cgroups_mode=force_v2; do
		printf 'isolate_cpusets=false\n%s\n' "$setting" >"$NODE/weka/service.conf"
		touch -d 2020-01-01 "$NODE/weka/service.conf"
		job 7
		run prolog
		[ "$status" -eq 1 ]
		grep -qE "^jobio:W0[13] .*/service.conf says ${setting%=*}='?${setting#*=}'?: " "$NODE/run/reason"
		epilog
	done
}

@test "log, reason, record and doctor say the same of a finding" {
	NODE_JOBIO=on_error=drain node_conf
	echo STEM >"$NODE/weka/status"
	local text="container 'client' is STEM, not READY: Joining cluster" cure
	cure="see weka local status -v and the agent's log; weka local start"
	job 7
	run prolog
	expect_in "jobio: prolog: job 7: W08 $text; cure: $cure" "$output"
	[ "$(<"$NODE/run/reason")" = "jobio:W08 $text; cure: $cure" ]
	# what Slurm keeps has no quotes
	expect_in "\"reason\":\"jobio:W08 ${text//\'/}; cure: ${cure//\'/}\"" "$(cat "$NODE/spool/reason")"
	epilog
	expect_in "{\"code\":\"W08\",\"severity\":\"error\",\"text\":\"$text\",\"cure\":\"$cure\"}" "$(record 7)"
	doctor
	expect_in "W08 error: $text"$'\n'"    cure: $cure" "$output"
	doctor --format=json
	expect_in "\"$text\"" "$output"
	expect_in "\"$cure\"" "$output"
}

@test "a node that will not be drained leaves no reason for the ledger" {
	echo STEM >"$NODE/weka/status"
	job 7 1 stream
	run prolog
	[ "$status" -eq 0 ]
	expect_in 'jobio:W08 ' "$(cat "$NODE/run/reason")"
	[ ! -e "$NODE/spool/reason" ]
	echo READY >"$NODE/weka/status"
	epilog
	prolog
	[ ! -e "$NODE/spool/reason" ]
}

@test "what the gate refused after the prolog had let the job in is in the record" {
	job 7
	prolog
	printf '{"step":"batch","source":"stepd","read_bytes":1,"write_bytes":2,"read_calls":3,"write_calls":4,"array_job_id":null,"array_task_id":null,"restart":0,"start":1795224862,"end":1795224890,"refused":"the job may run on CPU 7"}\n' \
		>"$NODE/run/7/steps/batch"
	epilog
	expect_in '"refused":"the job may run on CPU 7"' "$(record 7)"
}

@test "a missing or crashing helper costs nobody a job" {
	NODE_JOBIO=on_error=drain node_conf
	job 7 1 stream
	rm "$NODE/bin/jobio-prepare"
	run prolog
	[ "$status" -eq 0 ]
	expect_in 'jobio-prepare could not run (127): going on without jobio' "$output"
	node_fake jobio-prepare 'kill -SEGV $$'
	run prolog
	[ "$status" -eq 0 ]
	expect_in 'jobio-prepare could not run (139)' "$output"
}

# crash_worker - the process that looks at the client, not the one that waits
crash_worker() {
	wait_for test -e "$NODE/weka/mount-begun"
	rm "$NODE/weka/mount-begun"
	kill -ABRT "$(pgrep -n -f "^$NODE/bin/jobio-prepare")" # forked last; sanitizers catch SEGV
}

@test "a crash of the worker is our fault: the job runs, or the node drains when the site says so" {
	node_slow_mount 1
	job 7 1 stream
	crash_worker 3>&- &
	run prolog
	[ "$status" -eq 0 ]
	expect_in 'ended by signal 6' "$output"
	expect_in 'going on: on_error=continue' "$output"
	epilog
	expect_base
	NODE_JOBIO=on_error=drain node_conf
	job 8 1 stream
	crash_worker 3>&- &
	run prolog
	[ "$status" -eq 1 ]
	expect_in 'jobio-prepare failed (70): draining this node' "$output"
	epilog
	expect_base
}

@test "a folder that cannot be made is our fault: the job runs, or the node drains when the site says so" {
	touch "$NODE/run"
	job 7 1 stream
	run prolog
	[ "$status" -eq 0 ]
	expect_in 'going on: on_error=continue' "$output"
	NODE_JOBIO=on_error=drain node_conf
	run prolog
	[ "$status" -eq 1 ]
	expect_in 'jobio-prepare failed (70): draining this node' "$output"
	expect_base
}

@test "a state that cannot be written keeps the change from beginning" {
	job 7 1 stream
	mkdir -p "$NODE/spool/open/7.c1.json"
	run prolog
	[ "$status" -eq 0 ]
	expect_in 'going on: on_error=continue' "$output"
	expect_base
	[ ! -e "$NODE/weka/mount-calls" ]
}

# ---- the node's fault ------------------------------------------------------

@test "a node without a WEKA mount says so; it drains only when the site wants that" {
	: >"$NODE/weka/mounts"
	job 7 1 stream
	run prolog
	[ "$status" -eq 0 ]
	expect_in 'W18 no file system of type wekafs is mounted' "$output"
	epilog
	expect_in '"code":"W18","severity":"error"' "$(record 7)"
	NODE_JOBIO=on_error=drain node_conf
	run prolog
	[ "$status" -eq 1 ]
	expect_in 'jobio:W18 no file system of type wekafs is mounted; cure: mount it' "$(cat "$NODE/run/reason")"
	epilog
}

@test "a client that is joining is a finding, and the reason is gone when it is READY" {
	NODE_JOBIO=on_error=drain node_conf
	echo CLUSTERIZING >"$NODE/weka/status"
	job 7 1
	run prolog
	[ "$status" -eq 1 ]
	expect_in "jobio:W08 container 'client' is CLUSTERIZING, not READY: Joining cluster" "$(cat "$NODE/run/reason")"
	epilog
	echo READY >"$NODE/weka/status"
	job 8 1
	run prolog
	[ "$status" -eq 0 ]
	[ ! -e "$NODE/run/reason" ]
}

@test "a hanging weka command is a finding, not a hang" {
	NODE_CLIENT=timeout_ms=300 node_conf
	touch "$NODE/weka/hang"
	job 7 1 stream
	start=$SECONDS
	run prolog
	[ $((SECONDS - start)) -lt 20 ]
	[ "$status" -eq 0 ]
	expect_in "W14 'weka local ps' hangs" "$output"
	[ "$(wc -l <"$NODE/weka/calls")" -eq 1 ]
	epilog
	expect_base
}

@test "when the client is silent the gate keeps the CPUs that it named last" {
	job 7
	prolog
	epilog
	NODE_CLIENT=timeout_ms=300 node_conf
	touch "$NODE/weka/hang"
	rm "$NODE/run/client.json" "$NODE/proc/interface"
	job 8
	run prolog
	[ "$status" -eq 0 ]
	expect_gate 8 client_cpus=7,15
}

@test "the whole prolog keeps to its budget" {
	NODE_JOBIO=prolog_budget_ms=500 node_conf
	touch "$NODE/weka/hang"
	job 7 1 stream
	start=$SECONDS
	run prolog
	[ $((SECONDS - start)) -lt 20 ]
	[ "$status" -eq 0 ]
	expect_in "W38 the budget was used up before 'weka local ps' could answer" "$output"
}

@test "a remount that fails is a finding, and the mount is as it was" {
	touch "$NODE/weka/mount-fails"
	job 7 1 stream
	run prolog
	[ "$status" -eq 0 ]
	expect_in "W40 '/mnt/weka' could not get forcedirect: mount -o remount," "$output"
	expect_in 'exit status 32: mount.wekafs: refused' "$output"
	expect_base
	epilog
	expect_in "$FORCEDIRECT,\"restored\":true" "$(record 7)"
}

@test "a remount that says it worked and did nothing is found out" {
	touch "$NODE/weka/mount-lies"
	job 7 1 stream
	run prolog
	[ "$status" -eq 0 ]
	expect_in "W40 '/mnt/weka' could not get forcedirect: the mount table shows" "$output"
	expect_base
}

@test "a remount that hangs is ended, and the mount is as it was" {
	NODE_CLIENT=timeout_ms=2000 node_conf
	touch "$NODE/weka/mount-hangs"
	job 7 1 stream
	run prolog
	[ "$status" -eq 0 ]
	expect_in 'no answer within 2000 ms' "$output"
	expect_base
	grep -q '^0 0 ' "$NODE/run/command"
}

@test "a profile with an option that is not allowed is not applied" {
	NODE_MORE=$'[profile odd]\nmount_options=forcedirect,num_cores=4' node_conf
	job 7 1 odd
	run prolog
	[ "$status" -eq 0 ]
	expect_in "W49 mount option 'num_cores=4' of the profile: not an option that a profile may set" "$output"
	expect_base
	[ ! -e "$NODE/weka/mount-calls" ]
}

# ---- alone or not ----------------------------------------------------------

@test "nothing is changed on a node that the job shares" {
	job 7 - stream
	run prolog
	[ "$status" -eq 0 ]
	expect_base
	epilog
	expect_in '"code":"W46","severity":"info"' "$(record 7)"
}

@test "Slurm before 24.11 is asked once whether the job is alone, and only for a change" {
	job 7 1 stream
	old_slurm
	prolog
	expect_options forcedirect
	[ "$(grep -c ' job 7$' "$NODE/asked")" -eq 1 ]
	epilog
	job 8 1
	old_slurm
	prolog
	[ "$(grep -c ' job ' "$NODE/asked")" -eq 1 ]
	epilog
	expect_base
}

@test "a job that slurmctld does not know to be alone gets no change" {
	node_slurm 1 false
	job 7 1 stream
	old_slurm
	prolog
	expect_base
	node_fake jobio-slurm 'exit 1'
	prolog
	expect_base
}

# ---- what is left behind ---------------------------------------------------

@test "an epilog that runs twice leaves one record" {
	job 7 1 stream
	prolog
	step 7 batch 1000 2000
	epilog
	before=$(record 7)
	run epilog
	[ "$status" -eq 0 ]
	[ "$(record 7)" = "$before" ]
	rm "$NODE"/spool/*.json
	epilog
	[ ! -e "$NODE/spool/7.0.c1.json" ]
}

@test "an epilog that runs twice leaves one record of a job that was requeued meanwhile" {
	job 7 1 stream
	prolog
	JOB_ENV+=(SLURM_JOB_RESTART_COUNT=1) # slurmctld counts before the epilog
	epilog
	epilog
	[ "$(find "$NODE/spool" -name '7.*.json')" = "$NODE/spool/7.0.c1.json" ]
}

@test "a user who fills the spool does not keep the records of others out" {
	NODE_JOBIO='spool_max_records = 3' node_conf
	for id in 1 2 3; do
		job $id
		prolog
		epilog
		touch -d "2026-11-21 01:00:0$id" "$NODE/spool/$id.0.c1.json"
	done
	job 4
	JOB_ENV+=(SLURM_JOB_UID=1001 SLURM_UID=1001)
	prolog
	run epilog
	[ "$status" -eq 0 ]
	expect_in "record: '$NODE/spool/3.0.c1.json': the spool has spool_max_records, most of them this user's: this record is lost, older ones are kept" "$output"
	[ "$(grep -c 'is lost' <<<"$output")" -eq 1 ]
	[ "$(cd "$NODE/spool" && echo *.json)" = '1.0.c1.json 2.0.c1.json 4.0.c1.json' ]
	# two of one user and one of another: nobody has more than his share
	for id in 5 6; do
		job $id
		((id == 5)) || JOB_ENV+=(SLURM_JOB_UID=1001 SLURM_UID=1001)
		prolog
		run epilog
		expect_in "record: '$NODE/spool/$id.0.c1.json': the spool has spool_max_records: this record is lost" "$output"
	done
	[ "$(cd "$NODE/spool" && echo *.json)" = '1.0.c1.json 2.0.c1.json 4.0.c1.json' ]
}

@test "a spool that holds as many records as it may refuses the newest, loudly, and keeps the others" {
	NODE_JOBIO='spool_max_records = 3' node_conf
	for id in 1 2 3; do
		job $id
		prolog
		run epilog
		[ "$status" -eq 0 ]
		[[ $output != *lost* ]]
	done
	job 4
	prolog
	run epilog
	[ "$status" -eq 0 ]
	expect_in "record: '$NODE/spool/4.0.c1.json': the spool has spool_max_records: this record is lost, older ones are kept: look why jobio-send does not reach the ledger" "$output"
	[ "$(grep -c 'is lost' <<<"$output")" -eq 1 ]
	[ "$(cd "$NODE/spool" && echo *.json)" = '1.0.c1.json 2.0.c1.json 3.0.c1.json' ]
	[ ! -e "$NODE/run/4" ] && [ ! -e "$NODE/spool/open/4.c1.json" ]
	# the record that is there already may be written again, and room is used
	job 3
	prolog
	run epilog
	[[ $output != *lost* ]]
	rm "$NODE/spool/1.0.c1.json"
	job 5
	prolog
	epilog
	[ -e "$NODE/spool/5.0.c1.json" ]
}

@test "a job whose prolog never ran has a record all the same" {
	job 7
	epilog
	expect_in '"quality":["no_step","start_unknown"]' "$(record 7 x)"
}

@test "a prolog that runs twice is as good as once" {
	job 7 1 stream
	prolog
	prolog
	expect_options forcedirect
	epilog
	expect_base
	expect_in "$FORCEDIRECT,\"restored\":true" "$(record 7)"
}

@test "what a job without an epilog left is mended by the next job, which also writes its record" {
	job 7 1 stream
	prolog
	step 7 batch 1000 2000
	job 8 1
	run prolog
	[ "$status" -eq 0 ]
	expect_in 'mended what dead jobs had left' "$output"
	expect_base
	expect_in "$FORCEDIRECT,\"restored\":true" "$(record 7)"
	expect_in '"read_bytes":1000' "$(record 7)"
	[ ! -e "$NODE/run/7" ]
	[ ! -e "$NODE/spool/open/7.c1.json" ]
}

@test "a folder that says nothing of its job goes, once its changes are taken back" {
	job 7 1 stream
	prolog
	rm -r "$NODE/spool/open/7.c1.json" "$NODE/run/7/start.json"
	mkdir -p "$NODE/run/6/steps" # slurmstepd made it: no prolog, no epilog
	step 6 batch 1 2
	job 8 1
	run prolog
	[ "$status" -eq 0 ]
	expect_base
	expect_in 'of job 7: nothing says whose it was: no record' "$output"
	expect_in 'of job 6: nothing says whose it was: no record' "$output"
	[ ! -e "$NODE/run/7" ]
	[ ! -e "$NODE/run/6" ]
}

@test "a folder that says nothing of its job goes on a shared node too, once it is old and no slurmstepd has it" {
	mkdir -p "$NODE"/run/{4,5,6}/steps
	step 5 batch 1 2
	touch -d '11 minutes ago' "$NODE"/run/{5,6}/steps "$NODE"/run/{5,6}
	bash -c 'exec -a "slurmstepd: [6.extern]" sleep 30' &
	wait_for pgrep -f '^slurmstepd: \[6[.]extern'
	job 8
	run prolog
	kill $!
	[ "$status" -eq 0 ]
	expect_in 'of job 5: nothing says whose it was: no record' "$output"
	[ "$(cd "$NODE/run" && echo [456])" = '4 6' ]
}

@test "a job that shares the node mends what a dead one left, and writes its record" {
	job 7 1 stream
	prolog
	job 8
	run prolog
	expect_in '1 settings put back, 1 records' "$output"
	expect_base
	[ ! -e "$NODE/run/7" ]
	expect_in "$FORCEDIRECT,\"restored\":true" "$(record 7)"
	job 7 1 stream
	epilog
	expect_in "$FORCEDIRECT,\"restored\":true" "$(record 7)"
}

@test "a requeued job has two records, one a run" {
	job 7 1 stream
	prolog
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

@test "two runs of a job are two records where Slurm does not count restarts" {
	job 7 1
	old_slurm
	prolog
	epilog
	sleep 1 # the name has the second in it
	prolog
	epilog
	[ "$(find "$NODE/spool" -name '7.x.c1*.json' | wc -l)" -eq 2 ]
}

@test "a value that somebody else has set since is left alone" {
	job 7 1 stream
	prolog
	sed -i 's/forcedirect/readcache/' "$NODE/weka/mounts"
	run epilog
	[ "$status" -eq 0 ]
	expect_options readcache
	expect_in 'W43' "$output"
	expect_in "$FORCEDIRECT,\"restored\":false" "$(record 7)"
}

@test "a mount that is gone needs nothing back" {
	job 7 1 stream
	prolog
	: >"$NODE/weka/mounts"
	run epilog
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	expect_in '"restored":true' "$(record 7)"
}

@test "an option that cannot be put back is a finding; the record is written, and the next job tries again" {
	job 7 1 stream
	prolog
	touch "$NODE/weka/mount-fails"
	run epilog
	[ "$status" -eq 0 ]
	expect_in "W42 '/mnt/weka' could not get writecache back: mount -o remount," "$output"
	expect_in "$FORCEDIRECT,\"restored\":false" "$(record 7)"
	rm "$NODE/weka/mount-fails"
	job 8
	prolog
	expect_base
}

@test "an unreadable journal does not keep the setting from going back" {
	job 7 1 stream
	prolog
	head -c 300 /dev/urandom >"$NODE/run/7/journal"
	echo >>"$NODE/run/7/journal"
	run epilog
	[ "$status" -eq 0 ]
	expect_base
	expect_in '"journal_damaged"' "$(record 7)"
}

@test "what cannot be noted down in /run is put back all the same" {
	job 7 1 stream
	prolog
	rm "$NODE/run/command"
	mkdir -p "$NODE/run/command" "$NODE/run/released"
	chmod 0400 "$NODE/run/7/journal"
	run epilog
	[ "$status" -eq 0 ]
	expect_base
	expect_in "$FORCEDIRECT,\"restored\":true" "$(record 7)"
	[ ! -e "$NODE/run/7" ]
}

@test "a journal that is no file does not keep the setting from going back" {
	job 7 1 stream
	prolog
	rm "$NODE/run/7/journal"
	mkdir "$NODE/run/7/journal"
	run epilog
	[ "$status" -eq 0 ]
	expect_base
	[ ! -e "$NODE/run/7" ]
}

@test "without journal and start.json the open record in the spool is enough" {
	job 7 1 stream
	prolog
	rm -r "$NODE/run/7"
	run epilog
	[ "$status" -eq 0 ]
	expect_base
	expect_in "$FORCEDIRECT,\"restored\":true" "$(record 7)"
}

@test "a job cancelled while its prolog works is put back by the epilog, which waits for the prolog" {
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

@test "a remount that a killed prolog left running is ended before anything is put back" {
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

@test "after a reboot --recover turns what is open into records" {
	job 7 1 stream
	prolog
	reboot
	run recover
	[ "$status" -eq 0 ]
	expect_in 'mended what dead jobs had left: 0 settings put back, 1 records' "$output"
	expect_in '"node_rebooted"' "$(record 7)"
	expect_in '"end":null' "$(record 7)"
	[ ! -e "$NODE/spool/open/7.c1.json" ]
	run recover
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "an epilog after a reboot says so in the record" {
	job 7 1 stream
	prolog
	reboot
	epilog
	expect_in '"node_rebooted"' "$(record 7)"
	[ "$(ls "$NODE/spool/open")" = "" ]
}

@test "--recover mends jobs that no slurmstepd runs for, and leaves the others" {
	job 7 1 stream
	prolog
	bash -c 'exec -a "slurmstepd: [7.extern]" sleep 30' &
	wait_for pgrep -f '^slurmstepd: \[7[.]extern'
	recover
	expect_options forcedirect
	kill $!
	wait $! || :
	recover
	expect_base
}

@test "the record of a requeued job has the restart count of its own run, not of the next" {
	job 7
	run prolog
	[ "$status" -eq 0 ]
	# slurmctld counts before the epilog runs
	JOB_ENV+=(SLURM_JOB_RESTART_COUNT=1)
	run epilog
	[ "$status" -eq 0 ]
	expect_in '"restart":0' "$(record 7)"
}
