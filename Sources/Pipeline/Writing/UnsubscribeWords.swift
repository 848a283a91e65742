import MIMEParser
import Models

/// Limits what an untrusted message may make the user send, and to whom, in order to unsubscribe.
enum UnsubscribeWords {
    /// Replaces a text that is more than a command for a list program.
    static let plain = "unsubscribe"

    /// Whether a text is one short line, as list programs accept it.
    static func isCommand(_ text: String) -> Bool {
        text.count <= 200 && !text.contains(where: \.isNewline)
            && text.unicodeScalars.allSatisfy {
                !$0.properties.isDefaultIgnorableCodePoint && $0.value >= 0x20
            }
    }

    /// A sentence about a target that belongs neither to the list nor to the sender; nil: it belongs to one
    /// of them.
    static func stranger(_ target: String, of message: ParsedMessage) -> String? {
        let senders = (message.envelope.from + message.envelope.sender).map { $0.domain.lowercased() }
        let lists = message.header("List-Id").compactMap { field -> String? in
            guard let start = field.lastIndex(of: "<"), let end = field[start...].firstIndex(of: ">") else {
                return nil
            }
            return field[field.index(after: start)..<end].lowercased()
        }
        let known = senders + lists
        guard !known.contains(where: { isRelated(target.lowercased(), $0) }) else { return nil }
        var names: [String] = []
        for name in known where !names.contains(name) && !name.isEmpty { names.append(name) }
        return "\(target) is neither the list's domain nor the sender's"
            + (names.isEmpty ? "" : " (\(names.joined(separator: ", ")))")
    }

    /// Whether the domains are equal, one is below the other, or both are below the same registered domain.
    private static func isRelated(_ a: String, _ b: String) -> Bool {
        guard !a.isEmpty, !b.isEmpty else { return false }
        if a == b || a.hasSuffix("." + b) { return true }
        return registered(a).map { $0 == registered(b) } ?? false
    }

    /// `acme.co.uk` for `news.acme.co.uk`. In countries that register names below `co` and similar, three
    /// labels count.
    private static func registered(_ name: String) -> [Substring]? {
        let labels = name.split(separator: ".")
        guard labels.count >= 2 else { return nil }
        let isSecondLevel =
            labels[labels.count - 1].count == 2
            && ["ac", "co", "com", "edu", "gov", "gob", "ne", "net", "or", "org"].contains(
                labels[labels.count - 2])
        let count = isSecondLevel ? 3 : 2
        return labels.count >= count ? Array(labels.suffix(count)) : nil
    }
}
