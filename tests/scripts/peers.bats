#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# peers.bats - clients of the ledger cannot harm it, nor delay other clients
# shellcheck disable=SC2030,SC2031 # each test is a subshell, teardown included

# shellcheck source=tests/scripts/ledger.bash
source "$SRCDIR/tests/scripts/ledger.bash"

# Sanitizers keep freed memory for a while: limit it, since memory is measured here.
export ASAN_OPTIONS=quarantine_size_mb=4:thread_local_quarantine_size_kb=64

setup() { setup_ledger; }
teardown() {
	[[ -z ${PEERS:-} ]] || stop "$PEERS" KILL
	teardown_ledger
}

# peers SCRIPT - run Python in the background, with connect(), seal(TEXT), frame(BYTES) and the
# functions defined here; it prints "ready" when its connections are made, and keeps running
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
			def enveloped(text):
			    return ("jobio/1 " + "0" * 32 + "\n" + text).encode()
			def seal(text):
			    return frame(subprocess.run(["munge", "-S", munge], input=enveloped(text),
			        capture_output=True, check=True).stdout.strip())
			def seal_as(uid, text):
			    return frame(subprocess.run(["munge", "-S", munge], input=enveloped(text), user=uid,
			        capture_output=True, check=True).stdout.strip())
			def is_closed(s):
			    s.settimeout(20)
			    try:
			        return s.recv(1) == b""
			    except ConnectionResetError:
			        return True
			def answer(s):
			    size = struct.unpack(">I", s.recv(4, socket.MSG_WAITALL))[0]
			    sealed = s.recv(size, socket.MSG_WAITALL)
			    return subprocess.run(["unmunge", "-S", munge, "-m", "/dev/null"], input=sealed,
			        capture_output=True).stdout.partition(b"\n")[2]
			# open the connections; each writes the data for so many seconds, and never reads
			def flood(connections, data, seconds):
			    all = []
			    for i in range(connections):
			        s = connect()
			        s.settimeout(seconds)
			        try:
			            s.sendall(data)
			        except (TimeoutError, OSError):
			            pass
			        all.append(s)
			    return all
		EOP
		printf '%s\nprint("ready", flush=True)\ntime.sleep(120)\n' "$1"
	} >"$DIR/peers.py"
	python3 "$DIR/peers.py" "$PORT" "$DIR/munge/socket" >"$DIR/peers.out" 2>&1 3>&- &
	PEERS=$!
	within 60 grep -q ready "$DIR/peers.out" || { cat "$DIR/peers.out" >&2; return 1; }
}

# others_are_served - a record is accepted soon, whatever the peers do
others_are_served() {
	local before=$SECONDS
	spool "$((RANDOM + 100))" c1
	send || { cat "$DIR/ledger.log" >&2; return 1; }
	((SECONDS - before <= 6))
}

# memory_below MIB - the peak memory of the ledger is lower
memory_below() {
	local kb
	kb=$(awk '/^VmHWM/ { print $2 }' "/proc/$LEDGER/status")
	((kb < $1 * 1024)) || { printf 'the ledger held %s kB\n' "$kb" >&2; return 1; }
}

@test "the connection of a peer with another protocol is closed" {
	peers 'for text in (b"GET / HTTP/1.0\r\n\r\n", b"\0\0\0\0", b"\xff" * 100, frame(b"MUNGE:nonsense:"),
	    frame(b"x" * 5000), frame(b"\0" * 10), struct.pack(">I", (1 << 20) + 1)):
	    s = connect()
	    s.sendall(text)
	    assert is_closed(s), text'
	others_are_served
	expect_text 'bytes: closed' "$(cat "$DIR/ledger.log")"
	expect_text 'refused: munge:' "$(cat "$DIR/ledger.log")"
}

@test "two thousand silent connections do not exclude other clients" {
	peers 'all = [connect() for i in range(2000)]'
	others_are_served
	memory_below 100
}

@test "a host that opens silent connections as fast as it can does not exclude other clients" {
	peers 'import select, threading
def open_them():
    ours = []
    while True:
        s = socket.socket()
        s.setblocking(False)
        s.bind(("127.0.0.2", 0))
        s.connect_ex(("127.0.0.1", port))
        ours.append(s)
        if len(ours) > 6000:
            ours.pop(0).close()
threading.Thread(target=open_them, daemon=True).start()
time.sleep(8)'
	others_are_served
	others_are_served
	expect_text "192 connections of its address without authentication: closed" "$(cat "$DIR/ledger.log")"
	memory_below 100
}

# 4,000 frames a second, each on a connection of its own: half of them for munged to decode, half
# with an impossible size; for JOBIO_FLOOD_S seconds.
@test "with four thousand malformed frames a second from a host no record fails and few descriptors are in use" {
	local failed=0 sent=0 most=0 fds end=$((SECONDS + ${JOBIO_FLOOD_S:-10}))
	peers 'import threading
def flood():
    ours, begun, count = [], time.time(), 0
    while True:
        while count < (time.time() - begun) * 4000:
            s = socket.socket()
            s.setblocking(False)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            s.bind(("127.0.0.2", 0))
            s.connect_ex(("127.0.0.1", port))
            ours.append(s)
            count += 1
            if len(ours) > 40:
                try:
                    ours[-40].send(frame(b"x") if count % 2 else b"\\0\\0\\0\\0")
                except OSError:
                    pass
            if len(ours) > 4000:
                ours.pop(0).close()
        open(sys.argv[0] + ".rate", "w").write("%d" % (count / (time.time() - begun)))
        time.sleep(0.002)
threading.Thread(target=flood, daemon=True).start()
time.sleep(1)'
	while ((SECONDS < end)); do
		spool "$((1000 + sent))" c1
		if send 2>>"$DIR/send.log"; then sent=$((sent + 1)); else failed=$((failed + 1)); fi
		fds=$(find "/proc/$LEDGER/fd" -type l | wc -l)
		((fds <= most)) || most=$fds
	done
	printf '%s malformed frames a second: %s records sent, %s failed, at most %s descriptors\n' \
		"$(<"$DIR/peers.py.rate")" "$sent" "$failed" "$most"
	((failed == 0 && sent > 0 && most < 300))
}

@test "three thousand nodes that connect at the same time are all served" {
	# on a busy machine some wait longer than ten seconds, and try again as nodes do
	local try=0
	until "$BUILDDIR/tests/bench/ledger_bench" load 3000 3000 "$DIR/jobio.conf"; do
		((++try < 5))
	done
	expect_equal 3000 "$(in_store 'SELECT count(*) FROM records')"
}

@test "four hundred unfinished frames do not exclude other clients, and use little memory" {
	peers 'all = flood(400, struct.pack(">I", 1 << 20) + b"x" * ((1 << 20) - 100), 0.2)'
	others_are_served
	memory_below 200
}

@test "without a free descriptor the longest silent connection is closed, and that is logged" {
	prlimit --pid "$LEDGER" --nofile=40:
	peers 'all = [connect() for i in range(60)]'
	others_are_served
	expect_text 'accept: Too many open files' "$(cat "$DIR/ledger.log")"
}

@test "a connection has ten seconds for its first credential, and half a minute for a frame, however slowly it arrives" {
	peers 'import threading
took = {}
def waits(name, data, drip):
    s = connect()
    begun = time.time()
    try:
        s.sendall(data)
        while time.time() < begun + 60:
            s.settimeout(0.5)
            try:
                if s.recv(1 << 20) == b"":
                    break
            except TimeoutError:
                s.sendall(drip)
    except OSError:
        pass
    took[name] = time.time() - begun
all = [threading.Thread(target=waits, args=args) for args in (
    ("stranger", b"", b""), ("drips", struct.pack(">I", 1000), b"x"))]
for t in all: t.start()
for t in all: t.join()
assert 8 < took["stranger"] < 19 and 29 < took["drips"] < 45, took'
	others_are_served
	expect_text 'no whole frame in 30 s: closed' "$(cat "$DIR/ledger.log")"
}

@test "a peer that sends requests and never reads the replies uses little memory" {
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

@test "malformed requests with a credential get a reply and have no effect" {
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
    plain = answer(s)
    assert plain.startswith(b"{\"ok\":false,\"error\":\""), (text, plain)'
	others_are_served
}

@test "a request that is recorded and sent again has no effect" {
	record 7 c1 >"$DIR/record"
	peers 's = connect()
ask = seal("{\"op\":\"put\",\"record\":" + open("'"$DIR"'/record").read() + "}")
for i in range(3):
    s.sendall(ask)
    plain = answer(s)
    assert plain == b"{\"ok\":true}", plain'
	expect_equal '1|1|1' "$(in_store 'SELECT count(*), version, nodes_seen FROM runs')"
}

@test "replies have the order of the requests on a connection" {
	peers 's = connect()
s.sendall(seal("{\"op\":\"ping\"}") * 20 + seal("{\"op\":\"get\",\"job\":\"1\"}"))
got = [answer(s) for i in range(21)]
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

readonly NOBODY=65534

# big_job USER - send job 7 of a user, with a reply of nearly the maximum size of a frame
big_job() {
	local node
	for node in c1 c2; do
		OWNER=$1 record 7 "$node" 'c[1-2]' | python3 -c 'import json, sys
r = json.load(sys.stdin)
r["findings"] = [{"code": "X", "severity": "info", "text": "x" * 4000}] * 60
json.dump(r, open(sys.argv[1], "w"))' "$DIR/spool/7.0.$node.json"
	done
	send
}

@test "nine hundred connections of a user that never reads the replies use little memory" {
	[[ $EUID == 0 ]] || skip 'needs a user who is not trusted'
	big_job "$NOBODY"
	peers "all = flood(900, seal_as($NOBODY, '{\"op\":\"get\",\"job\":\"7\"}') * 4, 0.5)"
	others_are_served
	memory_below 100
}

@test "unread replies use little memory, also those to root" {
	[[ $EUID == 0 ]] || skip 'needs a user who is not trusted'
	big_job 0
	peers 'all = flood(300, seal("{\"op\":\"get\",\"job\":\"7\"}") * 4, 0.5)'
	others_are_served
	memory_below 200
}

@test "the number of connections is limited for a user, and not for root" {
	[[ $EUID == 0 ]] || skip 'needs a user who is not trusted'
	peers "ask = seal_as($NOBODY, '{\"op\":\"ping\"}')
mine = seal('{\"op\":\"ping\"}')
def answered(s, ask):
    s.settimeout(20)
    try:
        s.sendall(ask)
        head = s.recv(4, socket.MSG_WAITALL)
        return len(head) == 4 and len(s.recv(struct.unpack('>I', head)[0], socket.MSG_WAITALL)) > 0
    except OSError:
        return False
all = [connect() for i in range(100)]
count = sum(answered(s, ask) for s in all)
assert count == 64, count
all[0].close()
again = connect()
assert answered(again, ask)
roots = []
for i in range(200):
    roots.append(connect())
    assert answered(roots[-1], mine)"
	others_are_served
	expect_text "too many connections of user $NOBODY: closed" "$(cat "$DIR/ledger.log")"
}

@test "nine hundred reading clients do not delay a record" {
	[[ $EUID == 0 ]] || skip 'needs a user who is not trusted'
	local i before
	python3 - "$DIR/spool" <(OWNER=$NOBODY record 7 NODE 'n[1-1000]') <<-'EOP'
		import sys
		text = open(sys.argv[2]).read()
		for i in range(1, 1001):
		    open("%s/7.0.n%d.json" % (sys.argv[1], i), "w").write(text.replace("NODE", "n%d" % i))
	EOP
	send
	peers "import select, threading
ask = seal_as($NOBODY, '{\"op\":\"get\",\"job\":\"7\"}')
def readers():
    poll, open_ones = select.poll(), {}
    def begin():
        s = connect()
        s.sendall(ask)
        s.setblocking(False)
        open_ones[s.fileno()] = s
        poll.register(s, select.POLLIN)
    while True:
        while len(open_ones) < 900:
            begin()
        for fd, what in poll.poll(100):
            try:
                if open_ones[fd].recv(1 << 20) and not what & select.POLLHUP:
                    continue
            except OSError:
                pass
            poll.unregister(fd)
            open_ones.pop(fd).close()
threading.Thread(target=readers, daemon=True).start()
time.sleep(3)"
	for i in {1..5}; do spool "$((100 + i))" c1; done
	before=$SECONDS
	timeout 20 "$BUILDDIR/jobio-send" --once --conf="$DIR/jobio.conf"
	((SECONDS - before < 10)) || { printf 'took %s s\n' $((SECONDS - before)) >&2; return 1; }
	expect_equal 0 "$(spool_count)"
}
