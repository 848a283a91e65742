import Models

/// Filters that another program kept become rules: their text, with tests, and a report of what got lost.
///
/// Values in, values out. A filter is a stranger's file, so its size, its depth and the number of its parts have
/// bounds. What has no equal among our rules is never guessed: it is left out, said in the report, and the mail
/// is kept.
public enum RuleImport {
    /// Whose filters a file holds.
    public enum Format: String, Sendable, CaseIterable {
        /// Gmail's export: `mailFilters.xml`.
        case gmail
        /// A Sieve script, RFC 5228.
        case sieve
        /// Thunderbird's `msgFilterRules.dat`.
        case thunderbird
    }

    /// The longest file that is read.
    public static let maximumBytes = 1 << 20

    /// What the file seems to be, by its name and its first words; nil when nothing tells.
    public static func detect(_ bytes: [UInt8], fileName: String) -> Format? {
        let name = fileName.lowercased()
        let head = String(decoding: bytes.prefix(4_096), as: UTF8.self)
        if head.contains("<feed") || head.contains("<apps:property") { return .gmail }
        if name.hasSuffix("msgfilterrules.dat") { return .thunderbird }
        if name.hasSuffix(".sieve") || name.hasSuffix(".siv") { return .sieve }
        if name.hasSuffix(".xml") { return .gmail }
        if head.hasPrefix("version=\"") { return .thunderbird }
        let words = ["require", "if ", "if\t", "fileinto", "# rule:[", "redirect"]
        let starts = head.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
        return starts.contains { line in words.contains { line.hasPrefix($0) } } ? .sieve : nil
    }

    /// Translates a file. `name` is what the text calls its origin, such as the file's name; `taken` are the ids of rules
    /// that are there, which the new ones do not get.
    public static func translate(
        _ bytes: [UInt8], as format: Format, name: String, taken: Set<String> = []
    ) throws(ImportError) -> ImportResult {
        let source = try SourceText(bytes)
        var draft = Draft(origin: name, format: format)
        switch format {
        case .gmail: try GmailFilters.read(source, into: &draft)
        case .sieve: try SieveTranslator.read(source, into: &draft)
        case .thunderbird: try ThunderbirdFilters.read(source, into: &draft)
        }
        return try ImportAssembly(draft, taken: taken).result()
    }
}

/// What an import made.
public struct ImportResult: Hashable, Sendable {
    /// A rule file that checks, and whose tests pass when it stands alone.
    public var text: String
    public var ruleCount: Int
    public var testCount: Int
    /// In the order of the file that was read.
    public var notes: [ImportNote]
}

/// One piece of a filter that is not what it was.
public struct ImportNote: Hashable, Sendable {
    public enum Kind: String, Sendable {
        /// Left out: no rule does this.
        case dropped
        /// Translated, with another meaning.
        case changed
    }

    public var kind: Kind
    /// 1-based.
    public var line: Int
    /// The words of the file, in one line and shortened.
    public var piece: String
    /// A lower-case clause without a full stop.
    public var reason: String
}

/// Why a file cannot be read, and where.
public struct ImportError: Error, Hashable, Sendable {
    /// 1-based.
    public var line: Int
    /// 1-based, in Characters.
    public var column: Int
    /// A lower-case clause without a full stop.
    public var message: String
}
