"""Attacks of a man in the middle, or of another server: each is refused, and no byte of a
password leaves, neither in the clear nor under TLS."""
import base64
import hashlib
import hmac
import re
import ssl
import unittest
from typing import NamedTuple

from certificates import fingerprint
from servers import FakeServer, MailServers
from workplace import Case, servers

CAPABLE = b"CAPABILITY IMAP4rev1 STARTTLS SASL-IR AUTH=PLAIN"
GREETING = b"* OK [" + CAPABLE + b"] ready\r\n"
STARTTLS = ("expect", b"STARTTLS")
EHLO = ("expect", b"EHLO")
OFFER = b"250-me\r\n250-STARTTLS\r\n250 AUTH PLAIN LOGIN\r\n"
NOT_TRUSTED = "certificate is not trusted"
INJECTED = "unprotected bytes after it agreed to TLS"


def offers(tag, words):
    """The server's answer to CAPABILITY; the program counts its tags A1, A2, …"""
    return [("expect", b"CAPABILITY"), f"* CAPABILITY IMAP4rev1 {words}\r\n{tag} OK done\r\n".encode()]


def scram(received, iterations=4_096, nonce=None):
    """The server's first words of a SCRAM login, for the nonce that the client has just made."""
    first = base64.b64decode(re.findall(rb"SCRAM-SHA-256 (\S+)\r\n", received)[-1]).decode()
    nonce = nonce or first.rpartition("r=")[2] + "server"
    salt = base64.b64encode(b"salt").decode()
    return b"+ " + base64.b64encode(f"r={nonce},s={salt},i={iterations}".encode()) + b"\r\n"


def unproven(_):
    """The server's last words, by a server that does not know the password."""
    return b"+ " + base64.b64encode(b"v=" + base64.b64encode(hmac.digest(b"guess", b"x", hashlib.sha256))) + b"\r\n"


class Attack(NamedTuple):
    name: str
    says: str
    script: list
    #: Of the server: what kind of certificate it has.
    certificate: str = "good"
    security: str = "starttls"
    protocol: str = "imap"
    version: object = None
    pin: str = None


def upgraded(*then):
    return [GREETING, STARTTLS, b"A1 OK go\r\n", ("starttls",), *then]


def logging_in(*then):
    return [GREETING, *offers("A1", "SASL-IR AUTH=SCRAM-SHA-256 AUTH=PLAIN"), ("expect", b"SCRAM-SHA-256 "), *then]


STALL = ("stall",)
WAIT = ("wait", 1)
ATTACKS = [
    # An attacker changes the plain text before TLS
    Attack("STARTTLS refused", "refused STARTTLS", [GREETING, STARTTLS, b"A1 NO not today\r\n", WAIT]),
    Attack("STARTTLS unknown", "refused STARTTLS", [GREETING, STARTTLS, b"A1 BAD what\r\n", WAIT]),
    Attack("STARTTLS taken off the list", "refused STARTTLS",
           [b"* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] ready\r\n", STARTTLS, b"A1 BAD what\r\n", WAIT]),
    Attack("a response injected behind the agreement to TLS", INJECTED,
           [GREETING, STARTTLS, b"A1 OK go\r\n* " + CAPABLE + b"\r\nA2 OK done\r\n", WAIT]),
    Attack("half a line injected behind the agreement to TLS", INJECTED,
           [GREETING, STARTTLS, b"A1 OK go\r\n* CAPA", WAIT]),
    Attack("plain text in place of the handshake", INJECTED,
           [GREETING, STARTTLS, b"A1 OK go\r\n", ("expect", b"\x16\x03"), b"* " + CAPABLE + b"\r\nA2 OK done\r\n", WAIT]),
    Attack("an agreement to TLS before the question", "TLS",
           [GREETING + b"A1 OK go\r\n", STARTTLS, b"A2 OK done\r\n", WAIT]),
    Attack("PREAUTH before TLS", "before TLS began", [b"* PREAUTH [" + CAPABLE + b"] come in\r\n", WAIT]),
    Attack("BYE with words of an attacker", "go to evil.example", [b"* BYE go to evil.example\r\n", WAIT]),
    Attack("an ALERT before TLS", "refused STARTTLS",
           [b"* OK [ALERT] call 555-0100 now\r\n", STARTTLS, b"* NO [ALERT] call 555-0100 now\r\nA1 NO no\r\n", WAIT]),
    Attack("mailbox data before TLS", "refused STARTTLS",
           [GREETING, STARTTLS, b"* 3 EXISTS\r\n* LIST () \"/\" INBOX\r\nA1 BAD no\r\n", WAIT]),
    Attack("a referral to another server", "refused STARTTLS",
           [GREETING, STARTTLS, b"A1 NO [REFERRAL imap://localhost:{other}/] moved\r\n", WAIT]),
    Attack("capabilities from before TLS, and none after it", "no login",
           upgraded(*offers("A2", "LOGINDISABLED"), WAIT)),
    Attack("silence in place of the handshake's end", "TLS", [GREETING, STARTTLS, b"A1 OK go\r\n", ("wait", 0.2)]),
    # The wrong server, after STARTTLS
    Attack("an expired certificate after STARTTLS", "it has expired", upgraded(STALL), "expired"),
    Attack("another host's certificate after STARTTLS", "not issued for localhost", upgraded(STALL), "elsewhere"),
    Attack("an unknown authority after STARTTLS", NOT_TRUSTED, upgraded(STALL), "unknown"),
    Attack("a certificate that signed itself after STARTTLS", NOT_TRUSTED, upgraded(STALL), "itself"),
    # The wrong server, under TLS from the first byte
    Attack("an expired certificate", "it has expired", [GREETING, STALL], "expired", "tls"),
    Attack("another host's certificate", "not issued for localhost", [GREETING, STALL], "elsewhere", "tls"),
    Attack("a certificate for what is below the host", "not issued for localhost", [GREETING, STALL], "below", "tls"),
    Attack("an unknown authority", NOT_TRUSTED, [GREETING, STALL], "unknown", "tls"),
    Attack("a certificate that signed itself", NOT_TRUSTED, [GREETING, STALL], "itself", "tls"),
    Attack("a good certificate that is not the pinned one", "it is not the pinned one", [GREETING, STALL], "good", "tls",
           pin="itself"),
    Attack("TLS 1.1", "TLS", [GREETING, STALL], "good", "tls", version=ssl.TLSVersion.TLSv1_1),
    Attack("TLS 1.0", "TLS", [GREETING, STALL], "good", "tls", version=ssl.TLSVersion.TLSv1),
    Attack("no TLS at all where it was asked for", "does not speak TLS", [GREETING, WAIT], None, "tls"),
    # A server that is let in, and behaves like a stranger
    Attack("LOGINDISABLED under TLS", "no login", [GREETING, *offers("A1", "LOGINDISABLED"), WAIT], "good", "tls"),
    Attack("only logins that we do not speak", "no login",
           [GREETING, *offers("A1", "LOGINDISABLED AUTH=CRAM-MD5 AUTH=NTLM"), WAIT], "good", "tls"),
    Attack("SCRAM by a server that answers another login", "answered a different login",
           logging_in(("answer", lambda seen: scram(seen, nonce="evil")), WAIT), "good", "tls"),
    Attack("SCRAM that makes the password cheap to guess", "requests 1 hash rounds",
           logging_in(("answer", lambda seen: scram(seen, iterations=1)), WAIT), "good", "tls"),
    Attack("SCRAM that would keep us busy for hours", "requests 2000000000 hash rounds",
           logging_in(("answer", lambda seen: scram(seen, iterations=2_000_000_000)), WAIT), "good", "tls"),
    Attack("SCRAM by a server that does not know the password", "did not prove",
           logging_in(("answer", scram), ("expect", b"\r\n"), ("answer", unproven), b"A2 OK in\r\n", WAIT), "good", "tls"),
    Attack("SCRAM by a server that skips its proof", "did not prove",
           logging_in(("answer", scram), ("expect", b"\r\n"), b"A2 OK in\r\n", WAIT), "good", "tls"),
    # The same for the submission server
    Attack("SMTP: STARTTLS taken off the list", "does not offer STARTTLS",
           [b"220 me\r\n", EHLO, b"250-me\r\n250 AUTH PLAIN\r\n", WAIT], protocol="smtp"),
    Attack("SMTP: STARTTLS refused", "refused STARTTLS",
           [b"220 me\r\n", EHLO, OFFER, STARTTLS, b"454 later\r\n", WAIT], protocol="smtp"),
    Attack("SMTP: a reply injected behind the agreement to TLS", INJECTED,
           [b"220 me\r\n", EHLO, OFFER, STARTTLS, b"220 go\r\n250-me\r\n250 AUTH PLAIN\r\n", WAIT], protocol="smtp"),
    Attack("SMTP: logins from before TLS, and none after it", "no login",
           [b"220 me\r\n", EHLO, OFFER, STARTTLS, b"220 go\r\n", ("starttls",), EHLO, b"250 me\r\n", WAIT],
           protocol="smtp"),
    Attack("SMTP: an unknown authority after STARTTLS", NOT_TRUSTED,
           [b"220 me\r\n", EHLO, OFFER, STARTTLS, b"220 go\r\n", ("starttls",), STALL], "unknown", protocol="smtp"),
    Attack("SMTP: an expired certificate", "it has expired", [b"220 me\r\n", STALL], "expired", "tls", "smtp"),
    Attack("SMTP: another host's certificate", "not issued for localhost", [b"220 me\r\n", STALL], "elsewhere", "tls",
           "smtp"),
]


class Attacks(Case):
    """A table; its rows are run one after the other, each with the real program."""

    kind = "imap"

    @classmethod
    def setUpClass(cls):
        good, other = servers().authority, servers().untrusted
        cls.certificates = {
            None: None, "good": servers().certificate, "expired": good.issue("expired", expired=True),
            "elsewhere": good.issue("elsewhere", names=["DNS:mail.other.example"]),
            "below": good.issue("below", names=["DNS:*.localhost", "DNS:*.example", "IP:127.0.0.2"]), "unknown": other.issue("unknown"),
            "itself": other.sign_itself("localhost")}

    def place(self, attack, port):
        """A workspace whose account has the attacker in place of one of its servers."""
        box = self.new_box()
        trust = f", ca-file: {servers().ca_file}"
        server = f"{{ host: localhost, port: {port}, security: {attack.security}{trust} }}"
        if attack.protocol == "smtp":
            account = box.yaml(extra=f"    smtp: {server}\n")
        else:
            account = box.yaml(port=port, security=attack.security)
        if attack.pin:
            pin = fingerprint(self.certificates[attack.pin][0])
            account = account.replace(trust, "") + f"    tls: {{ pin: \"sha256:{pin}\" }}\n"
        place = self.new_place(box, name=f"w{port}")
        place.configure(account)
        return place

    def run_attack(self, attack, other):
        script = [step.replace(b"{other}", str(other.port).encode()) if isinstance(step, bytes) else step
                  for step in attack.script]
        with FakeServer(script, self.certificates[attack.certificate], tls=attack.security == "tls" and
                        attack.certificate is not None, version=attack.version) as fake:
            place = self.place(attack, fake.port)
            done = place.opus("account", "check", "work", "--verbose", timeout=60)
            self.assertGreater(fake.connections, 0, str(done))
        self.assertIn(done.code, (69, 75, 78), str(done))
        self.assertIn(attack.says, done.err, str(done))
        shown = "\n".join(line for line in done.text.splitlines() if not line.startswith("opus: trace: S: "))
        self.assertNotIn("555-0100", shown, "an attacker's words are shown")
        return fake, done

    def assertNothingSecret(self, fake, done):
        password = MailServers.password.encode()
        for word in (password, base64.b64encode(password).rstrip(b"="), base64.b64encode(b"\0" + password)[4:-4]):
            self.assertNotIn(word, fake.received)
            self.assertNotIn(word, done.text.encode())
        for line in re.findall(rb"[A-Za-z0-9+/=]{12,}", fake.received):
            self.assertNotIn(password, base64.b64decode(line + b"===", validate=False))
        self.assertNotIn(b"LOGIN", fake.received)
        self.assertNotRegex(fake.clear, rb"AUTH|LOGIN")

    def test_every_attack_is_refused_without_a_byte_of_the_password(self):
        self.assertGreaterEqual(len({attack.name for attack in ATTACKS}), 20)
        for attack in ATTACKS:
            with self.subTest(attack.name), FakeServer([STALL]) as other:
                self.assertNothingSecret(*self.run_attack(attack, other))
                self.assertEqual(other.connections, 0, "a referral was followed")

    def test_the_same_server_without_the_attack_gets_the_password(self):
        attack = Attack("none", "", upgraded(*offers("A2", "SASL-IR AUTH=PLAIN"), ("expect", b"\r\n"), b"A3 NO no\r\n", WAIT))
        with FakeServer(attack.script, self.certificates["good"]) as fake:
            place = self.place(attack, fake.port)
            self.check(place.opus("account", "check", "work"), 77, "refused the login")
        with self.assertRaises(AssertionError):
            self.assertNothingSecret(fake, place.opus("list"))
        self.assertNotRegex(fake.clear, rb"AUTH|LOGIN")

    def test_a_password_in_clear_to_a_network_is_refused_by_the_settings(self):
        place = self.new_place(self.new_box())
        place.configure(self.new_box().yaml(host="mail.example.org", port=143, security="none"))
        self.check(place.opus("account", "check", "work"), 78, "C010", "unencrypted")


if __name__ == "__main__":
    unittest.main()
