"""Reads a scenario folder, sets it up, and writes down the state that is there afterwards. See README.md."""
import email
import email.header
import email.utils
import os
import re
import shutil
from pathlib import Path

SCENARIOS = Path(__file__).resolve().parent
REPOSITORY = SCENARIOS.parents[1]
CLOCK = "2026-03-10T08:30:00+01:00"
COMMANDS = [["sync"], ["triage", "--yes", "--max", "none"]]


class Scenario:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.name = self.folder.name
        self.story = self._text("story")
        self.clock = self._text("now") or CLOCK
        self.commands = [line.split() for line in self._text("commands").splitlines()] or COMMANDS
        self.mail = REPOSITORY / self._text("mail-from") if self._text("mail-from") else self.folder / "mail"
        self.rules = self.folder / "rules" if (self.folder / "rules").is_dir() else REPOSITORY / "rules"
        self.after = self._text("after").splitlines()

    @staticmethod
    def all():
        return [Scenario(story.parent) for story in sorted(SCENARIOS.glob("*/story"))]

    def mailboxes(self):
        """[(name, folder of .eml files)], INBOX first."""
        folders = sorted((f for f in self.mail.iterdir() if f.is_dir()), key=lambda f: (f.name != "INBOX", f.name))
        return [(folder.name, folder) for folder in folders]

    def fill(self, servers, user):
        for name, folder in self.mailboxes():
            servers.fill(user, folder, mailbox=name)

    def lay_out_maildir(self, root):
        """The same mail as a Maildir++ on this machine; arrival is the Date field."""
        for name, folder in self.mailboxes():
            place = Path(root) if name == "INBOX" else Path(root) / f".{name}"
            for part in ("cur", "new", "tmp"):
                (place / part).mkdir(parents=True, exist_ok=True)
            for number, path in enumerate(sorted(folder.glob("*.eml")), 1):
                letters = "".join(sorted("".join(path.name.split(".")[1:-1])))
                # Unread mail without flags is new, as a delivery agent leaves it.
                target = place / (f"cur/{number}.opus:2,{letters}" if letters else f"new/{number}.opus")
                target.write_bytes(path.read_bytes())
                sent = email.utils.parsedate_to_datetime(str(email.message_from_bytes(path.read_bytes())["Date"]))
                os.utime(target, (sent.timestamp(), sent.timestamp()))

    def lay_out_workspace(self, folder, accounts):
        """Rules, tasks and opus.yaml; `accounts` is the YAML below `accounts:`."""
        folder = Path(folder)
        shutil.copytree(self.rules, folder / "rules")
        if (self.folder / "tasks").is_dir():
            shutil.copytree(self.folder / "tasks", folder / "tasks")
        else:
            (folder / "tasks").mkdir()
        (folder / "opus.yaml").write_text(
            "config-version: 1\n"
            "me: { name: Ana Ruiz, addresses: [ana@acme.example, ana@example.org] }\n"
            "time-zone: Europe/Paris\ndates: { order: day-month }\n"
            f"accounts:\n{accounts}")
        return folder

    def differences(self, state):
        """Readable lines, `-` expected and missing, `+` there and not expected. Empty when all is as it should be."""
        missing, extra = list(self.after), []
        for line in state:
            if line in missing:
                missing.remove(line)
            else:
                extra.append(line)
        return sorted([f"- {line}" for line in missing] + [f"+ {line}" for line in extra], key=lambda line: line[2:])

    def _text(self, name):
        path = self.folder / name
        return path.read_text().strip() if path.is_file() else ""


def state(servers, user, tasks, mailboxes=None):
    """What the account, the task folder and the capture mailbox hold now, as the lines of `after`."""
    lines = []
    client = servers.imap(user)
    names = mailboxes or [re.search(rb' "/" "?([^"]+)"?$', row)[1].decode() for row in client.list()[1]]
    client.logout()
    for name in names:
        for held in servers.contents(user, name):
            lines.append("\t".join(["mail", name, " ".join(sorted(held.flags)), clean(held.subject)]))
    if servers.has_smtp:
        for message in servers.captured():
            lines.append("\t".join(["sent", clean(message["Delivered-To"]), clean(message["Subject"])]))
    return sorted(lines + task_lines(tasks))


def task_lines(folder):
    lines = []
    for path in sorted(Path(folder).glob("*/*.ics")):
        task = read_task(path.read_bytes())
        lines.append("\t".join(["task", path.parent.name, task.get("STATUS", "NEEDS-ACTION").lower(),
                                task.get("DUE") or task.get("DTSTART", ""), task.get("CONTACT", ""), task.get("SUMMARY", "")]))
    return sorted(lines)


def read_task(content):
    """The first VTODO's own properties, unfolded and unescaped; parameters are left out. RFC 5545 section 3.1."""
    properties, inside, nested = {}, False, 0
    for line in re.sub(r"\r?\n[ \t]", "", content.decode()).splitlines():
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


def clean(subject):
    """One line without control characters: what a golden file can hold."""
    subject = (subject or "").encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    try:
        text = str(email.header.make_header(email.header.decode_header(subject)))
    except (UnicodeError, LookupError):
        text = repr(subject)
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in " ".join(text.split()))
