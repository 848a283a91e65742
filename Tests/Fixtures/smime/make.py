#!/usr/bin/env python3
"""Makes the certificates and signed messages of this folder again, with the `openssl` command.

    python3 Tests/Fixtures/smime/make.py [folder]

`gnupg*.eml` (gpgsm 2.2) and `cryptography.eml` (Python's cryptography 38) are other programs' work and are not made anew;
their authority is `peers-ca.pem`. Everything is valid for a hundred years but what is called expired. Private keys are thrown away. End-to-end tests import
it and make their own, with other keys.
"""

import pathlib
import subprocess
import sys
import tempfile

CONTENT = ("Content-Type: multipart/mixed; boundary=inner\n\n--inner\nContent-Type: text/plain; charset=utf-8\n"
           "Content-Transfer-Encoding: quoted-printable\n\nPay 100 Euro to Bob=2E  \n-- \nAna\n"
           "--inner\nContent-Type: application/pdf; name=a.pdf\nContent-Disposition: attachment\n\n%PDF-1.4\n"
           "--inner--\n")

CONFIG = """
[ca]
default_ca = own
[own]
database = {folder}/index
new_certs_dir = {folder}
serial = {folder}/serial
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
[person]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = emailProtection
subjectAltName = email:{address}
[nobody]
basicConstraints = critical, CA:FALSE
extendedKeyUsage = emailProtection
[server]
basicConstraints = critical, CA:FALSE
extendedKeyUsage = serverAuth
subjectAltName = email:{address}
"""


class Maker:
    """Authorities and people in a folder of their own."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        (self.folder / "index").touch()
        (self.folder / "serial").write_text("1000\n")

    def run(self, *words, data=None):
        done = subprocess.run(["openssl", *map(str, words)], input=data, capture_output=True)
        if done.returncode != 0:
            raise RuntimeError(f"openssl {words}: {done.stderr.decode()}")
        return done.stdout

    def path(self, name, kind):
        return self.folder / f"{name}.{kind}"

    def certificate(self, name, issuer=None, kind="person", address="", start="20000101000000Z",
                    end="21000101000000Z", key=("EC", "ec_paramgen_curve:P-256"), common_name=None):
        """A key and a certificate; without an issuer it signs itself."""
        config = self.path(name, "cnf")
        config.write_text(CONFIG.format(folder=self.folder, address=address or f"{name}@example.org"))
        self.run("genpkey", "-algorithm", key[0], "-pkeyopt", key[1], "-out", self.path(name, "key"))
        self.run("req", "-utf8", "-new", "-key", self.path(name, "key"), "-subj", f"/CN={common_name or name}",
                 "-out", self.path(name, "csr"))
        signer = (["-selfsign", "-keyfile", self.path(name, "key")] if issuer is None else
                  ["-cert", self.path(issuer, "pem"), "-keyfile", self.path(issuer, "key")])
        self.run("ca", "-batch", "-notext", "-config", config, "-extensions", kind, "-startdate", start,
                 "-enddate", end, "-in", self.path(name, "csr"), "-out", self.path(name, "pem"), *signer)
        return self.path(name, "pem")

    def authority(self, name, issuer=None, common_name=None):
        return self.certificate(name, issuer, kind="authority", key=("RSA", "rsa_keygen_bits:2048"),
                                common_name=common_name)

    def sign(self, *signers, content=CONTENT, opaque=False, options=()):
        """The header fields of MIME and the body, with LF."""
        words = ["cms", "-sign", *(["-nodetach"] if opaque else []), *options]
        for name in signers:
            words += ["-signer", self.path(name, "pem"), "-inkey", self.path(name, "key")]
        return self.run(*words, data=content.encode()).decode()


def mail(body, sender="Ana <ana@example.org>", subject="Signed", message_id="signed@example.org"):
    """A message whose body comes with its own MIME fields; CRLF."""
    head = (f"From: {sender}\nTo: me@home.example\nSubject: {subject}\n"
            f"Date: Thu, 05 Mar 2026 10:00:00 +0100\nMessage-ID: <{message_id}>\n")
    return (head + body).replace("\r\n", "\n").replace("\n", "\r\n").encode()


def people(maker):
    maker.authority("ca", common_name="Example Mail Authority")
    maker.authority("between", "ca", common_name="Example Issuer")
    maker.authority("other-ca", common_name="Nobody's Authority")
    maker.certificate("ana", "between", key=("RSA", "rsa_keygen_bits:2048"))
    maker.certificate("bob", "ca")
    maker.certificate("late", "ca", address="ana@example.org", start="20200101000000Z", end="20210101000000Z")
    maker.certificate("stranger", "other-ca", address="ana@example.org")
    maker.certificate("server", "ca", kind="server", address="ana@example.org")
    maker.certificate("nobody", "ca", kind="nobody")
    maker.certificate("weak", "ca", address="ana@example.org", key=("RSA", "rsa_keygen_bits:1024"))


def main(folder):
    with tempfile.TemporaryDirectory() as place:
        maker = Maker(place)
        people(maker)
        chain = ["-certfile", maker.path("between", "pem")]
        made = {
            "valid": maker.sign("ana", options=chain),
            "opaque": maker.sign("ana", opaque=True, options=chain),
            "bob": maker.sign("bob"),
            "both": maker.sign("ana", "bob", options=chain),
            "expired": maker.sign("late"),
            "other-authority": maker.sign("stranger"),
            "server": maker.sign("server"),
            "nobody": maker.sign("nobody"),
            "weak-key": maker.sign("weak"),
            "sha1": maker.sign("ana", options=[*chain, "-md", "sha1"]),
            "no-attributes": maker.sign("ana", options=[*chain, "-noattr"]),
            "no-certificate": maker.sign("ana", options=["-nocerts"]),
            "no-chain": maker.sign("ana"),
        }
        for name, body in made.items():
            (folder / f"{name}.eml").write_bytes(mail(body))
        for name in ("ca", "other-ca"):
            (folder / f"{name}.pem").write_bytes(maker.path(name, "pem").read_bytes())


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
