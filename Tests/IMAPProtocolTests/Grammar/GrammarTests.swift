import Foundation
import TestSupport
import Testing

@testable import IMAPProtocol

@Suite struct UIDSetTests {
    @Test(
        "a set is ascending and compact, in whatever order it is made",
        arguments: [
            ([UInt32](), ""), ([5], "5"), ([3, 1, 2], "1:3"), ([9, 1, 2, 9, 4], "1:2,4,9"), ([0, 1], "1"),
            ([.max, .max - 1], "4294967294:4294967295"), ([1, 3, 5, 7], "1,3,5,7"),
        ] as [([UInt32], String)])
    func text(_ uids: [UInt32], _ text: String) {
        let set = UIDSet(uids)
        #expect(set.description == text)
        #expect(Array(set.uids) == Set(uids).filter { $0 > 0 }.sorted())
        #expect(set.count == Set(uids).filter { $0 > 0 }.count)
    }

    @Test("ranges that overlap or touch become one")
    func ranges() {
        #expect(UIDSet(ranges: [5...9, 1...4, 8...20, 22...22]).description == "1:20,22")
        #expect(UIDSet(ranges: [0...3, 2...UInt32.max]).description == "1:4294967295")
        #expect(UIDSet([1, 2]).union([3, 9]).description == "1:3,9")
        #expect(UIDSet(1...UInt32.max).count == 4_294_967_295)
    }

    @Test("a set contains exactly the numbers it was made from")
    func contains() {
        var random = SeededGenerator(seed: 7)
        let uids = Set((0..<300).map { _ in UInt32.random(in: 1...1_000, using: &random) })
        let set = UIDSet(uids)
        for uid in UInt32(0)...1_001 { #expect(set.contains(uid) == uids.contains(uid)) }
    }

    @Test("the pieces of a split set fit the limit, and together are the set")
    func split() {
        let set = UIDSet((1...5_000).map { UInt32($0 * 3) })
        let pieces = set.split(maximumBytes: 1_000)
        #expect(pieces.allSatisfy { $0.description.utf8.count <= 1_000 && !$0.isEmpty })
        #expect(pieces.reduce(UIDSet()) { $0.union($1) } == set)
        #expect(pieces.count > 20)
        #expect(UIDSet().split(maximumBytes: 10) == [])
        #expect(UIDSet([1, 3]).split(maximumBytes: 1).map(\.description) == ["1", "3"])
    }
}

@Suite struct InternalDateTests {
    @Test(
        "dates are read with their zones",
        arguments: [
            ("17-Jul-1996 02:44:25 -0700", 837_596_665), (" 1-Jan-1970 00:00:00 +0000", 0),
            ("1-jan-1970 01:00:00 +0100", 0), ("29-Feb-2000 12:00:00 +0000", 951_825_600),
            ("31-Dec-1969 23:59:59 +0000", -1), ("01-Mar-2100 00:00:00 +0000", 4_107_542_400),
        ] as [(String, Int64)])
    func parse(_ text: String, _ seconds: Int64) {
        #expect(InternalDate.parse(bytes(text)) == seconds)
    }

    @Test(
        "text that is not a date is refused",
        arguments: [
            "", "17-Jul-1996", "17-Jul-96 02:44:25 -0700", "17-Foo-1996 02:44:25 -0700",
            "0-Jul-1996 02:44:25 +0000",
            "17-Jul-1996 24:44:25 -0700", "17-Jul-1996 02:44:25 PDT", "17-Jul-1996 02:44:25 -07",
            "17-07-1996 2:4:5 +0",
            "32-Jul-1996 02:44:25 -0700", "17-Jul-1996 02:44:25 -0700 x",
        ])
    func refuse(_ text: String) {
        #expect(InternalDate.parse(bytes(text)) == nil)
    }

    @Test("written dates are read back, over thousands of years")
    func roundTrip() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<2_000 {
            let seconds = Int64.random(in: -62_135_596_800...253_402_300_799, using: &random)
            #expect(InternalDate.parse(bytes(InternalDate.format(seconds))) == seconds)
        }
        #expect(InternalDate.format(837_596_665) == "17-Jul-1996 09:44:25 +0000")
        #expect(InternalDate.format(.max).contains("-9999 "))
        #expect(InternalDate.format(.min).contains("-0000 "))
    }
}

@Suite struct ModifiedUTF7Tests {
    @Test(
        "mailbox names are encoded as RFC 3501 says",
        arguments: [
            ("INBOX", "INBOX"), ("Entwürfe", "Entw&APw-rfe"), ("A&B", "A&-B"), ("台北", "&U,BTFw-"),
            ("☺!", "&Jjo-!"),
            ("😀", "&2D3eAA-"), ("~peter/mail/台北/日本語", "~peter/mail/&U,BTFw-/&ZeVnLIqe-"), ("", ""),
        ])
    func known(_ text: String, _ wire: String) {
        #expect(String(decoding: ModifiedUTF7.encode(text), as: UTF8.self) == wire)
        #expect(ModifiedUTF7.decode(bytes(wire)) == text)
    }

    @Test(
        "invalid modified UTF-7 is not decoded, but can be shown",
        arguments: [
            "&", "a&b", "&U,BTFw", "&U,BTF-", "&AAAAA-", "&2D0-", "&2D0-&3gA-", "&APx-", "tab\t", "Entwürfe",
            "&?-", "&A-",
        ])
    func invalid(_ wire: String) {
        #expect(ModifiedUTF7.decode(bytes(wire)) == nil)
        #expect(ModifiedUTF7.displayName(bytes(wire)) == wire)
    }

    @Test("encoding and decoding of names agree with glibc", .enabled(if: Oracle.isAvailable))
    func oracle() throws {
        var random = SeededGenerator(seed: 11)
        let letters: [Character] = Array("ab&-+,/ ~äöüßéñ台北日本語☺😀𝄞й\u{301}\u{7F}\u{80}€")
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...12, using: &random)
            let name = String((0..<count).compactMap { _ in letters.randomElement(using: &random) })
            let encoded = ModifiedUTF7.encode(name)
            #expect(encoded == Oracle.encode(name), "\(name)")
            #expect(ModifiedUTF7.decode(encoded) == name)
            #expect(Oracle.decode(encoded) == name)
        }
    }

    @Test("invalid names that can be decoded are decoded as glibc does", .enabled(if: Oracle.isAvailable))
    func oracleOnMutants() {
        var random = SeededGenerator(seed: 13)
        let alphabet = bytes("ABCDw,+&&--ab19")
        for _ in 0..<5_000 {
            let count = Int.random(in: 0...10, using: &random)
            let wire = (0..<count).compactMap { _ in alphabet.randomElement(using: &random) }
            guard let text = ModifiedUTF7.decode(wire) else { continue }
            #expect(Oracle.decode(wire) == text, "\(String(decoding: wire, as: UTF8.self))")
        }
    }
}

/// glibc's own converter.
private enum Oracle {
    static let isAvailable = encode("ä") == bytes("&AOQ-")

    static func encode(_ text: String) -> [UInt8]? { convert(bytes(text), from: "UTF-8", to: "UTF-7-IMAP") }

    static func decode(_ wire: [UInt8]) -> String? {
        convert(wire, from: "UTF-7-IMAP", to: "UTF-8").map { String(decoding: $0, as: UTF8.self) }
    }

    private static func convert(_ input: [UInt8], from: String, to: String) -> [UInt8]? {
        guard let converter = iconv_open(to, from), Int(bitPattern: converter) != -1 else { return nil }
        defer { iconv_close(converter) }
        var source = input.map { CChar(bitPattern: $0) }
        var target = [CChar](repeating: 0, count: 256)
        var left = source.count
        var room = target.count
        let failed = source.withUnsafeMutableBufferPointer { source in
            target.withUnsafeMutableBufferPointer { target in
                var from = source.baseAddress
                var to = target.baseAddress
                return iconv(converter, &from, &left, &to, &room) == -1
                    || iconv(converter, nil, nil, &to, &room) == -1
            }
        }
        guard !failed, left == 0 else { return nil }
        return target.dropLast(room).map { UInt8(bitPattern: $0) }
    }
}
