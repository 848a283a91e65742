import Models

/// Turns the filters of another program into rules: the text of a rule file with tests, and a report of the
/// differences.
///
/// A pure function. Filters come from strangers, so size, depth and number of parts are limited. A part without an
/// equivalent in opus is never guessed: it is omitted and reported, and the mail is kept.
public enum RuleImporter {
    public typealias Format = ImportFormat

    /// The largest file, in bytes.
    public static let maximumBytes = SourceText.maximumBytes

    /// The probable format, by the file name and the first words; nil: unknown.
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

    /// Translates a file. `name`: its name for comments, such as the file name. `taken`: existing ids, which the new
    /// rules do not get.
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
