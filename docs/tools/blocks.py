#!/usr/bin/env python3
"""Runs the console blocks of the pages, and renews what they show.

    blocks.py                    compares every page; says what differs
    blocks.py --update [PAGE…]   writes what the program prints now into the pages

The program is $OPUS, else .build/debug/opus. How a block is written:

    ```console           lines that begin with "$ " are commands for bash; "> " goes on with the line before;
    $ opus list          the other lines are what they print, standard error included
    …                    a line that is only "…" stands for any number of lines
    ```

    ```console demo      only the first line is a command: what it prints may begin with "$ " too

The blocks of a page run one after the other in one fresh workspace, ~/mail of a person called Ana: the mailbox of
`opus demo`, the starter rules, and its clock, 2026-03-10T08:30:00+01:00. Output goes to a terminal of 100 columns
without colours, so a pipe in a command behaves as it does for people. The home folder is shown as /home/ana, and
the folder of `opus demo --keep` as /tmp/opus-demo-7d3e.
"""
import argparse
import difflib
import email.utils
import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import threading
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
NOW = "2026-03-10T08:30:00+01:00"
COLUMNS = 100
HOME = "/home/ana"
ANY = "…"

CONFIGURATION = """\
config-version: 1
me: { name: Ana Ruiz, addresses: [ana@acme.example, ana@example.org] }
time-zone: Europe/Paris
dates: { order: day-month }
accounts:
  - name: work
    address: ana@acme.example
    maildir: Maildir
"""

# The clock of the demonstration for every command that takes one, as `opus demo` does it for itself.
WRAPPER = """\
#!/bin/sh
case "${1-}" in ""|help|-h|--help|--version) exec "$OPUS" "$@" ;; esac
case " $* " in *" --now "*|*" --help "*) exec "$OPUS" "$@" ;; esac
exec "$OPUS" --now %s "$@"
""" % NOW


@dataclass
class Command:
    text: str
    expected: list = field(default_factory=list)
    first: int = 0     # the line of the page on which the output begins, from 0
    last: int = 0      # the line after it


def pages():
    """README.md first, then docs/, in the order of their names."""
    found = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
    return [page for page in found if page.exists()]


def fences(lines):
    """(info string, number of the first line inside, lines inside) of every fenced block."""
    opening, start = None, 0
    for number, line in enumerate(lines):
        match = re.match(r"^\s*(`{3,})(.*)$", line)
        if opening is None and match:
            opening, start = match, number + 1
        elif opening is not None and match and len(match[1]) >= len(opening[1]) and not match[2].strip():
            yield opening[2].strip(), start, lines[start:number]
            opening = None


def commands(page):
    lines = page.read_text(encoding="utf-8").splitlines()
    found = []
    for info, start, block in fences(lines):
        if info.split()[:1] != ["console"]:
            continue
        single, current = "demo" in info.split(), None
        for number, line in enumerate(block, start):
            if line.startswith("$ ") and not (single and current):
                current = Command(line[2:], [], number + 1, number + 1)
                found.append(current)
            elif current and not current.expected and line.startswith("> "):
                current.text += "\n" + line[2:]
                current.first = current.last = number + 1
            elif current:
                current.expected.append(line)
                current.last = number + 1
            else:
                raise ValueError(f"{page.name}:{number + 1}: a console block begins with a line '$ command'")
    return found


class Workspace:
    """A home folder with ~/mail in it, to run commands in."""

    def __init__(self, program):
        self.top = Path(tempfile.mkdtemp(prefix="opus-docs-"))
        (self.top / "bin").mkdir()
        wrapper = self.top / "bin" / "opus"
        wrapper.write_text(WRAPPER)
        wrapper.chmod(0o755)
        share = self.top / "share"
        share.mkdir()
        (share / "demo").symlink_to(REPOSITORY / "Sources" / "opus" / "DemoMail")
        (share / "rules").symlink_to(REPOSITORY / "rules")
        (self.top / "tmp").mkdir()
        self.home = self.top / "home"
        self.root = self.home / "mail"
        self.root.mkdir(parents=True)
        (self.root / "opus.yaml").write_text(CONFIGURATION)
        shutil.copytree(REPOSITORY / "rules", self.root / "rules")
        (self.root / "tasks").mkdir()
        fill(self.root / "Maildir", REPOSITORY / "Sources" / "opus" / "DemoMail")
        self.environment = {
            "PATH": f"{self.top / 'bin'}:/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "OPUS": str(program),
            "OPUS_SHARE": str(share), "TMPDIR": str(self.top / "tmp"), "LANG": "C.UTF-8", "TZ": "Europe/Paris",
            "TERM": "xterm", "OPUS_PAGER": "cat", "NO_COLOR": "1", "COLUMNS": str(COLUMNS)}
        if "LD_LIBRARY_PATH" in os.environ:
            self.environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.top, ignore_errors=True)

    def run(self, text, seconds=60):
        """What a command shows on a terminal, as lines."""
        ours, theirs = pty.openpty()
        settings = termios.tcgetattr(theirs)
        settings[1] &= ~termios.OPOST
        termios.tcsetattr(theirs, termios.TCSANOW, settings)
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
        output = bytearray()

        def read():
            while True:
                try:
                    piece = os.read(ours, 65_536)
                except OSError:
                    return
                if not piece:
                    return
                output.extend(piece)

        child = subprocess.Popen(["bash", "-c", text], cwd=self.root, env=self.environment, stdin=subprocess.DEVNULL,
                                 stdout=theirs, stderr=theirs, start_new_session=True)
        os.close(theirs)
        reader = threading.Thread(target=read)
        reader.start()
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
            raise AssertionError(f"not done after {seconds} s: {text}") from None
        finally:
            reader.join(5)
            os.close(ours)
        # Swift's report of a crash: a page must never show it as the output of a command.
        if b"Program crashed" in output:
            raise AssertionError(f"opus crashed: {text}\n{output.decode('utf-8', 'replace')[:2000]}")
        shown = re.sub(r"[^\n]*\r\x1b\[K", "", output.decode("utf-8"))
        shown = shown.replace(str(self.home), HOME).replace(str(self.top / "tmp"), "/tmp")
        shown = re.sub(r"opus-demo-[0-9a-f-]{36}", "opus-demo-7d3e", shown)
        lines = [line.rstrip() for line in shown.split("\n")]
        while lines and not lines[-1]:
            lines.pop()
        return lines


def fill(root, mail):
    """The sample mailbox as `opus demo` makes it: a file's time is the message's own date."""
    for box in sorted(path for path in mail.iterdir() if path.is_dir()):
        folder = root if box.name == "INBOX" else root / ("." + box.name)
        for part in ("cur", "new", "tmp"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        for file in sorted(box.glob("*.eml")):
            words = file.name.split(".")
            letters = "".join(sorted(words[-2])) if len(words) > 2 else ""
            time = date_of(file.read_bytes())
            target = folder / "cur" / f"{int(time)}.{words[0]}:2,{letters}"
            shutil.copyfile(file, target)
            os.utime(target, (time, time))


def date_of(message):
    head = message.replace(b"\r\n", b"\n").split(b"\n\n", 1)[0]
    match = re.search(rb"(?mi)^date:(.*)$", head)
    try:
        return email.utils.parsedate_to_datetime(match[1].decode("latin-1").strip()).timestamp()
    except (TypeError, ValueError):
        return email.utils.parsedate_to_datetime("Tue, 10 Mar 2026 08:30:00 +0100").timestamp()


def matches(expected, actual):
    """Whether the lines are the expected ones; a line ANY stands for any number of lines."""
    positions = {0}
    for line in expected:
        if line.strip() == ANY:
            positions = set(range(min(positions), len(actual) + 1))
        else:
            positions = {p + 1 for p in positions if p < len(actual) and actual[p] == line.rstrip()}
        if not positions:
            return False
    return len(actual) in positions


def trimmed(expected):
    lines = list(expected)
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def renewed(expected, actual):
    """What is shown now, cut where it was cut before: each old line is set beside the most similar new one."""
    if ANY not in [line.strip() for line in expected]:
        return actual
    old = [line for line in expected if line.strip() != ANY]
    score = [[0.0] * (len(actual) + 1) for _ in range(len(old) + 1)]
    alike = [[difflib.SequenceMatcher(None, a, b).ratio() for b in actual] for a in old]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(actual) - 1, -1, -1):
            pair = alike[i][j] - 0.4 + score[i + 1][j + 1]
            score[i][j] = max(score[i + 1][j], score[i][j + 1], pair)
    partner, i, j = {}, 0, 0
    while i < len(old) and j < len(actual):
        if score[i][j] == alike[i][j] - 0.4 + score[i + 1][j + 1] and alike[i][j] > 0.4:
            partner[i], i, j = j, i + 1, j + 1
        elif score[i][j] == score[i][j + 1]:
            j += 1
        else:
            i += 1
    result, index, shown, skips = [], 0, 0, False
    for line in [*expected, None]:
        if line is not None and line.strip() == ANY:
            skips = True
            continue
        place = len(actual) if line is None else partner.get(index)
        index += line is not None
        if place is None:
            continue
        if place > shown:
            result += [ANY] if skips else actual[shown:place]
        if line is not None:
            result.append(actual[place])
        shown, skips = place + 1, False
    return result


def check(page, program):
    """(command, its real output) for every command of a page whose output is not the expected one."""
    found = commands(page)
    wrong = []
    if found:
        with Workspace(program) as workspace:
            for command in found:
                actual = workspace.run(command.text)
                if not matches(trimmed(command.expected), actual):
                    wrong.append((command, actual))
    return wrong


def difference(page, command, actual):
    lines = difflib.unified_diff(trimmed(command.expected), actual, f"{page.name}:{command.first}", "now", lineterm="", n=2)
    return f"$ {command.text}\n" + "\n".join(lines)


def update(page, wrong):
    lines = page.read_text(encoding="utf-8").splitlines()
    for command, actual in reversed(wrong):
        blank = command.expected[len(trimmed(command.expected)):]
        lines[command.first:command.last] = renewed(trimmed(command.expected), actual) + blank
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("pages", nargs="*", type=Path)
    options = parser.parse_args()
    program = Path(os.environ.get("OPUS", REPOSITORY / ".build" / "debug" / "opus")).resolve()
    if not os.access(program, os.X_OK):
        sys.exit(f"no program at {program}: build it, or set OPUS")
    stale = 0
    for page in [p.resolve() for p in options.pages] or pages():
        wrong = check(page, program)
        stale += len(wrong)
        if wrong and options.update:
            update(page, wrong)
        for command, actual in wrong:
            print(difference(page, command, actual) if not options.update else f"{page.name}: renewed: {command.text}")
    return 1 if stale and not options.update else 0


if __name__ == "__main__":
    sys.exit(main())
