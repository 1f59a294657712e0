# SPDX-License-Identifier: GPL-2.0-or-later
# nfs_job.bash - jobs on the NFS mounts of a virtual machine that is its own server
#
# For nfs-node and nfs-cores, with nfs.bash, in a folder with jobio's helpers. Output
# is a line "@ LABEL", then JSON.
#
# Mounts: /m/t3 v3 over TCP, /m/t4 v4.2 over TCP with nconnect=2, /m/r3 v3 over
# RDMA (rdma_rxe), each with a server address of its own, so that no two share a
# transport; /m/s3 shares the superblock of /m/t3.
# shellcheck shell=bash disable=SC2034 # $mounts and $asks are the scripts', too

readonly mounts=(t3 t4 r3)

# jq must not colour its output: the serial line is a terminal.
jq() { command jq -M "$@"; }
say() { printf '@ %s\n' "$*"; }

mount_all() {
	mkdir -p /exp/a /exp/b /m/{t3,t4,r3,s3,bind,late}
	chmod 777 /exp/a /exp/b
	mount -t nfs -o vers=3,proto=tcp,nolock,hard 192.168.77.1:/exp /m/t3
	mount -t nfs -o vers=4.2,proto=tcp,nconnect=2,hard 192.168.77.2:/ /m/t4
	mount -t nfs -o vers=3,proto=rdma,port=20049,nolock,hard 192.168.77.3:/exp /m/r3
	mount -t nfs -o vers=3,proto=tcp,nolock,hard 192.168.77.1:/exp/a /m/s3
}

# conf COUNTING [LINE...] - COUNTING: yes, no; LINEs are added to the client's section
conf() {
	mkdir -p /run/jobio
	{
		cat <<-END
			[jobio]
			run_dir = /run/jobio
			spool_dir = /run/spool
			prolog_budget_ms = 60000
			[count]
			kernel = $1
			[profile scan]
			read_ahead_kb = 1024
			mount_options = sync,noatime
			[client home]
			type = nfs
			timeout_ms = 10000
		END
		printf '%s\n' "${@:2}"
	} >/run/jobio.conf
}

readonly alone=(SPANK_JOBIO_VERSION=1 SPANK_JOBIO_IO_CORES=1 SLURM_JOB_CORE_SPEC_COUNT=1
	SLURM_JOB_CORE_SPEC_TYPE=cores SLURM_JOB_OVERSUBSCRIBE=NO)
asks=()
# A hook must need less than half of its time limit on an emulated machine.
hook() {
	in_job "$1" SLURM_JOB_START_TIME=1795224862 "${asks[@]}" timeout -s KILL 90 \
		"$2" --conf=/run/jobio.conf 2>/run/said
}
prolog() { hook "$1" ./jobio-prepare; }
epilog() { hook "$1" ./jobio-release; }
record() {
	cat "/run/spool/$1.0.vm1.json"
	echo
}

# timed LABEL COMMAND... - print its exit status, and its time
timed() {
	local start=$EPOCHREALTIME status=0
	"${@:2}" || status=$?
	say "$1"
	jq -cn --argjson s "$status" --argjson a "$start" --argjson b "$EPOCHREALTIME" --rawfile said /run/said \
		'{status: $s, seconds: ($b - $a), said: $said}'
}

# act ID COMMAND... - run in the cgroup of the job
act() {
	local dir=/sys/fs/cgroup/system.slice/vm1_slurmstepd.scope/job_$1/step_0/user/task_0
	mkdir -p "$dir"
	shift
	bash -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$dir" "$@" >/dev/null
}

