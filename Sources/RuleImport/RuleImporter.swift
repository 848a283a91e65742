import Models

/// Turns the filters of another program into rules: their text, with tests, and a report of the differences.
///
/// Values in, values out. A filter is a stranger's file, so its size, its depth and the number of its parts have
/// bounds. A part without an equivalent in opus is never guessed: it is left out and reported, and the mail
/// is kept.
public enum RuleImporter {
    public typealias Format = ImportFormat

    /// The longest file that is read.
    public static let maximumBytes = SourceText.maximumBytes

    /// The probable format of the file, by its name and its first words; nil when they do not show it.
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
