"""The GIR file and the pages that gi-docgen reads: `make docs`.

    pages.py SOURCES CONFIG GIR DIRECTORY

SOURCES is the source directory, CONFIG is reel.toml, GIR is the file of g-ir-scanner. DIRECTORY gets Reel-0.gir, in which

- a function whose comment says only what it returns is described by that,
- a property is described by its blurb in the class's source,
- `reel_x()` and `#ReelX` are links,

and the pages of CONFIG with their links turned: README.md, documents of docs/, and modules.md, which lists the symbols of each
header by module. Fails where a symbol has no description.
"""
import os
import re
import sys
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

CORE = "{http://www.gtk.org/introspection/core/1.0}"
C = "{http://www.gtk.org/introspection/c/1.0}"
GLIB = "{http://www.gtk.org/introspection/glib/1.0}"
CALLABLES = {CORE + "function": "func", CORE + "method": "method", CORE + "constructor": "ctor"}
TYPES = [CORE + kind for kind in ("class", "record", "enumeration", "bitfield", "callback")]


class Symbol:
    """A function or type: its element, C name, the link to its page."""

    def __init__(self, element, parent):
        self.element = element
        if element.tag in CALLABLES:
            self.name = element.get(C + "identifier") + "()"
            owner = parent.get("name") + "." if parent.tag in TYPES else ""
            self.link = f"[{CALLABLES[element.tag]}@Reel.{owner}{element.get('name')}]"
        else:
            self.name = element.get(C + "type")
            self.link = f"[type@Reel.{element.get('name')}]"
        position = element.find(CORE + "source-position")
        self.header = position.get("filename") if position is not None else None
        self.line = int(position.get("line")) if position is not None else 0

    def summary(self):
        """The first sentence of its description, without links."""
        doc = self.element.find(CORE + "doc")
        text = " ".join(doc.text.split("\n\n")[0].split()) if doc is not None else ""
        return re.split(r"(?<=[.;])\s", text)[0].rstrip(";.:") + "." if text else ""


def is_final_class_struct(element):
    return element.get(GLIB + "is-gtype-struct-for") is not None and element.find(CORE + "doc") is None


def list_symbols(namespace):
    """All public ones by C name. The struct of a final class has nothing to describe."""
    symbols = {}
    for parent in [namespace, *(child for child in namespace if child.tag in TYPES)]:
        for element in parent:
            if element.tag in CALLABLES or (parent is namespace and element.tag in TYPES):
                if element.get("moved-to") is None and not is_final_class_struct(element):
                    symbol = Symbol(element, parent)
                    symbols[symbol.name] = symbol
    return symbols


def describe(element, text):
    if element.find(CORE + "doc") is None and text:
        doc = ET.Element(CORE + "doc", filename="", line="0")
        doc.text = text
        element.insert(0, doc)


def describe_by_return(namespace):
    for tag in (*CALLABLES, CORE + "callback", CORE + "virtual-method"):
        for element in namespace.iter(tag):
            doc = element.find(f"{CORE}return-value/{CORE}doc")
            describe(element, "Returns " + doc.text if doc is not None else None)


def read_blurbs(source):
    """The blurbs of the properties that a class adds, by name: the last text of each call."""
    blurbs = {}
    for call in re.findall(r"(?:reel_object_class_add|g_param_spec)_\w+ \((.*?)\);", source, re.S):
        texts = re.findall(r'"((?:[^"\\]|\\.)*)"', re.sub(r'"\s+"', "", call))
        if len(texts) > 1:
            blurbs[texts[0]] = texts[-1]
    return blurbs


def describe_properties(namespace, sources):
    files = {path.stem: path for path in (sources / "src").rglob("*.c")}
    for element in namespace.findall(CORE + "class"):
        words = r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
        stem = re.sub(words, "-", element.get("name")).lower()
        blurbs = read_blurbs(files[stem].read_text()) if stem in files else {}
        for prop in element.findall(CORE + "property"):
            describe(prop, blurbs.get(prop.get("name")))


def linked(text, symbols):
    """Names of functions and of types become links, but not in blocks of code."""

    def link(match):
        symbol = symbols.get(match.group(1))
        return symbol.link if symbol else match.group(0)

    parts = re.split(r"(^```.*?^```$|^ {4}.*?$)", text, flags=re.S | re.M)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"`?\b(reel_[a-z0-9_]+\(\))`?", link, parts[i])
        parts[i] = re.sub(r"#(Reel[A-Za-z0-9]+)\b", link, parts[i])
    return "".join(parts)


def page(text, pages, symbols):
    """A document as gi-docgen wants it: a title, and links to pages, pictures and symbols."""
    title = text.split("\n", 1)[0]

    def turned(match):
        words, target = match.groups()
        name = os.path.basename(target)
        if name in pages:
            return f"[{words}]({name.replace('.md', '.html')})"
        return f"[{words}]({name})" if name.endswith((".png", ".svg")) else words

    text = re.sub(r"\[([^]\[]*)\]\((?!https?:)([^)]*)\)", turned, text)
    return f"Title: {title.lstrip('# ')}\n\n{linked(text, symbols)}"


def modules(sources, symbols):
    """The symbols of each public header, by module, in the order of the table in docs/architecture.md."""
    table = re.findall(r"^\| `([^`]+)` \|[^|]*\| ([^|]*) \|$", (sources / "docs/architecture.md").read_text(), re.M)
    lines = ["# Modules", "", "Each module is a folder of `src`; [architecture.md](architecture.md) shows their order."]
    for module, contents in [(".", "the whole library"), *table]:
        headers = sorted({s.header for s in symbols.values() if s.header and os.path.dirname(s.header) == module.strip(".")})
        if headers:
            lines += ["", f"## {module if module != '.' else 'library'}", "", contents[0].upper() + contents[1:] + "."]
        for header in headers:
            title = (sources / "src" / header).read_text().split("\n", 1)[0].strip("/* ")
            lines += ["", f"### {os.path.basename(header)}", "", title, ""]
            members = sorted((s for s in symbols.values() if s.header == header), key=lambda s: s.line)
            lines += [f"- {s.link} {s.summary()}" for s in members]
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sources, config, gir, directory = map(Path, sys.argv[1:])
    for prefix, uri in (("", CORE), ("c", C), ("glib", GLIB)):
        ET.register_namespace(prefix, uri[1:-1])
    tree = ET.parse(gir)
    namespace = tree.getroot().find(CORE + "namespace")
    symbols = list_symbols(namespace)
    describe_by_return(namespace)
    describe_properties(namespace, sources)
    undocumented = [f"{s.header}:{s.line}: {name} has no description" for name, s in symbols.items() if not s.summary()]
    if undocumented:
        sys.exit("\n".join(undocumented))
    listed = modules(sources, symbols)
    for doc in namespace.iter(CORE + "doc"):
        doc.text = linked(doc.text, symbols)

    directory.mkdir(parents=True, exist_ok=True)
    tree.write(directory / "Reel-0.gir", encoding="utf-8", xml_declaration=True)
    pages = tomllib.loads(config.read_text())["extra"]["content_files"]
    for name in pages:
        path = next((p for p in (sources / "docs" / name, sources / name) if p.exists()), None)
        (directory / name).write_text(page(path.read_text() if path else listed, pages, symbols))


if __name__ == "__main__":
    main()
