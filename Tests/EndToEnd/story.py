"""Weeks of two people's mail: Ana hands work on, Bob answers, and others answer late, in part, automatically or never.

The servers are real, the time is not. Postfix puts all mail that is sent into one spool; the postman carries it from
there into the mailboxes of Ana and Bob, dated with the day of the story, or to one of the other people, who may answer.
`Story.expected` says where each message has to be: it is kept by the script, which knows nothing about opus.
"""
import email
import email.policy
import email.utils
import heapq
import itertools
import re
import shutil
import subprocess
import time
from collections import Counter
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from boxes import IMAPBox
from letters import with_parts
from workplace import Workplace

PARIS = ZoneInfo("Europe/Paris")
START = datetime(2026, 3, 16, tzinfo=PARIS)
ANA, BOB = "Ana Ruiz <ana@acme.example>", "Bob Singh <bob@acme.example>"
CARL = "Carl Green <carl@customer.example>"
PEOPLE = {"dora": "Dora Lind <dora@partner.example>", "erik": "Erik Moe <erik@gone.example>",
          "fay": "Fay Wong <fay@quiet.example>", "gus": "Gus Adler <gus@both.example>",
          "hal": "Hal Brook <hal@both.example>", "ivy": "Ivy Stone <ivy@bare.example>", "carl": CARL}
JAN = "Jan Vos <jan@offers.example>"
#: Ana's phone moves mail to mailboxes below Opus.
ORDERS = "command-mailboxes: Opus\npeople: { Bob: bob@acme.example, Erik: erik@gone.example }\n"
RULES = """\
rules-version: 1
name: weeks
rules:
  - { id: support, when: 'subject:"cannot log in" from:carl@customer.example', unless: is:answered,
      then: [{ delegate: { to: bob@acme.example, until: +2 business days } }, archive] }
  - { id: asked, mailboxes: [Sent], when: 'subject:question', unless: 'header:In-Reply-To',
      then: [{ waiting: { until: +3 business days } }] }
  - { id: invoice, when: 'subject:invoice',
      then: [{ task: { title: 'Pay {{subject}}', due: +14 days } }, archive] }
  - { id: reading, when: 'list:letter.example', then: [{ defer: saturday 10:00 }] }
"""
AWAY = """\
rules-version: 1
name: away
rules:
  - { id: away, when: to:me, then: [{ vacation: { text: 'I am away until 28 April 2026.', days: 7, send: now } }] }
"""
NO_RULES = "rules-version: 1\nname: none\nrules: []\n"


class Person:
    """Somebody with an account and a workspace of opus."""

    def __init__(self, story, name, address, rules, machine="desk", settings=""):
        self.story = story
        self.box = IMAPBox(story.servers, name)
        self.address, self.settings = address, settings
        self.place = self.workspace(story, f"{name}-{machine}", rules)

    def workspace(self, story, folder, rules):
        place = Workplace(story.folder / folder, "", rules)
        smtp = (f"    smtp: {{ host: localhost, port: {story.servers.submission_port}, security: starttls, "
                f"ca-file: {story.servers.ca_file} }}\n")
        full, bare = email.utils.parseaddr(self.address)
        (place.root / "opus.yaml").write_text(
            f"config-version: 1\nme: {{ name: {full}, addresses: [{bare}] }}\ntime-zone: Europe/Paris\n"
            f"dates: {{ order: day-month }}\nallow-send: true\n{self.settings}"
            f"accounts:\n{self.box.yaml(address=bare, extra=smtp)}")
        return place

    def opus(self, *words, codes=(0,), **options):
        done = self.place.opus(*words, now=self.story.now.isoformat(), **options)
        if done.code not in codes:
            raise AssertionError(f"{self.story.now:%a %d %b %H:%M}: {done}")
        return done

    def items(self, *words):
        return self.opus(*words, "--json").json["items"]


class World:
    """Real servers, a time of its own, and a postman between the people."""

    def __init__(self, servers, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.servers, self.folder, self.now = servers, folder, START
        self.carried = set()
        #: How often each mail reached each recipient.
        self.received = Counter()

    def typed(self, text):
        path = self.folder / "typed"
        path.write_text(text)
        return path.open("rb")

    def put(self, person, data):
        person.box.add("INBOX", data, received=self.now.timestamp())

    def carry(self):
        """Takes all mail out of the spool. Waits until Postfix has nothing left to deliver."""
        conf = self.servers.folder / "postfix" / "conf"
        end = time.monotonic() + 30
        while "empty" not in subprocess.run(["postqueue", "-c", conf, "-p"], capture_output=True, text=True).stdout:
            if time.monotonic() > end:
                raise AssertionError("Postfix still has mail in its queue")
            time.sleep(0.02)
        spool = self.servers.mail_folder / "capture"
        found = [path for part in ("new", "cur") for path in (spool / part).glob("*") if path.name not in self.carried]
        for path in sorted(found, key=lambda path: (path.stat().st_mtime_ns, path.name)):
            self.carried.add(path.name)
            data = path.read_bytes()
            head = email.message_from_bytes(data, policy=email.policy.default)
            data = re.sub(rb"(?m)^(?:X-Original-To|Delivered-To|Received):.*\n(?:[ \t].*\n)*", b"", data)
            date = email.utils.format_datetime(self.now)
            self.received[head["Message-ID"], head["Delivered-To"]] += 1
            self.deliver(head["Delivered-To"], head, f"Received: from relay.example by mx.example; {date}\n".encode() + data)


class Story(World):
    """`each` runs opus after every mail that arrives, not only in the morning and in the evening."""

    def __init__(self, servers, folder, weeks, each):
        super().__init__(servers, folder)
        self.weeks, self.each = weeks, each
        self.agenda, self.numbers = [], itertools.count()
        #: What has to be in Ana's account: how many messages with a subject are in a mailbox.
        self.expected = Counter()
        #: Every task: whether it is done.
        self.todos = {}
        #: Who has not answered yet, by subject.
        self.owed = {}
        self.briefings = []
        self.ids = {}
        #: (subject, command mailbox) of the orders that wait for the next run.
        self.orders = []
        #: When mail comes back that was ordered to come back: {subject: time}.
        self.returns = {}
        #: The machine that carried an order out, and a store that was lost since is another one.
        self.carried_out_by, self.lost, self.is_new_store = {}, Counter(), False
        #: What has to be in Bob's account, in whatever mailbox, and when his program answered Ana by itself.
        self.for_bob, self.automatic, self.is_bob_away = Counter(), [], False
        self.ana = Person(self, "ana", ANA, RULES, settings=ORDERS)
        self.bob = Person(self, "bob", BOB, NO_RULES)
        self.desk = self.ana.place
        self.laptop = self.ana.workspace(self, "ana-laptop", RULES)
        # The lists of tasks are on both machines, as a program that syncs files would keep them.
        shutil.rmtree(self.laptop.root / "tasks")
        (self.laptop.root / "tasks").symlink_to(self.desk.root / "tasks")

    # Time

    def at(self, week, day, hour, minute, act, *words):
        """`day` is 0 for Monday."""
        self.plan(START + timedelta(days=7 * week + day, hours=hour, minutes=minute), act, *words)

    def plan(self, moment, act, *words):
        heapq.heappush(self.agenda, (moment, next(self.numbers), act, words))

    def play(self):
        self.write()
        while self.agenda:
            self.now, _, act, words = heapq.heappop(self.agenda)
            act(*words)

    # The script

    def write(self):
        asked = ["dora", "erik", "gus,hal", "fay", "ivy", "dora", "carl", "gus,hal"]
        for week in range(self.weeks):
            number = week + 1
            self.at(week, 0, 7, 0, self.arrives, "Vendor <billing@vendor.example>", f"Invoice INV-{number}", "Archive")
            self.at(week, 0, 10, 0, self.ask, number, asked[week % len(asked)].split(","))
            for day, request in ((1, 2 * week + 1), (3, 2 * week + 2)):
                self.at(week, day, 11, 0, self.arrives, CARL, f"Cannot log in {request}", "Archive")
            self.at(week, 2, 6, 0, self.reading, number)
            self.at(week, 4, 15, 0, self.arrives, "Mum <helga@example.net>", f"Sunday {number}?", "INBOX")
            self.at(week, 4, 16, 0, self.put_off, f"Sunday {number}?", "monday 08:45")
            self.at(week + 1, 0, 8, 40, self.still_away, f"Sunday {number}?")
            self.at(week + 1, 0, 8, 46, self.back, f"Sunday {number}?")
            self.at(week, 4, 12, 0, self.pay, number - 1)
            self.orders_of_the_phone(week, number)
            for day in range(5):
                self.at(week, day, 8, 30, self.morning)
                self.at(week, day, 9, 30, self.bob_works)
                self.at(week, day, 17, 30, self.run)
            self.at(week, 5, 10, 5, self.saturday, number)
            self.at(week, 6, 9, 0, self.sunday)
        # Of several people who are asked, one answers; of two, one cannot be reached.
        self.at(0, 2, 10, 0, self.ask, 101, ["gus", "fay"])
        self.at(min(1, self.weeks - 1), 2, 10, 0, self.ask, 102, ["erik", "gus"])
        for week, day, hour, act in ((1, 1, 12, self.other_numbers), (1, 2, 12, self.lose_the_store),
                                     (1, 3, 7, self.take_the_laptop), (1, 4, 7, self.go_to_the_desk),
                                     (2, 3, 12, self.phone_takes_the_reading), (3, 1, 12, self.phone_archives_mum),
                                     (4, 2, 12, self.lose_the_store), (5, 1, 7, self.bob_goes_away),
                                     (5, 2, 12, self.other_numbers), (5, 3, 7, self.take_the_laptop),
                                     (6, 1, 7, self.bob_is_back), (6, 3, 7, self.go_to_the_desk)):
            if week < self.weeks:
                self.at(week, day, hour, 0, act)
        self.at(self.weeks, 0, 9, 0, self.morning)
        self.at(self.weeks, 0, 9, 30, self.bob_works)
        self.at(self.weeks, 0, 17, 30, self.run)
        self.at(self.weeks, 1, 9, 0, self.morning)

    def orders_of_the_phone(self, week, number):
        """Mail that another client moves to the command mailboxes, some of it before opus has ever seen it."""
        for day, subject, sender, mailbox in (
                (0, f"Plan {number}", "Kim Roth <kim@plans.example>", "Tomorrow"),
                (1, f"Tax {number}", "Tax Office <tax@office.example>", "Task"),
                (1, f"Offer {number}", JAN, "Waiting"),
                (2, f"Printer {number}", "Lea Berg <lea@print.example>", "Delegate Bob"),
                (3, f"Roof {number}", "Max Dahl <max@roofs.example>", "Delegate Erik")):
            if mailbox == "Delegate Erik" and number != 1:
                continue
            self.at(week, day, 13, 0, self.arrives, sender, subject, "INBOX")
            self.at(week, day, 13, 10, self.order, subject, "INBOX", mailbox)
        if number % 2:
            self.at(week, 3, 11, 30, self.arrive_answer, JAN, f"Re: Offer {number}", "It is cheaper now.\n",
                    {"In-Reply-To": f"<offer-{number}.jan@offers.example>"})
        self.at(week, 2, 13, 20, self.by_phone, f"Plan {number}", "INBOX", "Archive")
        self.at(week, 3, 13, 20, self.order, f"Tax {number}", "Archive", "Undo")

    # What arrives

    def arrives(self, sender, subject, mailbox, body="Hello.\n", **headers):
        if subject.startswith("Invoice"):
            self.todos[f"Pay {subject}"] = False
        elif sender == CARL and subject.startswith("Cannot"):
            self.waits(subject, [BOB], "Bob")
            self.for_bob[f"Fwd: {subject}"] += 1
        self.put(self.ana, message(sender, ANA, subject, self.now, body, **headers))
        self.expected[subject, mailbox] += 1

    def waits(self, subject, people, names):
        self.owed[subject] = {email.utils.parseaddr(person)[1] for person in people}
        self.todos[f"Waiting for {names}: {subject}"] = False

    def reading(self, number):
        self.arrives("The Weekly <news@letter.example>", f"Reading {number}", "Deferred",
                     **{"List-Id": "<weekly.letter.example>"})

    def put(self, person, data):
        super().put(person, data)
        if self.each and person is self.ana:
            self.run()

    def moved(self, subject, old, new):
        self.expected[subject, old] -= 1
        self.expected[subject, new] += 1

    # What Ana does

    def run(self):
        done = self.ana.opus("run", "--yes")
        for subject, mailbox in self.orders:
            if self.is_new_store:
                # Mail that was there before opus saw the mailbox is no order. The user takes it out, and orders again.
                # Each machine has to see it empty first.
                noon = self.now.replace(hour=13, minute=30)
                self.plan(noon + timedelta(days=1), self.by_phone, subject, f"Opus/{mailbox}", "INBOX")
                self.plan(noon + timedelta(days=2), self.order, subject, "INBOX", mailbox)
                if "its messages are not orders" not in done.out + done.err:
                    raise AssertionError(f"the report does not name the mailbox: {done}")
            else:
                self.carried_out(subject, mailbox)
        self.orders.clear()
        self.is_new_store = False
        for subject in [subject for subject, moment in self.returns.items() if moment <= self.now]:
            del self.returns[subject]
            self.moved(subject, "Deferred", "INBOX")
        return done

    def carried_out(self, subject, mailbox):
        """What the script expects of an order."""
        goal = {"Tomorrow": "Deferred", "Undo": self.undone(subject) if mailbox == "Undo" else None}.get(mailbox, "Archive")
        self.moved(subject, f"Opus/{mailbox}", goal)
        self.carried_out_by[subject] = self.machine()
        if mailbox == "Tomorrow":
            self.returns[subject] = self.now.replace(hour=8, minute=0) + timedelta(days=1)
        elif mailbox == "Task":
            self.todos[subject] = False
        elif mailbox == "Waiting":
            self.waits(subject, [JAN], "Jan Vos")
        elif mailbox.startswith("Delegate "):
            name = mailbox.removeprefix("Delegate ")
            self.waits(subject, [BOB if name == "Bob" else PEOPLE["erik"]], name)
            self.for_bob[f"Fwd: {subject}"] += name == "Bob"
            self.expected[f"Fwd: {subject}", "Drafts"] += 1

    def undone(self, subject):
        """A store that did not carry out the order knows nothing that it can undo, and puts the message back."""
        if self.carried_out_by[subject] != self.machine():
            return "Archive"
        del self.todos[subject]
        return "INBOX"

    def machine(self):
        return self.ana.place.root, self.lost[self.ana.place.root]

    def brief(self):
        self.briefings.append(self.masked(self.ana.opus("briefing").out))

    def morning(self):
        ana = self.ana
        self.run()
        self.brief()
        for item in ana.items("waiting", "--overdue"):
            if ana.opus("nudge", item["id"], codes=(0, 64)).code == 0 and item["waitingOn"] == "bob@acme.example":
                self.for_bob["Re: Fwd: " + item["summary"].partition(": ")[2]] += 1
        for item in ana.items("drafts"):
            ana.opus("send", item["id"], "--yes", "--no-hold")
            # The draft is no longer needed: it goes to the trash.
            self.expected[item["subject"], "Drafts"] = 0
            self.expected[item["subject"], "Sent"] += 1
            self.expected[item["subject"], "Trash"] += 1
        self.carry()
        for item in ana.items("next"):
            if item["summary"].startswith("Decide: "):
                ana.opus("task", "done", item["id"])
                self.decided(item["summary"].removeprefix("Decide: "))
        self.check()
        self.check_tasks()

    def decided(self, subject):
        """The answers have been read and are put away. Only people answer, and all who were asked must have answered."""
        if self.owed[subject]:
            raise AssertionError(f"{self.now:%a %d %b}: {subject} is decided, but {self.owed[subject]} did not answer")
        old, = [title for title in self.todos if title.startswith("Waiting") and title.endswith(f": {subject}")]
        del self.todos[old]
        self.todos[f"Decide: {subject}"] = True
        for item in self.ana.items("list"):
            if item["subject"].endswith(subject) and self.expected[item["subject"], "INBOX"]:
                self.ana.opus("archive", item["id"])
                self.moved(item["subject"], "INBOX", "Archive")

    def ask(self, number, names):
        subject = f"Question {number}"
        self.ana.opus("compose", *itertools.chain(*(("--to", PEOPLE[name]) for name in names)), "--subject", subject,
                      "--body", "-", "--send", "--yes", "--no-hold", stdin=self.typed("What do you think?\n"))
        self.expected[subject, "Sent"] += 1
        people = [PEOPLE[name] for name in names]
        self.waits(subject, people, ", ".join(email.utils.parseaddr(person)[0] for person in people))
        self.carry()

    def put_off(self, subject, when):
        self.ana.opus("sync")
        item, = [item for item in self.ana.items("list") if item["subject"] == subject]
        self.ana.opus("defer", item["id"], *when.split())
        self.moved(subject, "INBOX", "Deferred")

    def still_away(self, subject):
        self.run()
        self.check()

    def back(self, subject):
        self.run()
        if self.expected[subject, "Deferred"]:
            self.moved(subject, "Deferred", "INBOX")
        self.check()

    def saturday(self, number):
        done = self.run()
        if self.expected[f"Reading {number}", "Deferred"]:
            self.moved(f"Reading {number}", "Deferred", "INBOX")
            if "back in the inbox" not in done.out:
                raise AssertionError(f"the report does not name what came back: {done}")
        self.brief()
        self.check()

    def sunday(self):
        """Nobody works, but the briefing is read."""
        self.run()
        self.brief()
        self.check()

    def pay(self, number):
        """Another program completes the task in its file."""
        if number:
            self.ana.place.edit(f"Pay Invoice INV-{number}", ("STATUS:NEEDS-ACTION", "STATUS:COMPLETED"))
            self.todos[f"Pay Invoice INV-{number}"] = True
            self.run()

    # What happens to her machines

    def lose_the_store(self):
        shutil.rmtree(self.ana.place.root / ".opus")
        self.lost[self.ana.place.root] += 1
        self.is_new_store = True

    def other_numbers(self):
        before = self.ana.box.uid_validity()
        self.ana.box.new_uid_validity()
        if self.ana.box.uid_validity() == before:
            raise AssertionError("UIDVALIDITY did not change")

    def take_the_laptop(self):
        self.ana.place = self.laptop

    def go_to_the_desk(self):
        self.ana.place = self.desk

    def phone_takes_the_reading(self):
        self.by_phone("Reading 3", "Deferred", "INBOX")

    def phone_archives_mum(self):
        self.by_phone("Sunday 3?", "INBOX", "Archive")

    def by_phone(self, subject, source, target):
        held, = [held for held in self.ana.box.held(source) if held.subject == subject]
        self.ana.box.move(held.message_id, source, target)
        self.moved(subject, source, target)

    def order(self, subject, source, mailbox):
        if f"Opus/{mailbox}" not in self.ana.box.names():
            raise AssertionError(f"{self.now:%a %d %b %H:%M}: there is no mailbox Opus/{mailbox}")
        self.by_phone(subject, source, f"Opus/{mailbox}")
        self.orders.append((subject, mailbox))
        if self.each:
            self.run()

    # What Bob does

    def bob_works(self):
        """He answers the first request in four the next day, the second when he is reminded, the fourth never.

        Of the printers, he answers about the first of two. What he has read, he puts away. While he is away, only his
        program answers.
        """
        self.bob.opus("run", "--yes")
        for item in [] if self.is_bob_away else self.bob.items("list"):
            number = int(re.search(r"\d+$", item["subject"])[0]) if re.search(r"\d+$", item["subject"]) else 0
            reminder = item["subject"].startswith("Re: ")
            if ("Cannot log in" in item["subject"] and (number % 4 in (1, 3) or number % 4 == 2 and reminder)
                    or "Printer" in item["subject"] and number % 2):
                self.bob.opus("reply", item["id"], "--body", "-", "--send", "--yes", "--no-hold",
                              stdin=self.typed("It works again.\n"))
                subject = item["subject"] if reminder else f"Re: {item['subject']}"
                self.expected[subject, "INBOX"] += 1
            self.bob.opus("archive", item["id"])
        self.carry()

    def bob_goes_away(self):
        self.bob.place.write_rules(AWAY)
        # The rule answers mail that arrives from now on.
        self.bob.opus("run", "--yes")
        self.is_bob_away = True

    def bob_is_back(self):
        self.bob.place.write_rules(NO_RULES)
        self.is_bob_away = False

    # What others do

    def deliver(self, recipient, head, data):
        for person in (self.ana, self.bob):
            if recipient == email.utils.parseaddr(person.address)[1]:
                if person is self.ana:
                    self.from_bob(str(head["Subject"]), bool(head["Auto-Submitted"]))
                return self.put(person, data)
        getattr(self, f"{recipient.partition('@')[0]}_reads")(head)

    def from_bob(self, subject, is_automatic):
        if is_automatic:
            self.expected[subject, "INBOX"] += 1
            self.automatic.append(self.now)
        else:
            self.owed[re.search(r"(Cannot log in|Printer) \d+$", subject)[0]].discard("bob@acme.example")

    def answer(self, name, head, days, references=True, body="Yes.\n", subject=None, **headers):
        """One of the other people answers after some days, at 14:00."""
        named = {"In-Reply-To": head["Message-ID"], "References": head["Message-ID"]} if references else {}
        subject = subject or ("" if head["Subject"].startswith("Re: ") else "Re: ") + head["Subject"]
        moment = (self.now + timedelta(days=days)).replace(hour=14, minute=0)
        self.plan(moment, self.arrive_answer, PEOPLE[name], subject, body, {**named, **headers})

    def arrive_answer(self, sender, subject, body, headers):
        if "Auto-Submitted" not in headers:
            self.owed[re.search(r"(Question|Offer) \d+$", subject)[0]].discard(email.utils.parseaddr(sender)[1])
        self.arrives(sender, subject, "INBOX", body, **headers)

    def dora_reads(self, head):
        if self.now < START + timedelta(days=7):
            self.answer("dora", head, 0, subject=f"Automatic reply: {head['Subject']}",
                        body="I am out of the office until 24 March 2026.\n", **{"Auto-Submitted": "auto-replied"})
            self.answer("dora", head, 9)
        else:
            self.answer("dora", head, 1)

    def erik_reads(self, head):
        self.plan(self.now + timedelta(minutes=5), self.bounce, head["Subject"], head["Message-ID"])

    def bounce(self, subject, message_id):
        parts = [("Content-Type: text/plain; charset=us-ascii", "<erik@gone.example>: user unknown\n"),
                 ("Content-Type: message/delivery-status", "Reporting-MTA: dns; mx.example\n\n"
                  "Final-Recipient: rfc822; erik@gone.example\nAction: failed\nStatus: 5.1.1\n"),
                 ("Content-Type: message/rfc822", f"From: {ANA}\nTo: erik@gone.example\nSubject: {subject}\n"
                  f"Message-ID: {message_id}\n\nWhat do you think?\n")]
        title = f"Undelivered: {subject}"
        made = with_parts(title, parts, f"bounce-{next(self.numbers)}", sender="MAILER-DAEMON@mx.example",
                          headers={"Auto-Submitted": "auto-replied",
                                   "Date": email.utils.format_datetime(self.now)})
        made = made.replace(b"multipart/mixed;", b"multipart/report; report-type=delivery-status;", 1)
        self.put(self.ana, made)
        self.expected[title, "INBOX"] += 1

    def fay_reads(self, head):
        """She never answers."""

    def gus_reads(self, head):
        if not head["Subject"].startswith("Re: "):
            self.answer("gus", head, 1)

    def hal_reads(self, head):
        if head["Subject"].startswith("Re: "):
            self.answer("hal", head, 1)

    def ivy_reads(self, head):
        self.answer("ivy", head, 2, references=False)

    def carl_reads(self, head):
        self.answer("carl", head, 0)

    # What is compared

    def masked(self, text):
        """Numbers for the ids in order of appearance: the Message-IDs of sent mail are random."""
        text = re.sub(r"(?m)^  ([0-9a-z]{4,8})(?=  )", r"  m:\1", text)
        return re.sub(r"\b([mtdr]):(\w+)", lambda found: f"{found[1]}:" + self.ids.setdefault(
            found[0], f"{found[1]}{sum(key[0] == found[1] for key in self.ids) + 1}"), text)

    def check(self):
        """Every message is where the script says."""
        found = Counter((held.subject, held.mailbox) for held in self.ana.box.everything())
        wanted = Counter({key: count for key, count in self.expected.items() if count})
        if found != wanted:
            raise AssertionError(f"{self.now:%a %d %b %H:%M}\nmissing: {dict(wanted - found)}\n"
                                 f"not expected: {dict(found - wanted)}")

    def check_tasks(self):
        """Every task is there once, open or done; a wait whose people have all answered is decided."""
        found = Counter((item["summary"], item["status"] == "completed") for item in self.ana.items("task", "list", "--all"))
        if found != Counter(self.todos.items()):
            raise AssertionError(f"{self.now:%a %d %b %H:%M}\nmissing: {dict(Counter(self.todos.items()) - found)}\n"
                                 f"not expected: {dict(found - Counter(self.todos.items()))}")
        late = [subject for subject, people in self.owed.items() if not people and f"Decide: {subject}" not in self.todos]
        if late:
            raise AssertionError(f"{self.now:%a %d %b %H:%M}: answered, but not to be decided: {late}")

    def check_bob(self):
        """He got each delegated message and each reminder once; no program wrote to him, and none of his wrote too often."""
        twice = {key: count for key, count in self.received.items() if count > 1}
        if twice:
            raise AssertionError(f"sent more than once: {twice}")
        held = [held for held in self.bob.box.everything() if held.mailbox not in ("Sent", "Drafts", "Trash")]
        found = Counter(held.subject for held in held)
        self.for_bob = +self.for_bob
        if found != self.for_bob:
            raise AssertionError(f"Bob's mail\nmissing: {dict(self.for_bob - found)}\nnot expected: {dict(found - self.for_bob)}")
        for held in held:
            head = email.message_from_bytes(self.bob.box.body(held.mailbox, held.message_id))
            if head["Auto-Submitted"]:
                raise AssertionError(f"automatic mail to Bob: {held.subject}")
        for earlier, later in zip(self.automatic, self.automatic[1:]):
            if later - earlier < timedelta(days=7):
                raise AssertionError(f"automatic mail of Bob on {earlier:%d %b} and on {later:%d %b}")

    def tasks(self):
        """(title, list, state) of every task."""
        self.ana.opus("run", "--yes")
        items = self.ana.items("task", "list", "--all")
        return sorted((item["summary"], item["list"], item["status"], item.get("due")) for item in items)

    def places(self):
        return sorted((held.subject, held.mailbox, tuple(sorted(held.flags))) for held in self.ana.box.everything())


def message(sender, to, subject, date, body, **headers):
    name = re.sub(r"\W+", "-", subject.lower()).strip("-")
    fields = {"From": sender, "To": to, "Subject": subject, "Date": email.utils.format_datetime(date),
              "Message-ID": f"<{name}.{email.utils.parseaddr(sender)[1]}>", "MIME-Version": "1.0",
              "Content-Type": "text/plain; charset=utf-8", **headers}
    return ("".join(f"{field}: {value}\n" for field, value in fields.items()) + "\n" + body).encode()
