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
    """A link to the ledger: jobio-ask runs in parallel and gets one request a line."""

    def __init__(self, conf: str | None = None, raw: bool = False) -> None:
        self.conf, self.raw = conf, raw  # raw: unchanged texts, for JSON
        self.name = "the ledger"
        self.down = ""  # reason for no reply; no further requests then
        words = [paths.helper("jobio-ask")]
        if conf:
            words.append("--conf=" + conf)
        self.process = program.start(words, stdin=subprocess.PIPE, **program.OURS)

    def send(self, **question: Any) -> None:
        """Send a request; answer() returns the replies in the same order."""
        line = json.dumps({k: v for k, v in question.items() if v is not None}) + "\n"
        assert self.process.stdin
        if self.down:
            return
        try:
            self.process.stdin.write(line.encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # answer() reports it

    def answer(self) -> Json:
        if self.down:
            return {"ok": False, "down": True, "error": self.down}
        assert self.process.stdout and self.process.stderr
        timer = program.waiting(self.name)
        text = self.process.stdout.readline().decode(errors="replace")
        timer.cancel()
        if not text:
            why = self.process.stderr.read().decode(errors="replace").strip()
            bad = self.process.wait() == USAGE and self.conf
            raise Failure(why.removeprefix("jobio-ask: ") or "jobio-ask: it ended without an "
                          "answer", USAGE if bad else FAILED)
        told: Json = json.loads(text if self.raw else units.clean_json(text))
        if told.get("down"):
            self.down = told["error"]
        if told.get("host"):  # host from jobio.conf
            self.name = f"the ledger on {told['host']}, at most {told['timeout_ms'] / 1000:g} s"
        return told

    def ask(self, **question: Any) -> Json:
        self.send(**question)
        return self.answer()

    def ask_all(self, questions: list[Json]) -> Iterator[Json]:
        """Return the replies; one request is sent ahead, not more: both pipes may be full."""
        for at in range(len(questions) + 1):
            if at < len(questions):
                self.send(**questions[at])
            if at:
                yield self.answer()

    def close(self) -> None:
        for end in (self.process.stdin, self.process.stdout, self.process.stderr):
            if end:
                with contextlib.suppress(OSError):
                    end.close()
        self.process.wait()
