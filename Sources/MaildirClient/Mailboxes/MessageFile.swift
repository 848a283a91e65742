/// A message file as it is called now.
struct MessageFile {
    let raw: [UInt8]
    /// In `new`, not in `cur`.
    let isNew: Bool
    var name: MaildirFileName { MaildirFileName(raw) }
}
