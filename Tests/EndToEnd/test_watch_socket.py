"""The local socket of `opus watch`: other commands use it, work without it, and never disturb the watch or each other."""
import json
import os
import signal
import socket
import stat
import time
import unittest

import prometheus
from letters import letter
from watcher import PATIENCE, Watching, kind
from wiretap import Wiretap
from workplace import Case, servers

RULES = "rules-version: 1\nrules:\n  - { id: news, auto: true, when: 'subject:news', then: archive }\n"


class WatchSocket(Case):
    kind = "imap"

    def prepare(self, settings="", name="workspace", **options):
        self.box = self.new_box()
        self.box.add("INBOX", letter("First"))
        self.wire = self.enterContext(Wiretap(self.box.servers.imap_port))
        self.place = self.new_place(self.box, rules=RULES, name=name)
        self.place.configure(self.box.yaml(port=self.wire.port, security="none", host="127.0.0.1", **options), settings)
        return self.place

    def watched(self, *words, **options):
        self.prepare(**options)
        self.watching = self.enterContext(Watching(self.place, *words))
        _, self.number = self.watching.until(kind("listening"))

    @property
    def path(self):
        return self.place.root / ".opus" / "watch.socket"

    def connected(self):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(PATIENCE)
        client.connect(str(self.path))
        return client

    def ask(self, request):
        """(status line, body) of the answer."""
        with self.connected() as client:
            client.sendall(request)
            text = b""
            while data := client.recv(65536):
                text += data
        head, _, body = text.partition(b"\r\n\r\n")
        return head.split(b"\r\n")[0].decode(), body.decode()

    def comes_to(self, name, mailbox, patience=PATIENCE):
        start = time.monotonic()
        while self.box.where(f"{name}@test.example") != [mailbox]:
            if time.monotonic() - start > patience:
                self.fail(f"{name} is not in {mailbox}")
            time.sleep(0.05)
        return time.monotonic() - start

    def test_only_the_user_may_open_it_and_it_ends_with_the_watch(self):
        self.watched()
        found = os.stat(self.path)
        self.assertTrue(stat.S_ISSOCK(found.st_mode))
        self.assertEqual(stat.S_IMODE(found.st_mode), 0o600)
        self.watching.signal(signal.SIGTERM)
        self.assertEqual(self.watching.process.wait(8), 0)
        self.assertFalse(self.path.exists())

    def test_a_socket_that_a_killed_watch_left_is_replaced(self):
        self.watched()
        self.watching.process.kill()
        self.watching.process.wait()
        self.assertTrue(self.path.exists())
        self.check(self.place.opus("sync", now=None))
        with Watching(self.place) as watching:
            watching.until(kind("listening"))
            self.assertTrue(self.ask(b"GET /state HTTP/1.0\r\n\r\n")[0].endswith("200 OK"))

    def test_metrics_and_state_are_read_from_it(self):
        self.watched()
        status, body = self.ask(b"GET /metrics HTTP/1.1\r\nHost: opus\r\n\r\n")
        self.assertEqual(status, "HTTP/1.0 200 OK")
        self.assertIn('opus_watch_state{account="work",state="listening"} 1\n', body)
        state = json.loads(self.ask(b"GET /state HTTP/1.0\r\n\r\n")[1])
        self.assertEqual((state["process"], state["accounts"][0]["phase"]), (self.watching.process.pid, "listening"))

    def test_the_metrics_are_text_of_prometheus_over_the_socket_and_in_the_file(self):
        self.prepare(name='a "quoted" workspace')
        odd = "An.odd-account_1"
        self.place.configure((self.place.root / "opus.yaml").read_text().partition("accounts:\n")[2].replace(
            "name: work", f'name: "{odd}"'))
        file = self.place.root / "opus.prom"
        with Watching(self.place, "--metrics", str(file)) as watching:
            _, number = watching.until(kind("listening"))
            self.box.add("INBOX", [letter("News 1", "news"), letter("Lunch", "lunch")])
            self.comes_to("news", "Archive")
            _, number = watching.until(kind("applied"), number)
            self.wire.refuse("^(LOGIN|AUTHENTICATE)", "NO [UNAVAILABLE] not now", times=1)
            self.wire.cut()
            watching.until(kind("lost"), number)
            for source in (lambda: self.ask(b"GET /metrics HTTP/1.0\r\n\r\n")[1], file.read_text):
                metrics = prometheus.read(source())
                account = ("account", odd)
                states = {dict(labels)["state"]: value for labels, value in metrics["opus_watch_state"].items()}
                self.assertEqual(sum(states.values()), 1, states)
                self.assertEqual(set(states), {"idle", "connecting", "authenticating", "token-refresh", "mailboxes", "headers",
                                               "bodies", "indexing", "listening", "error"})
                self.assertEqual(metrics["opus_watch_steps_total"][account,], 1)
                self.assertGreaterEqual(metrics["opus_watch_messages_received_total"][account,], 3)
                self.assertGreaterEqual(metrics["opus_watch_lost_connections_total"][account,], 1)
                self.assertAlmostEqual(metrics["opus_watch_last_sync_timestamp_seconds"][account,], time.time(), delta=60)
                self.assertAlmostEqual(metrics["opus_watch_written_timestamp_seconds"][()], time.time(), delta=60)
                self.assertEqual(metrics["opus_watch_silent"][account,], 0)
                waiting = metrics["opus_watch_waiting_steps"]
                self.assertEqual({dict(labels)["reason"] for labels in waiting},
                                 {"lost", "failed", "scheduled", "queued", "confirmation", "decision"})
                self.assertEqual(sum(waiting.values()), 0)

    def test_the_reader_of_metrics_refuses_what_prometheus_refuses(self):
        good = "# HELP a_total A.\n# TYPE a_total counter\na_total{x=\"1\"} 2\n"
        self.assertEqual(prometheus.read(good), {"a_total": {(("x", "1"),): 2.0}})
        for bad in (good[:-1], good.replace(" counter", " count"), good.replace('"1"', '"1'), good + good, good.replace("} 2", "}"),
                    good + 'a_total{x="1"} 3\n', good.replace("a_total", "a"), good + "b 1\n", good.replace('"1"', '"a\\x"')):
            with self.assertRaises(ValueError, msg=bad):
                prometheus.read(bad)

    def test_an_invalid_request_is_refused_and_disturbs_nothing(self):
        self.watched()
        for words, code in ((b"GET /nothing HTTP/1.0\r\n\r\n", 404), (b"POST /metrics HTTP/1.0\r\n\r\n", 404),
                            (b"\x00\xff\r\n\r\n", 400), (b"GET\r\n\r\n", 400), (b"GET /state HTTP/1.0 " + b"x" * 9000, 400),
                            (b"POST /sync?account=nobody HTTP/1.0\r\n\r\n", 503),
                            (b"POST /sync?account=%zz HTTP/1.0\r\n\r\n", 503), (b"POST /sync?x HTTP/1.0\r\n\r\n", 503)):
            try:
                self.assertIn(f" {code} ", self.ask(words)[0], words)
            except ConnectionError:
                self.assertEqual(code, 400, words)
        idle = [self.connected() for _ in range(3)]
        self.box.add("INBOX", letter("News 1", "news"))
        self.comes_to("news", "Archive")
        self.assertIn("listening", self.check(self.place.opus("status", now=None)).text)
        for client in idle:
            client.close()

    def test_a_sync_beside_the_watch_needs_no_login_and_reports_the_same(self):
        self.watched()
        before = self.wire.connections
        self.check(self.place.opus("sync", now=None))
        document = self.check(self.place.opus("sync", "--json", now=None)).json
        self.assertEqual(self.wire.connections, before, "over the connection of the watch")
        os.unlink(self.path)
        own = self.check(self.place.opus("sync", "--json", now=None)).json
        self.assertGreater(self.wire.connections, before, "without the socket it syncs by itself")
        self.assertEqual(document, own)
        self.check(self.place.opus("sync", "--account", "nobody", now=None), 66)

    def test_a_sync_that_the_watch_cannot_do_is_done_or_refused_by_the_command(self):
        self.watched()
        self.wire.refuse(r"^(LOGIN|AUTHENTICATE)", "NO [UNAVAILABLE] not now")
        self.wire.cut()
        self.watching.until(kind("lost"), self.number)
        self.check(self.place.opus("sync", now=None), 75)
        self.wire.open()
        self.check(self.place.opus("sync", now=None))

    def test_the_watch_begins_nothing_while_another_command_needs_the_store(self):
        self.watched()
        with self.connected() as pause:
            pause.sendall(b"POST /pause HTTP/1.0\r\n\r\n")
            self.assertIn(b"paused", pause.recv(4096))
            self.box.add("INBOX", letter("News 1", "news"))
            time.sleep(2.5)
            self.assertEqual(self.box.where("news@test.example"), ["INBOX"])
            self.check(self.place.opus("run", "--dry-run", now=None))
        self.assertLess(self.comes_to("news", "Archive"), 5)

    def test_a_watch_that_is_stopped_is_reported_with_what_it_last_wrote(self):
        self.watched()
        time.sleep(0.5)
        self.watching.signal(signal.SIGSTOP)
        self.addCleanup(self.watching.signal, signal.SIGCONT)
        done = self.check(self.place.opus("status", now=None), 0, "opus watch does not answer", "listening")
        self.assertLess(done.seconds, 5)
        self.assertTrue(self.place.opus("status", "--json", now=None).json["watch"]["isSilent"])

    def test_a_folder_with_a_long_path_has_one_too(self):
        self.watched(name="long/" + "x" * 120)
        self.assertTrue(self.path.exists())
        self.assertIn("listening", self.check(self.place.opus("status", now=None)).text)
        record = self.place.root / ".opus" / "watch.json"
        end = time.monotonic() + PATIENCE
        while not record.exists():
            self.assertLess(time.monotonic(), end, "the watch writes what it does")
            time.sleep(0.05)
        os.unlink(record)
        self.check(self.place.opus("status", now=None), 0, "work: listening")

    def test_a_mail_that_is_held_for_seconds_is_sent_when_they_are_over(self):
        """The watch waits for a later time, and hears of the earlier one."""
        if not servers().has_smtp:
            self.skipTest("Postfix needs root")
        smtp = f"    smtp: {{ host: localhost, port: {servers().smtps_port}, security: tls, ca-file: {servers().ca_file} }}\n"
        self.watched(settings="send: { hold: 4s }\n", extra=smtp)
        (self.place.root / "text").write_text("Text.\n")
        self.check(self.place.opus("compose", "--to", "held-briefly@far.example", "--subject", "One", "--body", "text",
                                   "--send", "--yes", "--detach", now=None))
        end = time.monotonic() + PATIENCE
        while not any("held-briefly" in str(mail["To"]) for mail in servers().captured()):
            self.assertLess(time.monotonic(), end, self.watching.text[-2000:])
            time.sleep(0.1)


if __name__ == "__main__":
    unittest.main()
