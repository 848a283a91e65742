#!/usr/bin/env python3
"""The raw limit: what the server and the link allow a client that does nothing with the bytes.

    limits.py fetch   --port N --ca FILE --user U --password P                reads every message, keeps none
    limits.py changes --port N --ca FILE --user U --password P --state FILE   first notes where the mailboxes stand; later
                                                                              reads only what changed since (QRESYNC)
    limits.py move    --port N --ca FILE --user U --password P --state FILE   moves the UIDs that the file names out of INBOX;
                                                                              with --look each header is read before
    limits.py nothing                                                         what it takes Python to start

Each is one connection over TLS with all commands sent at once. RFC 9051, RFC 7162, RFC 6851.
"""
import argparse
import json
import re
import socket
import ssl
from pathlib import Path

ITEMS = "(UID FLAGS INTERNALDATE RFC822.SIZE BODY.PEEK[])"
LAST_UID = 4294967295
CHUNK = 1 << 20


class Connection:
    def __init__(self, options):
        plain = socket.create_connection(("localhost", options.port))
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = ssl.create_default_context(cafile=options.ca).wrap_socket(plain, server_hostname="localhost")
        self.number = 0
        self.answer(self.send(f'LOGIN "{options.user}" "{options.password}"'))

    def send(self, *commands):
        """All in one go; the tag of the last."""
        lines = []
        for command in commands:
            self.number += 1
            lines.append(f"x{self.number} {command}\r\n")
        self.socket.sendall("".join(lines).encode())
        return b"x%d " % self.number

    def answer(self, tag):
        """All bytes up to the end of the tagged line. For answers that fit into memory."""
        gathered = bytearray()
        while True:
            line = gathered.rfind(b"\n", 0, max(len(gathered) - 1, 0)) + 1
            if gathered.endswith(b"\r\n") and gathered.startswith(tag, line):
                break
            received = self.socket.recv(CHUNK)
            if not received:
                raise SystemExit(f"limits: the server ended with {bytes(gathered[-200:])!r}")
            gathered += received
        if not gathered.startswith(tag + b"OK", line):
            raise SystemExit(f"limits: the server says {bytes(gathered[line:])!r}")
        return bytes(gathered)

    def discard(self, tag):
        """Reads up to the end of the tagged line, in blocks that are not looked at but for their ends."""
        buffer, total, tail = bytearray(CHUNK), 0, b""
        view = memoryview(buffer)
        while not (tail.endswith(b"\r\n") and tail.startswith(tag, tail.rfind(b"\n", 0, -1) + 1)):
            count = self.socket.recv_into(view)
            if not count:
                raise SystemExit(f"limits: the server ended after {total} bytes with {tail!r}")
            total += count
            tail = (tail + bytes(view[max(0, count - 400):count]))[-400:]
        if tag + b"OK" not in tail:
            raise SystemExit(f"limits: the server says {tail!r}")
        return total

    def end(self):
        # Not sent with the rest: a server may close before what it has sent has left it.
        self.send("LOGOUT")
        self.socket.close()

    def mailboxes(self):
        answer = self.answer(self.send('LIST "" "*"')).decode()
        return [name.strip('"') for marks, name in re.findall(r'\* LIST \(([^)]*)\) "." ("[^"]*"|\S+)\r', answer)
                if r"\Noselect" not in marks]


def fetch(options):
    connection = Connection(options)
    commands = [command for name in connection.mailboxes() for command in (f'EXAMINE "{name}"', f"UID FETCH 1:* {ITEMS}")]
    print(connection.discard(connection.send(*commands)), "bytes")
    connection.end()


def changes(options):
    connection, known = Connection(options), {}
    if options.state.exists():
        known = json.loads(options.state.read_text())
        commands = [command for name, (validity, next_uid, change) in known.items() for command in (
            f'SELECT "{name}" (QRESYNC ({validity} {change}))', f"UID FETCH {next_uid}:{LAST_UID} {ITEMS}")]
    else:
        known = dict.fromkeys(connection.mailboxes())
        commands = [f'SELECT "{name}"' for name in known]
    answer = connection.answer(connection.send("ENABLE QRESYNC", *commands))
    options.state.write_text(json.dumps(dict(zip(known, standings(answer), strict=True))))
    whole = answer.count(b"BODY[]")
    print(whole, "new,", answer.count(b" FETCH (") - whole, "changed,", len(answer), "bytes")
    connection.end()


def standings(answer):
    """UIDVALIDITY, UIDNEXT and HIGHESTMODSEQ of each mailbox, in the order of the SELECTs."""
    found = [[int(value) for value in re.findall(rb"(?m)^\* OK \[%s (\d+)" % key, answer)]
             for key in (b"UIDVALIDITY", b"UIDNEXT", b"HIGHESTMODSEQ")]
    return zip(*found, strict=True)


def move(options):
    """The file: {mailbox: "1,2,3"}. The client neither searches nor checks."""
    connection, wanted = Connection(options), json.loads(options.state.read_text())
    commands = [f'UID MOVE {uids} "{name}"' for name, uids in wanted.items()]
    if options.look:
        # What a client does that believes a UID only together with the message that it names.
        commands = [f"UID FETCH {uids} (UID FLAGS BODY.PEEK[HEADER])" for uids in wanted.values()] + commands
    answer = connection.answer(connection.send('SELECT "INBOX"', *commands))
    print(answer.count(b"COPYUID"), "of", len(wanted), "moves are proven")
    connection.end()


def nothing(_):
    pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", choices=["fetch", "changes", "move", "nothing"])
    parser.add_argument("--port", type=int)
    parser.add_argument("--state", type=Path)
    parser.add_argument("--look", action="store_true")
    for name in ("--ca", "--user", "--password"):
        parser.add_argument(name)
    options = parser.parse_args()
    {"fetch": fetch, "changes": changes, "move": move, "nothing": nothing}[options.work](options)


if __name__ == "__main__":
    main()
