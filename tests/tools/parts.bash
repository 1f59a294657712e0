# SPDX-License-Identifier: GPL-2.0-or-later
# parts.bash - the things that parts of ./check need, then the parts
#
# $level is commit or all: before a commit, or once a day.
# shellcheck shell=bash disable=SC2154,SC2317 # check sets these, and calls by name

# Run in a root with $packages only: a package that is missing in the list is missing in every
# run, not only on a fresh machine.
in_root=("$top/tests/tools/in-root" "$work/root" "$top")

# ---- things (see part.bash); the last line of output is the cause of a failure ---

thing_packages() {
	local wanted
	case $1 in
		base) host_packages "${packages[@]}" mmdebstrap debian-archive-keyring iproute2 ;;
		cluster) host_packages_cluster ;;
		browser) host_packages chromium fonts-dejavu-core ;;
		galera) host_packages mariadb-server galera-4 rsync ;;
		arm64) host_packages qemu-system-arm gcc-aarch64-linux-gnu libc6-dev-arm64-cross ;;
		zig) host_packages python3-venv binutils ;;
		machine)
			mapfile -t wanted < <(grep -v '^#' "$top/tests/vm/packages")
			host_packages "${wanted[@]}"
			;;
	esac
}

thing_root() {
	local root
	root=$("$top/tests/tools/root" "${packages[@]}") && ln -sfn "$root" "$work/root"
}

# After a change of configure.ac the build trees are made again.
thing_source() {
	cmp -s "$top/configure.ac" "$work/src/configure.ac" ||
		rm -rf "$work"/{src,gcc,sanitizers,arm64}
	"$top/tests/tools/copy-tree" "$work/src"
	cd "$work/src" || return
	[[ -x configure && -f Makefile.in ]] || "${in_root[@]}" ./autogen.sh
}

# Trees that are not installed, with the tests' programs, compile in half the time with these
# flags; sanitizers and valgrind still print lines. gcc's format-truncation warns wrongly then.
readonly quick='-g1 -O1' quick_gcc='-g1 -O1 -Wno-format-truncation'

# The tree of make check: before a commit one with sanitizers.
tree=gcc
[[ $level == all ]] || tree=sanitizers

# thing_tree NAME - a configured and compiled build tree. Before a commit the tree without
# sanitizers has only the programs for counting on a virtual machine.
thing_tree() {
	local arguments=(CC=gcc) targets=() root
	root=$(readlink "$work/root")
	[[ $1 != sanitizers ]] || arguments+=(--enable-sanitizers "CFLAGS=$quick_gcc")
	[[ $1 == "$tree" || $level == all ]] || targets=(jobio-count jobio-prepare)
	# an interrupted configure leaves a Makefile without libtool
	[[ -e $work/$1/configured && $(<"$work/$1/configured") == "$root" ]] || rm -rf "${work:?}/$1"
	mkdir -p "$work/$1"
	cd "$work/$1" || return
	[[ -e configured ]] || "${in_root[@]}" "$work/src/configure" -q --enable-werror "${arguments[@]}"
	printf '%s\n' "$root" >configured
	"${in_root[@]}" make -s -j"$(nproc)" "${targets[@]}" || { echo "jobio does not build: $work/things/tree-$1.log"; return 1; }
	# a program that tests on virtual machines kill; two parts must not make it at once
	[[ $1 != gcc || $level != all ]] || "${in_root[@]}" make -s -j"$(nproc)" tests/faults/jobio-prepare
}

# A compiler for older versions of glibc, as a Python package.
thing_zig() {
	[[ $("$work/zig/bin/python" -m ziglang version 2>/dev/null) != 0.13.0 ]] || return 0
	rm -rf "${work:?}/zig"
	python3 -m venv "$work/zig" && retry "$work/zig/bin/pip" install -q ziglang==0.13.0
}

thing_docker() { host_docker "$work"; }
thing_base() { "$top/tests/cluster/base-image" "$1"; }
thing_site() { "$top/tests/cluster/image" "$1"; }
thing_image() { "$top/tests/cluster/image" "$1" "$tag"; }
thing_pyxis() {
	docker build --network=host --build-arg SUITE="$1" --build-arg TAG="$tag" \
		-t "jobio-$1:$tag-pyxis" -f "$top/tests/cluster/Dockerfile.pyxis" "$kits/pyxis-kit"
}
thing_newer() { "$top/tests/cluster/newer-slurm" trixie "$1"; }
thing_packager() { retry packager "$1"; }
packager() {
	local target=${1%-*} suite=${1#*-} line
	line=$(sed -n 's/^\(apt-get build-dep [^#]*[^# ]\) *#.*/\1/p' "$top/docs/install.md")
	tar -C "$top" -c debian/control -C tests/packages Dockerfile | docker build --network=host \
		--build-arg SUITE="$suite" --build-arg LINE="$line" --target "$target" -t "jobio-$suite:$target" -
}
# A jobio-count for arm64, static, and the files of a virtual machine for it. Headers are this
# machine's; hwloc is not linked.
thing_arm64() {
	local name container tree=$work/arm64
	"$top/tests/vm/arm64-image" || return
	mkdir -p "$tree/arm64"
	container=$(docker create --network=none jobio-bookworm:arm64 true) || return
	for name in bpf elf z inih; do
		docker cp -L "$container:/usr/lib/aarch64-linux-gnu/lib$name.a" "$tree/arm64/" || return
	done
	docker rm "$container"
	cd "$tree" || return
	[[ -e Makefile ]] || "$work/src/configure" -q CC=gcc
	make -s -j"$(nproc)" jobio-count CC=aarch64-linux-gnu-gcc LIBTOOLFLAGS=--tag=CC "CFLAGS=$quick_gcc" \
		CPPFLAGS="-idirafter /usr/include/$(gcc -print-multiarch)" HWLOC_LIBS= INIH_A=arm64/libinih.a \
		BPF_LIBS='-Larm64 -lbpf -lelf -lz' PIE_LDFLAGS= LDFLAGS=-all-static
}
thing_kernel() { "$top/tests/vm/kernel" "$1"; }

# need_site SUITE, need_image SUITE - with the things that they are made of
need_site() { need packages-cluster docker "base-$1" "site-$1"; }
need_image() { need_site "$1" && need "image-$1"; }

# need_kernels SERIES... - kernels for virtual machines
need_kernels() {
	local kernel
	declare -A suite_of=([5.10]=bullseye [6.1]=bookworm [6.12]=trixie)
	need packages-machine packages-cluster docker || return 1
	for kernel in "$@"; do
		need "base-${suite_of[$kernel]:-trixie}" "kernel-$kernel" || return 1
	done
}

# ---- on this machine -----------------------------------------------------------

part_lint() {
	local status=0
	need "tree-$tree" || return 0
	JOBIO_PYTHON_TOOLS=$work/python run "$dir/lint.log" 300 "$top/tests/lint" "$work/$tree" || status=$?
	tests lint $status "$dir/lint.log"
	verdict 'some suite runs each file of cluster tests' none_left_out
}

# in_memory - make a folder for the nodes of files, which other users can enter like /tmp: below
# /dev/shm if programs may run there and 2 GiB are free. The caller removes it.
in_memory() {
	local place=/dev/shm folder
	if [[ ! -w $place || $(findmnt -no OPTIONS -T $place) == *noexec* ]] ||
		(($(df --output=avail -k $place | tail -n 1) < 2 << 20)); then
		place=${TMPDIR:-/tmp}
	fi
	folder=$(mktemp -d "$place/jobio-check.XXXXXX") && chmod 1777 "$folder" && echo "$folder"
}

# make_check TREE WHAT LIMIT [MAKE ARGUMENT...]
make_check() {
	local tree=$work/$1 what=$2 limit=$3 status=0 logs memory
	shift 3
	find "$tree" -name '*.trs' -delete
	memory=$(in_memory)
	TMPDIR=$memory run "$dir/check.log" "$limit" "${in_root[@]}" make -s -j$(($(nproc) + 2)) -C "$tree" -k check \
		"CFLAGS=$quick_gcc" "$@" || status=$?
	rm -rf "$memory"
	mapfile -t logs < <(test_logs "$tree")
	((status == 0)) || tail -n 15 "$dir/check.log"
	tests "$what" $status "${logs[@]}"
}

# tests that fail on purpose must be counted as failed
proves_counting() {
	local p f
	if run "$dir/bats.log" 60 bats --tap "$top/tests/must-fail/must_fail.bats" ||
		run "$dir/must_fail.log" 60 "$work/$tree/tests/must-fail/must_fail"; then
		say 'a suite that fails on purpose passed'
		return 1
	fi
	read -r p f < <("$top/tests/tools/tally" "$dir/bats.log" "$dir/must_fail.log" "$dir/gone.log")
	[[ "$p $f" == '2 5' ]] || { say "tests that fail on purpose count as '$p $f'"; return 1; }
}

# changed FILE... - do they differ from 20 commits ago? Yes if git cannot show that, as in
# a shallow clone or in an archive.
changed() {
	local git=(git -c "safe.directory=$top" -C "$top")
	! "${git[@]}" diff --quiet 'HEAD~20' -- "$@" 2>/dev/null ||
		[[ -n $("${git[@]}" ls-files --others --exclude-standard -- "$@") ]]
}

part_gcc() {
	need tree-gcc || return 0
	# shellcheck disable=SC2016 # make expands it
	JOBIO_SHARE=1 JOBIO_CRASH_EVERY=1 CK_TIMEOUT_MULTIPLIER=5 make_check gcc 'make check, gcc' 1800 \
		'TESTS=$(LONG_TESTS) $(SUBJECT_TESTS) $(UNIT_TESTS) $(BATS_TESTS) $(PYTHON_TESTS)'
	verdict 'tests that fail on purpose are counted' proves_counting
}

# Two ledgers, each with its own node of one Galera cluster.
part_galera() {
	local status=0
	need tree-gcc && need packages-galera || return 0
	run "$dir/build.log" 600 make -s -C "$work/gcc" tests/unit/test_store || tail -n 30 "$dir/build.log"
	run "$dir/galera.log" 300 "$top/tests/tools/with-galera" "$work/gcc/tests/unit/test_store" || status=$?
	tests 'two ledgers on Galera' $status "$dir/galera.log"
}

# Tests that are run before a commit only if their subject has changed
subjects() {
	! changed configure.ac m4 tests/scripts/configure.bats || echo tests/scripts/configure.bats
	! changed tests/bench tests/scripts/bench.bats || echo tests/scripts/bench.bats
	! changed ledger/comment.c record/summary.c tests/scripts/{readers.bats,sacct_readers.py,fake-sacct} ||
		echo tests/scripts/readers.bats
	! changed tests/sim || echo tests/sim/client.bats
	! changed tests/sim client/weka tests/scripts/standin.bats || echo tests/scripts/standin.bats
}

# Before a commit: make check, with other crash steps each day; without hardening.bats, which
# needs a build without sanitizers.
#   In "all", which has run the rest without sanitizers: scripts of programs that parse most
# data of other programs, or are daemons.
part_sanitizers() {
	local which subjects
	need tree-sanitizers || return 0
	if [[ $level == all ]]; then
		# shellcheck disable=SC2016 # make expands it
		which='$(UNIT_TESTS)'$(printf ' tests/scripts/%s.bats' account ledger live lustre peers prolog_faults prolog_left)
		export JOBIO_SHARE=4
	else
		mapfile -t subjects < <(subjects)
		which="\$(filter-out %/hardening.bats,\$(LONG_TESTS) ${subjects[*]} \$(UNIT_TESTS) \$(BATS_TESTS) \$(PYTHON_TESTS))"
		export JOBIO_CRASH_FIRST=$((EPOCHSECONDS / 86400 % 8 + 1))
	fi
	CK_TIMEOUT_MULTIPLIER=5 make_check sanitizers 'sanitized' 1800 "TESTS=$which"
	[[ $level == all ]] || verdict 'tests that fail on purpose are counted' proves_counting
}

# A twentieth of the random rounds. Fair scheduling: otherwise threads take turns through
# bytes in a pipe, which are then counted as the program's I/O.
part_valgrind() {
	need tree-gcc || return 0
	# shellcheck disable=SC2016 # make expands it
	JOBIO_SHARE=20 CK_TIMEOUT_MULTIPLIER=20 make_check gcc 'unit programs under valgrind' 1800 \
		'TESTS=$(UNIT_TESTS)' \
		LOG_COMPILER="$top/tests/tools/timed $work/gcc/libtool --mode=execute valgrind" \
		LOG_FLAGS='-q --fair-sched=yes --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite'
}

# crashes N - N random schedules of crashes, for each type of client
crashes() {
	run "$dir/soak.log" $((600 + $1 * 12)) make -s -C "$work/$tree" soak SOAK_CRASHES="$1" ||
		{ tail -n 30 "$dir/soak.log"; return 1; }
}

part_soak() {
	local n=${SOAK_CRASHES:-20}
	[[ $level == all ]] || n=1
	need "tree-$tree" || return 0
	verdict "$n random schedules of crashes for each type of client" crashes "$n"
}

# Random bytes, 10 s (or FUZZ_S) for each parser; before a commit 1 s, the same inputs each time.
# In "all" at the lowest priority, parallel to the other parts.
part_fuzz() {
	local status=0 seconds=${FUZZ_S:-10}
	[[ $level == all ]] || { seconds=1; export FUZZ_SEED=1; }
	need "tree-$tree" || return 0
	renice -n 19 $BASHPID >/dev/null
	run "$dir/build.log" 900 make -s -j2 -C "$work/$tree" fuzz-programs ||
		tail -n 30 "$dir/build.log"
	run "$dir/fuzz.log" $((1200 + 40 * seconds)) \
		make -s -C "$work/$tree" fuzz FUZZ_S="$seconds" || status=$?
	tests 'random bytes' $status "$dir/fuzz.log"
}

# Compile everything from the archive, with little optimization, and run the tests that use
# files of it: they show that the archive is complete.
distcheck() {
	local which
	which=$(cd "$top" && grep -lE 'SRCDIR|MACHINES' tests/unit/test_*.c | sed 's/\.c$//' | paste -sd' ')
	# shellcheck disable=SC2016 # make expands it
	run "$dir/distcheck.log" 1800 make -s -j"$(nproc)" -C "$work/gcc" \
		distcheck DISTCHECK_CONFIGURE_FLAGS=CFLAGS=-O1 'TESTS=$(DIST_TESTS) '"$which" ||
		{ tail -n 30 "$dir/distcheck.log"; return 1; }
}

# the files that old-glibc --programs lists are ELF files of the build tree
are_programs() {
	local file
	"$top/tests/tools/old-glibc" --programs "$work/$tree" >"$dir/programs" || return
	while read -r file; do
		readelf -h "$work/$tree/$file" >/dev/null || return
	done <"$dir/programs"
}

# Symbols of Enterprise Linux 8 and 9: none newer, of glibc or of a library.
part_glibc() {
	local status=0
	if [[ $level != all ]]; then
		need "tree-$tree" && verdict 'older glibcs: the files to look at are compiled' are_programs
		return 0
	fi
	need packages-zig zig || return 0
	cd "$work/src" || return
	run "$dir/glibc.log" 1800 "$top/tests/tools/old-glibc" "$work/zig/bin/python" "$work/glibc" 2.28 2.34 || status=$?
	tests 'older glibcs' $status "$dir/glibc.log"
}

# The archive contains each file that is compiled, documentation or a test.
is_archived() {
	local made
	run "$dir/distdir.log" 300 make -s -C "$work/$tree" distdir distdir="$dir/archive" ||
		{ tail -n 30 "$dir/distdir.log"; return 1; }
	made=$(cd "$work/src" && comm -23 <(find . -type f | sort) <(cd "$dir/archive" && find . -type f | sort) |
		grep -vE '/(\.|autom4te|__pycache__)|^\./m4/(libtool|lt)')
	rm -rf "$dir/archive"
	[[ -z $made ]] || { say "not in the archive: $made"; return 1; }
}

part_dist() {
	need "tree-$tree" || return 0
	if [[ $level == all ]]; then
		verdict 'make distcheck' distcheck
	else
		verdict 'make distdir' is_archived
	fi
}

# The page of a report in a browser, light and dark, wide and narrow; before a commit
# one test.
part_page() {
	local status=0
	need "tree-$tree" && need packages-browser || return 0
	[[ $level == all ]] || export JOBIO_BATS_FILTER='^bars over time'
	SRCDIR=$top BUILDDIR=$work/$tree bats_files "$dir/page.log" 600 "$top/tests/browser/page.bats" || status=$?
	tests 'pages in Chromium' $status "$dir/page.log"
}

part_diff() {
	local status=0 n=500 odd=300
	[[ $level == all ]] || n=100 odd=60
	need "tree-$tree" || return 0
	export ASAN_OPTIONS=detect_leaks=0	# hwloc's library leaks
	run "$dir/build.log" 600 "${in_root[@]}" make -s -C "$work/$tree" diff-programs || tail -n 30 "$dir/build.log"
	run "$dir/diff.log" 900 "${in_root[@]}" "$work/$tree/tests/diff/slurmd_diff" \
		--count=$n --keep="$dir/kept" || status=$?
	tests 'made-up machines' $status "$dir/diff.log"
	status=0
	run "$dir/odd.log" 900 "${in_root[@]}" "$work/$tree/tests/diff/slurmd_diff" --odd \
		--count=$odd --keep="$dir/kept-odd" || status=$?
	tests 'odd machines' $status "$dir/odd.log"
}

# ---- in containers ---------------------------------------------------------------

# The unit programs, and scripts of subjects that depend on Slurm, its files or libraries;
# make check with gcc has run all of them on this machine, with ten times as many
# random rounds.
# shellcheck disable=SC2016 # make expands it
suite_unit() {
	local logs which
	which='$(UNIT_TESTS)'$(printf ' tests/scripts/%s.bats' account cores count ledger locality)
	find "$top/build/cluster/$1/obj" -name '*.trs' -delete
	in_image "$1" check 1800 --init --cap-add=SYS_PTRACE \
		-e CK_TIMEOUT_MULTIPLIER=5 -- \
		make -s -j$(($(nproc) + 1)) -C /jobio/obj -k check "CFLAGS=$quick -Wno-error" "TESTS=$which" PYTHON_TESTS= || :
	mapfile -t logs < <(test_logs "$top/build/cluster/$1/obj")
	tests "$1, make check" "$(missing "$dir/check.passed")" "${logs[@]}"
}

suite_diff() {
	# shellcheck disable=SC2016 # the container's shell expands it
	in_image "$1" diff 900 --init -- sh -c 'make -s -C /jobio/obj diff-programs &&
		/jobio/obj/tests/diff/slurmd_diff --count=200' || :
	tests "$1, made-up machines" "$(missing "$dir/diff.passed")" "$dir/diff.log"
	in_image "$1" odd 900 --init -- /jobio/obj/tests/diff/slurmd_diff --odd --count=200 || :
	tests "$1, odd machines" "$(missing "$dir/odd.passed")" "$dir/odd.log"
}

suite_stand_in() {
	in_image "$1" sim 300 --device /dev/fuse --cap-add=SYS_ADMIN --cap-add=SYS_NICE \
		--security-opt apparmor:unconfined -v "$top/tests/sim:/sim:ro" --init -- \
		bats --tap /sim/node.bats || :
	tests "$1, stand-in on a node" "$(missing "$dir/sim.passed")" "$dir/sim.log"
}

# cluster_files WHICH - the test files of a cluster: on every suite those that depend on the
# Slurm version; on one or two those that take minutes or test jobio only.
cluster_files() {
	local files=(smoke option gate node ledger drain)
	[[ $level != all ]] || files+=(alone hostile mine sacct count_only)
	case $level-$1 in
		all-bookworm) files+=(disk fleet) ;;
		all-trixie) files+=(calibrate cloud clusters firewall rows spool two_ledgers upgrade) ;;
		all-sid) files+=(deploy live rollout deploy_page) ;;
		*-upgrade) files=(slurm_upgrade) ;;
		*-pyxis) files=(pyxis) ;;
		*-auth) files=(auth) ;;
	esac
	printf "$top/tests/cluster/%s.bats\n" "${files[@]}"
}

# Each test file of clusters is run by a suite.
none_left_out() {
	local level=all suite files
	files=$(comm -13 <(for suite in "${suites[@]}" upgrade pyxis auth; do cluster_files "$suite"; done | sort -u) \
		<(printf '%s\n' "$top"/tests/cluster/*.bats | sort))
	[[ -z $files ]] || { say "no suite runs $files"; return 1; }
}

# jobio from source, on one host of the suite
suite_source() {
	local status=0
	run "$dir/source.log" 200 env JOBIO_NAME="$project-$1-source" "$top/tests/packages/source" "$1" || status=$?
	tests "$1, make install to make uninstall" $status "$dir/source.log"
}

# suite_cluster SUITE [upgrade|auth] - its tests, or those that start a cluster of their own
suite_cluster() {
	local which=${2:-$1} status=0 name=$project-$1 files log=$dir/cluster.log
	mapfile -t files < <(cluster_files "$which")
	case $which in
		upgrade) name=$project-upgrade ;;
		auth) which=$1-auth log=$dir/auth.log ;;
	esac
	if ! "$top/tests/cluster/cluster" up "$name" "$1" "$tag"; then
		verdict "$which, a cluster comes up" false
		return 0
	fi
	say "$which: the cluster is up"
	JOBIO_CLUSTER=$name JOBIO_SUITE=$1 bats_files "$log" 1800 "${files[@]}" || status=$?
	((status == 0)) ||
		"$top/tests/cluster/cluster" logs "$name" "$1" "$tag" >"$dir/containers.log" 2>&1
	"$top/tests/cluster/cluster" down "$name" "$1" "$tag"
	tests "$which, cluster" $status "$log"
}

# for docs/tested.md
slurm_version() { docker run --rm --network=none "jobio-$1:site" slurmctld -V >"$dir/version"; }

# cluster SUITE
part_cluster() {
	need_image "$1" || return 0
	trap '"$top/tests/cluster/cluster" down "$project-${part#*-}" "${part#*-}" "$tag" || :' EXIT
	slurm_version "$1"
	if [[ $level == all ]]; then
		suite_unit "$1"
		suite_diff "$1"
		suite_stand_in "$1"
	fi
	suite_source "$1"
	suite_cluster "$1"
	[[ $level != all || $1 == bookworm ]] || SITE=auth_slurm suite_cluster "$1" auth # 24.05 and later
}

# Upgrade a cluster from one Slurm to the other while jobs run.
part_upgrade() {
	need_image trixie && need_image sid && need newer-sid || return 0
	trap '"$top/tests/cluster/cluster" down "$project-upgrade" trixie "$tag" || :' EXIT
	suite_cluster trixie upgrade
}

# A cluster with real pyxis and enroot, if a kit of them is beside this tree (see
# CONTRIBUTING.md).
part_pyxis() {
	local status=0 name=$project-pyxis
	if [[ ! -d $kits/pyxis-kit ]]; then
		not_run 'a kit of pyxis and enroot'
		return 0
	fi
	need_image trixie && need pyxis-trixie || return 0
	trap '"$top/tests/cluster/cluster" down "$project-pyxis" trixie "$tag-pyxis" || :' EXIT
	if ! "$top/tests/cluster/cluster" up "$name" trixie "$tag-pyxis"; then
		verdict 'a cluster with pyxis comes up' false
		return 0
	fi
	JOBIO_CLUSTER=$name JOBIO_SUITE=trixie bats_files "$dir/pyxis.log" 300 "$top/tests/cluster/pyxis.bats" || status=$?
	tests 'pyxis and enroot' $status "$dir/pyxis.log"
}

# slurms VERSION - a Slurm that no Debian has, if a kit of it is beside this tree (see
# CONTRIBUTING.md)
part_slurms() {
	local status=0
	if [[ ! -d $slurm_kit/$1 ]]; then
		not_run 'a kit of other Slurms'
		return 0
	fi
	need_site bookworm || return 0
	run "$dir/slurm.log" 900 env JOBIO_NAME="$project-slurm-$1" \
		"$top/tests/packages/slurm" "$slurm_kit/$1" || status=$?
	tests "Slurm $1, from source" $status "$dir/slurm.log"
}

# in_packager LOG LIMIT SUITE IMAGE COMMAND... - in a container without a network
in_packager() {
	run "$dir/$1.log" "$2" docker run --rm --network=none --name "$project-$3-packages" \
		-v "$top/build/packages/$3:/jobio" -v "$top/tests/packages:/packages:ro" "jobio-$3:$4" "${@:5}"
}

# make_packages SUITE IMAGE COMMAND...
make_packages() { in_packager "$2" 900 "$@" || { tail -n 30 "$dir/$2.log"; return 1; }; }

same_files() { in_packager same 60 "$1" judge /packages/same-files || { cat "$dir/same.log"; return 1; }; }

# is_content SUITE LINT - has LINT reported nothing?
is_content() {
	[[ -e $top/build/packages/$1/$2.passed ]] ||
		{ tail -n 30 "$top/build/packages/$1/$2.log"; return 1; }
}

# on_plain_debian LOG LIMIT SUITE FILE... - test the packages; dependencies come from the mirrors
on_plain_debian() {
	run "$dir/$1.log" "$2" docker run --rm --network=host --name "$project-$3-packages" \
		-v "$top/README.md:/text/README.md:ro" -v "$top/docs:/text/docs:ro" \
		-v "$top/build/packages/$3/debs:/debs:ro" -v "$top/tests/packages:/packages:ro" \
		"jobio-$3:base" /packages/plain "${@:4}"
}

# packages SUITE - make them, and test them on a host of that suite; on one suite lintian and
# rpmlint check them, too. On the others they are compiled with less optimization.
part_packages() {
	local status=0
	need_site "$1" && need "packager-builder-$1" || return 0
	mkdir -p "$top/build/packages/$1"
	"$top/tests/tools/copy-tree" "$top/build/packages/$1/src"
	if [[ $1 == bookworm ]]; then
		judged_packages "$1"
	else
		verdict "$1, make deb with what docs/install.md installs" make_packages "$1" builder env DEB_CFLAGS_APPEND='-O1 -g0' /packages/build
	fi
	on_plain_debian weights 400 "$1" weights.bats || status=$?
	tests "$1, what packages add to a host" $status "$dir/weights.log"
	status=0
	run "$dir/debs.log" 300 env JOBIO_NAME="$project-$1-debs" "$top/tests/packages/debs" "$1" || status=$?
	tests "$1, apt install to apt purge" $status "$dir/debs.log"
}

judged_packages() {
	local status=0
	verdict "$1, make deb with what docs/install.md installs" make_packages "$1" builder /packages/build
	need "packager-judge-$1" || return 0
	verdict "$1, make rpm" make_packages "$1" judge /packages/judge
	verdict "$1, lintian finds no error and warns of nothing" is_content "$1" lintian
	verdict "$1, rpmlint finds no error and warns of nothing" is_content "$1" rpmlint
	verdict "$1, packages of both kinds have the same files" same_files "$1"
	in_packager rpms 200 "$1" judge bats --tap /packages/rpms.bats || status=$?
	tests "$1, scripts of the rpms" $status "$dir/rpms.log"
	status=0
	on_plain_debian install 600 "$1" install.bats lines.bats || status=$?
	tests "$1, packages on a plain Debian" $status "$dir/install.log"
}

# ---- on virtual machines -----------------------------------------------------------

# vm SUITE - the virtual machine shuts itself down
part_vm() {
	local status=0
	need_image "$1" && need_kernels 6.1 || return 0
	if [[ $1 == bookworm ]]; then need_kernels 5.10 6.12 || return 0; fi
	slurm_version "$1"
	run "$dir/vm.log" 1700 "$top/tests/vm/run" "$1" "$tag" || status=$?
	tests "$1, virtual machine" $status "$dir/vm.log"
}

# All kinds of I/O on the oldest, a middle and the newest kernel, some on each, with full
# preemption all. Before a commit some on the newest kernel, with the suite of its cluster,
# and times on 6.12 if counting has changed.
part_count() {
	local status=0 suite=trixie series=(newest) runs=(newest-preempt) timed='' loaded=newest
	! changed count tests/vm/{truth.c,count-truth,count-times,count.bats} tests/sim/wekafs.c ||
		timed=6.12 series=(newest 6.12)
	[[ $level != all ]] || suite=bookworm series=(5.10 6.1 6.12 6.18 newest) timed='' loaded='6.1 newest' \
		runs=(5.10 6.12 newest {6.1,6.12,6.18,newest}-preempt)
	need tree-gcc && need_site trixie && need_site $suite && need_kernels "${series[@]}" || return 0
	SRCDIR=$top BUILDDIR=$work/gcc JOBIO_KERNELS="${runs[*]}" JOBIO_TIMED=$timed JOBIO_LOADED=$loaded \
		JOBIO_VM_IMAGE=jobio-$suite:site \
		bats_files "$dir/count.log" 2400 "$top"/tests/vm/count{_load,}.bats || status=$?
	tests counting $status "$dir/count.log"
}

# Two emulated machines; two minutes.
part_arm64() {
	local status=0
	need packages-machine packages-arm64 packages-cluster docker base-bookworm base-trixie &&
		need arm64 kernel-6.1-arm64 kernel-6.12-arm64 || return 0
	SRCDIR=$top BUILDDIR=$work/arm64 bats_files "$dir/arm64.log" 600 "$top/tests/vm/arm64.bats" || status=$?
	tests 'counting on arm64' $status "$dir/arm64.log"
}

# Two machines at a time; half a minute.
part_clocks() {
	local status=0
	need tree-gcc && need_site bookworm && need_kernels 6.1 || return 0
	SRCDIR=$top BUILDDIR=$work/gcc bats_files "$dir/clocks.log" 400 "$top/tests/vm/clocks.bats" || status=$?
	tests 'clocks that differ' $status "$dir/clocks.log"
}

# Real NFS, on full kernels: cloud kernels have no rdma_rxe.
part_nfs() {
	local status=0
	need tree-gcc && need packages-machine packages-cluster docker base-bookworm base-trixie &&
		need kernel-6.1-full && need kernel-6.12-full || return 0
	SRCDIR=$top BUILDDIR=$work/gcc bats_files "$dir/nfs.log" 2700 \
		"$top"/tests/vm/nfs{,_cores}.bats || status=$?
	tests 'real NFS' $status "$dir/nfs.log"
}

# Servers and client of a real Lustre, if a kit is beside this tree (see
# CONTRIBUTING.md).
part_lustre() {
	local status=0 kit=$kits/lustre-kit
	if [[ ! -x $kit/lustre-up ]]; then
		not_run 'a kit of a real Lustre'
		return 0
	fi
	need tree-gcc packages-machine packages-cluster || return 0
	SRCDIR=$top BUILDDIR=$work/gcc LUSTRE_KIT=$kit \
		bats_files "$dir/lustre.log" 1800 "$top/tests/vm/lustre.bats" || status=$?
	tests 'real Lustre' $status "$dir/lustre.log"
}
