# SPDX-License-Identifier: GPL-2.0-or-later
"""metrics_check.py - check Prometheus text strictly by its format

metrics_check.py [NAME[{LABEL="VALUE"}]]... <TEXT
Fails at the first line that is not of exposition format 0.0.4, as promtool does.
Prints the number of series, then the value of each series that was named.
"""
import re
import sys

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(r"(%s)(\{%s(?:,%s)*\})? (\S+)" % (NAME, LABEL, LABEL))


def fail(number, line, why):
    sys.exit("line %d: %s: %r" % (number, why, line))


def read(text):
    if not text.endswith("\n"):
        sys.exit("the last line does not end")
    series, family, state, seen, kind = {}, None, None, set(), None
    for number, line in enumerate(text[:-1].split("\n"), 1):
        if line.startswith("# HELP "):
            if state == "type":
                fail(number, line, "the family before has no sample")
            family, _, words = line[7:].partition(" ")
            if not re.fullmatch(NAME, family) or not words.endswith(".") or words[0].islower():
                fail(number, line, "HELP needs a name and a sentence")
            if family in seen:
                fail(number, line, "the family is there twice")
            seen.add(family)
            state = "help"
        elif line.startswith("# TYPE "):
            name, _, kind = line[7:].partition(" ")
            if state != "help" or name != family or kind not in ("counter", "gauge"):
                fail(number, line, "TYPE must follow the HELP of its family")
            if (kind == "counter") != family.endswith("_total"):
                fail(number, line, "counters, and only they, end in _total")
            state = "type"
        else:
            match = SAMPLE.fullmatch(line)
            if not match or state not in ("type", "sample") or match[1] != family:
                fail(number, line, "not a sample of the family above it")
            key = match[1] + (match[2] or "")
            if key in series:
                fail(number, line, "the series is there twice")
            if not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?", match[3]):
                fail(number, line, "not a number")
            if kind == "counter" and float(match[3]) < 0:
                fail(number, line, "a counter below zero")
            series[key] = match[3]
            state = "sample"
    if state != "sample":
        sys.exit("the last family has no sample")
    return series


def main():
    series = read(sys.stdin.read())
    print(len(series))
    for name in sys.argv[1:]:
        if name not in series:
            sys.exit("no such series: " + name)
        print(series[name])


if __name__ == "__main__":
    main()
