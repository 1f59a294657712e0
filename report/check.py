# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: jobio check [OPTION]...

Checks this host as jobio and Slurm use it. Each finding has a code, a severity, a
sentence, and a cure: a command, or a line and its file. Changes nothing.

  --role=ROLE,...       login, node, ctld, ledger; default: what runs here
  -q, --quiet           warnings and errors only; nothing where there are none
  -v, --verbose         the name of the host, and measured values, too
  --json                one line
  --format=text|json    the same
  --submit              run a job of a second, and say what each part did
  --partition=NAME      of that job; default: Slurm's
  --capture FILE        write FILE, a tar.gz of what the checks read on this node,
                        with names, addresses, paths and ids replaced
  --conf=FILE           jobio.conf
  --slurm-conf=FILE     slurm.conf; cgroup.conf is beside it
  --host=NODENAME       the node; default: this host's
  --slurmd=PATH         slurmd's program, which is asked with -C
  --topology=FILE.xml   the machine as lstopo(1) wrote it
  --client-cpus=LIST    the client's OS CPUs, instead of asking it
  --slurm-version=V     22.05 to 26.05; default: slurmctld's
  --root=DIR            files of another host, or an unpacked --capture

Exit status: 0 no errors or warnings; 1 warnings; 3 errors; 2 bad usage."""
# Codes   S  Slurm's settings, prolog and epilog, plugin   check_slurm, check_helpers, check_plugin
#         N  the node's record, slurmd                     check_node
#         J  jobio.conf                                    check_conf
#         H  helpers, counting, folders                    check_helpers
#         L  ledger, MUNGE, slurmdbd                       check_ledger
#         K  kernel                                        check_kernel
#         T  a test job                                    check_submit
#         C W NF LU GP  cores and clients: jobio-facts has their words
# Findings about unused features are not printed: check_states
from __future__ import annotations

import json
import os
import re
import sys

from report import (
    check_conf,
    check_helpers,
    check_kernel,
    check_ledger,
    check_node,
    check_plugin,
    check_slurm,
    check_states,
    check_who,
    paths,
)
from report.check_host import Host
from report.check_who import ROLES
from report.check_words import SEVERITIES
from report.command import FAILED, UNSOUND, USAGE, Failure
from report.options import read, slurm_version, text
from report.types import Json
from report.units import parse_cpus

FACTS_S = 300  # jobio-facts has timeouts of its own


# ---- options


def roles_of(text: str) -> list[str]:
    words = [word for word in text.split(",") if word]
    for word in words:
        if word not in ROLES:
            raise Failure(f"--role: '{word}': expected login, node, ctld or ledger", USAGE)
    return [role for role in ROLES if role in words]


def read_options(args: list[str]) -> Json:
    # an empty list of CPUs is valid
    args = ["--client-cpus=none" if arg == "--client-cpus=" else arg for arg in args]
    options, words = read(__doc__, args, {"sysfs": text})
    if words:
        raise Failure(f"'{words[0]}': unexpected argument; see jobio check --help", USAGE)
    for name in ("topology", "root"):
        path = options.get(name)
        if path and not os.access(path, os.R_OK):
            raise Failure(f"--{name}: '{path}': there is no such file, or it cannot be read", USAGE)
    if not options.get("slurmd", "/").startswith("/"):
        raise Failure(f"--slurmd: '{options['slurmd']}': must be an absolute path", USAGE)
    cpus = options.get("client-cpus", "none")
    if cpus != "none" and not parse_cpus(cpus):
        raise Failure(f"--client-cpus: '{cpus}': not a list of CPUs, as 2-3,8", USAGE)
    return options


def make_host(options: Json) -> Host:
    host = Host(os.path.realpath(options["root"]) if "root" in options else "")
    host.conf = options.get("conf", f"{'/etc' if host.root else paths.SYSCONF}/slurm/jobio.conf")
    usual = [os.environ.get("SLURM_CONF", "")] * (not host.root)
    usual += [*check_who.daemon_conf(host), *paths.SLURM_CONF]
    host.slurm_conf = options.get("slurm-conf") or next(
        (path for path in usual if path and host.exists(path)), paths.SLURM_CONF[0])
    host.topology, host.slurmd = options.get("topology"), options.get("slurmd", "")
    if host.root and not host.topology and host.exists("/topology.xml"):
        host.topology = host.path("/topology.xml")
    if "slurm-version" in options:
        host.version = slurm_version(options["slurm-version"])
    if "client-cpus" in options:
        host.client_cpus = parse_cpus(options["client-cpus"])
    host.roles = roles_of(options.get("role", ""))
    host.findings.common = {"file": host.conf, "slurm_conf": host.slurm_conf}
    return host


# ---- facts of this host


def ask_slurm(host: Host, is_told: bool) -> None:
    """Query Slurm's settings, the node and partitions; without --role also set the roles."""
    host.local = check_slurm.lines(host, host.slurm_conf)
    is_named = bool(host.name)
    answer = check_who.find(host, is_told)
    ctld = check_slurm.controller(host)[0]
    host.findings.common.update(
        slurm_conf=host.slurm_conf, conf=host.slurm_conf, ctld=ctld, peer=ctld, daemon="slurmctld",
        dir=paths.PLUGINS, slurm_user=(host.here("SlurmUser") or ["root"])[-1])
    if not is_named and not host.root and not sys.stdout.isatty():
        check_slurm.pace(host)
    check_slurm.ask(host)
    if not is_told:
        check_who.drop_future(host)
    check_slurm.tell_node(host)
    if check_slurm.faults(answer.err) and not host.findings.has("S15"):
        check_slurm.tell_faults(host, answer)
    if host.version == (0, 0):
        said = host.setting("SLURM_VERSION") or (host.node or {}).get("Version", "")
        said = said or host.run(["slurmd", "-V"]).out.partition(" ")[2]
        found = re.match(r"(\d+)\.(\d+)", said)
        host.version = (int(found[1]), int(found[2])) if found else (24, 11)


def ask_facts(host: Host, options: Json) -> None:
    words = [paths.helper("jobio-facts"), "--conf=" + host.conf, "--host=" + host.name]
    if host.topology:
        words.append("--topology=" + host.topology)
    if host.root:
        words += ["--root=" + host.root, "--no-ledger"]
    elif host.is_role("node"):
        words.append("--helpers=" + check_helpers.folder_of(host))
    if not host.is_role("node") or (host.root and host.client_cpus is not None):
        words.append("--no-clients")
    if "sysfs" in options:  # for tests
        words.append("--sysfs=" + options["sysfs"])
    if host.node:
        words.append("--node=" + check_node.record(host))
        xml = check_node.started(host)
        words += ["--started=" + xml] if xml else []
    root, host.root = host.root, ""  # run the command on this host, also with --root
    answer = host.run(words, FACTS_S)
    host.root = root
    try:
        host.facts = json.loads(answer.out)
    except ValueError:
        why = answer.why or f"{words[0]} prints no JSON"
        raise Failure(f"{why}; install package jobio again") from None


# ---- output


def summary(host: Host) -> str:
    counts = [(host.findings.count(severity), severity) for severity in SEVERITIES]
    words = [f"{n} {s}" + "s" * (n > 1 and s != "info") for n, s in counts if n]
    return ", ".join(words) or "no findings"


def print_json(host: Host, verdicts: dict[str, str]) -> None:
    """Print one JSON object; "conf": a digest of jobio.conf, to compare hosts."""
    import hashlib

    text = host.read(host.conf)
    print(json.dumps({
        "host": host.name, "roles": host.roles, "jobio": paths.PACKAGE,
        "conf": None if text is None else hashlib.blake2b(
            text.encode(), digest_size=8).hexdigest(),
        "states": verdicts,
        "findings": [{"code": f.code, "severity": f.severity,
                      "text": f.text + (f" ({f.measured})" if f.measured else ""), "cure": f.cure}
                     for f in host.findings.sorted()]}, separators=(",", ":"), ensure_ascii=False))


def print_text(host: Host, verdicts: dict[str, str], is_quiet: bool, verbose: bool) -> None:
    for finding in host.findings.sorted():
        if finding.severity != "info" or not is_quiet:
            print(finding.line(verbose))
    if not is_quiet:
        name = f"{host.name}: " if verbose else ""
        words = [f"role {','.join(host.roles)}: {summary(host)}"]
        print(name + "; ".join(words + [f"{what}: {is_so}" for what, is_so in verdicts.items()]))


def main(args: list[str]) -> int:
    options = read_options(args)
    host = make_host(options)
    host.name = options.get("host", "")
    ask_slurm(host, bool(host.roles))
    if "capture" in options:
        from report import check_capture
        return check_capture.write(host, options["capture"])
    ask_facts(host, options)
    if "role" not in options:
        check_who.add_ledger(host)
    check_conf.check(host)
    check_slurm.check(host)
    if host.is_role("login", "node") and (host.config is not None or host.local):
        check_plugin.check(host)
    if host.is_role("node"):
        check_helpers.check(host)
        check_node.check(host)
        check_kernel.check(host)
    check_ledger.check(host)
    is_json, is_quiet = "json" in (options.get("format"), *options), "quiet" in options
    if "submit" in options and host.keys and not host.root:
        from report import check_submit
        check_submit.check(host, options.get("partition"), is_json or is_quiet)
    states = check_states.States(host)
    states.apply()
    if is_json:
        print_json(host, states.verdicts())
    else:
        print_text(host, states.verdicts(), is_quiet, "verbose" in options)
    if host.findings.count("error"):
        return UNSOUND
    return FAILED if host.findings.count("warning") else 0
