#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# advise.bats - jobio advise, with a temporary ledger and fake-sacct
# shellcheck disable=SC2030,SC2031 # each test is a subshell

# shellcheck source=tests/scripts/sacct.bash
source "$SRCDIR/tests/scripts/sacct.bash"

# One ledger for all tests; its jobs are removed between tests.
setup_file() {
	export DIR LEDGER MUNGED PORT
	setup_sacct
}
teardown_file() { teardown_ledger; }

setup() {
	rm -f "$DIR"/spool/*
	restore_sacct
	: >"$DIR/bin/jobs"
	forget_jobs
	printf '[client weka]\ntype = weka\n[profile cached]\nmount_options = readcache\n[profile metadata]\nmount_options = writecache\n[profile direct]\nmount_options = forcedirect\n[profile stream]\nio_cores = 1\nmount_options = forcedirect\n' >>"$DIR/jobio.conf"
}

# ran JOB SECONDS CORES PROFILE MODE GIB PEAK_MB [KIB [NAME]] - add a job that read GIB on WEKA, in
# calls of KIB, at most PEAK_MB MB/s, with the cache mode MODE set by jobio
ran() {
	jq -nc --argjson job "$1" --argjson s "$2" --argjson cores "$3" --arg profile "$4" --arg mode "$5" --argjson gib "$6" \
		--argjson peak "$7" --argjson kib "${8:-1024}" --argjson uid "$EUID" '
		{jobio: 1, cluster: "c", job: $job, restart: 0, node: "c1", nodelist: "c1", uid: $uid, gid: 0, user: "alice",
		 start: 1795222800, end: (1795222800 + $s), request: {io_cores: $cores, profile: $profile, applied: true, cores_met: true},
		 io_cores: {count: $cores, abstract: "0", os_cpus: "0"},
		 client: {name: "weka", type: "weka", cpus: "0", mounts: [{mount: "/mnt/weka", fstype: "wekafs", source: "d"}]},
		 changes: (if $mode == "" then [] else [{what: "mount-option", target: "/mnt/weka", old: "x", new: $mode, made: true, restored: true}] end),
		 app: [{scope: "job", source: "bpf", fs: "/mnt/weka", read_bytes: ($gib * 1073741824), read_calls: ($gib * 1048576 / $kib),
			write_bytes: 0, write_calls: 0, peak: {read_Bps: ($peak * 1000000), write_Bps: 0, window_s: 1}, meta: {open: 10}}], quality: []}' \
		>"$DIR/spool/$1.0.c1.json"
	listed "$1" "${9:-train}"
}

# listed JOB NAME [STATE] - add the job to sacct
listed() { printf 'JobID=%s\tCluster=c\tUser=alice\tState=%s\tExitCode=0:0\tJobName=%s\n' "$1" "${3:-COMPLETED}" "$2" >>"$DIR/bin/jobs"; }

# edit JOB JQ - change its record in the spool
edit() {
	local text
	text=$(jq -c "$2" "$DIR/spool/$1.0.c1.json")
	printf '%s\n' "$text" >"$DIR/spool/$1.0.c1.json"
}

# clients TEXT - replace the client and the profiles of setup in jobio.conf
clients() {
	sed -i '/^\[client weka\]/,$d' "$DIR/jobio.conf"
	printf '%b' "$1" >>"$DIR/jobio.conf"
}

advise() { "$BUILDDIR/jobio" advise --conf="$DIR/jobio.conf" "$@"; }
# has ID JQ - fail unless JQ is true for its JSON
has() {
	run advise --json "$1"
	expect_equal 0 "$status"
	jq -e "$2" <<<"$output" >/dev/null || { printf 'not so: %s\n%s\n' "$2" "$output"; return 1; }
}
# options ID - print what --options writes to standard output
options() { advise --options "$1" 2>"$DIR/said"; }

@test "a core at its limit: the options request one more core, in sbatch's syntax" {
	ran 7 100 1 stream '' 500 5700
	send
	run options 7
	expect_equal '0 --io-cores=2' "$status $output"
	expect_equal '' "$(<"$DIR/said")"
	has 7 '.runs == 0 and .runs_like_it == 0 and .options == "--io-cores=2" and (.steps[0] | .code == "A22" and .fs == "/mnt/weka" and .confidence == "perhaps" and .taken)'
	run advise 7
	expect_text 'sbatch --io-cores=2 SCRIPT' "$output"
}

@test "the limit of a core can be measured by the site" {
	ran 7 100 1 stream '' 250 3000
	send
	run options 7
	expect_equal '0 ' "$status $output"
	printf '[advice]\ncore_read_mbs = 3100\n' >"$DIR/advice.conf"
	printf '[advice]\ncalibration = %s\n' "$DIR/advice.conf" >>"$DIR/jobio.conf"
	stop "$LEDGER"
	start_ledger
	run options 7
	expect_equal '0 --io-cores=2' "$status $output"
	sed -i '/^\[advice\]/,$d' "$DIR/jobio.conf"
	stop "$LEDGER"
	start_ledger
}

@test "without advice nothing is printed, with exit status 0" {
	ran 7 100 1 stream forcedirect 100 2000
	send
	run advise --options 7
	expect_equal '0 ' "$status $output"
	has 7 '.options == ""'
}

@test "too little I/O to judge: one line on standard error, no options" {
	ran 7 10 1 stream '' 0 0
	send
	run options 7
	expect_equal '0 ' "$status $output"
	expect_equal "jobio: advise: job: '7': too little to judge: less than 60 s, 1 GiB, 10 k calls and 3 s in I/O on a client's filesystem" "$(<"$DIR/said")"
	sed -i 's/^port = .*/port = 1/' "$DIR/jobio.conf"
	printf 'JobID=8\tCluster=c\tUser=bob\tState=COMPLETED\tSystemComment=jobio/1 rd=1GiB/1 nodes=1/1 scope=job\n' >>"$DIR/bin/jobs"
	run options 8
	expect_equal '0 ' "$status $output"
	expect_text "jobio: advise: job: '8': too little to judge: no records of its nodes: ledger '127.0.0.1:" "$(<"$DIR/said")"
	run options 9
	expect_equal '1 ' "$status $output"
	expect_text "jobio: advise: job: '9': " "$(<"$DIR/said")"
}

@test "the advised profile is one of the site's, and never one with writecache" {
	# streams through a cache: advise the profile that bypasses it, by its name
	ran 7 100 1 cached readcache 200 2000
	# small reads that bypass the cache: advise a cache, but not writecache
	ran 8 1000 1 direct forcedirect 4 10 4
	send
	run options 7
	expect_equal '0 --io-profile=stream' "$status $output"
	run options 8
	expect_equal '0 --io-profile=cached' "$status $output"
	sed -i '/profile cached/,+1d' "$DIR/jobio.conf"
	run options 8
	expect_equal '0 ' "$status $output"
	has 8 '[.steps[] | select(.code == "A03")][0] | .option == null and (.taken | not) and .note == "jobio.conf has no profile with readcache on this host"'
}

@test "a profile is matched by its settings for the client of that filesystem" {
	# streams through a cache
	ran 7 100 1 cached readcache 200 2000
	send
	clients '[client weka]\ntype = weka\n[client other]\ntype = weka\nnodes = x1\n[profile fast]\nio_cores = 1\n[profile fast:weka]\nmount_options = forcedirect\n'
	run options 7
	expect_equal '0 --io-profile=fast' "$status $output"
	# the section for the client replaces the section for all
	sed -i 's/^\[profile fast:weka\]/[profile fast:other]/' "$DIR/jobio.conf"
	run options 7
	expect_equal '0 ' "$status $output"
	has 7 'any(.steps[]; .note == "jobio.conf has no profile with forcedirect on this host")'
	clients '[client weka]\ntype = weka\n[profile fast]\nmount_options = forcedirect\n'
	run options 7
	expect_equal '0 --io-profile=fast' "$status $output"
	printf '[profile fast:weka]\nmount_options = readcache\n' >>"$DIR/jobio.conf"
	run options 7
	expect_equal '0 ' "$status $output"
}

@test "a profile with writecache for another client of the job is not advised" {
	# small reads that bypass the cache
	ran 8 1000 1 direct forcedirect 4 10 4
	send
	clients '[client weka]\ntype = weka\nmounts = /mnt/weka\n[client home]\ntype = weka\nmounts = /home\n[profile cached]\nmount_options = readcache\n[profile cached:home]\nmount_options = writecache\n'
	run options 8
	expect_equal '0 --io-profile=cached' "$status $output"
	ran 9 1000 1 direct forcedirect 4 10 4
	edit 9 '.more_clients = [{name: "home", type: "weka", mounts: [{mount: "/home", fstype: "wekafs", source: "h"}]}]'
	send
	run options 9
	expect_equal '0 ' "$status $output"
	sed -i 's/writecache/readcache/' "$DIR/jobio.conf"
	run options 9
	expect_equal '0 --io-profile=cached' "$status $output"
}

@test "a profile that the client would refuse is not advised" {
	ran 7 100 1 cached readcache 200 2000
	send
	clients '[client weka]\ntype = weka\n[profile fast]\nmount_options = forcedirect\n'
	run options 7
	expect_equal '0 --io-profile=fast' "$status $output"
	sed -i 's/forcedirect/&,nosuchoption/' "$DIR/jobio.conf"
	run options 7
	expect_equal '0 ' "$status $output"
}

@test "io-cores above the site's limit are not advised" {
	sed -i '1i [option]\nio_cores_max = 1' "$DIR/jobio.conf"
	ran 7 100 1 stream '' 500 5700
	send
	run options 7
	expect_equal '0 ' "$status $output"
	has 7 '.steps[0].note == "this site allows 1 to 1 io-cores"'
}

@test "other runs with the same name are evidence for or against an advice" {
	ran 7 100 1 stream '' 500 5700
	ran 6 60 2 stream '' 501 9000
	ran 5 10 2 stream '' 100 9000	# not similar: other bytes
	ran 4 10 2 stream '' 500 9000 1024 other
	listed 3 train FAILED
	send
	has 7 '.runs == 2 and .runs_like_it == 1 and .steps[0].note == "run 6 had it: 40 % less time" and .options == "--io-cores=2"'
}

@test "options that were tried and were not faster are not advised" {
	ran 7 100 1 stream '' 500 5700
	ran 6 103 2 stream '' 500 9000
	send
	run options 7
	expect_equal '0 ' "$status $output"
	has 7 '.steps[0] | .option == "--io-cores=2" and .code == "A22" and (.taken | not) and .note == "run 6 had it: no difference in time"'
}

@test "several faster runs are enough for options without advice" {
	local job
	for job in 11 12 13; do ran $job $((100 + job)) 1 direct forcedirect 100 2000; done
	for job in 14 15 16; do ran $job $((50 + job)) 1 stream forcedirect 100 2000; done
	send
	run options 13
	expect_equal '0 --io-profile=stream' "$status $output"
	has 13 '.runs == 5 and .runs_like_it == 5 and any(.steps[]; .code == null and .note == "run 14 and 2 more took 42 % less time than 3 like this one")'
	# for the faster runs there is nothing to change
	run options 14
	expect_equal '0 ' "$status $output"
}

@test "options that save cores need not be faster, but must not be slower" {
	ran 7 100 2 stream '' 100 2000
	send
	run options 7
	expect_equal '0 --io-cores=1' "$status $output"
	ran 6 102 1 stream '' 100 2000
	send
	run options 7
	expect_equal '0 --io-cores=1' "$status $output"
	ran 5 130 1 stream '' 100 2000
	ran 4 128 1 stream '' 100 2000
	send
	rm "$DIR/bin/jobs"
	listed 7 train
	listed 5 train
	listed 4 train
	run options 7
	expect_equal '0 ' "$status $output"
}

@test "for a profile that was not applied on a shared node --exclusive is advised" {
	ran 7 100 1 stream '' 100 2000
	edit 7 '.request.applied = false | .findings = [{code: "W46", severity: "warning", text: "the node is shared"}]'
	send
	run options 7
	expect_equal '0 --exclusive' "$status $output"
	ran 8 100 1 stream '' 100 2000
	edit 8 '.request.applied = false'
	send
	run options 8
	expect_equal '0 ' "$status $output"
}

# slow JOB NODE - add a job of four nodes that read the same; NODE took ten times as long
slow() {
	local node
	ran "$1" 1000 1 stream forcedirect 100 2000
	for node in c2 c3 c4 c1; do
		jq -c --arg n "$node" --arg slow "$2" '.node = $n | .nodelist = "c[1-4]" | .app[0].read_us = (if $n == $slow then 900000000 else 90000000 end)' \
			"$DIR/spool/$1.0.c1.json" >"$DIR/spool/$1.0.new"
		mv "$DIR/spool/$1.0.new" "$DIR/spool/$1.0.$node.json"
	done
}

@test "a node is excluded if it was slow in other runs, too, not after one job" {
	slow 7 c2
	send
	run options 7
	expect_equal '0 ' "$status $output"
	has 7 '[.steps[] | select(.code == "A28")][0] | .option == "--exclude=c2" and (.taken | not) and .note == "it was slow in 0 of 0 other runs on it"'
	slow 8 c2
	slow 9 c3
	slow 10 c2
	send
	run options 7
	expect_equal '0 --exclude=c2' "$status $output"
	run options 9
	expect_equal '0 ' "$status $output"
}

@test "in JSON each step has its option, whether it is advised, and its evidence" {
	ran 7 100 1 stream '' 500 5700
	ran 6 60 2 stream '' 501 9000
	send
	advise --json 7 | sorted_json >"$DIR/kept"
	expect_kept advise.json.golden "$DIR/kept"
}

# Runs do the same work if their bytes differ by a tenth or 1 MiB at most; for a single run a
# difference is 5 % of the time. Columns: GiB and seconds of run 6, the advised option, the note
@test "a run with the option is evidence if it did the same work" {
	local gib seconds want note
	while IFS='|' read -r gib seconds want note; do
		rm -f "$DIR/bin/jobs"
		forget_jobs
		ran 7 100 1 stream '' 500 5700
		ran 6 "$seconds" 2 stream '' "$gib" 9000
		send 2>/dev/null
		has 7 ".options == \"$want\" and .steps[0].note == ${note:-null}"
	done <<-'TABLE'
		500|120||"run 6 had it: 20 % more time"
		500|95|--io-cores=2|"run 6 had it: 5 % less time"
		500|96||"run 6 had it: no difference in time"
		450|120||"run 6 had it: 20 % more time"
		449|120|--io-cores=2|
		556|120|--io-cores=2|
	TABLE
}

@test "JSON matches its schema, with steps of each kind, and without steps" {
	local job
	ran 7 100 1 stream '' 500 5700
	ran 8 1000 1 stream forcedirect 4 10 4
	ran 9 10 1 stream '' 0 0
	for job in 11 12 13; do ran $job $((100 + job)) 1 direct forcedirect 100 2000 1024 other; done
	for job in 14 15 16; do ran $job $((50 + job)) 1 stream forcedirect 100 2000 1024 other; done
	send
	clients '[client weka]\ntype = weka\n'
	for job in 7 8 9 13; do advise --json $job; done >"$DIR/lines"
	expect_equal '--io-cores=2 A22
null A01
--io-profile=stream null' "$(jq -r '.steps[0] | select(.) | "\(.option) \(.code)"' "$DIR/lines")"
	run python3 "$SRCDIR/tests/scripts/schema_check.py" "$SRCDIR/etc/advise.schema.json" <"$DIR/lines"
	expect_equal '0 ' "$status $output"
	run python3 "$SRCDIR/tests/scripts/schema_check.py" "$SRCDIR/etc/advise.schema.json" < <(
		head -n1 "$DIR/lines" | jq -c '.steps[0] |= (.code = "W01" | .taken = null) | del(.id)')
	expect_equal 1 "$status"
}

@test "sacct is asked for runs with --name, unless the name has a comma" {
	ran 7 100 1 stream '' 100 2000
	ran 8 100 1 stream '' 100 2000 1024 'a,b'
	send
	: >"$DIR/bin/asked"
	advise --options 7
	expect_text '-u alice --name train -S now-30days -E now' "$(<"$DIR/bin/asked")"
	: >"$DIR/bin/asked"
	advise --options 8
	[[ $(<"$DIR/bin/asked") != *--name* ]]
}

