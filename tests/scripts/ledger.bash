# SPDX-License-Identifier: GPL-2.0-or-later
# ledger.bash - a ledger, a spool and a munged for the test, all in $DIR
#
# The store is a file there; or, if JOBIO_TEST_MARIADB is the socket of a server
# (tests/tools/with-mariadb), a schema of its own, $SCHEMA.
#
# Needs neither root nor Slurm: the ledger runs as the user of the test. Its writer finds no
# slurmdbd; with PRELOAD it uses that of tests/tools/slurmdb.c, which is loaded before the
# sanitizers' libraries.
# shellcheck shell=bash disable=SC2031 # bats runs each test in a subshell

# start_munged - start it with a key and a socket of its own
start_munged() {
	mkdir -m 755 "$DIR/munge"
	head -c 128 /dev/urandom >"$DIR/munge/key"
	chmod 600 "$DIR/munge/key"
	# --force: accept a socket below /tmp
	munged --force --foreground --key-file="$DIR/munge/key" \
		--socket="$DIR/munge/socket" --pid-file="$DIR/munge/pid" \
		--log-file="$DIR/munge/log" --seed-file="$DIR/munge/seed" \
		--num-threads=2 >"$DIR/munge/out" 2>&1 3>&- &
	MUNGED=$!
	within 10 test -S "$DIR/munge/socket" || { cat "$DIR/munge/out" >&2; return 1; }
}

# within SECONDS COMMAND... - repeat it until it succeeds; fails after SECONDS
within() {
	local limit=$((SECONDS + $1))
	shift
	until "$@"; do
		((SECONDS < limit)) || { printf 'gave up: %s\n' "$*" >&2; return 1; }
		sleep 0.05
	done
}

# A free port: tests run in parallel; below the range of ephemeral ports.
free_port() {
	local port
	for _ in {1..50}; do
		port=$((10000 + RANDOM % 20000))
		(exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { printf '%s\n' "$port"; return; }
	done
	return 1
}

write_config() {
	{
		printf '[jobio]\nspool_dir = %s/spool\n[ledger]\n' "$DIR"
		printf 'host = 127.0.0.1\nlisten = 127.0.0.1\nport = %s\n' "$PORT"
		printf 'user = %s\n' "$(id -un)"
		if [[ -n ${JOBIO_TEST_MARIADB:-} ]]; then
			printf 'store = mariadb\nstorage_host = %s\n' "$JOBIO_TEST_MARIADB"
			printf 'storage_user = root\nstorage_loc = %s\n' "$SCHEMA"
		else
			printf 'store = %s/store.sqlite\n' "$DIR"
		fi
		printf 'munge_socket = %s/munge/socket\nsend_timeout_ms = 5000\n%s' "$DIR" "${LEDGER_MORE:-}"
	} >"$DIR/jobio.conf"
}

start_ledger() {
	local before
	touch "$DIR/ledger.log"
	before=$(wc -l <"$DIR/ledger.log")
	ASAN_OPTIONS=verify_asan_link_order=0:quarantine_size_mb=16 LD_PRELOAD=${PRELOAD:-} "$BUILDDIR/jobio-ledgerd" --conf="$DIR/jobio.conf" 2>>"$DIR/ledger.log" 3>&- &
	LEDGER=$!
	within 20 ledger_is_ready "$((before + 1))" || { cat "$DIR/ledger.log" >&2; return 1; }
}

ledger_is_ready() {
	tail -n "+$1" "$DIR/ledger.log" | grep -q '^jobio: ledger: ready'
}

port_answers() {
	(exec 3<>"/dev/tcp/127.0.0.1/$PORT") 2>/dev/null
}

# stop PID [SIGNAL] - end a process of the test and wait for it
stop() {
	kill "-${2:-TERM}" "$1" 2>/dev/null || return 0
	wait "$1" 2>/dev/null || return 0
}

setup_ledger() {
	DIR=$(mktemp -d "${BATS_TMPDIR:-/tmp}/jobio-ledger.XXXXXX")
	chmod 755 "$DIR"
	mkdir -m 700 "$DIR/spool"
	LEDGER='' MUNGED=''
	PORT=$(free_port)
	SCHEMA=${DIR##*.}
	start_munged
	write_config
	start_ledger
}

teardown_ledger() {
	[[ -z $LEDGER ]] || stop "$LEDGER"
	[[ -z $MUNGED ]] || stop "$MUNGED"
	rm -rf "$DIR"
}

# record JOB NODE [NODELIST] - print a record
record() {
	printf '{"jobio":1,"cluster":"c","job":%s,"restart":0,"node":"%s",' "$1" "$2"
	printf '"nodelist":"%s","uid":%s,"gid":0,"user":"u",' "${3:-$2}" "${OWNER:-$EUID}"
	printf '"start":1795224862.060,"end":1795224890.110,'
	printf '"app":[{"scope":"job","source":"stepd","fs":null,"read_bytes":1048576,'
	printf '"write_bytes":10,"read_calls":3,"write_calls":1}],"quality":["all_files"]}\n'
}

# spool JOB NODE [NODELIST] - put a record into the spool
spool() {
	record "$@" >"$DIR/spool/$1.0.$2.json"
}

send() {
	"$BUILDDIR/jobio-send" --once --conf="$DIR/jobio.conf"
}

spool_count() {
	find "$DIR/spool" -maxdepth 1 -name '*.json' | wc -l
}

spool_is_sent() {
	send && [[ $(spool_count) == 0 ]]
}

# in_store SQL - run it on the store
in_store() {
	if [[ -n ${JOBIO_TEST_MARIADB:-} ]]; then
		mariadb --no-defaults --socket="$JOBIO_TEST_MARIADB" --user=root \
			--batch --skip-column-names -e "$1" "$SCHEMA" | tr '\t' '|'
		return
	fi
	python3 - "$DIR/store.sqlite" "$1" <<-'EOP'
		import sqlite3, sys
		with sqlite3.connect(sys.argv[1], timeout=10) as store:
		    for row in store.execute(sys.argv[2]):
		        print(*row, sep="|")
	EOP
}

expect_equal() {
	[[ $2 == "$1" ]] || { printf "expected '%s', got '%s'\n" "$1" "$2" >&2; return 1; }
}

expect_text() {
	[[ $2 == *"$1"* ]] || { printf "expected '%s' in:\n%s\n" "$1" "$2" >&2; return 1; }
}

# forget_jobs - remove all runs from the store
forget_jobs() {
	python3 -c 'import sqlite3, sys
with sqlite3.connect(sys.argv[1], timeout=10) as store:
    for table in "records", "run_sums", "runs":
        store.execute("DELETE FROM " + table)' "$DIR/store.sqlite"
}
