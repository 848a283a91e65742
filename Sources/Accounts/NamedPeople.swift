public import Models

extension Workspace {
    /// The address with the name that the user gave the person, unless it has a name.
    public func named(_ address: EmailAddress) -> EmailAddress {
        address.named(as: people.lazy.map(\.addressee))
    }
}
