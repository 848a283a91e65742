/// Actions as JSON: an object whose `type` is the ``ActionName``, with the value of the action in a field beside it.
///
/// This is part of `opus.plan/1`: within `/1`, fields are added and never changed.
extension Action: Codable {
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
        func value<Value: Decodable>(_ key: CodingKeys) throws -> Value {
            try values.decode(Value.self, forKey: key)
        }
        switch try values.decode(ActionName.self, forKey: .type) {
        case .keep: self = .keep
        case .archive: self = .archive
        case .trash: self = .trash
        case .junk: self = .junk
        case .move: self = .place(.move(to: try value(.mailbox)))
        case .deferUntil: self = .place(.deferUntil(try value(.until)))
        case .label: self = .mark(.label(try value(.keyword)))
        case .unlabel: self = .mark(.unlabel(try value(.keyword)))
        case .bundle: self = .mark(.bundle(try value(.keyword)))
        case .flag: self = .flag
        case .unflag: self = .unflag
        case .mark: self = .mark(.read(try value(.read)))
        case .task: self = .make(.task(try value(.task)))
        case .delegate: self = .make(.delegate(try value(.delegation)))
        case .waiting: self = .make(.waiting(try value(.waiting)))
        case .reply, .forward: self = .make(.letter(try value(.letter)))
        case .vacation: self = .make(.vacation(try value(.reply)))
        case .copy: self = .make(.copy(to: try value(.mailbox)))
        case .saveAttachment: self = .make(.saveFiles(try value(.saving)))
        case .notify: self = .tell(.notify(try value(.text)))
        case .unsubscribe: self = .tell(.unsubscribe)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(name, forKey: .type)
        switch self {
        case .place(.keep), .place(.archive), .place(.trash), .place(.junk), .mark(.flag), .mark(.unflag),
            .tell(.unsubscribe):
            break
        case .place(.move(let mailbox)): try values.encode(mailbox, forKey: .mailbox)
        case .place(.deferUntil(let until)): try values.encode(until, forKey: .until)
        case .mark(.label(let keyword)), .mark(.unlabel(let keyword)), .mark(.bundle(let keyword)):
            try values.encode(keyword, forKey: .keyword)
        case .mark(.read(let isRead)): try values.encode(isRead, forKey: .read)
        case .make(.task(let draft)): try values.encode(draft, forKey: .task)
        case .make(.delegate(let delegation)): try values.encode(delegation, forKey: .delegation)
        case .make(.waiting(let waiting)): try values.encode(waiting, forKey: .waiting)
        case .make(.letter(let letter)): try values.encode(letter, forKey: .letter)
        case .make(.vacation(let reply)): try values.encode(reply, forKey: .reply)
        case .make(.copy(let mailbox)): try values.encode(mailbox, forKey: .mailbox)
        case .make(.saveFiles(let saving)): try values.encode(saving, forKey: .saving)
        case .tell(.notify(let text)): try values.encode(text, forKey: .text)
        }
    }
}
