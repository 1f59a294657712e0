#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# autogen.sh - make ./configure in a checkout (not needed in a tarball)
set -eu
cd "$(dirname "$0")"
mkdir -p build-aux m4
exec autoreconf --install --force
