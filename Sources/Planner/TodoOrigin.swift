public import Models

extension TodoIdentity {
    /// Whether opus would give this UID to a task of the message. After the store is lost, this distinguishes
    /// task files by opus from files that only name a mail.
    ///
    /// `rule` is the value in the file or the journal. A file with another rule has another UID. `digest` is
    /// the name of a message whose `Message-ID` belongs to an earlier message (``OwnNames``).
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

    /// Beyond this number, tasks of a rule are not recognised without the store.
    private static let mostTasksOfARule = 20
}
