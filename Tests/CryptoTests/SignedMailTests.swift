import Foundation
import Testing

@testable import Crypto

/// Messages of `Tests/Fixtures/smime`, made by `make.py` there.
@Suite struct SignedMailTests {
    static let spring2026: Int64 = 1_772_700_000
    static let summer2020: Int64 = 1_593_600_000

    @Test(
        "each kind of signature has its verdict",
        arguments: [
            ("valid", "valid ana@example.org Example Issuer"),
            ("opaque", "valid ana@example.org Example Issuer"),
            ("both", "valid ana@example.org Example Issuer"),
            ("bob", "otherAddress bob@example.org Example Mail Authority: it is of bob@example.org"),
            ("nobody", "otherAddress  Example Mail Authority: it names no address"),
            ("expired", "expired ana@example.org Example Mail Authority: certificate has expired"),
            (
                "other-authority",
                "untrusted ana@example.org Nobody's Authority: unable to get local issuer certificate"
            ),
            ("no-chain", "untrusted ana@example.org Example Issuer: unable to get local issuer certificate"),
            ("server", "untrusted ana@example.org Example Mail Authority: unsuitable certificate purpose"),
            ("weak-key", "untrusted ana@example.org Example Mail Authority: EE certificate key too weak"),
            ("sha1", "unsupported: its digest is too weak"),
            ("no-attributes", "unsupported: it has no signed attributes"),
            ("no-certificate", "unsupported: the signature cannot be read"),
        ])
    func verdicts(_ name: String, _ expected: String) throws {
        #expect(try words(SignedFixture(name).mail().verdict(trust: SignedFixture.trust())) == expected)
    }

    @Test("a certificate is checked for the day on which the message arrived")
    func time() throws {
        var mail = try SignedFixture("expired").mail()
        mail.received = Self.summer2020
        #expect(try words(mail.verdict(trust: SignedFixture.trust())).hasPrefix("valid"))
        mail.received = 915_000_000
        let early = try words(mail.verdict(trust: SignedFixture.trust()))
        #expect(early.hasPrefix("expired"), "\(early)")
    }

    @Test(
        "the address in From must be in the certificate, in any case, and be the only one",
        arguments: [
            (["ana@example.org"], "valid"), (["Ana@example.org"], "valid"),
            (["ana@example.org.evil.example"], "otherAddress"), (["ana@example.com"], "otherAddress"),
            (["xana@example.org"], "otherAddress"), ([], "otherAddress"), ([""], "otherAddress"),
            (["ana@example.org\0@evil.example"], "otherAddress"),
            (["ana@example.org", "bob@example.org"], "otherAddress"),
            (["bob@example.org", "ana@example.org"], "otherAddress"),
        ])
    func addresses(_ from: [String], _ expected: String) throws {
        var mail = try SignedFixture("valid").mail()
        mail.from = from
        #expect(try words(mail.verdict(trust: SignedFixture.trust())).hasPrefix(expected + " "))
    }

    @Test("no signature is valid without its authority, and a file without certificates is refused")
    func trust() throws {
        let mail = try SignedFixture("valid").mail()
        for trust in [
            try MailTrust(usesSystem: false), try MailTrust(),
            try MailTrust(caFile: SignedFixture.folder + "other-ca.pem"),
        ] {
            #expect(words(mail.verdict(trust: trust)).hasPrefix("untrusted"))
        }
        for name in ["valid.eml", "missing.pem"] {
            let path = SignedFixture.folder + name
            #expect(throws: MailTrust.UnreadableFile(path: path)) { try MailTrust(caFile: path) }
        }
    }

    @Test("changing any byte of the content breaks the signature")
    func everyByteOfTheContent() throws {
        let trust = try SignedFixture.trust()
        let whole = try SignedFixture("valid").mail()
        let content = try #require(whole.content)
        for index in content.indices {
            var mail = whole
            mail.content?[index] ^= 1 << (index % 8)
            guard case .broken = mail.verdict(trust: trust) else {
                Issue.record("byte \(index): \(mail.verdict(trust: trust))")
                return
            }
        }
        for other in [[], Array(content.dropLast()), content + [0x20], [0x0D, 0x0A] + content] {
            var mail = whole
            mail.content = other
            let found = words(mail.verdict(trust: trust))
            #expect(found.hasPrefix("broken") || found.hasPrefix("unsupported"), "\(found)")
        }
    }

    @Test("a damaged signature never makes other content valid, and never crashes")
    func damagedSignatures() throws {
        let trust = try SignedFixture.trust()
        var random = Lehmer(seed: 7)
        for name in ["valid", "opaque", "both"] {
            let whole = try SignedFixture(name).mail()
            for round in 0..<1_500 {
                var mail = whole
                if let content = whole.content { mail.content = content + [0x20] }
                for _ in 0...(round % 3) {
                    mail.signature[random.next(mail.signature.count)] = UInt8(random.next(256))
                }
                if round % 5 == 0 { mail.signature.removeLast(random.next(mail.signature.count)) }
                if round % 7 == 0 { mail.signature += whole.signature.prefix(random.next(400)) }
                let verdict = mail.verdict(trust: trust)
                guard case .valid = verdict else { continue }
                // An opaque signature contains the content too: only its unsigned parts may differ.
                #expect(
                    whole.content == nil && SignedFixture.encloses(mail.signature, whole), "\(name) \(round)")
            }
        }
    }

    @Test(
        "data that is not a signature does not crash",
        arguments: [[], [0x30], [0x30, 0x80], Array(repeating: 0x30, count: 70_000)])
    func garbage(_ signature: [UInt8]) throws {
        let mail = SignedMail(content: [1], signature: signature, from: ["a@x"], received: 0)
        #expect(
            try words(mail.verdict(trust: SignedFixture.trust()))
                == "unsupported: the signature cannot be read")
    }

    @Test("the signature of one part does not cover the text beside it")
    func confusedKinds() throws {
        let trust = try SignedFixture.trust()
        var enclosed = try SignedFixture("opaque").mail()
        enclosed.content = Array("another text".utf8)
        #expect(words(enclosed.verdict(trust: trust)).hasPrefix("unsupported"))
        var detached = try SignedFixture("valid").mail()
        detached.content = nil
        #expect(words(detached.verdict(trust: trust)).hasPrefix("unsupported"))
    }

    @Test("an oversized message is not checked")
    func bounds() throws {
        let trust = try SignedFixture.trust()
        var mail = try SignedFixture("valid").mail()
        mail.content = Array(repeating: 0x41, count: SignedMail.maximumContent + 1)
        #expect(words(mail.verdict(trust: trust)) == "unsupported: it is too large")
    }

    private func words(_ verdict: SignedMail.Verdict) -> String {
        func of(_ name: String, _ signer: SignedMail.Signer, _ more: String = "") -> String {
            "\(name) \(signer.address) \(signer.issuer)" + (more.isEmpty ? "" : ": " + more)
        }
        return switch verdict {
        case .valid(let signer): of("valid", signer)
        case .broken(let signer): of("broken", signer)
        case .untrusted(let signer, let why): of("untrusted", signer, why)
        case .expired(let signer, let why): of("expired", signer, why)
        case .otherAddress(let signer, let why): of("otherAddress", signer, why)
        case .unsupported(let why): "unsupported: \(why)"
        }
    }
}

/// A signed message of the fixtures, taken apart by hand: this suite shares no mistakes with our parser.
struct SignedFixture {
    static let folder =
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../Fixtures/smime").path + "/"
    private let text: String

    static func trust() throws -> MailTrust { try MailTrust(caFile: folder + "ca.pem", usesSystem: false) }

    init(_ name: String) throws {
        text = String(
            decoding: try Data(contentsOf: URL(fileURLWithPath: Self.folder + name + ".eml")), as: UTF8.self)
    }

    func mail() throws -> SignedMail {
        let (content, signature) = try pieces()
        let data = try #require(Data(base64Encoded: signature, options: .ignoreUnknownCharacters))
        return SignedMail(
            content: content.map { Array($0.utf8) }, signature: Array(data), from: ["ana@example.org"],
            received: SignedMailTests.spring2026)
    }

    private func pieces() throws -> (content: String?, signature: String) {
        guard let mark = text.firstRange(of: "boundary=\"") else {
            return (nil, try #require(text.split(separator: "\r\n\r\n", maxSplits: 1).last.map(String.init)))
        }
        let boundary = text[mark.upperBound...].prefix { $0 != "\"" }
        let parts = text.components(separatedBy: "\r\n--" + boundary)
        try #require(parts.count == 4)
        let signature = try #require(parts[2].components(separatedBy: "\r\n\r\n").dropFirst().first)
        return (String(parts[1].dropFirst(1)), signature)
    }

    /// Whether the bytes hold the same text as the message did.
    static func encloses(_ signature: [UInt8], _ whole: SignedMail) -> Bool {
        signature.contains(Array("Pay 100 Euro to Bob=2E".utf8))
            && whole.signature.contains(Array("Pay 100".utf8))
    }
}

/// The same numbers in every run.
struct Lehmer {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(max(1, bound)))
    }
}
