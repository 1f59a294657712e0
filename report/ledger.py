# SPDX-License-Identifier: GPL-2.0-or-later
"""Requests to the ledger through jobio-ask; requests and replies are those of ledger_link.h."""
from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Iterator

from report import paths, program, units
from report.command import FAILED, USAGE, Failure
from report.types import Any, Json


class Ledger:
    """A link to the ledger: jobio-ask runs in parallel and gets one request a line.

    conf: path of jobio.conf; None: the default
    is_raw: texts are not changed, for JSON; else they are printable
    """

    def __init__(self, conf: str | None = None, is_raw: bool = False) -> None:
        self.conf = conf
        self.is_raw = is_raw
        self.name = "the ledger"
        self.why_down = ""  # reason of the first missing reply; no further requests then
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> subprocess.Popen[bytes]:
        if not self.process:
            words = [paths.helper("jobio-ask")]
            if self.conf:
                words.append("--conf=" + self.conf)
            self.process = program.start(words, stdin=subprocess.PIPE, **program.OURS)
        return self.process

    def send(self, **request: Any) -> None:
        """Send a request; answer() returns the replies in the same order."""
        if self.why_down:
            return
        line = json.dumps({key: value for key, value in request.items() if value is not None})
        stdin = self.start().stdin
        assert stdin
        try:
            stdin.write(line.encode() + b"\n")
            stdin.flush()
        except BrokenPipeError:
            pass  # answer() reports it

    def answer(self) -> Json:
        """Return the next reply; without a ledger "down" is true and "error" has the reason.

        Raises: Failure, if jobio-ask has ended
        """
        if self.why_down:
            return {"ok": False, "down": True, "error": self.why_down}
        process = self.start()
        assert process.stdout
        timer = program.waiting(self.name)
        text = process.stdout.readline().decode(errors="replace")
        timer.cancel()
        if not text:
            raise self.ended(process)
        reply: Json = json.loads(text if self.is_raw else units.clean_json(text))
        if reply.get("down"):
            self.why_down = reply["error"]
        if reply.get("host"):  # of jobio.conf
            seconds = reply["timeout_ms"] / 1000
            self.name = f"the ledger on {reply['host']}, at most {seconds:g} s"
        return reply

    def ended(self, process: subprocess.Popen[bytes]) -> Failure:
        """Return the error of jobio-ask; bad usage is an invalid --conf."""
        assert process.stderr
        why = process.stderr.read().decode(errors="replace").strip()
        is_usage = process.wait() == USAGE and self.conf
        return Failure(why.removeprefix("jobio-ask: ") or "jobio-ask: it ended without an answer",
                       USAGE if is_usage else FAILED)

    def ask(self, **request: Any) -> Json:
        """Send a request and return the reply."""
        self.send(**request)
        return self.answer()

    def ask_all(self, requests: list[Json]) -> Iterator[Json]:
        """Return the replies; one request is sent ahead, not more: both pipes may be full."""
        for at in range(len(requests) + 1):
            if at < len(requests):
                self.send(**requests[at])
            if at:
                yield self.answer()

    def close(self) -> None:
        if not self.process:
            return
        for end in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert end
            with contextlib.suppress(OSError):
                end.close()
        self.process.wait()


def why_not(reply: Json) -> str:
    """Return the reason of a failed reply."""
    error = str(reply.get("error") or "its reply is invalid")
    return error if reply.get("down") else f"ledger: {error}"
