"""Downloads of a large message that break: what came is kept, and the next connection or command goes on at its end."""
import base64
import os
import random
import signal

from letters import with_parts
from servers import crlf
from wiretap import Wiretap
from workplace import Case

SIZE = 4 << 20


class BrokenDownloads(Case):
    kind = "imap"

    def setUp(self):
        super().setUp()
        content = base64.encodebytes(random.Random(20).randbytes(SIZE * 3 // 4)).decode()
        head = ("Content-Type: application/octet-stream; name=film.bin\nContent-Disposition: attachment; "
                "filename=film.bin\nContent-Transfer-Encoding: base64")
        self.letter = with_parts("A film", [("Content-Type: text/plain", "See the film."), (head, content)])
        box = self.new_box()
        box.add("INBOX", self.letter)
        self.place = self.new_place(box)
        self.check(self.place.opus("sync"))
        [item] = self.place.opus("list", "--json").json["items"]
        self.message = item["id"]
        self.part = self.place.root / ".opus" / "originals" / f"{self.message}.part"
        self.box = box

    def through(self, **options):
        """All connections go through a wire, without TLS: what it counts is the mail."""
        wire = self.enterContext(Wiretap(self.box.servers.imap_port, **options))
        self.place.configure(self.box.yaml(port=wire.port, security="none", host="127.0.0.1"))
        return wire

    def assertWhole(self):
        shown = self.check(self.place.opus("show", "--raw", self.message))
        self.assertEqual(shown.out.encode("latin-1") if isinstance(shown.out, str) else shown.out, crlf(self.letter))
        self.assertFalse(self.part.exists())

    def test_a_connection_that_is_cut_at_90_percent_costs_no_second_download(self):
        wire = self.through(keep=len(self.letter) * 9 // 10)
        self.assertWhole()
        self.assertLess(wire.down, len(self.letter) * 1.3)
        self.assertGreater(wire.down, len(self.letter))

    def test_a_message_is_downloaded_over_a_connection_that_often_breaks(self):
        wire = self.through(keep=1 << 20)
        self.assertWhole()
        self.assertLess(wire.down, len(self.letter) * 2)
        # The whole is kept: nothing is read again.
        wire.reset()
        self.assertWhole()
        self.assertEqual(wire.down, 0)

    def test_the_next_command_continues_where_a_killed_one_was(self):
        running = self.killed()
        self.assertGreater(running.down, len(self.letter) // 4)
        kept = self.part.stat().st_size
        running.reset()
        self.assertWhole()
        self.assertLess(running.down, len(self.letter) - kept + (100 << 10))

    def test_pieces_of_an_earlier_mailbox_of_the_same_name_are_not_used(self):
        wire = self.killed()
        self.box.new_uid_validity()
        wire.reset()
        self.check(self.place.opus("show", "--raw", self.message), 66, "opus sync")
        self.check(self.place.opus("sync"))
        self.assertWhole()
        self.assertGreater(wire.down, len(self.letter))

    def killed(self):
        """A command is killed when half of the message is on the disk."""
        wire, running = self.through(), []
        wire.refuse(r"BODY\.PEEK\[\]<2097152\.", "NO killed", times=1,
                    before=lambda _: os.killpg(running[0].pid, signal.SIGKILL))
        running.append(self.place.start("show", "--raw", self.message))
        self.assertEqual(running[0].wait(), -signal.SIGKILL)
        wire.open()
        return wire
