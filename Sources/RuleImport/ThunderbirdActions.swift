import IMAPProtocol

/// The actions of one Thunderbird filter.
struct ThunderbirdActions {
    typealias Note = (kind: ImportNote.Kind, reason: String)

    /// The server of the filters' account, such as `ana@imap.acme.example`; nil: they name none.
    let server: String?
    private(set) var actions: [DraftAction] = []
    private(set) var stops = false
    private(set) var left: [String] = []
    /// Whether its destination is one that rules cannot use.
    private(set) var isPlaceLost = false
    /// Whether a copy is not made: then the message is not trashed, either.
    private var isCopyLost = false

    init(server: String?) { self.server = server }

    /// Whether later filters do not see its messages.
    var ends: Bool { stops || isPlaceLost || actions.contains(where: \.isDisposition) }

    /// Called after all actions: a filter that only stops becomes `keep`.
    mutating func settle() {
        if stops, actions.isEmpty { actions = [.keep] }
    }

    mutating func take(_ name: String, _ value: String?) -> [Note] {
        switch name {
        case "Mark read": return add(.mark(read: true), name)
        case "Mark unread": return add(.mark(read: false), name)
        case "Mark flagged": return add(.flag, name)
        case "AddTag": return label(name, value ?? "")
        case "Label": return label(name, "$label\(value ?? "")")
        case "Move to folder": return move(name, value ?? "")
        case "Copy to folder": return copy(name, value ?? "")
        case "Delete":
            guard !isPlaceLost, !isCopyLost else { return drop(name, nil, Self.onlyCopy) }
            return add(.trash, name)
        case "Forward":
            guard let forward = value.flatMap({ DraftAction.forwarding(to: $0) }) else {
                return drop(name, value, "this is not an address that a rule can forward to")
            }
            return add(forward, name) + [(.changed, DraftAction.forwardChange)]
        case "Stop execution":
            stops = true
            return []
        case "JunkScore" where value == "100":
            return add(.junk, name) + [(.changed, "moves the message to junk")]
        case _: return drop(name, value, Self.reasons[name] ?? "a rule cannot do this")
        }
    }

    private static let reasons = [
        "JunkScore": "opus has no junk score",
        "Reply": "the text of the answer is not in the file; add it with 'reply'",
        "Change priority": "only the sender sets the priority of a message",
        "Ignore thread": "threads cannot be ignored", "Ignore subthread": "threads cannot be ignored",
        "Watch thread": "threads cannot be watched", "Custom": "only an add-on can do it",
    ]

    private mutating func add(_ action: DraftAction, _ name: String) -> [Note] {
        actions.add(action) ? [] : drop(name, nil, "a message has only one place; the first one counts")
    }

    private mutating func drop(_ name: String, _ value: String?, _ reason: String) -> [Note] {
        left.append(name + (value.map { " \($0)" } ?? "") + ": " + reason)
        return [(.dropped, reason)]
    }

    private mutating func label(_ name: String, _ value: String) -> [Note] {
        let keyword = GmailTerm.keyword(value)
        guard !value.isEmpty else { return drop(name, value, "a tag without a name") }
        return add(.label(keyword), name)
            + (keyword == value ? [] : [(.changed, "the tag becomes '\(keyword)'")])
    }

    /// Why the folder is not one of this account; nil: it is.
    private func otherAccount(_ value: String) -> String? {
        guard let other = Self.server(of: value), let server, other != server else { return nil }
        return "a folder of another account (\(SourceText.oneLine(other)))"
    }

    /// `ana@imap.acme.example` of `imap://ana@imap.acme.example/Folder`; nil: a local folder.
    static func server(of folder: String) -> String? {
        guard folder.hasPrefix("imap://"), let end = folder.dropFirst(7).firstIndex(of: "/") else {
            return nil
        }
        let server = folder.dropFirst(7)[..<end].lowercased()
        return server.replacing("%40", with: "@").split(separator: ":").first.map(String.init)
    }

    private mutating func move(_ name: String, _ value: String) -> [Note] {
        if let reason = otherAccount(value) {
            isPlaceLost = true
            return drop(name, value, reason) + keepFromTrash()
        }
        guard let (folder, notes) = Self.folder(value) else {
            isPlaceLost = true
            return drop(name, value, "this is not a folder") + keepFromTrash()
        }
        return add(folder.lowercased() == "inbox" ? .keep : .move(folder), name) + notes
    }

    /// Copies a message. It stays where it is, so later filters still see it.
    private mutating func copy(_ name: String, _ value: String) -> [Note] {
        if let reason = otherAccount(value) {
            isCopyLost = true
            return drop(name, value, reason) + keepFromTrash()
        }
        guard let (folder, notes) = Self.folder(value), folder.lowercased() != "inbox" else {
            isCopyLost = true
            return drop(name, value, "this copy cannot be made; the message stays where it is")
                + keepFromTrash()
        }
        return add(.copy(folder), name) + notes
    }

    private static let onlyCopy = "the copy that the filter makes elsewhere is not made, so the message stays"

    /// A filter may copy a message elsewhere and delete it here. Without the copy, it stays.
    private mutating func keepFromTrash() -> [Note] {
        guard let index = actions.firstIndex(of: .trash) else { return [] }
        actions.remove(at: index)
        return drop("Delete", nil, Self.onlyCopy)
    }

    /// `imap://user@host/Folder/Name` and `mailbox://nobody@Local%20Folders/Name`. Folders of a server are in modified
    /// UTF-7: `Entw&APw-rfe`.
    private static func folder(_ value: String) -> (name: String, notes: [Note])? {
        guard let scheme = value.firstRange(of: "://"),
            let slash = value[scheme.upperBound...].firstIndex(of: "/"),
            let folder = decoded(value[value.index(after: slash)...]).map({
                value.hasPrefix("imap://") ? ModifiedUTF7.decode(Array($0.utf8)) ?? $0 : $0
            }), !folder.isEmpty, !folder.contains("{{"),
            folder.utf8.count <= 500, !folder.unicodeScalars.contains(where: SourceText.isHidden)
        else { return nil }
        var notes: [Note] = []
        if !value.hasPrefix("imap://") {
            notes.append(
                (
                    .changed,
                    "a local folder becomes the mailbox '\(SourceText.oneLine(folder))' of the account"
                ))
        }
        return (folder, notes)
    }

    /// Percent signs decoded; nil when that is not UTF-8.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
