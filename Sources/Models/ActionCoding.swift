/// Actions as JSON: one object with a `type` in the words of the rules language, and its arguments beside it.
///
/// This is part of `opus.plan/1`: within `/1` there are only additions.
extension Action {
    private enum Kind: String, Codable {
        case keep
        case archive
        case trash
        case junk
        case move
        case deferUntil = "defer"
        case label
        case unlabel
        case flag
        case unflag
        case mark
        case task
        case delegate
        case vacation
        case reply
        case forward
        case waiting
        case notify
        case unsubscribe
        case saveFiles = "save-attachment"
    }

    private enum CodingKeys: String, CodingKey {
        case type
        case mailbox
        case until
        case keyword
        case read
        case task
        case delegation
        case reply
        case letter
        case waiting
        case text
        case saving
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        switch try values.decode(Kind.self, forKey: .type) {
        case .keep: self = .keep
        case .archive: self = .archive
        case .trash: self = .trash
        case .junk: self = .junk
        case .move: self = .move(to: try values.decode(Mailbox.self, forKey: .mailbox))
        case .deferUntil: self = .deferUntil(try values.decode(Timestamp.self, forKey: .until))
        case .label: self = .label(try values.decode(Keyword.self, forKey: .keyword))
        case .unlabel: self = .unlabel(try values.decode(Keyword.self, forKey: .keyword))
        case .flag: self = .flag
        case .unflag: self = .unflag
        case .mark: self = .mark(read: try values.decode(Bool.self, forKey: .read))
        case .task: self = .task(try values.decode(TodoDraft.self, forKey: .task))
        case .delegate: self = .delegate(try values.decode(Delegation.self, forKey: .delegation))
        case .vacation: self = .vacation(try values.decode(AutoReply.self, forKey: .reply))
        case .reply, .forward: self = .letter(try values.decode(Letter.self, forKey: .letter))
        case .waiting: self = .waiting(try values.decode(Waiting.self, forKey: .waiting))
        case .notify: self = .notify(try values.decode(String.self, forKey: .text))
        case .unsubscribe: self = .unsubscribe
        case .saveFiles: self = .saveFiles(try values.decode(SavedFiles.self, forKey: .saving))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .keep: try values.encode(Kind.keep, forKey: .type)
        case .archive: try values.encode(Kind.archive, forKey: .type)
        case .trash: try values.encode(Kind.trash, forKey: .type)
        case .junk: try values.encode(Kind.junk, forKey: .type)
        case .flag: try values.encode(Kind.flag, forKey: .type)
        case .unflag: try values.encode(Kind.unflag, forKey: .type)
        case .move(let mailbox):
            try values.encode(Kind.move, forKey: .type)
            try values.encode(mailbox, forKey: .mailbox)
        case .deferUntil(let time):
            try values.encode(Kind.deferUntil, forKey: .type)
            try values.encode(time, forKey: .until)
        case .label(let keyword):
            try values.encode(Kind.label, forKey: .type)
            try values.encode(keyword, forKey: .keyword)
        case .unlabel(let keyword):
            try values.encode(Kind.unlabel, forKey: .type)
            try values.encode(keyword, forKey: .keyword)
        case .mark(let read):
            try values.encode(Kind.mark, forKey: .type)
            try values.encode(read, forKey: .read)
        case .task(let draft):
            try values.encode(Kind.task, forKey: .type)
            try values.encode(draft, forKey: .task)
        case .delegate(let delegation):
            try values.encode(Kind.delegate, forKey: .type)
            try values.encode(delegation, forKey: .delegation)
        case .vacation(let reply):
            try values.encode(Kind.vacation, forKey: .type)
            try values.encode(reply, forKey: .reply)
        case .letter(let letter):
            try values.encode(letter.kind == .reply ? Kind.reply : .forward, forKey: .type)
            try values.encode(letter, forKey: .letter)
        case .waiting(let waiting):
            try values.encode(Kind.waiting, forKey: .type)
            try values.encode(waiting, forKey: .waiting)
        case .notify(let text):
            try values.encode(Kind.notify, forKey: .type)
            try values.encode(text, forKey: .text)
        case .unsubscribe: try values.encode(Kind.unsubscribe, forKey: .type)
        case .saveFiles(let saving):
            try values.encode(Kind.saveFiles, forKey: .type)
            try values.encode(saving, forKey: .saving)
        }
    }
}
