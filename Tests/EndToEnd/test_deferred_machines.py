"""Two machines and other programs change the dates of deferred mail and their list, at once and one after the other.

OPUS_LEDGER_ROUNDS says how many random lives are played (1), OPUS_LEDGER_SEED which one is first.
"""
import os
import random
import shutil
import subprocess
from datetime import datetime, timedelta

from figures import note
from letters import letter
from wiretap import Wiretap
from workplace import CLOCK, Case, on_both

ROUNDS = int(os.environ.get("OPUS_LEDGER_ROUNDS", "1"))
SEED = int(os.environ.get("OPUS_LEDGER_SEED", "1"))
RULES = """\
rules-version: 1
rules:
  - { id: later, when: subject:later, then: { defer: 2026-03-20 } }
"""
FRIDAY, MONDAY = "2026-03-13T08:00:00+01:00", "2026-03-16T08:00:00+01:00"


def minutes(number):
    return (datetime.fromisoformat(CLOCK) + timedelta(minutes=number)).isoformat()


class Machines:
    """Two workspaces with the same account."""

    def prepare(self, *subjects, rules=None):
        self.box = self.new_box()
        for mailbox in ("Archive", "Deferred"):
            if mailbox not in self.box.names():
                self.box.create(mailbox)
        for number, subject in enumerate(subjects):
            self.box.add("INBOX", letter(subject, minutes=number, sender="Eve <eve@x.example>"))
        self.desk = self.machine("desk", rules)
        self.laptop = self.machine("laptop", rules)
        for place in (self.desk, self.laptop):
            self.check(place.opus("sync"))
        return {item["subject"]: item["id"] for item in self.check(self.desk.opus("list", "--json")).json["items"]}

    def machine(self, name, rules=None):
        shutil.rmtree(self.folder / name, ignore_errors=True)
        place = self.new_place(self.box, rules, name=name)
        self.addCleanup(shutil.rmtree, place.root, ignore_errors=True)
        return place

    def waiting(self, place, now=CLOCK):
        items = self.check(place.opus("defer", "--list", "--json", now=now)).json["items"]
        return {item["subject"]: item["deferredUntil"] for item in items}

    def run_(self, place, now=CLOCK):
        return self.check(place.opus("run", "--yes", now=now))

    def defer(self, place, item, *when, now=CLOCK):
        return self.check(place.opus("defer", item, *when, now=now))

    def agree(self, now, expected=None, rounds=2):
        """After some runs both machines and a new one say the same, there is one list, and nothing more to do."""
        for _ in range(rounds):
            for place in (self.desk, self.laptop):
                self.run_(place, now)
        found = self.waiting(self.desk, now)
        self.assertEqual(self.waiting(self.laptop, now), found)
        if expected is not None:
            self.assertEqual(found, expected)
        for place in (self.desk, self.laptop):
            self.assertNothingMore(place, self.box, now=now)
        self.assertLessEqual(len(self.box.lists()), 1)
        self.assertEqual(bool(found) and not self.box.lists(), False, "the dates are only in the stores")
        third = self.machine("third")
        self.check(third.opus("sync", now=now))
        self.assertEqual(self.waiting(third, now), found)
        shutil.rmtree(third.root)
        return found

    def at_once(self, *commands, now=CLOCK):
        """Each is (place, words)."""
        running = [subprocess.Popen(place.command(*words, now=now), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, env=place.environment(), cwd=place.root)
                   for place, words in commands]
        return [(process.communicate(timeout=120)[0].decode(), process.returncode) for process in running]


class Then:
    """A pattern that lets every command pass, and calls `then` before the `count`-th one that has the words."""

    def __init__(self, words, count, then):
        self.words, self.count, self.then = words, count, then

    def search(self, command):
        if self.words in command:
            self.count -= 1
            if self.count == 0:
                self.then()


class ListsOfTwoMachines(Machines, Case):
    kind = "imap"

    def test_a_date_stays_when_another_machine_replaces_the_list_before_it_is_read(self):
        """The new machine has seen the message, and the list is gone before it can read it."""
        for words, count in (("EXAMINE Deferred", 2), ("BODY.PEEK[]<0", 1)):
            with self.subTest(words):
                ids = self.prepare("One", "Two")
                self.defer(self.desk, ids["One"], "friday")
                shutil.rmtree(self.laptop.root / ".opus")
                wire = self.enterContext(Wiretap(self.box.servers.imap_port))
                self.laptop.configure(self.box.yaml(port=wire.port, security="none", host="127.0.0.1"))
                replaced = []
                wire.refuse(Then(words, count, lambda: replaced.append(
                    self.defer(self.desk, ids["Two"], "monday", now=minutes(1)))), "")
                self.laptop.opus("run", "--yes", now=minutes(2))
                self.assertEqual(len(replaced), 1)
                self.laptop.configure(self.box.yaml())
                self.agree(minutes(3), {"One": FRIDAY, "Two": MONDAY})

    def test_a_later_decision_counts_over_that_of_a_machine_whose_clock_is_ahead(self):
        """The second machine has read the first one's date. It brings the third message back, and defers it again."""
        ids = self.prepare("One", "Two", "Three")
        ahead, at = minutes(30), minutes(5)
        self.defer(self.laptop, ids["One"], "2026-06-01", now=ahead)
        self.defer(self.laptop, ids["Two"], "someday", now=ahead)
        self.defer(self.laptop, ids["Three"], "2026-06-01", now=ahead)
        self.run_(self.desk, minutes(1))
        self.assertEqual(self.waiting(self.desk)["Two"], "someday")
        for name in ids:
            if name == "Three":
                self.defer(self.desk, ids[name], "none", now=at)
            self.defer(self.desk, ids[name], "friday", now=at)
        self.run_(self.laptop, minutes(40))
        self.agree(minutes(45), {name: FRIDAY for name in ids})

    def test_two_machines_that_set_different_dates_in_one_second_agree_on_the_earlier_one(self):
        ids = self.prepare("One", "Two")
        self.defer(self.desk, ids["One"], "2026-04-01")
        self.run_(self.laptop)
        now = minutes(5)
        self.defer(self.desk, ids["One"], "friday", now=now)
        self.defer(self.laptop, ids["One"], "monday", now=now)
        self.agree(minutes(6), {"One": FRIDAY})
        self.defer(self.laptop, ids["One"], "someday", now=minutes(7))
        self.defer(self.desk, ids["One"], "monday", now=minutes(7))
        self.agree(minutes(8), {"One": MONDAY})

    def test_of_two_lists_the_later_date_of_each_message_counts(self):
        ids = self.prepare("One", "Two")
        for subject in ("One", "Two"):
            self.defer(self.desk, ids[subject], "2026-04-01")
        self.run_(self.laptop)
        self.defer(self.desk, ids["One"], "friday", now=minutes(5))
        first, = self.box.lists()
        first = self.box.body("Deferred", first.message_id)
        # The laptop has not seen that, and decides later about one message and earlier about the other.
        self.defer(self.laptop, ids["Two"], "friday", now=minutes(3))
        self.defer(self.laptop, ids["One"], "monday", now=minutes(6))
        self.defer(self.desk, ids["Two"], "monday", now=minutes(7))
        # A program that syncs mail brings a list back that was replaced.
        self.box.add("Deferred", first.replace(b"\r\n", b"\n"), flags=["\\Seen"])
        self.agree(minutes(9), {"One": MONDAY, "Two": MONDAY})

    def test_a_date_counts_over_someday_that_a_new_store_only_assumes(self):
        ids = self.prepare("One", "Two")
        self.defer(self.desk, ids["One"], "friday")
        self.defer(self.desk, ids["Two"], "monday")
        self.run_(self.laptop)
        # The store of the desk and the list are lost: it knows nothing of the dates.
        held, = self.box.lists()
        self.box.remove("Deferred", held.message_id)
        shutil.rmtree(self.desk.root / ".opus")
        self.run_(self.desk, minutes(5))
        self.assertEqual(self.waiting(self.desk, minutes(5)), {"One": "someday", "Two": "someday"})
        self.agree(minutes(6), {"One": FRIDAY, "Two": MONDAY})
        # Someday of a person is a decision, as before.
        self.defer(self.desk, ids["One"], "someday", now=minutes(7))
        # A phone takes the other one out, and puts it in again.
        self.box.move("two@test.example", "Deferred", "Archive")
        self.agree(minutes(8), {"One": "someday"})
        self.box.move("two@test.example", "Archive", "Deferred")
        self.run_(self.desk, minutes(9))
        self.agree(minutes(10), {"One": "someday", "Two": "someday"})

    def test_an_old_list_that_comes_back_changes_no_date_and_goes(self):
        ids = self.prepare("One", "Two")
        self.defer(self.desk, ids["One"], "friday")
        old = self.box.body("Deferred", self.box.lists()[0].message_id).replace(b"\r\n", b"\n")
        self.defer(self.desk, ids["One"], "monday", now=minutes(1))
        self.defer(self.desk, ids["Two"], "friday", now=minutes(2))
        self.check(self.desk.opus("defer", "--cancel", ids["Two"], now=minutes(3)))
        for _ in range(2):
            self.box.add("Deferred", old, flags=["\\Seen"])
        shutil.rmtree(self.laptop.root / ".opus")
        self.agree(minutes(5), {"One": MONDAY})

    def test_a_list_that_another_program_changes_is_neither_believed_nor_kept(self):
        ids = self.prepare("One", "Two")
        self.defer(self.desk, ids["One"], "friday")
        self.run_(self.laptop)
        held, = self.box.lists()
        body = self.box.body("Deferred", held.message_id).replace(b"\r\n", b"\n")
        self.box.remove("Deferred", held.message_id)
        self.box.add("Deferred", body + b"\nadded by a scanner\n", flags=["\\Seen"])
        now = minutes(5)
        self.agree(now, {"One": FRIDAY})
        self.defer(self.desk, ids["Two"], "monday", now=minutes(6))
        self.agree(minutes(7), {"One": FRIDAY, "Two": MONDAY})

    def test_a_list_that_another_program_moves_or_deletes_between_two_changes_is_written_again(self):
        ids = self.prepare("One", "Two")
        self.defer(self.desk, ids["One"], "friday")
        for number, way in enumerate(("removed", "moved", "mailbox removed")):
            now = minutes(10 * number + 1)
            held, = self.box.lists()
            if way == "removed":
                self.box.remove("Deferred", held.message_id)
            elif way == "moved":
                self.box.move(held.message_id, "Deferred", "Archive")
            else:
                for message in self.box.held("Deferred"):
                    self.box.move(message.message_id, "Deferred", "Archive")
                self.box.drop("Deferred")
                self.agree(now, {})
                self.defer(self.desk, ids["One"], "friday", now=minutes(10 * number + 2))
                now = minutes(10 * number + 3)
                self.agree(now, {"One": FRIDAY})
                continue
            self.defer(self.laptop if number % 2 else self.desk, ids["One"], "monday" if number % 2 else "friday", now=now)
            self.agree(now, {"One": MONDAY if number % 2 else FRIDAY})


@on_both
class TwoMachines(Machines):
    def test_two_machines_that_defer_at_once_lose_no_date(self):
        ids = self.prepare("One", "Two", "Three")
        expected = {}
        for number, (one, two) in enumerate((("One", "Two"), ("Two", "One"), ("Three", "Two"))):
            now = minutes(10 * number)
            for text, code in self.at_once((self.desk, ("defer", ids[one], "friday")),
                                           (self.laptop, ("defer", ids[two], "monday")), now=now):
                self.assertEqual(code, 0, text)
            expected |= {one: FRIDAY, two: MONDAY}
            self.agree(now, expected)

    def test_lives_of_two_machines_and_a_phone(self):
        for number in range(SEED, SEED + ROUNDS):
            with self.subTest(f"OPUS_LEDGER_SEED={number}"):
                self.life(random.Random(number))
        note("ledger", f"lives of the list on {self.kind}", ROUNDS, 0)

    def life(self, chance):
        subjects = [f"Mail {number}" for number in range(4)] + ["Later 1"]
        ids = self.prepare(*subjects, rules=RULES)
        machines, wanted, before, told = (self.desk, self.laptop), {"Later 1": {"2026-03-20"}}, {}, []
        for place in machines:
            self.run_(place)
        now = 0
        for _ in range(12):
            now += chance.randrange(1, 400)
            moment, place = minutes(now), chance.choice(machines)
            subject = chance.choice(subjects)
            where, = self.box.where(f"{subject.lower().replace(' ', '-')}@test.example")
            act = chance.choice(("defer", "defer", "defer", "both", "both", "cancel", "sync", "run", "out", "in", "lose",
                                 "delete", "older"))
            told.append((now, act, subject, place.root.name))
            if act == "defer":
                self.check(place.opus("sync", now=moment))
                date = chance.choice(("2026-04-01", "2026-04-02", "someday"))
                self.defer(place, ids[subject], date, now=moment)
                wanted[subject] = {date}
            elif act == "both":
                other = chance.choice(subjects)
                for one in machines:
                    self.check(one.opus("sync", now=moment))
                done = self.at_once((self.desk, ("defer", ids[subject], "2026-04-03")),
                                    (self.laptop, ("defer", ids[other], "2026-04-04")), now=moment)
                codes = [code for _, code in done]
                self.assertTrue(set(codes) <= {0, 1} and 0 in codes, (told, done))
                wanted[subject], wanted[other] = {"2026-04-03"}, {"2026-04-04"}
                if subject == other:
                    wanted[subject] = {"2026-04-03", "2026-04-04"}
            elif act == "cancel" and where == "Deferred":
                self.check(place.opus("sync", now=moment))
                self.check(place.opus("defer", "--cancel", ids[subject], now=moment))
                wanted[subject] = set()
            elif act == "sync":
                self.check(place.opus("sync", now=moment))
            elif act == "run":
                self.run_(place, moment)
            elif act == "out" and where == "Deferred":
                self.box.move(f"{subject.lower().replace(' ', '-')}@test.example", "Deferred", "Archive")
                before[subject], wanted[subject] = wanted[subject], set()
            elif act == "in" and where == "Archive":
                self.box.move(f"{subject.lower().replace(' ', '-')}@test.example", "Archive", "Deferred")
                # A machine that did not see it leave keeps the date.
                wanted[subject] = {"someday", *before[subject]}
            elif act == "lose":
                shutil.rmtree(place.root / ".opus")
                self.run_(place, moment)
            elif act in ("delete", "older") and len(self.box.lists()) == 1:
                held, = self.box.lists()
                body = self.box.body("Deferred", held.message_id).replace(b"\r\n", b"\n")
                if act == "delete":
                    self.box.remove("Deferred", held.message_id)
                    # If the list and the store of the only machine that runs next are lost, the dates are.
                    self.run_(place, moment)
                else:
                    self.check(self.desk.opus("defer", ids[subject], "2026-04-05", now=moment))
                    wanted[subject] = {"2026-04-05"}
                    self.box.add("Deferred", body, flags=["\\Seen"])
        found = self.agree(minutes(now + 10))
        for subject in subjects:
            dates = {date if date == "someday" else f"{date}T08:00:00+{'01' if '-03-2' in date else '02'}:00"
                     for date in wanted.get(subject, set())}
            self.assertIn(found.get(subject), dates or {None}, f"{subject}: {told}")
            self.assertEqual(len(self.box.where(f"{subject.lower().replace(' ', '-')}@test.example")), 1, told)
