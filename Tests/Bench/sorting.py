"""The same rules over the same inbox: opus, imapfilter and sieve-filter (Dovecot's Pigeonhole, which runs beside the
mail) look only, and then move. All must end with the same messages in the same mailboxes, else the bench fails.

Newsletters, robots and invoices are moved, because none of them is a conversation: opus moves conversations together.
The raw limit is a client that is told the UIDs and sends the moves alone; another one reads each header before, as opus
does. Over a long way (40 ms) the clients are measured once more, with the turns that they take.
"""
import json
import shutil
import sys
from pathlib import Path

import clients
from box import found
from measure import measure as run
from syncs import FAR, ROUND_TRIP
from wire import Tap

TARGET = "Sorted"
PLAN, APPLY = "plan only, {} rules", "plan and apply, {} rules"
COUNTS = (20, 200)


def rules(count):
    """[(domain, mailbox)]: those that match come last, so that every message is held against all of them."""
    real = [(f"{name}.example", f"{TARGET}-{name}") for name in [*clients.LETTERS, *clients.ROBOTS, "social", "vendor"]]
    return [(f"nobody-{number}.example", f"{TARGET}-nobody") for number in range(count - len(real))] + real


class Sorter:
    """What is measured of one program, over a mailbox of its own."""

    label, program = "", None
    environment = {}

    def __init__(self, folder, servers, mailbox, count):
        self.folder, self.servers, self.mailbox, self.rules = Path(folder), servers, mailbox, rules(count)
        self.folder.mkdir(parents=True)
        self.account = clients.Account(servers, mailbox.user)
        self.settings()

    def settings(self):
        """Writes the configuration files, for the server behind `self.account.port`."""

    def connect(self, port):
        self.account.port = port
        self.settings()

    def restore(self):
        """Everything back into the inbox."""
        client = self.servers.imap(self.mailbox.user)
        for box in {box for _, box in self.rules}:
            client.create(box)
            client.select(box)
            if moved := found(client, "ALL"):
                client.uid("MOVE", ",".join(map(str, sorted(moved))), "INBOX")
        client.logout()

    def counts(self):
        """{mailbox: number of messages} on the server."""
        client = self.servers.imap(self.mailbox.user)
        held = {}
        for box in {box for _, box in self.rules} | {"INBOX"}:
            held[box] = int(client.select(box, readonly=True)[1][0])
        client.logout()
        return held

    prepare = restore


class OpusSorter(Sorter):
    side = None

    def __init__(self, label, program, *more):
        self.label, self.program = label, program
        super().__init__(*more)

    def settings(self):
        if not self.side:
            self.side = clients.Opus(self.program, self.folder / "workspace", self.account)
        self.side.connect(self.account.port)
        config = self.side.folder / "opus.yaml"
        config.write_text(config.read_text() + "brakes: { share: 100, count: 1000000, sends: 0 }\n")
        (self.side.folder / "rules" / "bench.yaml").write_text("rules-version: 1\nname: bench\nrules:\n" + "".join(
            f"  - {{ id: r{number}, when: 'from:@{domain}', then: {{ move: {box} }} }}\n"
            for number, (domain, box) in enumerate(self.rules)))
        self.plan = self.side.command("triage", "--dry-run", "--max", "none")
        self.apply = self.side.command("triage", "--yes", "--max", "none")

    def prepare(self):
        """A store of its own for each turn: what a person puts back, rules leave alone."""
        self.restore()
        self.side.wipe()
        self.side.output(*self.side.first)


class Limit(Sorter):
    """A client that searches nothing: no program that moves the same messages is faster."""

    label, more = "raw limit: the moves alone", ()

    def settings(self):
        self.state, self.plan = self.folder / "uids.json", None
        self.apply = [sys.executable, Path(__file__).with_name("limits.py"), "move", "--port", self.account.port,
                      "--ca", self.account.ca_file, "--user", self.account.user, "--password", self.account.password,
                      "--state", self.state, *self.more]

    def prepare(self):
        self.restore()
        client = self.servers.imap(self.mailbox.user)
        client.select("INBOX", readonly=True)
        uids = {box: sorted(found(client, f'FROM "@{domain}"')) for domain, box in self.rules}
        client.logout()
        self.state.write_text(json.dumps({box: ",".join(map(str, some)) for box, some in uids.items() if some}))


class LookingLimit(Limit):
    """A client that first reads each header: no program that checks its UIDs is faster."""

    label, more = "raw limit: a look, and the moves", ("--look",)


class Imapfilter(Sorter):
    label, program = "imapfilter", "imapfilter"

    def settings(self):
        account = self.account
        self.environment = {"HOME": str(self.folder)}
        head = ("options.timeout = 120\noptions.info = false\n"
                f"a = IMAP {{ server = 'localhost', port = {account.port}, username = '{account.user}', "
                f"password = '{account.password}', ssl = 'auto' }}\n")
        body = "".join(f"r = a.INBOX:contain_from('@{domain}')\nr:move_messages(a['{box}'])\n" for domain, box in self.rules)
        look = "".join(f"r = a.INBOX:contain_from('@{domain}')\n" for domain, _ in self.rules)
        for name, text in (("plan", head + look), ("apply", head + body)):
            (self.folder / f"{name}.lua").write_text(text)
            setattr(self, name, ["imapfilter", "-t", account.ca_file, "-c", self.folder / f"{name}.lua"])


class SieveFilter(Sorter):
    label, program = "sieve-filter", "sieve-filter"

    def settings(self):
        # It reads the script as the owner of the mail.
        script = self.servers.folder / f"{self.mailbox.user}-{len(self.rules)}.sieve"
        script.write_text('require ["fileinto"];\n' + "".join(
            f'if address :domain "from" "{domain}" {{ fileinto "{box}"; stop; }}\n' for domain, box in self.rules))
        script.chmod(0o644)
        command = ["sieve-filter", "-c", self.servers.folder / "dovecot" / "dovecot.conf", "-u", self.mailbox.user]
        self.plan = [*command, script, "INBOX"]
        self.apply = [*command, "-e", "-W", script, "INBOX"]


def far(record, sides, size):
    """Each of them behind the long way."""
    results = {}
    for _ in range(max(1, min(3, record.runs))):
        for side in sides:
            side.prepare()
            port = side.account.port
            with Tap(port, ROUND_TRIP) as wire:
                side.connect(wire.port)
                figures = run(side.apply, record.log, side.environment)
            side.connect(port)
            results.setdefault(side.label, []).append(figures | wire.counts)
    record.note(APPLY.format(COUNTS[0]) + FAR, size, results)


def measure(record, folder, servers, mailbox, programs):
    """Both questions with each number of rules. `programs`: labels and paths of opus."""
    for count in COUNTS:
        sides = []
        for label, program in programs:
            name = f"{label.replace(' ', '-')}-{count}"
            sides.append(OpusSorter(label, program, folder / name, servers, mailbox, count))
        for kind in (Imapfilter, SieveFilter, Limit, LookingLimit):
            if not kind.program or shutil.which(kind.program):
                sides.append(kind(folder / f"{kind.label}-{count}", servers, mailbox, count))
            else:
                print(f"  {kind.label} is not measured: it is not installed")
        for side in sides:
            side.prepare()
        record.note(PLAN.format(count), mailbox.size, record.turns(
            [(side.label, lambda: None, side.plan, side.environment) for side in sides if side.plan]))
        ends = {}
        entries = [(side.label, side.prepare, side.apply, side.environment) for side in sides]
        record.note(APPLY.format(count), mailbox.size, record.turns(entries))
        if count == COUNTS[0]:
            far(record, [side for side in sides if not isinstance(side, SieveFilter)], mailbox.size)
        for side in sides:
            side.prepare()
            record.turns([(side.label, lambda: None, side.apply, side.environment)], runs=0)
            ends[side.label] = side.counts()
        if len({json.dumps(end, sort_keys=True) for end in ends.values()}) > 1:
            raise SystemExit(f"bench: not the same messages in the same mailboxes: {ends}")
        moved = sum(number for box, number in next(iter(ends.values())).items() if box != "INBOX")
        print(f"  the same messages in the same mailboxes: {', '.join(ends)}; {moved:,} moved")
