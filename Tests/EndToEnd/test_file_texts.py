"""`attachment-text`: a sync reads attached files, so that searches and rules find their text; what a file or its program does
never harms the sync."""
import io
import os
import shutil
import struct
import time
import unittest
import zipfile

from letters import letter
from test_attachments import parcel
from workplace import Case, on_both

ON = "attachment-text: { index: true, max-size: 200K }\n"
RULES = """\
rules-version: 1
rules:
  - { id: contract, when: 'attachment:text:"plain of jars"', then: archive }
"""


def pdf(text):
    """A PDF with one line of text."""
    stream = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET".encode()
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
               b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
               b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
               b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    out, places = b"%PDF-1.4\n", []
    for number, item in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, item)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"xref\n0 6\n0000000000 65535 f \n%strailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        table, len(out))


def archive(files):
    """A zip archive of {name: content}; office files are such archives."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        for name, text in files.items():
            package.writestr(name, text)
    return buffer.getvalue()


WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def docx(text):
    body = f'<w:document xmlns:w="{WORD}"><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>'
    return archive({"word/document.xml": body})


def xlsx(text):
    return archive({
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.'
                               'openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
        "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{RELATIONS}"><sheets><sheet name="One" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" Type="{RELATIONS}/worksheet"'
                                      ' Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{SHEET}"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>{text}</t></is></c>'
                                    "</row></sheetData></worksheet>"})


def odt(text):
    names = "".join(f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text"))
    return archive({
        "mimetype": "application/vnd.oasis.opendocument.text",
        "content.xml": f"<office:document-content{names}><office:body><office:text><text:p>{text}</text:p></office:text></office:body>"
                       "</office:document-content>"})


def pptx(text):
    """A slide, its notes, and a layout that is not text of the file."""
    slide = '<?xml version="1.0"?><p:sld><a:p><a:r><a:t>{}</a:t></a:r></a:p></p:sld>'
    return archive({"ppt/slides/slide1.xml": slide.format("Sli</a:t></a:r><a:r><a:t>des &amp; " + text),
                    "ppt/slides/_rels/slide1.xml.rels": "<Relationships/>",
                    "ppt/notesSlides/notesSlide1.xml": slide.format("say it slowly"),
                    "ppt/slideLayouts/slideLayout1.xml": slide.format("layouts")})


RTF = rb"{\rtf1\ansi Plain of jars, \u228?lder {\b bold}\par}"


def compound(name, stream):
    """A compound file of Microsoft with one stream ([MS-CFB], version 3)."""
    size = max(4096, -(-len(stream) // 512) * 512)  # shorter streams would be in the ministream
    sectors = size // 512
    end, free, fat = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
    header = struct.pack("<8s16xHHHHH6xIIIIIIIIII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 3, 0xFFFE, 9, 6,
                         0, 1, 1, 0, 4096, end, 0, end, 0, 0) + struct.pack("<108I", *[free] * 108)
    chain = [fat, end] + [2 + number for number in range(1, sectors)] + [end]
    table = struct.pack("<128I", *chain, *[free] * (128 - len(chain)))

    def entry(name, kind, child, start, length):
        words = (name + "\0").encode("utf-16-le")
        return struct.pack("<64sHBBIII16xI16xIQ", words, len(words), kind, 1, free, free, child, 0, start, length)

    folder = entry("Root Entry", 5, 1, end, 0) + entry(name, 2, free, 2, size) + 2 * struct.pack("<66xBBIII16xI16xIQ", 0, 0, free, free, free,
                                                                                              0, 0, 0)
    return header + table + folder + stream.ljust(size, b"\0")


def record(version, kind, content):
    return struct.pack("<HHI", version, kind, len(content)) + content


def ppt(text):
    """A presentation with one slide: its text in a list of slides, as PowerPoint keeps it ([MS-PPT])."""
    words = record(0, 0x0F9F, struct.pack("<I", 0)) + record(0, 0x0FA0, text.encode("utf-16-le"))
    document = record(0xF, 0x03E8, record(0xF, 0x0FF0, words))
    return compound("PowerPoint Document", document)


def doc(text):
    """A document of Word 97 ([MS-DOC]), its text in one piece of one byte a character behind the file information block."""
    content = text.encode("cp1252") + b"\r"
    block = struct.pack("<HHHHHHI", 0xA5EC, 0xC1, 0, 0x0409, 0, 0x0200, 0)
    block = (block.ljust(24, b"\0") + struct.pack("<II", 0x600, 0x600 + len(content))).ljust(0x4C, b"\0") + struct.pack("<I", len(content))
    return compound("WordDocument", block.ljust(0x600, b"\0") + content)


def xls(text):
    """A workbook of Excel 97 with one cell ([MS-XLS])."""
    def part(kind, content):
        return struct.pack("<HH", kind, len(content)) + content

    words = struct.pack("<HB", len(text), 0) + text.encode("cp1252")
    begin = struct.pack("<HHHHII", 0x0600, 5, 0x0DBB, 1996, 0, 6)
    strings = part(0x00FC, struct.pack("<II", 1, 1) + words)
    name = b"\x03\0One"
    globals_ = part(0x0809, begin) + part(0x0042, struct.pack("<H", 1200))
    place = len(globals_) + 4 + 6 + len(name) + len(strings) + 4
    globals_ += part(0x0085, struct.pack("<IH", place, 0) + name) + strings + part(0x000A, b"")
    sheet = part(0x0809, begin.replace(struct.pack("<HH", 0x0600, 5), struct.pack("<HH", 0x0600, 0x10)))
    sheet += part(0x0200, struct.pack("<IIHHH", 0, 1, 0, 1, 0)) + part(0x00FD, struct.pack("<HHHI", 0, 0, 0, 0)) + part(0x000A, b"")
    return compound("Workbook", globals_ + sheet)


class Reading:
    def prepare(self, *letters, settings=ON, rules="rules-version: 1\nrules: []\n", **options):
        box = self.new_box()
        box.add("INBOX", list(letters))
        return box, self.new_place(box, rules, settings=settings, **options)

    def found(self, place, query):
        return sorted(item["subject"] for item in self.check(place.opus("search", query, "--json")).json["items"])


@on_both
@unittest.skipUnless(shutil.which("pdftotext") and shutil.which("prlimit"), "takes pdftotext (poppler-utils)")
class WithPdftotext(Reading):
    def test_words_of_files_are_found_by_searches_and_rules(self):
        mails = [parcel("The contract", ("a.pdf", pdf("The plain of jars in Laos"))), parcel("Notes", ("n.txt", b"jars and lids\n", "text/plain")),
                 parcel("Broken", ("b.pdf", b"%PDF-1.4 nothing of it is true")),
                 parcel("Too large", ("c.pdf", pdf("jars") + b"%" * 300_000)), letter("Jars of honey")]
        box, place = self.prepare(*mails, rules=RULES)
        self.check(place.opus("sync"))
        self.assertEqual(self.found(place, "attachment:text:jars"), ["Notes", "The contract"])
        self.assertEqual(self.found(place, "jars"), ["Jars of honey", "Notes", "The contract"])
        self.assertEqual(self.found(place, "plain contract"), ["The contract"])
        self.assertEqual(self.found(place, "attachment:text:~lao -subject:notes"), ["The contract"])
        self.assertEqual(self.found(place, "text:jars -attachment:text:jars"), ["Jars of honey"])
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"the-contract": "Archive", "notes": "INBOX"})
        self.check(place.opus("store", "verify"))


@unittest.skipUnless(all(map(shutil.which, ("docx2txt", "xlsx2csv", "odt2txt", "catdoc", "unzip", "prlimit"))),
                     "takes docx2txt, xlsx2csv, odt2txt, catdoc and unzip")
class WithOfficePrograms(Reading, Case):
    kind = "maildir"

    def test_words_of_office_files_are_found(self):
        files = {"Word": ("a.docx", docx("The plain of jars")), "Sheet": ("a.xlsx", xlsx("jars and lids")),
                 "Open": ("a.odt", odt("jars in Laos")), "Rich": ("a.rtf", RTF), "Old": ("a.doc", RTF),
                 "Broken": ("b.docx", b"PK\x03\x04 jars"), "Bomb": ("c.docx", docx("jars " * 4_000_000)),
                 "Show": ("a.pptx", pptx("jars")), "Show bomb": ("c.pptx", pptx("jars " * 4_000_000))}
        box, place = self.prepare(*(parcel(subject, file) for subject, file in files.items()))
        start = time.monotonic()
        self.check(place.opus("sync"))
        self.assertLess(time.monotonic() - start, 30)
        self.assertEqual([subject for subject in self.found(place, "attachment:text:jars") if subject != "Bomb"],
                         ["Old", "Open", "Rich", "Sheet", "Show", "Show bomb", "Word"])
        self.assertEqual(self.found(place, 'attachment:text:"slides & jars"'), ["Show", "Show bomb"])
        self.assertEqual(self.found(place, "attachment:text:slowly"), ["Show"])
        self.assertEqual(self.found(place, "attachment:text:layouts"), [])
        self.assertEqual(self.found(place, "attachment:text:älder"), ["Old", "Rich"])
        self.assertEqual([name for name in os.listdir(place.root / ".opus") if name.startswith("stream-")], [])
        self.assertIn(".docx", place.opus("doctor", "--offline").text)

    def test_words_of_old_office_files_are_found(self):
        files = {"Word": ("a.doc", doc("The plain of jars, \xe4lder")), "Show": ("a.ppt", ppt("jars and \xe4lder lids")),
                 "Sheet": ("a.xls", xls("jars of \xe4lder wine")), "Show of a program": ("b.pps", ppt("jars")),
                 "Broken word": ("b.doc", doc("jars")[:700]), "Broken show": ("c.ppt", ppt("jars")[:1100]),
                 "Broken sheet": ("b.xls", xls("jars")[:1100])}
        box, place = self.prepare(*(parcel(subject, file) for subject, file in files.items()))
        self.check(place.opus("sync"))
        self.assertEqual(self.found(place, "attachment:text:jars"), ["Sheet", "Show", "Show of a program", "Word"])
        self.assertEqual(self.found(place, "attachment:text:älder"), ["Sheet", "Show", "Word"])
        self.assertEqual(self.found(place, 'attachment:text:"plain of jars"'), ["Word"])
        self.check(place.opus("store", "verify"))

    def test_files_are_read_again_when_a_program_is_installed_later(self):
        box, place = self.prepare(parcel("Word", ("a.docx", docx("The plain of jars"))), parcel("Note", ("n.txt", b"jars\n", "text/plain")))
        folder = place.root / "programs"
        folder.mkdir()
        for program in ("prlimit", "pdftotext"):
            (folder / program).symlink_to(shutil.which(program) or "/bin/false")
        few = {"PATH": str(folder)}
        for _ in range(2):
            self.check(place.opus("sync", environment=few))
            self.assertEqual(self.found(place, "attachment:text:jars"), ["Note"])
        self.assertIn("docx2txt", place.opus("doctor", "--offline", environment=few).text)
        self.check(place.opus("sync"))
        self.assertEqual(self.found(place, "attachment:text:jars"), ["Note", "Word"])
        self.check(place.opus("store", "verify"))
        # Only once.
        self.check(place.opus("sync"))
        self.assertEqual(self.found(place, "attachment:text:jars"), ["Note", "Word"])


class Faults(Reading, Case):
    """A program in the place of pdftotext."""

    kind = "maildir"

    def with_program(self, script, *letters):
        box, place = self.prepare(*letters)
        folder = place.root / "programs"
        folder.mkdir()
        program = folder / "pdftotext"
        program.write_text("#!/bin/sh\n" + script)
        program.chmod(0o755)
        return place, {"PATH": f"{folder}:{os.environ['PATH']}"}

    def test_reading_of_attached_files_is_off_by_default(self):
        box, place = self.prepare(parcel("One", ("a.pdf", pdf("jars"))), settings="")
        self.check(place.opus("sync"))
        self.assertEqual(self.found(place, "jars"), [])
        self.check(place.opus("search", "attachment:text:jars"), 0, "attachment-text: { index: true }")

    def test_a_program_that_prints_without_end_or_crashes_is_bounded(self):
        place, path = self.with_program("read x; case $x in *bomb*) while :; do echo jars jars jars; done;; *) kill -SEGV $$;; esac\n",
                                  parcel("Bomb", ("a.pdf", b"%PDF bomb\n")), parcel("Crash", ("b.pdf", b"%PDF crash\n")),
                                  parcel("Text", ("n.txt", b"jars\n", "text/plain")))
        start = time.monotonic()
        self.check(place.opus("sync", environment=path))
        self.assertLess(time.monotonic() - start, 15)
        self.assertEqual(self.found(place, "jars"), ["Bomb", "Text"])
        self.assertEqual([name for name in os.listdir(place.root / ".opus") if name.startswith("stream-")], [])


if __name__ == "__main__":
    unittest.main()
