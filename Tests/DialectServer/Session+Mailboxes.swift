/// LIST, STATUS, CREATE, DELETE, SELECT. RFC 3501 §6.3, RFC 5258, RFC 5819, RFC 6154, RFC 7162 §3.2.5.
extension Session {
    // MARK: LIST

    mutating func list(_ command: ParsedCommand, _ state: inout ServerState) -> Reply {
        var arguments = command.arguments[...]
        let selection = arguments.first?.items?.compactMap(\.word)
        if selection != nil { arguments = arguments.dropFirst() }
        guard arguments.count >= 2, let pattern = arguments.dropFirst().first?.text else {
            return .bad("LIST needs a reference and a pattern")
        }
        let options = arguments.dropFirst(2)
        let isExtended = selection != nil || !options.isEmpty
        if isExtended, state.profile.refusesExtendedList { return .bad("unexpected extra arguments to LIST") }
        if isExtended, !state.profile.offers("LIST-EXTENDED"), !state.profile.offers("SPECIAL-USE") {
            return .bad("LIST takes two arguments")
        }
        let returns = options.first?.word == "RETURN" ? options.dropFirst().first?.items ?? [] : []
        return listed(command.name, pattern, selection ?? [], returns, &state)
    }

    private mutating func listed(
        _ command: String, _ pattern: String, _ selection: [String], _ returns: [Argument],
        _ state: inout ServerState
    ) -> Reply {
        var reply = Reply()
        let at = returns.firstIndex { $0.word == "STATUS" }
        let items = at.flatMap { $0 + 1 < returns.count ? returns[$0 + 1].items?.compactMap(\.word) : nil }
        for box in state.model.mailboxes where Self.matches(box.name, pattern, state.profile.delimiter) {
            let isSpecial = box.attributes.contains { Self.specialUses.contains($0) }
            if selection.contains("SPECIAL-USE"), !isSpecial { continue }
            let attributes = box.attributes.joined(separator: " ")
            reply.untagged.append(
                Array("* \(command) (\(attributes)) \"\(state.profile.delimiter)\" ".utf8)
                    + Wire.string(box.name))
            if let items, box.isSelectable {
                if items.contains("HIGHESTMODSEQ") { usesCondstore = true }
                reply.untagged.append(statusLine(box, items, state))
            }
        }
        return reply
    }

    private static let specialUses: Set<String> = [
        "\\All", "\\Archive", "\\Drafts", "\\Flagged", "\\Junk", "\\Sent", "\\Trash", "\\Important",
    ]

    /// `*` is anything, `%` anything in one level.
    static func matches(_ name: String, _ pattern: String, _ delimiter: String) -> Bool {
        matches(Array(name.utf8)[...], Array(pattern.utf8)[...], delimiter.utf8.first ?? 0)
    }

    private static func matches(
        _ name: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>, _ delimiter: UInt8
    ) -> Bool {
        guard let next = pattern.first else { return name.isEmpty }
        let rest = pattern.dropFirst()
        guard next == UInt8(ascii: "*") || next == UInt8(ascii: "%") else {
            return name.first == next && matches(name.dropFirst(), rest, delimiter)
        }
        if matches(name, rest, delimiter) { return true }
        guard let first = name.first, next == UInt8(ascii: "*") || first != delimiter else { return false }
        return matches(name.dropFirst(), pattern, delimiter)
    }

    // MARK: STATUS

    mutating func status(_ arguments: [Argument], _ state: ServerState) -> Reply {
        guard arguments.count == 2, let name = arguments[0].text, let items = arguments[1].items else {
            return .bad("STATUS needs a mailbox and items")
        }
        guard let box = state.model[name], box.isSelectable else {
            return .no("no such mailbox", code: "NONEXISTENT")
        }
        if items.contains(where: { $0.word == "HIGHESTMODSEQ" }) { usesCondstore = true }
        return Reply(untagged: [statusLine(box, items.compactMap(\.word), state)])
    }

    private func statusLine(
        _ box: MailModel.Mailbox, _ items: [String], _ state: ServerState
    ) -> [UInt8] {
        var words: [String] = []
        for item in items {
            switch item {
            case "MESSAGES": words.append("MESSAGES \(box.messages.count)")
            case "RECENT": words.append("RECENT 0")
            case "UIDNEXT": if state.profile.tellsUIDNext { words.append("UIDNEXT \(box.uidNext)") }
            case "UIDVALIDITY": words.append("UIDVALIDITY \(box.uidValidity)")
            case "UNSEEN":
                words.append("UNSEEN \(box.messages.count { !$0.flags.contains("\\Seen") })")
            case "HIGHESTMODSEQ":
                if state.profile.offers("CONDSTORE") { words.append("HIGHESTMODSEQ \(box.highestModSeq)") }
            case "SIZE":
                words.append("SIZE \(box.messages.reduce(0) { $0 + state.model.bytes($1).count })")
            case "MAILBOXID": words.append("MAILBOXID (F\(box.uidValidity / 10))")
            default: continue
            }
        }
        let end = state.profile.statusEndsInSpace ? ") " : ")"
        return Array("* STATUS ".utf8) + Wire.string(box.name)
            + Array(" (\(words.joined(separator: " "))\(end)".utf8)
    }

    // MARK: CREATE and DELETE

    mutating func create(_ arguments: [Argument], _ state: inout ServerState) -> Reply {
        guard let name = arguments.first?.text, !name.isEmpty else { return .bad("CREATE needs a name") }
        guard name.hasPrefix(state.profile.prefix) else {
            return .no("mailboxes begin with \(state.profile.prefix)", code: "CANNOT")
        }
        guard state.model[name] == nil else { return .no("it exists", code: "ALREADYEXISTS") }
        state.model.create(name)
        return .ok()
    }

    mutating func delete(_ arguments: [Argument], _ state: inout ServerState) -> Reply {
        guard let name = arguments.first?.text, state.model[name] != nil else {
            return .no("no such mailbox")
        }
        state.note("DELETE of a mailbox")
        state.model.delete(name)
        return .ok()
    }
}
