import IMAPProtocol
import Models

/// The permission that each command needs. ``IMAPConnection/encode(_:)`` checks it for every command, so a command that
/// is not allowed is never sent.
extension Command {
    /// The missing permission; nil: the command may be sent.
    func missing(in permissions: Permissions) -> Permission? {
        let needed = needed
        guard !needed.isEmpty, needed.allSatisfy({ !permissions.allows($0) }) else { return nil }
        return needed.first
    }

    /// One of these permissions is required; empty: the command changes nothing.
    private var needed: [Permission] {
        switch self {
        case .capability, .noop, .logout, .startTLS, .login, .authenticate, .id, .enable, .compressDeflate,
            .namespace, .myRights, .list, .status, .notify, .idle, .uidSearch:
            []
        // Bodies are requested with PEEK only. If nothing may change, the mailbox is open read-only.
        case .uidFetch: []
        case .create, .subscribe: [.create]
        case .select(let request): request.readOnly ? [] : [.mark, .move, .delete]
        case .uidStore(_, let change): change.removesMessages ? [.delete] : [.mark]
        // On Gmail, a label is a mailbox, and `\\Inbox` is the inbox.
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
