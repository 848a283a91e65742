import Foundation
import NIOCore
import TestSupport
import Testing

@testable import IMAPProtocol

/// A recorded-looking session of one server, written after its documented behaviour: only the server's side.
struct Transcript: Sendable, CustomTestStringConvertible {
    /// What a response is, without what it says.
    enum Kind: String, Hashable, Sendable {
        case tagged, status, continuation, capability, enabled, list, mailboxStatus, search, esearch, flags
        case exists, recent, expunge, vanished, fetch, id, namespace, other, unparsable
    }

    let name: String
    /// Of all message data in it.
    let octets: Int
    let kinds: [Kind: Int]
    let quirks: Set<Quirk>

    init(_ name: String, octets: Int, _ kinds: [Kind: Int], quirks: Set<Quirk>) {
        self.name = name
        self.octets = octets
        self.kinds = kinds
        self.quirks = quirks
    }

    var testDescription: String { name }

    static let folder = Repository.fixtures.appending(path: "imap")

    func bytes() throws -> [UInt8] {
        Array(try Data(contentsOf: Self.folder.appending(path: name + ".imap")))
    }

    static let all: [Transcript] = [
        Transcript(
            "gmail-login", octets: 0,
            [.capability: 2, .continuation: 1, .enabled: 1, .id: 1, .namespace: 1, .status: 2, .tagged: 8],
            quirks: []),
        Transcript(
            "gmail-mailboxes", octets: 0,
            [.list: 10, .mailboxStatus: 2, .other: 2, .tagged: 2],
            quirks: []),
        Transcript(
            "gmail-fetch", octets: 307,
            [.esearch: 1, .exists: 2, .expunge: 1, .fetch: 6, .flags: 1, .recent: 1, .status: 6, .tagged: 5],
            quirks: [.missingStatusText]),
        Transcript(
            "gmail-strange", octets: 0,
            [.fetch: 2, .tagged: 1],
            quirks: [.emptyMultipart, .swappedAddress]),
        Transcript(
            "outlook-login", octets: 0,
            [.capability: 1, .continuation: 1, .id: 1, .namespace: 1, .status: 3, .tagged: 7],
            quirks: []),
        Transcript(
            "outlook-mailboxes", octets: 0,
            [.list: 9, .mailboxStatus: 1, .tagged: 2],
            quirks: [.trailingSpace, .unquotedMailbox]),
        Transcript(
            "outlook-fetch", octets: 146,
            [.exists: 1, .expunge: 1, .fetch: 6, .flags: 1, .recent: 1, .search: 1, .status: 5, .tagged: 4],
            quirks: [.dispositionAsString, .extraSpace, .missingStatusText, .multipartDescription]),
        Transcript(
            "icloud-login", octets: 0,
            [.capability: 2, .id: 1, .namespace: 1, .status: 1, .tagged: 6],
            quirks: []),
        Transcript(
            "icloud-fetch", octets: 140,
            [
                .esearch: 1, .exists: 1, .expunge: 1, .fetch: 3, .flags: 1, .list: 5, .recent: 1, .status: 5,
                .tagged: 7, .vanished: 1,
            ],
            quirks: [.missingStatusText, .strayQuote, .unescapedQuote]),
        Transcript(
            "icloud-quotes", octets: 0,
            [.fetch: 1, .tagged: 1],
            quirks: [.unescapedQuote]),
        Transcript(
            "yahoo-login", octets: 0,
            [.capability: 1, .continuation: 1, .id: 1, .namespace: 1, .status: 1, .tagged: 6],
            quirks: []),
        Transcript(
            "yahoo-fetch", octets: 32,
            [.exists: 2, .fetch: 2, .flags: 1, .list: 4, .recent: 1, .status: 5, .tagged: 6],
            quirks: [.emptyDelimiter, .extraSpace, .missingStatusText, .reversedRange]),
        Transcript(
            "exchange2010-login", octets: 0,
            [.capability: 2, .continuation: 1, .namespace: 1, .status: 2, .tagged: 7],
            quirks: [.bareContinuation]),
        Transcript(
            "exchange2010-codes", octets: 0,
            [.status: 2, .tagged: 1],
            quirks: [.codeWithoutStatus, .missingStatusText]),
        Transcript(
            "exchange2010-fetch", octets: 148,
            [
                .exists: 1, .expunge: 1, .fetch: 3, .flags: 1, .list: 3, .mailboxStatus: 1, .recent: 1,
                .status: 3, .tagged: 7,
            ],
            quirks: [.emptyDisposition, .messageWithoutEnvelope, .missingSubtype, .quotedNumber]),
        Transcript(
            "proton-all", octets: 161,
            [
                .capability: 1, .exists: 1, .expunge: 1, .fetch: 2, .flags: 1, .id: 1, .list: 10, .recent: 1,
                .search: 1, .status: 7, .tagged: 13,
            ],
            quirks: []),
        Transcript(
            "zimbra-all", octets: 28,
            [
                .capability: 1, .enabled: 1, .esearch: 1, .exists: 1, .fetch: 3, .flags: 1, .id: 1, .list: 5,
                .mailboxStatus: 1, .namespace: 1, .recent: 1, .status: 6, .tagged: 11, .vanished: 1,
            ],
            quirks: []),
        Transcript(
            "qq-all", octets: 32,
            [
                .capability: 1, .continuation: 2, .exists: 1, .fetch: 5, .flags: 1, .list: 3,
                .mailboxStatus: 1, .namespace: 1, .recent: 1, .search: 1, .status: 6, .tagged: 10,
            ],
            quirks: [.extraSpace, .missingStatusText, .shortEnvelope, .statusWithoutItems, .unescapedQuote]),
        Transcript(
            "courier-all", octets: 141,
            [
                .capability: 1, .exists: 2, .expunge: 1, .fetch: 4, .flags: 1, .list: 4, .namespace: 1,
                .other: 2, .recent: 2, .search: 1, .status: 5, .tagged: 15,
            ],
            quirks: []),
        Transcript(
            "cyrus-all", octets: 134,
            [
                .continuation: 1, .enabled: 1, .esearch: 2, .exists: 1, .fetch: 5, .flags: 1, .id: 1,
                .list: 4, .mailboxStatus: 1, .namespace: 1, .other: 2, .recent: 1, .status: 11, .tagged: 17,
                .vanished: 2,
            ],
            quirks: []),
        Transcript(
            "stalwart-all", octets: 42,
            [
                .capability: 1, .continuation: 1, .enabled: 1, .esearch: 1, .exists: 2, .fetch: 3, .flags: 1,
                .id: 1, .list: 5, .mailboxStatus: 2, .namespace: 1, .recent: 1, .status: 7, .tagged: 14,
                .vanished: 1,
            ],
            quirks: []),
        Transcript(
            "dovecot-session", octets: 0,
            [
                .capability: 1, .continuation: 1, .enabled: 1, .exists: 2, .fetch: 1, .flags: 1, .id: 1,
                .list: 4, .mailboxStatus: 3, .namespace: 1, .recent: 2, .status: 9, .tagged: 15, .vanished: 1,
            ],
            quirks: []),
        Transcript(
            "dovecot-fetch", octets: 18,
            [.fetch: 6, .tagged: 1],
            quirks: [.emptyMultipart, .negativeNumber, .placeholderAddress]),
    ]
}

extension Response {
    var kind: Transcript.Kind {
        switch self {
        case .tagged: .tagged
        case .continuation: .continuation
        case .untagged(let untagged): untagged.kind
        }
    }

    /// Octets of message data in it.
    var octets: Int {
        guard case .untagged(.fetch(let fetch)) = self else { return 0 }
        return fetch.sections.reduce(0) { sum, section in
            guard case .bytes(let buffer) = section.content else { return sum }
            return sum + buffer.readableBytes
        }
    }
}

extension Untagged {
    fileprivate var kind: Transcript.Kind {
        switch self {
        case .status: .status
        case .capability: .capability
        case .enabled: .enabled
        case .list: .list
        case .mailboxStatus: .mailboxStatus
        case .search: .search
        case .esearch: .esearch
        case .flags: .flags
        case .exists: .exists
        case .recent: .recent
        case .expunge: .expunge
        case .vanished: .vanished
        case .fetch: .fetch
        case .id: .id
        case .namespace: .namespace
        case .myRights, .quota, .quotaRoot, .blank, .other: .other
        case .unparsable: .unparsable
        }
    }
}

@Suite struct TranscriptTests {
    @Test(
        "all responses of twelve servers are read, whole and in pieces of 1 and 7 bytes",
        arguments: Transcript.all)
    func transcript(_ transcript: Transcript) throws {
        let bytes = try transcript.bytes()
        let (whole, decoder) = try decode(bytes)
        #expect(Dictionary(grouping: whole, by: \.kind).mapValues(\.count) == transcript.kinds)
        #expect(whole.reduce(0) { $0 + $1.octets } == transcript.octets)
        #expect(Set(decoder.quirks.seen) == transcript.quirks)
        #expect(decoder.unparsableCount == 0)
        #expect(decoder.isEmpty)
        for pieces in [1, 7] {
            #expect(try decode(bytes, pieces: pieces).responses == whole, "in pieces of \(pieces)")
        }
    }

    @Test("there are at least 300 responses of 12 servers, and every file has a row")
    func count() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Transcript.folder.path)
        #expect(Set(files) == Set(Transcript.all.map { $0.name + ".imap" }))
        #expect(Transcript.all.reduce(0) { $0 + $1.kinds.values.reduce(0, +) } >= 300)
        #expect(Set(Transcript.all.compactMap { $0.name.split(separator: "-").first }).count == 12)
    }

    @Test("a FETCH of each server gives the expected values")
    func facts() throws {
        let gmail = try fetches("gmail-fetch")
        #expect(gmail[0].gmailMessageID == 1_278_455_344_230_334_866)
        #expect(gmail[0].gmailThreadID == 1_278_455_344_230_334_865)
        let labels = [
            "\\Inbox", "\\Sent", "Important", "Muy Importante", "&BB8EQAQ4- \"x\"", "a]b",
        ]
        #expect(gmail[0].gmailLabels == labels.map(TestSupport.bytes))
        #expect(gmail[1].gmailLabels == [])
        #expect(gmail[2].gmailLabels?.first == TestSupport.bytes("back\\slash (round)"))
        let cyrus = try fetches("cyrus-all")
        #expect(cyrus[1].emailID == "M6d99ac3275bb4e")
        #expect(cyrus[1].threadID == "T64b478a75b7ea9")
        #expect(cyrus[2].threadID == nil)
        let dovecot = try fetches("dovecot-fetch")
        let sections = dovecot[0].bodyStructure?.parts.map { $0.section + " " + $0.type + "/" + $0.subtype }
        #expect(
            sections == [
                " multipart/report", "1 text/plain", "2 message/delivery-status", "3 message/rfc822",
                "3 multipart/alternative",
            ])
        let icloud = try fetches("icloud-quotes")
        #expect(icloud[0].envelope?.messageID == TestSupport.bytes("<\"abc\"@example.org>"))
        let qq = try fetches("qq-all")
        #expect(qq[2].envelope?.messageID == nil)
        #expect(qq[3].bodyStructure?.part(section: "2")?.description == TestSupport.bytes("\"\""))
    }

    private func fetches(_ name: String) throws -> [FetchResponse] {
        let bytes = Array(try Data(contentsOf: Transcript.folder.appending(path: name + ".imap")))
        return try decode(bytes).responses.compactMap { response in
            guard case .untagged(.fetch(let fetch)) = response else { return nil }
            return fetch
        }
    }
}
