import Models
import Testing

@testable import MIMEParser

/// Writes a winmail.dat as Outlook does. MS-OXTNEF.
private struct TNEFWriter {
    private(set) var bytes: [UInt8] = TNEFWriter.number(0x223E_9F78, 4) + TNEFWriter.number(1, 2)

    static func number(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func utf16(_ text: String) -> [UInt8] { text.utf16.flatMap { number(Int($0), 2) } + [0, 0] }

    mutating func add(_ level: Int, _ id: Int, _ data: [UInt8], length: Int? = nil, checksum: Int? = nil) {
        bytes += Self.number(level, 1) + Self.number(id, 4) + Self.number(length ?? data.count, 4) + data
        bytes += Self.number(checksum ?? data.reduce(0) { $0 + Int($1) }, 2)
    }

    mutating func beginFile() { add(2, 0x0006_9002, Array(repeating: 0, count: 14)) }
    mutating func title(_ text: [UInt8]) { add(2, 0x0001_8010, text + [0]) }
    mutating func data(_ bytes: [UInt8], checksum: Int? = nil) {
        add(2, 0x0006_800F, bytes, checksum: checksum)
    }
    mutating func codePage(_ page: Int) { add(1, 0x0006_9007, Self.number(page, 4) + Self.number(0, 4)) }
    mutating func properties(_ list: [[UInt8]], ofMessage: Bool = false) {
        let data = Self.number(list.count, 4) + list.flatMap { $0 }
        add(ofMessage ? 1 : 2, ofMessage ? 0x0006_9003 : 0x0006_9005, data)
    }

    static func variable(_ id: Int, _ type: Int, _ value: [UInt8]) -> [UInt8] {
        let padding = Array(repeating: UInt8(0), count: (4 - value.count % 4) % 4)
        return number(type, 2) + number(id, 2) + number(1, 4) + number(value.count, 4) + value + padding
    }

    static func unicode(_ id: Int, _ text: String) -> [UInt8] { variable(id, 0x1F, utf16(text)) }
    static func string(_ id: Int, _ text: String) -> [UInt8] { variable(id, 0x1E, Array(text.utf8) + [0]) }
    static func long(_ id: Int, _ value: Int) -> [UInt8] { number(3, 2) + number(id, 2) + number(value, 4) }
}

@Suite struct TNEFTests {
    private func files(_ build: (inout TNEFWriter) -> Void) -> [HeldFile] {
        var writer = TNEFWriter()
        build(&writer)
        return TNEF(writer.bytes).files
    }

    @Test("files are read from attributes, in the code page of the stream")
    func attributes() {
        let found = files {
            $0.codePage(1251)
            $0.beginFile()
            $0.title([0xEF, 0xF0, 0xE8, 0x2E, 0x74, 0x78, 0x74])
            $0.data(Array("one".utf8))
            $0.beginFile()
            $0.title(Array("b.bin".utf8))
            $0.data([1, 2])
        }
        #expect(found.map(\.name) == ["при.txt", "b.bin"])
        #expect(found.map(\.bytes) == [Array("one".utf8), [1, 2]])
        #expect(found.allSatisfy { $0.source == .tnef && $0.damage.isEmpty })
    }

    @Test("properties take precedence over attributes")
    func properties() {
        let found = files {
            $0.beginFile()
            $0.title(Array("LONGNA~1.DOC".utf8))
            $0.data([])
            $0.properties([
                TNEFWriter.long(0x3705, 1),
                TNEFWriter.string(0x3704, "LONGNA~1.DOC"),
                TNEFWriter.unicode(0x3707, "Résumé 総.docx"),
                TNEFWriter.string(0x370E, "Application/PDF"),
                TNEFWriter.unicode(0x3712, "image001@x"),
                TNEFWriter.variable(0x3701, 0x102, [7, 8, 9, 10, 11]),
            ])
        }
        #expect(found.map(\.name) == ["Résumé 総.docx"])
        #expect(found.map(\.contentType) == ["application/pdf"])
        #expect(found.map(\.contentID) == ["image001@x"])
        #expect(found.map(\.bytes) == [[7, 8, 9, 10, 11]])
    }

    @Test("properties of every type are skipped, with names and several values")
    func steppedOver() {
        let guid = Array(repeating: UInt8(7), count: 16)
        let named = TNEFWriter.number(0x1E, 2) + TNEFWriter.number(0x8005, 2) + guid
        let list: [[UInt8]] = [
            TNEFWriter.number(2, 2) + TNEFWriter.number(0x1, 2) + [1, 0, 0, 0],
            TNEFWriter.number(0xB, 2) + TNEFWriter.number(0x2, 2) + [1, 0, 0, 0],
            TNEFWriter.number(0x40, 2) + TNEFWriter.number(0x3, 2) + Array(repeating: 9, count: 8),
            TNEFWriter.number(0x48, 2) + TNEFWriter.number(0x4, 2) + guid,
            TNEFWriter.number(0x1003, 2) + TNEFWriter.number(0x5, 2) + [2, 0, 0, 0] + [
                1, 0, 0, 0, 2, 0, 0, 0,
            ],
            TNEFWriter.number(0x101E, 2) + TNEFWriter.number(0x6, 2) + [2, 0, 0, 0]
                + [1, 0, 0, 0, 65, 0, 0, 0] + [2, 0, 0, 0, 66, 67, 0, 0],
            named + [0, 0, 0, 0, 5, 0, 0, 0] + [1, 0, 0, 0] + [2, 0, 0, 0, 68, 0, 0, 0],
            named + [1, 0, 0, 0] + [6, 0, 0, 0] + [75, 0, 101, 0, 0, 0, 0, 0] + [1, 0, 0, 0] + [
                1, 0, 0, 0, 0, 0, 0, 0,
            ],
            TNEFWriter.unicode(0x3707, "last.txt"),
        ]
        let found = files {
            $0.beginFile()
            $0.properties(list)
            $0.data([1])
        }
        #expect(found.map(\.name) == ["last.txt"])
    }

    @Test("an embedded message is a file too")
    func object() {
        let guid = Array(repeating: UInt8(7), count: 16)
        let found = files {
            $0.beginFile()
            $0.properties([
                TNEFWriter.unicode(0x3001, "Inner"), TNEFWriter.variable(0x3701, 0xD, guid + [1, 2, 3]),
            ])
        }
        #expect(found.map(\.name) == ["Inner"])
        #expect(found.map(\.bytes) == [[1, 2, 3]])
    }

    @Test("a wrong checksum is a defect, and the file is kept")
    func checksum() {
        let found = files {
            $0.beginFile()
            $0.data([1, 2, 3], checksum: 77)
        }
        #expect(found.map(\.damage) == [[.wrongChecksum]])
        #expect(found.map(\.bytes) == [[1, 2, 3]])
    }

    @Test(
        "for a length beyond the stream, the present bytes are read",
        arguments: [4, 1_000, 0x7FFF_FFFF, 0xFFFF_FFFF])
    func tooLong(_ length: Int) {
        let found = files {
            $0.beginFile()
            $0.add(2, 0x0006_800F, [1, 2], length: length, checksum: 3)
        }
        #expect(found.map(\.damage) == [[.missingEnd]])
        #expect(found.first?.bytes.starts(with: [1, 2]) == true)
    }

    @Test("no cut and no changed byte of a stream crashes the reader")
    func cuts() {
        var writer = TNEFWriter()
        writer.codePage(65001)
        writer.beginFile()
        writer.title(Array("a.txt".utf8))
        writer.properties([
            TNEFWriter.unicode(0x3707, "b.txt"), TNEFWriter.variable(0x3701, 0x102, [1, 2, 3]),
        ])
        for end in writer.bytes.indices { #expect(TNEF(Array(writer.bytes[..<end])).files.count <= 1) }
        for index in writer.bytes.indices {
            for value in [UInt8(0), 0x80, 0xFF] {
                var bytes = writer.bytes
                bytes[index] = value
                #expect(TNEF(bytes).files.count <= 3)
            }
        }
        #expect(TNEF([]).files.isEmpty)
        #expect(TNEF(Array("no stream at all".utf8)).files.isEmpty)
    }

    @Test("at most 256 files are read, and false counts cost nothing", .timeLimit(.minutes(5)))
    func bounds() {
        let many = files { writer in
            for _ in 0..<1_000 { writer.beginFile() }
        }
        #expect(many.count == 256)
        let lie = TNEFWriter.number(0x1102, 2) + TNEFWriter.number(5, 2) + [255, 255, 255, 255]
        #expect(files { $0.properties([lie]) }.count == 1)
    }

    private func message(_ type: String, _ build: (inout TNEFWriter) -> Void) -> ParsedMessage {
        var writer = TNEFWriter()
        build(&writer)
        let header = "Content-Type: \(type)\nContent-Transfer-Encoding: base64\n\n"
        return MIMEParser.parse(Array(header.utf8) + Base64.encode(writer.bytes, lineLength: 76))
    }

    @Test(
        "winmail.dat is listed with its files, even without its type",
        arguments: [
            "application/ms-tnef; name=winmail.dat", "application/vnd.ms-tnef",
            "application/octet-stream; name=WinMail.dat",
        ])
    func listed(_ type: String) {
        let mail = message(type) {
            $0.beginFile()
            $0.title(Array("a.txt".utf8))
            $0.data(Array("hello".utf8))
        }
        #expect(mail.attachments.map(\.section) == ["1", "1:1"])
        #expect(mail.attachments.last?.name == "a.txt")
        #expect(mail.heldBody(section: "1:1") == Array("hello".utf8))
    }

    @Test("text that is only in winmail.dat is read")
    func text() {
        let plain = message("application/ms-tnef") {
            $0.properties([TNEFWriter.unicode(0x1000, "Grüße\r\n")], ofMessage: true)
        }
        #expect(plain.text() == "Grüße\n")
        let rich = message("application/ms-tnef") {
            $0.properties([TNEFWriter.variable(0x1013, 0x102, Array("<b>hi</b>".utf8))], ofMessage: true)
        }
        #expect(rich.text() == "hi")
        let old = message("application/ms-tnef") { $0.add(1, 0x0002_800C, Array("old".utf8) + [0]) }
        #expect(old.text() == "old")
    }

    @Test("the text and the files in a winmail.dat do not belong to a draft that has it")
    func draft() throws {
        let mail = message("application/ms-tnef; name=winmail.dat") {
            $0.properties([TNEFWriter.unicode(0x1000, "Inside\r\n")], ofMessage: true)
            $0.beginFile()
            $0.title(Array("a.txt".utf8))
            $0.data(Array("hello".utf8))
        }
        #expect(mail.attachments.count == 2 && mail.text() == "Inside\n")
        let draft = MessageBuilder(
            draft: mail.bytes, from: EmailAddress(localPart: "ana", domain: "acme.example"),
            date: Timestamp(seconds: 0), messageID: MessageID("d@acme.example"))
        #expect(draft.files.map(\.name) == ["winmail.dat"])
        #expect(draft.text.isEmpty)
    }
}
