import Models

/// Converts conditions to Sieve tests for a message on arrival.
///
/// On arrival a message is unread, has no marks, and is in the inbox: conditions on these are evaluated here.
/// Conditions that need the store, the clock or other mail are ``SieveBounds/unknown(_:_:)``.
struct SieveConditions {
    let tables: RuleTables
    /// The user's own addresses, in their comparable form.
    let me: [String]
    /// The pattern for the beginning of a word.
    var edge = SievePattern.WordEdge.certain

    private var possible: SieveConditions {
        var conditions = self
        conditions.edge = .possible
        return conditions
    }

    func bounds(_ condition: Condition) -> SieveBounds {
        switch condition {
        case .always: .exactly(.yes)
        case .all(let branches): .every(branches.children.map { bounds($0) })
        case .any(let branches): .some(branches.children.map { bounds($0) })
        case .not(let inner): bounds(inner).inverted
        case .test(let test): bounds(test)
        }
    }

    private func bounds(_ test: ConditionTest) -> SieveBounds {
        switch test.kind {
        case .address(_, .known): .unknown(test.text, "only opus knows whom you wrote to")
        case .address(let field, let matcher):
            between(address(field, matcher), possible.address(field, matcher))
                ?? .unknown(test.text, "Sieve cannot compare addresses this way")
        case .text(let field, let matcher):
            between(text(field, matcher), possible.text(field, matcher))
                ?? .unknown(test.text, "Sieve cannot search text this way")
        case .amount(let amount, let sign, let value):
            amount.sieve.map { .exactly($0(sign, value)) } ?? .unknown(test.text, Self.later)
        case .state(let state): self.state(state, test.text)
        case .keyword: .exactly(.no)
        case .mailbox(let matcher): .exactly(matches("inbox", matcher) ? .yes : .no)
        case .defined(let name): tables.defines[name].map { bounds($0) } ?? .unknown(test.text, Self.later)
        case .matched(let name): tables.rules[name].map { bounds($0) } ?? .unknown(test.text, Self.later)
        case .age, .time, .weekday: .unknown(test.text, "the server judges a message only once, on arrival")
        // Includes new conditions of the language: nothing is guessed.
        case _: .unknown(test.text, Self.later)
        }
    }

    private func between(_ lower: SieveCondition?, _ upper: SieveCondition?) -> SieveBounds? {
        lower.flatMap { lower in upper.map { SieveBounds(lower: lower, upper: $0) } }
    }

    private func state(_ state: State, _ piece: String) -> SieveBounds {
        guard let least = state.sieve else { return .unknown(piece, Self.later) }
        guard let most = state.sieveAtMost else { return .exactly(least) }
        return SieveBounds(lower: least, upper: .some([least, most]), missing: [(piece, Self.partly)])
    }

    private static let partly = "the server finds only some of these messages"
    private static let later = "only opus knows it, when it triages the message"

    private func matches(_ name: String, _ matcher: NameMatcher) -> Bool {
        switch matcher {
        case .name(let wanted): name == wanted
        case .glob(let pattern): pattern.matches(FoldedText(name))
        }
    }

    // MARK: Addresses

    /// The wildcards of an own address with any tag, as in ``OwnAddressSet``; nil: its local part has a plus sign.
    private static func tagged(_ address: String) -> String? {
        guard let at = address.lastIndex(of: "@"), !address[..<at].contains("+") else { return nil }
        let local = address[..<at].map { "*?\\".contains($0) ? "\\\($0)" : String($0) }.joined()
        return local + "+*" + address[at...]
    }

    private func address(_ field: AddressField, _ matcher: AddressMatcher) -> SieveCondition? {
        if case .anyOf(let spellings) = matcher {
            // Mail has international domains in A-labels, which the server compares as opus does.
            let exported = spellings.filter(\.isASCIIOrCaseless).map { address(field, $0) }
            return exported.isEmpty || exported.contains { $0 == nil }
                ? nil : .some(exported.compactMap(\.self))
        }
        guard let names = Self.fields(field), matcher.isASCIIOrCaseless else { return nil }
        let header = SieveCondition.list(names)
        func whole(_ addresses: [String]) -> SieveCondition {
            addresses.isEmpty ? .no : .plain("address :is \(header) \(SieveCondition.list(addresses))")
        }
        func below(_ domains: [String]) -> SieveCondition {
            domains.isEmpty
                ? .no
                : .plain(
                    "address :domain :matches \(header) \(SieveCondition.list(domains.flatMap { [$0, "*." + $0] }))"
                )
        }
        switch matcher {
        case .exact(let text): return text.string.contains("@") ? whole([text.string]) : nil
        case .domain(let domain): return below([domain.string])
        case .glob(let pattern):
            guard let wildcards = SievePattern.wildcards(pattern.source), wildcards.contains("@") else {
                return nil
            }
            return .plain("address :matches \(header) \(SieveCondition.quoted(wildcards))")
        case .me:
            let tagged = me.compactMap(Self.tagged)
            return .some([
                whole(me),
                tagged.isEmpty
                    ? .no : .plain("address :matches \(header) \(SieveCondition.list(tagged))"),
            ])
        case .list(let name):
            guard let list = tables.lists[name] else { return nil }
            let globs = list.globs.compactMap { SievePattern.wildcards($0.source) }.filter {
                $0.contains("@")
            }
            guard globs.count == list.globs.count else { return nil }
            return .some([
                whole(list.addresses.map(\.string).sorted()), below(list.domains.sorted()),
                globs.isEmpty
                    ? .no : .plain("address :matches \(header) \(SieveCondition.list(globs.sorted()))"),
            ])
        case .phrase(let phrase):
            let pattern = SievePattern.phrase(phrase, edge)
            return phrase.hasAt
                ? .plain("address :regex \(header) \(SieveCondition.quoted(pattern))", requires: "regex")
                : regex(header, pattern, ignoresCase: true)
        case .contains(let text):
            let test = text.hasAt ? "address" : "header"
            return .plain("\(test) :contains \(header) \(SieveCondition.quoted(text.string))")
        case .present: return .some(names.map { .plain("exists \(SieveCondition.quoted($0))") })
        case .regex(let pattern):
            // A pattern without @ may refer to names, which the server does not compare separately.
            guard pattern.hasAt, let translated = SievePattern.translate(pattern.source) else {
                return nil
            }
            return .plain(
                "address \(Self.regex(translated.ignoresCase)) \(header) \(SieveCondition.quoted(translated.text))",
                requires: "regex")
        case .known, .anyOf: return nil
        }
    }

    private static func fields(_ field: AddressField) -> [String]? {
        switch field {
        case .from: ["from"]
        case .to: ["to"]
        case .cc: ["cc"]
        case .replyTo: ["reply-to"]
        case .sender: ["sender"]
        case .recipient: ["to", "cc"]
        // Mail has no Bcc on arrival.
        case _: nil
        }
    }

    // MARK: Text

    private func text(_ field: TextField, _ matcher: TextMatcher) -> SieveCondition? {
        guard matcher.isASCIIOrCaseless else { return nil }
        return switch field {
        case .subject: header("subject", matcher)
        case .header(let name): header(name, matcher)
        case .body: body(matcher)
        case .anyText:
            switch matcher {
            case .phrase, .contains:
                body(matcher).flatMap { body in
                    header("subject", matcher).flatMap { subject in
                        text(inAddresses: matcher).map { .some([subject, $0, body]) }
                    }
                }
            case _: nil
            }
        case .attachmentText: nil
        case .attachmentName:
            attachment("header :mime :anychild :param \"filename\"", "Content-Disposition", matcher).flatMap {
                named in
                attachment("header :mime :anychild :param \"name\"", "Content-Type", matcher).map {
                    .some([named, $0])
                }
            }
        case .attachmentType: attachment("header :mime :anychild :contenttype", "Content-Type", matcher)
        }
    }

    private func text(inAddresses matcher: TextMatcher) -> SieveCondition? {
        let fields = SieveCondition.list(["from", "to", "cc"])
        return switch matcher {
        case .phrase(let phrase): regex(fields, SievePattern.phrase(phrase, edge), ignoresCase: true)
        case .contains(let text): .plain("header :contains \(fields) \(SieveCondition.quoted(text.string))")
        case .exact, .glob, .regex, .present: nil
        }
    }

    private func header(_ name: String, _ matcher: TextMatcher) -> SieveCondition? {
        let place = HeaderPlace(name)
        let field = SieveCondition.quoted(place.name)
        let needed = place.index == nil ? [] : ["index"]
        func test(_ comparison: String, _ value: String, _ other: [String] = []) -> SieveCondition {
            .plain(
                "header \(place.sieve)\(comparison) \(field) \(SieveCondition.quoted(value))",
                Set(needed + other))
        }
        func regex(_ pattern: String, _ ignoresCase: Bool) -> SieveCondition {
            test(Self.regex(ignoresCase), pattern, ["regex"])
        }
        switch matcher {
        case .phrase(let phrase): return regex(SievePattern.phrase(phrase, edge), true)
        case .contains(let text): return test(":contains", text.string)
        case .exact(let text): return test(":is", text.string)
        case .glob(let pattern):
            return SievePattern.wildcards(pattern.source).map { test(":matches", $0) }
        case .regex(let pattern):
            return SievePattern.translate(pattern.source).map { regex($0.text, $0.ignoresCase) }
        // An empty subject counts as none.
        case .present where place.name.lowercased() == "subject": return test(":matches", "?*")
        // `exists` does not support an index, and every field contains the empty text.
        case .present: return place.index == nil ? .plain("exists \(field)") : test(":contains", "")
        }
    }

    private func body(_ matcher: TextMatcher) -> SieveCondition? {
        switch matcher {
        case .phrase(let phrase): bodyRegex(SievePattern.phrase(phrase, edge), ignoresCase: true)
        case .contains(let text):
            .plain("body :text :contains \(SieveCondition.quoted(text.string))", requires: "body")
        case .regex(let pattern):
            // `^` and `$` match at different positions in a body and in a header.
            pattern.source.contains { "^$".contains($0) }
                ? nil
                : SievePattern.translate(pattern.source).map {
                    bodyRegex($0.text, ignoresCase: $0.ignoresCase)
                }
        case .exact, .glob, .present: nil
        }
    }

    private func attachment(_ test: String, _ field: String, _ matcher: TextMatcher) -> SieveCondition? {
        switch matcher {
        case .exact(let text):
            .plain(
                "\(test) :is \(SieveCondition.quoted(field)) \(SieveCondition.quoted(text.string))",
                requires: "mime")
        case .contains(let text):
            .plain(
                "\(test) :contains \(SieveCondition.quoted(field)) \(SieveCondition.quoted(text.string))",
                requires: "mime")
        case .glob(let pattern):
            SievePattern.wildcards(pattern.source).map {
                .plain(
                    "\(test) :matches \(SieveCondition.quoted(field)) \(SieveCondition.quoted($0))",
                    requires: "mime")
            }
        case .phrase, .regex, .present: nil
        }
    }

    private func regex(_ fields: String, _ pattern: String, ignoresCase: Bool) -> SieveCondition {
        .plain(
            "header \(Self.regex(ignoresCase)) \(fields) \(SieveCondition.quoted(pattern))", requires: "regex"
        )
    }

    private func bodyRegex(_ pattern: String, ignoresCase: Bool) -> SieveCondition {
        .plain(
            "body :text \(Self.regex(ignoresCase)) \(SieveCondition.quoted(pattern))", requires: "body",
            "regex")
    }

    private static func regex(_ ignoresCase: Bool) -> String {
        ignoresCase ? ":regex" : ":comparator \"i;octet\" :regex"
    }
}

/// Sieve's `i;ascii-casemap` only folds ASCII letters (RFC 4790 §9.2), so opus evaluates texts with other
/// letters.
extension TextMatcher {
    fileprivate var isASCIIOrCaseless: Bool {
        switch self {
        case .phrase(let text), .contains(let text), .exact(let text): text.string.isASCIIOrCaseless
        case .glob(let pattern), .regex(let pattern):
            !pattern.hadAccents && pattern.source.isASCIIOrCaseless
        case .present: true
        }
    }
}

extension AddressMatcher {
    fileprivate var isASCIIOrCaseless: Bool {
        switch self {
        case .exact(let text), .phrase(let text), .contains(let text): text.string.isASCIIOrCaseless
        case .domain(let domain): domain.string.isASCIIOrCaseless
        case .glob(let pattern), .regex(let pattern):
            !pattern.hadAccents && pattern.source.isASCIIOrCaseless
        case .anyOf(let spellings): spellings.allSatisfy(\.isASCIIOrCaseless)
        case .me, .known, .list, .present: true
        }
    }
}

extension String {
    fileprivate var isASCIIOrCaseless: Bool {
        unicodeScalars.allSatisfy {
            $0.isASCII || !($0.properties.changesWhenLowercased || $0.properties.changesWhenUppercased)
        }
    }
}
