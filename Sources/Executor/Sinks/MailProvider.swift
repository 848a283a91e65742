/// Whether the provider of the account's mailbox also receives the mail that is sent through `smtp:`.
///
/// Gmail, Microsoft and Proton save a copy in Sent of all mail that is sent through them, but do not see mail
/// that is sent through another server. A host outside the table counts as the same provider only if both
/// names are equal (such as a bridge on this machine): a duplicate copy is better than none.
public enum MailProvider {
    private static let families: [Set<String>] = [
        ["imap.gmail.com", "smtp.gmail.com", "imap.googlemail.com", "smtp.googlemail.com"],
        [
            "outlook.office365.com", "smtp.office365.com", "imap-mail.outlook.com", "smtp-mail.outlook.com",
            "outlook.office.com",
        ],
    ]

    /// - Parameters:
    ///   - imapHost: the server for reading mail.
    ///   - smtpHost: the server for submission; nil: the account cannot send.
    /// - Returns: whether both servers belong to the same provider.
    public static func isSame(imapHost: String, smtpHost: String?) -> Bool {
        guard let smtp = smtpHost?.lowercased() else { return false }
        let imap = imapHost.lowercased()
        return imap == smtp || families.contains { $0.contains(imap) && $0.contains(smtp) }
    }
}
