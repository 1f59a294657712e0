#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# option.bats - --io-cores and --io-profile at submission
# shellcheck disable=SC2154,SC2016,SC2030,SC2031 # submit sets $job, in each test
# anew; quoted code runs elsewhere

load lib

setup_file() {
	expect_healthy
	on login sh -c 'cp /etc/slurm/jobio.conf /tmp/site.conf
		cp /etc/slurm/plugstack.conf.d/jobio.conf /tmp/site.plugstack'
}

teardown() {
	on login sh -c 'rm -rf /tmp/other
		cp /tmp/site.conf /etc/slurm/jobio.conf
		cp /tmp/site.plugstack /etc/slurm/plugstack.conf.d/jobio.conf'
	on login scancel -u alice
	expect_healthy
}

# core_spec JOB - number of cores that slurmctld reserves for it; * for none
core_spec() { on login scontrol show job -o "$1" | grep -o 'CoreSpec=[^ ]*' | sed 's/CoreSpec=//'; }

# held OPTION... - submit a job that stays pending; sets $job
held() { submit 'true' -H "$@"; }

# refused TEXT [VARIABLE=VALUE...] OPTION... - sbatch prints one line with TEXT
# and submits nothing
refused() {
	local text=$1 said status=0 env=()
	shift
	while [[ ${1:-} == *[A-Z]=* ]]; do env+=("$1"); shift; done
	said=$(as alice env "${env[@]}" sbatch -H "$@" --wrap true 2>&1) || status=$?
	expect_equal 1 "$status"
	expect_text "$text" "$said"
	expect_equal 1 "$(wc -l <<<"$said")"
	expect_equal '' "$(on login squeue -h -u alice)"
}

@test "sbatch --io-cores reserves the cores" {
	held --io-cores=1
	expect_equal 1 "$(core_spec "$job")"
}

@test "a #SBATCH line does the same" {
	submit $'#SBATCH --io-cores=1\ntrue' -H
	expect_equal 1 "$(core_spec "$job")"
}

@test "SBATCH_IO_CORES does the same" {
	job=$(as alice env SBATCH_IO_CORES=1 sbatch --parsable -H --wrap true)
	expect_equal 1 "$(core_spec "$job")"
}

@test "a profile sets io_cores of its section" {
	held --io-profile=stream
	expect_equal 1 "$(core_spec "$job")"
}

@test "the command line overrides the environment, the environment overrides a #SBATCH line" {
	job=$(as alice env SBATCH_IO_CORES=99 sbatch --parsable -H --io-cores=1 --wrap true)
	expect_equal 1 "$(core_spec "$job")"
	as alice sh -c 'printf "#!/bin/sh\n#SBATCH --io-cores=99\n" >lines.sh'
	job=$(as alice env SBATCH_IO_CORES=1 sbatch --parsable -H lines.sh)
	expect_equal 1 "$(core_spec "$job")"
}

@test "the last of several options on a command line is used" {
	held --io-cores=99 --io-cores=1
	expect_equal 1 "$(core_spec "$job")"
}

@test "an equal --core-spec is accepted" {
	held --io-cores=1 --core-spec=1
	expect_equal 1 "$(core_spec "$job")"
}

@test "a job without a request reserves nothing" {
	held
	expect_equal '*' "$(core_spec "$job")"
}

@test "salloc and srun accept the option, too" {
	run as alice salloc --io-cores=1 sh -c 'scontrol show job $SLURM_JOB_ID'
	expect_text 'CoreSpec=1' "$output"
	run as alice env SALLOC_IO_CORES=1 salloc sh -c 'scontrol show job $SLURM_JOB_ID'
	expect_text 'CoreSpec=1' "$output"
	run as alice srun --io-cores=1 sh -c 'scontrol show job $SLURM_JOB_ID'
	expect_text 'CoreSpec=1' "$output"
	run as alice env SLURM_IO_CORES=1 srun sh -c 'scontrol show job $SLURM_JOB_ID'
	expect_text 'CoreSpec=1' "$output"
}

@test "every task of an array has the reservation" {
	held --io-cores=1 --array=1-2
	expect_equal 1 "$(core_spec "$job" | sort -u)"
	on login scontrol release "$job"
	wait_for_job "$job"
	expect_equal '1 1' "$(core_spec "$job" | paste -sd' ')"
}

@test "each component of a heterogeneous job has its own request" {
	job=$(as alice sbatch --parsable -H -n1 --io-cores=1 : -n1 --wrap true)
	expect_equal '1 *' "$(on login scontrol show job -o "$job" | grep -o 'CoreSpec=[^ ]*' |
		sed 's/CoreSpec=//' | paste -sd' ')"
	on login scancel "$job"
	job=$(as alice sbatch --parsable -H -n1 : -n1 --io-cores=1 --wrap true)
	expect_equal '* 1' "$(on login scontrol show job -o "$job" | grep -o 'CoreSpec=[^ ]*' |
		sed 's/CoreSpec=//' | paste -sd' ')"
}

@test "a requeued job keeps the reservation" {
	submit 'sleep 60' --io-cores=1
	within 20 running "$job"
	on login scontrol requeue "$job"
	within 20 pending "$job"
	expect_equal 1 "$(core_spec "$job")"
}

running() { [[ $(job_state "$1") == RUNNING ]]; }
pending() { [[ $(job_state "$1") == PENDING ]]; }

@test "srun inside the job does not change the reservation" {
	submit $'srun true && echo inherited\nsrun --io-cores=3 true && echo told' \
		--io-cores=1
	wait_for_job "$job"
	run job_output "$job"
	expect_text 'inherited' "$output"
	expect_text 'told' "$output"
	expect_text "srun: jobio: option: --io-cores: '3': ignored for a step of job $job" "$output"
	expect_equal 3 "$(wc -l <<<"$output")"
}

@test "--export=NONE has no effect on --io-cores" {
	submit $'srun /bin/true && echo well' --io-cores=1 --export=NONE
	wait_for_job "$job"
	expect_equal well "$(job_output "$job")"
	expect_equal 1 "$(core_spec "$job")"
}

@test "a job submitted from inside a job does not inherit the request" {
	submit $'sbatch --parsable -H -o /dev/null --wrap true' --io-cores=1
	wait_for_job "$job"
	local inner
	inner=$(job_output "$job")
	expect_equal '*' "$(core_spec "$inner")"
}

@test "a number that the site does not allow is refused" {
	refused "sbatch: error: jobio: option: --io-cores: '99': this site allows a number from 1 to 4" \
		--io-cores=99
	refused "--io-cores: 'many': this site allows" --io-cores=many
	refused "SBATCH_IO_CORES: '0': this site allows" SBATCH_IO_CORES=0
}

@test "an unknown profile is refused with the nearest name" {
	refused "--io-profile: 'strem': this site has no such profile; did you mean 'stream'?" \
		--io-profile=strem
	refused "--io-profile: 'nosuch': this site has no such profile" --io-profile=nosuch
}

@test "another --core-spec or a --thread-spec is refused" {
	refused "--io-cores: '1': sets --core-spec=1, but --core-spec=2 was given too" \
		--io-cores=1 --core-spec=2
	refused "--io-cores: '1': cannot go together with --thread-spec" \
		--io-cores=1 --thread-spec=1
}

@test "with a required plugin a refusal is the same single line" {
	on login sed -i 's/^optional/required/' /etc/slurm/plugstack.conf.d/jobio.conf
	refused "sbatch: error: jobio: option: --io-cores: '99'" --io-cores=99
}

@test "srun and salloc refuse the same values as sbatch" {
	run as alice srun --io-cores=99 true
	expect_equal 1 "$status"
	expect_text "srun: error: jobio: option: --io-cores: '99'" "$output"
	run as alice salloc --io-cores=99 true
	expect_equal 1 "$status"
	expect_text "salloc: error: jobio: option: --io-cores: '99'" "$output"
}

# other_conf SED-SCRIPT - make a slurm.conf that only the submitting command reads
other_conf() {
	on login sh -c "mkdir -p /tmp/other && cp /etc/slurm/*.conf /tmp/other/ &&
		sed '$1' /etc/slurm/slurm.conf >/tmp/other/slurm.conf"
	on login rm -f /tmp/other/slurmdbd.conf
}

@test "without AllowSpecResourcesUsage=yes the refusal names it" {
	other_conf 's/^AllowSpecResourcesUsage=.*/AllowSpecResourcesUsage=no/'
	refused "--io-cores: '1': this cluster does not let jobs reserve cores (slurm.conf lacks AllowSpecResourcesUsage=yes)" \
		SLURM_CONF=/tmp/other/slurm.conf --io-cores=1
	other_conf 's/^SelectType=.*/SelectType=select\/linear/; /^SelectTypeParameters/d'
	refused "(SelectType=select/linear; select/cons_tres can)" \
		SLURM_CONF=/tmp/other/slurm.conf --io-cores=1
}

@test "without jobio.conf only jobs with a request are refused" {
	on login rm /etc/slurm/jobio.conf
	refused "--io-cores: jobio has no valid configuration on this machine: '/etc/slurm/jobio.conf': cannot read: No such file" \
		--io-cores=1
	held
}

@test "with a broken jobio.conf jobs with a request are refused with file and line" {
	on login sh -c 'printf "[option]\nio_cores_max = many\n" >/etc/slurm/jobio.conf'
	refused "/etc/slurm/jobio.conf:2: [option] io_cores_max: 'many'" --io-cores=1
	held
	run as alice srun -n1 hostname
	expect_equal 0 "$status"
}

@test "sbatch, srun and salloc answer help and list, without a script or a command" {
	local command
	for command in sbatch srun salloc; do
		run as alice "$command" --io-cores=help
		expect_equal 0 "$status"
		expect_text 'allowed here  1 to 4' "$output"
		run as alice "$command" --io-profile list
		expect_equal 0 "$status"
		expect_text 'stream           1        large sequential files' "$output"
	done
	expect_equal '' "$(on login squeue -h -u alice)"
}

@test "another option's argument --io-cores=help is not answered" {
	job=$(as alice sbatch --parsable -H -J --io-cores=help --wrap true)
	expect_equal '--io-cores=help' "$(on login squeue -h -j "$job" -o %j)"
}

@test "--help shows both options and no line is truncated at 80 columns" {
	local command text
	for command in sbatch srun salloc; do
		text=$(as alice "$command" --help | grep -A3 'provided by plugins')
		expect_text '--io-cores=N|help ' "$text"
		expect_text '--io-profile=NAME|list ' "$text"
		expect_text 'cores per node for the filesystem client' "$text"
		expect_equal '' "$(grep -E '.{80}|\+$' <<<"$text" || :)"
	done
}

# ---- a plugin of another Slurm -------------------------------------------------------

# of_last_year PLUGIN - change it as if it had been built for the Slurm of a year before; fails if
# its file does not contain the version
of_last_year() {
	on login python3 -c '
import glob, re, sys
headers = "".join(open(name).read() for name in glob.glob("/usr/include/slurm/*.h"))
number = int(re.search(r"define SLURM_VERSION_NUMBER\s+(\w+)", headers).group(1), 16)
text = open(sys.argv[1], "rb").read()
other = text.replace(number.to_bytes(4, "little"), (number - 0x10000).to_bytes(4, "little"))
open(sys.argv[1], "wb").write(other)
sys.exit(other == text)' "$1"
}

@test "a jobio.so that was built for another Slurm: sbatch names it and submits; jobio check names both versions" {
	local plugin here said
	plugin=$(plugin login)
	here=$(on login srun --version | sed -E 's/^slurm(-wlm)? ([0-9]+\.[0-9]+).*/\2/')
	on login cp -p "$plugin" /tmp/kept.so
	of_last_year "$plugin"
	run mismatched login "$((${here%.*} - 1)).${here#*.}" "$here"
	said=$(as alice sbatch -H --wrap true 2>&1)
	on login cp -p /tmp/kept.so "$plugin"
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
	expect_text 'ncompatible Slurm plugin' "$said"
	expect_text 'Submitted batch job ' "$said"
}
