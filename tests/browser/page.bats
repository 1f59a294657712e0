#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# page.bats - jobio report --html as Chromium shows it; part of ./check all
# shellcheck disable=SC2030,SC2031 # each test is a subshell, teardown included

# shellcheck source=tests/scripts/page.bash
source "$SRCDIR/tests/scripts/page.bash"

setup() {
	setup_page
	EVIL=" <b>${LONG:=$(printf 'x%.0s' {1..120})}" nodes 60
	sed -i "s/JobName=train/JobName=$LONG/" "$DIR/bin/jobs"
	html 7
}
teardown() { teardown_ledger; }

# browse FILE OPTION... - output of Chromium for a page; it gets a folder of its own
browse() {
	local file=$1
	shift
	timeout -k 5 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
		--no-first-run --disable-extensions --user-data-dir="$DIR/chromium" \
		--enable-logging=stderr --virtual-time-budget=5000 "$@" "file://$file" 2>"$DIR/chromium.log"
}

# looks SELECTOR... - the CSS selectors that match nothing, or an element without area
looks() {
	{
		sed -e 's/<meta http-equiv[^>]*>//' -e 's/<\/main>.*//' "$page"
		printf '</main><pre id="looks"></pre><script>\nconst bad = [];\n'
		printf 'for (const look of %s) {\n' "$(jq -nc '$ARGS.positional' --args "$@")"
		cat <<-'END'
			const all = [...document.querySelectorAll(look)].map((e) => e.getBoundingClientRect());
			if (!all.length || all.some((box) => !box.width || !box.height))
				bad.push(look);
			}
			document.getElementById("looks").textContent = `LOOKS ${bad.join("; ")} END`;
		END
		printf '</script></body></html>\n'
	} >"$DIR/looks.html"
	browse "$DIR/looks.html" --dump-dom --window-size=1000,3000 | grep -oE 'LOOKS [^$]* END'
}

# layout OPTION... - layout faults of the page in a window of this size (layout.js)
layout() {
	{
		# without the page's security policy, which forbids this script
		sed -e 's/<meta http-equiv[^>]*>//' -e 's/<\/main>.*//' "$page"
		printf '</main><script>\n'
		cat "$SRCDIR/tests/browser/layout.js"
		printf '</script></body></html>\n'
	} >"$DIR/layout.html"
	browse "$DIR/layout.html" --dump-dom "$@" | grep -oE 'LAYOUT (light|dark) .* END' | sed 's/&lt;/</g; s/&gt;/>/g'
}

pictures() { printf 'LAYOUT %s %s  END' "$1" "$(python3 "$SRCDIR/tests/scripts/page_check.py" "$page" | cut -d' ' -f1)"; }

@test "in wide and narrow windows, light and dark, nothing overlaps, overflows or has low contrast" {
	expect_equal "$(pictures light)" "$(layout --window-size=1000,3000)"
	expect_equal "$(pictures light)" "$(layout --window-size=390,3000)"
	expect_equal "$(pictures dark)" "$(layout --window-size=1000,3000 --blink-settings=preferredColorScheme=0)"
}

@test "the page of a list has no layout faults, light and dark, wide and narrow" {
	sed -i '/JobID=9_1/s/COMPLETED/FAILED/; /JobID=9_2/s/User=alice/User=bob/' "$DIR/bin/jobs"
	html -u alice,bob
	expect_equal 'LAYOUT light 0  END' "$(layout --window-size=1000,1000)"
	expect_equal 'LAYOUT light 0  END' "$(layout --window-size=390,1000)"
	expect_equal 'LAYOUT dark 0  END' "$(layout --window-size=1000,1000 --blink-settings=preferredColorScheme=0)"
	expect_equal 'LOOKS  END' "$(looks 'table caption' 'thead th' 'tbody th' 'td.good' 'td.bad')"
	browse "$page" --screenshot="$DIR/page.png" --window-size=1000,1000 >/dev/null
	run grep -c CONSOLE "$DIR/chromium.log"
	expect_equal 0 "$output"
}

@test "the page of several job IDs has no layout faults, with the sums of arrays" {
	sed -i '/JobID=9_/s/$/\tSystemComment=jobio\/1 nodes=1\/2 rd=1KiB\/1 not=profile scope=node/; /JobID=9_1/s/COMPLETED/FAILED/' "$DIR/bin/jobs"
	html 7 9 12
	expect_equal 'LAYOUT light 0  END' "$(layout --window-size=1000,1000)"
	expect_equal 'LAYOUT light 0  END' "$(layout --window-size=390,1000)"
	expect_equal 'LAYOUT dark 0  END' "$(layout --window-size=1000,1000 --blink-settings=preferredColorScheme=0)"
	expect_equal 'LOOKS  END' "$(looks 'table caption' 'thead th' 'tbody th' '.sum td' '.sum .bad')"
	browse "$page" --screenshot="$DIR/page.png" --window-size=1000,1000 >/dev/null
	run grep -c CONSOLE "$DIR/chromium.log"
	expect_equal 0 "$output"
}

@test "bars over time, sizes, latencies, nodes and CPUs are drawn, with a key to their colours" {
	expect_equal 'LOOKS  END' "$(looks '.chart .read' '.chart .write' .heat .cpus .cj .c0 .c1 .c2 .c3 '.key .read' '.key .cj' '.bar .meta')"
	expect_equal 'LOOKS .c9 END' "$(looks .cpus .c9)"
}

@test "Chromium draws the page without console messages and without network requests" {
	browse "$page" --screenshot="$DIR/page.png" --window-size=1000,3000 --log-net-log="$DIR/net.json" >/dev/null
	run grep -c CONSOLE "$DIR/chromium.log"
	expect_equal 0 "$output"
	[[ $(stat -c %s "$DIR/page.png") -gt 20000 ]]
	# Chromium also sends requests of its own, which do not contain the page's name
	run grep -c "page.html.*http" "$DIR/net.json"
	expect_equal 0 "$output"
}

@test "a script or an external picture in the page would cause console messages" {
	sed -i 's/<\/main>/<img src="http:\/\/127.0.0.1:1\/x"\/><script>1<\/script><\/main>/' "$page"
	browse "$page" --screenshot="$DIR/page.png" >/dev/null
	run grep -c CONSOLE "$DIR/chromium.log"
	[[ $output -ge 2 ]]
}
