#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# gpfs.bats - prolog and epilog on a node with IBM Storage Scale: a stand-in
# (tests/sim/gpfs), not a real one.
#
# shellcheck disable=SC2154 # bats sets output and status

load node
load crash
load gpfs

setup_file() { watch_library "$BATS_FILE_TMPDIR/watch.so"; }

setup() {
	node_make
	gpfs_make
}

teardown() { gpfs_remove; }

# findings_of ID - the codes of the findings in its record
findings_of() { record "$1" | jq -r '[.findings[].code] | join(" ")'; }

# wire ID - the client's counters in its record
wire() {
	record "$1" | jq -c '.wire[0] | [.scope, .source, .read_bytes, .write_bytes, .read_calls, .write_calls]'
}

# worked ID ... - run a job with gpfs_work ...
worked() {
	starts "$1"
	gpfs_work "${@:2}"
	epilog
}

# took_at_most SECONDS COMMAND... - fail if it takes longer
took_at_most() {
	local began=$SECONDS limit=$1
	shift
	"$@"
	[[ $((SECONDS - began)) -le $limit ]] || fail "took $((SECONDS - began)) s"
}

@test "a job on a healthy client has no finding, and the record names its mounts" {
	job 7
	expect_run 0 prolog ''
	expect_gate 7 client=gpfs:fast
	epilog
	[ "$(findings_of 7)" = '' ]
	[ "$(record 7 | jq -c '[.client.type, [.client.mounts[].mount]]')" = '["gpfs",["/scratch","/home"]]' ]
}

@test "the I/O of the node while a job ran is in its record, by mmpmon" {
	worked 7 268435456 67108864 256 64
	[ "$(wire 7)" = '["node","mmpmon",268435456,67108864,256,64]' ]
}

# lines ID - its client counters: filesystem, bytes read
lines() { record "$1" | jq -c '[.wire[] | [.fs, .read_bytes]]'; }

@test "each file system has one line, with any number of mounts" {
	sed -i '1i scratch /srv/first gpfs ro,relatime 0 0' "$NODE/gpfs/mounts"
	worked 7 4096 0 1 0
	[ "$(lines 7)" = '[["/srv/first",4096],["/home",0]]' ]
}

@test "file systems with the same name in two clusters are named by mount if it has the cluster's name, or else by cluster" {
	echo 'archive.example.org scratch 6 100 0 1 0 0 0 0 0' >>"$NODE/gpfs/counters"
	# it is not known which of the two is mounted on /scratch
	worked 7 4096 0 1 0
	[ "$(lines 7)" = '[["hpc.example.org:scratch",4096],["/home",0],["archive.example.org:scratch",0]]' ]
	echo 'archive.example.org:scratch /archive gpfs ro 0 0' >>"$NODE/gpfs/mounts"
	worked 8 4096 0 1 0
	[ "$(lines 8)" = '[["/scratch",4096],["/home",0],["/archive",0]]' ]
	NODE_CLIENT=mounts=/scratch gpfs_conf
	worked 9 4096 0 1 0
	[ "$(lines 9)" = '[["/scratch",4096]]' ]
}

@test "a file system that is mounted while a job runs counts whole, and the record has mounted_late" {
	starts 7
	echo 'hpc.example.org late 6 700 0 7 0 0 0 0 0' >>"$NODE/gpfs/counters"
	echo 'late /late gpfs rw 0 0' >>"$NODE/gpfs/mounts"
	epilog
	[ "$(lines 7)" = '[["/scratch",0],["/home",0],["/late",700]]' ]
	[ "$(record 7 | jq -c .quality)" = '["no_step","mounted_late"]' ]
}

@test "mmpmon's socket is used before the program" {
	gpfs_stop
	gpfs_start --socket
	worked 7 268435456 67108864 256 64
	[ "$(wire 7)" = '["node","mmpmon",268435456,67108864,256,64]' ]
	[ "$(gpfs_calls mmpmon)" -eq 0 ]
}

@test "a counter of calls that has wrapped to 0 is counted across its end" {
	gpfs_work 0 0 4294967000 0
	worked 7 1073741824 0 416 0
	[ "$(wire 7)" = '["node","mmpmon",1073741824,0,416,0]' ]
}

@test "after a reset of the counters there are no client counters, and wire_reset is the reason" {
	starts 7
	gpfs_work 500 0 5 0
	echo reset | "$NODE/gpfs/bin/mmpmon" -p -s
	epilog
	[ "$(record 7 | jq -c '[.wire, .quality]')" = '[null,["no_step","wire_reset"]]' ]
}

@test "a file system that is unmounted while a job runs has no client counters, and the others keep theirs" {
	starts 7
	gpfs_work 500 0 5 0
	sed -i '/ home /d' "$NODE/gpfs/counters"
	epilog
	[ "$(lines 7)" = '[["/scratch",500]]' ]
	[ "$(record 7 | jq -c .quality)" = '["no_step","unmounted"]' ]
}

@test "after a restart of mmfsd its counters are used from 0, also if they exceed the old ones" {
	starts 7
	gpfs_stop
	gpfs_start
	gpfs_work 1000000 1000000 1000 1000
	epilog
	[ "$(record 7 | jq -c '[.wire, .quality]')" = '[null,["no_step","wire_reset"]]' ]
}

@test "only the file systems of mounts= are counted, except one of an unknown cluster" {
	NODE_CLIENT=mounts=/home gpfs_conf
	worked 7 500 500 5 5
	[ "$(wire 7)" = '["node","mmpmon",0,0,0,0]' ]
	echo 'archive.example.org home 6 0 0 0 0 0 0 0 0' >>"$NODE/gpfs/counters"
	worked 8 500 500 5 5
	[ "$(record 8 | jq -c .wire)" = null ]
}

@test "an error or no reply of mmpmon is a finding, without client counters" {
	echo 16 >"$NODE/gpfs/rc"
	job 7
	expect_run 0 prolog "GP06 its counters cannot be read: mmpmon answers with _rc_ 16: another process holds its lock; cure: correct mmpmon= in jobio.conf"
	epilog
	[ "$(record 7 | jq -c .wire)" = null ]
	rm "$NODE/gpfs/rc" "$NODE/gpfs/bin/mmpmon"
	job 8
	run prolog
	expect_in "GP06 its counters cannot be read: mmpmon: cannot execute $NODE/gpfs/bin/mmpmon: No such file or directory" "$output"
	epilog
	[ "$(findings_of 8)" = GP06 ]
}

@test "a hanging mmpmon is one finding, delays the job by a second, and does not drain the node" {
	NODE_JOBIO=on_error=continue gpfs_conf
	touch "$NODE/gpfs/hang"
	job 7
	began=$SECONDS
	expect_run 0 prolog
	[ $((SECONDS - began)) -le 8 ]
	expect_in "GP04 mmfsd does not answer: '$NODE/gpfs/bin/mmpmon': no answer within " "$output"
	expect_in 'ms; cure: see mmhealth node show' "$output"
	[ "$(grep -c GP0 <<<"$output")" -eq 1 ]
	[ "$(gpfs_calls mmpmon)" -eq 1 ]
	took_at_most 8 epilog
	[ "$(findings_of 7)" = GP04 ]
	[ "$(record 7 | jq -c .wire)" = null ]
}

@test "a mmfsd that accepts requests and never replies is the same single finding" {
	gpfs_stop
	gpfs_start --socket
	touch "$NODE/gpfs/hang"
	job 7
	expect_run 0 prolog "GP04 mmfsd does not answer: '$NODE/root/var/mmfs/mmpmon/mmpmonSocket': no answer in time"
	took_at_most 8 epilog
	[ "$(findings_of 7)" = GP04 ]
}

@test "a mmpmon that starts to hang while a job runs does not delay its epilog, and the record has client_unreadable" {
	starts 7
	touch "$NODE/gpfs/hang"
	took_at_most 8 epilog
	[ "$(record 7 | jq -c '[.wire, .quality]')" = '[null,["no_step","client_unreadable"]]' ]
	job 8
	run prolog # the next job has the finding
	expect_in 'GP04 mmfsd does not answer' "$output"
	epilog
}

@test "mmpmon never runs twice at the same time on a node" {
	local id pids=()
	echo 0.3 >"$NODE/gpfs/slow"
	one_job 6 # with its cached reply the others need no first call
	for id in 7 8; do
		(job "$id"; prolog) &
		pids+=($!)
	done
	wait "${pids[@]}"
	[ "$(gpfs_calls mmpmon)" -ge 4 ]
	[ ! -e "$NODE/gpfs/overlapped" ]
}

@test "a hanging mmdiag is one finding" {
	NODE_CLIENT=timeout_ms=1000 gpfs_conf
	touch "$NODE/gpfs/hang-mmdiag"
	job 7
	expect_run 0 prolog "GP04 mmfsd does not answer: '$NODE/gpfs/bin/mmdiag': no answer within 1000 ms"
	epilog
	[ "$(findings_of 7)" = GP04 ]
	[ "$(gpfs_calls mmdiag)" -eq 1 ]
}

@test "a node without a running mmfsd is drained with on_error=drain" {
	gpfs_stop
	NODE_JOBIO=on_error=drain gpfs_conf
	job 7
	expect_run 1 prolog
	[ "$(<"$NODE/run/reason")" = 'jobio:GP03 2 file systems are mounted, but no process mmfsd runs: I/O to them blocks or fails; cure: mmstartup, and see /var/adm/ras/mmfs.log.latest' ]
	[ ! -e "$NODE/gpfs/calls" ]
}

@test "a node without its file systems is drained with on_error=drain" {
	NODE_JOBIO=on_error=drain gpfs_conf
	: >"$NODE/gpfs/mounts"
	job 7
	expect_run 1 prolog
	[ "$(<"$NODE/run/reason")" = 'jobio:GP01 no file system of type gpfs is mounted; cure: mmmount, or leave this node out of nodes= of [client] in jobio.conf' ]
}

@test "a file system of mounts= that is not mounted is a finding" {
	NODE_CLIENT='mounts=/scratch /archive' gpfs_conf
	job 7
	expect_run 0 prolog "GP02 '/archive' is not mounted (mounts= of [client fast]); cure: mount it, or correct mounts= in jobio.conf"
	epilog
	[ "$(findings_of 7)" = GP02 ]
}

@test "a missing mmdiag is a finding, and the job runs" {
	rm "$NODE/gpfs/bin/mmdiag"
	job 7
	expect_run 0 prolog "GP05 its settings are unknown: mmdiag: cannot execute $NODE/gpfs/bin/mmdiag: No such file or directory; cure: correct mmdiag= in jobio.conf"
	epilog
	[ "$(findings_of 7)" = GP05 ]
}

@test "a dynamic page pool is neither compared by its present size nor set by a profile" {
	sed -i 's/^pagepool .*/pagepool 1048576 dynamic/' "$NODE/gpfs/config"
	echo 'dynamicPagepoolEnabled yes static' >>"$NODE/gpfs/config"
	printf '[profile pool]\nmmconfig=pagepool=17179869184\n' >>"$NODE/jobio.conf"
	one_job 7 1 pool
	[ "$(findings_of 7)" = GP41 ]
	expect_in 'the profile asks for pagepool=17179869184, and mmfsd has a dynamic one","cure":"take it out of the profile in jobio.conf"' "$(record 7)"
	sed -i 's/^dynamicPagepoolEnabled .*/dynamicPagepoolEnabled no -/' "$NODE/gpfs/config"
	gpfs_rebooted
	one_job 8 2>/dev/null
	[ "$(findings_of 8)" = GP08 ]
}

@test "an attribute that this mmfsd does not list is not advised" {
	sed -i '/^fsyncIsGlobal/d; s/^maxMBpS .*/maxMBpS 24000 -/' "$NODE/gpfs/config" # 5.1
	one_job 7 1 stream
	[ "$(findings_of 7)" = GP41 ]
	expect_in 'the profile asks for fsyncIsGlobal=0, and mmfsd has none (mmdiag --config)","cure":"take it out of the profile in jobio.conf"' "$(record 7)"
}

@test "a value that is truncated in mmdiag's output is unknown" {
	sed -i 's/^pagepool .*/pagepool 4294967296 static/' "$NODE/gpfs/config"
	sed -i "s|'--config -Y')|&\n exec 1> >(head -c -15)|" "$NODE/gpfs/bin/mmdiag"
	sed -i '/^verbs/d' "$NODE/gpfs/config"
	one_job 7
	[ "$(findings_of 7)" = '' ]
}

@test "a stat cache with mostly misses is a finding, if mmpmon's socket has its counters" {
	echo '15000 120000' >"$NODE/gpfs/stat-cache"
	one_job 7
	[ "$(findings_of 7)" = '' ] # the program has no such counters
	gpfs_stop
	gpfs_start --socket
	one_job 8
	[ "$(findings_of 8)" = GP13 ]
	expect_in 'most lookups miss the stat cache (maxStatCache=1000) (120000 of 135000)' "$(record 8)"
}

@test "mmdiag's output is cached for later jobs" {
	one_job 7
	one_job 8
	[ "$(gpfs_calls mmdiag)" -eq 2 ] # config and waiters, once
	gpfs_stop
	gpfs_start
	one_job 9
	[ "$(gpfs_calls mmdiag)" -eq 4 ]
}

# synced ID FSYNCS [FS] - run a job without a profile that calls fsync so often on FS
synced() {
	count_syncs "$2" "${3:-/scratch}"
	one_job "$1"
}

# count_syncs FSYNCS FS - set the kernel's counters
count_syncs() {
	node_count '{"tier":"bpf","groups":["rw","meta"],"reason":null,"app":[
	{"scope":"job","shared":null,"source":"bpf","fs":"'"$2"'","read_bytes":0,"write_bytes":4096,"read_calls":0,"write_calls":2000,"meta":{"fsync":'"$1"'}},
	{"scope":"job","shared":null,"source":"bpf","fs":"/local","read_bytes":0,"write_bytes":0,"read_calls":0,"write_calls":0,"meta":{"fsync":50000}}],"quality":[]}'
}

@test "a job with many fsync calls has a finding if each waits for other nodes" {
	count_syncs 1000 /scratch
	one_job 7
	[ "$(findings_of 7)" = GP12 ]
	expect_in '"code":"GP12","severity":"info","text":"the job called fsync 1000 times on this node, and each waits for what other nodes have written of the file, too (fsyncIsGlobal=yes)","cure":"mmchconfig fsyncIsGlobal=no -i -N CLASS, for nodes where no job relies on another node'"'"'s fsync"' "$(record 7)"
	synced 8 999
	[ "$(findings_of 8)" = '' ]
	synced 9 1000 /mnt/other # not on the client's filesystem
	[ "$(findings_of 9)" = '' ]
	sed -i 's/^fsyncIsGlobal 1/fsyncIsGlobal no/' "$NODE/gpfs/config"
	synced 10 1000 /home
	[ "$(findings_of 10)" = '' ]
	sed -i 's/^fsyncIsGlobal no/fsyncIsGlobal yes/' "$NODE/gpfs/config"
	synced 11 1000 /home
	[ "$(findings_of 11)" = GP12 ]
	sed -i '/^fsyncIsGlobal/d' "$NODE/gpfs/config" # an older release
	synced 12 1000
	[ "$(findings_of 12)" = '' ]
}

@test "the epilog runs mmdiag only for a job with many fsync calls" {
	synced 7 999
	before=$(gpfs_calls mmdiag)
	synced 8 999
	[ "$(gpfs_calls mmdiag)" -eq "$before" ]
	synced 9 1000
	[ "$(gpfs_calls mmdiag)" -eq $((before + 1)) ]
	NODE_CLIENT=timeout_ms=1000 gpfs_conf
	starts 10
	touch "$NODE/gpfs/hang-mmdiag"
	took_at_most 8 epilog
	[ "$(findings_of 10)" = '' ]
}

# ---- settings ------------------------------------------------------------------

@test "mmfsd settings of a profile are advice, with the command that sets them" {
	job 7 1 stream
	expect_run 0 prolog
	[[ $(<"$NODE/run/7/gate") != *io_profile=stream* ]]
	epilog
	[ "$(record 7 | jq -r '.findings[] | .code, .severity, .text, .cure')" = "GP41
info
the profile asks for maxMBpS=24000, and mmfsd has 2048
mmchconfig maxMBpS=24000 -i -N CLASS
GP41
info
the profile asks for fsyncIsGlobal=0, and mmfsd has 1
mmchconfig fsyncIsGlobal=no -i -N CLASS" ]
	one_job 8 1 metadata
	expect_in 'the profile asks for maxStatCache=131072, and mmfsd has 1000' "$(record 8)"
	expect_in 'mmchconfig maxStatCache=131072 -N CLASS, and restart mmfsd there' "$(record 8)"
	sed -i 's/^maxStatCache .*/maxStatCache 131072 static/; s/^nBucketGroups .*/nBucketGroups 1024 static/' "$NODE/gpfs/config"
	starts 9 1 metadata
	expect_gate 9 io_profile=metadata
	epilog
	[ "$(findings_of 9)" = '' ]
}

@test "a profile with an attribute that jobio does not compare is refused as a whole" {
	job 7 1 wrong
	run prolog
	expect_in "GP49 setting 'autoload=1' of the profile: not a setting of Storage Scale that jobio compares; the profile was not applied" "$output"
	epilog
}

@test "of several hundred attributes those that jobio uses are cached, also for the next job" {
	local i
	sed -i 's/^pagepool .*/pagepool 1048576 dynamic/' "$NODE/gpfs/config"
	for i in {1..800}; do echo "anAttributeOfThem$i $i -"; done >"$NODE/gpfs/config.new"
	cat "$NODE/gpfs/config" >>"$NODE/gpfs/config.new"
	mv "$NODE/gpfs/config.new" "$NODE/gpfs/config"
	one_job 7 2>/dev/null
	[ "$(findings_of 7)" = GP08 ]
	[ "$(stat -c %s "$NODE/run/client.fast.json")" -lt 8192 ]
	one_job 8 2>/dev/null
	[ "$(findings_of 8)" = GP08 ]
	[ "$(gpfs_calls mmdiag)" -eq 2 ] # --config and --waiters, once
}

@test "each attribute that a profile may set is one that jobio reads" {
	printf '%s -\n' 'ignorePrefetchLUNCount yes' 'maxFilesToCache 4000' 'seqDiscardThreshold 1048576' \
		'workerThreads 512' 'writebehindThreshold 524288' >>"$NODE/gpfs/config"
	printf '%s\n' '[profile live]' \
		mmconfig=fsyncIsGlobal=1,ignorePrefetchLUNCount=1,maxMBpS=2048,seqDiscardThreshold=1048576,writebehindThreshold=524288 \
		'[profile started]' \
		mmconfig=maxFilesToCache=4000,maxStatCache=1000,nBucketGroups=128,pagepool=17179869184,workerThreads=512 >>"$NODE/jobio.conf"
	one_job 7 1 live
	one_job 8 1 started
	[ "$(findings_of 7),$(findings_of 8)" = , ]
	[ "$(record 7 | jq -c '[.request.applied, .changes]')" = '[true,[]]' ]
	[ "$(record 8 | jq -c '[.request.applied, .changes]')" = '[true,[]]' ]
}

# watched_job ID - run a job, with the paths that its helpers use in $NODE/watched
watched_job() {
	job "$1"
	prepare 2>/dev/null
	release 2>/dev/null
}

# reading /proc/stat adds up every interrupt of every CPU
@test "a job on a healthy client reads neither the list of processes nor /proc/stat" {
	gpfs_stop
	gpfs_start --socket
	watch_helpers
	watched_job 7
	rm "$NODE/watched"
	watched_job 8
	[ "$(record 8 | jq -c '.wire | length')" -eq 2 ]
	[ "$(watched open '/proc/stat$')" -eq 0 ]
	[ "$(watched open "$NODE/processes")" -eq 0 ]
}

@test "jobio check reports faults of a Storage Scale client" {
	sed -i 's/^pagepool .*/pagepool 1048576 -/' "$NODE/gpfs/config"
	cp "$SRCDIR/tests/samples/gpfs/mmdiag-waiters.txt" "$NODE/gpfs/waiters"
	slurmd_env 0
	run in_env "$BUILDDIR/jobio" check --role=node --conf="$NODE/jobio.conf" --host=c1
	[[ $output =~ "GP08 warning: the page pool has 1 MiB, and the node "[0-9]+" GiB of memory: few files are read ahead or written behind at a time" ]]
	expect_in "GP07 warning: threads of mmfsd wait for 60 s or more
    cure: see mmdiag --waiters, there and on the node that it waits for" "$output"
	[[ $output != *J0[1-3]* ]]
}
