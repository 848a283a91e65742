import Crypto
import Foundation
import MIMEParser
import MailStore
import MaildirClient
import Models
import TestSupport
import Testing

@testable import SyncEngine

/// Signatures of whole messages on their way into the store. Messages of `Tests/Fixtures/smime`.
@Suite("Signatures")
struct SignatureTests {
    static let folder = Repository.fixtures.appending(path: "smime").path + "/"
    static let received = Timestamp(seconds: 1_772_700_000)

    static func fixture(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: folder + name + ".eml")), as: UTF8.self)
    }

    static func trust(_ authority: String = "ca") throws -> MailTrust {
        try MailTrust(caFile: folder + authority + ".pem", usesSystem: false)
    }

    private func verdict(
        _ text: String, isTruncated: Bool = false, received: Timestamp? = received,
        by authority: String = "ca"
    ) throws -> SignatureVerdict? {
        let bytes = Array(text.utf8)
        let check = SignatureCheck(trust: try Self.trust(authority), now: Self.received)
        let raw = RawMessage(
            listed: ListedMessage(uid: 1, received: received), bytes: bytes, isTruncated: isTruncated)
        return check.verdict(of: MIMEParser.parse(bytes), raw)
    }

    @Test("a message is valid with either line end, and without a time of arrival")
    func lineEnds() throws {
        for name in ["valid", "opaque"] {
            let text = try Self.fixture(name)
            let valid = SignatureVerdict(.valid, signer: "ana@example.org", issuer: "Example Issuer")
            #expect(try verdict(text) == valid)
            #expect(try verdict(text.replacing("\r\n", with: "\n")) == valid)
            #expect(try verdict(text, received: nil) == valid)
            #expect(try verdict(text, received: Timestamp(seconds: 1))?.outcome == .expired)
        }
    }

    @Test(
        "signatures of other programs are understood",
        arguments: [
            ("gnupg", "carl@example.org"), ("gnupg-opaque", "carl@example.org"),
            ("cryptography", "bob@example.org"),
        ])
    func peers(_ name: String, _ signer: String) throws {
        let valid = SignatureVerdict(.valid, signer: signer, issuer: "Example Mail Authority")
        #expect(try verdict(try Self.fixture(name), by: "peers-ca") == valid)
        #expect(try verdict(try Self.fixture(name))?.outcome == .untrusted)
    }

    @Test(
        "a change of text, header or parts breaks the signature",
        arguments: [
            ("Pay 100 Euro", "Pay 900 Euro"), ("charset=utf-8", "charset=utf-7"),
            ("Bob=2E  \r\n", "Bob=2E\r\n"),
            ("name=a.pdf", "name=b.pdf"), ("--inner--", "--inner\r\n\r\nand more\r\n--inner--"),
        ])
    func changed(_ old: String, _ new: String) throws {
        let text = try Self.fixture("valid")
        #expect(try verdict(text.replacing(old, with: new))?.outcome == .broken)
    }

    @Test("text around the signed part is not shown")
    func surroundings() throws {
        let text = try Self.fixture("valid").replacing(
            "This is an S/MIME signed message", with: "Pay at once")
        #expect(try verdict(text + "\r\nPay at once\r\n")?.outcome == .valid)
        #expect(!MIMEParser.parse(Array(text.utf8)).text().contains("at once"))
    }

    @Test("only a signed message with exactly two parts is checked")
    func partsBeside() throws {
        let text = try Self.fixture("valid")
        let boundary = try #require(text.firstRange(of: "\r\n------"))
        let line = text[boundary.lowerBound...].dropFirst().prefix { $0 != "\r\n" }
        let part = "\r\n\(line)\r\nContent-Type: text/plain\r\n\r\nPay at once"
        for place in [text.ranges(of: "\r\n\(line)").first, text.ranges(of: "\r\n\(line)").last] {
            var added = text
            added.insert(contentsOf: part, at: try #require(place).lowerBound)
            #expect(try verdict(added)?.outcome == .unsupported)
        }
        let cut = try #require(text.ranges(of: "\r\n\(line)--").last)
        #expect(try verdict(String(text[..<cut.lowerBound]))?.outcome == .unsupported)
    }

    @Test("a signature of a part says nothing about the whole message")
    func inside() throws {
        let text = try Self.fixture("valid")
        let forward = "From: ana@example.org\r\nContent-Type: message/rfc822\r\n\r\n" + text
        #expect(try verdict(forward) == nil)
        let mime = try #require(text.firstRange(of: "MIME-Version"))
        let list =
            "From: ana@example.org\r\nContent-Type: multipart/mixed; boundary=list\r\n\r\n--list\r\n"
            + text[mime.lowerBound...] + "\r\n--list\r\n\r\nPay at once\r\n--list--\r\n"
        #expect(try verdict(list) == nil)
        #expect(try verdict("From: ana@example.org\r\n\r\nHello\r\n") == nil)
    }

    @Test("a signature needs exactly one sender")
    func writers() throws {
        let text = try Self.fixture("valid")
        let bob = text.replacing("From: Ana <ana@example.org>", with: "From: Ana <bob@example.org>")
        #expect(try verdict(bob)?.outcome == .otherAddress)
        let name = text.replacing("From: Ana <", with: "From: \"bob@example.org\" <")
        #expect(try verdict(name)?.outcome == .valid)
        for two in [
            "From: Ana <ana@example.org>, bob@example.org",
            "From: Bob <bob@x>\r\nFrom: Ana <ana@example.org>",
            "From: Ana <ana@example.org>\r\nFrom: Bob <bob@x>", "From: <>\r\nFrom: Ana <ana@example.org>",
        ] {
            let text = text.replacing("From: Ana <ana@example.org>", with: two)
            #expect(try verdict(text)?.outcome == .otherAddress, "\(two)")
        }
    }

    @Test("PGP and unknown protocols are reported, and an oversized message is not checked")
    func notLookedAt() throws {
        let pgp = """
            From: ana@example.org\r\nContent-Type: multipart/signed; protocol="application/pgp-signature"; boundary=b\r
            \r\n--b\r\n\r\nHello\r\n--b\r\nContent-Type: application/pgp-signature\r\n\r\nx\r\n--b--\r\n
            """
        #expect(
            try verdict(pgp) == SignatureVerdict(.unsupported, reason: "PGP signatures are not checked"))
        #expect(try verdict(pgp.replacing("pgp", with: "x-own"))?.outcome == .unsupported)
        let text = try Self.fixture("valid")
        let tooLarge = SignatureVerdict(.unchecked, reason: "the message is larger than 4 MiB")
        #expect(try verdict(text, isTruncated: true) == tooLarge)
        let vast = text.replacing("%PDF-1.4", with: String(repeating: "%PDF-1.4\r\n", count: 430_000))
        #expect(try verdict(vast) == tooLarge)
        #expect(try verdict(pgp, isTruncated: true) == nil)
    }

    @Test("a sync of a Maildir stores the verdict, and reads a long signed message up to the limit")
    func maildir() async throws {
        let world = try MaildirWorld()
        let text = try Self.fixture("valid")
        let long = text.replacing("%PDF-1.4", with: String(repeating: "%PDF-1.4\r\n", count: 150_000))
        let vast = text.replacing("%PDF-1.4", with: String(repeating: "%PDF-1.4\r\n", count: 430_000))
        let messages = [
            ("valid", text), ("lf", text.replacing("\r\n", with: "\n")), ("long", long), ("vast", vast),
            ("changed", text.replacing("100", with: "900")), ("plain", "From: a@x\r\n\r\nHello\r\n"),
        ]
        for (name, text) in messages {
            let named = "Subject: \(name)\n" + text.replacing("Subject: Signed", with: "X-Was: Signed")
            _ = try world.client.addMessage(
                to: .inbox, message: Array(named.utf8), flags: [], unique: "100.\(name)",
                received: Self.received)
        }
        let source = MaildirMailSource(client: world.client)
        try await world.sync.sync(from: source, trust: try Self.trust())
        func verdicts() throws -> [String: SignatureVerdict.Outcome?] {
            Dictionary(
                uniqueKeysWithValues: try world.sync.store.messages.facts(.everything(work)).map {
                    ($0.subject, $0.signature?.outcome)
                })
        }
        // The long one differs from what was signed: that this is known shows that all of it was read.
        let expected: [String: SignatureVerdict.Outcome?] = [
            "valid": .valid, "lf": .valid, "long": .broken, "vast": .unchecked, "changed": .broken,
            "plain": nil,
        ]
        #expect(try verdicts() == expected)
        try await world.sync.sync(from: source)
        #expect(try verdicts() == expected, "what was found out is kept")
    }
}
