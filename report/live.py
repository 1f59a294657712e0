# SPDX-License-Identifier: GPL-2.0-or-later
"""jobio report --live: a job that runs, as long as somebody looks.

One srun --overlap in the job asks all nodes, for as long as somebody looks: two RPC to slurmctld
when it begins, one from each node when it ends, none a question (lib/look.h has what travels).
Slurm decides who may look: srun starts steps in the caller's own jobs; root becomes their user.
"""
from __future__ import annotations

import json
import os
import re
import selectors
import signal
import subprocess
import sys
import time

from report import paths, sacct, units
from report.command import Failure, on_signals
from report.record import Job

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from report.record import Source
    from report.reporter import Asked

FIRST_S, AGAIN_S = 30.0, 10.0  # srun has to start a step
END_S = 3.0  # for srun to end its step
# kind, nodes, question, part, of how many, node
LINE = re.compile(rb"@jobio/1 ([re]) (\d{1,10}) (\d{1,10}) (\d{1,10}) (\d{1,10}) ([^ ]+) ")
PARTS_MAX, NODES_MAX = 440, 65536
WORDS = ("--overlap", "--ntasks-per-node=1", "--mem=0", "--gres=none", "--cpu-bind=none",
         "--mpi=none", "--job-name=jobio-live")
# What runs where the plugin does not know of looks.
OLD_NODE = ('echo "@jobio/1 e ${SLURM_STEP_NUM_NODES:-0} 0 1 1 ${SLURMD_NODENAME:-?} '
            'its jobio cannot tell: it is older, or switched off there"')


# ---- answers of nodes --------------------------------------------------------------

class Node:
    def __init__(self) -> None:
        self.kind = ""  # "r": a record, "e": a sentence why there is none; "": no answer yet
        self.ask = 0  # the question that it answers
        self.text = ""
        self.is_mute = False  # it will answer none
        self.parts: list[bytes] = []  # of what is on its way
        self.of_ask = 0


class Looks:
    """What a user's nodes print is not trusted: a line that cannot be is passed over."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.count = 0  # nodes of the step; 0: unknown

    def take(self, line: bytes) -> None:
        match = LINE.match(line)
        count, ask, part, parts = (int(n) for n in match.group(2, 3, 4, 5)) if match else [0] * 4
        if not match or not 1 <= part <= parts <= PARTS_MAX or len(self.nodes) == NODES_MAX:
            return
        node = self.nodes.setdefault(match[6].decode(errors="replace"), Node())
        self.count = count or self.count
        if part == 1:
            node.parts = []
        elif part != len(node.parts) + 1 or ask != node.of_ask:
            node.parts = []
            return
        node.parts.append(line[match.end():])
        node.of_ask = ask
        if part == parts:
            node.text = b"".join(node.parts).decode(errors="replace")
            node.kind, node.ask, node.is_mute, node.parts = match[1].decode(), ask, not ask, []


# ---- srun --------------------------------------------------------------------------

class Link:
    """The step that asks the nodes of a job. It ends with its standard input, and so with us,
    however that ends."""

    def __init__(self, job: int, leader: int, component: int | None, nodes: int, user: str,
                 ) -> None:
        self.looks, self.asked = Looks(), 0
        self.said, self.is_error = "", False  # srun's first error, else its first line
        words = self.become(user) if user and os.geteuid() == 0 else []
        srun = paths.program("srun")
        if not srun:
            raise Failure("srun: there is no srun in PATH")
        words += [srun, f"--jobid={leader}"]
        words += [] if component is None else [f"--het-group={component}"]
        words += WORDS
        words += [f"--nodes={nodes}", f"--ntasks={nodes}"] if nodes else []
        words += [f"--export=JOBIO_LIVE={job}", "/bin/sh", "-c", OLD_NODE]
        try:
            self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.PIPE, bufsize=0,
                                            start_new_session=True)  # Ctrl-C is for us
        except OSError as error:
            raise Failure(f"srun: {error.strerror}") from None
        self.selector = selectors.DefaultSelector()
        for stream, take in ((self.process.stdout, self.looks.take),
                             (self.process.stderr, self.hear)):
            assert stream
            os.set_blocking(stream.fileno(), False)
            self.selector.register(stream, selectors.EVENT_READ, [take, b""])

    @staticmethod
    def become(user: str) -> list[str]:
        """slurmctld lets nobody but the job's user start steps in it, root neither
        (step_mgr.c:step_create)."""
        import pwd

        setpriv = paths.program("setpriv")
        if not setpriv:
            raise Failure("there is no setpriv in PATH")
        try:
            who = pwd.getpwnam(user)
        except KeyError:
            raise Failure(f"user '{user}': unknown on this host") from None
        return [setpriv, f"--reuid={who.pw_uid}", f"--regid={who.pw_gid}", "--init-groups"]

    def hear(self, line: bytes) -> None:
        """srun: error: Unable to ..: Invalid job id specified"""
        text, is_error = line.decode(errors="replace").strip(), False
        for mark in ("srun: ", "error: ", "fatal: "):
            if text.startswith(mark):
                text, is_error = text[len(mark):], mark != "srun: "
        if text and (not self.said or (is_error and not self.is_error)):
            self.said, self.is_error = text, is_error

    def attend(self, seconds: float) -> bool:
        """Take what comes within so long; False: srun has ended."""
        for key, _ in self.selector.select(max(seconds, 0)):
            chunk = os.read(key.fd, 65536)
            lines = (key.data[1] + chunk).split(b"\n")
            key.data[1] = lines.pop()[-4096:]  # srun's longer lines are none of ours
            for line in lines:
                key.data[0](line)
            if not chunk:
                self.selector.unregister(key.fileobj)
        return bool(self.selector.get_map())

    def is_complete(self) -> bool:
        """The first time all nodes are waited for; then those that have ever said something."""
        told = self.looks.nodes.values()
        if any(not n.is_mute and n.ask < self.asked for n in told) or not self.looks.count:
            return False
        return self.asked > 1 or len(told) >= self.looks.count

    def ask(self, seconds: float) -> None:
        """All nodes that can answer have done so, or the time is over."""
        self.asked += 1
        end = time.monotonic() + seconds
        try:
            os.write(self.process.stdin.fileno(), b"\n")  # type: ignore[union-attr]
        except OSError:
            end = time.monotonic() + 0.1  # why does it say?
        goes_on = True
        while goes_on and not self.is_complete() and time.monotonic() < end:
            goes_on = self.attend(end - time.monotonic())
        told = self.looks.nodes.values()
        if any(n.ask >= self.asked for n in told) or (self.asked == 1 and
                                                      any(n.is_mute for n in told)):
            return
        if not goes_on:
            raise Failure(self.said or "the step that asks has ended")
        if self.asked == 1:
            raise Failure(f"no node has answered within {seconds:.0f} s"
                          + (f": {self.said}" if self.said else ""))

    def wait(self, seconds: float) -> bool:
        """False: srun has ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if not self.attend(end - time.monotonic()):
                return False
        return True

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()  # the tasks end with it
        for end in (None, self.process.terminate, self.process.kill):
            if end:
                end()
            try:
                self.process.wait(END_S)
                return
            except subprocess.TimeoutExpired:
                continue


# ---- what is shown -----------------------------------------------------------------

class Look:
    """The answers of one question, as the ledger would have them."""

    def __init__(self, link: Link, job: int) -> None:
        self.when = time.monotonic()
        self.records: list[dict[str, Any]] = []
        self.blind = 0  # nodes that count nothing before the job ends
        self.mute: list[str] = []  # nodes that did not answer, and why
        self.nodes = link.looks.count
        for name in sorted(link.looks.nodes):
            self.take(name, link.looks.nodes[name], job, link.asked)
        self.mute_count = len(self.mute) + max(self.nodes - len(link.looks.nodes), 0)

    def take(self, name: str, node: Node, job: int, asked: int) -> None:
        """A node that answered before and is silent now is shown as it was."""
        if node.kind != "r":
            self.mute.append(f"{name}: {node.text or 'it did not answer'}")
            return
        try:
            told = json.loads(node.text)
            if told["jobio"] != 1 or told["job"] != job:
                raise ValueError
            is_counted = any(io["scope"] == "job" and io["source"] not in ("exit", "stepd")
                             for io in told.get("app") or [])
        except (ValueError, KeyError, TypeError):
            self.mute.append(f"{name}: its answer has no meaning")
            return
        if not is_counted:
            self.blind += 1  # what it has is left out: half of a number is no number
            return
        self.records.append(told)
        if node.ask < asked:
            self.mute.append(f"{name}: it did not answer this time")

    def about(self) -> dict[str, Any]:
        """What is only known of a job that runs."""
        return {"nodes": self.nodes or None, "nodes_blind": self.blind,
                "nodes_mute": self.mute_count, "mute": ", ".join(self.mute) or None}

    def summary(self) -> str:
        """What all nodes say, or "mixed"."""
        def same(words: list[str]) -> str:
            return (words[0] or "-") if len(set(words)) == 1 else "mixed"

        cores = [str((r.get("io_cores") or {}).get("count") or "") for r in self.records]
        profiles = [(r.get("request") or {}).get("profile") or "" for r in self.records]
        flags = sorted({flag for r in self.records for flag in r.get("quality") or []})
        seen = len(self.records) + self.blind
        return (f"jobio/1 nodes={seen}/{self.nodes or '-'} cores={same(cores or [''])} "
                f"prof={same(profiles or [''])} q={','.join(flags) or '-'}"
                + (" scope=job" if self.records else ""))

    def notes(self) -> list[str]:
        lines = [f"  no answer: {units.clean(text)}" for text in self.mute]
        more = self.mute_count - len(self.mute)
        if more > 0:
            lines.append(f"  no answer: {units.plural(more, 'node')}")
        if self.blind:
            lines.append(f"  {units.plural(self.blind, 'node')}: nothing is counted there before "
                         "the job ends (jobio check H02)")
        return lines


KEYS = ("read_bytes", "write_bytes", "read_calls", "write_calls")


def moved(job: Job) -> dict[str, dict[str, int]]:
    """Bytes, calls and metadata operations by filesystem."""
    return {line.get("fs") or "all files": {
        **{key: line.get(key) or 0 for key in KEYS},
        "meta": sum(v or 0 for v in (line.get("meta") or {}).values())}
        for line in job.lines if line["kind"] == "app"}


def rates(before: Job, now: Job, seconds: float) -> list[str]:
    """Since the look before, where the same nodes have answered."""
    if [node["node"] for node in before.nodes] != [node["node"] for node in now.nodes]:
        return []
    old, lines = moved(before), []
    for fs, sums in moved(now).items():
        s = {key: (value - old.get(fs, {}).get(key, 0)) / seconds for key, value in sums.items()}
        if min(s.values()) < 0:
            return []
        lines.append(f"  {fs}, last {seconds:.0f} s: read {units.size(s['read_bytes'])}/s in "
                     f"{units.count(s['read_calls'])} calls/s, written "
                     f"{units.size(s['write_bytes'])}/s in {units.count(s['write_calls'])} "
                     f"calls/s, metadata {units.count(s['meta'])}/s")
    return lines


class View:
    def __init__(self, asked: Asked, source: Source) -> None:
        self.asked, self.source, self.wanted = asked, source, asked.words[0]
        self.is_json = asked.form == "json"
        self.every_s: int = asked.values["live"]
        self.is_screen = (not self.is_json and sys.stdout.isatty()
                          and os.environ.get("TERM", "dumb") != "dumb")
        self.row: sacct.Row | None = None
        self.before: tuple[float, Job] | None = None

    # ---- which job

    def find(self) -> tuple[int, str]:
        """What srun wants: not 5_1 or 7+1, but the number that such a job has alone; and of
        root, whose job it is."""
        self.source.start_sacct(sacct.query(jobs=self.wanted))
        self.row = sacct.find(self.source.wait_sacct(), self.wanted)
        job, user = (self.row.raw_id, self.row.user) if self.row else (self.wanted, "")
        if not job.isdigit() or (os.geteuid() == 0 and not user):
            try:
                job, user = self.ask_squeue()
            except Failure:
                if not job.isdigit():
                    raise Failure(f"job: '{self.wanted}': neither sacct nor squeue knows "
                                  "it") from None
        self.check(user)
        return int(job), user

    def ask_squeue(self) -> tuple[str, str]:
        told = sacct.run_program("squeue", ["-h", "-j", self.wanted, "-o", "%A %u"]).split()
        if len(told) < 2 or not told[0].isdigit():
            raise Failure("squeue: no such job")
        return told[0], told[1]

    def check(self, user: str) -> None:
        """slurmdbd may be seconds behind: whether a job that it takes for a waiting one runs is
        for slurmctld to say. Slurm would refuse another user's step; this says it better."""
        import pwd

        row, wanted = self.row, self.wanted
        if row and not sacct.is_early(row.word):
            raise Failure(f"job: '{wanted}': it is {row.state}: jobio report {wanted} has all "
                          "of it")
        me = pwd.getpwuid(os.geteuid()).pw_name
        if user and os.geteuid() and user != me:
            raise Failure(f"job: '{wanted}': it is {user}'s: while a job runs its owner may look "
                          "at it")

    def open(self, job: int, user: str) -> Link:
        """srun takes 7+1 as --jobid=7 --het-group=1, and no other way."""
        leader, plus, component = (self.row.id if self.row else self.wanted).partition("+")
        nodes = self.row.nodes or 0 if self.row else 0
        return Link(job, int(leader) if plus else job, int(component) if plus else None,
                    nodes if 0 < nodes < NODES_MAX else 0, user)

    # ---- show

    def tell(self, text: str) -> None:
        """A line that stays where it is."""
        if self.is_screen:
            print("\r\033[K" + text, end="", flush=True)

    def merge(self, look: Look, number: int, form: str, **more: Any) -> dict[str, Any]:
        """As the ledger would answer."""
        first = look.records[0] if look.records else {}
        cluster = first.get("cluster") or (self.row.cluster if self.row else None)
        told = self.source.ledger.ask(
            op="merge", ok=True, form=form, cluster=cluster, job=number,
            restart=first.get("restart"), records=look.records, **more)
        return {key: value for key, value in told.items() if key not in ("op", "ok", "form")}

    def job(self, look: Look, number: int) -> Job:
        row = self.merge(look, number, "row" if self.is_json else "slim", summary=look.summary())
        if not self.is_json:
            return Job(self.wanted, "live", row, self.row)
        told = self.merge(look, number, "full", **look.about())
        job = Job(self.wanted, "live", {**told, **look.about(), "totals": row["totals"]}, self.row)
        if not look.records:
            job.answer.pop("timelines", None)
        return job

    def draw(self, link: Link, number: int) -> None:
        look = Look(link, number)
        if not look.records and not look.blind:
            why = f": {', '.join(look.mute)}" if look.mute else ""
            raise Failure(f"job: '{self.wanted}': no node can tell{why}")
        job = self.job(look, number)
        if self.is_json:
            from report import reporter

            print(reporter.as_json(job))
            return
        from report import job as one_job

        lines = one_job.text(job, self.source, self.asked.has("verbose"), None).splitlines()
        if self.before:
            lines += rates(self.before[1], job, look.when - self.before[0])
        lines += look.notes()
        if self.is_screen:  # at once, over what was there
            print("\033[H" + "".join(line + "\033[K\n" for line in lines) + "\033[J", end="",
                  flush=True)
        else:
            print("\n".join(lines))
        self.before = look.when, job

    def wait(self, link: Link) -> bool:
        """The seconds go down until the next look; False: the job has ended."""
        clock = time.strftime("%H:%M:%S")
        for left in range(self.every_s, 0, -1):
            self.tell(f"  {clock}, again in {left} s; Ctrl-C ends this")
            if not link.wait(1):
                return False
        return True

    def again(self, link: Link, job: int) -> None:
        while self.wait(link):
            self.tell("  asking the nodes ..")
            try:
                link.ask(AGAIN_S)
            except Failure:
                break
            self.draw(link, job)
        self.tell("")
        print(f"  the job has ended; soon jobio report {self.wanted} has all of it")

    def run(self) -> int:
        job, user = self.find()
        self.tell("\033[2J  asking the nodes ..")
        link = self.open(job, user)
        on_signals(signal.default_int_handler)
        try:
            try:
                link.ask(FIRST_S)
            except Failure as failure:
                raise Failure(f"job: '{self.wanted}': {failure}") from None
            self.draw(link, job)
            if self.is_screen:
                self.again(link, job)
        except KeyboardInterrupt:  # enough was seen
            self.tell("")
        finally:
            on_signals(signal.SIG_IGN)
            self.tell("")
            link.close()
        return 0


def run(asked: Asked, source: Source) -> int:
    try:
        return View(asked, source).run()
    finally:
        source.close()
