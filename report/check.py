# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks this host as jobio and Slurm use it. Each finding has a code, a severity,
a sentence, and a cure: a command, or a line and its file. Changes nothing.

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
import sys
from argparse import SUPPRESS, Namespace

from report import (
    check_conf,
    check_helpers,
    check_kernel,
    check_ledger,
    check_node,
    check_plugin,
    check_roles,
    check_slurm,
    check_states,
    paths,
)
from report.check_host import Host
from report.check_roles import ROLES
from report.check_words import SEVERITIES
from report.command import FAILED, UNSOUND, USAGE, Failure
from report.options import Parser, choice, refusal, slurm_version, version
from report.units import parse_cpus

FACTS_S = 300  # jobio-facts has timeouts of its own


# ---- options


def roles(value: str) -> list[str]:
    """Parse names of roles, separated by commas."""
    words = [word for word in value.split(",") if word]
    for word in words:
        if word not in ROLES:
            raise refusal(word, "expected login, node, ctld or ledger")
    return [role for role in ROLES if role in words]


def readable(value: str) -> str:
    if not os.access(value, os.R_OK):
        raise refusal(value, "there is no such file, or it cannot be read")
    return value


def program_path(value: str) -> str:
    if not value.startswith("/"):
        raise refusal(value, "must be an absolute path")
    return value


def cpus(value: str) -> set[int]:
    """Parse a list of CPUs; an empty one is valid."""
    found = parse_cpus(value)
    if value and not found:
        raise refusal(value, "not a list of CPUs, as 2-3,8")
    return found


def make_parser() -> Parser:
    parser = Parser("check [OPTION]...", __doc__)
    add = parser.add
    add("--role=ROLE,...", "login, node, ctld, ledger; default: what runs here", roles, default=[])
    add("-q, --quiet", "warnings and errors only; nothing where there are none")
    add("-v, --verbose", "the name of the host, and measured values, too")
    add("--json", "one line")
    add("--format=text|json", "the same", choice("text", "json"))
    add("--submit", "run a job of a second, and print the result of each part")
    add("--partition=NAME", "of that job; default: Slurm's")
    add("--capture=FILE", "write FILE, a tar.gz of what the checks read on this node, with names, "
        "addresses, paths and ids replaced")
    add("--conf=FILE", "jobio.conf")
    add("--slurm-conf=FILE", "slurm.conf; cgroup.conf is beside it")
    add("--host=NODENAME", "the node; default: this host's")
    add("--slurmd=PATH", "slurmd's program, which is asked with -C", program_path)
    add("--topology=FILE.xml", "the machine as lstopo(1) wrote it", readable)
    add("--client-cpus=LIST", "the client's OS CPUs, instead of asking it", cpus)
    add("--slurm-version=V", "22.05 to 26.05; default: slurmctld's", slurm_version)
    add("--root=DIR", "files of another host, or an unpacked --capture", readable)
    add("--sysfs=DIR", SUPPRESS)  # for tests
    return parser


def make_host(options: Namespace) -> Host:
    host = Host(os.path.realpath(options.root) if options.root else "")
    etc = "/etc" if host.root else paths.SYSCONF
    host.conf = options.conf or f"{etc}/slurm/jobio.conf"
    usual = [*check_roles.daemon_conf(host), *paths.SLURM_CONF]
    if not host.root:
        usual.insert(0, os.environ.get("SLURM_CONF", ""))
    there = (path for path in usual if path and host.exists(path))
    host.slurm_conf = options.slurm_conf or next(there, paths.SLURM_CONF[0])
    host.topology = options.topology
    if host.root and not host.topology and host.exists("/topology.xml"):
        host.topology = host.path("/topology.xml")
    host.slurmd = options.slurmd or ""
    host.version = version(options.slurm_version or "")
    host.client_cpus = options.client_cpus
    host.roles = options.role
    host.name = options.host or ""
    host.findings.common = {"file": host.conf, "slurm_conf": host.slurm_conf}
    return host


# ---- facts of this host


def ask_slurm(host: Host, is_given: bool) -> None:
    """Query Slurm's settings, the node and partitions.

    is_given: the roles are those of --role
    """
    is_named = bool(host.name)
    host.local = check_slurm.lines(host, host.slurm_conf)
    answer = check_roles.find(host, is_given)
    ctld = check_slurm.controller(host)[0]
    host.findings.common.update(
        slurm_conf=host.slurm_conf, conf=host.slurm_conf, ctld=ctld, peer=ctld, daemon="slurmctld",
        dir=paths.PLUGINS, slurm_user=(host.here("SlurmUser") or ["root"])[-1])
    if not is_named and not host.root and not sys.stdout.isatty():
        check_slurm.pace(host)
    check_slurm.ask(host)
    if not is_given:
        check_roles.drop_future(host)
    check_slurm.report_node(host)
    if check_slurm.faults(answer.err) and not host.findings.has("S15"):
        check_slurm.report_faults(host, answer)
    if host.version == (0, 0):
        host.version = slurm_of(host)


def slurm_of(host: Host) -> tuple[int, int]:
    """Return the version of slurmctld, of the node's record, or of slurmd."""
    text = host.setting("SLURM_VERSION") or (host.node or {}).get("Version", "")
    if not text:
        text = host.run(["slurmd", "-V"]).out.partition(" ")[2]
    found = version(text)
    return found if any(found) else (24, 11)


def ask_facts(host: Host, sysfs: str | None) -> None:
    """Set the facts of jobio-facts.

    sysfs: a folder instead of /sys, for tests
    Raises: Failure
    """
    is_node = host.is_role("node")
    words = [paths.helper("jobio-facts"), "--conf=" + host.conf, "--host=" + host.name]
    if host.topology:
        words.append("--topology=" + host.topology)
    if host.root:
        words += ["--root=" + host.root, "--no-ledger"]
    elif is_node:
        words.append("--helpers=" + check_helpers.folder_of(host))
    if not is_node or (host.root and host.client_cpus is not None):
        words.append("--no-clients")
    if sysfs:
        words.append("--sysfs=" + sysfs)
    if host.node:
        words.append("--node=" + check_node.record(host))
        xml = check_node.started(host)
        if xml:
            words.append("--started=" + xml)
    answer = host.run_here(words, FACTS_S)
    try:
        host.facts = json.loads(answer.out)
    except ValueError:
        why = answer.why or f"{words[0]} prints no JSON"
        raise Failure(f"{why}; install package jobio again") from None


# ---- output


def summary(host: Host) -> str:
    counts = [(host.findings.count(severity), severity) for severity in SEVERITIES]
    words = [f"{number} {severity}{'s' if number > 1 and severity != 'info' else ''}"
             for number, severity in counts if number]
    return ", ".join(words) or "no findings"


def print_json(host: Host, verdicts: dict[str, str]) -> None:
    """Print one JSON object; "conf": a digest of jobio.conf, to compare hosts."""
    import hashlib

    text = host.read(host.conf)
    digest = hashlib.blake2b((text or "").encode(), digest_size=8).hexdigest()
    findings = [{"code": one.code, "severity": one.severity, "text": one.whole_text(),
                 "cure": one.cure} for one in host.findings.sorted()]
    top = {"host": host.name, "roles": host.roles, "jobio": paths.PACKAGE,
           "conf": None if text is None else digest, "states": verdicts, "findings": findings}
    print(json.dumps(top, separators=(",", ":"), ensure_ascii=False))


def print_text(host: Host, verdicts: dict[str, str], is_quiet: bool, is_verbose: bool) -> None:
    for finding in host.findings.sorted():
        if finding.severity != "info" or not is_quiet:
            print(finding.line(is_verbose))
    if is_quiet:
        return
    name = f"{host.name}: " if is_verbose else ""
    words = [f"role {','.join(host.roles)}: {summary(host)}"]
    words += [f"{what}: {verdict}" for what, verdict in verdicts.items()]
    print(name + "; ".join(words))


def run_checks(host: Host) -> None:
    check_conf.check(host)
    check_slurm.check(host)
    if host.is_role("login", "node") and (host.config is not None or host.local):
        check_plugin.check(host)
    if host.is_role("node"):
        check_helpers.check(host)
        check_node.check(host)
        check_kernel.check(host)
    check_ledger.check(host)


def main(args: list[str]) -> int:
    options, words = make_parser().read(args)
    if words:
        raise Failure(f"'{words[0]}': unexpected argument; see jobio check --help", USAGE)
    host = make_host(options)
    ask_slurm(host, bool(host.roles))
    if options.capture:
        from report import check_capture

        return check_capture.write(host, options.capture)
    ask_facts(host, options.sysfs)
    if not options.role:
        check_roles.add_ledger(host)
    run_checks(host)
    is_json = options.json or options.format == "json"
    if options.submit and host.keys and not host.root:
        from report import check_submit

        check_submit.check(host, options.partition, is_json or options.quiet)
    states = check_states.States(host)
    states.apply()
    if is_json:
        print_json(host, states.verdicts())
    else:
        print_text(host, states.verdicts(), options.quiet, options.verbose)
    if host.findings.count("error"):
        return UNSOUND
    return FAILED if host.findings.count("warning") else 0
