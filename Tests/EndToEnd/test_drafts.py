"""A draft that another program saves again: the newer text is used or kept, and nothing is removed but bytes of ours."""
import unittest

from letters import ANA, letter
from test_sending import sent_to
from test_write import Writing, parsed, text_of
from wiretap import Wiretap
from workplace import Case, on_both, servers

RULE = ("rules-version: 1\nname: r\nrules:\n  - id: hand\n    when: subject:please\n    then:\n"
        "      - delegate: { to: bob@far.example, note: 'Yours.' }\n")


class Versions(Writing):
    """Two programs on one Drafts mailbox; the other one keeps every field and changes the text."""

    TRASH = True

    def prepare(self, *messages, **options):
        box, place = super().prepare(*messages, **options)
        if self.TRASH and "Trash" not in box.names():
            box.create("Trash")
            self.check(place.opus("sync"))
        elif not self.TRASH and "Trash" in box.names():
            box.drop("Trash")
            self.check(place.opus("sync"))
        return box, place

    def compose(self, place):
        return self.check(place.opus("compose", "--to", self.address, "--subject", "One", "--body",
                                     self.write(place, "text", "First.\n"))).out.strip()

    def edit(self, place, draft, old, new):
        text = place.opus("drafts", "show", draft).out
        self.assertIn(old, text)
        return place.opus("drafts", "edit", draft, "--body", self.write(place, "text", text.replace(old, new)))

    def saved_again(self, box, text, old=b"First.", keeps=False):
        """Another program saves the draft again: the same header, another text, and the old message goes."""
        held, = box.held("Drafts")
        body = box.body("Drafts", held.message_id).replace(b"\r\n", b"\n")
        self.assertIn(old, body)
        if not keeps:
            box.remove("Drafts", held.message_id)
        box.add("Drafts", body.replace(old, text), (r"\Draft", r"\Seen"))

    def texts(self, box, mailbox="Drafts"):
        """The texts of a mailbox, also of messages that share a Message-ID."""
        if box.kind == "maildir":
            folder = box.place(mailbox)
            found = [path.read_bytes() for part in ("new", "cur") for path in (folder / part).glob("*")]
        else:
            client = box.client()
            if client.select(box.wire(mailbox), readonly=True)[0] != "OK":
                return []
            found = [row[1] for row in client.uid("FETCH", "1:*", "(BODY.PEEK[])")[1] if isinstance(row, tuple)]
            client.logout()
        return sorted(text_of(parsed(message)) for message in found)

    def edited_elsewhere_then_here(self, keeps):
        box, place = self.prepare()
        draft = self.compose(place)
        shown = place.opus("drafts", "show", draft).out
        self.saved_again(box, b"Theirs.", keeps=keeps)
        text = self.write(place, "text", shown.replace("First.", "Mine."))
        self.check(place.opus("drafts", "edit", draft, "--body", text), 0, "both are kept")
        self.assertEqual(self.texts(box), ["Mine.\n", "Theirs.\n"])
        self.assertEqual(self.texts(box, "Trash"), ["First.\n"] if keeps else [])
        lines = place.opus("drafts", "--json").json["items"]
        shown = sorted(place.opus("drafts", "show", line["id"]).out.rstrip().rpartition("\n")[2] for line in lines)
        self.assertEqual(shown, ["Mine.", "Theirs."])
        self.assertNothingMore(place, box)


@on_both
class Edited(Versions):
    def test_edit_keeps_what_another_program_saved_beside_the_new_text(self):
        self.edited_elsewhere_then_here(keeps=False)

    def test_edit_replaces_only_its_own_bytes_where_both_are_there(self):
        self.edited_elsewhere_then_here(keeps=True)

    def test_a_draft_in_a_mailbox_that_another_program_renamed_is_not_sent(self):
        """Else the draft would stay there, and could be sent once more."""
        box, place = self.sending()
        draft = self.compose(place)
        box.rename("Drafts", "Old drafts")
        self.check(place.opus("sync"))
        self.check(place.opus("send", draft, "--yes", "--no-hold"), 1, "is no longer in the Drafts mailbox")
        self.assertEqual(self.texts(box, "Old drafts"), ["First.\n"])
        self.assertEqual(sent_to(self.address), [])

    def test_the_editor_opens_on_the_newer_text(self):
        box, place = self.prepare()
        draft = self.compose(place)
        self.saved_again(box, b"Theirs.")
        code, out = self.on_terminal(place, "drafts", "edit", draft,
                                     editor=self.editor(place, "sed -i 's/Theirs[.]/Theirs and mine./' \"$1\"\n"))
        self.assertEqual(code, 0, out)
        self.assertIn("was changed elsewhere", out)
        self.assertEqual(self.texts(box), ["Theirs and mine.\n"])
        self.assertEqual(self.texts(box, "Trash"), ["Theirs.\n"])
        self.assertNothingMore(place, box)

    def test_a_version_saved_while_the_editor_is_open_is_kept(self):
        box, place = self.prepare()
        draft = self.compose(place)
        self.saved_again(box, b"Theirs.")
        held, = box.held("Drafts")
        theirs = box.body("Drafts", held.message_id)
        box.remove("Drafts", held.message_id)
        (place.root / "theirs").write_bytes(theirs)
        # The editor itself plays the other program, in a Maildir and through the server alike.
        if self.kind == "maildir":
            save = f"cp theirs '{box.place('Drafts')}/cur/1770000099.M9P9.test:2,DS'\n"
        else:
            script = place.root / "save.py"
            script.write_text(
                "import imaplib, ssl, sys\n"
                f"client = imaplib.IMAP4_SSL('localhost', {box.servers.imaps_port}, "
                "ssl_context=ssl._create_unverified_context())\n"
                f"client.login({box.user!r}, open('password').read().strip())\n"
                "client.append('Drafts', r'(\\Draft \\Seen)', None, open('theirs', 'rb').read())\n")
            save = f"python3 '{script}' >&2\n"
        editor = self.editor(place, f"cd '{place.root}'\n{save}sed -i 's/First[.]/Mine./' \"$1\"\n")
        box.add("Drafts", theirs.replace(b"\r\n", b"\n").replace(b"Theirs.", b"First."), (r"\Draft", r"\Seen"))
        code, out = self.on_terminal(place, "drafts", "edit", draft, editor=editor)
        self.assertEqual(code, 0, out)
        self.assertEqual(self.texts(box), ["Mine.\n", "Theirs.\n"])
        self.assertIn("both are kept", out)

    def test_discard_leaves_what_another_program_saved(self):
        box, place = self.prepare()
        draft = self.compose(place)
        self.saved_again(box, b"Theirs.", keeps=True)
        self.check(place.opus("drafts", "discard", draft, "--yes"), 0, "that version stays")
        self.assertEqual(self.texts(box), ["Theirs.\n"])
        self.assertEqual(self.texts(box, "Trash"), ["First.\n"])
        self.check(place.opus("sync"))
        line, = place.opus("drafts", "--json").json["items"]
        self.assertEqual(line["state"], "elsewhere")
        self.check(place.opus("drafts", "discard", line["id"], "--yes"))
        self.assertEqual(self.texts(box), [])
        self.assertEqual(self.texts(box, "Trash"), ["First.\n", "Theirs.\n"])

    def test_undo_leaves_a_draft_of_a_rule_that_a_person_edited(self):
        box, place = self.prepare(letter("Please look"))
        place.write_rules(RULE)
        self.check(place.opus("run", "--yes"))
        self.saved_again(box, b"Yours, and soon.", old=b"Yours.")
        self.check(place.opus("undo", "--yes"), 1, "the draft was edited since: it stays in Drafts")
        self.assertIn("Yours, and soon.", self.texts(box)[0])
        self.assertEqual(self.texts(box, "Trash"), [])

    def test_a_reply_that_another_program_saved_marks_the_message_that_it_answers(self):
        box, place = self.sending(*[letter(name, name.lower(), sender=f"Kim <{self.address}>") for name in ("Door", "Gate")])
        for mark, name, to in (("Re", "Door", self.address), ("Fwd", "Gate", "x@far.example")):
            box.add("Drafts", letter(f"{mark}: {name}", f"answer-{name}", sender=ANA, to=to,
                                     headers={"In-Reply-To": f"<{name.lower()}@test.example>"}), (r"\Draft",))
        self.check(place.opus("sync"))
        for draft in place.opus("drafts", "--json").json["items"]:
            self.check(place.opus("send", draft["id"], "--yes", "--no-hold"), 0, "Sent")
        self.assertEqual([r"\Answered" in box.find("INBOX", f"{name}@test.example").flags for name in ("door", "gate")],
                         [True, False])

    def test_a_name_without_an_address_among_the_recipients_of_another_program_stops_the_mail(self):
        box, place = self.sending()
        for number, (field, refused) in enumerate([
                ("Bob <{0}>, Carla, Dora <{0}>", True), ("Carla, {0}", True), ("{0}, Carla", True), ("Doe, Jo <{0}>", True),
                ('"Doe, Jo" <{0}>', False), ("=?utf-8?q?Doe=2C_Jo?= <{0}>", False), ("Jo Q. Doe (Jo, at home) <{0}>", False)]):
            with self.subTest(field):
                box.add("Drafts", letter(f"Party {number}", f"party-{number}", sender=ANA, to=field.format(self.address)))
                self.check(place.opus("sync"))
                draft, = [item["id"] for item in place.opus("drafts", "--json").json["items"]
                          if item["subject"] == f"Party {number}"]
                before = len(sent_to(self.address))
                done = place.opus("send", draft, "--yes", "--no-hold")
                self.check(done, 65 if refused else 0, *(["drafts edit"] if refused else []))
                self.assertEqual(len(sent_to(self.address)) - before, 0 if refused else 1)

    def test_a_draft_that_another_program_sent_begins_its_wait_and_leaves_the_list(self):
        box, place = self.prepare(letter("Plan"))
        mail, = [item["id"] for item in place.opus("list", "--json").json["items"]]
        text = self.write(place, "text", "Hello.\n")
        for words in (["reply", mail], ["compose", "--to", self.address, "--subject", "Ask"],
                      ["compose", "--to", self.address, "--subject", "Deleted"]):
            self.check(place.opus(*words, "--body", text, "--wait", "friday"))
        self.check(place.opus("compose", "--to", self.address, "--subject", "No wait", "--body", text))
        for held in box.held("Drafts"):
            raw = box.body("Drafts", held.message_id)
            raw = b"\n".join(line for line in raw.replace(b"\r\n", b"\n").split(b"\n") if not line.startswith(b"X-Opus"))
            box.remove("Drafts", held.message_id)
            # One program keeps the Message-ID, another does not; the mail of a stranger does not count.
            if held.subject == "Ask":
                raw = raw.replace(held.message_id.encode(), b"<other@test.example>")
            if held.subject == "Deleted":
                raw = raw.replace(b"ana@acme.example", b"eve@acme.example").replace(held.message_id.encode(), b"<eve@x>")
            box.add("Sent", raw)
        self.check(place.opus("run", "--yes"), 0, "2 × task written to tasks/waiting")
        waiting = place.opus("waiting", "--json").json["items"]
        self.assertEqual(sorted((item["summary"], item["wait"]["state"], item["start"]) for item in waiting), [
            ("Waiting for Bob Singh: Re: Plan", "sent", "2026-03-13"),
            (f"Waiting for {self.address}: Ask", "sent", "2026-03-13")])
        drafts = place.opus("drafts", "--json").json["items"]
        self.assertEqual([(item["subject"], item["state"]) for item in drafts], [("Deleted", "removed-elsewhere")])
        self.assertNothingMore(place, box)
        for item in waiting:
            box.add("INBOX", letter("Re: " + item["summary"][-4:], item["uid"], sender=item["contact"], minutes=200,
                                    headers={"In-Reply-To": f"<{item['delegatedMessageID']}>"}))
        self.check(place.opus("run", "--yes"))
        self.assertEqual(sorted(item["summary"] for item in place.opus("next", "--json").json["items"]),
                         ["Decide: Ask", "Decide: Re: Plan"])

    def test_an_undone_draft_is_not_listed_until_the_undo_is_undone(self):
        box, place = self.prepare(letter("Plan"))
        text = self.write(place, "text", "Hello.\n")
        drafts = lambda: [item["state"] for item in self.check(place.opus("drafts", "--json")).json["items"]]
        mail, = [item["id"] for item in place.opus("list", "--json").json["items"]]
        for words in (["nudge", ""], ["reply", mail, "--body", text], ["delegate", mail, "carl@other.example"]):
            with self.subTest(words[0]):
                if words[0] == "nudge":
                    self.check(place.opus("wait", mail))
                    words[1] = place.opus("waiting", "--json").json["items"][0]["id"]
                self.check(place.opus(*words))
                self.check(place.opus("drafts", "show", place.opus("drafts", "--json").json["items"][0]["id"]))
                self.assertEqual(drafts(), ["saved"])
                self.check(place.opus("undo", "--yes"))
                self.assertEqual((drafts(), box.held("Drafts")), ([], []))
                self.check(place.opus("run", "--yes"))
                self.assertEqual((drafts(), box.held("Drafts")), ([], []))
                undo = place.opus("runs", "--json").json["items"][0]
                self.assertEqual(undo["command"], "undo")
                self.check(place.opus("undo", undo["id"], "--yes"))
                self.assertEqual(drafts(), ["saved"])
                self.check(place.opus("undo", "--yes"))
                self.assertEqual(drafts(), [])

    def test_undo_takes_an_untouched_draft_of_a_rule_to_the_trash_and_back(self):
        box, place = self.prepare(letter("Please look"))
        place.write_rules(RULE)
        self.check(place.opus("run", "--yes"))
        made = self.texts(box)
        self.check(place.opus("undo", "--yes"))
        self.assertEqual((self.texts(box), self.texts(box, "Trash")), ([], made))
        self.check(place.opus("undo", "r:0002", "--yes"))
        self.assertEqual((self.texts(box), self.texts(box, "Trash")), (made, []))

    def test_an_older_version_goes_to_the_trash(self):
        box, place = self.prepare()
        draft = self.compose(place)
        self.check(self.edit(place, draft, "First.", "Second."))
        self.assertEqual((self.texts(box), self.texts(box, "Trash")), (["Second.\n"], ["First.\n"]))
        self.assertNothingMore(place, box)


@on_both
class Sent(Versions):
    def test_send_sends_the_newer_text_and_says_so(self):
        for keeps in (False, True):
            with self.subTest(keeps=keeps):
                self.address = f"{'kept' if keeps else 'gone'}-{self.address}"
                box, place = self.sending(name=f"keeps-{keeps}")
                draft = self.compose(place)
                self.saved_again(box, b"Theirs.", keeps=keeps)
                self.check(place.opus("send", draft, "--yes"), 0, "was changed elsewhere", "Sent")
                mail, = self.wait_for_mail()
                self.assertEqual(text_of(parsed(mail.as_bytes())), "Theirs.\n")
                self.assertEqual(self.texts(box), [])
                self.assertIn("Theirs.\n", self.texts(box, "Trash"))
                self.assertEqual(place.opus("drafts", "--json").json["items"], [])
                self.assertNothingMore(place, box)

    def test_send_stops_where_both_were_changed_and_where_the_draft_is_gone(self):
        box, place = self.sending()
        draft = self.compose(place)
        held, = box.held("Drafts")
        box.remove("Drafts", held.message_id)
        self.check(place.opus("send", draft, "--yes"), 1, "no longer in the Drafts mailbox")
        self.check(self.edit(place, draft, "First.", "Second."))
        self.assertEqual(self.texts(box), ["Second.\n"])
        self.check(place.opus("send", draft, "--yes"), 0, "Sent")
        self.assertEqual(len(self.wait_for_mail()), 1)


@on_both
class WithoutTrash(Versions):
    TRASH = False

    def test_undo_of_a_discarded_draft_puts_its_bytes_back(self):
        box, place = self.sending()
        draft = self.compose(place)
        self.check(place.opus("drafts", "discard", draft, "--yes"))
        self.assertEqual(self.texts(box), [])
        self.check(place.opus("undo", "--yes"))
        self.assertEqual(self.texts(box), ["First.\n"])
        there, = place.opus("drafts", "--json").json["items"]
        self.check(place.opus("send", there["id"], "--yes"), 0, "Sent")
        self.assertEqual(len(self.wait_for_mail()), 1)
        self.assertEqual(self.texts(box), [])

    def test_own_bytes_are_removed_and_those_of_another_program_never_for_good(self):
        if self.kind == "imap":
            self.skipTest("this Dovecot always has a Trash")
        box, place = self.prepare()
        draft = self.compose(place)
        self.check(self.edit(place, draft, "First.", "Second."))
        self.assertEqual(self.texts(box), ["Second.\n"])
        self.assertNotIn("Trash", box.names())
        self.saved_again(box, b"Theirs.", old=b"Second.")
        self.check(place.opus("sync"))
        self.check(place.opus("drafts"))
        self.check(self.edit(place, draft, "Theirs." if "Theirs." in place.opus("drafts", "show", draft).out
                             else "Second.", "Third."))
        everywhere = [text for name in box.names() for text in self.texts(box, name)]
        self.assertIn("Theirs.\n", everywhere)
        self.assertIn("Third.\n", self.texts(box))


@on_both
class Undone(Versions):
    def test_after_the_undo_of_an_edit_the_draft_has_its_text_before(self):
        box, place = self.prepare()
        draft = self.compose(place)
        self.check(self.edit(place, draft, "First.", "Second."))
        self.check(place.opus("undo", "--yes"))
        self.assertEqual(self.texts(box), ["First.\n"])
        line, = place.opus("drafts", "--json").json["items"]
        self.assertEqual((line["id"], line["state"]), (draft, "saved"))
        self.assertIn("First.", place.opus("drafts", "show", draft).out)
        self.check(place.opus("undo", "--yes", place.opus("runs", "list", "--json").json["items"][0]["id"]))
        self.assertEqual(self.texts(box), ["Second.\n"])
        self.assertIn("Second.", place.opus("drafts", "show", draft).out)


    def test_the_undo_of_an_earlier_edit_makes_no_second_draft(self):
        box, place = self.prepare()
        draft = self.compose(place)
        self.check(self.edit(place, draft, "First.", "Second."))
        first = place.opus("runs", "list", "--json").json["items"][0]["id"]
        self.check(self.edit(place, draft, "Second.", "Third."))
        self.check(place.opus("undo", "--yes", first), 1, "a later version of the draft")
        self.assertEqual(self.texts(box), ["Third.\n"])
        self.assertIn("Third.", place.opus("drafts", "show", draft).out)


@on_both
class InTheOutbox(Versions):
    """Another program works on a draft that opus has queued."""

    NOW = "2026-03-10T09:05:00+01:00"

    def queued(self):
        box, place = self.sending(settings="send: { hold: 60s, max-per-recipient-per-hour: 50 }\n")
        draft = self.compose(place)
        self.check(place.opus("send", draft, "--yes", "--detach", now="2026-03-10T09:00:00+01:00"))
        return box, place, draft

    def undecided(self, place):
        self.check(place.opus("run", "--yes", now=self.NOW), 1, "another program seems to have sent this draft")
        line, = place.opus("outbox", "--json").json["items"]
        self.assertEqual(line["state"], "needs-decision")
        self.check(place.opus("run", "--yes", now="2026-03-10T09:20:00+01:00"))
        self.assertEqual(sent_to(self.address), [])

    def test_a_draft_that_another_program_sent_meanwhile_is_not_sent_twice(self):
        box, place, draft = self.queued()
        held, = box.held("Drafts")
        box.move(held.message_id, "Drafts", "Sent")
        self.undecided(place)
        self.check(place.opus("outbox", "discard", draft))
        self.check(place.opus("run", "--yes", now="2026-03-10T09:30:00+01:00"))
        self.assertEqual(place.opus("drafts", "--json").json["items"], [])
        self.assertEqual((len(box.held("Sent")), box.held("Drafts"), sent_to(self.address)), (1, [], []))

    def sent_elsewhere(self, box, change):
        """Another program changes the draft, sends it under another Message-ID and removes it from Drafts."""
        held, = box.held("Drafts")
        body = box.body("Drafts", held.message_id).replace(b"\r\n", b"\n")
        box.remove("Drafts", held.message_id)
        sent = body.replace(b"Subject: One", change).replace(held.message_id.encode(), b"<sent@phone.example>")
        self.assertNotEqual(sent, body)
        box.add("Sent", sent, (r"\Seen",))

    def test_a_draft_that_another_program_sent_with_another_subject_is_not_sent_twice(self):
        box, place, _ = self.queued()
        self.sent_elsewhere(box, b"Subject: Two")
        self.undecided(place)

    def test_a_draft_that_another_program_sent_to_one_more_person_is_not_sent_twice(self):
        box, place, _ = self.queued()
        self.sent_elsewhere(box, b"Cc: cara@far.example\nSubject: One")
        self.undecided(place)

    def test_a_draft_that_waits_is_sent_although_its_recipient_gets_other_mail(self):
        box, place, _ = self.queued()
        box.add("Sent", f"From: ann@test.example\nTo: {self.address}\nSubject: Other\nMessage-ID: <other@x>\n"
                        "Date: Tue, 10 Mar 2026 09:02:00 +0100\n\nOther\n".encode(), (r"\Seen",))
        self.check(place.opus("run", "--yes", now=self.NOW))
        self.assertEqual(len(sent_to(self.address)), 1)

    def test_if_the_user_says_that_it_was_sent_opus_adds_no_second_copy_to_sent(self):
        box, place, draft = self.queued()
        held, = box.held("Drafts")
        box.move(held.message_id, "Drafts", "Sent")
        self.undecided(place)
        self.check(place.opus("outbox", "settle", draft, "--sent"))
        self.check(place.opus("run", "--yes", now="2026-03-10T09:30:00+01:00"))
        self.assertEqual((len(box.held("Sent")), box.held("Drafts"), sent_to(self.address)), (1, [], []))
        self.assertEqual(place.opus("drafts", "--json").json["items"], [])

    def test_it_is_sent_once_if_the_user_says_that_it_was_not(self):
        box, place, draft = self.queued()
        held, = box.held("Drafts")
        body = box.body("Drafts", held.message_id).replace(b"\r\n", b"\n")
        box.remove("Drafts", held.message_id)
        box.add("Sent", body.replace(held.message_id.encode(), b"<other@test.example>"), (r"\Seen",))
        self.undecided(place)
        self.check(place.opus("outbox", "settle", draft, "--not-sent"))
        self.check(place.opus("run", "--yes", now="2026-03-10T09:30:00+01:00"))
        self.assertEqual(len(self.wait_for_mail()), 1)
        self.check(place.opus("run", "--yes", now="2026-03-10T09:40:00+01:00"))
        self.assertEqual((len(box.held("Sent")), len(sent_to(self.address))), (2, 1))

    def test_a_draft_that_was_changed_meanwhile_stays_and_no_removal_is_reported(self):
        box, place, draft = self.queued()
        self.saved_again(box, b"Second.")
        done = self.check(place.opus("run", "--yes", now=self.NOW), 0, "message sent")
        self.assertNotIn("removed", done.out)
        self.assertEqual(text_of(parsed(self.wait_for_mail()[0].as_bytes())), "First.\n")
        self.assertEqual(self.texts(box), ["Second.\n"])


@on_both
class InAnOpenEditor(Versions):
    """Another opus works while an editor has the draft open."""

    def drafting(self, place, script, *words):
        code, out = self.on_terminal(place, *(words or ("compose", "--to", self.address, "--subject", "One")),
                                     editor=self.editor(place, script))
        return code, out

    def command(self, place, *words):
        return " ".join(place.command(*words)) + " >/dev/null 2>&1 </dev/null\n"

    def states(self, place):
        return sorted((line["state"], place.opus("drafts", "show", line["id"]).out.rstrip().rpartition("\n")[2])
                      for line in place.opus("drafts", "--json").json["items"])

    def test_a_run_saves_no_draft_that_is_still_being_written(self):
        box, place = self.prepare()
        run = self.command(place, "run", "--yes")
        code, out = self.drafting(place, run)
        self.assertEqual(code, 1, out)
        self.assertIn("nothing was saved", out)
        self.assertEqual((self.texts(box), self.states(place)), ([], []))
        code, out = self.drafting(place, run + "echo Mine. >> \"$1\"\n" + run)
        self.assertEqual(code, 0, out)
        self.assertEqual((self.texts(box), self.states(place)), (["Mine.\n"], [("saved", "Mine.")]))
        self.assertNothingMore(place, box)

    def test_an_upload_that_waited_is_made_while_the_editor_is_open(self):
        for change, code, text in (("", 1, "First."), ("sed -i 's/First[.]/Mine./' \"$1\"\n", 0, "Mine.")):
            with self.subTest(text):
                box, place = self.prepare(name=text)
                good = (place.root / "opus.yaml").read_text()
                bad = good.replace("maildir: ", "maildir: /nowhere") if self.kind == "maildir" else good.replace(
                    f"port: {servers().imaps_port}", "port: 1")
                (place.root / "opus.yaml").write_text(bad)
                draft = self.compose(place)
                (place.root / "opus.yaml").write_text(good)
                done = self.drafting(place, self.command(place, "run", "--yes") + change, "drafts", "edit", draft)
                self.assertEqual(done[0], code, done[1])
                self.assertEqual((self.texts(box), self.states(place)), ([f"{text}\n"], [("saved", text)]))
                self.assertNothingMore(place, box)

    def test_what_was_typed_while_the_draft_was_changed_or_discarded_is_a_draft_of_its_own(self):
        for other, drafts, trash in (("edit", ["Mine.", "Theirs."], ["First.\n"]), ("discard", ["Mine."], ["First.\n"])):
            with self.subTest(other):
                box, place = self.prepare(name=other)
                draft = self.compose(place)
                self.write(place, "theirs", place.opus("drafts", "show", draft).out.replace("First.", "Theirs."))
                words = ("edit", draft, "--body", "theirs") if other == "edit" else ("discard", draft, "--yes")
                script = self.command(place, "drafts", *words) + "sed -i 's/First[.]/Mine./' \"$1\"\n"
                code, out = self.drafting(place, script, "drafts", "edit", draft)
                self.assertEqual(code, 0, out)
                self.assertIn("while you edited it: your text is the new draft", out)
                self.assertEqual((self.texts(box), self.texts(box, "Trash")), ([f"{text}\n" for text in drafts], trash))
                self.assertEqual(self.states(place), [("saved", text) for text in drafts])
                self.assertNothingMore(place, box)

    def test_two_editors_of_one_draft_have_a_file_each(self):
        box, place = self.prepare()
        draft = self.compose(place)
        second = place.root / "second.sh"
        second.write_text("#!/bin/sh\nsed -i 's/First[.]/Theirs./' \"$1\"\n")
        second.chmod(0o755)
        inside = " ".join(place.command("drafts", "edit", draft))
        code, out = self.drafting(
            place, f"EDITOR={second} script -qec '{inside}' /dev/null\n" + "sed -i 's/First[.]/Mine./' \"$1\"\n",
            "drafts", "edit", draft)
        self.assertEqual(code, 0, out)
        self.assertIn("while you edited it: your text is the new draft", out)
        self.assertEqual((self.texts(box), self.states(place)),
                         (["Mine.\n", "Theirs.\n"], [("saved", "Mine."), ("saved", "Theirs.")]))
        self.assertEqual(list((place.root / ".opus/editing").iterdir()), [])
        self.assertNothingMore(place, box)

    def test_the_text_of_a_second_editor_that_was_killed_is_named_and_never_used_instead_of_the_draft(self):
        box, place = self.prepare()
        draft = self.compose(place)
        second = place.root / "second.sh"
        inside = " ".join(place.command("drafts", "edit", draft))
        ours = f"EDITOR={second} script -qec '{inside}' /dev/null >>said 2>&1\n" + "sed -i 's/Now/Then/' \"$1\"\n"
        second.write_text("#!/bin/sh\nsed -i 's/First[.]/Lost./' \"$1\"; kill -9 $(head -n1 \"$1.lock\"); sleep 1\n")
        second.chmod(0o755)
        self.drafting(place, ours, "drafts", "edit", draft)
        left, = place.root.glob(".opus/editing/*-2.eml")
        self.assertIn("Lost.", left.read_text())
        second.write_text("#!/bin/sh\nsed -i 's/First[.]/Theirs./' \"$1\"\n")
        self.drafting(place, ours, "drafts", "edit", draft)
        self.assertIn(left.name, (place.root / "said").read_text())
        self.assertEqual(self.states(place), [("saved", "Theirs.")])
        self.assertIn("Lost.", left.read_text())

    def test_what_was_typed_while_the_draft_was_sent_can_be_sent_too(self):
        if not servers().has_smtp:
            self.skipTest("Postfix needs root")
        box, place = self.prepare(smtp="starttls")
        draft = self.compose(place)
        script = self.command(place, "send", draft, "--yes") + "sed -i 's/First[.]/Mine./' \"$1\"\n"
        code, out = self.drafting(place, script, "drafts", "edit", draft)
        self.assertEqual(code, 0, out)
        self.assertEqual((self.texts(box), self.texts(box, "Sent")), (["Mine.\n"], ["First.\n"]))
        line, = place.opus("drafts", "--json").json["items"]
        self.check(place.opus("send", line["id"], "--yes"), 0, "Sent")
        self.assertEqual(sorted(text_of(parsed(mail.as_bytes())) for mail in self.wait_for_mail(2)),
                         ["First.\n", "Mine.\n"])


class Refused(Versions, Case):
    """The Drafts mailbox took no draft when it was saved."""

    kind = "imap"

    def prepare(self, *messages, answer="NO [UNAVAILABLE] not now", **options):
        box, place = super().prepare(*messages, smtp="starttls" if servers().has_smtp else None, **options)
        self.tap = self.enterContext(Wiretap(servers().imap_port))
        place.configure(place.accounts.replace(
            f"port: {servers().imaps_port}, security: tls", f"port: {self.tap.port}, security: none").replace(
            "host: localhost, port: %d" % self.tap.port, "host: 127.0.0.1, port: %d" % self.tap.port), place.settings)
        self.tap.refuse("^APPEND", answer, before=(lambda match: None) if answer else (lambda match: self.tap.cut()))
        return box, place

    def saved_late(self, box, place, count=0):
        self.tap.open()
        for minute in (20, 50):
            self.check(place.opus("run", "--yes", now=f"2026-03-10T09:{minute}:00+01:00"))
        self.assertEqual(len(box.held("Drafts")), count)

    def test_a_draft_that_was_sent_is_not_saved_afterwards(self):
        for answer in ("NO [UNAVAILABLE] not now", "NO [OVERQUOTA] full", ""):
            with self.subTest(answer):
                if not servers().has_smtp:
                    self.skipTest("Postfix needs root")
                before = len(sent_to(self.address))
                box, place = self.prepare(answer=answer, name=f"place{len(answer)}")
                draft = place.opus("compose", "--to", self.address, "--subject", "One", "--body",
                                   self.write(place, "text", "First.\n")).out.split()[0]
                self.tap.refuse("^APPEND", "NO [UNAVAILABLE] not now")
                self.check(place.opus("send", draft, "--yes", now="2026-03-10T09:10:00+01:00"))
                self.assertEqual(len(self.wait_for_mail(before + 1)), before + 1)
                self.saved_late(box, place)
                self.assertEqual(len(box.held("Sent")), 1)

    def test_a_draft_that_was_discarded_is_not_saved_afterwards(self):
        for answer in ("NO [UNAVAILABLE] not now", ""):
            with self.subTest(answer):
                box, place = self.prepare(answer=answer, name=f"place{len(answer)}")
                draft = place.opus("compose", "--to", self.address, "--subject", "One", "--body",
                                   self.write(place, "text", "First.\n")).out.split()[0]
                place.opus("drafts", "discard", draft, "--yes", now="2026-03-10T09:10:00+01:00")
                self.saved_late(box, place)

    def test_only_the_newest_version_is_saved_afterwards(self):
        box, place = self.prepare()
        draft = self.compose(place).split()[0]
        self.edit(place, draft, "First.", "Second.")
        self.saved_late(box, place, 1)
        self.assertEqual(self.texts(box), ["Second.\n"])


if __name__ == "__main__":
    unittest.main()
