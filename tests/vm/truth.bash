# SPDX-License-Identifier: GPL-2.0-or-later
# truth.bash - output of count-truth on machines: $work has NAME.out of each, $all the names
# shellcheck shell=bash disable=SC2154

# cases_split - split the output of a kernel into cases, one file each, named by its label
cases_split() {
	mkdir -p "$work/$1"
	awk -v dir="$work/$1/" '
		/^@ / { file = dir substr($0, 3); gsub(" ", "_", file); next }
		file != "" { print >file }' "$work/$1.out"
}

# case_file KERNEL LABEL - path of the case
case_file() { printf '%s/%s/%s' "$work" "$1" "${2// /_}"; }

# is_booted KERNEL - this run has booted it
is_booted() { [[ " ${all[*]} " == *" $1 "* ]]; }

# of KERNEL LABEL FILTER - jq on the counters
of() { jq -r -s ".[1] | $3" "$(case_file "$1" "$2")"; }

# expect KERNEL LABEL FILTER VALUE - fail unless jq prints VALUE
expect() {
	local got
	is_booted "$1" || return 0
	got=$(of "$1" "$2" "$3") || { head -n 20 "$(case_file "$1" "$2")"; return 1; }
	[[ $got == "$4" ]] || {
		printf '%s, %s: %s: %s instead of %s\n' "$1" "$2" "$3" "$got" "$4"
		return 1
	}
}

# differences KERNEL LABEL [KEYS TO LEAVE OUT] - between truth and counters, for each
# mount; mounts that jobio-count was not started with have no counters
differences() {
	jq -r -s --arg out "${3:-nothing}" '
		(reduce (.[1].app // [])[] as $a
			({}; if .[$a.fs // "exit"] then error("twice: \($a.fs)")
			     else .[$a.fs // "exit"] = $a + ($a.meta // {}) end)) as $got
		| .[0] | to_entries[] | .key as $fs
		| select($fs != "exit" and (($fs == "/mnt/b" and $got[$fs] == null) | not))
		| .value | to_entries[]
		| select((.key | test($out) | not) and $got[$fs][.key] != .value)
		| "\($fs): \(.key): did \(.value), counted \($got[$fs][.key])"' \
		"$(case_file "$1" "$2")"
}

# exact KERNEL LABEL... - every counter equals truth
exact() {
	local kernel=$1 label found bad=0 out=nothing
	is_booted "$kernel" || return 0
	shift
	[[ $kernel != 5.10 ]] || out='^mmap_'
	for label in "$@"; do
		found=$(differences "$kernel" "$label" "$out") || bad=1
		[[ -z $found ]] || { printf '%s, %s: %s\n' "$kernel" "$label" "$found"; bad=1; }
	done
	return "$bad"
}
