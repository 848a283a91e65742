public import IMAPProtocol
import Logging

extension MessageCommands {
    /// Fetches messages of the open mailbox, and calls back for each in the order of arrival.
    ///
    /// The client does not read while the callback runs: a slow caller slows the server down, and only a few messages
    /// are in memory. There is no call for a message that the server does not have. Incomplete messages come last, with
    /// ``FetchedMessage/missing``. If the callback throws, the connection is closed. The callback must not call this
    /// client, because it would wait forever for its turn.
    ///
    /// - Parameters:
    ///   - uids: The messages; split into command lines that the server accepts.
    ///   - items: The items to request of each message.
    ///   - pipelineDepth: The most commands at once, 1 to 25; nil: what the server accepts.
    ///   - isolation: The caller's isolation, so that the callback may use the caller's state.
    ///   - onMessage: Called for each message.
    /// - Throws: ``IMAPClientError``, or the error of the callback.
    public func fetch(
        _ uids: UIDSet, _ items: FetchItems, pipelineDepth: Int? = nil,
        isolation: isolated (any Actor)? = #isolation,
        onMessage: (FetchedMessage) async throws -> Void
    ) async throws {
        try await fetch(
            inOrder: [uids], items, pipelineDepth: pipelineDepth, isolation: isolation, onMessage: onMessage)
    }

    /// Like ``fetch(_:_:pipelineDepth:isolation:onMessage:)``, and requests the sets in their order, for example the
    /// newest first. The next one is requested before the last one is complete.
    ///
    /// `skipsUnreadable`: if the server answers NO because of one message, the others still come, and there is no call
    /// for that one.
    public func fetch(
        inOrder sets: [UIDSet], _ items: FetchItems, pipelineDepth: Int? = nil, skipsUnreadable: Bool = false,
        isolation: isolated (any Actor)? = #isolation,
        onMessage: (FetchedMessage) async throws -> Void
    ) async throws {
        let sets = sets.filter { !$0.isEmpty }
        guard !sets.isEmpty else { return }
        try await start(sets, items, pipelineDepth, skipsUnreadable, on: client)
        do {
            while let messages = try await nextMessages(on: client) {
                for message in messages { try await onMessage(message) }
            }
        } catch {
            await abandon(on: client)
            throw error
        }
        try await end(on: client)
    }

    private func start(
        _ sets: [UIDSet], _ items: FetchItems, _ depth: Int?, _ skipsUnreadable: Bool,
        on client: isolated IMAPConnection
    ) async throws(IMAPClientError) {
        if items.modSeq || items.changedSince != nil, !client.capabilities.contains(.qresync) {
            try client.require(.condstore)
        }
        if items.objectIDs { try client.require(.objectID) }
        if items.gmailIDs || items.gmailLabels { try client.require(.gmail) }
        try await client.takeTurn(.selected)
        client.decoder.bodyLimit = items.bodyLimit
        client.decoder.keepsStart = items.wantsStart
        client.pipeline = FetchPipeline(
            sets, items: items, depth: depth ?? client.profile.pipelineDepth, longestSet: client.longestSet,
            skipsUnreadable: skipsUnreadable)
    }

    /// The messages completed so far, at least one; nil: all commands have ended.
    private func nextMessages(
        on client: isolated IMAPConnection
    ) async throws(IMAPClientError) -> [FetchedMessage]? {
        var messages: [FetchedMessage] = []
        while client.pipeline?.isFinished == false {
            try await sendCommands(on: client)
            let before = client.decoder.parsedBytes
            let next = messages.isEmpty ? try await client.nextResponse() : try await client.decoded()
            guard let response = next else { return messages }
            let octets = client.decoder.parsedBytes - before
            if let message = try await receive(response, octets, on: client) { messages.append(message) }
        }
        messages += client.pipeline?.takeIncomplete() ?? []
        return messages.isEmpty ? nil : messages
    }

    private func sendCommands(on client: isolated IMAPConnection) async throws(IMAPClientError) {
        while let set = client.pipeline?.nextSet(), let items = client.pipeline?.items {
            let encoded = try client.encode(.uidFetch(set, items))
            client.pipeline?.start(encoded.tag, set)
            client.logger.trace(
                "command", metadata: ["tag": "\(encoded.tag)", "name": "\(encoded.name)"])
            for case .send(let bytes) in encoded.pieces { try await client.send(bytes) }
        }
    }

    /// The message that the response completes. `octets`: the size of the response.
    private func receive(
        _ response: Response, _ octets: Int, on client: isolated IMAPConnection
    ) async throws(IMAPClientError) -> FetchedMessage? {
        var message: FetchedMessage?
        switch response {
        case .tagged(let tag, let status):
            client.logger.trace(
                "ended", metadata: ["tag": "\(tag)", "status": "\(status.status.rawValue)"])
            guard client.pipeline?.receiveTagged(tag, status) == true else {
                throw await client.failed(atEndOf: tag)
            }
        case .untagged(let untagged): message = client.pipeline?.receive(untagged, octets: octets)
        case .continuation: break
        }
        if let excess = client.pipeline?.excess { throw await client.fail(.protocol(excess)) }
        return message
    }

    private func end(on client: isolated IMAPConnection) throws(IMAPClientError) {
        defer { client.endTurn() }
        let refusal = client.pipeline?.refusal
        client.pipeline = nil
        if let refusal { throw .refusal(of: "UID FETCH", refusal) }
    }

    private func abandon(on client: isolated IMAPConnection) async {
        _ = await client.fail(.abandoned)
        client.endTurn()
    }
}
