/// How many mails rules may still send within the hour: a loop ends after a few mails, not after thousands.
public struct SendAllowance: Sendable {
    /// Whether the workspace lets rules send at all.
    public var isAllowed = true
    /// Mails within any sixty minutes.
    public var perHour: Int
    /// Mails to one address within any sixty minutes.
    public var perRecipient: Int
    /// Mails that were sent within the last hour, or are about to be.
    public var sent: Int
    /// The same by recipient, lower case.
    public var sentTo: [String: Int]

    public init(perHour: Int, perRecipient: Int, sent: Int = 0, sentTo: [String: Int] = [:]) {
        self.perHour = perHour
        self.perRecipient = perRecipient
        self.sent = sent
        self.sentTo = sentTo
    }

    /// Counts one more mail, or says why it must not go.
    public mutating func take(_ recipients: [String]) -> String? {
        guard isAllowed else { return "opus.yaml does not set allow-send: true" }
        guard sent < perHour else {
            return "\(sent) mails were sent within the hour, and max-per-hour allows no more"
        }
        if let full = recipients.first(where: { sentTo[$0, default: 0] >= perRecipient }) {
            return "\(sentTo[full, default: 0]) mails to \(full) were sent within the hour, and "
                + "max-per-recipient-per-hour allows no more"
        }
        sent += 1
        for recipient in recipients { sentTo[recipient, default: 0] += 1 }
        return nil
    }
}
