"""The tools round the rules: two versions compared, old mail, what a run did and by which rule, statistics, edits in place,
rules made of mail and of the user's own moves, and the rules as a Sieve script."""
import contextlib
import os
import shutil
import sqlite3
import subprocess
import unittest
from datetime import datetime

from letters import ANA, BOB, letter
from workplace import Case

RULES = """\
rules-version: 1
name: tools
rules:
  - id: news
    when: subject:news
    then:
      - label: reading
      - archive
  - id: bill
    when: subject:bill
    then: { task: { title: 'Pay {{subject}}' } }
tests:
  - { name: news go, mail: { from: a@x.example, subject: News }, expect: { rule: news, disposition: archive } }
"""
LATER = "2026-03-11T08:30:00+01:00"


class Tools(Case):
    kind = "maildir"

    def prepare(self, rules=RULES, subjects=("News 1", "News 2", "Bill 1", "Hello")):
        box = self.new_box()
        for number, subject in enumerate(subjects):
            box.add("INBOX", letter(subject, minutes=number))
        place = self.new_place(box, rules)
        self.check(place.opus("sync"))
        return box, place

    def git(self, place, *words):
        environment = {"PATH": os.environ["PATH"], "HOME": str(place.root), "GIT_CONFIG_NOSYSTEM": "1"}
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@x.example", *words], cwd=place.root, check=True,
                       env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Neglect(Tools):
    """R088: a rule that nothing has needed in a quarter of a year."""

    FILE = "10-test.yaml"
    RULES = RULES.replace("  - id: bill", "  - { id: idle, when: subject:nobody, then: archive }\n"
                          "  - { id: told, when: subject:nobody, then: notify }\n"
                          "  - { id: off, when: subject:nobody, then: flag, enabled: false }\n  - id: bill")

    def age(self, place, day):
        stamp = datetime.fromisoformat(day).timestamp()
        os.utime(place.root / "rules" / self.FILE, (stamp, stamp))

    def warned(self, place, now):
        done = self.check(place.opus("rules", "check", "--json", now=now))
        return [item["message"] for item in done.json["items"] if item["code"] == "R088"]

    def test_only_an_old_rule_that_was_run_for_long_and_never_hit_is_named(self):
        _, place = self.prepare(self.RULES)
        self.age(place, "2026-03-09T00:00:00+00:00")
        self.assertEqual(self.warned(place, "2026-09-01T08:00:00Z"), [], "nothing was run yet")
        self.check(place.opus("run", "--yes"))
        self.assertEqual(self.warned(place, "2026-06-07T08:00:00Z"), [], "89 days of runs")
        self.assertEqual(self.warned(place, "2026-06-10T08:00:00Z"), ["'idle' has matched nothing in 92 days of runs"])
        self.age(place, "2026-05-01T00:00:00+00:00")
        self.assertEqual(self.warned(place, "2026-06-10T08:00:00Z"), [], "the file is young")
        self.age(place, "2026-03-09T00:00:00+00:00")
        shutil.rmtree(place.root / ".opus")
        self.assertEqual(self.warned(place, "2026-06-10T08:00:00Z"), [], "nothing is known")
        self.assertFalse((place.root / ".opus").exists(), "a check makes no store")


class Reach(Tools):
    def test_a_rule_with_mailboxes_of_its_own_is_not_hidden_by_one_on_the_inbox(self):
        _, place = self.prepare("rules-version: 1\nname: reach\nrules:\n"
                                "  - { id: news, when: 'subject:news', then: { move: Lists } }\n"
                                "  - { id: back, when: 'subject:news', mailboxes: [Lists], then: { move: INBOX } }\n"
                                "  - { id: all, when: '*', then: archive }\n"
                                "  - { id: own, when: 'subject:bill', mailboxes: [Sent], then: flag }\n"
                                "  - { id: late, when: 'subject:bill', then: flag }\n")
        items = self.check(place.opus("rules", "check", "--json")).json["items"]
        hidden = [item["message"] for item in items if item["code"] == "R080"]
        self.assertEqual([message.split()[0] for message in hidden], ["'late'"])


class Testing(Tools):
    """`opus rules test`, and triage while tests fail"""

    def test_a_misspelt_only_is_an_error(self):
        _, place = self.prepare()
        self.assertIn("1 passed, 0 failed", self.check(place.opus("rules", "test", "--only", "news")).out)
        self.check(place.opus("rules", "test", "--only", "nwes"), 66, 'no rule test has a name that contains "nwes"')

    def test_triage_says_which_tests_fail_and_how_many(self):
        _, place = self.prepare()
        for count, words in ((1, "one rule test fails, so nothing is triaged"), (7, "7 rule tests fail, so nothing is triaged")):
            place.write_rules(RULES + "".join(
                f"  - {{ name: n{n}, mail: {{ subject: News }}, expect: {{ labels: [] , rule: bill }} }}\n" for n in range(count)))
            done = self.check(place.opus("triage", "--dry-run"), 65, words)
            self.assertEqual("  and 2 more\n" in done.err, count == 7, done)


class Comparing(Tools):
    """`opus rules diff`"""

    def rules_of(self, done):
        document = self.check(done).json
        return document, {rule["rule"]: {kind: rule[kind]["count"] for kind in ("gained", "lost", "changed")}
                          for rule in document["rules"]}

    def test_gained_lost_and_changed_messages_are_listed_by_rule_with_samples(self):
        box, place = self.prepare()
        before = box.fingerprint()
        shutil.copytree(place.root / "rules", place.root / "old")
        place.write_rules(RULES.replace("when: subject:news", "when: subject:news subject:1").replace(
            "title: 'Pay {{subject}}'", "title: 'Look at {{subject}}'").replace("subject: News }", "subject: News 1 }")
            + "  - { name: x, mail: { subject: Hello }, expect: { rule: greeting } }\n")
        place.write_rules((place.root / "rules" / "10-test.yaml").read_text().replace(
            "tests:", "  - { id: greeting, when: subject:hello, then: flag }\ntests:"))
        document, rules = self.rules_of(place.opus("rules", "diff", "old", "--json"))
        self.assertEqual(rules, {
            "news": {"gained": 0, "lost": 1, "changed": 0}, "bill": {"gained": 0, "lost": 0, "changed": 1},
            "greeting": {"gained": 1, "lost": 0, "changed": 0}})
        self.assertEqual((document["messages"], document["different"], document["query"]), (4, 3, "newer:90d"))
        lost = document["rules"][0]["lost"]["samples"]
        self.assertEqual([(s["subject"], s["before"], s["after"]) for s in lost],
                         [("News 2", ["label=reading", "archive"], [])])
        rows = self.check(place.opus("rules", "diff", "old")).out.splitlines()
        self.assertEqual([row.split("\t")[:2] for row in rows], [["-", "news"], ["~", "bill"], ["+", "greeting"]])
        cut = self.check(place.opus("rules", "diff", "old", "--samples", "0"), 0, "3 more are not shown",
                         "3 of 4 messages would be treated differently, 1 the same.")
        self.assertEqual(cut.out, "")
        self.assertEqual(box.fingerprint(), before)

    def test_git_revisions_are_versions_too_and_the_working_folder_is_not_touched(self):
        _, place = self.prepare()
        self.git(place, "init", "-q", ".")
        self.git(place, "add", "rules")
        self.git(place, "commit", "-qm", "one")
        place.write_rules(RULES.replace("subject:bill", "subject:bill or subject:hello"))
        text = (place.root / "rules" / "10-test.yaml").read_text()
        _, rules = self.rules_of(place.opus("rules", "diff", "HEAD", "--json"))
        self.assertEqual(rules, {"bill": {"gained": 1, "lost": 0, "changed": 0}})
        self.git(place, "commit", "-qam", "two")
        _, rules = self.rules_of(place.opus("rules", "diff", "HEAD", "HEAD~1", "--json"))
        self.assertEqual(rules, {"bill": {"gained": 0, "lost": 1, "changed": 0}})
        self.assertEqual((place.root / "rules" / "10-test.yaml").read_text(), text)
        # The lists of a revision are those of the revision.
        same = self.check(place.opus("rules", "diff", "HEAD", "rules", "--detailed-exitcode"))
        self.assertEqual(same.out, "")
        self.check(place.opus("rules", "diff", "HEAD~1", "--detailed-exitcode"), 2)

    def test_a_revision_brings_its_own_lists(self):
        listed = RULES.replace("rules:\n", "lists: { vip: { file: vip.txt } }\nrules:\n", 1).replace(
            "when: subject:bill", "when: from:@vip subject:bill")
        _, place = self.prepare(listed.replace("lists: { vip: { file: vip.txt } }\n", "lists: { vip: [z@z.example] }\n"))
        place.write_rules({"10-test.yaml": listed, "vip.txt": "bob@acme.example\n"})
        self.git(place, "init", "-q", ".")
        self.git(place, "add", "rules")
        self.git(place, "commit", "-qm", "one")
        (place.root / "rules" / "vip.txt").write_text("eve@x.example\n")
        _, rules = self.rules_of(place.opus("rules", "diff", "HEAD", "--json"))
        self.assertEqual(rules, {"bill": {"gained": 0, "lost": 1, "changed": 0}})

    def test_an_invalid_version_is_refused_before_git_sees_it(self):
        _, place = self.prepare()
        self.git(place, "init", "-q", ".")
        for word in ["--upload-pack=x", "HEAD:rules", "-1", "nosuch", "a\nb", "", "x" * 300]:
            done = place.opus("rules", "diff", "--json", "--", word)
            self.assertEqual((done.code, done.error["code"]), (66, "no-such-version"), word)

    def test_a_broken_version_is_reported_with_its_place(self):
        _, place = self.prepare()
        (place.root / "old").mkdir()
        (place.root / "old" / "1.yaml").write_text("rules-version: 1\nrules:\n  - { id: a, when: form:x, then: flag }\n")
        done = self.check(place.opus("rules", "diff", "old"), 65)
        self.assertIn("old/1.yaml:3:20: error[R012]", done.text)

    def test_the_option_over_accepts_a_query(self):
        _, place = self.prepare()
        shutil.copytree(place.root / "rules", place.root / "old")
        place.write_rules(RULES.replace("- archive", "- trash").replace("disposition: archive", "disposition: trash"))
        # A mistyped query is an error, not a text search that finds no difference.
        self.check(place.opus("rules", "diff", "old", "--over", "90x"), 64, "is not a length of time")
        self.assertIn("over newer:2weeks:", self.check(place.opus("rules", "diff", "old", "--over", "2 weeks")).err)
        document, rules = self.rules_of(place.opus("rules", "diff", "old", "--over", "subject:2", "--json"))
        self.assertEqual((document["messages"], rules), (1, {"news": {"gained": 0, "lost": 0, "changed": 1}}))


class OldMail(Tools):
    """`opus triage --query`"""

    def test_triage_of_old_mail_plans_over_every_mailbox_and_applies_only_with_yes(self):
        box, place = self.prepare(subjects=("Hello",))
        box.add("Old", letter("News of last year"))
        box.add("Archive", letter("News that is there already"))
        box.add("Sent", letter("News I wrote"))
        self.check(place.opus("sync"))
        before = box.fingerprint()
        plan = self.check(place.opus("triage", "--query", "subject:news", "--json")).json["plan"]["items"]
        actions = {item["subject"]: [d["action"]["type"] for d in item["decisions"]] for item in plan}
        self.assertEqual(actions, {"News of last year": ["label", "archive"], "News that is there already": ["label"]})
        self.assertEqual(box.fingerprint(), before)
        self.check(place.opus("triage", "--query", "subject:news", "--yes"))
        self.assertPlaces(box, {"news-of-last-year": "Archive", "news-i-wrote": "Sent", "hello": "INBOX"})
        again = self.check(place.opus("triage", "--query", "subject:news", "--json")).json
        self.assertEqual(again["plan"]["items"], [])

    def test_conversations_and_writers_are_known_for_old_mail_too(self):
        rules = ("rules-version: 1\nrules:\n  - { id: talk, when: 'thread:i-replied', then: { label: talk } }\n"
                 "  - { id: new, when: 'sender:first-seen', then: { label: new } }\n")
        box = self.new_box()
        box.add("INBOX", letter("Plan", "plan"))
        box.add("Sent", letter("Re: Plan", "re-plan", sender=ANA, to=BOB, headers={"In-Reply-To": "<plan@test.example>"}))
        box.add("Old", letter("Other", "other", minutes=5))
        box.add("Old", letter("Once", "once", sender="Eve <eve@once.example>"))
        place = self.new_place(box, rules)
        self.check(place.opus("sync"))
        document = self.check(place.opus("triage", "--query", "newer:1y", "--json")).json["plan"]
        self.assertEqual({i["subject"]: [d["rule"] for d in i["decisions"]] for i in document["items"]},
                         {"Plan": ["talk", "new"], "Once": ["new"]})
        self.assertEqual([i["warnings"] for i in document["items"]], [[], []])
        asked = self.check(place.opus("triage", "--query", "sender:first-seen", "--json")).json["plan"]
        self.assertEqual({i["subject"] for i in asked["items"]}, {"Plan", "Once"})
        (place.root / "old").mkdir()
        (place.root / "old" / "1.yaml").write_text("rules-version: 1\nrules: []\n")
        # With --today, the writer's later mail counts.
        for more, count in (([], 2), (["--today"], 1)):
            rules = self.check(place.opus("rules", "diff", "old", "--json", *more)).json["rules"]
            self.assertEqual({r["rule"]: r["gained"]["count"] for r in rules if r["rule"] == "new"}, {"new": count}, more)

    def test_nothing_is_sent_over_old_mail(self):
        rules = ("rules-version: 1\nrules:\n  - { id: away, when: 'subject:away', then: { vacation: { text: Away, send: now } } }\n"
                 "  - { id: hand, when: 'subject:hand', then: [{ delegate: { to: carl@x.example, send: now } }, archive] }\n")
        box = self.new_box()
        box.add("INBOX", letter("Away"))
        box.add("INBOX", letter("Hand this over"))
        place = self.new_place(box, rules, settings="allow-send: true\n")
        self.check(place.opus("sync"))
        document = self.check(place.opus("triage", "--query", "newer:1y", "--json")).json["plan"]
        self.assertEqual([i["subject"] for i in document["items"]], ["Hand this over"])
        self.assertEqual([d["action"].get("delegation", {}).get("sending") for d in document["items"][0]["decisions"]], ["draft", None])
        self.assertIn("1 answer to old mail is left out", document["warnings"])

    def test_filed_mail_stays_when_a_newer_message_of_its_conversation_leaves_the_inbox(self):
        box = self.new_box()
        box.create("Projects")
        box.add("Projects", letter("Plan", "old"))
        box.add("INBOX", letter("Plan too", "also", minutes=1, headers={"In-Reply-To": "<old@test.example>"}))
        box.add("INBOX", letter("News of it", "new", minutes=2, headers={"References": "<old@test.example> <also@test.example>"}))
        place = self.new_place(box, RULES)
        self.check(place.opus("sync"))
        self.check(place.opus("triage", "--query", "newer:90d", "--yes"))
        self.assertPlaces(box, {"old": "Projects", "also": "Archive", "new": "Archive"})

    def test_old_mail_needs_one_query_and_no_plan_file(self):
        _, place = self.prepare()
        self.check(place.opus("triage", "--query", "a", "b"), 64)
        self.check(place.opus("triage", "--query", "a", "--out", "p"), 64)


class Failing(Tools):
    """What a run could not do"""

    def test_the_same_change_of_many_messages_is_one_line(self):
        box, place = self.prepare(subjects=("News 1", "News 2", "News 3"))
        box.create("Archive")
        self.check(place.opus("sync"))
        for part in ("cur", "new", "tmp"):
            folder = box.folder / ".Archive" / part
            shutil.rmtree(folder)
            folder.write_text("no folder")
        done = place.opus("triage", "--yes")
        self.assertEqual(done.code, 1, done)
        told = [line for line in done.out.splitlines() if "move to Archive" in line]
        self.assertEqual(len(told), 1, done)
        self.assertTrue(told[0].endswith("(3 times)"), done)


class AlreadyDone(Tools):
    """What a rule asks for and finds done"""

    def test_a_plan_counts_completed_changes_separately(self):
        rules = ("rules-version: 1\nrules:\n  - { id: stay, when: 'subject:stay', then: { move: inbox } }\n"
                 "  - { id: mark, when: 'subject:marked', then: [{ label: A }, { mark: read }, flag, { label: new }] }\n"
                 "  - { id: filed, mailboxes: [Lists], when: 'subject:list', then: { move: lists } }\n")
        box = self.new_box()
        box.create("Lists")
        box.add("INBOX", letter("stay"))
        box.add("INBOX", letter("marked"), ["a", "\\Seen"])
        box.add("Lists", letter("an old list"))
        place = self.new_place(box, rules)
        self.check(place.opus("sync"))
        self.assertIn("Plan: 2 marks, 4 already done, 3 stay.", self.check(place.opus("triage", "--dry-run")).err)
        done = self.check(place.opus("run", "--yes"))
        self.assertIn("1 × flags or labels changed", done.out)
        self.assertEqual([held.mailbox for held in box.everything()].count("INBOX"), 2)
        # What was so has had its turn too: the user may change it.
        box.mark("INBOX", "<marked@test.example>", remove=["\\Seen"])
        self.check(place.opus("sync"))
        self.assertIn("Plan: 2 stay.", self.check(place.opus("triage", "--dry-run")).err)
        self.assertNothingMore(place, box)

    def test_a_message_in_the_right_mailbox_does_not_move(self):
        rules = "rules-version: 1\nrules:\n" + "".join(
            f"  - {{ id: {action}, mailboxes: [{action}], when: 'subject:old', then: {action} }}\n"
            for action in ("archive", "trash", "junk"))
        for kind in ("imap", "maildir"):
            box = self.new_box(kind)
            for mailbox in ("Archive", "Trash", "Junk"):
                box.add(mailbox, letter(f"old {mailbox}"))
            place = self.new_place(box, rules, "brakes: { share: 1, count: 1 }\n", name=kind)
            self.check(place.opus("sync"))
            plan = self.check(place.opus("triage", "--dry-run", "--detailed-exitcode"), 0)
            self.assertIn("Plan: 3 already done, 3 stay.", plan.err)
            done = self.check(place.opus("run", "--yes"))
            self.assertEqual(done.out.count("Nothing to do."), 1, done)
            self.assertEqual(self.check(place.opus("triage", "--dry-run")).out, "")

    def test_a_plan_of_nothing_new_is_remembered_by_run_too(self):
        box = self.new_box()
        box.add("INBOX", letter("marked"), ["\\Flagged"])
        place = self.new_place(box, "rules-version: 1\nrules:\n  - { id: mark, when: 'subject:marked', then: flag }\n")
        self.check(place.opus("sync"))
        self.check(place.opus("triage", "--dry-run", "--detailed-exitcode"), 0, "Plan: 1 already done, 1 stays.")
        self.check(place.opus("run", "--yes"))
        self.check(place.opus("triage", "--dry-run", "--detailed-exitcode"), 0, "Plan: 1 stays.")


class Explaining(Tools):
    """`opus explain` after runs, and `opus rules stats`"""

    def test_explain_names_the_run_and_whether_the_rule_has_changed_since(self):
        box, place = self.prepare()
        self.check(place.opus("triage", "--yes"))
        items = {i["subject"]: i["id"] for i in self.check(place.opus("list", "--all", "--json")).json["items"]}
        identity = items["News 1"]
        history = self.check(place.opus("explain", identity, "--json")).json["history"]
        self.assertEqual({(past["run"], past["rule"], past["at"]) for past in history}, {("r:0001", "same", "2026-03-10T07:30:00Z")})
        # Comments, layout and the description do not count.
        place.write_rules(RULES.replace("  - id: news\n", "  - id: news  # comment\n    description: Other words.\n"))
        history = self.check(place.opus("explain", identity, "--json")).json["history"]
        self.assertEqual({past["rule"] for past in history}, {"same"})
        place.write_rules(RULES.replace("label: reading", "label: read-me"))
        self.assertIn("— done; the rule has changed since", self.check(place.opus("explain", identity)).out)
        place.write_rules(RULES.replace("news", "letters"))
        self.assertIn("— done; the rule no longer exists", self.check(place.opus("explain", identity)).out)
        place.write_rules(RULES)
        with sqlite3.connect(place.root / ".opus" / "store.sqlite") as store:
            store.execute("DELETE FROM rule_version")
        self.assertIn("— done; it is not known whether the rule has changed since",
                      self.check(place.opus("explain", identity)).out)
        self.check(place.opus("undo", "--yes"))
        past = self.check(place.opus("explain", identity)).out
        self.assertIn("— done, undone by r:0002", past)
        self.assertTrue(any(line.endswith("— done") for line in past.splitlines() if "r:0002" in line), "an undo is no rule")

    def test_a_message_that_moves_along_is_shown_with_the_one_that_the_rule_matched(self):
        box = self.new_box()
        box.add("INBOX", [letter("Question", "first"),
                          letter("Re: Question: report", "second", minutes=5,
                                 headers={"In-Reply-To": "<first@test.example>", "References": "<first@test.example>"})])
        place = self.new_place(box, "rules-version: 1\nrules:\n  - { id: file, when: 'subject:report', then: archive }\n")
        self.check(place.opus("sync"))
        ids = {i["messageID"].split("@")[0]: i["id"] for i in self.check(place.opus("list", "--json")).json["items"]}
        short = ids["second"][:4]
        self.assertIn(f"Now: file: archive, along with {short}\n", self.check(place.opus("explain", ids["first"])).out)
        self.assertIn("Now: file: archive\n", self.check(place.opus("explain", ids["second"])).out)
        self.assertEqual(place.opus("explain", ids["first"], "--json").json["alongWith"], ids["second"])
        self.check(place.opus("run", "--yes"))
        self.assertIn(f"move to Archive, along with {short} — done", self.check(place.opus("explain", ids["first"])).out)
        self.assertIn("move to Archive — done", self.check(place.opus("explain", ids["second"])).out)
        run = place.opus("runs", "--json").json["items"][0]["id"]
        self.assertEqual(self.check(place.opus("runs", "show", run)).out.count(f"along with {short}"), 1)
        steps = place.opus("runs", "show", run, "--json").json["steps"]
        self.assertEqual({step["message"]: step.get("alongWith") for step in steps},
                         {ids["first"]: ids["second"], ids["second"]: None})

    def test_the_time_of_a_deferral_is_in_the_zone_of_the_workspace(self):
        _, place = self.prepare(RULES.replace("      - archive\n", "      - defer: saturday 10:00\n"))
        identity = self.check(place.opus("list", "--json", "subject:news")).json["items"][0]["id"]
        self.assertIn("news: defer=Sat 14 Mar 10:00\n", self.check(place.opus("explain", identity)).out)

    def now(self, place, subject):
        """What `opus explain` says that the next triage does with a message, and why not more."""
        ids = {item["subject"]: item["id"] for item in self.check(place.opus("list", "--all", "--json")).json["items"]}
        told = self.check(place.opus("explain", ids[subject], "--json")).json
        actions = [decision["action"] for decision in told["decisions"]]
        return actions, " ".join(told["warnings"])

    def test_explain_says_what_the_next_run_does_with_an_answer_to_a_handled_mail(self):
        rules = "rules-version: 1\nrules:\n  - { id: bob, when: 'from:bob', then: [{ task: 'T {{subject}}' }, archive] }\n"
        box = self.new_box()
        box.add("INBOX", letter("One", name="one"))
        place = self.new_place(box, rules)
        self.check(place.opus("run", "--yes"))
        answer = {"In-Reply-To": "<one@test.example>", "References": "<one@test.example>"}
        box.add("INBOX", letter("Re: One", name="two", minutes=3, headers=answer))
        self.check(place.opus("sync"))
        actions, reason = self.now(place, "Re: One")
        self.assertEqual(actions, ["keep"])
        self.assertIn("already has its open task", reason)
        self.assertNothingMore(place, box)

    def test_explain_says_what_permissions_and_schedules_leave(self):
        rules = "rules-version: 1\nrules:\n  - { id: bob, when: 'from:bob', then: [flag, archive] }\n"
        box, place = self.prepare(rules, ["One"])
        self.assertEqual(self.now(place, "One")[0], ["flag", "archive"])
        place.configure(box.yaml(extra="    allow: read\n"))
        actions, reason = self.now(place, "One")
        self.assertEqual(actions, [])
        self.assertIn("not allowed: flag, archive", reason)

    def test_explain_says_that_rules_leave_other_mailboxes_alone(self):
        rules = "rules-version: 1\nrules:\n  - { id: bob, when: 'from:bob', then: [flag, archive] }\n"
        box, place = self.prepare(rules, ["One"])
        box.add("Archive", letter("Old"))
        self.check(place.opus("sync"))
        self.assertEqual(self.now(place, "Old"), ([], "rules do not apply to Archive"))
        place.write_rules(rules.replace("when:", "mailboxes: [archive], when:").replace("flag, archive", "flag"))
        self.assertEqual(self.now(place, "Old"), (["flag"], ""))

    def test_explain_names_the_action_that_failed_and_cuts_nothing_in_a_pipe(self):
        pattern = "/" + "|".join(f"word{number}" for number in range(15)) + "|news/i"
        _, place = self.prepare(RULES.replace("when: subject:news", f"when: 'subject:{pattern}'")
                                .replace("      - archive\n", "      - move: Nowhere\n"))
        identity = self.check(place.opus("list", "--json", "subject:news")).json["items"][0]["id"]
        told = self.check(place.opus("explain", identity)).out
        warning = "rule news moves to 'Nowhere', but that mailbox does not exist; the message is kept   rules/10-test.yaml:4"
        self.assertIn(f"Warning: {warning}\n", told)
        self.assertIn(f"subject:{pattern} ", told)
        self.assertEqual(self.check(place.opus("explain", identity, "--json")).json["warnings"], [warning])

    def test_a_run_says_why_a_rule_keeps_its_mail(self):
        reason = "rule news moves to 'Nowhere', but that mailbox does not exist; the message is kept"
        rules = RULES.replace("      - archive\n", "      - move: Nowhere\n").replace("disposition: archive", "move: Nowhere")
        _, place = self.prepare(rules)
        lines = self.check(place.opus("run", "--yes", "--json")).json["kept"]
        self.assertEqual([line.partition("   ")[0] for line in lines], [reason])
        self.assertTrue(lines[0].endswith(" (2 messages)"), lines)
        box = self.new_box()
        box.add("INBOX", letter("News 3"))
        place = self.new_place(box, rules, name="other")
        self.check(place.opus("sync"))
        self.check(place.opus("run", "--yes"), 0, reason)

    def test_the_findings_of_single_files(self):
        _, place = self.prepare({"10-good.yaml": "rules-version: 1\nrules:\n  - { id: a, when: 'subject:a', then: flag }\n",
                                 "20-bad.yaml": "rules-version: 1\nrules:\n  - { id: a, when: 'form:b', then: flag }\n"})
        self.check(place.opus("rules", "check", "10-good.yaml"), 0, "1 file: no errors", "in other files")
        self.check(place.opus("rules", "check", "rules/10-good.yaml", place.root / "rules" / "10-good.yaml"), 0, "1 file: no errors")
        bad = self.check(place.opus("rules", "check", "rules/20-bad.yaml", "--json"), 65).json["items"]
        self.assertEqual({item["file"] for item in bad}, {"rules/20-bad.yaml"})
        self.check(place.opus("rules", "check", "10-good.yaml", "20-bad.yaml"), 65, "2 files: ")
        self.check(place.opus("rules", "check", "30-none.yaml"), 66, "30-none.yaml is not a rule file of this workspace")

    def test_explain_shows_the_conditions_of_every_rule_and_the_values_of_the_message(self):
        _, place = self.prepare()
        identity = self.check(place.opus("list", "--json", "subject:hello")).json["items"][0]["id"]
        rules = self.check(place.opus("explain", identity, "--json")).json["rules"]
        self.assertEqual([(r["rule"], r["matched"], r["reached"], [(c["text"], c["saw"]) for c in r["conditions"]]) for r in rules],
                         [("news", False, True, [("subject:news", '"Hello"')]), ("bill", False, True, [("subject:bill", '"Hello"')])])
        identity = self.check(place.opus("list", "--json", "subject:1", "subject:news")).json["items"][0]["id"]
        place.write_rules(RULES.replace("when: subject:bill", "when: subject:1"))
        self.assertIn("not reached: an earlier rule ended the triage", self.check(place.opus("explain", identity)).out)

    def stats(self, place, now=LATER):
        return {item.pop("rule"): item for item in self.check(place.opus("rules", "stats", "--json", now=now)).json["items"]}

    def test_hits_are_counted_by_time_and_reversals_however_they_were_made(self):
        box, place = self.prepare(subjects=("News 1", "News 2", "News 3", "News 4", "Bill 1"))
        self.check(place.opus("triage", "--yes"))
        stats = self.stats(place)
        self.assertEqual([stats["news"][key] for key in ("hits7", "hits30", "hits90", "hits", "reversed", "tests")], [4, 4, 4, 4, 0, 1])
        self.assertEqual((stats["bill"]["hits"], stats["bill"]["tests"]), (1, 0))
        late = self.stats(place, now="2026-03-20T08:30:00+01:00")
        self.assertEqual([late["news"][key] for key in ("hits7", "hits30", "last")], [0, 4, "2026-03-10T07:30:00Z"])
        names = {i["subject"]: i["id"] for i in self.check(place.opus("list", "--all", "--json")).json["items"]}
        # With opus undo, by hand, and in another program.
        self.check(place.opus("undo", "r:0001", names["News 1"], "--yes"))
        self.check(place.opus("move", names["News 2"], "INBOX"))
        box.move("<news-3@test.example>", "Archive", "INBOX")
        self.check(place.opus("sync", now=LATER))
        self.assertEqual(self.stats(place)["news"]["reversed"], 3)

    def test_a_rule_that_only_keeps_or_tells_counts_each_message_once_and_a_further_run_writes_nothing(self):
        box, place = self.prepare(RULES.replace(
            "  - id: bill", "  - { id: own, when: subject:hello, then: [notify, keep] }\n"
            "  - { id: stays, when: subject:lunch, then: keep }\n  - id: bill"),
            subjects=("News 1", "News 2", "Bill 1", "Hello", "Lunch 1", "Lunch 2"))
        counts = lambda now=LATER: {rule: tuple(item[key] for key in ("counted", "hits7", "hits30", "hits"))
                                    for rule, item in self.stats(place, now).items()}
        store = place.root / ".opus" / "store.sqlite"

        def held():
            """Every row but those of the indexes, which have tables of their own below them."""
            with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as db:
                names = [name for name, in db.execute(
                    "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name")]
                return {name: db.execute(f'SELECT * FROM "{name}"').fetchall() for name in names}

        before = held()
        planned = self.check(place.opus("triage", "--dry-run", "--json")).json
        self.assertEqual(held(), before, "a plan counts nothing")
        self.assertEqual(counts()["stays"], (True, 0, 0, 0))
        self.check(place.opus("triage", "--yes"))
        self.assertEqual(counts(), {"news": (True, 2, 2, 2), "own": (True, 1, 1, 1), "stays": (True, 2, 2, 2), "bill": (True, 1, 1, 1)})
        rows = [line.split("\t") for line in self.check(place.opus("rules", "stats")).out.splitlines()]
        self.assertIn(["stays", "2", "2", "2", "2026-03-10T08:30:00+01:00", "0", "0", "0"], rows)
        # The rule that keeps matches as before: in plans, and in what explain says.
        lunch = {item["subject"]: item for item in planned["plan"]["items"]}["Lunch 1"]
        again = self.check(place.opus("triage", "--dry-run", "--json")).json
        self.assertEqual({item["subject"]: item for item in again["plan"]["items"]}["Lunch 1"], lunch)
        self.assertNotIn("has matched this message before, and acts once", self.check(place.opus("explain", lunch["message"], "--rule", "stays")).out)
        before = held()
        self.check(place.opus("triage", "--yes", now=LATER))
        self.assertEqual(held(), before, "a further run writes nothing")
        # Where nothing but keeping is to be done, opus run counts too.
        box.add("INBOX", letter("Lunch 3", minutes=9))
        self.check(place.opus("run", "--yes", now=LATER))
        self.assertEqual(counts()["stays"], (True, 3, 3, 3))
        self.assertEqual(counts(now="2026-03-18T08:00:00+01:00")["stays"], (True, 1, 3, 3))
        self.assertNothingMore(place, box, now=LATER)
        runs = self.check(place.opus("runs", "--json")).json["items"]
        self.assertEqual(len(runs), 1, "counting alone is no run")

    def test_an_undone_rule_leaves_the_conversation_alone_and_no_other(self):
        box, place = self.prepare(subjects=("News 1", "News 2", "News 3", "News 4"))
        self.check(place.opus("triage", "--yes"))
        names = {i["subject"]: i["id"] for i in self.check(place.opus("list", "--all", "--json")).json["items"]}
        self.check(place.opus("undo", "r:0001", names["News 1"], "--yes"))
        self.check(place.opus("move", names["News 2"], "INBOX"))
        box.move("<news-3@test.example>", "Archive", "INBOX")
        for number in range(1, 5):
            box.add("INBOX", letter(f"Re: News {number}", f"re-{number}", minutes=60 + number,
                                    headers={"In-Reply-To": f"<news-{number}@test.example>"}))
        self.check(place.opus("run", "--yes", now=LATER))
        self.assertPlaces(box, {"news-1": "INBOX", "news-2": "INBOX", "news-3": "INBOX", "news-4": "Archive",
                                "re-1": "INBOX", "re-2": "INBOX", "re-3": "INBOX", "re-4": "Archive"})
        answers = {i["subject"]: i["id"] for i in self.check(place.opus("list", "--all", "--json")).json["items"]}
        self.check(place.opus("explain", answers["Re: News 3"]), 0, "undone in this conversation")
        self.assertNothingMore(place, box, now=LATER)

    def test_a_rule_that_comes_too_late_is_counted(self):
        _, place = self.prepare(RULES.replace("      - archive\n", "      - archive\n    continue: true\n").replace(
            "then: { task: { title: 'Pay {{subject}}' } }", "then: trash").replace("subject:bill", "subject:1"))
        self.check(place.opus("triage", "--yes"))
        self.assertEqual(self.stats(place)["bill"]["shadowed"], 1)


class Editing(Tools):
    """`opus rules add-to` and `rename-mailbox`: nothing but the change."""

    LISTS = ("rules-version: 1\nlists:\n  vip:   # people\n    - ana@example.org  # me\n  flow: [a@b.example]  # c\n"
             "  filed: { file: people.txt }\nrules:\n  - id: a\n    when: from:@vip or from:@flow or from:@filed  # all\n"
             "    then: { move: Old/Box }   # there\n  - { id: b, when: 'in:Old/Box -in:\"old/box\" subject:in:x', then: flag }\n"
             "  - { id: c, mailboxes: [Old/Box, Other], when: 'subject:x', then: flag }\n")

    def prepare(self):
        place = self.new_place(self.new_box(), {"10-test.yaml": self.LISTS, "people.txt": "# mine\nx@y.example"})
        return place, place.root / "rules" / "10-test.yaml", place.root / "rules" / "people.txt"

    def test_addresses_go_into_the_list_in_its_own_form_and_only_once(self):
        place, file, people = self.prepare()
        file.chmod(0o640)
        shown = self.check(place.opus("rules", "add-to", "@vip", "cara@x.example", "ANA@example.org", "@z.example"))
        self.assertIn("+    - 'cara@x.example'", shown.out)
        self.check(place.opus("rules", "add-to", "flow", "q@r.example"))
        self.check(place.opus("rules", "add-to", "filed", "@firm.example", "x@y.example"))
        self.assertEqual(file.read_text(), self.LISTS.replace(
            "# me\n", "# me\n    - 'cara@x.example'\n    - '@z.example'\n").replace("[a@b.example]", "[a@b.example, 'q@r.example']"))
        self.assertEqual(people.read_text(), "# mine\nx@y.example\n@firm.example\n")
        self.assertEqual(file.stat().st_mode & 0o777, 0o640)
        before = file.read_text()
        again = self.check(place.opus("rules", "add-to", "vip", "z.example"))
        self.assertIn("Nothing to do", again.err)
        self.check(place.opus("rules", "add-to", "vip", "new@x.example", "--dry-run"))
        self.assertEqual(file.read_text(), before)
        self.assertEqual([p.name for p in sorted((place.root / "rules").iterdir())], ["10-test.yaml", "people.txt"])

    def test_wrong_lists_and_addresses_are_refused(self):
        place, file, _ = self.prepare()
        for words, code, name in [(("nosuch", "a@b.example"), 66, "no-such-list"), (("vip", "no address"), 64, "bad-address"),
                                  (("vip", "a@b.example\nrules"), 64, "bad-address")]:
            done = place.opus("rules", "add-to", "--json", *words)
            self.assertEqual((done.code, done.error["code"]), (code, name))
        self.assertEqual(file.read_text(), self.LISTS)

    def test_a_link_stays_a_link(self):
        place, file, _ = self.prepare()
        real = place.root / "dotfiles.yaml"
        file.rename(real)
        file.symlink_to(real)
        self.check(place.opus("rules", "add-to", "vip", "new@x.example"))
        self.assertTrue(file.is_symlink())
        self.assertIn("new@x.example", real.read_text())

    def test_an_unknown_mailbox_is_reported_after_the_first_sync(self):
        text = ("rules-version: 1\nrules:\n"
                "  - { id: b, when: 'subject:b in:Prjects -in:junk', then: flag }\n"
                "  - { id: a, when: 'subject:a', then: { move: Archiv } }\n"
                "  - { id: c, mailboxes: [Archive, Nirvana, 'Gone*'], when: '*', then: flag }\n"
                "  - { id: d, when: 'in:archive or in:INBOX', then: flag }\n")
        box = self.new_box()
        box.add("INBOX", letter("a"))
        box.create("Archive")
        place = self.new_place(box, text)
        self.assertEqual(self.check(place.opus("rules", "check", "--json")).json["items"], [], "nothing is known")
        self.check(place.opus("sync"))
        found = self.check(place.opus("rules", "check", "--json")).json["items"]
        self.assertEqual([(item["code"], item["severity"], item["line"], item["message"]) for item in found], [
            ("R083", "warning", 3, "mailbox 'Prjects' does not exist; no message is in it"),
            ("R083", "warning", 4, "mailbox 'Archiv' does not exist; matching messages would be kept"),
            ("R083", "warning", 5, "mailbox 'Nirvana' does not exist; the rule applies to no message")])
        self.assertEqual(found[1]["suggestion"], "did you mean 'Archive'?")

    def test_a_mailbox_is_renamed_wherever_rules_name_it_and_nowhere_else(self):
        place, file, _ = self.prepare()
        shown = self.check(place.opus("rules", "rename-mailbox", "old/box", "It's new"))
        self.assertTrue(shown.out.startswith("--- rules/10-test.yaml\n+++ rules/10-test.yaml\n"))
        self.assertEqual(file.read_text(), self.LISTS.replace("{ move: Old/Box }", "{ move: 'It''s new' }").replace(
            "'in:Old/Box -in:\"old/box\" subject:in:x'", "'in:\"It''s new\" -in:\"It''s new\" subject:in:x'").replace(
            "[Old/Box, Other]", "['It''s new', Other]"))
        self.check(place.opus("rules", "check"))
        self.check(place.opus("rules", "rename-mailbox", "old/box", "x"), 66)

    def test_a_list_of_one_becomes_a_list_and_an_unreadable_file_does_not_count_as_empty(self):
        text = "rules-version: 1\nlists: { one: a@x.example, two: '@y.example' }  # both\nrules:\n  - { id: a, when: 'from:@one or from:@two', then: flag }\n"
        place = self.new_place(self.new_box(), text)
        file = place.root / "rules" / "10-test.yaml"
        self.check(place.opus("rules", "add-to", "one", "b@x.example"))
        self.check(place.opus("rules", "add-to", "two", "c@x.example"))
        self.assertEqual(file.read_text(), text.replace("a@x.example", "[a@x.example, 'b@x.example']").replace(
            "'@y.example'", "['@y.example', 'c@x.example']"))
        (place.root / "rules" / "20-BROKEN.YAML").write_text("rules: [\n")
        self.check(place.opus("rules", "check"), 65, "20-BROKEN.YAML:")
        for words in (("add-to", "one", "d@x.example"), ("rename-mailbox", "A", "B")):
            self.check(place.opus("rules", *words), 65, "20-BROKEN.YAML:")

    def test_a_mailbox_is_not_renamed_in_words_and_is_however_it_is_quoted(self):
        text = ("rules-version: 1\ndefine:\n  filed: in:Old\nprotect:\n  - old things: 'in:\"it''s\"'\nrules:\n"
                "  - { id: a, when: 'subject:\"look in:Old \" -in:Old', then: { notify: 'in:Old' } }\n"
                "  - { id: b, when: { subject: 'in:Old', any: [in:Old, {in: Old}] }, then: flag }\n")
        place = self.new_place(self.new_box(), text)
        file = place.root / "rules" / "10-test.yaml"
        self.check(place.opus("rules", "rename-mailbox", "Old", "it's"))
        once = (text.replace("filed: in:Old", "filed: 'in:\"it''s\"'").replace(" -in:Old'", " -in:\"it''s\"'")
                .replace("any: [in:Old, {in: Old}]", "any: ['in:\"it''s\"', {in: 'it''s'}]"))
        self.assertEqual(file.read_text(), once)
        self.check(place.opus("rules", "rename-mailbox", "it's", "New"))
        self.assertEqual(file.read_text(), once.replace("in:\"it''s\"", "in:New").replace("it''s", "New"))

    def test_a_file_as_windows_writes_it_is_edited_and_stays_one(self):
        text = "\ufeff" + self.LISTS.replace("\n", "\r\n")
        place, file, people = self.prepare()
        file.write_bytes(text.encode())
        people.write_bytes(b"# mine\r\nx@y.example\r\n")
        shown = self.check(place.opus("rules", "add-to", "vip", "new@x.example")).out
        self.assertIn("\n+    - 'new@x.example'\n   flow:", shown)
        self.check(place.opus("rules", "add-to", "filed", "new@x.example"))
        self.assertEqual(people.read_bytes(), b"# mine\r\nx@y.example\r\nnew@x.example\r\n")
        self.check(place.opus("rules", "rename-mailbox", "old/box", "New"))
        text = (text.replace("  # me\r\n", "  # me\r\n    - 'new@x.example'\r\n").replace("{ move: Old/Box }", "{ move: 'New' }")
                .replace("in:Old/Box -in:\"old/box\"", "in:New -in:New").replace("[Old/Box,", "['New',"))
        self.assertEqual(file.read_bytes().decode(), text)


class Making(Tools):
    """`opus rules new` and `opus rules suggest`"""

    def test_a_rule_and_its_tests_are_made_of_messages_and_work(self):
        box, place = self.prepare(subjects=())
        head = {"List-Id": "The letter <letter.x.example>"}
        for number in (1, 2):
            box.add("INBOX", letter(f"Roses: {number} 'quoted'", name=f"r{number}", headers=head, body="secret " * 200))
        self.check(place.opus("sync"))
        ids = [item["id"] for item in self.check(place.opus("list", "--json")).json["items"]]
        printed = self.check(place.opus("rules", "new", "--from", *ids, "--then", "move: Letters", "--then", "mark: read"))
        self.assertIn("contains: 'letter.x.example'", printed.out)
        self.assertLess(printed.out.count("secret"), 60)
        out = place.root / "rules" / "50-new.yaml"
        self.check(place.opus("rules", "new", "--from", *ids, "--then", "archive", "--write", str(out)))
        self.assertIn("4 passed, 0 failed", self.check(place.opus("rules", "test")).out)
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"r1": "Archive", "r2": "Archive"})
        self.assertEqual(place.opus("rules", "new", "--from", ids[0], "--write", str(out), "--json").error["code"], "cannot-write")
        self.assertEqual(place.opus("rules", "new", "--from", ids[0], "--then", "explode", "--json").error["code"], "bad-action")

    def test_mail_without_an_address_makes_a_rule_that_checks(self):
        box, place = self.prepare(subjects=())
        senders = {"Nobody": "", "Cron": "root", "Quoted": '"a b"@x.org', "Odd": "O'Brien, \"Q\" <o'b@x.org>"}
        box.add("INBOX", [letter(subject, sender=sender) for subject, sender in senders.items()])
        self.check(place.opus("sync"))
        ids = {item["subject"]: item["id"] for item in self.check(place.opus("list", "--json")).json["items"]}
        out = place.root / "rules" / "50-new.yaml"
        place.write_rules({"40-none.yaml": "rules-version: 1\n"})
        for names in (*([name] for name in senders), list(senders)):
            with self.subTest(names):
                out.unlink(missing_ok=True)
                made = self.check(place.opus("rules", "new", "--from", *map(ids.get, names), "--write", str(out)))
                self.assertNotIn("Warning", made.err)
                self.check(place.opus("rules", "check"))
                self.check(place.opus("rules", "test"))
                items = self.check(place.opus("triage", "--dry-run", "--json")).json["plan"]["items"]
                self.assertEqual({i["subject"] for i in items if i["decisions"]}, set(names))

    def test_a_rule_that_makes_the_test_of_another_file_fail_is_reported(self):
        _, place = self.prepare()
        item = self.check(place.opus("list", "--json", "subject:hello")).json["items"][0]
        other = place.root / "rules" / "90-more.yaml"
        for writer, fails in (("nobody@elsewhere.example", False), ('bob@acme.example', True)):
            other.write_text("rules-version: 1\nrules: []\ntests:\n"
                             f"  - {{ name: lunch stays, mail: {{ from: {writer}, subject: Lunch }}, expect: {{ rule: none }} }}\n")
            made = self.check(place.opus("rules", "new", "--from", item["id"], "--then", "archive"))
            warning = "Warning: rules/90-more.yaml:4: with this rule another test fails: lunch stays: rule: expected none"
            self.assertEqual(warning in made.err, fails, made)

    def test_a_rule_that_comes_too_late_is_reported(self):
        _, place = self.prepare()
        identity = self.check(place.opus("list", "--json", "subject:news")).json["items"][0]["id"]
        done = self.check(place.opus("rules", "new", "--from", identity))
        self.assertIn("'news' ended the triage before it", done.err)

    def test_moves_by_hand_suggest_a_rule_with_a_test_and_the_evidence_and_nothing_is_written(self):
        box, place = self.prepare(subjects=("Hello 1", "Hello 2", "Hello 3", "Hello 4"))
        box.add("INBOX", letter("From another", sender="eve@x.example"))
        self.check(place.opus("run", "--yes"))
        self.assertIn("Nothing to suggest", self.check(place.opus("rules", "suggest")).err)
        names = {i["subject"]: i["id"] for i in self.check(place.opus("list", "--all", "--json")).json["items"]}
        for number in (1, 2):
            self.check(place.opus("archive", names[f"Hello {number}"]))
        self.assertEqual(self.check(place.opus("rules", "suggest", "--json")).json["items"], [])
        box.move("<hello-3@test.example>", "INBOX", "Archive")
        box.move("<hello-4@test.example>", "INBOX", "Archive")
        self.check(place.opus("sync", now=LATER))
        before = box.fingerprint(), sorted((place.root / "rules").iterdir())
        done = self.check(place.opus("rules", "suggest", now=LATER))
        self.assertEqual((box.fingerprint(), sorted((place.root / "rules").iterdir())), before)
        self.assertIn("bob@acme.example in 90 days were sent to archive by hand", done.err)
        subprocess.run(["patch", "-p0", "-s"], cwd=place.root, input=done.out.encode(), check=True)
        self.check(place.opus("rules", "check"))
        self.assertIn("3 passed, 0 failed", self.check(place.opus("rules", "test")).out)
        self.assertEqual(self.check(place.opus("rules", "suggest", "--json", now=LATER)).json["items"], [])

    def test_a_rule_that_changes_nothing_is_not_suggested(self):
        box = self.new_box()
        for sender in ("bob", "eve", "kim"):
            for number in range(3):
                box.add("INBOX", letter(f"{sender} {number}", sender=f"{sender}@x.example"))
        above = "  - {{ id: {0}-stays, when: '{1}', then: {2} }}\n"
        place = self.new_place(box, {"10-mine.yaml": "rules-version: 1\nrules:\n" + above.format("bob", "from:bob@x.example", "keep")
                                     + above.format("kim", "from:kim@x.example age<1h", "keep")})
        self.check(place.opus("sync"))
        ids = [item["id"] for item in self.check(place.opus("list", "--json")).json["items"]]
        self.check(place.opus("archive", *ids))
        done = self.check(place.opus("rules", "suggest"))
        self.assertIn("from-eve-x-example: 3 of 3 mails of eve@x.example", done.err)
        self.assertIn("It changes what happens to 3 of 3 such mails.", done.err)
        for sender in ("bob", "kim"):
            self.assertNotIn(sender, done.text)
        subprocess.run(["patch", "-p0", "-s"], cwd=place.root, input=done.out.encode(), check=True)
        self.check(place.opus("rules", "test"), 0, "2 passed, 0 failed")
        self.assertEqual(self.check(place.opus("rules", "suggest", "--json")).json["items"], [])

    def test_an_exception_that_changes_nothing_is_not_suggested(self):
        _, place = self.prepare(subjects=("News 1", "News 2"))
        self.check(place.opus("triage", "--yes"))
        self.check(place.opus("undo", "--yes"))
        self.assertEqual(len(self.check(place.opus("rules", "suggest", "--json")).json["items"]), 1)
        # Another rule does the same with these mails: an exception to the first would change nothing.
        rules = place.root / "rules"
        (rules / "20-again.yaml").write_text((rules / "10-test.yaml").read_text().replace("id: ", "id: again-"))
        found = self.check(place.opus("rules", "suggest", "--json")).json
        self.assertEqual((found["items"], found["diff"]), ([], ""))

    def test_an_address_may_have_an_apostrophe(self):
        box = self.new_box()
        for number in range(3):
            box.add("INBOX", letter(f"Hello {number}", sender="Pat <pat.o'brien@x.example>"))
        place = self.new_place(box, RULES)
        self.check(place.opus("sync"))
        ids = [item["id"] for item in self.check(place.opus("list", "--json")).json["items"]]
        self.check(place.opus("archive", *ids))
        done = self.check(place.opus("rules", "suggest"))
        subprocess.run(["patch", "-p0", "-s"], cwd=place.root, input=done.out.encode(), check=True)
        self.check(place.opus("rules", "test"), 0, "3 passed, 0 failed")

    def test_reversals_suggest_an_exception(self):
        _, place = self.prepare(subjects=("News 1", "News 2"))
        self.check(place.opus("triage", "--yes"))
        self.check(place.opus("undo", "--yes"))
        done = self.check(place.opus("rules", "suggest"))
        self.assertIn("You undid news for 2 mails of bob@acme.example.", done.err)
        subprocess.run(["patch", "-p0", "-s"], cwd=place.root, input=done.out.encode(), check=True)
        self.assertIn("    unless: 'from:bob@acme.example'\n    then:", (place.root / "rules" / "10-test.yaml").read_text())
        self.assertIn("2 passed, 0 failed", self.check(place.opus("rules", "test")).out)


class Exporting(Tools):
    """`opus rules export sieve`"""

    RULES = """\
rules-version: 1
lists: { vip: [ana@example.org, '@vip.example', '*@*.gov'] }
define: { news: 'list-id:* or header:Precedence:=bulk' }
protect: [{ people: 'from:@vip' }, { open: 'has:open-task' }]
rules:
  - { id: big, when: 'size>2M or body:"special offer"', then: [{ label: big }, { mark: read }] }
  - choose:
      - { id: sale, when: 'is:news subject:sale', then: trash }
      - { id: news, when: 'is:news', unless: 'subject:/(?i)^re\\b/ or is:flagged', then: { move: 'Lists/"News"' } }
  - { id: bill, when: 'subject:bill has:pdf', then: [{ task: 'Pay {{subject}}' }, archive] }
  - { id: old, when: 'from:boss@x.example age>3d', then: archive }
  - { id: off, when: 'subject:off', then: junk, enabled: false }
  - { id: rest, when: 'from:/^no-?reply@/i in:inbox -is:read', then: junk }
"""

    @unittest.skipUnless(shutil.which("sievec"), "dovecot-sieve is not installed")
    def test_sievec_takes_the_script_and_the_rest_is_reported(self):
        _, place = self.prepare(self.RULES, subjects=("Hello",))
        done = self.check(place.opus("rules", "export", "sieve"))
        script = place.root / "x.sieve"
        script.write_text(done.out)
        compiled = subprocess.run(["sievec", str(script), str(place.root / "x.svbin")], capture_output=True, text=True)
        self.assertEqual((compiled.returncode, compiled.stderr), (0, ""), done.out)
        for word in ['fileinto "Trash";', 'fileinto "Lists/\\"News\\"";', "addflag \"\\\\Seen\";", "# rule:[news]"]:
            self.assertIn(word, done.out)
        self.assertNotIn("rule:[off]", done.out)
        document = self.check(place.opus("rules", "export", "sieve", "--json")).json
        self.assertEqual(document["rules"], 4)
        self.assertEqual([(n["rule"], n["piece"]) for n in document["notes"]],
                         [("open", "has:open-task"), ("bill", "task"), ("old", "age>3d"), ("off", "enabled: false")])

    @unittest.skipUnless(shutil.which("sievec"), "dovecot-sieve is not installed")
    def test_the_starter_rules_compile_too(self):
        from workplace import REPOSITORY
        _, place = self.prepare(REPOSITORY / "rules", subjects=("Hello",))
        script = place.root / "x.sieve"
        script.write_text(self.check(place.opus("rules", "export", "sieve")).out)
        subprocess.run(["sievec", str(script), str(place.root / "x.svbin")], check=True)
