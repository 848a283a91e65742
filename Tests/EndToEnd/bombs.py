"""Messages that were written to break parsers: deep, wide, long, or all at once.

`bombs(megabytes)` gives each as a `Bomb`; the large ones are that large. They are made when they are needed and
never kept: together they are gigabytes.
"""
import base64
import struct
from typing import Callable, NamedTuple

COUNT = 100_000
HEAD = b"From: Ann Example <ann@example.org>\r\nSubject: bomb\r\nDate: Thu, 05 Mar 2026 10:00:00 +0100\r\n"
LIMITS = {"depth": "tooDeep", "parts": "tooManyParts", "block": "headerBlockTooLarge", "field": "headerFieldTooLarge",
          "fields": "tooManyHeaderFields", "parameters": "tooManyParameters", "words": "tooManyEncodedWords"}


class Bomb(NamedTuple):
    name: str
    #: The bytes of the message.
    make: Callable[[], bytes]
    #: Names of defects that must be there: the limits that it hits.
    defects: frozenset


def bombs(megabytes=50):
    size = megabytes * 1024 * 1024
    for table in (_trees, _boundaries, _headers, _words, _parameters, _addresses, _ids_and_dates, _contents,
                  _charsets, _held_files, _texts, _html):
        for name, make, *limits in table(size):
            yield Bomb(name, make, frozenset(LIMITS[limit] for limit in limits))


def _message(fields=b"", body=b""):
    return HEAD + fields + b"\r\n" + body


def _field(body, name=b"X-Bomb"):
    return _message(name + b": " + body + b"\r\n", b"text\r\n")


def _to(body):
    return _message(b"To: " + body + b"\r\n", b"text\r\n")


def _content(type_, body, encoding=b"7bit"):
    return _message(b"Content-Type: " + type_ + b"\r\nContent-Transfer-Encoding: " + encoding + b"\r\n", body)


def _mixed(body, boundary=b"b"):
    return _content(b'multipart/mixed; boundary="' + boundary + b'"', body)


def _filled(piece, size):
    return (piece * (size // len(piece) + 1))[:size]


def _trees(size):
    def nested(opening, closing=None):
        return lambda: _mixed(b"--b\r\n" + b"".join(opening(i) for i in range(COUNT)) + b"\r\ndeep\r\n"
                              + (b"".join(closing(i) for i in reversed(range(COUNT))) if closing else b""))

    def multipart(i):
        return b"Content-Type: multipart/mixed; boundary=b%06d\r\n\r\n--b%06d\r\n" % (i, i)

    yield "depth-100000-multiparts", nested(multipart), "depth"
    yield "depth-100000-multiparts-closed", nested(multipart, lambda i: b"--b%06d--\r\n" % i), "depth"
    yield "depth-100000-multiparts-same-boundary", nested(
        lambda _: b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n"), "depth"
    yield "depth-100000-messages", nested(lambda _: b"Content-Type: message/rfc822\r\n\r\n"), "depth"
    yield "depth-100000-digests", nested(
        lambda i: b"Content-Type: multipart/digest; boundary=d%06d\r\n\r\n--d%06d\r\n\r\n" % (i, i)), "depth"
    yield "depth-messages-in-base64", lambda: _in_base64(20)
    yield "parts-100000", lambda: _mixed(b"--b\r\n\r\nx\r\n" * COUNT + b"--b--\r\n"), "parts"
    yield "parts-1000000-empty", lambda: _mixed(b"--b\r\n" * 1_000_000), "parts"
    yield "parts-100000-alternatives", lambda: _content(
        b"multipart/alternative; boundary=b", b"--b\r\nContent-Type: text/html\r\n\r\n<p>x\r\n" * COUNT), "parts"
    yield "parts-100000-messages", lambda: _content(
        b"multipart/digest; boundary=b", b"--b\r\n\r\nSubject: x\r\n\r\nx\r\n" * COUNT), "parts"
    yield "parts-100000-attachments", lambda: _mixed(
        b"--b\r\nContent-Disposition: attachment; filename=a\r\n\r\nx\r\n" * COUNT), "parts"


def _in_base64(levels):
    """A message in a message, each in base64 again: a third larger at every level."""
    inner = b"Subject: innermost\r\n\r\ntext\r\n"
    for _ in range(levels):
        inner = b"Subject: inner\r\nContent-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n" \
            + base64.encodebytes(inner)
    return HEAD + inner


def _boundaries(size):
    long = b"x" * 60_000
    yield "boundary-lines-1000000-of-no-boundary", lambda: _mixed(b"--c\r\n" * 1_000_000)
    yield "boundary-lines-nearly", lambda: _mixed((b"--" + b"a" * 69 + b"c\r\n") * (size // 80), b"a" * 70)
    yield "boundary-of-60000-bytes", lambda: _mixed((b"--" + long + b"\r\n\r\nx\r\n") * 10, long)
    yield "boundary-of-60000-bytes-nearly", lambda: _mixed((b"--" + long[:-1] + b"y\r\n") * (size // 60_000), long)
    yield "boundary-prefixes-of-each-other", lambda: _mixed(b"--b\r\n" + b"".join(
        b"Content-Type: multipart/mixed; boundary=%s\r\n\r\n--%s\r\n" % (b"b" * i, b"b" * i) for i in range(2, 40))
        + (b"--" + b"b" * 31 + b"x\r\n") * (size // 80)), "depth"
    yield "boundary-of-dashes", lambda: _mixed(_filled(b"-", size), b"-")
    yield "boundary-never-comes", lambda: _mixed(_filled(b"text\r\n", size))
    yield "boundary-missing", lambda: _content(b"multipart/mixed", _filled(b"--b\r\n", size))


def _headers(size):
    yield "header-one-field", lambda: _field(b"x" * size), "field"
    yield "header-many-fields", lambda: _message(_filled(b"X-Field: value\r\n", size), b"text\r\n"), "fields"
    yield "header-large-fields", lambda: _message(
        _filled(b"X-Field: " + b"x" * 60_000 + b"\r\n", size), b"text\r\n"), "block"
    yield "header-folded", lambda: _field(_filled(b"x\r\n ", size)), "field"
    yield "header-folded-blanks", lambda: _field(_filled(b" \r\n", size) + b"x"), "field"
    yield "header-without-end", lambda: HEAD + _filled(b"X-Field: value\r\n", size), "fields"
    yield "header-lines-without-colon", lambda: _message(_filled(b"no field\r\n", size), b"text\r\n")
    yield "header-of-colons", lambda: _message(_filled(b":", size) + b"\r\n")
    yield "header-name-without-colon", lambda: _message(b"x" * size)
    yield "header-of-nuls", lambda: _field(b"\0" * size), "field"
    yield "header-empty-fields", lambda: _message(b"X:\r\n" * COUNT), "fields"
    yield "header-mbox-lines", lambda: _filled(b"From x\r\n", size)
    yield "header-100000-subjects", lambda: _message(b"Subject: again\r\n" * COUNT), "fields"
    yield "header-large-in-every-part", lambda: _mixed(
        (b"--b\r\nX-Field: " + b"x" * 50_000 + b"\r\n\r\nx\r\n") * (size // 50_000))


def _subject(body):
    """The subject comes with the bomb in it, behind the word."""
    return HEAD.replace(b"Subject: bomb", b"Subject: bomb " + body) + b"\r\ntext\r\n"


def _words(size):
    yield "words-100000", lambda: _subject(b"\r\n ".join([b"=?utf-8?q?a?="] * COUNT)), "words", "field"
    yield "words-4000-in-a-field", lambda: _subject(b"=?utf-8?q?a?=" * 4_000), "words"
    yield "words-in-every-field", lambda: _message(
        (b"X-Words: " + b" =?utf-8?q?a?=" * 200 + b"\r\n") * 90, b"text\r\n")
    yield "words-of-unknown-charset", lambda: _subject(b"=?x-unknown?q?a?=" * 3_800)
    yield "words-unclosed", lambda: _subject(b"=?utf-8?q?" * 6_000)
    yield "words-only-beginnings", lambda: _subject(b"=?" * 30_000)
    yield "words-one-of-60000-bytes", lambda: _subject(b"=?utf-8?b?" + b"QUFB" * 15_000 + b"?=")
    yield "words-iso-2022-jp-escapes", lambda: _subject(
        b" ".join([b"=?iso-2022-jp?b?" + base64.b64encode(b"\x1b$B\x1b(B" * 20) + b"?="] * 250))
    yield "words-charsets-in-turn", lambda: _subject(b" ".join([b"=?utf-8?q?a?= =?koi8-r?q?b?="] * 125))


def _parameters(size):
    def typed(parameters):
        return _message(b"Content-Type: text/plain" + parameters + b"\r\n", b"text\r\n")
    yield "parameters-100000", lambda: typed(b"".join(b";p%d=x" % i for i in range(COUNT))), "parameters", "field"
    yield "parameters-5000", lambda: typed(b"".join(b";p%d=x" % i for i in range(5_000))), "parameters"
    yield "parameters-same-name", lambda: typed(b";p=x" * 15_000), "parameters"
    yield "parameters-continuations-100000", lambda: typed(
        b"".join(b";\r\n name*%d=x" % i for i in range(COUNT))), "field"
    yield "parameters-continuations-5000", lambda: typed(
        b"".join(b";name*%d=x" % i for i in range(5_000))), "parameters"
    yield "parameters-continuations-with-gaps", lambda: typed(b"".join(b";name*%d=x" % (i * 97) for i in range(100)))
    yield "parameters-continuation-of-great-number", lambda: typed(
        b";name*99999999999999999999=x;name*4294967296=y;name*9999=z")
    yield "parameters-semicolons", lambda: typed(b";" * 60_000)
    yield "parameters-unclosed-quote", lambda: typed(b';name="' + b"\\" * 60_000)
    yield "parameters-percent-codes", lambda: typed(b";name*=utf-8''" + b"%41" * 20_000)
    yield "parameters-apostrophes", lambda: typed(b";name*=" + b"'" * 60_000)
    yield "parameters-in-every-part", lambda: _mixed(
        (b"--b\r\nContent-Type: text/plain" + b";p=x" * 100 + b"\r\n\r\nx\r\n") * 900)


def _addresses(size):
    yield "addresses-100000", lambda: _to(b", ".join(b"a%d@example.com" % i for i in range(COUNT))), "field"
    yield "addresses-30000-commas", lambda: _to(b"," * 60_000)
    yield "addresses-comments-nested", lambda: _to(b"(" * 60_000)
    yield "addresses-comments-nested-100000", lambda: _to(b"(" * COUNT + b")" * COUNT + b" bob@example.com"), "field"
    yield "addresses-comments-many", lambda: _to(b"(a)" * 20_000)
    yield "addresses-quotes", lambda: _to(b'"' * 60_001)
    yield "addresses-backslashes-in-quotes", lambda: _to(b'"' + b"\\" * 60_000)
    yield "addresses-open-brackets", lambda: _to(b"<" * 60_000)
    yield "addresses-close-brackets", lambda: _to(b">" * 60_000)
    yield "addresses-colons", lambda: _to(b"a:" * 30_000)
    yield "addresses-groups", lambda: _to(b"g:a@example.com;" * 4_000)
    yield "addresses-ats", lambda: _to(b"@" * 60_000)
    yield "addresses-words", lambda: _to(b"a " * 30_000)
    yield "addresses-held-names", lambda: _to(b"a b, " * 12_000)
    yield "addresses-encoded-names", lambda: _to(b", ".join([b"=?utf-8?q?a?= <a@example.com>"] * 2_000)), "words"
    yield "addresses-in-2000-fields", lambda: _message(b"To: a@example.com, b@example.com\r\n" * 1_900, b"text\r\n")


def _ids_and_dates(size):
    yield "references-100000", lambda: _message(
        b"References: " + b"\r\n ".join(b"<%d@example.org>" % i for i in range(COUNT)) + b"\r\n"), "field"
    yield "references-open-brackets", lambda: _message(b"References: " + b"<" * 60_000 + b"\r\n")
    yield "references-of-words", lambda: _message(b"References: " + b"a@b " * 15_000 + b"\r\n")
    yield "references-one-of-60000-bytes", lambda: _message(b"References: <" + b"a" * 60_000 + b"@example.org>\r\n")
    yield "dates-many", lambda: _message(b"Date: Thu, 5 Mar 2026 10:00:00 +0100\r\n" * 1_900)
    yield "date-of-60000-bytes", lambda: _message(b"").replace(
        b"Date: Thu, 05", b"Date: " + b"(" * 60_000 + b" Thu, 05")
    yield "date-of-digits", lambda: _message(b"").replace(b"Date: Thu, 05", b"Date: " + b"9" * 60_000)


def _contents(size):
    yield "content-base64", lambda: _content(
        b"application/octet-stream; name=a.bin", _filled(b"QUFB" * 19 + b"\r\n", size), b"base64")
    yield "content-base64-as-text", lambda: _content(b"text/plain", _filled(b"QUFB" * 19 + b"\r\n", size), b"base64")
    yield "content-base64-of-padding", lambda: _content(b"text/plain", b"=" * size, b"base64")
    yield "content-base64-of-rubbish", lambda: _content(b"text/plain", b"*" * size, b"base64")
    yield "content-quoted-printable-equals", lambda: _content(b"text/plain", b"=" * size, b"quoted-printable")
    yield "content-quoted-printable-blanks", lambda: _content(b"text/plain", b" " * size, b"quoted-printable")
    yield "content-quoted-printable-soft-breaks", lambda: _content(
        b"text/plain", _filled(b"=\r\n", size), b"quoted-printable")
    yield "content-quoted-printable-codes", lambda: _content(b"text/plain", _filled(b"=41", size), b"quoted-printable")
    yield "content-nuls", lambda: _message(b"", b"\0" * size)
    yield "content-bare-cr", lambda: HEAD.replace(b"\r\n", b"\r") + b"\r" + b"\r" * size
    yield "content-bare-lf", lambda: _message(b"", b"\n" * size)
    yield "content-one-line", lambda: _message(b"", b"x" * size)
    yield "content-8bit", lambda: _message(b"", b"\xff" * size)
    yield "content-text-of-one-large-part-and-many-small", lambda: _mixed(
        b"--b\r\n\r\n" + b"x" * (size // 2) + b"\r\n" + b"--b\r\n\r\nx\r\n" * 900 + b"--b--\r\n")


def _charsets(size):
    def plain(charset, data):
        return _content(b"text/plain; charset=" + charset, base64.encodebytes(data), b"base64")
    million = 1_000_000
    yield "charset-utf-7-shifts", lambda: plain(b"utf-7", b"+-" * million)
    yield "charset-utf-7-open", lambda: plain(b"utf-7", b"+AGE" * million)
    yield "charset-iso-2022-jp-escapes", lambda: plain(b"iso-2022-jp", b"\x1b$B\x1b(B" * million)
    yield "charset-iso-2022-jp-broken", lambda: plain(b"iso-2022-jp", b"\x1b$B\xff" * million)
    yield "charset-iso-2022-kr-shifts", lambda: plain(b"iso-2022-kr", b"\x1b$)C" + b"\x0e\x0f" * million)
    yield "charset-hz-shifts", lambda: plain(b"hz-gb-2312", b"~{~}" * million)
    yield "charset-gb18030-broken", lambda: plain(b"gb18030", b"\x81\x30" * million)
    yield "charset-utf-16-surrogates", lambda: plain(b"utf-16le", b"\x00\xd8" * million)
    yield "charset-utf-32-beyond", lambda: plain(b"utf-32", b"\xff\xff\xff\xff" * million)
    yield "charset-utf-8-broken", lambda: plain(b"utf-8", b"\xe2\x82" * million)
    yield "charset-combining-marks", lambda: plain(b"utf-8", b"a" + b"\xcc\x81" * million)
    yield "charset-zero-width-joiners", lambda: plain(b"utf-8", b"\xf0\x9f\x91\xa9\xe2\x80\x8d" * million)
    yield "charset-label-of-60000-bytes", lambda: _content(b"text/plain; charset=" + b"x" * 60_000, b"text")


def _held_files(size):
    yield "uuencode-begin-lines", lambda: _message(b"", b"begin 644 a\r\n" * COUNT)
    yield "uuencode-files", lambda: _message(b"", b"begin 644 a\r\n#86)C\r\n`\r\nend\r\n" * COUNT)
    yield "uuencode-without-end", lambda: _message(b"", b"begin 644 a\r\n" + _filled(b"M" + b"!" * 60 + b"\r\n", size))
    yield "yenc-begin-lines", lambda: _message(b"", b"=ybegin line=128 size=4294967295 name=a\r\n" * COUNT)
    yield "yenc-size-of-4-gigabytes", lambda: _message(
        b"", b"=ybegin line=128 size=4294967295 name=a\r\nabc\r\n=yend size=4294967295\r\n")
    yield "yenc-without-end", lambda: _message(b"", b"=ybegin line=128 size=9 name=a\r\n" + _filled(b"abc\r\n", size))
    yield "yenc-escapes", lambda: _message(b"", b"=ybegin line=128 size=9 name=a\r\n" + b"=" * size)

    def tnef(data):
        return _content(b"application/ms-tnef", base64.encodebytes(struct.pack("<IH", 0x223E9F78, 1) + data), b"base64")
    yield "tnef-lengths-of-4-gigabytes", lambda: tnef(struct.pack("<BII", 2, 0x0006800F, 0xFFFFFFFF) * 1000)
    yield "tnef-100000-files", lambda: tnef((
        struct.pack("<BII", 2, 0x00069002, 0) + b"\0\0" + struct.pack("<BII", 2, 0x0006800F, 0) + b"\0\0") * COUNT)
    yield "tnef-properties-of-4-gigabytes", lambda: tnef(
        struct.pack("<BII", 1, 0x00069003, 400) + struct.pack("<I", 0xFFFFFFFF) + b"\xff" * 396 + b"\0\0")
    yield "tnef-large", lambda: tnef(
        struct.pack("<BII", 2, 0x00069002, 0) + b"\0\0" + struct.pack("<BII", 2, 0x0006800F, size // 2)
        + b"x" * (size // 2) + b"\0\0")


def _texts(size):
    flowed = b"text/plain; format=flowed; delsp=yes"
    yield "flowed-soft-breaks", lambda: _content(flowed, _filled(b"a \r\n", size))
    yield "flowed-blanks", lambda: _content(flowed, _filled(b" \r\n", size))
    yield "flowed-quote-depths", lambda: _content(
        flowed, b"".join(b">" * (i % 500) + b" a \r\n" for i in range(20_000)))
    yield "quote-depth-100000", lambda: _message(b"", b">" * COUNT + b" text\r\n")
    yield "quote-depth-100000-blanks", lambda: _message(b"", b"> " * COUNT + b" text\r\n")
    yield "quote-lines", lambda: _message(b"", _filled(b"> text\r\n", size))
    yield "quote-attributions", lambda: _message(
        b"", b"On Thu, 5 Mar 2026 at 10:00, Bob <bob@example.com> wrote:\r\n" * COUNT)
    yield "quote-attribution-beginnings", lambda: _message(b"", _filled(b"On \r\n", size))
    yield "quote-outlook-blocks", lambda: _message(b"", b"-----Original Message-----\r\nFrom: a\r\nSent: b\r\n" * COUNT)
    yield "quote-signatures", lambda: _message(b"", _filled(b"-- \r\n", size))
    yield "report-100000-recipients", lambda: _content(
        b"multipart/report; report-type=delivery-status; boundary=b",
        b"--b\r\n\r\ntext\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; a.example\r\n\r\n"
        + b"Final-Recipient: rfc822; b@example.com\r\nAction: failed\r\n\r\n" * COUNT + b"--b--\r\n")
    yield "calendar-large", lambda: _content(b"text/calendar", _filled(b"METHODS:x\r\n", size))


def _html(size):
    def html(body):
        return _content(b"text/html", body)
    yield "html-60000-divs", lambda: html(b"<div>" * 60_000 + b"deep")
    yield "html-1000000-divs", lambda: html(b"<div>" * 1_000_000)
    yield "html-60000-formatting", lambda: html(b"<b><i><font>" * 20_000 + b"x" + b"</p>" * 20_000)
    yield "html-formatting-across-blocks", lambda: html(b"<b><p>" * 30_000)
    yield "html-tables", lambda: html(b"<table><tr><td>" * 20_000)
    yield "html-tables-with-stray-text", lambda: html(b"<table>x" * 20_000)
    yield "html-lists", lambda: html(b"<ul><li>" * 30_000)
    yield "html-blockquotes", lambda: html(b"<blockquote>" * 30_000 + b"x")
    yield "html-blockquotes-closed", lambda: html((b"<blockquote>" * 300 + b"x" + b"</blockquote>" * 300) * 100)
    yield "html-20000-attributes", lambda: html(
        b"<p " + b" ".join(b"a%d=1" % i for i in range(20_000)) + b">text")
    yield "html-attribute-without-end", lambda: html(b'<p title="' + b"x" * size)
    yield "html-comment-without-end", lambda: html(b"<!--" + _filled(b"--", size))
    yield "html-tag-beginnings", lambda: html(b"<" * size)
    yield "html-entities", lambda: html(_filled(b"&amp", size))
    yield "html-entity-of-a-great-number", lambda: html(b"&#" + b"9" * 1_000_000 + b";")
    yield "html-entities-without-end", lambda: html(_filled(b"&", size))
    yield "html-style-without-end", lambda: html(b"<style>" + _filled(b"</styl", size))
    yield "html-inline-style", lambda: html(b'<p style="' + b"a:b;" * 200_000 + b'">text')
    yield "html-50000-links", lambda: html(b'<a href="https://example.org/">x</a>' * 50_000)
    yield "html-link-of-1-megabyte", lambda: html(b'<a href="https://example.org/' + b"x" * 1_000_000 + b'">x</a>')
    yield "html-50000-images", lambda: html(b'<img src="cid:a" alt="x">' * 50_000)
    yield "html-select-nesting", lambda: html(b"<select><option>" * 30_000)
    yield "html-svg-and-math", lambda: html(b"<svg><math><mtext>" * 15_000)
    yield "html-templates", lambda: html(b"<template>" * 30_000)
    yield "html-frameset", lambda: html(b"<frameset>" * 30_000)
    yield "html-text", lambda: html(_filled(b"x ", size))
    yield "html-paragraphs", lambda: html(_filled(b"<p>x", size))
    yield "html-line-breaks", lambda: html(_filled(b"<br>", size))
    yield "html-nuls", lambda: html(b"<p>" + b"\0" * 1_000_000)
    yield "html-in-1000-parts", lambda: _mixed(
        (b"--b\r\nContent-Type: text/html\r\n\r\n" + b"<div>" * 300 + b"x\r\n") * 900)
