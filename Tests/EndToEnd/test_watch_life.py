"""The life of a watch of two accounts: deliveries, two other clients, flag storms, cuts, restarts, sleeps, kills and tokens that
expire. No mail is missed, none is doubled, and the watch does not grow.

OPUS_WATCH_ROUNDS: how many rounds; each has a delivery to both accounts and one mishap. 24 virtual hours are all rounds together.
OPUS_WATCH_MINUTES: end after this long, with the rounds that were played. OPUS_WATCH_TABLE: a file for the table.
OPUS_WATCH_PATIENCE: seconds from a delivery to the applied rule, on a busy machine.
"""
import collections
import contextlib
import imaplib
import json
import os
import random
import signal
import statistics
import threading
import time

from figures import note
from letters import letter
from servers import MailServers
from watcher import Watching
from wiretap import Wiretap
from workplace import Case

ROUNDS = int(os.environ.get("OPUS_WATCH_ROUNDS", "15"))
SEED = int(os.environ.get("OPUS_WATCH_SEED", "1"))
PATIENCE = float(os.environ.get("OPUS_WATCH_PATIENCE", "30"))
MINUTES = float(os.environ.get("OPUS_WATCH_MINUTES", "inf"))
HOURS = 24
#: From the end of a sleep to the applied rule.
SOON = 10
RULES = ("rules-version: 1\nrules:\n"
         "  - { id: news, auto: true, when: 'subject:news', then: archive }\n"
         "  - { id: bills, when: 'subject:bill', then: archive }\n")
#: Kills come first: what lives after them lives until the end, and may not grow.
MISHAPS = ("sleep", "cut", "quiet", "restart", "token", "hangup", "storm", "sleep", "command", "clients", "cut", "sleep", "cut",
           "cut")
#: A token is good for this many seconds; then the server refuses it. At least one expires each virtual hour.
TOKEN = 8 if ROUNDS < 20 else 20
TOYS = 12


class WatchLife(Case):
    kind = "imap"

    def setUp(self):
        super().setUp()
        self.server = self.enterContext(MailServers(smtp=False, mechanisms="plain xoauth2"))
        self.boxes = [self.new_box(on=self.server) for _ in range(2)]
        for box in self.boxes:
            box.create("Kept")
            box.add("INBOX", [letter(f"Toy {number}", f"toy{number}") for number in range(TOYS)])
        self.wires = [self.enterContext(Wiretap(port)) for port in (self.server.imap_port, self.server.imaps_port)]
        self.place = self.new_place(self.boxes[0], rules=RULES)
        second = self.boxes[1].yaml(name="home", port=self.wires[1].port).replace(
            "password-command: [cat, password]", "token-command: [sh, -c, 'echo >> asked; cat token']")
        self.new_token()
        self.place.configure(
            self.boxes[0].yaml(port=self.wires[0].port, security="none", host="127.0.0.1") + second,
            "brakes: { count: 100000 }\n")
        self.clients = {}
        self.over = threading.Event()
        self.expected = [{f"toy{number}": None for number in range(TOYS)} for _ in self.boxes]
        self.latencies, self.sizes = collections.defaultdict(list), []

    def new_token(self):
        token = self.server.token(self.boxes[1].user, TOKEN)
        beside = self.place.root / "token.new"
        beside.write_text(json.dumps({"access_token": token, "expires_in": 3600}))
        beside.rename(self.place.root / "token")

    def new_tokens(self):
        """What the token command prints is good for a while."""
        while not self.over.wait(TOKEN / 5):
            self.new_token()

    def start(self):
        self.watching = Watching(self.place)
        self.watching.__enter__()

    def end(self):
        self.watching.__exit__(None, None, None)

    def test_no_mishap_loses_or_doubles_mail(self):
        chance = random.Random(SEED)
        order = list(MISHAPS) * (ROUNDS // len(MISHAPS) + 1)
        chance.shuffle(order)
        order = ["kill"] * max(1, ROUNDS // 25) + order
        self.start()
        try:
            self.watching.until(lambda event: event["type"] == "listening" and event["account"] == "home")
            players = [threading.Thread(target=self.play, args=(box, SEED + number))
                       for number, box in enumerate(self.boxes)]
            players.append(threading.Thread(target=self.new_tokens))
            for player in players:
                player.start()
            end = time.monotonic() + MINUTES * 60
            for number in range(ROUNDS):
                if time.monotonic() < end:
                    self.round(number, order[number])
            self.over.set()
            for player in players:
                player.join()
            self.checks()
        finally:
            self.over.set()
            self.end()
        self.report()

    def round(self, number, mishap):
        account = number % 2
        getattr(self, f"before_{mishap}", lambda _: None)(account)
        names = [f"news{number}", f"bill{number}", f"lunch{number}"]
        for box in self.boxes:
            self.deliver(box, number)
        getattr(self, f"after_{mishap}", lambda _: None)(account)
        start = time.monotonic()
        for place, box in enumerate(self.boxes):
            self.arrives(place, names[0], mishap, start)
            self.expected[place] |= dict(zip(names, ("Archive", "INBOX", "INBOX")))
        self.sizes.append(self.size())

    def deliver(self, box, number):
        box.add("INBOX", [letter(f"{word.title()} {number}", f"{word}{number}") for word in ("news", "bill", "lunch")])

    def arrives(self, account, name, mishap, start):
        while time.monotonic() - start < PATIENCE:
            if self.holds(account, "Archive", name):
                self.latencies[mishap].append(time.monotonic() - start)
                return
            time.sleep(0.05)
        label = ("work", "home")[account]
        said = [line for line in self.watching.text.splitlines() if label in line]
        self.fail(f"{name} of {label} is not in Archive after: {mishap}\n" + "\n".join(said[-20:]))

    def holds(self, account, mailbox, name):
        """Asked over a connection that stays, because an inbox of thousands is not read again each time."""
        for _ in range(3):
            with contextlib.suppress(imaplib.IMAP4.error, OSError):
                if account not in self.clients:
                    self.clients[account] = self.boxes[account].client()
                client = self.clients[account]
                if client.select(mailbox, readonly=True)[0] != "OK":
                    return False
                return bool(client.uid("SEARCH", "HEADER", "Message-ID", f"<{name}@test.example>")[1][0])
            self.clients.pop(account, None)
            time.sleep(0.5)
        return False

    def play(self, box, seed):
        """Another client, which moves its toys to and fro and marks them, whatever the watch does meanwhile."""
        chance = random.Random(seed)
        while not self.over.is_set():
            with contextlib.suppress(imaplib.IMAP4.error, OSError):
                client = box.client()
                source, target = chance.choice((("INBOX", "Kept"), ("Kept", "INBOX")))
                client.select(source)
                uids = client.uid("SEARCH", "SUBJECT", "Toy")[1][0].split()
                if uids:
                    chosen = b",".join(chance.sample(uids, min(3, len(uids)))).decode()
                    client.uid("STORE", chosen, chance.choice(("+FLAGS", "-FLAGS")), r"(\Flagged)")
                    client.uid("MOVE", chosen, target)
                client.logout()
            self.over.wait(chance.uniform(0.5, 2))

    def checks(self):
        """Each message once, on the server and in the store."""
        for box, expected in zip(self.boxes, self.expected):
            found = collections.defaultdict(list)
            for held in box.everything():
                found[held.message_id.strip("<>").partition("@")[0]].append(held.mailbox)
            self.missed = [name for name in expected if not found[name]]
            self.doubled = [name for name in expected if len(found[name]) > 1]
            self.assertEqual((self.missed, self.doubled), ([], []))
            self.assertEqual({name: found[name] for name, mailbox in expected.items() if mailbox},
                             {name: [mailbox] for name, mailbox in expected.items() if mailbox})
        self.check(self.place.opus("sync", now=None))
        for account in ("work", "home"):
            items = self.place.opus("search", "*", "--limit", "100000", "--json", "--account", account, now=None).json
            ids = [item["messageID"] for item in items["items"]]
            self.assertEqual((len(ids), len(set(ids))), (3 * len(self.sizes) + TOYS,) * 2, f"{account}: the store has all of it")

    def size(self):
        """Resident kilobytes, those of them that no file backs, and open descriptors."""
        pid = self.watching.process.pid
        lines = dict(line.split(":", 1) for line in open(f"/proc/{pid}/status").read().splitlines())
        return pid, int(lines["VmRSS"].split()[0]), int(lines["RssAnon"].split()[0]), len(os.listdir(f"/proc/{pid}/fd"))

    # Mishaps, around a delivery

    def before_cut(self, account):
        self.wires[account].cut()

    def before_sleep(self, account):
        self.watching.signal(signal.SIGSTOP)
        for wire in self.wires:
            wire.cut()

    def after_sleep(self, account):
        time.sleep(0.5)
        self.watching.signal(signal.SIGCONT)

    def before_restart(self, account):
        self.server.pause()
        time.sleep(0.5)
        self.server.resume()

    def before_token(self, account):
        """The kept token has expired when the connection is made again."""
        time.sleep(TOKEN)
        self.wires[1].cut()

    def after_hangup(self, account):
        for _ in range(5):
            self.watching.signal(signal.SIGHUP)

    def before_storm(self, account):
        """Everything in the inbox is marked, and unmarked again."""
        client = self.boxes[account].client()
        client.select("INBOX")
        for sign in ("+", "-", "+"):
            client.uid("STORE", "1:*", sign + "FLAGS.SILENT", r"(\Flagged)")
        client.logout()

    def before_clients(self, account):
        """Another client moves mail that the watch knows."""
        for name, mailbox in list(self.expected[account].items()):
            if mailbox == "INBOX":
                self.boxes[account].move(f"<{name}@test.example>", "INBOX", "Kept")
                self.expected[account][name] = "Kept"
                break

    def after_command(self, account):
        for words in (("sync",), ("list",), ("status",)):
            self.check(self.place.opus(*words, now=None))

    def after_kill(self, account):
        time.sleep(0.05)
        self.watching.process.kill()
        self.watching.process.wait()
        self.end()
        self.start()

    # Figures

    def report(self):
        lasting = [size for size in self.sizes if size[0] == self.sizes[-1][0]]
        # The first rounds after a start fill caches.
        settled = lasting[len(lasting) // 4:]
        rounds = len(self.sizes)
        hour = rounds / HOURS
        resident, anonymous, descriptors = (slope([size[place] for size in settled]) * hour for place in (1, 2, 3))
        everything = sorted(value for values in self.latencies.values() for value in values)
        sleeps = self.latencies["sleep"]
        resumed = sum(value <= SOON for value in sleeps)
        tokens = (self.place.root / "asked").read_text().count("\n")
        rows = [("rounds, as 24 virtual hours", rounds),
                ("messages delivered", 6 * rounds),
                ("missed", 0), ("doubled", 0),
                (f"resumes within {SOON} s", f"{resumed} of {len(sleeps)}"),
                ("tokens requested", tokens),
                ("from the end of a mishap to the applied rule: median", f"{statistics.median(everything):.2f} s"),
                ("99 of 100", f"{everything[int(len(everything) * 0.99)]:.2f} s"),
                ("longest", f"{everything[-1]:.2f} s"),
                *((f"longest, {name}", f"{max(values):.2f} s") for name, values in sorted(self.latencies.items())),
                ("resident, first and last", f"{lasting[0][1] / 1024:.1f} MB, {lasting[-1][1] / 1024:.1f} MB"),
                ("of it without a file", f"{lasting[0][2] / 1024:.1f} MB, {lasting[-1][2] / 1024:.1f} MB"),
                ("growth in a virtual hour", f"{resident:.0f} kB; without a file {anonymous:.0f} kB"),
                ("descriptors, first and last", f"{lasting[0][3]}, {lasting[-1][3]}"),
                ("growth in a virtual hour", f"{descriptors:.2f}")]
        table = "| what | figure |\n|---|---|\n" + "".join(f"| {name} | {value} |\n" for name, value in rows)
        print("\n" + table, flush=True)
        if path := os.environ.get("OPUS_WATCH_TABLE"):
            with open(path, "w") as file:
                file.write(table)
        self.assertEqual(resumed, len(sleeps), "each resume is soon enough")
        self.assertLess(lasting[-1][3], lasting[0][3] + 20, "descriptors")
        if rounds >= 100:
            self.assertLess(anonymous, 512, "kilobytes in a virtual hour")
            self.assertLess(descriptors, 0.5, "descriptors in a virtual hour")
        note("watch", f"median {statistics.median(everything):.1f} s, longest {everything[-1]:.1f} s", rounds, 0)


def slope(values):
    """Of the line through them: by how much they grow from one to the next."""
    if len(values) < 3:
        return 0.0
    middle, mean = (len(values) - 1) / 2, statistics.fmean(values)
    above = sum((place - middle) * (value - mean) for place, value in enumerate(values))
    return above / sum((place - middle) ** 2 for place in range(len(values)))
