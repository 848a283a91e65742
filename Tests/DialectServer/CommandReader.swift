/// What a client sends, cut into commands: lines, and literals inside them. RFC 3501 §2.2, §4.3, RFC 7888.
///
/// A pure value: bytes go in, items come out. A parser of its own, so that it shares no mistake with the client's.
struct CommandReader {
    enum Item: Equatable {
        /// Everything up to the line's end, literals and all.
        case line([UInt8])
        /// The client waits for leave to send that many octets.
        case literalWanted(Int)
    }

    private var bytes: [UInt8] = []
    private var start = 0
    /// Where the unfinished command has been read up to.
    private var scanned = 0
    /// The octets of the first literal that did not wait, for the server's own rules.
    private(set) var promptLiterals: [Int] = []

    mutating func feed(_ more: some Sequence<UInt8>) {
        if start > 65_536 {
            bytes.removeFirst(start)
            scanned -= start
            start = 0
        }
        bytes += more
    }

    mutating func next() -> Item? {
        while true {
            guard let end = lineEnd(from: scanned) else { return nil }
            guard let literal = Self.literal(bytes[scanned..<end]) else {
                let line = Array(bytes[start..<end])
                start = end + 2
                scanned = start
                return .line(line)
            }
            if literal.isPrompt || granted == end {
                let after = end + 2 + literal.count
                guard bytes.count >= after else { return nil }
                if literal.isPrompt { promptLiterals.append(literal.count) }
                scanned = after
                granted = nil
            } else {
                granted = end
                return .literalWanted(literal.count)
            }
        }
    }

    /// The line end of the literal that leave was given for.
    private var granted: Int?

    /// The server has said no to a literal: the command ends here, and its line is dropped.
    mutating func refuseLiteral() -> [UInt8] {
        let end = granted ?? scanned
        let line = Array(bytes[start..<end])
        start = end + 2
        scanned = start
        granted = nil
        return line
    }

    mutating func takePromptLiterals() -> [Int] {
        defer { promptLiterals = [] }
        return promptLiterals
    }

    private func lineEnd(from index: Int) -> Int? {
        var index = index
        while index + 1 < bytes.count {
            if bytes[index] == 0x0D, bytes[index + 1] == 0x0A { return index }
            index += 1
        }
        return nil
    }

    /// `{12}` or `{12+}` at the end of the line.
    private static func literal(_ line: ArraySlice<UInt8>) -> (count: Int, isPrompt: Bool)? {
        guard line.last == UInt8(ascii: "}"), let open = line.lastIndex(of: UInt8(ascii: "{")) else {
            return nil
        }
        var digits = line[(open + 1)..<(line.endIndex - 1)]
        let isPrompt = digits.last == UInt8(ascii: "+")
        if isPrompt { digits = digits.dropLast() }
        return Int(String(decoding: digits, as: UTF8.self)).map { ($0, isPrompt) }
    }
}

/// An argument of a command.
indirect enum Argument: Equatable, Sendable {
    case atom(String)
    case string([UInt8])
    case list([Argument])

    /// Its text, whether it was quoted or not.
    var text: String? {
        switch self {
        case .atom(let text): text
        case .string(let bytes): String(decoding: bytes, as: UTF8.self)
        case .list: nil
        }
    }

    var word: String? { text?.uppercased() }

    var bytes: [UInt8]? {
        switch self {
        case .atom(let text): Array(text.utf8)
        case .string(let bytes): bytes
        case .list: nil
        }
    }

    var items: [Argument]? {
        if case .list(let items) = self { return items }
        return nil
    }
}

/// A command in its parts: `A1`, `UID FETCH`, the rest.
struct ParsedCommand: Equatable, Sendable {
    var tag: String
    var name: String
    var arguments: [Argument]

    init?(_ line: [UInt8]) {
        var parser = ArgumentParser(bytes: line)
        guard let all = parser.all(), all.count >= 2, case .atom(let tag) = all[0], let first = all[1].word
        else { return nil }
        self.tag = tag
        if first == "UID", all.count >= 3, let second = all[2].word {
            name = "UID \(second)"
            arguments = Array(all.dropFirst(3))
        } else {
            name = first
            arguments = Array(all.dropFirst(2))
        }
    }
}

/// Atoms, strings, literals and lists.
private struct ArgumentParser {
    let bytes: [UInt8]
    var index = 0
    var depth = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func all() -> [Argument]? {
        guard let list = list(), index == bytes.count else { return nil }
        return list
    }

    private mutating func list() -> [Argument]? {
        var items: [Argument] = []
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: " "): index += 1
            case UInt8(ascii: ")"):
                return depth > 0 ? items : nil
            case UInt8(ascii: "("):
                index += 1
                depth += 1
                guard depth < 20, let inner = list(), index < bytes.count else { return nil }
                index += 1
                depth -= 1
                items.append(.list(inner))
            default:
                guard let item = item() else { return nil }
                items.append(item)
            }
        }
        return depth == 0 ? items : nil
    }

    private mutating func item() -> Argument? {
        switch bytes[index] {
        case UInt8(ascii: "\""): quoted()
        case UInt8(ascii: "{"): literal()
        default: atom()
        }
    }

    private mutating func quoted() -> Argument? {
        var text: [UInt8] = []
        index += 1
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\"") { return .string(text) }
            if byte == UInt8(ascii: "\\"), index < bytes.count {
                text.append(bytes[index])
                index += 1
            } else {
                text.append(byte)
            }
        }
        return nil
    }

    private mutating func literal() -> Argument? {
        guard let close = bytes[index...].firstIndex(of: UInt8(ascii: "}")) else { return nil }
        let digits = bytes[(index + 1)..<close].filter { $0 != UInt8(ascii: "+") }
        guard let count = Int(String(decoding: digits, as: UTF8.self)), close + 3 + count <= bytes.count
        else {
            return nil
        }
        defer { index = close + 3 + count }
        return .string(Array(bytes[(close + 3)..<(close + 3 + count)]))
    }

    /// Brackets hold spaces and lists: `BODY.PEEK[HEADER.FIELDS (FROM TO)]`.
    private mutating func atom() -> Argument? {
        let start = index
        var isInBrackets = false
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "[") { isInBrackets = true }
            if byte == UInt8(ascii: "]") { isInBrackets = false }
            if !isInBrackets, " ()\"".utf8.contains(byte) { break }
            index += 1
        }
        return index > start ? .atom(String(decoding: bytes[start..<index], as: UTF8.self)) : nil
    }
}

/// `1:5,7,9:*`
struct MessageSet: Equatable {
    /// `UInt32.max` for `*`.
    var ranges: [ClosedRange<UInt32>] = []
    var hasStar = false
    var isAscending = true

    init?(_ text: String) {
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard (1...2).contains(ends.count), let first = number(ends[0]),
                let last = number(ends[ends.count - 1])
            else { return nil }
            if first > last || (ranges.last.map { $0.upperBound >= first } ?? false) { isAscending = false }
            ranges.append(min(first, last)...max(first, last))
        }
        if ranges.isEmpty { return nil }
    }

    private mutating func number(_ text: String) -> UInt32? {
        if text == "*" {
            hasStar = true
            return .max
        }
        guard let number = UInt32(text), number > 0 else { return nil }
        return number
    }

    /// The numbers of `known` that the set names; `*` is the highest of them.
    func select(_ known: [UInt32]) -> [UInt32] {
        guard let highest = known.last else { return [] }
        return known.filter { number in
            ranges.contains { range in
                range.contains(number) || (hasStar && range.upperBound == .max && number == highest)
            }
        }
    }
}
