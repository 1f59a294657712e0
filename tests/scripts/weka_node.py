#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""weka_node.py SEED - the WEKA containers of a random node of two sockets with 48 cores each

Even CPUs are on the first socket, odd ones on the second. Even seeds have one thread a core (96
CPUs), odd seeds two: CPU c and c + 96 are one core. Prints six lines: threads, the arguments of
containers() in converged.bats, one a line each after "--", the CPUs on which the containers poll,
their CpuSpecList, and the number of containers with automatic cores."""
import random
import sys


def ranges(numbers: set) -> str:
    words, first, last = [], None, None
    for n in sorted(numbers) + [None]:
        if last is not None and n != last + 1:
            words.append(str(first) if first == last else f"{first}-{last}")
            first = None
        first, last = (n if first is None else first), n
    return ",".join(words)


rng = random.Random(int(sys.argv[1]))
threads = 1 + int(sys.argv[1]) % 2
free = rng.sample(range(2, 96), 94)
words, cores, automatic = [], set(), 0
for i in range(rng.randint(1, 16)):
    ids = [free.pop() for _ in range(rng.randint(1, 5))]
    if rng.random() < 0.06 and i:
        ids, automatic = [4294967295], automatic + 1
    else:
        cores |= set(ids)
    words += [f"c{i}", rng.choice(["FRONTEND", "FRONTEND", "COMPUTE", "DRIVES"]),
              " ".join(map(str, ids))]
slurms = {(core % 2 * 48 + core // 2) * threads + t for core in cores for t in range(threads)}
print(threads, *words, sep="\n")
print("--", ranges(cores | {core + 96 for core in cores if threads == 2}), ranges(slurms),
      automatic, sep="\n")
