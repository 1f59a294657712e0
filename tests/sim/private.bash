# SPDX-License-Identifier: GPL-2.0-or-later
# private.bash - for a file of tests: a stand-in under a root of its own, fresh
# for each test
load helpers

setup_file() {
	sim_install
}

setup() {
	sim_fresh
}

teardown_file() {
	sim_remove
}
