# SPDX-License-Identifier: GPL-2.0-or-later
# payload.bash - copy programs to the folder of a virtual machine (boot)
# shellcheck shell=bash

# payload_add DIR PROGRAM... - copy them to this folder, with their libraries; a machine has a
# libc of its own
payload_add() {
	local dir=$1 library
	shift
	mkdir -p "$dir"
	cp "$@" "$dir"
	while read -r library; do
		cp -L "$library" "$dir"
	done < <(ldd "$@" | awk '$3 ~ "^/" && $1 !~ "^libc\\.so" { print $3 }' | sort -u)
}

# payload_report DIR - copy the jobio command, with its helpers in the same folder
payload_report() {
	cp -r "$SRCDIR/report" "$1"
	sed -E 's:^(sys.path.insert\(0, |paths.LIBEXEC = )"[^"]*":\1"/payload":; s:^paths.SYSCONF.*:paths.SYSCONF = "/etc":' \
		"$BUILDDIR/jobio" >"$1/jobio"
	chmod +x "$1/jobio"
}
