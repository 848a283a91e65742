#!/usr/bin/env python3
"""The unit tests. Prints only what fails; a test that fails runs once more, alone.

    units.py BINARY [--filter REGEX] [--skip REGEX]

Tests with deadlines can fail on a busy machine. A test that passes alone is named as unsteady, so that it can be fixed. With
more than ten failures, or if the program crashes, nothing is repeated.
"""
import argparse
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

MOST_REPEATED = 10


def run(binary, choice, width):
    """Returns (exit code, [identifier of each failed test], [identifier of each test])."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        code = subprocess.call([
            binary, "--testing-library", "swift-testing", "--quiet", "--xunit-output", str(report),
            "--experimental-maximum-parallelization-width", str(width), *choice])
        try:
            cases = list(ElementTree.parse(report).iter("testcase"))
        except (OSError, ElementTree.ParseError):
            return code or 1, [], []
    names = [f"{case.get('classname')}/{case.get('name')}" for case in cases]
    return code, [name for name, case in zip(names, cases) if case.find("failure") is not None], names


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--filter")
    parser.add_argument("--skip")
    options = parser.parse_args()
    choice = [part for name in ("filter", "skip") if getattr(options, name)
              for part in (f"--{name}", getattr(options, name))]

    # With a thousand tests at once, tests miss their deadlines.
    code, failed, _ = run(options.binary, choice, width=4)
    if code == 0 or not 0 < len(failed) <= MOST_REPEATED:
        return code
    print(f"once more, alone: {', '.join(failed)}", flush=True)
    code, again, names = run(options.binary, ["--filter", "|".join(f"^{re.escape(name)}" for name in failed)], width=1)
    if missing := set(failed) - set(names):
        print(f"not found in the second run: {', '.join(sorted(missing))}", flush=True)
        return 1
    if code == 0:
        print(f"unsteady, passed only in the second run: {', '.join(failed)}", flush=True)
    else:
        print(f"failed twice: {', '.join(again)}", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
