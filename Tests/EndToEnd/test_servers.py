"""The private servers do what the other tests take for granted."""
import imaplib
import smtplib
import ssl
import unittest
from pathlib import Path

from servers import FakeServer, MailServers

DEMO = Path(__file__).resolve().parents[2] / "Sources" / "opus" / "DemoMail"


class PrivateServers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.servers = MailServers()
        cls.addClassCleanup(cls.servers.stop)
        cls.servers.start()
        cls.trust = ssl.create_default_context(cafile=cls.servers.ca_file)

    def test_every_sample_message_arrives_with_its_flags(self):
        self.servers.add_user("ana")
        self.servers.fill("ana", DEMO / "INBOX")
        held = self.servers.contents("ana")
        self.assertEqual(len(held), len(list((DEMO / "INBOX").glob("*.eml"))))
        self.assertEqual({m.flags for m in held if m.message_id == "<contract-agency.1@acme.example>"},
                         {frozenset({r"\Seen", r"\Flagged"})})

    def test_a_wrong_password_is_refused(self):
        with self.assertRaises(imaplib.IMAP4.error):
            self.servers.imap("ana", password="guess")

    def test_the_second_authority_is_not_trusted(self):
        strangers = ssl.create_default_context(cafile=self.servers.other_ca_file)
        with self.assertRaises(ssl.SSLCertVerificationError):
            imaplib.IMAP4_SSL("localhost", self.servers.imaps_port, ssl_context=strangers)

    def test_a_fake_server_remembers_what_came_in_clear(self):
        with FakeServer([b"* OK hello\r\n", ("expect", b"\r\n")]) as server:
            with self.assertRaises(imaplib.IMAP4.abort):
                imaplib.IMAP4("127.0.0.1", server.port, timeout=5)
        self.assertIn(b"CAPABILITY", server.clear)

    def test_certificates_that_are_expired_or_for_another_name_are_refused(self):
        for case, certificate in (
            ("expired", self.servers.authority.issue("expired", expired=True)),
            ("another host", self.servers.authority.issue("elsewhere", names=["DNS:mail.other.example"])),
        ):
            with self.subTest(case), FakeServer([b"* OK hello\r\n"], certificate, tls=True) as server:
                with self.assertRaises(ssl.SSLCertVerificationError):
                    imaplib.IMAP4_SSL("localhost", server.port, ssl_context=self.trust)

    def test_submitted_mail_is_captured_and_not_delivered(self):
        if not self.servers.has_smtp:
            self.skipTest("Postfix needs root")
        self.servers.add_user("bob", receives=True)
        with smtplib.SMTP("localhost", self.servers.submission_port) as client:
            client.starttls(context=self.trust)
            client.login("ana", self.servers.password)
            client.sendmail("ana@acme.example", ["bob@acme.example"], b"Subject: near\r\n\r\n")
            client.sendmail("ana@acme.example", ["someone@far.example"], b"Subject: far\r\n\r\n")
            with self.assertRaises(smtplib.SMTPRecipientsRefused):
                client.sendmail("ana@acme.example", ["refused@far.example"], b"")
        self.assertEqual([m["Subject"] for m in self.servers.captured(at_least=1)], ["far"])
        self.assertEqual([m["Subject"] for m in self.servers.captured(at_least=1, user="bob")], ["near"])

    def test_submission_needs_a_login(self):
        if not self.servers.has_smtp:
            self.skipTest("Postfix needs root")
        with smtplib.SMTP_SSL("localhost", self.servers.smtps_port, context=self.trust) as client:
            with self.assertRaises(smtplib.SMTPRecipientsRefused):
                client.sendmail("ana@acme.example", ["bob@acme.example"], b"Subject: no\r\n\r\n")


if __name__ == "__main__":
    unittest.main()
