"""`opus inbox` in a terminal: the time from a key to the next message on the screen, in an inbox of every size.

The mailbox is a Maildir whose messages are all in the inbox. The keys are those of a person who decides: most of them
one key, some with a value that is typed before; between two of them is a short pause. The time runs from the last key
of a decision until the screen shows the next message, with the count of what is left, in the list and in the pane.
"""
import fcntl
import os
import pty
import random
import re
import select
import shutil
import statistics
import struct
import subprocess
import termios
import time

import clients
from corpus import Corpus, write_maildir
from measure import measure

KEY, OPENED, SENT = "key to next message", "session opened", "last key to the end of the session"
#: The last entry is what is timed; the words before it are typed first.
VERBS = [["e"]] * 6 + [["#"]] * 2 + [["!"]] + [["h", "friday", "\r"], ["h", "someday", "\r"], ["t", "\r"],
                                               ["vArchive", "\r"], ["w", "\r"], ["lred", "\r", "e"], ["x", "e"]]
DECISIONS = 240
#: Seconds between two decisions: a quick person.
PAUSE = 0.1
COLUMNS, ROWS = 80, 24
PATIENCE = 120.0
PIECE = re.compile(rb"\x1b\[(\d+);(\d+)H|\x1b\[[?\d;]*[A-Za-z]|\x1b[^\[]")
LEFT = re.compile(r"opus inbox +(\d+) left")


class Terminal:
    """The program on a terminal, and what its screen shows: it draws whole lines, each at its place."""

    def __init__(self, command, log):
        self.rows, self.row, self.rest = [b""] * (ROWS + 1), 0, b""
        self.ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        environment = dict(os.environ, TERM="xterm-256color", LANG="C.UTF-8", NO_COLOR="1")
        environment.pop("OPUS_NO_INPUT", None)
        self.process = subprocess.Popen(list(map(str, command)), stdin=theirs, stdout=theirs, stderr=log,
                                        env=environment, start_new_session=True)
        os.close(theirs)

    def type(self, text):
        os.write(self.ours, text.encode())

    def wait(self, is_there):
        """When the screen was as asked: seconds of the monotonic clock."""
        end = time.monotonic() + PATIENCE
        while not is_there():
            if not self.read(end - time.monotonic()):
                raise SystemExit("bench: opus inbox did not go on:\n" + "\n".join(map(shown, self.rows)))
        return time.monotonic()

    def read(self, seconds):
        """Whether something came."""
        ready, _, _ = select.select([self.ours], [], [], max(0, seconds))
        try:
            data = os.read(self.ours, 65536) if ready else b""
        except OSError:
            data = b""
        self.draw(data)
        return bool(data)

    def draw(self, data):
        data, place = self.rest + data, 0
        for piece in PIECE.finditer(data):
            self.add(data[place:piece.start()])
            place = piece.end()
            if piece[1] and piece[2] == b"1":
                self.row = min(int(piece[1]) - 1, ROWS)
                self.rows[self.row] = b""
        # A sequence may come in two parts.
        cut = data.find(b"\x1b", place)
        self.rest = data[cut:] if cut >= 0 else b""
        self.add(data[place:cut] if cut >= 0 else data[place:])

    def add(self, text):
        self.rows[self.row] += text

    @property
    def left(self):
        found = LEFT.match(shown(self.rows[0]))
        return int(found[1]) if found else 0

    def shows_a_message(self):
        """The pane shows the message with the focus."""
        focus = next((shown(row) for row in self.rows if row.startswith(b">")), None)
        pane = next((shown(row)[9:].strip() for row in self.rows if row.startswith(b"Subject ")), None)
        return bool(focus and pane) and pane[:12] in focus

    def end(self):
        """(seconds until it ended after q, exit code)"""
        start = time.monotonic()
        self.type("q")
        while self.read(PATIENCE):
            pass
        code = self.process.wait(PATIENCE)
        os.close(self.ours)
        return time.monotonic() - start, code


def shown(row):
    return row.decode("utf-8", "replace")


class Keys:
    def __init__(self, record, folder, program):
        self.record, self.folder, self.program = record, folder, program.resolve()

    def fill(self, size):
        messages = ((text, "INBOX", flags) for text, _, flags in
                    Corpus(light=size.endswith("l")).mailbox(int(size.rstrip("l"))))
        count, total = write_maildir(self.folder / "mail", messages)
        (self.folder / "rules").mkdir()
        (self.folder / "opus.yaml").write_text(
            "config-version: 1\nme: { name: Ana Ruiz, addresses: [ana@acme.example] }\ntime-zone: Europe/Paris\n"
            f"accounts:\n  - name: bench\n    address: ana@acme.example\n    maildir: {self.folder}/mail\n")
        (self.folder / "rules/bench.yaml").write_text("rules-version: 1\nname: bench\nrules:\n" + "".join(
            f"  - id: rule-{number}\n    when: {{ {condition} }}\n    then:\n      - label: rule-{number}\n"
            for number, (_, condition) in enumerate(clients.RULES, 1)))
        print(f"\n== {size} messages in the inbox of a Maildir, {total / 1e6:.0f} MB", flush=True)
        measure([self.program, "sync", "--workspace", self.folder], self.record.log)
        return count

    def session(self, size, decisions):
        start = time.monotonic()
        screen = Terminal([self.program, "inbox", "--workspace", self.folder], self.record.log)
        opened = screen.wait(lambda: screen.left and screen.shows_a_message()) - start
        dice, times = random.Random(3), []
        for _ in range(min(decisions, screen.left // 3)):
            *before, last = dice.choice(VERBS)
            for words in before:
                screen.type(words)
                self.settle(screen)
            left = screen.left
            pressed = time.monotonic()
            screen.type(last)
            times.append(screen.wait(lambda: screen.left < left and screen.shows_a_message()) - pressed)
            self.settle(screen)
        ended, code = screen.end()
        if code:
            raise SystemExit(f"bench: opus inbox exited with {code}")
        self.note(size, times, opened, ended)

    def settle(self, screen):
        """What is drawn meanwhile, such as news of the last key, is read."""
        end = time.monotonic() + PAUSE
        while (rest := end - time.monotonic()) > 0:
            screen.read(rest)

    def note(self, size, times, opened, ended):
        print(f"\n{KEY}, {len(times)} decisions, {size} messages")
        shares = statistics.quantiles(times, n=100, method="inclusive")
        for name, figure in [("p50", shares[49]), ("p95", shares[94]), ("p99", shares[98]), ("largest", max(times))]:
            print(f"  {name:<28} {figure * 1000:8.1f} ms")
            self.record.rows.append({"group": KEY, "size": size, "label": name, "wall": figure, "runs": len(times)})
        for name, figure in [(OPENED, opened), (SENT, ended)]:
            print(f"  {name:<38} {figure:6.2f} s", flush=True)
            self.record.rows.append({"group": name, "size": size, "label": "opus", "wall": figure, "runs": 1})


def run(record, sizes, folder, opus, decisions=DECISIONS):
    for size in sizes:
        keys = Keys(record, folder / f"keys-{size}", opus)
        keys.folder.mkdir(parents=True)
        keys.fill(size)
        keys.session(size, decisions)
        shutil.rmtree(keys.folder)
