#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# lint.bats - the walls between the rooms stand: what is forbidden is named, with its line
#
# Each test adds one forbidden thing to a copy of the tree. That the tree itself
# is in order is for make lint, not for these.
# shellcheck disable=SC2154,SC2016 # bats sets output and status; other bashes would expand

setup_file() {
	local check
	export kept
	kept=$(mktemp -d "${BATS_TMPDIR:-/tmp}/lint.XXXXXX")
	mkdir "$kept/tree"
	(cd "$SRCDIR" && find . -path ./build -prune -o -name '.?*' -prune -o -type f \
		\( -name '*.[ch]' -o -name '*.bats' -o -path './man/*' -o -name CONTRIBUTING.md \
		-o -name Makefile.am \) -print0 | tar --null -T - -cf -) | tar -C "$kept/tree" -xf -
	for check in includes circles guards findings tested; do
		"$SRCDIR/tests/tools/walls" $check "$kept/tree" >"$kept/$check" || [ $? -eq 1 ]
	done
}

teardown_file() { rm -rf "$kept"; }

setup() {
	tree=$kept/copy
	cp -r "$kept/tree" "$tree"
	cd "$tree" || return
}

teardown() { rm -rf "$kept/copy"; }

# add FILE LINE... - a new file of these lines, or lines at the end of a file
add() {
	local file=$1
	shift
	mkdir -p "$(dirname -- "$file")"
	printf '%s\n' "$@" >>"$file"
}

# expect CHECK LINE - says it, and did not say it of the tree as it was
expect() {
	run "$SRCDIR/tests/tools/walls" "$1" "$tree"
	[ "$status" -eq 1 ]
	[[ $'\n'$output$'\n' == *$'\n'"$2"$'\n'* ]] ||
		{ printf 'not said: %s\nbut:\n%s\n' "$2" "$output" >&2; return 1; }
	! grep -qxF -e "$2" "$kept/$1" || { printf 'always said: %s\n' "$2" >&2; return 1; }
}

# silent CHECK PART - does not speak of it
silent() {
	run "$SRCDIR/tests/tools/walls" "$1" "$tree"
	[ "$status" -lt 2 ]
	[[ $output != *"$2"* ]] || { printf 'said: %s\n' "$output" >&2; return 1; }
}

# row NAME - the line of the table that begins with it
row() { grep -nm1 "^| \`$1\`" CONTRIBUTING.md | cut -d: -f1; }

# guard_line HEADER - FILE:LINE of its guard
guard_line() { printf '%s:%s\n' "$1" "$(grep -nm1 '^#ifndef' "$1" | cut -d: -f1)"; }

@test "a room may not include another room" {
	add report/new.c '/* why */' '#include "ledger/store.h"'
	expect includes "report/new.c:2: may not include \"ledger/store.h\" (row CONTRIBUTING.md:$(row report/))"
}

@test "a folder inside a room keeps the rules of its room" {
	add client/new/new.c '#include "prolog/prepare.h"'
	expect includes "client/new/new.c:1: may not include \"prolog/prepare.h\" (row CONTRIBUTING.md:$(row client/))"
	add client/new/good.c '#include "lib/err.h"' '#include "client/new/new.h"'
	add client/new/new.h ''
	silent includes client/new/good.c
}

@test "the plugin may not include what is not in libbase" {
	add spank/new.c '#include "lib/err.h"' '#include "lib/node.h"'
	expect includes "spank/new.c:2: may not include \"lib/node.h\" (row CONTRIBUTING.md:$(row spank/))"
}

@test "libbase may not include what is not in libbase" {
	sed -i '1i #include "lib/record.h"' lib/number.c
	expect includes "lib/number.c:1: may not include \"lib/record.h\" (row CONTRIBUTING.md:$(row libbase))"
}

@test "lib may not include slurm" {
	add lib/new.c '#include <slurm/slurm.h>'
	expect includes "lib/new.c:1: may not include <slurm/slurm.h> (row CONTRIBUTING.md:$(row libnode))"
}

@test "on a node only jobio-slurm may include slurm" {
	add prolog/new.c '#include <slurm/slurm.h>'
	expect includes "prolog/new.c:1: may not include <slurm/slurm.h> (row CONTRIBUTING.md:$(row prolog/))"
	silent includes prolog/jobio-slurm.c
}

@test "a library that the room's row does not name may not be included" {
	local pair
	for pair in lib/number.c:json-c/json.h client/new.c:sqlite3.h report/new.c:event2/event.h \
		job/new.c:munge.h ledger/new.c:bpf/bpf.h count/new.c:hwloc.h lib/new.c:curl/curl.h; do
		add "${pair%:*}" "#include <${pair#*:}>"
		run "$SRCDIR/tests/tools/walls" includes "$tree"
		[[ $output =~ $'\n'?"${pair%:*}:"[0-9]+": may not include <${pair#*:}>" ]]
	done
}

@test "a file in a folder that the table does not have may not include anything" {
	add attic/new.c '#include "lib/err.h"'
	expect includes 'attic/new.c:1: may not include "lib/err.h" (no row of CONTRIBUTING.md names the file)'
}

@test "an include in a comment is none, one behind #if is one" {
	add report/new.c '/*' '#include "ledger/store.h"' '*/' '#if 0' '#  include "ledger/merge.h"' '#endif'
	silent includes report/new.c:2
	expect includes "report/new.c:5: may not include \"ledger/merge.h\" (row CONTRIBUTING.md:$(row report/))"
}

@test "a row of the table that holds no file is an error" {
	sed -i "s,^| \`report/\`,| \`reprot/\`," CONTRIBUTING.md
	expect includes "CONTRIBUTING.md:$(row reprot/): \`reprot/\` holds no source file"
}

@test "an include is a full path from the top" {
	add report/new.c '#include "print.h"' '#include "../lib/err.h"' '#include HEADER'
	expect includes 'report/new.c:1: "print.h" is no full path from the top of the tree'
	expect includes 'report/new.c:2: "../lib/err.h" is no full path from the top of the tree'
	expect includes "report/new.c:3: include of 'HEADER': a file has a name"
}

@test "two headers that include each other are a circle" {
	add lib/one.h '#include "lib/two.h"'
	add lib/two.h '' '#include "lib/one.h"'
	expect circles 'lib/one.h:1: lib/one includes "lib/two.h" (circle of modules: lib/one -> lib/two -> lib/one)'
	expect circles 'lib/two.h:2: lib/two includes "lib/one.h" (circle of modules: lib/one -> lib/two -> lib/one)'
}

@test "a header and the .c file of another that use each other are a circle" {
	add lib/one.h '#include "lib/three.h"'
	add lib/two.c '#include "lib/one.h"'
	add lib/three.c '#include "lib/two.h"'
	add lib/two.h ''
	add lib/three.h ''
	expect circles 'lib/three.c:1: lib/three includes "lib/two.h" (circle of modules: lib/one -> lib/three -> lib/two -> lib/one)'
}

@test "two files that call each other through one header are a circle" {
	add report/ill.h 'int ill_main(void);' 'int ill_part(void);' 'int ill_read(void);'
	add report/ill.c '#include "report/ill.h"' 'int ill_read(void)' '{' '	return 0;' '}' \
		'int ill_main(void)' '{' '	return ill_part();' '}'
	add report/ill_part.c '#include "report/ill.h"' 'int ill_part(void)' '{' \
		'	return ill_read();' '}'
	expect circles 'report/ill.c:8: report/ill uses ill_part of report/ill_part (circle of modules: report/ill -> report/ill_part -> report/ill)'
	expect circles 'report/ill_part.c:4: report/ill_part uses ill_read of report/ill (circle of modules: report/ill -> report/ill_part -> report/ill)'
}

@test "a file that includes the header which declares its functions is no circle" {
	add report/well.h 'struct well { int part; };' 'int well_main(void);' 'int well_part(struct well *);'
	add report/well.c '#include "report/well.h"' 'int well_main(void)' '{' \
		'	struct well well_part_of = { 0 };' '	return well_part(&well_part_of);' '}'
	add report/well_part.c '#include "report/well.h"' 'int well_part(struct well *well)' '{' \
		'	return well->part;' '}'
	silent circles report/well
}

@test "a table of functions is a use, too" {
	add lib/menu.h 'int menu_say(void);' 'extern const int menu_default;'
	add lib/menu.c '#include "lib/dish.h"' 'static int (*const menu[])(void) = { dish_main };' \
		'int menu_say(void)' '{' '	return menu[0]();' '}'
	add lib/dish.h 'int dish_main(void);'
	add lib/dish.c '#include "lib/dish.h"' 'int dish_main(void)' '{' '	return menu_say();' '}'
	expect circles 'lib/dish.c:4: lib/dish uses menu_say of lib/menu (circle of modules: lib/dish -> lib/menu -> lib/dish)'
}

@test "two rooms that use each other are a circle, whatever their files do" {
	add count/north.h ''
	add count/south.c '#include "spank/south.h"'
	add spank/south.h ''
	add spank/north.c '#include "count/north.h"'
	run "$SRCDIR/tests/tools/walls" circles "$tree"
	[[ $output == *'count/south.c:1: count/south includes "spank/south.h" (circle of folders: count -> spank -> count)'* ]]
	[[ $output == *'spank/north.c:1: spank/north includes "count/north.h" (circle of folders: count -> spank -> count)'* ]]
}

@test "an include guard of two headers is an error" {
	sed -i 's/JOBIO_REPORT_PRINT_H/JOBIO_ERR_H/' report/print.h
	expect guards "$(guard_line report/print.h): guard JOBIO_ERR_H is that of lib/err.h"
}

@test "an include guard not named after its file is an error" {
	sed -i 's/JOBIO_ERR_H/JOBIO_ERROR_H/' lib/err.h
	expect guards "$(guard_line lib/err.h): guard JOBIO_ERROR_H, not JOBIO_ERR_H"
}

@test "a header without an include guard is an error" {
	add client/new/new.h '/* nothing */' 'struct x;'
	expect guards 'client/new/new.h:1: no include guard; #ifndef JOBIO_CLIENT_NEW_NEW_H'
	add lib/new.h '#ifndef JOBIO_NEW_H' '#define JOBIO_NEWS_H' '#endif'
	expect guards 'lib/new.h:1: no include guard; #ifndef JOBIO_NEW_H'
}

@test "a finding of the code that no page lists is an error" {
	add report/new.c 'void new(void)' '{' '	findings_add(findings, "S98",' \
		'		     FINDING_ERROR, "cure", "what");' '}' \
		'static const struct rule rules[] = {' '	{ "S99", FINDING_INFO, "cure", check },' '};'
	expect findings 'report/new.c:3: finding S98 (error) is in no table of a man page'
	expect findings 'report/new.c:7: finding S99 (info) is in no table of a man page'
}

@test "a finding that page and code give different severities is an error" {
	sed -i 's/^K01\twarning\t/K01\terror\t/' man/jobio-check.8
	run "$SRCDIR/tests/tools/walls" findings "$tree"
	[[ $output =~ ^man/jobio-check\.8:[0-9]+": finding K01 is 'error' there, 'warning' at report/"[a-z_]+\.c:[0-9]+$ ]]
}

@test "a finding with two severities is listed with both" {
	add report/new.c 'void new(void)' '{' '	findings_add(f, "S98", bad ? FINDING_ERROR : FINDING_INFO, "", "");' '}'
	printf 'S98\terror\tnew\n' >>man/jobio.1
	expect findings "man/jobio.1:$(wc -l <man/jobio.1): finding S98 is 'error' there, 'error or info' at report/new.c:3"
	sed -i 's/^S98\terror\t/S98\terror or info\t/' man/jobio.1
	silent findings S98
}

@test "a page that speaks of a finding which no code reports is an error" {
	printf 'S98\terror\tnew\n' >>man/jobio.1
	expect findings "man/jobio.1:$(wc -l <man/jobio.1): no code reports a finding S98"
	printf 'See also W99.\n' >>man/jobio.7
	expect findings "man/jobio.7:$(wc -l <man/jobio.7): no code reports a finding W99"
}

@test "code that asks for a finding which no code reports is an error" {
	add report/new.c 'bool new(void)' '{' '	return findings_has(findings, "S98");' '}'
	expect findings 'report/new.c:3: no code reports a finding S98'
}

@test "a finding that breaks the node has a star in the table of the page" {
	sed -i 's/^W08 \*\terror\t/W08\terror\t/' man/jobio-prepare.8
	run "$SRCDIR/tests/tools/walls" findings "$tree"
	[ "$status" -eq 1 ]
	[[ $output =~ ^man/jobio-prepare\.8:[0-9]+": finding W08 breaks the node at client/weka/"[a-z_]+\.c:[0-9]+", but has no '*' there"$ ]]
	sed -i '/"W08"/s/RULE_BREAKS_NODE/RULE_SPARES_NODE/' client/weka/*.c
	silent findings W08
}

@test "a finding that breaks no node has no star in the table of the page" {
	sed -i 's/^NF04\twarning\t/NF04 *\twarning\t/; s/^W53\terror\t/W53 *\terror\t/' man/jobio-prepare.8
	run "$SRCDIR/tests/tools/walls" findings "$tree"
	[ "$status" -eq 1 ]
	[[ ${lines[0]} =~ ^man/jobio-prepare\.8:[0-9]+": finding NF04 has a '*' there, but breaks no node at client/nfs/judge.c:"[0-9]+$ ]]
	[[ ${lines[1]} =~ ^man/jobio-prepare\.8:[0-9]+": finding W53 has a '*' there, but breaks no node at prolog/"[a-z_]+\.c:[0-9]+$ ]]
	[ "${#lines[@]}" -eq 2 ]
}

@test "a code of two letters is a finding, too" {
	add report/new.c 'void new(void)' '{' '	findings_add(f, "NF98", FINDING_INFO, "", "");' '}'
	expect findings 'report/new.c:3: finding NF98 (info) is in no table of a man page'
	printf 'NF99\terror\tnew\n' >>man/jobio.1
	expect findings "man/jobio.1:$(wc -l <man/jobio.1): no code reports a finding NF99"
}

@test "a finding that is listed twice is an error" {
	printf 'K01\twarning\tagain\n' >>man/jobio.7
	run "$SRCDIR/tests/tools/walls" findings "$tree"
	[[ $output =~ ^man/jobio\.7:[0-9]+': finding K01 is told twice, and at man/jobio-check.8:'[0-9]+$ ]]
}

# assertions LINE... - what is said of a test whose function has these lines
assertions() {
	rm -rf "$tree/tests"
	add tests/scripts/new.bats 'new() {' "${@:2}" '}' '@test "new" {' "	$1" '}'
	run "$SRCDIR/tests/tools/unheard" "$tree"
}

@test "an assertion that cannot fail, because errexit is off where it stands, is an error" {
	local call
	for call in 'new || return' 'if new; then echo; fi' '! new' 'within 10 new' '(new && echo)'; do
		assertions "$call" '	[[ $1 == 1 ]]' '	echo'
		[ "$output" = "tests/scripts/new.bats:2: '[[ \$1 == 1 ]]' cannot fail: new is called in a condition in tests/scripts/new.bats:6; add || return" ]
		[ "$status" -eq 1 ]
	done
	assertions 'new || return' '	expect_equal 1 2' '	submit x' '	echo'
	[ "${#lines[@]}" -eq 2 ]
}

@test "an assertion that is heard is none" {
	local call
	for call in 'new 1' 'x=$(new) || return' 'newer || return'; do
		assertions "$call" '	[[ $1 == 1 ]]' '	echo'
		[ "$status" -eq 0 ]
	done
	assertions 'new || return' '	[[ $1 == 1 ]] || return' '	expect_equal 1 2 ||' '		return' '	[ 1 ]'
	[ "$status" -eq 0 ]
}

@test "a finding that no test tells of is an error, and a comment or a name is no test" {
	add report/new.c 'void new(void)' '{' '	findings_add(f, "S98", FINDING_INFO, "", "");' '}'
	expect tested 'report/new.c:3: finding S98 is told in no test'
	add tests/scripts/new.bats '# S98' '@test "S98 is told" {' '	true' '}'
	add tests/unit/test_new.c '/* S98 */'
	add tests/scripts/lint.bats "expect_in 'S98'"
	expect tested 'report/new.c:3: finding S98 is told in no test'
	cp -r tests/scripts/new.bats kept.bats
	add tests/scripts/new.bats "	[[ \$output == *'S98 info'* ]]"
	silent tested S98
	mv kept.bats tests/scripts/new.bats
	add tests/unit/test_new.c 'static const char code[] = "S98";'
	silent tested S98
}

@test "make lint asks for all of these" {
	local check
	grep -qE "^tap '.*' heard$" "$SRCDIR/tests/lint"
	for check in includes circles guards findings tested; do
		grep -qE "^tap '.*' wall $check$" "$SRCDIR/tests/lint"
	done
}
