# SPDX-License-Identifier: GPL-2.0-or-later
# debian.bash - a Debian from the mirrors of this machine's apt
# shellcheck shell=bash

# resolve_uri URI - the address behind a mirror list of Debian's cloud images
resolve_uri() {
	local uri=$1
	[[ $uri == mirror+file:* ]] || { printf '%s\n' "$uri"; return; }
	awk '!/^#/ && NF { print $1; exit }' "${uri#mirror+file:}"
}

# apt_mirror PATTERN SUITE - print the first address in apt's configuration that has Debian's
# SUITE and a release that matches PATTERN (repositories of third parties have no such suite).
# shellcheck disable=SC2016 # apt fills in the format, not the shell
apt_mirror() {
	local pattern=$1 suite=$2 uri release
	while read -r uri release; do
		[[ $release =~ $pattern ]] || continue
		uri=$(resolve_uri "$uri")
		uri=${uri%/}
		serves "$uri" "$suite" || continue
		printf '%s\n' "$uri"
		return 0
	done < <(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' \
		'Identifier: Packages' | sort -u)
	return 1
}

# serves URI SUITE - true if the address has Debian's release file of the suite
serves() {
	local helper=/usr/lib/apt/apt-helper tmp rc=0
	tmp=$(mktemp -d)
	chmod 755 "$tmp"
	timeout 60 "$helper" download-file "$1/dists/$2/Release" "$tmp/Release" \
		>/dev/null 2>&1 && grep -q '^Origin: Debian$' "$tmp/Release" || rc=1
	rm -rf "$tmp"
	return $rc
}

sources() {
	local suite=$1 main security
	main=$(apt_mirror '^[a-z]+$' "$suite") ||
		die "no mirror in this machine's apt configuration has Debian $suite, or it does not answer"
	printf 'deb %s %s main\n' "$main" "$suite"
	[[ $suite != sid ]] || return 0
	printf 'deb %s %s-updates main\n' "$main" "$suite"
	security=$(apt_mirror '^[a-z]+-security$' "$suite-security") ||
		die "no mirror in this machine's apt configuration has $suite-security, or it does not answer"
	printf 'deb %s %s-security main\n' "$security" "$suite"
}

# debian_tar SUITE [PACKAGE...] - print a plain Debian as an archive; for the architecture
# $debian_arch, if set: its packages are only unpacked, since their scripts do not run here
#
# minbase is closest to the official slim images. A frozen mirror may be older than the
# Valid-Until of sid's release file allows. Without the hook bookworm gets perl as well. The
# "cat >&11" of mmdebstrap fails in dash, which accepts one digit: close our descriptors.
# shellcheck disable=SC2016 # the hooks' $1 is for mmdebstrap's shell
debian_tar() {
	local suite=$1 lists proxy opts=(--variant=minbase)
	[[ -z ${debian_arch:-} ]] || opts=(--variant=extract "--architectures=$debian_arch")
	lists=$(sources "$suite") || return 1
	proxy=$(apt-config dump --format '%v' Acquire::http::Proxy)
	[[ -z $proxy ]] || opts+=(--aptopt="Acquire::http::Proxy \"$proxy\"")
	shift
	(($# == 0)) || opts+=(--include="$(IFS=,; printf '%s' "$*")")
	mmdebstrap --quiet --mode=root \
		--hook-dir=/usr/share/mmdebstrap/hooks/maybe-merged-usr \
		--dpkgopt=force-unsafe-io \
		--dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-include=/usr/share/doc/*/copyright' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		--dpkgopt='path-exclude=/usr/share/info/*' \
		--aptopt='Acquire::Languages "none"' \
		--aptopt='Acquire::Check-Valid-Until "false"' "${opts[@]}" \
		--customize-hook='printf "#!/bin/sh\nexit 101\n" >"$1/usr/sbin/policy-rc.d"; chmod 755 "$1/usr/sbin/policy-rc.d"' \
		--customize-hook='rm -rf "$1"/var/log/*.log "$1"/etc/hostname "$1"/etc/resolv.conf' \
		"$suite" - "$lists" 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
}
