"""A private Cyrus IMAP on 127.0.0.1, for tests.

    with Cyrus() as s:
        s.add_user("ana")                          # INBOX, Archive, Drafts, Junk, Sent and Trash
        s.imap("ana").select("INBOX")

    Cyrus(suppress="QRESYNC CONDSTORE")            # a server that announces less
    Cyrus(old_names=True)                          # INBOX.Archive, as every Cyrus named mailboxes before 3.0
"""
import grp
import pwd
import shutil
import subprocess

from servers import PASSWORD, wait_for
from unpacked import UnpackedServer

USER = "nobody"  # of those that every machine has, the one without rights
MAILBOXES = ("Archive", "Drafts", "Junk", "Sent", "Trash")


class Cyrus(UnpackedServer):
    name = "cyrus"
    program = "usr/lib/cyrus/bin/imapd"

    def __init__(self, suppress="", old_names=False, mechanisms="PLAIN LOGIN SCRAM-SHA-256 SCRAM-SHA-1"):
        super().__init__()
        #: What the names of mailboxes begin with, and the hierarchy's delimiter.
        self.names = ("INBOX.", ".") if old_names else ("", "/")
        self._suppress, self._old_names, self._mechanisms = suppress, old_names, mechanisms

    def add_user(self, name):
        """A user with an empty INBOX and the usual mailboxes, which the first login makes."""
        subprocess.run([self.source / "usr/sbin/saslpasswd2", "-p", "-c", "-u", "localhost", "-f", self._passwords,
                        name], input=PASSWORD.encode(), env=self._environment(), check=True, timeout=30)
        shutil.chown(self._passwords, USER, self._group)
        self.imap(name).logout()

    # Inside

    _passwords = property(lambda self: self.folder / "passwords")
    _settings = property(lambda self: self.folder / "imapd.conf")
    _group = property(lambda self: pwd.getpwnam(USER).pw_gid)

    def _binary(self, name):
        return self.source / "usr/lib/cyrus/bin" / name

    def _environment(self):
        libraries = sorted(map(str, self.source.glob("usr/lib/*-linux-gnu*"))) + \
            sorted(map(str, self.source.glob("lib/*-linux-gnu*")))
        return {**super()._environment(), "LD_LIBRARY_PATH": ":".join(libraries),
                "SASL_PATH": ":".join(f"{library}/sasl2" for library in libraries)}

    def _lay_out(self):
        # What Cyrus expects to find below its folder; it makes the rest itself.
        for part in ("db", "lock", "log", "msg", "proc", "quota", "sieve", "socket", "user"):
            (self.folder / "config" / part).mkdir(parents=True)
        (self.folder / "mail").mkdir()
        self._settings.write_text(self._imapd_conf())
        for path in [self.folder, *(self.folder / "config").rglob("*"), self.folder / "config", self.folder / "mail",
                     self.certificate[1]]:
            shutil.chown(path, USER, self._group)

    def _run(self):
        services = self.folder / "cyrus.conf"
        services.write_text(self._cyrus_conf())
        self._spawn([self._binary("master"), "-D", "-C", self._settings, "-M", services,
                     "-p", self.folder / "config" / "master.pid"], user=USER, group=self._group,
                    extra_groups=[])
        wait_for(self.ports["imap"], self.log)
        wait_for(self.ports["imaps"], self.log)

    def _cyrus_conf(self):
        def command(name, *words):
            return f'cmd="{" ".join(map(str, [self._binary(name), "-C", self._settings, *words]))}"'

        return f"""\
START {{
  recover {command("ctl_cyrusdb", "-r")}
}}
DAEMON {{
  idled {command("idled")}
}}
SERVICES {{
  imap {command("imapd")} listen="127.0.0.1:{self.ports["imap"]}" prefork=0
  imaps {command("imapd", "-s")} listen="127.0.0.1:{self.ports["imaps"]}" prefork=0
}}
EVENTS {{
}}
"""

    def _imapd_conf(self):
        names = "|".join(MAILBOXES)
        suppressed = f"suppress_capabilities: {self._suppress}\n" if self._suppress else ""
        roles = "\n".join(f"xlist-{name.lower()}: {name}" for name in MAILBOXES)
        return f"""\
configdirectory: {self.folder}/config
defaultpartition: default
partition-default: {self.folder}/mail
servername: localhost
cyrus_user: {USER}
cyrus_group: {grp.getgrgid(self._group).gr_name}
virtdomains: off
altnamespace: {"no" if self._old_names else "yes"}
unixhierarchysep: {"no" if self._old_names else "yes"}
allowplaintext: yes
failedloginpause: 0
sasl_mech_list: {self._mechanisms}
sasl_pwcheck_method: auxprop
sasl_auxprop_plugin: sasldb
sasl_sasldb_path: {self._passwords}
tls_server_cert: {self.certificate[0]}
tls_server_key: {self.certificate[1]}
tls_versions: tls1_2 tls1_3
{suppressed}autocreate_quota: 0
autocreate_inbox_folders: {names}
autocreate_subscribe_folders: {names}
{roles}
"""
