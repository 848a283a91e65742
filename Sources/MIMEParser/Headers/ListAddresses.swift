/// The addresses of one list field, such as `List-Unsubscribe: <mailto:…>, <https://…>`. RFC 2369 §2.
public enum ListAddresses {
    private static let most = 10
    private static let longest = 2_000

    /// The field names without `List-`.
    public static let fields = ["archive", "help", "owner", "post", "subscribe", "unsubscribe"]

    /// The texts between `<` and `>` in order, at most ten, without folding blanks. Only printable ASCII counts.
    public static func read(_ body: String) -> [String] {
        body.split(separator: "<", omittingEmptySubsequences: false).dropFirst().prefix(most).compactMap {
            piece in
            guard let end = piece.firstIndex(of: ">") else { return nil }
            let address = piece[..<end].filter { !$0.isWhitespace }
            let isPlain = address.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value < 0x7F }
            return isPlain && address.count <= longest && !address.isEmpty ? address : nil
        }
    }
}
