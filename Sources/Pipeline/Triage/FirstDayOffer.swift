public import Models

/// What is in the inbox of an account, as numbers.
public struct FirstDayOffer: Sendable {
    public var account: AccountID
    public var days: Int
    public var inbox: Int
    /// Neither flagged nor with a task.
    public var backlog: [EmailID]
    /// Old conversations with a flag, or with an open task: messages that stay.
    public var flagged: Int
    public var withTask: Int
    /// Messages of conversations with newer mail.
    public var recent: Int
}
