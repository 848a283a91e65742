import IMAPClient
import IMAPProtocol
import Models

/// Parts that all requests of the sink share: opening the mailbox, reading answers, translating errors.
extension IMAPMailSink {
    /// Opens the mailbox for changes and returns its UIDVALIDITY.
    @discardableResult
    func select(_ mailbox: MailboxName) async throws(SinkError) -> UInt32 {
        if let current, current.name == mailbox.bytes { return current.uidValidity }
        current = nil
        let isLook = !client.permissions.changesMailboxes
        let selected = try await translating { () async throws(IMAPClientError) in
            try await client.mailboxes.select(mailbox.bytes, readOnly: isLook)
        }
        guard isLook || !selected.isReadOnly else {
            throw .unsupported("the server opened \(mailbox) read-only")
        }
        guard selected.uidValidity != 0 else {
            throw .unsupported(
                "the server has no UIDVALIDITY for \(mailbox), so nothing can be changed safely")
        }
        current = selected
        return selected.uidValidity
    }

    func fetch(_ uids: [UInt32], _ items: FetchItems) async throws(SinkError) -> [FetchedMessage] {
        do throws(SinkError) {
            return try await fetchAll(UIDSet(uids), items)
        } catch {
            guard case .refusedSome = error else { throw error }
        }
        // Some servers answer NO because one of the messages was removed: fetch the others without it.
        let there = try await search(.uids(UIDSet(uids)))
        guard !there.isEmpty else { return [] }
        do throws(SinkError) {
            return try await fetchAll(UIDSet(there), items)
        } catch {
            if case .refusedSome(let words) = error { throw .refused(words) }
            throw error
        }
    }

    func search(_ criteria: SearchCriteria) async throws(SinkError) -> [UInt32] {
        try await translating { () async throws(IMAPClientError) in
            try await client.messages.search(criteria)
        }
    }

    func fetchAll(_ uids: UIDSet, _ items: FetchItems) async throws(SinkError) -> [FetchedMessage] {
        var messages: [FetchedMessage] = []
        do {
            try await client.messages.fetch(uids, items) { messages.append($0) }
        } catch let error as IMAPClientError {
            throw SinkError(error)
        } catch {
            throw .lost("\(error)")
        }
        return messages
    }

    func translating<Result: Sendable>(
        _ body: () async throws(IMAPClientError) -> Result
    ) async throws(SinkError) -> Result {
        do throws(IMAPClientError) {
            return try await body()
        } catch {
            throw SinkError(error)
        }
    }
}
