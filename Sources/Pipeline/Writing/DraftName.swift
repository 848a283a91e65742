import Crypto
public import Models

/// The short ids of drafts: a hash of their Message-ID, never a row number.
public enum DraftName {
    public static func hash(of id: MessageID) -> String {
        Crockford.encode(Array(SHA256.hash(Array(id.rawValue.utf8)).prefix(10))).lowercased()
    }

    /// The shortest unique prefix of four or more characters.
    static func short(_ id: MessageID, among others: [MessageID]) -> String {
        let own = hash(of: id)
        let shared = others.filter { $0 != id }.map { other in
            zip(own, hash(of: other)).prefix { $0 == $1 }.count
        }
        return "d:" + own.prefix(max(4, (shared.max() ?? 0) + 1))
    }
}
