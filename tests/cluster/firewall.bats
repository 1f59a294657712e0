#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# firewall.bats - effects of a firewall between nodes and ledger on jobs, nodes and records,
# and that the ports in docs/deploy.md are enough
#
# The rules are set in the hosts' network namespaces, from outside.
# shellcheck disable=SC2016,SC2154,SC2030,SC2031 # alice's shell expands; submit sets $job,
# for one test

load lib

page=$BATS_TEST_DIRNAME/../../docs/deploy.md

setup_file() { expect_healthy; }
setup() { set_conf c1 's/^grace_s.*/&\nsend_timeout_ms = 2000/'; }

teardown() {
	local host
	filter db -F
	for host in login ctld dbd c1 c2 c3; do
		filter $host -F
		on $host sed -i '/^SrunPortRange=/d' /etc/slurm/slurm.conf
	done
	on login rm -f /home/alice/go
	site_restore
	on login scancel -u alice
	expect_healthy
	within 30 nothing_waits
}

# filter HOST ARGUMENT... - iptables for traffic to and from the host
filter() {
	local host=$1
	shift
	container_pid "$JOBIO_CLUSTER-$host"
	nsenter -t "$container_pid" -n iptables -w "$@"
}

nothing_waits() { [[ -z $(spooled c1) ]]; }
waits() { [[ $(spooled c1) == "$1."* ]]; }

# ended_within SECONDS - $job ends, and the node becomes idle within so many seconds after
ended_within() {
	local begin=$SECONDS
	wait_for_job "$job"
	within 30 node_is_idle
	((SECONDS - begin <= $1)) || { echo "took $((SECONDS - begin)) s"; return 1; }
	expect_equal COMPLETED "$(job_state "$job")"
}
node_is_idle() { [[ $(node_state c1) == idle ]]; }

OPEN_PORT='correct host= in [ledger] of /etc/slurm/jobio.conf if dbd is not the ledger'\''s host; else, there: firewall-cmd --permanent --add-port=8632/tcp'

# closed ERROR CURE TARGET... - close the ledger's port 8632 to c1 with TARGET; jobio check
# prints ERROR with CURE
closed() {
	local error=$1 cure=$2
	shift 2
	filter c1 -A OUTPUT -p tcp --dport 8632 -j "$@"
	submit true --io-cores=1 --io-profile=stream -n1 -w c1
	ended_within 8
	within 10 waits "$job"
	check c1
	expect_text "L04 error: the ledger cannot be reached: ledger 'dbd:8632': $error" "$output"
	expect_text "cure: $cure" "$output"
	filter c1 -F
	expect_summary "$job" '^jobio/1 .* nodes=1/1 cores=1 '
	within 10 nothing_waits
}

@test "DROP: the job ends in time, its record waits and is sent when the port is open, and jobio check names the port" {
	closed 'Connection timed out' "$OPEN_PORT" DROP
}

@test "REJECT with tcp-reset: the same" {
	closed 'Connection refused' 'systemctl status jobio-ledgerd, on dbd: if it runs, correct port= ' REJECT --reject-with tcp-reset
}

@test "REJECT with icmp-admin-prohibited: the same" {
	closed 'No route to host' "$OPEN_PORT" REJECT --reject-with icmp-admin-prohibited
}

@test "DROP on a node of wait_nodes: the epilog waits send_timeout_ms, the node is not drained and the record is not lost" {
	set_conf c1 's/^grace_s.*/&\nwait_nodes = c1/'
	filter c1 -A OUTPUT -p tcp --dport 8632 -j DROP
	submit true --io-cores=1 -n1 -w c1
	ended_within 10
	waits "$job"
	filter c1 -F
	expect_summary "$job" '^jobio/1 .* nodes=1/1 cores=1 '
}

# kept JOB - the number of records of the job in the ledger
kept() { in_ledger "SELECT count(*) FROM records JOIN runs ON run = id WHERE job = $1"; }
has_kept() { [[ $(kept "$1") == 1 ]]; }

@test "replies that are dropped: the ledger has the record, the node sends it again, and it counts once" {
	# the connection is made, and no reply arrives
	filter c1 -A INPUT -p tcp --sport 8632 --tcp-flags PSH PSH -j DROP
	submit true --io-cores=1 -n1 -w c1
	ended_within 8
	within 20 has_kept "$job"
	waits "$job"
	filter c1 -F
	within 20 nothing_waits
	expect_equal 1 "$(kept "$job")"
	expect_summary "$job" '^jobio/1 .* nodes=1/1 cores=1 '
}

# ---- the ports of the page -------------------------------------------------------------

# ports WHERE - the ports in the page's table for it: "FROM PORT" for each
ports() {
	awk -F' *\\| *' -v to="$1" '/^\| from /, !/^\|/ { if ($3 == to) print $4 }' "$page" | tr ',' '\n' | sed 's/[^0-9:].*//' | grep .
}

# only HOST PORT... - new connections to the host are accepted on these ports only
only() {
	local host=$1 port
	shift
	filter "$host" -A INPUT -i lo -j ACCEPT
	for port in "$@"; do filter "$host" -A INPUT -p tcp --dport "$port" -j ACCEPT; done
	filter "$host" -A INPUT -p tcp --syn -j DROP
}

@test "with only the ports of the page open all of jobio works" {
	local host ports
	for host in login ctld dbd c1 c2 c3; do
		on $host sh -c 'echo SrunPortRange=60001-60999 >>/etc/slurm/slurm.conf'
	done
	on ctld scontrol reconfigure
	mapfile -t ports < <(ports ledger; ports slurmdbd)
	expect_equal '8632 6819' "${ports[*]}"
	only dbd "${ports[@]}"
	mapfile -t ports < <(ports MariaDB)
	only db "${ports[@]}"
	mapfile -t ports < <(ports slurmctld)
	only ctld "${ports[@]}"
	mapfile -t ports < <(ports nodes)
	for host in c1 c2 c3; do only $host "${ports[@]}" 60001:60999; done
	only login 60001:60999
	for host in login c1 dbd ctld; do
		check $host
		no 'S[0-9]+|L[0-9]+' || { echo "$host"; return 1; }
	done
	submit 'srun -Q true; until [ -e go ]; do sleep 0.2; done' --io-cores=1 --io-profile=stream -N2 --ntasks-per-node=1 -w c1,c2
	within 30 job_runs "$job"
	run as alice timeout 60 jobio report --live "$job"
	expect_text 'nothing is counted there before the job ends' "$output"
	on login touch /home/alice/go
	wait_for_job "$job"
	expect_summary "$job" '^jobio/1 .* nodes=2/2 cores=1 '
	run as alice jobio report --json "$job"
	expect_equal ledger "$(jq -r .source <<<"$output")"
	# and without the ledger's port, the figures of sacct
	filter login -A OUTPUT -p tcp --dport 8632 -j REJECT --reject-with tcp-reset
	run as alice jobio report --json "$job"
	expect_equal sacct "$(jq -r .source <<<"$output")"
}
