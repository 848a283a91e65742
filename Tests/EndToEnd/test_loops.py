"""Programs that answer each other: two workspaces with automatic answers, a list, a bounce, and a program without manners."""
import email.utils
from collections import defaultdict
from datetime import timedelta

from servers import MailServers
from story import ANA, BOB, Person, World, message
from workplace import Case

AWAY = """\
rules-version: 1
name: away
rules:
  - { id: away, when: in:inbox, then: [{ vacation: { text: 'I am away.', days: 7, send: now } }, archive] }
"""
ROBOT, LIST, GONE = "robot@rude.example", "all@lists.example", "nobody@gone.example"


class Town(World):
    """Everything that is sent arrives at once. `sent` has when each automatic mail was written, by sender and recipient."""

    def __init__(self, servers, folder):
        super().__init__(servers, folder)
        self.people = {"ana@acme.example": Person(self, "ana", ANA, AWAY), "bob@acme.example": Person(self, "bob", BOB, AWAY)}
        self.sent = defaultdict(list)
        self.answers = 0

    def deliver(self, recipient, head, data):
        sender = email.utils.parseaddr(str(head["From"]))[1]
        self.sent[sender, recipient].append(self.now)
        if recipient in self.people:
            self.put(self.people[recipient], data)
        elif recipient == ROBOT:
            # It answers everything, and its answers look like a person's.
            self.answers += 1
            self.put(self.people[sender], message(ROBOT, sender, f"Re: {self.answers}", self.now, "Thank you.\n"))
        elif recipient == GONE:
            self.put(self.people[sender], message("MAILER-DAEMON@mx.example", sender, "Undelivered", self.now, "Unknown.\n",
                                                  **{"Return-Path": "<>", "Auto-Submitted": "auto-replied"}))

    def to_the_list(self, number):
        for address, person in self.people.items():
            self.put(person, message("Eve <eve@x.example>", f"{LIST}, {address}", f"News {number}", self.now, "Hello.\n",
                                     **{"List-Id": "<all.lists.example>", "Reply-To": LIST}))


class Loops(Case):
    def test_a_sender_gets_at_most_one_automatic_mail_in_seven_days(self):
        servers = MailServers()
        self.addCleanup(servers.stop)
        town = Town(servers.start(), self.folder / "town")
        ana, bob = town.people.values()
        for person in (ana, bob):
            # The rules answer from now on.
            person.opus("run", "--yes")
        # What people and programs write to them on the first day.
        town.put(ana, message(BOB, "ana@acme.example", "Are you there?", town.now, "Hello.\n"))
        town.put(bob, message(ANA, "bob@acme.example", "And you?", town.now, "Hello.\n"))
        for person in (ana, bob):
            bare = email.utils.parseaddr(person.address)[1]
            town.put(person, message(f"Nobody <{GONE}>", bare, "Bye", town.now, "Bye.\n"))
        for day in range(16):
            town.now += timedelta(days=1)
            if day % 2:
                town.to_the_list(day)
            for bare, person in town.people.items():
                town.put(person, message(ROBOT, bare, f"Hello {day}", town.now, "Hello.\n"))
            for person in (ana, bob):
                person.opus("run", "--yes")
                town.carry()
        self.assertEqual([pair for pair in town.sent if pair[1] == LIST], [])
        for pair, moments in town.sent.items():
            gaps = [later - earlier for earlier, later in zip(moments, moments[1:])]
            self.assertTrue(all(gap >= timedelta(days=7) for gap in gaps), f"{pair}: {moments}")
        # Each was answered: the program three times in sixteen days, the others once.
        counts = {pair: len(moments) for pair, moments in town.sent.items()}
        for bare, other in (("ana@acme.example", "bob@acme.example"), ("bob@acme.example", "ana@acme.example")):
            self.assertEqual((counts[bare, other], counts[bare, ROBOT], counts[bare, GONE]), (1, 3, 1))
