"""A mailbox on the private server, all there is to be synced; and what changes in it between two syncs."""
import email.utils
import os
import random
import re
from datetime import timedelta

import same
from corpus import NEWEST, Corpus, write_maildir
from servers import MAIL_UID, crlf

NEW, CHANGED = 10, 100


class Mailbox:
    """A user of the private server with `size` messages: "1000", or "100000l" for light ones."""

    def __init__(self, servers, size, user):
        self.servers, self.size, self.user = servers, size, user
        self.home = servers.add_user(user)
        owner = MAIL_UID if os.geteuid() == 0 else None
        light = size.endswith("l")
        self.messages, self.bytes = write_maildir(self.home, Corpus(light=light).mailbox(int(size.rstrip("l"))), owner)
        # Light ones, and with this seed never a large one: the bytes of a later sync are to say something about the sync.
        self.later = Corpus(seed=14, light=True)
        self.random = random.Random(13)
        self.added = 0

    def __str__(self):
        mean = self.bytes / self.messages / 1000
        return f"{self.messages:,} messages, {self.bytes / 1e6:.0f} MB, {mean:.1f} kB each"

    def change(self, changed=CHANGED):
        """10 new messages, and the requested number of changed flags: half of them \\Flagged, half \\Seen."""
        client = self.servers.imap(self.user)
        for _ in range(NEW):
            self.added += 1
            client.append("INBOX", None, None, crlf(self.later.message(NEWEST + timedelta(minutes=self.added))[0]))
        client.select("INBOX")
        everything = found(client, "ALL")
        chosen = self.random.sample(sorted(everything), min(changed, len(everything)))
        toggle(client, r"\Flagged", chosen[::2], found(client, "FLAGGED"))
        toggle(client, r"\Seen", chosen[1::2], found(client, "SEEN"))
        client.logout()

    def newest(self):
        """(Message-ID, day) of the newest message in INBOX: the server's names of files have seconds and microseconds."""
        files = [path for part in ("cur", "new") for path in (self.home / part).iterdir()]
        newest = max(files, key=lambda path: tuple(map(int, re.match(r"(\d+)\.M(\d+)", path.name).groups())))
        mail = email.message_from_bytes(newest.read_bytes())
        return mail["Message-ID"].strip("<>"), email.utils.parsedate_to_datetime(mail["Date"]).date()

    def held(self):
        return same.in_maildirs(self.home)

    def remove(self):
        self.servers.remove_user(self.user)


def found(client, question):
    return set(map(int, client.uid("SEARCH", None, question)[1][0].split()))


def toggle(client, flag, chosen, marked):
    """So that every one of them changes, however often this is done."""
    for sign, uids in (("-", [uid for uid in chosen if uid in marked]), ("+", [uid for uid in chosen if uid not in marked])):
        if uids:
            status, said = client.uid("STORE", ",".join(map(str, uids)), f"{sign}FLAGS.SILENT", f"({flag})")
            if status != "OK":
                raise SystemExit(f"bench: the server did not take the flags: {said}")
