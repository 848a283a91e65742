/// Header fields that mail stores write into a message and change with its flags, as in mbox files. They are not part
/// of the message.
enum RewrittenFields {
    static let names: Set<[UInt8]> = Set(
        ["x-uid", "x-imapbase", "x-imap", "status", "x-status", "x-keywords", "content-length"].map {
            Array($0.utf8)
        })

    private static let longest = 14

    /// Whether the line begins with such a field.
    static func begin(_ line: ArraySlice<UInt8>) -> Bool {
        guard let first = line.first.map({ $0 | 0x20 }),
            first == 0x78 || first == 0x73 || first == 0x63,  // x, s, c
            let colon = line.prefix(longest + 2).firstIndex(of: ASCII.colon)
        else { return false }
        let name = line[..<colon].reversed().drop { $0 == ASCII.space || $0 == ASCII.tab }.reversed()
        return names.contains(name.map(\.lowercasedASCII))
    }
}
