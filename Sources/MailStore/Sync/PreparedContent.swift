/// The header and the text of a message in the form in which the store keeps and indexes them.
///
/// They are compressed and folded before the transaction, so several messages can be prepared at once while
/// the only writer is busy.
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
    /// Compresses and folds header and text now, so that the transaction need not. Call it when both are final.
    public mutating func prepare() {
        prepared = PreparedContent(headerBlock: headerBlock, text: text)
    }
}
