"""The same batch on Dovecot and Postfix: slower, and not of our making."""
import itertools
import os
import shutil
import time

from batch import FOREIGN, RULES, SETTINGS, SHARES, message
from boxes import IMAPBox
from letters import letter
from model import State
from servers import MAIL_UID
from workplace import Workplace

_numbers = itertools.count(1)


class RealBatch:
    """Like `batch.Batch`, with a fresh user for each try; `model` is this object itself."""

    def __init__(self, servers, folder):
        self.servers, self.folder, self.model = servers, folder, self
        self.kinds = {f"{kind}-{number}": kind for kind in SHARES for number in range(2)}
        self.first = self._new_box()
        self.first.add("INBOX", [message(name, n) for n, name in enumerate(self.kinds)])
        self.first.add("INBOX", letter("Foreign", FOREIGN, minutes=600), flags=[r"\Deleted"])
        self.first.create("Projects")

    def _new_box(self):
        return IMAPBox(self.servers, f"kill{os.getpid()}-{next(_numbers)}")

    def fresh(self):
        self.box = self._new_box()
        shutil.rmtree(self.box.folder)
        shutil.copytree(self.first.folder, self.box.folder)
        for path in (self.box.folder, *self.box.folder.rglob("*")):
            os.chown(path, MAIL_UID, MAIL_UID)
        self.address = f"{self.box.user}@far.example"
        extra = (f"    smtp: {{ host: localhost, port: {self.servers.smtps_port}, security: tls, "
                 f"ca-file: {self.servers.ca_file} }}\n")
        place = Workplace(self.folder / self.box.user, self.box.yaml(extra=extra),
                          RULES.replace("bob@acme.example", self.address), SETTINGS)
        place.person = self.address
        done = place.opus("sync")
        if done.code:
            raise RuntimeError(str(done))
        return place

    def forget(self, place):
        shutil.rmtree(place.root, ignore_errors=True)

    def names(self, *kinds):
        return [name for name, kind in self.kinds.items() if kind in kinds]

    def state(self):
        return RealState(self)


class RealState(State):
    """The state of the two servers. Postfix delivers a little later than it reports."""

    violations = ()

    def __init__(self, batch):
        self.held, self.lists = batch.box.everything(), batch.box.lists()
        self._fingerprint = batch.box.fingerprint()
        end = time.monotonic() + 0.7
        while True:
            found = [str(mail["Subject"]) for mail in batch.servers.captured() if batch.address in str(mail["To"])]
            if len(found) >= len(batch.names("send")) or time.monotonic() > end:
                break
            time.sleep(0.05)
        self.deliveries = [{"subject": subject} for subject in found]

    def fingerprint(self):
        return self._fingerprint, len(self.deliveries)
