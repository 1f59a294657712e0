#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# upgrade.bats - upgrade of jobio from one version to another, host by host, while a
# hundred jobs run
#
# Both versions are made from this tree, under two version numbers (build-other). JOBIO_OTHER
# names the installed files of a really older version, built for the same Slurm, to be used
# instead. Files are replaced as packages do it: first all are written beside the old ones,
# then each is renamed.
# shellcheck disable=SC2016,SC2154,SC2030,SC2031 # alice's shell expands; submit sets $job, for one test

load lib

JOBS=100 LIMIT_S=300
STORE=/home/.versions

# to VERSION HOST... - install it on these hosts
to() {
	local version=$1 host
	shift
	for host in "$@"; do exchange "$host" "$STORE/$version"; done
}

# ledger_to VERSION - install it on the ledger's host and restart the ledger, as a package does
ledger_to() {
	to "$1" dbd
	on dbd svc stop jobio-ledgerd
	on dbd svc start jobio-ledgerd
}

setup_file() {
	local top tree host
	expect_healthy
	top=$(readlink -f "$BATS_TEST_DIRNAME/../..")
	tree=$top/build/cluster/$JOBIO_SUITE
	[[ -n ${JOBIO_OTHER:-} ]] || docker run --rm --network=none -v "$tree:/jobio" \
		-v "$BATS_TEST_DIRNAME/build-other:/build-other:ro" "jobio-$JOBIO_SUITE:site" /build-other >"$tree/other.log" 2>&1
	hand "${JOBIO_OTHER:-$tree/other}" "$STORE/other"
	on login sh -c "cd '$STORE/other' && find . ! -type d >'$STORE/files' &&
		mkdir '$STORE/this' && tar -C / -c -T '$STORE/files' --ignore-failed-read 2>/dev/null | tar -C '$STORE/this' -x"
	all_to other
	# the client uses a CPU that plain jobs may use
	for host in c1 c2 c3; do set_conf "$host" 's/^gate = .*/gate = warn/'; done
}

all_to() {
	ledger_to "$1"
	to "$1" login c1 c2 c3
}

teardown_file() {
	on login scancel -u alice
	within 60 queue_is_empty
	all_to this
	site_restore
	on login sh -c "rm -rf $STORE /home/alice/go.* /home/alice/at.*"
	expect_healthy
}

# jobs N - submit them as alice: "JOB NODES" of each
jobs() {
	as alice bash -c '
		for ((i = 0; i < '"$1"'; i++)); do
			nodes=1
			case $((i % 5)) in
				0 | 1 | 2) options="-n1" ;;
				3) options="-n1 --io-cores=1 --io-profile=stream" ;;
				4) options="-N2 --ntasks-per-node=1 --io-cores=1 --io-profile=metadata" nodes=2 ;;
			esac
			printf "#!/bin/bash\n%s\n" "srun dd if=/dev/zero of=/mnt/weka/\$SLURM_JOB_ID bs=4k count=4 status=none; sleep 0.2" |
				sbatch --parsable -o /dev/null $options | sed "s/\$/ $nodes/"
		done' >>"$BATS_FILE_TMPDIR/jobs"
}

# crossing HOST - submit a job that has its profile there; sets $job
crossing() {
	submit "until [ -e go.$1 ]; do sleep 0.1; done" -n1 --io-cores=1 --io-profile=stream -w "$1"
	echo "$job 1" >>"$BATS_FILE_TMPDIR/jobs"
	within $LIMIT_S on "$1" grep -q '"state":"done"' "/run/jobio/$job/journal"
}

# cross HOST - upgrade it while such a job runs
cross() {
	crossing "$1"
	to this "$1"
	crossed+=("$job.$1")
	on login touch "/home/alice/go.$1"
}

version() { on "$1" cksum /usr/bin/jobio; }
ids() { cut -d' ' -f1 "$BATS_FILE_TMPDIR/jobs" | paste -sd,; }
accounts() { on login sacct -X -n -P -j "$(ids)" -o "$1"; }
all_accounted() { [[ $(accounts State,ExitCode | sort | uniq -c | sed 's/^ *//') == "$JOBS COMPLETED|0:0" ]]; }
all_have_summaries() { [[ $(accounts SystemComment | grep -cE '^jobio/1 (.* )?nodes=([0-9]+)/\2( |$)') == "$JOBS" ]]; }

# delivered - "JOB NODES" of each job in the ledger
delivered() {
	in_ledger "SELECT job || ' ' || count(DISTINCT node) FROM records JOIN runs ON run = id
		WHERE job IN ($(ids)) GROUP BY job ORDER BY job"
}

@test "a hundred jobs run while nodes, ledger and login host are upgraded one by one: no job fails, no record is lost, no node is drained" {
	local host crossed=() id other
	other=$(version c1)
	: >"$BATS_FILE_TMPDIR/jobs"
	jobs 12
	cross c1 # a newer node, with the older ledger
	jobs 25
	ledger_to this # the newer ledger, with older nodes
	for host in c2 c3; do
		cross "$host"
		jobs 30
	done
	to this login
	expect_equal "$JOBS" "$(wc -l <"$BATS_FILE_TMPDIR/jobs")"
	[[ $(version c1) != "$other" ]]
	within $LIMIT_S queue_is_empty

	within 30 all_accounted || { accounts JobID,State,ExitCode | grep -v 'COMPLETED|0:0' >&2; return 1; }
	expect_equal '' "$(on login sinfo -h -t drain,down,fail -N -o %N)"
	within 60 all_have_summaries || { accounts JobID,SystemComment | grep -vE 'nodes=([0-9]+)/\1' >&2; return 1; }
	expect_equal "$(sort -n "$BATS_FILE_TMPDIR/jobs")" "$(delivered)"
	expect_equal '' "$(accounts SystemComment | grep -E ' not=[a-z,]*(profile|cores|started)|not-applied' || :)"
	for id in "${crossed[@]}"; do
		expect_record "${id%.*}" "${id#*.}" '.changes[0].restored' true
	done
	for host in c1 c2 c3; do
		within 20 no_traces "$host"
		expect_equal writecache "$(mount_mode "$host")"
	done
}

# ---- a plugin that is removed for a while --------------------------------------------

# waits_for NAME - part of alice's script: wait until the test continues it
waits_for() { printf 'touch at.%s; until [ -e go.%s ]; do sleep 0.1; done; ' "$1" "$1"; }
at() { within 30 on login test -e "/home/alice/at.$1"; }
go() { on login touch "/home/alice/go.$1"; }

# removed, put_back - remove and install c1's plugin as a package manager does
removed() { on c1 sh -c "cp $PLUGIN /tmp/jobio.so && rm $PLUGIN"; }
put_back() { on c1 sh -c "cp /tmp/jobio.so $PLUGIN.new && mv $PLUGIN.new $PLUGIN"; }

# end_of JOB - "STEPS AWAY": number of counted steps, and whether the record has plugin_away (a
# step may be missing)
end_of() {
	wait_for_job "$1"
	expect_record "$1" c1 .node c1
	record "$1" c1 | jq -r '"\(.steps) \(.quality | contains(["plugin_away"]))"'
}

STEP='srun -Q dd if=/dev/zero of=/dev/null bs=1M count=64 status=none; '

@test "a step that starts while the plugin is removed is not counted, and the record has plugin_away" {
	local first
	all_to this
	PLUGIN=$(on c1 scontrol show config | sed -n 's/^PluginDir *= //p')/jobio.so
	# the plugin is removed and installed again while this job runs
	submit "$STEP$(waits_for b)$STEP$(waits_for c)$STEP" -n1 -w c1
	first=$job
	at b
	removed
	go b
	at c
	put_back
	go c
	expect_equal '3 true' "$(end_of "$first")"
	run on login jobio report -v "$first"
	expect_text "jobio's plugin was removed or replaced while the job ran: a step without it left no counters" "$output"
	expect_summary "$first" 'q=[a-z_,]*plugin_away'

	# a job that starts and ends without it
	removed
	submit "$STEP" -n1 -w c1
	expect_equal '0 true' "$(end_of "$job")"
	# a job that starts without it and ends with it
	submit "$(waits_for d)$STEP" -n1 -w c1
	at d
	put_back
	go d
	expect_equal '1 true' "$(end_of "$job")"
	# a job after all that
	submit "$STEP" -n1 -w c1
	expect_equal '2 false' "$(end_of "$job")"
}

@test "an upgrade, which renames the new plugin over the old one, sets no plugin_away in records" {
	submit "$(waits_for e)$STEP" -n1 -w c1
	at e
	to this c1
	go e
	expect_equal '2 false' "$(end_of "$job")"
}

is_spooled() { [[ $(spooled c1) == "$job."* ]]; }

# in_form FILTER - send the record of a new job to the ledger in another form
in_form() {
	on dbd svc stop jobio-ledgerd
	on c1 svc stop jobio-send-timer
	submit true -n1 --io-cores=1 --io-profile=stream -w c1
	wait_for_job "$job"
	within 20 is_spooled
	on c1 sh -c "cd /var/spool/jobio && for f in $job.*.json; do jq -c '$1' \$f >/tmp/record && cat /tmp/record >\$f; done"
	on dbd svc start jobio-ledgerd
	on c1 svc start jobio-send-timer
	expect_summary "$job" '^jobio/1 .* nodes=1/1 .*prof=stream '
}

@test "a ledger accepts records of newer nodes" {
	all_to this
	in_form '. + {later: {list: [1, {a: null}]}} | .request.later = "x" | .quality += ["flag_of_later"]
		| .findings += [{code: "W99", severity: "info", text: "of later", cure: null, later: 1}] | .changes[0].later = 7'
	expect_record "$job" c1 '.findings[] | select(.code == "W99").text' 'of later'
	run on login jobio report "$job"
	expect_equal 0 "$status"
}
