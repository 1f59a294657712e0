# SPDX-License-Identifier: GPL-2.0-or-later
# nfs.bash - an NFS server and client on the same virtual machine, and prolog and epilog
# as slurmd runs them
# shellcheck shell=bash

# server MIB [OPTION...] - export /exp, of so many MiB; options are mkfs.ext4's. Over
# TCP and RDMA (rdma_rxe), at 192.168.77.1 to .5: v3 mounts of one address share
# a transport, those of different addresses do not.
server() {
	local i mib=$1
	shift
	modprobe -a loop nfsd nfs nfsv3 nfsv4 veth rpcrdma rdma_rxe
	ip link add ve0 type veth peer name ve1
	for i in 1 2 3 4 5; do ip addr add "192.168.77.$i/24" dev ve0; done
	ip link set ve0 up
	ip link set ve1 up
	rdma link add rxe0 type rxe netdev ve0
	mkdir -p /run/rpcbind /run/disk /exp
	mount -t tmpfs -o size=700m disk /run/disk
	truncate -s "${mib}M" /run/disk/a
	mkfs.ext4 -q "$@" -O '^has_journal' /run/disk/a
	mount -o loop /run/disk/a /exp
	chmod 777 /exp
	printf '/exp *(rw,no_root_squash,fsid=0,insecure,no_subtree_check,async)\n' >/etc/exports
	mount -t rpc_pipefs sunrpc /var/lib/nfs/rpc_pipefs 2>/dev/null || :
	mount -t nfsd nfsd /proc/fs/nfsd
	rpcbind -w
	rpc.statd --no-notify
	exportfs -ra
	rpc.mountd
	rpc.nfsd --rdma=20049 8
}

# in_job ID [NAME=VALUE]... COMMAND... - run with these variables in slurmd's environment
in_job() {
	local id=$1
	shift
	env -i PATH="$PATH" LD_LIBRARY_PATH="$PWD" SLURMD_NODENAME=vm1 SLURM_CLUSTER_NAME=vm \
		SLURM_JOBID="$id" SLURM_JOB_ID="$id" SLURM_JOB_UID=0 SLURM_JOB_GID=0 SLURM_JOB_USER=root \
		SLURM_JOB_RESTART_COUNT=0 SLURM_JOB_NODELIST=vm1 SLURM_JOB_NUM_NODES=1 \
		SLURM_SCRIPT_CONTEXT=prolog_slurmd "$@"
}

# slurm_make - make slurmctld's replies for this machine, and bring all its CPUs online; helpers
# run them from their own folder, /run/bin, which is made writable
slurm_make() {
	local cpu cores sockets cpus
	for cpu in /sys/devices/system/cpu/cpu[1-9]*/online; do echo 1 >"$cpu"; done
	cpus=$(nproc --all)
	cores=$(lscpu -p=SOCKET,CORE | grep -v '^#' | sort -u | wc -l)
	sockets=$(lscpu -p=SOCKET | grep -v '^#' | sort -u | wc -l)
	jq -cn --argjson cpus "$cpus" --argjson cores "$cores" --argjson sockets "$sockets" '{
		name: "vm1", cpus: $cpus, boards: 1, sockets: $sockets, cores_per_socket: ($cores / $sockets),
		threads_per_core: ($cpus / $cores), core_spec_count: 0, cpu_spec_list: null,
		select_type: "select/cons_tres", version: "24.11.5", controller_version: "24.11.5",
		allow_spec_resources_usage: true, conf_read_at: 1795224862}' >/run/node-record
	mkdir /run/bin
	cp jobio-{prepare,release,count,node} /run/bin
	cat >/run/bin/jobio-slurm <<-'END'
		#!/bin/sh
		case "$*" in
			*node*) cat /run/node-record ;;
			*) echo '{"job":8,"core_spec":1,"alone":true}' ;;
		esac
	END
	chmod +x /run/bin/jobio-slurm
	# a prolog passes no LD_LIBRARY_PATH to helpers
	pwd >/etc/ld.so.conf.d/payload.conf
	ldconfig
	cd /run/bin || return
}
