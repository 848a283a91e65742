import Models

/// A file of one message becomes a file of another one.
extension MessageBuilder.File {
    /// The parameters of a type without which a recipient cannot read the file: the charset of a text, the method of an
    /// invitation (RFC 6047 §2.4), the kind of signed or encrypted data (RFC 8551 §3.2.2).
    private static let kept = ["charset", "method", "component", "smime-type", "format", "delsp", "profile"]
    private static let longestValue = 60
    private static let longestName = 200
    private static let longestEnding = 16

    init(_ attachment: Attachment, of message: ParsedMessage, name: String, type: String, bytes: [UInt8]) {
        self.init(name: name, contentType: type, bytes: bytes)
        guard let part = message.parts.first(where: { $0.section.description == attachment.section }) else {
            return
        }
        parameters = Self.kept.compactMap { name in
            guard let value = part.contentType.parameters[name], !value.isEmpty,
                value.utf8.count <= Self.longestValue, value.utf8.allSatisfy(\.isToken)
            else { return nil }
            return Parameter(name: name, value: value)
        }
    }

    /// At most 200 bytes, with the ending of the name, which says how to open the file.
    static func shortName(_ name: String) -> String {
        guard name.utf8.count > longestName, let dot = name.lastIndex(of: "."), dot > name.startIndex,
            name[dot...].utf8.count <= longestEnding
        else { return TextLines.capped(name, to: longestName) }
        let ending = name[dot...]
        return TextLines.capped(String(name[..<dot]), to: longestName - ending.utf8.count) + ending
    }
}
