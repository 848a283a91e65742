public import IMAPProtocol

/// Commands on mailboxes. RFC 3501 §6.3.
public struct MailboxCommands: Sendable {
    let client: IMAPConnection

    /// Every mailbox of the account, with its role.
    ///
    /// If the extended form does not return INBOX (strato.de, Proton Bridge), the plain form is used for the whole
    /// session.
    ///
    /// - Throws: ``IMAPClientError``. An answer without INBOX is an error if the account has one: it lacks mailboxes.
    public func list() async throws(IMAPClientError) -> [MailboxListing] {
        try await client.turn(.authenticated) { client async throws(IMAPClientError) in
            if let request = client.extendedList {
                let outcome = try await client.exchange(.list(request))
                if outcome.status.isOK,
                    client.listings(outcome.untagged).contains(where: { $0.role == .inbox })
                {
                    return try await listings(outcome.untagged, on: client)
                }
                client.refused.extendedList = true
            }
            return try await listings(try await plainList(on: client), on: client)
        }
    }

    /// Where the mailboxes of others are; without any if the server does not tell it. RFC 2342 §5.
    public func namespaces() async throws(IMAPClientError) -> NamespaceResponse {
        try await client.turn(.authenticated) { client async throws(IMAPClientError) in
            try await known(on: client)
        }
    }

    /// What the user may do in a mailbox; nil: the server has no access control lists, or does not tell. RFC 4314 §3.5.
    public func rights(on name: [UInt8]) async throws(IMAPClientError) -> RightsResponse? {
        try await client.turn(.authenticated) { client async throws(IMAPClientError) in
            guard client.capabilities.contains(.acl) else { return nil }
            for case .myRights(let told) in try await client.exchange(.myRights(name)).untagged {
                return told
            }
            return nil
        }
    }

    /// The numbers of a mailbox that is not open. Must not be used for the open mailbox. RFC 3501 §6.3.10.
    public func status(_ name: [UInt8]) async throws(IMAPClientError) -> MailboxStatus {
        try await client.turn(.authenticated) { client async throws(IMAPClientError) in
            let outcome = try await client.perform(.status(name, client.statusItems))
            for case .mailboxStatus(let status) in outcome.untagged { return status }
            throw .refused(command: "STATUS", status: .ok, code: nil, text: "the answer holds no numbers")
        }
    }

    /// The numbers of mailboxes that are not open, with several commands at once. Mailboxes without numbers are
    /// omitted.
    public func statuses(_ names: [[UInt8]]) async throws(IMAPClientError) -> [[UInt8]: MailboxStatus] {
        try await client.turn(.authenticated) { client async throws(IMAPClientError) in
            let items = client.statusItems
            let answer = try await client.exchange(names.map { Command.status($0, items) })
            var found: [[UInt8]: MailboxStatus] = [:]
            for case .mailboxStatus(let status) in answer.untagged { found[status.name] = status }
            return found
        }
    }

    public func create(_ name: [UInt8]) async throws(IMAPClientError) {
        try await client.turn(.authenticated) { client async throws(IMAPClientError) in
            _ = try await client.perform(.create(name))
        }
    }

    /// Other programs show only subscribed mailboxes. RFC 3501 §6.3.6.
    public func subscribe(_ name: [UInt8]) async throws(IMAPClientError) {
        try await client.turn(.authenticated) { client async throws(IMAPClientError) in
            _ = try await client.perform(.subscribe(name))
        }
    }
}

extension IMAPConnection {
    public nonisolated var mailboxes: MailboxCommands { MailboxCommands(client: self) }

    /// The form of LIST that returns roles; nil: the server has none, or refused it.
    fileprivate var extendedList: ListRequest? {
        if refused.extendedList { return nil }
        if capabilities.contains(.specialUse), capabilities.contains(.listExtended) { return .specialUse }
        return capabilities.contains(.xlist) && !capabilities.contains(.specialUse) ? .xlist : nil
    }

    var statusItems: [StatusItem] {
        let plain: [StatusItem] = [.messages, .uidNext, .uidValidity, .unseen]
        return capabilities.contains(.condstore) ? plain + [.highestModSeq] : plain
    }

    /// The mailboxes of a LIST with their roles, as far as this server reports them.
    fileprivate func listings(_ untagged: [Untagged], _ personalPrefix: String? = nil) -> [MailboxListing] {
        let responses = untagged.compactMap { response in
            guard case .list(let listed) = response else { return ListResponse?.none }
            return listed
        }
        let telling: Set<Capability> = [.specialUse, .xlist, .gmail, .imap4rev2]
        return MailboxListing.listings(
            from: responses, knowsSpecialUse: !capabilities.isDisjoint(with: telling),
            personalPrefix: personalPrefix)
    }
}

// MARK: - Where the mailboxes of the user are

extension MailboxCommands {
    /// Requested once in a session.
    private func known(
        on client: isolated IMAPConnection
    ) async throws(IMAPClientError) -> NamespaceResponse {
        if let namespaces = client.namespaces { return namespaces }
        var found = NamespaceResponse()
        if client.capabilities.contains(.namespace) {
            for case .namespace(let spaces) in try await client.exchange(.namespace).untagged {
                found = spaces
            }
        }
        client.namespaces = found
        return found
    }

    /// The mailboxes of a LIST, with what the server puts before the names of the user's own ones. It is only requested if
    /// the names leave it open; Gmail puts nothing before them.
    private func listings(
        _ untagged: [Untagged], on client: isolated IMAPConnection
    ) async throws(IMAPClientError) -> [MailboxListing] {
        let found = client.listings(untagged)
        guard found.mayHavePersonalPrefix, !client.capabilities.contains(.gmail),
            let prefix = try await known(on: client).personalPrefix
        else { return found }
        return client.listings(untagged, ModifiedUTF7.displayName(prefix))
    }
}

// MARK: - Survey of the account

extension MailboxCommands {
    /// Every mailbox of the account with its role and, if the server has HIGHESTMODSEQ, its numbers. This shows what
    /// changed in one or two round trips, before any mailbox is opened. RFC 3501 §6.3.10, RFC 5161 (ENABLE), RFC 5819
    /// (LIST-STATUS), RFC 7162 §3.1.2 (HIGHESTMODSEQ in STATUS).
    ///
    /// It also enables QRESYNC. The numbers come from LIST-STATUS, or from a STATUS for each mailbox, several at once.
    /// It skips the open mailbox.
    ///
    /// - Parameter isWanted: Whether to request the numbers of this mailbox.
    /// - Returns: All mailboxes, as ``list()`` does.
    /// - Throws: ``IMAPClientError``.
    public func survey(
        _ isWanted: @Sendable (MailboxListing) -> Bool = { _ in true }
    ) async throws(IMAPClientError) -> [SurveyedMailbox] {
        try await client.turn(.authenticated, introducing: false) { client async throws(IMAPClientError) in
            client.news.beginSurvey()
            var untagged = try await listAll(on: client)
            let listings = try await listings(untagged, on: client)
            if client.tracksModSeq, !untagged.contains(where: { $0.numbers != nil }) {
                let open = client.selected
                let names = listings.filter { $0.isSelectable && isWanted($0) && $0.name != open }.map(\.name)
                untagged = try await client.exchange(names.map { .status($0, Self.numbers) }).untagged
            }
            let numbers = Dictionary(
                untagged.compactMap(\.numbers).map { ($0.name, $0) }, uniquingKeysWith: { _, last in last })
            client.news.cover(Array(numbers.values), of: listings.map(\.name))
            return listings.map { SurveyedMailbox(listing: $0, status: numbers[$0.name]) }
        }
    }

    private static let numbers: [StatusItem] = [.messages, .uidNext, .uidValidity, .highestModSeq]

    /// Sends ENABLE and LIST in one round trip, after commands that are still due; repeats LIST in the plain form if
    /// INBOX is missing.
    private func listAll(on client: isolated IMAPConnection) async throws(IMAPClientError) -> [Untagged] {
        var commands = client.takeIntroduction()
        let enable = commands.count
        let wanted = client.capabilitiesToEnable
        if !wanted.isEmpty { commands.append(.enable(wanted)) }
        let list = request(for: client)
        commands.append(.list(list))
        let answer = try await client.exchange(commands)
        if !wanted.isEmpty {
            client.hasAskedToEnable = true
            let isOK = answer.statuses.dropFirst(enable).first?.isOK == true
            if !client.profile.saysEnabled, isOK { client.enabled.formUnion(wanted) }
        }
        guard let status = answer.statuses.last else { return [] }
        let hasInbox = client.listings(answer.untagged).contains { $0.role == .inbox }
        if status.isOK, hasInbox { return answer.untagged }
        if client.refused.extendedList, !status.isOK { throw .refusal(of: Command.list(list).name, status) }
        client.refused.extendedList = true
        return try await plainList(on: client)
    }

    /// Every account has an INBOX (RFC 3501 §5.1), except one that only has mailboxes of others. A server that leaves it out
    /// cannot reach its mail at the moment, and opus would take the mailboxes for deleted.
    private func plainList(on client: isolated IMAPConnection) async throws(IMAPClientError) -> [Untagged] {
        let answer = try await client.perform(.list(.plain)).untagged
        let listings = client.listings(answer)
        if listings.contains(where: { $0.role == .inbox }) { return answer }
        let inbox = try await client.exchange(.status(Array("INBOX".utf8), [.messages])).status
        guard listings.isEmpty || inbox.isOK else { return answer }
        throw await client.fail(.protocol("its list of mailboxes has no INBOX, so it is not complete"))
    }

    private func request(for client: isolated IMAPConnection) -> ListRequest {
        let offered = client.capabilities
        let tellsNumbers =
            !client.refused.extendedList && client.profile.usesExtendedList && client.tracksModSeq
            && offered.isSuperset(of: [.listExtended, .listStatus])
        guard tellsNumbers else { return client.extendedList ?? .plain }
        return ListRequest(roles: offered.contains(.specialUse), status: Self.numbers)
    }
}

extension IMAPConnection {
    fileprivate var capabilitiesToEnable: [Capability] {
        guard !hasAskedToEnable, capabilities.contains(.enable) else { return [] }
        var wanted: [Capability] = []
        if profile.usesQResync, capabilities.contains(.qresync) { wanted.append(.qresync) }
        if wantsUTF8, capabilities.contains(.utf8Accept) { wanted.append(.utf8Accept) }
        return wanted
    }
}

extension Untagged {
    fileprivate var numbers: MailboxStatus? {
        guard case .mailboxStatus(let status) = self else { return nil }
        return status
    }
}

/// One mailbox of the account, with its numbers if the server sent them.
public struct SurveyedMailbox: Equatable, Sendable {
    public var listing: MailboxListing
    public var status: MailboxStatus?

    public init(listing: MailboxListing, status: MailboxStatus? = nil) {
        self.listing = listing
        self.status = status
    }
}
