"""A private Exim on 127.0.0.1 that takes mail with AUTH PLAIN, and delivers all of it into one Maildir.

    with Exim() as s:
        s.captured()                               # what was submitted, oldest first

Nothing is ever relayed: there is one router, and it writes into a folder. Exim's paths and the name of its user are
compiled in, so it runs in a root folder of its own.
"""
import email
import os

from servers import MAIL_UID, PASSWORD, wait_for
from unpacked import UnpackedServer

CONFIGURATION = f"""\
primary_hostname = localhost
local_interfaces = 127.0.0.1
daemon_smtp_ports = PORT
exim_user = Debian-exim
exim_group = Debian-exim
never_users =
log_file_path = /var/log/exim4/%slog
acl_smtp_rcpt = taken
acl_smtp_data = accepted
queue_run_max = 0
tls_advertise_hosts =
auth_advertise_hosts = *
host_lookup =
rfc1413_hosts =
smtp_accept_max_per_connection = 100000
begin acl
taken:
  accept authenticated = *
  deny
accepted:
  accept
begin routers
all:
  driver = accept
  transport = folder
begin transports
folder:
  driver = appendfile
  directory = /mail/capture
  maildir_format
  create_directory
  user = mail
  group = mail
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = ${{if eq{{$auth3}}{{{PASSWORD}}}}}
  server_set_id = $auth2
"""


class Exim(UnpackedServer):
    name = "exim"
    program = "usr/sbin/exim4"

    port = property(lambda self: self.ports["imap"], doc="in clear, with AUTH PLAIN")

    def captured(self):
        """Messages that were delivered, oldest first."""
        folder = self._root / "mail" / "capture"
        files = [path for part in ("new", "cur") for path in (folder / part).glob("*")]
        files.sort(key=lambda path: (path.stat().st_mtime_ns, path.name))
        return [email.message_from_bytes(path.read_bytes()) for path in files]

    # Inside

    def _lay_out(self):
        for part in ("etc/exim4", "var/spool/exim4", "var/log/exim4", "tmp", "mail/capture", "dev", "proc", "run"):
            (self._root / part).mkdir(parents=True)
        self._bring(self.program)
        (self._root / "usr/sbin/exim4").chmod(0o4755)
        (self._root / "etc/passwd").write_text(
            f"root:x:0:0::/:/bin/false\nDebian-exim:x:{MAIL_UID}:{MAIL_UID}::/var/spool/exim4:/bin/false\n"
            f"mail:x:{MAIL_UID}:{MAIL_UID}::/mail:/bin/false\n")
        (self._root / "etc/group").write_text(f"root:x:0:\nDebian-exim:x:{MAIL_UID}:\nmail:x:{MAIL_UID}:\n")
        (self._root / "etc/localtime").write_bytes(b"")
        (self._root / "dev/null").touch(0o666)
        for path in [self._root / "var/spool/exim4", self._root / "var/log/exim4", self._root / "mail",
                     self._root / "mail/capture"]:
            os.chown(path, MAIL_UID, MAIL_UID)

    def _run(self):
        settings = self._root / "etc/exim4/exim4.conf"
        settings.write_text(CONFIGURATION.replace("PORT", str(self.ports["imap"])))
        settings.chmod(0o644)
        self._spawn(["chroot", self._root, "/usr/sbin/exim4", "-bdf", "-oP", "/run/exim.pid"])
        wait_for(self.ports["imap"], self.log)
