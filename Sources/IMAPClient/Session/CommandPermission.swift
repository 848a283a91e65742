import IMAPProtocol
import Models

/// What each command needs of the account's permissions. The one gate is ``IMAPConnection/encode(_:)``: a command that is
/// not allowed never becomes bytes.
extension Command {
    /// The permission that is missing for the command; nil: it may be sent.
    func missing(in permissions: Permissions) -> Permission? {
        let needed = needed
        guard !needed.isEmpty, needed.allSatisfy({ !permissions.allows($0) }) else { return nil }
        return needed.first
    }

    /// One of these must be allowed; empty: the command changes nothing.
    private var needed: [Permission] {
        switch self {
        case .capability, .noop, .logout, .startTLS, .login, .authenticate, .id, .enable, .compressDeflate,
            .list, .status, .notify, .idle, .uidSearch:
            []
        // It asks for bodies with PEEK only; and where nothing may change, the mailbox is open read-only.
        case .uidFetch: []
        case .create, .subscribe: [.create]
        case .select(let request): request.readOnly ? [] : [.mark, .move, .delete]
        case .uidStore(_, let change): change.removesMessages ? [.delete] : [.mark]
        // On Gmail a label is a mailbox, and `\\Inbox` is the inbox.
        case .uidStoreLabels(_, let change): change.movesMessages ? [.move] : [.mark, .move]
        case .uidMove, .uidCopy: [.move]
        case .uidExpunge: [.delete]
        case .append: [.draft]
        }
    }
}

extension FlagChange {
    fileprivate var removesMessages: Bool {
        operation == .add && flags.contains { $0.lowercased() == "\\deleted" }
    }
}

extension LabelChange {
    fileprivate var movesMessages: Bool { labels.contains { $0.first == UInt8(ascii: "\\") } }
}
