/// The folder of the account, open, and how its mailboxes are laid out.
struct MaildirRoot: ~Copyable {
    let folder: Descriptor
    let path: BytePath
    let layout: MaildirLayout
}
