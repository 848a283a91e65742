"""A batch of everything that the journal can do, and where each message must be afterwards.

`Batch(40)` is for `make test`; 500 has 40 messages that are sent and 60 task files.
"""
import shutil
from collections import Counter

import icalendar

from letters import letter, with_parts
from workplace import Workplace

RULES = """\
rules-version: 1
name: batch
rules:
  - { id: away, when: 'subject:away', then: [{ label: old }, archive] }
  - { id: ask, when: 'subject:ask', then: [{ task: { title: 'Answer {{subject}}' } }, { move: Projects }] }
  - { id: hand-over, when: 'subject:please', then: [{ delegate: { to: bob@acme.example } }, archive] }
  - { id: send, when: 'subject:send', then: [{ delegate: { to: bob@acme.example, send: now } }, archive] }
  - { id: mark, when: 'subject:mark', then: [flag, { mark: read }] }
  - { id: save, when: 'subject:save', then: [{ save-attachment: { to: Papers, name: '*.txt' } }, archive] }
  - { id: copy, when: 'subject:copy', then: { copy: Projects } }
  - { id: word, when: 'subject:word', then: [{ label: reading }] }
  - { id: later, when: 'subject:later', then: { defer: 2026-04-01 } }
  - { id: wait, when: 'subject:wait', then: [{ waiting: { until: 2026-03-27 } }, { move: Projects }] }
"""
SETTINGS = ("allow-send: true\nbrakes: { share: 100, count: 10000, sends: 10000 }\n"
            "send: { max-per-run: 10000, max-per-hour: 10000, max-per-recipient-per-hour: 10000 }\n")
#: Of a hundred messages.
SHARES = {"send": 8, "ask": 3, "please": 1, "save": 3, "away": 32, "mark": 20, "word": 15, "copy": 4, "stay": 11,
          "later": 4, "wait": 2}
#: The mailboxes that have the message afterwards, each once.
PLACES = {"send": "Archive", "ask": "Projects", "please": "Archive", "save": "Archive", "away": "Archive", "mark": "INBOX",
          "word": "INBOX", "copy": "INBOX Projects", "stay": "INBOX", "later": "Deferred",
          "wait": "Projects"}
FLAGS = {"away": {"old"}, "mark": {r"\Flagged", r"\Seen"}, "word": {"reading"}}
RUN = ("run", "--yes", "--max", "none")
FOREIGN = "foreign"
#: When deferred mail comes back.
UNTIL = "2026-04-01T08:00:00+02:00"


def message(name, number):
    subject = name.replace("-", " ").capitalize()
    if not name.startswith("save"):
        return letter(subject, name, minutes=number, body="text " * 40)
    # All under one name, each with its own bytes.
    head = "Content-Type: application/octet-stream\nContent-Disposition: attachment; filename=note.txt"
    return with_parts(subject, [("Content-Type: text/plain", "text"), (head, f"file of {name}")], name, minutes=number)


class Batch:
    """`sync`ed once in a workspace that is copied for each try."""

    def __init__(self, count, folder, model):
        self.model, self.folder, self.tries = model, folder, 0
        self.kinds = {}
        for kind, share in SHARES.items():
            for number in range(max(2, round(count * share / 100))):
                self.kinds[f"{kind}-{number}"] = kind
        model.add("INBOX", [message(name, n) for n, name in enumerate(self.kinds)])
        model.ask("create", name="Projects")
        # Another client has marked this for removal, and not removed it.
        model.add("INBOX", [letter("Foreign", FOREIGN, minutes=600)], flags=[r"\Deleted"])
        self.first = Workplace(folder / "first", model.yaml(), RULES, SETTINGS, password=model.password)
        done = self.first.opus("sync")
        if done.code:
            raise RuntimeError(str(done))
        model.keep()

    def fresh(self):
        """The servers as they were, and a workspace that has just synced."""
        self.model.restore()
        self.tries += 1
        root = self.folder / f"try{self.tries}"
        shutil.copytree(self.first.root, root, symlinks=True)
        place = object.__new__(Workplace)
        place.__dict__.update(self.first.__dict__)
        place.root, place.tasks = root, root / "tasks"
        return place

    def forget(self, place):
        shutil.rmtree(place.root, ignore_errors=True)

    def names(self, *kinds):
        return [name for name, kind in self.kinds.items() if kind in kinds]


def summaries(place):
    """The titles of all task files, with how often each is there."""
    return Counter(str(todo["SUMMARY"]) for path in place.tasks.glob("*/*.ics")
                   for todo in icalendar.Calendar.from_ical(path.read_bytes()).walk("VTODO"))
