#!/usr/bin/env python3
"""Measures types: the lines of each type in Sources, its declaration and all its extensions together.

    type_sizes.py               the types of more than 300 lines, largest first
    type_sizes.py TYPE          the files of one type, with their lines
    type_sizes.py --check       exits with 1 when a type has more than 600 lines

A line counts for the type that is declared or extended at the top of its file; a nested type counts for the type around
it. Comments count, and so do blank lines inside. Two modules may have types of one name: each is measured on its own.
"""
import argparse
import re
import sys
from collections import defaultdict
from pathlib import Path

LIMIT = 600
SHOWN = 300
#: Types that may not grow to the limit.
SMALLER = {"Pipeline.Session": 150}
SOURCES = Path(__file__).resolve().parents[1] / "Sources"
START = re.compile(
    r"^(?:(?:public|package|internal|private|fileprivate|final|indirect|nonisolated|@\w+(?:\([^)]*\))?) +)*"
    r"(?P<kind>struct|class|actor|enum|protocol|extension) +(?P<name>[A-Z]\w*)")


def spans(text):
    """(kind, name, lines) of each declaration and extension at the top of a file."""
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        match = START.match(lines[number])
        if not match:
            number += 1
            continue
        start = number
        if not lines[number].rstrip().endswith("}"):
            while number + 1 < len(lines) and lines[number] != "}":
                number += 1
        number += 1
        yield match["kind"], match["name"], number - start


def measured():
    """{Module.Type: {file: lines}}; an extension of a type of another module counts for that module where it is known."""
    found, homes, later = defaultdict(lambda: defaultdict(int)), defaultdict(set), []
    for path in sorted(SOURCES.rglob("*.swift")):
        file, module = path.relative_to(SOURCES), path.relative_to(SOURCES).parts[0]
        for kind, name, lines in spans(path.read_text(encoding="utf-8")):
            if kind != "extension":
                homes[name].add(module)
            later.append((module, name, file, lines))
    for module, name, file, lines in later:
        owners = homes[name]
        home = module if module in owners else next(iter(owners)) if len(owners) == 1 else None
        if home:
            found[f"{home}.{name}"][file] += lines
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("type", nargs="?")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    over = False
    for name, files in sorted(measured().items(), key=lambda item: -sum(item[1].values())):
        total = sum(files.values())
        if options.check:
            most = SMALLER.get(name, LIMIT)
            if total > most:
                over = True
                print(f"{name}: {total} lines in {len(files)} files, at most {most}: Tests/type_sizes.py {name}")
        elif options.type:
            if options.type in (name, name.split(".")[1]):
                print(f"{name}: {total} lines")
                for file, lines in sorted(files.items(), key=lambda item: -item[1]):
                    print(f"{lines:6} {file}")
        elif total > SHOWN:
            print(f"{total:5}  {name} ({len(files)} files)")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
