"""From the delivery on the server to the applied rule: opus watch beside imapfilter with IDLE, and beside a notifier that starts
mbsync, notmuch, afew and mbsync again.

Each program watches a mailbox of its own and moves mail whose subject says "sortme" to the mailbox Sorted. One message after the
other is delivered; the time runs from the end of the delivery until the server's Maildir has the message in Sorted. Then
messages come faster than one a second, all sides with the same pauses.
"""
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

# The notifier is this file as a program of its own.
sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "Servers")]
import clients  # noqa: E402
from box import Mailbox  # noqa: E402
from corpus import NEWEST  # noqa: E402

LATENCY, LOADED = "delivery to applied rule", "delivery to applied rule, 3 a second"
TARGET = "Sorted"
SINGLE, LOAD = 40, 120
PATIENCE = 120
#: How long one is awaited that may have been overlooked.
OVERLOOKED = 20
#: Where it is not installed, as in Debian 12, a client in Python waits in IDLE and starts the same script.
NOTIFIER = "goimapnotify"


class Watcher:
    label, programs = "", ()

    def __init__(self, folder, servers, mailbox):
        self.folder, self.servers, self.mailbox = Path(folder), servers, mailbox
        self.folder.mkdir(parents=True)
        self.account = clients.Account(servers, mailbox.user)
        self.environment = {}
        client = servers.imap(mailbox.user)
        client.create(TARGET)
        client.logout()
        self.settings()

    def start(self, log):
        self.process = subprocess.Popen(list(map(str, self.command)), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                        env={**os.environ, **self.environment}, start_new_session=True)

    def stop(self):
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class Opus(Watcher):
    label = "opus watch"

    def __init__(self, label, program, *more):
        self.label, self.program = label.replace("opus", "opus watch"), program
        super().__init__(*more)

    def settings(self):
        side = clients.Opus(self.program, self.folder / "workspace", self.account)
        config = side.folder / "opus.yaml"
        config.write_text(config.read_text() + "brakes: { share: 100, count: 1000000, sends: 0 }\n")
        (side.folder / "rules" / "bench.yaml").write_text(
            "rules-version: 1\nname: bench\nrules:\n"
            f"  - {{ id: news, auto: true, when: 'subject:sortme', then: {{ move: {TARGET} }} }}\n")
        self.command = side.command("watch", "--quiet")


class Imapfilter(Watcher):
    label, programs = "imapfilter with IDLE", ("imapfilter",)

    def settings(self):
        account = self.account
        self.environment = {"HOME": str(self.folder)}
        (self.folder / "watch.lua").write_text(
            "options.timeout = 120\noptions.info = false\n"
            f"a = IMAP {{ server = 'localhost', port = {account.port}, username = '{account.user}', "
            f"password = '{account.password}', ssl = 'auto' }}\n"
            "while true do\n"
            f"  a.INBOX:contain_subject('sortme'):move_messages(a['{TARGET}'])\n"
            "  a.INBOX:enter_idle()\nend\n")
        self.command = ["imapfilter", "-t", account.ca_file, "-c", self.folder / "watch.lua"]


class Notified(Watcher):
    programs = ("mbsync", "notmuch", "afew")

    def settings(self):
        self.label = f"{NOTIFIER if shutil.which(NOTIFIER) else 'IDLE'} + mbsync + notmuch + afew"
        account, folder = self.account, self.folder
        mail = folder / "mail"
        (mail / "INBOX").mkdir(parents=True)
        (folder / "afew").mkdir()
        (folder / "mbsyncrc").write_text(
            f"IMAPAccount a\nHost localhost\nPort {account.port}\nUser {account.user}\nPass {account.password}\n"
            f"SSLType IMAPS\nCertificateFile {account.ca_file}\nAuthMechs LOGIN\n\nIMAPStore far\nAccount a\n\n"
            f"MaildirStore near\nPath {mail}/\nInbox {mail}/INBOX\nSubFolders Verbatim\n\n"
            f"Channel c\nFar :far:\nNear :near:\nPatterns INBOX {TARGET}\nCreate Near\nExpunge Both\nSyncState *\n")
        (folder / "notmuchrc").write_text(
            f"[database]\npath={mail}\n[user]\nname=Ana\nprimary_email=ana@acme.example\n[new]\ntags=new\n"
            "ignore=.mbsyncstate;.uidvalidity\n[maildir]\nsynchronize_flags=false\n")
        (folder / "afew" / "config").write_text(
            "[global]\n[Filter.1]\nquery = subject:sortme\ntags = +news\nmessage = news\n[InboxFilter]\n"
            f"[MailMover]\nfolders = INBOX\nrename = True\nINBOX = 'tag:news':{TARGET}\n")
        self.environment = {"NOTMUCH_CONFIG": str(folder / "notmuchrc"), "HOME": str(folder),
                            "XDG_CONFIG_HOME": str(folder)}
        fetch = f"mbsync -q -c {folder}/mbsyncrc -a"
        script = folder / "sort"
        script.write_text(f"#!/bin/sh\n{fetch} && notmuch new --quiet && afew --tag --new --notmuch-config "
                          f"{folder}/notmuchrc && afew --move-mails --all --notmuch-config {folder}/notmuchrc && {fetch}\n")
        script.chmod(0o755)
        subprocess.run([str(script)], env={**os.environ, **self.environment}, capture_output=True)
        if shutil.which(NOTIFIER):
            (folder / "notify.json").write_text(json.dumps({
                "host": "localhost", "port": account.port, "tls": True, "username": account.user,
                "password": account.password, "tlsOptions": {"rejectUnauthorized": False}, "boxes": ["INBOX"],
                "onNewMail": str(script)}))
            self.command = [NOTIFIER, "-conf", folder / "notify.json"]
        else:
            self.command = [sys.executable, __file__, account.port, account.ca_file, account.user, account.password, script]


def idle(port, ca_file, user, password, script):
    """The notifier: waits in IDLE, and runs the script at each sign of new mail."""
    import imaplib
    import ssl
    client = imaplib.IMAP4_SSL("localhost", int(port), ssl_context=ssl.create_default_context(cafile=ca_file))
    client.login(user, password)
    client.select("INBOX", readonly=True)
    subprocess.run([script], capture_output=True)       # what came before it listened
    number, has_news = 0, False
    while True:
        number += 1
        client.send(b"I%d IDLE\r\n" % number)
        # What comes between DONE and the end is new mail too.
        while not has_news:
            has_news = b"EXISTS" in client.readline()
        client.send(b"DONE\r\n")
        has_news = False
        while not (line := client.readline()).startswith(b"I%d " % number):
            has_news = has_news or b"EXISTS" in line
        subprocess.run([script], capture_output=True)


def subjects(servers, user, count):
    """Each delivery by a client that stays connected."""
    client = servers.imap(user)
    try:
        for number in range(count):
            name = f"{user}-{time.monotonic_ns()}@bench.example"
            date = NEWEST.strftime("%a, %d %b %Y %H:%M:%S +0000")
            text = (f"From: Bob <bob@acme.example>\r\nTo: ana@acme.example\r\nSubject: sortme {number}\r\nDate: {date}\r\n"
                    f"Message-ID: <{name}>\r\n\r\nHello.\r\n")
            yield lambda: client.append("INBOX", None, None, text.encode())
    finally:
        client.logout()


class Sorted:
    """How many messages the server's Maildir has in the target, without asking the server."""

    def __init__(self, mailbox):
        self.folders = [mailbox.home / f".{TARGET}" / part for part in ("cur", "new")]
        self.known = set()

    def count(self):
        return sum(len(os.listdir(folder)) for folder in self.folders if folder.exists())

    def numbers(self):
        """The numbers of the messages that were not there at the last call."""
        found = []
        for folder in self.folders:
            for name in os.listdir(folder) if folder.exists() else ():
                key = name.partition(":")[0]
                if key in self.known:
                    continue
                try:
                    head = (folder / name).read_text()
                except OSError:
                    continue            # renamed meanwhile; it is found at the next call
                self.known.add(key)
                found.append(int(head.partition("sortme ")[2].split()[0]))
        return found

    def wait(self, count):
        end = time.monotonic() + PATIENCE
        while self.count() < count:
            if time.monotonic() > end:
                raise SystemExit(f"bench: {self.count()} of {count} messages are in {TARGET} after {PATIENCE} s")
            time.sleep(0.004)
        return time.monotonic()


def singly(servers, mailbox, sorted_mail, pauses):
    seconds, before = [], sorted_mail.count()
    for number, deliver in enumerate(subjects(servers, mailbox.user, SINGLE), 1):
        time.sleep(pauses.uniform(0.8, 2))
        deliver()
        start = time.monotonic()
        seconds.append(sorted_mail.wait(before + number) - start)
    return seconds


def loaded(servers, mailbox, sorted_mail, pauses):
    """By the number in each subject: a program may overlook one that comes while it works."""
    starts, ends = [], {}
    sorted_mail.numbers()

    def note():
        for number in sorted_mail.numbers():
            ends.setdefault(number, time.monotonic())

    for deliver in subjects(servers, mailbox.user, LOAD):
        due = time.monotonic() + pauses.expovariate(3)
        while time.monotonic() < due:
            note()
            time.sleep(0.004)
        deliver()
        starts.append(time.monotonic())
    end = time.monotonic() + OVERLOOKED
    while len(ends) < LOAD and time.monotonic() < end:
        note()
        time.sleep(0.004)
    return [max(0.0, ends[number] - start) for number, start in enumerate(starts) if number in ends]


def run(record, servers, size, folder, programs):
    """`programs`: labels and paths of opus. The mailbox of each has `size` messages before."""
    kinds = [(label, lambda *more, label=label, program=program: Opus(label, program, *more), ())
             for label, program in programs]
    kinds += [(kind.__name__, kind, kind.programs) for kind in (Imapfilter, Notified)]
    results = {LATENCY: {}, LOADED: {}}
    for number, (name, make, needed) in enumerate(kinds):
        if lacking := [program for program in needed if not shutil.which(program)]:
            print(f"  {name} is not measured: {', '.join(lacking)} is not installed")
            continue
        mailbox = Mailbox(servers, size, f"watch{number}")
        watcher = make(folder / f"watch-{number}", servers, mailbox)
        sorted_mail = Sorted(mailbox)
        watcher.start(record.log)
        try:
            # One that is not counted shows that it listens.
            for deliver in subjects(servers, mailbox.user, 1):
                deliver()
            sorted_mail.wait(1)
            time.sleep(2)
            results[LATENCY][watcher.label] = singly(servers, mailbox, sorted_mail, random.Random(13))
            results[LOADED][watcher.label] = loaded(servers, mailbox, sorted_mail, random.Random(14))
            print(f"  {watcher.label}: median {statistics.median(results[LATENCY][watcher.label]):.3f} s", flush=True)
        finally:
            watcher.stop()
        mailbox.remove()
    for title, rows in results.items():
        print(f"\n{title}, {size} messages before")
        for label, seconds in rows.items():
            row = {"group": title, "size": size, "label": label, "wall": statistics.median(seconds),
                   "p99": sorted(seconds)[int(len(seconds) * 0.99)], "slowest": max(seconds), "runs": len(seconds),
                   "missed": (SINGLE if title == LATENCY else LOAD) - len(seconds)}
            print(f"  {label:<42} median {row['wall']:.3f} s  p99 {row['p99']:.3f} s  longest {row['slowest']:.3f} s"
                  f"  ({row['runs']}, {row['missed']} overlooked)", flush=True)
            record.rows.append(row)


if __name__ == "__main__":
    idle(*sys.argv[1:])
