import Accounts
import MIMEParser

extension Workspace {
    /// With international domains as they are in mail: `ana@bücher.example` is `ana@xn--bcher-kva.example`. Otherwise opus
    /// would not recognise mail from and to these addresses.
    func withMailDomains() -> Workspace {
        var workspace = self
        workspace.addresses = addresses.map(\.withMailDomain)
        for index in accounts.indices {
            workspace.accounts[index].address = accounts[index].address.withMailDomain
            for identity in accounts[index].identities.indices {
                let address = accounts[index].identities[identity].address
                workspace.accounts[index].identities[identity].address = address.withMailDomain
            }
        }
        for index in people.indices {
            workspace.people[index].address = people[index].address.withMailDomain
        }
        return workspace
    }
}
