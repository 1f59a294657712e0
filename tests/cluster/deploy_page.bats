#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# deploy_page.bats - the commands of docs/deploy.md as they are printed: back to a site
# without jobio, and from there, in the page's order, to a site with it
# shellcheck disable=SC2154,SC2030,SC2031 # submit sets $job, for one test

load lib

setup_file() { expect_healthy; }

teardown() {
	site_restore
	expect_healthy
}

page=$BATS_TEST_DIRNAME/../../docs/deploy.md

# hosts_of WORDS - the hosts in "sh WORDS" above a block
hosts_of() {
	local word
	for word in $1; do
		case $word in
			all | slurm.conf) echo login ctld dbd c1 c2 c3 ;;
			nodes) echo c1 c2 c3 ;;
			ledger) echo dbd ;;
			login | ctld) echo "$word" ;;
			*) echo "$page: 'sh $word': no such host" >&2; return 1 ;;
		esac
	done
}

# blocks HEADING - "NUMBER HOSTS" for each block of the section, with the site's names in place
# of the page's; the commands are written to $BATS_TEST_TMPDIR/NUMBER
blocks() {
	awk -v heading="## $1" -v dir="$BATS_TEST_TMPDIR" '
		/^## / { on = $0 == heading }
		on && sub(/^ *```sh /, "") { file = dir "/" ++n; print n, $0; printf "" >file; next }
		/^ *```$/ { file = "" }
		file { sub(/^   /, ""); print >file }' "$page"
	# mount_table and proc_dir of the stand-in, in place of a client's files in /proc
	sed -i -e 's/\bn001\b/c1/; s/accounting\.example\.org/dbd/' \
		-e 's,^type = weka,&\nmount_table = /run/weka-sim/mounts\nproc_dir = /run/weka-sim/proc,' "$BATS_TEST_TMPDIR"/[0-9]*
}

# type_in NUMBER HOST - run a block there; findings of jobio check are not a failure
type_in() {
	{
		echo 'jobio() { command jobio "$@" || (($? == 1 || $? == 3)); }'
		cat "$BATS_TEST_TMPDIR/$1"
	} | docker exec -i -w /jobio/obj "$JOBIO_CLUSTER-$2" bash -e >"$BATS_TEST_TMPDIR/$2" 2>&1
}

# codes HOST - the codes S, N and C in jobio check's output there
codes() { grep -oE '^[SNC][0-9]+ ' "$BATS_TEST_TMPDIR/$1" | sort -u | xargs; }

# after COMMANDS - after these commands: save the list that jobio plan has printed for the next
# blocks; check the findings that remain on a node after step 5, and that this test's job runs
after() {
	local host list
	if [[ $1 == *'jobio plan --client'* ]]; then
		list=$(sed -n 's/^slurm\.conf  *CpuSpecList=//p' "$BATS_TEST_TMPDIR/c1")
		expect_equal 1 "$list" || return 1
		sed -i "s/CpuSpecList=62-63 MemSpecLimit=5100/CpuSpecList=$list MemSpecLimit=500/" "$BATS_TEST_TMPDIR"/[0-9]*
	fi
	[[ $1 == *'restart slurmd'* ]] || return 0
	for host in c1 c2 c3; do expect_equal 'S12 S14' "$(codes "$host")" || return 1; done
	job_runs "$job"
	looked=1
}

# follow HEADING - run its commands, on all hosts of a block at the same time
follow() {
	local number hosts host typing
	blocks "$1" >"$BATS_TEST_TMPDIR/list"
	[ -s "$BATS_TEST_TMPDIR/list" ]
	while read -r number hosts; do
		declare -A typing=()
		for host in $(hosts_of "$hosts"); do
			type_in "$number" "$host" &
			typing[$host]=$!
		done
		for host in "${!typing[@]}"; do
			wait "${typing[$host]}" || { echo "$host:"; cat "$BATS_TEST_TMPDIR/$number" "$BATS_TEST_TMPDIR/$host"; return 1; }
		done
		unset typing
		after "$(<"$BATS_TEST_TMPDIR/$number")" || return 1
	done <"$BATS_TEST_TMPDIR/list"
}

# units COMMAND - jobio's services, which the containers' init restarts
units() {
	local host
	on dbd svc "$1" jobio-ledgerd
	for host in c1 c2 c3; do on "$host" svc "$1" jobio-send-timer; done
}

# left HOST - files of jobio there, without data and files of the tests
left() {
	on "$1" find / -xdev \( -path /proc -o -path /sys -o -path /jobio -o -path /conf -o -path /home -o -path /var/log \
		-o -path /etc/slurm/jobio.conf -o -path /var/lib/jobio -o -path /var/spool/jobio -o -path /run \) -prune \
		-o -iname '*jobio*' -print
}

@test "the way back of the page: Slurm without jobio, only data is left" {
	local host
	units stop
	for host in dbd ctld c1 c2 c3; do
		docker cp -q "$BATS_TEST_DIRNAME/systemctl" "$JOBIO_CLUSTER-$host:/usr/local/sbin/systemctl" 2>/dev/null ||
			docker cp "$BATS_TEST_DIRNAME/systemctl" "$JOBIO_CLUSTER-$host:/usr/local/sbin/systemctl"
	done
	on dbd systemctl enable --now jobio-ledgerd
	follow Back
	expect_healthy
	for host in login ctld dbd c1 c2 c3; do
		expect_equal '' "$(left "$host")"
		[[ $host == ctld ]] || on "$host" test -s /etc/slurm/jobio.conf
	done
	submit 'hostname' -n1 -w c1
	wait_for_job "$job"
	expect_equal c1 "$(job_output "$job")"
	expect_equal '' "$(summary "$job")"
	run as alice sbatch --io-cores=1 --wrap true
	[ "$status" -ne 0 ]
	expect_text "unrecognized option '--io-cores=1'" "$output"
}

# strip - configure a site without jobio, with none of the settings of step 5
strip() {
	local host
	for host in login ctld dbd c1 c2 c3; do
		on "$host" sed -i -E -e '/^(TaskPlugin|ProctrackType|AllowSpecResourcesUsage|PrologFlags)=/d' \
			-e '1i TaskPlugin=task/affinity\nProctrackType=proctrack/pgid' /etc/slurm/slurm.conf
		on "$host" sed -i 's/^ConstrainCores=.*/ConstrainCores=no/' /etc/slurm/cgroup.conf
	done
	on ctld systemctl restart slurmctld
	for host in c1 c2 c3; do on "$host" systemctl restart slurmd; done
	expect_healthy
}

@test "the steps of the page in their order: from a site without jobio to a job with io-cores, while a job runs" {
	local before looked='' host
	strip
	expect_text proctrack/pgid "$(on login scontrol show config)"
	submit 'until [ -e go ]; do sleep 0.2; done; srun hostname' -n1 -w c1
	within 30 job_runs "$job"
	before=$job
	follow 'In this order'
	expect_equal 1 "$looked"
	expect_equal c1 "$(on login squeue -h -j "$before" -t RUNNING -o %N)"
	run as alice jobio check --submit --role=login
	expect_text 'report   sacct has the same' "$output"
	no 'T[0-9]+'
	submit 'true' -n1 -w c2 --io-cores=1
	wait_for_job "$job"
	expect_summary "$job" '^jobio/1 .* nodes=1/1 cores=1 '
	for host in login ctld dbd c1 c2 c3; do
		check "$host"
		no 'S[0-9]+|J0[1-79]|J1[0-9]|L[0-9]+|H0[13]' || { echo "$host"; return 1; }
	done
	as alice touch go
	wait_for_job "$before"
	as alice rm go
	expect_equal c1 "$(job_output "$before")"
	within 20 accounted "$before" COMPLETED
	expect_healthy
	# the containers' init restarts it again
	on dbd systemctl stop jobio-ledgerd
	for host in c1 c2 c3; do on "$host" systemctl stop jobio-send.timer; done
	units start
}
