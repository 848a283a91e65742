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
        """One file a week, and one of the two days after the last one."""
        self.assertEqual(len(briefings), 7 * WEEKS + 2, "a day has no briefing, or two")
        days = {f"week-{week + 1}.txt": briefings[7 * week:7 * week + 7] for week in range(WEEKS)}
        days[f"after-{WEEKS}-weeks.txt"] = briefings[7 * WEEKS:]
        for name, texts in days.items():
            path, text = BRIEFINGS / name, "\n".join(texts)
            if os.environ.get("OPUS_ACCEPT"):
                path.write_text(text)
            self.assertEqual(text, path.read_text(), name)
