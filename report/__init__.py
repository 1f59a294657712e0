# SPDX-License-Identifier: GPL-2.0-or-later
"""The jobio command: a module for each thing that is shown, and one for each that is asked."""
