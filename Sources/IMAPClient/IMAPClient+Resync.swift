import IMAPProtocol
import NIOCore

extension IMAPClient {
    /// Opens mailboxes one after the other, each with what is known of it, and fetches their new messages: as many
    /// commands on the wire at once as the server takes, so that a pass over all that changed is one turn or a few.
    ///
    /// QRESYNC must be enabled; see ``survey(_:)``. As with ``fetch(_:_:pipelineDepth:isolation:onMessage:)`` the
    /// callback holds the server back, must not call this client, and gives up the connection when it throws.
    ///
    /// - Returns: for each request the mailbox with its changes; nil where the server refused it or has another
    ///   UIDVALIDITY: open that one by itself.
    public func resynchronize(
        _ requests: [ResyncRequest], isolation: isolated (any Actor)? = #isolation,
        onMessage: (Int, FetchedMessage) async throws -> Void
    ) async throws -> [SelectedMailbox?] {
        guard !requests.isEmpty else { return [] }
        try await startPass(requests)
        do {
            while let arrivals = try await nextArrivals() {
                for arrival in arrivals { try await onMessage(arrival.request, arrival.message) }
            }
        } catch {
            await abandonPass()
            throw error
        }
        return await endPass()
    }

    private func startPass(_ requests: [ResyncRequest]) async throws(IMAPClientError) {
        try await takeTurn()
        do throws(IMAPClientError) {
            try requireAuthenticated()
            guard changeReporting == .qresync else { throw .missingCapability(.qresync) }
        } catch {
            endTurn()
            throw error
        }
        try? machine.startSelect()
        decoder.bodyLimit = requests.map(\.items.bodyLimit).max() ?? 0
        decoder.keepsStart = requests.allSatisfy { $0.new == nil || $0.items.wantsStart }
        pass = ResyncPass(requests)
        passLosses = lostAnswers
    }

    /// The messages that are complete by now, at least one; nil when all commands have ended.
    private func nextArrivals() async throws(IMAPClientError) -> [ResyncPass.Arrival]? {
        var arrivals: [ResyncPass.Arrival] = []
        while pass?.isFinished == false {
            try await fillPass()
            if arrivals.isEmpty {
                arrivals += try await take(try await nextResponse())
            } else if let response = try await decoded() {
                arrivals += try await take(response)
            } else {
                return arrivals
            }
        }
        return arrivals.isEmpty ? nil : arrivals
    }

    private func take(_ response: Response) async throws(IMAPClientError) -> [ResyncPass.Arrival] {
        guard case .tagged(let tag, let status) = response else {
            let arrival = pass?.receive(response)
            guard pass?.isWithinLimits != false else {
                throw await fail(.protocol("more changes than a mailbox can hold"))
            }
            return arrival.map { [$0] } ?? []
        }
        let isWhole = lostAnswers == passLosses
        passLosses = lostAnswers
        guard let rest = pass?.receiveTagged(tag, status, isWhole: isWhole) else {
            throw await fail(.protocol("the end of command \(tag), which is not the oldest one running"))
        }
        return rest
    }

    /// Sends what there is room for, all of it at once.
    private func fillPass() async throws(IMAPClientError) {
        var bytes = ByteBuffer()
        while let count = pass?.runningCount, count < profile.pipelineDepth, let step = pass?.nextStep(),
            let command = pass?.command(step)
        {
            let encoded = try encode(command)
            guard var line = encoded.bytesAtOnce else {
                throw .invalidRequest(.invalidWord(encoded.name))
            }
            bytes.writeBuffer(&line)
            pass?.start(encoded.tag, step)
        }
        if bytes.readableBytes > 0 { try await send(bytes) }
    }

    private func endPass() -> [SelectedMailbox?] {
        defer { endTurn() }
        let results = pass?.results ?? []
        pass = nil
        if let last = results.last, let last {
            machine.endSelect(mailbox: last.name, readOnly: true)
        }
        return results
    }

    private func abandonPass() async {
        _ = await fail(.abandoned)
        pass = nil
        endTurn()
    }

    /// Whether commands on that mailbox can be sent without waiting for the server in between.
    public func canPipeline(_ mailbox: [UInt8]) -> Bool {
        let command = Command.selectWith(SelectRequest(mailbox, readOnly: true))
        let encoded = try? command.encode(
            tag: CommandTag(rawValue: "A0"), literals: LiteralSupport(capabilities), isUTF8: speaksUTF8)
        return encoded?.bytesAtOnce != nil
    }
}
