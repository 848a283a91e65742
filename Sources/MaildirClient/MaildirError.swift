import Glibc
public import Models

/// Why a Maildir could not be read or changed.
public enum MaildirError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The folder of the account is missing, for example because a disk is not mounted. Nothing is created.
    case missingRoot(path: String)
    /// The folder has neither a `cur` nor a mailbox called INBOX.
    case notAMaildir(path: String)
    case noSuchMailbox(MailboxName, path: String)
    /// A mailbox or message name that cannot be a file name.
    case invalidName(String)
    /// The message left the mailbox after it was listed.
    case gone(unique: String)
    /// Another message with this name is already there. Both stay unchanged.
    case alreadyExists(unique: String, MailboxName)
    /// All 26 letters of `dovecot-keywords` are in use.
    case tooManyKeywords(MailboxName)
    /// `dovecot-keywords` is a symbolic link: opus would replace it, or give a letter two meanings.
    case linkedKeywords(path: String)
    /// Another program holds the lock of the keywords file.
    case locked(path: String)
    case tooManyFiles(path: String, maximum: Int)
    case noSpace(path: String)
    case permission(path: String)
    case io(errno: Int32, path: String)
    /// The user's settings do not allow the change. Nothing was changed.
    case notAllowed(Permission, allowed: String)

    public var description: String {
        switch self {
        case .missingRoot(let path):
            "the mail folder \(path) does not exist; mount it, or correct `maildir` in opus.yaml"
        case .notAMaildir(let path):
            "\(path) is not a Maildir: it has neither a folder `cur` nor a mailbox `INBOX`; "
                + "correct `maildir` in opus.yaml"
        case .noSuchMailbox(let name, let path):
            "mailbox \(name) not found (looked for \(path)); create it, or correct its name"
        case .invalidName(let name):
            "the name \(name) cannot be used in a Maildir; use one without slashes and empty parts"
        case .gone(let unique):
            "message file \(unique) is gone: another program moved or removed it; sync again"
        case .alreadyExists(let unique, let mailbox):
            "mailbox \(mailbox) already has another message file \(unique), perhaps a restored copy; "
                + "nothing was moved: delete or rename one of the two files, then sync again"
        case .tooManyKeywords(let mailbox):
            "mailbox \(mailbox) has 26 labels, and a Maildir holds no more; "
                + "take one off all of its messages, then remove its line from dovecot-keywords"
        case .linkedKeywords(let path):
            "\(path) is a symbolic link, so opus sets no new label here; replace it by a copy of the file"
        case .locked(let path):
            "another program has locked \(path); try again when it has finished"
        case .tooManyFiles(let path, let maximum):
            "\(path) holds more than \(maximum) files; split it into several mailboxes"
        case .noSpace(let path):
            "no space left to write \(path); free some, then sync again"
        case .permission(let path):
            "no permission to use \(path); check its owner and mode"
        case .notAllowed(let permission, let allowed):
            "nothing was changed: allow: \(allowed) in opus.yaml does not let opus \(permission.words)"
        case .io(let number, let path):
            "system error \(number) (\(systemText(number))) at \(path)"
        }
    }

    /// The error for a failed system call.
    static func system(_ number: Int32, _ path: BytePath) -> MaildirError {
        switch number {
        case ENOSPC, EDQUOT: .noSpace(path: path.description)
        case EACCES, EPERM, EROFS: .permission(path: path.description)
        case _: .io(errno: number, path: path.description)
        }
    }
}

private func systemText(_ number: Int32) -> String {
    strerror(number).map { String(cString: $0) } ?? "unknown"
}
