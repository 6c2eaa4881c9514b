"""One picture of measured figures, as SVG on the standard output: `make bench-chart`.

    chart.py FILE...

Each FILE has the JSON lines of `make bench` or `make bench-peers`, of which `group`, `name`, `isa`, `unit`, `ratio` and `goal` are
read. Above are the ratios to limits: a group is a line, its median a dot, the range of its figures a bar. Left out are figures in
MiB and those that have no goal or one above 1, which compare something other than work with its limit. Below are the ratios to
other programs, a dot each.
"""
import sys
from html import escape
from math import log10
from statistics import median

from tables import NAMES, read

PEERS = "Reel and other programs"
WIDTH, LEFT, RIGHT, LINE, TOP = 900, 330, 30, 19, 78
ISA_COLOURS = {"avx512": "#1b6ca8", "avx2": "#e07b39", "generic": "#888888"}
PEER_COLOURS = {"TorchRL": "#1b6ca8", "tensordict": "#58a5d6", "SB3": "#e07b39", "cpprb": "#5a9e4b",
                "Gymnasium": "#8e5ea2", "EnvPool": "#c0392b", "OpenCV": "#7f7f7f", "Hugging": "#c9a227", "PyTorch": "#17a2a2"}


def text(x, y, words, size=12, anchor="start", colour="#333333", weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}" '
            f'font-weight="{weight}">{escape(words)}</text>')


def line(x1, y1, x2, y2, colour, width=1.0, opacity=1.0):
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
            f'stroke-width="{width}" stroke-opacity="{opacity}"/>')


def dot(x, y, colour):
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'


def shown(words, most=48):
    return words if len(words) <= most else words[:most - 1].rstrip() + "…"


class Panel:
    """A title, a legend, an axis from left to right, and a line for each row below one another."""

    def __init__(self, top, title, legend, rows, ticks, place):
        self.top, self.n, self.place = top, len(rows), place
        self.bottom = top + TOP + LINE * self.n
        self.parts = [text(20, top + 24, title, 15, weight="bold")]
        x = 20
        for words, colour in legend:
            self.parts += [dot(x + 4, top + 42, colour), text(x + 13, top + 46, words)]
            x += 28 + 7.2 * len(words)
        for value, words in ticks:
            x, strong = self.x(value), value == 1
            self.parts += [line(x, top + TOP - 8, x, self.bottom, "#555555" if strong else "#dddddd"),
                           text(x, top + TOP - 14, words, 11, "middle", "#666666")]
        for i, words in enumerate(rows):
            self.parts.append(text(LEFT - 12, self.y(i) + 4, shown(words), anchor="end"))

    def x(self, value):
        return LEFT + (WIDTH - LEFT - RIGHT) * self.place(value)

    def y(self, i):
        return self.top + TOP + LINE * (i + 0.5)


def limits_panel(groups, top):
    rows = {}
    for group, figures in groups.items():
        for by_isa in figures.values():
            for isa, figure in by_isa.items():
                if group != PEERS and figure["unit"] != "MiB" and figure["goal"] is not None and figure["goal"] <= 1:
                    rows.setdefault(group.split(";")[0], {}).setdefault(isa, []).append(figure["ratio"])
    isas = [isa for isa in NAMES if any(isa in row for row in rows.values())]
    most = max((ratio for row in rows.values() for ratios in row.values() for ratio in ratios), default=1)
    most = max(1.2, most)
    ticks = [(i / 5, f"{i / 5:.1f}") for i in range(int(most * 5 + 1e-9) + 1)]
    panel = Panel(top, "Speed beside the limit: 1 is the best code known for the same work",
                  [(NAMES[isa], ISA_COLOURS[isa]) for isa in isas], rows, ticks, lambda value: value / most)
    for i, row in enumerate(rows.values()):
        for isa, ratios in row.items():
            y = panel.y(i) + 5 * (isas.index(isa) - (len(isas) - 1) / 2)
            panel.parts += [line(panel.x(min(ratios)), y, panel.x(max(ratios)), y, ISA_COLOURS[isa], 4, 0.35),
                            dot(panel.x(median(ratios)), y, ISA_COLOURS[isa])]
    return panel


def peers_panel(figures, top):
    rows = {}
    for name, by_isa in figures.items():
        work, peer = name.split("; ", 1)
        word = peer.split("'")[0].split(",")[0].split(" ")[0]
        rows.setdefault(work, []).append((word, next(iter(by_isa.values()))["ratio"]))
    ratios = [ratio for row in rows.values() for _, ratio in row]
    low, high = min(1, *ratios), 1.3 * max(10, *ratios)
    ticks = [(10 ** i, f"×{10 ** i:,}") for i in range(int(log10(high)) + 1)]
    used = {word for row in rows.values() for word, _ in row}
    panel = Panel(top, "Speed beside other programs: times as fast, logarithmic",
                  [(word, colour) for word, colour in PEER_COLOURS.items() if word in used], rows, ticks,
                  lambda value: log10(value / low) / log10(high / low))
    for i, row in enumerate(rows.values()):
        y = panel.y(i)
        panel.parts.append(line(panel.x(low), y, panel.x(high), y, "#eeeeee"))
        panel.parts += [dot(panel.x(ratio), y, PEER_COLOURS[word]) for word, ratio in row]
    return panel


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    groups, _ = read(sys.argv[1:])
    panels = []
    if any(group != PEERS for group in groups):
        panels.append(limits_panel(groups, 0))
    if PEERS in groups:
        panels.append(peers_panel(groups[PEERS], panels[-1].bottom + 20 if panels else 0))
    height = panels[-1].bottom + 20
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
          'font-family="Helvetica, Arial, sans-serif">')
    print(f'<rect width="{WIDTH}" height="{height}" fill="white"/>')
    for panel in panels:
        print("\n".join(panel.parts))
    print("</svg>")


if __name__ == "__main__":
    main()
