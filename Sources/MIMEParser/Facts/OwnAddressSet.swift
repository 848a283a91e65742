public import Models

/// The addresses of the user. An address with a tag after a plus sign, such as `ana+shop@acme.example`, counts as the
/// address without the tag. RFC 5233 §2.
public struct OwnAddressSet: Sendable {
    private let known: Set<String>
    /// The addresses as `EmailAddress.person`.
    public let people: Set<String>

    public init(_ addresses: [EmailAddress]) {
        let all = addresses.flatMap { [$0] + $0.otherSpellings }
        known = Set(all.map(\.comparable))
        people = Set(all.map(\.person))
    }

    /// `text`: in lower case.
    public func isNamed(in text: String) -> Bool { known.contains { text.contains($0) } }

    public func contains(_ address: EmailAddress) -> Bool {
        known.contains(address.comparable)
            || address.untagged.map { known.contains($0.comparable) } ?? false
    }
}
