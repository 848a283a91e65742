import IMAPProtocol
import Logging
import NIOCore
import Transport

/// Waiting for new mail without asking for it, and without missing any.
///
/// ``IdleStateMachine`` says what to send; the times, and the look at the mailbox before each IDLE, are here: what
/// comes between the last sync and the server's `+` need not be told by anybody. RFC 2177, RFC 9051 §6.3.13.
extension IMAPClient {
    /// Returns as soon as the mailbox differs from what is known of it.
    ///
    /// The mailbox is opened for reading. A server without IDLE, or one that lies about it, is asked now and then. IDLE
    /// is renewed in time, and a peer that fell silent is found. A cancelled task ends the wait in order.
    ///
    /// - Parameters:
    ///   - mailbox: its exact name.
    ///   - known: what the caller's last sync saw; a difference ends the wait at once.
    ///   - seen: what was seen before that sync, which is known as well. Of a difference that no sync settles it keeps
    ///     from ending the wait for ever.
    ///   - timing: all the times.
    ///   - clock: what measures them.
    /// - Returns: why it came back, and what it saw; what changed, a sync will find.
    /// - Throws: ``IMAPClientError`` when the connection is lost, or the mailbox cannot be opened.
    public func waitForChange<C: Clock>(
        in mailbox: [UInt8], known: KnownNumbers = KnownNumbers(), seen: KnownNumbers? = nil,
        timing: IdleTiming = IdleTiming(), clock: C = ContinuousClock()
    ) async throws(IMAPClientError) -> Waited where C.Duration == Duration {
        let signal = StopSignal()
        // Not a part of the caller's task: cancelling that one would cut the connection in the middle of a command.
        let work = Task { () -> Result<Waited, IMAPClientError> in
            await self.watch(mailbox, [known] + (seen.map { [$0] } ?? []), timing, clock, signal)
        }
        let result = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            signal.stop()
        }
        return try result.get()
    }

    private func watch<C: Clock>(
        _ mailbox: [UInt8], _ known: [KnownNumbers], _ timing: IdleTiming, _ clock: C, _ signal: StopSignal
    ) async -> Result<Waited, IMAPClientError> where C.Duration == Duration {
        do throws(IMAPClientError) {
            try await takeTurn()
            defer { endTurn() }
            try requireAuthenticated()
            let watch = Watch(
                mailbox: mailbox, known: known, timing: timing, clock: clock, signal: signal,
                end: timing.limit.map { clock.now.advanced(by: $0) })
            return .success(try await run(watch))
        } catch {
            return .failure(error)
        }
    }

    /// Looks, then waits, and again until there is a reason to return.
    private func run<C: Clock>(_ watch: Watch<C>) async throws(IMAPClientError) -> Waited {
        let patience = self.patience
        self.patience = watch.timing.patience
        defer { self.patience = patience }
        var known = watch.known
        while true {
            var notices = Notices(mailbox: watch.mailbox)
            if watch.signal.isStopped { return Waited(.stopped) }
            let mailbox = try await examine(watch.mailbox, &notices)
            let seen = KnownNumbers(mailbox)
            if known.allSatisfy({ $0.differs(from: mailbox) }) { return Waited(.changed, seen: seen) }
            // What nobody knew before is known from here on.
            known = [seen]
            notices.exists = mailbox.exists
            var isOver = notices.end != nil
            while !isOver {
                isOver = try await wait(watch, &notices) || notices.end != nil
            }
            if let end = notices.end { return Waited(end, seen: seen) }
            if watch.signal.isStopped { return Waited(.stopped, seen: seen) }
            if let end = watch.end, watch.clock.now >= end { return Waited(.timedOut, seen: seen) }
        }
    }

    private func examine(
        _ mailbox: [UInt8], _ notices: inout Notices
    ) async throws(IMAPClientError) -> SelectedMailbox {
        try startSelect()
        let option: SelectRequest.Option = tracksModSeq && !selectsPlainly ? .condstore : .none
        var request = SelectRequest(mailbox, readOnly: true, option: option)
        var outcome = try await exchange(.selectWith(request))
        if outcome.status.status == .bad, option != .none {
            selectsPlainly = true
            request.option = .none
            outcome = try await exchange(.selectWith(request))
        }
        guard outcome.status.isOK else { throw Self.refusal(of: "EXAMINE", outcome.status) }
        for response in outcome.untagged { notices.takeElsewhere(response) }
        let selected = SelectedMailbox(name: mailbox, readOnly: true, outcome: outcome)
        machine.endSelect(mailbox: mailbox, readOnly: true)
        return selected
    }

    /// One wait; true when the mailbox must be looked at again before the next one.
    private func wait<C: Clock>(
        _ watch: Watch<C>, _ notices: inout Notices
    ) async throws(IMAPClientError) -> Bool {
        guard idles, profile.usesIdle, capabilities.withImplied.contains(.idle) else {
            return try await poll(watch, &notices)
        }
        let renewal = watch.clock.now.advanced(by: watch.timing.renewal)
        guard try await idle(watch, until: renewal, &notices) else {
            logger.debug("IDLE was refused; asking now and then instead")
            idles = false
            return false
        }
        if notices.end != nil || watch.isOver || watch.clock.now >= renewal { return true }
        // Silence: the answer to NOOP shows that the peer lives, and brings what IDLE did not tell.
        try await look(&notices)
        return false
    }

    private func poll<C: Clock>(
        _ watch: Watch<C>, _ notices: inout Notices
    ) async throws(IMAPClientError) -> Bool {
        let next = watch.clock.now.advanced(by: watch.timing.polling)
        while let response = try await nextResponse(before: next, watch) { notices.take(response) }
        if watch.isOver { return true }
        // A server that shows new mail only to a fresh EXAMINE is given one.
        guard profile.showsNewMessages else { return true }
        try await look(&notices)
        return false
    }

    private func look(_ notices: inout Notices) async throws(IMAPClientError) {
        for response in try await perform(.noop).untagged { notices.take(response) }
    }
}

// MARK: - One IDLE

extension IMAPClient {
    /// One IDLE from its command to its end; false when the server does not do it.
    private func idle<C: Clock>(
        _ watch: Watch<C>, until renewal: C.Instant, _ notices: inout Notices
    ) async throws(IMAPClientError) -> Bool {
        let command = try encode(.idle)
        var idle = IdleStateMachine()
        _ = try await step { () throws(IdleError) in try idle.start(tag: command.tag) }
        decoder.bodyLimit = 0
        for case .send(let bytes) in command.pieces { try await send(bytes) }
        var action = IdleStateMachine.Action.wait
        while action != .listen {
            action = try await take(try await nextResponse(), &idle, &notices)
            if case .finish(let completion) = action { return completion == .ended }
        }
        while notices.end == nil {
            let silence = watch.clock.now.advanced(by: watch.timing.silence)
            guard let response = try await nextResponse(before: min(renewal, silence), watch) else { break }
            if case .finish = try await take(response, &idle, &notices) { return true }
        }
        if idle.end() == .sendDone { try await send(ContinuationLine.done.bytes) }
        while true {
            if case .finish = try await take(try await nextResponse(), &idle, &notices) { return true }
        }
    }

    private func take(
        _ response: Response, _ idle: inout IdleStateMachine, _ notices: inout Notices
    ) async throws(IMAPClientError) -> IdleStateMachine.Action {
        do {
            switch response {
            case .continuation: return try idle.receiveContinuation()
            case .tagged(let tag, let status): return try idle.receiveTagged(tag, status)
            case .status, .capability, .enabled, .list, .mailboxStatus, .search, .esearch, .flags, .exists,
                .recent, .expunge, .vanished, .fetch, .id, .namespace, .other, .unparsable:
                notices.take(response)
                return .wait
            }
        } catch {
            throw await fail(.protocol("\(error)"))
        }
    }

    private func step<Value>(
        _ body: () throws(IdleError) -> Value
    ) async throws(IMAPClientError) -> Value {
        do {
            return try body()
        } catch {
            throw await fail(.protocol(error.description))
        }
    }

    /// The next response; nil when the time has come, or the caller wants to stop.
    private func nextResponse<C: Clock>(
        before instant: C.Instant, _ watch: Watch<C>
    ) async throws(IMAPClientError) -> Response? {
        if let response = try await decoded() { return response }
        let end = watch.end.map { min($0, instant) } ?? instant
        let wakeup = connection.makeWakeup()
        watch.signal.arm(wakeup)
        let clock = watch.clock
        let timer = Task {
            if (try? await clock.sleep(until: end, tolerance: nil)) != nil { wakeup.fire() }
        }
        defer { timer.cancel() }
        while true {
            let start = ContinuousClock.now
            let chunk: ByteBuffer?
            do {
                chunk = try await self.chunk(until: wakeup)
            } catch {
                silenceBeforeCut = .now - start
                throw error
            }
            guard let chunk else { return nil }
            decoder.feed(chunk)
            if let response = try await decoded() { return response }
        }
    }
}

extension IMAPClient {
    /// nil when the wait was ended by us.
    private func chunk(until wakeup: Wakeup) async throws(IMAPClientError) -> ByteBuffer? {
        do throws(TransportError) {
            if let chunk = try await connection.receive(until: wakeup) { return chunk }
            throw TransportError(.closedByPeer, endpoint: connection.endpoint)
        } catch {
            if error.code == .timedOut(.receive) { return nil }
            throw await fail(.transport(error))
        }
    }
}

/// What one wait is about.
private struct Watch<C: Clock>: Sendable where C.Duration == Duration {
    let mailbox: [UInt8]
    /// Each of them; never empty.
    let known: [KnownNumbers]
    let timing: IdleTiming
    let clock: C
    let signal: StopSignal
    let end: C.Instant?

    var isOver: Bool { signal.isStopped || end.map { clock.now >= $0 } ?? false }
}

/// What was told while we waited.
private struct Notices {
    let mailbox: [UInt8]
    /// The number of messages that was told last.
    var exists: Int?
    private var hasChanged = false
    private var others: Set<[UInt8]> = []

    init(mailbox: [UInt8]) { self.mailbox = mailbox }

    var end: IdleEnd? {
        if hasChanged { return .changed }
        return others.isEmpty ? nil : .changedElsewhere(others)
    }

    mutating func take(_ response: Response) {
        switch response {
        case .exists(let count):
            if exists != Int(count) { hasChanged = true }
            exists = Int(count)
        case .expunge, .vanished, .fetch: hasChanged = true
        // One that does not parse may have been any of them.
        case .unparsable: hasChanged = true
        case .mailboxStatus, .list: takeElsewhere(response)
        case .tagged, .continuation, .status, .capability, .enabled, .search, .esearch, .flags, .recent, .id,
            .namespace, .other:
            break
        }
    }

    mutating func takeElsewhere(_ response: Response) {
        switch response {
        case .mailboxStatus(let status) where status.name != mailbox: others.insert(status.name)
        case .list(let listed): others.insert(listed.name)
        default: break
        }
    }
}
