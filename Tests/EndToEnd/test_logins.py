"""Every way to log in, with a real Dovecot that offers only that one, and a certificate that the user has pinned."""
import base64
import hashlib
import re
import unittest

from certificates import fingerprint
from servers import FakeServer, MailServers
from workplace import Case, servers

SECRETS = (MailServers.password, base64.b64encode(MailServers.password.encode()).decode().rstrip("="))


class Logins(Case):
    kind = "imap"

    def methods(self, server):
        """What the server says that clients logged in by, in the order of their coming."""
        return re.findall(r"imap-login: Info: (?:Login|Logged in): .*?method=([A-Z0-9-]+)", server.dovecot_log.read_text())

    def place(self, server, login, tls="", trust=True):
        user = f"{{ host: localhost, port: {server.imaps_port}"
        trust = f", ca-file: {server.ca_file}" if trust else ""
        smtp = (f"    smtp: {{ host: localhost, port: {server.smtps_port}{trust} }}\n" if server.has_smtp else "")
        account = (f"  - name: work\n    address: ana@acme.example\n    imap: {user}{trust} }}\n{smtp}{tls}"
                   f"    login: {{ user: ana, {login} }}\n")
        server.add_user("ana")
        box = self.new_box()
        place = self.new_place(box, name=f"w{box.user}")
        place.configure(account)
        return place

    def assertHidden(self, done, *secrets):
        for secret in (*SECRETS, *secrets):
            self.assertNotIn(secret, done.text)

    def check_account(self, place, code=0, *words, secrets=()):
        done = self.check(place.opus("account", "check", "work", "--verbose"), code, *words)
        self.assertHidden(done, *secrets)
        return done

    # (what the server offers, how the client must come)
    PASSWORDS = (("plain", "PLAIN"), ("login", "LOGIN"), ("scram-sha-1", "SCRAM-SHA-1"),
                 ("scram-sha-256", "SCRAM-SHA-256"), ("plain login scram-sha-1", "PLAIN"),
                 ("plain login scram-sha-1 scram-sha-256", "SCRAM-SHA-256"))

    def test_a_password_by_every_mechanism(self):
        for offered, used in self.PASSWORDS:
            with self.subTest(offered), MailServers(mechanisms=offered) as server:
                place = self.place(server, "password-command: [cat, password]")
                self.check_account(place)
                self.assertEqual(set(self.methods(server)), {used})
                (place.root / "password").write_text("not-the-word\n")
                self.check_account(place, 77, "refused the login", secrets=["not-the-word"])

    def test_a_mechanism_from_the_settings(self):
        with MailServers(mechanisms="plain login scram-sha-1 scram-sha-256") as server:
            for mechanism in ("plain", "login", "scram-sha-1", "scram-sha-256"):
                with self.subTest(mechanism):
                    self.check_account(
                        self.place(server, f"password-command: [cat, password], mechanism: {mechanism}"))
                    self.assertEqual(self.methods(server)[-1], mechanism.upper())
        with MailServers(smtp=False, mechanisms="plain") as server:
            place = self.place(server, "password-command: [cat, password], mechanism: scram-sha-256")
            self.check_account(place, 78, "does not offer SCRAM-SHA-256", "PLAIN")
            self.assertEqual(self.methods(server), [])

    def test_a_server_that_offers_what_it_cannot_do_is_asked_once_more(self):
        stored = "{SHA256}" + base64.b64encode(hashlib.sha256(MailServers.password.encode()).digest()).decode()
        with MailServers(mechanisms="plain scram-sha-256", stored=stored) as server:
            place = self.place(server, "password-command: [cat, password]")
            self.check_account(place)
            self.assertEqual(set(self.methods(server)), {"PLAIN"})
            (place.root / "password").write_text("not-the-word\n")
            self.check_account(place, 77, "refused the login", secrets=["not-the-word"])
            log = server.dovecot_log.read_text().splitlines()
            self.assertIn("auth failed, 2 attempts", log[-1], "SCRAM, then PLAIN, and no third try")

    def test_a_password_with_other_letters_than_ascii_is_sent_unchanged(self):
        with MailServers(mechanisms="plain scram-sha-256") as server:
            place = self.place(server, "password-command: [cat, password]")
            (place.root / "password").write_text("pässwörd\n")
            self.check_account(place, 77, secrets=["pässwörd"])
            self.assertIn("method=PLAIN", server.dovecot_log.read_text())

    def test_a_token_works_with_both_mechanisms(self):
        for offered, used in (("oauthbearer", "OAUTHBEARER"), ("xoauth2", "XOAUTH2"),
                              ("plain xoauth2 oauthbearer", "OAUTHBEARER")):
            with self.subTest(offered), MailServers(mechanisms=offered) as server:
                place = self.place(server, "token-command: [cat, token]")
                for case, token, code in (("good", server.token("ana"), 0), ("expired", server.token("ana", -30), 77),
                                          ("somebody else's", server.token("bob"), 77),
                                          ("signed by a stranger", server.token("ana", key=b"guess"), 77)):
                    with self.subTest(case):
                        (place.root / "token").write_text(token + "\n")
                        words = () if code == 0 else ("refused the login", "the token came from: cat token")
                        done = self.check_account(place, code, *words, secrets=[token, token.split(".")[2]])
                        if code:
                            self.assertRegex(done.err, r"\((401|invalid_token)\)", "the server's own reason")
                self.assertEqual(set(self.methods(server)), {used})

    def test_a_token_is_never_sent_as_a_password(self):
        with MailServers(smtp=False, mechanisms="plain") as server:
            place = self.place(server, "token-command: [echo, some-token]")
            self.check_account(place, 78, "no login by token", secrets=["some-token"])

    def test_a_pinned_certificate(self):
        pin = fingerprint(servers().certificate[0])
        for case, text in (("as openssl prints it", f"SHA256:{pin}"), ("bare", "sha256:" + pin.replace(":", "").lower())):
            with self.subTest(case):
                place = self.place(servers(), "password-command: [cat, password]", f'    tls: {{ pin: "{text}" }}\n', False)
                self.check_account(place)
        other = "sha256:" + "ab" * 32
        place = self.place(servers(), "password-command: [cat, password]", f'    tls: {{ pin: "{other}" }}\n', False)
        self.check_account(place, 69, "sha256:" + pin.replace(":", "").lower(), "pin:")

    def test_a_bridge_that_signed_its_own_certificate(self):
        certificate = servers().untrusted.sign_itself("bridge")
        for case, pin, heard in (("pinned", fingerprint(certificate[0]), True),
                                 ("another pinned", fingerprint(servers().certificate[0]), False)):
            with self.subTest(case), FakeServer([b"* OK hi\r\n", ("expect", b"\r\n")], certificate, tls=True) as fake:
                place = self.place(servers(), "password-command: [cat, password]",
                                   f'    tls: {{ pin: "sha256:{pin}" }}\n', False)
                text = (place.root / "opus.yaml").read_text()
                (place.root / "opus.yaml").write_text(text.replace(str(servers().imaps_port), str(fake.port)))
                self.check_account(place, 69)
                self.assertEqual(fake.received == b"A1 CAPABILITY\r\n", heard)

    def test_a_token_in_the_settings_is_refused_and_not_shown(self):
        place = self.place(servers(), "token: ya29.secret-word")
        self.assertHidden(self.check(place.opus("account", "list"), 78, "R031"), "secret-word")


if __name__ == "__main__":
    unittest.main()
