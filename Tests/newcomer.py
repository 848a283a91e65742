#!/usr/bin/env python3
"""A newcomer with a fresh Debian follows the README: install, opus init, the first plan, the first apply.

    newcomer.py                    as root: makes a clean Debian with debootstrap, builds opus in it, and plays the newcomer
    newcomer.py --keep FOLDER      the Debian stays in FOLDER, and the next run takes it as it is
    newcomer.py --built PROGRAM    installs this program in place of building one

Debian's packages come from its archive and Swift's from the host: its toolchain is mounted read-only. Copies of the
repositories that the build fetches are taken where git of the host takes them (url.<folder>.insteadOf). The mail is on a
private Dovecot of this machine, which is found through a DNS server and a configuration server on the loopback. Prints what
was measured, and exits with 1 if opus init asks more than 5 questions, or takes more than 30 seconds without a person.
"""
import argparse
import contextlib
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parent
REPOSITORY = TESTS.parent
sys.path[:0] = [str(TESTS / "Servers"), str(TESTS / "EndToEnd")]
from lookups import ConfigurationServer, NameServer  # noqa: E402
from servers import MailServers  # noqa: E402

ADDRESS = "ana@newcomer.example"
HOME = "/home/ana"
#: What Swift needs on Debian 12 (swift.org), and what the README presumes.
PACKAGES = ("binutils,ca-certificates,g++,git,libc6-dev,libcurl4-openssl-dev,libedit2,libncurses-dev,libpython3-dev,"
            "libstdc++-12-dev,libxml2-dev,make,pkg-config,sudo,tzdata,zlib1g-dev")
MOST_QUESTIONS, MOST_SECONDS = 5, 30
#: A question at the end of what is on the screen.
QUESTION = re.compile(r"(: |\? |\] |\): ?)$")


class Root:
    """A clean Debian in a folder, with Swift of this machine."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.mounts = []

    def make(self):
        """Seconds that debootstrap took; None if it is there already."""
        if (self.folder / "etc" / "debian_version").exists():
            return None
        begin = time.monotonic()
        subprocess.run(["debootstrap", "--variant=minbase", f"--include={PACKAGES}", "bookworm", self.folder],
                       check=True, stdout=subprocess.DEVNULL)
        # A temporary folder belongs to root alone; as the root of this Debian, everyone must be able to enter it.
        self.folder.chmod(0o755)
        return time.monotonic() - begin

    def __enter__(self):
        swift = Path(shutil.which("swift") or sys.exit("newcomer: there is no swift here")).resolve().parents[2]
        self.swift = Path("/opt/swift")
        self.bind(swift, self.swift, "ro")
        subprocess.run(["mount", "-t", "proc", "proc", self.folder / "proc"], check=True)
        self.mounts.append(self.folder / "proc")
        self.bind("/dev/pts", "/dev/pts")
        self.take_over_copies()
        shutil.copy("/etc/resolv.conf", self.folder / "etc" / "resolv.conf")
        (self.folder / "etc" / "hosts").write_text("127.0.0.1 localhost\n")
        if not (self.folder / "home" / "ana").exists():
            self.run("useradd --create-home ana")
            (self.folder / "etc" / "sudoers.d" / "ana").write_text("ana ALL=(ALL) NOPASSWD: ALL\n")
        return self

    def take_over_copies(self):
        done = subprocess.run(["git", "config", "--null", "--get-regexp", r"^url\..*\.insteadof$"], capture_output=True,
                              text=True)
        lines = []
        for row in filter(None, done.stdout.split("\0")):
            key, _, address = row.partition("\n")
            folder = Path(key[len("url."):-len(".insteadof")])
            if folder.is_absolute() and folder.is_dir():
                if not any(place == self.folder / str(folder).lstrip("/") for place in self.mounts):
                    self.bind(folder, folder, "ro")
                lines.append(f'[url "{folder}/"]\n\tinsteadOf = {address}\n')
        (self.folder / "etc" / "gitconfig").write_text("".join(lines) + "[safe]\n\tdirectory = *\n")

    def bind(self, source, target, options=None):
        place = self.folder / str(target).lstrip("/")
        place.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "--bind", source, place], check=True)
        self.mounts.append(place)
        if options:
            subprocess.run(["mount", "-o", f"remount,bind,{options}", place], check=True)

    def __exit__(self, *_):
        for place in reversed(self.mounts):
            subprocess.run(["umount", "--lazy", place], check=False)
        # What is still mounted would be deleted with the folder.
        if str(self.folder.resolve()) + "/" in Path("/proc/self/mounts").read_text():
            print(f"newcomer: {self.folder} still has mounts; it stays", file=sys.stderr)
            os._exit(1)

    def words(self, script, user="root", environment=()):
        home = HOME if user == "ana" else "/root"
        path = f"/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:{self.swift}/usr/bin"
        return ["chroot", f"--userspec={user}:{user}", self.folder, "/usr/bin/env", "-i", f"HOME={home}", f"PATH={path}",
                "TERM=xterm", "LANG=C.UTF-8", f"USER={user}", *environment, "/bin/bash", "-euc", f"cd {home}; {script}"]

    def run(self, script, user="root", environment=(), output=None):
        """Seconds."""
        begin = time.monotonic()
        subprocess.run(self.words(script, user, environment), check=True, stdin=subprocess.DEVNULL, stdout=output,
                       stderr=output and subprocess.STDOUT)
        return time.monotonic() - begin


class Person:
    """Runs a command on a terminal and answers what it asks; each question is one that a person must answer."""

    def __init__(self, words, answers):
        self.answers, self.questions, self.text = answers, [], ""
        child, self.terminal = pty.fork()
        if child == 0:
            os.execvp(words[0], list(map(str, words)))
        self.child = child

    def run(self, patience=300):
        """(exit code, seconds)."""
        begin, new = time.monotonic(), ""
        while time.monotonic() < begin + patience:
            if not select.select([self.terminal], [], [], 0.5)[0]:
                if QUESTION.search(new):
                    new = self.answer(new)
                continue
            try:
                data = os.read(self.terminal, 65536)
            except OSError:
                break
            if not data:
                break
            self.text += data.decode("utf-8", "replace")
            new += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", data.decode("utf-8", "replace"))
        _, status = os.waitpid(self.child, 0)
        os.close(self.terminal)
        return os.waitstatus_to_exitcode(status), time.monotonic() - begin

    def answer(self, shown):
        question = shown.rstrip().splitlines()[-1]
        self.questions.append(question)
        typed = next((typed for sign, typed in self.answers if re.search(sign, question)), "")
        os.write(self.terminal, typed.encode() + b"\n")
        return ""


def counted(found, word):
    return f"{len(found)} {word}{'' if len(found) == 1 else 's'}"


def configuration(server):
    """What the domain of the newcomer says about its servers, in the form of Thunderbird."""
    return (f'<?xml version="1.0"?><clientConfig version="1.1"><emailProvider id="newcomer.example">'
            f'<incomingServer type="imap"><hostname>localhost</hostname><port>{server.imaps_port}</port>'
            f'<socketType>SSL</socketType><username>%EMAILLOCALPART%</username></incomingServer>'
            f'<outgoingServer type="smtp"><hostname>localhost</hostname><port>{server.smtps_port}</port>'
            f'<socketType>SSL</socketType><username>%EMAILLOCALPART%</username></outgoingServer>'
            f'</emailProvider></clientConfig>').encode()


def commands():
    """The commands of "Five minutes to your own mail" in the README."""
    text = (REPOSITORY / "README.md").read_text()
    block = text.partition("## Five minutes to your own mail")[2].partition("```sh\n")[2].partition("```")[0]
    lines = [line.partition("  #")[0].strip() for line in block.splitlines()]
    wanted = ["mkdir ~/mail && cd ~/mail", "opus init you@example.org", "opus run"]
    if lines[:3] != wanted:
        sys.exit(f"newcomer: the README has other commands than this script plays: {lines}")
    return [line.replace("you@example.org", ADDRESS) for line in lines[:3]]


def install(root, built, log):
    """Seconds for `make install`, as the README says it; with a program that is built already, for a copy."""
    shutil.rmtree(root.folder / "home/ana/opus", ignore_errors=True)
    subprocess.run(["git", "-c", "safe.directory=*", "clone", "--quiet", "--depth", "1", f"file://{REPOSITORY}",
                    root.folder / "home/ana/opus"], check=True)
    root.run(f"chown -R ana:ana {HOME}/opus")
    if built:
        shutil.copy(built, root.folder / "home/ana/opus/built")
        return root.run(f"cd {HOME}/opus; .ci/packages build; .ci/install ./built /usr/local", output=log)
    return root.run(f"cd {HOME}/opus; make install", output=log)


def trust(root, server):
    """The private authority, as an administrator of the machine would add it."""
    shutil.copy(server.authority.ca_file, root.folder / "usr/local/share/ca-certificates/private.crt")
    root.run("update-ca-certificates --fresh", output=subprocess.DEVNULL)


def play(root, server, found, log):
    """What the newcomer sees: rows of the report, and what is wrong."""
    folder, init, run = commands()
    rows, wrong = [], []
    person = Person(root.words(f"{folder} && {init}", "ana", found),
                    [("password command|prints the password", ""), ("password", server.password), (r"y/N|Y/n", "y")])
    code, seconds = person.run()
    log.write(person.text.encode())
    rows.append(("`opus init` with a person: address to the first plan", f"{seconds:.1f} s, {counted(person.questions, 'question')}"))
    rows += [("", f"“{question}”") for question in person.questions]
    if code or "Nothing was changed" not in person.text:
        wrong.append(f"opus init ended with {code}: {person.text[-2000:]}")
    if len(person.questions) > MOST_QUESTIONS:
        wrong.append(f"opus init asked {len(person.questions)} questions")
    if any(held.flags & {r"\Flagged", r"\Answered"} for held in server.contents("ana") if "INV-2041" in held.subject):
        wrong.append("opus init changed the mail")
    before = len(server.contents("ana"))
    person = Person(root.words(f"cd ~/mail && {run}", "ana", found), [("y/N|Y/n", "y")])
    code, seconds = person.run()
    log.write(person.text.encode())
    after = len(server.contents("ana"))
    rows.append(("`opus run`: the first plan is applied", f"{seconds:.1f} s, {counted(person.questions, 'question')}; "
                 f"{before} messages in the inbox, then {after}"))
    if code or after >= before:
        wrong.append(f"opus run ended with {code}, {before} messages, then {after}: {person.text[-2000:]}")
    seconds = root.run(f"mkdir -p ~/alone && cd ~/alone && echo '{server.password}' > password && chmod 600 password && "
                       f"opus init {ADDRESS} --yes --password-command 'cat password'", "ana", found, output=log)
    rows.append(("`opus init --yes` without a person", f"{seconds:.1f} s"))
    if seconds > MOST_SECONDS:
        wrong.append(f"opus init without a person took {seconds:.0f} s")
    return rows, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", metavar="FOLDER", help="where the Debian is made, and stays")
    parser.add_argument("--built", metavar="PROGRAM", help="a program to install in place of building one")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("newcomer: needs root, for debootstrap and chroot")
    if not shutil.which("debootstrap"):
        sys.exit("newcomer: needs debootstrap (apt-get install debootstrap)")
    commands()
    with contextlib.ExitStack() as stack:
        folder = options.keep or stack.enter_context(tempfile.TemporaryDirectory(prefix="opus-newcomer-"))
        root = Root(folder)
        seconds = root.make()
        log = stack.enter_context(open(f"{folder}.log", "ab"))
        stack.enter_context(root)
        rows = [("a clean Debian with what Swift needs (debootstrap)", f"{seconds:.0f} s" if seconds else "was there")]
        try:
            seconds = install(root, options.built, log)
        except subprocess.CalledProcessError as error:
            sys.exit(f"newcomer: the installation failed with {error.returncode}; see {log.name}")
        rows.append(("`make install`: missing packages, release build" if not options.built else "packages, copy of a program",
                     f"{seconds:.0f} s"))
        server = stack.enter_context(MailServers())
        server.add_user("ana")
        server.fill("ana", REPOSITORY / "Sources/opus/DemoMail/INBOX")
        trust(root, server)
        names = stack.enter_context(NameServer({}))
        web = stack.enter_context(ConfigurationServer({"/v1.1/newcomer.example": configuration(server)}, server.certificate))
        found = (f"OPUS_RESOLVER={names.address}", f"OPUS_ISPDB={web.base}")
        more, wrong = play(root, server, found, log)
    width = max(len(row[0]) for row in rows + more)
    for what, measured in rows + more:
        print(f"{what:{width}}  {measured}")
    for text in wrong:
        print(f"newcomer: {text}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
