/// The purpose of a mailbox, in the terms of RFC 6154 §2.
///
///     use-attr = "\All" / "\Archive" / "\Drafts" / "\Flagged" / "\Junk" / "\Sent" / "\Trash"
public enum SpecialUse: String, Hashable, CaseIterable, Sendable {
    case inbox
    case all
    case archive
    case drafts
    case flagged
    case junk
    case sent
    case trash

    /// The role that an attribute of LIST or XLIST names.
    public init?(attribute: String) {
        switch attribute.utf8.uppercasedWord {
        case "\\INBOX": self = .inbox
        case "\\ALL", "\\ALLMAIL": self = .all
        case "\\ARCHIVE": self = .archive
        case "\\DRAFTS": self = .drafts
        case "\\FLAGGED", "\\STARRED": self = .flagged
        case "\\JUNK", "\\SPAM": self = .junk
        case "\\SENT": self = .sent
        case "\\TRASH": self = .trash
        default: return nil
        }
    }

    /// Whether such a mailbox shows messages of other mailboxes again.
    fileprivate var isView: Bool {
        switch self {
        case .all, .flagged: true
        case .inbox, .archive, .drafts, .junk, .sent, .trash: false
        }
    }

    /// Common names of such a mailbox, the most likely first, in lower case.
    public var wellKnownNames: [String] {
        switch self {
        case .inbox: ["inbox"]
        case .all, .flagged: []
        case .archive:
            [
                "archive", "archives", "archiv", "archivio", "archivo", "archief", "arquivo", "arkiv",
                "archiwum",
            ]
        case .drafts:
            [
                "drafts", "draft", "entwürfe", "brouillons", "bozze", "borradores", "concepten", "rascunhos",
                "utkast", "kladder", "luonnokset", "kopie robocze", "robocze", "szkice",
            ]
        case .junk:
            [
                "junk", "spam", "junk e-mail", "junk email", "junk mail", "bulk mail", "junk-e-mail",
                "unerwünscht", "spamverdacht", "courrier indésirable", "indésirables", "correo no deseado",
                "posta indesiderata", "ongewenste e-mail", "lixo eletrônico", "skräppost", "uønsket e-post",
                "uønsket mail", "roskaposti", "wiadomości-śmieci",
            ]
        case .sent:
            [
                "sent", "sent items", "sent messages", "sent mail", "sent-mail", "gesendet",
                "gesendete elemente",
                "gesendete objekte", "envoyés", "messages envoyés", "inviata", "enviados", "verzonden",
                "éléments envoyés", "posta inviata", "elementos enviados", "itens enviados",
                "verzonden items", "skickat", "sendt", "lähetetyt", "wysłane", "elementy wysłane",
            ]
        case .trash:
            [
                "trash", "bin", "deleted items", "deleted messages", "deleted", "papierkorb",
                "gelöschte elemente",
                "gelöscht", "corbeille", "cestino", "papelera", "prullenbak",
                "gelöschte objekte", "éléments supprimés", "posta eliminata", "elementos eliminados",
                "itens excluídos", "lixeira", "verwijderde items", "papperskorgen", "borttaget",
                "slettet post", "papirkurv", "roskakori", "kosz", "elementy usunięte",
            ]
        }
    }
}

/// One mailbox of an account: its exact name for the protocol, and what people and programs need to know about it.
public struct MailboxListing: Equatable, Sendable {
    /// The exact bytes, which are also sent to the server.
    public var name: [UInt8]
    /// The name decoded for people. It is text from a stranger.
    public var displayName: String
    public var delimiter: String?
    public var attributes: [String]
    public var role: SpecialUse?
    public var isSelectable: Bool
    /// Whether it shows some messages of other mailboxes again, as Gmail's Starred and Important do.
    public var isView = false
    /// What the server puts before the names of the user's own mailboxes; nil: nothing, or not known.
    public var personalPrefix: String?

    public init(
        name: [UInt8], displayName: String, delimiter: String?, attributes: [String] = [],
        role: SpecialUse? = nil, isSelectable: Bool = true
    ) {
        self.name = name
        self.displayName = displayName
        self.delimiter = delimiter
        self.attributes = attributes
        self.role = role
        self.isSelectable = isSelectable
    }
}

extension MailboxListing {
    /// The mailboxes with their roles. The server's attributes come first; well-known names fill the gaps. RFC 6154 §2.
    ///
    /// Each role goes to the first mailbox that claims it. A name counts at the top level, directly under `INBOX` or after
    /// the prefix of the user's own mailboxes. A mailbox that the server lists twice appears once.
    ///
    /// Mailboxes that show messages of others again (`\All`, `\Flagged`, `\Important`) are not read. Some servers list
    /// the flags of messages as attributes, so these three attributes count only from a server with special use, or for
    /// a mailbox with a matching name.
    ///
    /// `knowsSpecialUse`: whether the server announces SPECIAL-USE, XLIST or Gmail's extension.
    public static func listings(
        from responses: [ListResponse], knowsSpecialUse: Bool = true, personalPrefix: String? = nil
    ) -> [MailboxListing] {
        var seen: Set<[UInt8]> = []
        var listings = responses.filter { seen.insert($0.name).inserted }.map(MailboxListing.init)
        for index in listings.indices { listings[index].personalPrefix = personalPrefix }
        var taken: Set<SpecialUse> = []
        // A server has at most one view of a kind. Several mailboxes with `\Flagged` are mailboxes that contain flagged
        // messages.
        let isOnlyOne = listings.count { $0.isSelectable && $0.claims.contains(.flagged) } <= 1
        for index in listings.indices where listings[index].isSelectable {
            let isBelieved = listings[index].tellsViews(knowsSpecialUse && isOnlyOne)
            let claims = listings[index].claims.filter { isBelieved || !$0.isView }
                .sorted { $0.rawValue < $1.rawValue }
            listings[index].isView =
                isBelieved && (claims.contains(.flagged) || listings[index].isMarkedImportant)
            guard let role = claims.first(where: { !taken.contains($0) }) else { continue }
            listings[index].role = role
            taken.insert(role)
        }
        for role in SpecialUse.allCases where !taken.contains(role) {
            guard let index = listings.firstIndex(ofWellKnown: role) else { continue }
            listings[index].role = role
        }
        return listings
    }

    private init(_ response: ListResponse) {
        let isInbox = response.name.uppercasedWord == "INBOX"
        self.init(
            name: response.name, displayName: ModifiedUTF7.displayName(response.name),
            delimiter: response.delimiter.map { String(UnicodeScalar($0)) }, attributes: response.attributes,
            isSelectable: isInbox || response.isSelectable)
    }

    private var isInbox: Bool { name.uppercasedWord == "INBOX" }

    /// The roles that the server assigns to this mailbox. INBOX has the role inbox only.
    private var claims: [SpecialUse] {
        isInbox ? [.inbox] : attributes.compactMap(SpecialUse.init(attribute:)).filter { $0 != .inbox }
    }

    private var isMarkedImportant: Bool {
        !isInbox && attributes.contains { $0.utf8.uppercasedWord == "\\IMPORTANT" }
    }

    /// Whether `\All`, `\Flagged` and `\Important` mean special use here.
    private func tellsViews(_ knowsSpecialUse: Bool) -> Bool {
        let words = attributes.map(\.utf8.uppercasedWord)
        if words.contains(where: Self.messageFlags.contains) { return false }
        if knowsSpecialUse { return true }
        let level =
            delimiter.flatMap { displayName.split(separator: $0).last.map(String.init) } ?? displayName
        return Self.viewNames.contains(level.lowercased())
    }

    /// Flags of messages, which a mailbox cannot have. RFC 3501 §2.3.2.
    private static let messageFlags: Set<String> = [
        "\\SEEN", "\\ANSWERED", "\\DELETED", "\\DRAFT", "\\RECENT",
    ]

    private static let viewNames: Set<String> = [
        "flagged", "starred", "important", "all", "all mail", "all messages",
    ]

    /// The name below `INBOX`, after the personal prefix or at the top level, in lower case.
    fileprivate var plainName: String {
        if let personalPrefix, displayName.hasPrefix(personalPrefix) {
            return String(displayName.dropFirst(personalPrefix.count)).lowercased()
        }
        let lower = displayName.lowercased()
        guard let delimiter, lower.hasPrefix("inbox" + delimiter) else { return lower }
        return String(lower.dropFirst(5 + delimiter.count))
    }
}

extension [MailboxListing] {
    fileprivate func firstIndex(ofWellKnown role: SpecialUse) -> Int? {
        for name in role.wellKnownNames {
            if let index = firstIndex(where: { $0.isSelectable && $0.role == nil && $0.plainName == name }) {
                return index
            }
        }
        return nil
    }
}
