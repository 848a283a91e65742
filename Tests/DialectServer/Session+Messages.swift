/// STORE, COPY, MOVE, EXPUNGE, APPEND. RFC 3501 §6.4, RFC 4315, RFC 6851, RFC 7162 §3.1.3, X-GM-EXT-1.
extension Session {
    // MARK: STORE

    mutating func store(_ arguments: [Argument], isUID: Bool, _ state: inout ServerState) -> Reply {
        var rest = arguments[...]
        guard let (_, uids) = selected(rest.popFirst(), isUID: isUID, &state), let view else {
            return .bad("not a set of messages")
        }
        if view.isReadOnly { return .no("the mailbox is open for reading", code: "READ-ONLY") }
        var limit = UInt64.max
        if let options = rest.first?.items {
            rest = rest.dropFirst()
            if options.first?.word == "UNCHANGEDSINCE", let value = options.last?.text.flatMap(UInt64.init) {
                limit = value
                usesCondstore = true
            }
        }
        guard let item = rest.popFirst()?.word, let values = rest.popFirst()?.items else {
            return .bad("STORE needs an item and values")
        }
        let box = state.model[view.mailbox]
        let stale = uids.filter { (box?.message($0)?.modSeq ?? 0) > limit }
        let fresh = uids.filter { !stale.contains($0) }
        let change = StoreChange(item, values)
        check(change, &state)
        return apply(change, to: fresh, stale: stale, &state)
    }

    private struct StoreChange {
        enum Sign { case add, remove, replace }
        var sign: Sign
        var isSilent: Bool
        var isLabels: Bool
        var values: Set<String>

        init(_ item: String, _ values: [Argument]) {
            sign = item.hasPrefix("+") ? .add : item.hasPrefix("-") ? .remove : .replace
            isSilent = item.hasSuffix(".SILENT")
            isLabels = item.contains("X-GM-LABELS")
            // A label in quotes that begins with a backslash is a name like any other.
            self.values = Set(
                values.compactMap { value in
                    if case .string(let bytes) = value, bytes.first == UInt8(ascii: "\\") {
                        return "\"" + String(decoding: bytes, as: UTF8.self)
                    }
                    return value.text
                })
        }
    }

    private func check(_ change: StoreChange, _ state: inout ServerState) {
        if change.sign == .replace { state.note("STORE that sets all flags, whatever others have set") }
        let deletes = change.values.contains { $0.lowercased() == "\\deleted" }
        if state.profile.isGmail, deletes, change.sign != .remove { state.note("\\Deleted on Gmail") }
    }

    private mutating func apply(
        _ change: StoreChange, to uids: [UInt32], stale: [UInt32], _ state: inout ServerState
    ) -> Reply {
        guard var view else { return .bad("no mailbox is open") }
        let name = view.mailbox
        let add = change.sign == .remove ? [] : change.values
        for uid in uids {
            guard let message = state.model[name]?.message(uid) else { continue }
            let remove =
                change.sign == .remove
                ? change.values : change.sign == .replace ? message.flags.subtracting(change.values) : []
            if change.isLabels {
                state.model.changeLabels([uid], in: name, add: add, remove: remove)
            } else {
                state.model.changeFlags([uid], in: name, add: add, remove: remove)
            }
        }
        var reply = Reply()
        for (index, uid) in view.known.enumerated() where uids.contains(uid) && !change.isSilent {
            guard let box = state.model.index(of: name), let message = state.model.mailboxes[box].message(uid)
            else { continue }
            reply.untagged.append(
                echo(message, number: index + 1, labelsIn: change.isLabels ? box : nil, state))
            view.shown[uid] = message.modSeq
        }
        self.view = view
        if !stale.isEmpty { reply.code = "MODIFIED \(Wire.set(stale))" }
        return reply
    }

    private func echo(
        _ message: MailModel.Message, number: Int, labelsIn box: Int?, _ state: ServerState
    ) -> [UInt8] {
        let modSeq = usesCondstore ? " MODSEQ (\(message.modSeq))" : ""
        guard let box else {
            return Array(
                "* \(number) FETCH (UID \(message.uid) FLAGS \(Wire.flags(message.flags))\(modSeq))".utf8)
        }
        return Array("* \(number) FETCH (UID \(message.uid) X-GM-LABELS ".utf8)
            + FetchAnswer.labels(state.model.labels(of: message.content, seenIn: box))
            + Array("\(modSeq))".utf8)
    }

    // MARK: COPY and MOVE

    mutating func transfer(
        _ arguments: [Argument], isMove: Bool, isUID: Bool, _ state: inout ServerState
    ) -> Reply {
        guard !isMove || state.profile.offers("MOVE") else { return .bad("unknown command MOVE") }
        guard let (_, uids) = selected(arguments.first, isUID: isUID, &state), let view,
            arguments.count == 2, let name = arguments[1].text
        else { return .bad("COPY and MOVE need a set and a mailbox") }
        if isMove, view.isReadOnly { return .no("the mailbox is open for reading", code: "READ-ONLY") }
        guard let destination = state.model[name], destination.isSelectable else {
            return .no("no such mailbox", code: "TRYCREATE")
        }
        let pairs =
            isMove
            ? state.model.move(uids, from: view.mailbox, to: name)
            : state.model.copy(uids, from: view.mailbox, to: name)
        if isMove, pairs.isEmpty, state.profile.goneMove == .no { return .no("No messages were moved") }
        var reply = proof(pairs, destination.uidValidity, isMove: isMove, state)
        if isMove, state.profile.closesOnMoveToTrash, destination.attributes.contains("\\Trash") {
            reply = Reply(closes: true, isWithoutEnd: true)
        }
        return reply
    }

    private func proof(
        _ pairs: [(old: UInt32, new: UInt32)], _ validity: UInt32, isMove: Bool, _ state: ServerState
    ) -> Reply {
        guard state.profile.offers("UIDPLUS"), !pairs.isEmpty else { return .ok() }
        var pairs = pairs
        if state.profile.shufflesCopyUID { pairs.reverse() }
        let old = pairs.map { "\($0.old)" }.joined(separator: ",")
        let new = pairs.map { "\($0.new)" }.joined(separator: ",")
        let code = "COPYUID \(validity) \(old) \(new)"
        if isMove || state.profile.copyUIDIsUntagged { return .ok(["* OK [\(code)] done"]) }
        return .ok(code: code)
    }

    // MARK: EXPUNGE

    mutating func expunge(_ arguments: [Argument], isUID: Bool, _ state: inout ServerState) -> Reply {
        guard let view, let box = state.model[view.mailbox] else { return .bad("no mailbox is open") }
        if view.isReadOnly { return .no("the mailbox is open for reading", code: "READ-ONLY") }
        var uids = box.messages.map(\.uid)
        if isUID {
            guard state.profile.offers("UIDPLUS"), !state.profile.refusesUIDExpunge else {
                return .bad("unknown command UID EXPUNGE")
            }
            guard let named = selected(arguments.first, isUID: true, &state)?.uids else {
                return .bad("UID EXPUNGE needs a set")
            }
            uids = named
        }
        let deleted = uids.filter { box.message($0)?.flags.contains("\\Deleted") == true }
        state.model.expunge(deleted, in: view.mailbox)
        return .ok()
    }

    // MARK: APPEND

    mutating func append(_ arguments: [Argument], _ state: inout ServerState) -> Reply {
        guard let name = arguments.first?.text, arguments.count >= 2,
            case .string(let bytes) = arguments[arguments.count - 1]
        else { return .bad("APPEND needs a mailbox and a message") }
        guard let box = state.model[name], box.isSelectable else {
            return .no("no such mailbox", code: "TRYCREATE")
        }
        var flags: Set<String> = []
        var date: Int64?
        for argument in arguments.dropFirst().dropLast() {
            if let items = argument.items {
                flags.formUnion(items.compactMap(\.text))
            } else if let text = argument.text {
                date = WireDate.seconds(text)
            }
        }
        let uid = state.model.deliver(bytes, to: name, flags: flags, date: date)
        let offersProof = state.profile.offers("UIDPLUS") && state.profile.name != "proton"
        return updated(.ok(code: offersProof ? "APPENDUID \(box.uidValidity) \(uid)" : nil), state)
    }
}
