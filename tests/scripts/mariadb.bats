#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# mariadb.bats - the ledger's store in MariaDB: as in SQLite, for two
# ledgers, and while MariaDB is down, hangs or is restarted
# shellcheck disable=SC2030,SC2031 # each test is a subshell, teardown included

# shellcheck source=tests/scripts/ledger.bash
source "$SRCDIR/tests/scripts/ledger.bash"
# shellcheck source=tests/scripts/mariadb.bash
source "$SRCDIR/tests/scripts/mariadb.bash"

setup_file() {
	export FOLDER MARIADB_SAFE=1
	FOLDER=$(mktemp -d "${BATS_TMPDIR:-/tmp}/jobio-mariadb.XXXXXX")
	make_mariadb "$FOLDER"
}

teardown_file() { rm -rf "$FOLDER"; }

setup() {
	LEDGER='' MUNGED='' DIR=''
	start_mariadb "$FOLDER"
	export JOBIO_TEST_MARIADB=$MARIADB_SOCKET
}

teardown() {
	[[ -z $LEDGER ]] || stop "$LEDGER"
	[[ -z $MUNGED ]] || stop "$MUNGED"
	[[ -z $DIR ]] || rm -rf "$DIR"
	stop_mariadb KILL
}

# unit NAME - run a unit program with MariaDB
unit() {
	run env CK_FORK=yes "$BUILDDIR/tests/unit/test_$1"
	printf '%s\n' "$output"
	expect_equal 0 "$status"
	# the tests have used this server
	(($(mariadb_says "$FOLDER" 'SHOW DATABASES' | grep -c '^t[0-9]') >= 3))
}

@test "the store's unit tests pass with MariaDB" { unit store; }
@test "the protocol's unit tests pass with MariaDB" { unit protocol; }

@test "tests of ledger.bats pass with MariaDB" {
	local tests='a record leaves|without a ledger|a thousand records|killed again'
	tests+='|jobio-send killed|names every part'
	run "$BATS" --tap --filter "$tests" "$SRCDIR/tests/scripts/ledger.bats"
	printf '%s\n' "$output"
	expect_equal 0 "$status"
	expect_text '1..6' "$output"
}

@test "records stay on the nodes while MariaDB is down, and are sent when it runs again" {
	setup_ledger
	stop_mariadb KILL
	spool 7 c1
	spool 8 c1
	run send
	expect_equal 1 "$status"
	expect_text "jobio: send: ledger: store: MariaDB '$MARIADB_SOCKET': " "$output"
	expect_text ': try again later' "$output"
	expect_equal 2 "$(spool_count)"
	expect_text "jobio: ledger: store: MariaDB '$MARIADB_SOCKET': " "$(cat "$DIR/ledger.log")"
	start_mariadb "$FOLDER"
	within 60 spool_is_sent
	expect_equal 2 "$(in_store 'SELECT count(*) FROM records')"
	expect_text 'jobio: ledger: store: works again' "$(cat "$DIR/ledger.log")"
}

@test "a hanging MariaDB delays senders by seconds, and no record is lost" {
	local before
	setup_ledger
	sed -i 's/^send_timeout_ms.*/send_timeout_ms = 10000/' "$DIR/jobio.conf" # the default
	spool 7 c1
	send
	spool 8 c1
	kill -STOP "$MARIADBD"
	before=$SECONDS
	run send
	expect_equal 1 "$status"
	((SECONDS - before <= 10)) || { printf 'took %s s\n' $((SECONDS - before)) >&2; return 1; }
	expect_text ': try again later' "$output"
	# now the ledger refuses at once, until it tries MariaDB again
	before=$SECONDS
	run send
	expect_equal 1 "$status"
	((SECONDS - before <= 6))
	kill -CONT "$MARIADBD"
	within 60 spool_is_sent
	expect_equal 2 "$(in_store 'SELECT count(*) FROM records')"
}

@test "a ledger that starts without MariaDB waits for it" {
	setup_ledger
	stop "$LEDGER"
	stop_mariadb KILL
	start_ledger
	expect_text "store: MariaDB '$MARIADB_SOCKET': " "$(cat "$DIR/ledger.log")"
	spool 7 c1
	run send
	expect_equal 1 "$status"
	start_mariadb "$FOLDER"
	within 60 spool_is_sent
}

# check_says TEXT - jobio-ledgerd --check prints it about the store
check_says() {
	run "$BUILDDIR/jobio-ledgerd" --check --conf="$DIR/jobio.conf"
	expect_text "$1" "$output"
}

@test "the password is read from a file that only the ledger's user can read" {
	local file
	setup_ledger
	stop "$LEDGER"
	file=$DIR/password
	mariadb_says "$FOLDER" "CREATE OR REPLACE USER ledger@localhost IDENTIFIED BY 'it''s secret'"
	mariadb_says "$FOLDER" "GRANT ALL ON \`$SCHEMA\`.* TO ledger@localhost"
	sed -i "s:^storage_user.*:storage_user = ledger\nstorage_pass_file = $file:" "$DIR/jobio.conf"
	check_says "store: FAILED: store: [ledger] storage_pass_file: '$file': No such file or directory"
	(umask 022; echo "it's secret" >"$file")
	check_says "store: FAILED: store: [ledger] storage_pass_file: '$file': mode 0644: others may read it: chmod 600"
	chmod 600 "$file"
	check_says 'store: ok'
	: >"$file"
	check_says "storage_pass_file: '$file': no password in it"
	echo wrong >"$file"
	check_says "store: FAILED: store: MariaDB '$MARIADB_SOCKET': Access denied for user 'ledger'@'localhost' (using password: YES)"
	rm "$file"
	ln -s /dev/null "$file"
	check_says "storage_pass_file: '$file': Too many levels of symbolic links"
	start_ledger && return 1
	expect_text "jobio: ledger: store: [ledger] storage_pass_file: '$file': " "$(tail -n 1 "$DIR/ledger.log")"
}

@test "a password file of another user is refused" {
	[[ $EUID == 0 ]] || { printf 'not root: nothing to change owners with\n' >&2; return 1; }
	setup_ledger
	echo secret >"$DIR/password"
	chmod 600 "$DIR/password"
	chown 1 "$DIR/password"
	sed -i "s:^storage_user.*:storage_user = ledger\nstorage_pass_file = $DIR/password:" "$DIR/jobio.conf"
	check_says "'$DIR/password': belongs to uid 1: it must belong to the ledger's user, uid 0"
}

@test "a schema of another version is not changed" {
	setup_ledger
	stop "$LEDGER"
	in_store 'UPDATE schema_version SET version=99'
	check_says 'store: FAILED: store: MariaDB: the schema was made by another version of jobio'
}

@test "a server with unsuitable settings is refused, with the setting that is needed" {
	setup_ledger
	stop "$LEDGER"
	mariadb_says "$FOLDER" 'SET GLOBAL max_allowed_packet=1048576'
	check_says 'store: FAILED: store: MariaDB: max_allowed_packet is 1048576: at least 4194304 is needed'
	stop_mariadb
	start_mariadb "$FOLDER" --log-bin="$FOLDER/bin" --binlog-format=STATEMENT
	check_says 'store: FAILED: store: MariaDB: binlog_format is STATEMENT: MIXED or ROW is needed'
}

# Certificates of a temporary CA, for localhost.
make_certificates() {
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=ca -keyout "$1/ca.key" -out "$1/ca.pem"
	openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout "$1/key.pem" -out "$1/request.pem"
	openssl x509 -req -days 2 -in "$1/request.pem" -CA "$1/ca.pem" -CAkey "$1/ca.key" -CAcreateserial -out "$1/cert.pem"
} 2>/dev/null

@test "with storage_ca only a server with a certificate of that CA is used" {
	setup_ledger
	stop "$LEDGER"
	sed -i "/^storage_user/a storage_ca = $DIR/ca.pem" "$DIR/jobio.conf"
	make_certificates "$DIR"
	check_says "store: FAILED: store: MariaDB '$MARIADB_SOCKET': "
	stop_mariadb
	start_mariadb "$FOLDER" --ssl-cert="$DIR/cert.pem" --ssl-key="$DIR/key.pem"
	check_says 'store: ok'
	make_certificates "$DIR" # of another CA of the same name
	check_says "store: FAILED: store: MariaDB '$MARIADB_SOCKET': "
}

@test "the next server of storage_host is used if one is down" {
	setup_ledger
	stop "$LEDGER"
	sed -i "s:^storage_host.*:storage_host = /nowhere, $MARIADB_SOCKET:" "$DIR/jobio.conf"
	start_ledger
	spool 7 c1
	send
	expect_equal 1 "$(in_store 'SELECT count(*) FROM records')"
}
