#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# metrics.bats - what Prometheus can read of the ledger
# shellcheck disable=SC2030,SC2031 # each test is a subshell, teardown included

# shellcheck source=tests/scripts/ledger.bash
source "$SRCDIR/tests/scripts/ledger.bash"

SERIES=32	# of any ledger: a number that grows with jobs or nodes is a mistake

setup() {
	DIR=$(mktemp -d "${BATS_TMPDIR:-/tmp}/jobio-ledger.XXXXXX")
	chmod 755 "$DIR"
	mkdir -m 700 "$DIR/spool"
	LEDGER='' MUNGED='' PEERS=''
	PORT=$(free_port)
	METRICS=$(free_port)
	start_munged
	write_config
	printf 'metrics_listen = %s\nmetrics_file = %s/jobio.prom\n' "$METRICS" "$DIR" >>"$DIR/jobio.conf"
	start_ledger
}

teardown() {
	[[ -z $PEERS ]] || stop "$PEERS" KILL
	teardown_ledger
}

# scrape - the text as a client of HTTP gets it
scrape() {
	python3 -c 'import sys, urllib.request
with urllib.request.urlopen("http://127.0.0.1:%s/metrics" % sys.argv[1], timeout=5) as answer:
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8", answer.headers
    sys.stdout.write(answer.read().decode())' "$METRICS"
}

# metric SERIES... - the values, from a text that is checked as a whole
metric() {
	scrape | python3 "$SRCDIR/tests/scripts/metrics_check.py" "${@/#/jobio_ledger_}" | tail -n +2 | xargs
}

# metrics_are VALUES SERIES... - the text is made once a second only
metrics_are() { within 5 metric_is "$@"; }
metric_is() {
	local got
	got=$(metric "${@:2}")
	[[ $got == "$1" ]] || { printf 'metrics: %s\n' "$got" >"$DIR/metrics.last"; return 1; }
}

# ask TEXT - send bytes to the port of the metrics, print the answer
ask() {
	python3 -c 'import socket, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 10)
s.sendall(sys.argv[2].encode().decode("unicode_escape").encode("latin1"))
out = b""
while True:
    try:
        data = s.recv(65536)
    except ConnectionResetError:
        break
    if not data:
        break
    out += data
sys.stdout.buffer.write(out)' "$METRICS" "$1"
}

@test "the text is what Prometheus takes, with a fixed number of series" {
	expect_equal $SERIES "$(scrape | python3 "$SRCDIR/tests/scripts/metrics_check.py")"
	local i
	for i in {1..30}; do spool "$i" "n$i"; done
	send
	expect_equal $SERIES "$(scrape | python3 "$SRCDIR/tests/scripts/metrics_check.py")"
	[[ $(scrape) != *alice* && $(scrape) != *n30* ]]
}

@test "records are counted: new ones, duplicates, and those refused by cause" {
	spool 7 c1 'c[1-2]'
	send
	spool 7 c1 'c[1-2]'
	send
	metrics_are '1 1 0' records_received_total records_duplicate_total 'refused_total{cause="record"}'
	printf '{"jobio":1,"job":1}' | python3 -c 'import sys
print("{\"op\":\"put\",\"record\":%s}" % sys.stdin.read())' >"$DIR/bad"
	python3 - "$PORT" "$DIR" <<-'EOP'
		import socket, struct, subprocess, sys
		def frame(data):
		    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 10)
		    s.sendall(struct.pack(">I", len(data)) + data)
		    s.recv(1)
		def seal(text):
		    return subprocess.run(["munge", "-S", sys.argv[2] + "/munge/socket"], input=text,
		                          capture_output=True, check=True).stdout.strip()
		frame(b"")
		frame(b"MUNGE:nonsense:")
		frame(seal(b"[]"))
		frame(seal(b'{"op":"dance"}'))
		frame(seal(open(sys.argv[2] + "/bad", "rb").read()))
	EOP
	metrics_are '1 1 2 0 1' 'refused_total{cause="frame"}' 'refused_total{cause="seal"}' \
		'refused_total{cause="request"}' 'refused_total{cause="user"}' 'refused_total{cause="record"}'
	# all of them have hung up
	metrics_are 0 peers
}

# gated JOB NODE WARNED REFUSED - into the spool, a record with what the gate did
gated() { record "$1" "$2" | sed "s/\"quality\"/\"gate\":{\"warned\":$3,\"refused\":$4,\"text\":null},&/" >"$DIR/spool/$1.0.$2.json"; }

@test "tasks that the gate warned of or refused are added up, and those of a duplicate not again" {
	local both=('gate_tasks_total{did="warn"}' 'gate_tasks_total{did="refuse"}')
	metrics_are '0 0' "${both[@]}"
	gated 7 c1 3 0
	gated 8 c1 0 1
	send
	metrics_are '3 1 2' "${both[@]}" records_received_total
	gated 7 c1 3 0
	gated 9 c1 2 4
	spool 10 c1
	send
	metrics_are '5 5 4 1' "${both[@]}" records_received_total records_duplicate_total
}

@test "runs that wait are counted by what they wait for, with the age of the oldest" {
	metrics_are '0 0 0 0' 'runs_waiting{for="nodes"}' 'runs_waiting{for="writer"}' \
		'runs_waiting{for="retry"}' waiting_oldest_seconds
	spool 7 c1 'c[1-2]'
	send
	metrics_are 1 'runs_waiting{for="nodes"}'
	# the record's job ended at 1795224890
	local age
	age=$(metric waiting_oldest_seconds)
	((age >= 0 && age <= $(date +%s) - 1795224890))
	[[ $(metric store_bytes) -gt 4096 && $(metric store_free_bytes) -gt 1000000 ]]
}

@test "a writer that dies is counted, and what it wrote is not forgotten" {
	# there is no slurmdbd: libslurm ends the writer, or it fails to connect
	within 20 writer_was_started_again
}

writer_was_started_again() {
	[[ $(metric writer_starts_total) -gt 1 ]] || [[ $(metric slurmdbd_failures_total) -gt 0 ]]
}

@test "the file has the same text, and is replaced as a whole" {
	local inode
	within 5 test -s "$DIR/jobio.prom"
	expect_equal $SERIES "$(python3 "$SRCDIR/tests/scripts/metrics_check.py" <"$DIR/jobio.prom")"
	expect_equal 644 "$(stat -c %a "$DIR/jobio.prom")"
	inode=$(stat -c %i "$DIR/jobio.prom")
	within 25 inode_changed "$DIR/jobio.prom" "$inode"
	expect_equal $SERIES "$(python3 "$SRCDIR/tests/scripts/metrics_check.py" <"$DIR/jobio.prom")"
}

inode_changed() { [[ $(stat -c %i "$1") != "$2" ]]; }

@test "a file that cannot be written is said once, and the ledger works" {
	stop "$LEDGER"
	sed -i "s|^metrics_file.*|metrics_file = $DIR/none/jobio.prom|" "$DIR/jobio.conf"
	start_ledger
	within 5 grep -q "^jobio: ledger: metrics_file: .*'$DIR/none/.*': No such file or directory" "$DIR/ledger.log"
	spool 7 c1
	send
	expect_equal 1 "$(grep -c metrics_file "$DIR/ledger.log")"
}

@test "other questions get the answers that HTTP has for them" {
	expect_text 'HTTP/1.1 404 Not Found' "$(ask 'GET / HTTP/1.1\r\n\r\n')"
	expect_text 'HTTP/1.1 405 Method Not Allowed' "$(ask 'POST /metrics HTTP/1.1\r\n\r\n')"
	expect_text 'HTTP/1.1 400 Bad Request' "$(ask 'nonsense\r\n\r\n')"
	expect_text 'HTTP/1.1 200 OK' "$(ask 'GET /metrics?x=1 HTTP/1.0\r\nHost: a\r\n\r\n')"
	[[ $(ask 'HEAD /metrics HTTP/1.1\r\n\r\n') != *jobio_ledger* ]]
	expect_text 'HTTP/1.1 431' "$(ask "GET /metrics HTTP/1.1\r\nA: $(printf 'x%.0s' {1..4100})")"
}

@test "a thousand idle connections and slow questions keep nobody from the metrics or the ledger" {
	python3 - "$METRICS" >"$DIR/peers.out" 2>&1 3>&- <<-'EOP' &
		import socket, sys, time
		def connect():
		    return socket.create_connection(("127.0.0.1", int(sys.argv[1])), 20)
		idle = []
		for i in range(1000):
		    idle.append(connect())
		slow = connect()
		print("ready", flush=True)
		begun = time.time()
		try:
		    while time.time() < begun + 20:
		        slow.sendall(b"G")
		        time.sleep(0.2)
		except OSError:
		    print("closed after %d s" % (time.time() - begun), flush=True)
		time.sleep(60)
	EOP
	PEERS=$!
	within 30 grep -q ready "$DIR/peers.out"
	scrape >"$DIR/out"
	spool 7 c1
	send
	(($(find "/proc/$LEDGER/fd" -type l | wc -l) < 60))
	within 15 grep -q 'closed after [56] s' "$DIR/peers.out"
}

@test "a bad address or file of the metrics is refused when jobio.conf is read" {
	local value
	stop "$LEDGER"
	for value in 0 65536 localhost:9632 1.2.3.4: :9632 '[::1:9632' '1.2.3:1' '1.2.3.4:9632x'; do
		sed -i "s/^metrics_listen.*/metrics_listen = $value/" "$DIR/jobio.conf"
		run "$BUILDDIR/jobio-ledgerd" --conf="$DIR/jobio.conf"
		expect_equal 1 "$status"
		expect_text "[ledger] metrics_listen: '$value': expected PORT, ADDRESS:PORT or [ADDRESS]:PORT" "$output"
	done
	sed -i "s|^metrics_listen.*|metrics_listen = $METRICS|; s|^metrics_file.*|metrics_file = jobio.prom|" "$DIR/jobio.conf"
	run "$BUILDDIR/jobio-ledgerd" --conf="$DIR/jobio.conf"
	expect_text "[ledger] metrics_file: 'jobio.prom': expected an absolute path" "$output"
}

@test "--check names a file of the metrics that could not be written" {
	sed -i "s|^metrics_file.*|metrics_file = $DIR/none/jobio.prom|" "$DIR/jobio.conf"
	echo 'Nonsense=1' >"$DIR/slurm.conf"
	SLURM_CONF=$DIR/slurm.conf run "$BUILDDIR/jobio-ledgerd" --check --conf="$DIR/jobio.conf"
	expect_equal 1 "$status"
	expect_text "metrics: FAILED: [ledger] metrics_file: '$DIR/none/jobio.prom': its folder: No such file or directory" "$output"
}

@test "a port that is taken is said, and the ledger does not start without its metrics" {
	stop "$LEDGER"
	sed -i "s/^metrics_listen.*/metrics_listen = 127.0.0.1:$METRICS/" "$DIR/jobio.conf"
	python3 -c 'import socket, sys, time
s = socket.create_server(("127.0.0.1", int(sys.argv[1])))
time.sleep(60)' "$METRICS" 3>&- &
	PEERS=$!
	within 10 metrics_port_answers
	run timeout 10 "$BUILDDIR/jobio-ledgerd" --conf="$DIR/jobio.conf"
	expect_equal 1 "$status"
	expect_text "jobio: ledger: metrics_listen: '127.0.0.1:$METRICS': Address already in use" "$output"
}

metrics_port_answers() { (exec 3<>"/dev/tcp/127.0.0.1/$METRICS") 2>/dev/null; }

@test "the dashboard asks for series and labels that the ledger has, and for all but its versions" {
	scrape >"$DIR/text"
	run python3 - "$DIR/text" "$SRCDIR/contrib/jobio-grafana.json" <<-'EOP'
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
