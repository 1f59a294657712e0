# SPDX-License-Identifier: GPL-2.0-or-later
# words.bash - functions for the tests that run on one host with all roles
# shellcheck shell=bash disable=SC2016 # backticks of the table

readme=/jobio/src/README.md install=/jobio/src/docs/install.md tree=/jobio/obj

# row WORD - the commands of a row of the table, one a line
row() {
	awk -F' *[|] *' -v role="$1" '/^<!-- begin roles/ { on = 1 } /^<!-- end roles/ { on = 0 }
		on && $2 == role { print $3 }' "$install" | grep -o '`[^`]*`' | tr -d '`'
}

# follow WORD [PROGRAM] - run them as root in the build tree, except those of this program;
# processes that they start do not keep the tests' output open
follow() {
	local command
	row "$1" >"/tmp/row"
	[ -s "/tmp/row" ]
	while read -r command; do
		[[ -z ${2:-} || $command != "$2 "* ]] || continue
		(cd "$tree" && bash -ec "$command") </dev/null >"/tmp/said" 2>&1 3>&- ||
			{ printf '%s\n' "$command:"; cat "/tmp/said"; return 1; }
	done <"/tmp/row"
}

within() {
	local limit=$((SECONDS + $1))
	shift
	until "$@" >/tmp/last 2>&1; do
		((SECONDS < limit)) || { printf 'gave up: %s\n' "$*"; cat /tmp/last; return 1; }
		sleep 0.2
	done
}

# green ROLE - jobio check has no findings for a host of this role, except those about
# the machine's kernel, which containers share (K..)
green() {
	local said status=0
	said=$(jobio check --quiet --role="$1" 2>&1) || status=$?
	said=$(grep -E '^[A-Z]+[0-9]+ |^jobio' <<<"$said" | grep -v '^K') || :
	[[ $status -le 1 && -z $said ]] || { printf '%s: %s\n' "$status" "$said"; return 1; }
}

is_idle() { [[ $(sinfo -h -o %T) == idle ]]; }

# conf_of PAGE... - the lines of jobio.conf in these pages
conf_of() { awk '/^```ini/ { on = 1; next } /^```/ { on = 0 } on' "$@"; }

# next_conf - write README's jobio.conf after the next step of docs/install.md, for a host of two
# cores without counting in the kernel, and with the stand-in's files in place of /proc's
next_conf() {
	conf_of "$readme" "$install" |
		sed -E 's/^gate = off/gate = warn/; s/accounting.example.org/n1/; s/^(io_cores(_max)?) = .*/\1 = 1/
			s,^type = weka,&\nmount_table = /run/weka-sim/mounts\nproc_dir = /run/weka-sim/proc,
			$a [count]\nkernel = no' >/etc/slurm/jobio.conf
}
