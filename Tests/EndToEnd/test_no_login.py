"""A keyring that is locked, a program that is missing, a certificate that is not trusted: work waits as without a network."""
from letters import letter
from workplace import Case

PASSWORD = "password-command: [cat, password]"


class WorkWithoutALogin(Case):
    kind = "imap"

    # What is wrong, what changes in the settings, and what the program says.
    CAUSES = (("locked keyring", lambda box: box.yaml().replace(PASSWORD, "password-command: ['false']"), "exit status 1"),
              ("missing program", lambda box: box.yaml().replace(PASSWORD, "password-command: [no-such-program]"),
               "no-such-program"),
              ("untrusted certificate", lambda box: box.yaml(ca_file=box.servers.other_ca_file), "certificate"))

    def ids(self):
        items = self.check(self.place.opus("list", "--json")).json["items"]
        return {item["subject"]: item["id"] for item in items}

    def test_commands_are_queued_and_the_next_one_carries_them_out(self):
        for number, (cause, settings, reason) in enumerate(self.CAUSES):
            with self.subTest(cause):
                self.box = self.new_box()
                for name in ("one", "two", "three"):
                    self.box.add("INBOX", letter(name, name))
                self.place = self.new_place(self.box, name=f"w{number}")
                self.check(self.place.opus("run", "--yes"))
                ids = self.ids()
                self.place.configure(settings(self.box))
                self.check(self.place.opus("archive", ids["one"]), 75, "Applied 0 of 1", "offline: ", reason)
                made = self.check(self.place.opus("task", "from", ids["two"]), 0, "Applied 1 of 1", "1 × task written")
                self.assertNotIn("offline", made.text)
                self.assertEqual(len(list(self.place.tasks.glob("*/*.ics"))), 1)
                status = self.check(self.place.opus("status"))
                self.assertIn(reason, status.text)
                self.assertNotIn("interrupted", status.text)
                self.assertPlaces(self.box, {"one": "INBOX", "two": "INBOX"})
                self.place.configure(self.box.yaml())
                self.check(self.place.opus("flag", ids["three"]))
                self.assertPlaces(self.box, {"one": "Archive", "two": "INBOX"})
                self.assertNothingMore(self.place, self.box)

    def test_the_mail_of_another_account_is_moved(self):
        self.box, other = self.new_box(), self.new_box()
        self.box.add("INBOX", letter("one", "one"))
        other.add("INBOX", letter("two", "two"))
        self.place = self.new_place(self.box)
        home = other.yaml(name="home", address="ana@example.org")
        self.place.configure(self.box.yaml() + home)
        self.check(self.place.opus("run", "--yes"))
        ids = self.ids()
        self.place.configure(self.box.yaml().replace(PASSWORD, "password-command: ['false']") + home)
        self.check(self.place.opus("archive", ids["one"], ids["two"]), 75, "Applied 0 of 1", "Applied 1 of 1")
        self.assertPlaces(self.box, {"one": "INBOX"})
        self.assertPlaces(other, {"two": "Archive"})
        self.place.configure(self.box.yaml() + home)
        self.check(self.place.opus("run", "--yes"))
        self.assertPlaces(self.box, {"one": "Archive"})
