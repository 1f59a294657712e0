# SPDX-License-Identifier: GPL-2.0-or-later
"""Ask the ledger, through jobio-ask: questions and answers as ledger_link.h has them."""
from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Iterator

from report import paths, program, units
from report.command import FAILED, USAGE, Failure
from report.types import Any, Json


class Ledger:
    """A link to the ledger: jobio-ask runs beside us, one question a line."""

    def __init__(self, conf: str | None = None, raw: bool = False) -> None:
        self.conf, self.raw = conf, raw  # raw: texts as they came, for JSON
        self.name = "the ledger"
        self.down = ""  # why it does not answer; it is not asked again then
        words = [paths.helper("jobio-ask")]
        if conf:
            words.append("--conf=" + conf)
        self.process = program.start(words, stdin=subprocess.PIPE, **program.OURS)

    def send(self, **question: Any) -> None:
        """Put a question; answer() has what comes back, in the order of the questions."""
        line = json.dumps({k: v for k, v in question.items() if v is not None}) + "\n"
        assert self.process.stdin
        if self.down:
            return
        try:
            self.process.stdin.write(line.encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # answer() says why

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
        if told.get("host"):  # of jobio.conf
            self.name = f"the ledger on {told['host']}, at most {told['timeout_ms'] / 1000:g} s"
        return told

    def ask(self, **question: Any) -> Json:
        self.send(**question)
        return self.answer()

    def ask_all(self, questions: list[Json]) -> Iterator[Json]:
        """The answers; while one is read the next question is on its way, and no more of them:
        both pipes may be full."""
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
