"""The life of a watch: deliveries, another client, cuts, restarts, sleeps and kills. No mail is missed, none is doubled.

OPUS_WATCH_ROUNDS: how many rounds; each has one delivery and one mishap.
"""
import os
import random
import signal
import statistics
import time

from figures import note
from letters import letter
from servers import MailServers
from watcher import Watching, kind
from wiretap import Wiretap
from workplace import Case

ROUNDS = int(os.environ.get("OPUS_WATCH_ROUNDS", "8"))
SEED = int(os.environ.get("OPUS_WATCH_SEED", "1"))
#: From the end of a mishap to the applied rule. The machine of the tests may be busy.
PATIENCE = 30
RULES = ("rules-version: 1\nrules:\n"
         "  - { id: news, auto: true, when: 'subject:news', then: archive }\n"
         "  - { id: bills, when: 'subject:bill', then: archive }\n")
MISHAPS = ("quiet", "cut", "sleep", "restart", "hangup", "client", "command", "kill")


class WatchLife(Case):
    kind = "imap"

    def setUp(self):
        super().setUp()
        self.server = self.enterContext(MailServers(smtp=False))
        self.box = self.new_box(on=self.server)
        self.box.create("Kept")
        self.wire = self.enterContext(Wiretap(self.server.imap_port))
        self.place = self.new_place(self.box, rules=RULES, settings="brakes: { count: 100000 }\n")
        self.place.configure(self.box.yaml(port=self.wire.port, security="none", host="127.0.0.1"),
                             "brakes: { count: 100000 }\n")

    def start(self):
        self.watching = Watching(self.place)
        self.watching.__enter__()

    def end(self):
        self.watching.__exit__(None, None, None)

    def test_no_mishap_loses_or_doubles_mail(self):
        chance = random.Random(SEED)
        order = list(MISHAPS) * (ROUNDS // len(MISHAPS) + 1)
        chance.shuffle(order)
        self.expected, latencies, sizes = {}, [], []
        self.start()
        try:
            self.watching.until(kind("listening"))
            for number in range(ROUNDS):
                before = getattr(self, f"before_{order[number]}", lambda: None)
                after = getattr(self, f"after_{order[number]}", lambda: None)
                before()
                names = [f"news{number}", f"bill{number}", f"lunch{number}"]
                self.deliver(number)
                after()
                latencies.append(self.arrives(names[0], "Archive", order[number]))
                self.expected |= dict(zip(names, ("Archive", "INBOX", "INBOX")))
                sizes.append(self.size())
            self.assertPlaces(self.box, self.expected)
            time.sleep(1)
            known = {item["subject"] for item in self.place.opus("search", "*", "--limit", "100000", "--json",
                                                                 now=None).json["items"]}
            self.assertEqual(len(known), 3 * ROUNDS, "the store has all of it")
        finally:
            self.end()
        self.assertLess(max(latencies), PATIENCE)
        self.assertLess(sizes[-1][1], sizes[0][1] + 20, "descriptors")
        note("watch", f"median {statistics.median(latencies):.1f} s, longest {max(latencies):.1f} s, "
                      f"{sizes[0][0]} to {sizes[-1][0]} MB, {sizes[0][1]} to {sizes[-1][1]} descriptors", ROUNDS, 0)

    def deliver(self, number):
        self.box.add("INBOX", [letter(f"{word.title()} {number}", f"{word}{number}")
                               for word in ("news", "bill", "lunch")])

    def arrives(self, name, mailbox, mishap):
        start = time.monotonic()
        while time.monotonic() - start < PATIENCE:
            if self.box.where(f"{name}@test.example") == [mailbox]:
                return time.monotonic() - start
            time.sleep(0.1)
        self.fail(f"{name} is not in {mailbox} after: {mishap}\n{self.watching.text[-3000:]}")

    def size(self):
        """Resident megabytes and open descriptors."""
        pid = self.watching.process.pid
        pages = int(open(f"/proc/{pid}/statm").read().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") >> 20, len(os.listdir(f"/proc/{pid}/fd"))

    # Mishaps, around a delivery

    def before_cut(self):
        self.wire.cut()

    def before_sleep(self):
        self.watching.signal(signal.SIGSTOP)
        self.wire.cut()

    def after_sleep(self):
        time.sleep(0.5)
        self.watching.signal(signal.SIGCONT)

    def before_restart(self):
        self.server.pause()
        time.sleep(0.5)
        self.server.resume()

    def after_hangup(self):
        for _ in range(5):
            self.watching.signal(signal.SIGHUP)

    def before_client(self):
        """Another client moves mail that the watch knows, and flags the rest."""
        for name, mailbox in list(self.expected.items()):
            if mailbox == "INBOX":
                self.box.move(f"<{name}@test.example>", "INBOX", "Kept")
                self.expected[name] = "Kept"
                break
        for name, mailbox in self.expected.items():
            if mailbox == "INBOX":
                self.box.mark("INBOX", f"<{name}@test.example>", add=[r"\Flagged"])

    def after_command(self):
        for words in (("sync",), ("list",), ("status",)):
            self.check(self.place.opus(*words, now=None))

    def after_kill(self):
        time.sleep(0.05)
        self.watching.process.kill()
        self.watching.process.wait()
        self.end()
        self.start()
