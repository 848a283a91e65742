import Models

/// Handles a request that an account refused as a whole because of one message: opus tries the others at
/// once, in parts.
struct PartedRequest: DrainPart {
    let context: DrainContext

    /// The maximum number of refusals of one group, and of refusals before any part is accepted.
    private static let mostRefusals = 64
    private static let mostAtFirst = 12

    /// Acts on all messages. If the account refuses several of them, checks again and acts on those that
    /// still exist: on all of them, then on halves, until only the refused messages are left, which wait.
    ///
    /// - Parameters:
    ///   - issued: messages of one mailbox, marked as issued.
    ///   - mailbox: the mailbox.
    ///   - ledger: the results.
    ///   - act: executes the request, and records the results.
    /// - Returns: messages that no longer exist.
    /// - Throws: any other failure, which affects all messages that are not settled.
    func run(
        _ issued: [Aimed], in mailbox: MailboxName, _ ledger: inout Ledger,
        _ act: ([Aimed], inout Ledger) async throws(SinkError) -> Void
    ) async throws(SinkError) -> [Aimed] {
        var gone: [Aimed] = []
        var waiting = [issued]
        var (refusals, acts) = (0, 0)
        while let some = waiting.popLast() {
            let words: String
            do throws(SinkError) {
                try await act(some, &ledger)
                acts += 1
                continue
            } catch {
                guard case .refusedSome(let said) = error else { throw error }
                words = said
            }
            refusals += 1
            let open = some.filter { !ledger.isSettled($0.step) }
            let there = refusals == 1 || open.count == 1 ? try await stillThere(open, in: mailbox) : open
            gone += open.filter { aimed in !there.contains { $0.target.uid == aimed.target.uid } }
            if there.isEmpty { continue }
            let isWorthIt = refusals < Self.mostRefusals && (acts > 0 || refusals < Self.mostAtFirst)
            if there.count < open.count, isWorthIt {
                waiting.append(there)
            } else if there.count > 1, isWorthIt {
                let middle = there.count / 2
                waiting += [Array(there[middle...]), Array(there[..<middle])]
            } else {
                try ledger.settle { for aimed in there { try $0.postpone(aimed.step, because: words) } }
            }
        }
        return gone
    }

    private func stillThere(
        _ some: [Aimed], in mailbox: MailboxName
    ) async throws(SinkError) -> [Aimed] {
        let shown = try await sink.look(at: some.map(\.target), in: mailbox)
        return some.filter { shown[$0.target.uid] != nil }
    }
}
