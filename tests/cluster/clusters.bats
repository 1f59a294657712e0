#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# clusters.bats - two clusters with one slurmdbd and one ledger: jobs with the same ID, on
# nodes with the same names, are kept apart
#
# The second cluster, "other", is made here: its slurmctld on octld, which is also its
# login host, and its nodes c1 and c2, on the hosts c1.other and c2.other. Its job IDs start
# where the first cluster's are, and each test submits as many jobs to both.
# shellcheck disable=SC2154,SC2030,SC2031 # pair sets $job, for one test
# shellcheck disable=SC2016 # alice's shell expands

load lib

setup_file() {
	export OTHER=$BATS_FILE_TMPDIR BEGAN=$EPOCHSECONDS
	expect_healthy
	other_up
}

teardown_file() {
	local all status=0
	mapfile -t all < <(docker ps -aq -f "label=jobio.cluster=$JOBIO_CLUSTER")
	((${#all[@]} == 0)) || docker rm -f -v "${all[@]}" >/dev/null || status=1
	site_restore || status=1
	on dbd svc stop jobio-ledgerd || status=1
	on dbd svc start jobio-ledgerd || status=1
	return $status
}

teardown() {
	on dbd svc start slurmdbd
	on dbd svc start jobio-ledgerd
	! on c2 test -e $SEND.away || on c2 mv $SEND.away $SEND
	! on oc1 grep -q '^on_error = drain' /etc/slurm/jobio.conf || on oc1 weka-sim unset faults.disconnected
	on oc1 cp /conf/jobio.conf /etc/slurm/jobio.conf
	on login scancel -u alice
	on octld scancel -u alice
	within 60 is_over login
	within 60 is_over octld
	resume c1
	[[ $(on octld sinfo -h -n c1 -o %T) != drain* ]] || on octld scontrol update nodename=c1 state=resume
	expect_healthy
	within 30 others_idle
}

SEND=/usr/libexec/jobio/jobio-send

# ---- the second cluster --------------------------------------------------------------

# host NAME HOSTNAME ROLE - start one of its hosts. A hostname without a domain would also be
# one of the first cluster's network, and steps would go to the wrong host.
host() {
	docker run -d --name "$JOBIO_CLUSTER-$1" --network-alias "$1" --hostname "$2" --label "jobio.cluster=$JOBIO_CLUSTER" \
		--network "${JOBIO_CLUSTER}_default" --volumes-from "$JOBIO_CLUSTER-c1" --tmpfs /run:mode=755 \
		--cap-add=SYS_ADMIN --cap-add=SYS_NICE --security-opt apparmor:unconfined --device /dev/fuse \
		-e NODE_NAME="${2%%.*}" -v "$OTHER/slurm.conf:/conf/slurm.conf:ro" \
		"$(docker inspect -f '{{.Config.Image}}' "$JOBIO_CLUSTER-c1")" "$3"
}

other_up() {
	submit true -n1
	wait_for_job "$job"
	on ctld cat /etc/slurm/slurm.conf | sed -E "s/^ClusterName=.*/ClusterName=other\nFirstJobId=$((job + 1))/
		s/^SlurmctldHost=.*/SlurmctldHost=octld/
		s/^NodeName=c\[1-3\] (.*)/NodeName=c1 NodeAddr=oc1 \1\nNodeName=c2 NodeAddr=oc2 \1/
		s/c\[1-3\]/c[1-2]/" >"$OTHER/slurm.conf"
	host octld octld ctld
	host oc1 c1.other compute
	host oc2 c2.other compute
	within 60 others_idle
	within 30 on octld sacct -n -X
}

others_idle() { [[ $(on octld sinfo -h -t idle -o %D) == 2 ]]; }
is_over() { [[ -z $(on "$1" squeue -h) ]]; }

# pair SCRIPT [SBATCH OPTION...] - submit a job with the same ID to each; sets $job
pair() {
	local there
	submit "$@"
	there=$(enter_as alice "$JOBIO_CLUSTER-octld" sbatch --parsable -o '/home/alice/other-%j.out' "${@:2}" <<<$'#!/bin/bash\n'"$1")
	expect_equal "$job" "$there"
}

# reads MIB MIB - a script that reads so many MiB on each node, in the first and in the
# other cluster
reads() {
	printf 'n=%s; [ "$SLURM_CLUSTER_NAME" = jobio ] || n=%s; srun dd if=/dev/zero of=/dev/null bs=1M count=$n status=none' "$1" "$2"
}

both_over() {
	within 60 is_over login
	within 60 is_over octld
}

# report HOST OPTION... - output of jobio report on that host, as root
report() { inside "$JOBIO_CLUSTER-$1" jobio report "${@:2}" </dev/null; }

# of CLUSTER JOB - the summaries in slurmdbd
of() { on login sacct -M "$1" -n -X -P -j "$2" -o SystemComment; }
of_matches() { [[ $(of "$1" "$2") =~ $3 ]]; }

# expect_of CLUSTER REGEX - the summary of $job in that cluster matches
expect_of() { within 60 of_matches "$1" "$job" "$2" || { of "$1" "$job" >&2; return 1; }; }

# report_of HOST - the report of $job on that host: cluster, nodes, read bytes in units of 32 MiB, runs
report_of() {
	report "$1" --json "$job" |
		jq -r '"\(.cluster) \([.records[].node] | join(",")) \(.totals.read_bytes / 33554432 | floor) \(.runs | length)"'
}

@test "jobs with the same ID on nodes with the same names have a summary, a report and a list each" {
	local host cluster
	pair "$(reads 16 64)" -N2 --ntasks-per-node=1 -w c1,c2
	both_over
	expect_of jobio '^jobio/1 rd=3[2-5][.0-9]*MiB/.* nodes=2/2 '
	expect_of other '^jobio/1 rd=1(2[89]|3[0-9])[.0-9]*MiB/.* nodes=2/2 '
	expect_equal 'jobio c1 jobio c2 other c1 other c2' \
		"$(in_ledger "SELECT cluster || ' ' || node FROM runs JOIN records ON run = id WHERE job = $job ORDER BY cluster, node" | xargs)"
	expect_equal 'jobio c1,c2 1 1' "$(report_of login)"
	expect_equal 'other c1,c2 4 1' "$(report_of octld)"
	docker exec -i "$JOBIO_CLUSTER-login" sh -c 'cat >/tmp/other.conf' <"$OTHER/slurm.conf"
	expect_equal other "$(inside "$JOBIO_CLUSTER-login" env SLURM_CONF=/tmp/other.conf jobio report --json "$job" </dev/null | jq -r .cluster)"
	for host in login octld; do
		cluster=$(report_of $host | cut -d' ' -f1)
		expect_equal "\"$job\",\"$cluster\",0,\"ledger\"" \
			"$(enter_as alice "$JOBIO_CLUSTER-$host" jobio report --csv -S now-1hour </dev/null | grep "^\"$job\"," | cut -d, -f1-4)"
		expect_equal "$(of "$cluster" "$job")" "$(report $host --json "$job" | jq -r .summary)"
	done
}

@test "arrays with the same ID are shown on the hosts of their cluster" {
	pair "$(reads 1 1)" --array=1-2%1 -n1
	both_over
	within 60 have 2 jobio
	within 60 have 2 other
	local host
	for host in login:jobio octld:other; do
		expect_text "Job $job    2 tasks of an array    alice" "$(report "${host%:*}" "$job")"
		expect_equal "${host#*:}" "$(report "${host%:*}" --json "${job}_2" | jq -r .cluster)"
	done
}

# have COUNT CLUSTER - so many tasks of $job have a summary
have() { [[ $(of "$2" "$job" | grep -c '^jobio/1 .* nodes=1/1 ') == "$1" ]]; }

@test "a run waits for its own node, even if a node with that name has reported for the other cluster" {
	on c2 mv $SEND $SEND.away
	pair "$(reads 1 1)" -N2 --ntasks-per-node=1 -w c1,c2
	both_over
	expect_of other 'nodes=2/2 '
	within 20 seen_here 'jobio 1 2 waiting'
	expect_equal '' "$(of jobio "$job")"
	on c2 mv $SEND.away $SEND
	expect_of jobio 'nodes=2/2 '
	expect_equal 'other 2 2 written' "$(seen octld)"
}

seen() { report "$1" --json "$job" | jq -r '"\(.cluster) \(.nodes_seen) \(.nodes_expected) \(.state)"'; }
seen_here() { [[ $(seen login) == "$1" ]]; }

@test "while slurmdbd is down a host shows the job of its own cluster" {
	pair "$(reads 32 128)" -n1 -w c1
	both_over
	expect_of jobio 'nodes=1/1 '
	expect_of other 'nodes=1/1 '
	on dbd svc stop slurmdbd
	expect_equal 'jobio c1 1 1' "$(report_of login)"
	expect_equal 'other c1 4 1' "$(report_of octld)"
}

# reason_there_starts TEXT - the drain reason of the other cluster's c1 starts with TEXT
reason_there_starts() { [[ $(on octld scontrol -o show node c1) == *" Reason=$1"* ]]; }

@test "a node of the other cluster is drained there, and the node with that name here is not" {
	on oc1 sed -i 's/^on_error = .*/on_error = drain/' /etc/slurm/jobio.conf
	on oc1 weka-sim set faults.disconnected=0
	pair true --io-cores=1 -n1 -w c1
	within 30 reason_there_starts 'jobio:W09 '
	wait_for_job "$job"
	expect_equal '' "$(reason c1)"
}

@test "the report of the site contains both clusters on every host" {
	local host here there
	pair true -n1
	both_over
	here=$(runs_of jobio) there=$(runs_of other)
	((here > 0 && there > 0))
	for host in login octld; do
		within 30 site_has $host "ledger $((here + there))"
	done
}

runs_of() { in_ledger "SELECT count(*) FROM runs WHERE cluster = '$1' AND first >= $BEGAN"; }
site_has() {
	[[ $(report "$1" --site --json -S "$(date -d "@$BEGAN" +%Y-%m-%dT%H:%M:%S)" | jq -r '"\(.source) \(.tally.jobs)"') == "$2" ]]
}
