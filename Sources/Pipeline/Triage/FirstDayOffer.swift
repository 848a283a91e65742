public import Models

/// The content of an account's inbox, as numbers.
public struct FirstDayOffer: Sendable {
    public var account: AccountID
    public var days: Int
    public var inbox: Int
    /// Neither flagged nor with an open task.
    public var backlog: [EmailID]
    /// Messages of old conversations with a flag or an open task, which stay.
    public var flagged: Int
    public var withTask: Int
    /// Messages of old conversations that the rules protect, which stay.
    public var protected = 0
    /// Messages of conversations with newer mail.
    public var recent: Int
}
