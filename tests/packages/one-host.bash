# SPDX-License-Identifier: GPL-2.0-or-later
# one-host.bash - the site of the cluster tests on one host, without jobio
#
# Sourced by scripts that start such a host; needs $here and $top.
# shellcheck shell=bash disable=SC2154

# one_host NAME SUITE CONF [OPTION...] -- COMMAND... - start it in a container, with the client's
# core as spec set; CONF is the folder with Slurm's configuration
one_host() {
	local name=$1 suite=$2 conf=$3 options=()
	shift 3
	while [[ $1 != -- ]]; do options+=("$1"); shift; done
	shift
	cp "$top"/tests/cluster/conf/{slurm,cgroup,slurmdbd}.conf "$conf"
	sed -i -E 's/^(SlurmctldHost|AccountingStorageHost|DbdHost|StorageHost)=.*/\1=n1/; s/c\[1-3\]/n1/g; /^(Prolog|Epilog)=/d' "$conf"/*
	docker run -d --name "$name" --hostname n1 -e SITE=spec_set --tmpfs /run:mode=755 \
		--cap-add=SYS_ADMIN --cap-add=SYS_NICE --security-opt apparmor:unconfined \
		-v "$here:/packages:ro" -v "$conf:/conf:ro" \
		--device /dev/fuse -v "$top/tests/sim:/opt/weka-sim:ro" \
		-v "$top/tests/cluster/entrypoint:/usr/local/sbin/entrypoint:ro" \
		-v "$top/tests/cluster/svc:/usr/local/sbin/svc:ro" \
		-v "$top/tests/cluster/systemctl:/usr/local/sbin/systemctl:ro" \
		"${options[@]}" "jobio-$suite:site" tini -g -- "$@" >/dev/null
}

# one_host_tests NAME [OPTION...] FILE - run its tests, and print its logs after a failure;
# adds its CPU seconds to $JOBIO_CPU
one_host_tests() {
	local name=$1 file=${*: -1} status=0
	shift
	docker exec -i "${@:1:$#-1}" "$name" bats --tap "/packages/$file" </dev/null || status=$?
	{
		docker exec "$name" cat /sys/fs/cgroup/cpu.stat /sys/fs/cgroup/cpuacct/cpuacct.usage 2>/dev/null || :
	} | awk '/^usage_usec/ { print $2 / 1e6 } NF == 1 { print $1 / 1e9 }' >>"${JOBIO_CPU:-/dev/null}"
	((status == 0)) || docker logs --tail=30 "$name" >&2
	return $status
}
