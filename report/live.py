# SPDX-License-Identifier: GPL-2.0-or-later
"""jobio report --live: the I/O of a running job so far.

One srun --overlap in the job asks all nodes until it is stopped: two RPCs to slurmctld at its
start, one from each node at its end, none for a request (base/live_view.h has the protocol). Slurm
authorizes the caller: srun starts steps in the caller's own jobs; root becomes the job's user.
"""
from __future__ import annotations

import contextlib
import json
import os
import re
import selectors
import signal
import subprocess
import sys
import time

from report import program, sacct, units
from report.command import Failure, on_signals
from report.record import Job, Source
from report.reporter import Asked
from report.types import Any, Json

FIRST_S, AGAIN_S = 30.0, 10.0  # the first reply includes the start of the step
END_S = 3.0  # for srun to end its step
# kind, nodes, request, part, number of parts, node
LINE = re.compile(rb"@jobio/1 ([re]) (\d{1,10}) (\d{1,10}) (\d{1,10}) (\d{1,10}) ([^ ]+) ")
PARTS_MAX, NODES_MAX = 440, 65536
WORDS = ("--overlap", "--ntasks-per-node=1", "--mem=0", "--gres=none", "--cpu-bind=none",
         "--mpi=none", "--job-name=jobio-live")
# Runs on nodes with a plugin without --live.
OLD_NODE = ('echo "@jobio/1 e ${SLURM_STEP_NUM_NODES:-0} 0 1 1 ${SLURMD_NODENAME:-?} '
            'jobio on it is older, or switched off"')


# ---- replies of nodes --------------------------------------------------------------

class Node:
    def __init__(self) -> None:
        self.kind = ""  # "r": a record, "e": the reason for none; "": no reply yet
        self.ask = 0  # request of the reply
        self.text = ""
        self.is_mute = False  # it replies to no request
        self.parts: list[bytes] = []  # of an incomplete reply
        self.of_ask = 0

    def take(self, kind: str, ask: int, part: int, parts: int, text: bytes) -> None:
        is_next = part == len(self.parts) + 1 and ask == self.of_ask
        self.parts = [text] if part == 1 else [*self.parts, text] if is_next else []
        self.of_ask = ask
        if len(self.parts) == parts:
            self.text = b"".join(self.parts).decode(errors="replace")
            self.kind, self.ask, self.is_mute, self.parts = kind, ask, not ask, []


# ---- srun --------------------------------------------------------------------------

class Link:
    """The step that queries the nodes of a job. It ends at the end of its standard input, also if
    this process is killed."""

    def __init__(self, job: int, row: sacct.Row | None, wanted: str, user: str) -> None:
        self.nodes: dict[str, Node] = {}
        self.count = 0  # nodes of the step; 0: unknown
        self.asked = 0
        self.said, self.is_error = "", False  # srun's first error, else its first line
        # srun accepts 7+1 only as --jobid=7 --het-group=1
        leader, plus, component = (row.id if row else wanted).partition("+")
        nodes = row.nodes or 0 if row else 0
        words = [*(become(user) if user and os.geteuid() == 0 else []), program.find("srun"),
                 f"--jobid={leader if plus else job}",
                 *([f"--het-group={component}"] if plus else []), *WORDS,
                 *([f"--nodes={nodes}", f"--ntasks={nodes}"] if 0 < nodes < NODES_MAX else []),
                 f"--export=JOBIO_LIVE={job}", "/bin/sh", "-c", OLD_NODE]
        self.process = program.start(words, stdin=subprocess.PIPE, bufsize=0)
        self.selector = selectors.DefaultSelector()
        for stream, take in ((self.process.stdout, self.take), (self.process.stderr, self.hear)):
            assert stream
            os.set_blocking(stream.fileno(), False)
            self.selector.register(stream, selectors.EVENT_READ, [take, b""])

    def take(self, line: bytes) -> None:
        """Parse a line of a node. The output of a user's nodes is not trusted: invalid lines are
        ignored."""
        match = LINE.match(line)
        if not match or len(self.nodes) == NODES_MAX:
            return
        count, ask, part, parts = (int(n) for n in match.group(2, 3, 4, 5))
        if 1 <= part <= parts <= PARTS_MAX:
            self.count = count or self.count
            node = self.nodes.setdefault(match[6].decode(errors="replace"), Node())
            node.take(match[1].decode(), ask, part, parts, line[match.end():])

    def hear(self, line: bytes) -> None:
        """Keep srun's first error: "srun: error: Unable to ..: Invalid job id specified"."""
        text, is_error = line.decode(errors="replace").strip(), False
        for mark in ("srun: ", "error: ", "fatal: "):
            if text.startswith(mark):
                text, is_error = text[len(mark):], mark != "srun: "
        if text and (not self.said or (is_error and not self.is_error)):
            self.said, self.is_error = text, is_error

    def attend(self, end: float) -> bool:
        """Read lines until the time is over; return False if srun has ended."""
        for key, _ in self.selector.select(max(end - time.monotonic(), 0)):
            chunk = os.read(key.fd, 65536)
            lines = (key.data[1] + chunk).split(b"\n")
            key.data[1] = lines.pop()[-4096:]  # ignore longer lines
            for line in lines:
                key.data[0](line)
            if not chunk:
                self.selector.unregister(key.fileobj)
        return bool(self.selector.get_map())

    def is_complete(self) -> bool:
        """Return True if all nodes have replied to the first request or, later, all that have ever
        replied."""
        told = self.nodes.values()
        if any(not n.is_mute and n.ask < self.asked for n in told) or not self.count:
            return False
        return self.asked > 1 or len(told) >= self.count

    def ask(self, seconds: float) -> None:
        """Send a request and wait for the replies.

        Raises: Failure, if no node replies.
        """
        self.asked += 1
        end = time.monotonic() + seconds
        try:
            os.write(self.process.stdin.fileno(), b"\n")  # type: ignore[union-attr]
        except OSError:
            end = time.monotonic() + 0.1  # wait for its error
        goes_on = True
        while goes_on and not self.is_complete() and time.monotonic() < end:
            goes_on = self.attend(end)
        if any(n.ask >= self.asked or (n.is_mute and self.asked == 1)
               for n in self.nodes.values()):
            return
        if not goes_on:
            raise Failure(self.said or "the step that asks has ended")
        if self.asked == 1:
            raise Failure(f"no node has answered within {seconds:.0f} s"
                          + (f": {self.said}" if self.said else ""))

    def wait(self, seconds: float) -> bool:
        """Read lines for so many seconds; return False if srun has ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if not self.attend(end):
                return False
        return True

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()  # the tasks end with it
        for end in (self.process.poll, self.process.terminate, self.process.kill):
            end()
            try:
                self.process.wait(END_S)
                return
            except subprocess.TimeoutExpired:
                continue


def become(user: str) -> list[str]:
    """Return the words that run a command as the user: slurmctld starts steps of a job only for its
    user, not for root (step_mgr.c:step_create)."""
    import pwd

    try:
        who = pwd.getpwnam(user)
    except KeyError:
        raise Failure(f"user '{user}': unknown on this host") from None
    return ["setpriv", f"--reuid={who.pw_uid}", f"--regid={who.pw_gid}", "--init-groups"]


# ---- output ------------------------------------------------------------------------

class Look:
    """The replies to one request, in the form of the ledger's."""

    def __init__(self, link: Link, job: int) -> None:
        self.when = time.monotonic()
        self.records: list[Json] = []
        self.blind = 0  # nodes without counters before the job ends
        self.mute: list[str] = []  # nodes without a reply, and the reason
        self.nodes = link.count
        for name in sorted(link.nodes):
            why = self.take(link.nodes[name], job, link.asked)
            self.mute += [f"{name}: {why}"] if why else []
        self.mute_count = len(self.mute) + max(self.nodes - len(link.nodes), 0)

    def take(self, node: Node, job: int, asked: int) -> str:
        """Add a node's record, also an earlier one; return the reason if there is no new one."""
        if node.kind != "r":
            return node.text or "it did not answer"
        try:
            told = json.loads(node.text)
            if told["jobio"] != 1 or told["job"] != job:
                raise ValueError
            is_counted = any(io["scope"] == "job" and io["source"] not in ("exit", "stepd")
                             for io in told.get("app") or [])
        except (ValueError, KeyError, TypeError):
            return "its answer has no meaning"
        if not is_counted:
            self.blind += 1  # partial numbers are left out
            return ""
        self.records.append(told)
        return "it did not answer this time" if node.ask < asked else ""

    def about(self) -> Json:
        """Return the keys of running jobs only."""
        return {"nodes": self.nodes or None, "nodes_blind": self.blind,
                "nodes_mute": self.mute_count, "mute": ", ".join(self.mute) or None}

    def same(self, outer: str, key: str) -> str:
        """Return the word of all nodes, or "mixed"."""
        words = {str((r.get(outer) or {}).get(key) or "-") for r in self.records} or {"-"}
        return words.pop() if len(words) == 1 else "mixed"

    def summary(self) -> str:
        flags = sorted({flag for r in self.records for flag in r.get("quality") or []})
        return (f"jobio/1 nodes={len(self.records) + self.blind}/{self.nodes or '-'} "
                f"cores={self.same('io_cores', 'count')} prof={self.same('request', 'profile')} "
                f"q={','.join(flags) or '-'}" + (" scope=job" if self.records else ""))

    def notes(self) -> list[str]:
        lines = [f"  no answer: {units.clean(text)}" for text in self.mute]
        more = self.mute_count - len(self.mute)
        if more > 0:
            lines.append(f"  no answer: {units.plural(more, 'node')}")
        if self.blind:
            lines.append(f"  {units.plural(self.blind, 'node')}: nothing is counted there before "
                         "the job ends; ask your administrators about jobio-count(8)")
        return lines


KEYS = ("read_bytes", "write_bytes", "read_calls", "write_calls")


def moved(job: Job) -> dict[str, dict[str, int]]:
    """Return bytes, calls and metadata operations by filesystem."""
    return {line.get("fs") or "all files": {
        **{key: line.get(key) or 0 for key in KEYS},
        "meta": sum(v or 0 for v in (line.get("meta") or {}).values())}
        for line in job.lines if line["kind"] == "app"}


def rates(before: Job, now: Job, seconds: float) -> list[str]:
    """Return lines with the rates since the last request, if the same nodes have replied."""
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
        self.number = 0  # the job ID for srun, instead of 5_1 or 7+1
        self.before: tuple[float, Job] | None = None

    def find(self) -> str:
        """Find the job; return its user."""
        self.source.start(sacct.query(jobs=self.wanted))
        self.row = sacct.find(self.source.wait_sacct(), self.wanted)
        job, user = (self.row.raw_id, self.row.user) if self.row else (self.wanted, "")
        if not job.isdigit() or (os.geteuid() == 0 and not user):
            with contextlib.suppress(Failure, ValueError):
                job, user = sacct.run_program(
                    "squeue", "-h", "-j", self.wanted, "-o", "%A %u").split()[:2]
        if not job.isdigit():
            raise Failure(f"job: '{self.wanted}': neither sacct nor squeue knows it")
        self.number = int(job)
        self.check(user)
        return user

    def check(self, user: str) -> None:
        """Check that the job runs and is the caller's.

        slurmdbd may be seconds late, so slurmctld decides about a job that is pending there. Slurm
        would refuse another user's step with a less clear message.
        """
        import pwd

        row, wanted = self.row, self.wanted
        if row and not sacct.is_early(row.word):
            raise Failure(f"job: '{wanted}': it is {row.state}: jobio report {wanted} has all "
                          "of it")
        me = pwd.getpwuid(os.geteuid()).pw_name
        if user and os.geteuid() and user != me:
            raise Failure(f"job: '{wanted}': it is {user}'s: while a job runs its owner may look "
                          "at it")

    def tell(self, text: str) -> None:
        """Print a line in place."""
        if self.is_screen:
            print("\r\033[K" + text, end="", flush=True)

    def merge(self, look: Look, form: str, **more: Any) -> Json:
        """Return the merged records, in the form of the ledger's reply."""
        first = look.records[0] if look.records else {}
        cluster = first.get("cluster") or (self.row.cluster if self.row else None)
        told = self.source.ledger.ask(
            op="merge", ok=True, form=form, cluster=cluster, job=self.number,
            restart=first.get("restart"), records=look.records, **more)
        return {key: value for key, value in told.items() if key not in ("op", "ok", "form")}

    def job(self, look: Look) -> Job:
        row = self.merge(look, "row" if self.is_json else "slim", summary=look.summary())
        if not self.is_json:
            return Job(self.wanted, "live", row, self.row)
        told = {**self.merge(look, "full", **look.about()), **look.about(),
                "totals": row["totals"]}
        if not look.records:
            told.pop("timelines", None)
        return Job(self.wanted, "live", told, self.row)

    def draw(self, link: Link) -> None:
        look = Look(link, self.number)
        if not look.records and not look.blind:
            why = f": {', '.join(look.mute)}" if look.mute else ""
            raise Failure(f"job: '{self.wanted}': no numbers from any node{why}")
        job = self.job(look)
        if self.is_json:
            from report import printer

            print(printer.as_json(job))
            return
        from report import job as one_job

        lines = one_job.text(job, self.source, self.asked.has("verbose"), None).splitlines()
        if self.before:
            lines += rates(self.before[1], job, look.when - self.before[0])
        lines += look.notes()
        if self.is_screen:  # in one write, over the last screen
            print("\033[H" + "".join(line + "\033[K\n" for line in lines) + "\033[J", end="",
                  flush=True)
        else:
            print("\n".join(lines))
        self.before = look.when, job

    def wait(self, link: Link) -> bool:
        """Count down the seconds to the next request; return False if the job has ended."""
        clock = time.strftime("%H:%M:%S")
        for left in range(self.every_s, 0, -1):
            self.tell(f"  {clock}, again in {left} s; Ctrl-C ends this")
            if not link.wait(1):
                return False
        return True

    def again(self, link: Link) -> None:
        while self.wait(link):
            self.tell("  asking the nodes ..")
            try:
                link.ask(AGAIN_S)
            except Failure:
                break
            self.draw(link)
        self.tell("")
        print(f"  the job has ended; soon jobio report {self.wanted} has all of it")

    def run(self) -> int:
        user = self.find()
        self.tell("\033[2J  asking the nodes ..")
        link = Link(self.number, self.row, self.wanted, user)
        on_signals(signal.default_int_handler)
        try:
            try:
                link.ask(FIRST_S)
            except Failure as failure:
                raise Failure(f"job: '{self.wanted}': {failure}") from None
            self.draw(link)
            if self.is_screen:
                self.again(link)
        except KeyboardInterrupt:  # stop
            pass
        finally:
            on_signals(signal.SIG_IGN)
            self.tell("")
            link.close()
        return 0


def run(asked: Asked, source: Source) -> int:
    with contextlib.closing(source):
        return View(asked, source).run()
