# SPDX-License-Identifier: GPL-2.0-or-later
# host.bash - prepare this machine for clusters: packages, dockerd
#
# Sourced by demo and check. host_packages installs missing packages;
# host_docker starts dockerd if none answers; host_docker_stop ends that dockerd and no
# other, unless it still has containers. Functions return 1 with a message.
# shellcheck shell=bash

# shellcheck source=tests/tools/retry.bash
. "$(dirname -- "${BASH_SOURCE[0]}")/../tools/retry.bash"

host_say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

host_apt_install() {
	apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y \
		--no-install-recommends -o DPkg::Lock::Timeout=120 "$@"
}

# host_packages PACKAGE... - install the missing ones; needs root
host_packages() {
	local package missing=() log
	for package in "$@"; do
		dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null |
			grep -qx installed || missing+=("$package")
	done
	((${#missing[@]})) || return 0
	[[ $EUID == 0 ]] || { host_say "not root, and these packages are missing: ${missing[*]}"; return 1; }
	host_say "installing ${#missing[@]} packages (about a minute): ${missing[*]}"
	log=$(mktemp)
	retry host_apt_install "${missing[@]}" >"$log" 2>&1 </dev/null || {
		tail -n 20 "$log" >&2
		host_say "cannot install ${missing[*]}: $(cause "$log") (all of it: $log)"
		return 1
	}
	rm -f "$log"
}

# host_packages_cluster - packages for a cluster; docker only if it is not installed. Its
# command is a package of its own since Debian 13.
host_packages_cluster() {
	local want=(mmdebstrap debian-archive-keyring rsync git bats util-linux)
	command -v docker >/dev/null && command -v dockerd >/dev/null ||
		want+=(docker.io)
	docker compose version >/dev/null 2>&1 || command -v docker-compose >/dev/null ||
		want+=(docker-compose)
	host_packages "${want[@]}" || return
	command -v docker >/dev/null || host_packages docker-cli
}

host_docker_answers() { timeout 10 docker info >/dev/null 2>&1; }

# host_dockerd PID - print PID, start time and boot ID of this dockerd, which identify it; nothing
# if it does not run or is a zombie. Without ps, which a minimal machine does not have.
host_dockerd() {
	local stat
	stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
	[[ $stat != "$1 (dockerd) "[!Z]* ]] ||
		printf '%s %s %s\n' "$1" "$(cut -d ' ' -f 22 <<<"$stat")" "$(</proc/sys/kernel/random/boot_id)"
}

# host_docker STATE_DIR - make sure that a dockerd runs; note in STATE_DIR one that is started here
host_docker() {
	local state=$1 limit pid
	! host_docker_answers || return 0
	[[ $EUID == 0 ]] || { host_say 'dockerd does not answer, and only root can start it'; return 1; }
	host_say 'starting dockerd (a few seconds)'
	mkdir -p "$state"
	if [[ -d /run/systemd/system ]]; then
		systemctl start docker || return 1
	else
		setsid dockerd >"$state/dockerd.log" 2>&1 </dev/null 8>&- 9>&- & # not our locks
		pid=$!
		disown
	fi
	limit=$((SECONDS + 60))
	until host_docker_answers; do
		((SECONDS < limit)) || {
			[[ ! -f $state/dockerd.log ]] || tail -n 20 "$state/dockerd.log" >&2
			host_say 'dockerd does not answer within a minute'
			return 1
		}
		sleep 0.2
	done
	host_dockerd "${pid:-$(systemctl show -P MainPID docker)}" >"$state/dockerd"
}

# host_docker_stop STATE_DIR - end the dockerd that host_docker started
host_docker_stop() {
	local state=$1/dockerd pid others limit=$((SECONDS + 30))
	[[ -s $state ]] || return 0
	read -r pid _ <"$state"
	if [[ $(host_dockerd "$pid") != "$(<"$state")" ]]; then
		rm "$state"
	elif ! others=$(docker ps -aq) || [[ -n $others ]]; then
		host_say "dockerd ($pid) goes on: it has containers of others"
	else
		rm "$state"
		if [[ -d /run/systemd/system ]]; then systemctl stop docker.socket docker; else kill "$pid"; fi
		while [[ -n $(host_dockerd "$pid") ]]; do
			((SECONDS < limit)) || { host_say "dockerd ($pid) does not end"; return 1; }
			sleep 0.2
		done
	fi
}
