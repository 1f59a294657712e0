# SPDX-License-Identifier: GPL-2.0-or-later
"""A run of a job and its parts, with the members of their JSON: record/record.h, record/run_json.h.

Unknown numbers are None, never 0.
"""
from __future__ import annotations

from report import units
from report.types import Any, Json

TIMES = ("read_us", "write_us", "meta_us", "sync_us", "close_us", "mapped_us", "async_us")


def ratio(part: float | None, whole: float | None) -> float | None:
    """Return part / whole; None: one is unknown, or whole is 0."""
    if part is None or not whole:
        return None
    return part / whole


class Members:
    """Members of a JSON object as attributes; None: null or missing.

    json: the object itself
    """

    __slots__ = ("json",)
    json: Json

    def __init__(self, json: Json) -> None:
        self.json = json
        get = json.get
        for name in self.__slots__:
            setattr(self, name, get(name))


class Mount(Members):
    __slots__ = ("mount", "fstype", "source")
    mount: str
    fstype: str
    source: str | None


class Card(Members):
    """Network cards of a client.

    beside: a task of the job could run on a core of the same NUMA node
    """

    __slots__ = ("names", "numa_nodes", "beside")
    names: str
    numa_nodes: str | None
    beside: bool | None


class Client(Members):
    __slots__ = ("name", "type", "version", "cpus", "app_to_wire", "card", "mounts")
    name: str
    type: str
    version: str | None
    cpus: str | None
    app_to_wire: str | None
    card: Card | None
    mounts: list[Mount]

    def __init__(self, json: Json) -> None:
        super().__init__(json)
        self.card = Card(json["card"]) if json.get("card") else None
        self.mounts = [Mount(mount) for mount in json.get("mounts") or []]


class Change(Members):
    """A change of a setting; made and restored: None is unknown."""

    __slots__ = ("client", "what", "target", "old", "new", "made", "restored")
    what: str
    target: str
    old: str
    new: str
    made: bool | None
    restored: bool | None


class Finding(Members):
    """users: the cure is for the owner of the job."""

    __slots__ = ("code", "severity", "text", "cure", "users")
    code: str
    severity: str
    text: str
    cure: str | None
    users: bool | None


class Request(Members):
    __slots__ = ("io_cores", "profile", "applied", "cores_met")
    io_cores: int | None
    profile: str | None
    applied: bool | None
    cores_met: bool | None


class Gate(Members):
    """Numbers of tasks that could run on the client's CPUs."""

    __slots__ = ("warned", "refused", "text")
    warned: int | None
    refused: int | None
    text: str | None


class Cores(Members):
    """Cores that Slurm withheld, in its own and in Linux's numbers."""

    __slots__ = ("count", "abstract", "os_cpus")
    count: int | None
    abstract: str | None
    os_cpus: str | None


class Part(Members):
    """CPUs with the same socket and NUMA node."""

    __slots__ = ("socket", "numa_node", "cpus")
    socket: int | None
    numa_node: int | None
    cpus: str | None


class Machine(Members):
    __slots__ = ("job_cpus", "parts")
    job_cpus: str | None
    parts: list[Part]

    def __init__(self, json: Json) -> None:
        super().__init__(json)
        self.parts = [Part(part) for part in json.get("parts") or []]


LANES = ("read_bytes", "write_bytes", "calls", "io_us")


class Timeline(Members):
    """Row i of each lane has the I/O from start + i * width_s on (record/timeline.h)."""

    __slots__ = ("start", "width_s", *LANES)
    start: int
    width_s: int
    read_bytes: list[int] | None
    write_bytes: list[int] | None
    calls: list[int] | None
    io_us: list[int] | None

    def lane(self, name: str) -> list[int]:
        found: list[int] | None = getattr(self, name)
        return found or []

    @property
    def count(self) -> int:
        """Return the number of rows."""
        return max(len(self.lane(name)) for name in LANES)


class Io(Members):
    """Counters of one filesystem or of all files, from one source (record/io.h).

    kind: "app" (requests of processes), "other" (the same from another source), "wire" (of the
        client)
    nodes: number of nodes in the sum
    node, start, end: of the counters of one node
    """

    __slots__ = (
        "kind", "scope", "source", "client", "fs", "nodes", "node", "start", "end",
        "read_bytes", "read_calls", "read_us", "read_skipped", "mmap_read_bytes",
        "write_bytes", "write_calls", "write_us", "write_skipped", "mmap_write_bytes",
        "meta_calls", "meta_us", "meta_skipped", "times_skipped", "sync_us", "close_us",
        "mapped_us", "async_us", "threads", "thread_us", "slowest_us", "slowest_life_us", "meta",
        "errors", "peak", "timeline", "read_sizes", "write_sizes", "read_ns", "write_ns")
    kind: str
    scope: str
    source: str
    client: str | None
    fs: str | None
    nodes: int
    node: str
    start: float | None
    end: float | None
    read_bytes: int | None
    read_calls: int | None
    read_us: int | None
    write_bytes: int | None
    write_calls: int | None
    write_us: int | None
    meta_calls: int | None
    threads: int | None
    thread_us: int | None
    slowest_us: int | None
    slowest_life_us: int | None
    meta: dict[str, int]
    errors: dict[str, dict[str, int]]
    peak: dict[str, int]
    timeline: Timeline | None

    def __init__(self, json: Json) -> None:
        super().__init__(json)
        self.meta = self.meta or {}
        self.errors = self.errors or {}
        self.peak = self.peak or {}
        self.timeline = Timeline(json["timeline"]) if json.get("timeline") else None

    def number(self, key: str) -> int | None:
        value: int | None = getattr(self, key)
        return value

    def histogram(self, key: str) -> list[int]:
        """Return the bins of read_sizes, write_sizes, read_ns or write_ns; []: unknown."""
        bins: list[int] | None = getattr(self, key)
        return bins or []

    @property
    def operations(self) -> int | None:
        """Return the number of metadata operations."""
        return units.known(self.meta.values())

    @property
    def waited_us(self) -> int | None:
        """Return the time of all threads in I/O."""
        return units.known(self.number(key) for key in TIMES)

    @property
    def share(self) -> float | None:
        """Return the time in I/O as a share of the threads' lifetime."""
        return ratio(self.waited_us, self.thread_us)

    @property
    def slowest_share(self) -> float | None:
        """Return the share of the thread with the longest time in I/O.

        None: it is unknown, the same as the mean, or that thread lived for a short time only.
        """
        share = self.share
        life_us = self.slowest_life_us or 0
        slowest = ratio(self.slowest_us, life_us)
        if share is None or slowest is None or slowest < share:
            return None
        if units.percent(slowest) == units.percent(share):
            return None
        if self.threads and life_us * 2 * self.threads < (self.thread_us or 0):
            return None
        return slowest


class Time(Members):
    """Times of a run, in seconds since 1970; seconds: elapsed; apart: difference of clocks."""

    __slots__ = ("first", "last", "seconds", "apart")
    first: float | None
    last: float | None
    seconds: float | None
    apart: float | None


# members that jobio-ask prints once for all nodes with the same value
GROUPED = {"request": Request, "gate": Gate, "io_cores": Cores, "machine": Machine,
           "client": Client, "more_clients": Client, "changes": Change, "findings": Finding}


class Run(Members):
    """A run of a job on all nodes: the ledger's reply, slim or a row; of an empty object all is
    unknown.

    lines: sums over nodes, one for each filesystem and source
    nodes: one for each node with counters
    findings: codes of all nodes, each once
    left_out: number of records that the reply does not have
    """

    __slots__ = ("cluster", "job", "restart", "user", "summary", "state", "error", "time",
                 "totals", "record_count", "left_out", "lines", "lines_left_out", "nodes",
                 "findings", "quality_words", "restarts")
    cluster: str | None
    job: int | None
    restart: int | None
    user: str | None
    summary: str | None
    state: str | None
    error: str | None
    time: Time
    totals: dict[str, int | None]
    record_count: int
    left_out: int
    lines: list[Io]
    lines_left_out: int
    nodes: list[Io]
    findings: list[str]
    quality_words: dict[str, str]
    restarts: list[int | None]

    def __init__(self, json: Json) -> None:
        super().__init__(json)
        self.time = Time(json.get("time") or {})
        self.totals = self.totals or {}
        self.record_count = self.record_count or 0
        self.left_out = self.left_out or 0
        self.lines = [Io(line) for line in json.get("lines") or []]
        self.lines_left_out = self.lines_left_out or 0
        self.nodes = [Io(node) for node in json.get("nodes") or []]
        self.quality_words = self.quality_words or {}
        self.findings = self.findings or []
        self.restarts = [run.get("restart") for run in json.get("runs") or []]  # the newest first

    def groups(self, key: str) -> list[tuple[Any, list[str]]]:
        """Return the values of a member, each with the nodes that have it.

        key: of GROUPED, or "refused"
        """
        parse = GROUPED.get(key)
        found = (self.json.get("same") or {}).get(key, [])
        return [(parse(group["value"]) if parse else group["value"], group["nodes"])
                for group in found if group["value"] is not None]

    @property
    def clients(self) -> list[tuple[Client, list[str]]]:
        return self.groups("client") + self.groups("more_clients")

    @property
    def mounts(self) -> list[Mount]:
        return [mount for client, _ in self.clients for mount in client.mounts]
