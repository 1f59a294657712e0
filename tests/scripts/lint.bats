#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# lint.bats - make lint reports each violation of a rule, with its line
#
# Each test adds violations of one rule to a copy of the tree. make lint checks the tree
# itself.
# shellcheck disable=SC2154,SC2030,SC2031 # bats sets output and status

setup() {
	tree=$BATS_TEST_TMPDIR/tree
	mkdir "$tree"
	(cd "$SRCDIR" && find . -path ./build -prune -o -name '.?*' -prune -o -type f \
		\( -name '*.[ch]' -o -name '*.bats' -o -path './man/*' -o -name 'check.*' -o -name CONTRIBUTING.md \
		-o -name Makefile.am \) -print0 | tar --null -T - -cf -) | tar -C "$tree" -xf -
	cd "$tree" || return
}

# Lines of standard input: "+ FILE TEXT" adds a line to a file, "~ FILE SCRIPT" runs
# sed on it, "= LINE" is an expected line of the output ({ROW}: number of the table's line that
# starts with ROW, #: any number), "! PART" must not be in the output.
breaks() {
	local what file text wanted=() silent=() line
	while read -r what file text; do
		case $what in
			+) mkdir -p "$(dirname -- "$file")"; printf '%s\n' "$text" >>"$file" ;;
			'~') sed -i "$text" "$file" ;;
			=) wanted+=("$file $text") ;;
			!) silent+=("$file${text:+ $text}") ;;
		esac
	done
	run "$SRCDIR/tests/tools/walls" "$1" "$tree"
	[ "$status" -eq 1 ]
	for line in "${wanted[@]}"; do
		while [[ $line =~ \{([^}]+)\} ]]; do
			line=${line//"${BASH_REMATCH[0]}"/CONTRIBUTING.md:$(grep -nm1 "^| \`${BASH_REMATCH[1]}\`" CONTRIBUTING.md | cut -d: -f1)}
		done
		line=$(sed 's/[][\.*^$+?(){}|]/\\&/g; s/#i/\x01i/g; s/#/[0-9]+/g; s/\x01/#/g' <<<"$line")
		grep -qxE -e "$line" <<<"$output" || { printf 'not said: %s\nbut:\n%s\n' "$line" "$output" >&2; return 1; }
	done
	for line in "${silent[@]}"; do
		[[ $output != *"$line"* ]] || { printf 'said: %s\n' "$line" >&2; return 1; }
	done
}

@test "an include that the row of the folder does not allow is an error" {
	breaks includes <<-'END'
		+ tools/new.c /* why */
		+ tools/new.c #include "ledger/store.h"
		= tools/new.c:2: may not include "ledger/store.h" (row {tools/})
		+ tools/new.c /*
		+ tools/new.c #include "ledger/store.h"
		! tools/new.c:4
		+ tools/new.c */
		+ tools/new.c #if 0
		+ tools/new.c #  include "ledger/merge.h"
		= tools/new.c:7: may not include "ledger/merge.h" (row {tools/})
		+ tools/new.c #endif
		+ tools/new.c #include "print.h"
		= tools/new.c:9: "print.h" is no full path from the top of the tree
		+ client/new/new.c #include "node/prepare.h"
		= client/new/new.c:1: may not include "node/prepare.h" (row {client/})
		+ client/new/good.c #include "base/err.h"
		+ client/new/good.c #include "client/new/new.h"
		+ client/new/new.h struct x;
		! client/new/good.c
		~ base/number.c 1i #include "record/record.h"
		= base/number.c:1: may not include "record/record.h" (row {base/})
		+ node/new.c #include <slurm/slurm.h>
		= node/new.c:1: may not include <slurm/slurm.h> (row {node/})
		! node/jobio-slurm.c
		+ attic/new.c #include "base/err.h"
		= attic/new.c:1: may not include "base/err.h" (no row of CONTRIBUTING.md names the file)
		~ CONTRIBUTING.md /^| `tools\/`/{p;s,tools/,toosl/,}
		= {toosl/}: `toosl/` holds no source file
	END
}

@test "a module or folder that depends on itself, by headers, functions or tables of them, is an error" {
	breaks circles <<-'END'
		+ base/one.h #include "base/two.h"
		+ base/two.h struct two;
		+ base/two.h #include "base/one.h"
		= base/one.h:1: base/one includes "base/two.h" (circle of modules: base/one -> base/two -> base/one)
		= base/two.h:2: base/two includes "base/one.h" (circle of modules: base/one -> base/two -> base/one)
		+ report/ill.h int ill_main(void); int ill_part(void); int ill_read(void);
		+ report/ill.c #include "report/ill.h"
		+ report/ill.c int ill_read(void)
		+ report/ill.c { return 0; }
		+ report/ill.c int ill_main(void)
		+ report/ill.c { return ill_part(); }
		+ report/ill_part.c #include "report/ill.h"
		+ report/ill_part.c int ill_part(void)
		+ report/ill_part.c { return ill_read(); }
		= report/ill.c:5: report/ill uses ill_part of report/ill_part (circle of modules: report/ill -> report/ill_part -> report/ill)
		= report/ill_part.c:3: report/ill_part uses ill_read of report/ill (circle of modules: report/ill -> report/ill_part -> report/ill)
		+ base/menu.h int menu_say(void);
		+ base/menu.c #include "base/dish.h"
		+ base/menu.c static int (*const menu[])(void) = { dish_main };
		+ base/menu.c int menu_say(void)
		+ base/menu.c { return menu[0](); }
		+ base/dish.h int dish_main(void);
		+ base/dish.c #include "base/dish.h"
		+ base/dish.c int dish_main(void)
		+ base/dish.c { return menu_say(); }
		= base/dish.c:3: base/dish uses menu_say of base/menu (circle of modules: base/dish -> base/menu -> base/dish)
		+ count/north.h struct x;
		+ count/south.c #include "spank/south.h"
		+ spank/south.h struct x;
		+ spank/north.c #include "count/north.h"
		= count/south.c:1: count/south includes "spank/south.h" (circle of folders: count -> spank -> count)
		= spank/north.c:1: spank/north includes "count/north.h" (circle of folders: count -> spank -> count)
	END
}

@test "a header guard without the header's name is an error" {
	breaks guards <<-'END'
		~ tools/print.h s/JOBIO_TOOLS_PRINT_H/JOBIO_BASE_DIGEST_H/
		= tools/print.h:#: guard JOBIO_BASE_DIGEST_H is that of base/digest.h
		+ client/new/new.h struct x;
		= client/new/new.h:1: no include guard; #ifndef JOBIO_CLIENT_NEW_NEW_H
		+ base/new.h #ifndef JOBIO_BASE_NEW_H
		+ base/new.h #define JOBIO_BASE_NEWS_H
		+ base/new.h #endif
		= base/new.h:1: no include guard; #ifndef JOBIO_BASE_NEW_H
	END
}

@test "a finding that differs between man pages and code, by severity or star, is an error" {
	breaks findings < <(sed 's/TAB/\t/g' <<-'END'
		+ tools/new.c void new(void) { findings_add(findings, "S98", FINDING_ERROR, "cure", "what"); }
		= tools/new.c:1: finding S98 (error) is in no table of a man page
		+ tools/new.c static const struct rule rules[] = { { "S99", FINDING_INFO, "cure", check }, };
		= tools/new.c:2: finding S99 (info) is in no table of a man page
		+ tools/new.c bool has(void) { return findings_has(findings, "S97"); }
		= tools/new.c:3: no code reports a finding S97
		+ tools/new.c void both(void) { findings_add(f, "S96", bad ? FINDING_ERROR : FINDING_INFO, "", ""); }
		+ man/jobio.7 S96TABerrorTABnew
		= man/jobio.7:#: finding S96 is 'error' there, 'error or info' at tools/new.c:4
		+ tools/new.c void all(void) { findings_add(f, "S95", bad ? FINDING_ERROR : FINDING_INFO, "", ""); }
		+ man/jobio.7 S95TABerror or infoTABnew
		! S95
		~ man/jobio.1 s/^C05\tinfo\t/C05\terror\t/
		= man/jobio.1:#: finding C05 is 'error' there, 'info' at cores/reservation.c:#
		+ man/jobio.1 S94TABerrorTABnew
		= man/jobio.1:#: no code reports a finding S94
		~ man/jobio-prepare.8 s/^W08 \*\terror\t/W08\terror\t/; s/^NF04\twarning\t/NF04 *\twarning\t/; s/^W53\terror\t/&&/; s/^W53\terror\tW53\terror/W53 *\terror/
		= man/jobio-prepare.8:#: finding NF04 has a '*' there, but breaks no node at client/nfs/judge.c:#
	END
	)
	[[ $output == *": finding W08 breaks the node at client/weka/"*", but has no '*' there"* ]]
	[[ $output == *": finding W53 has a '*' there, but breaks no node at node/"* ]]
}

# assertions STATUS CALL LINE... - run tests/tools/assertions on a test that calls a function of these lines
assertions() {
	rm -rf "$tree/tests"
	mkdir -p "$tree/tests/scripts"
	printf '%s\n' 'new() {' "${@:3}" '}' '@test "new" {' "	$2" '}' >"$tree/tests/scripts/new.bats"
	run "$SRCDIR/tests/tools/assertions" "$tree"
	[ "$status" -eq "$1" ] || { printf '%s: %s\n' "$2" "$output" >&2; return 1; }
}

# shellcheck disable=SC2016 # the words of a test
@test "an assertion that cannot fail, because errexit is off there, is an error" {
	local call
	for call in 'new || return' 'if new; then echo; fi' '! new' 'within 10 new' '(new && echo)'; do
		assertions 1 "$call" '	[[ $1 == 1 ]]' '	echo'
		[ "$output" = "tests/scripts/new.bats:2: '[[ \$1 == 1 ]]' cannot fail: new is called in a condition in tests/scripts/new.bats:6; add || return" ]
	done
	assertions 1 'new || return' '	expect_equal 1 2' '	submit x' '	echo'
	[ "${#lines[@]}" -eq 2 ]
	for call in 'new 1' 'x=$(new) || return' 'newer || return'; do
		assertions 0 "$call" '	[[ $1 == 1 ]]' '	echo'
	done
	assertions 0 'new || return' '	[[ $1 == 1 ]] || return' '	expect_equal 1 2 ||' '		return' '	[ 1 ]'
}

@test "a finding without a test is an error; comments and test names do not count" {
	breaks tested <<-'END'
		+ tools/new.c void new(void) { findings_add(f, "S98", FINDING_INFO, "", ""); }
		+ tests/scripts/new.bats # S98
		+ tests/scripts/new.bats @test "S98 is found" {
		+ tests/unit/test_new.c /* S98 */
		= tools/new.c:1: finding S98 is in no test
		+ tools/new.c void two(void) { findings_add(f, "S99", FINDING_INFO, "", ""); }
		+ tests/unit/test_new.c static const char code[] = "S99";
		+ tools/new.c void three(void) { findings_add(f, "S97", FINDING_INFO, "", ""); }
		+ tests/scripts/new.bats [[ $output == *'S97 info'* ]]
		! S99
		! S97
	END
}

@test "a finding that differs between states, words, code and page is an error" {
	breaks states <<-'END'
		+ tools/new.c void new(void) { findings_add(f, "C30", FINDING_INFO, "", ""); }
		= report/check.states:1: no row for C30
		~ report/check.states /^S01 /d
		= report/check.states:1: no row for S01
		+ report/check.states S99 error . . . .
		= report/check.states:#: nothing finds S99
		~ report/check.states s/^S02 .*/S02 warning . . . ./
		= report/check.states:#: S02 is error in check.words
		~ report/check.states s/^S05 .*/S05 warning . . . ./
		= man/jobio-check.8:#: S05 is not as in report/check.states
		~ man/jobio-check.8 /^K03/d
		= man/jobio-check.8:1: no row for K03 with its severity and states
	END
}

@test "more than 2 personal words in 1,000 are an error, by room and kind; terms of the field are none" {
	mkdir new
	printf '/* %s */\n' 'deadline of a live view' 'nobody' 'who' "$(printf 'plain %.0s' {1..999})" >new/new.c
	printf 'const char *text = "%s";\n' 'who is told' >>new/new.c
	run "$SRCDIR/tests/tools/words" . new/new.c
	[ "$status" -eq 0 ]
	printf '# %s\n' whoever >new/new.sh
	run "$SRCDIR/tests/tools/words" . new/new.c new/new.sh
	[ "$status" -eq 1 ]
	[ "$output" = 'new, comment: 3.0 in 1,000, at most 2.0: tests/tools/words -v' ]
	run "$SRCDIR/tests/tools/words" -v . new/new.c
	[ "${lines[*]:0:2}" = 'new/new.c:2: /* nobody */ new/new.c:3: /* who */' ]
}

@test "make lint runs all of these checks" {
	local check
	grep -qE "^tap '.*' plain$" "$SRCDIR/tests/lint"
	grep -qE "^tap '.*' assertions$" "$SRCDIR/tests/lint"
	for check in includes circles guards findings tested states; do
		grep -qE "^tap '.*' wall $check$" "$SRCDIR/tests/lint"
	done
}
