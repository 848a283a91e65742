"""An account seen from outside, by clients that are not ours: imaplib, or plain files.

`IMAPBox` is a user of the private Dovecot, `MaildirBox` a Maildir++ in a folder. Both answer the same questions,
so that one test runs on both kinds of account. Mailboxes go by the names that people see (`Entwürfe/Überfällig`).
"""
import base64
import email
import hashlib
import imaplib
import os
import re
import shutil
import time
from pathlib import Path
from typing import NamedTuple

from servers import FLAG_LETTERS, crlf

imaplib._MAXLINE = 20_000_000


class Held(NamedTuple):
    """A message where it stands. `uid` is a number on a server and a file name in a Maildir."""

    mailbox: str
    uid: object
    flags: frozenset
    message_id: str
    subject: str


#: The Message-IDs of the lists in which opus keeps the dates of deferred mail.
LIST = "<opus-deferred."


class Box:
    """What both kinds share. The lists of deferred mail are not mail: only `lists` has them."""

    def held(self, mailbox="INBOX"):
        return [held for held in self.everything_held(mailbox) if not held.message_id.startswith(LIST)]

    def lists(self, mailbox="Deferred"):
        return [held for held in self.everything_held(mailbox) if held.message_id.startswith(LIST)]

    def everything(self):
        """Every message of every mailbox."""
        return [held for name in self.names() for held in self.held(name)]

    def where(self, message_id):
        """The mailboxes that hold the message, once for each copy."""
        wanted = message_id if message_id.startswith("<") else f"<{message_id}>"
        return [held.mailbox for held in self.everything() if held.message_id == wanted]

    def find(self, mailbox, message_id):
        wanted = message_id if message_id.startswith("<") else f"<{message_id}>"
        found = [held for held in self.everything_held(mailbox) if held.message_id == wanted]
        if len(found) != 1:
            raise LookupError(f"{len(found)} messages {wanted} in {mailbox}")
        return found[0]

    def subjects(self, mailbox):
        return sorted(held.subject for held in self.held(mailbox))


class IMAPBox(Box):
    kind = "imap"

    def __init__(self, servers, user):
        self.servers, self.user = servers, user
        self.folder = servers.add_user(user)
        # `INBOX.` and `.` on a server that keeps everything below INBOX; people leave that out.
        self._prefix, self._delimiter = getattr(servers, "names", ("", "/"))

    def wire(self, mailbox):
        """A mailbox as a command calls it."""
        return quoted(self.exact(mailbox))

    def exact(self, mailbox):
        """A mailbox by its whole name, decoded."""
        return mailbox if mailbox == "INBOX" else self._prefix + mailbox.replace("/", self._delimiter)

    def _seen(self, name):
        """A mailbox as people call it."""
        return name.removeprefix(self._prefix).replace(self._delimiter, "/")

    def yaml(self, name="work", address="ana@acme.example", password_file=None, extra="", port=None, security="tls",
             host="localhost", ca_file=None):
        """The account's lines below `accounts:`."""
        return (f"  - name: {name}\n    address: {address}\n"
                f"    imap: {{ host: {host}, port: {port or self.servers.imaps_port}, security: {security}, "
                f"ca-file: {ca_file or self.servers.ca_file} }}\n"
                f"    login: {{ user: {self.user}, password-command: [cat, {password_file or 'password'}] }}\n{extra}")

    def client(self):
        return self.servers.imap(self.user)

    def names(self):
        client = self.client()
        rows = client.list()[1]
        client.logout()
        found = []
        for row in rows:
            if row and b"\\Noselect" not in row:
                name = re.search(rb'\) (?:"[^"]*"|NIL) (?:"((?:[^"\\]|\\.)*)"|(\S+))$', row)
                found.append(self._seen(decoded((name[1] or name[2]).decode("ascii"))))
        return sorted(found, key=lambda name: (name != "INBOX", name))

    def create(self, mailbox):
        client = self.client()
        answer = client.create(self.wire(mailbox))
        client.logout()
        if answer[0] != "OK":
            raise RuntimeError(f"CREATE {mailbox}: {answer}")

    def drop(self, mailbox):
        client = self.client()
        answer = client.delete(self.wire(mailbox))
        client.logout()
        if answer[0] != "OK":
            raise RuntimeError(f"DELETE {mailbox}: {answer}")

    def rename(self, mailbox, name):
        client = self.client()
        answer = client.rename(self.wire(mailbox), self.wire(name))
        client.logout()
        if answer[0] != "OK":
            raise RuntimeError(f"RENAME {mailbox}: {answer}")

    def add(self, mailbox, messages, flags=(), received=None):
        """APPENDs messages (bytes, or a list of them)."""
        client = self.client()
        if mailbox not in ("INBOX", "Archive", "Drafts", "Junk", "Sent", "Trash"):
            client.create(self.wire(mailbox))
        when = imaplib.Time2Internaldate(received) if received else None
        for message in [messages] if isinstance(messages, bytes) else messages:
            answer = client.append(self.wire(mailbox), f"({' '.join(flags)})" if flags else None,
                                   when or arrival(message), crlf(message))
            if answer[0] != "OK":
                raise RuntimeError(f"APPEND to {mailbox}: {answer}")
        client.logout()

    def everything(self):
        names, client = self.names(), self.client()
        found = [held for name in names for held in self._held(client, name) if not held.message_id.startswith(LIST)]
        client.logout()
        return found

    def everything_held(self, mailbox):
        client = self.client()
        found = self._held(client, mailbox)
        client.logout()
        return found

    def _held(self, client, mailbox):
        found = []
        if client.select(self.wire(mailbox), readonly=True)[0] == "OK":
            _, data = client.uid("FETCH", "1:*", "(UID FLAGS BODY.PEEK[HEADER.FIELDS (MESSAGE-ID SUBJECT)])")
            for item in data:
                if isinstance(item, tuple):
                    flags = re.search(rb"FLAGS \(([^)]*)\)", item[0])[1].decode().split()
                    found.append(Held(mailbox, int(re.search(rb"UID (\d+)", item[0])[1]),
                                      frozenset(flags) - {r"\Recent"}, *identity(item[1])))
        return found

    def mark(self, mailbox, message_id, add=(), remove=()):
        held = self.find(mailbox, message_id)
        with Selected(self, mailbox) as client:
            for sign, flags in (("+", add), ("-", remove)):
                if flags:
                    client.uid("STORE", str(held.uid), f"{sign}FLAGS", f"({' '.join(flags)})")

    def move(self, message_id, source, destination):
        held = self.find(source, message_id)
        if destination not in self.names():
            self.create(destination)
        with Selected(self, source) as client:
            if "MOVE" in client.capability()[1][0].decode().split():
                client.uid("MOVE", str(held.uid), self.wire(destination))
            else:
                client.uid("COPY", str(held.uid), self.wire(destination))
                expunge(client, held.uid)

    def remove(self, mailbox, message_id):
        held = self.find(mailbox, message_id)
        with Selected(self, mailbox) as client:
            expunge(client, held.uid)

    def body(self, mailbox, message_id):
        held = self.find(mailbox, message_id)
        with Selected(self, mailbox) as client:
            return client.uid("FETCH", str(held.uid), "(BODY.PEEK[])")[1][0][1]

    def fingerprint(self):
        """What the server says of every mailbox and message: equal means that nothing at all changed."""
        names = self.names()
        client = self.client()
        modseq = " HIGHESTMODSEQ" if "CONDSTORE" in client.capability()[1][0].decode().split() else ""
        found = [("names", tuple(names))]
        for name in names:
            status = client.status(self.wire(name), f"(MESSAGES UIDNEXT UIDVALIDITY UNSEEN{modseq})")
            client.select(self.wire(name), readonly=True)
            rows = client.uid("FETCH", "1:*", "(UID FLAGS INTERNALDATE RFC822.SIZE)")[1] if status[0] == "OK" else []
            # The first client that opens the mailbox removes \Recent, so it is not compared.
            rows = [re.sub(rb"\\Recent ?", b"", row).replace(b" )", b")") for row in rows if isinstance(row, bytes)]
            # Courier changes the UIDVALIDITY until the mailbox has a first message.
            counts = status[1][0] if b"MESSAGES 0 " not in status[1][0] else b"MESSAGES 0"
            found.append((name, counts, tuple(rows)))
        client.logout()
        return found

    def new_uid_validity(self):
        """As after a restore from backup: same messages, other UIDVALIDITY, other UIDs."""
        time.sleep(1.1)  # Dovecot takes the time in seconds for it
        for path in self.folder.rglob("dovecot*"):
            if path.is_file() and path.name != "dovecot-keywords":
                path.unlink()

    def remake(self, mailbox):
        """Deletes a mailbox, creates it again and restores the same messages: another UIDVALIDITY."""
        client = self.client()
        client.select(self.wire(mailbox), readonly=True)
        rows = client.uid("FETCH", "1:*", "(FLAGS INTERNALDATE BODY.PEEK[])")[1]
        client.logout()
        self.drop(mailbox)
        time.sleep(1.1)  # servers take the time in seconds for it
        self.create(mailbox)
        client = self.client()
        for head, message in (row for row in rows if isinstance(row, tuple)):
            flags = re.sub(rb"\\Recent ?", b"", re.search(rb"FLAGS \(([^)]*)\)", head)[1]).decode().strip()
            received = re.search(rb'INTERNALDATE ("[^"]*")', head)[1].decode()
            answer = client.append(self.wire(mailbox), f"({flags})" if flags else None, received, message)
            if answer[0] != "OK":
                raise RuntimeError(f"APPEND to {mailbox}: {answer}")
        client.logout()

    def uid_validity(self, mailbox="INBOX"):
        client = self.client()
        status = client.status(self.wire(mailbox), "(UIDVALIDITY)")[1][0]
        client.logout()
        return int(re.search(rb"UIDVALIDITY (\d+)", status)[1])


class Selected:
    """A mailbox opened for changes. Leaving it never expunges: no CLOSE."""

    def __init__(self, box, mailbox):
        self.box, self.client, self.mailbox = box, box.client(), mailbox

    def __enter__(self):
        answer = self.client.select(self.box.wire(self.mailbox))
        if answer[0] != "OK":
            raise RuntimeError(f"SELECT {self.mailbox}: {answer}")
        return self.client

    def __exit__(self, *_):
        self.client.logout()


class MaildirBox(Box):
    kind = "maildir"

    def __init__(self, folder):
        self.folder = Path(folder)
        self._numbers = 0
        self._make(self.folder)

    def yaml(self, name="work", address="ana@acme.example", password_file=None, extra=""):
        return f"  - name: {name}\n    address: {address}\n    maildir: {self.folder}\n{extra}"

    def _make(self, folder):
        for part in ("cur", "new", "tmp"):
            (folder / part).mkdir(parents=True, exist_ok=True)

    def place(self, mailbox):
        if mailbox == "INBOX":
            return self.folder
        return self.folder / ("." + encoded(mailbox).replace("/", "."))

    def names(self):
        found = ["INBOX"]
        for folder in self.folder.glob(".*"):
            if (folder / "cur").is_dir():
                found.append(decoded(folder.name[1:]).replace(".", "/"))
        return sorted(found, key=lambda name: (name != "INBOX", name))

    def create(self, mailbox):
        self._make(self.place(mailbox))

    def drop(self, mailbox):
        shutil.rmtree(self.place(mailbox))

    def rename(self, mailbox, name):
        self.place(mailbox).rename(self.place(name))

    def add(self, mailbox, messages, flags=(), received=None):
        """Delivers messages: unread ones without flags into new/, as a delivery agent leaves them."""
        folder = self.place(mailbox)
        self._make(folder)
        letters = "".join(sorted(letter for letter, flag in FLAG_LETTERS.items() if flag in flags))
        words = [flag for flag in flags if not flag.startswith("\\")]
        letters += "".join(sorted(self._letter(folder, word) for word in words))
        for message in [messages] if isinstance(messages, bytes) else messages:
            self._numbers += 1
            unique = f"1770000000.M{self._numbers}P1.test"
            waiting = folder / "tmp" / unique
            waiting.write_bytes(message)
            moment = received or when(message)
            if moment:
                os.utime(waiting, (moment, moment))
            waiting.rename(folder / (f"cur/{unique}:2,{letters}" if letters else f"new/{unique}"))

    def _letter(self, folder, word):
        table = folder / "dovecot-keywords"
        lines = table.read_text().splitlines() if table.exists() else []
        for line in lines:
            number, _, name = line.partition(" ")
            if name == word:
                return chr(ord("a") + int(number))
        table.write_text("".join(line + "\n" for line in [*lines, f"{len(lines)} {word}"]))
        return chr(ord("a") + len(lines))

    def _words(self, folder):
        table = folder / "dovecot-keywords"
        if not table.exists():
            return {}
        rows = [line.partition(" ") for line in table.read_text().splitlines() if line]
        return {chr(ord("a") + int(number)): name for number, _, name in rows}

    def everything_held(self, mailbox):
        folder = self.place(mailbox)
        words, found = self._words(folder), []
        for part in ("new", "cur"):
            for path in sorted((folder / part).glob("*")) if (folder / part).is_dir() else []:
                letters = path.name.partition(":2,")[2]
                flags = frozenset({**FLAG_LETTERS, **words}[letter] for letter in letters)
                with path.open("rb") as file:
                    found.append(Held(mailbox, path.name, flags, *identity(file.read(200_000))))
        return found

    def _path(self, mailbox, message_id):
        name = self.find(mailbox, message_id).uid
        return next(p for p in (self.place(mailbox) / part / name for part in ("cur", "new")) if p.exists())

    def mark(self, mailbox, message_id, add=(), remove=()):
        path = self._path(mailbox, message_id)
        unique, _, letters = path.name.partition(":2,")
        of = {flag: letter for letter, flag in FLAG_LETTERS.items()}
        keep = (set(letters) | {of[flag] for flag in add}) - {of[flag] for flag in remove}
        path.rename(self.place(mailbox) / "cur" / f"{unique}:2,{''.join(sorted(keep))}")

    def move(self, message_id, source, destination):
        path = self._path(source, message_id)
        self._make(self.place(destination))
        path.rename(self.place(destination) / path.parent.name / path.name)

    def remove(self, mailbox, message_id):
        self._path(mailbox, message_id).unlink()

    def body(self, mailbox, message_id):
        return self._path(mailbox, message_id).read_bytes()

    def fingerprint(self):
        """Every file with its name, bytes and time."""
        found = []
        for path in sorted(self.folder.rglob("*")):
            if path.is_file():
                found.append((str(path.relative_to(self.folder)), path.stat().st_mtime_ns,
                              hashlib.sha256(path.read_bytes()).hexdigest()))
            else:
                found.append((str(path.relative_to(self.folder)),))
        return found


class VerbatimBox(MaildirBox):
    """A folder of mailboxes side by side, as mbsync (SubFolders Verbatim) and offlineimap keep them."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self._numbers = 0
        self._make(self.folder / "INBOX")

    def place(self, mailbox):
        return self.folder / encoded(mailbox)

    def names(self):
        found = [decoded(str(cur.parent.relative_to(self.folder))) for cur in self.folder.rglob("cur") if cur.is_dir()]
        return sorted(found, key=lambda name: (name != "INBOX", name))


def expunge(client, uid):
    """Removes one message of the selected mailbox; without UIDPLUS, all that are marked as deleted."""
    client.uid("STORE", str(uid), "+FLAGS", r"(\Deleted)")
    if "UIDPLUS" in client.capability()[1][0].decode().split():
        client.uid("EXPUNGE", str(uid))
    else:
        client.expunge()


# Names and headers


def identity(header):
    """(Message-ID, subject as it stands) of a message's first bytes."""
    head = re.split(rb"\r?\n\r?\n", header, maxsplit=1)[0] + b"\n\n"
    # raw_items: a subject in bare UTF-8 would else come back with its bytes replaced.
    fields = {}
    for name, value in email.message_from_bytes(head).raw_items():
        fields.setdefault(name.lower(), str(value))
    return fields.get("message-id", "").strip(), fields.get("subject", "")


def when(message):
    """The Date field in seconds, or None."""
    head = message.partition(b"\n\n")[0].partition(b"\r\n\r\n")[0] + b"\n\n"
    try:
        return email.utils.parsedate_to_datetime(str(email.message_from_bytes(head)["Date"])).timestamp()
    except (TypeError, ValueError):
        return None


def arrival(message):
    moment = when(message)
    return imaplib.Time2Internaldate(moment) if moment else None


def encoded(name):
    """Modified UTF-7, RFC 3501 section 5.1.3."""

    def run(match):
        text = base64.b64encode(match[0].encode("utf-16-be")).decode().rstrip("=").replace("/", ",")
        return f"&{text}-"

    return re.sub(r"[^\x20-\x7e]+", run, name.replace("&", "&-"))


def decoded(name):
    def run(match):
        if not match[1]:
            return "&"
        text = match[1].replace(",", "/")
        return base64.b64decode(text + "=" * (-len(text) % 4)).decode("utf-16-be")

    return re.sub(r"&([A-Za-z0-9+,]*)-", run, name)


def quoted(name):
    return '"' + encoded(name).replace("\\", "\\\\").replace('"', '\\"') + '"'
