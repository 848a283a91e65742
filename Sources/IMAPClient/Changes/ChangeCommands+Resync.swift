import IMAPProtocol
import NIOCore

extension ChangeCommands {
    /// Opens mailboxes one after the other, each with its last known state, and fetches their new messages. It sends as
    /// many commands at once as the server accepts, so a pass over all changed mailboxes takes one or a few round
    /// trips.
    ///
    /// QRESYNC must be enabled; see ``MailboxCommands/survey(_:)``. As with
    /// ``MessageCommands/fetch(_:_:pipelineDepth:isolation:onMessage:)``, the client does not read while the callback
    /// runs, the callback must not call this client, and the connection is closed if it throws.
    ///
    /// - Returns: For each request, the mailbox with its changes; nil: the server refused it, or it has another
    ///   UIDVALIDITY, so open it separately.
    public func resynchronize(
        _ requests: [ResyncRequest], isolation: isolated (any Actor)? = #isolation,
        onMessage: (Int, FetchedMessage) async throws -> Void
    ) async throws -> [SelectedMailbox?] {
        guard !requests.isEmpty else { return [] }
        try await start(requests, on: client)
        do {
            while let arrivals = try await nextArrivals(on: client) {
                for arrival in arrivals { try await onMessage(arrival.request, arrival.message) }
            }
        } catch {
            await abandon(on: client)
            throw error
        }
        return await end(on: client)
    }

    private func start(
        _ requests: [ResyncRequest], on client: isolated IMAPConnection
    ) async throws(IMAPClientError) {
        try await client.takeTurn(.authenticated)
        guard client.changeReporting == .qresync else {
            client.endTurn()
            throw .missingCapability(.qresync)
        }
        try? client.machine.startSelect()
        client.decoder.bodyLimit = requests.map(\.items.bodyLimit).max() ?? 0
        client.decoder.keepsStart = requests.allSatisfy { $0.new == nil || $0.items.wantsStart }
        client.pass = ResyncPass(requests, losses: client.lostAnswers)
    }

    /// The messages completed so far, at least one; nil: all commands have ended.
    private func nextArrivals(
        on client: isolated IMAPConnection
    ) async throws(IMAPClientError) -> [ResyncPass.Arrival]? {
        var arrivals: [ResyncPass.Arrival] = []
        while client.pass?.isFinished == false {
            try await sendCommands(on: client)
            let next = arrivals.isEmpty ? try await client.nextResponse() : try await client.decoded()
            guard let response = next else { return arrivals }
            arrivals += try await receive(response, on: client)
        }
        return arrivals.isEmpty ? nil : arrivals
    }

    private func receive(
        _ response: Response, on client: isolated IMAPConnection
    ) async throws(IMAPClientError) -> [ResyncPass.Arrival] {
        switch response {
        case .tagged(let tag, let status):
            guard let rest = client.pass?.receiveTagged(tag, status, losses: client.lostAnswers) else {
                throw await client.fail(
                    .protocol("the end of command \(tag), which is not the oldest one running"))
            }
            return rest
        case .untagged(let untagged):
            let arrival = client.pass?.receive(untagged)
            guard client.pass?.isWithinLimits != false else {
                throw await client.fail(.protocol("more changes than a mailbox can hold"))
            }
            return arrival.map { [$0] } ?? []
        case .continuation:
            return []
        }
    }

    /// Sends as many commands as the server accepts now, in one write.
    private func sendCommands(on client: isolated IMAPConnection) async throws(IMAPClientError) {
        var bytes = ByteBuffer()
        while let count = client.pass?.runningCount, count < client.profile.pipelineDepth,
            let step = client.pass?.nextStep(), let command = client.pass?.command(step)
        {
            let encoded = try client.encode(command)
            guard var line = encoded.bytesAtOnce else {
                throw .invalidRequest(.invalidWord(encoded.name))
            }
            bytes.writeBuffer(&line)
            client.pass?.start(encoded.tag, step)
        }
        if bytes.readableBytes > 0 { try await client.send(bytes) }
    }

    private func end(on client: isolated IMAPConnection) -> [SelectedMailbox?] {
        defer { client.endTurn() }
        let results = client.pass?.results ?? []
        client.pass = nil
        if let last = results.last, let last {
            client.machine.endSelect(mailbox: last.name, readOnly: true)
        }
        return results
    }

    private func abandon(on client: isolated IMAPConnection) async {
        _ = await client.fail(.abandoned)
        client.pass = nil
        client.endTurn()
    }
}
