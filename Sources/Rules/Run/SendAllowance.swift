public import Models

/// How much mail rules may still send, in this command and within the hour: it stops a loop after a few mails.
public struct SendAllowance: Sendable {
    /// Whether the workspace allows rules to send.
    public var isAllowed = true
    /// The maximum number of mails of one command.
    public var perRun = Int.max
    /// The maximum number of mails within any sixty minutes.
    public var perHour: Int
    /// The maximum number of mails to one address within any sixty minutes.
    public var perRecipient: Int
    /// The number of mails that were sent within the last hour, or will be.
    public var sent: Int
    /// The same by recipient, in lower case.
    public var sentTo: [String: Int]
    /// The number of mails that this command sends.
    private var sentInRun = 0
    /// The mail that earlier plans of the command write.
    public var written: Set<MessageID> = []
    /// Whom earlier plans of the command tell that the user is away: `EmailAddress.comparable`.
    public var toldAway: Set<String> = []

    /// For plans whose mail is counted later, or is not sent.
    public static let unlimited = SendAllowance(perHour: .max, perRecipient: .max)

    public init(perHour: Int, perRecipient: Int, sent: Int = 0, sentTo: [String: Int] = [:]) {
        self.perHour = perHour
        self.perRecipient = perRecipient
        self.sent = sent
        self.sentTo = sentTo
    }

    /// Counts one more mail, or returns why it must not be sent.
    public mutating func take(_ recipients: [String]) -> String? {
        guard isAllowed else { return "opus.yaml does not set allow-send: true" }
        guard sentInRun < perRun else {
            return "this run sends \(sentInRun) mails, and max-per-run allows no more"
        }
        guard sent < perHour else {
            return "\(sent) mails were sent within the hour, and max-per-hour allows no more"
        }
        if let full = recipients.first(where: { sentTo[$0, default: 0] >= perRecipient }) {
            return "\(sentTo[full, default: 0]) mails to \(full) were sent within the hour, and "
                + "max-per-recipient-per-hour allows no more"
        }
        sent += 1
        sentInRun += 1
        for recipient in recipients { sentTo[recipient, default: 0] += 1 }
        return nil
    }
}
