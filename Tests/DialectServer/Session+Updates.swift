/// Unrequested responses to the client: new messages, messages that went, flags. RFC 3501 §7.3–7.4.
extension Session {
    mutating func idle(_ tag: String, _ state: ServerState) -> Reply {
        guard state.profile.offers("IDLE") else { return .bad("unknown command IDLE") }
        mode = .idling(tag: tag)
        var reply = Reply(untagged: [Array("+ idling".utf8)])
        reply.untagged += news(state, tellsExpunges: true)
        return reply
    }

    /// The reply, with what has happened meanwhile before its end.
    mutating func updated(_ reply: Reply, _ state: ServerState, tellsExpunges: Bool = true) -> Reply {
        var reply = reply
        reply.untagged += news(state, tellsExpunges: tellsExpunges)
        return reply
    }

    /// Something has changed while nothing was asked: only a client in IDLE hears of it.
    mutating func push(_ state: inout ServerState) -> Output {
        var output = Output()
        if case .idling = mode {
            send(
                Reply(untagged: news(state, tellsExpunges: true), isWithoutEnd: true), tag: "", &state,
                &output)
        }
        guard mode != .over, state.model.clock.now - lastHeard > state.profile.autologoutSeconds else {
            return output
        }
        let bye = Array("* BYE Autologout; idle for too long".utf8)
        send(Reply(untagged: [bye], closes: true, isWithoutEnd: true), tag: "", &state, &output)
        return output
    }

    private mutating func news(_ state: ServerState, tellsExpunges: Bool) -> [[UInt8]] {
        guard var view, let box = state.model[view.mailbox], box.uidValidity == view.uidValidity else {
            return []
        }
        var lines: [String] = []
        if tellsExpunges { lines += expunges(&view, box) }
        if state.profile.showsNewMessages, let last = box.messages.last?.uid, last > (view.known.last ?? 0) {
            let before = view.known.last ?? 0
            view.known += box.messages.map(\.uid).filter { $0 > before }
            lines += ["* \(view.known.count) EXISTS", "* 0 RECENT"]
        }
        lines += marks(&view, box)
        self.view = view
        return lines.map { Array($0.utf8) }
    }

    private func expunges(_ view: inout View, _ box: MailModel.Mailbox) -> [String] {
        let there = Set(box.messages.map(\.uid))
        let gone = view.known.filter { !there.contains($0) }
        guard !gone.isEmpty else { return [] }
        defer { view.known.removeAll { !there.contains($0) } }
        if enabled.contains("QRESYNC") { return ["* VANISHED \(Wire.set(gone))"] }
        // From the end, so that the numbers before stay what they are.
        return view.known.indices.reversed().filter { !there.contains(view.known[$0]) }.map {
            "* \($0 + 1) EXPUNGE"
        }
    }

    private func marks(_ view: inout View, _ box: MailModel.Mailbox) -> [String] {
        guard box.highestModSeq > view.modSeq else { return [] }
        let position = Dictionary(uniqueKeysWithValues: view.known.enumerated().map { ($1, $0 + 1) })
        var lines: [String] = []
        for message in box.messages where message.modSeq > max(view.modSeq, view.shown[message.uid] ?? 0) {
            guard let number = position[message.uid] else { continue }
            let modSeq = usesCondstore ? " MODSEQ (\(message.modSeq))" : ""
            let uid = usesCondstore ? "UID \(message.uid) " : ""
            lines.append("* \(number) FETCH (\(uid)FLAGS \(Wire.flags(message.flags))\(modSeq))")
        }
        view.modSeq = box.highestModSeq
        view.shown = [:]
        return lines
    }
}
