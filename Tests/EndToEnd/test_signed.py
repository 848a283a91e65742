"""Signatures of whole messages: what is proven, what is not, and that rules believe the difference.

Certificates and messages are made by the `openssl` command at run time (Tests/Fixtures/smime/make.py).
"""
import base64
import functools
import importlib.util
import os
import shutil
import tempfile
import unittest
from atexit import register
from pathlib import Path

from workplace import REPOSITORY, Case, on_both

RULES = """rules-version: 1
name: signed
rules:
  - { id: proven, when: 'signed:valid', then: archive }
  - { id: changed, when: { signed: broken }, then: trash }
"""


@functools.cache
def maker():
    """Authorities and people, made once for the run."""
    spec = importlib.util.spec_from_file_location("make_smime", REPOSITORY / "Tests" / "Fixtures" / "smime" / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    folder = tempfile.mkdtemp(prefix="opus-smime-")
    register(shutil.rmtree, folder, ignore_errors=True)
    made = module.Maker(folder)
    module.people(made)
    made.mail = module.mail
    return made


def signed(name, *signers, body="Pay 100 Euro.\n", size=0, change=("", ""), sender="Ana <ana@example.org>", **options):
    """A signed message with this Message-ID; `size` bytes are attached."""
    file = base64.encodebytes(os.urandom(size * 3 // 4)).decode()
    content = ("Content-Type: multipart/mixed; boundary=inner\n\n--inner\n\n" + body +
               "--inner\nContent-Type: application/pdf; name=a.pdf\nContent-Transfer-Encoding: base64\n\n" + file +
               "--inner--\n")
    options.setdefault("options", ["-certfile", maker().path("between", "pem")])
    made = maker().sign(*(signers or ["ana"]), content=content, **options).replace(*change)
    return maker().mail(made, sender=sender, subject=name, message_id=f"{name}@test.example")


PGP = ('Content-Type: multipart/signed; protocol="application/pgp-signature"; boundary=b\n\n--b\n\nHello\n--b\n'
       "Content-Type: application/pgp-signature\n\n-----BEGIN PGP SIGNATURE-----\n--b--\n")


@on_both
class Signatures:
    def place(self, box, file=None, rules=RULES, **options):
        ca = self.folder / "authority.pem"
        ca.write_bytes(maker().path("ca", "pem").read_bytes())
        return self.new_place(box, rules, extra=f"    smime: {{ ca-file: {file or ca} }}\n", **options)

    def shown(self, place, subject):
        """The lines about a signature in what `opus show` says of the message, and its --json."""
        found = place.opus("search", f'subject:="{subject}"', "--json").json["items"]
        self.assertEqual(len(found), 1, subject)
        text = self.check(place.opus("show", found[0]["id"])).out
        lines = [line for line in text.partition("\n\n")[0].splitlines() if line.startswith("Sign")]
        document = place.opus("show", found[0]["id"], "--json").json["message"].get("signature")
        return lines, document

    def test_a_rule_moves_only_validly_signed_mail_and_show_gives_the_reason(self):
        box = self.new_box()
        inner = signed("inner")
        mails = {
            "valid": signed("valid"),
            "opaque": signed("opaque", opaque=True),
            "both": signed("both", "ana", "bob"),
            # In BER whose lengths stand at no beginning, as programs write what they have not read to its end.
            "streamed": signed("streamed", opaque=True, options=["-stream", "-certfile", maker().path("between", "pem")]),
            "long": signed("long", size=2 << 20),
            "changed": signed("changed", change=("100 Euro", "900 Euro")),
            "other-authority": signed("other-authority", "stranger", options=()),
            "expired": signed("expired", "late", options=()),
            "bob": signed("bob", "bob", options=()),
            "other-from": signed("other-from", sender="Ana <ana@example.com>"),
            "two": signed("two", sender="Ana <ana@example.org>, bob@example.org"),
            "weak": signed("weak", options=["-md", "sha1", "-certfile", maker().path("between", "pem")]),
            "vast": signed("vast", size=5 << 20),
            "pgp": maker().mail(PGP, subject="pgp", message_id="pgp@test.example"),
            "forwarded": maker().mail("Content-Type: message/rfc822\n\n" + inner.decode(), subject="forwarded",
                                      message_id="forwarded@test.example"),
            "plain": maker().mail("\nHello\n", subject="plain", message_id="plain@test.example"),
        }
        box.add("INBOX", list(mails.values()))
        place = self.place(box)
        self.check(place.opus("run", "--yes"))
        proven = ["valid", "opaque", "both", "streamed", "long"]
        self.assertPlaces(box, {name: "Archive" if name in proven else "Trash" if name == "changed" else "INBOX"
                                for name in mails})
        self.assertNothingMore(place, box)

        by_ana = "Signed    by ana@example.org, certificate from Example Issuer, valid"
        words = {
            **{name: by_ana for name in proven},
            "changed": "Signature BROKEN: the text was changed after it was signed",
            "other-authority": "Signed    not verified (the certificate of ana@example.org is not trusted: unable to get "
                               "local issuer certificate)",
            "expired": "Signed    not verified (the certificate of ana@example.org is out of date: certificate has "
                       "expired)",
            "bob": "Signed    not verified (the certificate is not the sender's: it is of bob@example.org)",
            "other-from": "Signed    not verified (the certificate is not the sender's: it is of ana@example.org)",
            "two": "Signed    not verified (the certificate is not the sender's: the message has 2 senders)",
            "weak": "Signed    not verified (its digest is too weak)",
            "vast": "Signed    not checked (the message is larger than 4 MiB)",
            "pgp": "Signed    not verified (PGP signatures are not checked)",
        }
        for name in mails:
            with self.subTest(name):
                lines, document = self.shown(place, name)
                self.assertEqual(lines, [words[name]] if name in words else [])
                self.assertEqual(document is None, name not in words, document)
        self.assertEqual(self.shown(place, "valid")[1],
                         {"verdict": "valid", "signer": "ana@example.org", "issuer": "Example Issuer"})
        why = place.opus("explain", place.opus("search", "subject:=bob", "--json").json["items"][0]["id"])
        self.check(why, 0, "not verified (the certificate is not the sender's")

    def test_a_long_signed_message_that_arrives_later_is_read_completely(self):
        box = self.new_box()
        box.add("INBOX", signed("first"))
        place = self.place(box)
        self.check(place.opus("sync"))
        box.add("INBOX", [signed("later"), signed("later-long", size=2 << 20)])
        self.check(place.opus("sync"))
        for name in ("first", "later", "later-long"):
            self.assertEqual(self.shown(place, name)[1]["verdict"], "valid", name)

    def test_text_and_files_inside_a_signature_are_those_of_the_message(self):
        untyped = signed("untyped", size=300, opaque=True)
        self.assertIn(b"smime-type=signed-data; ", untyped)
        box = self.new_box()
        box.add("INBOX", [signed("enclosed", size=300, opaque=True), untyped.replace(b"smime-type=signed-data; ", b"")])
        rules = ("rules-version: 1\nname: inside\nrules:\n"
                 "  - { id: pay, when: 'body:euro is:signed -is:encrypted has:pdf', then: [archive, save-attachment: In] }\n")
        place = self.place(box, rules=rules)
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"enclosed": "Archive", "untyped": "Archive"})
        self.assertEqual([len(file.read_bytes()) for file in (place.root / "attachments" / "In").rglob("*.pdf")], [225] * 2)
        for name in ("enclosed", "untyped"):
            self.assertEqual(self.shown(place, name)[1]["verdict"], "valid", name)
            found = place.opus("search", f'subject:="{name}"', "--json").json["items"][0]["id"]
            shown = self.check(place.opus("show", found), 0, "Pay 100 Euro.", "smime.p7m", "a.pdf").out
            self.assertNotIn("Encrypted", shown)

    def test_a_draft_does_not_contain_what_is_inside_its_files(self):
        box = self.new_box()
        box.add("INBOX", signed("enclosed", size=300, opaque=True))
        place = self.place(box)
        self.check(place.opus("sync"))
        found, = place.opus("list", "--json").json["items"]
        (place.root / "text").write_text("fyi\n")
        draft = self.check(place.opus("forward", found["id"], "--to", "dan@far.example", "--body", "text")).out.split()[0]
        for number in range(2):
            text = self.check(place.opus("drafts", "show", draft)).out
            (place.root / "text").write_text(text.replace("fyi", f"fyi {number}"))
            self.check(place.opus("drafts", "edit", draft, "--body", "text"))
        text = self.check(place.opus("drafts", "show", draft)).out
        self.assertEqual(text.count("Pay 100 Euro."), 1)
        self.assertEqual(text.count("smime.p7m"), 1)
        self.assertNotIn("[3]", text)

    def test_without_the_authority_nothing_is_proven(self):
        box = self.new_box()
        box.add("INBOX", signed("valid"))
        place = self.new_place(box, RULES)
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"valid": "INBOX"})
        self.assertEqual(self.shown(place, "valid")[1]["verdict"], "untrusted")

    def test_a_file_of_authorities_that_cannot_be_read_is_an_error_before_anything_is_judged(self):
        box = self.new_box()
        box.add("INBOX", signed("valid"))
        garbage = self.folder / "garbage.pem"
        garbage.write_text("-----BEGIN CERTIFICATE-----\nnothing\n-----END CERTIFICATE-----\n")
        place = self.place(box, file=garbage)
        self.check(place.opus("sync"), 78, str(garbage), "contains no readable certificates")
        self.check(place.opus("account", "check", "work"), 1, "smime", str(garbage))
        place = self.place(box, file=self.folder / "missing.pem", name="other")
        self.check(place.opus("sync"), 78, "not found", "missing.pem")

    def test_text_in_a_certificate_is_escaped(self):
        box = self.new_box()
        evil = "Bad\x1b[31m\u202eName"
        maker().authority("evil", common_name=evil)
        maker().certificate("shade", "evil", address="ana@example.org")
        box.add("INBOX", signed("escape", "shade", options=()))
        place = self.place(box)
        (self.folder / "authority.pem").write_bytes(maker().path("evil", "pem").read_bytes())
        self.check(place.opus("sync"))
        lines, document = self.shown(place, "escape")
        self.assertEqual((document["verdict"], document["issuer"]), ("valid", evil))
        self.assertNotIn("\x1b", lines[0])
        self.assertNotIn("\u202e", lines[0])

    def test_rule_tests_can_set_a_signature(self):
        tests = "tests:\n" + "".join(
            f"  - {{ name: {word}, mail: {{ from: ana@example.org, signed: {word} }}, expect: {{ rule: {rule} }} }}\n"
            for word, rule in [("valid", "proven"), ("broken", "changed"), ("untrusted", "none"), ("expired", "none"),
                               ("other-address", "none"), ("unsupported", "none"), ("unchecked", "none")])
        place = self.place(self.new_box(), rules=RULES + tests)
        self.check(place.opus("rules", "test"))
        place.write_rules(RULES + tests.replace("signed: expired", "signed: maybe"))
        self.check(place.opus("rules", "check"), 65, "'maybe'", "untrusted")
        place.write_rules(RULES)
        sieve = self.check(place.opus("rules", "export", "sieve"), 0, "not in the script: signed:valid (only opus knows it")
        self.assertNotIn("fileinto", sieve.out)


if __name__ == "__main__":
    unittest.main()
