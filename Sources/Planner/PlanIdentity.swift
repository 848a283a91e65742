import Crypto
public import Models

extension Plan {
    /// The id of the plan, such as `p:4f2a91`: the same for the same messages at the same places with the
    /// same actions.
    ///
    /// A user who types it has seen this plan and no other. Times are not part of it: "in two hours" means
    /// another time a minute later, but is the same request.
    public var id: String {
        var lines = [account.rawValue, origin.rulesDigest ?? ""]
        for item in items where !item.isUntouched {
            lines.append(Planning.placeText(item.key) + " " + item.message.rawValue)
            lines += item.decisions.map { $0.rule + " " + $0.action.identity }
            lines += item.threadKeys.map { "with " + Planning.placeText($0.key) }
        }
        // Each line is preceded by its length, because the name of a rule or a mailbox may contain any
        // character.
        let text = lines.map { "\($0.utf8.count):\($0)" }.joined(separator: ",")
        return "p:" + Hex.encode(SHA256.hash(Array(text.utf8)).prefix(3))
    }
}
