"""Real submission servers, and a wire that breaks at each place of a submission: nothing twice, nothing lost silently.

Postfix and Exim. OPUS_SEND_POINTS says how many points are played on each (8); `all` plays every one.
"""
import itertools
import os
import signal
import time
import unittest

from boxes import MaildirBox
from exim import Exim
from figures import note
from letters import letter
from oracle import confirm_sends, later, steps
from trap import Trap
from workplace import Case, Workplace, servers

POINTS = os.environ.get("OPUS_SEND_POINTS", "8")
MAILS = 3
RULES = """\
rules-version: 1
name: send
rules:
  - { id: send, when: 'subject:please', then: [{ delegate: { to: 'TO', send: now } }, archive] }
"""
RUN = ("run", "--yes", "--max", "none")
PLACES = ("greeting", "ehlo", "auth", "mail", "rcpt", "data", "go", ("body", 1), ("body", 300), ("body", 3000), "dot",
          "stored", "reply", "answered")
EFFECTS = ("close", "reset", "garbage", "kill")
#: Where the final dot may have left the program.
PAST_DOT = {"go", ("body", 1), ("body", 300), ("body", 3000), "dot", "stored", "reply"}


def points():
    """Place, effect, and which of the messages; spread over all of them where not all are wanted."""
    found = list(itertools.product(PLACES, EFFECTS, range(MAILS)))
    if POINTS == "all":
        return found
    return [found[number * 61 % len(found)] for number in range(int(POINTS))]


class SendFaults:
    """`deliveries(address)`: what arrived there."""

    def play(self, name, trap, deliveries):
        shown = failed = 0
        for number, (place, effect, which) in enumerate(points()):
            with self.subTest(f"{effect} at {place} of message {which + 1} on {name}"):
                try:
                    shown += self.point(f"{name}-{number}@far.example", trap, deliveries, place, effect, which)
                except BaseException:
                    failed += 1
                    raise
        note("sends", f"{name}, {shown} shown", len(points()), failed)

    def point(self, address, trap, deliveries, place, effect, which):
        box = MaildirBox(self.folder / f"Maildir-{address}")
        box.add("INBOX", [letter(f"Please {n}", minutes=n, body="All of it.\n" * 400) for n in range(MAILS)])
        extra = trap.yaml() + "    login: { user: ana, password-command: [cat, password] }\n"
        work = Workplace(self.folder / address, box.yaml(extra=extra), RULES.replace("TO", address),
                         "allow-send: true\n")
        trap.arm(place, "hang" if effect == "kill" else effect, which)
        if effect == "kill":
            process = work.start(*RUN)
            self.assertTrue(trap.met.wait(20), "the place was never reached")
            # What the program is about to write down about it, it may or may not come to.
            time.sleep(0.02 * which)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        else:
            work.opus(*RUN)
            self.assertTrue(trap.met.is_set(), "the place was never reached")
        trap.disarm()
        return self.settled(work, box, address, deliveries, place)

    def settled(self, work, box, address, deliveries, place):
        for number in range(1, 8):
            done = work.opus(*RUN, now=later(20 * number))
            if done.out == "Nothing to do.\n":
                break
            confirm_sends(work, later(20 * number))
        found = [step["state"] for step in steps(work)]
        self.assertEqual(set(found) - {"confirmed", "needs-decision", "cancelled"}, set(), str(done))
        undecided = found.count("needs-decision")
        self.assertLessEqual(undecided, 1 if place in PAST_DOT or place == "answered" else 0, str(done))
        end = time.monotonic() + 10
        while len(deliveries(address)) < MAILS - undecided and time.monotonic() < end:
            time.sleep(0.05)
        arrived = [str(mail["Subject"]) for mail in deliveries(address)]
        self.assertEqual(len(arrived), len(set(arrived)), "sent twice")
        self.assertGreaterEqual(len(arrived), MAILS - undecided, "lost without a report")
        copies = [held.subject for held in box.held("Sent")]
        self.assertEqual((len(copies), len(set(copies))), (MAILS - undecided, MAILS - undecided))
        self.assertEqual(len(box.held("Archive")), MAILS - undecided)
        return undecided


class OnPostfix(SendFaults, Case):
    def test_a_fault_at_any_point_of_a_submission_sends_no_mail_twice(self):
        if not servers().has_smtp:
            self.skipTest("Postfix needs root")

        def deliveries(address):
            return [mail for mail in servers().captured() if address in str(mail["To"])]

        with Trap(servers().smtps_port, servers().ca_file) as trap:
            self.play("postfix", trap, deliveries)


class OnExim(SendFaults, Case):
    @classmethod
    def setUpClass(cls):
        reason = Exim.missing()
        if reason and os.environ.get("CI") == "true":
            raise RuntimeError(reason)
        if reason:
            raise unittest.SkipTest(reason)
        cls.exim = Exim().start()
        cls.addClassCleanup(cls.exim.stop)

    def test_a_fault_at_any_point_of_a_submission_sends_no_mail_twice(self):
        def deliveries(address):
            return [mail for mail in self.exim.captured() if address in str(mail["To"])]

        with Trap(self.exim.port) as trap:
            self.play("exim", trap, deliveries)


if __name__ == "__main__":
    unittest.main()
