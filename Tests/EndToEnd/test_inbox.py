"""`opus inbox`: the inbox on a full screen, one key for each message, in a real terminal on a real server.

OPUS_INBOX_VERBS says how many random verbs are given and undone (40; `make soak` gives 1,000).
"""
import json
import os
import random
import re
import shlex
import shutil
import signal
import socket
import sys
import threading
import time
import unicodedata
import unittest
from pathlib import Path

from figures import note
from letters import letter
from listener import Listener
from screen import Screen, is_installed
from servers import MailServers
from terminal import answered
from workplace import Case

VERBS = int(os.environ.get("OPUS_INBOX_VERBS", "40"))
RULES = """\
rules-version: 1
name: inbox
protect:
  mine: 'subject:precious'
rules:
  - { id: news, when: 'subject:news', then: [archive] }
  - { id: offer, when: 'subject:offer', then: [trash] }
"""
#: Clears the screen, sets the title, writes to the clipboard, turns the text round, ends with a C1 sequence.
HOSTILE = "\x1b[2J\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\u202e\x9b31mhostile"
WIDE = "日本語の件名がとても長いので切らなければなりません 👩\u200d👩\u200d👧 e\u0301"


def encoded(text):
    return "=?utf-8?q?" + "".join(f"={byte:02X}" for byte in text.encode()) + "?="


def columns(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


@unittest.skipUnless(is_installed(), "tmux is not installed")
class InboxCase(Case):
    kind = "imap"

    def prepare(self, *letters, rules=RULES, box=None, **options):
        box = box or self.new_box()
        box.add("INBOX", list(letters))
        place = self.new_place(box, rules, **options)
        self.check(place.opus("sync"))
        return box, place

    def screen(self, place, *words, size=(80, 24), before=(), **environment):
        screen = Screen([*before, *place.command("inbox", *words)], place.environment(**environment), size)
        self.addCleanup(screen.__exit__)
        return screen

    def state(self, box):
        """Every message, where it is and how it is marked; nothing else. A draft that was removed is in the trash."""
        return sorted((held.message_id, held.mailbox, sorted(held.flags - {"\\Recent"})) for held in box.everything()
                      if not (held.mailbox == "Trash" and "\\Draft" in held.flags))

    def quit(self, screen, code=0, seconds=60):
        screen.type("q")
        return screen.wait(rf"ended: {code}\b", seconds)


class Deciding(InboxCase):
    LETTERS = [letter(name.capitalize(), name, minutes=minute, body=f"This is {name}.\n")
               for minute, name in enumerate(["six", "five", "four", "three", "two", "one"])]

    def test_a_bundle_is_one_item(self):
        box, place = self.prepare(*self.LETTERS)
        for name in ("one", "two", "three"):
            box.mark("INBOX", f"{name}@test.example", add=["bundle.Reading"])
        self.check(place.opus("sync"))
        screen = self.screen(place)
        screen.wait("4 left(?s:.*)Reading +3 from 1 sender")
        screen.type("e")
        screen.wait("3 left")
        self.quit(screen)
        self.assertPlaces(box, {"one": "Archive", "two": "Archive", "three": "Archive", "four": "INBOX"})
        self.check(place.opus("undo", "--yes"))
        self.assertPlaces(box, {"one": "INBOX", "two": "INBOX", "three": "INBOX"})

    def test_what_needs_one_message_is_refused_for_a_bundle(self):
        box, place = self.prepare(*self.LETTERS)
        for name in ("one", "two"):
            box.mark("INBOX", f"{name}@test.example", add=["bundle.Reading"])
        self.check(place.opus("sync"))
        screen = self.screen(place)
        screen.wait("Reading +2 from 1 sender")
        for key in "tdw":
            screen.type(key)
            screen.wait("A bundle has several messages")
            screen.type("k")
            screen.wait(r"(?s)\A(?!.*A bundle has several messages)")
        # So is a move to where the message is.
        screen.type("j")
        screen.wait("This is three")
        screen.type("vinbox")
        screen.key("Enter")
        screen.wait("the mail is in INBOX already")
        self.assertIn("Nothing was decided, 5 left", self.quit(screen))
        self.assertEqual(place.opus("runs", "--json").json["items"], [])
        self.assertEqual(list(place.tasks.glob("*/*.ics")), [])

    def test_each_key_decides_and_the_next_message_is_there(self):
        for size in ((80, 24), (200, 50)):
            with self.subTest(size):
                box, place = self.prepare(*self.LETTERS, name=f"place-{size[0]}")
                before = self.state(box)
                screen = self.screen(place, size=size)
                text = screen.wait("This is one")
                self.assertIn("6 left", text)
                self.assertLessEqual(max(columns(line) for line in screen.lines), size[0])
                screen.type("e")
                screen.wait("5 left(?s:.*)This is two")
                screen.type("h")
                screen.wait("Defer until")
                screen.type("friday")
                screen.key("Enter")
                screen.wait("4 left(?s:.*)This is three")
                screen.type("#")
                screen.wait("3 left, .*at your pace(?s:.*)This is four")
                screen.type("t")
                screen.wait("Task: Four")
                screen.key("Enter")
                screen.wait("2 left(?s:.*)This is five")
                screen.type("lred")
                screen.key("Enter")
                screen.wait("Five +red")
                screen.type("vArchive")
                screen.key("Enter")
                screen.wait("1 left(?s:.*)This is six")
                screen.type("!")
                screen.wait("nothing left(?s:.*)Everything is decided")
                text = self.quit(screen)
                self.assertRegex(text, r"6 conversations decided in \d+ s, 0 left")
                self.assertRegex(text, r"1 archived, 1 deferred, 1 to the trash, 1 made a task, 1 labelled, 1 moved, 1 to junk")
                self.assertPlaces(box, {"one": "Archive", "two": "Deferred", "three": "Trash", "four": "INBOX",
                                        "five": "Archive", "six": "Junk"})
                self.assertTrue(place.task("Four"))
                runs = [run for run in place.opus("runs", "--json").json["items"]]
                self.assertEqual([run["command"] for run in runs], ["inbox"])
                self.check(place.opus("undo", "--yes"))
                self.assertEqual(self.state(box), before)
                self.assertEqual(list(place.tasks.glob("*/*.ics")), [])

    def test_z_undoes_one_after_the_other(self):
        box, place = self.prepare(*self.LETTERS)
        before = self.state(box)
        screen = self.screen(place)
        screen.wait("This is one")
        screen.type("e#e")
        screen.wait("3 left(?s:.*)This is four")
        screen.type("z")
        screen.wait("4 left(?s:.*)This is three")
        screen.type("zz")
        screen.wait("6 left(?s:.*)This is one")
        screen.type("z")
        screen.wait("Nothing left to undo")
        self.quit(screen)
        self.assertEqual(self.state(box), before)

    def test_undo_does_not_repeat_what_z_undid(self):
        box, place = self.prepare(*self.LETTERS)
        before = self.state(box)
        screen = self.screen(place)
        screen.wait("This is one")
        screen.type("e")
        screen.wait("5 left(?s:.*)This is two")
        end = time.monotonic() + 20
        while box.where("one@test.example") != ["Archive"] and time.monotonic() < end:
            time.sleep(0.05)
        screen.type("z")
        screen.wait("6 left(?s:.*)This is one")
        screen.type("j")
        screen.wait("This is two")
        screen.type("e")
        screen.wait("5 left")
        self.quit(screen)
        self.assertPlaces(box, {"one": "INBOX", "two": "Archive"})
        self.check(place.opus("undo", "--yes"))
        self.assertEqual(self.state(box), before)

    def test_the_same_decision_can_be_made_and_undone_repeatedly(self):
        for pause in (0, 1):
            with self.subTest(pause):
                box, place = self.prepare(*self.LETTERS, name=f"place-{pause}")
                before = self.state(box)
                screen = self.screen(place)
                screen.wait("This is one")
                for _ in range(4):
                    for key in "ez":
                        screen.type(key)
                        time.sleep(pause)
                screen.type("e")
                screen.wait("5 left")
                screen.type("z")
                screen.wait("6 left")
                text = self.quit(screen)
                self.assertNotIn("!", text)
                self.assertEqual(self.state(box), before)

    def test_selection_search_and_help(self):
        box, place = self.prepare(*self.LETTERS)
        screen = self.screen(place)
        screen.wait("This is one")
        screen.type("?")
        self.assertIn("undo the last decision", screen.wait("Keys"))
        screen.key("Escape")
        screen.wait("This is one")
        screen.type("/subject:five or subject:two")
        screen.key("Enter")
        screen.wait(r"search: .* \(2\)(?s:.*)This is two")
        screen.type("xx")
        screen.wait("2 selected")
        screen.type("e")
        screen.wait("4 left(?s:.*)The search found nothing")
        screen.key("Escape")
        screen.wait("This is one")
        screen.type(".")
        screen.wait("no rule would change it")
        screen.key("Escape")
        screen.wait("This is one")
        screen.type("/from:(")
        screen.key("Enter")
        screen.wait("Not understood")
        screen.key("Escape")
        screen.wait("This is one")
        self.quit(screen)
        self.assertPlaces(box, {"five": "Archive", "two": "Archive", "one": "INBOX"})

    def test_a_protected_message_comes_back(self):
        box, place = self.prepare(letter("Precious", "precious"), letter("Other", "other", minutes=-1))
        screen = self.screen(place)
        screen.wait("Precious")
        screen.type("e")
        screen.wait("not done: protected(?s:.*)")
        screen.wait("2 left")
        self.quit(screen)
        self.assertPlaces(box, {"precious": "INBOX", "other": "INBOX"})

    def test_a_decision_about_a_message_that_another_program_took_is_counted_as_failed(self):
        box, place = self.prepare(*self.LETTERS)
        screen = self.screen(place, size=(120, 24))
        screen.wait("This is one")
        box.remove("INBOX", "one@test.example")
        box.move("two@test.example", "INBOX", "Projects")
        screen.type("e")
        screen.wait("5 left(?s:.*)failed: “One”: no longer in INBOX")
        screen.type("xxxe")
        screen.wait("2 left(?s:.*)failed: “Two”: no longer in INBOX")
        text = self.quit(screen)
        self.assertIn("2 archived, 2 failed.", text)
        self.assertPlaces(box, {"two": "Projects", "three": "Archive", "four": "Archive"})
        self.check(place.opus("undo", "--yes"))
        self.assertPlaces(box, {"two": "Projects", "three": "INBOX", "four": "INBOX"})

    def test_a_message_that_another_program_filed_stays_there_after_a_sync(self):
        for keys in (["e"], ["t", "Enter"], ["w", "Enter"], ["d", "bob@far.example", "Enter", "Enter"]):
            with self.subTest(keys[0]):
                box, place = self.prepare(*self.LETTERS)
                screen = self.screen(place, size=(120, 24))
                screen.wait("This is one")
                box.move("one@test.example", "INBOX", "Projects")
                self.check(place.opus("sync"))
                for key in keys:
                    screen.key(key) if key == "Enter" else screen.type(key)
                    time.sleep(0.3)
                screen.wait("5 left(?s:.*)failed: “One”: it was moved to Projects")
                screen.type("z")
                screen.wait("5 left(?s:.*)Nothing left to undo in this session.")
                self.assertIn("1 failed.", self.quit(screen))
                self.assertPlaces(box, {"one": "Projects", "two": "INBOX"})
                self.assertEqual((box.subjects("Drafts"), list(place.tasks.rglob("*.ics"))), ([], []))
                shutil.rmtree(place.root)

    def test_a_message_that_another_program_deleted_is_named_after_a_sync(self):
        box, place = self.prepare(*self.LETTERS)
        screen = self.screen(place, size=(120, 24))
        screen.wait("This is one")
        box.remove("INBOX", "one@test.example")
        self.check(place.opus("sync"))
        screen.type("e")
        screen.wait("5 left(?s:.*)failed: “One”: it is no longer in any mailbox")
        screen.type("e")
        screen.wait("4 left")
        self.assertIn("1 archived, 1 failed.", self.quit(screen))
        self.assertPlaces(box, {"two": "Archive"})

    def test_z_says_that_a_delegation_that_was_sent_stays_sent(self):
        box, place = self.prepare(letter("Question", "question"), letter("Other", "other", minutes=-1),
                                  settings="allow-send: true\n", smtp="starttls")
        screen = self.screen(place)
        screen.wait("2 left")
        screen.type("d")
        screen.wait("Delegate to")
        screen.type("carla@acme.example")
        screen.key("Enter")
        screen.wait("Note above")
        screen.key("Enter")
        screen.wait("1 left")
        end = time.monotonic() + 30
        # The session reads the draft back after it has put it into the mailbox.
        while not (drafts := place.opus("drafts", "--json").json["items"]):
            self.assertLess(time.monotonic(), end, "no draft was saved")
        draft, = drafts
        self.check(place.opus("send", draft["id"], "--yes"))
        screen.type("z")
        screen.wait("2 left(?s:.*)a part stays: it was sent, and stays sent")
        self.quit(screen)
        self.assertPlaces(box, {"question": "INBOX"})

    def test_t_makes_no_second_open_task_but_one_after_an_earlier_one_was_done(self):
        box, place = self.prepare(letter("Bill", "bill"), settings="tasks: { when-done: keep }\n")
        name, = [item["id"] for item in place.opus("list", "--json").json["items"]]
        self.check(place.opus("task", "from", name, "--title", "First"))
        screen = self.screen(place, "--all")
        screen.wait("Bill")
        screen.type("t")
        screen.wait("Task: Bill")
        screen.key("Enter")
        screen.wait("not done: the task already exists: t:")
        self.quit(screen)
        self.check(place.opus("task", "done", place.opus("next", "--json").json["items"][0]["id"]))
        self.check(place.opus("run", "--yes"))
        screen = self.screen(place)
        screen.wait("Bill")
        screen.type("t")
        screen.wait("Task: Bill")
        screen.key("Enter")
        screen.wait("nothing left")
        self.quit(screen)
        self.assertEqual([item["summary"] for item in place.opus("next", "--json").json["items"]], ["Bill"])
        self.check(place.opus("undo", "--yes"))
        self.assertEqual([item["summary"] for item in place.opus("task", "list", "--all", "--json").json["items"]], ["First"])

    def test_a_reply_is_written_in_the_editor_and_undone_with_the_session(self):
        box, place = self.prepare(letter("Question", "question", body="What?\n"))
        before = self.state(box)
        editor = place.root / "editor"
        editor.write_text("#!/bin/sh\nprintf 'My answer.\\n' | cat \"$1\" - > \"$1.new\" && mv \"$1.new\" \"$1\"\n")
        editor.chmod(0o755)
        screen = self.screen(place, EDITOR=str(editor))
        screen.wait("What\\?")
        screen.type("r")
        screen.wait("draft saved(?s:.*)")
        screen.wait_fact("alternate_on", "1")
        screen.type("e")
        screen.wait("Everything is decided")
        self.quit(screen)
        self.assertEqual(box.subjects("Drafts"), ["Re: Question"])
        self.assertPlaces(box, {"question": "Archive"})
        self.check(place.opus("undo", "--yes"))
        self.assertEqual(self.state(box), before)
        self.assertEqual(box.subjects("Drafts"), [])

    def test_reply_to_all_and_forward_are_written_in_the_editor(self):
        box, place = self.prepare(letter("Question", "question", body="What?\n", to="Ana <ana@acme.example>",
                                         headers={"Cc": "Carla <carla@acme.example>"}))
        editor, edited = place.root / "editor", place.root / "edited"
        editor.write_text("#!/bin/sh\nsed -i 's/^To: *$/To: dan@acme.example/' \"$1\"; echo 'My words.' >> \"$1\"\n"
                          f"grep '^To:' \"$1\" >> {edited}\n")
        editor.chmod(0o755)
        screen = self.screen(place, EDITOR=str(editor))
        screen.wait("What\\?")
        screen.type("a")
        screen.wait("draft saved")
        # The screen already shows "draft saved", so the editor tells when it is done with the second mail.
        screen.type("f")
        end = time.monotonic() + 30
        while not edited.exists() or len(edited.read_text().splitlines()) < 2:
            self.assertLess(time.monotonic(), end, "the second mail was not edited")
            time.sleep(0.05)
        screen.wait("draft saved")
        self.quit(screen)
        drafts = {item["subject"]: item["to"]
                  for item in place.opus("drafts", "--json").json["items"]}
        self.assertEqual(sorted(drafts), ["Fwd: Question", "Re: Question"])
        self.assertIn("carla@acme.example", " ".join(drafts["Re: Question"]))
        self.assertEqual(drafts["Fwd: Question"], ["dan@acme.example"])
        self.assertEqual(sorted(box.subjects("Drafts")), ["Fwd: Question", "Re: Question"])

    def test_unsubscribing_asks_first_and_writes_a_draft(self):
        box, place = self.prepare(letter("Weekly", "weekly", headers={"List-Unsubscribe": "<mailto:out@news.example>"}),
                                  letter("Person", "person", minutes=-1))
        screen = self.screen(place)
        screen.wait("Weekly")
        screen.type("u")
        screen.wait(r"Write a draft to out@news\.example that leaves the list\?")
        screen.type("x")
        screen.wait("Nothing was done")
        self.assertEqual(place.opus("drafts", "--json").json["items"], [])
        screen.type("u")
        screen.wait("Write a draft")
        screen.type("y")
        screen.wait("draft saved")
        screen.type("ju")
        screen.wait("does not offer a way to unsubscribe")
        self.quit(screen)
        self.assertEqual(box.subjects("Drafts"), ["unsubscribe"])
        self.check(place.opus("undo", "--yes"))
        self.assertEqual(box.subjects("Drafts"), [])

    def test_a_rule_is_made_from_a_message(self):
        box, place = self.prepare(letter("Weekly", "weekly", headers={"List-Id": "<weekly.example>"}))
        screen = self.screen(place)
        screen.wait("Weekly")
        screen.type("n")
        screen.wait("Make a rule")
        screen.key("Enter")
        screen.wait("Write this rule to")
        screen.type("y")
        screen.wait("rule written to")
        end = time.monotonic() + 20
        while not list((place.root / "rules").glob("60-*.yaml")) and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(len(list((place.root / "rules").glob("60-*.yaml"))), 1)
        self.check(place.opus("rules", "check"))
        screen.type("z")
        screen.wait("undone: rule")
        self.quit(screen)
        self.assertEqual(list((place.root / "rules").glob("60-*.yaml")), [])


class Terminal(InboxCase):
    def test_hostile_and_wide_text_stays_in_its_line(self):
        for size in ((80, 24), (200, 50)):
            with self.subTest(size):
                box, place = self.prepare(
                    letter(encoded(HOSTILE), "hostile", sender=f"{encoded(HOSTILE)} <eve@far.example>",
                           body=HOSTILE + "\nand more\n", headers={"Content-Transfer-Encoding": "8bit"}),
                    letter(encoded(WIDE), "wide", minutes=-1, body=(WIDE + "\n") * 80), name=f"place-{size[0]}")
                screen = self.screen(place, size=size)
                text = screen.wait("and more")
                self.assertRegex(text, r"Subject .*\]0;owned.*\\u\{202e\}")
                self.assertIn("2 left", text)
                self.assertNotEqual(screen.fact("pane_title"), "owned")
                screen.key("Down")
                text = screen.wait("more lines: space")
                self.assertIn("日本語の件名", text)
                lines = screen.lines
                self.assertLessEqual(max(columns(line) for line in lines), size[0])
                # The line of the list and that of the frame are where they were drawn.
                self.assertRegex(lines[0], "^opus inbox")
                self.assertRegex(lines[2], "^> ")
                screen.type("   ")
                screen.wait("日本語の件名")
                self.quit(screen)

    def test_a_new_size_draws_the_screen_again(self):
        box, place = self.prepare(*[letter(f"Number {n}", f"n{n}", minutes=-n, body="word " * 300) for n in range(30)])
        screen = self.screen(place)
        screen.wait("Number 0")
        for size in ((200, 50), (40, 12), (10, 3), (100, 30)):
            screen.resize(*size)
            time.sleep(0.3)
            self.assertLessEqual(max(columns(line) for line in screen.lines), size[0])
        screen.wait("30 left(?s:.*)Number 0")
        screen.type("e")
        screen.wait("29 left")
        self.quit(screen)

    def test_a_terminal_far_away_loses_no_key_and_makes_none(self):
        far = [sys.executable, str(Path(__file__).with_name("far.py")), "0.15"]
        for size in ((80, 24), (200, 50)):
            with self.subTest(size):
                box, place = self.prepare(
                    *[letter(f"Number {n}", f"n{n}", minutes=-n, body=f"This is {n}.\n") for n in range(8)],
                    name=f"far-{size[0]}")
                screen = self.screen(place, size=size, before=far)
                screen.wait("8 left(?s:.*)This is 0\\.")
                # The bytes of an arrow key come apart; none of them is a key of its own.
                screen.key("Down", "Down")
                screen.wait("8 left(?s:.*)This is 2\\.")
                screen.key("Up")
                screen.wait("8 left(?s:.*)This is 1\\.")
                # All keys are on their way before the first one changes the screen.
                screen.type("e#z")
                screen.wait("7 left(?s:.*)This is 2\\.")
                screen.type("t")
                screen.wait("Task: Number 2")
                screen.type(" für 日本")
                screen.key("Enter")
                screen.wait("6 left(?s:.*)This is 3\\.")
                screen.resize(100, 30)
                time.sleep(0.5)
                screen.wait("6 left")
                self.assertLessEqual(max(columns(line) for line in screen.lines), 100)
                self.quit(screen)
                self.assertPlaces(box, {f"n{n}": "Archive" if n == 1 else "INBOX" for n in range(8)})
                task, = place.tasks.glob("*/*.ics")
                self.assertIn("SUMMARY:Number 2 für 日本", task.read_text())
                self.assertEqual(screen.fact("alternate_on"), "0")

    def test_ctrl_z_gives_the_terminal_to_the_shell_and_fg_continues(self):
        box, place = self.prepare(letter("One", "one"), letter("Two", "two", minutes=-1))
        screen = Screen(["bash", "--norc", "-i"], place.environment(PS1="prompt> "))
        self.addCleanup(screen.__exit__)
        screen.wait("prompt> ")
        screen.type(shlex.join(place.command("inbox")))
        screen.key("Enter")
        screen.wait("2 left")
        screen.type("t")
        screen.wait("Task: One")
        screen.key("C-z")
        screen.wait("Stopped")
        screen.wait_fact("alternate_on", "0")
        screen.type("stty -a | grep -o ' icanon' && fg")
        screen.key("Enter")
        screen.wait("2 left(?s:.*)Task: One")
        screen.key("Escape")
        screen.wait(r"\? help")
        screen.type("e")
        screen.wait("1 left")
        screen.type("q")
        screen.wait("icanon(?s:.*)1 archived")

    def test_ctrl_c_and_a_new_size_in_the_editor_are_for_the_editor(self):
        box, place = self.prepare(letter("One", "one"), letter("Two", "two", minutes=-1))
        editor = place.root / "editor"
        editor.write_text("#!/bin/sh\necho typing; sleep 60\n")
        editor.chmod(0o755)
        screen = self.screen(place, size=(40, 10), EDITOR=str(editor))
        screen.wait("2 left")
        screen.type("f")
        screen.wait("typing")
        screen.resize(90, 20)
        screen.key("C-c")
        screen.wait("ended by signal 2; nothing was typed")
        screen.wait_fact("alternate_on", "1")
        screen.type("e")
        screen.wait("1 left")
        screen.key("C-c")
        screen.wait(r"1 archived(?s:.*)ended: 0\b")
        self.assertEqual(place.opus("drafts", "--json").json["items"], [])

    def test_without_colour_no_colour_is_sent(self):
        box, place = self.prepare(letter("One", "one"), letter("Two", "two", minutes=-1))
        screen = self.screen(place, NO_COLOR="1")
        screen.wait("One")
        self.assertNotIn("\x1b[", screen.text(colours=True))
        self.assertRegex(screen.text(), r"(?m)^> ")
        self.quit(screen)
        screen = self.screen(place)
        screen.wait("One")
        self.assertIn("\x1b[", screen.text(colours=True))
        self.quit(screen)

    def test_a_signal_gives_the_terminal_back(self):
        box, place = self.prepare(letter("One", "one"), letter("Two", "two", minutes=-1))
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            screen = self.screen(place)
            screen.wait("One")
            screen.wait_fact("alternate_on", "1")
            screen.signal(number)
            screen.wait("ended: (130|143)")
            screen.wait_fact("alternate_on", "0")
            self.assertEqual(screen.fact("cursor_flag"), "1")
        self.assertPlaces(box, {"one": "INBOX", "two": "INBOX"})

    def test_without_a_terminal_it_says_what_to_do(self):
        box, place = self.prepare(letter("One", "one"))
        done = self.check(place.opus("inbox"), 64, "needs a terminal", "opus list")
        self.assertEqual(done.out, "")
        self.assertEqual(place.opus("inbox", "--json").error["code"], "needs-terminal")
        code, output = answered(place, ["inbox"], b"q")
        self.assertEqual(code, 64, output)  # TERM=dumb has no screen


class Slow(Listener):
    """A proxy that holds every octet back for some time, as a link to far away does."""

    def __init__(self, target, seconds):
        self._target, self._seconds = target, seconds
        super().__init__()

    def serve(self, client):
        with socket.create_connection(("127.0.0.1", self._target)) as server:
            lanes = [threading.Thread(target=self._carry, args=ends) for ends in ((client, server), (server, client))]
            for lane in lanes:
                lane.start()
            for lane in lanes:
                lane.join()

    def _carry(self, source, sink):
        try:
            while data := source.recv(65536):
                time.sleep(self._seconds)
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Network(InboxCase):
    LETTERS = [letter(f"Number {n}", f"n{n}", minutes=-n, body=f"This is {n}.\n") for n in range(12)]

    def test_a_lost_connection_keeps_the_steps_and_the_session(self):
        # A server of its own, which can be stopped.
        servers = MailServers(smtp=False).start()
        self.addCleanup(servers.stop)
        box = self.new_box(on=servers)
        box, place = self.prepare(*self.LETTERS, box=box)
        screen = self.screen(place)
        screen.wait("This is 0\\.")
        screen.type("e")
        screen.wait("11 left(?s:.*)This is 1\\.")
        servers.pause()
        try:
            screen.type("e#")
            screen.wait("9 left(?s:.*)This is 3\\.")
            screen.wait("offline:")
            screen.type("e")
            screen.wait("8 left(?s:.*)This is 4\\.")
            # One that was never sent is taken back without the server.
            screen.type("z")
            screen.wait("9 left(?s:.*)This is 3\\.")
            text = self.quit(screen, 75)
            self.assertIn("Not sent yet", text)
            waiting = place.opus("status", "--json").json
            self.assertIn("move", json.dumps(waiting))
        finally:
            servers.resume()
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"n0": "Archive", "n1": "Archive", "n2": "Trash", "n3": "INBOX"})
        self.check(place.opus("undo", "--yes"))

    def test_a_slow_link_does_not_keep_the_next_message(self):
        box = self.new_box()
        slow = Slow(box.servers.imaps_port, 0.3)
        self.addCleanup(slow.stop)
        box.add("INBOX", self.LETTERS)
        place = self.new_place(box, RULES)
        self.check(place.opus("sync"))
        place.configure(box.yaml(port=slow.port))
        screen = self.screen(place)
        screen.wait("This is 0\\.")
        started = time.monotonic()
        for number in range(10):
            screen.type("e")
            screen.wait(rf"{11 - number} left(?s:.*)This is {number + 1}\.")
        took = time.monotonic() - started
        # A login over this link alone takes longer than that; tmux itself takes most of the time.
        self.assertLess(took / 10, 0.3)
        self.quit(screen)
        self.assertPlaces(box, {f"n{n}": "Archive" if n < 10 else "INBOX" for n in range(12)})


class Random(InboxCase):
    """Verbs at random, undone to the beginning."""

    KEYS = [("e",), ("#",), ("!",), ("h", "friday", "Enter"), ("h", "someday", "Enter"), ("lred", "Enter"),
            ("t", "Enter"), ("w", "Enter"), ("vArchive", "Enter"), ("dcarla@acme.example", "Enter", "Enter"),
            ("x",), ("j",), ("k",), ("z",), (" ",), ("G",)]

    def press(self, screen, words):
        for word in words:
            screen.key(word) if word == "Enter" else screen.type(word)

    def test_undo_to_the_beginning_gives_the_account_as_it_was(self):
        letters = [letter(f"Number {n}", f"n{n}", minutes=-n, body=f"This is {n}.\n",
                          sender=f"Sender {n} <s{n}@acme.example>") for n in range(24)]
        box, place = self.prepare(*letters)
        before = self.state(box)
        dice = random.Random(int(os.environ.get("OPUS_INBOX_SEED", "1")))
        screen = self.screen(place, size=(200, 50))
        screen.wait("24 left")
        history = []
        for count in range(VERBS):
            words = dice.choice(self.KEYS)
            history.append("".join(words))
            self.press(screen, words)
            text = screen.text()
            if "Everything is decided" in text:
                for _ in range(dice.randrange(1, 20)):
                    screen.type("z")
            elif not re.search(r"(?m)^>[ x]", text):
                # The key is still on its way to the screen.
                screen.wait(r"(?m)^>[ x]|Everything is decided", 10)
        for _ in range(VERBS + 5):
            screen.type("z")
        screen.wait("24 left(?s:.*)Nothing left to undo")
        # Keys come faster than a person types them: the changes of all verbs are still on their way.
        text = self.quit(screen, seconds=60 + VERBS)
        self.assertNotIn("! ", text, history)
        after = self.state(box)
        told = []
        if after != before:
            ids = {item["messageID"].strip("<>"): item["id"]
                   for item in place.opus("list", "--all", "--json").json["items"]}
            told = [place.opus("explain", ids.get(row[0].strip("<>"), "?")).text for row in after if row not in before]
            told += [place.opus("status").text, place.opus("runs").text]
        note("inbox", "random verbs, all undone", VERBS, 0 if after == before else 1)
        self.assertEqual(after, before, "\n".join([str(history), *told]))
        self.assertEqual(list(place.tasks.glob("*/*.ics")), [], history)


class OneByOne(InboxCase):
    """A plan gone through item by item: `opus run --one-by-one`."""

    LETTERS = [letter(f"News {n}", f"news{n}", minutes=-n) for n in range(3)] + [
        letter(f"Offer {n}", f"offer{n}", minutes=-10 - n) for n in range(3)]

    def walk(self, typed):
        box, place = self.prepare(*self.LETTERS)
        code, output = answered_all(place, ["run", "--one-by-one"], typed)
        return box, place, code, output

    def test_yes_skip_other_all_and_quit(self):
        # News 0 yes, News 1 skipped, News 2 to junk instead, then all of the rule offer.
        box, place, code, output = self.walk(["y", "s", "e", "junk", "A"])
        self.assertEqual(code, 0, output)
        self.assertPlaces(box, {"news0": "Archive", "news1": "INBOX", "news2": "Junk", "offer0": "Trash",
                                "offer1": "Trash", "offer2": "Trash"})
        self.assertIn("1 message was not decided: nothing was done with it", output)
        self.assertEqual(len(place.opus("runs", "--json").json["items"]), 1)
        self.check(place.opus("undo", "--yes"))
        self.assertPlaces(box, {f"{kind}{n}": "INBOX" for kind in ("news", "offer") for n in range(3)})

    def test_each_message_that_is_asked_about_follows_its_own_answer(self):
        same = [letter("News", "a", minutes=-5), letter("Re: News", "b", minutes=-3, headers={"References": "<a@test.example>"})]
        for answers, places in ((["y", "s"], ("INBOX", "Archive")), (["s", "y"], ("Archive", "INBOX")),
                                (["e", "archive", "s"], ("INBOX", "Archive")), (["s", "e", "junk"], ("Junk", "INBOX"))):
            with self.subTest(answers):
                box, place = self.prepare(*same, name="-".join(answers))
                code, output = answered_all(place, ["run", "--one-by-one"], answers)
                self.assertEqual(code, 0, output)
                self.assertPlaces(box, {"a": places[0], "b": places[1]})
                self.assertIn("1 message was not decided", output)

    def test_a_task_or_a_delegation_instead(self):
        box, place, code, output = self.walk(["e", "task Read it", "e", "delegate bob@acme.example", "q"])
        self.assertEqual(code, 0, output)
        self.assertPlaces(box, {"news0": "INBOX", "news1": "Archive", "news2": "INBOX"})
        self.assertTrue(place.task("Read it"))
        self.assertEqual(box.subjects("Drafts"), ["Fwd: News 1"])
        self.assertEqual(len(place.opus("runs", "--json").json["items"]), 1)
        self.check(place.opus("undo", "--yes"))
        self.assertPlaces(box, {"news0": "INBOX", "news1": "INBOX"})
        self.assertEqual((box.subjects("Drafts"), list(place.tasks.glob("*/*.ics"))), ([], []))

    def test_triage_asks_about_each_message_too(self):
        box, place = self.prepare(*self.LETTERS)
        code, output = answered_all(place, ["triage", "-p"], ["y", "s", "q"])
        self.assertEqual(code, 0, output)
        self.assertPlaces(box, {"news0": "Archive", "news1": "INBOX", "news2": "INBOX", "offer0": "INBOX"})
        self.assertIn("5 messages were not decided", output)
        self.check(place.opus("triage", "-p", "--dry-run"), 64, "one-by-one")

    def test_undecided_items_stay_and_are_asked_again(self):
        box, place, code, output = self.walk(["y", "q"])
        self.assertEqual(code, 0, output)
        self.assertIn("5 messages were not decided", output)
        self.assertPlaces(box, {"news0": "Archive", "news1": "INBOX", "offer0": "INBOX"})
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"news1": "Archive", "offer0": "Trash"})

    def test_the_end_of_the_input_applies_nothing_more(self):
        box, place, code, output = self.walk(["y", None])
        self.assertPlaces(box, {"news0": "Archive", "news1": "INBOX", "offer0": "INBOX"})
        self.assertIn("5 messages were not decided", output)

    def test_one_by_one_cannot_be_combined_with_yes(self):
        box, place = self.prepare(*self.LETTERS)
        self.check(place.opus("run", "-p", "--yes"), 64, "one-by-one")


def answered_all(place, words, typed):
    """(exit code, output): each question gets the next answer; None closes the input."""
    from terminal import pieces, start
    ours, process = start(place.command(*words), place.environment(TERM="dumb"), place.root)
    output, asked, typed = b"", 0, list(typed)
    for piece in pieces(ours, process):
        output += piece
        questions = len(re.findall(rb"\[y,s,e,A,q,\?\]|What instead\?", output))
        while asked < questions and typed:
            asked += 1
            word = typed.pop(0)
            os.write(ours, b"\x04" if word is None else word.encode() + b"\n")
    os.close(ours)
    return process.wait(30), output.decode("utf-8", "replace")


if __name__ == "__main__":
    unittest.main()
