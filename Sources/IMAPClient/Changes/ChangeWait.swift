import IMAPProtocol
import Logging
import NIOCore
import Transport

extension ChangeCommands {
    /// Returns as soon as the mailbox differs from its known state.
    ///
    /// The mailbox is opened read-only. If the server has no IDLE, or its IDLE does not work, the client polls. It
    /// renews IDLE in time and detects a dead connection. Cancelling the task ends the wait cleanly.
    ///
    /// - Parameters:
    ///   - mailbox: The exact name of the mailbox.
    ///   - known: The numbers that the caller's last sync saw; a difference ends the wait at once.
    ///   - seen: The numbers before that sync, which count as known too. This prevents a difference that no sync
    /// resolves from ending every wait at once.
    ///   - timing: The times of the wait.
    ///   - clock: The clock for these times.
    /// - Returns: The reason for the return, and the numbers seen. The next sync finds the changes.
    /// - Throws: ``IMAPClientError`` if the connection is lost or the mailbox cannot be opened.
    public func wait<C: Clock>(
        in mailbox: [UInt8], known: KnownNumbers = KnownNumbers(), seen: KnownNumbers? = nil,
        timing: IdleTiming = IdleTiming(), clock: C = ContinuousClock()
    ) async throws(IMAPClientError) -> Waited where C.Duration == Duration {
        let signal = StopSignal()
        let client = client
        // A separate task: cancelling the caller's task would close the connection in the middle of a command.
        let work = Task { () -> Result<Waited, IMAPClientError> in
            do throws(IMAPClientError) {
                let waited = try await client.turn(.authenticated) { client async throws(IMAPClientError) in
                    let wait = ChangeWait(
                        mailbox: mailbox, known: [known] + (seen.map { [$0] } ?? []), timing: timing,
                        clock: clock, signal: signal, end: timing.limit.map { clock.now.advanced(by: $0) })
                    return try await wait.run(on: client)
                }
                return .success(waited)
            } catch {
                return .failure(error)
            }
        }
        let result = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            signal.stop()
        }
        return try result.get()
    }
}

/// One wait for new mail that misses none. RFC 2177, RFC 9051 §6.3.13.
///
/// ``IdleStateMachine`` decides what to send. The times, and the check of the mailbox before each IDLE, are here: the
/// server need not report again what arrived between the last sync and its `+`.
private struct ChangeWait<C: Clock>: Sendable where C.Duration == Duration {
    let mailbox: [UInt8]
    /// All known states; never empty.
    let known: [KnownNumbers]
    let timing: IdleTiming
    let clock: C
    let signal: StopSignal
    let end: C.Instant?

    private var isOver: Bool { signal.isStopped || end.map { clock.now >= $0 } ?? false }

    /// Checks the mailbox, then waits, and repeats until there is a reason to return.
    func run(on client: isolated IMAPConnection) async throws(IMAPClientError) -> Waited {
        let patience = client.patience
        client.patience = timing.patience
        defer { client.patience = patience }
        var known = known
        while true {
            var notices = Notices(mailbox: mailbox)
            if signal.isStopped { return Waited(.stopped) }
            let (mailbox, untagged) = try await client.mailboxes.open(mailbox, readOnly: true, on: client)
            for response in untagged { notices.noteElsewhere(response) }
            let seen = KnownNumbers(mailbox)
            if known.allSatisfy({ $0.differs(from: mailbox) }) { return Waited(.changed, seen: seen) }
            let others = client.news.take(except: self.mailbox)
            guard others.isEmpty else { return Waited(.changedElsewhere(others), seen: seen) }
            // From here on, these numbers are known.
            known = [seen]
            notices.exists = mailbox.exists
            var needsLook = notices.end != nil
            while !needsLook {
                needsLook = try await wait(&notices, on: client) || notices.end != nil
            }
            if let end = notices.end { return Waited(end, seen: seen) }
            if signal.isStopped { return Waited(.stopped, seen: seen) }
            if let end, clock.now >= end { return Waited(.timedOut, seen: seen) }
        }
    }

    /// One wait; true: open the mailbox again before the next one.
    private func wait(
        _ notices: inout Notices, on client: isolated IMAPConnection
    ) async throws(IMAPClientError) -> Bool {
        guard client.refused.idle == 0, client.profile.usesIdle,
            client.capabilities.withImplied.contains(.idle)
        else {
            if client.refused.idle < .max { client.refused.idle = max(0, client.refused.idle - 1) }
            return try await poll(&notices, on: client)
        }
        let renewal = clock.now.advanced(by: timing.renewal)
        switch try await idle(until: renewal, &notices, on: client) {
        case .ended: break
        case .refused:
            client.logger.debug("the server refused IDLE; opus polls, and tries it again")
            client.refused.idle = 1
            return false
        case .unknown:
            client.logger.debug("the server does not know IDLE; opus polls instead")
            client.refused.idle = .max
            return false
        }
        if notices.end != nil || isOver || clock.now >= renewal { return true }
        // After a silence, the answer to NOOP shows that the server is alive, and reports what IDLE did not.
        try await noop(&notices, on: client)
        return false
    }

    private func poll(
        _ notices: inout Notices, on client: isolated IMAPConnection
    ) async throws(IMAPClientError) -> Bool {
        let next = clock.now.advanced(by: timing.polling)
        while let response = try await nextResponse(before: next, on: client) {
            if case .untagged(let untagged) = response { notices.note(untagged) }
        }
        if isOver { return true }
        // Some servers show new mail only after a new EXAMINE.
        guard client.profile.showsNewMessages else { return true }
        try await noop(&notices, on: client)
        return false
    }

    private func noop(
        _ notices: inout Notices, on client: isolated IMAPConnection
    ) async throws(IMAPClientError) {
        for response in try await client.perform(.noop).untagged { notices.note(response) }
    }
}

// MARK: - One IDLE

extension ChangeWait {
    /// One IDLE from start to end.
    private func idle(
        until renewal: C.Instant, _ notices: inout Notices, on client: isolated IMAPConnection
    ) async throws(IMAPClientError) -> IdleStateMachine.Completion {
        let command = try client.encode(.idle)
        var idle = IdleStateMachine()
        do {
            _ = try idle.start(tag: command.tag)
        } catch {
            throw await client.fail(.protocol(error.description))
        }
        client.decoder.bodyLimit = 0
        for case .send(let bytes) in command.pieces { try await client.send(bytes) }
        var action = IdleStateMachine.Action.wait
        while action != .listen {
            action = try await receive(try await client.nextResponse(), &idle, &notices, on: client)
            if case .finish(let completion) = action { return completion }
        }
        while notices.end == nil {
            let silence = clock.now.advanced(by: timing.silence)
            guard let response = try await nextResponse(before: min(renewal, silence), on: client) else {
                break
            }
            if case .finish = try await receive(response, &idle, &notices, on: client) { return .ended }
        }
        // The connection may be dead: after a stop, wait only a short time for the answer.
        if signal.isStopped { client.patience = min(timing.patience, timing.farewell) }
        if idle.end() == .sendDone { try await client.send(ContinuationLine.done.bytes) }
        while true {
            let response = try await client.nextResponse()
            if case .finish = try await receive(response, &idle, &notices, on: client) { return .ended }
        }
    }

    private func receive(
        _ response: Response, _ idle: inout IdleStateMachine, _ notices: inout Notices,
        on client: isolated IMAPConnection
    ) async throws(IMAPClientError) -> IdleStateMachine.Action {
        do {
            switch response {
            case .continuation: return try idle.receiveContinuation()
            case .tagged(let tag, let status): return try idle.receiveTagged(tag, status)
            case .untagged(let untagged):
                notices.note(untagged)
                return .wait
            }
        } catch {
            throw await client.fail(.protocol("\(error)"))
        }
    }

    /// The next response; nil: the time is over, or the caller stopped the wait.
    private func nextResponse(
        before instant: C.Instant, on client: isolated IMAPConnection
    ) async throws(IMAPClientError) -> Response? {
        if let response = try await client.decoded() { return response }
        let end = end.map { min($0, instant) } ?? instant
        let wakeup = client.connection.makeWakeup()
        signal.arm(wakeup)
        let clock = clock
        let timer = Task {
            if (try? await clock.sleep(until: end, tolerance: nil)) != nil { wakeup.fire() }
        }
        defer { timer.cancel() }
        while true {
            let start = ContinuousClock.now
            let chunk: ByteBuffer?
            do {
                chunk = try await self.chunk(until: wakeup, on: client)
            } catch {
                // If this side ended the wait, the silence shows nothing about the network.
                if error.isLoss { client.silenceBeforeCut = .now - start }
                throw error
            }
            guard let chunk else { return nil }
            client.decoder.feed(chunk)
            if let response = try await client.decoded() { return response }
        }
    }

    /// nil: this side ended the wait.
    private func chunk(
        until wakeup: Wakeup, on client: isolated IMAPConnection
    ) async throws(IMAPClientError) -> ByteBuffer? {
        do throws(TransportError) {
            if let chunk = try await client.connection.receive(until: wakeup) { return chunk }
            throw TransportError(.closedByPeer, endpoint: client.connection.endpoint)
        } catch {
            if error.code == .timedOut(.receive) { return nil }
            throw await client.fail(.transport(error))
        }
    }
}

/// Responses that arrived during the wait.
private struct Notices {
    let mailbox: [UInt8]
    /// The number of messages that the server reported last.
    var exists: Int?
    private var hasChanged = false
    private var others: Set<[UInt8]> = []

    init(mailbox: [UInt8]) { self.mailbox = mailbox }

    var end: IdleEnd? {
        if hasChanged { return .changed }
        return others.isEmpty ? nil : .changedElsewhere(others)
    }

    mutating func note(_ response: Untagged) {
        switch response {
        case .exists(let count):
            if exists != Int(count) { hasChanged = true }
            exists = Int(count)
        case .expunge, .vanished, .fetch: hasChanged = true
        // An unparsable response may have reported a change.
        case .unparsable: hasChanged = true
        case .mailboxStatus, .list: noteElsewhere(response)
        // The server may have omitted other changes.
        case .status(let status): if status.endsNotify { hasChanged = true }
        case .capability, .enabled, .search, .esearch, .flags, .recent, .id, .namespace, .myRights, .quota,
            .quotaRoot, .blank, .other:
            break
        }
    }

    /// Records only reports about other mailboxes.
    mutating func noteElsewhere(_ response: Untagged) {
        if case .mailboxStatus(let status) = response, status.name != mailbox { others.insert(status.name) }
        if case .list(let listed) = response, listed.name != mailbox { others.insert(listed.name) }
    }
}
