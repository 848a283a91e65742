/// One connection to the submission server: what was said, and the answer. RFC 5321, RFC 4954 for AUTH PLAIN.
///
/// A pure value: bytes in, bytes out. The socket is `SubmissionHandler`'s.
struct SubmissionSession {
    enum Mode: Equatable {
        case command
        case authenticating
        case body
        /// Nothing is read or said any more.
        case over
    }

    struct Output {
        var bytes: [UInt8] = []
        var closes = false
        var resets = false
    }

    private var mode = Mode.command
    private var bytes: [UInt8] = []
    private var isLoggedIn = false
    private var sender: String?
    private var recipients: [String] = []
    /// Octets of the body that came before what `bytes` holds.
    private var bodyCount = 0
    private var body: [UInt8] = []
    /// Places of this body that were met already: each counts once a message.
    private var passed: Set<Int> = []

    mutating func greeting(_ state: inout SubmissionState) -> Output {
        var output = Output()
        answer("220 model.example ESMTP", at: .greeting, &state, &output)
        return output
    }

    mutating func receive(_ more: some Sequence<UInt8>, _ state: inout SubmissionState) -> Output {
        var output = Output()
        guard mode != .over else { return output }
        bytes += more
        while mode != .over, let line = nextLine(&state, &output) {
            switch mode {
            case .command: obey(line, &state, &output)
            case .authenticating:
                mode = .command
                admit(line, &state, &output)
            case .body: take(line, &state, &output)
            case .over: break
            }
        }
        return output
    }

    /// A line without its end. In a body, a fault may come before the line is whole.
    private mutating func nextLine(_ state: inout SubmissionState, _ output: inout Output) -> [UInt8]? {
        if mode == .body { meetBodyFaults(&state, &output) }
        guard mode != .over else { return nil }
        guard let end = bytes.indices.first(where: { $0 > 0 && bytes[$0] == 0x0A && bytes[$0 - 1] == 0x0D })
        else { return nil }
        let line = Array(bytes[..<(end - 1)])
        bytes.removeFirst(end + 1)
        if mode == .body { bodyCount += line.count + 2 }
        if line.contains(0x0A) || line.contains(0x0D) { state.note("a bare CR or LF") }
        if line.count > 998 { state.note("a line of \(line.count) octets") }
        return line
    }

    private mutating func meetBodyFaults(_ state: inout SubmissionState, _ output: inout Output) {
        for place in state.faults.bodyPlaces where place <= bodyCount + bytes.count && mode != .over {
            if passed.insert(place).inserted { _ = meets(.body(place), &state, &output) }
        }
    }

    private mutating func take(
        _ line: [UInt8], _ state: inout SubmissionState, _ output: inout Output
    ) {
        guard line == [UInt8(ascii: ".")] else {
            body += line.first == UInt8(ascii: ".") ? Array(line.dropFirst()) : line
            body += [0x0D, 0x0A]
            return
        }
        mode = .command
        defer {
            sender = nil
            recipients = []
            body = []
            bodyCount = 0
            passed = []
        }
        if meets(.dot, &state, &output) { return }
        state.deliveries.append(Delivery(sender: sender ?? "", recipients: recipients, bytes: body))
        if meets(.stored, &state, &output) { return }
        let reply = "250 2.0.0 queued as \(state.deliveries.count)\r\n"
        if state.faults.isArmed(.reply) { output.bytes += reply.utf8.prefix(2) }
        if meets(.reply, &state, &output) { return }
        output.bytes += reply.utf8
        _ = meets(.answered, &state, &output)
    }

    private mutating func obey(
        _ line: [UInt8], _ state: inout SubmissionState, _ output: inout Output
    ) {
        let text = String(decoding: line, as: UTF8.self)
        let verb = text.prefix { $0 != " " && $0 != ":" }.uppercased()
        state.transcript.append(verb == "AUTH" ? "AUTH" : text)
        switch verb {
        case "EHLO", "HELO":
            answer(
                "250-model.example\r\n250-PIPELINING\r\n250-8BITMIME\r\n250-ENHANCEDSTATUSCODES\r\n"
                    + "250-SIZE 35651584\r\n250 AUTH PLAIN", at: .ehlo, &state, &output)
        case "AUTH": startAuth(text, &state, &output)
        case "MAIL":
            guard isLoggedIn else { return say("530 5.7.0 log in first", &output) }
            sender = Self.path(text)
            answer("250 2.1.0 ok", at: .mail, &state, &output)
        case "RCPT":
            guard sender != nil else { return say("503 5.5.1 MAIL first", &output) }
            let path = Self.path(text)
            let refusal = state.refusals.first { path.hasPrefix($0.key) }?.value
            if meets(.rcpt, &state, &output) { return }
            if refusal == nil { recipients.append(path) }
            say(refusal ?? "250 2.1.5 ok", &output)
        case "DATA": startBody(&state, &output)
        case "RSET":
            sender = nil
            recipients = []
            say("250 2.0.0 ok", &output)
        case "NOOP": say("250 2.0.0 ok", &output)
        case "QUIT":
            answer("221 2.0.0 bye", at: .quit, &state, &output)
            output.closes = true
            mode = .over
        default:
            state.note("unknown command \(text.prefix(40))")
            say("500 5.5.2 unknown", &output)
        }
    }

    private mutating func startBody(_ state: inout SubmissionState, _ output: inout Output) {
        guard !recipients.isEmpty else { return say("554 5.5.1 no valid recipients", &output) }
        if meets(.data, &state, &output) { return }
        say("354 go ahead", &output)
        mode = .body
        _ = meets(.go, &state, &output)
    }

    // MARK: Login

    private mutating func startAuth(
        _ text: String, _ state: inout SubmissionState, _ output: inout Output
    ) {
        let words = text.split(separator: " ")
        guard words.count >= 2, words[1].uppercased() == "PLAIN" else {
            return say("504 5.5.4 unknown mechanism", &output)
        }
        guard words.count == 3 else {
            mode = .authenticating
            return say("334 ", &output)
        }
        admit(Array(words[2].utf8), &state, &output)
    }

    private mutating func admit(
        _ response: [UInt8], _ state: inout SubmissionState, _ output: inout Output
    ) {
        if meets(.auth, &state, &output) { return }
        let parts = Base64.decode(String(decoding: response, as: UTF8.self))
            .split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
        isLoggedIn = parts.count == 3 && parts[1] == "ann" && parts[2] == "hunter2"
        say(isLoggedIn ? "235 2.7.0 welcome" : "535 5.7.8 wrong user or password", &output)
    }

    // MARK: Answers

    private func say(_ text: String, _ output: inout Output) { output.bytes += Array("\(text)\r\n".utf8) }

    private mutating func answer(
        _ text: String, at place: SubmissionFault.Place, _ state: inout SubmissionState,
        _ output: inout Output
    ) {
        if !meets(place, &state, &output) { say(text, &output) }
    }

    /// Whether a fault took the place of what was to be said.
    private mutating func meets(
        _ place: SubmissionFault.Place, _ state: inout SubmissionState, _ output: inout Output
    ) -> Bool {
        switch state.faults.take(place) {
        case nil: return false
        case .act(_, let body):
            body()
            return false
        case .say(let text):
            say(text, &output)
            return true
        case .stall: break
        case .close: output.closes = true
        case .reset:
            output.closes = true
            output.resets = true
        case .garbage:
            output.bytes += [0x00, 0xFF, 0x25, 0x26, 0x0D, 0x0A]
            output.closes = true
        }
        mode = .over
        return true
    }

    private static func path(_ text: String) -> String {
        guard let open = text.firstIndex(of: "<"), let close = text[open...].firstIndex(of: ">") else {
            return ""
        }
        return String(text[text.index(after: open)..<close])
    }
}
