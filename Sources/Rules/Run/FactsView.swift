import Models

/// One message while it is judged: its facts, and what was computed from them once for all rules.
///
/// Not shared between threads; it lives for one evaluation.
final class FactsView {
    let facts: MessageFacts
    let context: RuleContext
    let tables: RuleTables
    let zone: Zone

    init(_ facts: MessageFacts, context: RuleContext, tables: RuleTables, surface: Surface? = nil) {
        let surface = surface ?? Surface(context)
        self.facts = facts
        self.context = context
        self.tables = tables
        zone = surface.zone
        me = surface.me
    }

    /// What is the same for every message of a run.
    struct Surface {
        let zone: Zone
        let me: Set<FoldedText>

        init(_ context: RuleContext) {
            zone = Zone(context.timeZone) ?? .utc
            me = Set(context.me.map { FoldedText($0.comparable) })
        }
    }

    /// An address, folded once.
    struct FoldedAddress {
        let address: EmailAddress
        let addrSpec: FoldedText
        let name: FoldedText
        let domain: FoldedText

        init(_ address: EmailAddress) {
            self.address = address
            addrSpec = FoldedText(address.comparable)
            name = FoldedText(address.displayName)
            domain = FoldedText(address.domain)
        }
    }

    lazy var from = facts.from.map(FoldedAddress.init)
    lazy var to = facts.to.map(FoldedAddress.init)
    lazy var cc = facts.cc.map(FoldedAddress.init)
    lazy var bcc = facts.bcc.map(FoldedAddress.init)
    lazy var replyTo = facts.replyTo.map(FoldedAddress.init)
    lazy var sender = facts.sender.map(FoldedAddress.init)
    lazy var deliveredTo = ["delivered-to", "x-original-to", "envelope-to"].flatMap { envelopeAddresses($0) }
    lazy var returnPath = envelopeAddresses("return-path")
    lazy var conversation = Conversation(self)
    lazy var todos = facts.openTodos.compactMap { context.todos[$0] }
    lazy var authentication = AuthenticationResults(facts.headers, trusted: context.authenticationServers)
    let me: Set<FoldedText>
    lazy var local = zone.local(facts.date)
    lazy var subject = [FoldedText(facts.subject)]
    lazy var body: [FoldedText]? = facts.text.map { [FoldedText($0)] }
    lazy var attachmentNames = facts.attachments.map { FoldedText($0.name) }
    lazy var attachmentTypes = facts.attachments.map { FoldedText($0.contentType) }
    private lazy var headers = Dictionary(grouping: facts.headers) { $0.name.lowercased() }
        .mapValues { $0.map(\.body) }
    private var foldedHeaders: [String: [FoldedText]] = [:]
    /// Answers to `is:<definition>` and `matched:<rule>`.
    var remembered: [String: Truth] = [:]

    func header(_ name: String) -> [String] { headers[name] ?? [] }

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

    /// A field of the envelope holds one address, in brackets or not. RFC 5321 §4.4.
    private func envelopeAddresses(_ name: String) -> [FoldedAddress] {
        header(name).prefix(Self.mostEnvelopeFields).compactMap { body in
            EmailAddress(body.filter { !"<> \t".contains($0) }).map { FoldedAddress($0) }
        }
    }

    private static let mostEnvelopeFields = 50

    /// The folded texts of a field; nil when the body was not fetched.
    func folded(_ field: TextField) -> [FoldedText]? {
        switch field {
        case .subject: subject
        case .body: body
        case .anyText: body.map { $0 + envelopeTexts }
        case .attachmentName: attachmentNames
        case .attachmentType: attachmentTypes
        case .header(let name): foldedHeader(name)
        }
    }

    /// Subject, names and addresses.
    lazy var envelopeTexts: [FoldedText] = subject + (from + to + cc).flatMap { [$0.name, $0.addrSpec] }

    /// The texts of a field as they are; nil when the body was not fetched.
    func raw(_ field: TextField) -> [String]? {
        switch field {
        case .subject: [facts.subject]
        case .body: facts.text.map { [$0] }
        case .anyText:
            facts.text.map {
                [facts.subject, $0]
                    + (facts.from + facts.to + facts.cc).flatMap { [$0.displayName, $0.addrSpec] }
            }
        case .attachmentName: facts.attachments.map(\.name)
        case .attachmentType: facts.attachments.map(\.contentType)
        case .header(let name): header(name)
        }
    }

    func clock(now: Timestamp) -> DateClock {
        DateClock(now: now, zone: zone, dayFirst: context.dayFirst, workdayEnd: context.workdayEnd)
    }
}

/// The answer to a condition; `unknown` when it would take a body that could not be had.
enum Truth {
    case no
    case unknown
    case yes

    init(_ value: Bool) { self = value ? .yes : .no }

    var inverted: Truth {
        switch self {
        case .no: .yes
        case .unknown: .unknown
        case .yes: .no
        }
    }
}
