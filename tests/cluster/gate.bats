#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# gate.bats - which tasks may start on a CPU of the client
#
# On every node the client uses CPU 1 of 0 and 1. On c1 this is the spec set: only a job
# with --core-spec=0 may use CPU 1 there.
# shellcheck disable=SC2154,SC2016,SC2030,SC2031 # submit sets $job, in each test
# anew; quoted code runs elsewhere

load lib

setup_file() {
	expect_healthy
	on c1 cp /etc/slurm/jobio.conf /tmp/site.conf
	on c1 cp /etc/slurm/plugstack.conf.d/jobio.conf /tmp/site.plugstack
	slurm_of_c1 's/^NodeName=c\[1-3\]\(.*\)/NodeName=c1 CpuSpecList=1\1\nNodeName=c[2-3]\1/'
}

teardown() {
	on c1 cp /tmp/site.conf /etc/slurm/jobio.conf
	on c1 cp /tmp/site.plugstack /etc/slurm/plugstack.conf.d/jobio.conf
	expect_healthy
}

no_spec_set() { slurm_of_c1 '/^NodeName=c1/d; s/^NodeName=c\[2-3\]/NodeName=c[1-3]/'; }

slurmd_log() { on c1 cat /var/log/slurm/slurmd.log; }

# policy off|warn|enforce - set gate= on c1
policy() { on c1 sed -i "s/^gate *=.*/gate = $1/" /etc/slurm/jobio.conf; }

where='the job may run on CPU 1 of node c1, where the filesystem client weka:weka works; '
spec="${where}slurm.conf reserves it (CpuSpecList): submit the job without --core-spec=0, or with --io-cores"
none='io-cores without use: slurmctld reserves no cores for jobs: it runs AllowSpecResourcesUsage=no'

# refused WHY OPTION... - a batch job on c1 does not start; its output is one line with WHY
refused() {
	submit 'echo started' -w c1 "${@:2}"
	wait_for_job "$job"
	run job_output "$job"
	expect_text "jobio: gate: not started: $1" "$output"
	expect_equal 1 "${#lines[@]}"
	expect_equal FAILED "$(job_state "$job")"
	within 20 accounted "$job" FAILED
	expect_equal 1:0 "$(on login sacct -n -X -j "$job" -P -o ExitCode)"
}

# starts OPTION... - a batch job on c1 starts, with no other output
starts() {
	submit 'echo started' -w c1 "$@"
	wait_for_job "$job"
	expect_equal started "$(job_output "$job")"
}

is_reported() { on login jobio report "$1" | grep -q -- "$2"; }
site_says() { [[ $(on login jobio report --site -S now-1hour) == *"$1"* ]]; }

# warned OPTION... - it starts, and log, record, summary and reports have the warning
warned() {
	starts "$@"
	expect_text "jobio: gate: $where" "$(slurmd_log)"
	expect_record "$job" c1 .gate.warned 1
	expect_summary "$job" '^jobio/1 not=gate rd=.* gate=warn:1'
	is_reported "$job" "    on c1: $where"
	within 20 site_says "job $job of alice on cluster jobio: 1 task that ran" # noted after the summary
	site_says " could run on CPUs of a client, and ran"
}

@test "a job that avoids the spec set with --core-spec=0 does not start, and its record and report have the reason" {
	refused "$spec" --core-spec=0
	expect_record "$job" c1 .refused "$spec"
	within 20 is_reported "$job" "refused .*on c1: $where"
	expect_summary "$job" ' refused=1'
}

@test "steps of such a job do not start, however they are bound, and print it once" {
	local command
	while read -r command; do
		# shellcheck disable=SC2086 # words
		run as alice ${command/ / -w c1 --core-spec=0 } hostname
		expect_equal 1 "$status"
		expect_equal 1 "$(grep -c "jobio: gate: not started: $where" <<<"$output")"
		expect_equal 0 "$(grep -cx c1 <<<"$output")"
	done <<-'END'
		srun -n1 -c2 --cpu-bind=map_cpu:0
		srun -n1 -c2 --cpu-bind=mask_cpu:1
		srun -n2
		salloc srun --overlap -n1 -c2
		salloc srun --interactive -n1 -c2
	END
}

# A plugin that moves tasks to other namespaces in task_init, as pyxis does, on a line of
# plugstack.conf before jobio's or after it
@test "a task that another plugin moves into namespaces of its own is refused, in either order" {
	local order bind
	docker exec -i "$JOBIO_CLUSTER-c1" gcc -shared -fPIC -D_GNU_SOURCE -o /tmp/namespaces.so -xc - <"$BATS_TEST_DIRNAME/namespaces.c"
	for order in a z; do
		on c1 sh -c "rm -f /etc/slurm/plugstack.conf.d/?.conf; echo required /tmp/namespaces.so >/etc/slurm/plugstack.conf.d/$order.conf"
		run as alice env NAMESPACES=1 srun -w c1 --io-cores=1 sh -c 'cat /proc/self/cgroup; id -u'
		[[ $status == 0 && $output != *job_* && $output == *65534 ]] || { echo "$output"; return 1; }
		for bind in none map_cpu:0; do
			run as alice env NAMESPACES=1 srun -w c1 -n1 -c2 --core-spec=0 --cpu-bind=$bind hostname
			expect_equal "1 1" "$status $(grep -c "jobio: gate: not started: $spec" <<<"$output")"
		done
		submit 'srun -n1 -c2 --cpu-bind=map_cpu:0 hostname' -w c1 --core-spec=0 --export=ALL,NAMESPACES=1
		wait_for_job "$job"
		expect_record "$job" c1 .refused "$spec"
	done
	on c1 sh -c 'rm -f /etc/slurm/plugstack.conf.d/[az].conf'
}

@test "a required plugin refuses with the same line" {
	on c1 sed -i 's/^optional/required/' /etc/slurm/plugstack.conf.d/jobio.conf
	refused "$spec" --core-spec=0
}

@test "a job that avoids the client's CPU starts, without findings about it" {
	starts --exclusive
	expect_record "$job" c1 '[.findings[] | select(.severity != "info") | .code] | join(",")' W13
	expect_record "$job" c1 .refused null
	expect_summary "$job" '^jobio/1 rd=.* nodes=1/1 '
	starts --io-cores=1
}

@test "policy warn starts such a job and reports it, policy off does not check" {
	policy warn
	warned --core-spec=0
	policy off
	starts --core-spec=0
}

@test "without a spec set enforce starts a job without a request, and reports it" {
	no_spec_set
	warned --exclusive
}

@test "io-cores that slurmctld does not reserve: enforce refuses with this reason, warn starts the job" {
	reserving no
	refused "$where$none" --exclusive --io-cores=1
	expect_record "$job" c1 '[.findings[].code] | index("W59") != null' true
	policy warn
	submit 'echo started' -w c1 --exclusive --io-cores=1
	wait_for_job "$job"
	expect_equal "jobio: node c1: $none"$'\nstarted' "$(job_output "$job")"
	reserving yes
}

@test "a task that started cannot move to the client's CPU" {
	run as alice srun -w c1 --io-cores=1 sh -c 'taskset -pc 1 $$ 2>&1; taskset -pc 0-1 $$ >/dev/null 2>&1
		grep Cpus_allowed_list /proc/self/status'
	expect_text 'Invalid argument' "$output"
	expect_text $'Cpus_allowed_list:\t0' "$output"
}

@test "unmet requests are printed once in the job's output, and come first in sacct and in the report" {
	local said="jobio: node c1: profile 'shared' was not applied: the profile's mount options were left out: the job shares this node with others; ask for io-cores or --exclusive"
	on login sh -c 'printf "[profile shared]\nmount_options = forcedirect\n" >>/etc/slurm/jobio.conf'
	on c1 sh -c 'printf "[profile shared]\nmount_options = forcedirect\n" >>/etc/slurm/jobio.conf'
	submit $'srun -n1 true\nsrun -n1 true' -n1 -w c1 --io-profile=shared
	wait_for_job "$job"
	expect_equal "$said" "$(job_output "$job")"
	expect_summary "$job" '^jobio/1 not=profile rd=.* prof=shared/not-applied '
	run as alice jobio report "$job"
	expect_text 'not given: profile' "$output"
	# srun by itself, and in an allocation
	run as alice srun -Q -n1 -w c1 --io-profile=shared true
	expect_equal "$said" "$output"
	run as alice salloc -Q -n1 -w c1 --io-profile=shared sh -c 'srun true; srun true'
	expect_equal "$said" "$output"
	on login cp /conf/jobio.conf /etc/slurm/jobio.conf
}

@test "bytes that slurmstepd forwards are not counted for the step" {
	run as alice sh -c 'srun -Q -n1 -w c1 --io-cores=1 sh -c "echo \$SLURM_JOB_ID >&2; dd if=/dev/zero bs=64k count=320 status=none" 2>id >/dev/null; cat id'
	job=$output
	expect_record "$job" c1 '[.app[] | select(.source == "stepd")][0] |
		[.read_bytes, .write_bytes] | all(. >= 20971520 and . < 21500000)' true
	expect_record "$job" c1 '.quality | contains(["includes_stepd"])' false
}

@test "bytes through a pipe count for each program of the step, those that slurmstepd forwards do not" {
	as alice sh -c 'head -c 20971520 /dev/zero >twenty'
	run as alice sh -c 'srun -Q -n1 -w c1 --io-cores=1 sh -c "echo \$SLURM_JOB_ID >&2; cat twenty | cat | cat" 2>id >/dev/null; cat id'
	as alice rm twenty
	job=$output
	expect_record "$job" c1 '[.app[] | select(.source == "stepd")][0] |
		[.read_bytes, .write_bytes] | all(. >= 62914560 and . < 64000000)' true
}

@test "tasks have SLURM_IO_CORES, SLURM_IO_CPUS and SLURM_IO_PROFILE of their job" {
	submit $'env | grep ^SLURM_IO | sort\nsrun env | grep ^SLURM_IO | sort' \
		-w c1 --io-cores=1 --io-profile=stream
	wait_for_job "$job"
	local one=$'SLURM_IO_CORES=1\nSLURM_IO_CPUS=1\nSLURM_IO_PROFILE=stream'
	expect_equal "$one"$'\n'"$one" "$(job_output "$job")"
}

@test "tasks have the variables of their job's profile, and keep values that the user has set" {
	on c1 sh -c 'printf "[profile mpi-io]\nenvironment = ROMIO_HINTS=/etc/jobio/hints OMPI_MCA_io=romio341\n" >>/etc/slurm/jobio.conf'
	on login cp /etc/slurm/jobio.conf /tmp/site.conf
	on login sh -c 'printf "[profile mpi-io]\nenvironment = ROMIO_HINTS=/etc/jobio/hints OMPI_MCA_io=romio341\n" >>/etc/slurm/jobio.conf'
	submit $'env | grep -E "^(ROMIO|OMPI_MCA_io)" | sort\nexport ROMIO_HINTS=mine\nsrun env | grep -E "^(ROMIO|OMPI_MCA_io)" | sort' \
		-w c1 --io-profile=mpi-io
	wait_for_job "$job"
	expect_equal $'OMPI_MCA_io=romio341\nROMIO_HINTS=/etc/jobio/hints\nOMPI_MCA_io=romio341\nROMIO_HINTS=mine' "$(job_output "$job")"
	job=$(as alice env ROMIO_HINTS=mine sbatch --parsable -w c1 -o /home/alice/%j.out \
		--io-profile=mpi-io --wrap 'env | grep ^ROMIO')
	wait_for_job "$job"
	expect_equal ROMIO_HINTS=mine "$(job_output "$job")"
	on login sed -i 's/^environment = .*/environment = LD_PRELOAD=x/' /etc/slurm/jobio.conf
	run as alice sbatch --io-profile=mpi-io --wrap true
	on login cp /tmp/site.conf /etc/slurm/jobio.conf
	expect_equal 1 "$status"
	expect_text "[profile mpi-io] environment: 'LD_PRELOAD=x': LD_PRELOAD is not for a profile to set" "$output"
}

@test "tasks of a job without a request do not have the variables of another job" {
	job=$(as alice env SLURM_IO_CORES=7 SLURM_IO_CPUS=7 SLURM_IO_PROFILE=x \
		sbatch --parsable -w c1 -o /home/alice/%j.out --wrap 'env | grep ^SLURM_IO')
	wait_for_job "$job"
	expect_equal '' "$(job_output "$job")"
}

@test "a request that avoids the site's limits is not applied on the node, with the reason" {
	as alice sh -c 'printf "[profile mine]\ndescription = my own\n" >jobio.conf
		echo "optional jobio.so conf=$PWD/jobio.conf" >plugstack.conf
		sed "s:^PlugStackConfig=.*:PlugStackConfig=$PWD/plugstack.conf:" /etc/slurm/slurm.conf >slurm.conf'
	run as alice env SLURM_CONF=/home/alice/slurm.conf srun -w c1 --io-profile=mine hostname
	expect_text "jobio: node c1: profile 'mine' was not applied: jobio.conf of this node has no such profile" "$output"
	expect_equal 1 "$(grep -cx c1 <<<"$output")"
}

@test "a node without its configuration starts tasks and logs the missing file" {
	on c1 rm /etc/slurm/jobio.conf
	starts -n1
	expect_text "jobio: gate: '/etc/slurm/jobio.conf': cannot read: No such file" "$(slurmd_log)"
}
