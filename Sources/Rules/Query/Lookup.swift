public import Models

/// The part of a query that a store can look up: words, and facts that have a column. A lookup finds every message that
/// matches the query, and possibly others.
extension Query {
    public indirect enum Lookup: Hashable, Sendable {
        case everything
        case all([Lookup])
        case any([Lookup])
        case words(WordField, WordMatch, String)
        case fact(Fact)

        /// The lookup without branches that match all messages.
        fileprivate static func joined(all children: [Lookup]) -> Lookup {
            let parts = children.filter { $0 != .everything }
            return parts.count > 1 ? .all(parts) : parts.first ?? .everything
        }

        fileprivate static func joined(any children: [Lookup]) -> Lookup {
            guard !children.contains(.everything), let first = children.first else { return .everything }
            return children.count > 1 ? .any(children) : first
        }

        /// The words that every match contains.
        public var requiredWords: [(field: WordField, match: WordMatch, text: String)] {
            switch self {
            case .everything, .any, .fact: []
            case .all(let children): children.flatMap(\.requiredWords)
            case .words(let field, let match, let text): [(field, match, text)]
            }
        }
    }

    /// A text of a message.
    public enum WordField: Hashable, Sendable {
        case subject
        case address
        case text
        case fileName
        case fileText
        /// Subject, addresses and text, including the text of attachments.
        case any
    }

    public enum WordMatch: Hashable, Sendable {
        /// From the start of a word; the last word may be the prefix of a longer one.
        case words
        /// Anywhere, including inside words.
        case part
    }

    public enum Fact: Hashable, Sendable {
        case flag(Flag, Bool)
        case hasFiles
        case messageID(String)
        /// The prefix of the id that opus assigned.
        case id(String)
        case size(atLeast: Int?, atMost: Int?)
    }

    /// The lookup of the query, with folded texts.
    public var lookup: Lookup {
        var maker = LookupMaker(tables: tables)
        return maker.lookup(condition)
    }

    /// The words of a match in its text, its subject or its addresses, for a snippet. The words are folded.
    public var textWords: [String] {
        lookup.requiredWords.filter { $0.field == .any || $0.field == .text }.map(\.text)
    }

    /// The range of ``MessageFacts/date`` for matches; nil: no bound. A day of tolerance covers all time
    /// zones.
    public func span(in context: RuleContext) -> (since: Timestamp?, until: Timestamp?) {
        guard let zone = Zone(context.timeZone) else { return (nil, nil) }
        let clock = DateClock(
            now: context.now, zone: zone, dayFirst: context.dayFirst, workdayEnd: context.workdayEnd,
            businessDays: context.businessDays)
        return Self.span(condition, clock)
    }
}

extension Query {
    private static let leeway: Int64 = 86_400

    private static func span(_ condition: Condition, _ clock: DateClock) -> (Timestamp?, Timestamp?) {
        switch condition {
        case .always, .any, .not: return (nil, nil)
        case .all(let branches):
            let spans = branches.children.map { span($0, clock) }
            return (spans.compactMap(\.0).max(), spans.compactMap(\.1).min())
        case .test(let test):
            switch test.kind {
            case .age(let sign, let seconds):
                let time = clock.now - seconds
                // Messages that are older than an age have an earlier time.
                switch sign {
                case .less, .lessOrEqual: return (time, nil)
                case .equal: return (time, time)
                case .greater, .greaterOrEqual: return (nil, time)
                }
            case .time(.date, let sign, let phrase):
                guard let (first, last) = bounds(of: phrase, clock) else { return (nil, nil) }
                switch sign {
                case .less, .lessOrEqual: return (nil, last)
                case .equal: return (first, last)
                case .greater, .greaterOrEqual: return (first, nil)
                }
            case .time, .address, .text, .amount, .clock, .weekday, .state, .keyword, .mailbox, .taskList,
                .waited, .authentication, .identity, .thread, .defined, .matched:
                return (nil, nil)
            }
        }
    }

    private static func bounds(of phrase: String, _ clock: DateClock) -> (Timestamp, Timestamp)? {
        func midnight(_ day: CalendarDate) -> Timestamp {
            clock.zone.instant(LocalDateTime(date: day, hour: 0, minute: 0, second: 0))
        }
        if let period = DatePeriod(phrase) {
            return (midnight(period.first) - leeway, midnight(period.last) + 2 * leeway)
        }
        let first: Timestamp
        switch DatePhrase.resolve(phrase, clock: clock) {
        case .date(let day):
            first = midnight(day)
        case .instant(let time): first = time
        case .local(let reading, zone: _): first = clock.zone.instant(reading)
        case nil: return nil
        }
        return (first - leeway, first + 2 * leeway)
    }
}

/// Makes the lookup of a condition, through definitions and saved searches.
private struct LookupMaker {
    let tables: RuleTables
    /// The names that are being resolved: cycles were rejected before, and would end here.
    private var open: Set<String> = []

    init(tables: RuleTables) { self.tables = tables }

    mutating func lookup(_ condition: Condition) -> Query.Lookup {
        switch condition {
        case .always: return .everything
        case .all(let branches): return .joined(all: branches.children.map { lookup($0) })
        case .any(let branches): return .joined(any: branches.children.map { lookup($0) })
        case .not(let inner): return negated(inner)
        case .test(let test): return lookup(test)
        }
    }

    /// Only flags in a single place can be negated.
    private func negated(_ condition: Condition) -> Query.Lookup {
        guard case .test(let test) = condition, case .state(let state) = test.kind,
            case .fact(.flag(let flag, let isSet)) = Self.fact(state)
        else { return .everything }
        return .fact(.flag(flag, !isSet))
    }

    private mutating func lookup(_ test: ConditionTest) -> Query.Lookup {
        switch test.kind {
        case .text(let field, let matcher):
            guard let field = Self.field(field) else { return .everything }
            return words(field, matcher)
        case .address(let field, let matcher):
            // The index contains the addresses of the message, but not of its envelope.
            switch field {
            case .from, .to, .cc, .bcc, .replyTo, .sender, .recipient: return words(matcher)
            case .deliveredTo, .returnPath: return .everything
            }
        case .state(let state): return Self.fact(state)
        case .amount(let amount, let sign, let value):
            return amount.isMessageSize ? Self.size(sign, value) : .everything
        case .identity(let field, .name(let name)): return .fact(Self.fact(field, name))
        case .defined(let name):
            guard open.insert(name).inserted, let condition = tables.defines[name] else { return .everything }
            defer { open.remove(name) }
            return lookup(condition)
        case .identity, .age, .time, .clock, .weekday, .keyword, .mailbox, .taskList, .waited,
            .authentication, .thread, .matched:
            return .everything
        }
    }

    private static func field(_ field: TextField) -> Query.WordField? {
        switch field {
        case .subject: .subject
        case .body: .text
        case .anyText: .any
        case .attachmentName: .fileName
        case .attachmentText: .fileText
        case .attachmentType, .header: nil
        }
    }

    private func words(_ field: Query.WordField, _ matcher: TextMatcher) -> Query.Lookup {
        switch matcher {
        case .phrase(let text), .exact(let text): .words(field, .words, text.string)
        case .contains(let text): .words(field, .part, text.string)
        case .glob(let pattern): Self.parts(field, pattern)
        case .regex, .present: .everything
        }
    }

    private func words(_ matcher: AddressMatcher) -> Query.Lookup {
        switch matcher {
        case .exact(let text), .domain(let text), .phrase(let text): .words(.address, .words, text.string)
        case .contains(let text): .words(.address, .part, text.string)
        case .glob(let pattern): Self.parts(.address, pattern)
        case .anyOf(let spellings): .joined(any: spellings.map { words($0) })
        case .me, .known, .list, .regex, .present: .everything
        }
    }

    /// The longest literal piece of a glob is in every match.
    private static func parts(_ field: Query.WordField, _ pattern: Pattern) -> Query.Lookup {
        pattern.literal.map { .words(field, .part, $0.string) } ?? .everything
    }

    private static func size(_ sign: Comparison, _ value: Int) -> Query.Lookup {
        switch sign {
        case .less, .lessOrEqual: .fact(.size(atLeast: nil, atMost: value))
        case .equal: .fact(.size(atLeast: value, atMost: value))
        case .greater, .greaterOrEqual: .fact(.size(atLeast: value, atMost: nil))
        }
    }

    private static func fact(_ field: IdentityField, _ name: String) -> Query.Fact {
        switch field {
        case .messageID: .messageID(name)
        case .id: .id(name)
        }
    }

    private static func fact(_ state: State) -> Query.Lookup {
        switch state {
        case .unread: .fact(.flag(.seen, false))
        case .read: .fact(.flag(.seen, true))
        case .flagged: .fact(.flag(.flagged, true))
        case .answered: .fact(.flag(.answered, true))
        case .draft: .fact(.flag(.draft, true))
        case .hasAttachment, .hasPDF: .fact(.hasFiles)
        case _: .everything
        }
    }
}
