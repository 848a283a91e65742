"""`opus store`: verify, compact, rebuild and export; and readers that wait for no writer.

OPUS_STORE_KILLS says how many steps of a rebuild are tried, spread over all (6).
"""
import contextlib
import mailbox
import os
import shutil
import sqlite3
import subprocess
import time
import unittest

import shim
import test_old_stores
from boxes import MaildirBox
from figures import note
from letters import letter
from workplace import Case, Workplace, on_both

POINTS = int(os.environ.get("OPUS_STORE_KILLS", "6"))
RULES = """\
rules-version: 1
rules:
  - { id: pay, when: 'subject:pay', then: [{ task: { title: '{{subject}}', list: next } }, { label: money }] }
  - { id: star, when: 'subject:star', then: [flag] }
  - { id: away, when: 'subject:away', then: [archive] }
"""
MAIL = [letter(f"{kind} {n}", minutes=10 * n + at, body=f"Grüße {n}\n\nFrom here on it counts.\n>From there too.\n")
        for n in range(3) for at, kind in enumerate(("Pay", "Star", "Away", "Stay", "Later", "Lost"))]


def store(place):
    return place.root / ".opus" / "store.sqlite"


def settle(place):
    """The file alone holds everything."""
    db = sqlite3.connect(store(place))
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()


def rows(place, sql):
    with sqlite3.connect(f"file:{store(place)}?mode=ro", uri=True) as db:
        return db.execute(sql).fetchall()


@on_both
class Stores:
    def lived(self):
        """A workspace that has something of everything that only the store knows."""
        box = self.new_box()
        box.add("INBOX", MAIL)
        place = self.new_place(box, RULES, "brakes: { share: 100 }\n")
        self.check(place.opus("run", "--yes"), 0)
        ids = {item["subject"]: item["id"] for item in place.opus("list", "--all", "--json").json["items"]}
        self.check(place.opus("defer", ids["Later 1"], "friday"))
        self.check(place.opus("flag", ids["Stay 2"]))
        self.check(place.opus("undo", "--yes"))
        text = self.folder / "text"
        text.write_text("Not yet.\n")
        self.check(place.opus("compose", "--to", "bob@acme.example", "--subject", "A draft", "--body", text))
        return box, place, ids

    def known(self, place):
        """What a person sees of the store."""
        listed = place.opus("list", "--all", "--json").json["items"]
        return {
            "mail": sorted((item["id"], item["subject"], item["mailbox"], item["flags"], item["keywords"],
                            item.get("deferredUntil")) for item in listed),
            "runs": place.opus("runs", "--json").json["items"],
            "drafts": place.opus("drafts", "--json").json["items"],
            "deferred": place.opus("defer", "--list", "--json").json["items"],
            "tasks": place.opus("task", "list", "--json").json["items"],
            "found": sorted(item["id"] for item in place.opus("search", "grüße", "--json").json["items"]),
        }

    def test_a_rebuild_keeps_everything_that_only_the_store_has(self):
        box, place, ids = self.lived()
        box.remove("INBOX", "<lost-1@test.example>")
        self.check(place.opus("sync"))
        before = self.known(place)
        remembered = rows(place, "SELECT rule, count(*) FROM remembered GROUP BY 1")
        steps = rows(place, "SELECT id, run, message, state FROM step")
        done = self.check(place.opus("store", "rebuild", "--json"))
        self.assertEqual(done.json["kept"], 1)
        self.assertEqual(done.json["accounts"][0]["messages"], len(box.everything()) + len(box.lists()))
        self.assertEqual(self.known(place), before)
        self.assertEqual(rows(place, "SELECT rule, count(*) FROM remembered GROUP BY 1"), remembered)
        self.assertEqual(rows(place, "SELECT id, run, message, state FROM step"), steps)
        self.assertFalse((place.root / ".opus" / "rebuild").exists())
        self.check(place.opus("store", "verify"), 0, "✓")
        self.assertNothingMore(place, box)
        # The memory still works: an earlier run is undone, and the next one has a number of its own.
        self.check(place.opus("undo", "r:0001", "--yes"), 0)
        self.assertEqual(sum(held.mailbox == "INBOX" for held in box.everything()), len(MAIL) - 2)
        self.check(place.opus("flag", ids["Stay 1"]))
        numbers = [run["id"] for run in place.opus("runs", "--json").json["items"]]
        self.assertEqual(len(numbers), len(set(numbers)))

    def test_threads_stay_as_the_user_split_and_joined_them(self):
        box = self.new_box()
        box.add("INBOX", [
            letter("Plan", "plan"), letter("Re: Plan", "re-plan", minutes=1, headers={"References": "<plan@test.example>"}),
            letter("Other", "other", minutes=2), letter("Far", "far", minutes=3)])
        place = self.new_place(box)
        self.check(place.opus("sync"))
        ids = {item["subject"]: item["id"] for item in place.opus("list", "--json").json["items"]}
        self.check(place.opus("thread", "split", ids["Re: Plan"]))
        self.check(place.opus("thread", "join", ids["Other"], ids["Far"]))

        def threads():
            return [item["messages"] for item in place.opus("threads", "--all", "--json").json["items"]]

        before = threads()
        self.assertEqual(before, [[ids["Other"], ids["Far"]], [ids["Re: Plan"]], [ids["Plan"]]])
        self.check(place.opus("store", "rebuild"))
        self.assertEqual(threads(), before)
        self.check(place.opus("sync"))
        self.assertEqual(threads(), before)

    def test_an_export_can_be_read_by_other_programs(self):
        box, place, ids = self.lived()
        whole = {held.message_id: box.body(held.mailbox, held.message_id) for held in box.everything()
                 if "test.example" in held.message_id}
        maildir, mbox = self.folder / "leaving", self.folder / "leaving2"
        told = self.check(place.opus("store", "export", maildir, "--json")).json
        self.assertEqual((told["messages"], told["missing"]), (len(box.everything()) + len(box.lists()), 0))
        self.check(place.opus("store", "export", mbox, "--format", "mbox"), 0, "task files")
        for read, labels in ((mailbox.Maildir(maildir / "work", create=False), None),
                             (mailbox.mbox(mbox / "work" / "INBOX.mbox"), "X-Keywords")):
            found = {message["Message-ID"]: message for message in read}
            self.assertIn("<pay-1@test.example>", found)
            self.assertIn("F", found["<star-1@test.example>"].get_flags())
            self.assertIn("From here on", found["<pay-1@test.example>"].get_payload(decode=True).decode())
            if labels:
                self.assertEqual(found["<pay-1@test.example>"][labels], "money")
        exported = mailbox.Maildir(maildir / "work", create=False)
        self.assertIn("Archive", exported.list_folders())
        for message in exported:
            name = message["Message-ID"]
            if name in whole:
                self.assertEqual(message.get_payload(decode=True).strip(),
                                 whole[name].replace(b"\r\n", b"\n").partition(b"\n\n")[2].strip()
                                 if b"\n\n" in whole[name].replace(b"\r\n", b"\n") else whole[name].strip())
        self.assertEqual(len(list((maildir / "tasks").rglob("*.ics"))), 3)
        # opus reads it again, labels too.
        other = self.new_place(MaildirBox(self.folder / "unused"), name="other")
        other.configure(f"  - {{ name: work, address: ana@acme.example, maildir: {maildir / 'work'} }}\n")
        self.check(other.opus("sync"))
        self.assertEqual(len(other.opus("list", "label:money", "--json").json["items"]), 3)
        # Nothing is ever overwritten.
        self.check(place.opus("store", "export", maildir), 73, "already exists")
        self.check(place.opus("store", "export", ""), 64, "Name the new folder")
        self.check(place.opus("store", "export", f"{maildir}//"), 73, "already exists")

    def test_an_export_to_a_maildir_leaves_out_labels_that_it_cannot_hold(self):
        box = self.new_box()
        if box.kind == "maildir":
            self.skipTest("it has no more than 26 labels itself")
        for number in range(30):
            box.add("INBOX", letter(f"Mail {number}", f"mail{number}", minutes=number), flags=[f"label{number:02}"])
        place = self.new_place(box)
        self.check(place.opus("sync"))
        done = self.check(place.opus("store", "export", self.folder / "out", "--json"), 1).json
        self.assertEqual([(item["messages"], item["labelsLeftOut"]) for item in done["items"]], [(30, 4)])
        self.assertEqual(len(mailbox.Maildir(self.folder / "out" / "work", create=False)), 30)
        self.check(place.opus("store", "export", self.folder / "again"), 1, "INBOX: 4 labels", "--format mbox keeps all")
        self.check(place.opus("store", "export", self.folder / "box", "--format", "mbox"))

    def test_an_export_has_the_time_when_each_message_arrived(self):
        box = self.new_box()
        box.add("INBOX", letter("Lunch"), received=1_771_000_000)
        place = self.new_place(box)
        self.check(place.opus("sync"))
        self.check(place.opus("store", "export", self.folder / "one"))
        one, = (path for path in (self.folder / "one" / "work").rglob("*.opus*"))
        self.assertEqual(int(one.stat().st_mtime), 1_771_000_000)
        self.check(place.opus("store", "export", self.folder / "two", "--format", "mbox"))
        self.assertTrue((self.folder / "two" / "work" / "INBOX.mbox").read_text().startswith(
            "From opus@localhost Fri Feb 13 16:26:40 2026\n"))

    def test_a_message_with_the_separator_of_another_mbox_is_one_message_in_an_export(self):
        box = self.new_box()
        box.add("INBOX", b"From bob@x.example Tue Mar 10 07:30:00 2026\r\n" + letter("Lunch", body="From here on.\n"))
        place = self.new_place(box)
        self.check(place.opus("sync"))
        self.check(place.opus("store", "export", self.folder / "one", "--format", "mbox"))
        message, = mailbox.mbox(self.folder / "one" / "work" / "INBOX.mbox")
        self.assertEqual((message["Subject"], message.get_payload()), ("Lunch", ">From here on.\n"))

    def test_mail_of_a_mailbox_that_was_deleted_is_exported_from_the_store(self):
        box = self.new_box()
        box.add("INBOX", letter("Lunch"))
        coded = letter("Figures", body="R3LDvMOfZQo=\n", headers={"Content-Transfer-Encoding": "base64", "X-Own": "kept"})
        box.add("Work", coded)
        box.add("Zoo", letter("Animals"))
        place = self.new_place(box)
        self.check(place.opus("sync"))
        box.drop("Work")
        self.check(place.opus("store", "export", self.folder / "out"), 1, "Wrote 3 messages", "did not return 1 of 1")
        found, = mailbox.Maildir(self.folder / "out" / "work" / ".Work", create=False)
        self.assertEqual((found["Subject"], found["X-Own"]), ("Figures", "kept"))
        # The text in the store is decoded, so the header must not say that it is base64.
        self.assertEqual(found.get_payload(decode=True).decode(), "Grüße\n")

    def test_an_account_with_the_name_of_the_folder_of_tasks_is_exported_too(self):
        box = self.new_box()
        box.add("INBOX", letter("Lunch"))
        place = Workplace(self.folder / "workspace", box.yaml(name="tasks"))
        self.check(place.opus("task", "add", "Call Bob"))
        self.check(place.opus("sync"))
        self.check(place.opus("store", "export", self.folder / "out"), 0, "Wrote 1 message and 1 task file")
        self.assertEqual(len(list((self.folder / "out" / "tasks").rglob("*.ics"))), 1)
        self.assertEqual(len(mailbox.Maildir(self.folder / "out" / "tasks-2", create=False)), 1)

    def test_an_export_that_was_killed_does_not_look_complete(self):
        _, place, _ = self.lived()
        target = self.folder / "leaving"
        unfinished = self.folder / "leaving.unfinished"
        for turn in range(30):
            process = subprocess.Popen(place.command("store", "export", target), env=place.environment(), cwd=place.root,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            end = time.monotonic() + 60
            while not unfinished.exists() and process.poll() is None and time.monotonic() < end:
                pass
            process.kill()
            process.wait()
            if unfinished.exists():
                break
            shutil.rmtree(target, ignore_errors=True)
        self.assertTrue(unfinished.exists())
        self.assertFalse(target.exists())
        self.check(place.opus("store", "export", target), 73, "did not finish", "leaving.unfinished")
        self.assertFalse(target.exists())
        shutil.rmtree(unfinished)
        self.check(place.opus("store", "export", f"{target}/"), 0, "Wrote")
        self.assertTrue((target / "work").is_dir() and not unfinished.exists())


class ExportsOfIMAP(Case):
    def test_other_mail_under_the_old_numbers_is_not_taken_for_the_mail_in_the_store(self):
        box = self.new_box()
        box.add("Work", [letter("Old one"), letter("Old two")])
        place = self.new_place(box)
        self.check(place.opus("sync"))
        box.drop("Work")
        time.sleep(1.1)  # Dovecot takes the time in seconds for the UIDVALIDITY
        box.add("Work", letter("New one"))
        self.check(place.opus("store", "export", self.folder / "out"), 1, "did not return 2 of 2")
        found = mailbox.Maildir(self.folder / "out" / "work" / ".Work", create=False)
        self.assertEqual(sorted(message["Subject"] for message in found), ["Old one", "Old two"])


class Readers(Case):
    kind = "maildir"

    def lay(self):
        box = self.new_box()
        box.add("INBOX", MAIL)
        place = self.new_place(box, RULES)
        self.check(place.opus("sync"))
        return box, place

    def answers(self, place, seconds=3):
        for words in (("list",), ("search", "pay"), ("status",), ("list", "--json"), ("next",), ("runs",),
                      ("mailbox", "list"), ("drafts",), ("outbox",), ("waiting",), ("triage", "--dry-run")):
            done = self.check(place.opus(*words))
            self.assertLess(done.seconds, seconds, str(done))
        self.assertEqual(len(place.opus("list", "--json").json["items"]), len(MAIL))

    def test_readers_do_not_wait_for_writers(self):
        _, place = self.lay()
        for begin in ("BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"):
            db = sqlite3.connect(store(place), isolation_level=None)
            db.execute(begin)
            self.answers(place)
            db.execute("UPDATE account SET name = name")
            self.answers(place)
            db.execute("ROLLBACK")
            db.close()

    def test_readers_answer_while_a_rebuild_writes(self):
        box, place = self.lay()
        box.add("INBOX", [letter(f"More {n}", minutes=200 + n) for n in range(1500)])
        self.check(place.opus("sync"))
        rebuild = place.start("store", "rebuild")
        answered = 0
        while rebuild.poll() is None:
            self.assertEqual(len(self.check(place.opus("list", "--json")).json["items"]), len(MAIL) + 1500)
            answered += 1
        self.assertEqual(rebuild.wait(), 0)
        self.assertGreater(answered, 0)
        # Another command that changes something is refused in words.
        self.check(place.opus("store", "verify"))


class Damage(Case):
    kind = "maildir"

    def test_verify_names_what_is_wrong_and_a_rebuild_puts_it_right(self):
        box = self.new_box()
        box.add("INBOX", MAIL)
        place = self.new_place(box, RULES)
        self.check(place.opus("run", "--yes"))
        breaks = (
            ("index-differs", "UPDATE message SET subject = 'Another' WHERE id = 3"),
            ("lost-message", "DELETE FROM placement WHERE message = (SELECT id FROM message WHERE subject = 'Stay 1')"),
            ("schema-differs", "DROP INDEX message_thread"),
            ("dangling-reference", "DELETE FROM mailbox WHERE id = 1"),
        )
        saved = self.folder / "saved.sqlite"
        settle(place)
        shutil.copy(store(place), saved)
        for code, sql in breaks:
            for suffix in ("-wal", "-shm"):
                store(place).with_name("store.sqlite" + suffix).unlink(missing_ok=True)
            shutil.copy(saved, store(place))
            with sqlite3.connect(store(place)) as db:
                db.execute(sql)
            db.close()
            done = self.check(place.opus("store", "verify", "--json"), 1)
            self.assertIn(code, [item["code"] for item in done.json["items"]], str(done))
            self.assertTrue(all(item["next"] for item in done.json["items"]))
            if code != "dangling-reference":
                self.check(place.opus("store", "rebuild"))
                self.check(place.opus("store", "verify"), 0, "✓")

    def test_a_damaged_record_of_a_task_file_is_read_again_from_its_file(self):
        box = self.new_box()
        box.add("INBOX", MAIL)
        place = self.new_place(box, "rules-version: 1\nname: d\nrules: [{ id: t, when: 'subject:stay', then: [{ task: '{{subject}}' }] }]\n")
        self.check(place.opus("run", "--yes"))
        files = place.task_files()
        self.damage(place, "UPDATE todo_file SET content = CAST(substr(content, 1, 40) || X'FFFFFFFF' AS BLOB)")
        self.assertEqual(len(self.check(place.opus("task", "list", "--json")).json["items"]), 3)
        self.check(place.opus("briefing"))
        self.check(place.opus("run", "--yes"))
        self.assertEqual(place.task_files(), files)
        self.damage(place, "UPDATE todo_file SET content = CAST(substr(content, 1, 40) || X'FFFFFFFF' AS BLOB)")
        self.check(place.opus("run", "--yes"))
        place.edit("Stay 1", ("STATUS:NEEDS-ACTION", "STATUS:COMPLETED"))
        self.check(place.opus("run", "--yes"), 0, "moved to Archive")

    def test_a_damaged_record_of_the_journal_is_named_with_a_way_out(self):
        box = self.new_box()
        box.add("INBOX", MAIL)
        place = self.new_place(box, RULES)
        self.check(place.opus("run", "--yes"))
        self.damage(place, "UPDATE step SET kind = substr(kind, 1, 12)")
        self.check(place.opus("runs", "show", "r:0001"), 74, "the mail store is damaged", "opus store rebuild")
        done = self.check(place.opus("store", "verify", "--json"), 1)
        self.assertIn("damaged-record", [item["code"] for item in done.json["items"]])
        # A rebuild does not copy it, and says what to do.
        self.check(place.opus("store", "rebuild"), 74, "of step cannot be read", "away, and run opus sync")

    def damage(self, place, sql):
        settle(place)
        with sqlite3.connect(store(place)) as db:
            db.execute(sql)
        db.close()

    def test_a_damaged_page_is_reported_with_the_way_out(self):
        box = self.new_box()
        box.add("INBOX", MAIL)
        place = self.new_place(box, RULES)
        self.check(place.opus("sync"))
        settle(place)
        with open(store(place), "r+b") as file:
            file.seek(0, 2)
            pages = file.tell() // 4096
            for page in range(8, pages, 7):
                file.seek(4096 * page)
                file.write(b"\xa5" * 4096)
        done = place.opus("store", "verify")
        # With code 74, the store cannot even be opened, and a rebuild could not open it either.
        self.assertIn(done.code, (1, 74), str(done))
        self.assertIn("opus store rebuild" if done.code == 1 else "away, and run opus sync", done.text)
        # What only the store has is damaged too: the rebuild says so, and touches nothing.
        before = store(place).read_bytes()
        self.check(place.opus("store", "rebuild"), 74, "damaged")
        self.assertEqual(store(place).read_bytes(), before)

    def test_a_store_that_cannot_be_opened_names_a_way_out_that_works(self):
        box = self.new_box()
        box.add("INBOX", MAIL)
        place = self.new_place(box, RULES)
        self.check(place.opus("sync"))
        settle(place)
        files = [store(place).with_name("store.sqlite" + suffix) for suffix in ("", "-wal", "-shm")]
        for file in files[1:]:
            file.unlink(missing_ok=True)
        store(place).write_bytes(b"\xa5" * 100_000)
        # A rebuild could not read it either, so no command sends the person there.
        for words in (["list"], ["sync"], ["store", "verify"], ["store", "rebuild"]):
            done = self.check(place.opus(*words), 74, "damaged", "away, and run opus sync")
            self.assertNotIn("opus store rebuild", done.text)
        for file in files:
            file.unlink(missing_ok=True)
        self.check(place.opus("sync"))
        self.check(place.opus("store", "verify"), 0, "✓")
        self.assertEqual(len(self.check(place.opus("list", "--json")).json["items"]), len(MAIL))

    def test_damaged_mail_is_read_again(self):
        box = self.new_box()
        box.add("INBOX", MAIL)
        place = self.new_place(box, RULES)
        self.check(place.opus("run", "--yes"))
        settle(place)
        with contextlib.closing(sqlite3.connect(store(place))) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            headers, = db.execute("SELECT headers FROM packed_content ORDER BY message LIMIT 1").fetchone()
        page = store(place).read_bytes().index(headers[:60]) // 4096
        with open(store(place), "r+b") as file:
            file.seek(4096 * page)
            file.write(b"\xa5" * 4096)
        done = self.check(place.opus("store", "verify", "--json"), 1)
        self.assertEqual({item["code"] for item in done.json["items"]}, {"damaged-file"})
        self.check(place.opus("store", "rebuild"))
        self.check(place.opus("store", "verify"), 0, "✓")
        self.assertNothingMore(place, box)

    def test_a_rebuild_does_not_take_the_space_twice(self):
        box = self.new_box()
        box.add("INBOX", [letter(f"Long {n}", minutes=n, body=f"word{n} " * 20_000) for n in range(40)])
        place = self.new_place(box)
        self.check(place.opus("sync"))
        done = self.check(place.opus("store", "rebuild", "--json")).json
        log = store(place).with_name("store.sqlite-wal")
        self.assertLess(log.stat().st_size if log.exists() else 0, 100_000)
        self.assertLess(done["after"], done["before"] * 1.3)

    def test_compacting_frees_disk_space(self):
        box = self.new_box()
        box.add("INBOX", MAIL + [letter(f"Long {n}", minutes=100 + n, body="word " * 20_000) for n in range(40)])
        place = self.new_place(box, RULES)
        self.check(place.opus("sync"))
        with sqlite3.connect(store(place)) as db:
            db.execute("CREATE TABLE filler AS SELECT zeroblob(100000) AS x FROM message")
            db.execute("DROP TABLE filler")
        db.close()
        done = self.check(place.opus("store", "compact", "--json")).json
        self.assertLess(done["after"], done["before"] * 0.7)
        self.check(place.opus("store", "verify"), 0, "✓")
        self.assertEqual(len(place.opus("search", "word", "--json").json["items"]), 40)


class Originals(Case):
    kind = "imap"

    def test_a_message_that_was_opened_once_can_be_read_offline(self):
        box = self.new_box()
        box.add("INBOX", MAIL)
        place = self.new_place(box)
        self.check(place.opus("sync"))
        ids = {item["subject"]: item["id"] for item in place.opus("list", "--json").json["items"]}
        first = self.check(place.opus("show", "--raw", ids["Pay 1"])).out
        kept = place.root / ".opus" / "originals" / ids["Pay 1"]
        self.assertEqual(kept.stat().st_mode & 0o777, 0o600)
        sizes = self.check(place.opus("status", "--json")).json["store"]
        self.assertEqual(sizes["originals"], kept.stat().st_size)
        self.assertGreaterEqual(sizes["bytes"], store(place).stat().st_size)
        self.check(place.opus("status"), 0, "store: ", f" kB, originals {kept.stat().st_size} bytes")
        place.configure(box.yaml(port=1))
        self.assertEqual(self.check(place.opus("show", "--raw", ids["Pay 1"])).out, first)
        self.check(place.opus("show", "--raw", ids["Pay 2"]), 69)
        # A damaged file counts as missing.
        kept.write_bytes(kept.read_bytes()[:-3] + b"XXX")
        self.check(place.opus("show", "--raw", ids["Pay 1"]), 69)
        place.configure(box.yaml())
        self.assertEqual(self.check(place.opus("show", "--raw", ids["Pay 1"])).out, first)


    def test_originals_are_kept_within_size_and_age(self):
        box = self.new_box()
        box.add("INBOX", MAIL)
        place = self.new_place(box)
        self.check(place.opus("sync"))
        named = {item["subject"]: item["id"] for item in place.opus("list", "--json").json["items"]}
        ids = [named[f"Pay {number}"] for number in range(3)]
        folder = place.root / ".opus" / "originals"

        def kept():
            return {path.name for path in folder.iterdir()}

        def opened(*names, limits):
            place.configure(box.yaml(), limits)
            for name in names:
                self.check(place.opus("show", "--raw", name))

        opened(*ids, limits="")
        self.assertEqual(kept(), set(ids))
        # By age, at the end of a sync; what was opened since stays.
        for days, name in ((40, ids[0]), (40, ids[1]), (20, ids[2])):
            os.utime(folder / name, (time.time() - days * 86_400,) * 2)
        opened(ids[1], limits="originals: { max-age: 30d }\n")
        self.check(place.opus("sync"))
        self.assertEqual(kept(), set(ids[1:]))
        # By size, when one more is kept: the one that was opened longest ago goes.
        room = sum(path.stat().st_size for path in folder.iterdir())
        opened(ids[0], limits=f"originals: {{ max-size: {room} }}\n")
        self.assertEqual(kept(), {ids[0], ids[1]})
        # One that has no room alone is not kept, and none with 0.
        opened(ids[2], limits="originals: { max-size: 0 }\n")
        self.assertEqual(kept(), {ids[0], ids[1]})
        self.check(place.opus("sync"))
        self.assertEqual(kept(), set())
        self.assertEqual(self.check(place.opus("status", "--json")).json["store"]["originals"], 0)


class RebuildKills(Case):
    kind = "maildir"

    def test_a_rebuild_that_is_killed_leaves_the_old_store_or_the_new_one(self):
        box = self.new_box()
        box.add("INBOX", MAIL)
        place = self.new_place(box, RULES)
        self.check(place.opus("run", "--yes"))

        def known():
            items = place.opus("list", "--all", "--json").json["items"]
            return sorted((item["id"], item["subject"]) for item in items), place.opus("runs", "--json").json["items"]

        before, saved = known(), self.folder / "saved"
        shutil.copytree(place.root, saved, symlinks=True)
        count = self.folder / "count"
        self.check(place.opus("store", "rebuild", environment=shim.counting(place, count)))
        total, killed = int(count.read_text()), 0
        for number in range(POINTS):
            step, when = 1 + (2 * number + 1) * total // (2 * POINTS), ("before", "after", "torn")[number % 3]
            with self.subTest(f"killed {when} step {step} of {total}"):
                shutil.rmtree(place.root)
                shutil.copytree(saved, place.root, symlinks=True)
                killed += place.opus("store", "rebuild", environment=shim.killing(place, step, when)).code != 0
                self.assertEqual(known(), before)
                self.check(place.opus("store", "verify"))
                self.check(place.opus("store", "rebuild"))
                self.assertEqual(known(), before)
                self.assertFalse((place.root / ".opus" / "rebuild").exists())
        note("kills", f"rebuilds of the store, {killed} killed", POINTS, 0)
        self.assertGreaterEqual(killed, POINTS // 2)

    def test_a_rebuild_whose_account_is_away_leaves_the_store_and_continues_later(self):
        box = self.new_box()
        box.add("INBOX", MAIL)
        place = self.new_place(box, RULES)
        self.check(place.opus("run", "--yes"))
        before = rows(place, "SELECT id, email_id FROM message")
        away = box.folder.with_name("away")
        box.folder.rename(away)
        done = place.opus("store", "rebuild")
        self.assertNotEqual(done.code, 0)
        self.assertIn("the store stays as it was", done.text)
        self.assertEqual(rows(place, "SELECT id, email_id FROM message"), before)
        away.rename(box.folder)
        self.assertTrue(self.check(place.opus("store", "rebuild", "--json")).json["resumed"])
        self.assertNothingMore(place, box)


class MigrationKills(Case):
    open = test_old_stores.OldStores.open

    def test_a_migration_that_is_killed_is_continued(self):
        schema, killed = test_old_stores.SCHEMAS[0], 0
        place, _ = self.open(schema, "applied")
        saved, count = self.folder / "saved", self.folder / "count"
        shutil.copytree(place.root, saved, symlinks=True)
        self.check(place.opus("runs", environment=shim.counting(place, count)))
        runs, total = place.opus("runs", "--json").json, int(count.read_text())
        for number in range(POINTS):
            step, when = 1 + (2 * number + 1) * total // (2 * POINTS), ("before", "after", "torn")[number % 3]
            with self.subTest(f"killed {when} step {step} of {total}"):
                shutil.rmtree(place.root)
                shutil.copytree(saved, place.root, symlinks=True)
                killed += place.opus("runs", environment=shim.killing(place, step, when)).code != 0
                self.assertEqual(self.check(place.opus("runs", "--json")).json, runs)
                self.check(place.opus("store", "verify"), 0, "✓")
        note("kills", f"migrations of the store, {killed} killed", POINTS, 0)
        self.assertGreaterEqual(killed, POINTS // 2)


if __name__ == "__main__":
    unittest.main()
