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

# traced FUNCTION [ARGUMENT...] - where tests/vm/advice -t asked for it, strace says what
# its calls moved on clients' filesystems, and when: the truth about a timeline
traced() {
	[[ -e trace ]] || { "$@"; return; }
	local job=$BASHPID status=0
	rm -rf /run/calls
	mkdir /run/calls
	(
		echo $BASHPID >/sys/fs/cgroup/cgroup.procs
		exec strace -ff -q -ttt -T -y -s 0 -o /run/calls/of -p "$job" \
			-e trace=read,write,pread64,pwrite64,readv,writev,preadv,pwritev,preadv2,pwritev2,copy_file_range,sendfile
	) &
	until grep -q 'TracerPid:.*[1-9]' /proc/self/status; do :; done
	"$@" || status=$?
	kill -INT $!
	wait $! || :
	return "$status"
}

# calls_moved - "= TIME READ WRITTEN CALLS" for each tenth of a second, of the last traced job
calls_moved() {
	awk -v there="</m/" '
		{ end = $1 + substr($NF, 2); count = $(NF - 1) }
		count !~ /^[0-9]+$/ || !index($0, there) { next }
		{ at = sprintf("%.1f", end); split($0, part, "(") }
		part[1] ~ / (copy_file_range|sendfile)$/ { n = split($0, fd, there); reads[at] += count; writes[at] += count; next }
		part[1] ~ /read/ { reads[at] += count; calls[at]++; next }
		{ writes[at] += count; calls[at]++ }
		END {
			for (at in reads) all[at]
			for (at in writes) all[at]
			for (at in all) printf "= %s %d %d %d\n", at, reads[at], writes[at], calls[at]
		}' /run/calls/of.* | sort
}

# on NODE FUNCTION [ARGUMENT...] - what a node of the job does
on() {
	local node=(SLURMD_NODENAME="$1") dir=/sys/fs/cgroup/system.slice/$1_slurmstepd.scope/job_$id/step_0/user/task_0
	shift
	sync
	echo 3 >/proc/sys/vm/drop_caches
	in_job "$id" "${node[@]}" "${asks[@]}" ./jobio-prepare --conf=/run/jobio.conf 2>>/run/said
	mkdir -p "$dir"
	(echo $BASHPID >"$dir/cgroup.procs" && traced "$@" >/dev/null 2>>/run/said) || echo "@ failed $*"
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
	[[ ! -e trace ]] || calls_moved
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
