# SPDX-License-Identifier: GPL-2.0-or-later
# advice.bash - jobs on a virtual machine, from prolog to epilog, and their records
#
# Terms   piece: what the file 'jobs' names: a function of the script that reads
#           this; behind a colon stand those of its jobs that are wanted, as a
#           regular expression.
#         asks: what the next job asks for, in slurmd's words.
#         data: the folder that the jobs work in, on a filesystem of a client.
# The script has in_job of nfs.bash, and stays where jobio's helpers are.
# shellcheck shell=bash disable=SC2154 # data is the script's

IFS=: read -r piece only <./jobs
id=100
asks=()

# on NODE FUNCTION [ARGUMENT...] - what a node of the job does
on() {
	local node=(SLURMD_NODENAME="$1") dir=/sys/fs/cgroup/system.slice/$1_slurmstepd.scope/job_$id/step_0/user/task_0
	shift
	sync
	echo 3 >/proc/sys/vm/drop_caches
	in_job "$id" "${node[@]}" "${asks[@]}" ./jobio-prepare --conf=/run/jobio.conf 2>>/run/said
	mkdir -p "$dir"
	(echo $BASHPID >"$dir/cgroup.procs" && "$@" >/dev/null 2>>/run/said) || echo "@ failed $*"
	in_job "$id" "${node[@]}" "${asks[@]}" ./jobio-release --conf=/run/jobio.conf 2>>/run/said
}

# tell NAME NODE... - its records
tell() {
	local node
	echo "@ $1"
	for node in "${@:2}"; do
		cat "/run/spool/$id.0.$node.json"
		echo
	done
	asks=()
}

# is_wanted NAME
is_wanted() {
	[[ $1 =~ $only ]] || { asks=(); return 1; }
}

# job NAME FUNCTION [ARGUMENT...] - one job; its record
job() {
	is_wanted "$1" || return 0
	id=$((id + 1))
	on vm1 "${@:2}"
	tell "$1" vm1
}

# both NAME FUNCTION [ARGUMENT...] - a job of two nodes that do the same; one after the
# other, for they are one machine
both() {
	is_wanted "$1" || return 0
	id=$((id + 1))
	asks+=(SLURM_JOB_NODELIST='vm[1-2]' SLURM_NODELIST='vm[1-2]' SLURM_JOB_NUM_NODES=2)
	on vm1 "${@:2}"
	on vm2 "${@:2}"
	tell "$1" vm1 vm2
}

# count_first FOLDER [OPTION...] - the first load takes longer than a prolog has on
# an emulated machine
count_first() {
	./jobio-count "${@:2}" --run-dir=/run/jobio start 99 "$1" >/dev/null
	./jobio-count "${@:2}" --run-dir=/run/jobio stop 99 >/dev/null
}

# tiny_files FOLDER COUNT
tiny_files() {
	local i
	mkdir -p "$data/$1"
	for ((i = 0; i < $2; i++)); do echo "$i" >"$data/$1/$i"; done
}

# piece_run - the one that is wanted, of the script's pieces
piece_run() {
	[[ " ${pieces[*]} " == *" $piece "* ]] || exit 2
	"${piece#*/}"
	echo '@ end'
}
