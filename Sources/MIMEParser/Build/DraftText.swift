public import Models

/// A message as a person edits it: header lines on top, an empty line, the text.
///
/// ```
/// From: Ana Ruiz <ana@acme.example>
/// To: bob@acme.example
/// Cc:
/// Bcc:
/// Subject: Q3 plan
/// Attach: plan.pdf
/// Wait: 3bd
///
/// Hello Bob,
/// ```
/// Each line is checked as it is read, so that every mistake can be shown at its place. Typed text never becomes a
/// header line of the message: addresses and subject are values, and ``MessageBuilder`` writes them.
public struct DraftText: Hashable, Sendable {
    /// A line that opus cannot read, and the reason.
    public struct Mistake: Error, Hashable, Sendable, CustomStringConvertible {
        /// The line number, from 1.
        public var line: Int
        public var message: String

        public init(line: Int, message: String) {
            self.line = line
            self.message = message
        }

        public var description: String { "line \(line): \(message)" }
    }

    /// A file to attach.
    public enum Attachment: Hashable, Sendable {
        /// A path, as typed.
        case file(String, line: Int)
        /// A file that the draft already has, by its number from 1. `name`: as written after the number, or empty.
        case kept(Int, name: String, line: Int)
    }

    public var from: EmailAddress?
    public var replyTo: [EmailAddress] = []
    public var to: [EmailAddress] = []
    public var cc: [EmailAddress] = []
    public var bcc: [EmailAddress] = []
    public var subject = ""
    public var attachments: [Attachment] = []
    /// When to ask for the answer again: a date phrase, as typed.
    public var wait: String?
    public var text = ""
    /// The number of the line `Wait`; 0: it is missing.
    public var waitLine = 0
    /// The number of the line `From`; 0: it is missing.
    public var fromLine = 0

    public init() {}

    // MARK: Writing

    /// The text for an editor. `files`: the names of the files that the draft has.
    public static func write(_ draft: MessageBuilder, files: [String], wait: String? = nil) -> String {
        var lines = ["From: " + written([draft.from])]
        if !draft.replyTo.isEmpty { lines.append("Reply-To: " + written(draft.replyTo)) }
        lines.append("To: " + written(draft.to))
        lines.append("Cc: " + written(draft.cc))
        lines.append("Bcc: " + written(draft.bcc))
        lines.append("Subject: " + HeaderText.clean(draft.subject))
        for (index, name) in files.enumerated() {
            lines.append("Attach: [\(index + 1)] " + Self.fileName(name))
        }
        if files.isEmpty { lines.append("Attach:") }
        if let wait { lines.append("Wait: " + HeaderText.clean(wait)) }
        // Some editors mark a space at the end of a line as an error.
        let head = lines.map { $0.hasSuffix(": ") ? String($0.dropLast()) : $0 }
        let text = draft.text.isEmpty ? "\n" : draft.text
        return head.joined(separator: "\n") + "\n\n" + text + (text.hasSuffix("\n") ? "" : "\n")
    }

    /// The name of a file as ``write(_:files:wait:)`` writes it after the number.
    public static func fileName(_ name: String) -> String { HeaderText.clean(name).trimmingBlanks }

    private static func written(_ addresses: [EmailAddress]) -> String {
        addresses.map(written).joined(separator: ", ")
    }

    private static func written(_ address: EmailAddress) -> String {
        let name = HeaderText.clean(address.displayName)
        guard !name.isEmpty else { return address.addrSpec }
        let isAtoms = name.unicodeScalars.allSatisfy { !"()<>[]:;@\\,.\"".unicodeScalars.contains($0) }
        let quoted =
            isAtoms
            ? name : "\"" + name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        return "\(quoted) <\(address.addrSpec)>"
    }

    // MARK: Reading

    /// What a person typed, and every line of it that is wrong.
    public static func read(_ typed: String) -> (draft: DraftText, mistakes: [Mistake]) {
        var reader = DraftReader(typed)
        reader.read()
        return (reader.draft, reader.mistakes)
    }

    /// What a template file says: header lines on top where it begins with one, else nothing but text.
    public static func readTemplate(_ text: String) -> (draft: DraftText, mistakes: [Mistake]) {
        let first = text.prefix { $0 != "\n" && $0 != "\r\n" }
        guard let colon = first.firstIndex(of: ":"), DraftField(String(first[..<colon])) != nil else {
            var draft = DraftText()
            draft.text = text
            return (draft, [])
        }
        return read(text)
    }
}

/// The fields that a person may write.
private enum DraftField: String, CaseIterable {
    case from = "From"
    case replyTo = "Reply-To"
    case to = "To"
    case cc = "Cc"
    case bcc = "Bcc"
    case subject = "Subject"
    case attach = "Attach"
    case wait = "Wait"

    init?(_ typed: String) {
        let wanted = typed.lowercased()
        guard let field = Self.allCases.first(where: { $0.rawValue.lowercased() == wanted }) else {
            return nil
        }
        self = field
    }
}

/// Reads header lines until an empty one.
private struct DraftReader {
    private let lines: [String]
    private(set) var draft = DraftText()
    private(set) var mistakes: [DraftText.Mistake] = []

    init(_ typed: String) {
        let text = typed.hasPrefix("\u{FEFF}") ? String(typed.dropFirst()) : typed
        lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map(String.init)
    }

    mutating func read() {
        var index = 0
        while index < lines.count, !lines[index].allSatisfy(\.isWhitespace) {
            let start = index
            var value = lines[index]
            index += 1
            // A line that begins with a blank belongs to the one above. RFC 5322 §2.2.3.
            while index < lines.count, lines[index].first == " " || lines[index].first == "\t",
                !lines[index].allSatisfy(\.isWhitespace)
            {
                value += " " + lines[index].trimmingBlanks
                index += 1
            }
            field(value, line: start + 1)
        }
        if index == lines.count, !lines.isEmpty, !(lines.count == 1 && lines[0].isEmpty), draft.fromLine == 0,
            mistakes.isEmpty, draft == DraftText()
        {
            mistake(1, "the header is missing; begin with From:, To: and Subject:, then an empty line")
        }
        var rest = lines.dropFirst(index + 1)
        while rest.first?.allSatisfy(\.isWhitespace) == true { rest = rest.dropFirst() }
        if index < lines.count { checkEnd(index, next: rest.first ?? "", at: rest.startIndex) }
        while rest.last?.allSatisfy(\.isWhitespace) == true { rest = rest.dropLast() }
        draft.text = rest.isEmpty ? "" : rest.joined(separator: "\n") + "\n"
    }

    /// A field below the line that ends the header would be sent as text, and everyone would read whom a `Bcc` names. A
    /// line of blanks looks like a part of the header, so any field below it is a mistake.
    private mutating func checkEnd(_ end: Int, next: String, at index: Int) {
        guard let colon = next.firstIndex(of: ":"),
            let field = DraftField(next[..<colon].description.trimmingBlanks),
            field == .bcc || !lines[end].isEmpty
        else { return }
        mistake(
            index + 1, "\(field.rawValue) is below line \(end + 1), which ends the header; remove that line")
    }

    private mutating func mistake(_ line: Int, _ message: String) {
        mistakes.append(.init(line: line, message: message))
    }

    private mutating func field(_ text: String, line: Int) {
        guard let colon = text.firstIndex(of: ":") else {
            return mistake(
                line, "this is not a header line; write Name: value, or an empty line before the text")
        }
        let name = text[..<colon].description.trimmingBlanks
        let value = text[text.index(after: colon)...].description.trimmingBlanks
        guard let field = DraftField(name) else {
            let known = DraftField.allCases.map(\.rawValue).joined(separator: ", ")
            return mistake(
                line, "\"\(name)\" is not a field of a draft; use \(known), or an empty line before the text")
        }
        if let byte = value.utf8.first(where: { $0.isControl && $0 != ASCII.tab }) {
            return mistake(line, "\(field.rawValue) holds a control character (\(byte)); remove it")
        }
        switch field {
        case .from:
            draft.fromLine = line
            let found = addresses(value, field, line)
            if found.count > 1 { mistake(line, "From holds \(found.count) addresses; a mail has one writer") }
            draft.from = found.first
        case .replyTo: draft.replyTo += addresses(value, field, line)
        case .to: draft.to += addresses(value, field, line)
        case .cc: draft.cc += addresses(value, field, line)
        case .bcc: draft.bcc += addresses(value, field, line)
        case .subject: draft.subject = value
        case .attach: if !value.isEmpty { draft.attachments.append(attachment(value, line)) }
        case .wait:
            draft.wait = value.isEmpty ? nil : value
            draft.waitLine = line
        }
    }

    private mutating func addresses(_ value: String, _ field: DraftField, _ line: Int) -> [EmailAddress] {
        guard !value.isEmpty else { return [] }
        do throws(BuilderError) {
            return try DraftText.addresses(value, field: field.rawValue)
        } catch {
            mistake(line, error.description)
            return []
        }
    }

    private func attachment(_ value: String, _ line: Int) -> DraftText.Attachment {
        if value.first == "[", let end = value.firstIndex(of: "]"),
            let number = Int(value[value.index(after: value.startIndex)..<end])
        {
            let name = String(value[value.index(after: end)...]).trimmingBlanks
            return .kept(number, name: name, line: line)
        }
        return .file(value, line: line)
    }
}

extension DraftText {
    /// A list of addresses that a person typed. Strict: an address that cannot be written is an error, and no recipient
    /// is left out. Domains become A-labels, as in the mail of these people.
    public static func addresses(_ typed: String, field: String) throws(BuilderError) -> [EmailAddress] {
        try HeaderWriter.refuseControls(typed, field: field)
        var reader = TypedAddresses(typed, field: field)
        let found = try reader.read()
        for address in found { _ = try AddressWriter.mailbox(address, field: field) }
        return found.map(\.withMailDomain)
    }
}

extension String {
    fileprivate var trimmingBlanks: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text = text.dropFirst() }
        while text.last?.isWhitespace == true { text = text.dropLast() }
        return String(text)
    }
}
