/// CAPABILITY, LOGIN, AUTHENTICATE, ID, ENABLE. RFC 3501 §6.1–6.2, RFC 4616, RFC 2971, RFC 5161.
extension Session {
    func capability(_ state: ServerState) -> Reply {
        let offered = isLoggedIn ? state.profile.offeredAfter : state.profile.offeredBefore
        return .ok(["* CAPABILITY " + offered.joined(separator: " ")])
    }

    mutating func login(_ arguments: [Argument], _ state: inout ServerState) -> Reply {
        guard arguments.count == 2 else { return .bad("LOGIN needs a user and a password") }
        return admit(arguments[0].text ?? "", arguments[1].text ?? "", state)
    }

    mutating func startAuthenticate(
        _ tag: String, _ arguments: [Argument], _ state: inout ServerState
    ) -> Reply {
        guard let mechanism = arguments.first?.word, mechanism == "PLAIN" || mechanism == "LOGIN",
            state.profile.offeredBefore.contains("AUTH=\(mechanism)")
        else { return .no("unknown mechanism", code: "CANNOT") }
        if arguments.count == 2, let initial = arguments[1].text {
            if !state.profile.offeredBefore.contains("SASL-IR") { state.note("an initial response, unasked") }
            return authenticate(tag, mechanism, [initial], &state)
        }
        mode = .authenticating(tag: tag, mechanism: mechanism, answers: [])
        let challenge = mechanism == "LOGIN" ? "+ VXNlcm5hbWU6" : "+ "
        return Reply(untagged: [Array(challenge.utf8)])
    }

    mutating func authenticate(
        _ tag: String, _ mechanism: String, _ answers: [String], _ state: inout ServerState
    ) -> Reply {
        if answers.last == "*" { return .bad("given up") }
        guard mechanism == "LOGIN" else {
            let parts = Base64.decode(answers[0]).split(separator: 0, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return .bad("not a PLAIN response") }
            return admit(
                String(decoding: parts[1], as: UTF8.self), String(decoding: parts[2], as: UTF8.self), state)
        }
        if answers.count == 1 {
            mode = .authenticating(tag: tag, mechanism: mechanism, answers: answers)
            return Reply(untagged: [Array("+ UGFzc3dvcmQ6".utf8)])
        }
        let words = answers.map { String(decoding: Base64.decode($0), as: UTF8.self) }
        return admit(words[0], words[1], state)
    }

    private mutating func admit(_ user: String, _ password: String, _ state: ServerState) -> Reply {
        guard user == state.user, password == state.password else {
            return .no("Invalid credentials", code: "AUTHENTICATIONFAILED")
        }
        isLoggedIn = true
        let profile = state.profile
        let code = "CAPABILITY " + profile.offeredAfter.joined(separator: " ")
        return .ok(code: profile.tellsCapabilitiesAtLogin ? code : nil, text: "logged in")
    }

    mutating func identify(_ arguments: [Argument], _ state: ServerState) -> Reply {
        let fields = arguments.first?.items ?? []
        if state.profile.refusesEmptyID, fields.isEmpty { return .bad("ID is empty") }
        hasSentID = true
        guard let id = state.profile.id else { return .ok(["* ID NIL"]) }
        let text = id.flatMap { [$0.0, $0.1] }.map { String(decoding: Wire.string($0), as: UTF8.self) }
        return .ok(["* ID (\(text.joined(separator: " ")))"])
    }

    mutating func enable(_ arguments: [Argument], _ state: ServerState) -> Reply {
        guard state.profile.offers("ENABLE") else { return .bad("unknown command ENABLE") }
        let wanted = arguments.compactMap(\.word)
        let taken = wanted.filter { ["CONDSTORE", "QRESYNC"].contains($0) && state.profile.offers($0) }
        enabled.formUnion(taken)
        if !taken.isEmpty { usesCondstore = true }
        return .ok(state.profile.saysEnabled ? ["* ENABLED" + taken.map { " " + $0 }.joined()] : [])
    }
}

/// RFC 4648 §4, as far as a login needs it.
enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func decode(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var bits = 0
        var held = 0
        for byte in text.utf8 {
            guard let value = alphabet.firstIndex(of: byte) else { continue }
            held = (held << 6 | value) & 0xFFFF
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(held >> bits & 0xFF))
            }
        }
        return bytes
    }
}
