public import Models

extension Workspace {
    /// The address with the name that the user gave the person, unless it has a name.
    public func named(_ address: EmailAddress) -> EmailAddress {
        guard address.displayName.isEmpty else { return address }
        return people.first { $0.address.comparable == address.comparable }?.addressee ?? address
    }
}
