import Models

/// Conditions on the ids of a message: its `Message-ID`, and the id that opus shows.
extension ConditionEntry {
    static let messageID = ConditionEntry(
        "mid", "structure", .identity(.messageID), "its Message-ID, with or without <>",
        "mid:q3.42@acme.example")

    static let opusID = ConditionEntry(
        "id", "structure", .identity(.id), "the id that opus shows, or its beginning", "id:7k2q")
}

enum IdentityField: Hashable, Sendable {
    case messageID
    case id

    /// Converts a typed id to its comparable form.
    func comparable(_ typed: String) -> String {
        let text = typed.trimmingBlanks()
        switch self {
        case .messageID:
            return text.hasPrefix("<") && text.hasSuffix(">") ? String(text.dropFirst().dropLast()) : text
        case .id:
            let lowered = text.lowercased()
            return lowered.hasPrefix("m:") ? String(lowered.dropFirst(2)) : lowered
        }
    }
}
