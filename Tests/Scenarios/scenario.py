"""Reads a scenario folder, sets it up on an account, and writes down the state afterwards. See README.md."""
import email.header
import re
import shutil
from pathlib import Path

from servers import FLAG_LETTERS

SCENARIOS = Path(__file__).resolve().parent
REPOSITORY = SCENARIOS.parents[1]
CLOCK = "2026-03-10T08:30:00+01:00"


class Stage:
    """The folder itself, or one of its `then-N`: what happens, and what is there afterwards."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.clock = self.text("now") or CLOCK
        self.edits = self.text("edits").splitlines()
        self.exit = int(self.text("expected-exit") or 0)
        self.words = self.text("expected-words").splitlines()
        mail_from = self.text("mail-from")
        self.mail = REPOSITORY / mail_from if mail_from else self.folder / "mail"

    def text(self, name):
        path = self.folder / name
        return path.read_text().strip("\n") if path.is_file() else ""

    def expects(self, name):
        return (self.folder / f"expected-{name}").is_file()

    def expected(self, name):
        return self.text(f"expected-{name}").splitlines()

    def accept(self, name, lines):
        (self.folder / f"expected-{name}").write_text("".join(line + "\n" for line in lines))

    def deliver(self, box):
        """Puts the stage's mail into the account; arrival is the Date field."""
        if not self.mail.is_dir():
            return
        for folder in sorted(f for f in self.mail.rglob("*") if f.is_dir() and any(f.glob("*.eml"))):
            mailbox = str(folder.relative_to(self.mail))
            for path in sorted(folder.glob("*.eml")):
                box.add(mailbox, path.read_bytes(), flags=flags(path.name))


class Scenario(Stage):
    def __init__(self, folder):
        super().__init__(folder)
        self.name = self.folder.name
        self.story = self.text("story")
        self.rules = self.folder / "rules" if (self.folder / "rules").is_dir() else REPOSITORY / "rules"
        self.account = "".join(f"    {line}\n" for line in self.text("account").splitlines())
        self.later = [Stage(f) for f in sorted(self.folder.glob("then-*"))]

    @staticmethod
    def all():
        return [Scenario(story.parent) for story in sorted(SCENARIOS.glob("*/story"))]

    def lay_out_tasks(self, tasks):
        if (self.folder / "tasks").is_dir():
            shutil.copytree(self.folder / "tasks", tasks, dirs_exist_ok=True)


def flags(name):
    """Of `01-name.SF.later.eml`: letters as in a Maildir, words in lower case as labels."""
    words = name.split(".")[1:-1]
    letters = "".join(word for word in words if word.isupper())
    return [FLAG_LETTERS[letter] for letter in letters] + [word for word in words if word.islower()]


def state(box, tasks):
    """What the account, the task folder and the attachments folder hold now, as the lines of `expected-state`."""
    lines = ["\t".join(["mail", held.mailbox, " ".join(sorted(held.flags)), clean(held.subject)])
             for held in box.everything()]
    return sorted(lines + task_lines(tasks) + file_lines(Path(tasks).parent / "attachments"))


def file_lines(folder):
    """What rules saved."""
    return ["\t".join(["file", str(path.relative_to(folder)), f"{path.stat().st_size} bytes"])
            for path in sorted(folder.rglob("*")) if path.is_file()]


def task_lines(folder):
    lines = []
    for path in sorted(Path(folder).glob("*/*.ics")):
        task = read_task(path.read_bytes())
        lines.append("\t".join([
            "task", path.parent.name, task.get("STATUS", "NEEDS-ACTION").lower(),
            task.get("DUE") or task.get("DTSTART", ""), task.get("CONTACT", ""), task.get("SUMMARY", "")]))
    return sorted(lines)


def read_task(content):
    """The first VTODO's own properties, unfolded and unescaped; parameters are left out. RFC 5545 section 3.1."""
    properties, inside, nested = {}, False, 0
    for line in re.sub(r"\r?\n[ \t]", "", content.decode(errors="replace")).splitlines():
        name, _, value = line.partition(":")
        if line == "BEGIN:VTODO":
            inside = True
        elif line == "END:VTODO":
            break
        elif name in ("BEGIN", "END"):
            nested += 1 if name == "BEGIN" else -1
        elif inside and nested <= 1:
            text = re.sub(r"\\(.)", lambda m: "\n" if m[1] in "nN" else m[1], value)
            properties.setdefault(name.partition(";")[0].upper(), text)
    return properties


def edit(tasks, line):
    """One line of `edits`, done to the task's file the way other programs do it."""
    verb, _, rest = line.partition(" ")
    title, _, value = rest.partition(" -> ")
    found = [p for p in sorted(Path(tasks).glob("*/*.ics")) if read_task(p.read_bytes()).get("SUMMARY") == title]
    if len(found) != 1:
        raise LookupError(f"{line}: {len(found)} such tasks")
    path, text = found[0], found[0].read_bytes()
    if verb == "done":
        text = re.sub(rb"STATUS:NEEDS-ACTION\r?\n", b"", text)
        text = text.replace(b"END:VTODO", b"STATUS:COMPLETED\r\nCOMPLETED:20260310T100000Z\r\nEND:VTODO", 1)
    elif verb == "percent":
        text = re.sub(rb"STATUS:NEEDS-ACTION\r?\n", b"PERCENT-COMPLETE:100\r\n", text)
    elif verb == "reopen":
        text = re.sub(rb"(STATUS:COMPLETED|COMPLETED:[0-9TZ]+|PERCENT-COMPLETE:100)\r?\n", b"", text)
    elif verb == "cancel":
        text = text.replace(b"STATUS:NEEDS-ACTION", b"STATUS:CANCELLED")
    elif verb == "start":
        text = re.sub(rb"DTSTART[^\r\n]*\r?\n", b"", text)
        text = text.replace(b"STATUS:", f"DTSTART;VALUE=DATE:{value}\r\nSTATUS:".encode() if value else b"STATUS:", 1)
    elif verb == "cut":
        text = text[:text.index(b"END:VTODO") - 9]
    elif verb == "delete":
        return path.unlink()
    elif verb == "list":
        target = Path(tasks) / value / path.name
        target.parent.mkdir(exist_ok=True)
        return path.rename(target)
    else:
        raise ValueError(f"unknown edit {line!r}")
    if text == path.read_bytes():
        raise ValueError(f"{line}: nothing to change in {path}")
    beside = path.with_name(path.name + ".tmp")
    beside.write_bytes(text)
    beside.rename(path)


def clean(subject):
    """One line without control characters: what a golden file can hold."""
    subject = (subject or "").encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    try:
        text = str(email.header.make_header(email.header.decode_header(subject)))
    except (UnicodeError, LookupError):
        text = repr(subject)
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in " ".join(text.split()))
