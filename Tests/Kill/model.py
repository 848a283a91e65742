"""The simulated servers (Tests/ModelServer) as a process, and the requests of the tests to them."""
import base64
import json
import os
import subprocess
from pathlib import Path
from typing import NamedTuple

from servers import crlf

REPOSITORY = Path(__file__).resolve().parents[2]


def program():
    """Built beside the program under test, or in the usual place."""
    beside = Path(os.environ.get("OPUS", "")).with_name("model-server")
    usual = REPOSITORY / ".build" / "debug" / "model-server"
    return next((path for path in (beside, usual) if path.exists()), usual)


class Held(NamedTuple):
    mailbox: str
    uid: int
    flags: frozenset
    message_id: str
    subject: str


class Model:
    """One account, `ann` with the password `hunter2`. `profile` is a row of Tests/DialectServer/Profiles.swift."""

    password = "hunter2"

    def __init__(self, profile="dovecot", files_sent=False):
        words = [str(program()), profile, *(["--files-sent"] if files_sent else [])]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        ports = json.loads(self._process.stdout.readline())
        self.imap_port, self.smtp_port = ports["imap"], ports["smtp"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()

    def ask(self, what, **more):
        self._process.stdin.write(json.dumps({"ask": what, **more}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if "error" in answer:
            raise RuntimeError(f"{what}: {answer['error']}")
        return answer

    def add(self, mailbox, messages, flags=()):
        self.ask("deliver", letters=[{"mailbox": mailbox, "flags": list(flags),
                                      "bytes": base64.b64encode(crlf(message)).decode()} for message in messages])

    def keep(self, name="start"):
        self.ask("keep", name=name)

    def restore(self, name="start"):
        """As it was, with nothing delivered and nothing armed; who is connected is hung up on."""
        self.ask("restore", name=name)

    def state(self):
        return State(self.ask("state"))

    def yaml(self, name="work", smtp=True):
        """The account's lines below `accounts:`; the password is in the file `password`."""
        def server(port):
            return f"{{ host: 127.0.0.1, port: {port}, security: none }}"
        sending = f"    smtp: {server(self.smtp_port)}\n" if smtp else ""
        return (f"  - name: {name}\n    address: ana@acme.example\n    imap: {server(self.imap_port)}\n{sending}"
                f"    login: {{ user: ann, password-command: [cat, password] }}\n")


class State:
    """The state of the servers."""

    def __init__(self, answer):
        held = [Held(row["mailbox"], row["uid"], frozenset(row["flags"]), row["messageID"], row["subject"])
                for row in answer["messages"]]
        #: The lists of deferred mail are not mail.
        self.lists = [one for one in held if one.message_id.strip("<").startswith("opus-deferred.")]
        self.held = [one for one in held if one not in self.lists]
        self.deliveries = answer["deliveries"]
        self.mailboxes = answer["mailboxes"]
        self.commands = answer["commands"]
        self.violations = answer["violations"]

    def places(self):
        """{left side of the Message-ID: [(mailbox, flags), ...]}"""
        found = {}
        for held in self.held:
            name = held.message_id.strip("<>").partition("@")[0]
            found.setdefault(name, []).append((held.mailbox, held.flags))
        return found

    def fingerprint(self):
        return self.mailboxes, self.held, len(self.deliveries)
