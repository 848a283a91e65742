"""opus search as a user types it: what it finds, in which order, and what it says about nothing."""
from letters import letter
from terminal import on_terminal
from workplace import Case, Workplace

FILLER = "Nothing to see here. " * 20


class Searching(Case):
    kind = "maildir"

    def setUp(self):
        super().setUp()
        self.box = self.new_box()
        for number, (subject, body, headers) in enumerate([
                ("Lunch with invoice people", "Bring it.", None),
                ("Invoices of March", "All of them.", {"In-Reply-To": "<invoice@test.example>"}),
                ("Invoice", f"{FILLER}Please pay by Friday.\n{FILLER}", None),
                ("=?utf-8?b?5piO5pel44Gu5Lya6K2w?=", "Naïve plan", None)]):
            name = "invoice" if subject == "Invoice" else f"m{number}"
            self.box.add("INBOX", letter(subject, name, body=body, minutes=9 - number, headers=headers))
        self.place = self.new_place(self.box)
        self.check(self.place.opus("sync"))

    def found(self, *words, code=0):
        done = self.check(self.place.opus("search", *words), code)
        return [line.split("\t")[3] for line in done.out.splitlines()]

    def test_searches_by_word_part_chinese_id_and_rank(self):
        all_three = ["Lunch with invoice people", "Invoices of March", "Invoice"]
        self.assertEqual(self.found("invoice"), all_three)
        self.assertEqual(self.found("--sort", "rank", "invoice"), ["Invoice", all_three[0], all_three[1]])
        self.assertEqual(self.found("subject:~nvoic"), all_three)
        self.assertEqual(self.found("会議"), ["明日の会議"])
        self.assertEqual(self.found("mid:<invoice@test.example>"), ["Invoice"])
        self.assertEqual(self.found("id:invoice@test.example"), ["Invoice"])
        short = self.check(self.place.opus("search", "lunch")).out.split("\t")[0]
        self.assertEqual(self.found(f"id:{short}"), all_three[:1])
        self.assertEqual(self.check(self.place.opus("search", "--count", "invoice")).out, "3\n")
        self.assertEqual(self.check(self.place.opus("search", "--count", "--threads", "invoice")).out, "2\n")
        self.assertEqual(self.check(self.place.opus("search", "--count", "invoice", "--json")).json["count"], 3)

    def test_an_empty_result_names_the_missing_word_and_index_syntax_is_harmless(self):
        done = self.check(self.place.opus("search", "invioce"))
        self.assertIn('no message has "invioce"; did you mean "invoice"?', done.text)
        for typed in ('"NEAR(a b)"', "a*", '"x AND"', "{subject}", "^a", "NOT", '"a"b', "subject:-", "+", "''"):
            done = self.place.opus("search", "--", typed)
            self.assertIn(done.code, (0, 64), typed)
            self.assertNotIn("store failed", done.text, typed)
            if done.code == 64:
                self.assertIn("^", done.text, typed)

    def test_searches_and_rules_ignore_accents_but_not_in_addresses(self):
        self.box.add("INBOX", letter("=?utf-8?q?R=C3=A9sum=C3=A9?=", "cv", body="In a café.",
                                     sender="=?utf-8?q?J=C3=BCrgen_M=C3=BCller?= <j@x.example>"))
        (self.place.root / "rules" / "cv.yaml").write_text(
            "rules-version: 1\nrules: [{ id: cv, when: 'subject:resume', then: { label: cv } }]\n")
        self.check(self.place.opus("sync"))
        for query in ("resume", "RÉSUMÉ", "café", "cafe", "~afe", "from:muller", "from:müller", "from:~ulle"):
            self.assertEqual(self.found(query), ["Résumé"], query)
        for query in ('subject:=resume', "/resume/i", "from:j@x.éxample"):
            self.assertEqual(self.found(query), [], query)
        plan = self.check(self.place.opus("triage", "--dry-run", "--json")).json["plan"]
        self.assertEqual([item["subject"] for item in plan["items"] if item["decisions"]], ["Résumé"])

    def test_a_word_begins_after_a_japanese_letter_a_soft_line_break_and_an_apostrophe_of_any_form(self):
        self.box.add("INBOX", letter("=?utf-8?b?5paw5Z6LaVBob25l55m65aOy?=", "phone",
                                     body="Aujourd\u2019hui, Bob\x0bthanks you.\n"))
        (self.place.root / "rules" / "found.yaml").write_text(
            "rules-version: 1\nrules: [{ id: found, when: 'iphone thanks \"aujourd\'\'hui\"', then: { label: found } }]\n")
        self.check(self.place.opus("sync"))
        for query in ("iphone", "subject:\"iphone\u767a\"", "thanks", "aujourd'hui", "aujourd\u2019hui", "hui"):
            self.assertEqual(self.found(query), ["\u65b0\u578biPhone\u767a\u58f2"], query)
        for query in ("hone", "anks", "bobthanks", "subject:=iphone"):
            self.assertEqual(self.found(query), [], query)
        plan = self.check(self.place.opus("triage", "--dry-run", "--json")).json["plan"]
        self.assertEqual([item["subject"] for item in plan["items"] if item["decisions"]], ["\u65b0\u578biPhone\u767a\u58f2"])
        self.assertIn("\x1b[1mthanks\x1b[0m", self.on_screen("thanks"))

    def test_saved_searches_are_kept_in_the_settings(self):
        before = (self.place.root / "opus.yaml").read_text()
        self.check(self.place.opus("search", "--save", "bills", "subject:invoice -subject:lunch"))
        self.assertEqual(self.found("query:bills"), ["Invoices of March", "Invoice"])
        self.assertIn("did you mean 'query:bills'?", self.check(self.place.opus("search", "query:bils"), 64).text)
        self.assertEqual(self.check(self.place.opus("search", "--saved")).out,
                         "bills\tsubject:invoice -subject:lunch\n")
        self.check(self.place.opus("search", "--remove", "bills"))
        self.assertEqual((self.place.root / "opus.yaml").read_text().strip(), before.strip())
        self.check(self.place.opus("search", "--remove", "bills"), 66)

    def test_a_terminal_shows_the_words_in_the_text_and_how_much_of_a_thread_matches(self):
        shown = self.on_screen('"pay by"')
        self.assertIn("\x1b[1mpay by\x1b[0m", shown)
        self.assertLess(max(map(len, shown.splitlines())), 160)
        self.assertIn("2 of 2", self.on_screen("invoice", "--threads"))

    def on_screen(self, *words):
        code, shown = on_terminal(self.place.command("search", *words), self.place.environment(TERM="xterm"),
                                  self.place.root)
        self.assertEqual(code, 0, shown)
        return shown


class TwoAccounts(Case):
    kind = "maildir"

    def test_the_mail_of_all_accounts_is_one_list(self):
        boxes = [self.new_box(), self.new_box()]
        for number in range(6):
            boxes[number % 2].add("INBOX", letter(f"Plan {number}", f"p{number}", minutes=number))
        place = Workplace(self.folder / "workspace", boxes[0].yaml() + boxes[1].yaml(name="home"), None)
        self.check(place.opus("sync"))

        def subjects(*words):
            found = self.check(place.opus("search", *words, "--json")).json["items"]
            lines = self.check(place.opus("search", *words)).out.splitlines()
            self.assertEqual([line.split("\t")[3] for line in lines], [item["subject"] for item in found])
            return [item["subject"] for item in found]

        newest_first = [f"Plan {number}" for number in reversed(range(6))]
        self.assertEqual(subjects("plan"), newest_first)
        self.assertEqual(subjects("plan", "--limit", "3"), newest_first[:3])
        for words in (("search", "plan"), ("search", "plan", "--threads"), ("threads", "--all"), ("list",), ("runs",),
                      ("task", "list"), ("next",), ("drafts",), ("defer", "--list"), ("projects",)):
            self.check(place.opus(*words, "--limit", "none"))
            self.check(place.opus(*words, "--limit", "-1"), 64)
        self.assertEqual(subjects("plan", "--limit", "none"), newest_first)
        self.assertEqual(subjects("plan", "--threads", "--limit", "3"), newest_first[:3])
        self.assertEqual(subjects("plan", "--sort", "rank", "--limit", "3"), newest_first[:3])
        self.assertEqual(subjects("plan", "-a", "home"), newest_first[0::2])
        self.assertEqual(self.check(place.opus("search", "plan", "--count")).out, "6\n")

    def test_the_first_mail_of_a_sender_is_the_same_one_for_a_search_and_a_rule(self):
        box = self.new_box()
        for number in range(4):
            box.add("INBOX", letter(f"Mail {number}", f"m{number}", minutes=number))
        rules = ("rules-version: 1\nrules:\n  - { id: new, when: 'sender:first-seen', then: { label: new } }\n"
                 "  - { id: often, when: 'sender:count>=3', then: { label: often } }\n")
        place = self.new_place(box, rules)
        self.check(place.opus("sync"))

        def subjects(*words):
            return [item["subject"] for item in self.check(place.opus(*words, "--json")).json["items"]]

        found = {query: subjects("search", query) for query in ("sender:first-seen", "sender:count>=3")}
        self.assertEqual(found, {"sender:first-seen": ["Mail 0"], "sender:count>=3": ["Mail 3", "Mail 2"]})
        self.assertEqual(subjects("list", "sender:first-seen"), ["Mail 0"])
        # Old mail is counted in the same way: mail that came later does not change what a query or a rule finds.
        for query, expected in found.items():
            plan = self.check(place.opus("triage", "--query", query, "--json", "--dry-run")).json
            self.assertEqual(sorted(item["subject"] for item in plan["plan"]["items"]), sorted(expected), query)
        plan = self.check(place.opus("triage", "--query", "subject:mail", "--json", "--dry-run")).json["plan"]
        self.assertEqual({item["subject"]: [d["rule"] for d in item["decisions"]] for item in plan["items"]},
                         {"Mail 0": ["new"], "Mail 2": ["often"], "Mail 3": ["often"]})
        self.check(place.opus("triage", "--yes"))
        self.assertEqual(subjects("search", "label:new"), found["sender:first-seen"])
        self.assertEqual(subjects("search", "label:often"), found["sender:count>=3"])
