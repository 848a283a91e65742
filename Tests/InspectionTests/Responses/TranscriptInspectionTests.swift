import Foundation
import Models
import Testing

@testable import Inspection

/// What `opus inspect imap` understands of a server's bytes.
@Suite("Inspection of transcripts")
struct InspectionTranscriptTests {
    private func inspect(_ bytes: [UInt8], pieces size: Int = .max) throws -> [ResponseInspection] {
        var transcript = TranscriptInspection(file: "t.imap")
        var found: [ResponseInspection] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            found += try transcript.feed(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        return found + (try transcript.finish())
    }

    private func inspect(_ text: String, pieces size: Int = .max) throws -> [ResponseInspection] {
        try inspect(Array(text.utf8), pieces: size)
    }

    private func json(_ found: [ResponseInspection]) throws -> [String] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try found.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
    }

    @Test("every kind of response is one document with its place")
    func kinds() throws {
        let text = """
            * OK [CAPABILITY IMAP4rev1 IDLE] ready\r
            + go on\r
            * CAPABILITY IMAP4rev1\r
            * ENABLED QRESYNC\r
            * LIST (\\Sent) "/" "Entw&APw-rfe"\r
            * STATUS INBOX (MESSAGES 2 UIDNEXT 9)\r
            * SEARCH 4 2 3\r
            * ESEARCH (TAG "A1") UID COUNT 3 ALL 2:4\r
            * FLAGS (\\Seen)\r
            * 3 EXISTS\r
            * 1 RECENT\r
            * 2 EXPUNGE\r
            * VANISHED (EARLIER) 1:4,6\r
            * 1 FETCH (UID 5)\r
            * ID ("name" "x")\r
            * NAMESPACE (("" "/")) NIL NIL\r
            * QUOTA "" (STORAGE 1 2)\r
            * QUOTAROOT INBOX ""\r
            \r
            * XFUTURE 1\r
            * 1 FETCH (UID %)\r
            A1 OK done\r

            """
        let found = try inspect(text)
        #expect(
            found.map(\.kind) == [
                "status", "continuation", "capability", "enabled", "list", "mailbox-status", "search",
                "esearch", "flags", "exists", "recent", "expunge", "vanished", "fetch", "id", "namespace",
                "quota", "quota-root", "blank", "other", "unparsable", "tagged",
            ])
        var end = 0
        for (one, line) in zip(found, text.split(separator: "\r\n", omittingEmptySubsequences: false)) {
            #expect(one.offset == end && one.length == line.utf8.count + 2, "\(line)")
            end += line.utf8.count + 2
        }
        #expect(found[4].list?.mailbox.name == "Entwürfe")
        #expect(found[4].list?.mailbox.wire == "Entw&APw-rfe")
        #expect(found[4].list?.role == "sent")
        #expect(found[6].search?.numbers == "2:4" && found[6].search?.count == 3)
        #expect(found[12].vanished?.count == 5)
        #expect(found[20].unparsable?.keyword == "FETCH")
        #expect(found[20].unparsable?.reason == "number expected")
        #expect(found[20].unparsable?.at == 15)
    }

    @Test(
        "a transcript gives the same documents in any pieces, with checksums of all sections",
        arguments: [0, 5, 20_000])
    func pieces(size: Int) throws {
        let body = [UInt8](repeating: 0x61, count: size)
        let text = "* 7 FETCH (UID 5 BODY[HEADER] {5}\r\na: b\n BODY[1]<0> {\(size)}\r\n"
        let bytes = Array(text.utf8) + body + Array(" BODY[2] NIL FLAGS (\\Seen))\r\n* 8 EXISTS\r\n".utf8)
        let whole = try inspect(bytes)
        let sections = try #require(whole[0].fetch?.sections)
        #expect(sections.map(\.section) == ["HEADER", "1", "2"])
        #expect(sections.map(\.size) == [5, size, nil])
        let sums = [
            0: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            5: "ed968e840d10d2d313a870bc131a4e2c311d7ad09bdf32b3418147221f51a6e2",
            20_000: "cc17faaad36649c4603dda4d8ff97cb149722af0bcac0746305a2134ad2d0b97",
        ]
        #expect(sections[1].sha256 == sums[size])
        #expect(sections[2].sha256 == nil)
        #expect(whole[1].offset == bytes.count - 12)
        for size in [1, 7, 4_096] {
            #expect(try json(inspect(bytes, pieces: size)) == json(whole), "in pieces of \(size)")
        }
    }

    @Test("a long literal of an unused item has no checksum")
    func foreignLiteral() throws {
        let body = String(repeating: "a", count: 20_000)
        let other = String(repeating: "b", count: 20_000)
        let found = try inspect(
            "* 1 FETCH (BINARY[1] {20000}\r\n\(body) UID 3 BODY[1] {20000}\r\n\(other))\r\n")
        let alone = try inspect("* 1 FETCH (BODY[1] {20000}\r\n\(other))\r\n")
        #expect(found[0].fetch?.sections.count == 1)
        #expect(found[0].fetch?.sections[0].sha256 == alone[0].fetch?.sections[0].sha256)
    }

    @Test("quirks are counted at their response")
    func quirks() throws {
        let found = try inspect("* OK [UIDNEXT 5]\r\n* OK fine\r\n* STATUS x (MESSAGES -1 UNSEEN -1)\r\n")
        #expect(found.map(\.quirks) == [["missingStatusText": 1], [:], ["negativeNumber": 2]])
    }

    @Test(
        "a file that is not a transcript is refused, in any pieces",
        arguments: [
            "", "\r\n\r\n", "hello\r\n", "From: ann@example.org\r\nSubject: x\r\n\r\n* a list\r\n",
            "HTTP/1.1 200 OK\r\n\r\n", "+OK POP3 ready\r\n", "220 mail ESMTP\r\n", "{\"a\": 1}",
            "S: * OK ready\r\nC: A1 NOOP\r\n", "* 1 FETCH (UID 5", "\u{0}\u{1}\u{2}",
        ])
    func refused(_ text: String) {
        for size in [Int.max, 1, 7] {
            let code = refusal { _ = try inspect(text, pieces: size) }
            #expect(code == "not-a-transcript 65", "\(text.prefix(40)) in pieces of \(size)")
        }
    }

    @Test(
        "a long text that is not a transcript is refused early",
        arguments: [Int.max, 1, 7])
    func refusedEarly(size: Int) {
        let late = String(repeating: "x\n", count: 100) + "* OK too late\r\n"
        #expect(refusal { _ = try inspect(late, pieces: size) } == "not-a-transcript 65")
        let line = String(repeating: "no line end", count: 10_000)
        #expect(refusal { _ = try inspect(line, pieces: size) } == "not-a-transcript 65")
    }

    @Test("a truncated recording is reported, and a last line without its end is read")
    func end() throws {
        let cut = try inspect("* OK hi\r\n* 1 FETCH (BODY[] {9}\r\nabc")
        #expect(cut.map(\.kind) == ["status", "incomplete"])
        #expect(cut[1].offset == 9 && cut[1].length == 26)
        let half = try inspect("* OK hi\r\n* 1 FETCH (UID")
        #expect(half.map(\.kind) == ["status", "incomplete"])
        let line = try inspect("* OK hi\r\n* 3 EXISTS")
        #expect(line.map(\.kind) == ["status", "exists"])
        #expect(line[1].offset == 9 && line[1].length == 10)
        #expect(try inspect("* OK hi").map(\.kind) == ["status"])
        #expect(try inspect("* OK hi\r\n").count == 1)
    }

    @Test("the inspection ends where a session would end, and names the byte")
    func limit() throws {
        let start = "* OK hi\r\n"
        for (bad, code) in [
            ("* OK " + String(repeating: "x", count: 70_000) + "\r\n", "longer than any server needs"),
            ("* 1 FETCH (BODY[] {3000000000}\r\n", "announced 3000000000 bytes"),
            ("* LIST () \"/\" {2000000}\r\n", "announced 2000000 bytes"),
        ] {
            for size in [Int.max, 1, 7] {
                do {
                    _ = try inspect(start + bad + "* OK never\r\n", pieces: size)
                    Issue.record("no limit in pieces of \(size)")
                } catch let problem as Problem {
                    #expect(problem.code == "transcript-limit" && problem.exit == .badData)
                    #expect(problem.place == "t.imap, byte 9")
                    #expect(problem.message.contains(code), "\(problem.message)")
                }
            }
        }
    }

    @Test("invalid UTF-8 is kept in mailbox names and replaced elsewhere, and every document is JSON")
    func octets() throws {
        let bytes = Array("* LIST () \"/\" \"".utf8) + [0xFF, 0x1B, 0x80] + Array("\"\r\n* OK ".utf8)
        let found = try inspect(bytes + [0x1B, 0xC3, 0x28, 0x0D, 0x0A])
        #expect(found[0].list?.mailbox.wireBase64 == "/xuA")
        #expect(found[1].text == "\u{1B}\u{FFFD}(")
        for line in try json(found) {
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
            #expect(!line.utf8.contains { $0 < 0x20 })
        }
    }

    @Test("the pieces of a file have the requested size, and join to the file")
    func files() throws {
        let path = FileManager.default.temporaryDirectory.path + "/opus-transcript-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let bytes = (0..<200_001).map { UInt8(truncatingIfNeeded: $0 / 3) }
        try Data(bytes).write(to: URL(filePath: path))
        for size in [1, 7, 65_536, 65_537, 200_001, 500_000, Int.max] {
            var joined: [UInt8] = []
            var sizes: [Int] = []
            try InspectionFile.forEachPiece(of: path, bytes: size) { piece in
                joined += piece
                sizes.append(piece.count)
            }
            #expect(joined == bytes)
            #expect(sizes.dropLast().allSatisfy { $0 == size })
        }
    }

    @Test("a continuation may be empty")
    func continuations() throws {
        #expect(try inspect("+ go ahead\r\n").map(\.kind) == ["continuation"])
        #expect(try inspect("+ go ahead").map(\.kind) == ["continuation"])
        #expect(refusal { _ = try inspect("+ go ahead\r\n* milk\r\n") } == "not-a-transcript 65")
    }
}
