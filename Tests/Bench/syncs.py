"""The syncs of one mailbox, every program on the same one: the first, later ones, over a counted and over a longer way."""
import statistics
import time

import clients
import link
import same
from box import CHANGED, NEW
from measure import LONG, end_process, measure, start_process
from wire import Tap

ROUND_TRIP = 0.040
FIRST = "first sync"
LATER = f"later sync, {NEW} new and {CHANGED} flags"
NOTHING = "later sync, nothing new"
LISTED = "until the newest mail can be listed"
COUNTED = ", counted"
FAR = f", {ROUND_TRIP * 1000:.0f} ms round trip"
ON_LINK = f", {link.MBIT} Mbit/s and {link.ROUND_TRIP * 1000:.0f} ms"
NEW_ON_LINK = f"later sync, {NEW} new" + ON_LINK
# Longer than this a first sync over a long way would say the same once more.
MOST_FAR = 10_000


class Syncs:
    def __init__(self, record, mailbox, sides):
        self.record, self.mailbox, self.sides, self.size = record, mailbox, sides, mailbox.size
        # Where the way is long, offlineimap waits for every message, and who indexes afterwards does nothing new.
        self.swift = [side for side in sides if type(side) in (clients.Opus, clients.Mbsync, clients.Limit)]

    def first(self):
        # The server builds its indexes before the first measurement.
        limit = next(side for side in self.sides if isinstance(side, clients.Limit))
        measure(limit.first, self.record.log)
        self.record.note(FIRST, self.size, self.record.turns(self.entries("first")))
        self.same()
        for side in self.sides:
            side.ready()

    def prepare(self):
        """A first sync that is not measured, for the parts that need one."""
        for side in self.sides:
            measure(side.first, self.record.log, side.environment)
            side.ready()

    def later(self):
        self.record.note(LATER, self.size, self.record.turns(self.entries("later"), before=self.mailbox.change))
        self.same()
        self.record.note(NOTHING, self.size, self.record.turns(self.entries("later")))

    def listed(self):
        """From the start of the first sync; `opus list` is asked again and again, its own time is in the figure."""
        opus = next((side for side in self.sides if isinstance(side, clients.Opus)), None)
        if not opus:
            return
        seconds = [self.until_listed(opus) for _ in range(self.few())]
        whole, wall = self.record.find(FIRST, self.size, opus.label), statistics.median(seconds)
        share = f", {wall / whole:.0%} of the first sync" if whole else ""
        print(f"\n{LISTED}, {self.size} messages: {wall:.3f} s{share}", flush=True)
        self.record.rows.append({"group": LISTED, "size": self.size, "label": opus.label, "wall": wall,
                                 "runs": len(seconds)})
        self.same([opus])

    def counted(self):
        """One more run of each, for bytes and turns; the tap costs time, so these are not the times to look at."""
        self.record.note(NOTHING + COUNTED, self.size, self.tapped("later"))
        self.mailbox.change()
        self.record.note(LATER + COUNTED, self.size, self.tapped("later"))
        brief = [side for side in self.sides
                 if side in self.swift or (self.record.find(FIRST, self.size, side.label) or 0) < LONG]
        self.record.note(FIRST + COUNTED, self.size, self.tapped("first", brief))
        self.same()

    def far(self):
        results = {}
        for _ in range(self.few()):
            self.mailbox.change()
            for label, figures in self.tapped("later", self.swift, self.far_tap).items():
                results.setdefault(label, []).extend(figures)
        self.record.note(LATER + FAR, self.size, results)
        if self.mailbox.messages <= MOST_FAR:
            self.record.note(FIRST + FAR, self.size, self.tapped("first", self.swift, self.far_tap))
        self.same(self.swift)

    def on_link(self):
        """A first sync and one with 10 new messages; the mailbox is a small one."""
        with link.Link(self.mailbox.servers.imaps_port) as slow:
            print(f"\nthe link of {link.MBIT} Mbit/s and {link.ROUND_TRIP * 1000:.0f} ms is {slow.kind}")
            self.record.note(FIRST + ON_LINK, self.size, self.tapped("first", tap=slow.tapped, wrap=slow.command))
            self.mailbox.change(changed=0)
            self.record.note(NEW_ON_LINK, self.size, self.tapped("later", tap=slow.tapped, wrap=slow.command))
        self.same()

    # Inside

    def entries(self, work):
        return [(side.label, side.wipe if work == "first" else _nothing, getattr(side, work), side.environment)
                for side in self.sides]

    def same(self, sides=None):
        same.check(self.mailbox.held(), sides or self.sides)

    def few(self):
        return max(1, min(3, self.record.runs))

    def tapped(self, work, sides=None, tap=None, wrap=list):
        """{label: [figures, with the counts of the wire]}, one run of each side."""
        results = {}
        for side in sides or self.sides:
            if work == "first":
                side.wipe()
            with (tap or self.tap)() as wire:
                side.connect(wire.port)
                figures = measure(wrap(getattr(side, work)), self.record.log, side.environment)
            side.connect(side.account.port)
            results[side.label] = [figures | wire.counts]
            if work == "first":
                side.ready()
        return results

    def tap(self, round_trip=0.0):
        return Tap(self.mailbox.servers.imaps_port, round_trip)

    def far_tap(self):
        return self.tap(ROUND_TRIP)

    def until_listed(self, opus):
        newest, day = self.mailbox.newest()
        opus.wipe()
        start = time.monotonic()
        child = start_process(opus.first, self.record.log, opus.environment)
        try:
            while True:
                ended = child.poll() is not None
                if opus.lists(newest, f"date>={day}"):
                    return time.monotonic() - start
                if ended:
                    raise SystemExit(f"bench: opus ended with {child.returncode} and does not list <{newest}>")
                time.sleep(0.02)
        finally:
            if child.returncode is None:
                end_process(child)


def _nothing():
    pass
