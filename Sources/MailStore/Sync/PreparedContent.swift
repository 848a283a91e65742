/// The header and the text of a message as the store keeps and indexes them: compressed and folded before the transaction,
/// so that messages can be prepared beside the one writer.
struct PreparedContent: Hashable, Sendable {
    let headers: [UInt8]
    let text: [UInt8]
    let indexed: IndexedText

    init(headerBlock: [UInt8], text: String) {
        let text = Packed.text(text)
        headers = PackedContent.pack(headerBlock)
        self.text = PackedContent.pack(text)
        indexed = IndexedText(text)
    }
}

extension NewMessage {
    /// Does the work on header and text now that otherwise delays the transaction. Call it when both are final.
    public mutating func prepare() {
        prepared = PreparedContent(headerBlock: headerBlock, text: text)
    }
}
