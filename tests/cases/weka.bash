# SPDX-License-Identifier: GPL-2.0-or-later
# weka.bash - commands of weka.cases: a correct WEKA client with the container "client" on core 7,
# and changes of it
#
# shellcheck disable=SC2034 # tests/cases/run reads CODES, ENDS and WORDS
CODES=W

# Output of `weka` is in files named by its arguments; without a file fake-weka answers.
case_begin() {
	ps="$NODE/answers/local ps -J"
	WORDS=("$NODE=NODE")
	mkdir "$NODE/answers"
	mv "$NODE/bin/weka" "$NODE/bin/weka-itself"
	# shellcheck disable=SC2016 # the fake expands it
	node_fake weka 'answer="${0%/bin/*}/answers/$*"
	[[ $* != --agent ]] || read -rt 60 <>"$answer"
	[[ -e $answer ]] || exec "$0-itself" "$@"
	[[ ! -x $answer ]] || exec "$answer"
	exec cat "$answer"'
	case_conf timeout_ms=20000
}

# case_conf KEY=VALUE... - set it in the client's section of jobio.conf
case_conf() {
	local line
	for line; do
		sed -i "/^${line%%=*}=/d; s|^\[client weka\]\$|&\n${line//+/ }|" "$NODE/jobio.conf"
	done
}

# case_put FILE [TEXT]... - write a file of the node, a line for each TEXT, with + for a space
case_put() {
	local file=$NODE/${1//+/ }
	mkdir -p "${file%/*}"
	: >"$file"
	(($# == 1)) || case_more "$@"
}

# case_more FILE TEXT... - append to it
case_more() { printf '%b\n' "${@:2}" | tr + ' ' >>"$NODE/${1//+/ }"; }

# case_without FILE... - remove them
case_without() {
	local file
	for file; do rm -r "${NODE:?}/$file"; done
}

# case_service LINE... - write service.conf, with an old time
case_service() {
	case_put weka/service.conf "$@"
	case_old weka/service.conf
}

# case_old FILE - set its time to 2020
case_old() { touch -d 2020-01-01 "$NODE/$1"; }

# case_changed FILE - set its time to one hour from now
case_changed() {
	touch -d '+1 hour' "$NODE/$1"
	WORDS+=("([0-9][0-9][0-9][0-9] s after, pid $$)=(N s after, pid PID)")
}

# answer NAME - from now on output about container NAME is in files
answer() {
	local file
	[[ -e $ps ]] || "$NODE/bin/weka-itself" local ps -J >"$ps"
	for file in "$NODE/answers/local resources -C $1"{,\ --stable}\ -J; do
		[[ -e $file ]] || "$NODE/bin/weka-itself" local resources -C client -J >"$file"
	done
}

# edit FILE FILTER... - change it with jq(1)
edit() {
	local IFS='|' text
	text=$(jq -c "${*:2}" "$1") && printf '%s\n' "$text" >"$1"
}

# case_ps CONTAINER FILTER... - change its part of `weka local ps`
case_ps() {
	local IFS='|'
	answer "$1"
	edit "$ps" "(.[]|select(.name==\"$1\"))|=(${*:2})"
}

# case_staged, case_stable, case_both CONTAINER FILTER... - change its resources
case_staged() { answer "$1"; edit "$NODE/answers/local resources -C $1 -J" "${@:2}"; }
case_stable() { answer "$1"; edit "$NODE/answers/local resources -C $1 --stable -J" "${@:2}"; }
case_both() { case_staged "$@" && case_stable "$@"; }

# case_cores CONTAINER LIST - set the cores of its frontends, all connected
case_cores() {
	local core nodes='' i=0
	sed -i "/^Container=$1 /d" "$NODE/proc/interface"
	for core in ${2//,/ }; do
		case_link "$1" "$i" 0
		i=$((i + 1)) nodes+=",\"$i\":{\"core_id\":$core,\"roles\":[\"FRONTEND\"]}"
	done
	case_both "$1" ".nodes={\"0\":{\"roles\":[\"MANAGEMENT\"]}$nodes}"
}

# case_second LIST - add a container "second" on these cores
case_second() {
	answer second
	edit "$ps" '.+=[.[0]|.name="second"]'
	case_cores second "$1"
}

# case_many COUNT LIST - add containers "c1" to "cCOUNT" on core 6; the last one is on cores LIST
case_many() {
	local i
	for ((i = 1; i <= $1; i++)); do
		answer "c$i"
		edit "$ps" ".+=[.[0]|.name=\"c$i\"]"
		case_cores "c$i" "$( ((i == $1)) && echo "$2" || echo 6)"
	done
}

# case_gate LIST - the client's CPUs in the gate file of job 7
case_gate() { expect_gate 7 "client_cpus=$1"; }

# cure_fails TEXT - true if it has a command of weka that is not in the 6.x command line (WEKA's
# page of local commands), or has no container name
cure_fails() {
	local name='(client|second|frontend0|drives0|compute0|other|c[0-9]+|[0-9a-f]{12}client)'
	grep -oE 'weka local [^;,&)]*' <<<"$1" | sed 's/ *$//' | grep -vqxE "weka local (status|(start|restart|enable|monitoring on) $name|resources (restore|apply) -C $name)"
}

# case_link CONTAINER N PID|none - set the driver's line about its frontend
case_link() {
	local text="Connected frontend pid $3"
	[[ $3 != none ]] || text='Frontend is not connected'
	sed -i "/^Container=$1 FE $2:/d" "$NODE/proc/interface"
	echo "Container=$1 FE $2: $text" >>"$NODE/proc/interface"
}

# case_process CONTAINER N - its frontend is a process that may run on this machine's CPUs
case_process() {
	local list
	list=$(sed -n 's/^Cpus_allowed_list:\t//p' "/proc/$$/status")
	WORDS+=("may run on CPU $list,=may run on CPU LIST,")
	case_link "$1" "$2" $$
}

# instead ARGUMENTS COMMAND - run COMMAND for `weka ARGUMENTS`
instead() {
	printf '#!/bin/sh\n%s\n' "$2" >"$NODE/answers/$1"
	chmod +x "$NODE/answers/$1"
}

# case_fails, case_hangs, case_ignores, case_late ARGUMENTS - `weka` does so; late: works and fails
case_fails() { instead "$*" 'echo no agent >&2; exit 1'; }
case_hangs() { instead "$*" 'exec sleep 60' && case_conf timeout_ms=1000; }
case_ignores() { instead "$*" 'exit 0'; }
case_late() { instead "$*" "$NODE/bin/weka-itself $*; echo late >&2; exit 1"; }

# case_recorded FILE TO - use a real client's output: tests/samples/weka
case_recorded() { cp "$SRCDIR/tests/samples/weka/$1" "$NODE/${2//+/ }"; }

# case_agents N - start N processes `weka --agent`
case_agents() {
	local n
	mkfifo "$NODE/answers/--agent"
	for ((n = 0; n < $1; n++)); do
		"$NODE/bin/weka" --agent &
		ENDS+=($!)
		wait_for grep -q bin/weka "/proc/$!/cmdline" || return
	done
}

# case_mount TARGET OPTIONS - add a mount
case_mount() { echo "be0/x $1 wekafs $2 0 0" >>"$NODE/weka/mounts"; }

# case_card NAME NUMA_NODE - add a network card
case_card() { case_put "sysfs/class/net/$1/device/numa_node" "$2"; }

# case_far CPU - move it to NUMA node 1
case_far() { mv "$NODE/sysfs/devices/system/cpu/cpu$1"/node{0,1}; }

# case_memory MB - MemSpecLimit of the node
case_memory() { edit "$NODE/node-record" ".mem_spec_limit=$1"; }

# case_spec_set CPUS - CpuSpecList of the node
case_spec_set() { edit "$NODE/node-record" ".cpu_spec_list=\"$1\""; }

# case_earlier - run a job that caches the node's record
case_earlier() { one_job 6 1; }

# case_without_threads - its node line has no threads, although the machine has
case_without_threads() { edit "$NODE/node-record" .threads_per_core=1 .cpus=8; }

# case_loop FILE - make it a link to itself, which cannot be read
case_loop() { ln -s "$NODE/$1" "$NODE/$1"; }

# case_space PID [TAG [TARGET [CGROUP]]] - add a process ("self": jobio) in a mount namespace of its
# own: / with this tag of mountinfo, and the client's mount at TARGET
case_space() {
	local dir=$NODE/processes/$1
	mkdir -p "$dir/ns"
	ln -s "mnt:[$1]" "$dir/ns/mnt"
	printf '%s\n' "21 1 8:1 / / rw,relatime ${2:+${2//+/ } }- ext4 /dev/a rw" \
		"60 21 0:60 / ${3:-/mnt/weka} rw shared:9 - wekafs x rw" >"$dir/mountinfo"
	printf '0::/%s\n' "${4:-}" >"$dir/cgroup"
	case_conf core_change=any core_method=mount
}

# case_under PID ID - in this namespace the client's mount is below the mount with this ID
case_under() { sed -i "s/^60 21/60 $2/" "$NODE/processes/$1/mountinfo"; }
