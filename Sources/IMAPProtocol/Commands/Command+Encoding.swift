import SASL

extension Command {
    /// The command as bytes. A set that is too long for one line is refused: split it first.
    ///
    /// - Parameters:
    ///   - tag: what the server's answer will carry.
    ///   - literals: how the server takes literals.
    ///   - lineLimit: the longest line, in octets, without its end; see ``ServerProfile/commandLineLimit``.
    ///   - isUTF8: UTF8=ACCEPT is enabled: names of mailboxes travel as UTF-8, and SEARCH names no charset. RFC 6855 §3.
    /// - Returns: the pieces to send, and where to wait.
    /// - Throws: ``EncodingError`` for what could not travel, or would smuggle in another command.
    public func encode(
        tag: CommandTag, literals: LiteralSupport, lineLimit: Int = Command.longestLine, isUTF8: Bool = false
    ) throws(EncodingError) -> EncodedCommand {
        var writer = CommandWriter(
            tag: tag, name: name, literals: literals, lineLimit: lineLimit, isUTF8: isUTF8)
        try writeArguments(to: &writer)
        return try writer.finish()
    }

    private func writeArguments(to writer: inout CommandWriter) throws(EncodingError) {
        switch self {
        case .capability, .noop, .logout, .startTLS, .namespace, .idle, .unselect: break
        case .login(let user, let password):
            try writer.astring(Array(user.utf8))
            try writer.string(Array(password.reveal().utf8))
        case .id(let fields): try write(fields, to: &writer)
        case .list(let kind): writer.words(#""" "*""# + (kind == .specialUse ? " RETURN (SPECIAL-USE)" : ""))
        case .create(let name): try writer.mailbox(name)
        case .select(let name, _, let condstore):
            try writer.mailbox(name)
            if condstore { writer.words("(CONDSTORE)") }
        case .uidFetch, .uidStore, .uidMove, .uidCopy, .uidExpunge, .uidSearch, .append:
            try writeMessages(to: &writer)
        case .status(let name, let modSeq):
            try writer.mailbox(name)
            writer.words("(MESSAGES UIDNEXT UIDVALIDITY UNSEEN\(modSeq ? " HIGHESTMODSEQ" : ""))")
        case .authenticate, .enable, .listExtended, .selectWith, .statusOf, .uidFetchSaved, .uidStoreLabels,
            .uidSearchReturning, .getQuotaRoot, .notify, .compressDeflate:
            try writeExtension(to: &writer)
        }
    }

    /// The commands on messages.
    private func writeMessages(to writer: inout CommandWriter) throws(EncodingError) {
        switch self {
        case .uidFetch(let uids, let items):
            try write(uids, to: &writer)
            writer.words(try items.text())
        case .uidStore(let uids, let change):
            try write(uids, to: &writer)
            if let modSeq = change.unchangedSince { writer.words("(UNCHANGEDSINCE \(modSeq))") }
            writer.words("\(change.operation.sign)FLAGS (\(try Self.joined(change.flags)))")
        case .uidMove(let uids, let destination), .uidCopy(let uids, let destination):
            try write(uids, to: &writer)
            try writer.mailbox(destination)
        case .uidExpunge(let uids): try write(uids, to: &writer)
        case .uidSearch(let criteria, let extended):
            try write(criteria, returning: extended ? .all : nil, to: &writer)
        case .append(let request): try write(request, to: &writer)
        case .capability, .noop, .logout, .startTLS, .login, .id, .list, .create, .select,
            .status, .authenticate, .enable, .namespace, .listExtended, .selectWith, .statusOf,
            .uidFetchSaved, .uidStoreLabels, .uidSearchReturning, .idle, .unselect, .getQuotaRoot, .notify,
            .compressDeflate:
            break
        }
    }

    func write(_ uids: UIDSet, to writer: inout CommandWriter) throws(EncodingError) {
        guard !uids.isEmpty else { throw .emptySet(command: name) }
        writer.words(uids.description)
    }

    /// Never empty: some servers take `ID ()` and `ID NIL` for an error.
    private func write(_ fields: [IDField], to writer: inout CommandWriter) throws(EncodingError) {
        writer.words("(")
        for (index, field) in fields.enumerated() {
            try writer.quoted(field.name, first: index == 0)
            try writer.quoted(field.value ?? "", first: false)
        }
        writer.close(")")
    }

    private func write(_ request: AppendRequest, to writer: inout CommandWriter) throws(EncodingError) {
        try writer.mailbox(request.mailbox)
        if !request.flags.isEmpty { writer.words("(\(try Self.joined(request.flags)))") }
        if let date = request.internalDate { writer.words("\"\(InternalDate.format(date))\"") }
        if request.isUTF8 {
            writer.words("UTF8 (")
            try writer.literal8(request.message)
            writer.close(")")
        } else {
            try writer.literal(request.message)
        }
    }

    func write(
        _ criteria: SearchCriteria, returning result: SearchReturn?, to writer: inout CommandWriter
    ) throws(EncodingError) {
        // An option is always named: `RETURN ()` breaks some servers.
        if let result { writer.words("RETURN (\(result.text))") }
        let terms = criteria.terms
        if !writer.isUTF8, terms.contains(where: \.needsUTF8) { writer.words("CHARSET UTF-8") }
        for term in terms { try write(term, to: &writer) }
    }

    private func write(_ term: SearchCriteria, to writer: inout CommandWriter) throws(EncodingError) {
        switch term {
        case .all: writer.words("ALL")
        case .uids(let uids):
            writer.words("UID")
            try write(uids, to: &writer)
        case .header(let field, let value):
            guard SectionRequest.isFieldName(field) else { throw .invalidFieldName(field) }
            writer.words("HEADER \(field)")
            try writer.string(Array(value.utf8))
        case .saved: writer.words("UID $")
        case .unseen: writer.words("UNSEEN")
        case .undeleted: writer.words("UNDELETED")
        case .since(let time): writer.words("SINCE \(InternalDate.formatDay(time))")
        case .before(let time): writer.words("BEFORE \(InternalDate.formatDay(time))")
        case .modSeq(let value): writer.words("MODSEQ \(value)")
        case .emailID(let id):
            writer.words("EMAILID")
            try writer.astring(Array(id.utf8))
        case .gmailMessageID(let id): writer.words("X-GM-MSGID \(id)")
        case .gmailRaw(let query):
            writer.words("X-GM-RAW")
            try writer.string(Array(query.utf8))
        case .both: break
        }
    }

    /// Flags as they travel; anything that is no atom could smuggle in another command.
    private static func joined(_ flags: [String]) throws(EncodingError) -> String {
        for flag in flags {
            let atom = flag.utf8.first == .backslash ? flag.utf8.dropFirst() : flag.utf8[...]
            guard !atom.isEmpty, atom.count <= 255,
                atom.allSatisfy({ $0.isAtomCharacter && $0 != .closeBracket })
            else { throw .invalidFlag(flag) }
        }
        return flags.joined(separator: " ")
    }
}

extension SearchCriteria {
    /// The criteria without `.both`, in order.
    fileprivate var terms: [SearchCriteria] {
        var terms: [SearchCriteria] = []
        var pending = [self]
        while let next = pending.popLast() {
            if case .both(let first, let second) = next {
                pending += [second, first]
            } else {
                terms.append(next)
            }
        }
        return terms
    }

    fileprivate var needsUTF8: Bool {
        switch self {
        case .header(_, let value), .gmailRaw(let value): value.utf8.contains { $0 >= 0x80 }
        case .all, .uids, .both, .saved, .unseen, .undeleted, .since, .before, .modSeq, .emailID,
            .gmailMessageID:
            false
        }
    }
}

extension FetchItems {
    /// `(UID FLAGS BODY.PEEK[HEADER])`; the UID is always asked for.
    func text() throws(EncodingError) -> String {
        var names = ["UID"]
        if flags { names.append("FLAGS") }
        if internalDate { names.append("INTERNALDATE") }
        if size { names.append("RFC822.SIZE") }
        if modSeq { names.append("MODSEQ") }
        if envelope { names.append("ENVELOPE") }
        if bodyStructure { names.append("BODYSTRUCTURE") }
        if objectIDs { names += ["EMAILID", "THREADID"] }
        if gmailIDs { names += ["X-GM-MSGID", "X-GM-THRID"] }
        if gmailLabels { names.append("X-GM-LABELS") }
        if header { names.append("BODY.PEEK[HEADER]") }
        for section in sections { names.append(try section.text()) }
        switch body {
        case nil: break
        case .whole: names.append("BODY.PEEK[]")
        case .first(let count): names.append("BODY.PEEK[]<0.\(max(1, count))>")
        }
        let list = "(\(names.joined(separator: " ")))"
        guard let changedSince, changedSince > 0 else { return list }
        return "\(list) (CHANGEDSINCE \(changedSince)\(vanished ? " VANISHED" : ""))"
    }
}
