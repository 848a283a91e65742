public import Models

/// Actions in one word each, for programs.
public enum ActionWord {
    public static func of(_ action: Action) -> String {
        switch action {
        case .keep: "keep"
        case .archive: "archive"
        case .trash: "trash"
        case .junk: "junk"
        case .move(let mailbox): "move=\(mailbox.displayName)"
        case .deferUntil(let time): "defer=\(time.rfc3339)"
        case .label(let keyword): "label=\(keyword)"
        case .unlabel(let keyword): "unlabel=\(keyword)"
        case .flag: "flag"
        case .unflag: "unflag"
        case .mark(let read): read ? "read" : "unread"
        case .task(let draft): "task=\(draft.list)"
        case .delegate(let delegation): "delegate=\(delegation.to.addrSpec)"
        case .vacation(let reply): "vacation=\(reply.to.addrSpec)"
        case .letter(let letter):
            "\(letter.kind.rawValue)=" + letter.to.map(\.addrSpec).joined(separator: "+")
        case .waiting(let waiting): "waiting=\(waiting.on.addrSpec)"
        case .notify: "notify"
        case .unsubscribe: "unsubscribe"
        case .saveFiles(let saving): "save-attachment=" + saving.paths.joined(separator: "+")
        }
    }
}
