/// A message file with its current name.
struct MessageFile {
    let raw: [UInt8]
    /// Whether it is in `new`; otherwise it is in `cur`.
    let isNew: Bool
    var name: MaildirFileName { MaildirFileName(raw) }
}
