public import IMAPProtocol
public import NIOCore

/// Commands that change or search messages in the open mailbox. RFC 3501 §6.4, RFC 4315, RFC 6851.
public struct MessageCommands: Sendable {
    let client: IMAPConnection

    /// Adds or removes flags. Returns the flags of the messages afterwards, as the server reports them.
    ///
    /// A message without an echo was not changed, even if the tagged response is OK.
    public func store(
        _ uids: UIDSet, _ change: FlagChange
    ) async throws(IMAPClientError) -> [FlagEcho] {
        try await client.turn(.selected) { client async throws(IMAPClientError) in
            var echoes: [UInt32: FlagEcho] = [:]
            for part in client.pieces(uids) {
                let outcome = try await client.perform(.uidStore(part, change))
                for case .fetch(let fetch) in outcome.untagged {
                    guard let uid = fetch.uid, let flags = fetch.flags, part.contains(uid) else { continue }
                    echoes[uid] = FlagEcho(uid: uid, flags: flags, modSeq: fetch.modSeq)
                }
            }
            return echoes.values.sorted { $0.uid < $1.uid }
        }
    }

    /// Adds or removes Gmail labels. Returns the labels of the messages afterwards, as the server reports them.
    /// X-GM-EXT-1.
    ///
    /// A message without an echo was not changed. Labels are sent byte for byte as in a FETCH.
    public func storeLabels(
        _ uids: UIDSet, _ change: LabelChange
    ) async throws(IMAPClientError) -> [LabelEcho] {
        try await client.require(.gmail)
        return try await client.turn(.selected) { client async throws(IMAPClientError) in
            var echoes: [UInt32: LabelEcho] = [:]
            for part in client.pieces(uids) {
                let outcome = try await client.perform(.uidStoreLabels(part, change))
                for case .fetch(let fetch) in outcome.untagged {
                    guard let uid = fetch.uid, let labels = fetch.gmailLabels, part.contains(uid) else {
                        continue
                    }
                    echoes[uid] = LabelEcho(uid: uid, labels: labels)
                }
            }
            return echoes.values.sorted { $0.uid < $1.uid }
        }
    }

    /// Moves messages. Returns the server's proof for each; nil: it sent none, so check the mailboxes.
    public func move(_ uids: UIDSet, to name: [UInt8]) async throws(IMAPClientError) -> CopyUID? {
        try await client.require(.move)
        return try await transfer(uids) { .uidMove($0, to: name) }
    }

    /// Copies messages. Returns the same as ``move(_:to:)``.
    public func copy(_ uids: UIDSet, to name: [UInt8]) async throws(IMAPClientError) -> CopyUID? {
        try await transfer(uids) { .uidCopy($0, to: name) }
    }

    private func transfer(
        _ uids: UIDSet, _ command: @Sendable (UIDSet) -> Command
    ) async throws(IMAPClientError) -> CopyUID? {
        try await client.turn(.selected) { client async throws(IMAPClientError) in
            var proof: CopyUID?
            for (index, part) in client.pieces(uids).enumerated() {
                do throws(IMAPClientError) {
                    let outcome = try await client.perform(command(part))
                    for case .copyUID(let copied) in outcome.codes {
                        proof = proof?.joined(copied) ?? copied
                    }
                } catch {
                    throw index == 0 ? error : .partlyDone(proof, cause: error)
                }
            }
            return proof
        }
    }

    /// Removes for good the messages of the set that are marked `\Deleted`, and no others.
    ///
    /// - Throws: ``IMAPClientError/unsafe(command:server:)`` if UID EXPUNGE is known not to work on this server.
    public func expunge(_ uids: UIDSet) async throws(IMAPClientError) {
        try await client.require(.uidPlus)
        let profile = await client.profile
        guard profile.usesUIDExpunge else {
            throw .unsafe(command: "UID EXPUNGE", server: profile.kind)
        }
        try await client.turn(.selected) { client async throws(IMAPClientError) in
            for part in client.pieces(uids) { _ = try await client.perform(.uidExpunge(part)) }
        }
    }

    /// The UIDs of matching messages in the open mailbox, ascending.
    public func search(_ criteria: SearchCriteria) async throws(IMAPClientError) -> [UInt32] {
        try await client.turn(.selected) { client async throws(IMAPClientError) in
            let extended = client.capabilities.contains(.esearch) && client.profile.usesExtendedSearch
            let outcome = try await client.perform(.uidSearch(criteria, extended: extended))
            var numbers: [UInt32] = []
            var found = UIDSet()
            for response in outcome.untagged {
                if case .search(let listed) = response { numbers += listed.numbers }
                if case .esearch(let answer) = response, let all = answer.all { found = found.union(all) }
            }
            found = found.union(UIDSet(numbers))
            let maximum = ResponseLimits.standard.numbers
            guard found.count <= maximum else {
                throw await client.fail(
                    .protocol("a search result of \(found.count) messages; at most \(maximum) are read"))
            }
            return Array(found.uids)
        }
    }

    /// Appends a message to a mailbox. Returns its UID, if the server reports it.
    ///
    /// If the mailbox does not exist, the refusal has the code `.tryCreate`.
    public func append(
        to name: [UInt8], flags: [String] = [], internalDate: Int64? = nil, message: ByteBuffer
    ) async throws(IMAPClientError) -> AppendUID? {
        try await client.turn(.authenticated) { client async throws(IMAPClientError) in
            if let maximum = client.capabilities.appendLimit, message.readableBytes > maximum {
                throw .invalidRequest(.tooLarge(actual: message.readableBytes, maximum: maximum))
            }
            let request = AppendRequest(
                mailbox: name, flags: flags, internalDate: internalDate, message: message)
            let outcome = try await client.perform(.append(request))
            for case .appendUID(let appended) in outcome.codes { return appended }
            return nil
        }
    }
}

extension IMAPConnection {
    public nonisolated var messages: MessageCommands { MessageCommands(client: self) }

    /// The longest set in one command line, in octets. The rest of the line is much shorter than what remains.
    var longestSet: Int { profile.commandLineLimit * 3 / 4 }

    /// Splits the set into pieces that one command may change.
    func pieces(_ uids: UIDSet) -> [UIDSet] {
        uids.split(maximumBytes: longestSet, maximumCount: profile.messagesPerMutation)
    }
}

extension CopyUID {
    /// Both proofs combined; nil: the UIDVALIDITY of the destination differs.
    func joined(_ later: CopyUID) -> CopyUID? {
        guard uidValidity == later.uidValidity else { return nil }
        return CopyUID(
            uidValidity: uidValidity, sources: sources + later.sources,
            destinations: destinations + later.destinations)
    }
}
