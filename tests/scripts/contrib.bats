#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# what contrib/ holds: bash completion, and the check for NHC

setup() {
	root=$(mktemp -d "$BATS_TMPDIR/contrib.XXXXXX")
	mkdir "$root/bin"
	PATH=$root/bin:$PATH
}

teardown() { rm -rf "$root"; }

# completions WORD... - what the last word may become, one a line
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

@test "completion knows jobio's commands and the options of each" {
	ln -s "$BUILDDIR/jobio" "$root/bin/jobio"
	[[ $(completions jobio p) == plan ]]
	[[ $(completions jobio d) == doctor ]]
	[[ $(completions jobio cores --top) == --topology= ]]
	[[ $(completions jobio report --js) == --json ]]
	[[ $(completions jobio doctor --format = j) == json ]]
	printf '[client home]\n[client scratch]\n[profile home2]\n' >"$root/jobio.conf"
	[[ $(completions jobio plan --client = h) == home ]]
	[[ $(completions jobio plan --client =) == $'home\nscratch' ]]
	local command option
	for command in cores plan doctor report; do
		for option in $("$BUILDDIR/jobio" "$command" --help | grep -oE '^ +(-j, )?--[a-z-]+' | grep -oE -e '--[a-z-]+'); do
			[[ $(completions jobio "$command" "$option") == "$option"* ]] ||
				{ echo "$command $option: $(completions jobio "$command" "$option")"; return 1; }
		done
	done
}

@test "completion adds our options to what completes sbatch already" {
	printf '[profile stream]\n[profile small-files]\n[option]\n' >"$root/jobio.conf"
	[[ $(completions sbatch --) == $'--core-spec=\n--io-cores=\n--io-profile=' ]]
	[[ $(completions sbatch --io-profile = s) == $'stream\nsmall-files' ]]
	[[ $(completions sbatch --io-profile = l) == list ]]
	[[ $(completions sbatch --io-cores =) == help ]]
	[[ $(completions srun --io-p) == --io-profile= ]]
	[[ $(completions salloc --io-c) == --io-cores= ]]
}

# check STATUS OUTPUT [OPTION...] - check_jobio with a doctor that says so
check() {
	printf '#!/bin/bash\ncat <<"END"\n%s\nEND\nexit %d\n' "$2" "$1" >"$root/bin/jobio"
	chmod +x "$root/bin/jobio"
	shift 2
	run bash -c 'die() { echo "ERROR $1 $2"; }
		source "$1/contrib/jobio.nhc"; shift; check_jobio "$@"' _ "$SRCDIR" "$@"
}

@test "the NHC check fails a node for what doctor calls an error of node or client" {
	check 0 '0 finding(s)'
	[[ $status -eq 0 && -z $output ]]
	check 1 $'S02 error: slurm.conf\nW13 warning: memory\n    cure: W08 error: no\n2 finding(s)'
	[[ $status -eq 0 && -z $output ]]
	check 1 $'K01 warning: kernel\nW08 error: the client is stuck\n    cure: x'
	[[ $status -eq 1 && $output == 'ERROR 1 check_jobio:  W08 error: the client is stuck' ]]
	check 1 'NF01 error: nothing is mounted'
	[[ $status -eq 1 && $output == 'ERROR 1 check_jobio:  NF01 error: nothing is mounted' ]]
	check 1 'W08 error: the client is stuck' -c 'S[0-9]+'
	[[ $status -eq 0 ]]
	check 1 'S02 error: no' -c 'S[0-9]+'
	[[ $status -eq 1 && $output == 'ERROR 1 check_jobio:  S02 error: no' ]]
}

@test "the NHC check says when doctor fails, hangs, or records wait" {
	check 2 'jobio: doctor: no'
	[[ $status -eq 1 && $output == 'ERROR 1 check_jobio:  jobio doctor: exit status 2: jobio: doctor: no' ]]
	check 0 '' -x
	[[ $status -eq 1 && $output == 'ERROR 1 check_jobio:  bad option -x' ]]
	touch "$root/1.json" "$root/2.json"
	check 0 '0 finding(s)' -d "$root" -s 2
	[[ $status -eq 0 ]]
	check 0 '0 finding(s)' -d "$root" -s 1
	[[ $status -eq 1 && $output == "ERROR 1 check_jobio:  2 records wait in $root for the ledger" ]]
	printf '#!/bin/bash\nexec sleep 60\n' >"$root/bin/jobio"
	run bash -c 'die() { echo "ERROR $1 $2"; }
		source "$1/contrib/jobio.nhc"; check_jobio -t 1' _ "$SRCDIR"
	[[ $status -eq 1 && $output == 'ERROR 1 check_jobio:  jobio doctor: exit status 124: ' ]]
}
