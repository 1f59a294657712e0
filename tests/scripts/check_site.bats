#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# jobio check on sites that are in order but for one thing, with a real munged
# and a real ledger

# shellcheck disable=SC2030,SC2031 # each test is a subshell
# shellcheck source=tests/scripts/machine.bash
. "$SRCDIR/tests/scripts/machine.bash"
# shellcheck source=tests/scripts/ledger.bash
. "$SRCDIR/tests/scripts/ledger.bash"

# The machine, munged, the ledger and the site are made once; each test works on
# a copy of the site.
setup_file() {
	export DIR MUNGED LEDGER PORT machines
	machines=$(mktemp -d "$BATS_FILE_TMPDIR/machines.XXXXXX")
	setup_ledger
	mkdir "$DIR/site" "$DIR/lib"
	machine intel-2x16x2-block >"$DIR/topology"
	site_make "$DIR/site"
	cp "$BUILDDIR/.libs/jobio.so" "$DIR/lib"
}

teardown_file() { teardown_ledger; }

setup() {
	site=$DIR/work
	rm -rf "$site"
	cp -a "$DIR/site" "$site"
	grep -rl "$DIR/site" "$site" | xargs -r sed -i "s:$DIR/site:$site:g"
	role=node environment=()
	# the folder of Slurm's own plugins, and of its library
	for plugins in /usr/lib/*/slurm-wlm /usr/lib64/slurm; do
		[[ ! -e $plugins/libslurmfull.so ]] || break
	done
}

# site_make DIR - its files: Slurm's, jobio's, helpers, Slurm's commands. Linux takes
# 0.0.0.0 for this host, and nobody takes it for localhost.
site_make() {
	cd "$1" || return 1
	mkdir -p bin etc/plugstack.conf.d libexec run spool
	cat >etc/slurm.conf <<-CONF
		ClusterName=test
		SlurmctldHost=ctld
		SlurmUser=$(id -un)
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core_Memory
		AllowSpecResourcesUsage=YES
		TaskPlugin=task/affinity,task/cgroup
		TaskPluginParam=SlurmdOffSpec
		ProctrackType=proctrack/cgroup
		PrologFlags=Alloc,Contain
		Prolog=$1/libexec/prolog
		Epilog=$1/libexec/epilog
		PrologEpilogTimeout=60
		PlugStackConfig=$1/etc/plugstack.conf
		AccountingStorageType=accounting_storage/slurmdbd
		NodeName=n[01-04] Sockets=2 CoresPerSocket=16 ThreadsPerCore=2 CPUs=64 CpuSpecList=62-63 MemSpecLimit=5100
		PartitionName=batch Nodes=ALL
		PartitionName=test Nodes=n01
	CONF
	echo ConstrainCores=yes >etc/cgroup.conf
	echo "include $1/etc/plugstack.conf.d/*.conf" >etc/plugstack.conf
	echo "optional $DIR/lib/jobio.so" >etc/plugstack.conf.d/jobio.conf
	cat >etc/jobio.conf <<-CONF
		[jobio]
		run_dir = $1/run
		spool_dir = $1/spool
		[client home]
		type = nfs
		mount_table = $1/etc/mounts
		mountinfo = $1/etc/mountinfo
		mountstats = $1/etc/mountstats
		bdi_dir = $1/etc/bdi
		[profile scan]
		read_ahead_kb = 4096
		[ledger]
		host = 0.0.0.0
		port = $PORT
		user = $(id -un)
		store = $DIR/store.sqlite
		munge_socket = $DIR/munge/socket
		send_timeout_ms = 2000
	CONF
	cp "$SRCDIR/tests/samples/nfs/mountinfo-6.1.txt" etc/mountinfo
	cp "$SRCDIR/tests/samples/nfs/mountstats-6.1.txt" etc/mountstats
	echo '192.0.2.40:/export/work /mnt/work nfs rw,vers=3,rsize=1048576,wsize=1048576,hard,local_lock=none 0 0' >etc/mounts
	mkdir -p etc/bdi/0:60
	echo 128 >etc/bdi/0:60/read_ahead_kb
	local name
	for name in prolog epilog jobio-{prepare,release,send,slurm,node}; do
		printf '#!/bin/true\n' >libexec/"$name"
	done
	printf '#!/bin/bash\necho %q\n' '{"tier":"bpf","reason":null}' >libexec/jobio-count
	# what slurmctld runs with
	cat >bin/scontrol <<-FAKE
		#!/bin/bash
		[[ \$* == 'show config' && \$SLURM_CONF == */etc/slurm.conf ]] || exit 9
		cat "$1/etc/loaded"
	FAKE
	cat >etc/loaded <<-LOADED
		Configuration data as of 2026-11-22T09:00:00
		AllowSpecResourcesUsage = Yes
		Epilog[0]               = $1/libexec/epilog
		Prolog[0]               = $1/libexec/prolog
		PrologFlags             = Alloc,Contain
		SelectType              = select/cons_tres
		TaskPlugin              = task/affinity,task/cgroup
	LOADED
	chmod 755 bin/* libexec/*
	chmod 700 run spool
	chmod 644 etc/jobio.conf
}

# site OPTION... - what jobio check says of it, as this role; sets $lines
site() {
	run env -i PATH="$site/bin:/usr/bin:/bin" "${environment[@]}" "$BUILDDIR/jobio" check --role="$role" --host=n02 \
		--conf="$site/etc/jobio.conf" --slurm-conf="$site/etc/slurm.conf" \
		--topology="$(<"$DIR/topology")" --slurm-version=24.11 "$@"
}

# edit FILE SED
edit() { sed -i "$2" "$site/etc/$1"; }
slurm() { edit slurm.conf "$1"; }
slurm_has() { printf '%b\n' "$1" >>"$site/etc/slurm.conf"; }
# conf SED, conf_has LINE - of jobio.conf
conf() { edit jobio.conf "$1"; }
conf_has() { printf '%b\n' "$1" >>"$site/etc/jobio.conf"; }
fake() { printf '#!/bin/bash\n%s\n' "$2" >"$site/$1"; chmod 755 "$site/$1"; }
old() { mkdir -p "${1%/*}"; touch -d '1 hour ago' "$1"; }

# preload NAME SOURCE - a library for LD_PRELOAD, as $DIR/NAME
preload() { "${CC:-cc}" -x c -shared -fPIC -o "$DIR/$1" - <<<"$2"; }

@test "a site in order has no finding, for any role" {
	for role in login node ctld ledger node,ctld,ledger,login; do
		site
		[[ $status -eq 0 && $output == '0 finding(s)' ]] || { echo "$role: $status $output"; return 1; }
		site --quiet
		[[ $status -eq 0 && -z $output ]]
	done
}

# Broken sites: role, code, what breaks it, words of the sentence, of the cure
sites() {
	cat <<-'TABLE'
	node  | S01 | slurm s/cons_tres/linear/ | SelectType is select/linear | SelectType=select/cons_tres
	login | S02 | slurm /^AllowSpec/d | Slurm drops every --core-spec | AllowSpecResourcesUsage=yes
	node  | S03 | rm "$site/etc/cgroup.conf" | there is none beside slurm.conf | ConstrainCores=yes
	node  | S04 | slurm s/,task.cgroup// | TaskPlugin lacks task/cgroup | TaskPlugin=task/affinity,task/cgroup
	ctld  | S05 | slurm 's:task.affinity,::' | tasks are not bound | TaskPlugin=task/affinity,task/cgroup
	node  | S06 | slurm s/Alloc,Contain/Alloc/ | PrologFlags lacks Contain | PrologFlags=Alloc,Contain
	node  | S07 | slurm s/,Contain/,Contain,RunInJob/ | PrologFlags has RunInJob | take RunInJob out
	ctld  | S08 | slurm_has SchedulerParameters=spec_cores_first | begins with core 0 | take spec_cores_first out
	node  | S09 | slurm s:proctrack/cgroup:proctrack/linuxproc: | processes can leave the job | proctrack/cgroup
	node  | S10 | slurm s/CR_Core/CR_CPU/ | gives single hardware threads | CR_Core_Memory
	ctld  | S11 | slurm /SlurmdOffSpec/d | confined to the spec set | SlurmdOffSpec
	node  | S12 | slurm /^Epilog=/d | no Epilog: the node is never put back | Epilog=
	ctld  | S13 | slurm 's/Nodes=ALL/& OverSubscribe=FORCE:4/' | partition batch has OverSubscribe=FORCE | FORCE:1
	login | S14 | : >"$site/etc/plugstack.conf.d/jobio.conf" | no line names jobio.so | optional jobio.so
	node  | S15 | slurm_has nonsense | 'nonsense': must be KEY=VALUE | --slurm-conf
	login | S16 | edit plugstack.conf.d/jobio.conf 's:/[^ ]*/:/nowhere/:' | /nowhere/jobio.so: it is not there | build jobio
	node  | S17 | rm "$site/libexec/epilog" | there is no such file: slurmd fails it and drains the node | before slurm.conf names it
	node  | S17 | chmod 644 "$site/libexec/prolog" | it is not executable | chmod 755
	node  | S17 | slurm "s:^Epilog=.*:Epilog=$site/epilog.d/*:" | no file matches | before slurm.conf names it
	node  | S18 | fake own true; slurm "s:^Epilog=.*:Epilog=$site/own:" | none of its scripts runs jobio's: nothing is put back or recorded | let one of them run
	login | S19 | slurm_has "PluginDir=/nowhere:$plugins" | PluginDir: '/nowhere': there is no such folder | folders that are there
	ctld  | S20 | edit loaded 's/^Prolog\[0.*/Prolog = (null)/' | and slurmctld runs with (null) | scontrol reconfigure
	login | S20 | edit loaded 's/= Yes/= No/' | AllowSpecResourcesUsage=YES, and slurmctld runs with No | scontrol reconfigure
	login | S21 | fake bin/scontrol 'echo slurm_load_ctl_conf error: Unable to contact >&2; exit 1' | slurmctld does not answer: | 6817
	node  | N01 | slurm s/CPUs=64/CPUs=1000000/ | CPUs: '1000000' | correct the node line
	node  | N08 | slurm s/62-63/0-1/ | the spec set holds core 0 | jobio plan
	node  | N09 | slurm s/MemSpecLimit=5100// | no MemSpecLimit | MemSpecLimit=
	login | J01 | conf_has 'nosuch=1' | nosuch: '1': unknown key | jobio.conf(5)
	node  | J02 | conf 's/^type = nfs/&\nnodes = m*/' | no client section is for this node | [client NAME]
	node  | J03 | rm "$site/etc/mounts" | client 'home': cannot open | correct its section
	login | J04 | chmod 666 "$site/etc/jobio.conf" | others than root may write it | chmod 644
	login | J04 | chmod 646 "$site/etc/jobio.conf" | others than root may write it | chmod 644
	login | J04 | chown 65534 "$site/etc/jobio.conf" | others than root may write it | chmod 644
	login | J05 | chmod 640 "$site/etc/jobio.conf" | sbatch of a user cannot read it | chmod 644
	login | J06 | conf_has '[client w]\ntype=weka\n[profile p]\nmount_options=forcedirct' | [profile p] on [client w]: mount option 'forcedirct' | correct the profile
	node  | J06 | conf_has '[client w]\ntype=weka\nnodes=m*\n[profile p]\nmount_options=forcedirect,readcache' | 'forcedirect' of the profile and its 'readcache' exclude each other | correct the profile
	login | J06 | conf s/scan/p/; conf_has '[client l]\ntype=lustre\n[profile p:l]\nparameters=osc.nosuch=1' | [profile p] on [client l]: parameter 'osc.nosuch=1' | correct the profile
	login | J06 | conf_has '[client g]\ntype=gpfs\n[profile p]\nmmconfig=nosuch=1' | [profile p] on [client g]: | correct the profile
	login | J07 | conf_has '[profile p]\nmmconfig=maxMBpS=2000' | [profile p]: no [client] here is of a type | that the site has
	node  | J08 | conf_has '[option]\nio_cores_max=32' | io_cores_max=32, and this node has 32 cores | a smaller io_cores_max
	node  | J09 | slurm s/62-63/60-63/ | io_cores_min=1, and this node reserves 2 cores | io_cores_min in [option]
	login | J10 | conf 's/^.jobio.$/&\nenabled = no/' | jobio does nothing on this host: enabled=no | enabled=yes
	node  | J10 | conf 's/^.jobio.$/&\nnodes = m*/' | jobio does nothing on this host: nodes= leaves it out | nodes= with this node
	ctld  | J12 | conf 's/^.jobio.$/&\npartitions = test/' | in use in partition test only | empty for all
	node  | J13 | conf 's/^.jobio.$/&\nprolog_budget_ms=40000/' | PrologEpilogTimeout=60 | twice prolog_budget_ms
	node  | J13 | conf 's/^send_timeout_ms.*/send_timeout_ms=31000\nwait_nodes = n*/' | while it waits for the ledger | twice send_timeout_ms
	login | J14 | conf_has '[advice]\ncalibration=/nowhere/advice.conf' | [advice] calibration: '/nowhere/advice.conf': cannot read | jobio calibrate
	ledger | J14 | conf_has '[advice]\ncalibration=/nowhere/advice.conf' | [advice] calibration: '/nowhere/advice.conf': cannot read | jobio calibrate
	node  | L01 | conf /^host/d | [ledger] host is not set | host= in [ledger]
	node  | L02 | conf 's/^host.*/host = localhost/' | no ledger runs on this host | the name of the host
	login | L02 | conf 's/^host.*/host = 0.0.0.0,localhost/' | host=0.0.0.0,localhost: no ledger runs on this host | the name of the host
	node  | L03 | conf 's:^munge_socket.*:munge_socket = /nowhere:' | MUNGE does not work here: munge: Failed | start munged
	login | L04 | conf 's/^port.*/port = 1/' | the ledger cannot be reached: ledger '0.0.0.0:1': Connection refused | open its TCP port 1
	login | L05 | conf 's/^user.*/user = nobody/' | does not answer a signed hello: ledger '0.0.0.0: | the same munge.key
	node  | L07 | old "$site/spool/7.0.n02.json" | records wait in | jobio-send --once
	node  | L08 | old "$site/spool/bad/7.0.n02.json" | records in | read and remove them
	node  | L09 | conf 's/^user.*/user = nosuchuser/' | 'nosuchuser': no such user on this host | the same uid
	ctld  | L10 | slurm s/^SlurmUser=.*/SlurmUser=nobody/ | and SlurmUser is nobody | [ledger] user=
	ledger | L11 | conf 's:^store.*:store = /nowhere/store:' | its folder is not there | install -d
	ledger | L13 | conf 's:^store.*:store = mariadb\nstorage_pass_file = /nowhere/pass:' | storage_pass_file=/nowhere/pass: it is not there | chmod 600
	ledger | L12 | slurm /^Accounting/d | without slurmdbd no job has a summary | accounting_storage/slurmdbd
	node  | H01 | rm "$site/libexec/jobio-send" | jobio-send | install
	node  | H01 | echo '# jobio' >>"$site/libexec/prolog"; rm "$site/libexec/jobio-prepare" | /libexec: not there, or not executable: jobio-prepare: jobs | install
	node  | H06 | fake libexec/jobio-prepare "printf '%d %s\n' 16 left 17 lives 18 left" | /run: folders of jobs that have ended, whose epilog did not run: 16 18 | /libexec/jobio-prepare --recover
	node  | H02 | fake libexec/jobio-count "echo '{\"tier\":\"none\",\"reason\":\"no BTF\"}'" | counted by steps, on all files together: no BTF | Linux 5.10
	node  | H03 | chmod 777 "$site/run" | others than root may write there | mode 700
	TABLE
}

# broken ROLE CODE HOW TEXT CURE - exactly one finding
broken() {
	setup
	role=$1
	eval "$3"
	site
	[[ ${lines[0]:-} == "$2 "* && ${lines[0]} == *"$4"* && ${lines[1]:-} == "    cure: "*"$5"* &&
		${lines[2]:-} == '1 finding(s)' ]] || { printf '%s %s: %s: %d\n%s\n' "$1" "$2" "$3" "$status" "$output"; return 1; }
	case ${lines[0]%%:*} in
		*error) [[ $status -eq 3 ]] ;;
		*warning) [[ $status -eq 1 ]] ;;
		*) [[ $status -eq 0 ]] ;;
	esac || { echo "$2: $status"; return 1; }
}

@test "each broken site is told by one finding with its cure, and the exit status of its severity" {
	local role code how text cure count=0 wrong=0
	while IFS='|' read -r role code how text cure; do
		broken "${role// /}" "${code// /}" "$how" "$(xargs -0 <<<"$text" | sed 's/^ *//; s/ *$//')" \
			"$(sed 's/^ *//; s/ *$//' <<<"$cure")" || wrong=$((wrong + 1))
		count=$((count + 1))
	done < <(sites)
	[[ $wrong -eq 0 && $count -ge 30 ]] || { echo "$wrong of $count"; return 1; }
}

@test "a prolog and an epilog of the site's own that run jobio's are right" {
	mkdir "$site/prolog.d"
	ln -s "$site/libexec/prolog" "$site/prolog.d/00-jobio"
	fake prolog.d/10-own true
	fake own "exec $site/libexec/epilog # jobio's"
	slurm "s:^Prolog=.*:Prolog=$site/prolog.d/*:; s:^Epilog=.*:Epilog=$site/own:"
	site
	[[ $status -eq 0 && $output == '0 finding(s)' ]] || { echo "$output"; return 1; }
	# several lines, and a name beside slurm.conf
	slurm "s:^Prolog=.*:Prolog=$site/own\nProlog=$site/libexec/prolog:; s:^Epilog=.*:Epilog=epilog:"
	cp "$site/own" "$site/etc/epilog"
	site
	[[ $status -eq 0 && $output == '0 finding(s)' ]] || { echo "$output"; return 1; }
}

@test "a partition of jobio.conf that Slurm does not have is an error" {
	conf 's/^.jobio.$/&\npartitions = test,btach/'
	site
	[[ $status -eq 3 && $output == *"J12 info: jobio is in use in partition test,btach only"* ]]
	[[ $output == *"J11 error: jobio.conf: partitions: 'btach': slurm.conf has no such partition"*'2 finding(s)' ]]
}

@test "nobody who hangs holds it up" {
	fake bin/scontrol 'exec sleep 60'
	fake libexec/jobio-count 'exec sleep 60'
	role=node,ctld
	SECONDS=0
	site
	[[ $status -eq 3 && $output == *'2 finding(s)' && $SECONDS -lt 25 ]] || { echo "$SECONDS: $output"; return 1; }
	[[ $output == *"S21 error: slurmctld does not answer: "*"$site/bin/scontrol"*"5000 ms"* ]] || { echo "$output"; return 1; }
	[[ $output == *"H02 warning: "*"jobio-count"*"5000 ms"* ]] || { echo "$output"; return 1; }
}

@test "a clock that differs from the ledger's is told in seconds" {
	preload clock.so '#include <time.h>
	time_t time(time_t *t) { struct timespec ts; clock_gettime(CLOCK_REALTIME, &ts);
		ts.tv_sec -= 100; if (t) *t = ts.tv_sec; return ts.tv_sec; }'
	slow() {
		run env -i PATH="$site/bin:/usr/bin:/bin" LD_PRELOAD="$DIR/clock.so" \
			ASAN_OPTIONS=verify_asan_link_order=0 "$BUILDDIR/jobio" check \
			--role=login --conf="$site/etc/jobio.conf" --slurm-conf="$site/etc/slurm.conf" "$@"
	}
	slow
	[[ $status -eq 1 && $output == "L06 warning: this host's clock is behind the ledger's: records have wrong times, and from 300 s on MUNGE refuses them"$'\n'* ]] ||
		{ echo "$output"; return 1; }
	slow -v
	[[ $status -eq 1 && $output =~ "MUNGE refuses them ("(99|100|101)" s)"$'\n' ]] ||
		{ echo "$output"; return 1; }
}

@test "roles are found by what runs on the host and by slurm.conf" {
	mkdir -p "$site/root/proc/"{7,8,9} "$site/root/etc/slurm" "$site/root$site"
	cp "$site/etc/slurm.conf" "$site/root/etc/slurm"
	roles() {
		run env -i "$BUILDDIR/jobio" check --format=json --root="$site/root" --host="$1" --topology="$(<"$DIR/topology")"
		[[ $output == *"\"roles\":[$2]"* ]] || { echo "$output"; return 1; }
	}
	roles n02 '"node"'
	roles login1 '"login"'
	roles ctld '"ctld"'
	printf 'Name:\tjobio-ledgerd\nNSpid:\t7\n' >"$site/root/proc/7/status"
	roles n02 '"node","ledger"'
	roles x '"ledger"'
	printf 'Name:\tslurmctld-wlm\n' >"$site/root/proc/8/status"
	printf 'Name:\tslurmd\nNSpid:\t9\t1\n' >"$site/root/proc/9/status"
	roles x '"ctld","ledger"'
	run "$BUILDDIR/jobio" check --role=nod
	[[ $status -eq 2 && $output == "jobio: check: --role: 'nod': expected login, node, ctld or ledger" ]]
}

@test "what is no fault is shown, but not with --quiet" {
	cp "$(<"$DIR/topology")" "$site/topology"
	chmod 755 "$site"
	as_nobody() {
		run setpriv --reuid 65534 --regid 65534 --clear-groups env -i PATH="$site/bin:/usr/bin:/bin" \
			"$BUILDDIR/jobio" check --role=node --host=n02 --conf="$site/etc/jobio.conf" \
			--slurm-conf="$site/etc/slurm.conf" --topology="$site/topology" --slurm-version=24.11 "$@"
	}
	as_nobody
	[[ $output == *'H05 info: not run as root'* ]] || { echo "$output"; return 1; }
	as_nobody --quiet
	[[ $output != *info* && $output != *'finding(s)'* ]] || { echo "$output"; return 1; }
}

@test "equal nodes print equal lines" {
	local first
	conf 's/^type = nfs/&\nnodes = m*/'
	conf_has '[option]\nio_cores_max=32'
	old "$site/spool/7.0.n02.json"
	site
	first=$output
	[[ $status -eq 1 && $output == *J02*J08*L07* ]] || { echo "$output"; return 1; }
	old "$site/spool/8.0.n03.json"
	site --host=n03
	[[ $output == "$first" ]] || { diff <(echo "$first") <(echo "$output"); return 1; }
	site --host=n03 -v
	[[ $output == *'records wait in '*' (2 of at most '*'n03: '*' finding(s)' ]] || { echo "$output"; return 1; }
}

# srun_says OUTPUT [STATUS] - of the job, whatever it was asked for; a record of
# the job on n02 goes to the ledger as its epilog would do it
srun_says() {
	local words job
	read -ra words <<<"$1"
	job=${words[1]:-7}
	fake bin/srun "printf '%s\\n' \"\$*\" >\"$site/srun-called\"
	echo '$1'
	[[ -z \"$1\" ]] || \"$BUILDDIR/jobio-send\" --once --conf='$site/etc/jobio.conf' 2>\"$site/sent\" || :
	${3:+echo \"$3\" >&2}
	exit ${2:-0}"
	record "$job" n02 >"$site/spool/$job.0.n02.json"
	cp "$SRCDIR/tests/scripts/fake-sacct" "$site/bin/sacct"
	printf 'JobID=%s\tCluster=c\tUser=u\tState=COMPLETED\tStart=1795222800\tEnd=1795222809\tExitCode=0:0\tSystemComment=jobio/1 rd=1MiB/3 nodes=1/1\n' "$job" >"$site/bin/jobs"
	cp "$BUILDDIR/jobio-send" "$site/bin"
	role=login
}

@test "with --submit a job says what each part did for it" {
	srun_says 'JOBIO-CHECK 7 n02 1 31,63'
	site --submit --partition=test
	[[ $status -eq 0 ]] || { echo "$output"; return 1; }
	[[ $output == 'option   srun took --io-cores=1: job 7 on node n02
prolog   Slurm keeps CPUs 31,63 for the client
gate     the task may start, and knows of them
epilog   node n02 has left its record
ledger   jobio/1 '*' nodes=1/1 '*'
report   sacct shows the same
0 finding(s)' ]] || { echo "$output"; return 1; }
	[[ $(<"$site/srun-called") == '--job-name=jobio-check --nodes=1 --ntasks=1 --time=1 --immediate=60 --io-cores=1 --partition=test /bin/sh -c '* ]]
	site --submit --quiet
	[[ $status -eq 0 && -z $output ]]
}

@test "with --submit what did not work is a finding" {
	srun_says '' 1 "srun: unrecognized option '--io-cores=1'"
	site --submit
	[[ $status -eq 3 && $output == *"T01 error: a job with --io-cores=1 did not run: srun ended with 1: srun: unrecognized option '--io-cores=1'"*'1 finding(s)' ]] || { echo "$output"; return 1; }
	srun_says 'JOBIO-CHECK 7 n02 - -'
	site --submit
	[[ $status -eq 3 && $output == *'T02 error: job 7 ran on node n02 and does not know of its io-cores'*'1 finding(s)' ]] || { echo "$output"; return 1; }
	rm "$site/bin/srun"
	run env -i PATH="$site/bin" "$BUILDDIR/jobio" check --submit --role=login --conf="$site/etc/jobio.conf" --slurm-conf="$site/etc/slurm.conf"
	[[ $output == *'T01 error: a job did not run: there is no srun in PATH'* ]] || { echo "$output"; return 1; }
}

# hurry - the minute that check waits for the ledger and for sacct, half a second and
# half a second, is over at once
hurry() {
	preload hurry.so '#define _GNU_SOURCE
	#include <sys/syscall.h>
	#include <time.h>
	#include <unistd.h>
	static long slept_s;
	int nanosleep(const struct timespec *t, struct timespec *rest) {
		if (t->tv_nsec != 500000000) return (int)syscall(SYS_nanosleep, t, rest);
		slept_s += 10; return 0; }
	int clock_gettime(clockid_t id, struct timespec *t) { long rc = syscall(SYS_clock_gettime, id, t);
		if (!rc && id == CLOCK_MONOTONIC) t->tv_sec += slept_s; return rc; }'
	environment=("LD_PRELOAD=$DIR/hurry.so" ASAN_OPTIONS=verify_asan_link_order=0)
}

@test "with --submit a job whose record does not come is a finding, and so is one without a summary" {
	hurry
	srun_says 'JOBIO-CHECK 8 n02 1 31,63'
	rm "$site/spool/8.0.n02.json"
	site --submit
	[[ $status -eq 3 && $output == *'T03 error: the ledger has no record of job 8 after 60 s: '*$'\n'"    cure: on that node: epilog (S12, S17), ledger (L02 to L05), and jobio-send --once"* &&
		$output == *'1 finding(s)' ]] || { echo "$output"; return 1; }
	srun_says 'JOBIO-CHECK 9 n02 1 31,63'
	sed -i 's/SystemComment=.*/SystemComment=/' "$site/bin/jobs"
	site --submit
	[[ $status -eq 3 && $output == *'epilog   node n02 has left its record'* &&
		$output == *'T04 error: sacct has no summary of job 9 after 60 s: its row has none'$'\n'"    cure: jobio-ledgerd --check as its user, on its host"* &&
		$output == *'1 finding(s)' ]] || { echo "$output"; return 1; }
}

@test "with --submit the findings in the job's record are findings" {
	srun_says 'JOBIO-CHECK 10 n02 1 31,63'
	sed -i 's/"quality"/"findings":[{"code":"W46","severity":"info","text":"left out","cure":"ask for io-cores"},{"code":"W10","severity":"warning","text":"the client is slow","cure":"restart it"}],&/' "$site/spool/10.0.n02.json"
	site --submit
	[[ $status -eq 1 && $output == *'W46 info: job 10 on node n02: left out'$'\n''    cure: ask for io-cores'* &&
		$output == *'W10 warning: job 10 on node n02: the client is slow'$'\n''    cure: restart it'*'2 finding(s)' ]] || { echo "$output"; return 1; }
}
