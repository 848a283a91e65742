public import Models

extension TodoIdentity {
    /// Whether opus itself would give this UID to a task of the message: after the store is lost, this tells its own
    /// files from files that only name a mail.
    ///
    /// `rule` is what the file or the journal says. A file that names another rule has another UID. `digest` is the name
    /// of a message whose `Message-ID` another one had first (``OwnNames``).
    public static func isOwn(
        _ id: TodoID, account: AccountID, messageID: MessageID?, message: EmailID, digest: String? = nil,
        rule: String
    ) -> Bool {
        let named = name(of: messageID, message, OwnNames())
        let names = Set([named, message.rawValue, digest].compactMap(\.self))
        let purposes = [Purpose.waiting] + (0..<mostTasksOfARule).map { Purpose.task($0) }
        return names.contains { name in
            purposes.contains { make(account: account, message: name, rule: rule, purpose: $0) == id }
        }
    }

    /// More tasks than these are not recognised without the store.
    private static let mostTasksOfARule = 20
}
