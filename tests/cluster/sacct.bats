#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# sacct.bats - lists, reports, seff and sacct have the same figures of a job; and Slurm's
# commands print what tests/samples/slurm has recorded
# shellcheck disable=SC2154,SC2030,SC2031 # of bats

load lib
load record

# Memory is allocated by Slurm, as on most sites: seff compares with the allocation.
setup_file() {
	expect_healthy
	select_parameters CR_Core_Memory
	export JOBS=$BATS_FILE_TMPDIR/jobs
	[[ -z ${JOBIO_BENCH_SEFF:-} ]] ||
		docker cp "$JOBIO_BENCH_SEFF" "$JOBIO_CLUSTER-login:/usr/local/bin/seff" >/dev/null
	submit_all "$JOBS"
	end_all "$JOBS"
}
teardown_file() { select_parameters CR_Core; }

select_parameters() {
	on ctld sed -i "s/^SelectTypeParameters=.*/SelectTypeParameters=$1/" /etc/slurm/slurm.conf
	on ctld svc stop slurmctld
	on ctld svc start slurmctld
	within 30 on login scontrol ping
	expect_healthy
}

# sample NAME - the recorded file of this Slurm
sample() {
	[[ $(on login sacct --version) =~ ([0-9]+\.[0-9]+) ]]
	printf '%s/../samples/slurm/%s-%s.txt\n' "$BATS_TEST_DIRNAME" "${BASH_REMATCH[1]}" "$1"
}

# keep NAME - save standard input; JOBIO_UPDATE=1 writes the sample
keep() {
	cat >"$BATS_TEST_TMPDIR/$1"
	[[ ${JOBIO_UPDATE:-} != 1 ]] || cp "$BATS_TEST_TMPDIR/$1" "$(sample "$1")"
}

@test "sacct prints each kind of job as in the samples, with and without steps" {
	rows "$JOBS" | keep jobs
	rows "$JOBS" -X | keep jobs-X
	for file in jobs jobs-X; do
		diff <(shape <"$(sample "$file")") <(shape <"$BATS_TEST_TMPDIR/$file")
	done
}

@test "sbatch, squeue, scancel, srun and sacctmgr print as in the samples" {
	commands "$JOBS" | keep commands
	diff "$(sample commands)" "$BATS_TEST_TMPDIR/commands"
}

# figures ID - CPU% and MEM% of the steps, added up as in seff; "-": no value
figures() {
	sacct_rows -nP -j "$1" --units=K -o JobID,State,ElapsedRaw,AllocCPUS,CPUTimeRAW,AllocTRES,TRESUsageInTot,TotalCPU | awk -F'|' '
		function kib(text) { return match(text, /(^|,)mem=[0-9.]+K/) ? substr(text, RSTART + (substr(text, RSTART, 1) == ",") + 4) + 0 : 0 }
		function seconds(text, n, part, i, s) { n = split(text, part, /[-:]/); for (i = 1; i <= n; i++) s = s * (i == 2 && text ~ /-/ ? 24 : 60) + part[i]; return s }
		$1 !~ /[.]/ { whole = $5; given = kib($6) }
		$1 ~ /[.]/ { steps++; cpu += seconds($8); if (kib($7) > used) used = kib($7) }
		END { print steps && whole ? 100 * cpu / whole : "-", given && used ? 100 * used / given : "-" }'
}

# near A B SLACK
near() {
	[[ $1 == "$2" ]] || awk -v a="$1" -v b="$2" -v slack="$3" 'BEGIN { exit !(a != "-" && b != "-" && (a - b) ^ 2 <= slack ^ 2) }' ||
		{ echo "$4: $1 and $2"; return 1; }
}

@test "list, page, report, seff and sacct -j have the same CPU and memory of every job" {
	local id cpu mem list screen count=0 elapsed
	! on login test -x /usr/local/bin/seff || efficiency "$JOBS" | keep seff
	as alice jobio report -u alice -S now-10minutes --all --format=jobid,cpu%,mem% >"$BATS_TEST_TMPDIR/list"
	as alice jobio report -u alice -S now-10minutes --all >"$BATS_TEST_TMPDIR/usual"
	as alice jobio report -u alice -S now-10minutes --all --html=list.html
	on login cat /home/alice/list.html >"$BATS_TEST_TMPDIR/page"
	for id in $(sacct_rows -nXP -j "$(cut -d' ' -f2 "$JOBS" | paste -sd,)" -o JobID); do
		read -r cpu mem < <(figures "$id")
		# sacct lists no job that was cancelled while held
		read -r _ list < <(sed -E 's/ %//g; s/< //g' "$BATS_TEST_TMPDIR/list" | awk -v id="$id" '$1 == id { print $1, $2, $3 }
			END { print id, "- -" }')
		elapsed=$(sacct_rows -nXP -j "$id" -o CPUTimeRAW)
		near "${list% *}" "$cpu" 0.6 "CPU of $id in the list, and sacct"
		near "${list#* }" "$mem" 0.6 "memory of $id in the list, and sacct"
		screen=$(as alice jobio report "$id" 2>&1) || [[ $screen == *'never started'* || $screen == *"from sacct"* ]]
		if [[ $cpu != - ]]; then
			[[ $screen =~ CPU\ (<\ )?([0-9.]+)\ % ]]
			near "${list% *}" "${BASH_REMATCH[2]}" 0 "CPU of $id in the list, and its screen"
			awk -v id="$id" '$1 == id' "$BATS_TEST_TMPDIR/usual" | grep -qE " ${list% *} % "
			grep -F ">$id<" "$BATS_TEST_TMPDIR/page" | grep -qE "<td>(&lt; )?${list% *} %</td>"
			count=$((count + 1))
		fi
		if [[ $mem != - ]]; then
			[[ $screen =~ memory\ .*\((<\ )?([0-9.]+)\ %\) ]]
			near "${list#* }" "${BASH_REMATCH[2]}" 0 "memory of $id in the list, and its screen"
		fi
		if on login test -x /usr/local/bin/seff && [[ $cpu != - ]]; then
			read -r cpu mem < <(on login seff "$id" 2>/dev/null | sed -nE 's/^(CPU|Memory) Efficiency: ([0-9.]+)%.*/\2/p' | paste -sd' ')
			# seff rounds to a second
			near "${list% *}" "$cpu" "$((100 / elapsed + 1))" "CPU of $id in the list, and seff"
			[[ ${list#* } == - ]] || near "${list#* }" "$mem" 0.6 "memory of $id in the list, and seff"
		fi
	done
	((count >= 11))
}
