public import IMAPProtocol
import Logging

extension MessageCommands {
    /// Fetches messages of the open mailbox, and calls back for each in the order of arrival.
    ///
    /// The socket is not read while the callback runs: a slow caller slows the server down, and memory holds a
    /// handful of messages at most. A message that the server does not have brings no call. What came
    /// incomplete comes last, with ``FetchedMessage/missing``. A callback that throws gives up the connection.
    /// The callback must not call this client: it would wait for its own turn forever.
    ///
    /// - Parameters:
    ///   - uids: split into command lines as long as the server takes them.
    ///   - items: what to ask of each.
    ///   - pipelineDepth: commands on the wire at once, 1 to 25; nil for what the server takes.
    ///   - isolation: the caller's, so that the callback may use the caller's state.
    ///   - onMessage: one message.
    /// - Throws: ``IMAPClientError``, or what the callback threw.
    public func fetch(
        _ uids: UIDSet, _ items: FetchItems, pipelineDepth: Int? = nil,
        isolation: isolated (any Actor)? = #isolation,
        onMessage: (FetchedMessage) async throws -> Void
    ) async throws {
        try await fetch(
            inOrder: [uids], items, pipelineDepth: pipelineDepth, isolation: isolation, onMessage: onMessage)
    }

    /// As ``fetch(_:_:pipelineDepth:isolation:onMessage:)``, with the sets requested one after the other: the newest
    /// first, say. The next one is on the wire before the last one is done.
    ///
    /// `skipsUnreadable`: when the server answers NO because of one message, the others still come, and that one brings no
    /// call, as if it were not there.
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

    /// The messages that are complete so far, at least one; nil when all commands have ended.
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

    /// The message that the response completes. `octets`: of the response.
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
