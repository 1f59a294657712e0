#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# slurm_upgrade.bats - upgrade of a site from one major release of Slurm to another, and to the
# jobio that was built for it, host by host, while jobs run
#
# The packages of the newer Slurm are those of Debian's suite $NEWER, installed over the older
# ones as on a site (newer-slurm). The cluster cannot be used by other tests afterwards: this
# file has its own. Its tests continue from one another.
# shellcheck disable=SC2016,SC2154 # alice's shell expands; submit sets $job

load lib

NEWER=sid STORE=/home/.newer LIMIT_S=120

setup_file() {
	local top host
	expect_healthy
	top=$(readlink -f "$BATS_TEST_DIRNAME/../..")
	on login mkdir -p "$STORE/debs"
	docker run --rm --network=none "jobio-$JOBIO_SUITE:to-$NEWER" tar -C /debs -c . |
		docker exec -i "$JOBIO_CLUSTER-login" tar -C "$STORE/debs" -x
	hand "$top/build/cluster/$NEWER/context/root" "$STORE/jobio" --exclude=./conf --exclude=./usr/local
	# Slurm's upgrade guide: a node that takes longer than SlurmdTimeout (60 s here) is set
	# DOWN, and its jobs are requeued
	for host in dbd ctld c1 c2 c3 login; do
		on "$host" sed -i 's/^SlurmdTimeout=.*/SlurmdTimeout=600/' /etc/slurm/slurm.conf
	done
	on ctld scontrol reconfigure
	expect_healthy
	for host in c1 c2 c3; do
		# the client uses a CPU that plain jobs may use
		set_conf "$host" 's/^gate = .*/gate = warn/'
		# files of an image have no time of their last rename, which spank/plugin_file.h needs
		on "$host" touch "$(plugin "$host")"
	done
	: >"$BATS_FILE_TMPDIR/jobs"
}

teardown_file() { on login scancel -u alice; }

# ---- hosts ---------------------------------------------------------------------------

# of HOST - the version of Slurm there: 24.11
of() { on "$1" slurmd -V | sed -E 's/^slurm(-wlm)? ([0-9]+\.[0-9]+).*/\2/'; }

newer_slurm() {
	on "$1" sh -c "DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $STORE/debs/*.deb >/tmp/apt.log 2>&1 ||
		{ tail -n 20 /tmp/apt.log >&2; exit 1; }"
}

newer_jobio() { exchange "$1" "$STORE/jobio"; }

answers() { on "$1" sacct -n -X; }

# drained NODE - no job starts there; running jobs continue
drained() {
	on ctld scontrol update "nodename=$1" state=drain reason=upgrade
	within $LIMIT_S only_long "$1"
}

resumed() {
	on "$1" svc start slurmd
	within 30 registered "$1"
	on ctld scontrol update "nodename=$1" state=resume
}

registered() { [[ $(on login scontrol -o show node "$1") == *" Version=$newer"* ]]; }

matched() {
	check "$@"
	no S16
}

# ---- jobs ----------------------------------------------------------------------------

# listed NODES - note the job that submit has submitted
listed() { echo "$job $1" >>"$BATS_FILE_TMPDIR/jobs"; }
ids() { cut -d' ' -f1 "$BATS_FILE_TMPDIR/jobs" | paste -sd,; }

DD='dd if=/dev/zero of=/mnt/weka/$SLURM_JOB_ID.$SLURM_PROCID bs=4k count=4 status=none; '
step() { printf "srun -Q sh -c '%s'; " "$1"; }

# waits NAME - part of a job's script: wait until the test continues it
waits() { printf 'touch at.%s.$SLURM_PROCID; until [ -e go.%s ]; do sleep 0.1; done; ' "$1" "$1"; }

# short COUNT NODES OPTION... - submit COUNT short jobs
short() {
	local i
	for ((i = 0; i < $1; i++)); do
		submit "$(step "$DD")sleep 0.2" "${@:3}"
		listed "$2"
	done
}

# long NODES SCRIPT OPTION... - submit a job that waits
long() {
	submit "$2" "${@:3}" -J long
	listed "$1"
}

at() { within $LIMIT_S on login test -e "/home/alice/at.$1"; }
go() { on login touch "/home/alice/go.$1"; }
only_long() { ! on login squeue -h -w "$1" -o %j | grep -qvx long; }

accounts() { on login sacct -X -n -P -j "$(ids)" -o "$1"; }
all_accounted() { [[ $(accounts State,ExitCode | sort | uniq -c | sed 's/^ *//') == "$(grep -c . "$BATS_FILE_TMPDIR/jobs") COMPLETED|0:0" ]]; }

# summarized - "JOB NODES" of each job with a summary of all its nodes
summarized() { accounts JobID,SystemComment | sed -nE 's/^([0-9]+)\|jobio\/1 (.* )?nodes=([0-9]+)\/\3( .*|$)/\1 \3/p' | sort -n; }
all_summarized() { [[ $(summarized) == "$(sort -n "$BATS_FILE_TMPDIR/jobs")" ]]; }

# delivered - "JOB RECORDS" of each job in the ledger
delivered() {
	in_ledger "SELECT job || ' ' || count(*) FROM records JOIN runs ON run = id
		WHERE job IN ($(ids)) GROUP BY job ORDER BY job"
}

# is_old JOB NODE - its slurmstepds run programs that the upgrade has replaced
is_old() {
	local programs
	programs=$(on "$2" sh -c 'for pid in $(pgrep -f "^slurmstepd: \['"$1"'\.(batch|0)\]"); do readlink "/proc/$pid/exe"; done | sort | uniq -c')
	grep -qxE ' +2 .*/slurmstepd[^ ]* \(deleted\)' <<<"$programs" || {
		printf "programs of job %s's slurmstepds: %s\n" "$1" "$programs"
		on "$2" ps -eo pid,ppid,lstart,args
		on login squeue -o '%i %T %r %N'
		on login sacct -n -P -j "$1" -o JobID,State,ExitCode,Start,End
		on "$2" tail -n 50 /var/log/slurm/slurmd.log
		return 1
	} >&2
}

@test "Slurm's major release is upgraded host by host while jobs run: no job fails, each has its records and its summary, no node is drained" {
	local host wait first held older newer
	older=$(of c1)
	# a step that runs during the upgrade, and one after it
	long 1 "$(step "$(waits profile)")$(step "$DD")" -n1 --io-cores=1 --io-profile=stream -w c1
	first=$job
	long 2 "$(step "$(waits wide)")$(step "$DD")" -N2 --ntasks-per-node=1 -w c2,c3
	# steps cannot start while slurmctld or slurmd is down: these jobs have none
	long 1 "$(waits ctld)$DD" -n1 -w c2
	long 1 "$(waits dbd)$DD" -n1 -w c3
	for wait in profile.0 wide.0 wide.1 ctld.0 dbd.0; do at "$wait"; done
	long 1 "$(waits slurmd)$DD" -n1 -w c3
	short 1 1 -n1 --io-cores=1 --io-profile=metadata -w c1
	short 1 2 -H -N2 --ntasks-per-node=1 --io-cores=1 --io-profile=cached -w c2,c3
	held=$job
	short 4 1 -n1

	# slurmdbd and the ledger; meanwhile a job ends, and another starts
	on dbd svc stop jobio-ledgerd
	on dbd svc stop slurmdbd
	go dbd
	at slurmd.0
	newer_slurm dbd
	newer_jobio dbd
	on dbd svc start slurmdbd
	within $LIMIT_S answers login
	on dbd svc start jobio-ledgerd
	newer=$(of dbd)
	[[ $newer != "$older" ]]

	# slurmctld; meanwhile a job ends
	within $LIMIT_S only_long c1,c2,c3
	on ctld svc stop slurmctld
	go ctld
	newer_slurm ctld
	newer_jobio ctld
	on ctld svc start slurmctld
	within $LIMIT_S on login scontrol ping

	# the nodes
	drained c1
	on c1 svc stop slurmd
	newer_slurm c1
	mismatched c1 "$older" "$newer"
	newer_jobio c1
	resumed c1
	is_old "$first" c1
	go profile
	short 3 1 -n1
	short 1 1 -n1 --io-cores=1 --io-profile=stream -w c1
	# a job on a newer and an older node
	short 1 2 -N2 --ntasks-per-node=1 -w c1,c2
	wait_for_job "$job"

	drained c2
	on c2 svc stop slurmd
	newer_slurm c2
	newer_jobio c2
	resumed c2
	short 2 1 -n1

	drained c3
	on c3 svc stop slurmd
	go slurmd # it ends meanwhile
	newer_slurm c3
	newer_jobio c3
	resumed c3
	short 2 1 -n1
	go wide
	on login scontrol release "$held"
	within $LIMIT_S queue_is_empty

	within 30 all_accounted || { accounts JobID,State,ExitCode | grep -v 'COMPLETED|0:0' >&2; return 1; }
	within 60 all_summarized || { accounts JobID,SystemComment >&2; return 1; }
	expect_equal "$(sort -n "$BATS_FILE_TMPDIR/jobs")" "$(delivered)"
	expect_equal '' "$(accounts SystemComment | grep -E ' not=[a-z,]*(profile|cores|started)|not-applied|plugin_away' || :)"
	expect_record "$first" c1 '"\(.steps) \(.changes[0].restored)"' '3 true'
	expect_equal '' "$(on login sinfo -h -t drain,down,fail -N -o %N)"
	for host in c1 c2 c3; do
		within 20 no_traces "$host"
		expect_equal writecache "$(mount_mode "$host")"
	done
	for host in dbd ctld c1 c2 c3; do matched "$host"; done
}

@test "a login host with the new Slurm and the old jobio: sbatch prints that the plugin is incompatible, and submits; jobio check reports S16" {
	local older newer
	older=$(of login) newer=$(of c1)
	newer_slurm login
	mismatched login "$older" "$newer"
	run as alice sbatch -n1 --wrap='srun -Q true'
	expect_text 'ncompatible Slurm plugin' "$output"
	expect_text 'Submitted batch job ' "$output"
	job=${output##* }
	wait_for_job "$job"
	within 30 accounted "$job" COMPLETED
	expect_summary "$job" '^jobio/1 .* nodes=1/1'

	run as alice sbatch -n1 --io-cores=1 --wrap='srun -Q true'
	[ "$status" -ne 0 ]
	expect_text "unrecognized option '--io-cores=1'" "$output"

	newer_jobio login
	matched login
	run as alice sbatch -n1 -w c2 --io-cores=1 --io-profile=stream --wrap='srun -Q true'
	expect_text 'Submitted batch job ' "$output"
	[[ $output != *ncompatible* ]]
	job=${output##* }
	wait_for_job "$job"
	expect_summary "$job" '^jobio/1 .* nodes=1/1 .*prof=stream '
}
