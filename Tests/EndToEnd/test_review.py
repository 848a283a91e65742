"""opus review: one question at a time, each answer a run, and it goes on after a stop or a kill."""
import os
import signal
import subprocess
import tempfile
import time

from letters import BOB, letter
from terminal import pieces, start
from workplace import on_both

OLD, CLOCK, NEXT = "2026-02-01T08:30:00+01:00", "2026-03-10T08:30:00+01:00", "2026-03-10T09:30:00+01:00"


@on_both
class Reviews:
    def lay(self, *subjects):
        box = self.new_box()
        for mailbox in ("Archive", "Drafts", "Sent", "Trash"):
            if mailbox not in box.names():
                box.create(mailbox)
        box.add("INBOX", [letter(subject, minutes=number) for number, subject in enumerate(subjects)])
        place = self.new_place(box)
        self.check(place.opus("sync"))
        return box, place

    def review(self, place, *answers, words=(), now=CLOCK, code=0):
        with tempfile.TemporaryFile() as typed:
            typed.write("".join(f"{answer}\n" for answer in answers).encode())
            typed.seek(0)
            done = place.opus("review", *words, stdin=typed, now=now)
        self.assertEqual(done.code, code, done)
        return done.text

    def answer(self, place, answers):
        """A review on a terminal. `answers` are pairs: what happens while the question waits, and the key, or several keys
        that are typed one after the other. Returns what it printed."""
        ours, process = start(place.command("review"), place.environment(NO_COLOR="1"), place.root, columns=120)
        output, asked = b"", 0
        for piece in pieces(ours, process):
            output += piece
            if answers and output.count(b"q stop") > asked:
                asked = output.count(b"q stop")
                act, key = answers.pop(0)
                if act:
                    act()
                for byte in key if isinstance(key, tuple) else (key,):
                    os.write(ours, byte)
                    time.sleep(0.003)
        os.close(ours)
        self.assertEqual(process.wait(30), 0, output)
        return output

    def tasks(self, place, *words):
        return {item["summary"]: item for item in place.opus("task", "list", "--all", *words, "--json").json["items"]}

    def test_the_inbox_to_zero_with_every_answer_and_all_of_it_undone(self):
        box, place = self.lay("One", "Two", "Three", "Four", "Five", "Six")
        before = box.fingerprint()
        text = self.review(place, "e", "#", "t", "1", "s", "k")
        self.assertIn("[1/6] Inbox (6 left)", text)
        self.assertIn("[6/6] Inbox (1 left)", text)
        self.assertPlaces(box, {"one": "Archive", "two": "Trash", "three": "INBOX", "six": "INBOX"})
        self.assertEqual(list(self.tasks(place)), ["Three"])
        self.assertEqual({item["subject"] for item in place.opus("defer", "--list", "--json").json["items"]}, {"Four", "Five"})
        self.assertNotIn("Deferred mail", text, "what was just decided is not asked about again")
        for _ in range(5):
            self.check(place.opus("undo", "--yes"))
        self.assertEqual((sorted(box.subjects("INBOX")), self.tasks(place)),
                         (["Five", "Four", "One", "Six", "Three", "Two"], {}))
        self.assertEqual(box.fingerprint()[0][0], before[0][0])

    def test_only_a_line_of_one_character_is_a_key(self):
        box, place = self.lay("One")
        text = self.review(place, "exit", "#5 later", "quick", "e")
        self.assertEqual(text.count("unknown key"), 3)
        self.assertPlaces(box, {"one": "Archive"})

    def test_an_answer_without_a_connection_waits_and_can_be_undone(self):
        if self.kind == "maildir":
            self.skipTest("a Maildir is always there")
        box, place = self.lay("One", "Two", "Three")
        good = (place.root / "opus.yaml").read_text()
        (place.root / "opus.yaml").write_text(good.replace(f"port: {box.servers.imaps_port}", "port: 1"))
        text = self.review(place, "#", "e", "z", "q")
        self.assertEqual(text.count("waits: the next run does it"), 2)
        self.assertRegex(text, r"→ trash  \(opus undo r:0001\)")
        self.assertNotIn("nothing to undo", text)
        self.assertNotIn("Nothing was changed", text)
        (place.root / "opus.yaml").write_text(good)
        self.check(place.opus("run", "--yes"), 0, "1 × moved to Trash")
        self.assertPlaces(box, {"one": "Trash", "two": "INBOX", "three": "INBOX"})

    def test_a_review_asks_about_everything_that_may_be_forgotten(self):
        box, place = self.lay("Later", "Offer")
        for title, where in (("Stale", "next"), ("Dream", "someday"), ("Trip", "next")):
            self.check(place.opus("task", "add", title, "--list", where, now=OLD))
        self.check(place.opus("task", "add", "Fresh"))
        trip = self.tasks(place)["Trip"]["id"]
        self.check(place.opus("task", "add", "Visa", "--project", trip, "--list", "waiting"))
        ids = {item["subject"]: item["id"] for item in place.opus("list", "--json").json["items"]}
        self.check(place.opus("defer", ids["Later"], "friday"))
        self.check(place.opus("wait", ids["Offer"]))
        self.check(place.opus("compose", "--to", BOB, "--subject", "Unsent", "--body", "/dev/null"))
        text = self.review(
            place, "k",  # the inbox: Offer
            "t",  # the draft: Unsent
            "7", "k",  # waiting
            "x",  # the stale next action
            "a", "Book the flight",  # the project
            "n",  # someday
            "b")  # deferred mail
        for words in ("Drafts and outbox", "Waiting (2 left)", "Stale next actions", "Projects without a next action",
                      "Someday", "Deferred mail", "The review is done", "Each answer is a run: opus undo r:"):
            self.assertIn(words, text)
        tasks = self.tasks(place)
        self.assertEqual(tasks["Stale"]["status"], "cancelled")
        self.assertEqual(tasks["Dream"]["list"], "next")
        self.assertEqual(tasks["Book the flight"]["list"], "next")
        self.assertIn("Send: Unsent", tasks)
        self.assertEqual(sorted(box.subjects("INBOX")), ["Later", "Offer"])
        self.assertNotIn("Fresh", text)
        # A review that is done begins anew.
        self.assertIn("[1/", self.review(place, "q"))

    def test_a_stopped_review_continues_after_an_undo_and_a_new_task(self):
        box, place = self.lay("One", "Two", "Three")
        text = self.review(place, "e", "z", "y", "+", "Buy milk", "e", "q")
        self.assertIn("unknown key", text)
        self.assertIn("Inbox: 1 × archive, 1 × task added", text)
        self.assertIn("2 questions left", text)
        self.assertPlaces(box, {"one": "Archive", "two": "INBOX"})
        self.assertIn("Buy milk", self.tasks(place))
        text = self.review(place, "k", now=NEXT)
        self.assertIn("The review continues: 1 question answered before.", text)
        self.assertIn("[2/3] Inbox (2 left)", text)
        self.assertIn("1 question left", text)
        self.assertIn("[1/2]", self.review(place, words=["--restart"]))
        # So many may stay.
        self.assertIn("Nothing was changed", self.review(place, words=["--restart", "--inbox", "2"]))
        found = self.check(place.opus("review", "--restart", "--json")).json
        self.assertEqual(found["schema"], "opus.review/1")
        self.assertEqual([(item["section"], item["title"], item["answered"]) for item in found["items"]],
                         [("inbox", "Two", False), ("inbox", "Three", False)])
        self.assertEqual(found["items"][0]["choices"][0], {"key": "e", "choice": "archive"})
        self.review(place, "k", "q", words=["--restart"])
        self.assertEqual([item["answered"] for item in place.opus("review", "--json").json["items"]], [True, False])

    def test_a_draft_is_discarded_and_comes_back(self):
        box, place = self.lay()
        self.check(place.opus("compose", "--to", BOB, "--subject", "Unsent", "--body", "/dev/null"))
        self.check(place.opus("run", "--yes"))
        self.assertEqual(box.subjects("Drafts"), ["Unsent"])
        # A question after it: the review does not end with the answer.
        self.check(place.opus("task", "add", "Dream", "--list", "someday"))
        text = self.review(place, "#", "k")
        self.assertIn("Drafts and outbox: 1 × discard", text)
        self.assertEqual((box.subjects("Drafts"), place.opus("drafts", "--json").json["items"]), ([], []))
        self.check(place.opus("compose", "--to", BOB, "--subject", "Again", "--body", "/dev/null"))
        self.review(place, "#", "z", "q")
        self.check(place.opus("run", "--yes"))
        self.assertEqual(box.subjects("Drafts"), ["Again"])
        item, = place.opus("drafts", "--json").json["items"]
        self.assertIn(BOB.split("<")[-1].strip(">"), place.opus("drafts", "show", item["id"]).out)

    def age(self, file):
        """As if it had been written before the clock of the tests."""
        os.utime(file, (1_770_000_000, 1_770_000_000))

    def test_a_rule_is_disabled_and_enabled_again(self):
        rules = """\
rules-version: 1
rules:
  - { id: used, when: 'subject:one', then: { label: seen } }
  # never used
  - { id: flow, when: 'subject:never', then: flag }
  - id: block
    when: 'subject:nothing'
    then: flag
  - id: on
    enabled: yes
    when: 'subject:nowhere'
    then: flag
"""
        box = self.new_box()
        place = self.new_place(box, rules)
        file, = (place.root / "rules").iterdir()
        box.add("INBOX", letter("One"))
        self.check(place.opus("run", "--yes"))
        self.check(place.opus("archive", place.opus("list", "--json").json["items"][0]["id"]))
        self.age(file)
        late = "2026-06-10T08:30:00+02:00"
        text = self.review(place, "x", "x", "x", now=late)
        self.assertIn("Rules: 3 × disable", text)
        self.assertEqual(file.read_text().count("enabled: false"), 3)
        self.assertIn("# never used", file.read_text())
        self.check(place.opus("rules", "check"))
        self.assertEqual([item["enabled"] for item in place.opus("rules", "stats", "--json").json["items"]], [True] + [False] * 3)
        file.write_text(rules)
        self.age(file)
        self.review(place, "x", "x", "z", "q", now=late)
        self.assertEqual(file.read_text().count("enabled: false"), 1)
        file.write_text(rules)
        self.age(file)
        self.review(place, "x", "z", "q", words=["--restart"], now=late)
        self.assertEqual(file.read_text(), rules)

    def test_a_kill_loses_no_answer_and_asks_none_twice(self):
        box, place = self.lay("One", "Two", "Three")
        for number, (name, subject) in enumerate((("one", "Two"), ("two", "Three"))):
            process = subprocess.Popen(
                place.command("review"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env=place.environment(), cwd=place.root)
            process.stdin.write(b"e\n")
            process.stdin.flush()
            seen = b""
            while f"[{number + 2}/3]".encode() not in seen:
                piece = os.read(process.stdout.fileno(), 1 << 16)
                self.assertTrue(piece, seen)
                seen += piece
            process.send_signal(signal.SIGKILL)
            process.wait()
            process.stdin.close(), process.stdout.close()
            self.assertPlaces(box, {name: "Archive"})
        text = self.review(place, "e")
        self.assertIn("2 questions answered before", text)
        self.assertNotIn("  Two", text)
        self.assertIn("The review is done: 3 questions answered", text)
        self.assertEqual(len(box.subjects("Archive")), 3)

    def test_on_a_terminal_one_key_is_an_answer(self):
        box, place = self.lay("One", "Two")
        ours, process = start(place.command("review"), place.environment(NO_COLOR="1"), place.root, columns=80)
        output, typed = b"", [b"e", b"k"]
        for piece in pieces(ours, process):
            output += piece
            if typed and output.count(b"q stop") == 3 - len(typed):
                os.write(ours, typed.pop(0))
        os.close(ours)
        self.assertEqual(process.wait(30), 0, output)
        self.assertIn(b"The review is done", output)
        self.assertPlaces(box, {"one": "Archive", "two": "INBOX"})

    def test_a_message_that_was_filed_meanwhile_stays_there_and_what_cannot_be_undone_is_said(self):
        box, place = self.lay("One", "Two", "Three")
        box.create("Projects")

        def file_one():
            box.move("one@test.example", "INBOX", "Projects")
            self.check(place.opus("sync"))

        def rename_task():
            place.edit("Two", ("SUMMARY:Two", "SUMMARY:My two"))

        answers = [(file_one, b"#"), (None, b"t"), (rename_task, b"z"), (None, b"q")]
        output = self.answer(place, answers)
        self.assertIn(b"the message is now in Projects, so it stays there", output)
        self.assertIn(b"! not undone: ", output)
        self.assertIn("→ make a task".encode(), output)
        self.assertPlaces(box, {"one": "Projects", "two": "INBOX", "three": "INBOX"})
        self.assertEqual(list(self.tasks(place)), ["My two"])
        self.assertIn(b"1 question left", output)

    def test_keys_that_were_typed_before_a_question_was_shown_do_not_answer_it(self):
        box, place = self.lay("One", "Two", "Three")
        self.answer(place, [(None, (b"#", b"#")), (None, b"q")])
        self.assertEqual([box.where(f"{name}@test.example") for name in ("two", "three")], [["INBOX"], ["INBOX"]])

    def test_a_pasted_text_answers_nothing(self):
        box, place = self.lay("One", "Two", "Three")
        output = self.answer(place, [(None, b"e#t"), (None, b"please see the file\n"), (None, b"\x1b[A"), (None, b"q")])
        self.assertPlaces(box, {"one": "INBOX", "two": "INBOX", "three": "INBOX"})
        self.assertEqual(output.count(b"[1/3] Inbox"), 4, output)
        self.assertEqual(list(self.tasks(place)), [])

    def test_a_message_that_another_program_moved_is_asked_about_once(self):
        box, place = self.lay("One", "Two")
        box.create("Projects")
        answers = [(lambda: box.move("one@test.example", "INBOX", "Projects"), b"#"), (None, b"e"), (None, b"q")]
        output = self.answer(place, answers)
        self.assertIn(b"no longer in INBOX: another program moved", output)
        self.assertIn(b"skipped; the next review asks again", output)
        self.assertPlaces(box, {"one": "Projects", "two": "Archive"})

    def test_an_answer_that_came_after_the_question_stays_in_the_inbox(self):
        box, place = self.lay("One", "Two")
        box.add("INBOX", letter("Re: One", name="shown", minutes=3, headers={"References": "<one@test.example>"}))
        self.check(place.opus("sync"))

        def come(name, to):
            box.add("INBOX", letter(f"Re: {to}", name=name, minutes=9, headers={"References": f"<{to}@test.example>"}))
            self.check(place.opus("sync"))

        answers = [(lambda: come("unseen", "one"), b"e"), (lambda: come("later", "two"), b"s"), (None, b"q")]
        output = self.answer(place, answers)
        self.assertPlaces(box, {"one": "Archive", "shown": "Archive", "unseen": "INBOX", "two": "Deferred", "later": "INBOX"})

    def test_hostile_words_reach_no_terminal(self):
        box, place = self.lay()
        box.add("INBOX", letter("x", "evil", headers={
            "Subject": "=?utf-8?q?=1B[2J=E2=80=AE?=", "From": "=?utf-8?q?=1B[2J?= <eve@x.example>"}))
        self.check(place.opus("sync"))
        text = self.review(place, "q")
        self.assertNotIn("\x1b[2J", text)
        self.assertNotIn("\u202e", text)

    def test_a_rule_that_is_almost_always_undone_is_asked_about_until_it_is_disabled(self):
        rules = """\
rules-version: 1
rules:
  - { id: wrong, when: 'subject:news', then: archive }
  - { id: half, when: 'subject:half', then: flag }
  - { id: once, when: 'subject:once', then: flag }
  - { id: right, when: 'subject:right', then: archive }
"""
        box, place = self.lay("News 1", "News 2", "Right 1", "Right 2", "Once", "Half 1", "Half 2", "Half 3")
        place.write_rules(rules)
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"news-1": "Archive", "right-2": "Archive"})
        ids = {item["subject"]: item["id"] for item in place.opus("list", "--all", "--json").json["items"]}
        for subject in ("News 1", "Once", "Half 1", "Half 2"):
            self.check(place.opus("undo", ids[subject], "--yes"))
        # Once is not a habit.
        self.assertNotIn("was undone", self.review(place, "q", words=["--restart", "--inbox", "9"]))
        # Another program takes the other one back.
        box.move("news-2@test.example", "Archive", "INBOX")
        self.check(place.opus("run", "--yes"))
        text = self.review(place, "x", "q", words=["--restart", "--inbox", "9"])
        self.assertIn("[1/1] Rules", text)
        self.assertIn("was undone 2 of 2 times", text)
        self.assertNotIn("half", text)
        self.assertEqual((place.root / "rules" / "10-test.yaml").read_text().count("enabled: false"), 1)
        self.assertNotIn("was undone", self.review(place, "q", words=["--restart", "--inbox", "9"]))
        self.assertEqual(place.opus("review", "--restart", "--inbox", "9", "--json").json["items"], [])
