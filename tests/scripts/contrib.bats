#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# contrib.bats - the files of contrib/: bash completion, the check for NHC, mail, a dashboard

setup() {
	root=$(mktemp -d "$BATS_TMPDIR/contrib.XXXXXX")
	mkdir "$root/bin"
	PATH=$root/bin:$PATH
}

teardown() { rm -rf "$root"; }

# completions WORD... - the completions of the last word, one a line
completions() {
	bash -c '
		_sbatch() { COMPREPLY=(--core-spec=); }
		complete -F _sbatch sbatch
		source "$1/contrib/jobio.bash"
		_jobio_conf=$2
		shift 2
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		[[ $(complete -p "$1") =~ " -F "([^ ]+) ]]
		"${BASH_REMATCH[1]}" "$1" "${!#}" "${COMP_WORDS[COMP_CWORD - 1]}"
		printf "%s\n" "${COMPREPLY[@]}"' _ "$SRCDIR" "$root/jobio.conf" "$@"
}

@test "jobio's commands and their options are completed" {
	ln -s "$BUILDDIR/jobio" "$root/bin/jobio"
	[[ $(completions jobio p) == plan ]]
	[[ $(completions jobio ch) == check ]]
	[[ $(completions jobio cores --top) == --topology= ]]
	[[ $(completions jobio report --js) == --json ]]
	[[ $(completions jobio report --liv) == --live ]]
	[[ $(completions jobio ad) == advise ]]
	[[ $(completions jobio advise --op) == --options ]]
	printf '[client home]\n[client scratch]\n[profile home2]\n' >"$root/jobio.conf"
	[[ $(completions jobio plan --client = h) == home ]]
	[[ $(completions jobio plan --client =) == $'home\nscratch' ]]
	[[ $(completions jobio check --format = j) == json ]]
	[[ $(completions jobio check --role = l) == $'login\nledger' ]]
	local command option
	for command in cores plan check report compare advise; do
		for option in $("$BUILDDIR/jobio" "$command" --help | grep -oE '^ +(-j, )?--[a-z-]+' | grep -oE -e '--[a-z-]+'); do
			[[ $(completions jobio "$command" "$option") == "$option"* ]] ||
				{ echo "$command $option: $(completions jobio "$command" "$option")"; return 1; }
		done
	done
}

@test "the plugin's options are added to Slurm's completion of sbatch" {
	printf '[profile stream]\n[profile small-files]\n[option]\n' >"$root/jobio.conf"
	[[ $(completions sbatch --) == $'--core-spec=\n--io-cores=\n--io-profile=' ]]
	[[ $(completions sbatch --io-profile = s) == $'stream\nsmall-files' ]]
	[[ $(completions sbatch --io-profile = l) == list ]]
	[[ $(completions sbatch --io-cores =) == help ]]
	[[ $(completions srun --io-p) == --io-profile= ]]
	[[ $(completions salloc --io-c) == --io-cores= ]]
}

# check STATUS OUTPUT [OPTION...] - run check_jobio; its jobio check prints OUTPUT, exits STATUS
check() {
	printf '#!/bin/bash\ncat <<"END"\n%s\nEND\nexit %d\n' "$2" "$1" >"$root/bin/jobio"
	chmod +x "$root/bin/jobio"
	shift 2
	run bash -c 'die() { echo "ERROR $1 $2"; }
		source "$1/contrib/jobio.nhc"; shift; check_jobio "$@"' _ "$SRCDIR" "$@"
}

@test "the NHC check fails a node for errors of node or client in jobio check" {
	check 0 'role node: no findings'
	[[ $status -eq 0 && -z $output ]]
	check 1 $'S02 error: slurm.conf\nW13 warning: memory\n    cure: W08 error: no\nrole node: 1 error, 1 warning'
	[[ $status -eq 0 && -z $output ]]
	check 3 $'K03 warning: kernel\nW08 error: the client is stuck\n    cure: x'
	[[ $status -eq 1 && $output == 'ERROR 1 check_jobio:  W08 error: the client is stuck' ]]
	check 1 'NF01 error: nothing is mounted'
	[[ $status -eq 1 && $output == 'ERROR 1 check_jobio:  NF01 error: nothing is mounted' ]]
	check 1 'LU01 error: no import'
	[[ $status -eq 1 && $output == 'ERROR 1 check_jobio:  LU01 error: no import' ]]
	check 1 'W08 error: the client is stuck' -c 'S[0-9]+'
	[[ $status -eq 0 ]]
	check 1 'S02 error: no' -c 'S[0-9]+'
	[[ $status -eq 1 && $output == 'ERROR 1 check_jobio:  S02 error: no' ]]
}

@test "the NHC check fails if jobio check fails or hangs, or if records wait" {
	check 2 'jobio: check: no'
	[[ $status -eq 1 && $output == 'ERROR 1 check_jobio:  jobio check: exit status 2: jobio: check: no' ]]
	check 0 '' -x
	[[ $status -eq 1 && $output == 'ERROR 1 check_jobio:  bad option -x' ]]
	touch "$root/1.json" "$root/2.json"
	check 0 'role node: no findings' -d "$root" -s 2
	[[ $status -eq 0 ]]
	check 0 'role node: no findings' -d "$root" -s 1
	[[ $status -eq 1 && $output == "ERROR 1 check_jobio:  2 records wait in $root for the ledger" ]]
	printf '#!/bin/bash\nexec sleep 60\n' >"$root/bin/jobio"
	run bash -c 'die() { echo "ERROR $1 $2"; }
		source "$1/contrib/jobio.nhc"; check_jobio -t 1' _ "$SRCDIR"
	[[ $status -eq 1 && $output == 'ERROR 1 check_jobio:  jobio check: exit status 124: ' ]]
}

# mail SUBJECT [STATUS...] - print the mail that is sent; jobio report exits with STATUS in turn
mail() {
	local subject=$1
	shift
	printf '%s\n' "$@" >"$root/statuses"
	printf '#!/bin/bash\nprintf "%%s|" "$@" >"%s/mail.new"; cat >>"%s/mail.new"; mv "%s/mail.new" "%s/mail"\n' \
		"$root" "$root" "$root" "$root" >"$root/bin/mail"
	cat >"$root/bin/jobio" <<-END
		#!/bin/bash
		read -r status <"$root/statuses"
		sed -i 1d "$root/statuses"
		echo "\$*" >>"$root/asked"
		echo "report of \$2"
		exit "\$status"
	END
	printf '#!/bin/bash\nexit 0\n' >"$root/bin/sleep"
	chmod +x "$root/bin/"*
	PATH=$root/bin:$PATH "$SRCDIR/contrib/jobio-mail" -s "$subject" alice@example.org
	for ((i = 0; i < 100; i++)); do
		[[ ! -e $root/mail ]] || break
		/bin/sleep 0.1
	done
	cat "$root/mail"
}

@test "the mail about a job's end contains its report, when the ledger has it" {
	run mail 'Slurm Job_id=7 Name=x y Ended, Run time 00:00:22, COMPLETED, ExitCode 0' 1 1 0
	[ "$output" = $'-s|Slurm Job_id=7 Name=x y Ended, Run time 00:00:22, COMPLETED, ExitCode 0|alice@example.org|report of 7' ]
	[ "$(wc -l <"$root/asked")" -eq 3 ]
}

@test "the mail about a job's end is sent also without a report" {
	JOBIO_MAIL_WAIT=0 run mail 'Slurm Job_id=7 Name=x Failed, Run time 00:00:22, FAILED' 1
	[ "$output" = $'-s|Slurm Job_id=7 Name=x Failed, Run time 00:00:22, FAILED|alice@example.org|jobio has no report of this job (yet): jobio report 7' ]
}

@test "JOBIO_MAIL_WAIT is read as a decimal number" {
	JOBIO_MAIL_WAIT=08 run mail 'Slurm Job_id=7 Name=x Ended, Run time 00:00:22' 1 0
	[[ $output == *'|report of 7' ]]
}

@test "mails about tasks of an array and whole arrays have their reports" {
	run mail 'Slurm Array Task Job_id=25_3 (28) Name=x Reached time limit, Run time 00:01:22' 0
	[[ $output == *'|report of 25_3' ]]
	rm "$root/mail"
	run mail 'Slurm Array Summary Job_id=25_* (25) Name=x Ended, COMPLETED, ExitCode [0-0]' 0
	[[ $output == *'|report of 25' ]]
}

@test "other mails are sent unchanged, without a call of jobio report" {
	run mail 'Slurm Job_id=7 Name=x Began, Queued time 00:00:01'
	[ "$output" = '-s|Slurm Job_id=7 Name=x Began, Queued time 00:00:01|alice@example.org|' ]
	rm "$root/mail"
	run mail 'Slurm Job_id=7;reboot Name=x Ende'
	[ "$output" = '-s|Slurm Job_id=7;reboot Name=x Ende|alice@example.org|' ]
	[ ! -e "$root/asked" ]
	run "$SRCDIR/contrib/jobio-mail" -s subject
	[ "$status" -eq 64 ]
	[ "$output" = 'usage: jobio-mail -s SUBJECT ADDRESS' ]
}
