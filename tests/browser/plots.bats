#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# plots.bats - the pictures of jobio calibrate as Chromium shows them; part of
# ./check all
# shellcheck disable=SC2030,SC2031 # each test is a subshell, teardown included

# shellcheck source=tests/scripts/calibrate.bash
source "$SRCDIR/tests/scripts/calibrate.bash"

setup() {
	local long
	setup_calibrate
	# as many and as long names as a site may well have
	long=$(printf 'x%.0s' {1..32})
	for name in a bulk "$long" many; do
		printf '[profile %s]\nmount_options = readcache\n' "$name" >>"$DIR/jobio.conf"
	done
	calibrate --profiles="none,stream,cached,a,bulk,$long,many" --io-cores=1,4 --repeats=1
}
teardown() { teardown_calibrate; }

# layout OPTION... - what is wrong with the pictures in such a window
layout() {
	{
		printf '<!DOCTYPE html><html><head><style>body{background:var(--bg)}svg{display:block}</style></head><body>\n'
		cat "$DIR"/out/{scaling,engines,direct}.svg
		printf '<script>\n'
		cat "$SRCDIR/tests/browser/layout.js"
		printf '</script></body></html>\n'
	} >"$DIR/layout.html"
	timeout -k 5 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
		--no-first-run --disable-extensions --user-data-dir="$DIR/chromium" \
		--virtual-time-budget=5000 --dump-dom "$@" "file://$DIR/layout.html" 2>/dev/null |
		grep -oE 'LAYOUT (light|dark) .* END' | sed 's/&lt;/</g; s/&gt;/>/g'
}

@test "light and dark, nothing in a picture overlaps, leaves its place or is hard to read" {
	expect_equal 'LAYOUT light 3  END' "$(layout --window-size=1000,3000)"
	expect_equal 'LAYOUT dark 3  END' "$(layout --window-size=1000,3000 --blink-settings=preferredColorScheme=0)"
}
