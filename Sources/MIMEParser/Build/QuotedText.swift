import Models

/// The original text below an answer: who wrote it and when, then each line after a `>`.
enum QuotedText {
    /// The most lines and bytes of a quote. Longer quotes are cut, with a note.
    static let lineLimit = 1_000
    static let byteLimit = 64 * 1_024

    /// `On Thu, 05 Mar 2026 10:00:00 +0100, Ana wrote:`, then the quote; empty: the message has no text.
    static func write(_ original: ParsedMessage, zoneOffsetSeconds: Int) -> String {
        let quote = quote(withoutSignature(original.text()))
        guard !quote.isEmpty else { return "" }
        return attribution(original.envelope, zoneOffsetSeconds: zoneOffsetSeconds) + "\n" + quote
    }

    static func attribution(_ envelope: Envelope, zoneOffsetSeconds: Int) -> String {
        let name = TextLines.capped(envelope.from.first?.name ?? "", to: 120)
        let writer = name.isEmpty ? "someone" : name
        guard let date = envelope.date else { return "\(writer) wrote:" }
        return "On \(MailDate.write(date, offsetSeconds: zoneOffsetSeconds)), \(writer) wrote:"
    }

    /// Each line with one more `>`, as format=flowed counts them: `>> older`, `> newer`. RFC 3676 §4.5.
    static func quote(_ text: String) -> String {
        let lines = TextLines.capped(text, to: byteLimit).utf8.split(
            separator: ASCII.lf, omittingEmptySubsequences: false)
        var quoted = lines.prefix(lineLimit).map { Self.quoted(Array($0)) }
        while quoted.last == [ASCII.greater] { quoted.removeLast() }
        if text.utf8.count > byteLimit || lines.count > lineLimit {
            quoted.append(Array("> [the rest is left out]".utf8))
        }
        return String(decoding: quoted.flatMap { $0 + [ASCII.lf] }, as: UTF8.self)
    }

    /// The existing marks together in front, one space after them, none at the end of the line.
    private static func quoted(_ line: [UInt8]) -> [UInt8] {
        var depth = 1
        var content = line[...]
        var next = content
        while next.first == ASCII.greater {
            content = next.dropFirst()
            depth += 1
            next = content.first == ASCII.space ? content.dropFirst() : content
        }
        if depth > 1, content.first == ASCII.space { content = content.dropFirst() }
        while let last = content.last, last.isBlank { content = content.dropLast() }
        return Array(repeating: ASCII.greater, count: depth) + (content.isEmpty ? [] : [ASCII.space])
            + content
    }

    /// The notes of links below the signature stay, if the text before it has their marks: see ``LinkNotes``.
    private static func withoutSignature(_ text: String) -> String {
        let zones = TextZones.split(text)
        guard let signature = zones.last, signature.kind == .signature else {
            return zones.filter { $0.kind != .signature }.map(\.text).joined()
        }
        let rest = zones.filter { $0.kind != .signature }.map(\.text).joined()
        let notes = linkNotes(below: String(signature.text)).filter { rest.contains(" [\($0.number)]") }
        guard !notes.isEmpty else { return rest }
        let end = rest.lastIndex { !$0.isWhitespace }.map { rest.index(after: $0) } ?? rest.startIndex
        return rest[..<end] + "\n\n" + notes.map(\.line).joined(separator: "\n") + "\n"
    }

    /// The lines `[1] https://…` at the end of a text.
    private static func linkNotes(below text: String) -> [(number: Int, line: Substring)] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).reversed().drop {
            $0.isEmpty
        }
        let notes = lines.map { line in (number: number(of: line), line: line) }.prefix { $0.number != nil }
        return notes.reversed().map { (number: $0.number ?? 0, line: $0.line) }
    }

    private static func number(of line: Substring) -> Int? {
        guard line.first == "[", let end = line.firstIndex(of: "]"), line[end...].hasPrefix("] ") else {
            return nil
        }
        return Int(line[line.index(after: line.startIndex)..<end])
    }
}
