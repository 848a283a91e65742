/// One connection: what the client has said, what it has been told, and the answer to the next command.
///
/// A pure value: bytes in, bytes out. The socket is `SessionHandler`'s.
struct Session {
    enum Mode: Equatable {
        case command
        /// AUTHENTICATE waits for an answer.
        case authenticating(tag: String, mechanism: String, answers: [String])
        case idling(tag: String)
        /// Nothing is read or said any more.
        case over
    }

    /// The mailbox that is open, as the client has been told of it.
    struct View {
        var mailbox: String
        var uidValidity: UInt32
        var isReadOnly: Bool
        /// UIDs by sequence number.
        var known: [UInt32]
        /// Changes up to there have been told.
        var modSeq: UInt64
        /// Of these messages later ones too.
        var shown: [UInt32: UInt64] = [:]
    }

    struct Output {
        var bytes: [UInt8] = []
        var closes = false
        /// The end is an RST, not a FIN.
        var resets = false
    }

    /// What a fault names that comes when a client asks for leave to send a literal.
    static let literal = "{literal}"

    let number: Int
    private let epoch: Int
    var mode = Mode.command
    var isLoggedIn = false
    var view: View?
    var enabled: Set<String> = []
    var usesCondstore = false
    var hasSentID = false
    /// What SEARCHRES keeps.
    var saved: [UInt32] = []
    var lastHeard: Int64
    private var reader = CommandReader()

    init(number: Int, state: ServerState) {
        self.number = number
        epoch = state.epoch
        lastHeard = state.model.clock.now
    }

    func greeting(_ state: inout ServerState) -> Output {
        state.responsesSent += 1
        return Output(bytes: Array("* OK \(state.profile.greeting)\r\n".utf8))
    }

    /// Takes what came, and answers every command that is whole.
    mutating func receive(_ bytes: some Sequence<UInt8>, _ state: inout ServerState) -> Output {
        guard mode != .over, epoch == state.epoch else { return Output() }
        lastHeard = state.model.clock.now
        reader.feed(bytes)
        var output = Output()
        while mode != .over, let item = reader.next() {
            switch item {
            case .line(let line): hear(line, &state, &output)
            case .literalWanted(let count): grant(count, &state, &output)
            }
        }
        return output
    }

    /// The client may send its literal, unless its announced size is too large or the client is not logged in.
    private mutating func grant(_ count: Int, _ state: inout ServerState, _ output: inout Output) {
        guard count <= 40_000_000, isLoggedIn || count < 1_000 else {
            let line = reader.refuseLiteral()
            let tag = String(decoding: line.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
            send(Reply.no("too large", code: "TOOBIG"), tag: tag, &state, &output)
            return
        }
        for case .cut(let cut) in state.faults.take(Self.literal) {
            let line = reader.refuseLiteral()
            let tag = String(decoding: line.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
            return self.cut(Cut(.beforeDoing, cut.ending), Reply(), tag: tag, &output)
        }
        output.bytes += Array("+ go ahead\r\n".utf8)
    }

    private mutating func hear(_ line: [UInt8], _ state: inout ServerState, _ output: inout Output) {
        switch mode {
        case .authenticating(let tag, let mechanism, let answers):
            mode = .command
            let text = String(decoding: line, as: UTF8.self)
            let reply = authenticate(tag, mechanism, answers + [text], &state)
            send(reply, tag: tag, &state, &output)
        case .idling(let tag):
            mode = .command
            guard line.elementsEqual("DONE".utf8) else {
                state.note("\(String(decoding: line.prefix(40), as: UTF8.self)) instead of DONE")
                return send(.bad("expected DONE"), tag: tag, &state, &output)
            }
            send(.ok(text: "idle ended"), tag: tag, &state, &output)
        case .command: obey(line, &state, &output)
        case .over: break
        }
    }

    private mutating func obey(_ line: [UInt8], _ state: inout ServerState, _ output: inout Output) {
        checkLength(line, &state)
        guard let command = ParsedCommand(line) else {
            state.note("not a command: \(String(decoding: line.prefix(60), as: UTF8.self))")
            return send(.bad("not a command"), tag: "*", &state, &output)
        }
        record(command, line, &state)
        guard !state.hasEnded else {
            mode = .over
            output.closes = true
            return
        }
        let effects = state.faults.take(command.name)
        for effect in effects { happen(effect, &state) }
        if let replacement = effects.lazy.compactMap({ $0.replacement() }).first {
            if replacement.closes || replacement.isWithoutEnd { mode = .over }
            return send(replacement, tag: command.tag, &state, &output)
        }
        let cut = effects.lazy.compactMap { if case .cut(let cut) = $0 { cut } else { nil } }.first
        if let cut, cut.place == .beforeDoing {
            return self.cut(cut, Reply(), tag: command.tag, &output)
        }
        var reply = checked(command, line.count, &state) ?? execute(command, &state)
        if let cut { return self.cut(cut, reply, tag: command.tag, &output) }
        for effect in effects {
            if case .lyingVanished = effect { lie(&reply, command, state) }
            effect.spoil(&reply)
        }
        let before = output.bytes.count
        send(reply, tag: command.tag, &state, &output)
        for case .closeAfterOctets(let count) in effects {
            output.bytes = Array(output.bytes.prefix(before + count))
            output.closes = true
            mode = .over
        }
    }

    private func happen(_ effect: Fault.Effect, _ state: inout ServerState) {
        switch effect {
        case .newUIDValidity(let name): state.model.changeUIDValidity(of: name)
        case .act(_, let body): body(&state.model)
        default: break
        }
    }

    /// Counts and sends; the plan may end the connection after any response.
    mutating func send(
        _ reply: Reply, tag: String, _ state: inout ServerState, _ output: inout Output
    ) {
        var lines = reply.untagged
        if !reply.isWithoutEnd, mode == .command || mode == .over { lines.append(reply.end(tag: tag)) }
        for line in lines {
            output.bytes += line + [0x0D, 0x0A]
            state.responsesSent += 1
            guard let left = state.responsesLeft else { continue }
            state.responsesLeft = left - 1
            if left <= 1 {
                state.responsesLeft = nil
                output.closes = true
                mode = .over
                return
            }
        }
        if reply.closes {
            output.closes = true
            mode = .over
        }
    }
}

// MARK: - What every command is held against

extension Session {
    private mutating func checkLength(_ line: [UInt8], _ state: inout ServerState) {
        for literal in reader.takePromptLiterals() where literal > largestPrompt(state.profile) {
            state.note("a literal of \(literal) octets without leave")
        }
    }

    private func largestPrompt(_ profile: DialectProfile) -> Int {
        if isLoggedIn { return profile.largestPromptLiteral }
        if profile.offeredBefore.contains("LITERAL+") { return .max }
        return profile.offeredBefore.contains("LITERAL-") ? 4_096 : 0
    }

    /// A refusal that depends on the state or on a habit; nil lets the command run.
    private func checked(_ command: ParsedCommand, _ length: Int, _ state: inout ServerState) -> Reply? {
        let always: Set<String> = [
            "CAPABILITY", "NOOP", "LOGOUT", "LOGIN", "AUTHENTICATE", "STARTTLS", "ID",
        ]
        if command.name != "APPEND", length > state.profile.lineLimit { return .bad("line too long") }
        guard !always.contains(command.name) else { return nil }
        guard isLoggedIn else { return .bad("not logged in") }
        if let view, isStale(view, state) {
            return Reply(
                untagged: [Array("* BYE the mailbox is not what it was".utf8)], closes: true,
                isWithoutEnd: true)
        }
        let needsMailbox: Set<String> = [
            "UID FETCH", "FETCH", "UID STORE", "STORE", "UID SEARCH", "SEARCH", "UID COPY", "COPY",
            "UID MOVE",
            "MOVE", "UID EXPUNGE", "EXPUNGE", "CLOSE", "UNSELECT",
        ]
        guard view != nil || !needsMailbox.contains(command.name) else { return .bad("no mailbox is open") }
        return nil
    }

    private func isStale(_ view: View, _ state: ServerState) -> Bool {
        state.model[view.mailbox]?.uidValidity != view.uidValidity
    }

    private func record(_ command: ParsedCommand, _ line: [UInt8], _ state: inout ServerState) {
        let isSecret = command.name == "LOGIN" || command.name == "AUTHENTICATE"
        let skipped = command.tag.utf8.count + command.name.utf8.count + 2
        let rest = isSecret ? "…" : String(decoding: line.dropFirst(skipped).prefix(2_000), as: UTF8.self)
        state.transcript.append(
            HeardCommand(session: number, tag: command.tag, name: command.name, rest: rest))
        switch command.name {
        case "CLOSE", "EXPUNGE": state.forbid("\(command.name), which removes what others have marked")
        case "FETCH", "STORE", "COPY", "MOVE", "SEARCH":
            state.note("\(command.name) by sequence number")
        default: break
        }
    }
}
