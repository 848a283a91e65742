import MIMEParser
public import Models

/// Reads the current versions of one draft from the account itself. A Message-ID alone does not distinguish a
/// version that opus saved from one that another program saved under it.
public struct DraftLook: Sendable {
    public struct Version: Sendable {
        public var target: Target
        public var uidValidity: UInt32
        /// nil: too large to compare, or removed meanwhile.
        public var bytes: [UInt8]?

        /// The ``MessageDigest`` of the bytes; nil if these are unknown.
        public var digest: String? { bytes.map { MessageDigest.of($0) } }
    }

    let sink: any MailSink
    let mailbox: MailboxName

    public init(sink: any MailSink, mailbox: MailboxName) {
        self.sink = sink
        self.mailbox = mailbox
    }

    /// The maximum size of a draft that is compared, in bytes.
    private static let limit = 50 << 20
    /// The maximum number of versions of one draft that are compared.
    private static let mostVersions = 20

    /// The versions of the draft, at most ``mostVersions``: messages with one of the Message-IDs, or with the
    /// header field that identifies the draft.
    public func versions(
        tokens: [MessageID], name: MessageID?
    ) async throws(SinkError) -> [Version] {
        guard try await sink.open(mailbox) != nil else { return [] }
        var found: [Target: UInt32] = [:]
        for token in tokens {
            for one in try await sink.find(token, in: mailbox) where one.messageID == token {
                found[Target(uid: one.uid, remoteName: one.remoteName)] = one.uidValidity
            }
        }
        if let name {
            let field = MessageBuilder.draftField
            for one in try await sink.find(field, name.rawValue, in: mailbox)
            where HeaderBlock.fields(of: one.header, named: [field.lowercased()]).contains(where: {
                $0.body == name.rawValue
            }) {
                found[Target(uid: one.uid, remoteName: one.remoteName)] = one.uidValidity
            }
        }
        var versions: [Version] = []
        let sorted = found.sorted {
            ($0.key.uid, $0.key.remoteName ?? "") < ($1.key.uid, $1.key.remoteName ?? "")
        }
        for (target, uidValidity) in sorted.suffix(Self.mostVersions) {
            let bytes = try await sink.content(of: target, in: mailbox, limit: Self.limit)
            versions.append(Version(target: target, uidValidity: uidValidity, bytes: bytes))
        }
        return versions
    }
}
