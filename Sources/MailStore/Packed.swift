import Models

/// Stores several values in one column. ASCII control characters separate them, so no parser is needed.
///
/// `US` (1F) separates the fields of a value, `RS` (1E) separates values, `GS` (1D) separates lists. Text
/// from outside may contain these characters, or a NUL, at which SQLite would cut the text off. Opus replaces
/// each of them by U+FFFD before it stores the text.
enum Packed {
    private static let unit: UInt8 = 0x1F
    private static let record: UInt8 = 0x1E
    static let group: UInt8 = 0x1D

    // MARK: Text

    /// The text without NUL.
    static func text(_ text: String) -> String {
        text.utf8.contains(0) ? replacing(text) { $0 == 0 } : text
    }

    private static func field(_ text: String) -> String {
        text.utf8.contains(where: isReserved) ? replacing(text, where: isReserved) : text
    }

    private static func isReserved(_ byte: UInt8) -> Bool { byte == 0 || (0x1D...0x1F).contains(byte) }

    private static func replacing(_ text: String, where isBad: (UInt8) -> Bool) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 {
            if isBad(byte) { bytes += [0xEF, 0xBF, 0xBD] } else { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func join(_ parts: [String], _ separator: UInt8) -> String {
        parts.joined(separator: String(UnicodeScalar(separator)))
    }

    private static func split(_ text: Substring, _ separator: UInt8) -> [Substring] {
        text.utf8.split(separator: separator, omittingEmptySubsequences: false).map { Substring($0) }
    }

    /// Keywords of opus, which contain no spaces.
    static func words(_ words: [String]) -> String { words.joined(separator: " ") }
    static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    // MARK: Addresses

    /// The six address fields of a message, in the order of RFC 5322 §3.6.
    struct Addresses {
        var from: [EmailAddress] = []
        var sender: [EmailAddress] = []
        var replyTo: [EmailAddress] = []
        var to: [EmailAddress] = []
        var cc: [EmailAddress] = []
        var bcc: [EmailAddress] = []
    }

    static func addresses(_ lists: Addresses) -> String {
        let all = [lists.from, lists.sender, lists.replyTo, lists.to, lists.cc, lists.bcc]
        return join(all.map { join($0.map(address), record) }, group)
    }

    static func addresses(_ packed: String) -> Addresses {
        let lists = split(packed[...], group).map { addressList($0) }
        func list(_ index: Int) -> [EmailAddress] { index < lists.count ? lists[index] : [] }
        return Addresses(
            from: list(0), sender: list(1), replyTo: list(2), to: list(3), cc: list(4), bcc: list(5))
    }

    /// The addresses of one field.
    static func addressList(_ packed: Substring) -> [EmailAddress] {
        packed.isEmpty ? [] : split(packed, record).compactMap(address)
    }

    static func addressList(_ packed: UnsafeBufferPointer<UInt8>) -> [EmailAddress] {
        packed.split(separator: record).compactMap { bytes in
            guard let first = bytes.firstIndex(of: unit),
                let second = bytes[(first + 1)...].firstIndex(of: unit),
                bytes[(second + 1)...].firstIndex(of: unit) == nil
            else { return nil }
            var address = EmailAddress(
                displayName: String(decoding: bytes[..<first], as: UTF8.self),
                localPart: String(decoding: bytes[(first + 1)..<second], as: UTF8.self), domain: "")
            // The domain was stored in lower case.
            address.domain = String(decoding: bytes[(second + 1)...], as: UTF8.self)
            return address
        }
    }

    /// The first address of From, as ``EmailAddress/comparable``, without decoding the rest.
    static func firstWriter(_ packed: String) -> String? {
        let end = packed.utf8.firstIndex { $0 == group || $0 == record } ?? packed.endIndex
        return address(packed[..<end])?.comparable
    }

    private static func address(_ address: EmailAddress) -> String {
        join([field(address.displayName), field(address.localPart), field(address.domain)], unit)
    }

    private static func address(_ packed: Substring) -> EmailAddress? {
        let fields = split(packed, unit)
        guard fields.count == 3 else { return nil }
        return EmailAddress(
            displayName: String(fields[0]), localPart: String(fields[1]), domain: String(fields[2]))
    }

    // MARK: Attachments

    static func attachments(_ attachments: [Attachment]) -> String {
        join(attachments.map(attachment), record)
    }

    static func attachments(_ packed: String) -> [Attachment] {
        packed.isEmpty ? [] : split(packed[...], record).compactMap(attachment)
    }

    private static func attachment(_ item: Attachment) -> String {
        let contentID = item.contentID.map { "<" + field($0) } ?? ""
        return join(
            [
                field(item.name), field(item.contentType), String(item.size), field(item.section), contentID,
                item.isInline ? "1" : "0",
            ], unit)
    }

    private static func attachment(_ packed: Substring) -> Attachment? {
        let fields = split(packed, unit)
        guard fields.count == 6, let size = Int(fields[2]) else { return nil }
        return Attachment(
            name: String(fields[0]), contentType: String(fields[1]), size: size, section: String(fields[3]),
            contentID: fields[4].isEmpty ? nil : String(fields[4].dropFirst()), isInline: fields[5] == "1")
    }

    // MARK: Signatures

    static func signature(_ verdict: SignatureVerdict) -> String {
        join(
            [
                verdict.outcome.rawValue, field(verdict.signer), field(verdict.issuer), field(verdict.reason),
            ], unit)
    }

    /// nil: a later version wrote this value.
    static func signature(_ packed: String) -> SignatureVerdict? {
        let fields = split(packed[...], unit)
        guard fields.count == 4, let outcome = SignatureVerdict.Outcome(rawValue: String(fields[0])) else {
            return nil
        }
        return SignatureVerdict(
            outcome, signer: String(fields[1]), issuer: String(fields[2]), reason: String(fields[3]))
    }

    // MARK: Events

    static func event(_ event: EventFacts) -> String {
        join(
            [
                event.method.rawValue, field(event.uid), String(event.sequence), event.start?.text ?? "",
                event.over?.text ?? "",
            ], unit)
    }

    /// nil: a later version wrote this value.
    static func event(_ packed: String) -> EventFacts? {
        let fields = split(packed[...], unit)
        guard fields.count == 5, let method = EventFacts.Method(rawValue: String(fields[0])),
            let sequence = Int(fields[2])
        else { return nil }
        return EventFacts(
            method: method, uid: String(fields[1]), sequence: sequence, start: TodoDate(String(fields[3])),
            over: TodoDate(String(fields[4])))
    }

    // MARK: Marks

    /// One bit per flag; the meaning of a bit never changes.
    static func flags(_ flags: Set<Flag>) -> Int64 {
        flags.reduce(0) { $0 | bit($1) }
    }

    static func flags(_ bits: Int64) -> Set<Flag> { flagSets[Int(bits & 31)] }

    /// All combinations: messages with the same flags share one set.
    private static let flagSets = (0..<32 as Range<Int64>).map { bits in
        Set(Flag.allCases.filter { bits & bit($0) != 0 })
    }

    private static func bit(_ flag: Flag) -> Int64 {
        switch flag {
        case .seen: 1
        case .answered: 2
        case .flagged: 4
        case .draft: 8
        case .deleted: 16
        }
    }

    static func keywords(_ keywords: Set<Keyword>) -> String {
        keywords.isEmpty ? "" : join(keywords.sorted().map { field($0.rawValue) }, unit)
    }

    static func keywords(_ packed: String) -> Set<Keyword> {
        packed.isEmpty ? [] : Set(split(packed[...], unit).map { Keyword(String($0)) })
    }
}
