"""The programs that bench.py lets take turns. Each has a folder of its own and answers the same questions."""
import os
import subprocess
from pathlib import Path

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


class Side:
    """What is measured of one program; `triage` and `search` are None where it has nothing alike."""

    label = ""
    triage = search = None
    environment = {}

    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True)

    def put_away(self, path):
        """Out of the way of the next first sync; removed at the end of the bench. Removing thousands of files right
        before a run would make that run's own files several times dearer, and not alike for every program."""
        if path.exists():
            attic = self.folder / "attic"
            attic.mkdir(exist_ok=True)
            path.rename(attic / f"{path.name}-{len(list(attic.iterdir()))}")

    def output(self, *command):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True,
                              env=dict(os.environ, **self.environment))
        return done.stdout


class Mbsync(Side):
    label = "mbsync"

    def __init__(self, folder, servers, user):
        super().__init__(folder)
        self.mail = self.folder / "mail"
        # COMPRESS on loopback would only measure deflate; Dovecot without its zlib plugin does not offer it.
        (self.folder / "mbsyncrc").write_text(
            f"IMAPAccount a\nHost localhost\nPort {servers.imaps_port}\nUser {user}\nPass {servers.password}\n"
            f"SSLType IMAPS\nCertificateFile {servers.ca_file}\nAuthMechs LOGIN\n\n"
            "IMAPStore far\nAccount a\n\n"
            f"MaildirStore near\nInbox {self.mail}\nSubFolders Maildir++\n\n"
            "Channel c\nFar :far:\nNear :near:\nPatterns *\nCreate Near\nSync Pull\nSyncState *\n")
        self.sync = ["mbsync", "-q", "-c", self.folder / "mbsyncrc", "-a"]
        self.wipe()

    def wipe(self):
        self.put_away(self.mail)
        self.mail.mkdir()

    def count(self):
        return sum(1 for part in ("cur", "new") for folder in (self.mail, *self.mail.glob(".[!.]*"))
                   if (folder / part).is_dir() for _ in (folder / part).iterdir())


class MbsyncNotmuch(Mbsync):
    label = "mbsync + notmuch new"

    def __init__(self, folder, servers, user):
        super().__init__(folder, servers, user)
        (self.folder / "notmuchrc").write_text(
            f"[database]\npath={self.mail}\n[user]\nname=Ana\nprimary_email=ana@acme.example\n"
            "[new]\ntags=new\nignore=.mbsyncstate;.uidvalidity\n[maildir]\nsynchronize_flags=false\n")
        self.environment = {"NOTMUCH_CONFIG": str(self.folder / "notmuchrc")}
        self.sync = ["sh", "-c", f"mbsync -q -c {self.folder}/mbsyncrc -a && notmuch new --quiet"]
        (self.folder / "rules").write_text("".join(f"folder:\"\" and ({query})\n" for query, _ in RULES))
        self.triage = ["sh", "-c", f"notmuch count --batch <{self.folder}/rules"]

    def search(self, query):
        return ["notmuch", "search", "--limit=50", *query.split()]

    def count(self):
        indexed = int(self.output("notmuch", "count", "*"))
        return indexed if indexed == super().count() else -1


class Opus(Side):
    label = "opus"

    def __init__(self, folder, program, servers, user):
        super().__init__(folder)
        self.program = Path(program).resolve()
        (self.folder / "rules").mkdir()
        (self.folder / "tasks").mkdir()
        (self.folder / "opus.yaml").write_text(
            "config-version: 1\nme: { name: Ana Ruiz, addresses: [ana@acme.example] }\ntime-zone: Europe/Paris\n"
            "accounts:\n  - name: bench\n    address: ana@acme.example\n"
            f"    imap: {{ host: localhost, port: {servers.imaps_port}, security: tls, ca-file: {servers.ca_file} }}\n"
            f"    login: {{ user: {user}, password-command: [echo, {servers.password}] }}\n")
        (self.folder / "rules" / "bench.yaml").write_text("rules-version: 1\nname: bench\nrules:\n" + "".join(
            f"  - id: rule-{number}\n    when: {{ {condition} }}\n    then:\n      - label: rule-{number}\n"
            for number, (_, condition) in enumerate(RULES, 1)))
        self.sync = [self.program, "--workspace", self.folder, "sync"]
        self.triage = [self.program, "--workspace", self.folder, "triage", "--dry-run", "--max", "none"]

    def wipe(self):
        self.put_away(self.folder / ".opus")

    def search(self, query):
        return [self.program, "--workspace", self.folder, "search", "--limit", "50", query]

    def count(self):
        # Piped, a list is one line a message.
        return len(self.output(self.program, "--workspace", self.folder, "list", "--all").splitlines())


def make(program, folder, servers, user):
    sides = [Mbsync(folder / "mbsync", servers, user), MbsyncNotmuch(folder / "notmuch", servers, user)]
    return [Opus(folder / "opus", program, servers, user), *sides] if program else sides
