"""What the documents say, held against the program and its sources."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
DOCS = REPOSITORY / "docs"
SOURCES = REPOSITORY / "Sources"
PROGRAM = Path(os.environ.get("OPUS", REPOSITORY / ".build" / "debug" / "opus")).resolve()

sys.dont_write_bytecode = True
sys.path.insert(0, str(DOCS / "tools"))
import blocks  # noqa: E402


def text(path):
    return path.read_text(encoding="utf-8")


def sources():
    return {path: text(path) for path in sorted(SOURCES.rglob("*.swift"))}


def rows(page, pattern):
    """The cells of every row of a page's tables whose first cell is `pattern`."""
    for line in text(page).splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells and re.fullmatch(pattern, cells[0].strip("`")):
            yield [cells[0].strip("`"), *cells[1:]]


class Examples(unittest.TestCase):
    """Every console block prints what the page shows."""

    def test_console_blocks_print_what_the_pages_show(self):
        ran = 0
        for page in blocks.pages():
            with self.subTest(page=page.name):
                ran += len(blocks.commands(page))
                wrong = blocks.check(page, PROGRAM)
                shown = "\n\n".join(blocks.difference(page, *one) for one in wrong)
                self.assertFalse(wrong, f"{page.name} is not what opus prints (when it should be: make docs)\n\n{shown}")
        self.assertGreater(ran, 50, "the pages have lost their examples")

    def test_the_readme_shows_the_demonstration(self):
        block = next((body for info, _, body in blocks.fences(text(REPOSITORY / "README.md").splitlines())
                      if info == "console demo"), [])
        self.assertEqual(block[:1], ["$ opus demo"])
        self.assertGreater(len([line for line in block if line != blocks.ANY]), 10)

    def test_the_demonstration_prints_the_same_bytes_every_time(self):
        with blocks.Workspace(PROGRAM) as workspace:
            first, second = workspace.run("opus demo"), workspace.run("opus demo")
        self.assertEqual(first, second)
        self.assertIn(len(first), range(30, 61), "a week on one screen")

    def test_an_ellipsis_matches_any_lines_and_other_lines_match_only_themselves(self):
        self.assertTrue(blocks.matches(["a", "…", "c"], ["a", "b", "b", "c"]))
        self.assertTrue(blocks.matches(["a", "…"], ["a"]))
        self.assertFalse(blocks.matches(["a", "…", "c"], ["a", "b"]))
        self.assertFalse(blocks.matches(["a"], ["a", "b"]))
        self.assertFalse(blocks.matches([], ["a"]))

    def test_yaml_examples_check_without_errors(self):
        kinds = {"config-version:": "account list", "rules-version:": "rules check"}
        checked = 0
        for page in blocks.pages():
            for info, line, body in blocks.fences(text(page).splitlines()):
                content = "\n".join(body) + "\n"
                first = next((row for row in body if row.strip() and not row.startswith("#")), "")
                command = next((kinds[key] for key in kinds if first.startswith(key)), None)
                if info != "yaml" or command is None:
                    continue
                checked += 1
                with self.subTest(page=page.name, line=line), blocks.Workspace(PROGRAM) as workspace:
                    if command == "rules check":
                        shutil.rmtree(workspace.root / "rules")
                        (workspace.root / "rules").mkdir()
                        (workspace.root / "rules" / "10-example.yaml").write_text(content)
                        (workspace.root / "Maildir" / ".Deferred" / "cur").mkdir(parents=True, exist_ok=True)
                        command = "rules check && opus rules test"
                    else:
                        (workspace.root / "opus.yaml").write_text(content)
                        for name in re.findall(r"ca-file: *([^ ,}]+)", content):
                            file = workspace.root / name
                            file.parent.mkdir(parents=True, exist_ok=True)
                            file.write_text("")
                    shown = workspace.run(f"opus {command}; echo exit $?")
                    self.assertEqual(shown[-1], "exit 0", "\n".join(shown))
        self.assertGreaterEqual(checked, 4)


class Links(unittest.TestCase):
    def test_every_relative_link_leads_somewhere(self):
        for page in blocks.pages():
            body = re.sub(r"(?ms)^\s*(`{3,}).*?^\s*\1`*\s*$", "", text(page))
            body = re.sub(r"`[^`\n]*`", "", body)
            for target in re.findall(r"\]\(([^)\s]+)\)", body):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                goal = (page.parent / path).resolve() if path else page
                with self.subTest(page=page.name, link=target):
                    self.assertTrue(goal.exists(), "no such file")
                    if anchor and goal.suffix == ".md":
                        self.assertIn(anchor, anchors(goal), "no such heading")

    def test_every_page_can_be_reached_from_the_readme(self):
        linked = set(re.findall(r"\]\((docs/[^)#\s]+)", text(REPOSITORY / "README.md")))
        for page in sorted(DOCS.glob("*.md")):
            self.assertIn(f"docs/{page.name}", linked, "the README's index does not have it")

    def test_no_page_names_this_machine(self):
        for page in blocks.pages():
            self.assertNotRegex(text(page), r"/tmp/opus-docs|/root\b", page.name)


def anchors(page):
    """Headings as GitHub turns them into anchors."""
    found = set()
    body = re.sub(r"(?ms)^(`{3,}).*?^\1`*\s*$", "", text(page))
    for heading in re.findall(r"(?m)^#+ (.+)$", body):
        plain = re.sub(r"[`*]", "", heading).lower()
        found.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return found


class CommandLine(unittest.TestCase):
    """docs/cli.md, the man pages and the completions against what the program says of itself."""

    @classmethod
    def setUpClass(cls):
        run = subprocess.run([PROGRAM, "--experimental-dump-help"], capture_output=True, text=True, check=True)
        cls.root = json.loads(run.stdout)["command"]

    @classmethod
    def leaves(cls, command=None, words=()):
        command = command or cls.root
        below = [c for c in command.get("subcommands", []) if c["commandName"] != "help"]
        if not below:
            yield words, command
        for sub in below:
            yield from cls.leaves(sub, (*words, sub["commandName"]))

    def options(self, command):
        names = set()
        for argument in command.get("arguments", []):
            for name in argument.get("names", []):
                names.add(("-" if name["kind"] == "short" else "--") + name["name"])
        return names

    def sections(self):
        found, words = {}, None
        for line in text(DOCS / "cli.md").splitlines():
            heading = re.match(r"#+ (.*)$", line)
            if heading:
                words = tuple(heading[1].split()[1:]) if heading[1].startswith("opus ") else ("*",)
                words = words if heading[1].startswith(("opus ", "Options of every")) else None
            elif words is not None:
                row = re.match(r"\| (`-.*?) \|", line)
                for name in re.findall(r"`(--?[a-z-]+)", row[1] if row else ""):
                    found.setdefault(words, set()).add(name)
                found.setdefault(words, set())
        return found

    def test_every_command_and_option_is_described_and_nothing_else(self):
        described = self.sections()
        common = described.pop(("*",))
        real = {words: self.options(command) for words, command in self.leaves()}
        shared = set.intersection(*real.values()) | {"--version", "-h", "--help"}
        self.assertEqual(common, shared)
        groups = {words[:1] for words in real if len(words) > 1}
        self.assertEqual(set(described) - groups, set(real))
        for words, names in sorted(real.items()):
            self.assertEqual(described[words], names - shared, "opus " + " ".join(words))

    def test_every_command_has_an_example(self):
        shown = "\n".join(command.text for command in blocks.commands(DOCS / "cli.md"))
        for words, _ in self.leaves():
            name = " ".join(words)
            default = {"runs list": "runs"}.get(name, name)
            self.assertRegex(shown, rf"opus (--now \S+ )?({name}|{default})\b")

    def test_help_is_help(self):
        for words in [(), ("--help",), ("help",), ("list", "--help"), ("task", "done", "-h")]:
            run = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
            with self.subTest(words=words):
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                self.assertIn("USAGE:", run.stdout)

    def test_man_pages_and_completions_are_those_of_this_program(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, DOCS / "tools" / "make-man.py", PROGRAM, folder], check=True)
            for part in ("man", "completions"):
                made = {path.name: text(path) for path in (Path(folder) / part).iterdir()}
                kept = {path.name: text(path) for path in (DOCS / part).iterdir()}
                self.assertEqual(sorted(made), sorted(kept), f"docs/{part} is stale: make docs")
                for name, content in made.items():
                    self.assertEqual(kept[name].splitlines(), content.splitlines(), f"docs/{part}/{name} is stale: make docs")

    def test_the_picture_shows_what_this_program_prints(self):
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / "demo.svg"
            subprocess.run([sys.executable, DOCS / "tools" / "picture.py", PROGRAM, made], check=True)
            self.assertEqual(text(DOCS / "demo.svg"), text(made), "docs/demo.svg is stale: make docs")

    def test_man_pages_have_no_warnings(self):
        if not shutil.which("man"):
            self.skipTest("no man here")
        for page in sorted((DOCS / "man").glob("*.1")):
            run = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page],
                                 capture_output=True, text=True, env={**os.environ, "MANWIDTH": "80"})
            self.assertEqual((run.returncode, run.stderr), (0, ""), page.name)

    def test_completions_can_be_read_by_their_shells(self):
        for shell, name in [("bash", "opus.bash"), ("zsh", "_opus"), ("fish", "opus.fish")]:
            if not shutil.which(shell):
                continue
            run = subprocess.run([shell, "-n", DOCS / "completions" / name], capture_output=True, text=True)
            self.assertEqual((run.returncode, run.stderr), (0, ""), name)


class Codes(unittest.TestCase):
    """Tables of codes against the sources."""

    @classmethod
    def setUpClass(cls):
        problem = text(next(SOURCES.rglob("Problem.swift")))
        body = problem[problem.index("enum ExitStatus"):]
        cls.status = {name: int(code) for name, code in re.findall(r"case (\w+) = (\d+)", body)}

    def test_exit_codes_are_those_of_the_program(self):
        described = [[row[0], row[1].replace("`", "")] for row in rows(DOCS / "exit-codes.md", r"\d+")]
        self.assertEqual([row[0] for row in described], [str(c) for c in self.status.values()])
        page = subprocess.run([PROGRAM, "help", "exit-codes"], capture_output=True, text=True, check=True).stdout
        printed = re.findall(r"^  (\d+) +(.*(?:\n {4,}.*)*)", page, re.MULTILINE)
        self.assertEqual([[code, re.sub(r"\s+", " ", meaning)] for code, meaning in printed], described)

    def test_every_variable_that_opus_reads_is_on_its_help_page(self):
        page = subprocess.run([PROGRAM, "help", "environment"], capture_output=True, text=True, check=True).stdout
        used = {name for body in sources().values() for name in re.findall(r'"(OPUS_[A-Z_]+)"', body)}
        self.assertEqual(used, set(re.findall(r"\bOPUS_[A-Z_]+", page)))

    def test_every_finding_has_a_row(self):
        used = {code for body in sources().values() for code in re.findall(r'"([CRY]\d{3})"', body)}
        described = {row[0] for row in rows(DOCS / "errors.md", r"[CRY]\d{3}")}
        self.assertEqual(used, described)

    def test_every_problem_has_a_row_with_its_exit_codes(self):
        used = {}
        for body in sources().values():
            for code, status in re.findall(r'Problem\(\s*"([a-z][a-z0-9-]*)",\s*exit:\s*\.?(\w+)', body):
                used.setdefault(code, set()).add(status)
        found = [(row[0], {int(c) for c in row[1].split(", ")}) for row in rows(DOCS / "errors.md", r"[a-z][a-z-]+")
                 if re.fullmatch(r"[\d, ]+", row[1])]
        described = dict(found)
        self.assertEqual(sorted(name for name, _ in found), sorted(described), "a code has one row")
        self.assertEqual(set(used), set(described))
        for code, names in used.items():
            if names <= set(self.status):      # else the exit code is worked out elsewhere
                self.assertEqual({self.status[name] for name in names}, described[code], code)

    def test_every_schema_is_described_with_an_example(self):
        used = {name for body in sources().values() for name in re.findall(r'"(opus\.[a-z-]+/\d+)"', body)}
        page = text(DOCS / "json.md")
        self.assertEqual(used, set(re.findall(r"(?m)^## (opus\.[a-z-]+/\d+)$", page)))
        self.assertEqual(used, set(re.findall(r"(?m)^\| \[`(opus\.[a-z-]+/\d+)`\]", page)))
        for name in used:
            self.assertRegex(page, f'"schema" ?: ?"{name}"')

    def test_every_defect_and_every_limit_of_a_message_has_a_row(self):
        source = text(SOURCES / "MIMEParser" / "Parts" / "Defect.swift")
        names = source[source.index("enum Name"):source.index("var isLimit")]
        limits = re.search(r"var isLimit.*?case (.*?):\s*true", source, re.S).group(1)
        page = DOCS / "messages.md"
        described = {row[0]: row[1] for row in rows(page, r"[a-z]+\d*[A-Z]\w+")}
        self.assertEqual(list(described), re.findall(r"case (\w+)", names))
        self.assertEqual({name for name, why in described.items() if "(a limit)" in why},
                         set(re.findall(r"\.(\w+)", limits)))
        units = {"": 1, "KiB": 1024, "MiB": 1024 * 1024}
        sizes = re.findall(r"\| (\d+) ?(KiB|MiB)? \|$", text(page).replace(",", ""), re.M)
        numbers = {int(number) * units[unit] for number, unit in sizes}
        written = re.findall(r"public var \w+ = ([\d_ *]+)", source)
        self.assertEqual(numbers, {eval(value.replace("_", "")) for value in written})


if __name__ == "__main__":
    unittest.main()
