# SPDX-License-Identifier: GPL-2.0-or-later
"""Formats of numbers, times and texts for users, spreadsheets and Slurm"""
import pytest
from conftest import rows

from report import check_conf, csv, jobs, sacct, units


@pytest.mark.parametrize("words, said", rows("""
    size 0 | 0
    size 1024 | 1 KiB
    size 1048576 | 1 MiB
    size 13207024435 | 12.3 GiB
    count 999 | 999
    count 999600 | 1 M
    count 45000000 | 45 M
    span 999 | 999 ns
    span 1500000 | 1.5 ms
    elapsed 3560 | 00:59:20
    elapsed 93784 | 1-02:03:04
    """))
def test_numbers_have_three_digits_and_a_unit(words, said):
    assert getattr(units, words[0])(int(words[1])) == said


@pytest.mark.parametrize("cell, said", [
    ("=1+1", '"\'=1+1"'), ("+1", '"\'+1"'), ("-1", '"\'-1"'), ("@x", '"\'@x"'), ("a=1", '"a=1"'),
    ('say "x"', '"say ""x"""'), ("", '""'), (None, "")])
def test_what_a_spreadsheet_would_take_for_a_formula_is_none_in_csv(cell, said):
    assert csv.cell(cell) == said


@pytest.mark.parametrize("text, seconds", [
    ("00:00.500", 0.5), ("59:20", 3560), ("01:00:00", 3600), ("1-02:03:04", 93784), ("", None), ("x", None)])
def test_times_of_sacct(text, seconds):
    assert sacct.seconds(text) == seconds


@pytest.mark.parametrize("text, size", [
    ("41G", 41 << 30), ("1.5M", 3 << 19), ("512K", 512 << 10), ("0", 0), ("", None), ("x", None)])
def test_memory_of_sacct(text, size):
    assert sacct.memory(text) == size


@pytest.mark.parametrize("text, cpus", [("0-2,8", {0, 1, 2, 8}), ("", set()), ("3-1", set()), ("x", set())])
def test_lists_of_cpus(text, cpus):
    assert units.parse_cpus(text) == cpus
    assert not cpus or units.format_cpus(cpus) == text


@pytest.mark.parametrize("text, names", [
    ("n01", {"n01"}), ("n[08-10],m7", {"n08", "n09", "n10", "m7"}), ("r[1-2]n[1,3]", {"r1n1", "r1n3", "r2n1", "r2n3"})])
def test_lists_of_nodes(text, names):
    assert check_conf.expand(text) == names


def test_columns_have_widths():
    assert [width for _, width in jobs.columns("jobid,jobname%20")][1] == 20
