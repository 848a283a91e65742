import Models

/// One message during its evaluation: its facts, and values that are computed from them once for all rules.
///
/// Used by one thread only, for one evaluation.
final class FactsView: MessageSight {
    let facts: MessageFacts
    let surface: Surface
    /// The parts of header and text that the facts include.
    private let having: FactNeeds
    /// Facts that were needed but are missing: results since then are not valid.
    private(set) var missing: FactNeeds = []

    init(_ facts: MessageFacts, surface: Surface, having: FactNeeds = .content) {
        self.facts = facts
        self.surface = surface
        self.having = having
    }

    convenience init(_ facts: MessageFacts, context: RuleContext, tables: RuleTables) {
        self.init(facts, surface: Surface(context, tables))
    }

    var context: RuleContext { surface.context }
    var tables: RuleTables { surface.tables }
    var zone: Zone { surface.zone }
    var me: Set<FoldedText> { surface.me }
    func isMe(_ address: EmailAddress) -> Bool { surface.isMe(address) }

    /// Whether the facts include it; if not, notes it as missing.
    func reads(_ part: FactNeeds) -> Bool {
        guard !having.isSuperset(of: part) else { return true }
        missing.formUnion(part)
        return false
    }

    /// Whether the facts include it, without noting it as missing.
    func carries(_ part: FactNeeds) -> Bool { having.isSuperset(of: part) }

    lazy var from = folded(facts.from)
    lazy var to = folded(facts.to)
    lazy var cc = folded(facts.cc)
    lazy var bcc = folded(facts.bcc)
    lazy var replyTo = folded(facts.replyTo)
    lazy var sender = folded(facts.sender)

    private func folded(_ addresses: [EmailAddress]) -> [FoldedAddress] {
        addresses.map { surface.folded($0) }
    }

    lazy var deliveredTo = ["delivered-to", "x-original-to", "envelope-to"].flatMap { envelopeAddresses($0) }
    lazy var returnPath = envelopeAddresses("return-path")
    lazy var conversation = Conversation(self)
    var threadSize: Int? { conversation.size }
    var hasConversation: Bool { conversation.isKnown }
    var hasOwnMessage: Bool? { conversation.hasOwn }
    var lastMessageIsOwn: Bool? { conversation.lastIsOwn }
    lazy var todos = facts.openTodos.compactMap { context.todos[$0] }
    lazy var authentication = AuthenticationResults(
        reads(.headers) ? facts.headers : [], trusted: context.authenticationServers)
    lazy var local = zone.local(facts.date)
    lazy var subject = [FoldedText(facts.subject)]
    lazy var body: [FoldedText]? = text.map { [FoldedText($0)] }
    lazy var sums: [String: Int]? = text.map { Money.sums(in: facts.subject + "\n" + $0) }
    lazy var foldedAttachmentNames = facts.attachments.map { FoldedText($0.name) }
    /// The extracted texts of the message's files, as one text.
    private lazy var fileTexts: [String] =
        facts.attachments.isEmpty ? [] : context.fileText?(facts.id).map { [$0] } ?? []
    private lazy var foldedFileTexts = fileTexts.map { FoldedText($0) }
    lazy var attachmentTypes = facts.attachments.map { FoldedText($0.contentType) }
    /// nil: not fetched.
    private var text: String? { reads(.text) ? facts.text : nil }
    private var foldedHeaders: [String: [FoldedText]] = [:]
    /// Results of `is:<definition>` and `matched:<rule>`.
    var remembered: [String: Truth] = [:]

    /// The bodies of all fields with that name, which must be in lower case, or of the field at an index
    /// (``HeaderPlace``).
    func header(_ name: String) -> [String] {
        guard reads(.headers) else { return [] }
        let place = HeaderPlace(name)
        return place.select(facts.headers.compactMap { $0.isNamed(place.name) ? $0.body : nil })
    }

    func foldedHeader(_ name: String) -> [FoldedText] {
        if let known = foldedHeaders[name] { return known }
        let folded = header(name).map { FoldedText($0) }
        foldedHeaders[name] = folded
        return folded
    }

    func addresses(_ field: AddressField) -> [FoldedAddress] {
        switch field {
        case .from: from
        case .to: to
        case .cc: cc
        case .bcc: bcc
        case .replyTo: replyTo
        case .sender: sender
        case .recipient: to + cc + bcc
        case .deliveredTo: deliveredTo
        case .returnPath: returnPath
        }
    }

    /// An envelope field contains one address, with or without angle brackets. RFC 5321 §4.4.
    private func envelopeAddresses(_ name: String) -> [FoldedAddress] {
        header(name).prefix(Self.mostEnvelopeFields).compactMap { body in
            EmailAddress(body.filter { !"<> \t".contains($0) }).map { surface.folded($0) }
        }
    }

    private static let mostEnvelopeFields = 50

    /// The folded texts of a field; nil: the body was not fetched.
    func folded(_ field: TextField) -> [FoldedText]? {
        switch field {
        case .subject: subject
        case .body: body
        case .anyText: body.map { $0 + envelopeTexts + foldedFileTexts }
        case .attachmentName: foldedAttachmentNames
        case .attachmentText: foldedFileTexts
        case .attachmentType: attachmentTypes
        case .header(let name): foldedHeader(name)
        }
    }

    /// Subject, names and addresses.
    lazy var envelopeTexts: [FoldedText] = subject + (from + to + cc).flatMap { [$0.name, $0.addrSpec] }

    /// The original texts of a field; nil: the body was not fetched.
    func raw(_ field: TextField) -> [String]? {
        switch field {
        case .subject: [facts.subject]
        case .body: text.map { [$0] }
        case .anyText:
            text.map {
                [facts.subject, $0]
                    + (facts.from + facts.to + facts.cc).flatMap { [$0.displayName, $0.addrSpec] } + fileTexts
            }
        case .attachmentName: facts.attachments.map(\.name)
        case .attachmentText: fileTexts
        case .attachmentType: facts.attachments.map(\.contentType)
        case .header(let name): header(name)
        }
    }

    func clock(now: Timestamp) -> DateClock {
        DateClock(
            now: now, zone: zone, dayFirst: context.dayFirst, workdayEnd: context.workdayEnd,
            businessDays: context.businessDays)
    }
}
