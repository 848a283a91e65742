"""A small IMAP server. A test can replace each of its answers, to show behaviour that no server of Debian has."""
import re
from email.utils import parsedate_to_datetime

from listener import Listener, server_context


class Box:
    """A mailbox: messages by UID."""

    def __init__(self, messages=(), attributes="", validity=7, uidnext=None):
        self.attributes, self.validity = attributes, validity
        self.messages = dict(enumerate(messages, 1)) if not isinstance(messages, dict) else dict(messages)
        self._uidnext = uidnext

    @property
    def uidnext(self):
        return self._uidnext or max(self.messages, default=0) + 1


class Gone(Exception):
    """The server closes the connection."""


class TinyIMAP(Listener):
    """IMAP4rev1 over TLS for one user, read-only, one mailbox after the other.

    `boxes` is {name: Box}. `capability` is what it announces. Hooks, all optional:
        on(command, words, box)   called before a command; may raise Gone, return a list of lines that replace the
                                  untagged answer, or None
        fetch(uid, items)         called before each message of a FETCH: may raise Gone, call `hang`, or return the line
    `commands` has every line of the clients, without its tag.
    """

    def __init__(self, certificate, boxes, capability="IMAP4rev1", delimiter="/", on=None, fetch=None):
        self.boxes, self.capability, self.delimiter = boxes, capability, delimiter
        self.on, self.fetch = on or (lambda *_: None), fetch or (lambda *_: None)
        self.commands, self.logins = [], 0
        self._context = server_context(certificate)
        super().__init__()

    def yaml(self, ca_file, extra=""):
        return (f"  - name: work\n    address: ana@acme.example\n    imap: {{ host: localhost, port: {self.port}, "
                f"security: tls, ca-file: {ca_file} }}\n    login: {{ password-command: [cat, password] }}\n{extra}")

    def hang(self):
        """Says nothing more on this connection until the client leaves or the server is stopped."""
        self.stopped.wait(300)
        raise Gone

    def said(self, word):
        return [line for line in self.commands if word in line]

    def serve(self, client):
        client.settimeout(20)
        with self._context.wrap_socket(client, server_side=True) as client:
            client.settimeout(60)
            try:
                with client.makefile("rwb") as stream:
                    _Session(self, stream).run()
            except (Gone, ValueError):
                pass


class _Session:
    def __init__(self, server, stream):
        self.server, self.stream, self.box = server, stream, None

    def say(self, text):
        self.stream.write(text if isinstance(text, bytes) else text.encode() + b"\r\n")

    def run(self):
        self.say("* OK tiny")
        self.stream.flush()
        while line := self.stream.readline():
            tag, _, rest = line.decode("utf-8", "surrogateescape").rstrip("\r\n").partition(" ")
            self.server.commands.append(rest)
            words = split(rest)
            command = " ".join(words[:2] if words[0].upper() == "UID" else words[:1]).upper()
            end = "OK done"
            replaced = self.server.on(command, words, self.box)
            if replaced is None:
                end = self.answer(command, words) or end
            else:
                for text in replaced:
                    if isinstance(text, str) and text.startswith("END "):
                        end = text[4:]
                    else:
                        self.say(text)
            self.say(f"{tag} {end}")
            self.stream.flush()
            if command == "LOGOUT":
                return

    def answer(self, command, words):
        if command == "CAPABILITY":
            self.say(f"* CAPABILITY {self.server.capability}")
        elif command in ("LOGIN", "AUTHENTICATE"):
            self.server.logins += 1
        elif command == "LIST":
            for name, box in self.server.boxes.items():
                self.say(f'* LIST ({box.attributes}) "{self.server.delimiter}" {quoted(name)}')
        elif command in ("SELECT", "EXAMINE"):
            self.box = self.server.boxes.get(words[1])
            if self.box is None:
                return "NO [NONEXISTENT] no such mailbox"
            self.say(f"* {len(self.box.messages)} EXISTS")
            self.say(f"* OK [UIDVALIDITY {self.box.validity}] v")
            self.say(f"* OK [UIDNEXT {self.box.uidnext}] n")
            return "OK [READ-ONLY] done" if command == "EXAMINE" else None
        elif command == "UID SEARCH":
            self.say("* SEARCH " + " ".join(map(str, sorted(self.box.messages))))
        elif command == "UID FETCH":
            self.fetched(words)
        elif command not in ("NOOP", "ID", "LOGOUT"):
            return "BAD what?"
        return None

    def fetched(self, words):
        wanted, items = numbers(words[2]), words[3].strip("()")
        for number, uid in enumerate(sorted(self.box.messages), 1):
            if not any(low <= uid <= high for low, high in wanted):
                continue
            line = self.server.fetch(uid, items)
            if line is None:
                line = message(self.box, number, uid, items)
            self.say(line)
            # What came before a hang or a loss has reached the client.
            self.stream.flush()


def message(box, number, uid, items):
    """The line of a FETCH."""
    content = box.messages[uid].replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    parts = [b"UID %d" % uid]
    if "FLAGS" in items:
        parts.append(b"FLAGS ()")
    if "INTERNALDATE" in items:
        date = re.search(rb"(?m)^Date: (.*?)\r$", content)
        day = parsedate_to_datetime(date[1].decode()) if date else None
        parts.append(b"INTERNALDATE " + (day.strftime('"%d-%b-%Y %H:%M:%S %z"').encode() if day
                                         else b'"10-Mar-2026 08:00:00 +0000"'))
    if "RFC822.SIZE" in items:
        parts.append(b"RFC822.SIZE %d" % len(content))
    for section, first, count in re.findall(r"BODY\.PEEK\[(.*?)\](?:<(\d+)\.(\d+)>)?", items):
        data = content.partition(b"\r\n\r\n")[0] + b"\r\n\r\n" if section == "HEADER" else content
        origin = b""
        if count:
            data, origin = data[int(first):int(first) + int(count)], f"<{first}>".encode()
        parts.append(b"BODY[%s]%s {%d}\r\n%s" % (section.encode(), origin, len(data), data))
    return b"* %d FETCH (%s)\r\n" % (number, b" ".join(parts))


def numbers(text):
    ranges = []
    for part in text.split(","):
        low, _, high = part.partition(":")
        ranges.append((int(low), int(high or low)))
    return ranges


def quoted(name):
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def split(line):
    """Words of a command: quoted strings without their quotes, parentheses as one word."""
    words, index = [], 0
    while index < len(line):
        if line[index] == " ":
            index += 1
        elif line[index] == '"':
            text, index = "", index + 1
            while line[index] != '"':
                index += line[index] == "\\"
                text, index = text + line[index], index + 1
            words.append(text)
            index += 1
        elif line[index] == "(":
            depth, start = 0, index
            while True:
                depth += (line[index] == "(") - (line[index] == ")")
                index += 1
                if depth == 0:
                    break
            words.append(line[start:index])
        else:
            start = index
            while index < len(line) and line[index] != " ":
                # A section may hold blanks in brackets.
                if line[index] == "[":
                    index = line.index("]", index)
                index += 1
            words.append(line[start:index])
    return words
