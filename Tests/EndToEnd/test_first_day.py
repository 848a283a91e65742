"""The first day of a mailbox with history, and lists: row numbers, limits, the pager."""

import shutil

from letters import letter
from terminal import answered, on_terminal
from workplace import on_both

RULES = """\
rules-version: 1
name: first
rules:
  - { id: pay, when: 'subject:invoice', then: [{ task: { title: 'Pay {{subject}}', list: next, due: '{{date-in-body}}' } }, { label: money }] }
  - { id: answer, when: 'subject:question', then: [{ delegate: { to: bob@acme.example } }] }
"""
DAY = 24 * 60
NEXT = "2026-03-11T08:30:00+01:00"


@on_both
class FirstDay:
    def lay(self, settings=""):
        box = self.new_box()
        for mailbox in ("Archive", "Drafts", "Sent"):
            if mailbox not in box.names():
                box.create(mailbox)
        old = -60 * DAY
        box.add("INBOX", [
            letter("Invoice 1", "old", minutes=old, body="Please pay by 20 January 2026.\n"),
            letter("Question 1", "older", minutes=old - 5), letter("Lunch", "lunch", minutes=old - 9),
            letter("Plan", "plan", minutes=old - 20),
            letter("Invoice 2", "past", minutes=-3 * DAY, body="Please pay by 9 March 2026.\n"),
            letter("Invoice 3", "new", minutes=-2 * DAY, body="Please pay by 20 March 2026.\n"),
            letter("Re: Plan", "again", minutes=-DAY, headers={"In-Reply-To": "<plan@test.example>"})])
        box.add("INBOX", letter("Keep me", "flag", minutes=old), (r"\Flagged",))
        return box, self.new_place(box, RULES, settings)

    def test_mail_that_the_rules_protect_is_counted_apart(self):
        box, place = self.lay()
        place.write_rules(RULES + "protect:\n  - lunch: subject:lunch\n")
        self.check(place.opus("sync"))
        self.check(place.opus("triage", "--first", "--dry-run"), 0, "not flagged: 2 → archive, no tasks",
                   "and protected by your rules: 1 → stay")
        self.check(place.opus("triage", "--first", "--yes", "--max", "none"))
        self.assertPlaces(box, {"old": "Archive", "older": "Archive", "lunch": "INBOX", "flag": "INBOX"})

    def tasks(self, place):
        return sorted(item["summary"] for item in place.opus("task", "list", "--json").json["items"])

    def test_the_backlog_is_archived_without_tasks_and_all_of_it_is_one_run(self):
        box, place = self.lay()
        self.check(place.opus("sync"))
        before = box.fingerprint()
        shown = self.check(place.opus("triage", "--first", "--dry-run"), 0, "8 messages in the inbox",
                           "older than 21 days and not flagged: 3 → archive, no tasks",
                           "older than 21 days and flagged: 1 → stay", "newer: 4 → your rules")
        self.assertEqual(box.fingerprint(), before)
        self.assertNotIn("Pay Invoice 1", shown.out)
        self.assertNotIn("Invoice 1", shown.out)
        self.check(place.opus("triage", "--first"), 64, "--yes")
        self.check(place.opus("triage", "--first", "--again"), 64, "--first alone")
        self.check(place.opus("triage", "--first", "--yes", "--max", "none"))
        self.assertPlaces(box, {"old": "Archive", "older": "Archive", "lunch": "Archive", "plan": "INBOX",
                                "again": "INBOX", "flag": "INBOX", "past": "INBOX", "new": "INBOX"})
        self.assertEqual(self.tasks(place), ["Pay Invoice 3"])
        self.assertEqual(box.held("Drafts"), [])
        self.assertIn("money", box.find("INBOX", "past@test.example").flags)
        self.assertEqual([run["command"] for run in place.opus("runs", "--json").json["items"]], ["triage"])
        self.check(place.opus("undo", "--yes"))
        self.assertEqual(sorted(box.subjects("INBOX")), sorted(
            ["Invoice 1", "Question 1", "Lunch", "Plan", "Invoice 2", "Invoice 3", "Re: Plan", "Keep me"]))
        self.assertEqual(self.tasks(place), [])

    def test_old_mail_that_changes_before_the_answer_stays(self):
        box, place = self.lay()
        box.add("INBOX", letter("Rubbish", "rubbish", minutes=-50 * DAY))
        self.check(place.opus("sync"))

        def meanwhile(_):
            box.mark("INBOX", "rubbish@test.example", add=[r"\Deleted"])
            box.mark("INBOX", "old@test.example", add=[r"\Flagged"])
            box.move("older@test.example", "INBOX", "Projects")
            box.add("INBOX", letter("Old too", "late", minutes=-70 * DAY))
            return b"y\n"

        code, output = answered(place, ["triage", "--first"], meanwhile)
        self.assertEqual(code, 0, output)
        self.assertRegex(output, "skipped .*Invoice 1: its conversation has a flag, an open task or newer mail now")
        self.assertRegex(output, "skipped .*Question 1: the message was moved or deleted since")
        self.assertRegex(output, "skipped .*Rubbish: its flags or labels changed since")
        self.assertPlaces(box, {"old": "INBOX", "older": "Projects", "lunch": "Archive", "late": "INBOX", "rubbish": "INBOX"})

    def test_the_backlog_suggests_no_rule(self):
        box = self.new_box()
        box.add("INBOX", [letter(f"Digest {day}", minutes=-1440 * day, sender="News <n@news.example>")
                          for day in range(40, 48)])
        place = self.new_place(box)
        self.check(place.opus("sync"))
        self.check(place.opus("triage", "--first", "--yes"))
        self.assertEqual(box.subjects("INBOX"), [])
        self.assertEqual(place.opus("rules", "suggest", "--json").json["items"], [])

    def test_first_run_since_holds_for_every_later_run(self):
        box, place = self.lay("first-run: { since: 3w }\n")
        self.check(place.opus("run", "--yes"))
        self.assertEqual((self.tasks(place), box.held("Drafts")), (["Pay Invoice 3"], []))
        self.assertIn("money", box.find("INBOX", "old@test.example").flags)
        box.add("INBOX", letter("Invoice 4", "late", minutes=60 * 5, body="Please pay by 9 March 2026.\n"))
        self.check(place.opus("run", "--yes", now=NEXT))
        # What comes after the first day is judged as ever, and the old mail is not judged anew.
        self.assertEqual(self.tasks(place), ["Pay Invoice 3", "Pay Invoice 4"])
        self.assertNothingMore(place, box, now=NEXT)

    def test_mail_whose_task_would_be_overdue_stays_in_the_inbox(self):
        for name, words, settings in (("run", ["run"], "first-run: { since: 3w }\n"), ("triage", ["triage", "--first"], "")):
            with self.subTest(name):
                box, place = self.lay(settings)
                place.write_rules(RULES.replace("{ label: money }", "archive"))
                self.check(place.opus("sync"))
                done = self.check(place.opus(*words, "--yes"))
                self.assertIn("rule pay makes no task that was due before rules were first applied; the message is kept",
                              done.text)
                self.assertPlaces(box, {"past": "INBOX", "new": "Archive", "old": "Archive"})
                self.assertEqual(self.tasks(place), ["Pay Invoice 3"])
                if settings:
                    self.assertNothingMore(place, box)
                shutil.rmtree(place.root)

    def test_a_wrong_span_is_refused(self):
        _, place = self.lay("first-run: { since: soon }\n")
        self.check(place.opus("sync"), 78, "'soon' is not a span of time", "3w")

    def test_a_rule_knows_what_is_deferred_back_and_answered(self):
        box = self.new_box()
        box.add("INBOX", [letter("Later", "later"), letter("Other", "other", minutes=1)])
        place = self.new_place(box, """\
rules-version: 1
name: back
rules:
  - { id: back, when: 'is:back', then: [{ label: returned }] }
""")
        self.check(place.opus("sync"))
        ids = {item["subject"]: item["id"] for item in place.opus("list", "--json").json["items"]}
        self.check(place.opus("defer", ids["Later"], "tomorrow", "07:00"))
        self.assertEqual([item["subject"] for item in place.opus("search", "is:snoozed", "--json").json["items"]], ["Later"])
        self.check(place.opus("run", "--yes", now=NEXT))
        self.check(place.opus("run", "--yes", now=NEXT))
        self.assertIn("returned", box.find("INBOX", "later@test.example").flags)
        self.assertNotIn("returned", box.find("INBOX", "other@test.example").flags)
        self.assertEqual([item["subject"] for item in place.opus("list", "is:back", "--json", now=NEXT).json["items"]], ["Later"])
        self.assertEqual(place.opus("search", "is:snoozed", "--json", now=NEXT).json["items"], [])

    # Lists

    def test_row_numbers_name_what_the_last_list_showed(self):
        box = self.new_box()
        box.add("INBOX", [letter(f"Letter {number}", minutes=number) for number in range(3)])
        place = self.new_place(box)
        self.check(place.opus("sync"))
        seen = {"OPUS_FORCE_TTY": "1"}
        self.check(place.opus("archive", "2"), 66, "no row 2")
        shown = self.check(place.opus("list", environment=seen)).out
        self.assertRegex(shown, r"#\s+ID")
        row, = [line for line in shown.splitlines() if line.strip().startswith("2 ")]
        subject = f"Letter {row.split('Letter ')[1][0]}"
        self.check(place.opus("list"))  # nobody saw this one
        self.check(place.opus("archive", "2"))
        self.assertEqual(box.subjects("Archive"), [subject])
        self.check(place.opus("show", "9"), 66, "no row 9")
        self.check(place.opus("show", "1", now="2026-03-10T20:31:00+01:00"), 64, "more than 12 hours ago")
        self.check(place.opus("task", "show", "1"), 64, "has messages, not tasks")
        self.check(place.opus("task", "add", "Buy milk"))
        self.check(place.opus("task", "list", environment=seen))
        self.check(place.opus("show", "1"), 64, "has tasks, not messages")
        self.check(place.opus("task", "done", "1"), 0, "Buy milk")

    def test_drafts_have_rows_and_limits(self):
        box = self.new_box()
        place = self.new_place(box)
        for subject in ("One", "Two", "Three"):
            self.check(place.opus("compose", "--to", "bob@acme.example", "--subject", subject, "--body", "/dev/null"))
        seen = {"OPUS_FORCE_TTY": "1"}
        shown = self.check(place.opus("drafts", "--limit", "2", environment=seen), 0, "1 more (--limit 2)")
        rows = [line.split()[-1] for line in shown.out.splitlines()[1:3]]
        self.check(place.opus("drafts", "show", "2"), 0, "Subject: " + rows[1])
        self.check(place.opus("drafts", "show", "3"), 66, "no row 3")
        self.check(place.opus("archive", "1"), 64, "has drafts, not messages")
        self.check(place.opus("drafts", "discard", "1", "--yes"))
        self.assertNotIn(rows[0], [item["subject"] for item in place.opus("drafts", "--json").json["items"]])

    def test_the_pager_shows_other_long_texts_but_no_bytes(self):
        box = self.new_box()
        box.add("INBOX", letter("Long", name="long", body="line\n" * 60))
        place = self.new_place(box)
        self.check(place.opus("sync"))
        item, = self.check(place.opus("list", "--json")).json["items"]
        pager = place.environment(OPUS_PAGER="sed 's/^/paged: /'", TERM="xterm")

        def paged(*words):
            code, out = on_terminal(place.command(*words), pager, place.root)
            self.assertEqual(code, 0, out)
            return "paged: " in out
        self.assertTrue(paged("show", item["id"]))
        self.assertFalse(paged("show", item["id"], "--raw"))
        self.assertFalse(paged("show", item["id"], "--no-pager"))
        for _ in range(25):
            self.check(place.opus("flag", item["id"]))
            self.check(place.opus("unflag", item["id"]))
        self.assertTrue(paged("runs", "--limit", "50"))
        self.assertFalse(paged("runs", "--limit", "5"))
        ids = []
        box.add("INBOX", [letter(f"Later {n}", name=f"later{n}", minutes=n) for n in range(45)])
        self.check(place.opus("sync"))
        ids = [one["id"] for one in place.opus("list", "--json", "subject:later").json["items"]]
        self.check(place.opus("defer", *ids, "friday"))
        self.assertTrue(paged("defer", "--list"))
        self.assertFalse(paged("defer", "--list", "--limit", "5"))
        self.check(place.opus("defer", "--list", "--limit", "5"), 0, "40 more (--limit 5)")

    def test_row_numbers_of_another_terminal_mean_nothing(self):
        box = self.new_box()
        box.add("INBOX", letter("Lunch"))
        place = self.new_place(box)
        self.check(place.opus("sync"))
        code, out = on_terminal(place.command("list"), place.environment(), place.root)
        self.assertEqual(code, 0)
        self.assertIn("Lunch", out)
        self.check(place.opus("archive", "1"), 66, "no row 1")

    def test_a_long_list_is_shown_by_the_pager_on_a_terminal_only(self):
        box = self.new_box()
        box.add("INBOX", letter("Lunch"))
        place = self.new_place(box)
        self.check(place.opus("sync"))
        code, out = on_terminal(place.command("list"), place.environment(OPUS_PAGER="sed 's/^/paged: /'"), place.root)
        self.assertIn("Lunch", out)
        self.assertNotIn("paged", out, "it fits on the screen")
        box.add("INBOX", [letter(f"Mail {number}", name=f"mail{number}", minutes=number + 1) for number in range(45)])
        self.check(place.opus("sync"))
        pager = {"OPUS_PAGER": "sed 's/^/paged: /; s/Lunch/LESS=$LESS/'".replace("$LESS", "set"), "TERM": "xterm"}
        code, out = on_terminal(place.command("list"), place.environment(**pager), place.root)
        self.assertEqual(code, 0)
        self.assertRegex(out, r"paged: .*LESS=set")
        self.assertRegex(out, "paged: .*46 messages")
        for words in (["--no-pager"], ["--json"]):
            code, out = on_terminal(place.command("list", *words), place.environment(**pager), place.root)
            self.assertNotIn("paged", out)
        self.assertNotIn("paged", self.check(place.opus("list", environment=pager)).text)
        # A pager that ends early, and one that does not exist, end nothing else.
        for command in ("true", "/none/such"):
            code, out = on_terminal(place.command("list"), place.environment(OPUS_PAGER=command), place.root)
            self.assertEqual(code, 0, command)
            self.assertEqual("Lunch" in out, command == "/none/such", "without a pager the list is printed")
        code, out = on_terminal(place.command("list", "nonsense:("), place.environment(**pager), place.root)
        self.assertEqual(code, 64)

    def test_views_of_tasks_have_a_limit(self):
        box = self.new_box()
        place = self.new_place(box)
        for title in ("One", "Two", "Three"):
            self.check(place.opus("task", "add", title, "--list", "next"))
        for view in (["next"], ["task", "list"]):
            done = self.check(place.opus(*view, "--limit", "2"), 0, "1 more (--limit 2)")
            self.assertEqual(len(done.out.splitlines()), 2)
        self.check(place.opus("next", "--limit", "0"), 64, "--limit")

    def test_a_plan_lists_what_changes_and_counts_the_rest(self):
        box, place = self.lay()
        self.check(place.opus("sync"))
        for environment in ({}, {"OPUS_FORCE_TTY": "1"}):
            done = self.check(place.opus("triage", "--dry-run", environment=environment))
            self.assertIn("Invoice 3", done.out)
            self.assertNotIn("Lunch", done.out)
            self.assertIn("8 stay", done.text)
