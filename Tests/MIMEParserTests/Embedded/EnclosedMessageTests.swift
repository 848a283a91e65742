import Foundation
import Models
import TestSupport
import Testing

@testable import MIMEParser

/// The text and files inside S/MIME signatures. Messages of `Tests/Fixtures/smime`.
@Suite struct EnclosedMessageTests {
    private func fixture(_ name: String) throws -> String {
        let file = Repository.fixtures.appending(path: "smime/\(name).eml")
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }

    private func parse(_ text: String) -> ParsedMessage { MIMEParser.parse(Array(text.utf8)) }

    @Test("the content of an enclosed signature is text and files of the message")
    func content() throws {
        for text in [
            try fixture("opaque"), try fixture("opaque").replacing("smime-type=signed-data; ", with: ""),
        ] {
            let message = parse(text)
            #expect(message.text() == "Pay 100 Euro to Bob.\n--\nAna")
            #expect(message.protection == .signed)
            let files = message.attachments
            #expect(files.map(\.name) == ["smime.p7m", "a.pdf"])
            #expect(files.map(\.section) == ["1", "1:1"])
            #expect(files.last?.contentType == "application/pdf" && files.last?.size == 8)
            #expect(message.decodedBody(section: "1:1") == Array("%PDF-1.4".utf8))
        }
    }

    @Test("the content is found in BER, and in a part of a mailing list's message")
    func otherForms() throws {
        #expect(parse(try fixture("gnupg-opaque")).text() == "Hello from python\n")
        let signed = try fixture("opaque")
        let mime = try #require(signed.firstRange(of: "MIME-Version"))
        let list = parse(
            "Content-Type: multipart/mixed; boundary=list\r\n\r\n--list\r\n" + signed[mime.lowerBound...]
                + "\r\n--list\r\n\r\nThe footer\r\n--list--\r\n")
        #expect(list.text() == "Pay 100 Euro to Bob.\n--\nAna\n\nThe footer")
        #expect(list.attachments.map(\.section) == ["1", "1:1"])
    }

    @Test("HTML and an invitation inside a signature are those of the message")
    func otherContent() {
        let html = "Content-Type: text/html\n\n<p>Hello</p>\n"
        #expect(signed(html).html == "<p>Hello</p>\n")
        #expect(signed(html).text() == "Hello")
        let calendar = "Content-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR\nEND:VCALENDAR\n"
        #expect(signed(calendar).calendarMethod == "REQUEST")
        #expect(signed(calendar).calendar(limit: 99)?.isEmpty == false)
        #expect(signed(calendar).calendar(limit: 9) == nil)
    }

    @Test("encrypted, compressed and damaged data have no text")
    func otherData() throws {
        let opaque = try fixture("opaque")
        let lines = opaque.split(separator: "\r\n", omittingEmptySubsequences: false)
        let damaged = parse(lines.dropLast(9).joined(separator: "\r\n"))
        #expect(damaged.text().isEmpty)
        #expect(damaged.attachments.map(\.name) == ["smime.p7m"])
        let enveloped = opaque.replacing("signed-data", with: "enveloped-data")
        #expect(parse(enveloped).text().isEmpty && parse(enveloped).protection == .encrypted)
        let forward = parse("Content-Type: message/rfc822\r\n\r\n" + opaque)
        #expect(forward.text().isEmpty)
        #expect(forward.attachments.map(\.section) == ["1"])
    }

    @Test("a content beyond a limit counts as cut")
    func limits() {
        let deep = (0..<40).map { "Content-Type: multipart/mixed; boundary=b\($0)\n\n--b\($0)\n" }.joined()
        #expect(MessageText(of: signed(deep + "\nHello\n")).isCut)
        #expect(!MessageText(of: signed("\nHello\n")).isCut)
        let long = String(repeating: "word ", count: 220_000)
        #expect(MessageText(of: signed("\n" + long)).isCut)
    }

    /// SignedData around this content, without signers. RFC 5652 §5.1.
    private func signed(_ content: String) -> ParsedMessage {
        func der(_ tag: UInt8, _ body: [UInt8]) -> [UInt8] {
            let count = UInt32(body.count)
            return [tag, 0x84] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + body
        }
        let signedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
        let data: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
        let enclosed = der(0x30, data + der(0xA0, der(0x04, Array(content.utf8))))
        let body = der(0x30, [0x02, 0x01, 0x01, 0x31, 0x00] + enclosed + [0x31, 0x00])
        let text = Base64.encode(der(0x30, signedData + der(0xA0, body)), lineLength: 76)
        return MIMEParser.parse(
            Array("Content-Type: application/pkcs7-mime\nContent-Transfer-Encoding: base64\n\n".utf8) + text)
    }
}
