/// Flags and keywords as IMAP writes them: `\Seen` is ``Flag/seen``, and a word without a backslash is a ``Keyword``.
/// RFC 3501 §2.3.2.
///
/// The code that reads mail and the code that changes it share this table. It skips a system flag that opus does not
/// use, such as `\Recent` or a flag of a vendor.
public enum FlagAtoms {
    /// The flags among these words. Letters are compared without case.
    public static func flags(_ atoms: [String]) -> Set<Flag> {
        var flags: Set<Flag> = []
        for atom in atoms where atom.hasPrefix("\\") {
            if let flag = Flag(rawValue: atom.dropFirst().lowercased()) { flags.insert(flag) }
        }
        return flags
    }

    /// The user's own words among these.
    public static func keywords(_ atoms: [String]) -> Set<Keyword> {
        var keywords: Set<Keyword> = []
        for atom in atoms where !atom.isEmpty && !atom.hasPrefix("\\") { keywords.insert(Keyword(atom)) }
        return keywords
    }

    /// As they travel, in a fixed order: flags first.
    public static func atoms(_ flags: Set<Flag>, _ keywords: Set<Keyword> = []) -> [String] {
        flags.sorted().map(atom) + keywords.sorted().map(\.rawValue)
    }

    private static func atom(_ flag: Flag) -> String {
        switch flag {
        case .seen: #"\Seen"#
        case .answered: #"\Answered"#
        case .flagged: #"\Flagged"#
        case .draft: #"\Draft"#
        case .deleted: #"\Deleted"#
        }
    }
}
