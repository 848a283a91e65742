"""OAuth 2.0: log in by a browser, a pasted address or a device; renewal, rotation, refusals; Dovecot checks the tokens."""
import concurrent.futures
import os
import re
import stat
import subprocess
import time
import unittest
import urllib.error
import urllib.request

from letters import letter
from oauth import OAuthServer
from servers import MailServers
from workplace import Case


class Still(urllib.request.HTTPRedirectHandler):
    """A browser that does not follow redirects."""

    def redirect_request(self, *_):
        return None


class Logins(Case):
    kind = "imap"
    smtp = False

    @classmethod
    def setUpClass(cls):
        cls.mail = MailServers(smtp=cls.smtp, mechanisms="plain xoauth2 oauthbearer").start()

    @classmethod
    def tearDownClass(cls):
        cls.mail.stop()

    def prepare(self, store="", **options):
        self.oauth = self.enterContext(OAuthServer(self.mail.token, **options))
        self.box = self.new_box(on=self.mail)
        self.oauth.user = self.box.user
        self.box.add("INBOX", letter("Hello", "one"))
        self.place = self.new_place(self.box)
        self.configure(store)
        return self.place

    def configure(self, store=""):
        self.place.configure(
            f"  - name: work\n    address: ana@acme.example\n"
            f"    imap: {{ host: localhost, port: {self.mail.imaps_port}, ca-file: {self.mail.ca_file} }}\n"
            f"    login:\n      user: {self.box.user}\n      oauth:\n        client-id: opus-test\n"
            f"        authorize-url: {self.oauth.url}/authorize\n        token-url: {self.oauth.url}/token\n"
            f"        device-url: {self.oauth.url}/device\n        scope: [mail, offline_access]\n{store}")

    def begin(self, *words, environment=None, **options):
        """Starts a login; the process, and the address that it shows."""
        process = subprocess.Popen(
            self.place.command("account", "login", "work", *words, now=None), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=self.place.environment(**(environment or {})), cwd=self.place.root, text=True)
        self.addCleanup(process.kill)
        self.shown = ""
        while "  http" not in self.shown:
            line = process.stderr.readline()
            if not line:
                break
            self.shown += line
        found = re.search(r"^  (http\S+)$", self.shown, re.M)
        return process, found and found[1]

    def browse(self, address):
        """What a browser ends at."""
        try:
            urllib.request.build_opener(Still).open(address, timeout=10)
        except urllib.error.HTTPError as error:
            return error.headers["Location"]
        raise AssertionError("no redirect")

    def end(self, process, code=0, typed=None):
        out, err = process.communicate(typed, timeout=60)
        self.assertEqual(process.returncode, code, out + self.shown + err)
        return self.shown + out + err

    def login(self, **options):
        process, address = self.begin(**options)
        urllib.request.urlopen(self.browse(address), timeout=10).read()
        return self.end(process)

    def run_opus(self, *words, code=0, **options):
        return self.check(self.place.opus(*words, now=None, **options), code)

    @property
    def file(self):
        return self.place.root / ".opus" / "oauth-work.token"


class OAuth(Logins):
    # MARK: Ways

    def test_a_browser_on_this_machine(self):
        place = self.prepare()
        self.run_opus("sync", code=77)
        self.assertIn("opus account login work", place.opus("sync", now=None).err)
        text = self.login()
        self.assertIn("mode 0600", text)
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)
        self.run_opus("sync")
        self.run_opus("account", "check", "work")
        self.assertEqual(len(place.opus("list", "--json").json["items"]), 1)
        self.assertEqual(self.oauth.refreshes(), [], "the first access token is young")
        asked = self.oauth.requests[0]
        self.assertRegex(asked["redirect_uri"], r"^http://127\.0\.0\.1:\d+/$")
        self.assertGreaterEqual(len(asked["code_verifier"]), 43)

    def test_the_listener_accepts_one_valid_answer_and_closes(self):
        self.prepare()
        process, address = self.begin()
        good = self.browse(address)
        for wrong in (re.sub(r"state=[^&]*", "state=guess", good), good.split("?")[0] + "favicon.ico", good.split("?")[0]):
            with self.assertRaises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(wrong, timeout=10)
            self.assertEqual(caught.exception.code, 400)
        urllib.request.urlopen(good, timeout=10).read()
        self.end(process)
        with self.assertRaises(OSError):
            urllib.request.urlopen(good, timeout=5)

    def test_a_code_of_another_login_is_refused(self):
        self.prepare()
        process, address = self.begin()
        other, elsewhere = self.begin()
        stolen = re.search(r"code=([^&]*)", self.browse(elsewhere))[1]
        urllib.request.urlopen(re.sub(r"code=[^&]*", "code=" + stolen, self.browse(address)), timeout=10).read()
        self.end(process, 77)
        self.assertFalse(self.file.exists())
        other.kill()

    def test_a_pasted_address(self):
        self.prepare()
        process, address = self.begin("--paste")
        self.assertIn("redirect_uri=https%3A%2F%2Flocalhost", address)
        self.end(process, typed="https://localhost/?state=x&code=y\n" + self.browse(address) + "\n")
        self.run_opus("sync")
        process, _ = self.begin("--paste")
        self.end(process, 64, typed="")

    def test_a_code_on_another_device(self):
        self.prepare()
        done = self.run_opus("account", "login", "work", "--device")
        self.assertIn("ABCD-EFGH", done.err)
        self.run_opus("sync")

    # MARK: Renewal

    def test_a_token_is_renewed_at_80_percent_of_its_life_and_the_new_refresh_token_is_kept(self):
        self.prepare(life=10)
        self.login()
        first = self.file.read_text()
        self.run_opus("sync")
        self.assertEqual(self.oauth.refreshes(), [])
        time.sleep(8.5)
        self.run_opus("sync")
        self.assertEqual(len(self.oauth.refreshes()), 1)
        self.assertNotEqual(self.file.read_text(), first)
        time.sleep(8.5)
        self.run_opus("sync")
        self.assertEqual(len(self.oauth.refreshes()), 2)

    def test_many_processes_renew_once(self):
        self.prepare(life=600)
        self.login()
        text = self.file.read_text()
        self.file.write_text(re.sub(r'"issued_at":(\d+)', lambda m: f'"issued_at":{int(m[1]) - 3000}',
                                    re.sub(r'"expires_at":(\d+)', lambda m: f'"expires_at":{int(m[1]) - 3000}', text)))
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            done = list(pool.map(lambda _: self.place.opus("account", "check", "work", now=None), range(6)))
        self.assertEqual([one.code for one in done], [0] * 6, "\n".join(map(str, done)))
        self.assertEqual(len(self.oauth.refreshes()), 1)

    def test_an_access_token_that_the_server_refuses_is_renewed_once(self):
        self.prepare()
        self.login()
        text = self.file.read_text()
        self.file.write_text(re.sub(r'"access_token":"[^"]*"', f'"access_token":"{self.mail.token(self.box.user, -30)}"', text))
        first = self.place.opus("sync", now=None)
        second = self.place.opus("sync", now=None)
        self.assertEqual(second.code, 0, str(first) + str(second))

    def test_revoked_invalid_and_slow_answers_are_reported(self):
        self.prepare(life=1)
        self.login()
        time.sleep(1.2)
        kept = self.file.read_text()

        def broken(handler, fields):
            handler.send_response(200)
            handler.send_header("Content-Length", "3")
            handler.end_headers()
            handler.wfile.write(b"{{{")

        def busy(handler, fields):
            handler.send_response(503)
            handler.send_header("Content-Length", "0")
            handler.end_headers()

        def named(handler, fields):
            text = b'{"error":"temporarily_unavailable","error_description":"AADSTS90033: A transient error has occurred."}'
            handler.send_response(503)
            handler.send_header("Content-Length", str(len(text)))
            handler.end_headers()
            handler.wfile.write(text)

        for special, code in ((broken, 69), (busy, 75), (named, 75)):
            self.oauth.answers.append(special)
            self.run_opus("sync", code=code)
            self.assertEqual(self.file.read_text(), kept)
        self.oauth.revoke()
        done = self.run_opus("sync", code=77)
        self.assertIn("the login has expired or was revoked", done.err)
        self.assertIn("opus account login work", done.err)
        self.login()
        self.run_opus("sync")

    def test_refusals_are_one_sentence_and_one_step(self):
        self.prepare()
        for error, words, sentence, step in (
                ("access_denied", "AADSTS65001: Need admin approval", "has not allowed this application", "administrator"),
                ("invalid_request", "AADSTS50011: The redirect URI", "redirect address is not registered", "--paste"),
                ("unauthorized_client", "AADSTS7000112: disabled", "switched this application off", "client id of your own"),
                ("invalid_scope", "", "does not know one of the scopes", "login.oauth.scope"),
                ("server_error", "\x1b[31mhack", "refused the login", "opus account login work")):
            with self.subTest(words or error):
                self.oauth.refusal = (error, words)
                process, address = self.begin()
                urllib.request.urlopen(self.browse(address), timeout=10).read()
                text = self.end(process, 77)
                self.assertIn(sentence, text)
                self.assertIn(step, text)
                self.assertNotIn("\x1b", text)

    def test_an_account_without_oauth_says_so(self):
        self.prepare()
        self.place.configure(self.box.yaml())
        self.run_opus("account", "login", "work", code=78)

    # MARK: Stores

    def commands(self):
        folder = self.place.root
        (folder / "keep").write_text("#!/bin/sh\ncat > \"$0.kept\"\n")
        (folder / "give").write_text("#!/bin/sh\ncat \"${0%give}keep.kept\" 2>/dev/null || true\n")
        for name in ("keep", "give"):
            (folder / name).chmod(0o755)
        return "        load-command: [./give]\n        store-command: [./keep]\n"

    def test_a_store_command_takes_the_refresh_token_on_standard_input(self):
        self.prepare()
        self.configure(self.commands())
        self.login()
        kept = (self.place.root / "keep.kept").read_text()
        self.assertIn(kept, self.oauth.refresh_tokens)
        self.run_opus("sync")
        self.assertNotEqual((self.place.root / "keep.kept").read_text(), kept, "rotated")
        self.assertFalse(self.file.exists())
        self.run_opus("sync")

    def test_a_new_token_that_cannot_be_kept_is_not_lost(self):
        self.prepare()
        self.configure(self.commands())
        self.login()
        (self.place.root / "keep").write_text("#!/bin/sh\nexit 3\n")
        done = self.run_opus("sync")
        rescued = self.place.root / ".opus" / "oauth-work.rescued-token"
        self.assertIn("rescued-token", done.err)
        self.assertEqual(stat.S_IMODE(rescued.stat().st_mode), 0o600)
        self.commands()
        rescued.write_text(re.sub(r'"expires_at":\d+', '"expires_at":1', rescued.read_text()))
        self.run_opus("sync")
        self.assertFalse(rescued.exists())
        self.assertIn((self.place.root / "keep.kept").read_text(), self.oauth.refresh_tokens)

    def test_the_keyring_and_a_systemd_credential(self):
        self.prepare(rotates=False)
        bin_folder = self.folder / "bin"
        bin_folder.mkdir()
        (bin_folder / "secret-tool").write_text(
            f"#!/bin/sh\ncase $1 in store) cat > {bin_folder}/kept;; lookup) cat {bin_folder}/kept 2>/dev/null;; esac\n")
        (bin_folder / "secret-tool").chmod(0o755)
        path = {"PATH": f"{bin_folder}:{os.environ['PATH']}"}
        self.configure("        store: secret-service\n")
        self.run_opus("sync", code=77, environment=path)
        self.login(environment=path)
        self.assertIn("refresh_token", (bin_folder / "kept").read_text())
        self.run_opus("sync", environment=path)
        self.assertFalse(self.file.exists())
        credentials = self.folder / "credentials"
        credentials.mkdir()
        (credentials / "mail").write_text(next(iter(self.oauth.refresh_tokens)) + "\n")
        self.configure("        credential: mail\n")
        self.run_opus("sync", code=78)
        self.run_opus("sync", environment={"CREDENTIALS_DIRECTORY": str(credentials)})

    def test_a_locked_keyring_is_reported_and_asked_once_per_command(self):
        self.prepare(rotates=False)
        bin_folder = self.folder / "bin"
        bin_folder.mkdir()
        (bin_folder / "secret-tool").write_text(
            f"#!/bin/sh\necho $1 >> {bin_folder}/calls\ncase $1 in store) cat > {bin_folder}/kept;; "
            f"lookup) test -e {bin_folder}/locked && exit 1; cat {bin_folder}/kept;; "
            f"search) test -e {bin_folder}/locked && echo '[/org/freedesktop/secrets/collection/login/1]';; esac\n")
        (bin_folder / "secret-tool").chmod(0o755)
        path = {"PATH": f"{bin_folder}:{os.environ['PATH']}"}
        self.configure("        store: secret-service\n")
        self.login(environment=path)
        (bin_folder / "locked").touch()
        (bin_folder / "calls").unlink()
        done = self.run_opus("sync", code=77, environment=path)
        self.assertIn("the keyring is locked", done.err)
        self.assertEqual((bin_folder / "calls").read_text().split(), ["lookup", "search"])
        self.assertIn("the keyring is locked", self.run_opus("doctor", code=1, environment=path).out)
        (bin_folder / "locked").unlink()
        self.run_opus("sync", environment=path)

    def test_the_end_of_a_login_is_reported_days_ahead(self):
        self.prepare(refresh_life=7 * 86_400)
        self.login()
        self.assertIn("✓ login", self.run_opus("doctor", "--offline").out)
        self.assertNotIn("login", self.run_opus("status").text)
        (self.place.root / ".opus" / "oauth-work.ends").write_text(
            time.strftime("%Y-%m-%dT%H:%M:%SZ\n", time.gmtime(time.time() + 2 * 86_400)))
        self.assertIn("work: the login ends at", self.run_opus("status").err)
        self.assertIn("loginEnds", self.run_opus("status", "--json").json["items"][0])
        self.assertIn("Logins that end", self.run_opus("briefing").out)
        self.assertEqual(self.run_opus("briefing", "--json").json["endingLogins"][0]["account"], "work")
        self.run_opus("sync")
        done = self.run_opus("doctor", "--offline")
        self.assertIn("! login", done.out)
        self.assertIn("\nnext: opus account login work\n", done.out)
        self.assertEqual(self.run_opus("doctor", "--offline", "--json").json["next"], "opus account login work")
        self.oauth.refresh_life = None
        self.login()
        self.assertNotIn("login", self.run_opus("status").text)

    # MARK: Open clients

    def open_client(self, issuer=None):
        self.place.configure(
            f"  - name: work\n    address: ana@acme.example\n"
            f"    imap: {{ host: localhost, port: {self.mail.imaps_port}, ca-file: {self.mail.ca_file} }}\n"
            f"    login: {{ user: {self.box.user}, oauth: {{ issuer: '{issuer or self.oauth.url}' }} }}\n")

    def test_opus_registers_itself_once_with_a_provider_that_allows_it(self):
        self.prepare(life=1)
        self.oauth.is_open()
        self.open_client()
        self.run_opus("sync", code=77)
        self.assertEqual(self.oauth.registered, [], "only a login registers")
        self.login()
        wish, = self.oauth.registered
        self.assertEqual(wish["token_endpoint_auth_method"], "none")
        self.assertIn("http://127.0.0.1/", wish["redirect_uris"])
        self.assertEqual(wish["scope"], "urn:ietf:params:oauth:scope:mail offline_access")
        self.assertEqual(self.oauth.requests[0]["client_id"], "client-1")
        time.sleep(1.2)
        self.run_opus("sync")
        self.assertEqual(self.oauth.refreshes()[0]["client_id"], "client-1")
        self.login()
        self.assertEqual(len(self.oauth.registered), 1)

    def test_metadata_that_does_not_fit_is_refused(self):
        self.prepare()
        self.open_client()
        for changes, words in ((None, "publishes no OAuth metadata"),
                               ({"issuer": "https://evil.example"}, "belong to another issuer"),
                               ({"code_challenge_methods_supported": ["plain"]}, "does not offer PKCE"),
                               ({"token_endpoint": "http://far.example/token"}, "no token endpoint"),
                               ({"registration_endpoint": None}, "does not register open clients")):
            with self.subTest(words):
                self.oauth.metadata = {}
                if changes is not None:
                    self.oauth.is_open(**changes)
                done = self.place.opus("account", "login", "work", now=None)
                self.assertIn(done.code, (69, 78), done)
                self.assertIn(words, done.err)
        self.oauth.is_open()
        self.oauth.registration_refusal = ("invalid_redirect_uri", "\x1b[31mno")
        done = self.place.opus("account", "login", "work", now=None)
        self.assertEqual(done.code, 77)
        self.assertNotIn("\x1b", done.err)

    def test_no_secret_is_in_any_output_log_or_other_file(self):
        self.prepare(life=2)
        process, address = self.begin("--verbose", "--trace", str(self.folder / "login.trace"))
        while address is None or "state=" not in address:
            line = process.stderr.readline()
            found = re.search(r"^  (http\S+state=\S+)$", line)
            address = found[1] if found else address
            self.shown += line
        urllib.request.urlopen(self.browse(address), timeout=10).read()
        texts = [self.end(process)]
        time.sleep(2.2)
        for words in (("sync",), ("account", "check", "work"), ("status",), ("doctor",)):
            texts.append(self.place.opus(*words, "--verbose", "--trace", str(self.folder / "run.trace"), now=None).text)
        self.assertGreater(len(self.oauth.refreshes()), 0)
        secrets = {part for secret in self.oauth.secrets for part in (secret, secret.split(".")[-1])}
        for path in [*self.folder.rglob("*")]:
            if path.is_file() and path != self.file:
                texts.append(path.read_bytes().decode("latin-1"))
        for secret in secrets:
            for text in texts:
                self.assertNotIn(secret, text)


class Sending(Logins):
    """The same login sends: Postfix asks Dovecot about the token."""

    smtp = None

    def setUp(self):
        super().setUp()
        if not self.mail.has_smtp:
            self.skipTest("Postfix needs root")

    def test_mail_is_sent_with_a_token_of_either_mechanism(self):
        self.prepare(life=5)
        for number, mechanism in enumerate(("xoauth2", "oauthbearer"), 1):
            self.place.configure(
                f"  - name: work\n    address: ana@acme.example\n"
                f"    imap: {{ host: localhost, port: {self.mail.imaps_port}, ca-file: {self.mail.ca_file} }}\n"
                f"    smtp: {{ host: localhost, port: {self.mail.submission_port}, security: starttls, "
                f"ca-file: {self.mail.ca_file} }}\n"
                f"    login:\n      user: {self.box.user}\n      mechanism: {mechanism}\n      oauth:\n"
                f"        client-id: opus-test\n        authorize-url: {self.oauth.url}/authorize\n"
                f"        token-url: {self.oauth.url}/token\n        scope: [mail, offline_access]\n", "send: { hold: 0 }\n")
            self.login()
            self.run_opus("account", "check", "work")
            if number == 2:
                time.sleep(4.5)
            trace = self.folder / f"{mechanism}.trace"
            self.run_opus("compose", "--to", "bob@far.example", "--subject", f"Mail {number}", "--body", "-", "--send",
                          "--yes", "--trace", str(trace), stdin=subprocess.DEVNULL)
            self.assertIn(f"AUTH {mechanism.upper()}", trace.read_text())
            self.assertEqual(str(self.mail.captured(number)[-1]["Subject"]), f"Mail {number}")
        self.assertEqual(len(self.oauth.refreshes()), 1, "the token was renewed before the second mail left")


if __name__ == "__main__":
    unittest.main()
