# SPDX-License-Identifier: GPL-2.0-or-later
# mariadb.bash - a temporary MariaDB, on a socket in a folder, without a network
#
# Debian's service is not used. Its data is removed afterwards: writes are flushed to
# disk only with MARIADB_SAFE=1.
# shellcheck shell=bash

# make_mariadb FOLDER - create the tables of a new server
make_mariadb() {
	local log=$1/install.log
	mkdir -m 700 "$1/data"
	mariadb-install-db --no-defaults --user="$(id -un)" --datadir="$1/data" \
		--auth-root-authentication-method=normal --skip-test-db >"$log" 2>&1 ||
		{ cat "$log" >&2; return 1; }
}

# start_mariadb FOLDER [OPTION...] - start it; sets $MARIADBD and $MARIADB_SOCKET
start_mariadb() {
	local folder=$1 limit=$((SECONDS + 60))
	shift
	MARIADB_SOCKET=$folder/socket
	mariadbd --no-defaults --user="$(id -un)" --datadir="$folder/data" \
		--socket="$MARIADB_SOCKET" --pid-file="$folder/pid" --skip-networking \
		--innodb-buffer-pool-size=64M --innodb-log-file-size=32M \
		--innodb-flush-log-at-trx-commit="${MARIADB_SAFE:-0}" --skip-log-bin \
		"$@" >>"$folder/log" 2>&1 3>&- &
	MARIADBD=$!
	until mariadb_says "$folder" 'SELECT 1' >/dev/null 2>&1; do
		if ((SECONDS >= limit)) || ! kill -0 "$MARIADBD" 2>/dev/null; then
			tail -n 20 "$folder/log" >&2
			return 1
		fi
		sleep 0.1
	done
}

# stop_mariadb [SIGNAL] - end it and wait for it
stop_mariadb() {
	[[ -n ${MARIADBD:-} ]] || return 0
	kill "-${1:-TERM}" "$MARIADBD" 2>/dev/null || :
	wait "$MARIADBD" 2>/dev/null || :
	MARIADBD=''
}

# mariadb_says FOLDER SQL [SCHEMA] - run SQL as root of that server
mariadb_says() {
	mariadb --no-defaults --socket="$1/socket" --user=root --connect-timeout=10 \
		--batch --skip-column-names -e "$2" ${3:+"$3"}
}
