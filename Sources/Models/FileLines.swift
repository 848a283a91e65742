extension String {
    /// The lines between line feeds; a carriage return before one belongs to its line, and the file keeps it.
    public var fileLines: [String] {
        unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    }
}
