"""Markdown tables of measured figures: `make bench-tables`.

    tables.py FILE...

Each FILE has the JSON lines of `make bench` or `make bench-peers`. A row is a figure, its limit or peer
behind the semicolon; a column is an instruction set: ours, the limit, the ratio of speeds.
"""
import json
import sys

NAMES = {"avx512": "AVX-512", "avx2": "AVX2", "generic": "generic"}


def read(paths):
    """Figures by group and name, each by instruction set; the instruction sets, best first."""
    groups, isas = {}, set()
    for path in paths:
        with open(path) as file:
            for figure in map(json.loads, file):
                groups.setdefault(figure["group"], {}).setdefault(figure["name"], {})[figure["isa"]] = figure
                isas.add(figure["isa"])
    return groups, [isa for isa in NAMES if isa in isas]


def number(value):
    size = abs(value)
    return f"{value:,.0f}" if size >= 100 else f"{value:.1f}" if size >= 10 else f"{value:.2f}"


def cell(figure):
    """The ratio is bold below the floor; ~ marks figures that were disturbed."""
    if figure is None:
        return ""
    ratio = number(figure["ratio"])
    if figure["floor"] is not None and figure["ratio"] < figure["floor"]:
        ratio = f"**{ratio}**"
    noisy = "~" if figure["noisy"] else ""
    return f"{noisy}{number(figure['median'])} / {number(figure['limit'])} = {ratio}"


def table(title, figures, isas):
    """As for a time less is better, the ratio is that of the limit to ours."""
    lines = [f"| {title} | " + " | ".join(NAMES[isa] for isa in isas) + " | floor, goal |",
             "| --- |" + " --- |" * (len(isas) + 1)]
    for name, by_isa in figures.items():
        any_isa = next(iter(by_isa.values()))
        unit = "" if any_isa["unit"] in name.split() else f", {any_isa['unit']}"
        asked = "" if any_isa["floor"] is None else f"{any_isa['floor']:.2g}, {any_isa['goal']:.2g}"
        cells = " | ".join(cell(by_isa.get(isa)) for isa in isas)
        lines.append(f"| {name}{unit} | {cells} | {asked} |")
    return "\n".join(lines)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    groups, isas = read(sys.argv[1:])
    print("\n\n".join(table(title, figures, isas) for title, figures in groups.items()))


if __name__ == "__main__":
    main()
