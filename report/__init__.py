# SPDX-License-Identifier: GPL-2.0-or-later
"""The jobio command: one module for each output, and one for each source of data."""
