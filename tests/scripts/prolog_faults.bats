#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# prolog_faults.bats - faults of the user, of jobio and of the node, and the reaction of prolog and
# epilog.
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

# ---- faults of the user ----------------------------------------------------

@test "W58: a forged request is ignored with the reason, changes nothing and drains no node" {
	NODE_JOBIO=$'on_error=drain\ngate=enforce' node_conf
	job 7
	JOB_ENV+=(SPANK_JOBIO_VERSION=1 'SPANK_JOBIO_IO_CORES=1; rm -rf /')
	expect_run 0 prolog "W58 the job's I/O options are left out: SPANK_JOBIO_IO_CORES"
	grep -q "^note=the job's I/O options have no effect: SPANK_JOBIO_IO_CORES" "$NODE/run/7/gate"
	expect_gate 7 asked=0
	expect_base
	epilog
	expect_in '"refused":null' "$(record 7)"
}

# reservation by Slurm | io-cores of the job | AllowSpecResourcesUsage | the reason
@test "W59: io-cores that Slurm does not reserve are left out, with Slurm's reason" {
	local reserved wanted why
	while IFS='|' read -r reserved wanted allow why; do
		slurmd_env 7
		node_slurm 1
		sed -i "s/\"allow_spec_resources_usage\": *[a-z]*/\"allow_spec_resources_usage\":$allow/" "$NODE/node-record"
		rm -f "$NODE/run/node.json"
		JOB_ENV+=(SPANK_JOBIO_VERSION=1 "SPANK_JOBIO_IO_CORES=$wanted")
		if [ "$reserved" = untold ]; then # Slurm 22.05
			for i in "${!JOB_ENV[@]}"; do
				[[ ${JOB_ENV[i]} != SLURM_JOB_@(CORE_SPEC|START)* ]] || unset "JOB_ENV[i]"
			done
		else
			JOB_ENV+=("SLURM_JOB_CORE_SPEC_COUNT=$reserved")
		fi
		prolog 2>/dev/null
		expect_gate 7 "note=io-cores without use: $why"
		expect_gate 7 asked=1
		epilog
		expect_in '"code":"W59","severity":"warning"' "$(record 7)"
	done <<-'END'
		1|2|true|Slurm reserves 1 cores for the job, which asked for 2 io-cores
		0|1|true|Slurm reserves no cores for the job
		0|1|false|slurmctld reserves no cores for jobs: it runs AllowSpecResourcesUsage=no
		untold|1|false|slurmctld reserves no cores for jobs: it runs AllowSpecResourcesUsage=no
	END
}

@test "gate = enforce: the gate file of a plain job has the spec set, and slurmctld is asked for it once" {
	NODE_JOBIO=gate=enforce node_conf
	sed -i 's/"core_spec_count":0/"core_spec_count":1/' "$NODE/node-record"
	starts 7
	expect_gate 7 spec_cpus=7,15
	expect_gate 7 asked=0
	starts 8
	[ "$(grep -c node "$NODE/asked")" = 1 ]
	NODE_JOBIO=gate=warn node_conf
	rm "$NODE/run/node.json"
	starts 9
	expect_gate 9 spec_cpus=
}

@test "random bytes in SPANK_JOBIO_* are ignored" {
	NODE_JOBIO=on_error=drain node_conf
	for _ in $(seq "$(rounds 40)"); do
		cores=$(head -c 12 /dev/urandom | tr -d '\0\n')
		profile=$(head -c 40 /dev/urandom | tr -d '\0\n')
		slurmd_env 7
		JOB_ENV+=(SPANK_JOBIO_VERSION=1 SPANK_JOBIO_IO_CORES="x$cores"
			SPANK_JOBIO_IO_PROFILE="$profile" SLURM_JOB_CORE_SPEC_COUNT=1)
		prolog 2>"$NODE/log"
		expect_gate 7 asked=0
		LC_ALL=C grep -qaP '[\x00-\x08\x0b-\x1f\x7f]' "$NODE/log" "$NODE/run/7/gate" &&
			fail "control characters got through"
		epilog
	done
	expect_base
	[ ! -e "$NODE/weka/mount-calls" ]
}

@test "a profile with contradicting options is not applied, and the record has no change" {
	NODE_MORE=$'[profile odd]\nmount_options=forcedirect,readcache' node_conf
	job 7 1 odd
	expect_run 0 prolog "W49 mount option 'forcedirect' of the profile and its 'readcache' exclude each other; the profile was not applied"
	expect_base
	[ ! -e "$NODE/weka/mount-calls" ]
	grep -q "^note=profile 'odd' was not applied: mount option 'forcedirect'" "$NODE/run/7/gate"
	epilog
	expect_in '"changes":[]' "$(record 7)"
}

@test "a profile without a setting of this node's client is not applied, and the job gets the reason" {
	local set
	for set in read_ahead_kb=512 parameters=osc.checksums=0 mmconfig=maxMBpS=1000; do
		NODE_MORE=$'[profile odd]\nio_cores=1\n'$set node_conf
		job 7 1 odd
		expect_run 0 prolog ''
		expect_gate 7 "note=profile 'odd' was not applied: it has no setting that this node's client takes"
		grep -qx 'io_profile=' "$NODE/run/7/gate"
		epilog
		expect_in '"profile":"odd","applied":false' "$(record 7)"
	done
	NODE_MORE=$'[profile odd]\nio_cores=1\ndescription=cores only' node_conf
	one_job 7 1 odd
	expect_in '"profile":"odd","applied":true' "$(record 7)"
}

@test "a client on other cores than those that Slurm reserves is reported to the job, with both" {
	echo 5 >"$NODE/weka/stable"
	node_interface
	job 7 1
	prolog 2>/dev/null
	expect_gate 7 "note=io-cores without use: the filesystem client works on CPU 5,13, Slurm reserved CPU 7,15 for it"
	epilog
	expect_in '"profile":null,"applied":null,"cores_met":false' "$(record 7)"
	NODE_MORE=$'[profile odd]\nread_ahead_kb=512' node_conf
	job 8 1 odd
	prolog 2>/dev/null
	expect_gate 8 "note=profile 'odd' was not applied: it has no setting that this node's client takes; io-cores without use: the filesystem client works on CPU 5,13, Slurm reserved CPU 7,15 for it"
	epilog
	expect_in '"profile":"odd","applied":false,"cores_met":false' "$(record 8)"
}

@test "an option that a profile names twice is changed once" {
	NODE_MORE=$'[profile odd]\nmount_options=forcedirect,forcedirect' node_conf
	starts 7 1 odd
	expect_options forcedirect
	epilog
	expect_base
	expect_in '"old":"writecache","new":"forcedirect"' "$(record 7)"
}

@test "without jobio-slurm nothing is changed, and the job gets the reason" {
	job 7 - stream
	old_slurm
	rm "$NODE/bin/jobio-slurm"
	expect_run 0 prolog 'W56 whether the job has the node to itself is unknown, so nothing was changed for it: '
	expect_base
	grep -q "^note=profile 'stream' was not applied: whether the job has the node to itself is unknown" "$NODE/run/7/gate"
}

@test "a slurmctld that does not answer is not taken for a hanging client, and drains no node" {
	NODE_JOBIO=$'on_error=drain\nprolog_budget_ms=6000' node_conf
	node_fake jobio-slurm 'exec sleep 1000'
	job 7 1
	expect_run 0 prolog 'W50 the cores that Slurm withholds are unknown: ' \
		"/bin/jobio-slurm': no answer within " '; cure: see whether slurmctld answers on this node'
	[ "$(grep -c . <<<"$output")" -eq 1 ]
	expect_gate 7 client_cpus=7,15
}

# slurm_as_it_is - a jobio-slurm that refuses timeouts below 100 ms, as the real one does
slurm_as_it_is() {
	mv "$NODE/bin/jobio-slurm" "$NODE/bin/jobio-slurm-itself"
	# shellcheck disable=SC2016 # the fake expands it
	node_fake jobio-slurm '((${1#--timeout-ms=} >= 100)) || { echo "usage: jobio-slurm .." >&2; exit 2; }
	exec "$0-itself" "$@"'
}

@test "if no time is left slurmctld is not asked, with a finding" {
	slurm_as_it_is
	NODE_JOBIO=prolog_budget_ms=150 node_conf
	job 7 1
	expect_run 0 prolog 'W50 the cores that Slurm withholds are unknown: no time is left to ask slurmctld (prolog_budget_ms); cure: '
	epilog
	# a hanging client has used the time
	touch "$NODE/weka/hang"
	rm -f "$NODE/run/client.weka.json"
	NODE_JOBIO=prolog_budget_ms=500 node_conf
	job 8 - stream
	old_slurm
	run prolog
	expect_in 'W56 whether the job has the node to itself is unknown, so nothing was changed for it: no time is left to ask slurmctld (prolog_budget_ms); cure: ' "$output"
	expect_base
	[ ! -e "$NODE/asked" ]
}

@test "jobio-node caches slurmctld's node record, or prints the reason and fails" {
	local helper=("$NODE/bin/jobio-node" --run-dir="$NODE/run" --name=c1)
	mkdir -p "$NODE/run"
	export HWLOC_XMLFILE=$NODE/machine.xml
	run "${helper[@]}" --timeout-ms=20000
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ -s "$NODE/run/node.json" ]
	rm "$NODE/run/node.json"
	node_fake jobio-slurm 'echo "no slurmctld here" >&2; exit 1'
	run "${helper[@]}" --timeout-ms=20000
	[ "$status" -eq 1 ]
	expect_in 'no slurmctld here' "$output"
	[ "$(grep -c . <<<"$output")" -eq 1 ]
	[ ! -e "$NODE/run/node.json" ]
	run "${helper[@]}" --timeout-ms=600001
	[ "$status" -eq 64 ]
	[ "$output" = "jobio: node: --timeout-ms: '600001': not a number from 0 to 600000" ]
	run "$NODE/bin/jobio-node" --name=c1
	[ "$status" -eq 64 ]
	[ "$output" = 'jobio: node: --run-dir and --name are needed' ]
	run "${helper[@]}" --help
	[ "$status" -eq 0 ]
	expect_in 'usage: jobio-node' "$output"
}

@test "if slurm.conf changes while slurmctld is asked it is asked again" {
	mkdir "$NODE/slurm"
	touch "$NODE/slurm/slurm.conf"
	NODE_ENV=(SLURM_CONF="$NODE/slurm/slurm.conf")
	# shellcheck disable=SC2016 # the fake expands it
	node_fake jobio-slurm 'echo again >>"${0%/bin/*}/asked"
	[ "$(wc -l <"${0%/bin/*}/asked")" -gt 1 ] || echo >>"$SLURM_CONF"
	cat "${0%/bin/*}/node-record"'
	job 7 1
	expect_run 0 prolog ''
	[ "$(wc -l <"$NODE/asked")" -eq 2 ]
	expect_gate 7 io_cpus=7,15
}

@test "if slurm.conf changes all the time the cores are unknown, and the job runs" {
	mkdir "$NODE/slurm"
	touch "$NODE/slurm/slurm.conf"
	NODE_ENV=(SLURM_CONF="$NODE/slurm/slurm.conf")
	# shellcheck disable=SC2016 # the fake expands it
	node_fake jobio-slurm 'echo >>"$SLURM_CONF"
	cat "${0%/bin/*}/node-record"'
	job 7 1
	expect_run 0 prolog 'W50 the cores that Slurm withholds are unknown: slurmd or slurm.conf changes all the time'
}

@test "a hanging client and a hanging driver together take at most prolog_budget_ms" {
	NODE_JOBIO=$'on_error=drain\nprolog_budget_ms=1200' NODE_CLIENT=timeout_ms=1000 node_conf
	touch "$NODE/weka/hang"
	rm "$NODE/proc/interface"
	mkfifo "$NODE/proc/interface" # open(2) waits for a writer
	job 7
	local began=${EPOCHREALTIME/./}
	expect_run 1 prolog "W14 'weka local ps' hangs: '$NODE/bin/weka': no answer within" \
		"W38 the budget was used up before the driver could answer: the client was not judged"
	[ $((${EPOCHREALTIME/./} - began)) -lt 5000000 ]
}

@test "a hanging driver is a finding" {
	NODE_CLIENT=timeout_ms=1000 node_conf
	rm "$NODE/proc/interface"
	mkfifo "$NODE/proc/interface"
	job 7
	expect_run 0 prolog "W24 reading $NODE/proc/interface hangs: the driver is stuck"
}

# stuck WHAT - reading root's processes hangs: in the search for "agents", or for "titles"
stuck() {
	cp --remove-destination "$BUILDDIR/tests/faults/jobio-prepare" "$NODE/bin/jobio-prepare"
	# shellcheck disable=SC2034 # node.bash uses it
	NODE_ENV=(JOBIO_FAULT_HANG="$1")
}

@test "a process of root that cannot be read is a warning about the client, delays nothing and drains no node" {
	NODE_JOBIO=on_error=drain node_conf
	stuck agents
	job 7 1 stream
	local began=${EPOCHREALTIME/./}
	expect_run 0 prolog
	[ $((${EPOCHREALTIME/./} - began)) -lt 15000000 ]
	expect_in "W41 timed out scanning root's processes for agents: a process is stuck" "$output"
	[[ $output != *W38* ]] || fail "the client was not judged: $output"
	expect_options forcedirect
	[ ! -e "$NODE/run/reason" ]
}

@test "if the search for slurmstepds times out other jobs count as running, and no node is drained" {
	NODE_JOBIO=on_error=drain node_conf
	for id in 5 6; do
		starts $id
	done
	# their prologs ran long ago, and no slurmstepd has started a step
	touch -d '20 minutes ago' "$NODE"/run/[56]/gate
	stuck titles
	rm "$NODE/run/client.weka.json" # warnings are printed when the client is examined
	job 7 1 stream
	local began=${EPOCHREALTIME/./}
	expect_run 0 prolog
	[ $((${EPOCHREALTIME/./} - began)) -lt 15000000 ]
	expect_in "W54 scanning /proc for slurmstepd timed out: assuming that other jobs are running" "$output"
	[ -d "$NODE/run/5" ]
	[ -d "$NODE/run/6" ]
	expect_base
	[ ! -e "$NODE/run/reason" ]
}

# ---- faults of jobio -------------------------------------------------------

@test "a client type without a mount on the node is a finding, and the job runs" {
	local type id=7
	for type in lustre gpfs; do # NFS: the profile is an error of jobio.conf
		NODE_CLIENT=type=$type node_conf
		# remove keys that only WEKA's section may have
		sed -i -E '/^(command|proc_dir|service_conf|agent_pidfile|stats_socket)=/d' \
			"$NODE/jobio.conf"
		job $((++id)) 1 stream
		expect_run 0 prolog "01 no file system of type $type is mounted; cure: "
		epilog
		[ "$(record $id | jq -r .client.type)" = "$type" ]
	done
}

@test "a node without a [client] section runs its jobs without a client" {
	NODE_CLIENT='nodes=gpu[1-9],login1' node_conf
	job 7 1 stream
	expect_run 0 prolog
	expect_gate 7 client=
	grep -q "^note=profile 'stream' was not applied: jobio.conf has no client for node c1: .*; io-cores without use: jobio.conf has no client" "$NODE/run/7/gate"
	epilog
	expect_in 'W51' "$(record 7)"
	expect_in 'jobio.conf has no client for node c1' "$(record 7)"
}

@test "without jobio.conf a job without a request runs, without output" {
	rm "$NODE/jobio.conf"
	job 8
	expect_run 0 prolog ''
	expect_run 0 epilog ''
}

@test "without jobio.conf a job with a request runs, and the log has the reason" {
	rm "$NODE/jobio.conf"
	job 7 1 stream
	expect_run 0 prolog 'No such file or directory; the job runs without jobio'
}

@test "with a broken jobio.conf jobs run" {
	NODE_JOBIO=gate=maybe node_conf
	job 7 1 stream
	expect_run 0 prolog "jobio.conf:5: [jobio] gate: 'maybe'"
	expect_run 0 epilog
}

@test "helpers with wrong arguments print what is wrong, and do nothing" {
	local helper
	for helper in jobio-prepare jobio-release; do
		run "$NODE/bin/$helper" --help
		[ "$status" -eq 0 ]
		[[ ${lines[0]} == "usage: $helper [--"* ]] || fail "$output"
		run "$NODE/bin/$helper" --cnof="$NODE/jobio.conf"
		[ "$status" -eq 64 ]
		[ "$output" = "jobio: ${helper#jobio-}: '--cnof=$NODE/jobio.conf': no such option, or its value is missing; see $helper --help" ]
		run "$NODE/bin/$helper" --conf="$NODE/jobio.conf" 7
		[ "$status" -eq 64 ]
		[ "$output" = "jobio: ${helper#jobio-}: '7': one word too many" ]
	done
	[ ! -e "$NODE/run" ]
}

@test "an epilog with a broken jobio.conf prints that there is no record, one without jobio.conf prints nothing" {
	NODE_JOBIO=gate=maybe node_conf
	job 7
	expect_run 0 epilog "'maybe'" \
		'there is no record of this job'
	rm "$NODE/jobio.conf"
	expect_run 0 epilog ''
}

# drains - number of drain requests to slurmctld; last_drain - the last one
drains() { grep -c ' drain' "$NODE/asked" || :; }
last_drain() { grep ' drain' "$NODE/asked" | tail -n 1; }

@test "a prolog that drains its node sends slurmctld the reason, once, before it fails; other prologs send nothing" {
	NODE_JOBIO=on_error=drain node_conf
	: >"$NODE/asked"
	echo STEM >"$NODE/weka/status"
	job 7 1 stream
	expect_run 1 prolog
	[ "$(drains)" -eq 1 ]
	expect_in '--timeout-ms=2000 drain c1 jobio:W08 container client is STEM, not READY' "$(last_drain)"
	epilog
	echo READY >"$NODE/weka/status"
	starts 8 1 stream
	[ ! -e "$NODE/run/reason" ]
	epilog
	[ "$(drains)" -eq 1 ]
	# with other settings no drain is requested
	echo STEM >"$NODE/weka/status"
	for NODE_JOBIO in on_error=continue $'on_error=drain\nenabled=no'; do
		node_conf
		job 9 1 stream
		expect_run 0 prolog
		epilog
	done
	[ "$(drains)" -eq 1 ]
}

@test "a slurmctld that does not accept the reason is reported in one line, and nothing else changes" {
	NODE_JOBIO=on_error=drain node_conf
	node_fake jobio-slurm 'case $* in *" drain"*) echo "slurmctld: no answer before the deadline" >&2; exit 1 ;; esac; exit 1'
	echo STEM >"$NODE/weka/status"
	job 7
	expect_run 1 prolog 'jobio: prolog: job 7: reason: slurmctld: no answer before the deadline'
	grep -q '^jobio:W08 ' "$NODE/run/reason"
}

@test "a fault of jobio is the drain reason of prolog and epilog" {
	NODE_JOBIO=on_error=drain node_conf
	starts 7
	: >"$NODE/asked"
	mv "$NODE/spool" "$NODE/spool-away"
	: >"$NODE/spool"
	expect_run 1 epilog
	expect_in '--timeout-ms=2000 drain-new c1 jobio:epilog ' "$(last_drain)"
	job 8
	expect_run 1 prolog
	expect_in '--timeout-ms=2000 drain c1 jobio:prolog ' "$(last_drain)"
	[ "$(drains)" -eq 2 ]
}

@test "a client that takes CPUs from Slurm drains its node with on_error=drain" {
	NODE_JOBIO=on_error=drain node_conf
	echo isolate_cpusets=true >"$NODE/weka/service.conf"
	touch -d 2020-01-01 "$NODE/weka/service.conf"
	job 7
	expect_run 1 prolog
	grep -qE "^jobio:W01 .*/service.conf sets isolate_cpusets='?true'?: " "$NODE/run/reason"
}

@test "a refusal by the gate after the prolog is in the record" {
	starts 7
	printf '{"step":"batch","source":"stepd","read_bytes":1,"write_bytes":2,"read_calls":3,"write_calls":4,"array_job_id":null,"array_task_id":null,"restart":0,"start":1795224862,"end":1795224890,"refused":"the job may run on CPU 7"}\n' \
		>"$NODE/run/7/steps/batch"
	epilog
	expect_in '"refused":"the job may run on CPU 7"' "$(record 7)"
}

@test "with a missing or crashing helper jobs run" {
	NODE_JOBIO=on_error=drain node_conf
	job 7 1 stream
	rm "$NODE/bin/jobio-prepare"
	expect_run 0 prolog 'jobio-prepare could not run (127): going on without jobio'
	node_fake jobio-prepare 'kill -SEGV $$'
	expect_run 0 prolog 'jobio-prepare could not run (139)'
}

# crash_worker - kill the process that examines the client, not the one that waits for it
crash_worker() {
	wait_for test -e "$NODE/weka/mount-begun"
	rm "$NODE/weka/mount-begun"
	kill -ABRT "$(pgrep -n -f "^$NODE/bin/jobio-prepare")" # forked last; sanitizers catch SEGV
}

@test "after a crash of jobio-prepare's worker the job runs, or the node is drained with on_error=drain" {
	node_slow_mount 1
	job 7 1 stream
	crash_worker 3>&- &
	expect_run 0 prolog 'ended by signal 6' \
		'going on: on_error=continue'
	# no gate file: slurmstepd prints that to the job (test_plugin)
	[ ! -e "$NODE/run/7/gate" ]
	epilog
	expect_base
	# results that the prolog has not reported are not taken for success
	expect_in '"profile":"stream","applied":false,"cores_met":false' "$(record 7)"
	expect_in "$FORCEDIRECT,\"restored\":true,\"made\":null" "$(record 7)"
	NODE_JOBIO=on_error=drain node_conf
	job 8 1 stream
	crash_worker 3>&- &
	expect_run 1 prolog 'jobio-prepare failed (70): draining this node'
	epilog
	expect_base
}

@test "if run_dir cannot be made the job runs, or the node is drained with on_error=drain" {
	touch "$NODE/run"
	job 7 1 stream
	expect_run 0 prolog 'going on: on_error=continue'
	NODE_JOBIO=on_error=drain node_conf
	expect_run 1 prolog 'jobio-prepare failed (70): draining this node'
	expect_base
	rm "$NODE/run"
	epilog
	expect_in '"request":{"io_cores":1,"profile":"stream","applied":false,"cores_met":false}' "$(record 7 x)"
	expect_in start_unknown "$(record 7 x)"
	job 8
	epilog
	expect_in '"request":null' "$(record 8 x)"
}

@test "if the state cannot be written nothing is changed" {
	job 7 1 stream
	mkdir -p "$NODE/spool/open/7.c1.json"
	expect_run 0 prolog 'going on: on_error=continue'
	expect_base
	[ ! -e "$NODE/weka/mount-calls" ]
}

# ---- faults of the node ----------------------------------------------------

@test "a node without a WEKA mount has a finding; it is drained only with on_error=drain" {
	: >"$NODE/weka/mounts"
	job 7 1 stream
	expect_run 0 prolog 'W18 no file system of type wekafs is mounted'
	grep -q "^note=profile 'stream' was not applied: no filesystem of \[client weka\] is mounted$" "$NODE/run/7/gate"
	epilog
	expect_in '"code":"W18","severity":"error"' "$(record 7)"
	expect_in '"profile":"stream","applied":false' "$(record 7)"
	NODE_JOBIO=on_error=drain node_conf
	expect_run 1 prolog
	expect_in 'jobio:W18 no file system of type wekafs is mounted; cure: mount it' "$(cat "$NODE/run/reason")"
	epilog
}

@test "a client that is joining is a finding, and the reason is removed when it is READY" {
	NODE_JOBIO=on_error=drain node_conf
	echo CLUSTERIZING >"$NODE/weka/status"
	job 7 1
	expect_run 1 prolog
	expect_in "jobio:W08 container 'client' is CLUSTERIZING, not READY: Joining cluster" "$(cat "$NODE/run/reason")"
	epilog
	echo READY >"$NODE/weka/status"
	job 8 1
	expect_run 0 prolog
	[ ! -e "$NODE/run/reason" ]
}

# the timeout: of one command (W14), of the whole prolog (W38)
@test "a hanging weka command is a finding, and ends at timeout_ms or prolog_budget_ms" {
	local start
	touch "$NODE/weka/hang"
	NODE_CLIENT=timeout_ms=300 node_conf
	job 7 1 stream
	start=$SECONDS
	expect_run 0 prolog "W14 'weka local ps' hangs"
	[ "$(wc -l <"$NODE/weka/calls")" -eq 1 ]
	epilog
	expect_base
	NODE_JOBIO=prolog_budget_ms=500 node_conf
	rm -f "$NODE/run/client.weka.json"
	job 8 1 stream
	expect_run 0 prolog "W38 the budget was used up before 'weka local ps' could answer"
	[ $((SECONDS - start)) -lt 40 ]
	# there are no findings about what could not be examined in time
	[[ $output != *W41* ]]
}

@test "if the client does not answer the gate file has its last known CPUs" {
	one_job 7
	NODE_CLIENT=timeout_ms=300 node_conf
	touch "$NODE/weka/hang"
	rm "$NODE/run/client.weka.json" "$NODE/proc/interface"
	job 8
	expect_run 0 prolog
	expect_gate 8 client_cpus=7,15
}

@test "a hanging prolog is ended, and the job runs" {
	NODE_JOBIO=prolog_budget_ms=500 node_conf
	# shellcheck disable=SC2016 # the fake expands it
	node_fake weka 'kill -STOP $PPID; sleep 60'
	job 7 1 stream
	expect_run 0 prolog ' ms: ended; the epilog restores its changes'
	epilog
	expect_base
	[ -n "$(cat "$NODE"/spool/7.?.c1.json)" ]
}

# how mount(8) fails | the reason
@test "W40: after a remount that fails, hangs or has no effect the mount is unchanged, and the job gets the reason" {
	local how why id=6
	NODE_CLIENT=timeout_ms=2000 node_conf
	while IFS='|' read -r how why; do
		touch "$NODE/weka/mount-$how"
		job $((++id)) 1 stream
		expect_run 0 prolog "W40 '/mnt/weka' could not get forcedirect: " "$why"
		expect_base
		expect_gate $id io_profile=
		grep -q "^note=profile 'stream' was not applied: '/mnt/weka' could not get forcedirect: .*$why" "$NODE/run/$id/gate"
		[[ ! -e $NODE/run/command ]] || grep -q '^0 0 ' "$NODE/run/command"
		epilog
		expect_in "$FORCEDIRECT,\"restored\":null,\"made\":false" "$(record $id)"
		expect_in '"profile":"stream","applied":false' "$(record $id)"
		rm "$NODE/weka/mount-$how"
	done <<-'END'
		fails|exit status 32: mount.wekafs: refused
		lies|the mount table shows
		hangs|no answer within 2000 ms
	END
}

@test "a profile with an option that is not allowed is not applied" {
	NODE_MORE=$'[profile odd]\nmount_options=forcedirect,num_cores=4' node_conf
	job 7 1 odd
	expect_run 0 prolog "W49 mount option 'num_cores=4' of the profile: not an option that a profile may set"
	expect_base
	[ ! -e "$NODE/weka/mount-calls" ]
}

@test "a slurmd in a container is not taken for this node's" {
	local pid
	cp /bin/sleep "$NODE/slurmd"
	unshare --pid --fork "$NODE/slurmd" 60 3>&- &
	# shellcheck disable=SC2016 # the other bash expands it
	timeout 20 bash -c 'until pgrep -P "$1" -x slurmd; do sleep 0.1; done' bash $!
	pid=$(pgrep -P $! -x slurmd)
	starts 7 1
	kill "$pid"
	[[ $(jq .slurmd_pid "$NODE/run/node.json") =~ ^[0-9]+$ ]]
	[ "$(jq .slurmd_pid "$NODE/run/node.json")" -ne "$pid" ]
}
