"""The programs that bench.py lets take turns. Each has a folder of its own and answers the same questions."""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import same

# 20 rules that between them look at senders, lists, subjects, bodies and attachments. (notmuch query, opus condition)
LETTERS = "daily-digest shopfront travelmail techweekly recipes bookclub financebrief gamesdeals localnews fitlife".split()
ROBOTS = "forge ci bank parcel calendar monitor".split()
RULES = (
    [(f"from:{name}.example", f"from: '@{name}.example'") for name in LETTERS + ROBOTS]
    + [('subject:invoice attachment:pdf', "all: [{ subject: invoice }, { has: pdf }]"),
       ('from:social.example -subject:week', "all: [{ from: '@social.example' }, { not: { subject: week } }]"),
       ('"is due by"', "body: 'is due by'"),
       ('to:dev@lists.example', "to: dev@lists.example")]
)


class Account:
    """Where the mail is: what every side's settings are made of."""

    def __init__(self, servers, user):
        self.user, self.password, self.ca_file, self.port = user, servers.password, servers.ca_file, servers.imaps_port


class Side:
    """What is measured of one program.

    `program` must be installed. `first` is the command of a first sync, `later` that of every other; `held` tells what
    the side then holds. `held`, `triage` and `search` are None where it has nothing alike.
    """

    label, program = "", None
    held = triage = search = None
    environment = {}

    def __init__(self, folder, account):
        self.folder, self.account = Path(folder), account
        self.folder.mkdir(parents=True)
        self.connect(account.port)

    def connect(self, port):
        """From now on the server is behind this port."""
        self.port = port
        self.settings()

    def settings(self):
        """Writes the configuration files."""

    def wipe(self):
        """As before the first sync."""

    def ready(self):
        """After a first sync, before later ones; not timed."""

    def put_away(self, *names):
        """Out of the way of the next first sync; removed at the end of the bench. Removing thousands of files right
        before a run would make that run's own files several times dearer, and not alike for every program."""
        attic = self.folder / "attic"
        attic.mkdir(exist_ok=True)
        for name in names:
            if (self.folder / name).exists():
                (self.folder / name).rename(attic / f"{name}-{len(list(attic.iterdir()))}")

    def output(self, *command):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True,
                              env=dict(os.environ, **self.environment))
        return done.stdout


class Limit(Side):
    """Nothing is kept, so there is nothing to be the same."""

    label = "raw limit"

    def settings(self):
        common = ["--port", self.port, "--ca", self.account.ca_file, "--user", self.account.user,
                  "--password", self.account.password]
        program = [sys.executable, Path(__file__).with_name("limits.py")]
        self.first = [*program, "fetch", *common]
        self.later = [*program, "changes", *common, "--state", self.folder / "state"]

    def wipe(self):
        self.put_away("state")

    def ready(self):
        if not (self.folder / "state").exists():
            self.output(*self.later)


class Mbsync(Side):
    label, program = "mbsync", "mbsync"

    def settings(self):
        self.mail = self.folder / "mail"
        self.mail.mkdir(exist_ok=True)
        # COMPRESS on loopback would only measure deflate; Dovecot without its zlib plugin does not offer it.
        (self.folder / "mbsyncrc").write_text(
            f"IMAPAccount a\nHost localhost\nPort {self.port}\nUser {self.account.user}\nPass {self.account.password}\n"
            f"SSLType IMAPS\nCertificateFile {self.account.ca_file}\nAuthMechs LOGIN\n\n"
            "IMAPStore far\nAccount a\n\n"
            f"MaildirStore near\nInbox {self.mail}\nSubFolders Maildir++\n\n"
            "Channel c\nFar :far:\nNear :near:\nPatterns *\nCreate Near\nSync Pull\nSyncState *\n")
        self.first = self.later = ["mbsync", "-q", "-c", self.folder / "mbsyncrc", "-a"]

    def wipe(self):
        self.put_away("mail")
        self.mail.mkdir()

    def held(self):
        return same.in_maildirs(self.mail)


class Indexed(Mbsync):
    """mbsync, and then a program that indexes the Maildir: it must know the messages by their ids too."""

    def held(self):
        held = super().held()
        indexed = self.indexed()
        return {key: held.get(key, "only in the index") for key in indexed}


class MbsyncNotmuch(Indexed):
    label, program = "mbsync + notmuch new", "notmuch"

    def settings(self):
        super().settings()
        (self.folder / "notmuchrc").write_text(
            f"[database]\npath={self.mail}\n[user]\nname=Ana\nprimary_email=ana@acme.example\n"
            "[new]\ntags=new\nignore=.mbsyncstate;.uidvalidity\n[maildir]\nsynchronize_flags=true\n")
        self.environment = {"NOTMUCH_CONFIG": str(self.folder / "notmuchrc")}
        self.first = self.later = ["sh", "-c", f"mbsync -q -c {self.folder}/mbsyncrc -a && notmuch new --quiet"]
        (self.folder / "rules").write_text("".join(f"folder:\"\" and ({query})\n" for query, _ in RULES))
        self.triage = ["sh", "-c", f"notmuch count --batch <{self.folder}/rules"]

    def search(self, query):
        return ["notmuch", "search", "--limit=50", *query.split()]

    def indexed(self):
        return [line.removeprefix("id:") for line in self.output("notmuch", "search", "--output=messages", "*").splitlines()]


class MbsyncMu(Indexed):
    label, program = "mbsync + mu index", "mu"

    def settings(self):
        super().settings()
        home = f"--muhome={self.folder}/mu"
        fetch, index = f"mbsync -q -c {self.folder}/mbsyncrc -a", f"mu index --quiet {home}"
        self.first = ["sh", "-c", f"{fetch} && mu init --quiet {home} --maildir={self.mail} && {index}"]
        self.later = ["sh", "-c", f"{fetch} && {index}"]

    def wipe(self):
        super().wipe()
        self.put_away("mu")

    def indexed(self):
        return self.output("mu", "find", f"--muhome={self.folder}/mu", "--fields", "i", "").splitlines()


class Offlineimap(Side):
    label, program = "offlineimap", "offlineimap"

    def settings(self):
        self.mail = self.folder / "mail"
        (self.folder / "offlineimaprc").write_text(
            f"[general]\naccounts = a\nmetadata = {self.folder}/metadata\n\n"
            "[Account a]\nlocalrepository = near\nremoterepository = far\n\n"
            f"[Repository near]\ntype = Maildir\nlocalfolders = {self.mail}\n\n"
            "[Repository far]\ntype = IMAP\nreadonly = True\nremotehost = localhost\n"
            f"remoteport = {self.port}\nremoteuser = {self.account.user}\nremotepass = {self.account.password}\n"
            f"ssl = yes\nstarttls = no\nsslcacertfile = {self.account.ca_file}\n")
        self.first = self.later = ["offlineimap", "-c", self.folder / "offlineimaprc", "-o", "-u", "quiet"]
        self.environment = {"HOME": str(self.folder)}

    def wipe(self):
        self.put_away("mail", "metadata")

    def held(self):
        return same.in_maildirs(self.mail)


class Opus(Side):
    def __init__(self, program, folder, account, label="opus"):
        self.program, self.label = Path(program).resolve(), label
        super().__init__(folder, account)

    def settings(self):
        for name in ("rules", "tasks"):
            (self.folder / name).mkdir(exist_ok=True)
        (self.folder / "opus.yaml").write_text(
            "config-version: 1\nme: { name: Ana Ruiz, addresses: [ana@acme.example] }\ntime-zone: Europe/Paris\n"
            "accounts:\n  - name: bench\n    address: ana@acme.example\n"
            f"    imap: {{ host: localhost, port: {self.port}, security: tls, ca-file: {self.account.ca_file} }}\n"
            f"    login: {{ user: {self.account.user}, password-command: [echo, {self.account.password}] }}\n")
        (self.folder / "rules" / "bench.yaml").write_text("rules-version: 1\nname: bench\nrules:\n" + "".join(
            f"  - id: rule-{number}\n    when: {{ {condition} }}\n    then:\n      - label: rule-{number}\n"
            for number, (_, condition) in enumerate(RULES, 1)))
        self.first = self.later = self.command("sync")
        self.triage = self.command("triage", "--dry-run", "--max", "none")

    def command(self, *words):
        return [self.program, "--workspace", self.folder, *words]

    def wipe(self):
        self.put_away(".opus")

    def search(self, query):
        return self.command("search", "--limit", "50", query)

    def held(self):
        items = json.loads(self.output(*self.command("list", "--all", "--json")))["items"]
        return {item.get("messageID", f"no Message-ID: {item['id']}"):
                same.Marks(item["size"], "seen" in item["flags"], "flagged" in item["flags"]) for item in items}

    def lists(self, message_id, query):
        """Can this message be listed now? During the first sync there may be no store yet."""
        done = subprocess.run(list(map(str, self.command("list", "--json", query))), capture_output=True)
        return done.returncode == 0 and message_id.encode() in done.stdout


#: What an earlier opus is called in the rows.
BEFORE = "opus before"


def programs(now, before):
    """[(label, program)] of the opus that is measured and the earlier one, as far as they are given."""
    return [(label, program) for label, program in (("opus", now), (BEFORE, before)) if program]


def make(now, before, folder, account, kinds=(MbsyncNotmuch, MbsyncMu, Offlineimap)):
    """opus, now and before, mbsync, those of `kinds` and the raw limit."""
    sides = [Opus(program, folder / label.replace(" ", "-"), account, label) for label, program in programs(now, before)]
    for kind in (Mbsync, *kinds, Limit):
        if kind.program and not shutil.which(kind.program):
            print(f"  {kind.label} is not measured: {kind.program} is not installed")
        else:
            sides.append(kind(folder / kind.__name__, account))
    return sides
