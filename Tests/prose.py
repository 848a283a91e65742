#!/usr/bin/env python3
"""Reports wording that docs/Style.md rules out, in string literals of Sources and in Markdown pages. Exits with 1 if any.

    prose.py            all of Sources, docs, README.md, CHANGELOG.md, CONTRIBUTING.md
    prose.py FILE…      only these

A line that must quote such a pattern contains "prose: quoted".
"""
import re
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
QUOTED = "prose: quoted"

#: Pattern, and what to write instead.
PATTERNS = [(re.compile(pattern, re.IGNORECASE), advice) for pattern, advice in (
    (r"(?<!there )\b(?:is|are|was|were) no (?!longer\b|more than\b)[a-z]", "is not a …, there is no …"),
    (r"\bnot? (?:one )?rule is\b", "does not match a rule"),
    (r"\bstands? (?:in|at|for|there)\b", "is in, is, means"),
    (r"\b(?:nobody|somebody)\b", "name the person or program"),
    (r"\bis told\b|\bare told\b", "is reported; opus reports"),
    (r"\bwithout a word\b|\bor a word\b", "confirmation; until you confirm"),
    (r"\bso already\b", "already done"),
    (r"\bbefell\b", "happened"),
    (r"\b(?:is|are) looked at\b", "opus checks"),
    (r"\b(?:is|are) asked for\b", "opus requests"),
    (r"\ball the same\b", "anyway"),
    (r"\bbelieve it\b", "proceed"),
)]
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
#: Pages that quote the patterns.
EXCEPT = {"docs/Style.md"}


def texts(path):
    """(line number, text) of what a person reads in a file."""
    inside = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if QUOTED in line:
            continue
        if path.suffix != ".swift":
            if line.startswith("```"):
                inside = not inside
            elif not inside:
                yield number, line
            continue
        if line.count('"""') == 1:
            inside = not inside
        elif inside:
            yield number, line
        elif not line.lstrip().startswith("//"):
            for literal in LITERAL.findall(line):
                yield number, literal


def files():
    yield from sorted((REPOSITORY / "Sources").rglob("*.swift"))
    yield from sorted((REPOSITORY / "docs").rglob("*.md"))
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md"):
        yield REPOSITORY / name


def main():
    found = 0
    for path in map(Path, sys.argv[1:]) if sys.argv[1:] else files():
        name = str(path.resolve().relative_to(REPOSITORY))
        if name in EXCEPT:
            continue
        for number, text in texts(path):
            for pattern, advice in PATTERNS:
                if match := pattern.search(text):
                    found += 1
                    print(f"{name}:{number}: “{match.group()}”: write “{advice}” (docs/Style.md)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
