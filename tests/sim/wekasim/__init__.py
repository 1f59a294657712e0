# SPDX-License-Identifier: GPL-2.0-or-later
"""wekasim - a WEKA client for tests: the documented behaviour, faults included."""
