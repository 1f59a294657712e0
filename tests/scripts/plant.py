#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""plant.py FOLDER SEED COUNT - write secrets and names into the files of a node

There is no list of places: each secret is written into any line of any text file, or into any part
of any JSON text, of FOLDER, as a comment, a setting, a mount option, a word, a key or a value.
Prints the strings that must not occur in a bundle: parts of the secrets of six characters or more.
"""
import base64
import json
import os
import random
import re
import sys

root, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)


def word(size: int = 0) -> str:
    return "".join(rng.choice("bcdfghjklmnpqrstvwxz") + rng.choice("aeiou")
                   for _ in range(size or rng.randint(3, 5)))


def digits(size: int) -> str:
    return "".join(rng.choice("0123456789") for _ in range(size))


def hexa(size: int) -> str:
    return "".join(rng.choice("0123456789abcdef") for _ in range(size))


KINDS = [
    lambda: word(),
    lambda: word().capitalize() + rng.choice("!-_+@") + digits(4) + word(),
    lambda: word().upper() + "-" + word().upper(),
    lambda: f"{word()}.{word()}.{rng.choice(['lan', 'local', 'internal', 'cloud', 'edu', 'de', 'corp'])}",
    lambda: f"{word()}{rng.randint(1, 99)}",
    lambda: f"{word()}[{rng.randint(1, 9)}-{rng.randint(10, 99)}]",
    lambda: f"{word()}@{word()}.{rng.choice(['com', 'lan', 'ch'])}",
    lambda: f"/~{word()}/{word()}",
    lambda: hexa(rng.choice([16, 32, 40, 64])),
    lambda: f"{hexa(8)}-{hexa(4)}-{hexa(4)}-{hexa(4)}-{hexa(12)}",
    lambda: base64.b64encode(rng.randbytes(24)).decode(),
    lambda: ".".join("eyJ" + base64.urlsafe_b64encode(rng.randbytes(18)).decode() for _ in range(3)),
    lambda: f"https://{word()}:{word()}@{word()}.{word()}.net:8443/{word()}?sig={hexa(20)}",
    lambda: ".".join(str(rng.randint(10, 250)) for _ in range(4)),
    lambda: ":".join(hexa(2) for _ in range(6)),
    lambda: f"fd{hexa(2)}:{hexa(4)}:{hexa(4)}::{hexa(4)}",
    lambda: f"AKIA{hexa(16).upper()}",
    lambda: f"ssh-ed25519 AAAA{base64.b64encode(rng.randbytes(33)).decode()} {word()}@{word()}",
    lambda: f"{word()}@o2ib{rng.randint(0, 9)}",
]


def files() -> list:
    found = []
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path) and not name.endswith(".xml"):
                found.append(path)
    return sorted(found)


def nodes(value: object) -> list:
    found = [value] if isinstance(value, (dict, list)) else []
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        found += nodes(child)
    return found


def plant_json(value: object, secret: str) -> None:
    node = rng.choice(nodes(value))
    if isinstance(node, list):
        node.append(rng.choice([secret, {word(): secret}, f"error: {secret} refused"]))
    elif node and rng.random() < 0.6:
        node[rng.choice(list(node))] = rng.choice([secret, f"failed to mount {secret}: timed out", [secret]])
    else:
        node[rng.choice([secret, word(), "password", "joinToken"])] = rng.choice([secret, {secret: 1}])


def plant_line(lines: list, secret: str) -> None:
    at = rng.randrange(len(lines) + 1)
    line = lines[at] if at < len(lines) else ""
    ways = [f"# {secret}", f"; was {secret}", f"{word()} = {secret}", f"{word()}={secret}",
            f"password={secret}", f"environment = API_TOKEN={secret}", f"{line} {secret}", f"[client {secret}]",
            f"{secret}:/{word()} /mnt/{word()} nfs rw,vers=3 0 0",
            f"{word()}.lan/{secret} /{secret} wekafs rw,container_name={secret},auth_token={secret} 0 0"]
    tokens = re.findall(r"[^\s,=:]+", line)
    if tokens:
        ways += [line.replace(rng.choice(tokens), secret, 1)] * 4
    lines.insert(at, rng.choice(ways))


for _ in range(count):
    secret = rng.choice(KINDS)()
    path = rng.choice(files())
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    try:
        value = json.loads(text)
        plant_json(value, secret)
        text = json.dumps(value)
    except (ValueError, IndexError):
        lines = text.split("\n")
        plant_line(lines, secret)
        text = "\n".join(lines)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    parts = re.findall(r"[A-Za-z0-9.:-]{6,}", secret) + re.findall(r"[A-Za-z0-9]{6,}", secret)
    print("\n".join(sorted(set(parts) - {"internal"})))
