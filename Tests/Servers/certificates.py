"""Certificates made on the spot with openssl: one authority the tests trust, one they must not trust."""
import subprocess
from pathlib import Path


class Authority:
    """A certificate authority in a folder of its own."""

    def __init__(self, folder, name):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.ca_file = self.folder / "ca.pem"
        self._key = self.folder / "ca.key"
        if not self.ca_file.exists():
            self._new_key(self._key)
            _openssl("req", "-x509", "-new", "-key", self._key, "-sha256", "-days", "30", "-subj", f"/CN={name}",
                     "-addext", "keyUsage=critical,keyCertSign,cRLSign", "-out", self.ca_file)

    def issue(self, label, names=("DNS:localhost", "IP:127.0.0.1"), expired=False):
        """(certificate file, key file) for a server; `names` are its subject alternative names."""
        certificate, key = self.folder / f"{label}.pem", self.folder / f"{label}.key"
        request, extensions = self.folder / f"{label}.csr", self.folder / f"{label}.cnf"
        self._new_key(key)
        extensions.write_text("basicConstraints=CA:FALSE\nkeyUsage=digitalSignature\n"
                              f"extendedKeyUsage=serverAuth\nsubjectAltName={','.join(names)}\n")
        _openssl("req", "-new", "-key", key, "-subj", f"/CN={label}", "-out", request)
        # A certificate that ends before it starts to be used: `-days -1` is what openssl x509 offers for that.
        _openssl("x509", "-req", "-in", request, "-CA", self.ca_file, "-CAkey", self._key, "-CAcreateserial",
                 "-days", "-1" if expired else "30", "-sha256", "-extfile", extensions, "-out", certificate)
        return certificate, key

    def sign_itself(self, label):
        """(certificate file, key file) that no authority vouches for: what a bridge on one's own machine has."""
        certificate, key = self.folder / f"{label}.pem", self.folder / f"{label}.key"
        self._new_key(key)
        _openssl("req", "-x509", "-new", "-key", key, "-sha256", "-days", "30", "-subj", f"/CN={label}",
                 "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-out", certificate)
        return certificate, key

    @staticmethod
    def _new_key(path):
        _openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", path)
        path.chmod(0o600)


def fingerprint(certificate):
    """What a user would pin, as openssl prints it: AA:BB:…"""
    done = _openssl("x509", "-in", certificate, "-noout", "-fingerprint", "-sha256")
    return done.stdout.strip().partition("=")[2]


def _openssl(*arguments):
    done = subprocess.run(["openssl", *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"openssl {arguments[0]} failed: {done.stderr.strip()}")
    return done
