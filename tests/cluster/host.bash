# SPDX-License-Identifier: GPL-2.0-or-later
# host.bash - make this machine able to run the clusters: packages, dockerd
#
# To be sourced by demo and check. host_packages installs what is missing;
# host_docker starts dockerd when none answers, and host_docker_stop ends the
# one that host_docker started, no other. Functions return 1 with a message.
# shellcheck shell=bash

# shellcheck source=tests/tools/retry.bash
. "$(dirname -- "${BASH_SOURCE[0]}")/../tools/retry.bash"

host_say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

host_apt_install() {
	apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y \
		--no-install-recommends -o DPkg::Lock::Timeout=120 "$@"
}

# host_packages PACKAGE... - install those that are missing; needs root
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

# Packages that bring up a cluster; docker itself only where there is none.
host_packages_cluster() {
	local want=(mmdebstrap debian-archive-keyring rsync git bats util-linux)
	command -v docker >/dev/null && command -v dockerd >/dev/null ||
		want+=(docker.io)
	docker compose version >/dev/null 2>&1 || command -v docker-compose >/dev/null ||
		want+=(docker-compose)
	host_packages "${want[@]}"
}

host_docker_answers() { timeout 10 docker info >/dev/null 2>&1; }

# host_docker STATE_DIR - have a dockerd; remember in STATE_DIR one we started
host_docker() {
	local state=$1 limit
	! host_docker_answers || return 0
	[[ $EUID == 0 ]] || { host_say 'dockerd does not answer, and only root can start it'; return 1; }
	host_say 'starting dockerd (a few seconds)'
	mkdir -p "$state"
	if [[ -d /run/systemd/system ]]; then
		systemctl start docker && : >"$state/dockerd.systemd"
	else
		setsid dockerd >"$state/dockerd.log" 2>&1 </dev/null 8>&- 9>&- & # not our locks
		printf '%s\n' $! >"$state/dockerd.pid"
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
}

# Without ps, which a minimal machine lacks; a zombie does not run.
host_dockerd_runs() {
	local stat
	stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
	[[ $stat == "$1 (dockerd) "[!Z]* ]]
}

# host_docker_stop STATE_DIR - end the dockerd that host_docker started
host_docker_stop() {
	local state=$1 pid limit=$((SECONDS + 30))
	if [[ -f $state/dockerd.systemd ]]; then
		systemctl stop docker.socket docker
		rm -f "$state/dockerd.systemd"
	fi
	[[ -f $state/dockerd.pid ]] || return 0
	pid=$(<"$state/dockerd.pid")
	rm -f "$state/dockerd.pid"
	host_dockerd_runs "$pid" || return 0
	kill "$pid"
	while host_dockerd_runs "$pid"; do
		((SECONDS < limit)) || { host_say "dockerd ($pid) does not end"; return 1; }
		sleep 0.2
	done
}
