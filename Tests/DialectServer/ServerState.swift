/// Everything that the sessions of one server share: the mail, the time, the plan of faults, and what was heard.
struct ServerState {
    var profile: DialectProfile
    var model: MailModel
    var faults = FaultPlan()
    var transcript: [HeardCommand] = []
    var violations: [String] = []
    /// Off where a harness of its own reads ``violations``.
    var endsOnForbidden = true
    private(set) var hasEnded = false
    /// The connection ends after so many more responses; nil: it does not.
    var responsesLeft: Int?
    var responsesSent = 0
    /// Octets that left the server.
    var octetsSent = 0
    var user = "ann"
    var password = "hunter2"

    /// Sessions of an earlier account have nothing to do with this one.
    let epoch: Int

    init(_ profile: DialectProfile, epoch: Int = 0) {
        self.profile = profile
        self.epoch = epoch
        model = MailModel(profile.mailboxes, isGmail: profile.isGmail)
    }

    /// Something that a client must never do, whatever a server makes of it.
    mutating func note(_ violation: String) { violations.append(violation) }

    /// Something that no transcript may hold. The server serves nobody any more, so that every suite fails, whatever it
    /// looks for.
    mutating func forbid(_ violation: String) {
        note(violation)
        if endsOnForbidden { hasEnded = true }
    }
}

/// A command as a server heard it. Passwords are left out, literals cut short.
public struct HeardCommand: Sendable, Equatable, CustomStringConvertible {
    public var session: Int
    public var tag: String
    /// `UID FETCH`.
    public var name: String
    /// What came after the name.
    public var rest: String

    public var description: String { "\(session): \(tag) \(name) \(rest)" }
}
