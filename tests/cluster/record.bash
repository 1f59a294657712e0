# SPDX-License-Identifier: GPL-2.0-or-later
# record.bash - record the output of Slurm's commands for a set of jobs, for tests/samples/slurm
#
# Uses functions of lib.bash.
# shellcheck shell=bash disable=SC2154 # submit sets $job

# submit_all FILE - submit jobs of every kind that a list shows; FILE gets "NAME JOBID"
submit_all() {
	local name spin='timeout 12 sh -c "while :; do :; done"; true'
	local -A script=(
		[cpu]=$spin
		[idle]='sleep 4'
		[memory]='srun python3 -c "import time; x = bytearray(100 << 20); time.sleep(4)"'
		[failed]='sleep 2; exit 3'
		[cancelled]='sleep 100'
		[requeued]="[[ \${SLURM_RESTART_COUNT:-0} != 0 ]] || { scontrol requeue \$SLURM_JOB_ID; sleep 30; }; $spin"
		[array]=$spin
		[pending]=true
		[het]='srun --het-group=0 sleep 3 & srun --het-group=1 timeout 3 sh -c "while :; do :; done"; wait'
	)
	: >"$1"
	for name in requeued cpu idle memory failed cancelled array pending het; do
		local options=(-J "$name" -n1 --mem=200 --acctg-freq=task=1)
		case $name in
			array) options+=(-a 1-2) ;;
			pending) options+=(-H) ;;
			requeued) options+=(--requeue) ;;
			het) options+=(: -J "$name" -n1 --mem=200) ;;
		esac
		submit "${script[$name]}" "${options[@]}"
		echo "$name $job" >>"$1"
	done
	run as alice sbatch -J impossible -n1 -c 400 --wrap true
	as alice salloc -Q -J extern -n1 --mem=200 --acctg-freq=task=1 sleep 3
	sacct_rows -XnP -S now-10minutes --name=impossible,extern -o JobName,JobID | tr '|' ' ' | sort >>"$1"
}

sacct_rows() { on login env SLURM_TIME_FORMAT=%s sacct -a "$@"; }

# end_all FILE - wait until slurmdbd has their ends
end_all() {
	within 60 job_is "$(id_of cancelled "$1")" RUNNING
	on login scancel "$(id_of pending "$1")" "$(id_of cancelled "$1")"
	# in 22.05 it stays pending for a node that is never there
	on login scancel --state=PENDING --name=impossible
	start_again "$(id_of requeued "$1")"
	within 120 queue_is_empty
	within 30 all_accounted "$1"
}
id_of() { awk -v name="$1" '$1 == name { print $2 }' "$2"; }
all_accounted() {
	! sacct_rows -nP -j "$(cut -d' ' -f2 "$1" | paste -sd,)" -o State | grep -E 'PENDING|RUNNING|COMPLETING|REQUEUED'
}

# rows FILE [-X] - all of them as sacct prints them, a line each for fake-sacct
rows() {
	local fields
	fields=$(PYTHONPATH=$BATS_TEST_DIRNAME/../.. python3 -c 'from report import sacct
print(",".join(f for f in sacct.FIELDS if f not in ("SystemComment", "AdminComment")))')
	sacct_rows "-nP${2:+X}" -j "$(cut -d' ' -f2 "$1" | paste -sd,)" -o "$fields" |
		awk -F'|' -v fields="$fields" 'BEGIN { split(fields, name, ",") }
		{ line = "JobID=" $NF; for (i = 1; i < NF; i++) if ($i != "") line = line "\t" name[i] "=" $i; print line }'
}

# shape - filter such lines: which fields have a value, without values that differ by run
shape() {
	awk -F'\t' 'BEGIN { OFS = "\t" } {
		for (i = 1; i <= NF; i++) {
			if ($i ~ /^JobName=/ && $1 !~ /[.]/) name = substr($i, 9)
			if ($i ~ /^(Start|End|Submit)=[0-9]+$/) sub(/=.*/, "=TIME", $i)
			if ($i ~ /^(JobIDRaw|JobID)=/) gsub(/[0-9]+([._+]|$)/, "N&", $i)
			if ($i ~ /^ElapsedRaw=[1-9]/) $i = "ElapsedRaw=N"
			if ($i ~ /^TotalCPU=/ && ($i != "TotalCPU=00:00:00" || name == "extern" || $1 ~ /[.]extern$/)) $i = "TotalCPU=CPU"
			if ($i ~ /^NodeList=c[0-9]$/) $i = "NodeList=NODE"
			# 22.05 has a reason or None, depending on what slurmdbd was sent first
			if ($i ~ /^Reason=/) $i = "Reason=ANY"
			if ($i ~ /^(MaxRSS|TRESUsageInTot)=/ && $1 ~ /[.]/) $i = ""
		}
		gsub(/N[0-9]+/, "N"); gsub(/\t+/, "\t")
		print name, $0 }' | sort
}

# asked COMMAND... - run it as alice: its output and exit status
asked() {
	printf '$ %s\n' "$*"
	run as alice "$@"
	[[ -z $output ]] || sed -E 's/\b[0-9]{1,9}(;|$|\|| queued)/N\1/; s/job [0-9]+/job N/; s/JobId=[0-9]+/JobId=N/' <<<"$output"
	printf 'exit status %s\n' "$status"
}

# commands FILE - output of the commands that fake-slurm and fake-srun replace
commands() {
	local held
	asked sbatch --parsable -n1 -H -J held --wrap true
	asked squeue -h --name=held -o '%i|%T|%r|%N'
	asked sbatch --parsable -n1 -J held -d singleton --wrap true
	asked squeue -h --name=held -o '%i|%T|%r|%N' -S i
	held=$(on login squeue -h --name=held -o %i -S i | head -n 1)
	asked srun --jobid="$held" --overlap --quiet true | sed '1s/jobid=[0-9]*/jobid=N/'
	asked scancel --name=held
	asked squeue -h --name=held -o '%i|%T|%r|%N'
	asked sbatch --test-only -n1 -c 400 --wrap true
	asked sbatch --parsable -n1 -c 400 -J impossible --wrap true
	on login scancel --state=PENDING --name=impossible
	asked sbatch --parsable -n1 -p nosuch --wrap true
	asked squeue -h --name=nosuch -o '%i|%T|%r|%N'
	asked scancel --name=nosuch
	asked squeue -h -t all -o %r -j 999999
	asked squeue -h -t all -o %r -j "$(id_of impossible "$1")" | sed '1s/[0-9]*$/N/'
	asked srun --jobid="$(id_of cpu "$1")" --overlap --quiet true | sed '1s/jobid=[0-9]*/jobid=N/'
	asked srun --jobid=999999 --overlap --quiet true
	asked sacct -nXP -j 999999 -o JobID
	asked sacctmgr -nP show user name=alice format=adminlevel
}

# efficiency FILE - NAME JOBID CPU% MEM% as seff prints them
efficiency() {
	local name id
	while read -r name id; do
		for id in $(sacct_rows -nXP -j "$id" -o JobID); do
			printf '%s %s %s\n' "$name" "$id" "$(on login seff "$id" 2>/dev/null |
				sed -nE 's/^(CPU|Memory) Efficiency: ([0-9.]+)%.*/\2/p' | paste -sd' ')"
		done
	done <"$1"
}
