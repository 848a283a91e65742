"""A mail provider in small: IMAP and SMTP that introduce themselves, refuse and let in as one of the providers does."""
import base64
import binascii

from listener import Listener, server_context
from tiny import Box, Gone, TinyIMAP, _Session

#: What changes a mailbox, or may: before the first accepted plan no client has a reason to say it.
CHANGING = {"SELECT", "STORE", "UID STORE", "APPEND", "CREATE", "DELETE", "RENAME", "SUBSCRIBE", "UNSUBSCRIBE", "MOVE",
            "UID MOVE", "COPY", "UID COPY", "EXPUNGE", "UID EXPUNGE", "CLOSE", "SETMETADATA", "SETACL"}


class Provider(TinyIMAP):
    """`row` is a dictionary: `before` and `after` (capabilities around the login), `boxes` ({name: attributes}), `greeting`,
    `refusal` (what it says to a wrong login, without the tag), `delimiter`.

    `user` and `secret` let in; a secret is a password, or a token for the mechanisms of OAuth. `changes` has the commands
    that may change something.
    """

    def __init__(self, certificate, row, messages, user, secret, starttls=False):
        self.row, self.user, self.secret, self.starttls = row, user, secret, starttls
        self.changes, self.refused = [], 0
        boxes = {name: Box(messages if name == "INBOX" else (), attributes) for name, attributes in row["boxes"].items()}
        super().__init__(certificate, boxes, delimiter=row.get("delimiter", "/"), fetch=None)

    def serve(self, client):
        client.settimeout(20)
        stream = client.makefile("rwb")
        if self.starttls:
            client, stream = self._upgrade(client, stream)
        else:
            client = self._context.wrap_socket(client, server_side=True)
            stream = client.makefile("rwb")
            stream.write(b"* OK " + self.row.get("greeting", "ready").encode() + b"\r\n")
            stream.flush()
        with client, stream:
            try:
                Visit(self, stream).run()
            except (Gone, ValueError):
                pass

    def _upgrade(self, client, stream):
        stream.write(b"* OK " + self.row.get("greeting", "ready").encode() + b"\r\n")
        stream.flush()
        while line := stream.readline():
            tag, _, rest = line.decode().strip().partition(" ")
            if rest.upper() == "STARTTLS":
                stream.write(f"{tag} OK begin\r\n".encode())
                stream.flush()
                stream.close()
                client = self._context.wrap_socket(client, server_side=True)
                return client, client.makefile("rwb")
            answer = f"* CAPABILITY {self.row['before']} STARTTLS\r\n" if rest.upper() == "CAPABILITY" else ""
            stream.write(f"{answer}{tag} OK done\r\n".encode())
            stream.flush()
        raise OSError("gone")


class Visit(_Session):
    """One client: nothing but its introduction before the login."""

    inside = False

    def say(self, text):
        if isinstance(text, str) and text == "* OK tiny":
            return  # the greeting of the provider was said
        super().say(text)

    def answer(self, command, words):
        row = self.server.row
        if command in CHANGING:
            self.server.changes.append(" ".join(words))
            return "NO [NOPERM] nothing is changed here"
        if command == "CAPABILITY":
            self.say(f"* CAPABILITY {row['after'] if self.inside else row['before']}")
            return None
        if command == "LOGIN":
            return self.enter(words[1] == self.server.user and words[2] == self.server.secret)
        if command == "AUTHENTICATE":
            return self.authenticate(words)
        if command in ("NOOP", "LOGOUT"):
            return None
        if command == "ID":
            self.say("* ID NIL")
            return None
        if not self.inside:
            return "BAD log in first"
        if command == "NAMESPACE":
            self.say(f'* NAMESPACE (("" "{self.server.delimiter}")) NIL NIL')
            return None
        if command == "ENABLE":
            self.say("* ENABLED " + " ".join(words[1:]))
            return None
        if command == "STATUS":
            box = self.server.boxes.get(words[1])
            if box is None:
                return "NO [NONEXISTENT] no such mailbox"
            self.say(f'* STATUS "{words[1]}" (MESSAGES {len(box.messages)} UIDNEXT {box.uidnext} UIDVALIDITY '
                     f"{box.validity} UNSEEN 0)")
            return None
        if command == "UNSELECT":
            self.box = None
            return None
        return super().answer(command, words)

    def authenticate(self, words):
        mechanism, answer = words[1].upper(), words[2] if len(words) > 2 else None
        if answer is None:
            self.stream.write(b"+ \r\n")
            self.stream.flush()
            answer = self.stream.readline().decode().strip()
        try:
            parts = base64.b64decode(answer).decode("utf-8", "replace")
        except binascii.Error:
            return "BAD base64"
        if mechanism == "PLAIN":
            return self.enter(parts.split("\0")[1:] == [self.server.user, self.server.secret])
        if self.server.user in parts and f"auth=Bearer {self.server.secret}\x01" in parts:
            return self.enter(True)
        # RFC 7628, and what XOAUTH2 does: the reason first, then an empty answer of the client.
        self.stream.write(b"+ " + base64.b64encode(b'{"status":"400","schemes":"Bearer"}') + b"\r\n")
        self.stream.flush()
        self.stream.readline()
        return self.enter(False)

    def enter(self, is_right):
        if is_right:
            self.inside = True
            self.server.logins += 1
            return "OK done"
        self.server.refused += 1
        return self.server.row["refusal"]


class Submission(Listener):
    """The provider's SMTP: it lets the same login in, and takes no mail."""

    def __init__(self, certificate, user, secret, starttls=False, mechanisms="PLAIN LOGIN XOAUTH2"):
        self.user, self.secret, self.starttls, self.mechanisms = user, secret, starttls, mechanisms
        self.logins, self.mails = 0, 0
        self._context = server_context(certificate)
        super().__init__()

    def serve(self, client):
        client.settimeout(20)
        if not self.starttls:
            client = self._context.wrap_socket(client, server_side=True)
        stream = client.makefile("rwb")

        def say(*lines):
            for number, line in enumerate(lines, 1):
                mark = "-" if number < len(lines) else " "
                stream.write((line[:3] + mark + line[4:] + "\r\n").encode())
            stream.flush()

        say("220 localhost ESMTP")
        while line := stream.readline():
            words = line.decode("utf-8", "replace").split()
            command = words[0].upper() if words else ""
            if command == "EHLO":
                offered = [f"250 AUTH {self.mechanisms}"] if not self.starttls or hasattr(client, "cipher") else ["250 STARTTLS"]
                say("250 localhost", "250 SIZE 36700160", *offered)
            elif command == "STARTTLS":
                say("220 begin")
                stream.close()
                client = self._context.wrap_socket(client, server_side=True)
                stream = client.makefile("rwb")
            elif command == "AUTH":
                if len(words) < 3:
                    say("334 ")
                    words.append(stream.readline().decode().strip())
                text = base64.b64decode(words[2]).decode("utf-8", "replace")
                is_right = self.secret in text and self.user in text
                self.logins += is_right
                say("235 welcome" if is_right else "535 5.7.8 no")
            elif command == "QUIT":
                say("221 bye")
                break
            else:
                self.mails += command == "MAIL"
                say("250 fine")
        client.close()
