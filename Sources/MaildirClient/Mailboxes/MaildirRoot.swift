/// The open folder of the account, and its layout.
struct MaildirRoot: ~Copyable {
    let folder: Descriptor
    let path: BytePath
    let layout: MaildirLayout
}
