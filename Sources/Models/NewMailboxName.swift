/// The name of a mailbox to make, as a person writes it: `/` between the levels.
public enum NewMailboxName {
    static let maximumLength = 500

    /// Why the name cannot be used; nil: it can.
    public static func problem(with name: String) -> String? {
        guard name.utf8.count <= maximumLength else {
            return "the name is longer than \(maximumLength) bytes"
        }
        guard !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            return "the name has a control character"
        }
        // Wildcards of LIST. RFC 9051 §6.3.9.
        guard !name.contains(where: { $0 == "*" || $0 == "%" }) else { return "the name has a * or %" }
        let levels = name.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.allSatisfy({ !$0.allSatisfy(\.isWhitespace) }) else {
            return "a level of the name is empty"
        }
        guard levels.allSatisfy({ $0.first?.isWhitespace == false && $0.last?.isWhitespace == false }) else {
            return "a level of the name begins or ends with a blank"
        }
        return nil
    }
}
