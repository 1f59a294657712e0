#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# weka_counters.bats - the record for counters that a WEKA container sends: the table
# tests/cases/weka-counters.cases, a job for each row, with tests/sim/weka-socket.
#
# shellcheck disable=SC2034 # node_conf reads NODE_CLIENT

load node

setup() {
	NODE_CLIENT=timeout_ms=20000
	node_make
	sed -i "s|^command=.*|command=/nonexistent|; s|^stats_socket=.*|stats_socket=$NODE/w/container.sock|" "$NODE/jobio.conf"
	echo 'be0,be1/work /mnt/work wekafs rw 0 0' >>"$NODE/weka/mounts"
}

teardown() {
	[[ -z ${SERVER:-} ]] || kill "$SERVER"
	node_remove
}

# answer VALUE ROWS - print the result: "STAT VALUE [n=NODE] [u=UNIT] [p=PARAMS]; ..", each as
# in JSON; VALUE "" uses that of the row. Other text is printed unchanged.
answer() {
	local rows row stat value word text=''
	[[ $2 == [A-Z]* ]] || { printf '%s' "$2"; return; }
	IFS=';' read -ra rows <<<"$2"
	for row in "${rows[@]}"; do
		read -r stat value row <<<"$row"
		local n='"NodeId<1>"' u='"Ops/Sec"' p='{"fS":"1"}'
		[[ $stat != *BYTES ]] || u='"Bytes/Sec"'
		[[ $stat != *LATENCY ]] || u='"Microseconds"'
		for word in $row; do
			local "${word%%=*}"="${word#*=}"
		done
		text+=,"{\"nodeId\":$n,\"category\":\"fs_stats\",\"stat\":\"$stat\",\"unit\":$u,\"params\":$p,\"value\":${1:-$value}}"
	done
	printf '{"jsonrpc":"2.0","id":1,"result":[%s]}' "${text#,}"
}

# counters_of RECORD - print the client counters of the record
counters_of() {
	local lines line key text=''
	[[ $1 =~ \"wire\":\[([^]]*)\] ]] || return 0
	IFS='{' read -ra lines <<<"${BASH_REMATCH[1]}"
	for line in "${lines[@]:1}"; do
		text+=,
		[[ ! $line =~ \"fs\":\"([^\"]*) ]] || text+=" ${BASH_REMATCH[1]}:"
		for key in read_bytes write_bytes read_calls write_calls read_us write_us; do
			[[ ! $line =~ \"$key\":([0-9]+) ]] || text+=" $key=${BASH_REMATCH[1]}"
		done
	done
	printf '%s' "${text#, }"
}

# counted WANT ROW FILESYSTEMS FRAMING - run a job with these counters
counted() {
	local want=$1 have value='"0"' # before the job; of one that is refused, the same
	[[ $want != -* ]] || value=
	rm -rf "$NODE"/w/{framing,get_local_config_summary} "$NODE/spool" "$NODE/run"
	[[ -z $4 ]] || printf '%s' "$4" >"$NODE/w/framing"
	[[ -z $3 ]] || printf '{"result":%s}' "$3" >"$NODE/w/get_local_config_summary"
	answer "$value" "$2" >"$NODE/w/fetch_local_stats"
	have=$(in_env "$NODE/bin/jobio-prepare" --conf="$NODE/jobio.conf" --sysfs="$NODE/sysfs" 2>&1 |
		grep -o "wire: .*" || :)
	if [[ $want == -* ]]; then
		want=${want#-}
		[[ ! -e $NODE/run/7/wire ]] || have='a number'
		[[ ${have#wire: "'$NODE/w/container.sock': "} != "${want# }"* ]] || return 0
	else
		answer '' "$2" >"$NODE/w/fetch_local_stats"
		in_env "$NODE/bin/jobio-release" --conf="$NODE/jobio.conf" --sysfs="$NODE/sysfs" 2>/dev/null
		have+=$(counters_of "$(record 7)")
		[[ $have != "$want" ]] || return 0
	fi
	bad+="$2 $3 $4: wanted $want, got $have"$'\n'
}

@test "each form of counters gives the right number, or none with a reason" {
	local bad='' count=0 want row names framing
	mkdir "$NODE/w"
	"$SRCDIR/tests/sim/weka-socket" "$NODE/w" 3>&- &
	SERVER=$!
	wait_for test -S "$NODE/w/container.sock"
	job 7
	while IFS='|' read -r want row names framing; do
		[[ $want != '#'* && -n $want ]] || continue
		((++count))
		read -r want <<<"$want"
		read -r row <<<"$row"
		read -r names <<<"$names"
		counted "$want" "$row" "$names" "${framing# }"
	done <"$SRCDIR/tests/cases/weka-counters.cases"
	[ -z "$bad" ] || fail "$bad"
	[ "$count" -ge 131 ]
}

@test "on a node with backend containers each client container counts for its own mount" {
	local name summary='{"filesystems_summary":[{"filesystem_id":"FSId<1>","name":"default"}],"processes_summary":{"frontend":{"total":1}}}'
	mkdir -p "$NODE"/w/{drives0,one,two}
	for name in one two; do
		answer '' 'READS "10"; READ_LATENCY "70"' >"$NODE/w/$name/fetch_local_stats"
		printf '{"result":%s}' "$summary" >"$NODE/w/$name/get_local_config_summary"
		echo "be0/default /mnt/$name wekafs rw,container_name=$name 0 0"
	done >"$NODE/weka/mounts"
	answer '' 'READS "99"' >"$NODE/w/drives0/fetch_local_stats"
	printf '{"result":%s}' "${summary/frontend/drive}" >"$NODE/w/drives0/get_local_config_summary"
	sed -i "s|^stats_socket=.*|stats_socket=$NODE/w/*/container.sock|" "$NODE/jobio.conf"
	"$SRCDIR/tests/sim/weka-socket" "$NODE"/w/* 3>&- &
	SERVER=$!
	wait_for test -S "$NODE/w/two/container.sock"
	job 7
	prolog 2>/dev/null
	answer '' 'READS "15"; READ_LATENCY "80"' >"$NODE/w/two/fetch_local_stats"
	epilog
	[ "$(counters_of "$(record 7)")" = '/mnt/one: read_calls=0 read_us=0, /mnt/two: read_calls=5 read_us=10' ]
}

@test "a filesystem that is mounted while a job runs is found by its mount, and none is missing" {
	mkdir "$NODE/w"
	echo '{"result":{"filesystems_summary":[{"filesystem_id":"FSId<1>","name":"late"}]}}' >"$NODE/w/get_local_config_summary"
	answer '' 'READS "10"' >"$NODE/w/fetch_local_stats"
	"$SRCDIR/tests/sim/weka-socket" "$NODE/w" 3>&- &
	SERVER=$!
	wait_for test -S "$NODE/w/container.sock"
	job 7
	prolog 2>/dev/null
	echo 'be0/late /mnt/late wekafs rw 0 0' >>"$NODE/weka/mounts"
	answer '' 'READS "15"' >"$NODE/w/fetch_local_stats"
	epilog
	[ "$(counters_of "$(record 7)")" = '/mnt/late: read_calls=5' ]
	[ "$(record 7 | jq -c .quality)" = '["no_step","mounted_late"]' ]
}
