extension String {
    /// The lines of a text, split at line feeds. A carriage return before a line feed is part of its line, so that the
    /// file keeps it.
    public var fileLines: [String] {
        unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    }
}
