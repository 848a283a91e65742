/// Whether a program sent this reply in the name of the user: `Auto-Submitted: auto-replied`. RFC 3834 §5.
///
/// The user did not choose its recipient. In contrast, a mail that a rule generates goes to a recipient whom
/// the rule names.
enum AutomaticReply {
    private static let name = Array("auto-submitted:".utf8)
    private static let value = Array("auto-replied".utf8)

    /// `header`: the raw header block.
    static func isSaid(by header: [UInt8]) -> Bool {
        header.split(separator: 0x0A).contains { line in
            guard line.prefix(name.count).map(lowercase) == name else { return false }
            let text = line.dropFirst(name.count).drop { $0 == 0x20 || $0 == 0x09 }
            return text.prefix(value.count).map(lowercase) == value
        }
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
