/// Translates parts of addresses to patterns and wildcards. RFC 5228 §2.7.4, RFC 5233.
///
/// The user is the text before the first `+` of the local part, and the detail the text after it. Wildcards of one
/// never match across the `+`.
struct SieveAddresses {
    let call: SieveCall
    /// Whether the pattern is for the text of a field, not for a single address.
    let isInField: Bool

    /// The fields whose addresses opus conditions read.
    static let read: Set<String> = ["from", "to", "cc", "bcc", "reply-to", "sender"]

    /// Address fields that a rule compares as text, with `header:NAME`.
    static let written: [String: String] = Dictionary(
        uniqueKeysWithValues: [
            "Resent-From", "Resent-To", "Resent-Cc", "Resent-Bcc", "Resent-Sender", "Resent-Reply-To",
            "Delivered-To", "X-Original-To", "Envelope-To", "Return-Path", "Errors-To", "Apparently-To",
        ].map { ($0.lowercased(), $0) })

    /// Fields that programs write, with one address and without names.
    static let ofEnvelope: Set<String> = ["delivered-to", "x-original-to", "envelope-to", "return-path"]

    /// The condition that an address of the field has this value; nil: no pattern can express it.
    static func condition(_ field: String, _ value: String, _ call: SieveCall) -> DraftCondition? {
        guard isText(field, call) else { return inList(field, value, call) }
        let name = (written[field] ?? field) + (call.place.map { "#\($0)" } ?? "")
        guard let address = SieveAddresses(call: call, isInField: true).pattern(value) else { return nil }
        guard let address else { return .never }
        // Programs write one address, with or without brackets. In fields with names, quoted text is not an address; an
        // address is in brackets, or alone between commas.
        let pattern =
            ofEnvelope.contains(field)
            ? flags(call) + #"^\s*<?\s*"# + address + #"\s*>?\s*$"#
            : flags(call) + #"^(?:[^"]|"(?:[^"\\]|\\(?:.|\n))*")*?(?:<\s*"# + address + #"\s*>|(?:^|[,:])\s*"#
                + address
                + #"\s*(?:\([^)]*\)\s*)?(?:[,;]|$))"#
        return .pattern("header:" + name, pattern, sample: sample(value, call))
    }

    /// Whether the condition searches the text of the field. A mail has one From, so others (the second one, or the
    /// second from the end) exist only as text.
    static func isText(_ field: String, _ call: SieveCall) -> Bool {
        written[field] != nil || call.place.map { abs($0) > 1 } ?? false
    }

    private static func flags(_ call: SieveCall) -> String { call.comparator == .exact ? "" : "(?i)" }

    /// Whether the test distinguishes upper and lower case in domains, which opus reads in lower case.
    static func asksCaseOfDomain(_ fields: [String], _ call: SieveCall) -> Bool {
        call.comparator == .exact && (call.part == .domain || call.part == .all)
            && fields.contains { written[$0] == nil }
    }

    /// For a field whose addresses opus reads: each is compared separately.
    private static func inList(_ field: String, _ value: String, _ call: SieveCall) -> DraftCondition? {
        var call = call
        if asksCaseOfDomain([field], call) { call.comparator = .caseless }
        guard call.part != .all else {
            // Only a name can be empty, and a sender without one has an address.
            if value.allSatisfy(\.isWhitespace), call.match != .contains { return nil }
            guard call.match == .is, call.comparator == .caseless, isAddress(value) else {
                return call.text(field, value)
            }
            return .plain(field, value)
        }
        if let wildcard = wildcard(field, value, call) { return wildcard }
        guard let address = SieveAddresses(call: call, isInField: false).pattern(value) else { return nil }
        guard let address else { return .never }
        return .pattern(field, flags(call) + "^" + address + "$", sample: sample(value, call))
    }

    /// An equivalent wildcard such as `*@x.org`.
    private static func wildcard(_ key: String, _ value: String, _ call: SieveCall) -> DraftCondition? {
        let isLiteral = !value.contains { "*?\\@".contains($0) || $0 == "+" && call.part == .user }
        guard call.comparator == .caseless, !value.isEmpty,
            call.match == .is || call.match == .contains || call.match == .matches,
            isLiteral || call.match == .matches && call.part != .user && !value.contains("@")
        else { return nil }
        let inner = call.match == .contains ? "*\(value)*" : value
        switch call.part {
        case .domain: return .wildcard(key, "*@" + inner)
        case .localPart: return .wildcard(key, inner + "@*")
        case .user where call.match != .contains:
            return .any([.wildcard(key, inner + "@*"), .wildcard(key, inner + "+*@*")])
        case .user, .detail, .all: return nil
        }
    }

    // MARK: Patterns

    private var letter: String { isInField ? #"[^\s<>,;:"()@]"# : "[^@]" }
    private var userLetter: String { isInField ? #"[^\s<>,;:"()@+]"# : "[^@+]" }

    /// The pattern of one address; nil inside when none has this value, nil outside when no pattern compares so.
    private func pattern(_ value: String) -> String?? {
        let any = call.part == .user ? userLetter : call.part == .all ? "(?:\(letter)|@)" : letter
        guard let inner = inner(value, any) else { return nil }
        switch call.part {
        case .user: return value.contains("+") ? .some(nil) : "\(inner)(?:\\+\(letter)*)?@\(letter)+"
        case .detail: return "\(userLetter)*\\+\(inner)@\(letter)+"
        case .localPart: return "\(inner)@\(letter)+"
        case .domain: return "\(letter)+@\(inner)"
        case .all: return .some(inner)
        }
    }

    /// The part that is compared. An empty text is only something for a detail.
    private func inner(_ value: String, _ any: String) -> String? {
        guard call.comparator != .numeric, !value.isEmpty || call.part == .detail else { return nil }
        switch call.match {
        case .is: return DraftCondition.quoted(value)
        case .contains: return "\(any)*\(DraftCondition.quoted(value))\(any)*"
        case .matches: return DraftCondition.wildcardPattern(value, any: any)
        case .regex, .value, .count: return nil
        }
    }

    /// An address that the pattern matches.
    private static func sample(_ value: String, _ call: SieveCall) -> String {
        let value = call.match == .matches ? DraftCondition.wildcardSample(value) : value
        switch call.part {
        case .all: return value.contains("@") || call.match == .is ? value : value + "@example.net"
        case .localPart, .user: return value + "@example.net"
        case .domain: return "someone@" + value
        case .detail: return "someone+\(value)@example.net"
        }
    }

    private static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.utf8.allSatisfy { byte in
                        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
                            || ".-_+".utf8.contains(byte)
                    } && part.first != "." && part.last != "."
            }
    }
}
