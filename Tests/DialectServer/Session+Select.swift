/// SELECT and EXAMINE, with what changed since the client last looked. RFC 3501 §6.3.1, RFC 7162 §3.2.5.
extension Session {
    /// What `(QRESYNC (uidvalidity modseq [uids [seq-match]]))` told.
    private struct KnownState {
        var uidValidity: UInt32
        var modSeq: UInt64
        var uids: MessageSet?
    }

    mutating func select(
        _ arguments: [Argument], isReadOnly: Bool, _ state: inout ServerState
    ) -> Reply {
        guard let name = arguments.first?.text else { return .bad("SELECT needs a mailbox") }
        let options = arguments.dropFirst().first?.items ?? []
        if let refusal = refusal(of: options, state) { return refusal }
        var reply = Reply()
        // The mailbox that was open is left, whatever comes of this.
        if view != nil, enabled.contains("QRESYNC") { reply.say("* OK [CLOSED] left") }
        view = nil
        if state.profile.refusesSelectBeforeID, !hasSentID { return .no("Unsafe Login. Please contact us") }
        guard let box = state.model[name], box.isSelectable else {
            reply.status = "NO"
            reply.code = "NONEXISTENT"
            reply.text = "no such mailbox"
            return reply
        }
        guard !box.refusesSelect else {
            reply.status = "NO"
            reply.text = "System error reading the mailbox"
            return reply
        }
        if options.contains(where: { $0.word == "CONDSTORE" || $0.word == "QRESYNC" }) {
            usesCondstore = true
        }
        view = View(
            mailbox: box.name, uidValidity: box.uidValidity, isReadOnly: isReadOnly,
            known: box.messages.map(\.uid), modSeq: box.highestModSeq)
        describe(box, isReadOnly: isReadOnly, &reply, state)
        if let at = options.firstIndex(where: { $0.word == "QRESYNC" }), at + 1 < options.count,
            let known = Self.known(options[at + 1]), known.uidValidity == box.uidValidity
        {
            tellChanges(since: known, of: box, &reply)
        }
        reply.code = isReadOnly ? "READ-ONLY" : "READ-WRITE"
        return reply
    }

    private func refusal(of options: [Argument], _ state: ServerState) -> Reply? {
        let words = options.compactMap(\.word)
        if words.contains("QRESYNC"), !enabled.contains("QRESYNC") { return .bad("QRESYNC is not enabled") }
        let isKnown = words.allSatisfy { state.profile.offers($0) }
        return isKnown ? nil : .bad("unknown parameter to SELECT")
    }

    private static func known(_ argument: Argument) -> KnownState? {
        guard let items = argument.items, items.count >= 2, let validity = items[0].text.flatMap(UInt32.init),
            let modSeq = items[1].text.flatMap(UInt64.init)
        else { return nil }
        return KnownState(
            uidValidity: validity, modSeq: modSeq,
            uids: items.count > 2 ? items[2].text.flatMap(MessageSet.init) : nil)
    }

    private func describe(
        _ box: MailModel.Mailbox, isReadOnly: Bool, _ reply: inout Reply, _ state: ServerState
    ) {
        let system = "\\Answered \\Flagged \\Deleted \\Seen \\Draft"
        let words = state.profile.leavesTextOut ? "" : " told"
        reply.say("* FLAGS (\(system))")
        reply.say("* OK [PERMANENTFLAGS (\(isReadOnly ? "" : system + " \\*"))]\(words)")
        reply.say("* \(box.messages.count) EXISTS")
        reply.say("* 0 RECENT")
        reply.say("* OK [UIDVALIDITY \(box.uidValidity)]\(words)")
        if state.profile.tellsUIDNext { reply.say("* OK [UIDNEXT \(box.uidNext)]\(words)") }
        if state.profile.offers("CONDSTORE") {
            reply.say("* OK [HIGHESTMODSEQ \(box.highestModSeq)]\(words)")
        }
    }

    private func tellChanges(since known: KnownState, of box: MailModel.Mailbox, _ reply: inout Reply) {
        let gone = box.expunged.filter { $0.modSeq > known.modSeq }.map(\.uid).filter { uid in
            known.uids.map { set in set.ranges.contains { $0.contains(uid) } } ?? true
        }
        if !gone.isEmpty { reply.say("* VANISHED (EARLIER) \(Wire.set(gone.sorted()))") }
        for (index, message) in box.messages.enumerated() where message.modSeq > known.modSeq {
            let isKnown = known.uids.map { set in set.ranges.contains { $0.contains(message.uid) } } ?? true
            guard isKnown else { continue }
            reply.say(
                "* \(index + 1) FETCH (UID \(message.uid) FLAGS \(Wire.flags(message.flags)) "
                    + "MODSEQ (\(message.modSeq)))")
        }
    }

    /// What the fault plan says about messages that still exist.
    func lie(_ reply: inout Reply, _ command: ParsedCommand, _ state: ServerState) {
        guard let view, let box = state.model[view.mailbox], enabled.contains("QRESYNC"),
            !box.messages.isEmpty
        else { return }
        let isOpening = command.name == "SELECT" || command.name == "EXAMINE"
        let claim = Wire.set(box.messages.map(\.uid))
        reply.say(isOpening ? "* VANISHED (EARLIER) \(claim)" : "* VANISHED \(claim)")
    }
}
