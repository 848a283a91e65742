import MIMEParser
import Testing

@Suite("Messages that are compared byte for byte")
struct ComparableMessageTests {
    private static let message = "Subject: One\r\nTo: a@x.example\r\n\r\nText.\r\n"

    private func same(_ a: String, _ b: String) -> Bool {
        ComparableMessage.bytes(of: Array(a.utf8)) == ComparableMessage.bytes(of: Array(b.utf8))
    }

    @Test(
        "changes that servers and files make are ignored",
        arguments: [
            "Subject: One\nTo: a@x.example\n\nText.\n",
            "From ana Tue Mar 10 08:30:00 2026\nSubject: One\nTo: a@x.example\n\nText.\n\n",
            "X-UID: 7\r\nStatus: RO\r\nSubject: One\r\nX-Keywords: a\r\n b\r\nTo: a@x.example\r\n\r\nText.",
        ])
    func unchanged(_ text: String) { #expect(same(Self.message, text)) }

    @Test(
        "changes that a person makes are found",
        arguments: [
            "Subject: One\r\nTo: a@x.example\r\n\r\nText!\r\n",
            "Subject: Two\r\nTo: a@x.example\r\n\r\nText.\r\n",
            "Subject: One\r\nTo: a@x.example\r\nX-Priority: 1\r\n\r\nText.\r\n",
            "Subject: One\r\nTo: a@x.example\r\n\r\nStatus: RO\r\nText.\r\n",
            "",
        ])
    func changed(_ text: String) { #expect(!same(Self.message, text)) }
}
