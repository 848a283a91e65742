#!/usr/bin/env python3
"""Measures circles: files of one module that use each other's types, directly or through others.

    circles.py                 a line for each module with a circle of more than two files
    circles.py MODULE          the files of its circles, and for the largest one who uses whom
    circles.py --check         exits with 1 when a circle has more than four files, or more than KNOWN allows

A file uses another one when it names a type that only the other one declares, or calls a function that only the other
one declares in an extension of a type of this module. Comments and string literals do not count.
"""
import argparse
import re
import sys
from pathlib import Path

LIMIT = 4
#: Larger circles that are still to be opened. A number here may only go down; remove the row at four.
KNOWN = {"MaildirClient": 11, "SyncEngine": 14}
SOURCES = Path(__file__).resolve().parents[1] / "Sources"
DECLARED = re.compile(
    r"^(?P<indent> *)(?:(?:public|package|internal|final|indirect|nonisolated|@\w+(?:\([^)]*\))?) +)*"
    r"(?:struct|class|actor|enum|protocol|typealias) +(?P<name>[A-Z]\w*)", re.MULTILINE)
WORD = re.compile(r"\b[A-Z]\w*")
EXTENSION = re.compile(r"^(?:(?:public|package|private|fileprivate) +)*extension +(?P<type>[A-Z]\w*)")
FUNCTION = re.compile(r"^    (?!private )(?:(?:@\w+|public|package|static|mutating|nonisolated|borrowing|consuming) +)*func +(?P<name>\w+)")
#: Neither the cases of an enum nor `.name(` without a value before it, which is one.
CALL = re.compile(r"(?<![\s(\[,!]\.)(?<!case )\b([a-z]\w*)\(")


def code(text):
    """The text without comments and the words of string literals; what is interpolated stays."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    text = re.sub(r"//[^\n]*", " ", text)
    text = re.sub(r'"""(.*?)"""', lambda match: " ".join(re.findall(r"\\\((.*?)\)", match[1])), text, flags=re.DOTALL)
    return re.sub(r'"((?:[^"\\\n]|\\.)*)"', lambda match: " ".join(re.findall(r"\\\((.*?)\)", match[1])), text)


def extended(text):
    """The functions of a file's extensions, as (type, name)."""
    type_of = None
    for line in text.splitlines():
        if line[:1].strip() and not line.startswith((")", "}")):
            match = EXTENSION.match(line)
            type_of = match["type"] if match else None
        elif type_of and (match := FUNCTION.match(line)):
            yield type_of, match["name"]


def uses(module):
    """{file: {file that it uses: names}} of a module."""
    texts = {path.relative_to(module): code(path.read_text(encoding="utf-8")) for path in sorted(module.rglob("*.swift"))}
    owners = {}
    for path, text in texts.items():
        for match in DECLARED.finditer(text):
            if not match["indent"]:
                owners.setdefault(match["name"], set()).add(path)
    members = {}
    for path, text in texts.items():
        for type_of, name in extended(text):
            if type_of in owners:
                members.setdefault(name, set()).add(path)
    declared = {}
    for path, text in texts.items():
        for name in set(re.findall(r"\bfunc +(\w+)", text)):
            declared.setdefault(name, set()).add(path)
    called = {name: next(iter(paths)) for name, paths in members.items() if len(paths) == 1 and len(declared[name]) == 1}
    single = {name: next(iter(paths)) for name, paths in owners.items() if len(paths) == 1}
    found = {}
    for path, text in texts.items():
        found[path] = {}
        for name in set(WORD.findall(text)):
            other = single.get(name)
            if other is not None and other != path:
                found[path].setdefault(other, set()).add(name)
        for name in set(CALL.findall(text)):
            other = called.get(name)
            if other is not None and other != path:
                found[path].setdefault(other, set()).add(name + "()")
    return found


def circles(graph):
    """The strongly connected components of more than one file, largest first (Tarjan, without recursion)."""
    index, low, on, stack, found, number = {}, {}, set(), [], [], 0
    for start in graph:
        if start in index:
            continue
        work = [(start, iter(graph[start]))]
        index[start] = low[start] = number
        number += 1
        stack.append(start)
        on.add(start)
        while work:
            node, rest = work[-1]
            for other in rest:
                if other not in index:
                    index[other] = low[other] = number
                    number += 1
                    stack.append(other)
                    on.add(other)
                    work.append((other, iter(graph[other])))
                    break
                if other in on:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    members = []
                    while True:
                        member = stack.pop()
                        on.discard(member)
                        members.append(member)
                        if member == node:
                            break
                    if len(members) > 1:
                        found.append(sorted(members))
    return sorted(found, key=lambda members: (-len(members), members))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module", nargs="?")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    modules = [SOURCES / options.module] if options.module else sorted(path for path in SOURCES.iterdir() if path.is_dir())
    over = False
    for module in modules:
        graph = uses(module)
        found = circles(graph)
        largest = len(found[0]) if found else 0
        if options.check:
            if largest > KNOWN.get(module.name, LIMIT):
                over = True
                print(f"{module.name}: a circle of {largest} files, at most {KNOWN.get(module.name, LIMIT)}: "
                      f"Tests/circles.py {module.name}")
            continue
        if options.module:
            for members in found:
                print(f"{len(members)}: {' '.join(map(str, members))}")
            for path in found[0] if found else ():
                inside = {other: names for other, names in graph[path].items() if other in found[0]}
                print(f"  {path} → " + "; ".join(f"{other} ({' '.join(sorted(names))})" for other, names in sorted(inside.items())))
        elif largest > 2:
            print(f"{module.name:14} {largest:3} of {len(graph)} files")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
