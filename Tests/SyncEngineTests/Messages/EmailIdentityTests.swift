import Models
import SyncEngine
import Testing

/// The ids that users type and that task files keep: computed apart from this program, never to change.
@Suite("Email identity")
struct EmailIdentityTests {
    private static let header = Array("From: ana@acme.example\r\nSubject: Hello\r\n".utf8)
    private static let fingerprint = "ebef38101bd226acffed201d12b171b70bb0c1cb4abe007ca3fa623bca6be751"

    @Test("a Message-ID always gives the same id")
    func messageIDGolden() {
        let id = EmailIdentity.id(account: AccountID("work"), messageID: MessageID("a@example.org"))
        #expect(id.rawValue == "8hjgdxtx762km4x97hxe1c33")
    }

    @Test("the same message has different ids in different accounts")
    func accountCounts() {
        let id = EmailIdentity.id(account: AccountID("home"), messageID: MessageID("a@example.org"))
        #expect(id.rawValue == "nywk1bz9kgy9m89detksenrr")
    }

    @Test("a fingerprint is the SHA-256 of the header block")
    func fingerprintGolden() {
        #expect(EmailIdentity.fingerprint(headerBlock: Self.header) == Self.fingerprint)
    }

    @Test("a message without a Message-ID is identified by its header")
    func headerGolden() {
        let id = EmailIdentity.id(account: AccountID("work"), fingerprint: Self.fingerprint)
        #expect(id.rawValue == "c7ha8h79xxgav623vn6ty7r0")
    }

    @Test("different pairs of account and identifier give different ids")
    func wordsAreSeparated() {
        let a = EmailIdentity.id(account: AccountID("work"), messageID: MessageID("x@y"))
        let b = EmailIdentity.id(account: AccountID("wor"), messageID: MessageID("kx@y"))
        #expect(a != b)
    }
}
