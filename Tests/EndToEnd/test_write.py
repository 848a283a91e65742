"""Writing mail: compose, reply, forward, drafts, the outbox and leaving lists, on Dovecot and through Postfix."""
import base64
import datetime
import email
import email.policy
import os
import shutil
import socket
import ssl
import stat
import threading
import time
import unittest

from letters import ANA, BOB, letter, with_parts
from test_sending import sent_to
from terminal import on_terminal
from workplace import NO_RULES, Case, on_both, servers

NO_HOLD = "send: { hold: 0, max-per-recipient-per-hour: 50 }\n"
ENVELOPE = ("Subject", "To", "Cc", "Bcc", "In-Reply-To", "References")


def parsed(message):
    return email.message_from_bytes(message, policy=email.policy.default)


def text_of(message):
    part = message.get_body(("plain",))
    return part.get_content().replace("\r\n", "\n")


class Writing:
    """A workspace whose mail goes to an address of this test alone."""

    def setUp(self):
        super().setUp()
        self.address = f"{self.id().rpartition('.')[2].replace('_', '-')[:40]}-{self.kind}@far.example"

    def prepare(self, *messages, settings=NO_HOLD, smtp=None, extra="", **options):
        box = self.new_box()
        for mailbox in ("Drafts", "Sent"):
            if mailbox not in box.names():
                box.create(mailbox)
        for number, message in enumerate(messages):
            box.add("INBOX", message)
        place = self.new_place(box, None, settings, extra=extra, smtp=smtp, **options)
        self.check(place.opus("sync"))
        return box, place

    def sending(self, *messages, **options):
        if not servers().has_smtp:
            self.skipTest("Postfix needs root")
        return self.prepare(*messages, smtp="starttls", **options)

    def wait_for_mail(self, count=1, address=None):
        end = time.monotonic() + 15
        while len(sent_to(address or self.address)) < count and time.monotonic() < end:
            time.sleep(0.05)
        return sent_to(address or self.address)

    def id_of(self, place, subject="", folder=None):
        items = place.opus("list", "--all", "--json").json["items"]
        return next(item["id"] for item in items if subject in item["subject"])

    def write(self, place, name, text):
        path = place.root / name
        path.write_text(text)
        return name

    def draft(self, box):
        """The one message of the Drafts mailbox."""
        held, = box.held("Drafts")
        self.assertEqual(held.flags, frozenset({r"\Draft", r"\Seen"}))
        return parsed(box.body("Drafts", held.message_id))

    def editor(self, place, script):
        path = place.root / "editor.sh"
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def edit(self, place, draft, *changes):
        text = place.opus("drafts", "show", draft).out
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        return place.opus("drafts", "edit", draft, "--body", self.write(place, "text", text))

    def on_terminal(self, place, *words, editor=None):
        environment = place.environment(**({"EDITOR": editor} if editor else {}))
        return on_terminal(place.command(*words), environment, place.root)


@on_both
class Composing(Writing):
    def test_compose_by_options_is_a_draft_here_and_in_the_drafts_mailbox(self):
        box, place = self.prepare()
        self.write(place, "text", "Hello Bob.\nBye.\n")
        done = self.check(place.opus("compose", "--to", BOB, "--cc", "c@far.example", "--bcc", "h@far.example",
                                     "--subject", "Q3 plän", "--body", "text"))
        draft = self.draft(box)
        self.assertEqual((draft["Subject"], draft["To"], draft["Cc"], draft["Bcc"]),
                         ("Q3 plän", BOB, "c@far.example", "h@far.example"))
        self.assertEqual(draft["From"], ANA)
        self.assertEqual(text_of(draft), "Hello Bob.\nBye.\n")
        line, = place.opus("drafts", "--json").json["items"]
        self.assertEqual((line["state"], line["id"]), ("saved", done.out.strip()))
        self.assertNothingMore(place, box)

    def test_reply_quotes_and_threads(self):
        box, place = self.prepare(letter("Re: Re: Door", "q", headers={"References": "<a@x.example> <b@x.example>"},
                                         body="Is it blue?\n-- \nBob\n"))
        self.check(place.opus("reply", self.id_of(place), "--body", self.write(place, "text", "Yes.\n")))
        draft = self.draft(box)
        self.assertEqual(draft["Subject"], "Re: Door")
        self.assertEqual(draft["To"], BOB)
        self.assertEqual(draft["In-Reply-To"], "<q@test.example>")
        self.assertEqual(draft["References"], "<a@x.example> <b@x.example> <q@test.example>")
        self.assertEqual(text_of(draft), "Yes.\n\nOn Tue, 10 Mar 2026 07:00:00 +0100, Bob Singh wrote:\n> Is it blue?\n")

    def test_reply_all_leaves_every_own_address_out(self):
        box, place = self.prepare(letter(
            "Door", to="ANA@acme.example, ana@example.org, Kim <kim@far.example>",
            headers={"Cc": "ana@acme.example, team@far.example, bob@acme.example"}))
        self.check(place.opus("reply-all", self.id_of(place), "--body", self.write(place, "text", "Yes.\n")))
        draft = self.draft(box)
        self.assertEqual((draft["To"], draft["Cc"]), (f"{BOB}, Kim <kim@far.example>", "team@far.example"))

    def test_reply_to_and_mail_followup_to_are_respected(self):
        box, place = self.prepare(letter("Door", headers={"Reply-To": "desk@far.example"}),
                                  letter("List", minutes=1, headers={"Mail-Followup-To": "list@far.example"}))
        self.check(place.opus("reply", self.id_of(place, "Door"), "--body", "/dev/null"))
        self.assertEqual(self.draft(box)["To"], "desk@far.example")
        self.check(place.opus("drafts", "discard", place.opus("drafts", "--json").json["items"][0]["id"], "--yes"))
        self.check(place.opus("reply-all", self.id_of(place, "List"), "--body", "/dev/null"))
        self.assertEqual(self.draft(box)["To"], "list@far.example")

    def test_a_reply_comes_from_the_address_that_was_written_to(self):
        box, place = self.prepare(letter("Door", to="ana@example.org"))
        self.check(place.opus("reply", self.id_of(place), "--body", "/dev/null"))
        self.assertEqual(self.draft(box)["From"], "Ana Ruiz <ana@example.org>")

    def test_forward_takes_the_files_along(self):
        box, place = self.prepare(with_parts("Fwd: Plans", [
            ("Content-Type: text/plain", "See the file."),
            ('Content-Type: application/pdf; name="a.pdf"\nContent-Disposition: attachment; filename="a.pdf"',
             "%PDF-1.4")]))
        self.check(place.opus("forward", self.id_of(place), "--to", self.address, "--body",
                              self.write(place, "text", "For you.\n")))
        draft = self.draft(box)
        self.assertEqual(draft["Subject"], "Fwd: Plans")
        self.assertIn("For you.\n\n---------- Forwarded message ----------\nFrom: Bob Singh", text_of(draft))
        self.assertIn("See the file.", text_of(draft))
        self.assertEqual([part.get_filename() for part in draft.iter_attachments()], ["a.pdf"])

    def test_the_number_and_the_name_of_a_kept_file_must_belong_together(self):
        box, place = self.prepare()
        for name in ("a.txt", "b.txt"):
            self.write(place, name, name)
        made = self.check(place.opus("compose", "--to", BOB, "--subject", "s", "--body", "/dev/null", "--attach", "a.txt", "--attach", "b.txt"))
        draft, shown = made.out.strip(), place.opus("drafts", "show", made.out.strip()).out
        line = {name: f"Attach: [{number}] {name}.txt\n" for number, name in enumerate("ab", 1)}
        self.write(place, "only-b", shown.replace(line["a"], ""))
        self.check(place.opus("drafts", "edit", draft, "--body", "only-b"))
        # The file has number 1 now, so the older text names a file that the draft no longer has.
        self.write(place, "only-a", shown.replace(line["b"], ""))
        self.check(place.opus("drafts", "edit", draft, "--body", "only-a"), 65,
                   "line 6: file [1] of the draft is b.txt, not a.txt; write [1] b.txt, or a path")
        self.write(place, "number", shown.replace(line["b"], "").replace("[1] a.txt", "[1]"))
        self.check(place.opus("drafts", "edit", draft, "--body", "number"))
        self.assertEqual([part.get_filename() for part in self.draft(box).iter_attachments()], ["b.txt"])

    def test_a_forward_of_a_long_text_has_the_whole_message_as_a_file(self):
        text = "".join(f"line {number} of the log\n" for number in range(60000))
        box, place = self.prepare(letter("Log", body=text))
        self.check(place.opus("forward", self.id_of(place), "--to", BOB, "--body", "/dev/null"))
        draft = self.draft(box)
        self.assertIn("[This is not all: the whole message is attached as message.eml]", text_of(draft))
        whole, = draft.iter_attachments()
        self.assertEqual(whole.get_filename(), "message.eml")
        self.assertIn("line 59999 of the log", whole.get_payload(0).get_payload())

    def test_attachments_have_the_type_of_their_name(self):
        box, place = self.prepare()
        names = {"a.pdf": "application/pdf", "b.tar.gz": "application/x-compressed-tar", "c": "application/octet-stream",
                 "täble.csv": "text/csv"}
        if not os.path.exists("/usr/share/mime/globs2"):
            names["b.tar.gz"] = "application/gzip"
        for name in names:
            (place.root / name).write_bytes(b"\x00\xff" + name.encode())
        words = [word for name in names for word in ("--attach", name)]
        self.check(place.opus("compose", "--to", BOB, "--subject", "Files", "--body", "/dev/null", *words))
        files = list(self.draft(box).iter_attachments())
        self.assertEqual({part.get_filename(): part.get_content_type() for part in files}, names)
        for part in files:
            self.assertEqual(part.get_payload(decode=True), b"\x00\xff" + part.get_filename().encode())

    def test_files_above_25_megabytes_are_refused_before_anything_is_made(self):
        box, place = self.prepare()
        with open(place.root / "big", "wb") as file:
            file.truncate((25 << 20) + 1)
        done = place.opus("compose", "--to", BOB, "--body", "/dev/null", "--attach", "big", "--json")
        self.assertEqual((done.code, done.error["code"]), (65, "too-large"), str(done))
        self.assertIn("25 MB", done.error["message"])
        self.assertEqual(box.held("Drafts"), [])
        self.assertEqual(place.opus("drafts", "--json").json["items"], [])
        self.check(place.opus("compose", "--body", "/dev/null", "--attach", "none"), 66, "cannot attach none")

    def test_signature_and_template(self):
        box, place = self.prepare(extra="    signature: |\n      Ana Ruiz\n      Acme\n")
        (place.root / "templates").mkdir()
        self.write(place, "templates/minutes.txt", "Subject: Minutes\nCc: team@far.example\n\nHello,\n")
        self.check(place.opus("compose", "--to", BOB, "--template", "minutes", "--body", "/dev/null"))
        draft = self.draft(box)
        self.assertEqual((draft["Subject"], draft["Cc"]), ("Minutes", "team@far.example"))
        self.assertEqual(text_of(draft), "Hello,\n\n-- \nAna Ruiz\nAcme\n")
        self.check(place.opus("compose", "--template", "none", "--body", "/dev/null"), 66, "one of: minutes")
        self.check(place.opus("compose", "--template", "../opus", "--body", "/dev/null"), 66)

    def test_nothing_typed_becomes_a_header_field(self):
        box, place = self.prepare(letter("=?utf-8?q?hi=0D=0ABcc:_evil@far.example?=",
                                         sender="=?utf-8?q?Bob=0D=0ABcc:_evil@far.example?= <bob@acme.example>"))
        for option in ("--subject", "--to", "--cc", "--from"):
            done = place.opus("compose", "--to", BOB, option, "a@x.example\r\nBcc: evil@far.example", "--body",
                              "/dev/null")
            self.check(done, 65)
        self.assertEqual(place.opus("drafts", "--json").json["items"], [])
        self.check(place.opus("reply", self.id_of(place), "--body", "/dev/null"))
        draft = self.draft(box)
        self.assertEqual(draft.get_all("Bcc"), None)
        self.assertEqual([name for name in draft.keys() if name not in (
            "Date", "From", "To", "Subject", "Message-ID", "In-Reply-To", "References", "X-Opus-Draft", "MIME-Version",
            "Content-Type", "Content-Transfer-Encoding")], [])

    def test_mail_from_a_foreign_address_is_refused(self):
        box, place = self.prepare()
        self.check(place.opus("compose", "--from", "eve@far.example", "--subject", "x", "--body", "/dev/null"), 65, "not one of your addresses")


@on_both
class InTheEditor(Writing):
    def test_the_editor_writes_a_draft(self):
        box, place = self.prepare(letter("Door", body="Is it blue?\n"))
        editor = self.editor(place, 'cp "$1" seen\nsed -i "s/^Cc:.*/Cc: kim@far.example/; s/^On .*/Yes.\\n\\n&/" "$1"\n')
        code, out = self.on_terminal(place, "reply", self.id_of(place), editor=editor)
        self.assertEqual(code, 0, out)
        seen = (place.root / "seen").read_text()
        self.assertTrue(seen.startswith(f"From: {ANA}\nTo: {BOB}\nCc:\nBcc:\nSubject: Re: Door\nAttach:\n\n"), seen)
        draft = self.draft(box)
        self.assertEqual(draft["Cc"], "kim@far.example")
        self.assertIn("Yes.\n\nOn Tue, 10 Mar 2026", text_of(draft))
        self.assertEqual(list((place.root / ".opus/editing").iterdir()), [])

    def test_a_mistake_in_the_header_is_shown_with_its_line_and_the_draft_is_kept(self):
        box, place = self.prepare()
        editor = self.editor(place, 'printf "From: ana@acme.example\\nTo: bob\\nSubject: s\\n\\nLong text.\\n" > "$1"\n')
        environment = {"EDITOR": editor, "OPUS_NO_INPUT": ""}
        code, out = on_terminal(
            ["sh", "-c", "yes n | true; " + " ".join(place.command("compose")) + " 2>err"],
            place.environment(EDITOR=editor), place.root)
        said = (place.root / "err").read_text()
        self.assertEqual(code, 65, said)
        self.assertIn("line 2", said)
        line, = place.opus("drafts", "--json").json["items"]
        self.assertEqual(line["state"], "unfinished")
        shown = place.opus("drafts", "show", line["id"]).out
        self.assertIn("To: bob\n", shown)
        self.assertIn("Long text.", shown)
        self.check(place.opus("send", line["id"], "--yes"), 78 if self.kind else 65)
        self.write(place, "text", shown.replace("To: bob", "To: bob@acme.example"))
        self.check(place.opus("drafts", "edit", line["id"], "--body", "text"))
        self.assertEqual(self.draft(box)["To"], "bob@acme.example")

    def test_an_empty_or_untouched_text_changes_nothing(self):
        box, place = self.prepare()
        for script in (': > "$1"\n', "true\n", 'rm "$1"\n', "exit 1\n", "kill -9 $$\n"):
            with self.subTest(script):
                code, out = self.on_terminal(place, "compose", editor=self.editor(place, script))
                self.assertEqual(code, 1, out)
                self.assertRegex(out, "nothing was saved|nothing was typed")
                self.assertEqual("opus cannot wait for it" in out, script == "true\n")
                self.assertEqual(place.opus("drafts", "--json").json["items"], [])
        self.assertEqual(box.held("Drafts"), [])

    def test_other_commands_do_not_wait_for_the_editor_of_a_task(self):
        box, place = self.prepare()
        task = self.check(place.opus("task", "add", "Pay", "--json")).json["items"][0]["id"]
        words = " ".join(place.command("task", "add", "Inside"))
        editor = self.editor(place, f'{words} >/dev/null || exit 3\nsed -i "s/SUMMARY:Pay/SUMMARY:Paid/" "$1"\n')
        code, out = self.on_terminal(place, "task", "edit", task, editor=editor)
        self.assertEqual(code, 0, out)
        self.assertIn("changed", out)
        self.assertEqual(sorted(item["summary"] for item in place.opus("task", "list", "--json").json["items"]),
                         ["Inside", "Paid"])

    def test_typed_text_is_kept_when_the_editor_is_killed(self):
        box, place = self.prepare()
        editor = self.editor(place, 'printf "typed before the end\\n" >> "$1"\nkill -9 $$\n')
        code, out = self.on_terminal(place, "compose", "--to", BOB, editor=editor)
        self.assertEqual(code, 0, out)
        self.assertIn("your text is saved", out)
        self.assertIn("typed before the end", text_of(self.draft(box)))

    def test_typed_text_is_kept_when_opus_is_killed(self):
        box, place = self.prepare()
        editor = self.editor(place, 'printf "typed\\n" >> "$1"\nparent=$PPID\n'
                                   '[ "$(cat /proc/$parent/comm)" = sh ] && parent=$(cut -d" " -f4 /proc/$parent/stat)\n'
                                   'kill -9 $parent\n')
        self.on_terminal(place, "compose", "--to", BOB, editor=editor)
        line, = place.opus("drafts", "--json").json["items"]
        code, out = self.on_terminal(place, "drafts", "edit", line["id"],
                                     editor=self.editor(place, 'printf "and more\\n" >> "$1"\n'))
        self.assertEqual(code, 0, out)
        self.assertIn("typed\nand more\n", text_of(self.draft(box)))


@on_both
class Drafting(Writing):
    def compose(self, place, subject="One", **options):
        return self.check(place.opus("compose", "--to", self.address, "--subject", subject, "--body",
                                     self.write(place, "text", "First.\n"), **options)).out.strip()

    def test_an_edited_draft_replaces_its_older_version(self):
        box, place = self.prepare()
        draft = self.compose(place)
        self.check(self.edit(place, draft, ("First.", "Second."), ("Subject: One", "Subject: Two")))
        self.assertEqual(text_of(self.draft(box)), "Second.\n")
        self.assertEqual(box.subjects("Drafts"), ["Two"])
        self.assertNothingMore(place, box)

    def test_a_shown_draft_can_be_saved_again_without_a_change_of_its_text(self):
        box, place = self.prepare()
        text = "\u05e9\u05dc\u05d5\u05dd\u200f! \u2066x\u2069 a\u2028b\n"
        draft = self.check(place.opus("compose", "--to", BOB, "--subject", "\u200fS", "--body",
                                      self.write(place, "text", text))).out.strip()
        self.assertEqual(text_of(self.draft(box)), text)
        self.check(self.edit(place, draft, ("Cc:", "Cc: kim@far.example")))
        saved = self.draft(box)
        self.assertEqual((text_of(saved), saved["Subject"], saved["Cc"]), (text, "\u200fS", "kim@far.example"))
        _, shown = self.on_terminal(place, "drafts", "show", draft)
        self.assertIn("\\u{200f}!", shown)

    def test_a_draft_of_which_the_server_hears_later_is_saved_at_once(self):
        if self.kind == "maildir":
            self.skipTest("a Maildir is always there")
        box, place = self.prepare()
        good = (place.root / "opus.yaml").read_text()
        (place.root / "opus.yaml").write_text(good.replace(f"port: {box.servers.imaps_port}", "port: 1"))
        draft = self.compose(place)
        self.check(self.edit(place, draft, ("First.", "Second.")), 0, "Not in the Drafts mailbox yet")
        self.assertEqual(place.opus("drafts", "--json").json["items"][0]["state"], "local")
        (place.root / "opus.yaml").write_text(good)
        self.check(place.opus("run", "--yes"))
        self.assertEqual(text_of(self.draft(box)), "Second.\n")
        self.assertEqual(place.opus("drafts", "--json").json["items"][0]["state"], "saved")

    def changed_elsewhere(self, box, place, old=b"First.", new=b"Changed elsewhere."):
        held, = box.held("Drafts")
        body = box.body("Drafts", held.message_id).replace(b"\r\n", b"\n").replace(old, new)
        box.add("Drafts", body.replace(b"Subject: One", b"Subject: Other"), (r"\Draft", r"\Seen"))
        return held

    def test_a_draft_that_was_edited_elsewhere_is_picked_up(self):
        box, place = self.prepare()
        draft = self.compose(place)
        held = self.changed_elsewhere(box, place)
        if self.kind == "imap":
            client = box.client()
            client.select("Drafts")
            client.uid("STORE", str(held.uid), "+FLAGS", r"(\Deleted)")
            client.uid("EXPUNGE", str(held.uid))
            client.logout()
        else:
            next(p for p in box.place("Drafts").rglob(held.uid)).unlink()
        self.check(place.opus("sync"))
        self.check(place.opus("drafts"), 0, "was changed elsewhere", "Other")
        self.assertIn("Changed elsewhere.", place.opus("drafts", "show", draft).out)
        line, = place.opus("drafts", "--json").json["items"]
        self.assertEqual(line["state"], "saved")

    def test_a_draft_that_was_edited_here_and_elsewhere_is_kept_twice(self):
        if self.kind == "maildir":
            self.skipTest("what is not reachable is a server")
        box, place = self.prepare()
        draft = self.compose(place)
        good = (place.root / "opus.yaml").read_text()
        (place.root / "opus.yaml").write_text(good.replace(f"port: {box.servers.imaps_port}", "port: 1"))
        self.check(self.edit(place, draft, ("First.", "Changed here.")))
        (place.root / "opus.yaml").write_text(good)
        self.changed_elsewhere(box, place)
        self.check(place.opus("sync"))
        self.check(place.opus("drafts"), 0, "both are kept")
        texts = [place.opus("drafts", "show", line["id"]).out
                 for line in place.opus("drafts", "--json").json["items"]]
        self.assertEqual(sorted("Changed here." in text for text in texts), [False, True])
        self.assertEqual(sorted("Changed elsewhere." in text for text in texts), [False, True])

    def test_a_draft_without_a_message_id_is_neither_sent_nor_discarded(self):
        box, place = self.prepare()
        box.add("Drafts", letter("Postponed", to=self.address, sender=ANA, headers={"Message-ID": None}), (r"\Draft", r"\Seen"))
        self.check(place.opus("sync"))
        line, = place.opus("drafts", "--json").json["items"]
        self.check(place.opus("drafts", "show", "m:" + line["id"].removeprefix("m:")), 0, "Hello.")
        for words, expected in ((("send",), "has no Message-ID"), (("drafts", "discard"), "cannot remove it from Drafts")):
            done = place.opus(*words, line["id"], "--yes", "--json")
            self.assertEqual((done.code, done.error["code"]), (1, "nameless-draft"), str(done))
            self.assertIn(expected, done.error["message"])
        self.assertEqual(box.subjects("Drafts"), ["Postponed"])
        # A changed one is a draft of opus.
        text = place.opus("drafts", "show", line["id"]).out + "More.\n"
        copy = self.check(place.opus("drafts", "edit", line["id"], "--body", self.write(place, "text", text))).out.strip()
        self.check(place.opus("drafts", "discard", copy, "--yes"), 0, "Discarded")
        self.assertEqual(box.subjects("Drafts"), ["Postponed"])

    def test_a_draft_of_another_program_can_be_edited_and_discarded(self):
        box, place = self.prepare()
        box.add("Drafts", letter("Foreign", to=BOB, sender=ANA, body="Of another program.\n"), (r"\Draft", r"\Seen"))
        self.check(place.opus("sync"))
        line, = place.opus("drafts", "--json").json["items"]
        self.assertEqual(line["state"], "elsewhere")
        self.check(self.edit(place, line["id"], ("another", "this")))
        self.assertEqual(text_of(self.draft(box)), "Of this program.\n")
        line, = place.opus("drafts", "--json").json["items"]
        self.check(place.opus("drafts", "discard", line["id"], "--yes"))
        self.assertEqual(box.held("Drafts"), [])
        self.assertEqual(place.opus("drafts", "--json").json["items"], [])
        self.assertNothingMore(place, box)


@on_both
class Sending(Writing):
    def compose(self, place, *words, to=None, subject="One", text="Text.\n", **options):
        return place.opus("compose", "--to", to or self.address, "--subject", subject, "--body",
                          self.write(place, "text", text), *words, **options)

    def test_a_mail_is_sent_once_with_its_copy_in_sent(self):
        box, place = self.sending()
        done = self.check(self.compose(place, "--send", "--yes", "--bcc", "hidden@far.example"), 0, "Sent d:")
        self.assertRegex(done.err, "\nTo       [^,\n]*\nBcc      hidden@far.example\nSubject ")
        mail, *more = self.wait_for_mail(2)  # a witness for each receiver
        self.assertEqual([other["Message-ID"] for other in more], [mail["Message-ID"]])
        self.assertIsNone(mail["Bcc"])
        self.assertIsNone(mail["X-Opus-Draft"])
        copy, = box.held("Sent")
        self.assertEqual((copy.message_id, copy.flags), (mail["Message-ID"], frozenset({r"\Seen"})))
        self.assertEqual(box.held("Drafts"), [])
        self.assertEqual(place.opus("drafts", "--json").json["items"], [])
        self.assertEqual(place.opus("outbox", "--json").json["items"], [])
        self.assertNothingMore(place, box)

    def test_a_draft_is_sent_and_leaves_the_drafts_mailbox(self):
        box, place = self.sending(letter("Door"))
        self.check(place.opus("reply", self.id_of(place), "--to", self.address, "--body", "/dev/null"))
        line, = place.opus("drafts", "--json").json["items"]
        self.check(place.opus("send", line["id"], "--yes"), 0, "Sent")
        self.wait_for_mail()
        self.assertEqual(box.held("Drafts"), [])
        self.assertEqual(len(box.held("Sent")), 1)
        self.assertIn(r"\Answered", box.find("INBOX", "door@test.example").flags)
        self.assertNothingMore(place, box)
        # The answer cannot be undone, so its mark stays.
        self.check(place.opus("undo", "--yes"), 1, "already sent to")
        self.assertIn(r"\Answered", box.find("INBOX", "door@test.example").flags)

    def test_a_wait_begins_when_the_mail_is_sent_and_its_line_never_leaves(self):
        box, place = self.sending(letter("Door", sender=f"Far <{self.address}>"))
        self.check(place.opus("compose", "--to", BOB, "--body", "/dev/null", "--wait", "nonsense"), 64, "not a date")
        self.check(place.opus("compose", "--to", BOB, "--body", "/dev/null", "--wait", "yesterday"), 64, "is over")
        self.check(place.opus("reply", self.id_of(place), "--body", "/dev/null", "--wait", "3bd"))
        line, = place.opus("drafts", "--json").json["items"]
        self.assertEqual(line["wait"], "3bd")
        self.assertIn("Wait: 3bd\n", place.opus("drafts", "show", line["id"]).out)
        self.assertEqual(place.opus("waiting", "--json").json["items"], [])
        self.check(place.opus("briefing"), 0, "1 draft waits for you", "then waits: 3bd")
        self.check(self.edit(place, line["id"], ("Wait: 3bd", "Wait: soon")), 65, "line 7", "not a date")
        self.check(self.edit(place, line["id"], ("Wait: soon", "Wait: 2bd")))
        self.check(place.opus("send", line["id"], "--yes", now="2026-03-12T08:30:00+01:00"), 0, "Wait     2bd", "Sent")
        mail = self.wait_for_mail()[0]
        self.assertNotIn("wait", " ".join(mail.keys()).lower())
        task, = place.opus("waiting", "--json").json["items"]
        self.assertEqual((task["start"], task["wait"]["state"], task["list"]), ("2026-03-16", "sent", "waiting"))
        self.assertIn(self.address, task["contact"])
        self.assertNothingMore(place, box)
        box.add("INBOX", letter("Re: Door", "answer", sender=f"Far <{self.address}>", minutes=60 * 24 * 3,
                                headers={"In-Reply-To": mail["Message-ID"]}))
        self.check(place.opus("run", "--yes", now="2026-03-14T08:30:00+01:00"), 0, "Decide: ")

    def test_a_mail_without_its_wait_line_starts_no_wait(self):
        box, place = self.sending()
        draft = self.check(self.compose(place, "--wait", "friday", "--json")).json["items"][0]
        self.check(self.edit(place, draft["id"], ("Wait: friday\n", "")))
        self.check(place.opus("send", draft["id"], "--yes"), 0, "Sent")
        self.assertEqual(place.opus("waiting", "--json").json["items"], [])
        own = self.check(self.compose(place, "--wait", "friday", "--json", to="ana@acme.example")).json["items"][0]
        self.check(place.opus("send", own["id"], "--yes"), 65, "you are its only recipient")

    def test_a_held_mail_waits_from_when_it_leaves(self):
        box, place = self.sending(settings="send: { hold: 20s }\n")
        self.check(self.compose(place, "--wait", "3bd", "--send", "--yes", "--detach"))
        self.assertEqual(place.opus("waiting", "--json").json["items"], [])
        self.check(place.opus("run", "--yes", now="2026-03-12T08:30:21+01:00"))
        task, = place.opus("waiting", "--json").json["items"]
        self.assertEqual(task["start"], "2026-03-17")

    def test_sending_asks_first(self):
        box, place = self.sending()
        self.check(self.compose(place, "--send"), 64, "--yes")
        line, = place.opus("drafts", "--json").json["items"]
        self.check(place.opus("send", line["id"]), 64, "--yes")
        self.assertEqual(sent_to(self.address), [])

    def test_a_mail_can_be_stopped_while_it_is_held(self):
        box, place = self.sending(settings="send: { hold: 20s }\n")
        self.check(self.compose(place, "--send", "--yes", "--detach"), 0, "sends at 08:30:20", "outbox discard d:")
        line, = place.opus("outbox", "--json").json["items"]
        self.assertEqual((line["state"], line["to"]), ("queued", [self.address]))
        self.check(place.opus("run", "--yes"))
        self.check(place.opus("drafts", "discard", line["id"], "--yes"), 75, "outbox")
        self.check(place.opus("outbox", "discard", line["id"]), 0, "Cancelled")
        self.assertEqual(place.opus("outbox", "--json").json["items"], [])
        self.assertEqual(place.opus("drafts", "--json").json["items"][0]["id"], line["id"])
        self.check(place.opus("run", "--yes", now="2026-03-10T08:40:00+01:00"))
        self.assertEqual((sent_to(self.address), box.held("Sent")), ([], []))
        self.check(place.opus("send", line["id"], "--yes", "--no-hold"), 0, "Sent")
        self.wait_for_mail()
        self.assertEqual(len(box.held("Sent")), 1)

    def test_a_held_mail_leaves_with_the_next_run_after_its_time(self):
        box, place = self.sending(settings="send: { hold: 20s }\n")
        self.check(self.compose(place, "--send", "--yes", "--detach"))
        self.check(place.opus("run", "--yes", now="2026-03-10T08:30:19+01:00"))
        self.assertEqual(sent_to(self.address), [])
        self.check(place.opus("run", "--yes", now="2026-03-10T08:30:21+01:00"))
        self.wait_for_mail()
        self.assertEqual(len(box.held("Sent")), 1)
        self.assertEqual(place.opus("drafts", "--json").json["items"], [])

    def test_a_held_reply_that_a_run_sends_marks_the_original_as_answered(self):
        box, place = self.sending(letter("Door"), settings="send: { hold: 20s }\n")
        self.check(place.opus("reply", self.id_of(place), "--to", self.address, "--body", "/dev/null"))
        line, = place.opus("drafts", "--json").json["items"]
        self.check(place.opus("send", line["id"], "--yes", "--detach"))
        self.check(place.opus("run", "--yes", now="2026-03-10T08:30:21+01:00"))
        self.wait_for_mail()
        self.assertIn(r"\Answered", box.find("INBOX", "door@test.example").flags)
        self.assertEqual(box.held("Drafts"), [])

    def test_a_delegation_that_is_sent_at_once_waits_from_then_on(self):
        box, place = self.sending(letter("Server move"))
        self.check(place.opus("delegate", self.id_of(place), self.address, "--note", "Yours please.", "--send", "--yes",
                              "--no-hold"))
        mail, = self.wait_for_mail()
        self.assertEqual(mail["Subject"], "Fwd: Server move")
        self.assertIn("Yours please.", mail.as_string())
        self.assertEqual((box.held("Drafts"), box.subjects("Sent")), ([], ["Fwd: Server move"]))
        self.assertEqual(box.where("server-move@test.example"), ["Archive"])
        wait, = place.opus("waiting", "--json").json["items"]
        self.assertEqual((wait["list"], wait["wait"]["state"]), ("waiting", "sent"))
        self.check(place.opus("undo", "--yes"), 1, "already sent to")
        self.assertEqual(box.where("server-move@test.example"), ["INBOX"])
        self.assertEqual(place.opus("waiting", "--json").json["items"], [])
        self.assertEqual(len(sent_to(self.address)), 1)
        self.assertEqual(box.held("Drafts"), [])

    def test_undo_of_a_sent_mail_does_not_bring_its_draft_back(self):
        """The user would send it a second time."""
        box, place = self.sending(letter("Lunch"))
        self.check(place.opus("reply", self.id_of(place), "--to", self.address, "--body", "/dev/null"))
        line, = place.opus("drafts", "--json").json["items"]
        self.check(place.opus("send", line["id"], "--yes", "--no-hold"))
        self.wait_for_mail()
        self.check(place.opus("undo", "--yes"), 1, "already sent to", "its mail was sent, so the draft does not come back")
        self.assertEqual((box.held("Drafts"), place.opus("drafts", "--json").json["items"]), ([], []))
        self.assertNothingMore(place, box)

    def test_undo_says_what_to_undo_where_a_mail_was_sent(self):
        box, place = self.sending(letter("Lunch"))
        self.check(place.opus("archive", self.id_of(place)))
        self.check(self.compose(place, "--send", "--yes", "--no-hold"))
        self.wait_for_mail()
        self.check(place.opus("undo", "--yes"), 1, "already sent to", "next: opus undo r:0001")
        self.assertEqual(box.where("lunch@test.example"), ["Archive"])
        self.check(place.opus("undo", "r:0001", "--yes"))
        self.assertEqual(box.where("lunch@test.example"), ["INBOX"])

    def test_the_command_waits_for_the_hold_and_the_lock_is_free_meanwhile(self):
        box, place = self.sending(settings="send: { hold: 2s }\n")
        self.write(place, "text", "Text.\n")
        start = time.monotonic()
        process = place.start("compose", "--to", self.address, "--subject", "One", "--body", "text", "--send", "--yes")
        while not place.opus("outbox", "--json").json["items"]:
            time.sleep(0.05)
        self.check(place.opus("run", "--yes"))
        self.assertEqual(process.wait(30), 0)
        self.assertGreater(time.monotonic() - start, 2)
        self.assertEqual(len(self.wait_for_mail()), 1)

    def test_a_refused_recipient_is_shown_with_the_servers_words(self):
        box, place = self.sending()
        self.check(self.compose(place, "--send", "--yes", to="refused@far.example"), 69, "refused@far.example", "550")
        line, = place.opus("outbox", "--json").json["items"]
        self.assertEqual(line["state"], "failed")
        self.assertIn("550", line["reason"])
        self.assertEqual(box.held("Sent"), [])
        text = place.opus("drafts", "show", line["id"]).out.replace("refused@far.example", self.address)
        self.check(place.opus("drafts", "edit", line["id"], "--body", self.write(place, "text", text)))
        self.check(place.opus("send", line["id"], "--yes"), 0, "Sent")
        self.assertEqual(len(self.wait_for_mail()), 1)

    def test_outbox_retry_sends_the_same_mail(self):
        box, place = self.sending()
        good = (place.root / "opus.yaml").read_text()
        (place.root / "opus.yaml").write_text(good.replace(str(servers().submission_port), "1"))
        self.check(self.compose(place, "--send", "--yes"), 75, "In the outbox")
        line, = place.opus("outbox", "--json").json["items"]
        self.assertEqual(line["state"], "queued")
        (place.root / "opus.yaml").write_text(good)
        self.check(place.opus("outbox", "wait", now="2026-03-10T09:30:00+01:00"), 0, "The outbox is empty.")
        mail, = self.wait_for_mail()
        self.assertEqual(mail["Message-ID"].strip("<>"), line["messageID"])

    def test_a_refused_login_is_77_and_an_account_that_is_away_75_and_the_mail_waits(self):
        box, place = self.sending()
        draft = self.check(self.compose(place, subject="Later")).out.strip()
        settings, password = place.root / "opus.yaml", (place.root / "password").read_text()
        good = settings.read_text()
        if self.kind == "imap":
            settings.write_text(good.replace(f"port: {box.servers.imaps_port}", "port: 1"))
            self.check(place.opus("send", draft, "--yes"), 75, "In the outbox")
            settings.write_text(good)
            self.check(place.opus("outbox", "discard", draft))
        (place.root / "password").write_text("wrong\n")
        # Over IMAP, the Drafts mailbox cannot be checked first, so the mail stays a draft.
        self.check(place.opus("send", draft, "--yes"), 77)
        self.check(self.compose(place, "--send", "--yes", subject="New"), 77, "In the outbox")
        self.assertEqual(sent_to(self.address), [])
        for line in place.opus("outbox", "--json").json["items"]:
            self.check(place.opus("outbox", "retry", line["id"]), 77)
            self.check(place.opus("outbox", "discard", line["id"]))
        (place.root / "password").write_text(password)
        self.check(place.opus("send", draft, "--yes"), 0, "Sent")
        self.assertEqual(len(self.wait_for_mail()), 1)

    def test_the_error_about_a_mail_that_cannot_be_sent_gives_the_reason(self):
        box, place = self.sending()
        self.check(place.opus("compose", "--subject", "x", "--body", "/dev/null", "--send", "--yes"), 65, "no recipients")
        box, place = self.prepare(name="without")
        self.check(self.compose(place, "--send", "--yes"), 78, "smtp")

    def test_more_mail_than_the_cap_stops_before_anything_leaves(self):
        box, place = self.sending(settings="send: { hold: 0, max-per-run: 2, max-per-hour: 3, "
                                           "max-per-recipient-per-hour: 2 }\n")
        for number in range(3):
            self.check(self.compose(place, to=f"{number}-{self.address}", subject=f"{number}"))
        ids = [line["id"] for line in place.opus("drafts", "--json").json["items"]]
        self.check(place.opus("send", *ids, "--yes"), 75, "nothing was sent", "max-per-run: 2")
        self.check(place.opus("send", *ids[:2], "--yes"), 0)
        self.check(self.compose(place, "--send", "--yes", "--to", f"2-{self.address}"), 0)
        self.check(place.opus("send", ids[2], "--yes"), 75, "max-per-hour: 3", "the next can be sent at 09:30")
        later = "2026-03-10T09:31:00+01:00"
        self.check(place.opus("send", ids[2], "--yes", now=later), 0)

    def test_a_person_writes_to_one_address_as_often_as_they_like(self):
        box, place = self.sending(settings="send: { hold: 0, max-per-recipient-per-hour: 1 }\n")
        for number in range(3):
            self.check(self.compose(place, "--send", "--yes", subject=f"{number}"), 0, "Sent")
        self.assertEqual(len(self.wait_for_mail(3)), 3)

    def test_a_draft_of_a_rule_can_be_sent(self):
        box, place = self.sending(letter("Please look"))
        place.write_rules("rules-version: 1\nname: r\nrules:\n  - id: hand\n    when: subject:please\n    then:\n"
                          f"      - delegate: {{ to: {self.address}, note: 'Yours.' }}\n")
        self.check(place.opus("run", "--yes"))
        line, = place.opus("drafts", "--json").json["items"]
        self.assertEqual(line["state"], "elsewhere")
        self.check(place.opus("send", line["id"], "--yes"), 0, "Sent")
        mail, = self.wait_for_mail()
        self.assertEqual(mail["Subject"], "Fwd: Please look")
        self.assertEqual(box.held("Drafts"), [])


VACATION = """\
rules-version: 1
name: away
rules:
  - id: away
    when: in:inbox
    then:
      - vacation: { text: 'Back on Monday, {{from.name}}.', days: 7, send: now }
"""
#: When the rule was first applied, in tests about other things.
YEARS_AGO = "2024-03-10T08:30:00+01:00"


class Away(Writing, Case):
    """Vacation replies: RFC 5230."""

    kind = "maildir"

    def away(self, *messages, settings="allow-send: true\n"):
        box, place = self.in_force(settings=settings)
        for message in messages:
            box.add("INBOX", message)
        self.check(place.opus("run", "--yes"))
        return box, place

    def in_force(self, rules=VACATION, settings="allow-send: true\n", **options):
        """A workspace with a rule that answers all mail."""
        box, place = self.sending(settings=settings, **options)
        place.write_rules(rules)
        self.check(place.opus("run", "--yes", now=YEARS_AGO))
        return box, place

    def asker(self, subject, minutes=0, **options):
        return letter(subject, sender=f"Kim <{self.address}>", minutes=minutes, **options)

    def test_each_sender_is_answered_once_a_week(self):
        box, place = self.away(self.asker("One"), self.asker("Two", minutes=1))
        mail, = self.wait_for_mail()
        self.assertEqual((mail["Auto-Submitted"], mail["X-Opus-Loop"]), ("auto-replied", "ana@acme.example"))
        self.assertIn(mail["Subject"], ("Auto: One", "Auto: Two"))
        self.assertIn(mail["In-Reply-To"], ("<one@test.example>", "<two@test.example>"))
        self.assertIn(b"Back on Monday, Kim.", mail.get_payload(decode=True))
        box.add("INBOX", self.asker("Three", minutes=2))
        self.check(place.opus("run", "--yes", now="2026-03-17T08:29:00+01:00"))
        time.sleep(0.3)
        self.assertEqual(len(sent_to(self.address)), 1)
        box.add("INBOX", self.asker("Four", minutes=3))
        self.check(place.opus("run", "--yes", now="2026-03-17T08:31:00+01:00"))
        self.assertEqual(len(self.wait_for_mail(2)), 2)

    def test_old_mail_gets_no_answer(self):
        """After a pause, and after a copy from another server: then the arrival is new and the date is old."""
        box, place = self.in_force()
        days = lambda number: -60 * 24 * number
        arrived = datetime.datetime.fromisoformat("2026-03-10T08:00:00+01:00").timestamp()
        box.add("INBOX", self.asker("Year", days(365)), received=arrived - 365 * 86_400)
        box.add("INBOX", self.asker("Copied", days(15)), received=arrived)
        box.add("INBOX", self.asker("Late", days(-1)), received=arrived - 15 * 86_400)
        self.check(place.opus("run", "--yes"))
        self.assertEqual((sent_to(self.address), box.held("Drafts"), box.held("Sent")), ([], [], []))
        box.add("INBOX", self.asker("Recent", days(13)), received=arrived - 13 * 86_400)
        self.check(place.opus("run", "--yes"))
        mail, = self.wait_for_mail()
        self.assertEqual(mail["Subject"], "Auto: Recent")

    def test_the_age_up_to_which_mail_is_answered_is_a_setting(self):
        box, place = self.in_force(VACATION.replace("days: 7", "max-age: 20 days"))
        box.add("INBOX", self.asker("Old", -60 * 24 * 19))
        self.check(place.opus("run", "--yes"))
        mail, = self.wait_for_mail()
        self.assertEqual(mail["Subject"], "Auto: Old")
        for bad in ("soon", "0 days", "2 years", "-1d"):
            place.write_rules(VACATION.replace("days: 7", f"max-age: {bad}"))
            self.check(place.opus("rules", "check"), 65, "'max-age' must be a time of at most 365 days")

    def test_a_new_rule_answers_mail_of_the_last_day_only(self):
        """The user may have written the rule after the last run; who wrote days ago expects no answer."""
        box, place = self.sending(settings="allow-send: true\n")
        # The first run with the rule is at half past eight.
        box.add("INBOX", [self.asker("Before", 89 - 24 * 60), self.asker("Day", 91 - 24 * 60)])
        place.write_rules(VACATION)
        # A dry run is not the start of the rule. Both are from one sender.
        plan, = self.check(place.opus("run", "--dry-run", "--json", now="2026-03-10T06:00:00+01:00")).json["plans"]
        self.assertEqual(sorted(len(item["decisions"]) for item in plan["plan"]["items"]), [0, 1])
        self.check(place.opus("run", "--yes"))
        mail, = self.wait_for_mail()
        self.assertEqual(mail["Subject"], "Auto: Day")
        self.assertNothingMore(place, box)

    def test_a_conversation_in_which_the_user_wrote_last_gets_no_answer(self):
        box, place = self.sending(self.asker("Lunch"), self.asker("Dinner", minutes=1), settings="allow-send: true\n")
        box.add("Sent", letter("Re: Lunch", minutes=5, sender="Ana <ana@acme.example>", to=f"Kim <{self.address}>",
                               headers={"In-Reply-To": "<lunch@test.example>"}))
        place.write_rules(VACATION)
        self.check(place.opus("run", "--yes"))
        mail, = self.wait_for_mail()
        self.assertEqual(mail["Subject"], "Auto: Dinner")

    def test_a_lost_store_answers_no_mail_again(self):
        box, place = self.away(self.asker("One"))
        self.wait_for_mail()
        shutil.rmtree(place.root / ".opus")
        self.check(place.opus("run", "--yes", now="2026-03-10T09:00:00+01:00"))
        box.add("INBOX", [self.asker("Again", 120), letter("Two", sender=f"Lee <lee-{self.address}>", minutes=121)])
        self.check(place.opus("run", "--yes", now="2026-03-10T10:00:00+01:00"))
        self.assertEqual([mail["Subject"] for mail in self.wait_for_mail(2)], ["Auto: One", "Auto: Two"])

    def test_a_rule_that_is_enabled_again_does_not_answer_what_came_days_ago(self):
        for name, off in (("gone", NO_RULES), ("disabled", VACATION.replace("when:", "enabled: false\n    when:")),
                          ("expired", VACATION.replace("when:", "expire: 2026-03-09\n    when:"))):
            with self.subTest(name):
                box, place = self.in_force(settings="", name=name)
                place.write_rules(off)
                self.check(place.opus("run", "--yes"))
                box.add("INBOX", self.asker("Meanwhile", 100))
                self.check(place.opus("run", "--yes", now="2026-03-10T09:00:00+01:00"))
                # Another rule has another name; the text of the rule and its file may change.
                more = "  - { id: stars, when: 'subject:star', then: flag }\n"
                place.write_rules({"99.yaml": VACATION.replace("Monday", "Tuesday") + more})
                self.check(place.opus("run", "--yes", now="2026-03-11T10:00:00+01:00"))
                self.assertEqual(box.held("Drafts"), [])
                box.add("INBOX", self.asker("Later", 24 * 60 + 181))
                place.write_rules(VACATION + more.replace("stars", "starred"))
                self.check(place.opus("run", "--yes", now="2026-03-11T11:00:00+01:00"))
                self.assertEqual(box.subjects("Drafts"), ["Auto: Later"])

    def test_lists_programs_and_own_mail_get_no_answer(self):
        box, place = self.away(
            self.asker("Bcc", to="others@far.example"), self.asker("List", 1, headers={"List-Id": "<l.example>"}),
            self.asker("Auto", 2, headers={"Auto-Submitted": "auto-replied"}),
            self.asker("Loop", 3, headers={"X-Opus-Loop": "ana@acme.example"}),
            self.asker("Bounce", 4, headers={"Return-Path": "<>"}), letter("Own", sender=ANA, minutes=5),
            letter("Robot", sender="no-reply@far.example", minutes=6))
        time.sleep(0.3)
        self.assertEqual((sent_to(self.address), box.held("Sent"), box.held("Drafts")), ([], [], []))

    def test_without_allow_send_it_is_a_draft(self):
        box, place = self.away(self.asker("One"), settings="")
        self.assertEqual(box.subjects("Drafts"), ["Auto: One"])
        self.assertEqual(sent_to(self.address), [])


LETTERS = """\
rules-version: 1
name: letters
rules:
  - { id: answer, when: 'subject:price', then: [{ reply: { text: 'See the list, {{from.name}}.', send: now } }, archive] }
  - { id: on, when: 'subject:bill', then: [{ forward: { to: TO, note: 'For the books.', send: now } }, archive] }
"""


class Letters(Writing, Case):
    """Rules that answer and hand on by themselves."""

    kind = "maildir"

    def lettered(self, *messages, settings="allow-send: true\n"):
        box, place = self.sending(settings=settings)
        place.write_rules(LETTERS.replace("TO", self.address))
        for message in messages:
            box.add("INBOX", message)
        self.check(place.opus("run", "--yes"))
        return box, place

    def test_a_rule_answers_once_and_says_that_a_program_wrote_it(self):
        box, place = self.lettered(letter("The price", sender=f"Kim <{self.address}>", body="How much?\n"))
        mail, = self.wait_for_mail()
        self.assertEqual((mail["Subject"], mail["Auto-Submitted"], mail["X-Opus-Loop"]),
                         ("Re: The price", "auto-replied", "ana@acme.example"))
        self.assertEqual(mail["In-Reply-To"], "<the-price@test.example>")
        self.assertIn(b"See the list, Kim.", mail.get_payload(decode=True))
        self.assertIn(b"> How much?", mail.get_payload(decode=True))
        self.assertPlaces(box, {"the-price": "Archive"})
        self.assertEqual(len(box.held("Sent")), 1)
        self.assertNothingMore(place, box)
        self.assertEqual(len(sent_to(self.address)), 1)

    def test_a_rule_quotes_what_the_sender_wrote_however_it_was_encoded(self):
        encoded = {"base64": ("utf-8", base64.encodebytes("Größe: 3\n".encode()).decode()),
                   "quoted-printable": ("iso-8859-1", "Gr=F6=DFe: 3\n"), "8bit": ("iso-8859-1", "Gr\udcf6\udcdfe: 3\n")}
        box, place = self.lettered(*[
            letter(f"The price in {name}", sender=f"Kim <{self.address}>", body=body, minutes=number, headers={
                "Content-Type": f"text/plain; charset={charset}", "Content-Transfer-Encoding": name})
            for number, (name, (charset, body)) in enumerate(encoded.items())])
        for mail in self.wait_for_mail(3):
            self.assertIn("> Größe: 3\n", parsed(mail.as_bytes()).get_content(), mail["Subject"])

    def test_a_rule_hands_a_mail_on_with_its_files(self):
        bill = with_parts("The bill", [("Content-Type: text/plain", "See the file."), (
            'Content-Type: application/pdf; name="b.pdf"\nContent-Disposition: attachment; filename="b.pdf"', "JVBERi0=")])
        box, place = self.lettered(bill)
        mail, = self.wait_for_mail()
        self.assertEqual((mail["Subject"], mail["Auto-Submitted"]), ("Fwd: The bill", "auto-generated"))
        self.assertIn("b.pdf", [part.get_filename() for part in mail.walk()])
        self.assertIn("For the books.", str(mail))
        self.assertNothingMore(place, box)

    def test_no_mail_is_sent_automatically_to_lists_programs_and_loops(self):
        sender = f"Kim <{self.address}>"
        box, place = self.lettered(
            letter("price 1", sender=sender, headers={"List-Id": "<l.example>"}),
            letter("price 2", sender=sender, minutes=1, headers={"Auto-Submitted": "auto-replied"}),
            letter("price 3", sender=sender, minutes=2, headers={"X-Opus-Loop": "ana@acme.example"}))
        time.sleep(0.3)
        self.assertEqual((sent_to(self.address), box.held("Sent")), ([], []))
        self.assertEqual(len(box.held("Drafts")), 3, "a person may send them")

    def test_without_allow_send_they_are_drafts(self):
        box, place = self.lettered(letter("The price", sender=f"Kim <{self.address}>"), settings="")
        self.assertEqual(box.subjects("Drafts"), ["Re: The price"])
        self.assertEqual(sent_to(self.address), [])


class WebServer:
    """Answers each request with one status, over TLS with a certificate of the tests; keeps what it was sent."""

    def __init__(self, answer, trusted=True):
        self.answer, self.requests = answer, []
        certificate, key = servers().certificate if trusted else servers().untrusted.issue("web")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.socket = context.wrap_socket(socket.create_server(("127.0.0.1", 0)), server_side=True)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                client = self.socket.accept()[0]
            except ssl.SSLError:
                continue
            except OSError:
                return
            with client:
                data = b""
                while b"\r\n\r\n" not in data or not data.endswith(b"One-Click"):
                    piece = client.recv(4096)
                    if not piece:
                        break
                    data += piece
                self.requests.append(data.decode())
                try:
                    client.sendall(self.answer)
                except OSError:
                    pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


class Leaving(Writing, Case):
    """opus unsubscribe: only on the user's word, shown before."""

    kind = "maildir"

    def listed(self, unsubscribe, post="List-Unsubscribe=One-Click", **headers):
        return letter("News", headers={"List-Unsubscribe": unsubscribe, "List-Unsubscribe-Post": post,
                                       **{name.replace("_", "-"): value for name, value in headers.items()}})

    def leave(self, place, *words):
        return place.opus("unsubscribe", self.id_of(place), "--ca-file", servers().ca_file, *words)

    def test_one_click_is_one_post_and_nothing_of_the_user(self):
        with WebServer(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") as web:
            _, place = self.prepare(self.listed(f"<mailto:out@far.example>, <https://localhost:{web.port}/u?id=7>",
                                                DKIM_Signature="v=1; h=from:list-unsubscribe:list-unsubscribe-post; b=x"))
            self.check(self.leave(place), 64, f"POST List-Unsubscribe=One-Click to https://localhost:{web.port}/u?id=7",
                       "--yes")
            self.assertEqual(web.requests, [])
            self.check(self.leave(place, "--yes"), 0, "localhost accepted the request", "not verified")
            self.assertEqual(web.requests, [
                f"POST /u?id=7 HTTP/1.1\r\nHost: localhost:{web.port}\r\n"
                "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 26\r\nConnection: close\r\n\r\n"
                "List-Unsubscribe=One-Click"])

    def test_an_unsigned_unsubscribe_address_is_reported_as_unproven(self):
        _, place = self.prepare(self.listed("<https://localhost:1/u>"))
        self.check(self.leave(place), 64, "no signature covers this address")

    def test_a_redirect_is_not_followed(self):
        with WebServer(b"HTTP/1.1 302 Found\r\nLocation: https://localhost:1/\r\n\r\n") as web:
            _, place = self.prepare(self.listed(f"<https://localhost:{web.port}/u>"))
            self.check(self.leave(place, "--yes"), 69, "answered 302", "does not follow")
            self.assertEqual(len(web.requests), 1)

    def test_a_server_with_a_wrong_certificate_gets_no_request(self):
        with WebServer(b"HTTP/1.1 200 OK\r\n\r\n", trusted=False) as web:
            _, place = self.prepare(self.listed(f"<https://localhost:{web.port}/u>"))
            self.check(self.leave(place, "--yes"), 69, "certificate")
            self.assertEqual(web.requests, [])

    def test_an_endless_answer_is_not_read_to_its_end(self):
        with WebServer(b"x" * 1_000_000) as web:
            _, place = self.prepare(self.listed(f"<https://localhost:{web.port}/u>"))
            self.check(self.leave(place, "--yes"), 69, "did not answer like a web server")

    def test_http_and_pages_are_refused(self):
        _, place = self.prepare(self.listed("<http://far.example/u>"))
        self.check(self.leave(place, "--yes"), 66, "not offer a safe way", "not encrypted")
        _, place = self.prepare(self.listed("<https://far.example/page>", post=None), name="page")
        self.check(self.leave(place, "--yes"), 66, "a browser", "https://far.example/page")
        _, place = self.prepare(letter("News"), name="none")
        self.check(self.leave(place, "--yes"), 66, "not offer a way to unsubscribe", "it has no List-Unsubscribe")
        _, place = self.prepare(self.listed("https://far.example/u"), name="bare")
        self.check(self.leave(place, "--yes"), 66, "its List-Unsubscribe has no address in angle brackets")

    def test_a_request_by_mail_is_sent_through_the_outbox(self):
        box, place = self.sending(self.listed(f"<mailto:{self.address}?subject=leave%20me&bcc=spy@far.example>", post=None))
        self.check(self.leave(place), 64, f"mail to {self.address}", "leave me", "--yes")
        self.assertEqual(place.opus("drafts", "--json").json["items"], [])
        self.check(self.leave(place, "--yes"), 0, "Sent")
        mail, = self.wait_for_mail()
        self.assertEqual((mail["Subject"], mail["From"]), ("leave me", ANA))
        self.assertEqual(len(box.held("Sent")), 1)

    def test_the_text_of_the_mail_is_shown_and_a_long_one_is_replaced(self):
        short, long = "leave%20list%2042", "I%20agree%20to%20pay.%0D%0APlease%20call%20me."
        for number, (body, shown, sent) in enumerate((
                (short, "text: leave list 42", "leave list 42\n"), (long, "text: unsubscribe", "unsubscribe\n"))):
            with self.subTest(shown):
                address = f"{number}-{self.address}"
                box, place = self.sending(self.listed(f"<mailto:{address}?body={body}>", post=None), name=f"n{number}")
                done = self.check(self.leave(place, "--yes"), 0, shown, "Sent", "far.example is neither the list's")
                self.assertNotIn("agree", done.text)
                mail, = self.wait_for_mail(address=address)
                self.assertEqual(text_of(parsed(mail.as_bytes())), sent)

    def test_a_target_of_the_sender_or_the_list_needs_no_remark(self):
        for number, fields in enumerate(({"List_Id": "News <news.lists.far.example>"}, {})):
            message = self.listed("<mailto:out@lists.far.example>", post=None, **fields)
            _, place = self.prepare(message, name=f"n{number}")
            done = self.leave(place)
            self.assertEqual("neither the list's" in done.text, not fields, str(done))


class ThroughAProgram(Writing, Case):
    """`sendmail:`: a program of this machine sends, and no shell reads its words."""

    kind = "maildir"

    def program(self, code=0):
        """A workspace whose program keeps what it gets, and ends with a code."""
        box = self.new_box()
        for mailbox in ("Drafts", "Sent"):
            box.create(mailbox)
        place = self.new_place(box, None, NO_HOLD, name=f"code-{code}",
                               extra="    sendmail: [./keep, '--account', 'a b; exit 3']\n")
        path = place.root / "keep"
        path.write_text(f"#!/bin/sh\ncd '{place.root}'\nprintf '%s\\n' \"$@\" > words\ncat > message\n"
                        f"[ {code} = 0 ] || echo 'no such user' >&2\nexit {code}\n")
        path.chmod(0o755)
        self.check(place.opus("sync"))
        return box, place

    def send(self, place):
        return place.opus("compose", "--to", "bob@far.example", "--bcc", "eve@far.example", "--subject", "One", "--body",
                          self.write(place, "text", "Text.\n"), "--send", "--yes")

    def test_the_program_gets_the_message_and_its_recipients(self):
        box, place = self.program()
        self.check(self.send(place), 0, "Sent")
        self.assertEqual((place.root / "words").read_text().splitlines(),
                         ["--account", "a b; exit 3", "-i", "-f", "ana@acme.example", "--", "bob@far.example",
                          "eve@far.example"])
        raw = (place.root / "message").read_bytes()
        self.assertNotIn(b"\r", raw)
        mail = parsed(raw)
        self.assertEqual((mail["Subject"], mail["Bcc"], text_of(mail)), ("One", None, "Text.\n"))
        self.assertEqual(box.subjects("Sent"), ["One"])
        self.assertEqual(list((place.root / ".opus").glob("stream-*")), [])

    def test_a_refusal_of_the_program_is_reported_and_a_temporary_failure_waits(self):
        for code, status, state in ((67, 69, "failed"), (75, 75, "queued")):
            with self.subTest(code):
                box, place = self.program(code)
                self.check(self.send(place), status, "no such user")
                line, = place.opus("outbox", "--json").json["items"]
                self.assertEqual(line["state"], state)
                self.assertEqual(box.held("Sent"), [])

    def test_a_failed_mail_leaves_the_outbox_when_its_draft_is_changed_sent_or_discarded(self):
        box, place = self.program(67)
        (place.root / "message").unlink(missing_ok=True)
        failing, working = (place.root / "keep").read_text(), (place.root / "keep").read_text().replace("exit 67", "exit 0")
        for number, change in enumerate(("edit", "send", "discard"), 1):
            with self.subTest(change):
                (place.root / "keep").write_text(failing)
                self.check(self.send(place), 69)
                (place.root / "message").unlink()
                line, = place.opus("outbox", "--json").json["items"]
                (place.root / "keep").write_text(working)
                if change == "edit":
                    self.check(self.edit(place, line["id"], ("Subject: One", "Subject: Two")))
                elif change == "send":
                    self.check(place.opus("send", line["id"], "--yes"), 0, "Sent")
                    (place.root / "message").unlink()
                else:
                    self.check(place.opus("drafts", "discard", line["id"], "--yes"))
                self.assertEqual(place.opus("outbox", "--json").json["items"], [])
                self.check(place.opus("status"), 0, "nothing is waiting")
                self.check(place.opus("outbox", "retry", line["id"]), 1, "was sent" if change == "send" else "not in the outbox")
                # The bytes of the failed mail are not sent beside the changed draft.
                self.assertFalse((place.root / "message").exists())
                if change == "edit":
                    self.check(place.opus("send", line["id"], "--yes"), 0, "Sent")
                    self.assertEqual(parsed((place.root / "message").read_bytes())["Subject"], "Two")
        self.assertEqual(sorted(box.subjects("Sent")), ["One", "Two"])


class WithoutALogin(Writing, Case):
    """A mail program of this machine that offers no login."""

    kind = "maildir"

    def serve(self, listener, taken, offer, recipient):
        with listener, listener.accept()[0] as client, client.makefile("rb") as lines:
            client.sendall(b"220 here\r\n")
            for line in lines:
                word = line.split()[0].upper()
                taken.append(line)
                if word == b"DATA":
                    client.sendall(b"354 go on\r\n")
                    for line in lines:
                        if line == b".\r\n":
                            break
                        taken.append(line)
                client.sendall({b"EHLO": b"250-here\r\n250 " + offer, b"RCPT": recipient}.get(word, b"250 ok") + b"\r\n")
                if word == b"QUIT":
                    return

    def listening(self, offer=b"8BITMIME", recipient=b"250 ok"):
        """A server for one mail: its port, what it takes, and its thread."""
        listener, taken = socket.create_server(("127.0.0.1", 0)), []
        thread = threading.Thread(target=self.serve, args=(listener, taken, offer, recipient), daemon=True)
        thread.start()
        return listener.getsockname()[1], taken, thread

    def test_mail_leaves_without_a_login(self):
        for login in ("    login: { user: ana, password-command: [cat, password] }\n", ""):
            with self.subTest(login):
                port, taken, thread = self.listening()
                box = self.new_box()
                place = self.new_place(box, None, NO_HOLD, name=f"login-{bool(login)}", extra=(
                    f"    smtp: {{ host: 127.0.0.1, port: {port}, security: none }}\n{login}"))
                (place.root / "password").write_text("secret\n")
                self.check(place.opus("sync"))
                self.check(place.opus("compose", "--to", "bob@far.example", "--subject", "One", "--body",
                                      self.write(place, "text", "Text.\n"), "--send", "--yes"), 0, "Sent")
                thread.join(10)
                self.assertIn(b"Subject: One\r\n", taken)

    def test_a_mail_that_was_sent_at_the_second_try_shows_no_refusal(self):
        refusing, _, first = self.listening(recipient=b"550 no such user")
        port, taken, second = self.listening()
        _, place = self.prepare(extra=f"    smtp: {{ host: 127.0.0.1, port: {refusing}, security: none }}\n")
        self.check(place.opus("compose", "--to", "bob@far.example", "--subject", "One", "--body",
                              self.write(place, "text", "Text.\n"), "--send", "--yes"), 69, "550 no such user")
        line, = place.opus("outbox", "--json").json["items"]
        file = place.root / "opus.yaml"
        file.write_text(file.read_text().replace(f"port: {refusing}", f"port: {port}"))
        done = self.check(place.opus("outbox", "retry", line["id"]), 0, "Sent")
        self.assertNotIn("550", done.text)
        first.join(10), second.join(10)
        self.assertIn(b"Subject: One\r\n", taken)

    def send_draft(self, name, body, offer=b"SIZE", answers=True):
        """Another program saves a draft with this body, and opus sends it to a server with this offer."""
        port, taken, thread = self.listening(offer)
        box, place = self.prepare(name=name, extra=f"    smtp: {{ host: 127.0.0.1, port: {port}, security: none }}\n")
        draft = self.check(place.opus("compose", "--to", "bob@far.example", "--subject", "One", "--body",
                                      self.write(place, "text", "First.\n"))).out.strip()
        held, = box.held("Drafts")
        head = box.body("Drafts", held.message_id).replace(b"\r\n", b"\n").partition(b"\n\n")[0]
        fields = [line for line in head.split(b"\n") if not line.lower().startswith((b"content-", b"mime-", b" charset"))]
        box.remove("Drafts", held.message_id)
        box.add("Drafts", b"\n".join(fields) + b"\nMIME-Version: 1.0\n" + body, (r"\Draft", r"\Seen"))
        done = place.opus("send", draft, "--yes")
        thread.join(10 if answers else 0)
        return done, box, taken

    def test_an_8_bit_draft_of_another_program_is_sent_to_a_server_without_8bitmime(self):
        eight = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nDas Café ist schön.\n".encode()
        for offer in (b"SIZE", b"8BITMIME"):
            with self.subTest(offer):
                done, box, taken = self.send_draft(offer.decode(), eight, offer)
                self.check(done, 0, "Sent")
                mail = parsed(b"".join(taken[taken.index(b"DATA\r\n") + 1:-1]))
                self.assertEqual((text_of(mail), str(mail["Subject"])), ("Das Café ist schön.\n", "One"))
                self.assertEqual(mail["Content-Transfer-Encoding"], "8bit" if offer == b"8BITMIME" else "quoted-printable")
                self.assertEqual(all(byte < 128 for line in taken for byte in line), offer != b"8BITMIME")
                # The copy has the bytes of the draft.
                sent, = box.held("Sent")
                self.assertIn("schön".encode(), box.body("Sent", sent.message_id))

    def test_a_signed_8_bit_draft_is_not_changed_and_not_sent(self):
        signed = ("Content-Type: multipart/signed; micalg=pgp-sha256; protocol=\"application/pgp-signature\"; boundary=b\n\n"
                  "--b\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nschön\n--b\n"
                  "Content-Type: application/pgp-signature\n\nx\n--b--\n").encode()
        done, box, taken = self.send_draft("signed", signed)
        self.check(done, 69, "8-bit text, which the server does not accept")
        self.assertNotIn(b"DATA\r\n", taken)
        self.assertEqual(box.held("Sent"), [])

    def test_long_lines_in_a_draft_of_another_program_are_encoded(self):
        long = "word " * 300
        body = ("Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\n" + long + "end\n--b\n"
                "Content-Type: application/x-data\n\na" + 1000 * "b" + "\n--b--\n").encode()
        done, box, taken = self.send_draft("long", body, b"8BITMIME")
        self.check(done, 0, "Sent")
        self.assertLessEqual(max(map(len, taken)), 1000)
        text, data = parsed(b"".join(taken[taken.index(b"DATA\r\n") + 1:-1])).iter_parts()
        self.assertEqual((text_of(text).rstrip("\n"), text["Content-Transfer-Encoding"]), (long + "end", "quoted-printable"))
        self.assertEqual((data.get_payload(decode=True), data["Content-Transfer-Encoding"]), (b"a" + 1000 * b"b", "base64"))

    def test_a_signed_draft_with_long_lines_is_refused_before_it_is_queued(self):
        signed = ("Content-Type: multipart/signed; micalg=pgp-sha256; protocol=\"application/pgp-signature\"; boundary=b\n\n"
                  "--b\nContent-Type: text/plain\n\n" + "word " * 300 + "\n--b\n"
                  "Content-Type: application/pgp-signature\n\nx\n--b--\n").encode()
        done, box, taken = self.send_draft("signed-long", signed, b"8BITMIME", answers=False)
        self.check(done, 65, "save it again with the program that signed or encrypted it")
        self.assertEqual((taken, box.held("Sent")), ([], []))
        self.assertEqual(len(box.held("Drafts")), 1)

    def test_an_attached_message_with_8_bit_fields_is_sent_to_a_server_without_8bitmime(self):
        original = "From: Bo <bo@far.example>\r\nSubject: Grüße\r\n\r\nschön\r\n".encode()
        for offer in (b"SIZE", b"8BITMIME"):
            with self.subTest(offer):
                port, taken, thread = self.listening(offer)
                _, place = self.prepare(name="eml-" + offer.decode(),
                                        extra=f"    smtp: {{ host: 127.0.0.1, port: {port}, security: none }}\n")
                (place.root / "old.eml").write_bytes(original)
                self.check(place.opus("compose", "--to", "bob@far.example", "--subject", "One", "--body", "/dev/null",
                                      "--attach", "old.eml", "--send", "--yes"), 0, "Sent")
                thread.join(10)
                mail = parsed(b"".join(taken[taken.index(b"DATA\r\n") + 1:-1]))
                file, = mail.iter_attachments()
                self.assertEqual(file.get_filename(), "old.eml")
                if offer == b"SIZE":
                    self.assertTrue(all(byte < 128 for line in taken for byte in line))
                    self.assertEqual((file.get_content_type(), file.get_payload(decode=True)), ("application/octet-stream", original))
                else:
                    self.assertEqual(file.get_content_type(), "message/rfc822")

    def test_an_address_for_answers_may_have_a_long_name(self):
        long = f"reply+{'A' * 74}@reply.example"
        port, taken, thread = self.listening()
        _, place = self.prepare(letter("Issue 1", "issue", headers={"Reply-To": long}),
                                extra=f"    smtp: {{ host: 127.0.0.1, port: {port}, security: none }}\n")
        self.check(place.opus("reply", self.id_of(place), "--body", self.write(place, "text", "Yes.\n"), "--send", "--yes"), 0, "Sent")
        thread.join(10)
        self.assertIn(f"RCPT TO:<{long}>\r\n".encode(), taken)
        self.check(place.opus("compose", "--to", f"Bot <{long}>", "--subject", "One", "--body", "text"))
        self.check(place.opus("compose", "--to", f"{'a' * 250}@x.example", "--subject", "One", "--body", "text"), 65,
                   "an address has at most 254 characters")


class Unfetched(Writing, Case):
    """A message of which only the beginning is here."""

    def test_the_original_is_fetched_and_offline_it_says_so(self):
        long = "".join(f"Line {number} of a long text.\n" for number in range(60_000)) + "The end.\n"
        box, place = self.prepare(letter("Long", body=long))
        shown = place.opus("show", self.id_of(place), "--json").json
        if not shown["truncated"]:
            self.skipTest("the store has all of it")
        good = (place.root / "opus.yaml").read_text()
        (place.root / "opus.yaml").write_text(good.replace(f"port: {box.servers.imaps_port}", "port: 1"))
        words = ("reply", self.id_of(place), "--body", "/dev/null")
        self.check(place.opus(*words), 69, "cannot be fetched now", "--no-quote")
        self.assertEqual(place.opus("drafts", "--json").json["items"], [])
        self.check(place.opus(*words, "--no-quote"), 0, "Not in the Drafts mailbox yet")
        (place.root / "opus.yaml").write_text(good)
        self.check(place.opus(*words))


if __name__ == "__main__":
    unittest.main()
