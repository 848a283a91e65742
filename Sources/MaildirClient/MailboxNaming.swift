import Models

/// Maildir++ folder names: `.Work.Invoices` is shown as `Work/Invoices`, in modified UTF-7 on disk.
///
/// A name that is no valid modified UTF-7 is shown as it is: many programs write UTF-8. RFC 3501 §5.1.3.
enum MailboxNaming {
    static let delimiter = UInt8(ascii: ".")

    static func displayName(_ name: MailboxName) -> String {
        let text = decode(name.bytes) ?? String(decoding: name.bytes, as: UTF8.self)
        return text.split(separator: ".", omittingEmptySubsequences: false).joined(separator: "/")
    }

    /// The name on disk for what a person calls a mailbox; nil when it cannot be one.
    static func name(forDisplayName text: String) -> MailboxName? {
        if text.lowercased() == "inbox" { return .inbox }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(where: { $0.contains(".") }) else { return nil }
        let name = MailboxName(bytes: encode(parts.joined(separator: ".")))
        return isValid(name) ? name : nil
    }

    /// Whether `.` + name is one folder name without empty levels.
    static func isValid(_ name: MailboxName) -> Bool {
        let bytes = name.bytes
        guard !bytes.isEmpty, bytes.count <= 250 else { return false }
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "/") }) else {
            return false
        }
        return bytes.split(separator: delimiter, omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
    }

    // MARK: Modified UTF-7

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,".utf8)

    /// nil for anything but well-formed modified UTF-7.
    static func decode(_ bytes: [UInt8]) -> String? {
        var units: [UInt16] = []
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            guard byte >= 0x20, byte < 0x7F else { return nil }
            index += 1
            guard byte == UInt8(ascii: "&") else {
                units.append(UInt16(byte))
                continue
            }
            guard let end = bytes[index...].firstIndex(of: UInt8(ascii: "-")) else { return nil }
            if end == index {
                units.append(UInt16(byte))
            } else {
                guard let run = decodeRun(bytes[index..<end]) else { return nil }
                units += run
            }
            index = end + 1
        }
        return String(validating: units, as: UTF16.self)
    }

    private static func decodeRun(_ run: ArraySlice<UInt8>) -> [UInt16]? {
        var units: [UInt16] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in run {
            guard let value = alphabet.firstIndex(of: byte) else { return nil }
            bits = (bits << 6 | UInt32(value)) & 0x3F_FFFF
            count += 6
            if count >= 16 {
                count -= 16
                units.append(UInt16(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        // What is left over is padding, and padding is zero.
        return count < 6 && bits & ((1 << UInt32(count)) - 1) == 0 ? units : nil
    }

    static func encode(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var run: [UInt16] = []
        for scalar in text.unicodeScalars {
            if scalar.value >= 0x20, scalar.value < 0x7F {
                bytes += encodeRun(run)
                run = []
                bytes.append(UInt8(scalar.value))
                if scalar == "&" { bytes.append(UInt8(ascii: "-")) }
            } else {
                run += Array(String(scalar).utf16)
            }
        }
        return bytes + encodeRun(run)
    }

    private static func encodeRun(_ run: [UInt16]) -> [UInt8] {
        guard !run.isEmpty else { return [] }
        var bytes = [UInt8(ascii: "&")]
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for unit in run {
            bits = (bits << 16 | UInt32(unit)) & 0x3F_FFFF
            count += 16
            while count >= 6 {
                count -= 6
                bytes.append(alphabet[Int(bits >> count & 0x3F)])
            }
        }
        if count > 0 { bytes.append(alphabet[Int(bits << (6 - count) & 0x3F)]) }
        return bytes + [UInt8(ascii: "-")]
    }
}

/// What mailboxes are called in the field. Compared without case; the first name that is there wins.
enum WellKnownMailboxes {
    static let names: [(role: MailboxRole, names: [String])] = [
        (.archive, ["archive", "archives", "all mail"]),
        (.drafts, ["drafts", "draft"]),
        (.sent, ["sent", "sent items", "sent messages", "sent mail", "sent-mail"]),
        (.trash, ["trash", "deleted items", "deleted messages", "deleted", "bin"]),
        (.junk, ["junk", "spam", "junk e-mail", "junk email", "junk mail", "bulk mail"]),
        (.deferred, ["deferred", "snoozed"]),
    ]

    /// Gives every role to at most one mailbox. The user's own folders (`folders:` in opus.yaml) come first.
    static func assign(to mailboxes: [Mailbox], folders: [MailboxRole: String]) -> [Mailbox] {
        var assigned = mailboxes
        for (role, names) in names {
            let wanted = folders[role].map { [$0.lowercased()] } ?? names
            let candidates = wanted.lazy.compactMap { name in
                assigned.firstIndex { $0.role == nil && spellings(of: $0).contains(name) }
            }
            if let index = candidates.first { assigned[index].role = role }
        }
        return assigned
    }

    /// Courier and some Dovecot servers keep everything below INBOX.
    private static func spellings(of mailbox: Mailbox) -> [String] {
        let name = mailbox.displayName.lowercased()
        let raw = mailbox.name.description.lowercased()
        return name.hasPrefix("inbox/") ? [name, raw, String(name.dropFirst("inbox/".count))] : [name, raw]
    }
}
