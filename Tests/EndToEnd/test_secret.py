"""A password that is typed: never shown, and the terminal is as before whatever ends the question."""
import os
import re
import select
import signal
import termios
import time

from terminal import start
from workplace import OPUS, Case


class TypedPassword(Case):
    kind = "imap"

    def setUp(self):
        super().setUp()
        self.box = self.new_box()
        self.place = self.new_place(self.box)

    def words(self):
        port = self.box.servers.imaps_port
        return ["account", "add", "ana@second.example", "--imap", f"localhost:{port}", "--user", self.box.user, "--name",
                "second"]

    def open(self, command):
        environment = self.place.environment(TERM="dumb", OPUS_ISPDB="", OPUS_PACC="", SSL_CERT_FILE=self.box.servers.ca_file)
        self.terminal, self.process = start(command, environment, self.place.root)
        self.addCleanup(os.close, self.terminal)
        self.addCleanup(self.process.wait, 20)
        self.addCleanup(self.process.kill)

    def read(self, wanted=None, seconds=20):
        """What appears until `wanted` does, or within this time."""
        shown, end = b"", time.monotonic() + seconds
        while time.monotonic() < end and not (wanted and re.search(wanted, shown)):
            if select.select([self.terminal], [], [], 0.1)[0]:
                try:
                    shown += os.read(self.terminal, 4_096)
                except OSError:
                    break
        if wanted:
            self.assertRegex(shown, wanted)
        return shown

    def type(self, text):
        os.write(self.terminal, text)

    def echoes(self):
        return bool(termios.tcgetattr(self.terminal)[3] & termios.ECHO)

    def to_the_question(self):
        self.read(rb"empty: type")
        self.type(b"\n")
        self.read(rb"mode 600")
        time.sleep(0.2)
        self.assertFalse(self.echoes())

    def test_a_corrected_password_is_used_and_not_shown(self):
        self.open(self.place.command(*self.words()))
        self.to_the_question()
        password = self.box.servers.password.encode()
        self.type("mist\u00fc".encode() + b"\x7f" * 5 + password + b"\n")
        shown = self.read(seconds=5)
        self.assertNotIn(password, shown)
        self.assertNotIn(b"mist", shown)
        self.assertTrue(self.echoes())
        self.assertIn(password, b"".join(path.read_bytes() for path in self.place.root.rglob("*password*") if path.is_file()))

    def test_ctrl_c_ends_the_program_and_the_terminal_shows_again_what_is_typed(self):
        self.open(self.place.command(*self.words()))
        self.to_the_question()
        self.type(b"secret\x03")
        self.assertEqual(self.process.wait(20), -signal.SIGINT)
        self.assertTrue(self.echoes())
        self.assertNotIn(b"secret", self.read(seconds=1))

    def test_the_password_is_not_shown_after_the_program_was_stopped(self):
        self.open(["bash", "--norc", "-i"])
        self.read(seconds=1)
        self.type(" ".join([OPUS, "--workspace", str(self.place.root), *self.words()]).encode() + b"\n")
        self.to_the_question()
        self.type(b"\x1a")
        self.read(rb"Stopped")
        self.type(b"fg\n")
        self.read(rb"mode 600")
        time.sleep(0.2)
        self.type(b"secret123")
        self.assertNotIn(b"secret123", self.read(seconds=1))
