# SPDX-License-Identifier: GPL-2.0-or-later
# enter.bash - run a command in a container
# shellcheck shell=bash

# container_pid CONTAINER - set $container_pid to its first process; cached for the tests
# of a file, and read again after a restart of the container
container_pid() {
	local note=${BATS_FILE_TMPDIR:-/nonexistent}/pid.$1 group='' noted=''
	container_pid=
	[[ ! -e $note ]] || read -r container_pid noted <"$note"
	[[ -z $container_pid ]] || { read -r group <"/proc/$container_pid/cgroup"; } 2>/dev/null || :
	[[ -z $container_pid || -z $group || $group != "$noted" ]] || return 0
	container_pid=$(docker inspect -f '{{.State.Pid}}' "$1" 2>/dev/null) &&
		read -r group <"/proc/$container_pid/cgroup" || return
	[[ ! -d ${note%/*} ]] || printf '%s %s\n' "$container_pid" "$group" >"$note"
}

# "docker exec" takes a third of a second on a busy machine, and tests call it hundreds of
# times: commands that read or copy something enter the namespaces directly. A command that
# starts a process that stays must run in the container's cgroup.

# inside CONTAINER COMMAND... - run with its environment, not in its cgroup; limit 600 s
inside() {
	local environment
	if [[ $EUID != 0 ]] || ! container_pid "$1"; then
		docker exec -i "$@"
		return
	fi
	shift
	mapfile -d '' environment <"/proc/$container_pid/environ"
	timeout 600 nsenter -t "$container_pid" -a env -i "${environment[@]}" "$@"
}

# enter CONTAINER COMMAND... - run as root, without input
enter() {
	case $2 in
		squeue | sacct | sacctmgr | scontrol | scancel | sinfo | sdiag | svc | test | cat | \
			find | grep | sed | pgrep | jq | ls | cp | mv | rm | touch) inside "$@" </dev/null ;;
		*) timeout 600 docker exec -i "$@" </dev/null ;;
	esac
}

# enter_as USER CONTAINER COMMAND... - run as a user of the container, in that user's home
enter_as() {
	local user=$1 container=$2
	shift 2
	inside "$container" setpriv --reuid="$user" --regid="$user" --init-groups \
		env -C "/home/$user" HOME="/home/$user" USER="$user" "$@"
}
