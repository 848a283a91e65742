public import IMAPProtocol
import Logging

extension IMAPClient {
    /// Fetches messages of the open mailbox, and calls back for each in the order of arrival.
    ///
    /// The socket is not read while the callback runs: a slow caller slows the server down, and memory holds a
    /// handful of messages at most. A message that the server does not have brings no call. What came
    /// incomplete comes last, with ``FetchedMessage/missing``. A callback that throws gives up the connection.
    /// The callback must not call this client: it would wait for its own turn for ever.
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

    /// As ``fetch(_:_:pipelineDepth:isolation:onMessage:)``, with the sets asked for one after the other: the newest
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
        try await startFetch(sets, items, pipelineDepth, skipsUnreadable)
        do {
            while let messages = try await nextMessages() {
                for message in messages { try await onMessage(message) }
            }
        } catch {
            await abandonFetch()
            throw error
        }
        try await endFetch()
    }

    private func startFetch(
        _ sets: [UIDSet], _ items: FetchItems, _ depth: Int?, _ skipsUnreadable: Bool
    ) async throws(IMAPClientError) {
        if items.modSeq || items.changedSince != nil, !capabilities.contains(.qresync) {
            try requireCapability(.condstore)
        }
        if items.objectIDs { try requireCapability(.objectID) }
        if items.gmailIDs || items.gmailLabels { try requireCapability(.gmail) }
        try await takeTurn()
        do {
            try requireSelected()
        } catch {
            endTurn()
            throw error
        }
        decoder.bodyLimit = items.bodyLimit
        decoder.keepsStart = items.wantsStart
        pipeline = FetchPipeline(
            sets, items: items, depth: depth ?? profile.pipelineDepth, longestSet: longestSet,
            skipsUnreadable: skipsUnreadable)
    }

    /// The messages that are complete by now, at least one; nil when all commands have ended.
    private func nextMessages() async throws(IMAPClientError) -> [FetchedMessage]? {
        var messages: [FetchedMessage] = []
        while pipeline?.isFinished == false {
            try await sendCommands()
            if messages.isEmpty {
                let before = decoder.parsedBytes
                let response = try await nextResponse()
                try await checkStray(response, decoder.parsedBytes - before)
                try await take(response, into: &messages)
            } else if let response = try await decoded() {
                try await take(response, into: &messages)
            } else {
                return messages
            }
        }
        messages += pipeline?.takeIncomplete() ?? []
        return messages.isEmpty ? nil : messages
    }

    /// A server that goes on about other messages brings nothing, however much it sends.
    private func checkStray(_ response: Response, _ octets: Int) async throws(IMAPClientError) {
        if case .tagged = response { return strayOctets = 0 }
        if case .fetch(let fetch) = response, pipeline?.wants(fetch.uid) == true { return }
        strayOctets += octets
        guard strayOctets <= FetchPipeline.strayOctets else {
            throw await fail(.protocol("\(strayOctets) bytes that belong to no message that was asked for"))
        }
    }

    private func sendCommands() async throws(IMAPClientError) {
        while let set = pipeline?.nextSet(), let items = pipeline?.items {
            let encoded = try encode(.uidFetch(set, items))
            pipeline?.start(encoded.tag, set)
            logger.trace("command", metadata: ["tag": "\(encoded.tag)", "name": "\(encoded.name)"])
            for case .send(let bytes) in encoded.pieces { try await send(bytes) }
        }
    }

    private func take(
        _ response: Response, into messages: inout [FetchedMessage]
    ) async throws(IMAPClientError) {
        switch response {
        case .fetch(let fetch):
            if let message = pipeline?.receive(fetch) { messages.append(message) }
        case .tagged(let tag, let status):
            logger.trace("ended", metadata: ["tag": "\(tag)", "status": "\(status.status.rawValue)"])
            guard pipeline?.receiveTagged(tag, status) == true else {
                throw await fail(.protocol("the end of command \(tag), which is not running"))
            }
        case .continuation, .status, .capability, .enabled, .list, .mailboxStatus, .search, .esearch, .flags,
            .exists, .recent, .expunge, .vanished, .id, .namespace, .other, .unparsable:
            break
        }
    }

    private func endFetch() throws(IMAPClientError) {
        defer { endTurn() }
        let refusal = pipeline?.refusal
        pipeline = nil
        if let refusal { throw Self.refusal(of: "UID FETCH", refusal) }
    }

    private func abandonFetch() async {
        _ = await fail(.abandoned)
        endTurn()
    }
}
