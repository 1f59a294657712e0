# SPDX-License-Identifier: GPL-2.0-or-later
"""jobio check --capture FILE: what the checks and the clients read on a real node, in one file.

capture.list says what is read. Files are at their paths, outputs of commands in answers/
(check_host.recorded), the machine in topology.xml. Names, addresses, paths and ids are
replaced, each always by the same word; replaced.txt lists the words. `jobio check
--root=FOLDER` checks the unpacked file.
"""
from __future__ import annotations

import http.client
import io
import json
import os
import re
import socket
import tarfile

from report import paths
from report.check_conf import expand
from report.check_host import Answer, Host, answer_name
from report.command import Failure
from report.types import Any

READ_S = 10
PROBE_S = 60  # it loads all programs
RPC = ("POST /api/v1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
       "Content-Length: {length}\r\nConnection: close\r\n\r\n")  # as client/weka/wire.c
FILE_MAX = 256 << 10
FILES_MAX = 4000
MOUNTED = re.compile(r"\s(wekafs|nfs4?|lustre|gpfs)\s")
PARAMETERS = re.compile(r"\b(?:\w*iommu|clocksource|tsc|nomodeset|[\w.]*max_cstate|numa_balancing|"
                        r"isolcpus|nohz_full|lockdown|mitigations)\b\S*")
ENUMS = re.compile(r"(?i)(status|state|type|mode|kind|action|method|roles?|version|governor)$")
NO_NAME = re.compile(r"[A-Z][A-Z0-9_ ]*|[\d.,:TZ+-]*[hms]?|\w+Id<\d+>|v?\d+(\.\d+)+[\w.-]*")
OURS = re.compile(r"/(usr|etc|proc|sys|dev|run|lib|lib64|bin|sbin|boot|opt/weka|"
                  r"var/(lib|log|run|spool|mmfs))(/|$)")
SECRET = re.compile(r"(?im)^\s*\w*(?:pass|secret|token|key|authinfo|description|storage_)\w*"
                    r"\s*[=:].*$")
ADDRESS = re.compile(
    r"(?i)\b(?:[0-9a-f]{2}:){5,19}[0-9a-f]{2}\b|\b(?:[0-9a-f]{4}:){3}[0-9a-f]{4}\b|"
    r"(?<![\w:])(?=[0-9a-f:]*::|(?:[0-9a-f]+:){7})[0-9a-f:]{3,39}(?![\w:])|"
    r"(?<![\d.])(?!127\.|0\.0\.|255\.)\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
IDENTITY = re.compile(r"(?i)\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|"
                      r"\b(?=[0-9]*[a-f])[0-9a-f]{16,}\b|\b[A-Z0-9]{24,}\b")
POINTER = re.compile("ffff[0-9a-f]{12}")  # of a mount of Lustre's
DOMAIN = re.compile(r"(?i)\b(?:[a-z0-9-]+\.)+(?!so\b|py\b|sh\b|ko\b|gz\b|md\b)"
                    r"(?:com|org|net|edu|gov|int|[a-z]{2})\b")
PATH = re.compile(r"(?<![\w./>-])/[\w@.+-][\w@.+/\\-]*")


def ask(path: str, question: str) -> str:
    """A server on a unix socket: mmfsd, or a container of WEKA's, with a method of its JSON-RPC."""
    folder = os.open(os.path.dirname(path), os.O_PATH)  # the path itself may be too long
    link, said = socket.socket(socket.AF_UNIX), b""
    link.settimeout(READ_S)
    try:
        link.connect(f"/proc/self/fd/{folder}/{os.path.basename(path)}")
        if question.startswith("mmpmon"):
            link.sendall(question.encode() + b"\n")
            while b"_response_ end" not in said and (more := link.recv(65536)):
                said += more
        else:
            body = f'{{"jsonrpc":"2.0","id":1,"method":"{question}","params":{{}}}}'
            link.sendall((RPC.format(length=len(body)) + body).encode())
            answer = http.client.HTTPResponse(link)
            answer.begin()
            said = answer.read()
    except (OSError, http.client.HTTPException):
        pass  # what came before is kept
    finally:
        link.close()
        os.close(folder)
    return said.decode(errors="replace")


def load() -> dict[str, list[str]]:
    parts: dict[str, list[str]] = {}
    with open(os.path.join(paths.REPORT, "capture.list"), encoding="utf-8") as file:
        for line in file:
            kind, _, rest = line.strip().partition(" ")
            parts.setdefault(kind, []).append(rest)
    return parts


class Scrub:
    """Puts one word for each name, address, path and id."""

    def __init__(self, known: list[str]) -> None:
        self.known = set(" ".join(known).split())  # they name nobody
        self.words: dict[str, str] = {}
        self.used: dict[str, int] = {}
        self.counts: dict[str, int] = {}
        self.names = re.compile(r"(?!)")

    def put(self, kind: str, text: str) -> str:
        if text not in self.words:
            number = self.counts[kind] = self.counts.get(kind, 0) + 1
            self.words[text] = {
                "address": f"198.18.{number >> 8}.{number & 255}",
                "id": f"{text[:4]}{number:012x}" if POINTER.fullmatch(text) else f"id{number}",
            }.get(kind, f"{kind}{number}")
        word = self.words[text]
        self.used[word] = self.used.get(word, 0) + 1
        return word

    def learn(self, kind: str, *names: str) -> None:
        for name in names:
            if name and name.lower() not in self.known and not re.fullmatch(r"[\d.:]+|ALL", name):
                self.put(kind, name)
        known = sorted(filter(lambda n: n[0] != "/", self.words), key=len, reverse=True)
        self.names = re.compile(r"(?<![A-Za-z0-9])(?:" + "|".join(map(re.escape, known)) +
                                r")(?![A-Za-z0-9])" if known else r"(?!)")

    def path(self, text: str) -> str:
        """A part of it that is known is the same word elsewhere."""
        text = text.rstrip("/")
        tops = [top for top in self.words if top[0] == "/" and text.startswith(top + "/")]
        if OURS.match(text) or not text:
            return text
        if not tops:
            return self.put("/path", text)
        top = max(tops, key=len)
        return self.put("/path", top) + self.put("/path", text[len(top):])

    def named(self, text: str) -> str:
        return self.names.sub(lambda m: self.put("", m[0]), text)

    def line(self, line: str) -> str:
        line = IDENTITY.sub(lambda m: self.put("id", m[0]), line)
        if not re.search(r"(?i)version|release|software", line):  # "4.4.2.157"
            line = ADDRESS.sub(lambda m: self.put("address", m[0]), line)
        line = self.named(PATH.sub(lambda m: self.path(m[0]), line))
        return DOMAIN.sub(lambda m: self.put("host", m[0]), line)

    def text(self, text: str) -> str:
        text = re.sub(r"\w+://[^\s\"]+", "url", SECRET.sub("# removed", text))
        return "\n".join(map(self.line, text.split("\n")))

    def json(self, value: Any, key: str = "") -> Any:
        """A string that is no word of a program's, no number and no sentence is a name."""
        if isinstance(value, dict):
            return {k if re.fullmatch("[A-Za-z_]+", k) else self.named(k): self.json(v, k)
                    for k, v in value.items()}
        if isinstance(value, list):
            return [self.json(v, key) for v in value]
        if not isinstance(value, str) or value.lower() in self.known or ENUMS.search(key):
            return value
        if re.search(r"(?i)secret|token|passw", key):
            return "removed"
        if NO_NAME.fullmatch(value) and not ADDRESS.fullmatch(value):
            return value
        if re.search(r"(?i)message|failure|reason|/|\.", key + value) or os.path.exists(
                f"/sys/class/net/{value}"):
            return self.text(value)
        return self.put("name", value)


def reduce(path: str, text: str) -> str:
    """Of tables of mounts the network filesystems, of others what the checks look for."""
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
    def __init__(self, host: Host) -> None:
        self.host, self.parts = host, load()
        self.scrub = Scrub(self.parts["word"])
        self.config = re.compile("(?i)" + "|".join(self.parts["config"]))
        self.files: dict[str, str] = {}

    def read(self, path: str) -> str:
        """cat, which can be ended where a client hangs."""
        if self.host.root:
            return self.host.read(path) or ""
        return self.host.run(["cat", path], READ_S).out[:FILE_MAX]

    # ---- names

    def learn(self) -> None:
        host, learn = self.host, self.scrub.learn
        learn("host", host.name, *([] if host.root else [
            socket.gethostname(), socket.gethostname().split(".")[0]]))
        for key in ("SlurmctldHost", "AccountingStorageHost", "ClusterName", "SlurmUser"):
            values = [*host.settings(key), *(v for k, v in host.local if k == key.lower())]
            kind = {"C": "cluster", "U": "user"}.get(key.removeprefix("Slurm")[0], "host")
            learn(kind, *re.split(r"[(),]", ",".join(values)))
        for partition in host.partitions or []:
            learn("partition", partition.get("PartitionName", ""))
            learn("host", *sorted(expand(partition.get("Nodes", "")))[:100])
        conf = host.read(host.conf) or ""
        for kind, values in re.findall(r"(?m)^(host|user)\s*=\s*(.*)$", conf):
            learn(kind, *re.split(r"[,\s]+", values))
        self.learn_mounts()

    def learn_mounts(self) -> None:
        mounts = self.read("/proc/self/mounts")
        for line in reduce("mounts", mounts).splitlines():
            source, target, kind = line.split()[:3]
            if not OURS.match(target):
                self.scrub.put("/path", target.rstrip("/"))
            parts = (source, "", "") if kind.startswith("nfs") else source.rpartition("/")
            servers, name = parts[0], parts[2]
            self.scrub.learn("fs", name)
            if name in self.scrub.words:  # HOST:/NAME of Lustre, whose folders have NAME
                self.scrub.words["/" + name] = "/" + self.scrub.words[name]
            servers = re.sub(r"@\w+", "", servers)  # a network of LNet's
            self.scrub.learn("host", *[word.strip("[]") for word in re.split(
                r",|:(?=/|$|[\w.-]+(?::|$))", servers) if "/" not in word])
        self.scrub.learn("name", *re.findall(r"(?:Container|container_name)=([\w.-]+)",
                                             mounts + self.read("/proc/wekafs/interface")))

    # ---- answers and files

    def answer(self, words: list[str], answer: Answer | None = None) -> None:
        answer = answer or self.host.run(words, READ_S)
        if answer.status == 127:
            return
        out = self.scrub.text(answer.out)
        try:
            if words[0] == "weka":
                out = json.dumps(self.scrub.json(json.loads(answer.out)), indent=1) + "\n"
        except ValueError:
            pass
        name = "answers/" + answer_name([words[0], *map(self.scrub.text, words[1:])])
        self.files[name] = out
        for end, text in ((".err", answer.err), (".rc", str(answer.status or ""))):
            if text:
                self.files[name + end] = self.scrub.text(text)

    def commands(self) -> None:
        host = self.host
        for line in self.parts["command"]:
            line, _, given = line.partition(" < ")
            words, names = line.split(), []
            answer = host.run(["sh", "-c", f"echo {given} | {line}"] if given and not host.root
                              else words, READ_S)
            self.scrub.learn("name", *re.findall(r" _(?:nn|cl|fs)_ (\S+)", answer.out))
            if words[1:3] == ["local", "ps"]:
                names = re.findall(r'"name":\s*"([^"]+)"', answer.out)
                self.scrub.learn("name", *names)
            self.answer(words, answer)
            for name in names:
                for more in ([], ["--stable"]):
                    self.answer(["weka", "local", "resources", "-C", name, *more, "-J"])
        for line in self.parts["socket"]:
            pattern, _, question = line.partition(" ")
            for path in host.glob(pattern):
                said, name = ask(host.path(path), question), path.split("/")[-2]
                self.scrub.learn("name", *re.findall(r" _(?:nn|cl|fs)_ (\S+)", said),
                                 *[name] * ("weka" in path))
                self.answer(["weka" if "weka" in path else "mmfsd", name, question],
                            Answer(0, said, "", "") if said else Answer(127, "", "", ""))
        config = "".join(f"{key} = {value}\n" for key, values in (host.config or {}).items()
                         for value in values if self.config.match(key))
        node = " ".join(f"{k}={v}" for k, v in (host.node or {}).items() if k in self.parts["node"])
        for words, text in ((["config"], config), (["node", host.name], node)):
            if text:
                self.answer(["scontrol", "-ao", "show", *words], Answer(0, text, "", ""))

    def ours(self) -> None:
        """How jobio counts here, and what it finds."""
        count = paths.helper("jobio-count")
        for words in ([count, "probe"], [count, "probe", "--btf=/sys/kernel/btf/vmlinux",
                                         "--kallsyms=/proc/kallsyms"]):
            self.answer(words, self.host.run(words, PROBE_S))
        self.answer([paths.helper("jobio-facts"), "--conf=" + self.host.conf,
                     "--host=" + self.host.name, "--helpers=" + paths.LIBEXEC, "--no-ledger",
                     "--text"])

    def topology(self) -> None:
        text = self.host.read("/topology.xml") if self.host.root else self.host.run(
            ["lstopo-no-graphics", "--of", "xml"], READ_S).out
        if text:
            kept = "|".join(self.parts["xml"])
            text = re.sub(rf'\s*<info name="(?!{kept})[^"]*" value="[^"]*"/>', "", text)
            self.files["topology.xml"] = IDENTITY.sub(lambda m: self.scrub.put("id", m[0]), text)

    def system(self) -> None:
        host = self.host
        for pattern in (*self.parts["file"], host.conf):
            for path in host.glob(pattern)[:FILES_MAX - len(self.files)]:
                text = self.read(path) if os.path.isfile(host.path(path)) else ""
                name = self.scrub.text(path) if re.search("lustre|lnet|weka", path) else path
                if text:
                    self.files[name[1:]] = self.scrub.text(reduce(path, text))
        lines = [f"{key}={self.scrub.text(value)}\n" for key, value in host.local
                 if self.config.match(key)]
        self.files[host.slurm_conf[1:]] = "".join(lines)

    def list(self) -> str:
        rows = sorted(self.scrub.used.items(), key=lambda row: (row[0].rstrip("0123456789"),
                                                                len(row[0]), row[0]))
        return ("What was replaced: each word stands for one name, address, path or id of this "
                "node's.\nValues of passwords, secrets, tokens and keys were removed.\n\n" +
                "".join(f"{word:<16} {count} x\n" for word, count in rows))


def save(file: str, files: dict[str, str]) -> None:
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out, \
            tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, text in sorted(files.items()):
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(text.encode()), 0o644
            tar.addfile(info, io.BytesIO(text.encode()))


def write(host: Host, file: str) -> int:
    bundle = Bundle(host)
    bundle.learn()
    bundle.commands()
    if not host.root:
        bundle.ours()
    bundle.topology()
    bundle.system()
    bundle.files["replaced.txt"] = bundle.list()
    try:
        save(file, bundle.files)
    except OSError as error:
        raise Failure(f"--capture: '{file}': {error.strerror}") from None
    print(f"{file}: {len(bundle.files)} files; {len(bundle.scrub.used)} names, addresses, paths "
          f"and ids were replaced.\nLook at it (tar -xzf {file}), then send it: see README.md.")
    return 0
