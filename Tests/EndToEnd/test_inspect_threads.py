"""`opus inspect threads`: trees of random mail, held against THREAD=REFERENCES of Dovecot."""
import json
import os
import random
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from letters import letter
from workplace import OPUS, Case

#: Marks that are not part of a base subject (RFC 5256 section 2.1).
MARKS = ("{}", "{}", "Re: {}", "[list] {}", "Re: [list] {}", "[] {}", "Re [list]: {}", "Re[2]: {}", "{} (fwd)",
         "[fwd: {}]", "Fwd: [a] [b] {}")
ROUNDS = int(os.environ.get("OPUS_THREAD_ROUNDS", "4"))


def inspect(*words, data=None):
    return subprocess.run([OPUS, "inspect", "threads", *map(str, words)], input=data, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120)


def mail(seed, number=120):
    """Answers, answers to missing mail, cut References, the same id twice, and subjects that come again."""
    chance = random.Random(seed)
    found = []
    for index in range(number):
        headers = {}
        subject = f"Topic {chance.randrange(40)}"
        if found and chance.random() < 0.6:
            known = [f"<m{chance.randrange(number)}@test.example>" for _ in range(chance.randrange(1, 4))]
            headers["In-Reply-To" if chance.random() < 0.2 else "References"] = " ".join(known)
            subject = "Re: " + subject
        else:
            subject = chance.choice(MARKS).format(subject)
        name = f"m{index}" if chance.random() < 0.95 else f"m{chance.randrange(number)}"
        found.append(letter(subject, name, minutes=index, headers=headers))
    return found


class WithDovecot(Case):
    def test_the_same_trees_as_dovecot(self):
        box = self.new_box("imap")
        for seed in range(ROUNDS):
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder:
                messages = mail(seed)
                box.add(f"Round{seed}", messages)
                client = box.client()
                client.select(f"Round{seed}")
                theirs = client.thread("REFERENCES", "UTF-8", "ALL")[1][0].decode()
                client.logout()
                for index, message in enumerate(messages):
                    (Path(folder) / f"{index:05}.eml").write_bytes(message)
                done = inspect(folder, "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                found = json.loads(done.stdout)
                self.assertEqual(found["messages"], len(messages))
                ours = "".join(thread["notation"] for thread in found["threads"])
                self.assertEqual(ours, theirs)


class Threads(unittest.TestCase):
    def test_mail_without_a_date_has_the_date_of_its_arrival(self):
        box = b"".join(b"From a@b.example %s\nMessage-ID: <%s@t>\nSubject: %s\n%s\nText\n\n" % mail for mail in (
            (b"Tue Mar 10 09:00:00 2026", b"last", b"Last", b""),
            (b"Tue Mar 10 12:00:00 2026", b"first", b"First", b"Date: Tue, 10 Mar 2026 07:00:00 +0000\n"),
            (b"Tue Mar 10 08:00:00 2026", b"middle", b"Middle", b"")))
        found = json.loads(inspect("-", "--json", data=box).stdout)
        self.assertEqual([thread["nodes"][0]["subject"] for thread in found["threads"]], ["First", "Middle", "Last"])
        with tempfile.TemporaryDirectory() as folder:
            for number, hour in ((1, 9), (2, 8)):
                file = Path(folder) / f"{number}.eml"
                file.write_bytes(b"Subject: %d\n\nText\n" % number)
                os.utime(file, (1_773_126_000 + 3_600 * hour,) * 2)
            found = json.loads(inspect(folder, "--json").stdout)
            self.assertEqual([thread["nodes"][0]["subject"] for thread in found["threads"]], ["2", "1"])

    def test_an_mbox_and_a_maildir_have_the_same_threads(self):
        messages = mail(7)
        mbox = b"".join(b"From a@x Tue Mar 10 08:00:00 2026\n" + message.rstrip(b"\n") + b"\n\n" for message in messages)
        with tempfile.TemporaryDirectory() as folder:
            for part in ("cur", "new", "tmp", ".Sub/cur"):
                (Path(folder) / part).mkdir(parents=True)
            for index, message in enumerate(messages):
                (Path(folder) / "cur" / f"{index:05}.M1.host:2,S").write_bytes(message)
            (Path(folder) / "tmp" / "1").write_bytes(messages[0])
            (Path(folder) / "dovecot-uidlist").write_bytes(b"3 V1\n")
            (Path(folder) / "cur" / "link").symlink_to("/etc/passwd")
            ours = json.loads(inspect(folder, "--json").stdout)
        piped = json.loads(inspect("-", "--json", data=mbox).stdout)
        for found in (ours, piped):
            self.assertEqual(found["messages"], len(messages))
        self.assertEqual([one["notation"] for one in ours["threads"]], [one["notation"] for one in piped["threads"]])
        nodes = ours["threads"][0]["nodes"]
        self.assertTrue(all(node.get("parent", -1) < place for place, node in enumerate(nodes)))
        self.assertTrue(any(node["isDuplicate"] for thread in ours["threads"] for node in thread["nodes"]))

    def test_subjects_join_threads_only_if_the_settings_say_so(self):
        mbox = b"".join(b"From a Tue Mar 10 08:00:00 2026\nMessage-ID: <%d@x>\nSubject: %s\n\nx\n\n" % pair
                        for pair in ((1, b"Lunch"), (2, b"AW: lunch"), (3, b"Other")))
        self.assertEqual(len(json.loads(inspect("-", "--json", data=mbox).stdout)["threads"]), 2)
        self.assertEqual(len(json.loads(inspect("-", "--no-subjects", "--json", data=mbox).stdout)["threads"]), 3)

    def test_a_missing_message_is_shown_and_nothing_reaches_the_terminal(self):
        mbox = b"".join(b"From a Tue Mar 10 08:00:00 2026\nMessage-ID: <%d@x>\nReferences: <gone@x>\n"
                        b"Subject: \x1b]0;evil\x07 %d\n\nx\n\n" % (number, number) for number in (1, 2))
        done = inspect("-", data=mbox)
        self.assertIn("(missing) gone@x", done.stdout.decode())
        self.assertNotIn(b"\x1b", done.stdout)
        self.assertTrue(re.search(rb"^  1  no date", done.stdout, re.MULTILINE), done.stdout)

    def test_a_folder_that_is_not_there(self):
        self.assertEqual(inspect("/nowhere").returncode, 66)


if __name__ == "__main__":
    unittest.main()
