# SPDX-License-Identifier: GPL-2.0-or-later
"""jobio check --capture FILE: what the checks and the clients read on a real node, in one file.

Files are at their paths, outputs of commands in answers/ (check_host.recorded), the machine in
topology.xml. Names, addresses, paths and ids are replaced, each always by the same word;
replaced.txt lists the words. `jobio check --root=FOLDER` checks the unpacked file.
"""
from __future__ import annotations

import io
import json
import os
import re
import socket
import tarfile
from typing import Any

from report import paths
from report.check_conf import expand
from report.check_host import Answer, Host, answer_name
from report.check_slurm import local
from report.command import Failure

READ_S = 10
FILE_MAX = 256 << 10
FILES_MAX = 4000
MOUNTED = ("wekafs", "nfs", "nfs4", "lustre", "gpfs")
CPU, WEKA = "/sys/devices/system/cpu", "/etc/wekaio/"
FILES = (
    "/etc/os-release", "/proc/cmdline", "/proc/sys/kernel/numa_balancing", "/proc/sys/kernel/ostype", "/proc/self/mounts", "/proc/self/mountinfo",
    "/proc/self/mountstats", "/etc/fstab", "/sys/kernel/security/lockdown", CPU + "/online",
    CPU + "/isolated", CPU + "/smt/active", CPU + "/cpu[0-9]*/topology/thread_siblings_list",
    CPU + "/cpu0/cpuidle/state*/*", CPU + "/cpuidle/current_driver", "/sys/devices/system/node/node*/cpulist",
    "/sys/devices/system/clocksource/clocksource0/current_clocksource", "/sys/class/bdi/*/read_ahead_kb",
    "/sys/class/net/*/mtu", "/sys/class/net/*/speed", "/sys/class/net/*/device/numa_node",
    "/sys/class/infiniband/*/device/numa_node", "/sys/kernel/mm/hugepages/*/*_hugepages",
    WEKA + "service.conf", WEKA + "weka.conf", "/proc/wekafs/interface", "/proc/wekafs/*/interface",
    "/sys/fs/cgroup/cgroup.controllers", "/sys/fs/cgroup/weka*/cpuset.cpus.*", "/var/run/weka-agent.pid",
    *(f"{top}/{below}" for top in ("/sys/fs/lustre", "/sys/kernel/debug/lustre", "/proc/fs/lustre")
      for below in ("*", "llite/*/*", "mdc/*/*", "osc/*/*", "lmv/*/*")), "/sys/kernel/debug/lnet/*")
MM = "/usr/lpp/mmfs/bin/"
COMMANDS: tuple[list[str], ...] = (
    ["uname", "-r"], ["slurmd", "-C"], ["slurmd", "-V"], ["weka", "version"], ["weka", "local", "ps", "-J"],
    ["weka", "local", "status", "-J"], ["lctl", "get_param", "version"],
    ["lctl", "get_param", "llite.*.stats", "mdc.*.stats", "osc.*.stats"],
    [MM + "mmdiag", "--config", "-Y"], [MM + "mmdiag", "--waiters", "-Y"], [MM + "mmdiag", "--version", "-Y"])
# of what scontrol shows, what the checks read
CONFIG = re.compile(r"(AccountingStorage(Host|Type)|AllowSpec|ClusterName|Constrain|Epilog|HASH_VAL|"
                    r"PlugStackConfig|PluginDir|Pro(log|ctrack)|SchedulerParameters|SelectType|"
                    r"SlurmUser|SlurmctldHost|Slurmd(Param|Pid|Spool)|SLURM_VERSION|TaskPlugin)", re.IGNORECASE)
NODE = ("NodeName", "NodeHostName", "CPUTot", "Sockets", "Boards", "CoresPerSocket", "ThreadsPerCore",
        "CoreSpecCount", "CPUSpecList", "MemSpecLimit", "Version", "State")
XML_INFO = ("CPU", "Architecture", "OS", "hwloc", "Backend", "PCIVendor", "PCIDevice", "Type")
# words of clients and of systems, which tell nobody's name
WORDS = {"client", "default", "frontend0", "drives0", "compute0", "envoy", "weka", "root", "slurm",
         "munge", "nobody", "localhost", "none", "auto", "udp", "lo", "tcp", "rdma"}
ENUMS = re.compile(r"(status|state|type|mode|kind|action|method|roles?|version|governor)$", re.IGNORECASE)
OURS = re.compile(r"/(usr|etc|proc|sys|dev|run|lib|lib64|bin|sbin|boot|opt/weka|var/(lib|log|run|spool|mmfs))(/|$)")
SECRET = re.compile(r"(?im)^\s*\w*(?:pass|secret|token|key|authinfo|description|storage_)\w*\s*[=:].*$")
ADDRESS = re.compile(
    r"\b(?:[0-9a-f]{2}:){5,19}[0-9a-f]{2}\b|\b(?:[0-9a-f]{4}:){3}[0-9a-f]{4}\b|"
    r"(?<![\w:])(?=[0-9a-f:]*::|(?:[0-9a-f]+:){7})[0-9a-f:]{3,39}(?![\w:])|"
    r"(?<![\d.])(?!127\.|0\.0\.|255\.)\d{1,3}(?:\.\d{1,3}){3}(?![\d.])", re.IGNORECASE)
IDENTITY = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=[0-9]*[a-f])[0-9a-f]{16,}\b|"
                      r"\b[A-Z0-9]{24,}\b", re.IGNORECASE)
DOMAIN = re.compile(r"\b(?:[a-z0-9-]+\.)+(?!so\b|py\b|sh\b|ko\b|gz\b|md\b)(?:com|org|net|edu|gov|int|[a-z]{2})\b",
                    re.IGNORECASE)
PATH = re.compile(r"(?<![\w./>-])/[\w@.+-][\w@.+/\\-]*")


class Scrub:
    """Puts one word for each name, address, path and id."""

    def __init__(self) -> None:
        self.words: dict[str, str] = {}
        self.used: dict[str, int] = {}
        self.counts: dict[str, int] = {}
        self.names = re.compile(r"(?!)")

    def put(self, kind: str, text: str) -> str:
        if text not in self.words:
            number = self.counts[kind] = self.counts.get(kind, 0) + 1
            self.words[text] = {"address": f"198.18.{number >> 8}.{number & 255}",
                                "path": f"/path{number}"}.get(kind, f"{kind}{number}")
        word = self.words[text]
        self.used[word] = self.used.get(word, 0) + 1
        return word

    def learn(self, kind: str, *names: str) -> None:
        for name in names:
            if name and name.lower() not in WORDS and not re.fullmatch(r"[\d.:]+|\(null\)|ALL", name):
                self.put(kind, name)
        known = sorted((re.escape(n) for n in self.words if not n.startswith("/")), key=len, reverse=True)
        self.names = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(known)})(?![A-Za-z0-9])" if known else r"(?!)")

    def path(self, text: str) -> str:
        if OURS.match(text):
            return text
        parts = text.rstrip("/").split("/")
        for size in range(len(parts), 1, -1):  # below a path that is known
            top = "/".join(parts[:size])
            if top in self.words and size < len(parts):
                return self.put("path", top) + self.put("path", "/" + "/".join(parts[size:]))
        return self.put("path", text.rstrip("/"))

    def text(self, text: str) -> str:
        text = SECRET.sub("# removed", text)
        text = re.sub(r"\w+://[^\s\"]+", "url", text)
        lines = []
        for line in text.split("\n"):
            line = IDENTITY.sub(lambda m: self.put("id", m[0]), line)
            if not re.search(r"version|release|software", line, re.IGNORECASE):  # "4.4.2.157"
                line = ADDRESS.sub(lambda m: self.put("address", m[0]), line)
            line = PATH.sub(lambda m: self.path(m[0]), line)
            line = self.names.sub(lambda m: self.put("", m[0]), line)
            lines.append(DOMAIN.sub(lambda m: self.put("host", m[0]), line))
        return "\n".join(lines)

    def json(self, value: Any, key: str = "") -> Any:
        """Every string that is no word of the program's, no number and no sentence is a name."""
        if isinstance(value, dict):
            return {self.names.sub(lambda m: self.put("", m[0]), k): self.json(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [self.json(v, key) for v in value]
        if not isinstance(value, str) or value.lower() in WORDS or ENUMS.search(key):
            return value
        if re.search(r"secret|token|passw", key, re.IGNORECASE):
            return "removed"
        if re.fullmatch(r"[A-Z][A-Z0-9_ ]*|[\d.,:TZ+-]*[hms]?|\w+Id<\d+>|v?\d+(\.\d+)+[\w.-]*", value) \
                and not ADDRESS.fullmatch(value):
            return value
        if re.search(r"message|failure|reason|/|\.", key + value, re.IGNORECASE) or os.path.exists(f"/sys/class/net/{value}"):
            return self.text(value)
        return self.put("name", value)


def mounts_only(path: str, text: str) -> str:
    """Of tables of mounts the lines of network filesystems."""
    if path.endswith("mountstats"):
        blocks = re.split(r"(?m)^(?=device )", text)
        return "".join(block for block in blocks if re.search(r"fstype (nfs4?)\b", block.split("\n")[0]))
    return "".join(line + "\n" for line in text.splitlines()
                   if any(re.search(rf"[\s]{kind}[\s]", line) for kind in MOUNTED))


def reduce(path: str, text: str) -> str:
    name = os.path.basename(path)
    if name in ("mounts", "mountinfo", "mountstats", "fstab"):
        return mounts_only(path, text)
    if name == "os-release":
        return "".join(re.findall(r"(?m)^(?:ID|VERSION_ID)=.*\n", text))
    if name == "cmdline":  # what the checks look for
        return " ".join(re.findall(r"\b(?:\w*iommu|clocksource|tsc|nomodeset|[\w.]*max_cstate|numa_balancing|"
                                   r"isolcpus|nohz_full|lockdown|mitigations)\b\S*", text)) + "\n"
    return text


class Bundle:
    def __init__(self, host: Host) -> None:
        self.host, self.scrub = host, Scrub()
        self.files: dict[str, str] = {}

    def read(self, path: str) -> str | None:
        """cat, which can be ended where a client hangs."""
        if self.host.root:
            return self.host.read(path)
        answer = self.host.run(["cat", path], READ_S)
        return answer.out[:FILE_MAX] if answer.status == 0 else None

    def learn(self) -> None:
        host, learn = self.host, self.scrub.learn
        names = [host.name, socket.gethostname(), socket.gethostname().split(".")[0]] if not host.root \
            else [host.name]
        learn("host", *names)
        for key in ("SlurmctldHost", "AccountingStorageHost"):
            learn("host", *[w for value in host.settings(key) + local(host, key) for w in re.split(r"[(),]", value)])
        learn("cluster", host.setting("ClusterName"), *local(host, "ClusterName"))
        learn("user", host.setting("SlurmUser").partition("(")[0])
        for partition in host.partitions or []:
            learn("partition", partition.get("PartitionName", ""))
            learn("host", *[n for n in sorted(expand(partition.get("Nodes", "")))[:100]])
        for line in mounts_only("", self.read("/proc/self/mounts") or "").splitlines():
            source, target, kind = line.split()[:3]
            if not OURS.match(target):
                self.scrub.put("path", target.rstrip("/"))
            servers, _, name = source.rpartition("/") if kind in ("wekafs", "gpfs", "lustre") else (source, "", "")
            learn("fs", name)
            learn("host", *[w.strip("[]") for w in re.split(r"[,@]|:(?=/|\w+@)", servers) if "/" not in w])
        seen = (self.read("/proc/wekafs/interface") or "") + (self.read("/proc/self/mounts") or "")
        learn("name", *re.findall(r"(?:Container|container_name)=([\w.-]+)", seen))
        conf = host.read(host.conf) or ""
        learn("host", *re.split(r"[,\s]+", " ".join(re.findall(r"(?m)^(?:host|storage_host)\s*=\s*(.*)$", conf))))
        learn("user", *re.findall(r"(?m)^(?:user)\s*=\s*(.*)$", conf))

    def answer(self, words: list[str], answer: Answer | None = None) -> None:
        answer = answer or self.host.run(words, READ_S)
        if answer.status != 127:
            try:
                out = json.dumps(self.scrub.json(json.loads(answer.out)), indent=1) + "\n"
            except ValueError:
                out = self.scrub.text(answer.out)
            if "jobio-" in words[0]:  # names of the kernel's functions
                out = self.scrub.text(answer.out)
            name = "answers/" + answer_name([words[0], *map(self.scrub.text, words[1:])])
            self.files[name] = out
            for end, text in ((".err", answer.err), (".rc", str(answer.status or ""))):
                if text:
                    self.files[name + end] = self.scrub.text(text)

    def slurm(self) -> None:
        host = self.host
        config = [f"{key} = {value}" for key, values in (host.config or {}).items() for value in values
                  if CONFIG.match(key)]
        if config:
            self.answer(["scontrol", "-ao", "show", "config"], Answer(0, "\n".join(config) + "\n", "", ""))
        node = " ".join(f"{k}={v}" for k, v in (host.node or {}).items() if k in NODE)
        if node:
            self.answer(["scontrol", "-ao", "show", "node", host.name], Answer(0, node + "\n", "", ""))

    def clients(self) -> None:
        for words in COMMANDS:
            answer = self.host.run(words, READ_S)
            names = re.findall(r'"name":\s*"([^"]+)"', answer.out) if words[1:3] == ["local", "ps"] else []
            self.scrub.learn("name", *names)
            self.answer(words, answer)
            for name in names:
                for more in ([], ["--stable"]):
                    self.answer(["weka", "local", "resources", "-C", name, *more, "-J"])

    def ours(self) -> None:
        """How jobio counts here, and what it finds."""
        count, facts = paths.helper("jobio-count"), paths.helper("jobio-facts")
        self.answer([count, "probe"])
        self.answer([count, "probe", "--btf=/sys/kernel/btf/vmlinux", "--kallsyms=/proc/kallsyms"])
        self.answer([facts, "--conf=" + self.host.conf, "--host=" + self.host.name, "--no-ledger", "--text"])

    def topology(self) -> None:
        text = self.host.read("/topology.xml") if self.host.root else \
            self.host.run(["lstopo-no-graphics", "--of", "xml"], READ_S).out
        if text:
            text = re.sub(r'\s*<info name="(?!' + "|".join(XML_INFO) + r')[^"]*" value="[^"]*"/>', "", text)
            self.files["topology.xml"] = IDENTITY.sub(lambda m: self.scrub.put("id", m[0]), text)

    def system(self) -> None:
        for pattern in (*FILES, self.host.conf, self.host.slurm_conf):
            for path in self.host.glob(pattern)[:FILES_MAX - len(self.files)]:
                if os.path.isfile(self.host.path(path)) and (text := self.read(path)):
                    text = reduce(path, text) if path != self.host.slurm_conf else "".join(
                        f"{key}={value}\n" for key, value in self.host.local if CONFIG.match(key))
                    self.files[self.scrub.text(path).lstrip("/")] = self.scrub.text(text)

    def list(self) -> str:
        rows = sorted(self.scrub.used.items(), key=lambda row: (re.sub(r"\d+$", "", row[0]), len(row[0]), row[0]))
        return ("What was replaced: each word stands for one name, address, path or id of this node's;\n"
                "values of passwords, secrets, tokens and keys were removed.\n\n" +
                "".join(f"{word:<16} {count} x\n" for word, count in rows))


def write(host: Host, file: str) -> int:
    bundle = Bundle(host)
    bundle.learn()
    bundle.clients()  # first: names of containers are learned
    bundle.slurm()
    if not host.root:
        bundle.ours()
    bundle.topology()
    bundle.system()
    bundle.files["replaced.txt"] = bundle.list()
    try:
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out, \
                tarfile.open(fileobj=out, mode="w:gz") as tar:
            for name, text in sorted(bundle.files.items()):
                data = text.encode()
                info = tarfile.TarInfo(name)
                info.size, info.mode = len(data), 0o644
                tar.addfile(info, io.BytesIO(data))
    except OSError as error:
        raise Failure(f"--capture: '{file}': {error.strerror}") from None
    print(f"{file}: {len(bundle.files)} files; {len(bundle.scrub.used)} names, addresses, paths and ids "
          f"were replaced.\nLook at it (tar -xzf {file}), then send it: see README.md.")
    return 0
