#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# metrics.bats - the ledger's metrics_file for Prometheus
# shellcheck disable=SC2030,SC2031 # each test is a subshell, teardown included

# shellcheck source=tests/scripts/ledger.bash
source "$SRCDIR/tests/scripts/ledger.bash"

SERIES=31	# of any ledger: a number that grows with jobs or nodes is a mistake

setup() {
	DIR=$(mktemp -d "${BATS_TMPDIR:-/tmp}/jobio-ledger.XXXXXX")
	chmod 755 "$DIR"
	mkdir -m 700 "$DIR/spool"
	LEDGER='' MUNGED=''
	PORT=$(free_port)
	start_munged
	write_config
	printf 'metrics_file = %s/jobio.prom\n' "$DIR" >>"$DIR/jobio.conf"
	start_ledger
}

teardown() { teardown_ledger; }

# metric SERIES... - print the values, after a check of the whole text
metric() {
	python3 "$SRCDIR/tests/scripts/metrics_check.py" "${@/#/jobio_ledger_}" <"$DIR/jobio.prom" | tail -n +2 | xargs
}

# metrics_are VALUES SERIES... - wait for these values: the file is written every 15 s
metrics_are() { within 25 metric_is "$@"; }
metric_is() {
	local got
	got=$(metric "${@:2}")
	[[ $got == "$1" ]] || { printf 'metrics: %s\n' "$got" >"$DIR/metrics.last"; return 1; }
}

# gated JOB NODE WARNED REFUSED - put a record into the spool, with counts of the gate
gated() { record "$1" "$2" | sed "s/\"quality\"/\"gate\":{\"warned\":$3,\"refused\":$4,\"text\":null},&/" >"$DIR/spool/$1.0.$2.json"; }

@test "the file is valid for Prometheus, has a fixed number of series, and counts each record, task, refusal and run once" {
	local age inode
	within 5 test -s "$DIR/jobio.prom"
	expect_equal $SERIES "$(python3 "$SRCDIR/tests/scripts/metrics_check.py" <"$DIR/jobio.prom")"
	expect_equal 644 "$(stat -c %a "$DIR/jobio.prom")"
	inode=$(stat -c %i "$DIR/jobio.prom")
	spool 7 c1 'c[1-2]'
	gated 8 c1 3 0
	gated 9 c1 0 1
	send
	gated 8 c1 3 0
	gated 10 c1 2 4
	send
	printf '{"jobio":1,"job":1}' | python3 -c 'import sys
print("{\"op\":\"put\",\"record\":%s}" % sys.stdin.read())' >"$DIR/bad"
	python3 - "$PORT" "$DIR" <<-'EOP'
		import socket, struct, subprocess, sys
		def frame(data):
		    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 10)
		    s.sendall(struct.pack(">I", len(data)) + data)
		    s.recv(1)
		def seal(text):
		    text = b"jobio/1 " + b"0" * 32 + b"\n" + text
		    return subprocess.run(["munge", "-S", sys.argv[2] + "/munge/socket"], input=text,
		                          capture_output=True, check=True).stdout.strip()
		frame(b"")
		frame(b"MUNGE:nonsense:")
		frame(seal(b"[]"))
		frame(seal(b'{"op":"dance"}'))
		frame(seal(open(sys.argv[2] + "/bad", "rb").read()))
	EOP
	# all connections are closed
	metrics_are '4 1 5 5 1 1 2 0 1 0 1' records_received_total records_duplicate_total \
		'gate_tasks_total{did="warn"}' 'gate_tasks_total{did="refuse"}' \
		'refused_total{cause="frame"}' 'refused_total{cause="seal"}' \
		'refused_total{cause="request"}' 'refused_total{cause="user"}' 'refused_total{cause="record"}' \
		peers 'runs_waiting{for="nodes"}'
	[[ $(stat -c %i "$DIR/jobio.prom") != "$inode" ]] # replaced as a whole
	expect_equal $SERIES "$(python3 "$SRCDIR/tests/scripts/metrics_check.py" <"$DIR/jobio.prom")"
	# the job of the record ended at 1795224890
	age=$(metric waiting_oldest_seconds)
	((age >= 0 && age <= $(date +%s) - 1795224890))
	[[ $(metric store_bytes) -gt 4096 && $(metric store_free_bytes) -gt 1000000 ]]
	# there is no slurmdbd: libslurm ends the writer, or its connect fails
	within 40 writer_was_started_again
}

writer_was_started_again() {
	[[ $(metric writer_starts_total) -gt 1 ]] || [[ $(metric slurmdbd_failures_total) -gt 0 ]]
}

@test "a file that cannot be written is logged once, and reported by --check; a relative path is refused" {
	stop "$LEDGER"
	sed -i "s|^metrics_file.*|metrics_file = $DIR/none/jobio.prom|" "$DIR/jobio.conf"
	start_ledger
	within 5 grep -q "^jobio: ledger: metrics_file: .*'$DIR/none/.*': No such file or directory" "$DIR/ledger.log"
	spool 7 c1
	send
	expect_equal 1 "$(grep -c metrics_file "$DIR/ledger.log")"
	echo 'Nonsense=1' >"$DIR/slurm.conf"
	SLURM_CONF=$DIR/slurm.conf run "$BUILDDIR/jobio-ledgerd" --check --conf="$DIR/jobio.conf"
	expect_equal 1 "$status"
	expect_text "metrics: FAILED: [ledger] metrics_file: '$DIR/none/jobio.prom': its folder: No such file or directory" "$output"
	sed -i 's|^metrics_file.*|metrics_file = jobio.prom|' "$DIR/jobio.conf"
	run "$BUILDDIR/jobio-ledgerd" --conf="$DIR/jobio.conf"
	expect_text "[ledger] metrics_file: 'jobio.prom': expected an absolute path" "$output"
}

@test "the dashboard uses series and labels of the ledger, and all except its versions" {
	within 5 test -s "$DIR/jobio.prom"
	run python3 - "$DIR/jobio.prom" "$SRCDIR/contrib/jobio-grafana.json" <<-'EOP'
		import json, re, sys
		labels = {}
		for line in open(sys.argv[1]):
		    if not line.startswith("#"):
		        name, rest = re.match(r"(\w+)(.*)", line).groups()
		        labels.setdefault(name, set()).update(re.findall(r'(\w+)="', rest))
		board = json.load(open(sys.argv[2]))
		asked = set()
		for panel in board["panels"]:
		    for target in panel["targets"]:
		        name = re.search(r"jobio_ledger_\w+", target["expr"]).group()
		        asked.add(name)
		        by = set(re.findall(r"by \((\w+)\)", target["expr"]))
		        shown = set(re.findall(r"{{(\w+)}}", target["legendFormat"]))
		        if name not in labels or not by <= labels[name] or shown != by:
		            print(panel["title"], name, by, shown)
		print(sorted(set(labels) - asked))
		ids = [panel["id"] for panel in board["panels"]]
		print(len(ids) == len(set(ids)))
	EOP
	[ "$status" -eq 0 ]
	[ "$output" = "['jobio_ledger_info', 'jobio_ledger_slurmdbd_last_write_timestamp_seconds', 'jobio_ledger_start_timestamp_seconds']
True" ]
}
