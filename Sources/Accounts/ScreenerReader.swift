import Models
import YAMLSource

/// `screener: on`, or `screener: { mailbox: Screener, address-book: contacts.vcf }`.
public struct ScreenerSettings: Hashable, Sendable {
    /// The mailbox that holds mail of first-time senders: one level.
    public var mailbox = "Screener"
    /// The path of a file with addresses of known people.
    public var addressBook: String?

    public init() {}
}

enum ScreenerReader {
    /// `path` resolves the written path.
    static func read(
        _ node: YAMLNode, _ reader: inout ConfigReader, path: (String) -> String
    ) -> ScreenerSettings? {
        if let word = node.scalar {
            switch word.lowercased() {
            case "on", "true": return ScreenerSettings()
            case "off", "false": return nil
            case _:
                reader.report(
                    "C007", at: node, "'\(word)' is not a value of 'screener'",
                    suggestion: "on, off, or { mailbox: Screener, address-book: contacts.vcf }")
                return nil
            }
        }
        guard let section = reader.section(node, "screener", keys: ["mailbox", "address-book"]) else {
            return nil
        }
        var settings = ScreenerSettings()
        if let name = reader.text("mailbox", in: section), let node = section.node("mailbox"),
            let sound = CommandMailboxesReader.check(name, node, &reader)
        {
            settings.mailbox = sound
        }
        settings.addressBook = reader.text("address-book", in: section).map(path)
        return settings
    }
}
