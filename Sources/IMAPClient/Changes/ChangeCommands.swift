public import IMAPProtocol

/// What changed in mailboxes: announced by the server, waited for, or read in one pass over many.
public struct ChangeCommands: Sendable {
    let client: IMAPConnection
}

extension IMAPConnection {
    public nonisolated var changes: ChangeCommands { ChangeCommands(client: self) }
}

extension IMAPConnection {
    /// Whether the server reports changes of other mailboxes: NOTIFY was accepted in this session, and is still in force.
    public var reportsOtherMailboxes: Bool { news.isOn }
}

extension ChangeCommands {
    /// Asks the server to tell of other mailboxes too, once a session: then ``wait(in:known:seen:timing:clock:)`` returns
    /// for them as well. RFC 5465.
    ///
    /// - Parameter request: what to tell of which mailboxes. One without a group for the mailbox that is open ends
    ///   its news too, so ``IMAPProtocol/NotifyRequest/everything`` has one.
    /// - Returns: the present numbers of mailboxes, where the request asks for them.
    /// - Throws: ``IMAPClientError/missingCapability(_:)`` where NOTIFY is not offered; a refusal leaves all as it was.
    public func notify(
        _ request: NotifyRequest = .everything
    ) async throws(IMAPClientError) -> [MailboxStatus] {
        try await client.require(.notify)
        return try await client.turn(.authenticated) { client async throws(IMAPClientError) in
            let numbers = try await client.perform(.notify(request)).untagged.compactMap { response in
                if case .mailboxStatus(let status) = response { status } else { MailboxStatus?.none }
            }
            client.news.begin(numbers)
            return numbers
        }
    }
}
