# SPDX-License-Identifier: GPL-2.0-or-later
"""The three plots of a calibration, as SVG."""
from __future__ import annotations

import io

from report import samples, units
from report.calibration import METRICS, Calibration, best_line, best_setting, setting_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Series = dict[str, list[list[float]]]  # name: measured values at each place


class Sheet:
    """Four panels with one legend."""

    def __init__(self, title: str, about: str) -> None:
        from matplotlib.figure import Figure
        from matplotlib.ticker import EngFormatter

        self.title, self.about, self.number = title, about, 0
        self.figure = Figure(figsize=(9, 7.5))
        self.figure.suptitle(title)
        self.axes = list(self.figure.subplots(2, 2).flat)
        self.figure.subplots_adjust(0.08, 0.13, 0.98, 0.88, 0.2, 0.42)
        self.units = EngFormatter()

    def panel(self, title: str, unit: str, places: list[str], axis: str, series: Series,
              is_bars: bool = False, note: str = "") -> Any:
        axes = self.axes[self.number]
        self.number += 1
        wide = 0.8 / max(len(series), 1)
        for at, (name, values) in enumerate(series.items()):
            known = [i for i, v in enumerate(values) if v]
            y = [samples.mean(values[i]) for i in known]
            error = [samples.spread(values[i]) or 0 for i in known]
            if is_bars:
                x = [i - 0.4 + wide * (at + 0.5) for i in known]
                axes.bar(x, y, wide, yerr=error, label=name, capsize=2)
            else:
                axes.errorbar(known, y, error, label=name, marker="os^Dv<"[at % 6], capsize=2)
        axes.set_title(f"{title}, {unit}" + (f"\n{note}" if note else ""), fontsize="medium")
        axes.set_xticks(range(len(places)))
        axes.set_xticklabels(places)
        axes.tick_params(axis="x", rotation=20 if len("".join(places)) > 40 else 0)
        axes.set_xlabel(axis)
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter(self.units)
        axes.grid(alpha=0.3)
        return axes

    def svg(self) -> str:
        handles, names = self.axes[0].get_legend_handles_labels()
        if names:
            self.figure.legend(handles, names, loc="lower center", ncol=4)
        from matplotlib import rc_context

        out = io.StringIO()
        with rc_context({"svg.fonttype": "none"}):  # words stay words
            self.figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
        head, body = out.getvalue().split("<svg ", 1)
        start, rest = body.split(">", 1)
        return (f'{head}<svg role="img" {start}>\n <title>{self.title}</title>\n'
                f" <desc>{self.about}</desc>{rest}")


def name_of(profile: str | None) -> str:
    return profile or "no profile"


def scaling(data: Calibration) -> str:
    cores = sorted({s[0] for s in data.settings})
    sheet = Sheet("What one node does, by io-cores",
                  "Four panels: bytes a second in blocks of 1 MiB, and calls of 4 KiB a second, "
                  "read and written, by the number of io-cores, a line for each profile. "
                  "calibration.json has the numbers.")
    for metric in METRICS:
        line = best_line(data, metric)
        series = {name_of(p): [metric.of(data, (c, p)) for c in cores] for p in data.profiles()}
        note = f"{units.count(line.per_core)} a core, up to {line.grows_to}" if line else ""
        axes = sheet.panel(metric.words, "bytes/s" if metric.is_bytes else "calls/s",
                           [str(c) for c in cores], "io-cores", series, note=note)
        if line:
            grown = [(i, c) for i, c in enumerate(cores) if c <= line.grows_to]
            axes.plot([i for i, _ in grown], [line.per_core * c for _, c in grown], "k:",
                      label="in proportion to the io-cores")
    return sheet.svg()


def engines(data: Calibration) -> str:
    grid = [s for s in data.shapes if not s.is_alone]
    processes = sorted({s.processes for s in grid})
    sheet = Sheet("One request at a time, or many",
                  "Four panels: bytes a second in blocks of 1 MiB, and calls of 4 KiB a second, "
                  "read and written, by the number of processes, synchronous and with libaio.")
    for metric in METRICS:
        best = best_setting(data, metric)
        if not best:
            continue
        what = "Bps" if metric.is_bytes else "iops"
        series = {name: [data.cell(best, s.name)[what] for s in grid
                         if metric.is_of(s) and s.is_async == aio]
                  for name, aio in (("synchronous", False), ("libaio", True))}
        sheet.panel(metric.words, "bytes/s" if metric.is_bytes else "calls/s",
                    [str(n) for n in processes], "processes", series, note=setting_text(best))
    return sheet.svg()


def direct(data: Calibration) -> str:
    largest = {p: max(s for s in data.settings if s[1] == p) for p in data.profiles()}
    sheet = Sheet("Around the page cache, and through it",
                  "Four panels: bytes a second of one process in blocks of 64 MiB and of 4 KiB, "
                  "read and written, with O_DIRECT and without, by profile, with the most "
                  "io-cores.")
    for shape, title in (("64m-read", "64 MiB read"), ("64m-write", "64 MiB written"),
                         ("4k-read", "4 KiB read, in order"),
                         ("4k-write", "4 KiB written, in order")):
        series = {name: [data.cell(s, f"{shape}-{way}")["Bps"] for s in largest.values()]
                  for name, way in (("direct", "direct"), ("through the cache", "buffered"))}
        sheet.panel(title, "bytes/s", [name_of(p) for p in largest], "profile", series,
                    is_bars=True)
    return sheet.svg()


def draw(data: Calibration) -> dict[str, str]:
    """File name: SVG."""
    return {"scaling.svg": scaling(data), "engines.svg": engines(data),
            "direct.svg": direct(data)}
