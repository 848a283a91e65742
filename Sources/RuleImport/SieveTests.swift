/// Translates Sieve tests to conditions.
///
/// A test without an equivalent becomes ``DraftCondition/unknown`` and is reported. The translator decides what happens
/// to its rule.
struct SieveTests {
    /// Variables that `set` defines outside all blocks, which are constants.
    var constants: [String: String] = [:]
    /// Mailboxes whose existence need not be tested: without them, the branch keeps the message, as in Sieve.
    var assumed: Set<String> = []
    private(set) var findings: [Finding] = []
    /// The comparisons left for this script; each field with each value is one.
    private var comparisonsLeft = 20_000

    struct Finding {
        var kind: ImportNote.Kind
        var range: Range<Int>
        var reason: String
    }

    /// `capturing`: wildcards become the groups `m1`, `m2`, for templates.
    mutating func condition(_ test: SieveTest, capturing: Bool = false) -> DraftCondition {
        switch test.name {
        case "true": return .always
        case "false": return .never
        case "not":
            guard let inner = test.tests.first else { return unknown(test, "'not' needs a test") }
            return .not(testingMailboxes { $0.condition(inner) })
        case "allof": return every(test.tests)
        case "anyof": return .any(testingMailboxes { tests in test.tests.map { tests.condition($0) } })
        case "duplicate": return duplicate(test)
        case _: break
        }
        var fault: String?
        let call = SieveCall(test.arguments, constants: constants, fault: &fault)
        if let fault { return unknown(test, fault) }
        let comparisons = call.strings.reduce(1) {
            $0.multipliedReportingOverflow(by: max(1, $1.count)).partialValue
        }
        guard comparisons <= 2_000, spend(comparisons) else {
            return unknown(test, "more than 2,000 comparisons in one test, or 20,000 in one script")
        }
        if test.name == "date" || test.name == "currentdate" { return date(test, call) }
        guard call.place == nil || call.match != .count else {
            return unknown(test, "no condition counts the fields at a place")
        }
        let before = findings.count
        guard let condition = leaf(test, call, capturing) else {
            return unknown(test, "opus has no condition for '\(test.name)'")
        }
        guard condition.hasUnknown else { return condition }
        return findings[before...].contains { $0.kind == .dropped }
            ? .unknown : unknown(test, "a condition cannot have this value")
    }

    /// Whether this many comparisons are still allowed; uses them up.
    mutating func spend(_ comparisons: Int) -> Bool {
        guard comparisons <= comparisonsLeft else { return false }
        comparisonsLeft -= comparisons
        return true
    }

    mutating func unknown(_ test: SieveTest, _ reason: String) -> DraftCondition {
        findings.append(Finding(kind: .dropped, range: test.range, reason: reason))
        return .unknown
    }

    mutating func changed(_ test: SieveTest, _ reason: String) {
        findings.append(Finding(kind: .changed, range: test.range, reason: reason))
    }

    private mutating func leaf(_ test: SieveTest, _ call: SieveCall, _ capturing: Bool) -> DraftCondition? {
        switch test.name {
        case "header": return header(test, call, capturing)
        case "address": return address(test, call)
        case "envelope": return envelope(test, call)
        case "exists":
            return call.strings.count == 1 ? .all(call.strings[0].map { Self.present($0) }) : nil
        case "size": return size(call)
        case "body": return body(test, call)
        case "string": return string(call)
        case "mailboxexists":
            guard let names = call.strings.first, assumed.isSuperset(of: names) else {
                return unknown(test, "opus has no condition for the existence of a mailbox")
            }
            changed(test, "not tested: if the mailbox is missing, the mail is kept, with a warning")
            return .always
        case _: return nil
        }
    }

    /// Where a missing mailbox changes the result of the test.
    private mutating func testingMailboxes<Result>(_ body: (inout SieveTests) -> Result) -> Result {
        let before = assumed
        assumed = []
        defer { assumed = before }
        return body(&self)
    }

    // MARK: Fields of the header

    private static func present(_ field: String) -> DraftCondition {
        isField(field) ? .present("header:" + field) : .unknown
    }

    private static func isField(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 100
            && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A && $0 != 0x27 }
    }

    private mutating func header(_ test: SieveTest, _ call: SieveCall, _ capturing: Bool) -> DraftCondition? {
        guard call.strings.count == 2 else { return nil }
        let (fields, keys) = (call.strings[0], call.strings[1])
        if case .count = call.match { return count(call, .any(fields.map { Self.present($0) })) }
        if case .value = call.match, call.comparator == .numeric {
            changed(test, "a value that is not a number never matches")
        }
        if fields.contains(where: { field in
            keys.contains { $0.contains("@") && SieveAddresses.read.contains(Self.key(field, call, $0)) }
        }) {
            changed(test, "compares the addresses, and not the names beside them, which a sender chooses")
        }
        let capture = capturing && fields.count == 1 && keys.count == 1
        return .any(
            fields.flatMap { field in
                keys.map { key in
                    guard Self.isField(field) else { return .unknown }
                    return call.text(Self.key(field, call, key), key, capturing: capture) ?? .unknown
                }
            })
    }

    /// Fields with a condition of their own. A field of addresses is compared as it is written, unless the test is
    /// about a part of an address or of a name.
    private static func key(_ field: String, _ call: SieveCall, _ key: String) -> String {
        let name = field.lowercased()
        if let place = call.place { return "header:\(field)#\(place)" }
        if name == "subject" || name == "list-id" { return name }
        let isPart =
            call.match == .contains && call.comparator == .caseless && !key.isEmpty
            && !key.contains(where: { "<>\",".contains($0) })
        return isPart && SieveAddresses.read.contains(name) ? name : "header:" + field
    }

    /// A condition can only test whether there is one.
    private func count(_ call: SieveCall, _ present: DraftCondition) -> DraftCondition? {
        guard let relation = call.relation, call.strings.count == 2, call.strings[1].count == 1 else {
            return nil
        }
        switch (relation, call.strings[1][0]) {
        case ("ge", "1"), ("gt", "0"), ("ne", "0"): return present
        case ("lt", "1"), ("le", "0"), ("eq", "0"): return .not(present)
        case _: return nil
        }
    }

    // MARK: Addresses

    private mutating func address(_ test: SieveTest, _ call: SieveCall) -> DraftCondition? {
        guard call.strings.count == 2 else { return nil }
        let fields = call.strings[0].map { $0.lowercased() }
        if let other = fields.first(where: {
            !SieveAddresses.read.contains($0) && SieveAddresses.written[$0] == nil
        }) {
            return unknown(test, "'\(SourceText.oneLine(other))' is not one of the fields with addresses")
        }
        if case .count = call.match {
            // One field can have several addresses, or not a single one.
            return fields.allSatisfy(SieveAddresses.read.contains)
                ? count(call, .any(fields.map { Self.present($0) })) : nil
        }
        let conditions = fields.flatMap { field in
            call.strings[1].map { SieveAddresses.condition(field, $0, call) }
        }
        guard !conditions.contains(nil) else {
            let what = call.part == .all ? "an address" : "this part of an address"
            return unknown(test, "no condition compares \(what) in this way")
        }
        if call.part == .all, [.contains, .matches, .is].contains(call.match),
            fields.contains(where: SieveAddresses.read.contains),
            call.strings[1].contains(where: { !$0.contains("@") && $0.contains { $0 != "*" } })
        {
            changed(test, "also tests the names beside the addresses")
        }
        if SieveAddresses.asksCaseOfDomain(fields.filter { !SieveAddresses.isText($0, call) }, call) {
            changed(test, "addresses and domains are compared without regard to case")
        }
        if fields.contains(where: {
            SieveAddresses.isText($0, call) && !SieveAddresses.ofEnvelope.contains($0)
        }) {
            changed(
                test,
                "finds the addresses in the text of the field; one with quotes or blanks is not found")
        }
        return .any(conditions.compactMap { $0 })
    }

    /// Mail in a mailbox has no envelope: only Return-Path and Delivered-To are left of it.
    private mutating func envelope(_ test: SieveTest, _ call: SieveCall) -> DraftCondition? {
        guard call.strings.count == 2 else { return nil }
        var parts: [DraftCondition] = []
        for field in call.strings[0].map({ $0.lowercased() }) {
            for key in call.strings[1] {
                switch field {
                case "from" where call.part == .all && call.match == .is && key.isEmpty:
                    parts.append(.equals("header:Return-Path", "<>"))
                case "from":
                    parts.append(SieveAddresses.condition("return-path", key, call) ?? .unknown)
                case "to":
                    parts.append(SieveAddresses.condition("recipient", key, call) ?? .unknown)
                    parts.append(SieveAddresses.condition("delivered-to", key, call) ?? .unknown)
                case let part:
                    return unknown(test, "no condition tests '\(SourceText.oneLine(part))' of the envelope")
                }
            }
        }
        changed(
            test, "opus does not have the envelope: tests Return-Path, or the recipients and Delivered-To")
        return .any(parts)
    }

    // MARK: The rest

    private func size(_ call: SieveCall) -> DraftCondition? {
        guard let number = call.numbers.first, call.numbers.count == 1 else { return nil }
        let shown: String
        switch number {
        case _ where number > 0 && number % (1 << 20) == 0: shown = "\(number >> 20)M"
        case _ where number > 0 && number % 1_024 == 0: shown = "\(number >> 10)K"
        case _: shown = "\(number)"
        }
        switch call.size {
        case "over": return .plain("size", ">" + shown)
        case "under": return .plain("size", "<" + shown)
        case _: return nil
        }
    }

    private mutating func body(_ test: SieveTest, _ call: SieveCall) -> DraftCondition? {
        guard let keys = call.strings.last, call.strings.count == (call.body == "content" ? 2 : 1) else {
            return nil
        }
        if case .count = call.match { return nil }
        let isOther = call.body == "raw" || call.body == "content"
        changed(
            test,
            "tests the readable text of the message" + (isOther ? " and nothing else" : "")
                + ": HTML is read as text, and attached messages and files are not searched")
        return .any(keys.map { call.text("body", $0) ?? .unknown })
    }

    /// A test of constant variables is decided now.
    private func string(_ call: SieveCall) -> DraftCondition? {
        guard call.strings.count == 2, call.comparator != .numeric else { return nil }
        let isExact = call.comparator == .exact
        let holds = call.strings[0].contains { text in
            call.strings[1].contains { key in
                let (text, key) = isExact ? (text, key) : (text.lowercased(), key.lowercased())
                return call.match == .is ? text == key : key.isEmpty || text.contains(key)
            }
        }
        guard call.match == .is || call.match == .contains else { return nil }
        return holds ? .always : .never
    }
}
