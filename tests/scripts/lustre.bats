#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# lustre.bats - prolog and epilog on a node with Lustre: parameters are files that behave
# like the kernel's.
#
# shellcheck disable=SC2154 # bats sets output and status; lustre.bash the rest

load node
load crash
load lustre

setup_file() {
	lustre_library "$BATS_FILE_TMPDIR/lustre.so"
	watch_library "$BATS_FILE_TMPDIR/watch.so"
}

# The server of OST0001 accepts 4 MiB at a time.
setup() {
	node_make
	lustre_node "$BATS_FILE_TMPDIR/lustre.so"
	sed -i 's/max_brw_size: 16777216/max_brw_size: 4194304/' \
		"$NODE/lustre/debug/osc/work-OST0001-osc-ffff9a2c41d08000/import"
	echo 1024 >"$NODE/lustre/sys/osc/work-OST0001-osc-ffff9a2c41d08000/max_pages_per_rpc"
	before=$(all_params)
}

teardown() { node_remove; }

# as_before - every parameter has its old value
as_before() {
	[[ $(all_params) == "$before" ]] ||
		fail "$(diff <(echo "$before") <(all_params))"
}

# changes ID FILTER - changes in its record
changes() { record "$1" | jq -c "[.changes[] | $2]"; }

@test "parameters of a profile are set while a job with io-cores runs, and each target has its own afterwards" {
	job 7 1 small
	expect_run 0 prolog ''
	[ "$(osc 0 max_rpcs_in_flight checksums)" = max_rpcs_in_flight=24,checksums=0 ]
	[ "$(osc 1 max_rpcs_in_flight checksums)" = max_rpcs_in_flight=24,checksums=0 ]
	expect_run 0 epilog
	as_before
	[ "$(osc 1 checksums)" = checksums=0 ] # its own
	[ "$(changes 7 '[.what, .made, .restored]')" = \
		'[["parameters",true,true],["parameters",true,true]]' ]
	[ "$(record 7 | jq -c .request)" = '{"io_cores":1,"profile":"small","applied":true}' ]
}

@test "targets with the same old values are one change" {
	set_param osc.work-OST0001-osc-ffff9a2c41d08000.max_rpcs_in_flight 8
	set_param osc.work-OST0001-osc-ffff9a2c41d08000.max_pages_per_rpc 1024
	set_param osc.work-OST0001-osc-ffff9a2c41d08000.max_dirty_mb 2000
	set_param osc.work-OST0001-osc-ffff9a2c41d08000.checksums 1
	one_job 7 1 small
	[[ $(changes 7 .target) =~ ^\[\"$INSTANCE:[0-9]+\ osc\ 0-1\"\]$ ]]
	[ "$(changes 7 '[.old, .new]')" = \
		"[[\"$BASE_OSC0,checksums=1\",\"max_pages_per_rpc=1024,max_rpcs_in_flight=24,max_dirty_mb=2000,checksums=0\"]]" ]
}

@test "max_dirty_mb, which the kernel raises with RPC parameters, is restored after them" {
	starts 7 1 stream
	# 256 RPCs of 4 MiB, the maximum of the servers, are 1024 MiB
	[ "$(osc 0 "${rpcs[@]}")" = max_pages_per_rpc=1024,max_rpcs_in_flight=256,max_dirty_mb=2000 ]
	[[ $(osc 1 "${rpcs[@]}") =~ ^max_pages_per_rpc=1024,max_rpcs_in_flight=256,max_dirty_mb=([0-9]+)$ ]]
	((BASH_REMATCH[1] > 512))
	epilog
	as_before
	[ "$(osc 1 "${rpcs[@]}")" = "$BASE_OSC1" ]
}

@test "an MDT's RPC parameters change each other, and both are restored" {
	starts 7 1 metadata
	# the import has the server's maximum, 8: a higher value would be refused, and
	# would change max_rpcs_in_flight all the same
	[ "$(mdc max_rpcs_in_flight max_mod_rpcs_in_flight)" = max_rpcs_in_flight=32,max_mod_rpcs_in_flight=8 ]
	epilog
	as_before
	[ "$(mdc max_rpcs_in_flight max_mod_rpcs_in_flight)" = max_rpcs_in_flight=8,max_mod_rpcs_in_flight=7 ]
}

@test "read-ahead is lowered with the parameters that depend on it, and restored in the opposite order" {
	lustre_conf
	starts 7 1 stream
	[ "$(llite "${ahead[@]}")" = max_read_ahead_mb=64,max_read_ahead_per_file_mb=64,max_read_ahead_whole_mb=64 ]
	epilog
	[ "$(llite "${ahead[@]}")" = max_read_ahead_mb=1024,max_read_ahead_per_file_mb=256,max_read_ahead_whole_mb=64 ]
}

@test "a parameter with several lines of values is read by its name, and restored" {
	starts 7 1 cached
	grep -qx 'max_cached_mb: 32000' "$NODE/lustre/debug/llite/$INSTANCE/max_cached_mb"
	epilog
	grep -qx 'max_cached_mb: 64012' "$NODE/lustre/debug/llite/$INSTANCE/max_cached_mb"
	[ "$(changes 7 '[.old, .new]')" = '[["max_cached_mb=64012","max_cached_mb=32000"]]' ]
}

@test "if the kernel refuses a parameter all are restored, and the job runs" {
	LUSTRE_DENY=checksums job 7 1 small
	LUSTRE_DENY=checksums run prolog
	[ "$status" -eq 0 ]
	expect_in "LU40 'osc work-OST0000-osc-ffff9a2c41d08000' could not get max_pages_per_rpc=1024,max_rpcs_in_flight=24,max_dirty_mb=2000,checksums=0: checksums=0: Input/output error" "$output"
	[ "$(osc 0 "${rpcs[@]}" checksums)" = "$BASE_OSC0,checksums=1" ]
	epilog
	as_before
	[ "$(record 7 | jq -c .request.applied)" = false ]
	[ "$(changes 7 '[.made, .restored]')" = '[[false,null],[true,true]]' ]
}

@test "a parameter that cannot be restored is a finding; the record is written, and the next job tries again" {
	starts 7 1 small
	LUSTRE_DENY=checksums run epilog
	[ "$status" -eq 0 ]
	expect_in "LU42 'osc work-OST0000-osc-ffff9a2c41d08000' could not get " "$output"
	expect_in "back: checksums=1: Input/output error; cure: lctl set_param the old value, or let the next job try again" "$output"
	[[ " $(findings_of 7) " == *' LU42 '* ]]
	one_job 8 1
	as_before
}

@test "parameters of a new mount are not written, even at the same address" {
	starts 7 1 small
	mkdir "$NODE/kept" # keeps inode numbers from being used again
	mv "$NODE/lustre/sys/llite" "$NODE/kept"
	mkdir -p "$NODE/lustre/sys/llite"
	cp -r "$NODE/kept/llite/$INSTANCE" "$NODE/lustre/sys/llite"
	epilog
	[ "$(osc 0 max_rpcs_in_flight)" = max_rpcs_in_flight=24 ]
	[ "$(osc 1 max_rpcs_in_flight)" = max_rpcs_in_flight=24 ]
	[[ " $(findings_of 7) " != *' LU4'* ]]
	[[ $(changes 7 .restored) =~ ^\[(null,?)+\]$ ]]
}

@test "a target that no longer exists is skipped" {
	starts 7 1 small
	rm -r "$NODE"/lustre/*/osc/work-OST0001-osc-ffff9a2c41d08000
	expect_run 0 epilog
	[ "$(osc 0 "${rpcs[@]}")" = "$BASE_OSC0" ]
	[[ " $(findings_of 7) " != *' LU4'* ]]
}

@test "the servers of a node do not get a client's parameters" {
	one_job 7 1 small
	[ "$(<"$NODE/lustre/sys/osc/work-OST0000-osc-MDT0000/max_rpcs_in_flight")" = 512 ]
}

@test "LU49: a profile with options of a Lustre mount is refused" {
	job 9 1 mount
	expect_run 0 prolog "LU49 mount option 'noatime' of the profile: options of a Lustre mount are not changed; the profile was not applied"
	as_before
}

@test "a parameter that this client does not have is a finding, and nothing is changed" {
	rm "$NODE/lustre/sys/llite/$INSTANCE/parallel_dio"
	job 7 1 unknown
	expect_run 0 prolog "this client does not have 'llite.parallel_dio'"
	[ "$(osc 0 short_io_bytes)" = short_io_bytes=16384 ]
}

# ---- identity and counters -------------------------------------------------------

@test "the record has the client, its version and its mounts, without a server's own" {
	one_job 7
	[ "$(record 7 | jq -c '.client | [.name, .type, .version]')" = '["scratch","lustre","2.17.0"]' ]
	[ "$(record 7 | jq -c '[.client.mounts[].mount]')" = '["/mnt/work"]' ]
}

@test "the record has bytes requested by processes and bytes over the network" {
	starts 7
	lustre_later
	epilog
	[ "$(record 7 | jq -c '.wire[0] | del(.meta) | with_entries(select(.value != null))')" = \
		'{"scope":"node","shared":0,"source":"osc","client":"scratch","fs":"/mnt/work","read_bytes":503320576,"write_bytes":838860800,"read_calls":121,"write_calls":200,"read_us":252500,"write_us":780000,"meta_calls":86,"meta_us":68700,"asked_read_bytes":524288000,"asked_write_bytes":419430400}' ]
	[ "$(record 7 | jq -c '.wire | length')" -eq 1 ]
}

# Each mount has counters of its own.
@test "two mounts of one Lustre are one line of counters, and the record names both" {
	lustre_twice /mnt/my\\040projects
	starts 7
	lustre_later
	epilog
	[ "$(record 7 | jq -c '[.client.mounts[].mount]')" = '["/mnt/work","/mnt/my projects"]' ]
	[ "$(record 7 | jq -c '[.wire[] | [.fs, .read_bytes, .write_bytes, .asked_read_bytes, .asked_write_bytes]]')" = \
		'[["/mnt/work",503320576,838860800,524288000,419430400]]' ]
	[ "$(record 7 | jq -c .quality)" = '["no_step"]' ]
	starts 8
	lustre_twice /mnt/again # through the second as much as through the first before
	epilog
	[ "$(record 8 | jq -c '[.wire[] | [.fs, .read_bytes, .write_bytes]]')" = '[["/mnt/work",503320576,838860800]]' ]
}

@test "a fault of both mounts of one Lustre is one finding, and each gets its parameters" {
	local second=$NODE/lustre/sys/osc/work-OST0001-osc-ffff9a2c55e0c000
	sed -i 's/state: FULL/state: DISCONN/' "$NODE/lustre/debug/osc/work-OST0000-osc-ffff9a2c41d08000/import"
	echo 0 >"$NODE/lustre/sys/llite/$INSTANCE/max_read_ahead_mb"
	lustre_twice /mnt/projects
	echo 64 >"$NODE/lustre/sys/llite/$INSTANCE/max_read_ahead_mb" # which the second has not
	job 7 1 small
	expect_run 0 prolog
	[ "$(grep -c LU04 <<<"$output")" -eq 1 ]
	[ "$(osc 1 max_rpcs_in_flight),$(<"$second/max_rpcs_in_flight")" = max_rpcs_in_flight=24,24 ]
	epilog
	[ "$(osc 1 max_rpcs_in_flight),$(<"$second/max_rpcs_in_flight")" = max_rpcs_in_flight=16,16 ]
	[ "$(findings_of 7)" = 'LU04 LU11 LU12' ]
	[ "$(changes 7 .restored)" = '[true,true,true,true]' ]
}

@test "if one of two mounts is unmounted while the job runs the line has no numbers" {
	lustre_twice /mnt/projects
	starts 7
	lustre_later
	rm -r "$NODE"/lustre/*/{llite,osc,mdc}/*-ffff9a2c55e0c000
	sed -i /projects/d "$NODE/lustre/mounts"
	epilog
	[ "$(record 7 | jq -c '[.wire, .quality]')" = '[null,["no_step","wire_reset"]]' ]
}

@test "a Lustre that is mounted while a job runs sets mounted_late, a target of the node's own server does not" {
	starts 7
	echo '/dev/sdd /mnt/ost1 lustre rw,svname=work-OST0001,osd=osd-ldiskfs 0 0' >>"$NODE/lustre/mounts"
	epilog
	[ "$(record 7 | jq -c .quality)" = '["no_step"]' ]
	starts 8
	echo '198.51.100.70@o2ib1:/old /mnt/old lustre ro,flock 0 0' >>"$NODE/lustre/mounts"
	epilog
	[ "$(record 8 | jq -c .quality)" = '["no_step","mounted_late"]' ]
}

@test "an eviction while the job ran is in its record" {
	starts 7
	lustre_later
	sed -i "s/1772000[0-9]*, EVICTED/$(date +%s), EVICTED/" \
		"$NODE/lustre/debug/osc/work-OST0001-osc-ffff9a2c41d08000/state"
	epilog
	expect_in "\"code\":\"LU06\",\"severity\":\"warning\",\"text\":\"OST0001 of 'work' has evicted this node\"" "$(record 7)"
}

# OST0000 takes more than half of timeout_ms; OST0001 is read after it.
@test "without the OSTs that the epilog had no time to read counters are a lower bound, with osc_partial" {
	lustre_conf timeout_ms=4000
	starts 7
	lustre_later
	slowly "$NODE/lustre/debug/osc/work-OST0000-osc-ffff9a2c41d08000/stats" 2.2
	expect_run 0 epilog
	[ "$(record 7 | jq -c '[.quality, (.wire | length)]')" = '[["no_step","osc_partial"],1]' ]
	[ "$(record 7 | jq -c '.wire[0] | [.read_bytes, .write_bytes, .read_calls, .write_calls, .asked_read_bytes, .asked_write_bytes]')" = \
		'[503320576,419430400,121,100,524288000,419430400]' ]
}

@test "without the OSTs that the prolog had no time to read counters are a lower bound as well" {
	lustre_conf timeout_ms=4000
	job 7
	slowly "$NODE/lustre/debug/osc/work-OST0000-osc-ffff9a2c41d08000/stats" 2.2
	prolog
	rm "$NODE/lustre/debug/osc/work-OST0000-osc-ffff9a2c41d08000/stats"
	lustre_later
	epilog
	[ "$(record 7 | jq -c '[.quality, [.wire[] | [.read_bytes, .write_bytes]]]')" = \
		'[["no_step","osc_partial"],[[503320576,419430400]]]' ]
}

@test "a device that was missing in the first reading counts if it was created later, otherwise there are no numbers" {
	local stats=$NODE/lustre/debug/osc/work-OST0001-osc-${INSTANCE#*-}/stats
	local written=([7]=null [8]=419430400) told=([7]='["no_step","wire_reset"]' [8]='["no_step"]') id
	for id in 7 8; do
		mv "$NODE/lustre/sys/osc/work-OST0001-osc-${INSTANCE#*-}" "$NODE/away"
		starts $id
		mv "$NODE/away" "$NODE/lustre/sys/osc/work-OST0001-osc-${INSTANCE#*-}"
		{
			((id == 7)) || printf 'start_time %d.5 secs.nsecs\n' "$(date +%s)"
			echo 'write_bytes 100 samples [bytes] 4194304 4194304 419430400 1'
		} >"$stats"
		epilog
		[ "$(record $id | jq -c '.wire[0].write_bytes')" = "${written[id]}" ] || { record $id | jq -c .wire; return 1; }
		[ "$(record $id | jq -c .quality)" = "${told[id]}" ]
	done
}

@test "a missing debugfs is a finding, and the job runs" {
	NODE_JOBIO=on_error=drain lustre_conf
	rm -r "$NODE/lustre/debug"
	job 7 1 small
	expect_run 0 prolog "LU03 the state of 3 of its 3 targets cannot be read: No such file or directory"
	[ "$(osc 0 max_rpcs_in_flight)" = max_rpcs_in_flight=24 ]
	epilog
	[ "$(osc 0 "${rpcs[@]}")" = "$BASE_OSC0" ]
	[ "$(record 7 | jq -c .wire)" = null ]
}

# ---- the job's directory ----------------------------------------------------------

# streams ID DIR [PROFILE] - run a job that streams, in directory DIR; prints the finding about new
# files there. By default a file has one OST
streams() {
	mkdir -p "$NODE/lustre/sys/lov/work-clilov-ffff9a2c41d08000"
	echo 1 >"$NODE/lustre/sys/lov/work-clilov-ffff9a2c41d08000/stripecount"
	job "$1" 1 "${3:-stream}"
	JOB_ENV+=(SLURM_JOB_WORK_DIR="$2")
	prolog >/dev/null 2>&1
	epilog >/dev/null 2>&1
	record "$1" | jq -r '.findings[] | select(.code == "LU15") | .text'
}

readonly by_default="a new file of 'work' is on one OST unless its directory has another layout (stripecount=1)"

@test "a layout of one OST for new files in the job's directory is a finding, with its user's permissions" {
	[[ $EUID == 0 ]] || skip 'needs root, to become somebody else'
	lustre_layout 1000 1
	lustre_layout 0 4
	[ "$(streams 7 /mnt/work/a)" = "a new file in the job's directory '/mnt/work/a' is on one OST (stripe count 1)" ]
	[ "$(record 7 | jq -r '.findings[] | select(.code == "LU15") | .cure')" = "lfs setstripe -c N for the job's folder" ]
}

@test "a directory with a layout of several OSTs has no finding, whatever the filesystem's default" {
	local id=7 count
	[[ $EUID == 0 ]] || skip 'needs root, to become somebody else'
	for count in 4 65535 '1 4' '1 65535'; do
		# shellcheck disable=SC2086 # a number for each component
		lustre_layout 1000 $count
		[ -z "$(streams $id /mnt/work)" ]
		id=$((id + 1))
	done
	lustre_layout 1000 1 1
	expect_in "'/mnt/work' is on one OST" "$(streams $id /mnt/work)"
}

@test "without a layout of the directory the filesystem's default is used" {
	local id=7 dir
	[[ $EUID == 0 ]] || skip 'needs root, to become somebody else'
	[ "$(streams $id /mnt/work/a)" = "$by_default" ] # no layout
	lustre_layout 1000 4
	for dir in /home/a /mnt/workshop relative ''; do
		id=$((id + 1))
		[ "$(streams $id "$dir")" = "$by_default" ]
	done
	[ -z "$(streams 20 /mnt/work/a small)" ] # a profile that does not stream
	head -c 30 "$NODE/lustre/layout/1000" >"$NODE/lustre/layout/cut"
	mv "$NODE/lustre/layout/cut" "$NODE/lustre/layout/1000"
	[ "$(streams 21 /mnt/work/a)" = "$by_default" ]
}

@test "a hanging directory delays the prolog by a second, and one on a disconnected MDT not at all" {
	local begin
	[[ $EUID == 0 ]] || skip 'needs root, to become somebody else'
	lustre_layout 1000 4
	rm "$NODE/lustre/layout/1000"
	mkfifo -m 666 "$NODE/lustre/layout/1000"
	: >"$NODE/lustre/layout/asked"
	chmod 666 "$NODE/lustre/layout/asked"
	begin=$EPOCHREALTIME
	[ "$(streams 7 /mnt/work/a)" = "$by_default" ]
	((${EPOCHREALTIME/./} - ${begin/./} >= 1000000))
	[ "$(wc -l <"$NODE/lustre/layout/asked")" -eq 1 ]
	sed -i 's/state: FULL/state: DISCONN/' "$NODE/lustre/debug/mdc/work-MDT0000-mdc-ffff9a2c41d08000/import"
	[ "$(streams 8 /mnt/work/a)" = "$by_default" ]
	[ "$(wc -l <"$NODE/lustre/layout/asked")" -eq 1 ]
}

# ---- hundreds of OSTs ------------------------------------------------------------

# many COUNT - make so many OSTs
many() {
	local i name root
	for ((i = 2; i < $1; i++)); do
		printf -v name 'work-OST%04x-osc-ffff9a2c41d08000' "$i"
		for root in sys debug; do
			cp -r "$NODE/lustre/$root/osc/work-OST0000-osc-ffff9a2c41d08000" \
				"$NODE/lustre/$root/osc/$name"
		done
	done
}

@test "each of 400 OSTs is counted and gets its parameters" {
	local count
	count=$(rounds 400)
	many "$count"
	starts 7 1 small
	[ "$(cat "$NODE"/lustre/sys/osc/*-ffff9a2c41d08000/max_rpcs_in_flight | sort | uniq -c | xargs)" = "$count 24" ]
	epilog
	[ "$(cat "$NODE"/lustre/sys/osc/*-ffff9a2c41d08000/max_rpcs_in_flight | sort | uniq -c | xargs)" = "1 16 $((count - 1)) 8" ]
	[ "$(changes 7 .restored)" = '[true,true]' ]
	[ "$(record 7 | jq '.wire[0].write_bytes')" = 0 ]
}

# rpcs - "NUMBER-OF-OSTS max_rpcs_in_flight" for each value
rpcs() { cat "$NODE"/lustre/sys/osc/*-ffff9a2c41d08000/max_rpcs_in_flight | sort | uniq -c | xargs; }

@test "each of 600 OSTs, half of them with other values, gets its parameters and has its own afterwards" {
	local i half
	half=$(rounds 300)
	many $((2 * half))
	for ((i = 3; i < 2 * half; i += 2)); do
		printf '16\n' >"$NODE/lustre/sys/osc/$(printf 'work-OST%04x-osc-ffff9a2c41d08000' "$i")/max_rpcs_in_flight"
	done
	[ "$(rpcs)" = "$half 16 $half 8" ]
	starts 7 1 small
	[ "$(rpcs)" = "$((2 * half)) 24" ]
	epilog
	[ "$(rpcs)" = "$half 16 $half 8" ]
}

# ---- killed ------------------------------------------------------------------

request_of() { job "$1" 1 small; }

is_back() { as_before; }
rebooted() { lustre_rebooted; }

# killed COMMAND MENDER - kill COMMAND at each step that changes parameters
killed() { crash_walk "$@" 'parameter before' 'parameter after'; }

@test "each target has its own parameters in the end if one call of prolog or epilog fails, or all from there on" {
	fail_walk prepare
	fail_walk release
	fail_walk prepare all
	fail_walk release all
}

by_next_job() {
	lustre_conf # the next job changes nothing
	crash_next_job "$1"
}

@test "a prolog killed at any step of the parameters is undone by its epilog" {
	third 1 killed prepare release
}

@test "a prolog killed at any step of the parameters is undone by --recover" {
	third 2 killed prepare recover
}

@test "a prolog killed at any step of the parameters is undone by the next job" {
	third 3 killed prepare by_next_job
}

@test "an epilog killed at any step of the parameters is finished by its second run" {
	killed release release
}

# watch - log the calls of helpers from now on
# shellcheck disable=SC2034 # node.bash and lustre.bash use them
watch() {
	LUSTRE_LIBRARY=$BATS_FILE_TMPDIR/lustre.so:$BATS_FILE_TMPDIR/watch.so
	NODE_ENV=(WATCH_LOG="$NODE/watched")
}

# forked COMMAND - number of processes that it starts
forked() {
	rm -f "$NODE/watched"
	"$1" 2>/dev/null
	watched fork
}

# costs PROCESSES ID [OPTION...] - the prolog of one of three jobs starts so many; $ran is its ID.
# Read values are cached for a second, which may be too short on a busy machine
costs() {
	local wanted=$1 had
	shift
	for ran in "$1" $(($1 + 1)) $(($1 + 2)); do
		job "$ran" "${@:2}"
		had=$(forked prepare)
		((had != wanted)) || return 0
		forked release >/dev/null
	done
	fail "the prolog of job $ran: $had processes, not $wanted"
}

# One child process with a timeout reads facts and statistics. After a change of parameters
# counters are read again, so that I/O of the change is not the job's.
@test "a Lustre client costs the prolog one process, three more for a change, and the epilog one" {
	local prolog epilog ran
	watch
	lustre_conf nodes=elsewhere
	job 6 1 # facts that are read once are cached
	forked prepare >/dev/null
	forked release >/dev/null
	job 7
	prolog=$(forked prepare)
	epilog=$(forked release)
	lustre_conf
	costs $((prolog + 1)) 8
	[ "$(forked release)" = $((epilog + 1)) ]
	[ "$(record "$ran" | jq -c '[.wire[].fs]')" = '["/mnt/work"]' ]
	job 19 1
	prolog=$(forked prepare)
	forked release >/dev/null
	costs $((prolog + 3)) 20 1 small # checks, a change, and the counters after it
	forked release >/dev/null
	[ "$(record "$ran" | jq -c '[.request.applied, [.wire[].fs]]')" = '[true,["/mnt/work"]]' ]
}

# open(2) of the statistics blocks forever
@test "hanging statistics cost the counters only: facts, parameters and findings are complete, in time" {
	local stats=$NODE/lustre/debug/osc/work-OST0001-osc-ffff9a2c41d08000/stats began=$SECONDS
	lustre_conf timeout_ms=1500
	mv "$stats" "$stats.text"
	mkfifo "$stats"
	job 7 1 small
	expect_run 0 prolog
	[ $((SECONDS - began)) -lt 8 ]
	[[ $output =~ wire:\ .*no\ answer\ within\ 1500\ ms ]]
	[ "$(grep -c 'no answer' <<<"$output")" -eq 1 ]
	[ "$(osc 0 max_rpcs_in_flight)" = max_rpcs_in_flight=24 ]
	rm "$stats"
	mv "$stats.text" "$stats"
	epilog
	as_before
	[ "$(findings_of 7)" = LU12 ]
	[ "$(record 7 | jq -c '[.wire, .request.applied]')" = '[null,true]' ]
}

@test "with 400 OSTs the prolog opens six files each, the epilog two, with as many processes as with two OSTs" {
	local forks count
	count=$(rounds 400)
	watch
	job 7
	prepare
	release
	forks=$(watched fork)
	lustre_osts "$count"
	rm "$NODE/watched"
	job 8
	prepare
	[ "$(watched open work-OST)" -le $((6 * count + 40)) ]
	[ "$(watched open '/state$')" -eq 0 ] # evictions are told by the end
	[ "$(watched open /stats_track_pid)" -eq 1 ]
	mv "$NODE/watched" "$NODE/watched-before"
	release
	[ "$(watched open work-OST)" -ge $((2 * count)) ]
	[ "$(watched '[a-z]+' '(osc/|work-OST)')" -le $((2 * count + 20)) ] # two each, and the folders
	cat "$NODE/watched-before" >>"$NODE/watched"
	[ "$(watched fork)" = "$forks" ]
	[ "$(record 8 | jq -c '[.quality, (.wire | length)]')" = '[["no_step"],1]' ] # all of them in time
}

@test "after random schedules of crashes all parameters have their old values" {
	local seed
	for seed in $(seeds 5); do
		lustre_schedule "$seed" || fail "seed $seed"
	done
}
