"""`opus config`: values with their origin, single changes that leave every other byte, checks, an editor that is asked again."""
import copy
import json
import os
import re
import stat
import subprocess
import unittest

import jsonschema
import yaml

from terminal import pieces, start
from workplace import OPUS, REPOSITORY, Case

SCHEMA = REPOSITORY / "docs" / "schema" / "opus-1.json"
#: Every form in which people write YAML, with comments where they put them.
LAYOUT = """\
# My settings. Do not sort!
config-version: 1
me:   { name: "Ana Ruiz",  addresses: [ ana@acme.example ] }   # me

time-zone: 'Europe/Paris'
brakes:
    share: 40     # per cent
    # count stays
    count: 60

accounts:
# the first
- name: work
  address: ana@acme.example
  maildir: Maildir   # a comment
  sync:
    window: 2y

  # between
- name: my.home
  address: "ana@example.org"
  maildir: Home
  folders: {}
# the end
"""


class Config(Case):
    kind = "maildir"

    def prepare(self, text=LAYOUT):
        self.place = self.new_place(self.new_box())
        self.file = self.place.root / "opus.yaml"
        self.file.write_text(text)
        return self.place

    def set(self, key, value, code=0):
        return self.check(self.place.opus("config", "set", key, value), code)

    def get(self, key, code=0):
        return self.check(self.place.opus("config", "get", key), code).out.strip()

    def test_a_time_zone_of_the_system_may_begin_with_a_colon(self):
        self.prepare()
        self.file.write_text(self.file.read_text().replace("time-zone: 'Europe/Paris'\n", ""))
        for zone, name in ((":Europe/London", "Europe/London"), (":/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo")):
            shown = self.place.opus("config", "get", "time-zone", environment={"TZ": zone})
            self.assertIn(name, shown.out, str(shown))

    def test_set_changes_one_value_and_no_other_byte(self):
        cases = [
            ("me.name", "Ana Maria", '"Ana Ruiz"', "Ana Maria"),
            ("me.name", "Ruiz, Ana", '"Ana Ruiz"', "'Ruiz, Ana'"),
            ("me.addresses", "[ana@acme.example, a@b.example]", "[ ana@acme.example ]", "[ana@acme.example, a@b.example]"),
            ("time-zone", "UTC", "'Europe/Paris'", "UTC"),
            ("brakes.share", "30", "share: 40 ", "share: 30 "),
            ("accounts.work.maildir", "~/Mail it's", "maildir: Maildir ", "maildir: '~/Mail it''s' "),
            ("accounts.my.home.address", "a@b.example", '"ana@example.org"', "a@b.example"),
            ("accounts.my.home.folders.archive", "Old", "folders: {}", "folders: { archive: Old }"),
        ]
        for key, value, old, new in cases:
            with self.subTest(key):
                self.prepare()
                self.assertIn(old, LAYOUT)
                self.set(key, value)
                self.assertEqual(self.file.read_text(), LAYOUT.replace(old, new))
                self.assertEqual(self.get(key).replace(" ", ""), value.replace(" ", ""))

    def test_a_new_key_is_added_to_its_section(self):
        cases = [
            ("brakes.sends", "5", "    count: 60\n", "    count: 60\n    sends: 5\n"),
            ("accounts.work.sync.exclude", "[Old]", "    window: 2y\n", "    window: 2y\n    exclude: [Old]\n"),
            ("accounts.work.allow", "read", "    window: 2y\n", "    window: 2y\n  allow: read\n"),
            ("accounts.my.home.allow", "[mark, move]", "  folders: {}\n", "  folders: {}\n  allow: [mark, move]\n"),
            ("allow-send", "true", "  folders: {}\n", "  folders: {}\nallow-send: true\n"),
            ("dates.order", "month-day", "  folders: {}\n", "  folders: {}\ndates: { order: month-day }\n"),
        ]
        for key, value, old, new in cases:
            with self.subTest(key):
                self.prepare()
                self.set(key, value)
                self.assertEqual(self.file.read_text(), LAYOUT.replace(old, new))
                self.assertEqual(self.get(key), value)

    def test_other_line_ends_and_a_mark_stay(self):
        text = "\ufeff" + LAYOUT.replace("\n", "\r\n")
        self.prepare()
        self.file.write_bytes(text.encode())
        self.set("brakes.share", "30")
        self.set("brakes.sends", "5")
        wanted = text.replace("share: 40", "share: 30").replace("count: 60\r\n", "count: 60\r\n    sends: 5\r\n")
        self.assertEqual(self.file.read_bytes().decode(), wanted)

    def test_mode_and_link_stay(self):
        self.prepare()
        real = self.place.root / "real.yaml"
        self.file.rename(real)
        real.chmod(0o640)
        self.file.symlink_to("real.yaml")
        self.set("brakes.share", "30")
        self.assertTrue(self.file.is_symlink())
        self.assertEqual(stat.S_IMODE(real.stat().st_mode), 0o640)
        self.assertIn("share: 30", real.read_text())
        self.assertEqual([path.name for path in self.place.root.glob(".opus.yaml*")], [])

    def test_an_invalid_value_is_not_written(self):
        self.prepare()
        before = self.file.read_bytes()
        for key, value, code in (("brakes.share", "400", 78), ("time-zone", "Mars/Base", 78), ("time-zon", "UTC", 64),
                                 ("accounts.wrk.address", "a@b.example", 64), ("accounts.work.allow", "reed", 78),
                                 ("me.name", "two\nlines", 65), ("accounts", "x", 65), ("me", "x", 78),
                                 ("accounts.work.login.password", "secret", 64)):
            with self.subTest(key):
                self.set(key, value, code)
                self.assertEqual(self.file.read_bytes(), before)
        self.assertIn("did you mean 'time-zone'?", self.place.opus("config", "set", "time-zon", "UTC").err)
        self.assertIn("did you mean 'work'?", self.place.opus("config", "get", "accounts.wrk.address").err)

    def test_a_date_that_is_none_stops_each_command_before_it_acts(self):
        self.prepare()
        before = self.file.read_bytes()
        for key in ("defer.default", "bundles.Reading.deliver"):
            done = self.set(key, "saturdy 10:00", 78)
            self.assertIn(f"{key}: 'saturdy 10:00' is not a date", done.err)
            self.assertIn("opus help dates", done.err)
            self.assertEqual(self.file.read_bytes(), before)
        self.set("defer.default", "someday")
        self.set("bundles.Reading.deliver", "saturday 10:00")
        # A date that is over is a date.
        self.set("bundles.Reading.deliver", "2020-01-01")
        self.file.write_text(self.file.read_text().replace("2020-01-01", "2020-02-31"))
        for words in (("config", "check"), ("run",), ("status",)):
            done = self.check(self.place.opus(*words), 78)
            self.assertIn("bundles.Reading.deliver: '2020-02-31' is not a date", done.text)
            self.assertRegex(done.text, r"opus\.yaml:2\d: error\[C007\]")

    def test_check_finds_a_mistake_in_a_saved_search(self):
        self.prepare()
        self.set("searches.bills", "subject:invoice is:news", 78)
        self.place.write_rules("rules-version: 1\ndefine: { news: 'list-id:*' }\nrules: []\n")
        self.set("searches.bills", "subject:invoice is:news")
        self.check(self.place.opus("config", "check"), 0)
        self.file.write_text(self.file.read_text().replace("is:news", "query:other"))
        done = self.check(self.place.opus("config", "check"), 78)
        self.assertIn("query:other", done.text)
        self.assertIn("1 error", done.out)
        # The error is in one search only: other commands work, and other settings can be changed.
        self.check(self.place.opus("status"), 0)
        self.set("brakes.share", "30")

    def test_a_value_on_several_lines_is_left_to_the_editor(self):
        self.prepare(LAYOUT.replace("addresses: [ ana@acme.example ]", "addresses: [ana@acme.example,\n  a@b.example]"))
        before = self.file.read_bytes()
        done = self.set("me.addresses", "[a@b.example]", 65)
        self.assertIn("opus config edit", done.err)
        self.assertEqual(self.file.read_bytes(), before)

    def test_set_can_correct_an_error(self):
        self.prepare(LAYOUT.replace("share: 40", "share: 400"))
        self.check(self.place.opus("status"), 78)
        self.set("brakes.share", "40")
        self.assertEqual(self.file.read_text(), LAYOUT)

    def test_show_says_where_each_value_comes_from(self):
        self.prepare()
        lines = dict(line.split("\t")[0::2] for line in
                     self.check(self.place.opus("config", "show", "--origin")).out.splitlines())
        self.assertEqual(lines["brakes.share"], "opus.yaml:7")
        self.assertEqual(lines["brakes.sends"], "default")
        self.assertEqual(lines["accounts.my.home.maildir"], "opus.yaml:22")
        self.assertEqual(lines["accounts.work.allow"], "default")
        document = self.check(self.place.opus("config", "show", "--json")).json
        values = {item["key"]: (item["value"], item["origin"]) for item in document["items"]}
        self.assertEqual(values["time-zone"], ("Europe/Paris", "file"))
        self.assertEqual(values["send.hold"], ("30s", "default"))
        self.assertEqual(values["rules.path"], (str(self.place.root / "rules"), "default"))
        self.assertNotIn("accounts.work.imap.security", values)

    def test_get_prints_a_default_and_refuses_a_missing_value_and_an_unknown_key(self):
        self.prepare()
        self.assertEqual(self.get("send.hold"), "30s")
        self.assertEqual(self.get("accounts.work.allow"), "full")
        self.assertEqual(self.get("accounts.work.sync"), "{ window: 2y }")
        self.get("accounts.work.signature", 66)
        self.get("accounts.nobody.address", 64)

    def test_path_prints_the_full_path_of_the_file_also_if_it_has_errors(self):
        self.prepare("config-version: 1\nnonsense: 2\n")
        (self.place.root / "below").mkdir()
        done = subprocess.run([OPUS, "config", "path"], cwd=self.place.root / "below", stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual(done.stdout, f"{self.file.resolve()}\n")
        document = json.loads(self.check(self.place.opus("config", "path", "--json")).out)
        self.assertEqual((document["schema"], document["items"]), ("opus.config/1", []))

    def test_check_names_place_reason_and_next_step(self):
        self.prepare(LAYOUT.replace("share: 40", "shaer: 40").replace("window: 2y", "window: soon"))
        done = self.check(self.place.opus("config", "check"), 78)
        self.assertIn("opus.yaml:7:5", done.out)
        self.assertIn("did you mean 'share'?", done.out)
        self.assertRegex(done.out, r"opus\.yaml:17:13.*\n(.*\n)*.*90d")
        self.assertIn("2 errors", done.out)
        items = json.loads(self.place.opus("config", "check", "--json").out)["items"]
        self.assertEqual([(item["line"], item["column"]) for item in items], [(7, 5), (17, 13)])
        self.file.write_text(LAYOUT)
        self.check(self.place.opus("config", "check"), 0, "opus.yaml, 2 accounts: 0 errors")

    def test_a_password_in_the_file_is_never_printed(self):
        self.prepare()
        secret = "Hunter2-in-the-file"
        self.file.write_text("config-version: 1\naccounts:\n  - name: work\n    address: ana@acme.example\n"
                             "    imap: { host: imap.acme.example }\n    login: { user: ana, password: " + secret + " }\n")
        for words in (["get", "accounts"], ["get", "accounts.work"], ["get", "accounts.work.login"],
                      ["get", "accounts.work.login.password"], ["show"], ["check"], ["set", "time-zone", "UTC"]):
            with self.subTest(words):
                self.assertNotIn(secret, self.place.opus("config", *words).text)
        self.assertIn("{ user: ana, password: ••• }", self.check(self.place.opus("config", "get", "accounts.work.login")).out)

    def test_opus_yml_is_noticed_and_named(self):
        self.prepare()
        self.file.rename(self.place.root / "opus.yml")
        below = self.place.root / "below"
        below.mkdir()
        for words, folder in ((["--workspace", str(self.place.root), "status"], self.place.root), (["status"], below),
                              (["config", "check"], below), (["config", "get", "me.name"], below)):
            done = subprocess.run([OPUS, *words], cwd=folder, env=self.place.environment(), capture_output=True, text=True)
            self.assertEqual(done.returncode, 78, done.stderr)
            self.assertRegex(done.stderr, r"opus\.yml\n.*mv \S*opus\.yml \S*opus\.yaml")
        self.file.write_text(LAYOUT)
        done = self.check(self.place.opus("config", "check"))
        self.assertIn("opus.yml is not read", done.err)

    # MARK: The editor

    def editor(self, script):
        path = self.folder / "editor"
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(0o755)
        return {"VISUAL": str(path)}

    def test_edit_without_a_terminal_keeps_no_error(self):
        self.prepare()
        broken = self.editor("sed -i 's/share: 40/share: 400/' \"$1\"\n")
        done = self.check(self.place.opus("config", "edit", environment=broken), 78)
        self.assertIn("share", done.err)
        self.assertEqual(self.file.read_text(), LAYOUT)
        copy, = self.place.root.glob(".opus-edit-*.yaml")
        self.assertIn("share: 400", copy.read_text())
        self.check(self.place.opus("config", "edit", environment=self.editor("sed -i 's/share: 40/share: 41/' \"$1\"\n")))
        self.assertEqual(self.file.read_text(), LAYOUT.replace("share: 40", "share: 41"))
        self.check(self.place.opus("config", "edit", environment=self.editor("true\n")), 0, "Nothing was changed")
        self.check(self.place.opus("config", "edit", environment=self.editor("exit 3\n")), 65)
        copy.unlink()
        self.assertEqual(list(self.place.root.glob(".opus-edit-*")), [])

    def test_what_a_failed_editor_saved_is_kept_in_the_copy(self):
        self.prepare()
        for script in ("echo '# more' >> \"$1\"; exit 3\n", "echo '# more' >> \"$1\"; kill -9 $$\n"):
            done = self.check(self.place.opus("config", "edit", environment=self.editor(script)), 65, "your text is in the copy")
            self.assertEqual(self.file.read_text(), LAYOUT)
            copy, = self.place.root.glob(".opus-edit-*.yaml")
            self.assertEqual(copy.read_text(), LAYOUT + "# more\n")
            self.assertIn(copy.name, done.err)
            copy.unlink()
        self.check(self.place.opus("config", "edit", environment=self.editor("rm \"$1\"\n")), 65, "the editor removed its file")
        self.assertEqual(self.file.read_text(), LAYOUT)

    def answered(self, answer, script):
        """Runs the editor, and types the answer to the first question."""
        ours, process = start(self.place.command("config", "edit"),
                              self.place.environment(TERM="dumb", **self.editor(script)), self.place.root)
        output, is_answered = b"", False
        for piece in pieces(ours, process):
            output += piece
            if b"(e)dit again" in output and not is_answered:
                is_answered = True
                os.write(ours, answer.encode() + b"\n")
        os.close(ours)
        self.assertTrue(is_answered, output)
        self.assertEqual(process.wait(30), 0, output)

    def test_edit_asks_again_before_it_keeps_an_error(self):
        worse = "case $(grep -c 'share: 400' \"$1\") in 0) sed -i 's/share: 40/share: 400/' \"$1\";; *) %s;; esac\n"
        for answers, script, wanted in (
                ("e", worse % "sed -i 's/share: 400/share: 39/' \"$1\"", LAYOUT.replace("share: 40", "share: 39")),
                ("d", worse % "true", LAYOUT),
                ("k", worse % "true", LAYOUT.replace("share: 40", "share: 400"))):
            with self.subTest(answers):
                self.prepare()
                self.answered(answers, script)
                self.assertEqual(self.file.read_text(), wanted)
                self.assertEqual(list(self.place.root.glob(".opus-edit-*")), [])


class ConfigSchema(Case):
    kind = "maildir"

    def setUp(self):
        super().setUp()
        self.schema = json.loads(SCHEMA.read_text())
        self.validator = jsonschema.Draft7Validator(self.schema)

    def test_the_command_prints_the_file_of_the_repository(self):
        jsonschema.Draft7Validator.check_schema(self.schema)
        done = subprocess.run([OPUS, "config", "schema"], stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual(done.stdout, SCHEMA.read_text())

    def test_the_examples_of_the_page_fit(self):
        blocks = [block.split("```")[0] for block in
                  (REPOSITORY / "docs" / "configuration.md").read_text().split("```yaml\n")[1:]]
        whole = [block for block in blocks if block.startswith("config-version")]
        self.assertGreater(len(whole), 0)
        for block in whole + [(REPOSITORY / "opus.yaml").read_text(), LAYOUT]:
            self.assertEqual([error.message for error in self.validator.iter_errors(load(block))], [])

    def test_mistakes_are_found(self):
        for old, new in (("share: 40", "shaer: 40"), ("share: 40", "share: 400"), ("window: 2y", "notify: perhaps"),
                         ("config-version: 1", "config-version: 2"), ("name: work", "nmae: work")):
            self.assertNotEqual(list(self.validator.iter_errors(load(LAYOUT.replace(old, new)))), [], new)

    def test_the_schema_has_exactly_the_keys_that_the_program_knows(self):
        """An unknown key makes the program list those it knows, section by section."""
        place = self.new_place(self.new_box())
        sections = list(self.sections(self.schema, []))
        self.assertGreater(len(sections), 20)
        for path, keys in sections:
            with self.subTest(".".join(map(str, path))):
                document = {"config-version": 1, "accounts": []}
                value = {"zzzzzzzzzzzzzzzzzzzz": "x"}
                for step in reversed(path):
                    # Some keys are read only of an account that is whole.
                    base = {"name": "a", "address": "a@b.example"} | ({} if "imap" in value else {"maildir": "M"})
                    value = [{**base, **value}] if step == 0 else {step: value}
                document.update(value)
                (place.root / "opus.yaml").write_text(yaml.safe_dump(document))
                items = json.loads(place.opus("config", "check", "--json").out)["items"]
                known = [item for item in items if "zzzzzzzzzzzzzzzzzzzz" in item["message"] and item["code"] == "C004"]
                self.assertEqual(len(known), 1, items)
                listed = set(known[0]["suggestion"].removeprefix("known: ").split(", "))
                self.assertEqual(listed, set(keys))

    def sections(self, node, path):
        """Each mapping of the schema with its place; a list is entered as its item 0."""
        for form in node.get("anyOf", [node]):
            if "properties" in form:
                yield path, list(form["properties"])
                for key, value in form["properties"].items():
                    yield from self.sections(value, [*path, key])
            elif "items" in form:
                yield from self.sections(form["items"], [*path, 0])
            elif isinstance(form.get("additionalProperties"), dict):
                yield from self.sections(form["additionalProperties"], [*path, "Reading"])


class Loader(yaml.SafeLoader):
    """Reads scalars as editors do (YAML 1.2)."""


Loader.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in resolvers if tag not in
             ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:bool")]
    for letter, resolvers in copy.deepcopy(yaml.SafeLoader.yaml_implicit_resolvers).items()}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))


def load(text):
    return yaml.load(text, Loader)


if __name__ == "__main__":
    unittest.main()
