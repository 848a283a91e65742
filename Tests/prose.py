#!/usr/bin/env python3
"""Finds wording that docs/Style.md rules out: in the pages, in the texts that the program prints, in comments, and in test names.

    prose.py [--check]  lists every place in the pages, in Sources and in the names of tests
    prose.py FILE…      only these files

Exits with 1 if there is such a place.

Of a page, code blocks do not count; of a Swift file, string literals and comments count; below Tests, only the names of
tests count. A line that must quote such a pattern contains "prose: quoted".
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
    (r"\b(?:stands|stood)\b|\bstand (?:in|at|for|there|below|above|behind|beside|aside)\b", "is in, is, means"),
    (r"\b(?:nobody|somebody|anybody|everybody)\b(?!@)", "name the person or program; anyone, everyone"),
    (r"\b(?:is|are|was|were) told\b|\btold (?:of|about)\b", "is reported; opus reports"),
    (r"\bwithout a word\b|\bor a word\b|\bfor a word\b|\b(?:on )?your word\b|\bsays? the word\b", "confirmation; until you confirm"),
    (r"\bso already\b", "already done"),
    (r"\bbefell\b|\bbefalls\b", "happened"),
    (r"\b(?:is|are|was|were|be|been) looked (?:at|for|into)\b", "opus checks, opus searches"),
    (r"\b(?:is|are|was|were|be|been) asked for\b", "opus requests"),
    (r"\ball the same\b", "anyway"),
    (r"\bbelieve it\b|\b(?:is|are) (?:not )?believed\b", "proceed; trust"),
    (r"\bat most so (?:many|long|much|large)\b|\b(?:more|after) than so (?:many|long)\b", "at most N, at most this many"),
    (r"\bunless said\b|\bwhen left out it is\b", "the default is"),
    (r"\b(?:take|takes|took|taken) (?:it |them |this )?back\b|\btaking back\b", "undo, undone"),
    (r"\banew\b", "again"),
    (r"\bmend(?:s|ed|ing)?\b", "fix, repair"),
    (r"\b(?:go|goes|going|went) on\b", "continues"),
    (r"\bof ours\b", "of opus, of the user"),
    (r"\b(?:throw|throws|thrown|threw) away\b", "discard, delete"),
    (r"\b(?:is|are|was|were|not) waited for\b", "opus waits for"),
    (r"\bis had\b|\bmay stand\b", "can be"),
    (r"\bwhoever\b|\bwhat perhaps\b", "name the person or thing"),
    (r"\b(?:nil|empty|NULL|0): none is\b|\bthere is no (?:such|program)\b", "… does not exist, … not found; nil: it has no …"),
    # In Swift: straight quotation marks are for what a person types.
    (r'\\"\\\([^"]*?(?:summary|subject|title)\b[^"]*?\)\\"|\b(?:task|subject|refused the login:) \\"',
     "“…” around a title, a subject or the words of a server"),
)]
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
#: The name of a test: of a Swift function, in its attribute, or of a Python method.
TEST_NAME = re.compile(r'^ *(?:@(?:Test|Suite)\( *)?"((?:[^"\\]|\\.)*)"|func `([^`]+)`|def (test_\w+)')
#: A page that quotes the patterns, and the SQL of the store, which is not printed.
EXCEPT = re.compile(r"docs/Style\.md|Sources/MailStore/(?:.*/)?Schema.*\.swift")


def test_names(path):
    """(line number, name) of every test in a file; a name may be on the line after its `@Test(`."""
    opened = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = TEST_NAME.search(line)
        if match and QUOTED not in line and (opened or not line.lstrip().startswith('"')):
            yield number, (match[1] or match[2] or match[3]).replace("_", " ")
        opened = line.rstrip().endswith(("@Test(", "@Suite("))


def texts(path):
    """(line number, text) of everything in a file that a person reads."""
    inside = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if QUOTED in line:
            continue
        if path.suffix != ".swift":
            if line.startswith("```"):
                inside = not inside
            elif not inside:
                yield number, line
        elif inside:
            inside = not line.lstrip().startswith('"""')
            if inside:
                yield number, line
        elif line.endswith('"""') and line.count('"""') == 1:
            inside = True
        else:
            literals = list(LITERAL.finditer(line))
            comment = next((at.start() for at in re.finditer("//", line)
                            if not any(literal.start() < at.start() < literal.end() for literal in literals)), len(line))
            for literal in literals:
                if literal.start() < comment:
                    yield number, literal.group(1)
            if comment < len(line):
                yield number, line[comment:]


def files():
    yield from sorted((REPOSITORY / "Sources").rglob("*.swift"))
    yield from sorted((REPOSITORY / "docs").rglob("*.md"))
    for folder in sorted((REPOSITORY / "Tests").glob("*Tests")) + [REPOSITORY / "Tests" / "Architecture"]:
        yield from sorted(folder.rglob("*.swift"))
    yield from sorted((REPOSITORY / "Tests").rglob("test_*.py"))
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "tasks/README.md", "Tests/Scenarios/README.md"):
        yield REPOSITORY / name


def places(paths):
    """What is wrong with a line, for each pattern that it matches."""
    for path in paths:
        name = str(path.resolve().relative_to(REPOSITORY))
        if EXCEPT.fullmatch(name):
            continue
        for number, text in test_names(path) if "Tests" in path.parts and path.suffix != ".md" else texts(path):
            for pattern, advice in PATTERNS:
                if match := pattern.search(text):
                    yield f"{name}:{number}: “{match.group()}”: write “{advice}” (docs/Style.md)"


def main():
    words = sys.argv[1:]
    found = list(places(files() if words in ([], ["--check"]) else map(Path, words)))
    if found:
        print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
