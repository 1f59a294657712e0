#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# peers.bats - whoever connects to the ledger cannot hurt it or the others
# shellcheck disable=SC2030,SC2031 # each test is a subshell, teardown included

# shellcheck source=tests/scripts/ledger.bash
source "$SRCDIR/tests/scripts/ledger.bash"

# A sanitizer build keeps freed memory for a while: not what is measured here.
export ASAN_OPTIONS=quarantine_size_mb=4:thread_local_quarantine_size_kb=64

setup() { setup_ledger; }
teardown() {
	[[ -z ${PEERS:-} ]] || stop "$PEERS" KILL
	teardown_ledger
}

# peers SCRIPT - run Python in the background with connect(), seal(TEXT) and
# frame(BYTES) at hand; it prints "ready" when it has done its worst, and stays
peers() {
	{
		cat <<-'EOP'
			import resource, socket, struct, subprocess, sys, time
			port, munge = int(sys.argv[1]), sys.argv[2]
			hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
			resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
			def connect():
			    return socket.create_connection(("127.0.0.1", port), 20)
			def frame(data):
			    return struct.pack(">I", len(data)) + data
			def seal(text):
			    return frame(subprocess.run(["munge", "-S", munge], input=text.encode(),
			        capture_output=True, check=True).stdout.strip())
			def is_closed(s):
			    s.settimeout(20)
			    try:
			        return s.recv(1) == b""
			    except ConnectionResetError:
			        return True
		EOP
		printf '%s\nprint("ready", flush=True)\ntime.sleep(120)\n' "$1"
	} >"$DIR/peers.py"
	python3 "$DIR/peers.py" "$PORT" "$DIR/munge/socket" >"$DIR/peers.out" 2>&1 3>&- &
	PEERS=$!
	within 60 grep -q ready "$DIR/peers.out" || { cat "$DIR/peers.out" >&2; return 1; }
}

# others_are_served - a record is taken soon, whatever the others do
others_are_served() {
	local before=$SECONDS
	spool "$((RANDOM + 100))" c1
	send || { cat "$DIR/ledger.log" >&2; return 1; }
	((SECONDS - before <= 6))
}

# memory_below MIB - what the ledger ever held
memory_below() {
	local kb
	kb=$(awk '/^VmHWM/ { print $2 }' "/proc/$LEDGER/status")
	((kb < $1 * 1024)) || { printf 'the ledger held %s kB\n' "$kb" >&2; return 1; }
}

@test "a peer that speaks another protocol is hung up on" {
	peers 'for text in (b"GET / HTTP/1.0\r\n\r\n", b"\0\0\0\0", b"\xff" * 100, frame(b"MUNGE:nonsense:"),
	    frame(b"x" * 5000), frame(b"\0" * 10)):
	    s = connect()
	    s.sendall(text)
	    assert is_closed(s), text'
	others_are_served
	expect_text 'bytes: closed' "$(cat "$DIR/ledger.log")"
	expect_text 'refused: munge:' "$(cat "$DIR/ledger.log")"
}

@test "a frame of more than a megabyte is not even read" {
	peers 's = connect()
s.sendall(struct.pack(">I", (1 << 20) + 1))
assert is_closed(s)'
	others_are_served
	memory_below 60
}

@test "two thousand silent connections keep nobody out" {
	peers 'all = [connect() for i in range(2000)]'
	others_are_served
	memory_below 100
}

@test "three thousand nodes that come at once are all served" {
	"$BUILDDIR/tests/bench/ledger_bench" load 3000 3000 "$DIR/jobio.conf"
	expect_equal 3000 "$(in_store 'SELECT count(*) FROM records')"
}

@test "four hundred frames that never end keep nobody out and fill no memory" {
	peers 'all = []
for i in range(400):
    s = connect()
    s.settimeout(0.2)
    try:
        s.sendall(struct.pack(">I", 1 << 20) + b"x" * ((1 << 20) - 100))
    except (TimeoutError, OSError):
        pass
    all.append(s)'
	others_are_served
	memory_below 200
}

@test "a frame that is not there after half a minute is given up, however it drips" {
	peers 'closed = []
def drip():
    s = connect()
    begun = time.time()
    s.sendall(struct.pack(">I", 1000))
    try:
        while time.time() < begun + 60:
            s.sendall(b"x")
            time.sleep(0.5)
    except OSError:
        closed.append(time.time() - begun)
drip()
assert len(closed) == 1 and 29 < closed[0] < 40, closed'
	others_are_served
	expect_text 'no whole frame in 30 s: closed' "$(cat "$DIR/ledger.log")"
}

@test "a peer that asks and never reads the answers fills no memory" {
	record 7 c1 | python3 -c 'import json, sys
r = json.load(sys.stdin)
r["findings"] = [{"code": "X", "severity": "info", "text": "x" * 4000}] * 50
json.dump(r, open(sys.argv[1], "w"))' "$DIR/spool/7.0.c1.json"
	send
	peers 's = connect()
s.settimeout(3)
ask = seal("{\"op\":\"get\",\"job\":\"7\"}")
try:
    for i in range(3000):
        s.sendall(ask)
except (TimeoutError, OSError):
    pass'
	others_are_served
	memory_below 60
}

@test "sealed nonsense gets an answer and does no harm" {
	peers 'import random
random.seed(1)
s = connect()
texts = ["", "[]", "{", "{\"op\":\"put\"}", "{\"op\":\"put\",\"record\":[]}", "{\"op\":\"get\",\"job\":{}}",
    "{\"op\":\"get\",\"job\":\"%s\"}" % ("9" * 5000), "[" * 5000, "{\"op\":\"put\",\"record\":" * 100]
texts += ["".join(chr(random.randrange(32, 127)) for i in range(random.randrange(1, 200))) for i in range(40)]
for text in texts:
    if not text:
        continue
    s.sendall(seal(text))
    size = struct.unpack(">I", s.recv(4, socket.MSG_WAITALL))[0]
    answer = s.recv(size, socket.MSG_WAITALL)
    plain = subprocess.run(["unmunge", "-S", munge, "-m", "/dev/null"], input=answer, capture_output=True).stdout
    assert plain.startswith(b"{\"ok\":false,\"error\":\""), (text, plain)'
	others_are_served
}

@test "a request that somebody recorded and sends again does no harm" {
	record 7 c1 >"$DIR/record"
	peers 's = connect()
ask = seal("{\"op\":\"put\",\"record\":" + open("'"$DIR"'/record").read() + "}")
for i in range(3):
    s.sendall(ask)
    size = struct.unpack(">I", s.recv(4, socket.MSG_WAITALL))[0]
    answer = s.recv(size, socket.MSG_WAITALL)
    plain = subprocess.run(["unmunge", "-S", munge, "-m", "/dev/null"], input=answer, capture_output=True).stdout
    assert plain == b"{\"ok\":true}", plain'
	expect_equal '1|1|1' "$(in_store 'SELECT count(*), version, nodes_seen FROM runs')"
}

@test "answers cross a connection in the order of the questions" {
	peers 's = connect()
s.sendall(seal("{\"op\":\"ping\"}") * 20 + seal("{\"op\":\"get\",\"job\":\"1\"}"))
got = []
for i in range(21):
    size = struct.unpack(">I", s.recv(4, socket.MSG_WAITALL))[0]
    answer = s.recv(size, socket.MSG_WAITALL)
    got.append(subprocess.run(["unmunge", "-S", munge, "-m", "/dev/null"], input=answer, capture_output=True).stdout)
assert all(b"version" in text for text in got[:20]) and b"no record" in got[20], got'
}

@test "the log of bad peers is bounded" {
	peers 'for i in range(300):
    s = connect()
    s.sendall(b"\xff\xff\xff\xff")
    assert is_closed(s)'
	[[ $(grep -c 'bytes: closed' "$DIR/ledger.log") -le 120 ]]
	[[ $(grep -c 'bytes: closed' "$DIR/ledger.log") -ge 60 ]]
}
