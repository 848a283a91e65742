import Accounts
import Models

/// The addresses that the user writes from.
struct OwnAddresses: Sendable {
    let workspace: Workspace

    /// The address with the name of the user.
    func named(_ address: EmailAddress) -> EmailAddress {
        EmailAddress(displayName: workspace.name, localPart: address.localPart, domain: address.domain)
    }

    /// The account that sends for an address; one that is not the user's is refused.
    func writer(_ from: EmailAddress) throws(Problem) -> (Account, EmailAddress) {
        let exact = workspace.accounts.first { $0.address.comparable == from.comparable }
        let isOwn = workspace.addresses.contains { $0.comparable == from.comparable }
        guard let account = exact ?? (isOwn ? workspace.accounts.first : nil) else {
            throw Problem(
                "not-your-address", exit: .badData, message: "\(from.addrSpec) is not one of your addresses",
                place: workspace.configFile,
                next: [
                    "one of: " + workspace.addresses.map(\.addrSpec).joined(separator: ", "),
                    "add it under me: { addresses: [ … ] }",
                ])
        }
        return (account, from.displayName.isEmpty ? named(from) : from)
    }
}
