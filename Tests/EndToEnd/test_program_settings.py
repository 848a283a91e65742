"""opus init --from: the settings of other mail programs as people have them, with several accounts, comments and quotes."""
import unittest

from letters import letter
from test_init import Beginning
from workplace import servers


class OtherPrograms(Beginning):
    def setUp(self):
        super().setUp()
        self.home = self.place.root / "home"

    def write(self, name, text):
        """%(port)s, %(user)s and %(password)s are those of the server of the test."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text % {"port": servers().imaps_port, "user": self.box.user, "folder": self.place.root,
                                "smtp": servers().smtps_port})

    def taken(self, program, *more, address="ana@acme.example", code=0, said=()):
        done = self.check(self.place.opus("init", *([address] if address else []), "--from", program, "--ca-file",
                                          servers().ca_file, "--yes", *more), code, *said)
        file = self.place.root / "opus.yaml"
        text = file.read_text() if file.exists() else done.text
        self.assertNotIn(servers().password, text)
        return text

    def test_mbsync(self):
        self.write(".mbsyncrc", '''# all accounts
SyncState *
IMAPAccount gmail   # the private one
Host imap.gmail.com
User ana@gmail.com
AuthMechs XOAUTH2
PassCmd "oauth2l fetch --scope mail"
TLSType IMAPS

IMAPStore gmail-remote
Account gmail

IMAPAccount work
Host localhost # ours
Port %(port)s
User %(user)s
PassCmd +"sed -n '1p' \\"%(folder)s/password\\" | head -n 1"
TLSType IMAPS
AuthMechs LOGIN

IMAPStore work-remote
Account work

MaildirStore work-local
Path ~/Mail/work/
Inbox ~/Mail/work/INBOX

Channel work
Far :work-remote:
Near :work-local:
Patterns *
''')
        self.check(self.place.opus("init", "--from", "mbsync"), 64, "mbsync has 2 accounts", "opus init ana@gmail.com --from")
        self.check(self.place.opus("init", "bob@nowhere.example", "--from", "mbsync"), 66, "no account for bob@nowhere.example",
                   "it has ana@gmail.com")
        text = self.taken("mbsync", "--user", self.box.user)
        self.assertIn("[sh, \"-c\", \"sed -n '1p' \\\"", text)

    def test_mbsync_with_oauth(self):
        self.write(".mbsyncrc", '''IMAPAccount gmail
Host imap.gmail.com
User ana@gmail.com
AuthMechs XOAUTH2
PassCmd "false"
TLSType IMAPS
''')
        done = self.place.opus("init", "--from", "mbsync", "--yes", "--imap", f"localhost:{servers().imaps_port}", "--ca-file",
                               servers().ca_file)
        self.assertIn("the token command failed", done.text)

    def test_offlineimap(self):
        self.write(".offlineimaprc", '''[general]
accounts = work, home
pythonfile = ~/.offlineimap.py

[Account work]
localrepository = work-local
remoterepository = work-remote

[Repository work-local]
type = Maildir
localfolders = ~/Mail/work

; the server of the firm
[Repository work-remote]
type = IMAP
remotehost = localhost
remoteport = %(port)s
remoteuser = %(user)s
remotepassfile = %(folder)s/password
ssl = yes
folderfilter = lambda folder: folder not in ['Trash']

[Repository home-remote]
type = Gmail
remoteuser = ana@gmail.com
remotepasseval = get_pass("mail/home")
''')
        text = self.taken("offlineimap", "--user", self.box.user)
        self.assertIn("password-command: [cat, ", text)
        self.assertNotIn("get_pass", text)

    def test_aerc(self):
        self.write(".config/aerc/accounts.conf", '''# global
copy-to = Sent

[Home]
source = imaps+xoauth2://ana%%40gmail.com@imap.gmail.com?token_endpoint=https%%3A%%2F%%2Foauth2.googleapis.com%%2Ftoken
source-cred-cmd = pass show google-refresh
from = Ana <ana@gmail.com>

[Work]
source        = imaps://%(user)s@localhost:%(port)s
source-cred-cmd = sh -c 'cat %(folder)s/password | head -1'
outgoing      = smtps+plain://%(user)s@localhost:%(smtp)s
outgoing-cred-cmd = pass show work
default       = INBOX
from          = "Ana Ruiz" <ana@acme.example>
''')
        text = self.taken("aerc")
        self.assertIn("name: \"Ana Ruiz\"", text)
        self.assertIn(f"smtp: {{ host: localhost, port: {servers().smtps_port}, security: tls", text)

    def test_himalaya(self):
        self.write(".config/himalaya/config.toml", '''[accounts.home]
email = "ana@posteo.de"
backend.type = "maildir"
backend.root-dir = "~/Mail"

[accounts."the firm"]   # work
default = true
email = "ana@acme.example"
display-name = "Ana # Ruiz"
folder.aliases.inbox = "INBOX"

[accounts."the firm".backend]
type = "imap"
host = "localhost"
port = %(port)s
encryption = { type = "tls" }
login = "%(user)s"
auth.type = "password"
auth.cmd = "sed -n 1p '%(folder)s/password'"
''')
        text = self.taken("himalaya")
        self.assertIn('name: "Ana # Ruiz"', text)
        self.assertIn('[sh, "-c", "sed -n 1p ', text)

    def test_thunderbird(self):
        self.write(".thunderbird/abc123.work/prefs.js", '''// Mozilla User Preferences
user_pref("mail.accountmanager.accounts", "account1,account2");
user_pref("mail.account.account1.server", "server1");
user_pref("mail.account.account2.identities", "id1,id2");
user_pref("mail.account.account2.server", "server2");
user_pref("mail.identity.id1.fullName", "Ana \\"Nina\\" Ruiz (work)");
user_pref("mail.identity.id1.useremail", "ana@acme.example");
user_pref("mail.identity.id1.smtpServer", "smtp1");
user_pref("mail.server.server1.type", "none");
user_pref("mail.server.server2.type", "imap");
user_pref("mail.server.server2.hostname", "old.acme.example");
user_pref("mail.server.server2.realhostname", "localhost");
user_pref("mail.server.server2.port", %(port)s);
user_pref("mail.server.server2.socketType", 3);
user_pref("mail.server.server2.userName", "%(user)s");
user_pref("mail.smtpserver.smtp1.hostname", "localhost");
user_pref("mail.smtpserver.smtp1.port", %(smtp)s);
user_pref("mail.smtpserver.smtp1.try_ssl", 3);
''')
        text = self.taken("thunderbird", "--password-command", "cat password", address=None)
        self.assertIn('Ana \\"Nina\\" Ruiz (work)', text)
        self.assertIn(f"port: {servers().imaps_port}", text)

    def test_notmuch(self):
        box = self.new_box("maildir")
        box.add("INBOX", letter("Hello", "hello"))
        self.write(".config/notmuch/default/config", '''# .notmuch-config
[database]
path=''' + str(box.folder) + '''
hook_dir=/dev/null

[user]
name=Ana Ruiz
primary_email=ana@acme.example
other_email=ana@example.org;
''')
        self.assertIn(f"maildir: {box.folder}", self.taken("notmuch", address=None))


if __name__ == "__main__":
    unittest.main()
