import Models
import YAMLSource

/// Reads `identities:` of an account: `- { from: sales@acme.example, name: Acme Sales, sent: Sent/Sales }`.
struct IdentityReader {
    static let keys = ["from", "name", "sent"] + SignatureReader.keys

    let location: WorkspaceLocation

    func identities(_ node: YAMLNode, _ title: String, _ reader: inout ConfigReader) -> [Identity] {
        guard let nodes = node.sequence else {
            reader.report(
                "C006", at: node, "'identities' is \(node.kindName), not a list",
                suggestion: "identities: [{ from: sales@acme.example, name: Acme Sales }]")
            return []
        }
        var found: [Identity] = []
        for node in nodes {
            guard
                let section = reader.section(node, "an identity of \(title)", keys: Self.keys),
                let identity = identity(section, title, &reader)
            else { continue }
            if found.contains(where: { $0.address.comparable == identity.address.comparable }) {
                reader.report(
                    "C009", at: section.node("from") ?? node,
                    "\(title) has two identities with the address \(identity.address.addrSpec)")
            }
            found.append(identity)
        }
        return found
    }

    private func identity(
        _ section: ConfigReader.Section, _ title: String, _ reader: inout ConfigReader
    ) -> Identity? {
        guard let from = section.node("from") else {
            reader.missing("from", in: section)
            return nil
        }
        let name = reader.text("name", in: section)
        let sent = reader.text("sent", in: section)
        if sent?.lowercased() == "inbox", let place = section.node("sent") {
            reader.report("C009", at: place, "'sent' cannot be the inbox itself")
        }
        let signature = SignatureReader(location: location).signature(section, section.title, &reader)
        guard let address = reader.address(from) else { return nil }
        return Identity(
            address: address, name: name, signature: signature, sentMailbox: sent,
            place: SourcePlace(file: location.shownFile, line: section.node.line))
    }
}
