public import IMAPProtocol

extension MailboxCommands {
    /// Opens a mailbox. Leaves the open one without CLOSE, which would expunge it.
    ///
    /// With `since`, and if QRESYNC is enabled, ``SelectedMailbox/changes`` has the changes since that state. A form of
    /// SELECT that the server answers with BAD is not tried again.
    public func select(
        _ name: [UInt8], readOnly: Bool = false, since known: ResyncState? = nil
    ) async throws(IMAPClientError) -> SelectedMailbox {
        try await client.turn(.authenticated) { client async throws(IMAPClientError) in
            try await open(name, readOnly: readOnly, since: known, on: client).mailbox
        }
    }

    /// Like ``select(_:readOnly:since:)``, and also returns the numbers of other mailboxes, in the same round trip if
    /// the server accepts several commands at once. Mailboxes without numbers are omitted.
    public func select(
        _ name: [UInt8], readOnly: Bool = false, numbersOf others: [[UInt8]]
    ) async throws(IMAPClientError) -> (mailbox: SelectedMailbox, numbers: [[UInt8]: MailboxStatus]) {
        try await client.turn(.authenticated) { client async throws(IMAPClientError) in
            try await open(name, readOnly: readOnly, numbersOf: others, on: client)
        }
    }

    /// Whether commands on this mailbox can be sent without waiting for the server.
    public func canPipeline(_ name: [UInt8]) async -> Bool {
        await client.canSendAtOnce(.select(SelectRequest(name, readOnly: true)))
    }
}

extension MailboxCommands {
    /// Opens a mailbox in the best form that the server accepts. Also returns the untagged responses.
    func open(
        _ name: [UInt8], readOnly: Bool, since known: ResyncState? = nil, on client: isolated IMAPConnection
    ) async throws(IMAPClientError) -> (mailbox: SelectedMailbox, untagged: [Untagged]) {
        do { try client.machine.startSelect() } catch { throw IMAPClientError(error) }
        if let known, client.changeReporting == .qresync {
            let request = SelectRequest(name, readOnly: readOnly, option: .qresync(known))
            if let opened = try await open(request, on: client) { return opened }
            client.refused.qresync = true
        }
        if client.tracksModSeq, !client.refused.condstore {
            let request = SelectRequest(name, readOnly: readOnly, option: .condstore)
            if let opened = try await open(request, on: client) { return opened }
            client.refused.condstore = true
        }
        guard let opened = try await open(SelectRequest(name, readOnly: readOnly), on: client) else {
            throw .noMailboxSelected
        }
        return opened
    }

    /// Sends one form of SELECT with STATUS of other mailboxes. If the server answers BAD, sends other forms of SELECT
    /// alone.
    private func open(
        _ name: [UInt8], readOnly: Bool, numbersOf others: [[UInt8]], on client: isolated IMAPConnection
    ) async throws(IMAPClientError) -> (mailbox: SelectedMailbox, numbers: [[UInt8]: MailboxStatus]) {
        do { try client.machine.startSelect() } catch { throw IMAPClientError(error) }
        let isTracking = client.tracksModSeq && !client.refused.condstore
        let request = SelectRequest(name, readOnly: readOnly, option: isTracking ? .condstore : .none)
        let items = client.statusItems
        let answer = try await client.exchange([.select(request)] + others.map { .status($0, items) })
        var numbers: [[UInt8]: MailboxStatus] = [:]
        for case .mailboxStatus(let status) in answer.untagged { numbers[status.name] = status }
        guard let status = answer.statuses.first else { throw .noMailboxSelected }
        if status.status == .bad, isTracking {
            client.refused.condstore = true
            return (try await open(name, readOnly: readOnly, on: client).mailbox, numbers)
        }
        guard status.isOK else { throw .refusal(of: Command.select(request).name, status) }
        let mailbox = SelectedMailbox(
            name: request.mailbox, readOnly: request.readOnly,
            outcome: Outcome(status: status, untagged: answer.untagged))
        client.machine.endSelect(mailbox: request.mailbox, readOnly: mailbox.isReadOnly)
        return (mailbox, numbers)
    }

    /// nil: the server answered BAD to this form, and a simpler one remains.
    private func open(
        _ request: SelectRequest, on client: isolated IMAPConnection
    ) async throws(IMAPClientError) -> (mailbox: SelectedMailbox, untagged: [Untagged])? {
        let command = Command.select(request)
        let isResync = if case .qresync = request.option { true } else { false }
        let lost = client.lostAnswers
        let outcome = try await client.exchange(command, reportsChanges: isResync)
        if outcome.status.status == .bad, request.option != .none { return nil }
        guard outcome.status.isOK else { throw .refusal(of: command.name, outcome.status) }
        var mailbox = SelectedMailbox(name: request.mailbox, readOnly: request.readOnly, outcome: outcome)
        mailbox.changes = outcome.changes
        if lost != client.lostAnswers { mailbox.changes?.isComplete = false }
        client.machine.endSelect(mailbox: request.mailbox, readOnly: mailbox.isReadOnly)
        return (mailbox, outcome.untagged)
    }
}

extension IMAPConnection {
    fileprivate func canSendAtOnce(_ command: Command) -> Bool {
        let encoded = try? command.encode(
            tag: CommandTag(rawValue: "A0"), literals: LiteralSupport(capabilities), isUTF8: speaksUTF8)
        return encoded?.bytesAtOnce != nil
    }
}
