public import IMAPProtocol

/// Commands on mailboxes. RFC 3501 §6.3.
extension IMAPClient {
    /// Every mailbox of the account, with its role.
    ///
    /// Where INBOX does not come back from the extended form, the plain one is taken for the session
    /// (strato.de, Proton Bridge).
    public func list() async throws(IMAPClientError) -> [MailboxListing] {
        try await takeTurn()
        defer { endTurn() }
        try requireAuthenticated()
        if let kind = extendedList, !listsPlainly {
            let outcome = try await exchange(.list(kind))
            let listings = listings(outcome)
            if outcome.status.isOK, listings.contains(where: { $0.role == .inbox }) { return listings }
            listsPlainly = true
        }
        return listings(try await perform(.list(.plain)))
    }

    var extendedList: Command.ListKind? {
        if capabilities.contains(.specialUse), capabilities.contains(.listExtended) { return .specialUse }
        return capabilities.contains(.xlist) && !capabilities.contains(.specialUse) ? .xlist : nil
    }

    private func listings(_ outcome: Outcome) -> [MailboxListing] {
        listings(
            outcome.untagged.compactMap { response in
                guard case .list(let listed) = response else { return nil }
                return listed
            })
    }

    /// The mailboxes of a LIST with their roles, as far as this server can tell them.
    func listings(_ responses: [ListResponse]) -> [MailboxListing] {
        let telling: Set<Capability> = [.specialUse, .xlist, .gmail, .imap4rev2]
        return MailboxListing.listings(
            from: responses, knowsSpecialUse: !capabilities.isDisjoint(with: telling))
    }

    /// Opens a mailbox. The one that was open is left, without CLOSE, which would expunge it.
    ///
    /// With `since`, and where QRESYNC is enabled, ``SelectedMailbox/changes`` holds what changed since then. A form
    /// of SELECT that the server calls BAD is not tried again.
    public func select(
        _ name: [UInt8], readOnly: Bool = false, since known: SelectRequest.KnownState? = nil
    ) async throws(IMAPClientError) -> SelectedMailbox {
        try await takeTurn()
        defer { endTurn() }
        try startSelect()
        if let known, changeReporting == .qresync {
            if let mailbox = try await attempt(
                SelectRequest(name, readOnly: readOnly, option: .qresync(known)))
            {
                return mailbox
            }
            resynchronizes = false
        }
        if tracksModSeq, !selectsPlainly {
            if let mailbox = try await attempt(SelectRequest(name, readOnly: readOnly, option: .condstore)) {
                return mailbox
            }
            selectsPlainly = true
        }
        let request = SelectRequest(name, readOnly: readOnly)
        guard let mailbox = try await attempt(request) else { throw .noMailboxSelected }
        return mailbox
    }

    /// nil: the server calls this form BAD, and a simpler one is left.
    private func attempt(_ request: SelectRequest) async throws(IMAPClientError) -> SelectedMailbox? {
        let command = Command.selectWith(request)
        let isResync = if case .qresync = request.option { true } else { false }
        let lost = lostAnswers
        reported = isResync ? MailboxChanges() : nil
        defer { reported = nil }
        let outcome = try await exchange(command)
        if outcome.status.status == .bad, request.option != .none { return nil }
        guard outcome.status.isOK else { throw Self.refusal(of: command.name, outcome.status) }
        var mailbox = SelectedMailbox(name: request.mailbox, readOnly: request.readOnly, outcome: outcome)
        mailbox.changes = reported
        if lost != lostAnswers { mailbox.changes?.isComplete = false }
        machine.endSelect(mailbox: request.mailbox, readOnly: mailbox.isReadOnly)
        return mailbox
    }

    /// The numbers of a mailbox that is not open. Not to be asked of the one that is. RFC 3501 §6.3.10.
    public func status(_ name: [UInt8]) async throws(IMAPClientError) -> MailboxStatus {
        try await takeTurn()
        defer { endTurn() }
        try requireAuthenticated()
        let outcome = try await perform(.status(name, modSeq: capabilities.contains(.condstore)))
        for case .mailboxStatus(let status) in outcome.untagged { return status }
        throw .refused(command: "STATUS", status: .ok, code: nil, text: "the answer holds no numbers")
    }

    /// The numbers of mailboxes that are not open, several commands on the wire at once; one that the server has no
    /// numbers for has no entry.
    public func statuses(_ names: [[UInt8]]) async throws(IMAPClientError) -> [[UInt8]: MailboxStatus] {
        try await takeTurn()
        defer { endTurn() }
        try requireAuthenticated()
        let tracks = capabilities.contains(.condstore)
        let answer = try await exchange(names.map { Command.status($0, modSeq: tracks) })
        var found: [[UInt8]: MailboxStatus] = [:]
        for case .mailboxStatus(let status) in answer.untagged { found[status.name] = status }
        return found
    }

    public func create(_ name: [UInt8]) async throws(IMAPClientError) {
        try await takeTurn()
        defer { endTurn() }
        try requireAuthenticated()
        _ = try await perform(.create(name))
    }

    public func noop() async throws(IMAPClientError) {
        _ = try await run(.noop)
    }

    /// Says goodbye and closes. It never fails: whatever happens, the connection is over.
    public func logout() async {
        do {
            try await takeTurn(introducing: false)
        } catch {
            return
        }
        defer { endTurn() }
        machine.startLogout()
        patience = .seconds(5)
        _ = try? await exchange(.logout)
        _ = await fail(.loggedOut)
    }

    // MARK: State

    func requireAuthenticated() throws(IMAPClientError) {
        do { try machine.requireAuthenticated() } catch { throw IMAPClientError(error) }
    }

    func requireSelected() throws(IMAPClientError) {
        do { try machine.requireSelected() } catch { throw IMAPClientError(error) }
    }

    func startSelect() throws(IMAPClientError) {
        do { try machine.startSelect() } catch { throw IMAPClientError(error) }
    }
}

extension SelectedMailbox {
    init(name: [UInt8], readOnly: Bool, outcome: Outcome) {
        self.init(name: name, isReadOnly: readOnly)
        for case .exists(let count) in outcome.untagged { exists = Int(count) }
        for code in outcome.codes { take(code) }
    }

    private mutating func take(_ code: ResponseCode) {
        switch code {
        case .uidValidity(let value): uidValidity = value
        case .uidNext(let value): uidNext = value > 0 ? value : nil
        case .highestModSeq(let value): highestModSeq = value
        case .noModSeq: highestModSeq = nil
        case .permanentFlags(let flags):
            allowsNewKeywords = flags.contains("\\*")
            permanentFlags = flags.filter { $0 != "\\*" }
        case .readOnly: isReadOnly = true
        case .readWrite, .capability, .copyUID, .appendUID, .tryCreate, .alert, .authenticationFailed,
            .overQuota, .unavailable, .modified, .closed, .nonExistent, .alreadyExists, .other:
            break
        }
    }
}
