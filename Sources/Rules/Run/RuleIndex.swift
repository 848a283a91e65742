import Models

/// Looks up which rules a message can match at all, instead of trying all rules.
///
/// The index has one sign of each rule (``Sign``), and looks up each field of a message: an address in tables
/// of domains and addresses, once per writer; a text in one pass for all patterns. Rules whose signs are
/// absent cannot match. The others are evaluated as without the index, so it does not change results.
final class RuleIndex {
    /// Rules without a sign.
    private var always: RuleBits
    private let addresses: [(field: AddressField, signs: AddressSigns)]
    private let texts: [(field: TextField, signs: TextSigns)]
    private let states: [(state: State, rules: [Int])]

    /// The conditions of the rules, in order.
    init(_ conditions: [Condition], tables: RuleTables) {
        var reader = SignReader(tables)
        var addresses: [AddressField: [(AddressMatcher, Int)]] = [:]
        var texts: [TextField: [(TextMatcher, Int)]] = [:]
        var states: [State: [Int]] = [:]
        always = RuleBits(conditions.count)
        for (rule, condition) in conditions.enumerated() {
            guard let signs = reader.signs(of: condition) else {
                always.insert(rule)
                continue
            }
            for sign in signs.any {
                switch sign {
                case .address(let field, let matcher):
                    addresses[field, default: []].append((matcher, rule))
                case .text(let field, let matcher): texts[field, default: []].append((matcher, rule))
                case .state(let state): states[state, default: []].append(rule)
                }
            }
        }
        self.addresses = addresses.map { ($0.key, AddressSigns($0.value)) }
        self.texts = texts.map { ($0.key, TextSigns($0.value)) }
        self.states = states.map { ($0.key, $0.value) }
    }

    /// The rules that may match the message. `view` is created only if the rows of an address table are not
    /// enough.
    func candidates(for facts: MessageFacts, _ surface: Surface, _ view: () -> FactsView) -> RuleBits {
        var bits = always
        for (field, signs) in addresses {
            switch field {
            case .from: signs.insert(into: &bits, facts.from, surface)
            case .to: signs.insert(into: &bits, facts.to, surface)
            case .cc: signs.insert(into: &bits, facts.cc, surface)
            case .bcc: signs.insert(into: &bits, facts.bcc, surface)
            case .replyTo: signs.insert(into: &bits, facts.replyTo, surface)
            case .sender: signs.insert(into: &bits, facts.sender, surface)
            case .recipient:
                signs.insert(into: &bits, facts.to, surface)
                signs.insert(into: &bits, facts.cc, surface)
                signs.insert(into: &bits, facts.bcc, surface)
            case .deliveredTo, .returnPath: break
            }
        }
        for (state, rules) in states where state.holds(view()) != .no { bits.insert(rules) }
        for (field, signs) in texts { signs.insert(into: &bits, view(), field) }
        return bits
    }
}

/// Matchers for one address field, with the rules that have each as a sign.
final class AddressSigns {
    private var domains: [FoldedText: [Int]] = [:]
    private var exact: [FoldedText: [Int]] = [:]
    private var others: [(matcher: AddressMatcher, rule: Int)] = []
    private var knownDomains: [String: [Int]] = [:]
    private var known: [EmailAddress: [Int]] = [:]

    private static let mostAddresses = 20_000

    init(_ signs: [(matcher: AddressMatcher, rule: Int)]) {
        for (matcher, rule) in signs { add(matcher, rule) }
    }

    private func add(_ matcher: AddressMatcher, _ rule: Int) {
        switch matcher {
        case .domain(let domain): domains[domain, default: []].append(rule)
        case .exact(let text): exact[text, default: []].append(rule)
        case .anyOf(let spellings): for spelling in spellings { add(spelling, rule) }
        case .glob, .me, .known, .list, .phrase, .contains, .regex, .present:
            others.append((matcher, rule))
        }
    }

    /// The rules that a message with these addresses in the field may match.
    func insert(into bits: inout RuleBits, _ list: [EmailAddress], _ surface: Surface) {
        for address in list {
            if !domains.isEmpty { bits.insert(rules(ofDomain: address.domain)) }
            if !exact.isEmpty || !others.isEmpty { bits.insert(rules(showing: address, surface)) }
        }
    }

    private func rules(ofDomain domain: String) -> [Int] {
        if let rules = knownDomains[domain] { return rules }
        if knownDomains.count >= Self.mostAddresses { knownDomains = [:] }
        let folded = FoldedText(domain)
        var rules = domains[folded] ?? []
        var rest = folded.bytes[...]
        while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[(dot + 1)...]
            rules += domains[FoldedText(folded: Array(rest))] ?? []
        }
        knownDomains[domain] = rules
        return rules
    }

    private func rules(showing address: EmailAddress, _ surface: Surface) -> [Int] {
        if let rules = known[address] { return rules }
        if known.count >= Self.mostAddresses { known = [:] }
        let folded = surface.folded(address)
        var rules = (exact[folded.addrSpec] ?? []) + (exact[folded.name] ?? [])
        var captures: [String: String] = [:]
        for (matcher, rule) in others where surface.matches(folded, matcher, captures: &captures) {
            rules.append(rule)
        }
        known[address] = rules
        return rules
    }
}

/// Matchers for one text field, with the rules that have each as a sign.
final class TextSigns {
    private var literals: [FoldedText] = []
    private var literalRules: [[Int]] = []
    private var patterns: [Pattern] = []
    private var patternRules: [Int] = []
    private var literalSet: PatternSet?
    private var patternSet: PatternSet?
    private let all: [Int]

    /// Whether a pattern set can search for the matcher.
    static func takes(_ matcher: TextMatcher) -> Bool {
        switch matcher {
        case .phrase(let text), .contains(let text), .exact(let text): !text.isEmpty
        case .glob(let pattern): pattern.literal.map { !$0.isEmpty } ?? false
        case .regex(let pattern): PatternSet.takes(pattern)
        case .present: false
        }
    }

    init(_ signs: [(matcher: TextMatcher, rule: Int)]) {
        all = signs.map(\.rule)
        var places: [FoldedText: Int] = [:]
        for (matcher, rule) in signs {
            switch matcher {
            case .phrase(let text), .contains(let text), .exact(let text):
                addLiteral(text, rule, &places)
            case .glob(let pattern): if let text = pattern.literal { addLiteral(text, rule, &places) }
            case .regex(let pattern):
                patterns.append(pattern)
                patternRules.append(rule)
            case .present: break
            }
        }
        literalSet = PatternSet(literals: literals)
        patternSet = PatternSet(patterns: patterns)
    }

    private func addLiteral(_ text: FoldedText, _ rule: Int, _ places: inout [FoldedText: Int]) {
        if let place = places[text] {
            literalRules[place].append(rule)
        } else {
            places[text] = literals.count
            literals.append(text)
            literalRules.append([rule])
        }
    }

    /// The rules with a sign in the field; all rules if the field is not available.
    func insert(into bits: inout RuleBits, _ view: FactsView, _ field: TextField) {
        guard view.carries(field.needs), let texts = view.folded(field), let raw = view.raw(field) else {
            return bits.insert(all)
        }
        if !literals.isEmpty {
            for text in texts {
                let isKnown = text.words.withUnsafeBufferPointer { bytes in
                    literalSet?.match(bytes) { bits.insert(literalRules[$0]) } ?? false
                }
                if !isKnown { for rules in literalRules { bits.insert(rules) } }
            }
        }
        guard !patterns.isEmpty else { return }
        for text in raw {
            var text = text
            let isKnown = text.withUTF8 { bytes in
                patternSet?.match(bytes) { bits.insert(patternRules[$0]) } ?? false
            }
            if !isKnown { bits.insert(patternRules) }
        }
    }
}

extension TextField {
    /// The facts that are needed to look up the field.
    fileprivate var needs: FactNeeds {
        switch self {
        case .subject, .attachmentName, .attachmentType, .attachmentText: []
        case .header: .headers
        case .body, .anyText: .text
        }
    }
}

/// A set of rules, by index.
struct RuleBits {
    private var words: [UInt64]

    init(_ count: Int) { words = Array(repeating: 0, count: (count + 63) / 64) }

    mutating func insert(_ rule: Int) { words[rule >> 6] |= 1 << UInt64(rule & 63) }

    mutating func insert(_ rules: [Int]) { for rule in rules { insert(rule) } }

    mutating func formIntersection(_ other: RuleBits) {
        for index in words.indices { words[index] &= other.words[index] }
    }

    mutating func remove(_ rule: Int) { words[rule >> 6] &= ~(1 << UInt64(rule & 63)) }

    var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    /// The first rule from an index on; nil: there is none.
    func first(from place: Int) -> Int? {
        var index = place >> 6
        guard index < words.count else { return nil }
        var word = words[index] & (UInt64.max << UInt64(place & 63))
        while word == 0 {
            index += 1
            guard index < words.count else { return nil }
            word = words[index]
        }
        return index << 6 + word.trailingZeroBitCount
    }
}
