# SPDX-License-Identifier: GPL-2.0-or-later
# place.bash - run from a copy if the checkout cannot be used in its place
#
# Tests start programs as other users, and configure accepts no blank in a path. place
# returns if another user can run a file of $top. Otherwise (a directory with mode
# 0700 above it, a file system mounted noexec, a blank in its path) it copies the
# checkout to /var/cache/jobio and runs the same command there.
# shellcheck shell=bash disable=SC2154 # check and demo set top

umask 022

place_is_fit() {
	[[ $EUID == 0 ]] || return 0
	[[ $top != *[[:space:]:]* ]] &&
		setpriv --reuid=65534 --regid=65534 --clear-groups -- test -x "$top/check"
}

# place [ARGUMENT...] - the arguments of the command
place() {
	local copy
	! place_is_fit || return 0
	[[ -z ${JOBIO_UPDATE:-} ]] || { echo "${0##*/}: JOBIO_UPDATE: '$top' is not a place to run in" >&2; exit 1; }
	copy=/var/cache/jobio/$(printf '%s' "$top" | cksum | cut -d' ' -f1)
	printf '%s: other users cannot run what lies in %s: going on in %s\n' "${0##*/}" "$top" "$copy"
	mkdir -p "$copy"
	find "$copy" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
	tar -C "$top" --exclude=./build -cf - . | tar -C "$copy" -xf -
	chmod -R u+rwX,go+rX "$copy"
	export JOBIO_SHARED=${JOBIO_SHARED:-$top/../shared}
	exec "$copy/${0##*/}" "$@"
}
