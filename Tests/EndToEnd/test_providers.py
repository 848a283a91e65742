"""Every row of the table of providers, from the address to the first plan, on servers that speak as that provider does."""
import concurrent.futures
import json
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

from certificates import Authority, fingerprint
from letters import letter
from lookups import NameServer
from provider import Provider, Submission
from servers import PASSWORD
from workplace import REPOSITORY, Case, Workplace

sys.path.append(str(REPOSITORY / "docs" / "tools"))
import providers  # noqa: E402

TABLE = json.loads((REPOSITORY / "Sources/Discovery/Providers/providers.json").read_text())

GMAIL = {
    "greeting": "Gimap ready for requests from 127.0.0.1 x1mb",
    "before": "IMAP4rev1 UNSELECT IDLE NAMESPACE QUOTA ID XLIST CHILDREN X-GM-EXT-1 XYZZY SASL-IR AUTH=XOAUTH2 AUTH=PLAIN "
              "AUTH=PLAIN-CLIENTTOKEN AUTH=OAUTHBEARER",
    "after": "IMAP4rev1 UNSELECT IDLE NAMESPACE QUOTA ID XLIST CHILDREN UIDPLUS MOVE LITERAL- SPECIAL-USE",
    "boxes": {"INBOX": "", "[Gmail]": r"\HasChildren \Noselect", "[Gmail]/Alle Nachrichten": r"\All",
              "[Gmail]/Gesendet": r"\Sent", "[Gmail]/Papierkorb": r"\Trash", "[Gmail]/Spam": r"\Junk"},
}
EXCHANGE = {
    "greeting": "The Microsoft Exchange IMAP4 service is ready. [TQBTAA==]",
    "before": "IMAP4 IMAP4rev1 AUTH=PLAIN AUTH=XOAUTH2 SASL-IR UIDPLUS ID UNSELECT CHILDREN IDLE NAMESPACE LITERAL+",
    "after": "IMAP4 IMAP4rev1 UIDPLUS MOVE ID UNSELECT CHILDREN IDLE NAMESPACE LITERAL+",
    "boxes": {"INBOX": "", "Archive": "", "Deleted Items": "", "Drafts": "", "Junk Email": "", "Sent Items": ""},
}
YAHOO = {
    "before": "IMAP4rev1 SASL-IR AUTH=PLAIN AUTH=XOAUTH2 AUTH=OAUTHBEARER ID MOVE NAMESPACE UIDPLUS LITERAL+ CHILDREN",
    "after": "IMAP4rev1 ID MOVE NAMESPACE UIDPLUS LITERAL+ CHILDREN UNSELECT",
    "boxes": {"INBOX": "", "Archive": r"\Archive", "Bulk": r"\Junk", "Draft": r"\Drafts", "Sent": r"\Sent",
              "Trash": r"\Trash"},
}
DOVECOT = {
    "before": "IMAP4rev1 SASL-IR LOGIN-REFERRALS ID ENABLE IDLE LITERAL+ AUTH=PLAIN AUTH=LOGIN",
    "after": "IMAP4rev1 ID IDLE LITERAL+ UIDPLUS MOVE UNSELECT CHILDREN NAMESPACE SPECIAL-USE",
    "boxes": {"INBOX": "", "Archive": r"\Archive", "Drafts": r"\Drafts", "Sent": r"\Sent", "Trash": r"\Trash",
              "Junk": r"\Junk"},
}
#: A server of one's own making: password by LOGIN, no initial response.
LOGIN_ONLY = {"before": "IMAP4rev1 CHILDREN NAMESPACE", "after": "IMAP4rev1 CHILDREN NAMESPACE UIDPLUS IDLE",
              "boxes": {"INBOX": "", "Entw&APw-rfe": "", "Gesendet": "", "Papierkorb": "", "Spamverdacht": ""}}

#: Row: how its server speaks, what it says to a wrong login, the sentence for that, and an address where the row has no domain.
ROWS = {
    "gmail": (GMAIL, "NO [ALERT] Application-specific password required: https://support.google.com/accounts/answer/185833 "
                     "(Failure)", "the provider requires an app password instead of your own", None),
    "google-workspace": (GMAIL, "NO [ALERT] Your account is not enabled for IMAP use. Please visit your Gmail settings page "
                                "(Failure)", "IMAP is switched off for this mailbox", ("acme.example", "aspmx.l.google.com")),
    "outlook": (EXCHANGE, "NO Basic authentication is disabled.", "no longer accepts passwords", None),
    "microsoft365": (EXCHANGE, "BAD User is authenticated but not connected.", "IMAP is switched off for this mailbox",
                     ("firm.example", "firm-example.mail.protection.outlook.com")),
    "yahoo": (YAHOO, "NO [AUTHENTICATIONFAILED] AUTHENTICATE Invalid credentials", "refused the login", None),
    "aol": (YAHOO, "NO [AUTHENTICATIONFAILED] AUTHENTICATE Invalid credentials", "refused the login", None),
    "icloud": ({**DOVECOT, "before": "XAPPLEPUSHSERVICE IMAP4 IMAP4rev1 SASL-IR AUTH=ATOKEN AUTH=PTOKEN AUTH=PLAIN",
                "greeting": "[CAPABILITY XAPPLEPUSHSERVICE] (2426B70) iSCREAM ready to rumble"},
               "NO [AUTHENTICATIONFAILED] Authentication failed", "refused the login", None),
    "fastmail": ({**DOVECOT, "before": "IMAP4rev1 LITERAL+ ID ENABLE AUTH=PLAIN AUTH=OAUTHBEARER SASL-IR"},
                 "NO Incorrect username or password; use an app password: https://www.fastmail.com/go/apppassword",
                 "the provider requires an app password instead of your own", None),
    "proton": ({**DOVECOT, "before": "IMAP4rev1 ID IDLE MOVE UIDPLUS UNSELECT AUTH=PLAIN SASL-IR",
                "boxes": {"INBOX": "", "Archive": r"\Archive", "All Mail": r"\All", "Labels/Work": ""}},
               "NO [AUTHENTICATIONFAILED] no such user", "refused the login", None),
    "zoho": (LOGIN_ONLY, "NO [ALERT] You are yet to enable IMAP for your account. Please contact your administrator (Failure)",
             "IMAP is switched off for this mailbox", None),
    "zoho-eu": (LOGIN_ONLY, "NO [AUTHENTICATIONFAILED] Invalid credentials(Failure)", "refused the login", None),
    "gmx": (LOGIN_ONLY, "NO IMAP access is disabled for this account", "IMAP is switched off for this mailbox", None),
    "gmx-com": (LOGIN_ONLY, "NO authentication failed", "refused the login", None),
    "web.de": (LOGIN_ONLY, "NO IMAP access is disabled for this account", "IMAP is switched off for this mailbox", None),
    "mailbox.org": (DOVECOT, "NO [AUTHENTICATIONFAILED] Authentication failed.", "refused the login", None),
    "posteo": (DOVECOT, "NO [AUTHENTICATIONFAILED] Authentication failed.", "refused the login", None),
}
MAIL = [letter("Newsletter 7", "news", headers={"List-Unsubscribe": "<mailto:x@y.example>", "List-Id": "<l.example>"}),
        letter("Lunch", "lunch")]


class Pages(unittest.TestCase):
    def test_the_pages_are_those_of_the_table(self):
        self.assertEqual(providers.differences(), [])


class Ladder(Case):
    def setUp(self):
        super().setUp()
        self.authority = Authority(self.folder / "ca", "the providers' authority")
        self.certificate = self.authority.issue("server")

    def test_every_provider_leads_from_the_address_to_the_plan(self):
        self.assertEqual(set(ROWS), {row["id"] for row in TABLE})
        names = self.enterContext(NameServer({("mx", domain): [(1, exchanger)] for _, _, _, own in ROWS.values() if own
                                              for domain, exchanger in [own]}))
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            climbs = {row["id"]: pool.submit(self.climb, row, names.address) for row in TABLE}
        for name, climb in climbs.items():
            with self.subTest(name):
                climb.result()

    def climb(self, row, resolver):
        speech, refusal, sentence, own = ROWS[row["id"]]
        address = f"ana@{own[0] if own else row['domains'][0]}"
        is_bridge, is_token = row["login"] == ["bridge"], row["login"] == ["oauth"]
        certificate = self.authority.sign_itself("bridge") if is_bridge else self.certificate
        by_start = {kind: row[kind]["security"] == "starttls" for kind in ("imap", "smtp")}
        with Provider(certificate, {**speech, "refusal": refusal}, MAIL, address, PASSWORD, by_start["imap"]) as imap, \
                Submission(certificate, address, PASSWORD, by_start["smtp"]) as smtp:
            place = Workplace(Path(tempfile.mkdtemp(dir=self.folder)), "", {})
            for name in ("opus.yaml", "rules", "tasks"):
                path = place.root / name
                path.unlink() if path.is_file() else shutil.rmtree(path)
            here = {**row, "imap": {**row["imap"], "host": "localhost", "port": imap.port},
                    "smtp": {**row["smtp"], "host": "localhost", "port": smtp.port}}
            (place.root / "table").write_text(json.dumps([here]))
            trust = ["--pin", fingerprint(certificate[0])] if is_bridge else ["--ca-file", self.authority.ca_file]

            def init(*words, secret=None, trusting=trust):
                if secret:
                    (place.root / "password").write_text(secret + "\n")
                    words = (*words, "--token-command" if is_token else "--password-command", "cat password")
                return place.opus("init", address, *trusting, "--yes", *words, environment={
                    "OPUS_PROVIDERS": str(place.root / "table"), "OPUS_RESOLVER": resolver, "OPUS_ISPDB": ""})

            # Without a login: the servers are found and proven, and the one next step is that of the provider.
            done = init()
            step = f"{row['step']}: {row['page']}"
            self.assertIn(done.code, (64, 78), done)
            self.assertIn(step, done.text)
            for block in row["blocks"] if is_token else ():
                self.assertIn(block, done.text)
            self.assertEqual((imap.logins, imap.refused), (0, 0))
            self.assertGreater(imap.connections, 0)
            if is_bridge:
                # Its certificate signs itself: the error has the fingerprint to compare.
                done = init(secret=PASSWORD, trusting=[])
                seen = fingerprint(certificate[0]).replace(":", "").lower()
                self.check(done, 69, f"its fingerprint is sha256:{seen}", "--pin sha256:")
            # A wrong login: what the provider says is one sentence, and one step.
            done = self.check(init(secret="wrong"), 77, sentence, step)
            self.assertEqual(done.err.count("next:"), 1, done)
            self.assertEqual((imap.logins, imap.refused), (0, 1), done)
            self.assertFalse((place.root / "opus.yaml").exists())
            # The right one: mailboxes, mail and a plan; only EXAMINE.
            done = self.check(init("--json", secret=PASSWORD)).json
            self.assertEqual(done["plan"]["messages"], len(MAIL))
            self.assertTrue(set(name for name, words in speech["boxes"].items() if "Noselect" not in words and "&" not in name)
                            <= {folder["name"] for folder in done["mailboxes"]}, done["mailboxes"])
            self.assertEqual((imap.changes, smtp.mails), ([], 0))
            self.assertGreater(smtp.logins, 0)
            self.assertTrue(imap.said("EXAMINE"))
            self.assertEqual(bool(imap.said("XOAUTH2") or imap.said("OAUTHBEARER")), is_token)


if __name__ == "__main__":
    unittest.main()
