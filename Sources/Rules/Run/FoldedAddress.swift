import Models

/// An address, folded once.
struct FoldedAddress {
    let address: EmailAddress
    let addrSpec: FoldedText
    let name: FoldedText
    let domain: FoldedText

    init(_ address: EmailAddress) {
        self.address = address
        addrSpec = FoldedText(address.comparable)
        name = FoldedText(address.displayName)
        domain = FoldedText(address.domain)
    }
}
