import MIMEParser
import MailStore

extension StoredMessage {
    /// The stored part of the message: its header, and its text as the only part.
    ///
    /// The stored text is decoded, so the fields that say how the original was encoded must not stay: otherwise the text would
    /// be decoded twice.
    var readable: ParsedMessage {
        let isKept = { (name: String) in !name.hasPrefix("content-") && name != "mime-version" }
        var bytes: [UInt8] = []
        var keeps = true
        for line in headerBlock.split(separator: 0x0A, omittingEmptySubsequences: true) {
            if line.first != 0x20, line.first != 0x09 {
                let name = String(decoding: line.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
                keeps = isKept(name.lowercased()) && name != "\r"
            }
            if keeps { bytes += line + [0x0A] }
        }
        bytes += Array("MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n".utf8)
        return MIMEParser.parse(bytes + Array(text.utf8))
    }
}
