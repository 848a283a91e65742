"""A private Courier IMAP on 127.0.0.1, for tests.

    with Courier() as s:
        s.add_user("ana")                          # INBOX, INBOX.Archive, … in a Maildir++
        s.imap("ana").select("INBOX")

    Courier(capability="IMAP4rev1 NAMESPACE")      # announces less
    Courier(keywords=False)                        # no words beside the five flags
    Courier(expunge_to_trash=True)                 # what is expunged turns up in INBOX.Trash

Courier's paths are compiled in, so its programs run in a root folder of their own, with the libraries they use.
Its file monitor (gam_server) leaves the listener's group: it is known by that folder, and ended with the rest.
"""
import os
import signal
import subprocess
import time
from pathlib import Path

from servers import MAIL_UID, PASSWORD, wait_for
from unpacked import UnpackedServer

DEBIANS_OWN = "IMAP4rev1 UIDPLUS CHILDREN NAMESPACE THREAD=ORDEREDSUBJECT THREAD=REFERENCES SORT QUOTA IDLE"
MAILBOXES = ("Archive", "Drafts", "Junk", "Sent", "Trash")
PROGRAMS = ("usr/sbin/couriertcpd", "usr/bin/couriertls", "usr/lib/courier/courier/imaplogin", "usr/bin/imapd",
            "usr/lib/courier/courier-authlib/authdaemond", "usr/lib/courier/courier-authlib/makedatprog",
            "usr/lib/courier-authlib/libauthuserdb.so.0", "usr/libexec/gam_server")


class Courier(UnpackedServer):
    name = "courier"
    #: What the names of mailboxes begin with, and the hierarchy's delimiter.
    names = ("INBOX.", ".")
    program = "usr/bin/imapd"

    def __init__(self, capability=DEBIANS_OWN, keywords=True, expunge_to_trash=False):
        super().__init__()
        self._capability, self._keywords, self._expunge_to_trash = capability, keywords, expunge_to_trash
        self._users = {}

    def add_user(self, name):
        """A user with an empty INBOX and the usual mailboxes; returns the Maildir."""
        maildir = self._root / "mail" / name
        for base in (maildir, *(maildir / f".{mailbox}" for mailbox in MAILBOXES)):
            for part in ("cur", "new", "tmp"):
                (base / part).mkdir(parents=True)
        (maildir / "courierimapsubscribed").write_text("".join(f"INBOX.{mailbox}\n" for mailbox in MAILBOXES))
        for path in (maildir, *maildir.rglob("*")):
            os.chown(path, MAIL_UID, MAIL_UID)
        self._users[name] = f"uid={MAIL_UID}|gid={MAIL_UID}|home=/mail/{name}|mail=/mail/{name}"
        self._write_users()
        return maildir

    # Inside

    def _environment(self):
        return {**super()._environment(), **self._settings()}

    def _lay_out(self):
        for part in ("etc/courier/shared", "run/courier/authdaemon", "tmp", "mail", "dev", "proc"):
            (self._root / part).mkdir(parents=True)
        for program in PROGRAMS:
            self._bring(program)
        # A name of its own, because the file monitor's socket is found by it, through any root folder.
        owner = self.folder.name.replace("_", "-").lower()
        # "courier" is who couriertls becomes.
        (self._root / "etc/passwd").write_text(
            "".join(f"{name}:x:{MAIL_UID}:{MAIL_UID}::/mail:/bin/false\n" for name in (owner, "courier")))
        (self._root / "etc/group").write_text(f"{owner}:x:{MAIL_UID}:\n")
        (self._root / "etc/courier/authdaemonrc").write_text(
            'authmodulelist="authuserdb"\nauthmodulelistorig="authuserdb"\ndaemons=2\n'
            'authdaemonvar=/run/courier/authdaemon\nDEBUG_LOGIN=0\nDEFAULTOPTIONS=""\n')
        (self._root / "etc/courier/shared/index").touch()
        (self._root / "dev/null").touch(0o666)  # a plain file will do: it is read, and little is written to it
        # couriertls takes certificate and key from one file.
        (self._root / "etc/courier/imapd.pem").write_bytes(
            b"".join(Path(part).read_bytes() for part in (self.certificate[1], self.certificate[0])))
        os.chown(self._root / "etc/courier/imapd.pem", MAIL_UID, MAIL_UID)
        self._write_users()

    def _write_users(self):
        """The user database, and beside it the one of the passwords' hashes."""
        word = subprocess.run(["openssl", "passwd", "-6", PASSWORD], capture_output=True, text=True, check=True,
                              timeout=30).stdout.strip()
        for name, rows in (("userdb", self._users), ("userdbshadow", dict.fromkeys(self._users, f"systempw={word}"))):
            path = f"/etc/courier/{name}"
            subprocess.run(["chroot", self._root, "/usr/lib/courier/courier-authlib/makedatprog", "-", f"{path}.tmp",
                            f"{path}.dat"], check=True, timeout=30, text=True, env=self._environment(),
                           input="".join(f"{user}\t{fields}\n" for user, fields in rows.items()) + ".\n")

    def _end(self):
        super()._end()
        for root in Path("/proc").glob("[0-9]*/root"):
            try:
                if root.readlink() == self._root:
                    os.kill(int(root.parent.name), signal.SIGTERM)
            except (FileNotFoundError, ProcessLookupError):
                pass  # it has ended by itself

    def _run(self):
        self._spawn(["chroot", self._root, "/usr/lib/courier/courier-authlib/authdaemond"])
        for _ in range(200):
            if (self._root / "run/courier/authdaemon/socket").exists():
                break
            time.sleep(0.02)
        login = ["/usr/lib/courier/courier/imaplogin", "/usr/bin/imapd", "."]
        listener = ["chroot", self._root, "/usr/sbin/couriertcpd", "-address=127.0.0.1", "-maxprocs=200",
                    "-maxperip=200", "-nodnslookup", "-noidentlookup"]
        self._spawn([*listener, self.ports["imap"], *login])
        self._spawn([*listener, self.ports["imaps"], "/usr/bin/couriertls", "-server", "-tcpd", *login],
                    more={"IMAP_TLS": "1", "IMAP_STARTTLS": "NO"})
        wait_for(self.ports["imap"], self.log)
        wait_for(self.ports["imaps"], self.log)

    def _settings(self):
        return {
            "IMAP_CAPABILITY": self._capability, "IMAP_CAPABILITY_TLS": f"{self._capability} AUTH=PLAIN",
            "IMAP_KEYWORDS": str(int(self._keywords)), "IMAP_ACL": "1", "IMAP_STARTTLS": "YES",
            "IMAP_TLS_REQUIRED": "0", "IMAP_USELOCKS": "1", "IMAP_ENHANCEDIDLE": "0",
            "IMAP_CHECK_ALL_FOLDERS": "0", "IMAP_UMASK": "022", "IMAP_IDLE_TIMEOUT": "1", "IMAP_MAILBOX_SANITY_CHECK": "0", "IMAP_TRASHFOLDERNAME": "Trash",
            "IMAP_MOVE_EXPUNGE_TO_TRASH": str(int(self._expunge_to_trash)),
            "IMAP_SHAREDINDEXFILE": "/etc/courier/shared/index",
            "COURIERTLS": "/usr/bin/couriertls", "TLS_CERTFILE": "/etc/courier/imapd.pem", "TLS_VERIFYPEER": "NONE",
            "TLS_PROTOCOL": "TLSv1.2++", "MAILDIRPATH": ".",
        }
