"""`opus watch` when the network fails: cuts of every kind in a network namespace of its own, and what comes back by itself.

OPUS_WATCH_NETWORK: how often each cut is played. Without it, the cuts of which the machine hears are played once;
with it, also those that take a minute because no end hears of them.
"""
import os
import signal
import time
import unittest

import netns
from figures import note
from letters import letter
from servers import MailServers
from watcher import Watching, kind
from workplace import Case

TURNS = int(os.environ.get("OPUS_WATCH_NETWORK", "0"))
RULES = "rules-version: 1\nrules:\n  - { id: news, auto: true, when: 'subject:news', then: archive }\n"
#: From a usable network to the first sync; a machine that runs all tests at once may be slower.
SOON = 10 if TURNS else 20
#: Until a peer that says nothing any more is taken for dead.
FOUND = 90


class OnARoad(Case):
    """A watch whose server is at the other end of a road."""

    kind = "imap"
    version = 4

    @classmethod
    def setUpClass(cls):
        if reason := netns.missing():
            raise unittest.SkipTest(reason)
        cls.server = MailServers(smtp=False).start()
        cls.addClassCleanup(cls.server.stop)

    def setUp(self):
        super().setUp()
        self.box = self.new_box(on=self.server)
        self.box.add("INBOX", letter("First"))
        self.road = self.enterContext(netns.Road(self.server.imaps_port, self.version))
        self.place = self.new_place(self.box, rules=RULES)
        self.place.configure(self.box.yaml(port=self.road.port))
        self.watching = self.enterContext(Watching(self.place, form="--events", prefix=self.road.prefix))
        _, self.number = self.watching.until(kind("listening"))
        self.mail, self.times = 0, {}

    def deliver(self):
        self.mail += 1
        self.box.add("INBOX", letter(f"News {self.mail}", f"news{self.mail}"))

    def arrives(self, cut, patience=SOON):
        """The mail that came during the cut is where it belongs, and nothing else happened to it."""
        start = time.monotonic()
        while self.box.where(f"news{self.mail}@test.example") != ["Archive"]:
            if time.monotonic() - start > patience:
                self.fail(f"not within {patience} s after {cut}\n{self.watching.text[-3000:]}")
            time.sleep(0.1)
        self.times.setdefault(cut, []).append(time.monotonic() - start)
        # It listens again before the next cut.
        self.listens()

    def listens(self):
        end = time.monotonic() + 20
        while time.monotonic() < end:
            states = [event["state"]["state"] for event in self.watching.all("state")]
            if states and states[-1] == "listening":
                return
            time.sleep(0.05)
        self.fail("it does not listen")

    def lost(self, patience=FOUND):
        start = time.monotonic()
        known = len(self.watching.events)
        self.watching.until(kind("lost"), known, patience)
        return time.monotonic() - start

    def tearDown(self):
        for cut, times in self.times.items():
            note("cuts", f"{cut}: longest {max(times):.1f} s", len(times), 0)


class Network(OnARoad):
    def test_a_reported_cut_of_the_network_is_survived(self):
        for _ in range(max(2, TURNS)):
            for way in ("blackhole", "unreachable"):
                self.road.unroute(way)
                self.deliver()
                time.sleep(1.5)
                self.road.reroute(way)
                self.arrives(way)
            self.deliver()
            self.road.move()
            self.arrives("another address")

    def test_a_machine_that_slept_while_its_connections_died_in_silence(self):
        for _ in range(max(3, TURNS)):
            self.watching.signal(signal.SIGSTOP)
            self.road.move()
            self.deliver()
            time.sleep(0.5)
            self.watching.signal(signal.SIGCONT)
            self.arrives("sleep")

    def test_a_connection_that_is_being_made_over_the_old_network_is_given_up_at_once(self):
        for _ in range(max(1, TURNS)):
            known = len(self.watching.events)
            self.road.drop()
            # The listening connection ends at once. The packets of the next one get no answer. A report of a
            # lost connection comes only if the machine says once more that its network changed.
            self.road.move()
            self.watching.until(
                lambda event: event["type"] == "state" and event["state"]["state"] == "connecting", known)
            self.deliver()
            time.sleep(8)
            self.road.heal()
            self.road.move()
            # Its next packet would leave only seconds later, and from an address that is gone.
            self.arrives("another address while a connection is made", 6)

    def test_a_captive_portal_ends_nothing(self):
        certificate = self.server.untrusted.issue("portal")
        for _ in range(max(1, TURNS)):
            self.road.portal(certificate)
            self.watching.until(kind("lost"), len(self.watching.events))
            self.deliver()
            # A change of the machine's network may be reported first.
            self.watching.until(
                lambda event: kind("lost")(event) and "certificate" in event["message"], len(self.watching.events))
            self.assertEqual(self.watching.all("ended"), [], "it needs no person")
            self.road.open()
            self.arrives("captive portal")

    def test_refused_connections_and_a_server_that_comes_back(self):
        for _ in range(max(2, TURNS)):
            self.road.close()
            self.watching.until(kind("lost"), len(self.watching.events))
            self.deliver()
            self.road.open()
            # The next attempt may come before the door is open.
            self.arrives("refused", 30)

    @unittest.skipUnless(TURNS, "takes minutes; OPUS_WATCH_NETWORK=1")
    def test_a_silent_peer_is_noticed(self):
        for _ in range(TURNS):
            self.road.drop()
            self.times.setdefault("dropped, until found", []).append(self.lost())
            self.deliver()
            self.road.heal()
            self.arrives("dropped", 20)


class Middle(OnARoad):
    """The server has answered a part of a FETCH, and the rest does not come."""

    def stop_in_the_middle(self):
        self.road.halt(after=200_000)
        text = "A line of a long letter that nobody reads to its end.\n" * 400
        self.box.add("INBOX", [letter(f"Long {number}", f"long{number}", body=text) for number in range(100)])
        self.deliver()
        end = time.monotonic() + 20
        while not self.road.is_halted:
            self.assertLess(time.monotonic(), end, self.watching.text)
            time.sleep(0.02)
        time.sleep(0.5)
        self.assertIn(self.watching.all("state")[-1]["state"]["state"], ("mailboxes", "headers", "bodies"))

    def ends_well(self, cut):
        self.road.proceed()
        self.arrives(cut)
        places = [held.message_id for held in self.box.everything()]
        self.assertEqual((len(places), len(set(places))), (102, 102), "nothing is lost or doubled")


class InTheMiddleOfASync(Middle):
    def test_the_connection_of_another_address_is_given_up_at_once(self):
        self.stop_in_the_middle()
        self.road.move()
        self.ends_well("another address in the middle of a sync")
        self.assertEqual(len(self.watching.all("lost")), 1, self.watching.text)


    def test_a_machine_that_slept_in_the_middle_waits_for_no_connection(self):
        self.stop_in_the_middle()
        self.watching.signal(signal.SIGSTOP)
        time.sleep(1.5)
        self.watching.signal(signal.SIGCONT)
        # The server still does not answer on the old connection, but on every new one.
        self.road.forget()
        self.arrives("sleep in the middle of a sync")
        self.assertEqual(len(self.watching.all("lost")), 1, self.watching.text)
        places = [held.message_id for held in self.box.everything()]
        self.assertEqual((len(places), len(set(places))), (102, 102), "nothing is lost or doubled")


class InTheMiddleOverIPv6(InTheMiddleOfASync):
    """The same decision for the other kind of address."""

    version = 6


class BesideASync(Middle):
    def test_another_address_that_is_added_and_removed_breaks_nothing(self):
        self.stop_in_the_middle()
        self.road.add(self.road.other)
        time.sleep(1)
        self.road.remove(self.road.other)
        time.sleep(1)
        self.ends_well("an address beside the one in use")
        self.assertEqual(self.watching.all("lost"), [], self.watching.text)


if __name__ == "__main__":
    unittest.main()
