#!/usr/bin/env python3
"""Finds wording that docs/Style.md rules out: in the pages, in the texts that the program prints, and in comments.

    prose.py            lists every place in the pages and in Sources
    prose.py FILE…      only these files
    prose.py --check    exits with 1 if a page or a printed text has such a place, or the comments of a module have more
                        of them than COMMENTS allows

Of a page, code blocks do not count; of a Swift file, string literals and comments count. A line that must quote such a
pattern contains "prose: quoted".
"""
import collections
import re
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
QUOTED = "prose: quoted"

#: Places in the comments of a module that are still to be rewritten. A number may only go down.
COMMENTS = {"MailStore": 75}

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
)]
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
#: A page that quotes the patterns, and the SQL of the store, which is not printed.
EXCEPT = re.compile(r"docs/Style\.md|Sources/MailStore/(?:.*/)?Schema.*\.swift")


def texts(path):
    """(line number, text, whether it is a comment) of everything in a file that a person reads."""
    inside = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if QUOTED in line:
            continue
        if path.suffix != ".swift":
            if line.startswith("```"):
                inside = not inside
            elif not inside:
                yield number, line, False
        elif inside:
            inside = not line.lstrip().startswith('"""')
            if inside:
                yield number, line, False
        elif line.endswith('"""') and line.count('"""') == 1:
            inside = True
        else:
            literals = list(LITERAL.finditer(line))
            comment = next((at.start() for at in re.finditer("//", line)
                            if not any(literal.start() < at.start() < literal.end() for literal in literals)), len(line))
            for literal in literals:
                if literal.start() < comment:
                    yield number, literal.group(1), False
            if comment < len(line):
                yield number, line[comment:], True


def files():
    yield from sorted((REPOSITORY / "Sources").rglob("*.swift"))
    yield from sorted((REPOSITORY / "docs").rglob("*.md"))
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "tasks/README.md", "Tests/Scenarios/README.md"):
        yield REPOSITORY / name


def places(paths):
    """(file, whether it is in a comment, what is wrong with a line), for each pattern that a line matches."""
    for path in paths:
        name = str(path.resolve().relative_to(REPOSITORY))
        if EXCEPT.fullmatch(name):
            continue
        for number, text, is_comment in texts(path):
            for pattern, advice in PATTERNS:
                if match := pattern.search(text):
                    words = f"{name}:{number}: “{match.group()}”: write “{advice}” (docs/Style.md)"
                    yield name, is_comment, words


def check():
    comments, wrong = collections.Counter(), False
    for name, is_comment, problem in places(files()):
        if is_comment:
            comments[name.split("/")[1]] += 1
        else:
            print(problem)
            wrong = True
    for module in sorted({*comments, *COMMENTS}):
        if comments[module] > COMMENTS.get(module, 0):
            print(f"Sources/{module}: {comments[module]} places in comments, at most {COMMENTS.get(module, 0)}: "
                  f"Tests/prose.py Sources/{module}/…")
            wrong = True
    return 1 if wrong else 0


def main():
    words = sys.argv[1:]
    if words == ["--check"]:
        return check()
    found = [problem for _, _, problem in places(map(Path, words) if words else files())]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
