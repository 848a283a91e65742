public import IMAPProtocol

/// News of all mailboxes over one connection. RFC 5465.
extension IMAPClient {
    /// Asks the server to tell of other mailboxes too, once a session: then
    /// ``waitForChange(in:known:seen:timing:clock:)`` returns for them as well.
    ///
    /// - Parameter request: what to tell of which mailboxes. One without a group for the mailbox that is open ends
    ///   its news too, so ``IMAPProtocol/NotifyRequest/everything`` has one.
    /// - Returns: the present numbers of mailboxes, where the request asks for them.
    /// - Throws: ``IMAPClientError/missingCapability(_:)`` where NOTIFY is not offered; a refusal leaves all as it was.
    public func notify(
        _ request: NotifyRequest = .everything
    ) async throws(IMAPClientError) -> [MailboxStatus] {
        try requireCapability(.notify)
        try await takeTurn()
        defer { endTurn() }
        try requireAuthenticated()
        return try await perform(.notify(request)).untagged.compactMap { response in
            guard case .mailboxStatus(let status) = response else { return nil }
            return status
        }
    }
}
