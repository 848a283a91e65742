import Executor
import Testing

@Suite("Mail provider")
struct MailProviderTests {
    @Test(
        "a provider is recognised for its own sending servers only",
        arguments: [
            ("imap.gmail.com", "smtp.gmail.com", true), ("IMAP.googlemail.com", "smtp.Gmail.com", true),
            ("outlook.office365.com", "smtp-mail.outlook.com", true), ("127.0.0.1", "127.0.0.1", true),
            // Google's relay for companies keeps nothing.
            ("imap.gmail.com", "smtp-relay.gmail.com", false), ("imap.gmail.com", "mail.acme.example", false),
            ("imap.gmail.com", "smtp.office365.com", false), ("imap.gmail.com", nil, false),
        ] as [(String, String?, Bool)])
    func isSame(_ imap: String, _ smtp: String?, _ expected: Bool) {
        #expect(MailProvider.isSame(imapHost: imap, smtpHost: smtp) == expected)
    }
}
