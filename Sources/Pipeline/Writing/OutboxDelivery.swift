import Models

/// Sends due mail, account by account, and reports the remaining mail.
public struct OutboxDelivery: Sendable {
    let sending: Sending
    let outbox: Outbox
    let journal: Journal
    let clock: SessionClock

    public func deliver(account: String?) async throws -> OutboxRound {
        try await sending.finishAll()
        let due = try outbox.list(account: account).filter { line in
            line.isOpen && line.dueAt.map { Step.isDue($0, at: clock.now) } ?? true
        }
        var refusal: String?
        for account in Set(due.map(\.account)).sorted() {
            let drain = try await journal.deliver(account).drain
            refusal =
                refusal ?? drain.refusedSending ?? (drain.halt == .loginRefused ? drain.interruption : nil)
            try await sending.finish(account)
        }
        let left = try outbox.list(account: account)
        let names = Set(due.map(\.name)).subtracting(left.map(\.name))
        return OutboxRound(
            left: left,
            finished: try outbox.list(account: account, all: true).filter { names.contains($0.name) },
            refusal: refusal)
    }
}
