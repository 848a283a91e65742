import Models
import TestSupport

@testable import MIMEParser

/// Realistic messages, and some absurd ones: the same messages for the same seed.
struct MessageGenerator {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func message(depth: Int = 0) -> MessageBuilder {
        var builder = MessageBuilder(
            from: address(), to: list(1...4) { $0.address() }, subject: subject(), text: text(),
            date: Timestamp(seconds: Int64.random(in: 0...4_000_000_000, using: &random)), messageID: id())
        builder.zoneOffsetSeconds = pick([0, 3_600, -18_000, 20_700, 45_900])
        builder.isFlowed = chance(70)
        if chance(20) { builder.sender = address() }
        if chance(30) { builder.replyTo = list(1...2) { $0.address() } }
        if chance(50) { builder.cc = list(0...40) { $0.address() } }
        if chance(30) { builder.bcc = list(1...3) { $0.address() } }
        if chance(40) { builder.inReplyTo = id() }
        if chance(40) { builder.references = list(1...29) { $0.id() } }
        if chance(20) { builder.autoSubmitted = pick([.generated, .replied]) }
        if chance(30) { builder.extraHeaders = [HeaderField(name: "X-Note", body: subject())] }
        if chance(50) { builder.html = html() }
        if chance(30) { builder.inlineFiles = inlineFiles() }
        if chance(50) { builder.files = list(0...4) { $0.file() } }
        if chance(25), depth < 3 {
            builder.messages = list(1...2) { generator in
                (try? generator.message(depth: depth + 1).build()) ?? []
            }
        }
        return builder
    }

    // MARK: Header

    private mutating func address() -> EmailAddress {
        let local = pick(["ana", "bob.smith", "a+tag", "x_y-z", "\"a b\"", "o'neil", "1", "first.last.third"])
        let domain = pick(["example.org", "bücher.example", "x.y.z.example", "例え.テスト", "[192.0.2.1]"])
        return EmailAddress(displayName: chance(70) ? name() : "", localPart: local, domain: domain)
    }

    private mutating func name() -> String {
        pick([
            "Ana", "Smith, Ana", "Dr. Ana \"the\" Smith", "René Müller", "日本 太郎", "עברית שם", "محمد علي",
            "👩‍💻 Dev",
            "back\\slash", "(comment)", "a@b.example", "<x>", "Ana; B: C", "=?utf-8?q?x?=", words(1...12),
            "e\u{301}",
            "two  blanks", "O'Neil", "Ana.", "A.B. C", String(repeating: "ü", count: 80),
        ])
    }

    private mutating func subject() -> String {
        pick([
            "", words(1...4), words(20...60), "Grüße " + words(1...30), "日本語の件名がとても長い場合の確認です" + words(0...5),
            "שלום עולם " + words(1...3), "🎉 Party 🎈 " + words(0...20), "=?utf-8?b?zzz?= " + words(1...2),
            "Re: Fwd: " + words(2...5),
            String(repeating: "x", count: Int.random(in: 70...1_500, using: &random)),
            "a: b; c, d <e> \"f\" (g)", "two  blanks   here", "e\u{301}a\u{308}", "?= =? =",
            "100% =20 _under_",
        ])
    }

    private mutating func id() -> MessageID {
        let unique = String(random.next(), radix: 36)
        return MessageID(
            pick(["\(unique)@example.org", "\(unique).\(unique)$x=y@mail.x.example", "\(unique)@[1.2.3.4]"]))
    }

    private mutating func words(_ count: ClosedRange<Int>) -> String {
        list(count) {
            $0.pick(["the", "Quick", "brün", "fox", "jumps", "over", "a", "lazy-dog", "日本", "x.y", "10%"])
        }
        .joined(separator: " ")
    }

    // MARK: Bodies

    private mutating func text() -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            text += line() + pick(["\n", "\n", "\r\n", "\r"])
        }
        return chance(20) ? text + "no line end" : text
    }

    private mutating func line() -> String {
        pick([
            "", "", words(1...10), words(30...120), "From here", ".", "..", "-- ", "> quoted",
            ">> twice " + words(20...40),
            "> " + words(30...60), ">glued", "trailing  ", "tab\tand\ttab\t", " leading", "--=_boundary",
            "=3D =",
            String(repeating: "y", count: Int.random(in: 900...3_000, using: &random)), "日本語のテキスト", "ü", "🎉👩‍💻",
            "שלום", "nul\u{0}bell\u{7}", "\u{FEFF}bom", "\u{2028}line separator", "Subject: not a field",
            "begin 644",
        ])
    }

    private mutating func html() -> String {
        "<html><body>"
            + list(0...6) { "<p>" + $0.line() + "</p>" }.joined(separator: pick(["\n", "", "\r\n"]))
            + "<img src=\"cid:0@x\"></body></html>"
    }

    private mutating func inlineFiles() -> [MessageBuilder.InlineFile] {
        list(1...3) { $0.file() }.enumerated().map { index, file in
            var file = file
            file.contentType = "image/png"
            return .init(contentID: "\(index)@x", file: file)
        }
    }

    private mutating func file() -> MessageBuilder.File {
        let name = pick([
            "a.pdf", "naïve résumé.txt", "日本語のとても長い名前のファイル日本語のとても長い名前のファイル.pdf", "quote\".png",
            "back\\slash.doc",
            "semi;colon=1.txt", "a'b%20c*.bin", "=?utf-8?q?x?=.txt", "../../etc/passwd", "ü%41'*.txt",
            ".hidden",
            "two  blanks.txt",
            String(repeating: "long name ", count: 12) + ".xlsx", "🎉.gif", "שלום.pdf", "no extension",
        ])
        let type = pick(["application/pdf", "text/plain", "IMAGE/PNG", "text/csv", "application/x-y.z+zip"])
        let size = chance(5) ? 60_000 : Int.random(in: 0...400, using: &random)
        return .init(
            name: name, contentType: type,
            bytes: (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    // MARK: Chance

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    private mutating func list<Value>(
        _ count: ClosedRange<Int>, _ make: (inout MessageGenerator) -> Value
    ) -> [Value] {
        (0..<Int.random(in: count, using: &random)).map { _ in make(&self) }
    }
}
