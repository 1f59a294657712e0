# SPDX-License-Identifier: GPL-2.0-or-later
"""jobio check --capture FILE: the input of the checks and the clients on a real node, in one file.

capture.list has the input and the words that are kept; all others are replaced, each always by
the same word, and listed in replaced.txt. Files are at their paths, outputs of commands in
answers/ (check_host.recorded), the machine in topology.xml. `jobio check --root=FOLDER` checks
the unpacked file.
"""
from __future__ import annotations

import http.client
import io
import json
import os
import re
import socket
import tarfile

from report import files, paths
from report.check_conf import expand
from report.check_host import NOT_FOUND, Answer, Host, answer_name
from report.check_node import AUTO_DETECT
from report.check_slurm import beside
from report.command import Failure
from report.types import Any

READ_S = 10
PROBE_S = 60  # jobio-count loads all programs
RPC = ("POST /api/v1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
       "Content-Length: {length}\r\nConnection: close\r\n\r\n")  # as client/weka/counters.c
FILE_MAX = 256 << 10
FILES_MAX = 4000
MOUNTED = re.compile(r"\s(wekafs|nfs4?|lustre|gpfs)\s")
PARAMETERS = re.compile(r"\b(?:\w*iommu|clocksource|tsc|nomodeset|[\w.]*max_cstate|numa_balancing|"
                        r"isolcpus|nohz_full|lockdown|mitigations)\b\S*")
CONFIGURATION = re.compile(r"/(jobio|service|weka|slurm)\.conf$")
CONSTRAIN = re.compile(r"(?i)\bConstrainCores\s*=\s*(yes|no|true|false|up|down|1|0)\b")
SECRET = re.compile(r"(?i)pass|secret|token|key|auth|cred|cookie|jwt|cert|storage_|description")
ADDRESS = (r"(?:[0-9a-f]{2}:){5,19}[0-9a-f]{2}\b|(?:[0-9a-f]{4}:){3}[0-9a-f]{4}\b|"
           r"(?<![\w:])(?=[0-9a-f:]*::|(?:[0-9a-f]+:){7})[0-9a-f:]{3,39}(?![\w:])|"
           r"(?<![\d.])(?!127\.|0\.0\.|255\.)\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
PCI = r"\b[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d\b"
TOKEN = re.compile(rf"(?i)(?P<address>{ADDRESS})|(?P<pci>{PCI})|"
                   r"(?P<word>[^\W_](?:[\w.~@+-]|\[[\d,-]+\])*|_\w[\w.-]*|[^\x00-\x7f]\w*)")
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# "key = value" to the end of the line, "key=value" to the next blank or comma
SETTING = re.compile(r"([A-Za-z_][\w.-]*)(\s*:\s+|\s+=\s*|=(?=\s*$))(.*)")
OPTION = re.compile(r"([A-Za-z_][\w.-]*)=([^\s,]*)")


def ask(path: str, question: str) -> str:
    """Send a request to a unix socket: to mmfsd, or a JSON-RPC method to a container of WEKA."""
    folder = os.open(os.path.dirname(path), os.O_PATH)  # the path may be too long
    link, reply = socket.socket(socket.AF_UNIX), b""
    link.settimeout(READ_S)
    try:
        link.connect(f"/proc/self/fd/{folder}/{os.path.basename(path)}")
        if question.startswith("mmpmon"):
            link.sendall(question.encode() + b"\n")
            while b"_response_ end" not in reply and (more := link.recv(65536)):
                reply += more
        else:
            body = f'{{"jsonrpc":"2.0","id":1,"method":"{question}","params":{{}}}}'
            link.sendall((RPC.format(length=len(body)) + body).encode())
            answer = http.client.HTTPResponse(link)
            answer.begin()
            reply = answer.read()
    except (OSError, http.client.HTTPException):
        pass  # keep the data so far
    finally:
        link.close()
        os.close(folder)
    return reply.decode(errors="replace")


def load() -> dict[str, list[str]]:
    parts: dict[str, list[str]] = {}
    with open(os.path.join(paths.REPORT, "capture.list"), encoding="utf-8") as file:
        for line in file:
            kind, _, rest = line.strip().partition(" ")
            parts.setdefault(kind, []).append(rest)
    return parts


class Scrub:
    """Replace words that are not in capture.list, each by the same word in the whole capture,
    numbered in the order in which they are first read."""

    def __init__(self, parts: dict[str, list[str]]) -> None:
        self.allowed = set(" ".join(
            parts["word"] + [key.lower() for key in parts["config"] + parts["node"]]).split())
        self.form = re.compile("|".join(parts["form"]))
        self.lines = re.compile("|".join(parts["line"]))
        self.words: dict[str, str] = {}  # {original word: replacement}
        self.used: dict[str, int] = {}
        self.counts: dict[str, int] = {}

    def replace(self, kind: str, text: str) -> str:
        if kind == "value":  # a number as a value must not replace numbers elsewhere
            text = "= " + text
        if text not in self.words:
            number = self.counts[kind] = self.counts.get(kind, 0) + 1
            self.words[text] = f"{kind}{number}"
            if kind == "address":
                self.words[text] = f"198.18.{number >> 8}.{number & 255}"
            elif kind == "pointer":
                self.words[text] = f"{text[:4]}{number:012x}"
        word = self.words[text]
        self.used[word] = self.used.get(word, 0) + 1
        return word

    def add_names(self, kind: str, *names: str) -> None:
        """Replace these names; of kinds "host" and "cluster" also allowed words."""
        for name in names:
            if name in ("", "ALL") or re.fullmatch(r"[\d.:]+", name):
                continue
            if name.lower() not in self.allowed or kind in ("host", "cluster"):
                self.replace(kind, name)

    def is_allowed(self, word: str) -> bool:
        """Return True for a form of capture.list, and for a word of listed parts only
        (lastFailureTime, read_ahead_kb)."""
        if word in self.words:
            return False
        if self.form.fullmatch(word) or word.lower() in self.allowed:
            return True
        parts = PARTS.findall(word)
        return "".join(parts) == word.replace("_", "") and all(
            part.lower() in self.allowed for part in parts)

    def word(self, word: str) -> str:
        """Replace a word; parts joined by - or . are replaced separately (work-OST0000-osc), but a
        number after a name belongs to the name (ip-10-0-0-1)."""
        end = re.search(r"[.-]*$", word)[0]  # type: ignore[index]
        word = word[:len(word) - len(end)]
        if word in self.words or self.is_allowed(word):
            return self.known(word) + end
        if not re.search(r"[~@+\[]", word):
            pieces = re.split(r"([.-]+)", word)
            unknown = [p for p in pieces[::2] if not self.is_allowed(p)]
            if not unknown or "." not in word and not any(p.isdigit() for p in pieces):
                return "".join(map(self.known, pieces)) + end
        return self.known(word, True) + end

    def known(self, word: str, name: bool = False) -> str:
        if re.fullmatch(r"[.-]*", word) or not name and self.is_allowed(word):
            return word
        return self.replace("pointer" if re.fullmatch("ffff[0-9a-f]{12}", word) else "name", word)

    def token(self, match: re.Match[str]) -> str:
        nid = re.fullmatch(r"([^@]+)(@(?:tcp|o2ib|kfi)\d{0,2})", match[0])
        if nid:  # a NID of LNet
            return self.text(nid[1]) + nid[2]
        if match["address"]:
            return self.replace("address", match[0].lower())
        return match[0] if match["pci"] else self.word(match[0])

    def text(self, text: str) -> str:
        return TOKEN.sub(self.token, text)

    def value(self, key: str, value: str) -> str:
        """Replace the value of a key: word by word if the key is allowed, else as a whole, numbers
        included."""
        if SECRET.search(key):
            return "removed" if value else value
        if not all(map(self.is_allowed, re.split("[.-]", key))) and value:
            return self.replace("value", value)
        if re.search("(?i)version", key) and re.fullmatch(r"[1-9](\.\d+){2,4}(-\d+)?", value):
            return value
        return self.options(value)

    def options(self, text: str) -> str:
        """Replace words, some of them key=value."""
        done, at = "", 0
        for match in OPTION.finditer(text):
            done += self.text(text[at:match.start()]) + self.key(match[1]) + "=" + self.value(
                match[1], match[2])
            at = match.end()
        return done + self.text(text[at:])

    def key(self, key: str) -> str:
        return "removed" if SECRET.search(key) and not self.is_allowed(key) else self.word(key)

    def line(self, line: str) -> str:
        if self.lines.fullmatch(line):
            return line
        match = SETTING.search(line)
        if not match or OPTION.search(line[:match.start()]):
            return self.options(line)
        return (self.options(line[:match.start()]) + self.key(match[1]) + match[2] +
                self.value(match[1], match[3]))

    def configuration(self, text: str, host: str) -> str:
        """Remove comments and secrets; nodes= becomes ALL if it includes this host."""
        lines = []
        for line in text.split("\n"):
            line = re.sub(r"(^|\s)[#;].*", "", line)
            key, equals, value = line.partition("=")
            if key.strip() in ("nodes", "wait_nodes") and host in expand(value):
                lines.append(f"{key}= ALL")
            elif line.strip() and not (equals and SECRET.search(key)):
                lines.append(self.line(line))
        return "\n".join([*lines, ""])

    def file(self, text: str) -> str:
        return "\n".join(map(self.line, text.split("\n")))

    def xml(self, text: str) -> str:
        return re.sub(r'((?:name|value|subtype)=")([^"]*)', lambda m: m[1] + self.text(m[2]), text)

    def json(self, value: Any, key: str = "id") -> Any:
        """Replace words in JSON of the same structure; key: that of the object or list around the
        value."""
        if isinstance(value, dict):
            return {self.key(k): self.json(v, k if not k.isdigit() else key)
                    for k, v in value.items()}
        if isinstance(value, list):
            return [self.json(v, key) for v in value]
        if isinstance(value, str):
            return self.value(key, value)
        if isinstance(value, bool) or value is None:
            return value
        return value if self.is_allowed(key) and not SECRET.search(key) else 0


def reduce(path: str, text: str) -> str:
    """Return the network filesystems of tables of mounts, and the lines that the checks need of
    other files."""
    name = os.path.basename(path)
    if name == "mountstats":
        blocks = re.split(r"(?m)^(?=device )", text)
        return "".join(b for b in blocks if re.match(r".* fstype nfs4?\b", b))
    if name in ("mounts", "mountinfo", "fstab"):
        return "".join(line + "\n" for line in text.splitlines() if MOUNTED.search(line))
    if name == "os-release":
        return "".join(re.findall(r"(?m)^(?:ID|VERSION_ID)=.*\n", text))
    return " ".join(PARAMETERS.findall(text)) + "\n" if name == "cmdline" else text


class Bundle:
    """files: texts by path in the capture"""

    def __init__(self, host: Host) -> None:
        self.host, self.parts = host, load()
        self.scrub = Scrub(self.parts)
        self.config = re.compile("(?i)" + "|".join(self.parts["config"]))
        self.files: dict[str, str] = {}

    def read(self, path: str) -> str:
        """Read a file with cat, which can be killed if a client hangs."""
        if self.host.root:
            return self.host.read(path) or ""
        return self.host.run(["cat", path], READ_S).out[:FILE_MAX]

    # ---- names

    def add_names(self) -> None:
        host, add = self.host, self.scrub.add_names
        add("host", host.name, *([] if host.root else [
            socket.gethostname(), socket.gethostname().split(".")[0]]))
        for key in ("SlurmctldHost", "AccountingStorageHost", "ClusterName", "SlurmUser"):
            values = [*host.settings(key), *(v for k, v in host.local if k == key.lower())]
            kind = {"C": "cluster", "U": "user"}.get(key.removeprefix("Slurm")[0], "host")
            add(kind, *re.split(r"[(),]", ",".join(values)))
        for partition in host.partitions or []:
            add("partition", partition.get("PartitionName", ""))
            add("host", *sorted(expand(partition.get("Nodes", "")))[:100])
        conf = host.read(host.conf) or ""
        for kind, values in re.findall(r"(?m)^(host|user)\s*=\s*(.*)$", conf):
            add(kind, *re.split(r"[,\s]+", values))
        self.add_mount_names()

    def add_mount_names(self) -> None:
        mounts = self.read("/proc/self/mounts")
        for line in reduce("mounts", mounts).splitlines():
            source, _, kind = line.split()[:3]
            parts = (source, "", "") if kind.startswith("nfs") else source.rpartition("/")
            servers, name = parts[0], parts[2]
            self.scrub.add_names("fs", name)
            servers = re.sub(r"@\w+", "", servers)  # a network of LNet
            self.scrub.add_names("host", *[word.strip("[]") for word in re.split(
                r",|:(?=/|$|[\w.-]+(?::|$))", servers) if "/" not in word])
        self.scrub.add_names("name", *re.findall(r"(?:Container|container_name)=([\w.-]+)",
                                             mounts + self.read("/proc/wekafs/interface")))

    # ---- replies and files

    def answer(self, words: list[str], answer: Answer | None = None) -> None:
        answer = answer or self.host.run(words, READ_S)
        if answer.status == NOT_FOUND:
            return
        try:
            out = json.dumps(self.scrub.json(json.loads(answer.out)), indent=1) + "\n"
        except (ValueError, RecursionError):
            out = self.scrub.file(answer.out)
        name = "answers/" + answer_name([words[0], *[
            self.scrub.words.get(word, word) for word in words[1:]]])
        self.files[name] = out
        for end, text in ((".err", answer.err), (".rc", str(answer.status or ""))):
            if text:
                self.files[name + end] = self.scrub.file(text)

    def commands(self) -> None:
        host = self.host
        for line in self.parts["command"]:
            line, _, given = line.partition(" < ")
            words, names = line.split(), []
            answer = host.run(["sh", "-c", f"echo {given} | {line}"] if given and not host.root
                              else words, READ_S)
            self.scrub.add_names("name", *re.findall(r" _(?:nn|cl|fs)_ (\S+)", answer.out))
            if words[1:3] == ["local", "ps"]:
                names = re.findall(r'"name":\s*"([^"]+)"', answer.out)
                self.scrub.add_names("name", *names)
            self.answer(words, answer)
            for name in names:
                for more in ([], ["--stable"]):
                    self.answer(["weka", "local", "resources", "-C", name, *more, "-J"])
        for line in self.parts["socket"]:
            pattern, _, question = line.partition(" ")
            for path in host.glob(pattern):
                output, name = ask(host.path(path), question), path.split("/")[-2]
                self.scrub.add_names("name", *re.findall(r" _(?:nn|cl|fs)_ (\S+)", output))
                if "weka" in path:
                    self.scrub.add_names("name", name)
                self.answer(["weka" if "weka" in path else "mmfsd", name, question],
                            Answer(0, output) if output else Answer(NOT_FOUND))
        config = "".join(f"{key} = {value}\n" for key, values in (host.config or {}).items()
                         for value in values if self.config.match(key))
        node = " ".join(f"{k}={v}" for k, v in (host.node or {}).items() if k in self.parts["node"])
        for words, text in ((["config"], config), (["node", host.name], node)):
            if text:
                self.answer(["scontrol", "-ao", "show", *words], Answer(0, text))
        if not host.root:
            self.roles()

    def roles(self) -> None:
        """Add the queries of check_roles about this node, and slurmd's lines for the checks."""
        host = self.host
        name = self.scrub.replace("host", host.name)
        daemons = [daemon for role, daemon in (("ctld", "slurmctld"), ("node", "slurmd"))
                   if host.is_role(role)]
        self.files["etc/hostname"] = name + "\n"
        self.files["answers/scontrol_show_daemons"] = " ".join(daemons) + "\n"
        if host.is_role("node"):
            self.files["answers/scontrol_show_aliases_" + name] = name + "\n"
        pid = host.process("slurmd")
        status = host.read(f"/proc/{pid}/status") or ""
        if pid:
            self.files[f"proc/{pid}/status"] = "".join(re.findall(
                r"(?m)^(?:Name|NSpid|CapBnd|Cpus_allowed_list):.*\n", status))

    def ours(self) -> None:
        """Add the sources of counters: names of the kernel only; and codes of findings."""
        count = paths.helper("jobio-count")
        for options in ([], ["--btf=/sys/kernel/btf/vmlinux", "--kallsyms=/proc/kallsyms"]):
            answer = self.host.run([count, "probe", *options], PROBE_S)
            if not answer.status:
                self.files["answers/" + answer_name([count, "probe", *options])] = answer.out
        found = self.host.run([paths.helper("jobio-facts"), "--conf=" + self.host.conf,
                               "--host=" + self.host.name, "--helpers=" + paths.LIBEXEC,
                               "--no-ledger", "--text"], READ_S)
        self.files["answers/findings"] = "".join(re.findall(r"(?m)^[A-Z]+\d+ \w+", found.out))

    def topology(self) -> None:
        text = self.host.read("/topology.xml") if self.host.root else self.host.run(
            ["lstopo-no-graphics", "--of", "xml"], READ_S).out
        if text:
            kept = "|".join(self.parts["xml"])
            text = re.sub(rf'\s*<info name="(?!{kept})[^"]*" value="[^"]*"/>', "", text)
            self.files["topology.xml"] = self.scrub.xml(text)

    def system(self) -> None:
        host = self.host
        for pattern in (*self.parts["file"], host.conf):
            for path in host.glob(pattern)[:FILES_MAX - len(self.files)]:
                text = self.read(path) if os.path.isfile(host.path(path)) else ""
                name = "/etc/slurm/jobio.conf" if path == host.conf else self.scrub.text(path)
                if text or path.startswith("/proc/self/mount"):  # an empty table is valid
                    if CONFIGURATION.search(path):
                        text = self.scrub.configuration(text, host.name)
                    else:
                        text = self.scrub.file(reduce(path, text))
                    self.files[name[1:]] = text
        for name, kept in (("cgroup.conf", CONSTRAIN), ("gres.conf", AUTO_DETECT)):
            text = re.sub("#.*", "", host.read(beside(host.slurm_conf, name)) or "")
            if kept.search(text):
                self.files["etc/slurm/" + name] = "".join(
                    one[0] + "\n" for one in kept.finditer(text))
        self.files["etc/slurm/slurm.conf"] = self.scrub.configuration("".join(
            f"{key}={value}\n" for key, value in host.local if self.config.match(key)), "")

    def list(self) -> str:
        rows = sorted(self.scrub.used.items(), key=lambda row: (row[0].rstrip("0123456789"),
                                                                len(row[0]), row[0]))
        return ("Kept: words and forms of capture.list (keys, states and options of Slurm and of\n"
                "the filesystem clients), numbers and versions, and kernel functions.\n"
                "Replaced: every other word, each by the same word throughout. Removed: comments\n"
                "of configuration files and values of keys for passwords, secrets and tokens.\n\n" +
                "".join(f"{word:<16} {count} x\n" for word, count in rows))


def packed(parts: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, text in sorted(parts.items()):
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(text.encode()), 0o644
            tar.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()


def write(host: Host, file: str) -> int:
    bundle = Bundle(host)
    bundle.add_names()
    bundle.commands()
    if not host.root:
        bundle.ours()
    bundle.topology()
    bundle.system()
    bundle.files["replaced.txt"] = bundle.list()
    try:
        files.replace(file, packed(bundle.files), 0o600)
    except OSError as error:
        raise Failure(f"--capture: '{file}': {error.strerror}") from None
    print(f"{file}: {len(bundle.files)} files; {len(bundle.scrub.used)} words were "
          f"replaced.\nLook at it (tar -xzf {file}), then send it: see README.md.")
    return 0
