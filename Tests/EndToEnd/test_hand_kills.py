"""Killed at any step of a command by hand, the next run ends it: nothing of it is there, or all of it, once.

OPUS_HAND_KILLS says how many steps of each command are tried, spread over all (4).
"""
import os
import shutil

import shim
from figures import note
from letters import letter
from workplace import Case

POINTS = int(os.environ.get("OPUS_HAND_KILLS", "4"))
#: MSG stands for the id of the message.
COMMANDS = (
    ("defer", "MSG", "friday"),
    ("delegate", "MSG", "bob@acme.example", "--note", "Yours please."),
    ("wait", "MSG", "--until", "friday"),
    ("task", "from", "MSG"),
    ("archive", "MSG"),
    ("briefing", "--mail"),
)


class HandKills(Case):
    kind = "maildir"

    def test_a_kill_at_any_step_of_a_command_by_hand(self):
        box = self.new_box()
        box.add("INBOX", [letter("Server move", sender="Carl Green <carl@other.example>"), letter("Lunch", minutes=1)])
        place = self.new_place(box)
        self.check(place.opus("sync"))
        item, = [one for one in place.opus("list", "--json").json["items"] if one["subject"] == "Server move"]
        saved = self.folder / "saved"
        folders = [place.root, box.folder]
        for folder in folders:
            shutil.copytree(folder, saved / folder.name, symlinks=True)

        def restore():
            for folder in folders:
                shutil.rmtree(folder)
                shutil.copytree(saved / folder.name, folder, symlinks=True)

        def settled():
            self.check(place.opus("run", "--yes"))
            return self.state(box, place)

        begun, halfway = self.state(box, place), 0
        before, killed, failed, played = settled(), 0, 0, 0
        for command in COMMANDS:
            words = [item["id"] if word == "MSG" else word for word in command]
            restore()
            count = self.folder / "count"
            self.check(place.opus(*words, environment=self.below(shim.counting(place, count))))
            total, done = int(count.read_text()), self.state(box, place)
            after = settled()
            self.assertNotEqual(before, after, f"{command[0]} changes nothing")
            for number in range(POINTS):
                step = 1 + (2 * number + 1) * total // (2 * POINTS)
                when = ("before", "after", "torn")[number % 3]
                with self.subTest(f"{command[0]} killed {when} step {step} of {total}"):
                    restore()
                    killed += place.opus(*words, environment=self.below(shim.killing(place, step, when))).code != 0
                    played += 1
                    halfway += self.state(box, place) not in (begun, done)
                    try:
                        self.assertIn(settled(), (before, after))
                        self.assertEqual(settled(), self.state(box, place), "a second run changes nothing")
                    except AssertionError:
                        failed += 1
                        raise
        note("kills", f"commands by hand, {killed} killed", played, failed)
        self.assertGreaterEqual(killed, played // 2)
        self.assertGreater(halfway, 0, "no kill came between two changes of one command")

    def below(self, environment):
        """The steps in the Maildir, too."""
        return environment | {"OPUS_SHIM_BELOW": str(self.folder)}

    def state(self, box, place):
        """Where each message is with which flags, and the tasks, without what differs from run to run."""
        mail = sorted((mailbox, found.message_id if "@test.example" in found.message_id else "new",
                       tuple(sorted(found.flags)))
                      for mailbox in box.names() for found in box.held(mailbox))
        tasks = sorted(f"{line['list']}: {line['summary']}"
                       for line in self.check(place.opus("task", "list", "--json")).json["items"])
        return mail, tasks
