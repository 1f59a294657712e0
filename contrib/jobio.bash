# SPDX-License-Identifier: GPL-2.0-or-later
# jobio.bash - completion for jobio, and for --io-cores and --io-profile of
# sbatch, salloc and srun in addition to Slurm's completion
#
# Install: copy it to /etc/bash_completion.d/jobio.bash, after Slurm's own.
# shellcheck shell=bash

_jobio_conf=/etc/slurm/jobio.conf

# The long options in the output of "jobio COMMAND --help".
_jobio_options() {
	jobio "$1" --help 2>/dev/null | grep -oE '^ +(-[a-zA-Z], )?--[a-z][a-z-]+(=[A-Za-z]?)?' |
		grep -oE -e '--.*' | sed 's/=.*/=/'
}

_jobio() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local command=${COMP_WORDS[1]}
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		mapfile -t COMPREPLY < <(compgen -W "$(jobio --help 2>/dev/null |
			sed -nE 's/^  ([a-z]+) .*/\1/p') help -h -V --help --version" -- "$word")
		return
	fi
	# readline splits --topology=/etc into three words
	[[ $word != = ]] || word=
	[[ $before != = ]] || before=${COMP_WORDS[COMP_CWORD - 2]}=
	case ${before%=}= in
		--dir= | --output=)
			compopt -o filenames 2>/dev/null
			mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
		--profiles=) mapfile -t COMPREPLY < <(compgen -W "none $(_jobio_sections profile)" -- "$word") ;;
		--topology= | --conf= | --fio= | --html= | --slurm-conf= | --slurmd= | --root=)
			compopt -o filenames 2>/dev/null
			mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
		--state=) mapfile -t COMPREPLY < <(compgen -W 'COMPLETED FAILED TIMEOUT CANCELLED OUT_OF_MEMORY NODE_FAIL RUNNING PENDING' -- "$word") ;;
		--sort=) mapfile -t COMPREPLY < <(compgen -W 'end start name user state elapsed nodes profile read written' -- "$word") ;;
		--user=) mapfile -t COMPREPLY < <(compgen -u -- "$word") ;;
		--client=) mapfile -t COMPREPLY < <(compgen -W "$(_jobio_sections client)" -- "$word") ;;
		--advice=) mapfile -t COMPREPLY < <(compgen -W 'all none' -- "$word") ;;
		--role=) mapfile -t COMPREPLY < <(compgen -W 'login node ctld ledger' -- "$word") ;;
		--format=)
			local columns='text json'
			[[ $command != report ]] || columns='jobid jobname user account partition state start end elapsed nodes cpu% mem% gpu% io% profile read written metadata filesystems findings summary advice'
			mapfile -t COMPREPLY < <(compgen -W "$columns" -- "$word") ;;
		--allow-spec-resources-usage=) mapfile -t COMPREPLY < <(compgen -W 'yes no' -- "$word") ;;
		*)
			mapfile -t COMPREPLY < <(compgen -W "$(_jobio_options "$command")" -- "$word")
			[[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace 2>/dev/null ;;
	esac
}

# The names of the sections of one kind: profile, client.
_jobio_sections() {
	[[ ! -r $_jobio_conf ]] || sed -nE "s/^\\[$1[ \\t]+([a-z0-9_-]+)\\].*/\\1/p" "$_jobio_conf"
}

# The words of Slurm's completion, and the plugin's two options.
_jobio_slurm() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} more=()
	[[ $word != = ]] || word=
	[[ $before != = ]] || before=${COMP_WORDS[COMP_CWORD - 2]}
	COMPREPLY=()
	case $before in
		--io-cores) mapfile -t COMPREPLY < <(compgen -W help -- "$word"); return ;;
		--io-profile)
			mapfile -t COMPREPLY < <(compgen -W "$(_jobio_sections profile) list" -- "$word"); return ;;
	esac
	[[ -z ${_jobio_first[$1]:-} ]] || "${_jobio_first[$1]}" "$@"
	mapfile -t more < <(compgen -W '--io-cores= --io-profile=' -- "$word")
	[[ -z $word || ${#more[@]} -eq 0 ]] || COMPREPLY+=("${more[@]}")
	[[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace 2>/dev/null
}

# Save the function that completes the command now, and call it first.
_jobio_join() {
	local command=$1 now
	now=$(complete -p "$command" 2>/dev/null) || now=
	[[ $now != *_jobio_slurm* ]] || return 0
	[[ ! $now =~ ' -F '([^ ]+) ]] || _jobio_first[$command]=${BASH_REMATCH[1]}
	complete -o default -F _jobio_slurm "$command"
}

declare -gA _jobio_first
_jobio_join sbatch
_jobio_join salloc
_jobio_join srun
complete -o default -F _jobio jobio
