import Models

/// Reads addresses that a person types. It is strict, so that no mail goes to a wrong address.
///
/// `ana@x.org, Bob Singh <bob@x.org>; "Smith, Carl" <carl@x.org>, dora@x.org (Dora)`: the forms of RFC 5322 §3.4
/// without the obsolete ones of §4.4. A semicolon separates like a comma, and the members of a group count as single
/// addresses.
struct TypedAddresses {
    private struct Word {
        var range: Range<Int>
        var text: String
        var isQuoted = false
    }

    /// RFC 5321 §4.5.3.1.3, RFC 1035 §2.3.4. A local part may be longer than the 64 bytes of §4.5.3.1.1: servers must accept
    /// these, and some of them give out longer ones.
    private static let longestAddress = 254
    private static let longestDomain = 253
    private static let longestLabel = 63

    private let typed: String
    private let bytes: [UInt8]
    private let field: String
    private var index = 0

    init(_ typed: String, field: String) {
        self.typed = typed
        bytes = Array(typed.utf8)
        self.field = field
    }

    mutating func read() throws(BuilderError) -> [EmailAddress] {
        var found: [EmailAddress] = []
        while index < bytes.count {
            if bytes[index].isBlank || Self.isSeparator(bytes[index]) {
                index += 1
            } else if let address = try entry() {
                found.append(address)
            }
        }
        return found
    }

    // MARK: One address

    /// Reads up to the next separator; nil: a group without members.
    private mutating func entry() throws(BuilderError) -> EmailAddress? {
        let start = index
        var words: [Word] = []
        var comment: String?
        var bracket: (range: Range<Int>, address: EmailAddress)?
        while index < bytes.count, !Self.isSeparator(bytes[index]) {
            switch bytes[index] {
            case let byte where byte.isBlank: index += 1
            case ASCII.leftParenthesis: comment = try self.comment()
            case ASCII.less:
                if bracket != nil { throw mistake(.textAfterAddress, index) }
                bracket = try self.bracket()
            case ASCII.greater: throw mistake(.strayBracket, index)
            case ASCII.colon where bracket == nil && !words.isEmpty && !words.contains(where: hasAt):
                index += 1
                return nil
            case ASCII.colon: throw mistake(.badCharacter, index)
            case _:
                let word = try self.word()
                if let bracket, word.range.lowerBound >= bracket.range.upperBound {
                    throw mistake(.textAfterAddress, word.range.lowerBound)
                }
                words.append(word)
            }
        }
        let name = words.map(\.text).joined(separator: " ")
        guard let (_, address) = bracket else { return try bare(words, comment, start) }
        if let other = words.first(where: hasAt), name != address.addrSpec {
            throw mistake(.addressInName, other.range.lowerBound)
        }
        return EmailAddress(displayName: name, localPart: address.localPart, domain: address.domain)
    }

    /// `dora@x.org (Dora)`.
    private func bare(_ words: [Word], _ comment: String?, _ start: Int) throws(BuilderError) -> EmailAddress
    {
        guard let place = words.firstIndex(where: hasAt) else { throw mistake(.noAddress, start) }
        if place > 0 { throw mistake(.nameWithoutBrackets, words[place].range.lowerBound) }
        if words.count > 1 { throw mistake(.blankInAddress, words[0].range.upperBound) }
        let address = try address(in: words[0].range)
        return EmailAddress(
            displayName: comment ?? "", localPart: address.localPart, domain: address.domain)
    }

    private mutating func bracket() throws(BuilderError) -> (Range<Int>, EmailAddress) {
        let start = index
        var end = index + 1
        var isQuoted = false
        while end < bytes.count, isQuoted || bytes[end] != ASCII.greater {
            if bytes[end] == ASCII.backslash { end += 1 }
            if end < bytes.count, bytes[end] == ASCII.quote { isQuoted.toggle() }
            end += 1
        }
        guard end < bytes.count else { throw mistake(.openBracket, start) }
        var inside = start + 1..<end
        while let first = inside.first, bytes[first].isBlank { inside = first + 1..<inside.upperBound }
        while let last = inside.last, bytes[last].isBlank { inside = inside.lowerBound..<last }
        index = end + 1
        return (start..<index, try address(in: inside))
    }

    /// `local@domain`, and nothing else.
    private func address(in range: Range<Int>) throws(BuilderError) -> EmailAddress {
        var start = range.lowerBound
        if start < range.upperBound, bytes[start] == ASCII.quote {
            start = try endOfQuotes(from: start)
        } else {
            while start < range.upperBound, bytes[start] != ASCII.at {
                let byte = bytes[start]
                if byte.isBlank { throw mistake(.blankInAddress, start) }
                guard byte >= 0x80 || byte.isAtomText || byte == ASCII.dot else {
                    throw mistake(.badCharacter, start)
                }
                start += 1
            }
        }
        guard start > range.lowerBound, start < range.upperBound, bytes[start] == ASCII.at else {
            throw mistake(.noAddress, range.lowerBound)
        }
        let domain = start + 1..<range.upperBound
        try check(domain: domain)
        guard range.count <= Self.longestAddress else { throw mistake(.addressTooLong, range.lowerBound) }
        return EmailAddress(
            displayName: "", localPart: text(range.lowerBound..<start), domain: text(domain))
    }

    private func check(domain: Range<Int>) throws(BuilderError) {
        guard !domain.isEmpty else { throw mistake(.noAddress, domain.lowerBound) }
        // A domain outside ASCII has another length on the wire; `AddressWriter` checks it.
        let isASCII = bytes[domain].allSatisfy { $0 < 0x80 }
        guard !isASCII || domain.count <= Self.longestDomain else {
            throw mistake(.domainTooLong, domain.lowerBound)
        }
        // An address of the network; `AddressWriter` checks it.
        if bytes[domain.lowerBound] == ASCII.leftBracket { return }
        var start = domain.lowerBound
        for label in bytes[domain].split(separator: ASCII.dot, omittingEmptySubsequences: false) {
            guard let first = label.first, let last = label.last else { throw mistake(.emptyLabel, start) }
            for place in label.indices where bytes[place] < 0x80 {
                if bytes[place].isBlank { throw mistake(.blankInAddress, place) }
                guard
                    bytes[place].isLetter || bytes[place].isDigit || bytes[place] == ASCII.hyphen
                        || bytes[place] == ASCII.underscore
                else { throw mistake(.badCharacter, place) }
            }
            guard !isASCII || label.count <= Self.longestLabel else {
                throw mistake(.domainTooLong, label.startIndex)
            }
            if first == ASCII.hyphen { throw mistake(.hyphenAtEdge, label.startIndex) }
            if last == ASCII.hyphen { throw mistake(.hyphenAtEdge, label.endIndex - 1) }
            start = label.endIndex + 1
        }
    }

    // MARK: Words

    /// A run without blanks, or a quoted string.
    private mutating func word() throws(BuilderError) -> Word {
        let start = index
        if bytes[index] == ASCII.quote {
            let end = try endOfQuotes(from: index)
            if end == bytes.count || bytes[end] != ASCII.at {
                index = end
                return Word(range: start..<end, text: unquoted(start + 1..<end - 1), isQuoted: true)
            }
            index = end
        }
        while index < bytes.count, !Self.endsWord(bytes[index]) {
            // The colons in `bob@[IPv6:2001:db8::1]` do not end the word.
            if bytes[index] == ASCII.at, let end = endOfLiteral(from: index + 1) { index = end }
            index += 1
        }
        return Word(range: start..<index, text: text(start..<index))
    }

    /// The position of the `]` if an address of the network begins here.
    private func endOfLiteral(from start: Int) -> Int? {
        guard start < bytes.count, bytes[start] == ASCII.leftBracket else { return nil }
        let end = bytes[start...].firstIndex {
            $0.isBlank || Self.isSeparator($0) || $0 == ASCII.rightBracket
        }
        return end.flatMap { bytes[$0] == ASCII.rightBracket ? $0 : nil }
    }

    private func endOfQuotes(from start: Int) throws(BuilderError) -> Int {
        var end = start + 1
        while end < bytes.count, bytes[end] != ASCII.quote { end += bytes[end] == ASCII.backslash ? 2 : 1 }
        guard end < bytes.count else { throw mistake(.openQuote, start) }
        return end + 1
    }

    private mutating func comment() throws(BuilderError) -> String {
        let start = index
        var depth = 0
        repeat {
            guard index < bytes.count else { throw mistake(.openComment, start) }
            switch bytes[index] {
            case ASCII.leftParenthesis: depth += 1
            case ASCII.rightParenthesis: depth -= 1
            case ASCII.backslash: index += 1
            case _: break
            }
            index += 1
        } while depth > 0
        return unquoted(start + 1..<min(index, bytes.count) - 1)
    }

    private func hasAt(_ word: Word) -> Bool { !word.isQuoted && bytes[word.range].contains(ASCII.at) }

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private func unquoted(_ range: Range<Int>) -> String {
        var text: [UInt8] = []
        var isEscaped = false
        for byte in bytes[range] {
            isEscaped = !isEscaped && byte == ASCII.backslash
            if !isEscaped { text.append(byte) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == ASCII.comma || byte == ASCII.semicolon
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        byte.isBlank || isSeparator(byte) || byte == ASCII.less || byte == ASCII.greater
            || byte == ASCII.leftParenthesis || byte == ASCII.quote || byte == ASCII.colon
    }

    private func mistake(_ mistake: TypingMistake, _ offset: Int) -> BuilderError {
        BuilderError(mistyped: typed, mistake, field: field, offset: offset)
    }
}

/// What is wrong with an address that a person typed.
public enum TypingMistake: Equatable, Sendable {
    case noAddress
    case blankInAddress
    case nameWithoutBrackets
    case addressInName
    case textAfterAddress
    case strayBracket
    case openBracket
    case openQuote
    case openComment
    case badCharacter
    case emptyLabel
    case hyphenAtEdge
    case addressTooLong
    case domainTooLong

    var words: String {
        switch self {
        case .noAddress: "write it as name@example.org; a name with a comma needs quotes"
        case .blankInAddress: "an address has no blank; write a comma between two addresses"
        case .nameWithoutBrackets: "write the address behind a name in brackets, as Ana <ana@example.org>"
        case .addressInName: "a name that has an @ needs quotes"
        case .textAfterAddress: "write a comma before the next address"
        case .strayBracket: "there is no < before this >"
        case .openBracket: "there is no > behind this <"
        case .openQuote: "this quote is not closed"
        case .openComment: "this parenthesis is not closed"
        case .badCharacter: "this character cannot be in an address"
        case .emptyLabel: "a part of the domain is empty"
        case .hyphenAtEdge: "no part of a domain begins or ends with a hyphen"
        case .addressTooLong: "an address has at most 254 characters"
        case .domainTooLong: "a domain has at most 253 characters, and each part of it at most 63"
        }
    }
}
