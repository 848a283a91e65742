import Models
import Testing

@testable import MIMEParser

@Suite("A long message without its files")
struct OutlineTests {
    private static let file = String(repeating: "QUJDREVGR0g=\n", count: 20_000)
    private static let message = """
        Subject: Scan
        Content-Type: multipart/mixed; boundary=a

        --a
        Content-Type: text/plain

        see
        --a
        Content-Type: image/jpeg; name=scan.jpg
        Content-Transfer-Encoding: base64

        \(file)
        --a
        Content-Type: application/ics; name=plan.ics

        BEGIN:VCALENDAR
        --a
        Content-Type: message/rfc822

        Subject: Inner

        \(String(repeating: "inner text\n", count: 20_000))
        --a
        Content-Type: text/plain

        the end
        --a--
        """

    @Test("the texts, the names and sizes of the files, and the numbers of the parts stay")
    func parts() throws {
        let whole = read(Self.message)
        let outline = try #require(MessageOutline(of: whole, limit: 100_000))
        #expect(!outline.isTruncated)
        #expect(outline.bytes.count < 2_000)
        let short = MIMEParser.parse(outline.bytes)
        #expect(short.text() == whole.text())
        #expect(short.text().contains("the end"))
        #expect(short.attachments.map(\.section) == whole.attachments.map(\.section))
        #expect(short.attachments.map(\.name) == whole.attachments.map(\.name))
        let size = try #require(whole.attachments.first?.size)
        #expect(outline.omitted["2"] == size)
        #expect(Set(outline.omitted.keys) == ["2", "4"], "a short file stays")
        #expect(String(decoding: outline.bytes, as: UTF8.self).contains("BEGIN:VCALENDAR"))
    }

    @Test("a text that is longer than the limit is cut, and so is the list of what was read")
    func longText() throws {
        let text = read("Subject: x\n\n" + String(repeating: "word ", count: 10_000))
        let outline = try #require(MessageOutline(of: text, limit: 1_000))
        #expect(outline.isTruncated)
        #expect(MIMEParser.parse(outline.bytes).text().utf8.count == 1_000)
    }

    @Test("a message that is one file keeps only its header")
    func oneFile() throws {
        let scan = read("Content-Type: application/pdf\nContent-Transfer-Encoding: base64\n\n" + Self.file)
        let outline = try #require(MessageOutline(of: scan, limit: 100_000))
        #expect(!outline.isTruncated)
        #expect(outline.omitted["1"] == scan.attachments.first?.size)
    }

    @Test("headers that are too large in total have no outline")
    func largeHeaders() {
        let part =
            "--a\nX-Filler: " + String(repeating: "x", count: 500) + "\nContent-Type: text/plain\n\nt\n"
        let message = read(
            "Content-Type: multipart/mixed; boundary=a\n\n" + String(repeating: part, count: 50) + "--a--\n")
        #expect(MessageOutline(of: message, limit: 1_000) == nil)
    }
}
