/// Who made a plan, and so the run that carries it out: the rules, or a command.
extension Plan {
    public enum Origin: Hashable, Sendable {
        /// SHA-256 of the rule files, hex. A plan that other rules made is stale.
        case rules(digest: String)
        /// A command on messages that the user named.
        case hand

        /// nil for a plan by hand.
        public var rulesDigest: String? {
            switch self {
            case .rules(let digest): digest
            case .hand: nil
            }
        }

        /// Why the steps of such a plan are in the journal. `name` is the `rule` of a decision.
        public func cause(_ name: String) -> Step.Cause {
            switch self {
            case .rules: .rule(name)
            case .hand: .hand(name)
            }
        }
    }
}

/// In a plan file: the digest of the rules, empty for a plan by hand.
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
