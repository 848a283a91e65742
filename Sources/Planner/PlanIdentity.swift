import Crypto
public import Models

extension Plan {
    /// The plan's name, as in `p:4f2a91`: the same for the same messages at the same places with the same actions.
    ///
    /// A user who types it has seen this plan and no other. Times are not part of it: "in two hours" is another point
    /// in time a minute later, but the same request.
    public var id: String {
        var lines = [account.rawValue, origin.rulesDigest ?? ""]
        for item in items where !item.isUntouched {
            lines.append(Planning.placeText(item.key) + " " + item.message.rawValue)
            lines += item.decisions.map { $0.rule + " " + $0.action.identity }
            lines += item.threadKeys.map { "with " + Planning.placeText($0.key) }
        }
        // Lengths before the lines, because a rule or a mailbox may be called anything.
        let text = lines.map { "\($0.utf8.count):\($0)" }.joined(separator: ",")
        return "p:" + Hex.encode(SHA256.hash(Array(text.utf8)).prefix(3))
    }
}
