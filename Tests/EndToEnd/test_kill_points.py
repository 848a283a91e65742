"""Killed with SIGKILL at a step of the journal, of a file or of a socket, and run again: each thing once.

The servers are the simulated ones, so that every delivery is seen; a share is played on Dovecot and Postfix
(OPUS_KILL_REAL / 2 points, 12). OPUS_KILL_POINTS says how many points are tried (24);
`all` tries each step before, after and in the middle of what it writes.
OPUS_KILL_DIALECTS names more servers (cyrus,dovecot). OPUS_KILL_BATCH says how many messages (24).
"""
import os
import unittest
from concurrent.futures import ThreadPoolExecutor

import shim
from batch import RUN, Batch
from figures import note
from model import Model
from oracle import settle
from real import RealBatch
from workplace import Case, servers

POINTS = os.environ.get("OPUS_KILL_POINTS", "24")
REAL_POINTS = os.environ.get("OPUS_KILL_REAL", "12")
MORE = [name for name in os.environ.get("OPUS_KILL_DIALECTS", "").split(",") if name]
MESSAGES = int(os.environ.get("OPUS_KILL_BATCH", "24"))
WORKERS = 2
WAYS = ("before", "after", "torn")


def points(total, wish):
    """Step and way of each; spread over the whole run where not all are wanted."""
    if wish == "all":
        return [(step, way) for step in range(1, total + 1) for way in WAYS]
    wanted = max(1, int(wish) // 2)
    return [(1 + number * total // wanted, WAYS[number % 3]) for number in range(wanted)]


def kill_all(batch, chosen):
    """Of each point: whether it was killed, what is wrong afterwards, and how many sends are left to a person."""
    found = []
    for step, way in chosen:
        place = batch.fresh()
        done = place.opus(*RUN, environment=shim.killing(place, step, way))
        found.append(((step, way), done.code == -9, *settle(batch, place)))
        if not found[-1][2]:
            batch.forget(place)
    return found


class KilledAtEveryStep(Case):
    """With a server that files sent mail itself, and with one that does not."""

    def play(self, name, **options):
        """Two at a time, each on servers of its own."""
        batches = []
        for number in range(WORKERS):
            model = Model(**options)
            self.addCleanup(model.stop)
            batches.append(Batch(MESSAGES, self.folder / name.replace(" ", "-") / f"worker{number}", model))
        total = self.steps(batches[0])
        chosen = points(total, POINTS)
        self.judge(name, total, chosen, batches)

    def judge(self, name, total, chosen, batches):
        shares = [chosen[number::len(batches)] for number in range(len(batches))]
        with ThreadPoolExecutor(len(batches)) as pool:
            found = [outcome for done in pool.map(kill_all, batches, shares) for outcome in done]
        for point, _, problems, asked in found:
            with self.subTest(f"killed {point[1]} step {point[0]} of {total}"):
                self.assertEqual(problems, [])
                self.assertLessEqual(asked, 1)
        killed, undecided = sum(was for _, was, _, _ in found), sum(asked for _, _, _, asked in found)
        note("kills", f"{name}, {total} steps, {undecided} sends shown", killed, sum(bool(p) for _, _, p, _ in found))
        self.assertGreaterEqual(killed, len(chosen) * 9 // 10)

    def steps(self, batch):
        """How many steps a run has that is not killed; and that the oracle has nothing against it."""
        place, count = batch.fresh(), self.folder / "count"
        self.check(place.opus(*RUN, environment=shim.counting(place, count)))
        self.assertEqual(settle(batch, place), ([], 0))
        return int(count.read_text())

    def test_where_the_server_files_what_is_sent(self):
        self.play("dovecot, sent mail filed", files_sent=True)

    def test_where_only_a_person_can_tell_what_was_sent(self):
        self.play("zimbra, without MOVE", profile="zimbra")

    def test_a_kill_at_any_step_loses_nothing_with_more_dialects(self):
        if not MORE:
            self.skipTest("OPUS_KILL_DIALECTS names none")
        for profile in MORE:
            self.play(profile, profile=profile)

    def test_a_kill_at_any_step_loses_nothing_on_dovecot_and_postfix(self):
        if not servers().has_smtp:
            self.skipTest("Postfix needs root")
        batch = RealBatch(servers(), self.folder)
        total = self.steps(batch)
        self.judge("Dovecot and Postfix", total, points(total, REAL_POINTS), [batch])


if __name__ == "__main__":
    unittest.main()
