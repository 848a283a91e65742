import Foundation
import TestSupport

/// The statements of SQL in the sources of the store, read as text: also those that no test runs.
struct SourceStatements {
    /// A literal of a source file, cut at what is put into it.
    struct Literal {
        var file: String
        var line: Int
        var parts: [Part]
        /// What is before it on its line.
        var before: String

        var place: String { "\(file):\(line)" }
        /// With `…` for what is put in.
        var text: String {
            let parts = parts.map { part in
                switch part {
                case .text(let text): text
                case .hole: "…"
                }
            }
            return parts.joined().onOneLine
        }
        /// The name that it is given: `static let isHeld =`.
        var name: Substring? {
            before.firstMatch(of: /\blet (\w+)(?:: String)? =/)?.1
        }
    }

    enum Part {
        case text(String)
        /// An expression of Swift.
        case hole(String)
    }

    let literals: [Literal]

    /// The files of the store that work with one: not those that make its tables, and not those that rebuild or
    /// check it.
    init() throws {
        let sources = Repository.root.appending(path: "Sources/MailStore")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        var found: [Literal] = []
        for case let file as URL in files?.allObjects ?? [] where file.pathExtension == "swift" {
            let name = file.path.replacingOccurrences(of: sources.path + "/", with: "")
            guard !["Schema/", "Care/", "Search/IndexCheck"].contains(where: name.hasPrefix) else { continue }
            found += Self.literals(of: try String(contentsOf: file, encoding: .utf8), file: name)
        }
        literals = found
    }

    /// Literals that are a statement. Those with a name that another one uses are parts.
    var statements: [Literal] {
        let used = Set(
            literals.flatMap(\.parts).compactMap { part -> Substring? in
                guard case .hole(let hole) = part else { return nil }
                return hole.split(separator: ".").last
            })
        let begins = /(?:SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH)\s/
        return literals.filter { literal in
            literal.text.prefixMatch(of: begins) != nil && !(literal.name.map { used.contains($0) } ?? false)
        }
    }

    /// Every text that the literal may have, or nil if that cannot be read from the sources.
    func texts(of literal: Literal) -> [String]? {
        var texts = [""]
        for part in literal.parts {
            let next: [String]
            switch part {
            case .text(let text): next = [text]
            case .hole(let hole):
                guard let found = values(of: hole, in: literal.file) else { return nil }
                next = found
            }
            texts = texts.flatMap { text in next.map { text + $0 } }
        }
        return texts.map(\.onOneLine)
    }

    /// Of a name, the literals that it is given; of a choice, its literals.
    private func values(of hole: String, in file: String) -> [String]? {
        if hole.contains("?") {
            let inner = Self.literals(of: hole, file: file)
            return inner.isEmpty ? nil : inner.flatMap { texts(of: $0) ?? [] }
        }
        let words = hole.split(separator: ".")
        guard let name = words.last, words.allSatisfy({ $0.allSatisfy(\.isLetter) }) else { return nil }
        let named = literals.filter { $0.name == name }
        let own = named.filter { $0.file == file }
        let type = file.split(separator: "/").last?.split { $0 == "+" || $0 == "." }.first
        let types = words.dropLast().map { $0 == "Self" ? type ?? $0 : $0 }
        let found = own.isEmpty ? named.filter { $0.isOf(types.map(String.init)) } : own
        guard !found.isEmpty else { return nil }
        return found.flatMap { texts(of: $0) ?? [] }
    }

    // MARK: Reading

    /// Reads comments, literals and what is put into literals; raw literals are not used in these files.
    static func literals(of source: String, file: String) -> [Literal] {
        let text = Array(source.unicodeScalars)
        var found: [Literal] = []
        var index = 0
        var lineStart = 0
        var line = 1
        func has(_ scalar: Unicode.Scalar, at index: Int) -> Bool {
            index < text.count && text[index] == scalar
        }
        /// Three in a row, or one.
        func begins(_ count: Int, quotesAt index: Int) -> Bool {
            has("\"", at: index) && (count == 1 || (has("\"", at: index + 1) && has("\"", at: index + 2)))
        }
        while index < text.count {
            if text[index] == "\n" {
                line += 1
                lineStart = index + 1
            }
            if has("/", at: index), has("/", at: index + 1) {
                while index < text.count, text[index] != "\n" { index += 1 }
                continue
            }
            guard text[index] == "\"" else {
                index += 1
                continue
            }
            let quotes = begins(3, quotesAt: index) ? 3 : 1
            var literal = Literal(
                file: file, line: line, parts: [], before: string(text[lineStart..<index]))
            index += quotes
            var start = index
            while index < text.count, !begins(quotes, quotesAt: index) {
                if has("\\", at: index), has("(", at: index + 1) {
                    literal.parts.append(.text(string(text[start..<index])))
                    let end = closing(text, index + 1)
                    literal.parts.append(.hole(string(text[(index + 2)..<end])))
                    index = end + 1
                    start = index
                } else {
                    if text[index] == "\n" { line += 1 }
                    index += text[index] == "\\" ? 2 : 1
                }
            }
            literal.parts.append(.text(string(text[start..<min(index, text.count)])))
            found.append(literal)
            index += quotes
        }
        return found
    }

    /// The parenthesis that closes the one at `start`.
    private static func closing(_ text: [Unicode.Scalar], _ start: Int) -> Int {
        var depth = 0
        for index in start..<text.count {
            if text[index] == "(" { depth += 1 }
            if text[index] == ")" { depth -= 1 }
            if depth == 0 { return index }
        }
        return text.count - 1
    }

    private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}

extension SourceStatements.Literal {
    /// Whether its file is that of one of the types.
    fileprivate func isOf(_ types: [String]) -> Bool {
        let name = file.split(separator: "/").last.map(String.init) ?? file
        return types.contains { name.hasPrefix($0) || ($0 == "FactMaker" && name == "FactRow.swift") }
    }

    /// Whether the statement is one that this literal makes.
    func makes(_ statement: String) -> Bool {
        var rest = statement[...]
        for case .text(let text) in parts {
            let wanted = text.onOneLine
            guard !wanted.isEmpty else { continue }
            guard let range = rest.range(of: wanted) else { return false }
            rest = rest[range.upperBound...]
        }
        return true
    }
}

extension String {
    /// With one blank for each run of blanks.
    var onOneLine: String {
        split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
