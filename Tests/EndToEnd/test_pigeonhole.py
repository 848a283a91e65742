"""Pigeonhole as reference: Sieve scripts run by Dovecot's own sieve-filter, and imported as rules and run by opus, over the
same mailbox on the same server. The same messages have to end in the same mailboxes with the same marks; where they do
not, the difference stands in DIFFERENCES with its reason, and nowhere else."""
import os
import shutil
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor

from letters import letter, with_parts
from workplace import Case, servers

BOXES = ["A", "B", "C", "D", "Archive", "Junk", "Trash", "Sent", "Drafts"]


def mailbox():
    """{name: bytes}: no two of one conversation, because opus moves conversations together."""
    rows = [
        ("plain", {}), ("invoice", dict(subject="Invoice INV-2041", sender="Vendor Billing <billing@vendor.example>")),
        ("invoices", dict(subject="Invoices of March", sender="billing@sub.vendor.example")),
        ("voice", dict(subject="Your voice counts", sender="Vote <vote@city.example>")),
        ("offer", dict(subject="Special OFFER today", sender="Shop <offers@shop.example>")),
        ("quoted", dict(subject='He said "offer", twice')), ("stars", dict(subject="5 * 3 is [15] (fifteen)")),
        ("backslash", dict(subject="a\\b and c?")), ("blank", dict(subject="two  blanks   here")),
        ("empty", dict(subject="")), ("umlaut", dict(subject="=?utf-8?q?Gr=C3=BC=C3=9Fe_aus_K=C3=B6ln?=")),
        ("cyrillic", dict(subject="=?utf-8?b?0J/RgNC40LLQtdGC?=", sender="=?utf-8?b?0JjQstCw0L0=?= <ivan@ru.example>")),
        ("list", dict(subject="[users] a question", headers={"List-Id": "Users <users.lists.example>"})),
        ("list2", dict(subject="[devel] a patch", headers={"List-Id": "<devel.lists.example>", "Precedence": "list"})),
        ("bulk", dict(subject="Catalogue", headers={"Precedence": "bulk", "List-Unsubscribe": "<https://x.example/u>"})),
        ("spam", dict(subject="Cheap pills", sender="x@spam.example", headers={"X-Spam-Flag": "YES", "X-Spam-Score": "12"})),
        ("ham", dict(subject="Score", headers={"X-Spam-Flag": "NO", "X-Spam-Score": "2"})),
        ("copied", dict(subject="For your information", to="Kim <kim@acme.example>", headers={"Cc": "Ana <ana@acme.example>"})),
        ("many", dict(subject="To many", to="a@one.example, B <b@two.example>, ana@acme.example")),
        ("detail", dict(subject="With a detail", to="ana+shop@acme.example")),
        ("details", dict(subject="With two details", to="ana+shop+sale@acme.example")),
        ("resent", dict(subject="Passed on", headers={
            "Resent-From": '"x, a@two.example" <b@one.example>', "Resent-To": "B <b@two.example>, Ana <Ana@acme.example>"})),
        ("resent2", dict(subject="Passed on again", headers={"Resent-From": "B <b@two.example>"})),
        ("delivered", dict(subject="Delivered", headers={"Delivered-To": "ana+x@acme.example"})),
        ("name", dict(subject="From a name", sender='"Miller, J." <j.miller@customer.example>')),
        ("upper", dict(subject="SHOUTING", sender="BOSS@ACME.EXAMPLE")),
        ("replyto", dict(subject="Elsewhere", headers={"Reply-To": "desk@help.example"})),
        ("auto", dict(subject="Nightly report", sender="no-reply@ci.example", headers={"Auto-Submitted": "auto-generated"})),
        ("bounce", dict(subject="Undelivered", sender="MAILER-DAEMON@mx.example")),
        ("big", dict(subject="Film", body="x" * 70 + "\n" + ("y" * 70 + "\n") * 900)),
        ("body", dict(subject="Have a look", body="Please unsubscribe me.\nThe secret word is Rosebud.\n")),
        ("twice", dict(subject="Two of them", headers={"X-Tag": "one"})),
        ("old", dict(subject="Of last year", headers={"Date": "Mon, 06 Jan 2025 10:00:00 +0000"})),
        ("sunday", dict(subject="On a Sunday", headers={"Date": "Sun, 08 Mar 2026 12:00:00 +0000"})),
        ("quarter", dict(subject="At a quarter to eight", minutes=45)),
        ("ticket", dict(subject="[#4711] Printer", sender="desk@help.example")),
        ("prio", dict(subject="Important", headers={"X-Priority": "1"})),
        ("spoof", dict(subject="Urgent", sender='"billing@vendor.example" <x@evil.example>')),
        ("hops", dict(subject="By two", headers={"X-Hop": "one\nX-Hop: two"})),
        ("hops2", dict(subject="By two others", headers={"X-Hop": "two\nX-Hop: one"})),
        ("hops1", dict(subject="By one", headers={"X-Hop": "one"})),
        ("zone", dict(subject="From elsewhere", headers={"Date": "Tue, 01 Dec 2026 23:30:05 +0900"})),
        ("sender", dict(subject="Sent for", headers={"Sender": "Office <office@acme.example>"})),
    ]
    mails = {name: letter(options.pop("subject", "Hello"), name, **options) for name, options in
             ((name, dict(options)) for name, options in rows)}
    mails["html"] = letter("In HTML", "html", body="<p>The secret <b>word</b> is Rosebud.</p>\n",
                           headers={"Content-Type": "text/html; charset=utf-8"})
    mails["pdf"] = with_parts("A file", [("Content-Type: text/plain", "See the file."), (
        'Content-Type: application/pdf; name="a.pdf"\nContent-Disposition: attachment; filename="a.pdf"', "JVBERi0=")], "pdf")
    return mails


R = 'require ["fileinto", "imap4flags", "body", "relational", "comparator-i;ascii-numeric", "variables", "regex", ' \
    '"envelope", "subaddress", "mailbox", "date", "copy", "index"];\n'
A, B, C, D = (f'fileinto "{box}";' for box in "ABCD")
S = "\\\\Seen"
NUMERIC = ':comparator "i;ascii-numeric"'

#: name: script without its `require`. `duplicate` is not among them: sieve-filter has no memory of deliveries ("duplicate
#: checking not available in this context") and always answers no; test_duplicates.py has the answers of opus.
SCRIPTS = {
    "subject-contains": f'if header :contains "subject" "voice" {{ {A} }}',
    "subject-is": f'if header :is "subject" "Invoice INV-2041" {{ {A} }}',
    "subject-is-caseless": f'if header "subject" "invoice inv-2041" {{ {A} }}',
    "subject-matches": f'if header :matches "subject" "*invoice*" {{ {A} }}',
    "subject-matches-question": f'if header :matches "subject" "Invoice?*" {{ {A} }}',
    "subject-matches-escaped": f'if header :matches "subject" "5 \\\\* 3*" {{ {A} }}',
    "subject-quotes": f'if header :contains "subject" "\\"offer\\"" {{ {A} }}',
    "subject-backslash": f'if header :contains "subject" "a\\\\b" {{ {A} }}',
    "subject-octet": f'if header :comparator "i;octet" :contains "subject" "OFFER" {{ {A} }}',
    "subject-empty": f'if header :is "subject" "" {{ {A} }}',
    "subject-umlaut": f'if header :contains "subject" "Grüße" {{ {A} }}',
    "subject-cyrillic": f'if header :contains "subject" "Привет" {{ {A} }}',
    "subject-brackets": f'if header :contains "subject" "[15] (f" {{ {A} }}',
    "subject-regex": f'if header :regex "subject" "^\\\\[#[0-9]+\\\\]" {{ {A} }}',
    "subject-regex-or": f'if header :regex "subject" "(patch|question)$" {{ {A} }}',
    "two-keys": f'if header :contains "subject" ["voice", "pills"] {{ {A} }}',
    "two-fields": f'if header :contains ["subject", "list-id"] "users" {{ {A} }}',
    "from-contains": f'if header :contains "from" "vendor" {{ {A} }}',
    "from-name": f'if header :contains "from" "Miller, J." {{ {A} }}',
    "address-is": f'if address :is "from" "billing@vendor.example" {{ {A} }}',
    "address-caseless": f'if address :is "from" "boss@acme.example" {{ {A} }}',
    "address-domain": f'if address :domain "from" "vendor.example" {{ {A} }}',
    "address-domain-matches": f'if address :domain :matches "from" "*.vendor.example" {{ {A} }}',
    "address-localpart": f'if address :localpart "from" "no-reply" {{ {A} }}',
    "address-all-matches": f'if address :matches "from" "*@*.example" {{ {A} }}',
    "address-two-fields": f'if address :is ["to", "cc"] "ana@acme.example" {{ {A} }}',
    "address-one-of-many": f'if address :is "to" "b@two.example" {{ {A} }}',
    "address-user": f'if address :user "to" "ana" {{ {A} }}',
    "address-detail": f'if address :detail "to" "shop" {{ {A} }}',
    "address-user-contains": f'if address :user :contains "to" "sho" {{ {A} }} elsif address :user :matches "to" "a?a" {{ {B} }}',
    "address-user-plus": f'if not address :user "to" "ana+shop" {{ {A} }}',
    "address-detail-parts": f'if address :detail "to" "sale" {{ {A} }} elsif address :detail :matches "to" "*s*" {{ {B} }}',
    "address-resent": f'if address :domain "resent-from" "two.example" {{ {A} }} elsif address ["resent-to"] "ana@acme.example" {{ {B} }}',
    "address-delivered": f'if address :user "delivered-to" "ana" {{ {A} }}',
    "address-octet": f'if address :localpart :comparator "i;octet" "from" "boss" {{ {A} }} elsif address :localpart :comparator "i;octet" "from" "BOSS" {{ {B} }}',
    "address-of-name": f'if address :contains "from" "billing@vendor" {{ {A} }}',
    "from-address": f'if header :contains "from" "billing@vendor.example" {{ {A} }}',
    "index-first": f'if header :index 1 :contains "x-hop" "one" {{ {A} }}',
    "index-second": f'if header :index 2 :contains "x-hop" "one" {{ {A} }}',
    "index-last": f'if header :index 1 :last :is "x-hop" "one" {{ {A} }}',
    "index-last-second": f'if header :last :index 2 :matches "x-hop" "o*" {{ {A} }}',
    "index-subject": f'if header :index 1 "subject" "SHOUTING" {{ {A} }} elsif header :index 2 :contains "subject" "" {{ {B} }}',
    "index-address": f'if address :index 1 :domain "from" "vendor.example" {{ {A} }} elsif address :index 2 "resent-from" "b@one.example" {{ {B} }}',
    "reply-to": f'if address :domain "reply-to" "help.example" {{ {A} }}',
    "sender": f'if address :is "sender" "office@acme.example" {{ {A} }}',
    "exists": f'if exists "x-spam-flag" {{ {A} }}',
    "exists-two": f'if exists ["list-id", "precedence"] {{ {A} }}',
    "not-exists": f'if not exists "list-id" {{ {A} }}',
    "list-id": f'if header :contains "list-id" "<users.lists.example>" {{ {A} }}',
    "spam-flag": f'if header :is "x-spam-flag" "yes" {{ fileinto "Junk"; stop; }}',
    "size-over": f'if size :over 50K {{ {A} }}',
    "size-under": f'if not size :under 50K {{ {A} }}',
    "allof": f'if allof (header :contains "subject" "offer", address :domain "from" "shop.example") {{ {A} }}',
    "anyof": f'if anyof (header :contains "subject" "offer", address :domain "from" "ci.example") {{ {A} }}',
    "not-allof": f'if not anyof (exists "list-id", exists "precedence", address :domain "from" "acme.example") {{ {A} }}',
    "nested": f'if allof (not header :contains "subject" "a", anyof (size :over 1K, exists "x-tag")) {{ {A} }}',
    "elsif": f'if exists "list-id" {{ {A} }} elsif header :contains "subject" "i" {{ {B} }} else {{ {C} }}',
    "elsif-flags": f'if exists "list-id" {{ addflag "{S}"; }} elsif exists "precedence" {{ {B} }}',
    "stop": f'if exists "list-id" {{ stop; }} {A}',
    "keep-first": f'if exists "list-id" {{ keep; stop; }} if header :contains "subject" "a" {{ {A} }}',
    "two-rules": f'if header :contains "subject" "users" {{ {A} stop; }} if exists "list-id" {{ {B} }}',
    "discard": 'if header :is "x-spam-flag" "YES" { discard; }',
    "discard-stop": f'if address :domain "from" "spam.example" {{ discard; stop; }} if exists "x-spam-flag" {{ {A} }}',
    "always": A, "true": f"if true {{ {A} }}", "false": f"if false {{ {A} }}", "nothing": "keep;",
    "addflag": f'if exists "list-id" {{ addflag "{S}"; }}',
    "addflag-file": f'if exists "list-id" {{ addflag "\\\\Flagged"; {A} }}',
    "addflag-two": f'addflag ["\\\\Flagged", "$label1"]; if exists "list-id" {{ {A} }}',
    "setflag-removeflag": f'if exists "list-id" {{ setflag ["{S}", "\\\\Flagged"]; removeflag "{S}"; }}',
    "file-flags": f'if exists "precedence" {{ fileinto :flags "{S}" "B"; }}',
    "keep-flags": 'if exists "x-priority" { keep :flags "\\\\Flagged"; }',
    "body-contains": f'if body :text :contains "rosebud" {{ {A} }}',
    "body-plain": f'if body :contains "unsubscribe me" {{ {A} }}',
    "count": f'if header :count "ge" :comparator "i;ascii-numeric" "list-id" "1" {{ {A} }}',
    "value": f'if header :value "gt" :comparator "i;ascii-numeric" "x-spam-score" "5" {{ {A} }}',
    "variable": f'set "box" "B"; if exists "list-id" {{ fileinto "${{box}}"; }}',
    "create": 'if exists "x-tag" { fileinto :create "C"; }',
    "mailboxexists": f'if mailboxexists "A" {{ if exists "list-id" {{ {A} }} }}',
    "date": f'if date :value "lt" "date" "date" "2025-06-01" {{ {A} }}',
    "date-keys": f'if date :is "date" "date" ["2025-01-06", "2026-03-08"] {{ {A} }}',
    "date-between": f'if allof (date :value "gt" "date" "date" "2026-02-31", date :value "le" "date" "date" "2026-03-08") {{ {A} }}',
    "date-matches": f'if date :matches "date" "date" "2025-*" {{ {A} }}',
    "date-numeric": f'if date :value "lt" {NUMERIC} "date" "date" "2026-01-01" {{ {A} }}',
    "date-other-day": f'if date :value "ne" "date" "date" "2026-03-10" {{ {A} }}',
    "year": f'if date "date" "year" "2025" {{ {A} }}',
    "year-from": f'if date :value "ge" "date" "year" "2026" {{ {A} }}',
    "year-month": f'if allof (date "date" "year" ["2025", "2026"], date "date" "month" "01") {{ {A} }}',
    "year-month-day": f'if allof (date "date" "year" "2026", date "date" "month" "03", date :value "lt" "date" "day" "10") {{ {A} }}',
    "month": f'if date "date" "month" "12" {{ {A} }} elsif date :value "lt" "date" "month" "03" {{ {B} }}',
    "month-day": f'if allof (date "date" "month" ["01", "03"], date :value "lt" "date" "day" "09") {{ {A} }}',
    "day-contains": f'if date :contains "date" "day" "6" {{ {A} }}',
    "date-index": f'if date :index 1 "date" "month" "12" {{ {A} }}',
    "iso8601": f'if date :value "ge" "date" "iso8601" "2026-03-10T11:30:00" {{ {A} }}',
    "iso8601-before": f'if date :value "le" "date" "iso8601" "2026-03-10T08:00:00" {{ {A} }}',
    "iso8601-matches": f'if date :matches "date" "iso8601" "2026-03-10T07:*" {{ {A} }}',
    "iso8601-zone": f'if date :zone "+0100" "date" "iso8601" "2026-12-01T15:30:05+01:00" {{ {A} }}',
    "zone-original": f'if date :originalzone "date" "zone" "+0900" {{ {A} }}',
    "zone-zero": f'if date :originalzone "date" "zone" "+0000" {{ {A} }}',
    "zone-named": f'if allof (date :zone "+0200" "date" "zone" "+0200", exists "x-tag") {{ {A} }}',
    "julian": f'if date :value "le" "date" "julian" "61107" {{ {A} }}',
    "hour": f'if date "date" "hour" "13" {{ {A} }}',
    "hour-list": f'if date "date" "hour" ["11", "12", "13"] {{ {A} }}',
    "hour-night": f'if date "date" "hour" ["22", "23", "00", "07"] {{ {A} }}',
    "hour-short": f'if date :value "ge" "date" "hour" "8" {{ {A} }}',
    "hour-numeric": f'if date :value "ge" {NUMERIC} "date" "hour" "8" {{ {A} }}',
    "minute": f'if date "date" "minute" "00" {{ {A} }}',
    "minute-half": f'if date :value "ge" "date" "minute" "30" {{ {A} }}',
    "minute-of-hour": f'if allof (date "date" "hour" "11", date :value "lt" "date" "minute" "15") {{ {A} }}',
    "time": f'if date :value "ge" "date" "time" "11:00:00" {{ {A} }}',
    "time-after": f'if date :value "gt" "date" "time" "11:00:00" {{ {A} }}',
    "time-short": f'if date :value "le" "date" "time" "11:00" {{ {A} }}',
    "time-exact": f'if date "date" "time" "11:00:00" {{ {A} }}',
    "weekday": f'if date "date" "weekday" ["0", "1"] {{ {A} }}',
    "weekday-from": f'if date :value "le" "date" "weekday" "1" {{ {A} }}',
    "currentdate": f'if allof (currentdate :value "ge" "date" "2026-01-01", exists "x-tag") {{ {A} }}',
    "copy": 'if exists "x-tag" { fileinto :copy "A"; }',
    "two-places": f'if exists "list-id" {{ {A} {B} }}',
    # sieve-filter forwards nothing either: the message stays.
    "redirect": f'if exists "list-id" {{ redirect "bob@acme.example"; }} if exists "x-tag" {{ {A} }}',
    "else-only": f'if header :contains "subject" "e" {{ keep; }} else {{ {D} }}',
    "chain": f'if size :over 50K {{ {A} stop; }}\nif exists "list-id" {{ addflag "{S}"; {B} stop; }}\n'
             f'if address :domain "from" "vendor.example" {{ {C} stop; }}\nif header :contains "subject" "Special" {{ {D} }}',
}

#: script: (messages that end differently, the reason).
DIFFERENCES = {
    "discard": ({"spam"}, "moves the message to the trash instead of deleting it"),
    "discard-stop": ({"spam"}, "moves the message to the trash instead of deleting it"),
    "from-address": ({"spoof"}, "compares the addresses, and not the names beside them"),
    "two-places": ({"list", "list2"}, "a message has only one place; no second copy is made"),
}


@unittest.skipUnless(shutil.which("sieve-filter") and os.geteuid() == 0, "takes sieve-filter (dovecot-sieve), as root")
class Referee(Case):
    kind = "imap"

    def fill(self, box, mails):
        """The mailbox as files, before Dovecot has seen it."""
        folder = box.folder
        for name in ["", *("." + name for name in BOXES)]:
            for part in ("cur", "new", "tmp"):
                (folder / name / part).mkdir(parents=True, exist_ok=True)
            if name:
                (folder / name / "maildirfolder").touch()
        for number, (name, mail) in enumerate(mails.items()):
            (folder / "cur" / f"{1773126000 + number}.{name}.host:2,").write_bytes(mail)
        owner = folder.stat()
        subprocess.run(["chown", "-R", f"{owner.st_uid}:{owner.st_gid}", str(folder)], check=True)

    def places(self, box):
        """{message: {(mailbox, marks)}}"""
        found = {}
        for held in box.everything():
            name = held.message_id.strip("<>").partition("@")[0]
            marks = frozenset(flag.lower() for flag in held.flags if flag != "\\Recent")
            found.setdefault(name, set()).add((held.mailbox, marks))
        return found

    def sieve_filter(self, script, box):
        done = subprocess.run(
            ["sieve-filter", "-c", str(servers().folder / "dovecot" / "dovecot.conf"), "-u", box.user, "-e", "-W", str(script),
             "INBOX", "expunge"], capture_output=True, text=True, env=os.environ | {"TZ": "Europe/Paris"})
        self.assertEqual(done.returncode, 0, f"{script.read_text()}\n{done.stderr}")
        return self.places(box)

    def new_boxes(self, mails, count):
        boxes = [self.new_box() for _ in range(count)]
        for box in boxes:
            self.fill(box, mails)
        return boxes

    @staticmethod
    def words(mails, expected, actual):
        return "; ".join(f"{mail}: sieve {sorted(map(repr, expected.get(mail, set())))}, opus {sorted(map(repr, actual.get(mail, set())))}"
                         for mail in sorted(mails))

    def compare(self, name, text, mails):
        """Whether Sieve moved any message, whether the rules can be exported again, and unexpected differences."""
        script = self.folder / f"{name}.sieve"
        script.write_text(R + text + "\n")
        theirs, ours, again = self.new_boxes(mails, 3)
        expected = self.sieve_filter(script, theirs)
        place = self.new_place(ours, "rules-version: 1\nrules: []\n", name=f"w-{name}")
        imported = self.check(place.opus("rules", "import", script, "--out", place.root / "rules" / "20-sieve.yaml"))
        self.check(place.opus("run", "--yes", "--max", "none"))
        actual, problems = self.places(ours), []
        moved = any(places != {("INBOX", frozenset())} for places in expected.values())
        different = {mail for mail in mails if expected.get(mail) != actual.get(mail)}
        if different != DIFFERENCES.get(name, (set(), ""))[0]:
            problems.append(f"{name}: " + self.words(different, expected, actual) + "\n" + imported.err)
        elif different:
            # The import reported what gets lost.
            self.assertRegex(imported.err, "not translated|changed", name)
        back = self.check(place.opus("rules", "export", "sieve", "--json")).json
        if not back["notes"]:
            script.write_text(back["text"])
            returned = self.sieve_filter(script, again)
            different = {mail for mail in mails if returned.get(mail) != actual.get(mail)}
            if different:
                problems.append(f"{name}, exported: " + self.words(different, returned, actual) + "\n" + back["text"])
        return moved, not back["notes"], problems

    def test_the_same_messages_end_in_the_same_mailboxes(self):
        """Sieve against the imported rules, and these rules against the script that they are exported to."""
        self.assertGreaterEqual(len(SCRIPTS), 60)
        mails = mailbox()
        self.folder.chmod(0o755)     # sieve-filter reads the script as the mail user
        with ThreadPoolExecutor(3) as pool:
            found = list(pool.map(lambda script: self.compare(*script, mails), SCRIPTS.items()))
        problems = [problem for _, _, some in found for problem in some]
        self.assertEqual(problems, [], "\n\n" + "\n".join(problems))
        # Nearly all scripts move a message, and nearly all can be exported again, except those with dates.
        self.assertGreater(sum(moved for moved, _, _ in found), len(SCRIPTS) - 5)
        self.assertGreater(sum(exported for _, exported, _ in found),
                           sum("date " not in text for text in SCRIPTS.values()) * 9 / 10)


if __name__ == "__main__":
    unittest.main()
