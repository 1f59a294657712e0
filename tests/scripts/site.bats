#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# site.bats - jobio report --site, with a temporary ledger and fake-sacct
# shellcheck disable=SC2030,SC2031 # each test is a subshell, teardown included

# shellcheck source=tests/scripts/sacct.bash
source "$SRCDIR/tests/scripts/sacct.bash"

setup() { setup_sacct; }
teardown() { teardown_ledger; }

site() {
	"$BUILDDIR/jobio" report --conf="$DIR/jobio.conf" --site "$@"
}

# use RUN ENDED CLUSTER USER ACCOUNT PROFILE NODES NODE_S FLAGS WARNED REFUSED ADVICE [FS TYPE READ WRITTEN META PEAK]...
# - add the sums of a run to the store, as the ledger's writer does
use() {
	python3 - "$DIR/store.sqlite" "$@" <<-'EOP'
		import sqlite3, sys
		path, run, ended, cluster, user, account, profile, nodes, node_s, flags, warned, refused, advice, *rest = sys.argv[1:]
		run, ended, flags, warned, refused = map(int, (run, ended, flags, warned, refused))
		every = [rest[i:i + 2] + [int(n) if n else None for n in rest[i + 2:i + 6]] for i in range(0, len(rest), 6)]
		known = lambda add, at: add(found) if (found := [fs[at] for fs in every if fs[at] is not None]) else None
		whole = [[None, None, *(known(sum, at) for at in (2, 3, 4)), known(max, 5)]] if len(every) != 1 else []
		with sqlite3.connect(path, timeout=10) as db:
		    for n, (fs, kind, *numbers, peak) in enumerate(every + whole):
		        is_run = n + 1 == len(every + whole)
		        row = {"run": run, "n": n, "day": ended // 86400 * 86400, "ended": ended, "stamp": run, "gated": is_run and warned + refused > 0,
		               "job": run, "cluster": cluster, "fs": fs, "type": kind, "jobs": 1, "node_s": int(node_s), "node_wide": is_run and flags & 1,
		               "judged": is_run and flags >> 1, "warned_jobs": is_run and warned > 0, "warned_tasks": is_run and warned,
		               "refused_jobs": is_run and refused > 0, "refused_tasks": is_run and refused,
		               "peak": None if peak is None else f"{peak:020}{2**32 - 1 - run:010}",
		               **dict(zip(("read_bytes", "write_bytes", "meta"), numbers)),
		               **(dict(user=user, account=account, profile=profile, advice=advice) if is_run else {})}
		        db.execute(f"INSERT INTO run_sums({', '.join(row)}) VALUES({', '.join('?' * len(row))})", list(row.values()))
	EOP
}

# fill - three jobs in the morning of 2026-11-21, one of the day before
fill() {
	use 7 1795224862 c alice lab stream 2 7200 2 0 0 A01 /mnt/weka wekafs 1073741824 2147483648 1200 536870912
	use 8 1795224900 c bob lab '' 1 3600 2 3 0 'A01 A17' /mnt/weka wekafs 1073741824 '' 5 1024 /home nfs 1024 0 7 ''
	use 9 1795225000 c alice other stream 4 360000 1 0 2 ''
	use 6 1795100000 c carol lab metadata 1 3600 2 0 0 '' /home nfs 1048576 0 '' ''
}

@test "JSON has sums by filesystem, user and account, counts of the gate, and the most frequent advice" {
	fill
	site -S 2026-11-21 -E 2026-11-22 --json | sorted_json >"$DIR/kept"
	expect_kept site.json.golden "$DIR/kept"
	run site -S 2026-11-21 -E 2026-11-22
	expect_equal 0 "$status"
	expect_text alice "$output"
}

@test "-S and -E select jobs by their end time" {
	fill
	run site -S 2026-11-19 -E 2026-11-21 --json
	expect_equal '1 0 carol' "$(jq -r '.tally | "\(.jobs) \(.warned_jobs) \(.users[0].name)"' <<<"$output")"
	run site -S 1795224900
	expect_equal 2 "$status"
	expect_text "jobio: report: --starttime: '1795224900': not a time like now-7days, today, 2026-11-15 or 2026-11-15T12:30" "$output"
	run site -S 2026-11-21 -E 2026-11-20
	expect_equal 2 "$status"
	expect_text 'jobio: report: --endtime: it is before --starttime' "$output"
}

@test "CSV has a line for each sum, and for each job that the gate warned or refused" {
	fill
	run site -S 2026-11-21 -E 2026-11-22 --csv
	expect_equal 0 "$status"
	expect_equal 'table,name,cluster,type,jobs,node_hours,read_bytes,write_bytes,metadata,peak_Bps,job,warned_tasks,refused_tasks' "${lines[0]}"
	expect_equal '"filesystems","/mnt/weka","c","wekafs",2,3.000,2147483648,2147483648,1205,536870912,7,,' "${lines[1]}"
	expect_text '"accounts","other","","",1,100.000,,,,,,,' "$output"
	expect_text '"advice","A17","","",1,1.000,,,,,,,' "$output"
	expect_text '"gate","alice","c","",1,,,,,,9,0,2' "$output"
	expect_text '"gate","bob","c","",1,,,,,,8,3,0' "$output"
	expect_equal 13 "${#lines[@]}"
	for line in "${lines[@]}"; do # as many columns in each
		expect_equal 12 "$(tr -cd , <<<"$line" | wc -c)"
	done
}

@test "JSON matches its schema, from the ledger and from sacct, without undocumented keys" {
	fill
	site -S 2026-11-21 -E 2026-11-22 --json >"$DIR/lines"
	site -S 2020-11-21 -E 2020-11-22 --json >>"$DIR/lines"
	stop "$LEDGER"
	job 7 User=alice SystemComment='jobio/1 not=gate rd=1GiB/10 wr=2GiB/20 nodes=2/2 prof=stream fs=/mnt/weka:wekafs scope=job src=bpf gate=warn:3' >"$DIR/bin/jobs"
	site -S 2026-11-21 -E 2026-11-22 --json >>"$DIR/lines"
	expect_equal 'ledger ledger sacct' "$(jq -r .source "$DIR/lines" | xargs)"
	run python3 "$SRCDIR/tests/scripts/schema_check.py" "$SRCDIR/etc/site.schema.json" <"$DIR/lines"
	expect_equal '0 ' "$status $output"
	run python3 "$SRCDIR/tests/scripts/schema_check.py" "$SRCDIR/etc/site.schema.json" < <(
		head -n1 "$DIR/lines" | jq -c '.tally.users[0].new = 1 | .tally.jobs = -1 | del(.silent)')
	expect_equal ".tally.jobs: -1 is out of bounds
.tally.users[0]: new is not in the schema
: no silent" "$output"
}

@test "its page loads nothing from elsewhere, and escapes texts of records" {
	fill
	use 10 1795225100 c '<b>eve' '"lab"' x 1 60 2 1 0 '' '/mnt/<script>' 'x&y' 1 1 1 1
	run site -S 2026-11-21 -E 2026-11-22 --html="$DIR/page.html"
	expect_equal '' "$output"
	expect_equal 0 "$status"
	run python3 "$SRCDIR/tests/scripts/page_check.py" "$DIR/page.html"
	expect_equal 0 "$status"
	run python3 "$SRCDIR/tests/scripts/page_check.py" "$DIR/page.html" --text
	expect_text '/mnt/<script> (x&y)' "$output"
	[[ $(<"$DIR/page.html") != *'<script'* && $(<"$DIR/page.html") != *'<b>'* ]]
}

# job ID KEY=VALUE... - print a line for fake-sacct
job() {
	local id=$1 IFS=$'\t'
	shift
	printf 'JobID=%s\tCluster=c\tAccount=lab\tStart=1795220000\tEnd=1795224862\tElapsedRaw=3600\tNNodes=2\tState=COMPLETED\t%s\n' "$id" "$*"
}

@test "without a ledger the summaries in sacct are added up, with a note" {
	stop "$LEDGER"
	{
		job 7 User=alice SystemComment='jobio/1 not=gate rd=1GiB/10 wr=2GiB/20 nodes=2/2 cores=1 cpus=1 prof=stream fs=/mnt/weka:wekafs scope=job src=bpf q=- meta=5 peak=1KiB/3KiB gate=warn:3'
		job 8 User=bob SystemComment='jobio/1 rd=1GiB/10 wr=-/- nodes=2/2 cores=- cpus=- prof=slow/not-applied fs=/a:nfs,/b:nfs scope=job src=bpf q=-'
		job 9 User=bob SystemComment='jobio/1 rd=1GiB/10 wr=-/- nodes=2/2 cores=- cpus=- prof=- fs=/a:nfs scope=node src=weka q=-'
		job 10 User=bob SystemComment='jobio/1 rd=7GiB/10 wr=-/- nodes=2/2 cores=- cpus=- prof=- fs=/a:nfs scope=job src=stepd q=all_files'
		job 11 User=bob
		job 12 User=bob End=1795400000 SystemComment='jobio/1 rd=1TiB/10 nodes=2/2'
	} >"$DIR/bin/jobs"
	run site -S 2026-11-21 -E 2026-11-22 --json
	expect_equal 0 "$status"
	expect_equal 'sacct 4 1 1 1 3 28800' "$(jq -r '"\(.source) \(.tally | "\(.jobs) \(.node_wide)") \(.silent) \(.tally | "\(.warned_jobs) \(.warned_tasks) \(.node_s)")"' <<<"$output")"
	expect_equal '/mnt/weka wekafs 1073741824 2147483648 5 3072;(all files)  7516192768 null null null;/a:nfs,/b:nfs  1073741824 null null null' \
		"$(jq -r '[.tally.filesystems[] | "\(.name) \(.type // "") \(.read_bytes) \(.write_bytes) \(.meta) \(.peak_Bps)"] | sort_by(.[0:2] != "/m", .[0:1]) | join(";")' <<<"$output")"
	expect_equal 'slow true' "$(jq -r '"\(.tally.profiles[] | select(.name == "slow").name) \(.why_not_ledger | endswith("Connection refused"))"' <<<"$output")"
	expect_text '-a -S 2026-11-20T23:00:00 -E 2026-11-22T01:00:00' "$(<"$DIR/bin/asked")"
}

@test "users other than root, SlurmUser and operators of Slurm are refused, with and without a ledger" {
	[[ $EUID == 0 ]] || skip 'needs a user who is not trusted'
	fill
	chmod 755 "$DIR/bin"
	as=(setpriv --reuid=65534 --clear-groups env "PATH=$PATH" "$BUILDDIR/jobio" report --conf="$DIR/jobio.conf" --site -S 2026-11-21)
	run "${as[@]}"
	expect_equal 1 "$status"
	expect_equal 'jobio: report: ledger: site: for root, SlurmUser and operators of Slurm only' "$output"
	stop "$LEDGER"
	# shellcheck disable=SC2016 # the fake expands it
	printf '#!/bin/sh\n[ "$4" = name=nobody ] && [ "$SLURM_CONF" = /etc/slurm-c.conf ] && cat "%s/level"\n' "$DIR" >"$DIR/bin/sacctmgr"
	chmod 755 "$DIR/bin/sacctmgr"
	run "${as[@]}"
	expect_equal 1 "$status"
	expect_text '; sacctmgr: exit status 1' "$output"
	export SLURM_CONF=/etc/slurm-c.conf
	echo None >"$DIR/level"
	run "${as[@]}"
	expect_equal 1 "$status"
	expect_text '; --site: for root, SlurmUser and operators of Slurm only' "$output"
	echo Operator >"$DIR/level"
	job 7 User=alice SystemComment='jobio/1 rd=1GiB/10 wr=2GiB/20 nodes=2/2 fs=/mnt/weka:wekafs scope=job src=bpf' >"$DIR/bin/jobs"
	run "${as[@]}" -E 2026-11-22
	expect_equal 0 "$status"
	expect_text /mnt/weka "$output"
}

# stop_ledger - stop it, and give it a slurm.conf, without which its writer ends; a slurmdbd is not
# needed
stop_ledger() {
	stop "$LEDGER"
	printf '%s\n' ClusterName=vm SlurmctldHost=localhost AccountingStorageType=accounting_storage/slurmdbd \
		AccountingStorageHost=127.0.0.1 AccountingStoragePort=1 >"$DIR/slurm.conf"
	export SLURM_CONF=$DIR/slurm.conf
}

# judge_again - the ledger judges its runs again, with the present configuration
judge_again() {
	stop_ledger
	python3 -c 'import sqlite3, sys
with sqlite3.connect(sys.argv[1], timeout=10) as db:
    db.execute("DELETE FROM run_sums")
    db.execute("UPDATE runs SET dirty=1, next_try=1")' "$DIR/store.sqlite"
	start_ledger
	within 20 is_judged
}

is_judged() {
	[[ $(in_store 'SELECT count(DISTINCT run) FROM run_sums') == "$(in_store 'SELECT count(*) FROM runs')" ]]
}

has_days() { [[ $(in_store 'SELECT count(DISTINCT day) FROM day_sums') == "$1" ]]; }

@test "the ledger adds up past days once, and again after a late record of such a day" {
	fill
	stop_ledger
	start_ledger
	within 20 has_days 2
	site -S 2026-11-21 -E 2026-11-22 --json | sorted_json >"$DIR/kept"
	expect_kept site.json.golden "$DIR/kept"
	expect_equal 4 "$(site -S 2026-11-19 -E 2026-11-23 --json | jq .tally.jobs)"
	use 11 1795225100 c alice lab stream 1 60 2 0 0 '' /home nfs 1 1 1 1
	expect_equal 5 "$(site -S 2026-11-19 -E 2026-11-23 --json | jq .tally.jobs)"
}

advised() {
	site -S 2026-11-20 -E 2026-11-25 --csv | sed -n 's/^"advice","\(A[0-9]*\)".*/\1/p' | tr '\n' ' '
}

@test "advice uses the site's calibration, as in a report of the same job" {
	cp "$SRCDIR/tests/samples/advice/A01-small-reads.json" "$DIR/spool/101.0.vm1.json"
	send
	printf '[advice]\nsmall_read_kb = 4\n' >"$DIR/advice.conf"
	judge_again
	expect_equal 'A01 ' "$(advised)"
	printf '[advice]\ncalibration = %s\n' "$DIR/advice.conf" >>"$DIR/jobio.conf"
	judge_again
	expect_equal '' "$(advised)"
	job 101 User=root
	run "$BUILDDIR/jobio" report --conf="$DIR/jobio.conf" --json 101
	expect_equal '[]' "$(jq -c '.advice // .jobs[0].advice' <<<"$output")"
	rm "$DIR/advice.conf"
	judge_again
	expect_equal 'A01 ' "$(advised)"
	expect_text "[advice] calibration: '$DIR/advice.conf': cannot read: No such file or directory" "$(<"$DIR/ledger.log")"
	expect_text 'jobio: ledger: [advice] calibration is not used' "$(<"$DIR/ledger.log")"
}

# used JOB NODE JQ - a node's record of a job of alice that ran 1,000 s
used() {
	jq -nc --argjson job "$1" --arg node "$2" '
		def io($fs; $bytes): {scope: "job", source: "vfs", fs: $fs, read_bytes: $bytes, write_bytes: (2 * $bytes), read_calls: 1, write_calls: 1};
		{jobio: 1, cluster: "vm", job: $job, restart: 0, node: $node, nodelist: "n[1-2]", uid: 1000, user: "alice", start: 1795224000, end: 1795225000,
		 client: {name: "x", type: "nfs", mounts: [{mount: "/a", fstype: "wekafs", source: "d"}, {mount: "/b", fstype: "nfs4", source: "s:/b"}]}, quality: []} | '"$3" \
		>"$DIR/spool/$1.0.$2.json"
}

@test "the sums of a run are added up from its nodes' records: filesystems of the best source, peaks, metadata, the gate" {
	# 20: two nodes, with a worse source, too; 21: all files; 22: node-wide only; 24: too many filesystems
	used 20 n1 '.request = {profile: "stream"} | .gate = {warned: 2, refused: 1, text: "x"} | .app = [io("/a"; 100) + {meta: {open: 5, stat: 6}, peak: {read_Bps: 10, write_Bps: 30, window_s: 1}}, io("/b"; 7), io(null; 5000) + {source: "stepd"}]'
	used 20 n2 '.user = "bob" | .app = [io("/a"; 100) + {peak: {read_Bps: 20, write_Bps: null, window_s: 1}}, io("/b"; 7)]'
	used 21 n1 '.nodelist = "n1" | .app = [io(null; 100) + {source: "exit"}]'
	used 22 n1 '.nodelist = "n1" | .app = [io("/a"; 90000) + {scope: "node"}]'
	used 24 n1 '.nodelist = "n1" | .app = [range(1; 60) | io("/fs\(.)"; .)]'
	sed -i '/^.ledger.$/a cluster = vm' "$DIR/jobio.conf"
	send
	judge_again
	site -S 2026-11-20 -E 2026-11-25 --json >"$DIR/out"
	expect_equal '4 1 2 1 5000' "$(jq -r '.tally | "\(.jobs) \(.node_wide) \(.warned_tasks) \(.refused_tasks) \(.node_s)"' "$DIR/out")"
	expect_equal '["wekafs",1,200,400,11,30,20]' "$(jq -c '.tally.filesystems[] | select(.name == "/a") | [.type, .jobs, .read_bytes, .write_bytes, .meta, .peak_Bps, .peak_job]' "$DIR/out")"
	expect_equal '14 100 1770' "$(jq -r '.tally.filesystems | "\(.[] | select(.name == "/b").read_bytes) \(.[] | select(.name == "(all files)").read_bytes) \([.[] | select(.name != "/a" and .name != "/b" and .name != "/c" and .name != "(all files)").read_bytes] | add)"' "$DIR/out")"
	expect_equal 'stream 1' "$(jq -r '.tally.profiles[] | select(.name == "stream") | "\(.name) \(.jobs)"' "$DIR/out")"
}
