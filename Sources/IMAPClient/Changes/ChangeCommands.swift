public import IMAPProtocol

/// Changes in mailboxes: reported by the server, awaited, or read in one pass over many mailboxes.
public struct ChangeCommands: Sendable {
    let client: IMAPConnection
}

extension IMAPConnection {
    public nonisolated var changes: ChangeCommands { ChangeCommands(client: self) }
}

extension IMAPConnection {
    /// Whether the server reports changes of other mailboxes: it accepted NOTIFY in this session and has not ended it.
    public var reportsOtherMailboxes: Bool { news.isOn }
}

extension ChangeCommands {
    /// Asks the server, once in a session, to report changes of other mailboxes too. Then
    /// ``wait(in:known:seen:timing:clock:)`` also returns for these. RFC 5465.
    ///
    /// - Parameter request: The events and mailboxes. A request without a group for the open mailbox ends reports about
    ///   it, so ``IMAPProtocol/NotifyRequest/everything`` has one.
    /// - Returns: The current numbers of mailboxes, if the request includes them.
    /// - Throws: ``IMAPClientError/missingCapability(_:)`` if the server does not offer NOTIFY. After a refusal,
    ///   nothing has changed.
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
