/// FETCH: which messages, in which form. RFC 3501 §6.4.5, RFC 7162 §3.1.4, §3.2.6.
extension Session {
    mutating func fetch(_ arguments: [Argument], isUID: Bool, _ state: inout ServerState) -> Reply {
        guard arguments.count >= 2, let (set, uids) = selected(arguments[0], isUID: isUID, &state),
            let items = items(arguments[1], isUID: isUID), let view, let box = state.model[view.mailbox]
        else { return .bad("FETCH needs a set and items") }
        for item in items where item.hasPrefix("BODY[") || item.hasPrefix("RFC822") && item != "RFC822.SIZE" {
            state.note("\(item), which marks messages as read")
        }
        let modifiers = arguments.count > 2 ? arguments[2].items?.compactMap(\.word) ?? [] : []
        let since = modifiers.firstIndex(of: "CHANGEDSINCE").flatMap { at in
            at + 1 < modifiers.count ? UInt64(modifiers[at + 1]) : nil
        }
        if since != nil || items.contains("MODSEQ") {
            guard state.profile.offers("CONDSTORE") else { return .bad("no MODSEQ here") }
            usesCondstore = true
        }
        var reply = Reply()
        if modifiers.contains("VANISHED"), let since {
            tellVanished(since, set, box, state, &reply)
        }
        let wanted = Set(uids)
        for (index, uid) in view.known.enumerated() where wanted.contains(uid) {
            guard let message = box.message(uid), message.modSeq > (since ?? 0) else { continue }
            var items = items
            if since != nil, !items.contains("MODSEQ") { items.append("MODSEQ") }
            answer(message, number: index + 1, items, since: since, state, &reply)
        }
        return reply
    }

    private func items(_ argument: Argument, isUID: Bool) -> [String]? {
        let words = argument.items?.compactMap(\.word) ?? argument.word.map { [$0] }
        guard var words, !words.isEmpty else { return nil }
        if isUID, !words.contains("UID") { words.insert("UID", at: 0) }
        return words
    }

    private mutating func answer(
        _ message: MailModel.Message, number: Int, _ items: [String], since: UInt64?, _ state: ServerState,
        _ reply: inout Reply
    ) {
        let wantsData = items.contains { $0.hasPrefix("BODY") }
        if wantsData, !state.model.contents[message.content].isReadable {
            switch state.profile.unreadable {
            case .leftOut: return
            case .refused:
                reply.status = "NO"
                reply.code = "UNAVAILABLE"
                return
            case .null: break
            }
        }
        let answer = FetchAnswer(message: message, box: view?.mailbox ?? "", state: state)
        if state.profile.splitsFetch, items.contains("FLAGS"), wantsData {
            reply.untagged.append(
                answer.line(number: number, ["UID", "FLAGS"] + (usesCondstore ? ["MODSEQ"] : [])))
            reply.untagged.append(answer.line(number: number, items.filter { $0 != "FLAGS" }))
        } else {
            reply.untagged.append(answer.line(number: number, items))
        }
        if items.contains("FLAGS") { view?.shown[message.uid] = message.modSeq }
    }

    private func tellVanished(
        _ since: UInt64, _ set: MessageSet, _ box: MailModel.Mailbox, _ state: ServerState,
        _ reply: inout Reply
    ) {
        let highest = box.messages.last?.uid ?? 0
        let gone = box.expunged.filter { $0.modSeq > since }.map(\.uid).filter { uid in
            if set.hasStar, state.profile.starHidesVanished, uid > highest { return false }
            return set.ranges.contains { $0.contains(uid) }
        }
        if !gone.isEmpty { reply.say("* VANISHED (EARLIER) \(Wire.set(gone.sorted()))") }
    }
}

/// One FETCH response.
struct FetchAnswer {
    let message: MailModel.Message
    let box: String
    let state: ServerState

    func line(number: Int, _ items: [String]) -> [UInt8] {
        var bytes = Array("* \(number) FETCH (".utf8)
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: " ")) }
            bytes += value(item)
        }
        return bytes + Array((state.profile.addsSpaceToFetch ? " )" : ")").utf8)
    }

    private var content: MailModel.Content { state.model.contents[message.content] }

    private func value(_ item: String) -> [UInt8] {
        switch item {
        case "UID": return Array("UID \(message.uid)".utf8)
        case "FLAGS": return Array("FLAGS \(Wire.flags(message.flags))".utf8)
        case "INTERNALDATE": return Array("INTERNALDATE \(WireDate.text(message.internalDate))".utf8)
        case "RFC822.SIZE":
            return Array("RFC822.SIZE \(content.bytes.count + state.profile.sizeError)".utf8)
        case "MODSEQ": return Array("MODSEQ (\(message.modSeq))".utf8)
        case "BODYSTRUCTURE":
            return Array("BODYSTRUCTURE ".utf8) + MessagePart(content.bytes[...]).structure()
        case "EMAILID" where state.profile.offers("OBJECTID"):
            return Array("EMAILID (\(content.emailID))".utf8)
        case "THREADID" where state.profile.offers("OBJECTID"): return Array("THREADID NIL".utf8)
        case "X-GM-MSGID": return Array("X-GM-MSGID \(content.gmailID)".utf8)
        case "X-GM-THRID": return Array("X-GM-THRID \(content.gmailID)".utf8)
        case "X-GM-LABELS":
            let index = state.model.index(of: box) ?? 0
            return Array("X-GM-LABELS ".utf8)
                + Self.labels(state.model.labels(of: message.content, seenIn: index))
        default:
            return item.hasPrefix("BODY") ? section(item) : Array("\(item) NIL".utf8)
        }
    }

    /// Gmail's own words come as atoms, names in quotes.
    static func labels(_ labels: [String]) -> [UInt8] {
        var bytes: [UInt8] = [UInt8(ascii: "(")]
        for (index, label) in labels.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: " ")) }
            bytes += label.hasPrefix("\\") ? Array(label.utf8) : Wire.string(label)
        }
        return bytes + [UInt8(ascii: ")")]
    }

    /// `BODY.PEEK[1.MIME]<0.100>`
    private func section(_ item: String) -> [UInt8] {
        guard let open = item.firstIndex(of: "["), let close = item.lastIndex(of: "]") else {
            return Array("\(item) NIL".utf8)
        }
        let name = String(item[item.index(after: open)..<close])
        let partial = item[item.index(after: close)...].trimming("<>").split(separator: ".").compactMap {
            Int($0)
        }
        let isReadable = content.isReadable
        let found = isReadable ? MessagePart(content.bytes[...]).section(name) : nil
        guard var bytes = found else { return Array("BODY[\(name)] NIL".utf8) }
        var origin = ""
        if partial.count == 2 {
            bytes = bytes.dropFirst(partial[0]).prefix(partial[1])
            origin = "<\(partial[0])>"
        }
        return Array("BODY[\(name)]\(origin) ".utf8) + Wire.literal(bytes)
    }
}

extension Substring {
    fileprivate func trimming(_ characters: String) -> Substring {
        var text = self
        while let first = text.first, characters.contains(first) { text = text.dropFirst() }
        while let last = text.last, characters.contains(last) { text = text.dropLast() }
        return text
    }
}
