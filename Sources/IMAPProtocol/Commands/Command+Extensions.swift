import SASL

/// The commands that came after the first RFC, each under its capability.
extension Command {
    func writeExtension(to writer: inout CommandWriter) throws(EncodingError) {
        switch self {
        case .authenticate(let mechanism, let response):
            writer.words(try Self.atom(mechanism))
            if let response { writer.words(response.isEmpty ? "=" : response.reveal()) }
        case .enable(let capabilities):
            for capability in capabilities { writer.words(try Self.atom(capability.name)) }
        case .listExtended(let request): try write(request, to: &writer)
        case .selectWith(let request): try write(request, to: &writer)
        case .statusOf(let name, let items):
            try writer.mailbox(name)
            writer.words("(\(items.map(\.rawValue).joined(separator: " ")))")
        case .uidFetchSaved(let items): writer.words("$ \(try items.text())")
        case .uidStoreLabels(let uids, let change):
            try write(uids, to: &writer)
            try write(change, to: &writer)
        case .uidSearchReturning(let criteria, let result):
            try write(criteria, returning: result, to: &writer)
        case .getQuotaRoot(let name): try writer.mailbox(name)
        case .notify(let request): try write(request, to: &writer)
        case .compressDeflate: writer.words("DEFLATE")
        case .capability, .noop, .logout, .startTLS, .login, .id, .list, .create, .select,
            .status, .uidFetch, .uidStore, .uidMove, .uidCopy, .uidExpunge, .uidSearch, .append, .namespace,
            .idle, .unselect:
            break
        }
    }

    private static func atom(_ text: String) throws(EncodingError) -> String {
        guard !text.isEmpty, text.utf8.count <= 100,
            text.utf8.allSatisfy({ $0.isAtomCharacter && $0 != .closeBracket })
        else { throw .invalidWord(text) }
        return text
    }

    private func write(_ request: ListRequest, to writer: inout CommandWriter) throws(EncodingError) {
        if !request.selection.isEmpty {
            writer.words("(\(request.selection.map(\.rawValue).joined(separator: " ")))")
        }
        try writer.string(request.reference)
        if request.patterns.count == 1 {
            try writer.string(request.patterns[0])
        } else {
            writer.words("(")
            for (index, pattern) in request.patterns.enumerated() {
                try writer.quoted(pattern, first: index == 0)
            }
            writer.close(")")
        }
        var returns = request.returns.map(\.rawValue)
        if !request.status.isEmpty {
            returns.append("STATUS (\(request.status.map(\.rawValue).joined(separator: " ")))")
        }
        if !returns.isEmpty { writer.words("RETURN (\(returns.joined(separator: " ")))") }
    }

    private func write(_ request: SelectRequest, to writer: inout CommandWriter) throws(EncodingError) {
        try writer.mailbox(request.mailbox)
        switch request.option {
        case .none: break
        case .condstore: writer.words("(CONDSTORE)")
        case .qresync(let known):
            let uids = known.knownUIDs.isEmpty ? "" : " \(known.knownUIDs)"
            writer.words("(QRESYNC (\(known.uidValidity) \(known.modSeq)\(uids)))")
        }
    }

    /// A label with a backslash in front is a word of Gmail's own; in quotes it would be a new label.
    private func write(_ change: LabelChange, to writer: inout CommandWriter) throws(EncodingError) {
        writer.words("\(change.operation.sign)X-GM-LABELS (")
        for (index, label) in change.labels.enumerated() {
            guard !label.isEmpty else { throw .invalidFlag("") }
            if label.first == .backslash, label.count > 1, label.dropFirst().allSatisfy(\.isLetter) {
                writer.close((index == 0 ? "" : " ") + String(decoding: label, as: UTF8.self))
            } else {
                try writer.quoted(label, first: index == 0)
            }
        }
        writer.close(")")
    }

    private func write(_ request: NotifyRequest, to writer: inout CommandWriter) throws(EncodingError) {
        guard !request.groups.isEmpty else { return writer.words("NONE") }
        writer.words("SET")
        if request.status { writer.words("STATUS") }
        for group in request.groups {
            writer.words("(")
            try write(group.mailboxes, to: &writer)
            let events = group.events.map(\.rawValue).joined(separator: " ")
            writer.words(events.isEmpty ? "NONE)" : "(\(events)))")
        }
    }

    private func write(
        _ mailboxes: NotifyRequest.Mailboxes, to writer: inout CommandWriter
    ) throws(EncodingError) {
        switch mailboxes {
        case .selected: writer.close("SELECTED")
        case .selectedDelayed: writer.close("SELECTED-DELAYED")
        case .inboxes: writer.close("INBOXES")
        case .personal: writer.close("PERSONAL")
        case .subscribed: writer.close("SUBSCRIBED")
        case .subtree(let names):
            writer.close("SUBTREE")
            try write(names, to: &writer)
        case .mailboxes(let names):
            writer.close("MAILBOXES")
            try write(names, to: &writer)
        }
    }

    private func write(_ names: [[UInt8]], to writer: inout CommandWriter) throws(EncodingError) {
        writer.words("(")
        for (index, name) in names.enumerated() { try writer.quoted(name, first: index == 0) }
        writer.close(")")
    }
}

extension FlagChange.Operation {
    var sign: String {
        switch self {
        case .add: "+"
        case .remove: "-"
        }
    }
}

extension Command {
    /// One command or several over all messages of a set: ascending, and none longer than the line limit.
    ///
    /// A pure function: how many commands an action will take can be told before the first is sent.
    ///
    /// - Parameters:
    ///   - uids: all messages.
    ///   - lineLimit: of the server; see ``ServerProfile/commandLineLimit``.
    ///   - maximumCount: messages in one command at most.
    ///   - make: the command over one piece; its own words must not depend on the piece.
    /// - Returns: the commands in ascending order of their messages; none for an empty set.
    public static func commands(
        over uids: UIDSet, lineLimit: Int = Command.longestLine, maximumCount: Int = .max,
        _ make: (UIDSet) -> Command
    ) -> [Command] {
        guard let first = uids.first else { return [] }
        let probe = make(UIDSet([first]))
        let tag = CommandTag(rawValue: "A9999999")
        let size = try? probe.encode(tag: tag, literals: .synchronizing, lineLimit: .max).longestLine
        let room = max(24, lineLimit - (size ?? 0))
        return uids.split(maximumBytes: room, maximumCount: maximumCount).map(make)
    }
}
