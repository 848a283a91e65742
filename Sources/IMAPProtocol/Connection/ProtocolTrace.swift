public import NIOCore
public import SASL

/// The conversation with a server as lines without secrets and mail, which users can show to others.
///
/// A pure value. It omits passwords and tokens in every form, the server's part of a login, every literal, and every
/// string in a FETCH or SEARCH. It keeps commands, numbers, flags, mailbox names, and the server's texts.
public struct ProtocolTrace: Sendable {
    static let blank = "•••"
    private static let longestLine = 2_000

    private var secret: Secret?
    /// Octets of a literal that the server was asked leave for.
    private var announced = 0
    private var isLoggingIn = false

    public init() {}

    /// The secret of the login that is made with this connection: no line shows it, also where the server repeats it.
    public mutating func hide(_ secret: Secret) { self.secret = secret }

    /// What the client sends, a line each.
    public mutating func sent(_ bytes: ByteBuffer) -> [String] {
        var rest = bytes.readableBytesView[...]
        var lines: [String] = []
        var line = hideLiteral(&rest)
        while !rest.isEmpty {
            let end = rest.firstIndex(of: .lineFeed)
            let part = rest[..<(end ?? rest.endIndex)]
            rest = rest[(end.map { $0 + 1 } ?? rest.endIndex)...]
            line += command(String(decoding: part.filter { $0 != .carriageReturn }, as: UTF8.self))
            announced = Self.announcedLiteral(part)
            if announced > 0, !rest.isEmpty {
                line += " " + hideLiteral(&rest)
                continue
            }
            lines.append(finished(line))
            line = ""
        }
        return line.isEmpty ? lines : lines + [finished(line)]
    }

    /// What the server sends.
    public mutating func received(_ frame: Frame) -> String {
        let line = frame.textWithSizes
        switch frame.text.first {
        case .plus?:
            return isLoggingIn ? "+ " + Self.blank : finished(line)
        case .star?:
            let words = line.split(separator: " ", maxSplits: 3)
            let isFetch = words.count > 2 && words[2].uppercased() == "FETCH"
            return finished(isFetch ? Self.withoutStrings(line, keeping: "INTERNALDATE ") : line)
        case _:
            // The end of a command: what the server did not want is not sent.
            (announced, isLoggingIn) = (0, false)
            return finished(line)
        }
    }

    private mutating func hideLiteral(_ rest: inout ByteBufferView.SubSequence) -> String {
        let count = min(announced, rest.count)
        guard count > 0 else { return "" }
        rest = rest.dropFirst(count)
        announced = 0
        return "(\(count) bytes)"
    }

    private mutating func command(_ line: String) -> String {
        let words = line.split(separator: " ", maxSplits: 3)
        let isCommand = words.count > 1 && words[0].first == "A" && Int(words[0].dropFirst()) != nil
        guard isCommand else { return isLoggingIn ? Self.blank : Self.withoutStrings(line) }
        switch words[1].uppercased() {
        case "LOGIN":
            return "\(words[0]) LOGIN \(Self.blank)"
        case "AUTHENTICATE":
            isLoggingIn = true
            let mechanism = words.count > 2 ? String(words[2]) : ""
            return "\(words[0]) AUTHENTICATE \(mechanism)" + (words.count > 3 ? " " + Self.blank : "")
        case "UID" where words.count > 2 && words[2].uppercased() == "SEARCH":
            return Self.withoutStrings(line)
        case _: return line
        }
    }

    private func finished(_ line: String) -> String {
        let shown = secret?.hidden(in: line) ?? line
        return shown.utf8.count <= Self.longestLine ? shown : shown.prefix(Self.longestLine) + "…"
    }

    /// `"…"` as `"•••"`, but for the one after `keeping`.
    private static func withoutStrings(_ line: String, keeping: String? = nil) -> String {
        var shown = ""
        var rest = line[...]
        while let open = rest.firstIndex(of: "\"") {
            shown += rest[..<open]
            var end = rest.index(after: open)
            while end < rest.endIndex, rest[end] != "\"" {
                if rest[end] == "\\" { end = rest.index(after: end) }
                if end < rest.endIndex { end = rest.index(after: end) }
            }
            let isKept = keeping.map { shown.uppercased().hasSuffix($0) } ?? false
            shown += isKept ? String(rest[open..<end]) + "\"" : "\"\(blank)\""
            rest = end < rest.endIndex ? rest[rest.index(after: end)...] : ""
        }
        return shown + rest
    }

    private static func announcedLiteral(_ line: ByteBufferView.SubSequence) -> Int {
        let line = line.last == .carriageReturn ? line.dropLast() : line
        guard line.last == .closeBrace, let open = line.lastIndex(of: .openBrace) else { return 0 }
        var digits = line[(open + 1)...].dropLast()
        if digits.last == .plus || digits.last == .minus { digits = digits.dropLast() }
        return Int(String(decoding: digits, as: UTF8.self)) ?? 0
    }
}

extension Frame {
    /// The lines as one, with the size of each literal in its place.
    var textWithSizes: String {
        var bytes: [UInt8] = []
        var start = 0
        for literal in literals {
            let size: Int
            switch literal.content {
            case .bytes(let buffer): size = buffer.readableBytes
            case .omitted(let omitted): size = omitted
            }
            let end = min(max(start, literal.offset), text.count)
            bytes += text[start..<end] + Array("{\(size)}".utf8)
            start = min(end + 1, text.count)
        }
        return String(decoding: bytes + text[start...], as: UTF8.self)
    }
}
