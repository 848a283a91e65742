/// What made a plan and so its run: the rules or a command.
extension Plan {
    public enum Origin: Hashable, Sendable {
        /// SHA-256 of the rule files, in hex. A plan is stale if the rules have changed since.
        case rules(digest: String)
        /// A command on messages that the user chose.
        case hand

        /// nil for a plan by hand.
        public var rulesDigest: String? {
            switch self {
            case .rules(let digest): digest
            case .hand: nil
            }
        }

        /// The cause of the steps of such a plan. `name` is the `rule` of a decision.
        public func cause(_ name: String) -> Step.Cause {
            switch self {
            case .rules: .rule(name)
            case .hand: .hand(name)
            }
        }
    }
}

/// In a plan file, the origin is the digest of the rules; empty for a plan by hand.
extension Plan.Origin: Codable {
    public init(from decoder: any Decoder) throws {
        let digest = try decoder.singleValueContainer().decode(String.self)
        self = digest.isEmpty ? .hand : .rules(digest: digest)
    }

    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(rulesDigest ?? "")
    }
}
