# SPDX-License-Identifier: GPL-2.0-or-later
"""jobio report --live: the I/O of a running job so far.

One srun --overlap in the job queries all nodes until it is stopped: two RPCs to slurmctld at its
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

from report import program, sacct, screen, units
from report.command import Failure, on_signals
from report.job import TOTALS, Job
from report.source import Source
from report.types import Any, Json, Options

FIRST_S, AGAIN_S = 30.0, 10.0  # the first reply includes the start of the step
END_S = 3.0  # for srun to end its step
# kind, nodes, request, part, number of parts, node
LINE = re.compile(rb"@jobio/1 ([re]) (\d{1,10}) (\d{1,10}) (\d{1,10}) (\d{1,10}) ([^ ]+) ")
LINE_MAX = 4096
PARTS_MAX, NODES_MAX = 440, 65536
WORDS = ("--overlap", "--ntasks-per-node=1", "--mem=0", "--gres=none", "--cpu-bind=none",
         "--mpi=none", "--job-name=jobio-live")
PREFIXES = ("srun: ", "error: ", "fatal: ")
# Runs on nodes with a plugin without --live.
OLD_NODE = ('echo "@jobio/1 e ${SLURM_STEP_NUM_NODES:-0} 0 1 1 ${SLURMD_NODENAME:-?} '
            'jobio on it is older, or switched off"')


# ---- replies of nodes --------------------------------------------------------------

class Node:
    """The last reply of a node.

    kind: "r": a record, "e": the reason for none; "": no reply yet
    request: number of its request; 0: it replies to no request
    parts: of an incomplete reply to part_request
    """

    def __init__(self) -> None:
        self.kind = ""
        self.request = 0
        self.text = ""
        self.parts: list[bytes] = []
        self.part_request = 0

    @property
    def is_silent(self) -> bool:
        """Return True if it replies to no request."""
        return bool(self.kind and not self.request)

    def add_part(self, kind: str, request: int, part: int, parts: int, text: bytes) -> None:
        """Add a part of a reply; a part out of order removes the parts before it."""
        is_next = part == len(self.parts) + 1 and request == self.part_request
        if part == 1 or not is_next:
            self.parts = []
        if part == 1 or is_next:
            self.parts.append(text)
        self.part_request = request
        if len(self.parts) == parts:
            self.text = b"".join(self.parts).decode(errors="replace")
            self.kind = kind
            self.request = request
            self.parts = []


# ---- srun --------------------------------------------------------------------------

class Step:
    """The step that queries the nodes of a job. It ends at the end of its standard input, also if
    this process is killed.

    count: number of nodes; 0: unknown
    request: number of the last request
    message: srun's first error, else its first line
    """

    def __init__(self, job: int, row: sacct.Row | None, wanted: str, user: str) -> None:
        self.nodes: dict[str, Node] = {}
        self.count = 0
        self.request = 0
        self.message = ""
        self.is_error = False
        self.process = program.start(
            step_words(job, row, wanted, user), stdin=subprocess.PIPE, bufsize=0)
        self.selector = selectors.DefaultSelector()
        for stream, parse in ((self.process.stdout, self.parse_reply),
                              (self.process.stderr, self.parse_message)):
            assert stream
            os.set_blocking(stream.fileno(), False)
            self.selector.register(stream, selectors.EVENT_READ, [parse, b""])

    def parse_reply(self, line: bytes) -> None:
        """Parse a line of a node. The output of a user's nodes is not trusted: invalid lines are
        ignored."""
        match = LINE.match(line)
        if not match or len(self.nodes) == NODES_MAX:
            return
        count, request, part, parts = (int(number) for number in match.group(2, 3, 4, 5))
        if not 1 <= part <= parts <= PARTS_MAX:
            return
        self.count = count or self.count
        node = self.nodes.setdefault(match[6].decode(errors="replace"), Node())
        node.add_part(match[1].decode(), request, part, parts, line[match.end():])

    def parse_message(self, line: bytes) -> None:
        """Keep srun's first error: "srun: error: Unable to ..: Invalid job id specified"."""
        text = line.decode(errors="replace").strip()
        is_error = False
        for prefix in PREFIXES:
            if text.startswith(prefix):
                text = text[len(prefix):]
                is_error = prefix != "srun: "
        if text and (not self.message or (is_error and not self.is_error)):
            self.message = text
            self.is_error = is_error

    def read(self, end: float) -> bool:
        """Read lines until the time is over; return False if srun has ended.

        end: of time.monotonic()
        """
        for key, _ in self.selector.select(max(end - time.monotonic(), 0)):
            chunk = os.read(key.fd, 65536)
            lines = (key.data[1] + chunk).split(b"\n")
            key.data[1] = lines.pop()[-LINE_MAX:]  # ignore longer lines
            for line in lines:
                key.data[0](line)
            if not chunk:
                self.selector.unregister(key.fileobj)
        return bool(self.selector.get_map())

    def is_complete(self) -> bool:
        """Return True if all nodes have replied to the first request or, later, all that have ever
        replied."""
        nodes = self.nodes.values()
        if not self.count:
            return False
        if any(not node.is_silent and node.request < self.request for node in nodes):
            return False
        return self.request > 1 or len(nodes) >= self.count

    def has_reply(self) -> bool:
        return any(node.request >= self.request or (node.is_silent and self.request == 1)
                   for node in self.nodes.values())

    def ask(self, seconds: float) -> None:
        """Send a request and wait for the replies.

        Raises: Failure, if no node replies
        """
        self.request += 1
        end = time.monotonic() + seconds
        assert self.process.stdin
        try:
            os.write(self.process.stdin.fileno(), b"\n")
        except OSError:
            end = time.monotonic() + 0.1  # wait for its error
        is_running = True
        while is_running and not self.is_complete() and time.monotonic() < end:
            is_running = self.read(end)
        if self.has_reply():
            return
        if not is_running:
            raise Failure(self.message or "the step that queries the nodes has ended")
        if self.request == 1:
            message = f": {self.message}" if self.message else ""
            raise Failure(f"no node has answered within {seconds:.0f} s{message}")

    def wait(self, seconds: float) -> bool:
        """Read lines for so many seconds; return False if srun has ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if not self.read(end):
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


def step_words(job: int, row: sacct.Row | None, wanted: str, user: str) -> list[str]:
    """Return the command line of srun.

    wanted: the job as on the command line
    user: its user; "": unknown
    Raises: Failure
    """
    words = become(user) if user and os.geteuid() == 0 else []
    words.append(program.find("srun"))
    # srun accepts 7+1 only as --jobid=7 --het-group=1
    leader, plus, component = (row.id if row else wanted).partition("+")
    if plus:
        words += [f"--jobid={leader}", f"--het-group={component}"]
    else:
        words.append(f"--jobid={job}")
    words += WORDS
    nodes = (row.nodes if row else None) or 0
    if 0 < nodes < NODES_MAX:
        words += [f"--nodes={nodes}", f"--ntasks={nodes}"]
    return [*words, f"--export=JOBIO_LIVE={job}", "/bin/sh", "-c", OLD_NODE]


def become(user: str) -> list[str]:
    """Return the words that run a command as the user: slurmctld starts steps of a job only for its
    user, not for root (step_mgr.c:step_create).

    Raises: Failure
    """
    import pwd

    try:
        found = pwd.getpwnam(user)
    except KeyError:
        raise Failure(f"user '{user}': unknown on this host") from None
    return ["setpriv", f"--reuid={found.pw_uid}", f"--regid={found.pw_gid}", "--init-groups"]


# ---- output ------------------------------------------------------------------------

class Snapshot:
    """The replies to one request.

    when: of time.monotonic()
    without_counters: number of nodes without counters before the job ends
    missing: nodes without a reply, and the reason
    """

    def __init__(self, step: Step, job: int) -> None:
        self.when = time.monotonic()
        self.records: list[Json] = []
        self.without_counters = 0
        self.missing: list[str] = []
        self.nodes = step.count
        for name in sorted(step.nodes):
            why = self.add(step.nodes[name], job, step.request)
            if why:
                self.missing.append(f"{name}: {why}")
        self.missing_count = len(self.missing) + max(self.nodes - len(step.nodes), 0)

    def add(self, node: Node, job: int, request: int) -> str:
        """Add a node's record, also an earlier one; return the reason if there is no new one."""
        if node.kind != "r":
            return node.text or "it did not answer"
        try:
            record = json.loads(node.text)
            if record["jobio"] != 1 or record["job"] != job:
                raise ValueError
            is_counted = any(io["scope"] == "job" and io["source"] not in ("exit", "stepd")
                             for io in record.get("app") or [])
        except (ValueError, KeyError, TypeError):
            return "its reply is invalid"
        if not is_counted:
            self.without_counters += 1  # partial numbers are left out
            return ""
        self.records.append(record)
        return "it did not answer this time" if node.request < request else ""

    def about(self) -> Json:
        """Return the keys of running jobs only."""
        return {"nodes": self.nodes or None, "nodes_blind": self.without_counters,
                "nodes_mute": self.missing_count, "mute": ", ".join(self.missing) or None}

    def common(self, outer: str, key: str) -> str:
        """Return the word of all nodes, or "mixed"."""
        words = {str((record.get(outer) or {}).get(key) or "-") for record in self.records}
        if len(words) > 1:
            return "mixed"
        return words.pop() if words else "-"

    def summary(self) -> str:
        flags = {flag for record in self.records for flag in record.get("quality") or []}
        seen = len(self.records) + self.without_counters
        text = (f"jobio/1 nodes={seen}/{self.nodes or '-'} "
                f"cores={self.common('io_cores', 'count')} "
                f"prof={self.common('request', 'profile')} q={','.join(sorted(flags)) or '-'}")
        return text + " scope=job" if self.records else text

    def notes(self) -> list[str]:
        lines = [f"  no answer: {units.clean(text)}" for text in self.missing]
        more = self.missing_count - len(self.missing)
        if more > 0:
            lines.append(f"  no answer: {units.plural(more, 'node')}")
        if self.without_counters:
            lines.append(f"  {units.plural(self.without_counters, 'node')}: nothing is counted "
                         "there before the job ends; ask your administrators about jobio-count(8)")
        return lines


def moved(job: Job) -> dict[str, dict[str, int]]:
    """Return bytes, calls and metadata operations by filesystem."""
    found = {}
    for line in job.run.lines:
        if line.kind == "app":
            sums = {key: line.number(key) or 0 for key in TOTALS}
            found[line.fs or "all files"] = {**sums, "meta": line.operations or 0}
    return found


def rates(before: Job, now: Job, seconds: float) -> list[str]:
    """Return lines with the rates since the last request, if the same nodes have replied."""
    if [node.node for node in before.run.nodes] != [node.node for node in now.run.nodes]:
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
    """The output, once or on a terminal every few seconds.

    wanted: the job as on the command line
    number: its ID for srun, instead of 5_1 or 7+1
    before: time and job of the last screen
    """

    def __init__(self, options: Options, source: Source) -> None:
        self.options = options
        self.source = source
        self.wanted = options.words[0]
        term = os.environ.get("TERM", "dumb")
        self.is_screen = not options.json and sys.stdout.isatty() and term != "dumb"
        self.row: sacct.Row | None = None
        self.number = 0
        self.before: tuple[float, Job] | None = None

    def failure(self, why: str) -> Failure:
        return Failure(f"job: '{self.wanted}': {why}")

    def find(self) -> str:
        """Find the job; return its user.

        Raises: Failure
        """
        self.source.start(sacct.query(jobs=self.wanted))
        self.row = sacct.find(self.source.wait_sacct(), self.wanted)
        job, user = (self.row.raw_id, self.row.user) if self.row else (self.wanted, "")
        if not job.isdigit() or (os.geteuid() == 0 and not user):
            with contextlib.suppress(Failure, ValueError):
                job, user = sacct.run_program(
                    "squeue", "-h", "-j", self.wanted, "-o", "%A %u").split()[:2]
        if not job.isdigit():
            raise self.failure("it is in the output of neither sacct nor squeue")
        self.number = int(job)
        self.check(user)
        return user

    def check(self, user: str) -> None:
        """Check that the job runs and is the caller's.

        slurmdbd may be seconds late, so slurmctld decides about a job that is pending there. Slurm
        would refuse another user's step with a less clear message.
        """
        import pwd

        if self.row and not sacct.is_early(self.row.word):
            raise self.failure(f"it is {self.row.state}: jobio report {self.wanted} has all of it")
        caller = pwd.getpwuid(os.geteuid()).pw_name
        if user and os.geteuid() and user != caller:
            raise self.failure(f"it is {user}'s: while a job runs its owner may look at it")

    def print_status(self, text: str) -> None:
        """Print a line in place, on a screen."""
        if self.is_screen:
            print("\r\033[K" + text, end="", flush=True)

    def merge(self, snapshot: Snapshot, form: str, **more: Any) -> Json:
        """Return the merged records, in the form of the ledger's reply."""
        first = snapshot.records[0] if snapshot.records else {}
        cluster = first.get("cluster") or (self.row.cluster if self.row else None)
        merged = self.source.ledger.ask(
            op="merge", ok=True, form=form, cluster=cluster, job=self.number,
            restart=first.get("restart"), records=snapshot.records, **more)
        return {key: value for key, value in merged.items() if key not in ("op", "ok", "form")}

    def job(self, snapshot: Snapshot) -> Job:
        form = "row" if self.options.json else "slim"
        row = self.merge(snapshot, form, summary=snapshot.summary())
        if not self.options.json:
            return Job(self.wanted, "live", row, self.row)
        job = Job(self.wanted, "live", self.merge(snapshot, "full"), self.row)
        job.answer.update(snapshot.about(), totals=row["totals"])
        if not snapshot.records:
            job.answer.pop("timelines", None)
        return job

    def draw(self, step: Step) -> None:
        """Print the replies to the last request.

        Raises: Failure, if no node has counters
        """
        snapshot = Snapshot(step, self.number)
        if not snapshot.records and not snapshot.without_counters:
            why = f": {', '.join(snapshot.missing)}" if snapshot.missing else ""
            raise self.failure(f"no numbers from any node{why}")
        job = self.job(snapshot)
        if self.options.json:
            from report import printer

            print(printer.as_json(job))
            return
        lines = screen.text(job, self.source, self.options.verbose, None).splitlines()
        if self.before:
            lines += rates(self.before[1], job, snapshot.when - self.before[0])
        lines += snapshot.notes()
        if self.is_screen:  # in one write, over the last screen
            text = "".join(line + "\033[K\n" for line in lines)
            print(f"\033[H{text}\033[J", end="", flush=True)
        else:
            print("\n".join(lines))
        self.before = snapshot.when, job

    def wait(self, step: Step) -> bool:
        """Count down the seconds to the next request; return False if the job has ended."""
        clock = time.strftime("%H:%M:%S")
        for left in range(self.options.live or 0, 0, -1):
            self.print_status(f"  {clock}, again in {left} s; Ctrl-C ends this")
            if not step.wait(1):
                return False
        return True

    def repeat(self, step: Step) -> None:
        """Query the nodes again and again, until the job ends."""
        while self.wait(step):
            self.print_status("  querying the nodes ..")
            try:
                step.ask(AGAIN_S)
            except Failure:
                break
            self.draw(step)
        self.print_status("")
        print(f"  the job has ended; soon jobio report {self.wanted} has all of it")

    def run(self) -> int:
        user = self.find()
        self.print_status("\033[2J  querying the nodes ..")
        step = Step(self.number, self.row, self.wanted, user)
        on_signals(signal.default_int_handler)
        try:
            try:
                step.ask(FIRST_S)
            except Failure as failure:
                raise self.failure(str(failure)) from None
            self.draw(step)
            if self.is_screen:
                self.repeat(step)
        except KeyboardInterrupt:  # stop
            pass
        finally:
            on_signals(signal.SIG_IGN)
            self.print_status("")
            step.close()
        return 0


def run(options: Options, source: Source) -> int:
    """Run jobio report --live; return the exit status."""
    with contextlib.closing(source):
        return View(options, source).run()
