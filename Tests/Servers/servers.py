#!/usr/bin/env python3
"""A private Dovecot (IMAP) and Postfix (submission) on 127.0.0.1, for tests. Nothing is ever relayed.

    with MailServers() as s:                     # ports found free, state in a temporary folder
        s.add_user("ana")                        # any user, password PASSWORD
        s.fill("ana", "some/folder/of/eml")      # or a list of bytes
        s.imap("ana").select("INBOX")            # imaplib over TLS
        s.captured(at_least=1)                   # what was submitted over SMTP

    servers.py start DIR [--user NAME[=FOLDER]]...    start and leave running; prints the settings
    servers.py env DIR | servers.py stop DIR

As root both servers run; as another user only Dovecot does (`has_smtp` is False). Each is stopped by its own
pid file. A system's own mail servers, their files and their ports are never touched.
"""
import argparse
import base64
import email
import email.utils
import grp
import hmac
import imaplib
import json
import os
import pwd
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))
import configuration  # noqa: E402
from certificates import Authority  # noqa: E402
from fake import FakeServer  # noqa: E402,F401  (part of this module's interface)

# No word that could stand anywhere by chance: tests look for it in every output and file.
PASSWORD = "Canary-Kv7-Xylem"
MAIL_UID = 5000
TOKEN_KEY = b"the-tests-own-key-of-32-bytes-ab"
FLAG_LETTERS = {"S": r"\Seen", "F": r"\Flagged", "R": r"\Answered", "D": r"\Draft", "T": r"\Deleted"}


class IMAPAccess:
    """Access to a server with imaplib over TLS, to add and check mail."""

    password = PASSWORD
    host = "localhost"

    @classmethod
    def missing(cls):
        """Why this server cannot run here; None when it can."""
        return None

    def fill(self, user, messages, mailbox="INBOX"):
        """APPENDs .eml files (a folder, in name order, flags from `name.SF.eml`) or a list of bytes."""
        client = self.imap(user)
        if mailbox != "INBOX":
            client.create(mailbox)
        for flags, message in _messages(messages):
            status, answer = client.append(mailbox, flags, _internal_date(message), crlf(message))
            if status != "OK":
                raise RuntimeError(f"APPEND to {mailbox} of {user}: {answer}")
        client.logout()

    def imap(self, user, password=PASSWORD):
        context = ssl.create_default_context(cafile=self.ca_file)
        client = imaplib.IMAP4_SSL(self.host, self.imaps_port, ssl_context=context, timeout=60)
        client.login(user, password)
        return client

    def contents(self, user, mailbox="INBOX"):
        """Every message of a mailbox, by UID: what a test compares."""
        client = self.imap(user)
        rows = []
        if client.select(f'"{mailbox}"', readonly=True)[0] == "OK":
            _, data = client.uid("FETCH", "1:*", "(UID FLAGS BODY.PEEK[HEADER.FIELDS (MESSAGE-ID SUBJECT)])")
            for item in data:
                if isinstance(item, tuple):
                    flags = re.search(rb"FLAGS \(([^)]*)\)", item[0])[1].decode().split()
                    # raw_items: a subject in bare UTF-8 would else come back with its bytes replaced.
                    header = {name.lower(): value for name, value in email.message_from_bytes(item[1]).raw_items()}
                    rows.append(Held(int(re.search(rb"UID (\d+)", item[0])[1]), frozenset(flags) - {r"\Recent"},
                                     header.get("message-id", "").strip(), header.get("subject", "")))
        client.logout()
        return rows


class MailServers(IMAPAccess):
    """One Dovecot and, where we are root, one Postfix, with their certificates."""

    def __init__(self, folder=None, smtp=None, capability=None, mechanisms="plain login", stored=None,
                 more=""):
        self._own_folder = folder is None
        self.folder = Path(folder or tempfile.mkdtemp(prefix="opus-mail-")).resolve()
        if len(str(self.folder)) > 60:
            raise ValueError(f"{self.folder}: too long a path for the servers' sockets; use a folder in /tmp")
        self.has_smtp = (os.geteuid() == 0) if smtp is None else smtp
        self._capability = capability
        self._mechanisms = mechanisms
        # Lines for the end of Dovecot's configuration.
        self._more = more
        # How Dovecot holds the password: from a hash of its own kind it can check PLAIN and LOGIN only.
        self._stored = stored or PASSWORD
        self.ports = {}
        self._receivers = {}

    # Life

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.stop()
            raise

    def __exit__(self, *_):
        self.stop()

    def start(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o755)
        self.mail_folder = self.folder / "mail"
        self.mail_folder.mkdir(exist_ok=True)
        self._own(self.mail_folder)
        self.authority = Authority(self.folder / "ca", "test authority")
        self.untrusted = Authority(self.folder / "other-ca", "an authority nobody asked")
        self.certificate = self.authority.issue("server")
        for attempt in range(3):
            self.ports = dict(zip(("imap", "imaps", "submission", "smtps"), free_ports(4)))
            try:
                self._start_dovecot()
                if self.has_smtp:
                    self._start_postfix()
                break
            except PortTaken:
                self._stop_daemons()
                if attempt == 2:
                    raise
        self.state_file.write_text(json.dumps({"ports": self.ports, "smtp": self.has_smtp}))
        return self

    def attach(self):
        """Takes over servers that `servers.py start` left running in this folder."""
        state = json.loads(self.state_file.read_text())
        self.ports, self.has_smtp = state["ports"], state["smtp"]
        self.mail_folder = self.folder / "mail"
        self.authority = Authority(self.folder / "ca", "")
        self.untrusted = Authority(self.folder / "other-ca", "")
        return self

    def stop(self):
        self._stop_daemons()
        if self._own_folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def pause(self):
        """The IMAP server is gone, with all its connections, until `resume()`."""
        stop_by_pid_file(self.folder / "dovecot" / "run" / "master.pid", expected="dovecot")

    def resume(self):
        self._start_dovecot()

    # Settings

    imap_port = property(lambda self: self.ports["imap"], doc="STARTTLS")
    imaps_port = property(lambda self: self.ports["imaps"], doc="TLS from the first byte")
    submission_port = property(lambda self: self.ports["submission"], doc="STARTTLS, then AUTH")
    smtps_port = property(lambda self: self.ports["smtps"], doc="TLS from the first byte")
    ca_file = property(lambda self: str(self.authority.ca_file))
    other_ca_file = property(lambda self: str(self.untrusted.ca_file), doc="a good CA that signed nothing here")
    state_file = property(lambda self: self.folder / "state.json")
    rawlog = property(lambda self: self.folder / "dovecot" / "rawlog", doc="a file a session, of what was said in it")
    dovecot_log = property(lambda self: self.folder / "dovecot" / "log")
    postfix_log = property(lambda self: self.folder / "postfix" / "log")

    def environment(self):
        values = {"IMAP_HOST": self.host, "IMAP_PORT": self.imap_port, "IMAPS_PORT": self.imaps_port,
                  "CA_FILE": self.ca_file, "OTHER_CA_FILE": self.other_ca_file, "PASSWORD": PASSWORD}
        if self.has_smtp:
            values |= {"SUBMISSION_PORT": self.submission_port, "SMTPS_PORT": self.smtps_port}
        return {key: str(value) for key, value in values.items()}

    # Users and mail

    def add_user(self, name, receives=False):
        """A new, empty mailbox. With `receives`, mail submitted to NAME@example.test and NAME@acme.example
        goes into its INBOX; all other mail goes to the user "capture"."""
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name):
            raise ValueError(f"{name!r} is not a user name")
        for folder in (self.mail_folder / name, *(self.mail_folder / name / part for part in ("cur", "new", "tmp"))):
            folder.mkdir(exist_ok=True)
            self._own(folder)
        if receives and self.has_smtp:
            self._receivers[name] = f"{name}/"
            self._write_receivers()
            self._postfix("reload")
        return self.mail_folder / name

    def remove_user(self, name):
        shutil.rmtree(self.mail_folder / name)

    def captured(self, at_least=0, user="capture", timeout=15):
        """Messages that Postfix delivered, oldest first; waits until there are `at_least` so many."""
        end = time.monotonic() + timeout
        while True:
            files = [f for part in ("new", "cur") for f in (self.mail_folder / user / part).glob("*")]
            if len(files) >= at_least or time.monotonic() > end:
                files.sort(key=lambda f: (f.stat().st_mtime_ns, f.name))
                return [email.message_from_bytes(f.read_bytes()) for f in files]
            time.sleep(0.05)

    def token(self, user, seconds=3600, key=None):
        """An access token for a user, signed with HS256. RFC 7519."""
        def part(value):
            return base64.urlsafe_b64encode(value).rstrip(b"=")
        now = int(time.time())
        claims = {"sub": user, "iat": now - 60, "nbf": now - 60, "exp": now + seconds}
        text = b".".join(part(json.dumps(value).encode()) for value in ({"alg": "HS256", "typ": "JWT"}, claims))
        return (text + b"." + part(hmac.new(key or TOKEN_KEY, text, "sha256").digest())).decode()

    def doveadm(self, *arguments):
        done = subprocess.run(["doveadm", "-c", self.folder / "dovecot" / "dovecot.conf", *arguments],
                              capture_output=True, text=True, timeout=60)
        if done.returncode:
            raise RuntimeError(f"doveadm {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    # Inside

    def _own(self, path):
        if os.geteuid() == 0:
            os.chown(path, MAIL_UID, MAIL_UID)

    def _start_dovecot(self):
        folder = self.folder / "dovecot"
        folder.mkdir(exist_ok=True)
        self.rawlog.mkdir(exist_ok=True)
        self._own(self.rawlog)
        account = pwd.getpwuid(os.geteuid())
        text = configuration.dovecot(
            folder, self.mail_folder, self.ports, self.certificate, self._stored, capability=self._capability,
            mechanisms=self._mechanisms,
            uid=MAIL_UID if account.pw_uid == 0 else account.pw_uid,
            rootless=None if account.pw_uid == 0 else (account.pw_name, grp.getgrgid(account.pw_gid).gr_name))
        (folder / "dovecot.conf").write_text(text + self._more)
        (folder / "oauth2.conf").write_text(configuration.oauth2(folder))
        keys = folder / "keys" / "default" / "HS256"
        keys.mkdir(parents=True, exist_ok=True)
        (keys / "default").write_bytes(base64.b64encode(TOKEN_KEY))
        _run([program("dovecot"), "-c", folder / "dovecot.conf"], self.dovecot_log)
        wait_for(self.ports["imap"], self.dovecot_log)
        wait_for(self.ports["imaps"], self.dovecot_log)

    def _start_postfix(self):
        folder = self.folder / "postfix"
        for part in ("conf", "queue", "data"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        shutil.chown(folder / "data", "postfix")
        self._write_receivers()
        (folder / "conf" / "refusals").write_text(configuration.REFUSALS)
        (folder / "conf" / "main.cf").write_text(
            configuration.postfix_main(folder, self.mail_folder, self.folder, self.certificate, MAIL_UID))
        (folder / "conf" / "master.cf").write_text(configuration.postfix_master(self.ports))
        self._postfix("start")
        wait_for(self.ports["submission"], self.postfix_log)
        wait_for(self.ports["smtps"], self.postfix_log)

    def _write_receivers(self):
        lines = [f"{name}@{domain} {place}\n" for name, place in self._receivers.items()
                 for domain in ("example.test", "acme.example")]
        (self.folder / "postfix" / "conf" / "receivers").write_text("".join(lines))

    def _postfix(self, verb):
        _run([program("postfix"), "-c", self.folder / "postfix" / "conf", verb], self.postfix_log)

    def _stop_daemons(self):
        stop_by_pid_file(self.folder / "postfix" / "queue" / "pid" / "master.pid", expected="master")
        stop_by_pid_file(self.folder / "dovecot" / "run" / "master.pid", expected="dovecot")


class Held(NamedTuple):
    """A message as the server holds it. The subject is not decoded; foreign bytes are surrogates."""

    uid: int
    flags: frozenset
    message_id: str
    subject: str


class PortTaken(RuntimeError):
    """A server did not start, most often because another process took its port in the meantime."""


def program(name):
    """The path of a server program; /usr/sbin may be missing from PATH."""
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin:/usr/local/sbin")
    if not path:
        raise RuntimeError(f"{name} is not installed; run .ci/packages test")
    return path


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def stop_by_pid_file(path, expected):
    """TERM, then wait, then KILL: only the process that the file names, and only if it still is that program."""
    try:
        pid = int(path.read_text())
        if Path(f"/proc/{pid}/comm").read_text().strip() != expected:
            return
        os.kill(pid, signal.SIGTERM)
    except (FileNotFoundError, ProcessLookupError, ValueError):
        return
    for _ in range(200):
        if not _is_alive(pid):
            return
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)


def _is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_for(port, log):
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise PortTaken(f"no answer on port {port}:\n{tail(log)}")


def _run(command, log):
    # Output goes to a file: a daemon keeps its descriptors, and a pipe would never end.
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                              timeout=60)
        output.seek(0)
        if done.returncode:
            text = output.read().decode(errors="replace")
            raise PortTaken(f"{Path(command[0]).name} exited with {done.returncode}: {text}{tail(log)}")


def tail(log):
    return "\n".join(log.read_text(errors="replace").splitlines()[-15:]) if log.exists() else ""


def _messages(source):
    if isinstance(source, (str, Path)):
        for path in sorted(Path(source).glob("*.eml")):
            letters = path.name.split(".")[1:-1]
            flags = [FLAG_LETTERS[letter] for letter in (letters[0] if letters else "")]
            yield f"({' '.join(flags)})" if flags else None, path.read_bytes()
    else:
        for message in source:
            yield None, message


def _internal_date(message):
    header = email.message_from_bytes(message.partition(b"\n\n")[0].partition(b"\r\n\r\n")[0] + b"\n\n")["Date"]
    try:
        return imaplib.Time2Internaldate(email.utils.parsedate_to_datetime(str(header)))
    except (TypeError, ValueError):
        return None


def crlf(message):
    return re.sub(rb"\r?\n", b"\r\n", message)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=["start", "stop", "env"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--user", action="append", default=[], metavar="NAME[=FOLDER]")
    options = parser.parse_args()
    servers = MailServers(options.folder)
    if options.verb == "stop":
        return servers.stop()
    if options.verb == "start":
        servers.start()
        for user in options.user:
            name, _, folder = user.partition("=")
            servers.add_user(name, receives=True)
            if folder:
                servers.fill(name, folder)
    else:
        servers.attach()
    for key, value in servers.environment().items():
        print(f"{key}={value}")


if __name__ == "__main__":
    main()
