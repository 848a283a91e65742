import Crypto
public import Models

extension Plan {
    /// The plan's name, as in `p:4f2a91`: the same for the same messages at the same places with the same actions.
    ///
    /// Whoever types it has seen this plan and no other. Times are no part of it: "in two hours" is another point in time
    /// a minute later, and the same wish.
    public var id: String {
        var lines = [account.rawValue, origin.rulesDigest ?? ""]
        for item in items where !item.isUntouched {
            lines.append(Planner.place(item.key) + " " + item.message.rawValue)
            lines += item.decisions.map { $0.rule + " " + $0.action.name }
            lines += item.threadKeys.map { "with " + Planner.place($0.key) }
        }
        // Lengths before the lines, because a rule or a mailbox may be called anything.
        let text = lines.map { "\($0.utf8.count):\($0)" }.joined(separator: ",")
        return "p:" + Hex.encode(SHA256.hash(Array(text.utf8)).prefix(3))
    }
}

extension Action {
    /// What is done, without when.
    fileprivate var name: String {
        switch self {
        case .keep: "keep"
        case .archive: "archive"
        case .trash: "trash"
        case .junk: "junk"
        case .move(let mailbox): "move " + mailbox.name.description
        case .deferUntil: "defer"
        case .label(let keyword): "label " + keyword.rawValue
        case .unlabel(let keyword): "unlabel " + keyword.rawValue
        case .flag: "flag"
        case .unflag: "unflag"
        case .mark(let read): read ? "read" : "unread"
        case .task(let draft): "task \(draft.list) " + draft.summary
        case .delegate(let delegation): "delegate \(delegation.sending.rawValue) " + delegation.to.comparable
        case .vacation(let reply): "vacation \(reply.sending.rawValue) " + reply.to.comparable
        case .letter(let letter):
            "\(letter.kind.rawValue) \(letter.sending.rawValue) "
                + letter.to.map(\.comparable).joined(separator: " ")
        case .waiting(let waiting): "waiting " + waiting.on.comparable
        case .notify(let text): "notify " + text
        case .unsubscribe: "unsubscribe"
        case .saveFiles(let saving): "save-attachment " + saving.paths.joined(separator: " ")
        }
    }
}
