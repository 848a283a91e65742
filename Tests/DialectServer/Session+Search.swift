/// SEARCH, with and without RETURN. RFC 3501 §6.4.4, RFC 4731, RFC 5182.
extension Session {
    mutating func search(_ command: ParsedCommand, isUID: Bool, _ state: inout ServerState) -> Reply {
        var rest = command.arguments[...]
        var options: [String]?
        if rest.first?.word == "RETURN" {
            guard state.profile.offers("ESEARCH"), !state.profile.refusesExtendedSearch else {
                return .bad("RETURN is no search key")
            }
            options = rest.dropFirst().first?.items?.compactMap(\.word) ?? []
            rest = rest.dropFirst(2)
        }
        if rest.first?.word == "CHARSET" { rest = rest.dropFirst(2) }
        guard let view, let box = state.model[view.mailbox] else { return .bad("no mailbox is open") }
        var keys: [Key] = []
        while !rest.isEmpty {
            guard let key = key(&rest, &state) else { return .bad("unknown search key") }
            keys.append(key)
        }
        let found = view.known.filter { uid in
            box.message(uid).map { message in keys.allSatisfy { $0(message, state.model) } } ?? false
        }
        let numbers =
            isUID ? found : found.compactMap { view.known.firstIndex(of: $0) }.map { UInt32($0 + 1) }
        guard let options else {
            return .ok(["* SEARCH" + numbers.map { " \($0)" }.joined()])
        }
        if options.contains("SAVE") { saved = found }
        return .ok([Self.extended(numbers, options, tag: command.tag, isUID: isUID)])
    }

    private static func extended(
        _ numbers: [UInt32], _ options: [String], tag: String, isUID: Bool
    ) -> String {
        var line = "* ESEARCH (TAG \"\(tag)\")" + (isUID ? " UID" : "")
        if let first = numbers.first, let last = numbers.last {
            if options.contains("MIN") { line += " MIN \(first)" }
            if options.contains("MAX") { line += " MAX \(last)" }
            if options.contains("ALL") { line += " ALL \(Wire.set(numbers))" }
        }
        if options.contains("COUNT") { line += " COUNT \(numbers.count)" }
        return line
    }

    private typealias Key = (MailModel.Message, MailModel) -> Bool

    private func key(_ rest: inout ArraySlice<Argument>, _ state: inout ServerState) -> Key? {
        guard let first = rest.popFirst() else { return nil }
        if let flag = Self.flagKeys[first.word ?? ""] {
            return { message, _ in message.flags.contains(flag.0) == flag.1 }
        }
        switch first.word ?? "" {
        case "ALL": return { _, _ in true }
        case "NOT":
            guard let other = key(&rest, &state) else { return nil }
            return { !other($0, $1) }
        case "UID":
            guard let (_, uids) = selected(rest.popFirst(), isUID: true, &state) else { return nil }
            let wanted = Set(uids)
            return { message, _ in wanted.contains(message.uid) }
        case "HEADER": return headerKey(&rest)
        case "SINCE", "BEFORE": return dateKey(first.word ?? "", &rest)
        case "MODSEQ":
            guard let least = rest.popFirst()?.text.flatMap(UInt64.init) else { return nil }
            return { message, _ in message.modSeq >= least }
        case "KEYWORD":
            guard let word = rest.popFirst()?.text else { return nil }
            return { message, _ in message.flags.contains(word) }
        case "EMAILID":
            guard let id = rest.popFirst()?.text else { return nil }
            return { message, model in model.contents[message.content].emailID == id }
        case "X-GM-MSGID":
            guard let id = rest.popFirst()?.text.flatMap(UInt64.init) else { return nil }
            return { message, model in model.contents[message.content].gmailID == id }
        default: return nil
        }
    }

    private static let flagKeys: [String: (String, Bool)] = [
        "SEEN": ("\\Seen", true), "UNSEEN": ("\\Seen", false), "DELETED": ("\\Deleted", true),
        "UNDELETED": ("\\Deleted", false), "FLAGGED": ("\\Flagged", true), "UNFLAGGED": ("\\Flagged", false),
        "ANSWERED": ("\\Answered", true), "DRAFT": ("\\Draft", true),
    ]

    private func headerKey(_ rest: inout ArraySlice<Argument>) -> Key? {
        guard let name = rest.popFirst()?.text, let value = rest.popFirst()?.text?.lowercased() else {
            return nil
        }
        return { message, model in
            MessagePart(model.bytes(message)[...]).values(of: name).contains { field in
                value.isEmpty || Self.contains(field.lowercased(), value)
            }
        }
    }

    private static func contains(_ text: String, _ part: String) -> Bool {
        let (text, part) = (Array(text.utf8), Array(part.utf8))
        guard text.count >= part.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
    }

    private func dateKey(_ word: String, _ rest: inout ArraySlice<Argument>) -> Key? {
        guard let day = rest.popFirst()?.text.flatMap(WireDate.seconds) else { return nil }
        return { message, _ in
            word == "SINCE" ? message.internalDate >= day : message.internalDate < day
        }
    }
}
