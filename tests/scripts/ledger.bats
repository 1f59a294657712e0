#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# ledger.bats - jobio-send and jobio-ledgerd, without Slurm
# shellcheck disable=SC2030,SC2031 # each test is a subshell, teardown included

# shellcheck source=tests/scripts/ledger.bash
source "$SRCDIR/tests/scripts/ledger.bash"
# shellcheck source=tests/scripts/share.bash
source "$SRCDIR/tests/scripts/share.bash"

setup() { setup_ledger; }
teardown() { teardown_ledger; }

@test "a record leaves the spool when the ledger has it on disk" {
	spool 7 c1
	run send
	expect_equal 0 "$status"
	expect_text 'jobio: send: 1 records sent, 0 bad' "$output"
	expect_equal 0 "$(spool_count)"
	expect_equal '7|c1' "$(in_store 'SELECT job, node FROM runs JOIN records ON run=id')"
}

@test "without a ledger records stay, and are sent when it runs again" {
	stop "$LEDGER"
	spool 7 c1
	spool 8 c1
	run send
	expect_equal 1 "$status"
	expect_text "jobio: send: ledger '127.0.0.1:$PORT': Connection refused" "$output"
	expect_equal 2 "$(spool_count)"
	start_ledger
	send
	expect_equal 0 "$(spool_count)"
	expect_equal 2 "$(in_store 'SELECT count(*) FROM records')"
}

@test "a thousand records that waited for a day are all sent soon, in any order" {
	local before count
	count=$(rounds 1000)
	stop "$LEDGER"
	seq "$count" | python3 -c 'import os, random, sys
random.seed(1)
text = open(sys.argv[2]).read()
for job in sys.stdin.read().split():
    path = "%s/%s.0.c1.json" % (sys.argv[1], job)
    with open(path, "w") as out:
        out.write(text.replace("\"job\":7,", "\"job\":%s," % job))
    when = 1795200000 + random.randrange(86400)
    os.utime(path, (when, when))' "$DIR/spool" <(record 7 c1)
	expect_equal "$count" "$(spool_count)"
	before=$SECONDS
	run send
	expect_equal 1 "$status"
	((SECONDS - before < 10))
	expect_equal "$count" "$(spool_count)"
	start_ledger
	before=$SECONDS
	run send
	expect_equal 0 "$status"
	expect_text "jobio: send: $count records sent, 0 bad" "$output"
	((SECONDS - before < 60)) || { printf 'took %s s\n' $((SECONDS - before)) >&2; return 1; }
	expect_equal 0 "$(spool_count)"
	expect_equal "$count|$count|1|$count" "$(in_store 'SELECT count(*), count(DISTINCT job), min(job), max(job) FROM runs')"
}

@test "a ledger killed again and again while it receives records loses none" {
	local i pid interrupted=0
	for i in {1..400}; do spool "$i" c1; done
	for i in 05 10 15 20 25 30 35 40; do
		send 2>>"$DIR/send.log" 3>&- &
		pid=$!
		sleep "0.$i"
		stop "$LEDGER" KILL
		wait "$pid" || expect_text 'jobio: send: ledger' "$(cat "$DIR/send.log")"
		# records that left the spool are in the store
		(($(in_store 'SELECT count(*) FROM records') + $(spool_count) >= 400))
		(($(spool_count) == 0)) || interrupted=$((interrupted + 1))
		start_ledger
	done
	((interrupted > 0))
	send
	expect_equal 0 "$(spool_count)"
	expect_equal '400|400' "$(in_store 'SELECT count(*), count(DISTINCT job) FROM runs')"
}

@test "jobio-send killed at any moment loses no record" {
	local i pid
	for i in {1..40}; do spool "$i" c1; done
	for i in 1 2 3 4 5 6 7 8; do
		send 2>>"$DIR/send.log" 3>&- &
		pid=$!
		sleep "0.0$i"
		stop "$pid" KILL
	done
	# a child of the last sender may still hold the lock
	within 20 spool_is_sent
	expect_equal 40 "$(in_store 'SELECT count(*) FROM records')"
}

# A limit on the file size stands for a full disk, which only root could make.
@test "a ledger that cannot write refuses records, keeps those that it has acknowledged, and continues when there is space" {
	local i stored
	stop "$LEDGER"
	touch "$DIR/ledger.log"
	(
		trap '' XFSZ
		ulimit -S -f 600 # KiB
		exec "$BUILDDIR/jobio-ledgerd" --conf="$DIR/jobio.conf" 2>>"$DIR/ledger.log" 3>&-
	) &
	LEDGER=$!
	within 20 port_answers
	for i in {1..400}; do spool "$i" c1; done
	run send
	expect_equal 1 "$status"
	expect_text 'jobio: send: ledger: store: ' "$output"
	expect_text 'jobio: ledger: store: ' "$(cat "$DIR/ledger.log")"
	stored=$(in_store 'SELECT count(*) FROM records')
	(($(spool_count) > 0 && stored > 0 && stored >= 400 - $(spool_count)))
	prlimit --pid "$LEDGER" --fsize=unlimited:
	send
	expect_equal 0 "$(spool_count)"
	expect_equal '400|400' "$(in_store 'SELECT count(*), count(DISTINCT job) FROM runs')"
}

@test "records that can never be accepted are moved to spool/bad, and the others are sent" {
	printf '{"jobio":1}' >"$DIR/spool/1.0.c1.json"
	printf 'not json' >"$DIR/spool/2.0.c1.json"
	head -c 300000 /dev/zero >"$DIR/spool/3.0.c1.json"
	spool 4 c1
	run send
	expect_equal 0 "$status"
	expect_text "record: '1.0.c1.json': moved to bad: record: uid and start must be there" "$output"
	expect_text "record: '2.0.c1.json': moved to bad: record: not JSON" "$output"
	expect_text "record: '3.0.c1.json': moved to bad: it is too large" "$output"
	expect_text '1 records sent, 3 bad' "$output"
	expect_equal 3 "$(find "$DIR/spool/bad" -type f | wc -l)"
	expect_equal 0 "$(spool_count)"
}

@test "a record that cannot be moved to spool/bad stays, and an error is printed" {
	printf 'not json' >"$DIR/spool/2.0.c1.json"
	: >"$DIR/spool/bad"
	spool 4 c1
	run send
	expect_equal 1 "$status"
	expect_text 'spool/bad' "$output"
	expect_text '1 records could not be handled' "$output"
	expect_equal 1 "$(spool_count)"
	expect_equal 1 "$(in_store 'SELECT count(*) FROM records')"
}

@test "up to spool_max_records are moved to spool/bad, and further ones are removed with a message" {
	local i
	sed -i 's/^\[jobio\]/&\nspool_max_records = 3/' "$DIR/jobio.conf"
	for i in 1 2; do printf 'not json' >"$DIR/spool/$i.0.c1.json"; done
	run send
	for i in 3 4 5; do printf 'not json' >"$DIR/spool/$i.0.c1.json"; done
	spool 6 c1
	run send
	expect_equal 0 "$status"
	expect_text "record: '3.0.c1.json': moved to bad: record: not JSON" "$output"
	expect_text "record: '4.0.c1.json': removed, for bad is full (spool_max_records): record: not JSON" "$output"
	expect_text '1 records sent, 3 bad' "$output"
	expect_equal '1.0.c1.json 2.0.c1.json 3.0.c1.json' "$(find "$DIR/spool/bad" -type f -printf '%f\n' | sort | paste -sd' ')"
	expect_equal 0 "$(spool_count)"
}

@test "incomplete records, links and folders in the spool are ignored" {
	record 1 c1 >"$DIR/spool/.1.0.c1.json.tmp"
	record 2 c1 >"$DIR/elsewhere"
	ln -s "$DIR/elsewhere" "$DIR/spool/2.0.c1.json"
	mkdir "$DIR/spool/open" "$DIR/spool/3.json"
	run send
	expect_equal 0 "$status"
	expect_equal '' "$output"
	expect_equal 0 "$(in_store 'SELECT count(*) FROM records')"
	[[ -L $DIR/spool/2.0.c1.json ]]
}

# writer_waits - wait until it has ended for the third time, and waits longest
writer_waits() {
	pkill -KILL -P "$LEDGER" || :
	grep -q 'writer: ended (.*): starting it again in 4 s$' "$DIR/ledger.log"
}

@test "a writer that ends repeatedly is restarted with pauses, and a ledger without one can be ended" {
	local rc=0
	within 30 writer_waits
	kill -TERM "$LEDGER"
	wait "$LEDGER" || rc=$?
	LEDGER=''
	expect_equal 0 "$rc"
	expect_equal '1 2 4' "$(sed -n 's/.*writer: ended .* again in \([0-9]*\) s$/\1/p' "$DIR/ledger.log" | xargs)"
}

@test "only one jobio-send runs at a time" {
	spool 7 c1
	exec 9>"$DIR/spool/.lock"
	flock 9
	run send
	exec 9>&-
	expect_equal 0 "$status"
	expect_equal 1 "$(spool_count)"
	send
	expect_equal 0 "$(spool_count)"
}

# flush SECONDS - run jobio-send --flush, as before a node is powered down
flush() { timeout 60 "$BUILDDIR/jobio-send" --flush="$1" --conf="$DIR/jobio.conf"; }

@test "--flush: records are sent until the ledger has them, and each reason is printed once" {
	stop "$LEDGER"
	spool 7 c1
	spool 8 c1
	flush 50 2>"$DIR/said" 3>&- &
	local sender=$!
	within 10 test -s "$DIR/said"
	sleep 1
	start_ledger
	wait "$sender"
	expect_equal "jobio: send: ledger '127.0.0.1:$PORT': Connection refused
jobio: send: 2 records sent, 0 bad" "$(<"$DIR/said")"
	expect_equal 0 "$(spool_count)"
	expect_equal 2 "$(in_store 'SELECT count(*) FROM records')"
}

@test "--flush: it waits for another sender, with a timeout" {
	spool 7 c1
	exec 9>"$DIR/spool/.lock"
	flock 9
	run flush 1
	expect_equal 1 "$status"
	expect_text 'jobio: send: time is up, and records wait still' "$output"
	expect_equal 1 "$(spool_count)"
	flush 50 2>"$DIR/said" 3>&- 9>&- &
	local sender=$!
	exec 9>&-
	wait "$sender"
	expect_equal 0 "$(spool_count)"
}

@test "--flush: a ledger that does not reply is given up in time" {
	local before=$SECONDS
	kill -STOP "$LEDGER"
	spool 7 c1
	run flush 1
	kill -CONT "$LEDGER"
	expect_equal 1 "$status"
	expect_text 'time is up' "$output"
	((SECONDS - before < 4))
	expect_equal 1 "$(spool_count)"
	run flush 3601
	expect_equal 2 "$status"
}

# epilog - run the epilog of a job 7 on c1 that had no prolog
epilog() {
	mkdir -p "$DIR/run"
	env -i PATH="$PATH" SLURMD_NODENAME=c1 SLURM_CLUSTER_NAME=c SLURM_JOB_ID=7 SLURM_JOB_UID=1000 \
		SLURM_JOB_GID=1000 SLURM_NODELIST=c1 "$BUILDDIR/jobio-release" --conf="$DIR/jobio.conf"
}

# waiting_on NODES - set wait_nodes: the epilogs of these nodes wait for the ledger
waiting_on() { sed -i -e "s,^spool_dir,run_dir = $DIR/run\n&," -e "s/^send_timeout_ms.*/&\nwait_nodes = $1/" "$DIR/jobio.conf"; }

@test "wait_nodes: the epilog ends when the ledger has the job's record, and on other nodes at once" {
	local begin
	waiting_on 'x1 c[1-9]'
	kill -STOP "$LEDGER"
	(sleep 1.5; kill -CONT "$LEDGER") 3>&- &
	begin=${EPOCHREALTIME/./}
	run epilog
	expect_equal 0 "$status"
	expect_equal 0 "$(spool_count)"
	((${EPOCHREALTIME/./} - begin > 1000000))
	expect_equal '7|c1' "$(in_store 'SELECT job, node FROM runs JOIN records ON run=id')"
	sed -i 's/^wait_nodes.*/wait_nodes = x1/' "$DIR/jobio.conf"
	rm "$DIR/spool/released"
	kill -STOP "$LEDGER"
	run epilog
	expect_equal 1 "$(spool_count)"
	kill -CONT "$LEDGER"
	expect_equal '' "$output"
}

@test "wait_nodes: the epilog does not wait longer than send_timeout_ms, and prints that the record may be lost" {
	local begin
	waiting_on 'c[1-9]'
	sed -i 's/^send_timeout_ms.*/send_timeout_ms = 700/' "$DIR/jobio.conf"
	stop "$LEDGER"
	begin=${EPOCHREALTIME/./}
	run epilog
	begin=$((${EPOCHREALTIME/./} - begin))
	expect_equal 0 "$status"
	((begin >= 700000 && begin < 5000000)) || { echo "$begin us"; return 1; }
	expect_text "ledger: it has not taken this job's record within 700 ms (send_timeout_ms): the record stays in $DIR/spool, and goes with the node" "$output"
	expect_equal 1 "$(spool_count)"
}

# asked - a connection to the ledger exists
asked() { grep -q ":$(printf '%04X' "$PORT") 01 " /proc/net/tcp; }

@test "a record that is replaced while it is sent is not removed, even if its file has the same inode number" {
	spool 7 c1
	kill -STOP "$LEDGER"
	send 2>"$DIR/said" 3>&- &
	local sender=$!
	within 10 asked || { kill -CONT "$LEDGER"; false; }
	record 7 c1 | sed 's/"end":1795224890/"end":1795224899/' >"$DIR/spool/7.0.c1.json"
	kill -CONT "$LEDGER"
	wait "$sender"
	expect_text 'jobio: send: 2 records sent, 0 bad' "$(<"$DIR/said")"
	expect_equal 0 "$(spool_count)"
}

# Root may encode a credential as any user, other users only as themselves: if the tests do not
# run as root, user= in jobio.conf names another user.
@test "a reply with another user's credential removes no record" {
	local liar as=() uid=$EUID
	spool 1 c1
	liar=$(free_port)
	sed -i "s/^port = .*/port = $liar/" "$DIR/jobio.conf"
	if ((EUID == 0)); then
		as=(setpriv --reuid=65534 --clear-groups) uid=65534
	else
		sed -i 's/^user = .*/user = nobody/' "$DIR/jobio.conf"
	fi
	python3 - "$liar" "$DIR/munge/socket" "${as[@]}" >"$DIR/liar.out" 2>&1 <<-'EOP' 3>&- &
		import socket, struct, subprocess, sys
		def munge(*words, data, before=()):
		    return subprocess.run([*before, words[0], "--socket=" + sys.argv[2], *words[1:]],
		                          input=data, capture_output=True).stdout
		def take(s, size):
		    data = b""
		    while len(data) < size:
		        data += s.recv(size - len(data)) or sys.exit(0)
		    return data
		server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
		print("ready", flush=True)
		peer = server.accept()[0]
		while True:
		    asked = take(peer, struct.unpack(">I", take(peer, 4))[0])
		    asked = munge("unmunge", "--metadata=/dev/null", data=asked)
		    says = asked.partition(b"\n")[0] + b'\n{"ok":true}'
		    says = munge("munge", data=says, before=sys.argv[3:]).strip()
		    peer.sendall(struct.pack(">I", len(says)) + says)
	EOP
	LIAR=$!
	within 10 grep -q ready "$DIR/liar.out"
	run send
	stop "$LIAR" KILL
	expect_text "ledger '127.0.0.1:$liar': the answer is from uid $uid, not from the ledger" "$output"
	expect_equal 1 "$status"
	expect_equal 1 "$(spool_count)"
}

# A proxy without keys: it forwards one request, and sends the ledger's reply to it to all
# others.
@test "a reply to another request removes no record" {
	local i proxy
	for i in {1..5}; do spool "$i" c1; done
	cp "$DIR/jobio.conf" "$DIR/ledger.conf"
	proxy=$(free_port)
	python3 - "$proxy" "$PORT" >"$DIR/proxy.out" 2>&1 <<-'EOP' 3>&- &
		import socket, struct, sys, threading
		said = []
		def take(s, size):
		    data = b""
		    while len(data) < size:
		        more = s.recv(size - len(data))
		        if not more:
		            raise EOFError
		        data += more
		    return data
		def frame(s):
		    head = take(s, 4)
		    return head + take(s, struct.unpack(">I", head)[0])
		def serve(peer):
		    try:
		        while True:
		            asked = frame(peer)
		            if not said:
		                s = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
		                s.sendall(asked)
		                said.append(frame(s))
		            peer.sendall(said[0])
		    except (EOFError, OSError):
		        peer.close()
		server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
		print("ready", flush=True)
		while True:
		    threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
	EOP
	PROXY=$!
	within 10 grep -q ready "$DIR/proxy.out"
	sed -i "s/^port = .*/port = $proxy/" "$DIR/jobio.conf"
	run send
	stop "$PROXY" KILL
	expect_equal 1 "$status"
	expect_text "ledger '127.0.0.1:$proxy': the answer is not to this request" "$output"
	expect_equal 4 "$(spool_count)"
	expect_equal 1 "$(in_store 'SELECT count(*) FROM records')"
	cp "$DIR/ledger.conf" "$DIR/jobio.conf"
	send
	expect_equal 0 "$(spool_count)"
	expect_equal 5 "$(in_store 'SELECT count(*) FROM records')"
}

# Frames of one byte, and credentials of a user (the same user if the tests do not run as root)
# with cipher "none", 25 a second each. Meanwhile 100 records are sent; prints a word for each
# without a reply, or with a reply without a cipher.
spoilers() {
	cat <<-'EOP'
		import json, os, re, socket, struct, subprocess, sys, threading, time
		port, munged, path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
		user = {"user": 65534} if os.geteuid() == 0 else {}
		def run(*words, data=b"", **more):
		    return subprocess.run([words[0], "--socket=" + munged, *words[1:]], input=data, capture_output=True,
		                          **more).stdout.strip()
		def frame(data):
		    return struct.pack(">I", len(data)) + data
		def again(data):
		    while True:
		        with socket.create_connection(("127.0.0.1", port)) as s:
		            s.sendall(data)
		        time.sleep(0.04)
		plain = run("munge", "-c", "none", data=b"jobio/1 " + b"0" * 32 + b'\n{"op":"ping"}', **user)
		for data in b"x", plain:
		    threading.Thread(target=again, args=(frame(data),), daemon=True).start()
		print("ready", flush=True)
		record = json.load(open(path))
		for record["job"] in range(10000, 10100):
		    asked = run("munge", data=b"jobio/1 " + b"0" * 32 + b"\n" +
		                json.dumps({"op": "put", "record": record}).encode())
		    try:
		        with socket.create_connection(("127.0.0.1", port)) as s:
		            s.sendall(frame(asked))
		            size = struct.unpack(">I", s.recv(4, socket.MSG_WAITALL))[0]
		            said = run("unmunge", data=s.recv(size, socket.MSG_WAITALL)).decode()
		    except (OSError, struct.error):
		        print("unanswered")
		        continue
		    if not re.search(r"^CIPHER: .*\([1-9]\d*\)$", said, re.M):
		        print("plain")
		print("done", flush=True)
	EOP
}

@test "requests without a credential, or with one without a cipher, do not affect replies to others" {
	local i
	for i in {1..300}; do spool "$i" c1; done
	record 7 c1 >"$DIR/record"
	python3 -c "$(spoilers)" "$PORT" "$DIR/munge/socket" "$DIR/record" >"$DIR/spoilers.out" 2>&1 3>&- &
	SPOILERS=$!
	within 10 grep -q ready "$DIR/spoilers.out"
	run send
	within 60 grep -qx "done" "$DIR/spoilers.out"
	stop "$SPOILERS" KILL
	expect_equal 'ready done' "$(xargs <"$DIR/spoilers.out")"
	expect_equal 0 "$status"
	expect_text 'jobio: send: 300 records sent, 0 bad' "$output"
	expect_equal 400 "$(in_store 'SELECT count(*) FROM records')"
}

@test "without [ledger] host records stay and the reason is printed" {
	spool 7 c1
	sed -i '/^host/d' "$DIR/jobio.conf"
	run send
	expect_equal 1 "$status"
	expect_text '[ledger] host is not set: records stay where they are' "$output"
	expect_equal 1 "$(spool_count)"
}

@test "a ledger with another or an unknown user= does not start" {
	stop "$LEDGER"
	sed -i 's/^user.*/user = nobody/' "$DIR/jobio.conf"
	run timeout 20 "$BUILDDIR/jobio-ledgerd" --conf="$DIR/jobio.conf"
	expect_equal 1 "$status"
	expect_text "jobio: ledger: [ledger] user: 'nobody': the ledger must run as this user" "$output"
	sed -i 's/^user.*/user = jobio_nobody_knows/' "$DIR/jobio.conf"
	run timeout 20 "$BUILDDIR/jobio-ledgerd" --conf="$DIR/jobio.conf"
	expect_equal "1 jobio: ledger: [ledger] user: 'jobio_nobody_knows': no such user" "$status $output"
	echo 'Nonsense=1' >"$DIR/slurm.conf"
	SLURM_CONF=$DIR/slurm.conf run "$BUILDDIR/jobio-ledgerd" --check --conf="$DIR/jobio.conf"
	expect_equal 1 "$status"
	expect_text "user: FAILED: [ledger] user: 'jobio_nobody_knows': no such user" "$output"
	run timeout 20 "$BUILDDIR/jobio-ledgerd" --conf="$DIR/none.conf"
	expect_equal 1 "$status"
	expect_text "$DIR/none.conf" "$output"
}

@test "jobio-ledgerd prints its usage and its version" {
	local word usage='usage: jobio-ledgerd [--check|--judge] [--conf=FILE]'
	run sh -c '"$1" --help 2>/dev/null' - "$BUILDDIR/jobio-ledgerd"
	expect_equal 0 "$status"
	expect_text "$usage" "$output"
	run sh -c '"$1" --version 2>/dev/null' - "$BUILDDIR/jobio-ledgerd"
	expect_equal "0 jobio-ledgerd $(sed -n 's/^PACKAGE_VERSION = //p' "$BUILDDIR/Makefile")" "$status $output"
	for word in --nosuch more '--check more'; do
		# shellcheck disable=SC2086 # words
		run timeout 20 "$BUILDDIR/jobio-ledgerd" --conf="$DIR/jobio.conf" $word
		expect_equal 2 "$status"
		expect_text "jobio: ledgerd: '${word##* }': " "$output"
	done
}

calibration_is_missed() {
	grep -qx 'jobio: ledger: \[advice\] calibration is not used' "$DIR/ledger.log"
}

@test "a ledger logs an unreadable calibration, and runs without it" {
	stop "$LEDGER"
	printf '[advice]\ncalibration = %s\n' "$DIR/advice.conf" >>"$DIR/jobio.conf"
	start_ledger
	within 20 calibration_is_missed
	expect_text "[advice] calibration: '$DIR/advice.conf': cannot read" "$(<"$DIR/ledger.log")"
	spool 7 c1
	send
	expect_equal 0 "$(spool_count)"
}

# with_slurm - the writer keeps running, although there is no slurmdbd
with_slurm() {
	printf '%s\n' ClusterName=c SlurmctldHost=localhost NodeName=c1 'PartitionName=p Nodes=c1' \
		AccountingStorageType=accounting_storage/slurmdbd AccountingStorageHost=127.0.0.1 \
		AccountingStoragePort=1 >"$DIR/slurm.conf"
	export SLURM_CONF=$DIR/slurm.conf
	stop "$LEDGER"
	start_ledger
}

# wakeups - voluntary context switches of the ledger and its writer until now
wakeups() { cat /proc/"$LEDGER"/task/*/status /proc/"$(pgrep -P "$LEDGER")"/task/*/status | awk '/^voluntary/ { n += $2 } END { print n }'; }

@test "an idle ledger does not wake up" {
	local before
	with_slurm
	within 60 grep -q 'slurmdbd: cannot look up operators' "$DIR/ledger.log" || { cat "$DIR/ledger.log"; return 1; }
	sleep 1
	before=$(wakeups)
	sleep 5
	(($(wakeups) - before <= 1))
}

@test "jobio-ledgerd --check names every part and its fault" {
	echo 'Nonsense=1' >"$DIR/slurm.conf"
	SLURM_CONF=$DIR/slurm.conf run "$BUILDDIR/jobio-ledgerd" --check --conf="$DIR/jobio.conf"
	expect_equal 1 "$status"
	expect_text "configuration: ok: $DIR/jobio.conf" "$output"
	expect_text 'user: ok' "$output"
	expect_text 'munge: ok' "$output"
	expect_text 'store: ok' "$output"
	expect_text 'metrics: ok' "$output"
	expect_text 'slurmdbd: FAILED: slurmdbd: libslurm gave up: is slurm.conf readable?' "$output"
	[[ $output != *calibration* ]]
	printf '[advice]\ncalibration = %s\n' "$DIR/advice.conf" >>"$DIR/jobio.conf"
	SLURM_CONF=$DIR/slurm.conf run "$BUILDDIR/jobio-ledgerd" --check --conf="$DIR/jobio.conf"
	expect_text "calibration: FAILED: $DIR/jobio.conf: [advice] calibration: '$DIR/advice.conf': cannot read" "$output"
	printf '[advice]\nsmall_read_kb = 30\n' >"$DIR/advice.conf"
	SLURM_CONF=$DIR/slurm.conf run "$BUILDDIR/jobio-ledgerd" --check --conf="$DIR/jobio.conf"
	expect_text $'\ncalibration: ok: '"$DIR/advice.conf" "$output"
}

@test "the next ledger is used if one is down" {
	sed -i "s/^host =.*/host = 127.0.0.2, 127.0.0.1/" "$DIR/jobio.conf"
	spool 7 c1
	run send
	expect_equal 0 "$status"
	expect_text '1 records sent, 0 bad' "$output"
	stop "$LEDGER"
	spool 8 c1
	run send
	expect_equal 1 "$status"
	expect_text "jobio: send: ledger '127.0.0.1:$PORT': Connection refused" "$output"
}

@test "the next ledger is used if one cannot store a record now" {
	local second
	mkdir "$DIR/second"
	sed "s:^listen.*:listen = 127.0.0.2:; s:^store.*:store = $DIR/second/store.sqlite:" \
		"$DIR/jobio.conf" >"$DIR/second/jobio.conf"
	(
		trap '' XFSZ
		exec "$BUILDDIR/jobio-ledgerd" --conf="$DIR/second/jobio.conf" 2>"$DIR/second/log" 3>&-
	) &
	second=$!
	within 20 grep -q ready "$DIR/second/log"
	prlimit --pid "$second" --fsize=1: # a full disk
	sed -i 's/^host =.*/host = 127.0.0.2, 127.0.0.1/' "$DIR/jobio.conf"
	spool 7 c1
	run send
	stop "$second"
	printf '%s\n' "$output"
	expect_equal 0 "$status"
	expect_text 'jobio: send: ledger: store: ' "$output"
	expect_equal 1 "$(in_store 'SELECT count(*) FROM records')"
}

# in_file FILE SQL - run it on this store
in_file() { sqlite3 "$1" "$2" | xargs; }

@test "an empty store file, or a -wal without its store, is not taken for a new store" {
	local path=$DIR/store.sqlite
	spool 7 c1
	send
	stop "$LEDGER" KILL
	cp "$path" "$DIR/backup"
	cp "$path-wal" "$DIR/backup-wal"
	: >"$path"
	run timeout 20 "$BUILDDIR/jobio-ledgerd" --conf="$DIR/jobio.conf"
	expect_equal "1 jobio: ledger: '$path': store: it has 0 bytes: put a backup in its place, or remove it to begin without records" "$status $output"
	rm "$path"
	run timeout 20 "$BUILDDIR/jobio-ledgerd" --conf="$DIR/jobio.conf"
	expect_equal "1 jobio: ledger: '$path': store: it is missing, and its -wal is not: put a backup in its place, or remove that to begin without records" "$status $output"
	cp "$DIR/backup" "$path"
	cp "$DIR/backup-wal" "$path-wal"
	start_ledger
	expect_equal 7 "$(in_store 'SELECT job FROM runs')"
}

@test "a ledger with files that are removed or replaced while it runs acknowledges no record, logs it once, and makes no other store" {
	local name said writer path=$DIR/store.sqlite
	mkdir "$DIR/aside"
	with_slurm
	spool 7 c1
	send
	writer=$(pgrep -P "$LEDGER")
	kill -STOP "$writer"
	for name in store.sqlite store.sqlite-wal store.sqlite-shm; do
		said=$(wc -l <"$DIR/ledger.log")
		mv "$DIR/$name" "$DIR/aside"
		spool 8 c1
		run send
		expect_equal "1 1" "$status $(spool_count)"
		expect_text "jobio: send: ledger: store: '$DIR/$name': No such file or directory" "$output"
		run send
		cp "$DIR/aside/$name" "$DIR/$name"
		run send
		expect_equal "1 1" "$status $(spool_count)"
		expect_text "ledger: store: '$path': it, or its -wal or -shm, was replaced: restart the ledger" "$output"
		mv "$DIR/aside/$name" "$DIR/$name"
		send
		expect_equal 0 "$(spool_count)"
		expect_equal 2 "$(tail -n "+$((said + 1))" "$DIR/ledger.log" | grep -c '^jobio: ledger: store:')"
	done
	rm "$path"*
	kill -CONT "$writer"
	within 90 grep -q 'writer: ended' "$DIR/ledger.log"
	sleep 2
	expect_equal '' "$(find "$DIR" -maxdepth 1 -name 'store.sqlite*')"
}

has_records() { (($(in_store 'SELECT count(*) FROM records') >= $1)); }

@test "a ledger that starts from an SQLite backup, made while records arrive, shows the old jobs and accepts new records" {
	local job before sender
	for job in {101..160}; do
		spool "$job" c1
		send
	done &
	sender=$!
	within 60 has_records 10
	before=$(in_store 'SELECT count(*) FROM records')
	sqlite3 "$DIR/store.sqlite" ".backup '$DIR/backup.sqlite'"
	wait "$sender"
	expect_equal 60 "$(in_store 'SELECT count(*) FROM records')"
	stop "$LEDGER"
	rm "$DIR"/store.sqlite*
	cp "$DIR/backup.sqlite" "$DIR/store.sqlite"
	start_ledger
	expect_equal ok "$(in_store 'PRAGMA integrity_check')"
	(($(in_store 'SELECT count(*) FROM records') >= before && $(in_store 'SELECT count(*) FROM records') < 60))
	run "$BUILDDIR/jobio" report --json --conf="$DIR/jobio.conf" 101
	expect_text '"source":"ledger"' "$output"
	spool 9 c1
	send
	expect_equal 9 "$(in_store 'SELECT job FROM runs WHERE job = 9')"
}

@test "after a crash the store can be moved to another host: all acknowledged records are there, and waiting ones are sent" {
	spool 7 c1
	send
	stop "$LEDGER" KILL
	spool 8 c1
	mkdir "$DIR/there"
	cp "$DIR"/store.sqlite* "$DIR/there"
	sed -i "s:^store =.*:store = $DIR/there/store.sqlite:; s:^listen =.*:listen = 127.0.0.2:" "$DIR/jobio.conf"
	start_ledger
	run send
	expect_equal 1 "$status"
	sed -i 's:^host =.*:host = 127.0.0.2:' "$DIR/jobio.conf"
	send
	expect_equal '7 8' "$(in_file "$DIR/there/store.sqlite" 'SELECT job FROM runs ORDER BY job')"
}

