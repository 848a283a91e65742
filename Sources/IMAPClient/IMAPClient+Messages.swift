public import IMAPProtocol
public import NIOCore

/// Commands that change messages or look for them, one after the other. RFC 3501 §6.4, RFC 4315, RFC 6851.
extension IMAPClient {
    /// The longest set in one command line; the rest of a line is far shorter than what is left of it.
    var longestSet: Int { profile.commandLineLimit * 3 / 4 }

    /// The set in pieces that one command may change at once.
    func pieces(_ uids: UIDSet) -> [UIDSet] {
        uids.split(maximumBytes: longestSet, maximumCount: profile.messagesPerMutation)
    }

    /// Adds or removes flags; answers with the flags that the server says the messages have now.
    ///
    /// A message that has no echo was not changed, whatever the tagged OK claims.
    public func store(
        _ uids: UIDSet, _ change: FlagChange
    ) async throws(IMAPClientError) -> [FlagEcho] {
        try await startMessages()
        defer { endTurn() }
        var echoes: [UInt32: FlagEcho] = [:]
        for part in pieces(uids) {
            let outcome = try await perform(.uidStore(part, change))
            for case .fetch(let fetch) in outcome.untagged {
                guard let uid = fetch.uid, let flags = fetch.flags, part.contains(uid) else { continue }
                echoes[uid] = FlagEcho(uid: uid, flags: flags, modSeq: fetch.modSeq)
            }
        }
        return echoes.values.sorted { $0.uid < $1.uid }
    }

    /// Adds or removes Gmail's labels; answers with the labels that the server says the messages have now.
    ///
    /// A message that has no echo was not changed. Labels travel byte for byte, as a FETCH gave them. X-GM-EXT-1.
    public func storeLabels(
        _ uids: UIDSet, _ change: LabelChange
    ) async throws(IMAPClientError) -> [LabelEcho] {
        try requireCapability(.gmail)
        try await startMessages()
        defer { endTurn() }
        var echoes: [UInt32: LabelEcho] = [:]
        for part in pieces(uids) {
            let outcome = try await perform(.uidStoreLabels(part, change))
            for case .fetch(let fetch) in outcome.untagged {
                guard let uid = fetch.uid, let labels = fetch.gmailLabels, part.contains(uid) else {
                    continue
                }
                echoes[uid] = LabelEcho(uid: uid, labels: labels)
            }
        }
        return echoes.values.sorted { $0.uid < $1.uid }
    }

    /// Moves messages; answers with the server's proof of each, or nil when it gave none: then look.
    public func move(_ uids: UIDSet, to name: [UInt8]) async throws(IMAPClientError) -> CopyUID? {
        try requireCapability(.move)
        return try await transfer(uids) { .uidMove($0, to: name) }
    }

    /// Copies messages; answers as ``move(_:to:)`` does.
    public func copy(_ uids: UIDSet, to name: [UInt8]) async throws(IMAPClientError) -> CopyUID? {
        try await transfer(uids) { .uidCopy($0, to: name) }
    }

    private func transfer(
        _ uids: UIDSet, _ command: (UIDSet) -> Command
    ) async throws(IMAPClientError) -> CopyUID? {
        try await startMessages()
        defer { endTurn() }
        var proof: CopyUID?
        for (index, part) in pieces(uids).enumerated() {
            do {
                let outcome = try await perform(command(part))
                for case .copyUID(let copied) in outcome.codes { proof = proof?.joined(copied) ?? copied }
            } catch {
                throw index == 0 ? error : .partlyDone(proof, cause: error)
            }
        }
        return proof
    }

    /// Removes for good the messages of the set that are marked `\Deleted`, and no other.
    ///
    /// - Throws: ``IMAPClientError/unsafe(command:server:)`` where the server is known to do something else.
    public func expunge(_ uids: UIDSet) async throws(IMAPClientError) {
        try requireCapability(.uidPlus)
        guard profile.usesUIDExpunge else {
            throw .unsafe(command: "UID EXPUNGE", server: profile.kind)
        }
        try await startMessages()
        defer { endTurn() }
        for part in pieces(uids) { _ = try await perform(.uidExpunge(part)) }
    }

    /// The UIDs of the open mailbox that match, ascending.
    public func search(_ criteria: SearchCriteria) async throws(IMAPClientError) -> [UInt32] {
        try await startMessages()
        defer { endTurn() }
        let extended = capabilities.contains(.esearch) && profile.usesExtendedSearch
        let outcome = try await perform(.uidSearch(criteria, extended: extended))
        var numbers: [UInt32] = []
        var found = UIDSet()
        for response in outcome.untagged {
            if case .search(let listed, _) = response { numbers += listed }
            if case .esearch(let answer) = response, let all = answer.all { found = found.union(all) }
        }
        found = found.union(UIDSet(numbers))
        let maximum = ResponseLimits.standard.numbers
        guard found.count <= maximum else {
            throw await fail(
                .protocol("a search result of \(found.count) messages; at most \(maximum) are read"))
        }
        return Array(found.uids)
    }

    /// Puts a message into a mailbox; answers with its UID where the server tells.
    ///
    /// When the mailbox does not exist the refusal carries `.tryCreate`.
    public func append(
        to name: [UInt8], flags: [String] = [], internalDate: Int64? = nil, message: ByteBuffer
    ) async throws(IMAPClientError) -> AppendUID? {
        try await takeTurn()
        defer { endTurn() }
        try requireAuthenticated()
        if let maximum = capabilities.appendLimit, message.readableBytes > maximum {
            throw .invalidRequest(.tooLarge(actual: message.readableBytes, maximum: maximum))
        }
        let request = AppendRequest(
            mailbox: name, flags: flags, internalDate: internalDate, message: message)
        let outcome = try await perform(.append(request))
        for case .appendUID(let appended) in outcome.codes { return appended }
        return nil
    }

    // MARK: Conditions

    func startMessages() async throws(IMAPClientError) {
        try await takeTurn()
        do {
            try requireSelected()
        } catch {
            endTurn()
            throw error
        }
    }

    func requireCapability(_ capability: Capability) throws(IMAPClientError) {
        if let failure { throw failure }
        guard capabilities.contains(capability) else { throw .missingCapability(capability) }
    }
}

extension CopyUID {
    /// Both proofs as one; nil when they are about different incarnations of the destination.
    func joined(_ later: CopyUID) -> CopyUID? {
        guard uidValidity == later.uidValidity else { return nil }
        return CopyUID(
            uidValidity: uidValidity, sources: sources + later.sources,
            destinations: destinations + later.destinations)
    }
}
