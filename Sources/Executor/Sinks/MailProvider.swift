/// Whether the host of the account's mail sees what is sent through another host.
///
/// Gmail, Microsoft and Proton keep a copy in Sent of everything that is sent through them; they never see mail that is
/// sent through another server. A host outside the table counts as the same only under the same name (a bridge on
/// this machine): a copy too many is better than none.
public enum MailProvider {
    private static let families: [Set<String>] = [
        ["imap.gmail.com", "smtp.gmail.com", "imap.googlemail.com", "smtp.googlemail.com"],
        [
            "outlook.office365.com", "smtp.office365.com", "imap-mail.outlook.com", "smtp-mail.outlook.com",
            "outlook.office.com",
        ],
    ]

    /// - Parameters:
    ///   - imapHost: where mail is read.
    ///   - smtpHost: where mail is submitted; nil: nowhere.
    /// - Returns: whether the provider makes the copy in Sent.
    public static func isSame(imapHost: String, smtpHost: String?) -> Bool {
        guard let smtp = smtpHost?.lowercased() else { return false }
        let imap = imapHost.lowercased()
        return imap == smtp || families.contains { $0.contains(imap) && $0.contains(smtp) }
    }
}
