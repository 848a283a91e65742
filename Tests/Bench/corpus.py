#!/usr/bin/env python3
"""A made-up mailbox of any size: the same seed gives the same bytes. About 28 KB a message, most of it in few of them;
a light one has the same kinds with shorter letters and smaller files, about 6 KB a message.

    corpus.py DIR COUNT [--seed N] [--light]     writes a Maildir++ (INBOX, Archive, Sent)

Kinds of mail: newsletters with HTML, notifications, mailing lists, people (in several languages, threaded), invoices
with a PDF, and mail with large attachments. A tenth of the words are common, most are rare, as in real text.
"""
import argparse
import base64
import itertools
import os
import quopri
import random
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import NamedTuple

ME = "Ana Ruiz <ana@acme.example>"
NEWEST = datetime(2026, 3, 10, 8, 0, tzinfo=timezone(timedelta(hours=1)))

COMMON = """the of and to in a is that for it on you with as this be are we have not by at from or your an will can if our
please meeting project time all but they one more new about up would there when so out what which some any like now
report team budget invoice review draft release change update plan week today tomorrow monday friday order delivery
account payment schedule attached thanks regards question answer deadline contract server build test branch version
travel flight hotel ticket family dinner school weekend photo house garden tax bank""".split()
LOCAL = {
    "utf-8": "größe übermorgen prüfen réunion équipe déjà naïve señor mañana żółw příště €100 – „so“".split(),
    "iso-8859-1": "für über können möchte büro später rückmeldung déjà été réunion problème réponse reçu".split(),
    "koi8-r": "проект встреча завтра спасибо отчёт договор счёт вопрос ответ сервер письмо версия задача".split(),
    "iso-2022-jp": "会議 明日 資料 確認 予定 変更 報告 添付 連絡 担当 来週 完了 見積 契約".split(),
}
SYLLABLES = "ba be bo da di do fa fe ga go ka ke ki la le li lo ma mi mo na ne no pa ra re ri ro sa se ta te ti to va vi za".split()
FIRST = "Anna Ben Carla David Elif Farid Grace Hugo Ines Jonas Kira Liam Mona Nils Olga Paul Quinn Rosa Sven Tara".split()
LAST = "Albers Brandt Costa Dietz Evans Fischer Grant Ito Jensen Keller Larsen Novak Petrov Rossi Tanaka Vogel".split()
LETTERS = "daily-digest shopfront travelmail techweekly recipes bookclub financebrief gamesdeals localnews fitlife".split()
ROBOTS = "forge ci bank parcel calendar monitor social".split()
LISTS = "dev users announce".split()

# (kind, share); invoices and files make the size, people and robots the number.
KINDS = [("newsletter", 22), ("robot", 20), ("list", 20), ("person", 26), ("invoice", 5), ("file", 7)]


class Sizes(NamedTuple):
    """What makes a mailbox heavy: paragraphs of a newsletter (least, most), bytes of an invoice (least, most), and of
    other files (the least, the most; a few are very large)."""

    newsletter: tuple
    invoice: tuple
    file: tuple


FULL = Sizes(newsletter=(8, 40), invoice=(15_000, 90_000), file=(55_000, 900_000))
LIGHT = Sizes(newsletter=(2, 18), invoice=(3_000, 14_000), file=(3_000, 80_000))


class Corpus:
    def __init__(self, seed=7, light=False):
        self.random = random.Random(seed)
        self.sizes = LIGHT if light else FULL
        self.number = 0
        self.threads = {"list": [], "person": []}
        words = random.Random(1)
        rare = ["".join(words.choices(SYLLABLES, k=words.randint(2, 5))) for _ in range(12_000)]
        vocabulary = COMMON + rare
        weights = list(itertools.accumulate(1 / (rank + 3) for rank in range(len(vocabulary))))
        self.paragraphs = [
            _wrap(words.choices(vocabulary, cum_weights=weights, k=words.randint(20, 110))) for _ in range(3_000)
        ]
        self.blob = base64.encodebytes(words.randbytes(4_000_000))

    def message(self, sent):
        """(bytes with LF line ends, mailbox, flags)"""
        self.number += 1
        r = self.random
        kind = r.choices([k for k, _ in KINDS], [share for _, share in KINDS])[0]
        headers, body = getattr(self, "_" + kind)()
        date = sent.strftime("%a, %d %b %Y %H:%M:%S %z")
        domain = headers["From"].rpartition("@")[2].rstrip(">")
        trace = (
            f"Return-Path: <bounce-{self._hex(8)}@{domain}>\nDelivered-To: ana@acme.example\n"
            f"Received: from mx.{domain} (mx.{domain} [192.0.2.{r.randrange(256)}])\n\tby mx.acme.example (Postfix)"
            f" with ESMTPS id {self._hex(12)}\n\tfor <ana@acme.example>; {date}\n"
            f"DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d={domain}; s=s1;\n\tbh={self._hex(43)}=;\n\t"
            f"b={self._hex(70)}\n\t {self._hex(70)}\n"
        )
        head = "".join(f"{name}: {value}\n" for name, value in headers.items())
        mailbox = r.choices(["INBOX", "Archive", "Sent"], [55, 40, 5])[0]
        return (trace + head + f"Date: {date}\nMIME-Version: 1.0\n").encode() + body, mailbox, r.choice(["", "S", "S", "RS"])

    def mailbox(self, count):
        """Messages of the last year, oldest first."""
        for index in range(count):
            yield self.message(NEWEST - timedelta(minutes=(count - index) * (525_600 // max(count, 1))))

    # Kinds

    def _newsletter(self):
        name = self.random.choice(LETTERS)
        paragraphs = self.random.choices(self.paragraphs, k=self.random.randint(*self.sizes.newsletter))
        html = "".join(
            f'<tr><td style="padding:12px 24px;font-family:Helvetica,Arial,sans-serif;color:#333">{p}</td></tr>\n'
            f'<tr><td><a href="https://click.{name}.example/{self._hex(40)}">{self._words(2)}</a></td></tr>\n'
            for p in paragraphs)
        html = f'<html><head><style>td {{ margin:0 }}</style></head><body><table width="100%">\n{html}</table></body></html>\n'
        return {
            "From": f'"{name.title()}" <news@{name}.example>', "To": ME, "Subject": self._words(6).capitalize(),
            "Message-ID": self._message_id(f"{name}.example"), "List-Id": f"<news.{name}.example>",
            "List-Unsubscribe": f"<https://{name}.example/u/{self._hex(20)}>", "Precedence": "bulk",
        }, self._alternative("\n\n".join(paragraphs[:6]), html)

    def _robot(self):
        name = self.random.choice(ROBOTS)
        return {
            "From": f"{name.title()} <no-reply@{name}.example>", "To": ME,
            "Subject": f"[{name}] {self._words(4)} #{self.number}",
            "Message-ID": self._message_id(f"{name}.example"), "Auto-Submitted": "auto-generated",
        }, self._text(self._prose(1, 4), "utf-8")

    def _list(self):
        name = self.random.choice(LISTS)
        return self._conversation("list", f"{name}@lists.example", f"[{name}] ", {
            "List-Id": f"<{name}.lists.example>", "List-Unsubscribe": f"<mailto:{name}-leave@lists.example>",
            "Precedence": "list"}, "utf-8", self._prose(2, 12))

    def _person(self):
        charset = self.random.choices([*LOCAL], [70, 15, 8, 7])[0]
        words = self.random.choices(LOCAL[charset], k=self.random.randint(10, 60))
        text = self._prose(1, 5) if charset in ("utf-8", "iso-8859-1") else ""
        return self._conversation("person", ME, "", {}, charset, _wrap(words) + "\n\n" + text)

    def _invoice(self):
        number = f"INV-{1000 + self.number}"
        text = f"Please find attached invoice {number}.\nPayment is due by 31 March 2026.\n\n{self._prose(1, 2)}"
        return {
            "From": "Vendor Billing <billing@vendor.example>", "To": ME, "Subject": f"Invoice {number}",
            "Message-ID": self._message_id("vendor.example"),
        }, self._mixed(text, f"{number}.pdf", "application/pdf", self.random.randint(*self.sizes.invoice))

    def _file(self):
        headers, _ = self._person()
        least, most = self.sizes.file
        size = min(most, int(least * self.random.paretovariate(1.1)))
        return headers, self._mixed(self._prose(1, 3), f"photo-{self.number}.jpg", "image/jpeg", size)

    # Pieces

    def _conversation(self, kind, to, prefix, extra, charset, text):
        r, past = self.random, self.threads[kind]
        name = f"{r.choice(FIRST)} {r.choice(LAST)}"
        address = f"{name.lower().replace(' ', '.')}@{r.choice(['example.com', 'uni.example', 'firma.example'])}"
        message_id = self._message_id(address.partition("@")[2])
        headers = {"From": f"{name} <{address}>", "To": to, "Message-ID": message_id, **extra}
        if past and r.random() < 0.6:
            subject, references = r.choice(past[-500:])
            headers |= {"Subject": f"Re: {subject}", "In-Reply-To": references[-1],
                        "References": "\n ".join(references)}
            text += "\n" + "".join(f"> {line}\n" for line in r.choice(self.paragraphs).splitlines())
        else:
            subject, references = prefix + self._words(5), []
            headers["Subject"] = subject
        past.append((subject, [*references, message_id][-15:]))
        return headers, self._text(text, charset)

    def _text(self, text, charset):
        if charset == "iso-2022-jp":
            return f"Content-Type: text/plain; charset={charset}\n\n".encode() + text.encode(charset, "replace")
        if charset == "koi8-r":
            return (f"Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: 8bit\n\n".encode()
                    + text.encode(charset, "replace"))
        return (f"Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: quoted-printable\n\n".encode()
                + quopri.encodestring(text.encode(charset, "replace")))

    def _alternative(self, text, html):
        edge = self._hex(24)
        return (f'Content-Type: multipart/alternative; boundary="{edge}"\n\n--{edge}\n'.encode()
                + self._text(text + "\n", "utf-8")
                + f"\n--{edge}\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n{html}\n--{edge}--\n".encode())

    def _mixed(self, text, name, content_type, size):
        edge = self._hex(24)
        lines = size * 4 // 3 // 77
        start = self.random.randrange(0, len(self.blob) // 77 - lines) * 77 if lines * 77 < len(self.blob) else 0
        return (f'Content-Type: multipart/mixed; boundary="{edge}"\n\n--{edge}\n'.encode() + self._text(text, "utf-8")
                + f'\n--{edge}\nContent-Type: {content_type}; name="{name}"\nContent-Transfer-Encoding: base64\n'
                  f'Content-Disposition: attachment; filename="{name}"\n\n'.encode()
                + self.blob[start:start + lines * 77] + f"--{edge}--\n".encode())

    def _prose(self, least, most):
        return "\n\n".join(self.random.choices(self.paragraphs, k=self.random.randint(least, most))) + "\n"

    def _words(self, count):
        return " ".join(self.random.choice(self.paragraphs).split()[:count]).rstrip(".,")

    def _hex(self, length):
        return "%0*x" % (length, self.random.getrandbits(4 * length))

    def _message_id(self, domain):
        return f"<{self._hex(16)}.{self.number}@{domain}>"


def _wrap(words):
    lines, line = [], ""
    for word in words:
        if len(line) + len(word) > 70:
            lines.append(line)
            line = ""
        line += (" " if line else "") + word
    return "\n".join([*lines, line]) + "."


def write_maildir(root, messages, owner=None, tag="bench"):
    """Files as an IMAP server names them: LF line ends, both sizes in the name. Returns (count, bytes)."""
    root, total, count = Path(root), 0, 0
    made = set()
    for count, (message, mailbox, flags) in enumerate(messages, 1):
        folder = root if mailbox == "INBOX" else root / f".{mailbox}"
        if folder not in made:
            for path in (folder, folder / "cur", folder / "new", folder / "tmp"):
                path.mkdir(parents=True, exist_ok=True)
                if owner is not None:
                    os.chown(path, owner, owner)
            made.add(folder)
        crlf = len(message) + message.count(b"\n")
        # Numbers that grow give the server's UIDs the order of the dates.
        path = folder / "cur" / f"{1_700_000_000 + count}.M{count}P1.{tag},S={len(message)},W={crlf}:2,{flags}"
        path.write_bytes(message)
        if owner is not None:
            os.chown(path, owner, owner)
        total += len(message)
    return count, total


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--light", action="store_true")
    options = parser.parse_args()
    number, size = write_maildir(options.folder, Corpus(options.seed, options.light).mailbox(options.count))
    print(f"{number} messages, {size / 1e6:.1f} MB, {size / max(number, 1) / 1024:.1f} KB each")
