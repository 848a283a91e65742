"""`save-attachment`: opus writes files of mails below one folder, once, complete, never over a file, and can undo it."""
import base64
import os
import re
import unittest

from letters import letter, with_parts
from workplace import Case, on_both

RULES = """\
rules-version: 1
rules:
  - id: invoices
    when: subject:invoice
    then: [{ save-attachment: { to: Invoices/2026, name: '*.pdf' } }, archive]
  - { id: all, when: 'subject:everything', then: [save-attachment, { mark: read }] }
"""
PDF = b"%PDF-1.4 the first\n"


def file(name, content, kind="application/octet-stream", more=""):
    head = (f"Content-Type: {kind}\nContent-Transfer-Encoding: base64\n"
            f"Content-Disposition: attachment; filename=\"{name}\"{more}")
    return head, base64.encodebytes(content).decode()


def parcel(subject, *files, name=None):
    text = ("Content-Type: text/plain", "See the files.")
    return with_parts(subject, [text, *(file(*one) for one in files)], name)


@on_both
class Attachments:
    def prepare(self, *letters, rules=RULES, **options):
        box = self.new_box()
        box.add("INBOX", list(letters))
        place = self.new_place(box, rules, **options)
        self.check(place.opus("sync"))
        return box, place

    def saved(self, place, folder="attachments"):
        """{path: bytes} of everything below the attachments folder."""
        root = place.root / folder
        return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}

    def test_files_are_shown_saved_and_removed_by_undo(self):
        box, place = self.prepare(
            parcel("Invoice 1", ("a.pdf", PDF), ("notes.txt", b"no")), parcel("Everything", ("b.bin", bytes(range(256)) * 999)),
            letter("Nothing here"))
        plan = self.check(place.opus("triage", "--dry-run", "--json"))
        actions = [decision["action"] for item in plan.json["plan"]["items"] for decision in item["decisions"]]
        saving = {one["saving"]["folder"]: one["saving"]["files"] for one in actions if one["type"] == "save-attachment"}
        self.assertEqual([(file["name"], file["size"]) for file in saving["Invoices/2026"]], [("a.pdf", len(PDF))])
        self.assertEqual([(file["name"], file["size"]) for file in saving[""]], [("b.bin", 255744)])
        self.assertEqual(self.saved(place), {}, "a dry run writes nothing")
        self.check(place.opus("run", "--yes"), 0)
        expected = {"Invoices/2026/a.pdf": PDF, "b.bin": bytes(range(256)) * 999}
        self.assertEqual(self.saved(place), expected)
        self.assertPlaces(box, {"invoice-1": "Archive", "everything": "INBOX"})
        self.assertEqual(os.stat(place.root / "attachments" / "b.bin").st_mode & 0o777, 0o600)
        self.assertNothingMore(place, box)
        self.check(place.opus("undo", "--yes"), 0)
        self.assertEqual(self.saved(place), {})
        self.assertPlaces(box, {"invoice-1": "INBOX", "everything": "INBOX"})
        self.assertNothingMore(place, box)

    def test_a_name_is_never_a_path_and_never_replaces_a_file(self):
        box, place = self.prepare(
            parcel("Invoice 1", ("../../../opus.yaml", b"one"), ("a.pdf", b"new")),
            rules=RULES.replace("name: '*.pdf'", "name: '*'"))
        folder = place.root / "attachments" / "Invoices" / "2026"
        folder.mkdir(parents=True)
        (folder / "a.pdf").write_bytes(b"mine")
        (folder / "a (2).pdf").mkdir()
        settings = (place.root / "opus.yaml").read_bytes()
        self.check(place.opus("run", "--yes"), 0)
        self.assertEqual((place.root / "opus.yaml").read_bytes(), settings)
        self.assertEqual(self.saved(place), {
            "Invoices/2026/opus.yaml": b"one", "Invoices/2026/a.pdf": b"mine", "Invoices/2026/a (3).pdf": b"new"})

    def test_the_same_bytes_are_not_saved_twice_and_undo_keeps_the_older_file(self):
        box, place = self.prepare(parcel("Invoice 1", ("a.pdf", PDF)))
        folder = place.root / "attachments" / "Invoices" / "2026"
        folder.mkdir(parents=True)
        (folder / "a.pdf").write_bytes(PDF)
        self.check(place.opus("run", "--yes"), 0)
        self.assertEqual(self.saved(place), {"Invoices/2026/a.pdf": PDF})
        self.check(place.opus("undo", "--yes"), 0)
        self.assertEqual(self.saved(place), {"Invoices/2026/a.pdf": PDF})

    def share(self, first, second):
        """Two mails have the same file, and are undone one after the other."""
        _, place = self.prepare(parcel("Invoice 1", ("a.pdf", PDF)), parcel("Invoice 2", ("a.pdf", PDF)))
        self.check(place.opus("run", "--yes"), 0)
        self.assertEqual(self.saved(place), {"Invoices/2026/a.pdf": PDF})
        ids = {item["subject"]: item["id"] for item in place.opus("search", "invoice", "--json").json["items"]}
        first_undo = self.check(
            place.opus("undo", "--yes", "r:0001", ids[first]), 0, "a.pdf stays: another mail has the same file")
        self.assertIn("1 × saved file kept for another mail", first_undo.out)
        self.assertNotIn("saved file removed", first_undo.out)
        self.assertEqual(self.saved(place), {"Invoices/2026/a.pdf": PDF})
        self.check(place.opus("undo", "--yes", "r:0001", ids[second]), 0, "1 × saved file removed")
        self.assertEqual(self.saved(place), {})

    def test_the_last_undo_removes_a_file_that_mails_share(self):
        self.share("Invoice 1", "Invoice 2")

    def test_the_last_undo_removes_the_file_in_either_order(self):
        self.share("Invoice 2", "Invoice 1")

    def test_one_undo_of_both_mails_removes_their_file(self):
        _, place = self.prepare(parcel("Invoice 1", ("a.pdf", PDF)), parcel("Invoice 2", ("a.pdf", PDF)))
        self.check(place.opus("run", "--yes"), 0)
        self.check(place.opus("undo", "--yes"), 0)
        self.assertEqual(self.saved(place), {})

    def test_the_file_of_a_later_run_outlives_the_undo_of_the_first(self):
        box, place = self.prepare(parcel("Invoice 1", ("a.pdf", PDF)))
        self.check(place.opus("run", "--yes"), 0)
        box.add("INBOX", parcel("Invoice 2", ("a.pdf", PDF)))
        self.check(place.opus("run", "--yes"), 0)
        self.check(place.opus("undo", "--yes", "r:0001"), 0)
        self.assertEqual(self.saved(place), {"Invoices/2026/a.pdf": PDF})
        self.check(place.opus("undo", "--yes", "r:0002"), 0)
        self.assertEqual(self.saved(place), {})

    def test_a_changed_file_stays_and_is_reported(self):
        box, place = self.prepare(parcel("Invoice 1", ("a.pdf", PDF)))
        self.check(place.opus("run", "--yes"))
        path = place.root / "attachments" / "Invoices" / "2026" / "a.pdf"
        path.write_bytes(b"annotated")
        self.check(place.opus("undo", "--yes"), 1, "Invoices/2026/a.pdf was changed since")
        self.assertEqual(path.read_bytes(), b"annotated")
        self.assertPlaces(box, {"invoice-1": "INBOX"})

    def test_nothing_is_written_through_a_link(self):
        box, place = self.prepare(parcel("Invoice 1", ("a.pdf", PDF)))
        outside = self.folder / "outside"
        outside.mkdir()
        (place.root / "attachments").mkdir()
        (place.root / "attachments" / "Invoices").symlink_to(outside)
        self.check(place.opus("run", "--yes"), 1, "attachments/Invoices", "link")
        self.assertEqual(list(outside.iterdir()), [])
        self.assertPlaces(box, {"invoice-1": "INBOX"})
        # When it is a folder, the next run goes on.
        (place.root / "attachments" / "Invoices").unlink()
        self.check(place.opus("run", "--yes"))
        self.assertEqual(self.saved(place), {"Invoices/2026/a.pdf": PDF})
        self.assertPlaces(box, {"invoice-1": "Archive"})

    def test_a_mail_without_such_a_file_stays_with_a_warning(self):
        box, place = self.prepare(parcel("Invoice 1", ("a.txt", b"x")), letter("Invoice 2"))
        done = self.check(place.opus("run", "--yes"))
        self.assertEqual(self.saved(place), {})
        self.assertPlaces(box, {"invoice-1": "INBOX", "invoice-2": "INBOX"})
        plan = place.opus("triage", "--dry-run").text
        self.assertIn("the message has no such file", plan, str(done))
        self.assertIn("the message has none", plan, str(done))

    def test_the_settings_name_the_folder(self):
        box, place = self.prepare(parcel("Everything", ("a.pdf", PDF)), settings="attachments: { path: ../files }\n")
        self.check(place.opus("run", "--yes"))
        self.assertEqual(self.saved(place, "../files"), {"a.pdf": PDF})

    def test_a_plan_edited_by_hand_cannot_save_elsewhere(self):
        box, place = self.prepare(parcel("Everything", ("a.pdf", PDF)))
        self.check(place.opus("triage", "--out", "plan"))
        text = (place.root / "plan").read_text().replace(" : ", ":")
        text, taken = re.subn(r'"id":"p:[0-9a-f]+",', "", text)
        self.assertEqual(taken, 1, "with its id an edited plan is refused")
        for old, new in (('"folder":""', '"folder":"../.."'), ('"name":"a.pdf"', '"name":"../evil"')):
            self.assertIn(old, text)
            (place.root / "plan").write_text(text.replace(old, new))
            self.check(place.opus("apply", "plan"), 1, "cannot be a f")
        self.assertEqual([path for path in self.folder.rglob("*") if path.name == "evil"], [])
        self.assertEqual(self.saved(place), {})


class LongMessages(Case):
    def test_files_of_a_partly_fetched_message_are_saved(self):
        content = os.urandom(3 << 20)
        box = self.new_box()
        box.add("INBOX", parcel("Everything", ("big.bin", content), ("a.pdf", PDF)))
        place = self.new_place(box, RULES)
        self.check(place.opus("run", "--yes"))
        root = place.root / "attachments"
        self.assertEqual({path.name: path.read_bytes() == content for path in root.iterdir()},
                         {"big.bin": True, "a.pdf": False})


if __name__ == "__main__":
    unittest.main()
