#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# count_only.bats - a site with the jobio.conf of README.md, which only counts
# shellcheck disable=SC2154,SC2030,SC2031 # submit sets $job, for one test

load lib

readonly all_hosts='login ctld dbd c1 c2 c3'

# readme_conf - README's first jobio.conf, with this site's accounting host, and the stand-in's
# files in place of a real client's files in /proc
readme_conf() {
	awk '/^```ini/ { on = 1; next } /^```/ { on = 0 } on' "$BATS_TEST_DIRNAME/../../README.md" |
		sed 's/^host = .*/host = dbd/; /^type = weka/a mount_table = /run/weka-sim/mounts\nproc_dir = /run/weka-sim/proc'
}

# slurm_everywhere SED - change slurm.conf on each host
slurm_everywhere() {
	local host
	for host in $all_hosts; do on "$host" sed -i "$1" /etc/slurm/slurm.conf; done
	on ctld scontrol reconfigure
	expect_healthy
}

setup_file() {
	local host
	expect_healthy
	readme_conf >"$BATS_FILE_TMPDIR/jobio.conf"
	for host in $all_hosts; do
		on "$host" cp /etc/slurm/jobio.conf /tmp/site.jobio.conf
		docker exec -i "$JOBIO_CLUSTER-$host" sh -c 'cat >/etc/slurm/jobio.conf' <"$BATS_FILE_TMPDIR/jobio.conf"
	done
	on login mv /etc/slurm/plugstack.conf.d/jobio.conf /tmp/site.plugstack
	slurm_everywhere 's/^AllowSpecResourcesUsage=.*/AllowSpecResourcesUsage=no/'
	on dbd svc stop jobio-ledgerd
	on dbd svc start jobio-ledgerd
}

teardown_file() {
	local host
	for host in $all_hosts; do on "$host" sh -c 'cp /tmp/site.jobio.conf /etc/slurm/jobio.conf && rm /tmp/site.jobio.conf'; done
	on login mv /tmp/site.plugstack /etc/slurm/plugstack.conf.d/jobio.conf
	slurm_everywhere 's/^AllowSpecResourcesUsage=.*/AllowSpecResourcesUsage=yes/'
	on dbd svc stop jobio-ledgerd
	on dbd svc start jobio-ledgerd
}

@test "a job gets a record" {
	submit 'dd if=/dev/zero of=/mnt/weka/count-only bs=1M count=4 2>/dev/null' -w c1
	wait_for_job "$job"
	expect_summary "$job" '^jobio/1 .* nodes=1/1 '
}

# H02 comes from containers; N07 is right here: the client polls on a CPU that all jobs may use.
@test "jobio check has no finding on any host, and prints what is ready" {
	local host found
	for host in $all_hosts; do
		found=$(on "$host" jobio check --json | jq -r '[.findings[] | select(.severity != "info" and (.code | IN("H02", "N07") | not)) | "\(.code) \(.text)"] | join("\n")')
		[[ -z $found ]] || { printf '%s:\n%s\n' "$host" "$found"; return 1; }
		run on "$host" jobio check
		expect_text 'io-cores: not on offer' "$output"
	done
}
