"""Weeks of two people's mail on real servers, with the fixed clock: everything is in its place every day.

OPUS_WEEKS says how many weeks (2; `make soak` plays 8). OPUS_ACCEPT=1 writes the expected briefings again.
"""
import os
from pathlib import Path

from servers import MailServers
from story import Story
from workplace import Case

WEEKS = int(os.environ.get("OPUS_WEEKS", "2"))
BRIEFINGS = Path(__file__).resolve().parent / "weeks"


class VirtualWeeks(Case):
    def play(self, name, each):
        servers = MailServers()
        self.addCleanup(servers.stop)
        story = Story(servers.start(), self.folder / name, WEEKS, each)
        story.play()
        story.check_bob()
        return story

    def test_every_message_and_task_is_accounted_for_however_often_opus_runs(self):
        daily = self.play("daily", each=False)
        self.compare(daily.briefings)
        always = self.play("always", each=True)
        self.assertEqual(always.places(), daily.places())
        self.assertEqual(always.tasks(), daily.tasks())

    def compare(self, briefings):
        for week in range(WEEKS):
            path = BRIEFINGS / f"week-{week + 1}.txt"
            text = "\n".join(briefings[5 * week:5 * week + 5])
            if os.environ.get("OPUS_ACCEPT"):
                path.write_text(text)
            self.assertEqual(text, path.read_text(), f"the briefings of week {week + 1}")
