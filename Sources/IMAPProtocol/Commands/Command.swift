public import SASL

/// Every command that this client can send. RFC 3501 §6, RFC 9051 §6.
///
/// There is no EXPUNGE without UIDs, no CLOSE, and no STORE by sequence number. Each command is one case. Its arguments
/// are a separate type that can write itself; the types of an extension are in the folder of the extension.
public enum Command: Sendable {
    case capability
    case noop
    case logout
    case startTLS
    /// Only if the server has not announced LOGINDISABLED, and never unencrypted over a network.
    case login(user: String, password: Secret)
    /// AUTHENTICATE with any mechanism. Without an initial response, or if the server has no SASL-IR, the line ends
    /// after the name of the mechanism, and the answers follow as ``ContinuationLine``s. An empty initial response is
    /// sent as `=`. RFC 3501 §6.2.2, RFC 4959.
    case authenticate(mechanism: String, initialResponse: Secret?)
    /// Identifies this client. RFC 2971 §3.1.
    case id([IDField])
    /// Only capabilities that the server offers; its `* ENABLED` lists those that it enabled. RFC 5161.
    case enable([Capability])
    /// After the tagged OK, both sides compress everything. RFC 4978.
    case compressDeflate
    /// Where the mailboxes of the user, of other users and of groups are. RFC 2342 §5.
    case namespace
    /// What the user may do in a mailbox. RFC 4314 §3.5.
    case myRights([UInt8])
    case list(ListRequest)
    case create([UInt8])
    /// RFC 3501 §6.3.6.
    case subscribe([UInt8])
    case select(SelectRequest)
    case status([UInt8], [StatusItem])
    case notify(NotifyRequest)
    /// Ends with ``ContinuationLine/done``, which the client sends only after the server's `+`. RFC 2177.
    case idle
    case uidFetch(UIDSet, FetchItems)
    case uidStore(UIDSet, FlagChange)
    case uidStoreLabels(UIDSet, LabelChange)
    /// MOVE. RFC 6851.
    case uidMove(UIDSet, to: [UInt8])
    case uidCopy(UIDSet, to: [UInt8])
    /// EXPUNGE of these UIDs only. RFC 4315 §2.1.
    case uidExpunge(UIDSet)
    /// `extended`: the server answers with a set, by ESEARCH, which it must offer.
    case uidSearch(SearchCriteria, extended: Bool)
    case append(AppendRequest)

    /// The longest command line in octets. Servers must accept 8,192 (RFC 7162 §4).
    public static let longestLine = 8_000

    /// The words that begin the command, without its tag: `UID FETCH`.
    public var name: String {
        switch self {
        case .capability: "CAPABILITY"
        case .noop: "NOOP"
        case .logout: "LOGOUT"
        case .startTLS: "STARTTLS"
        case .login: "LOGIN"
        case .authenticate: "AUTHENTICATE"
        case .id: "ID"
        case .enable: "ENABLE"
        case .compressDeflate: "COMPRESS"
        case .namespace: "NAMESPACE"
        case .myRights: "MYRIGHTS"
        case .list(let request): request.isXList ? "XLIST" : "LIST"
        case .create: "CREATE"
        case .subscribe: "SUBSCRIBE"
        case .select(let request): request.readOnly ? "EXAMINE" : "SELECT"
        case .status: "STATUS"
        case .notify: "NOTIFY"
        case .idle: "IDLE"
        case .uidFetch: "UID FETCH"
        case .uidStore, .uidStoreLabels: "UID STORE"
        case .uidMove: "UID MOVE"
        case .uidCopy: "UID COPY"
        case .uidExpunge: "UID EXPUNGE"
        case .uidSearch: "UID SEARCH"
        case .append: "APPEND"
        }
    }
}

// MARK: - Encoding

extension Command {
    /// The command as bytes. A set that is too long for one line is refused: split it first.
    ///
    /// - Parameters:
    ///   - tag: what the server's answer will carry.
    ///   - literals: how the server takes literals.
    ///   - lineLimit: the longest line, in octets, without its end; see ``ServerProfile/commandLineLimit``.
    ///   - isUTF8: UTF8=ACCEPT is enabled: names of mailboxes travel as UTF-8, and SEARCH names no charset. RFC 6855 §3.
    /// - Returns: the pieces to send, and where to wait.
    /// - Throws: ``EncodingError`` for what could not travel, or would smuggle in another command.
    public func encode(
        tag: CommandTag, literals: LiteralSupport, lineLimit: Int = Command.longestLine, isUTF8: Bool = false
    ) throws(EncodingError) -> EncodedCommand {
        var writer = CommandWriter(
            tag: tag, name: name, literals: literals, lineLimit: lineLimit, isUTF8: isUTF8)
        try writeArguments(to: &writer)
        return try writer.finish()
    }

    private func writeArguments(to writer: inout CommandWriter) throws(EncodingError) {
        switch self {
        case .capability, .noop, .logout, .startTLS, .namespace, .idle: break
        case .login(let user, let password):
            try writer.astring(Array(user.utf8))
            try writer.string(Array(password.reveal().utf8))
        case .authenticate(let mechanism, let response):
            try writer.atom(mechanism)
            if let response { writer.words(response.isEmpty ? "=" : response.reveal()) }
        case .id(let fields): try writer.write(fields)
        case .enable(let capabilities): for capability in capabilities { try writer.atom(capability.name) }
        case .compressDeflate: writer.words("DEFLATE")
        case .list(let request): try writer.write(request)
        case .create(let name), .subscribe(let name), .myRights(let name): try writer.mailbox(name)
        case .select(let request): try writer.write(request)
        case .status(let name, let items):
            try writer.mailbox(name)
            writer.words("(\(items.map(\.rawValue).joined(separator: " ")))")
        case .notify(let request): try writer.write(request)
        case .uidSearch(let criteria, let extended):
            if extended { writer.writeSearchReturn() }
            try writer.write(criteria)
        case .append(let request): try writer.write(request)
        case .uidFetch(let uids, let items):
            try writer.write(uids)
            writer.words(try items.text())
        case .uidStore(let uids, let change):
            try writer.write(uids)
            try writer.write(change)
        case .uidStoreLabels(let uids, let change):
            try writer.write(uids)
            try writer.write(change)
        case .uidMove(let uids, let destination), .uidCopy(let uids, let destination):
            try writer.write(uids)
            try writer.mailbox(destination)
        case .uidExpunge(let uids): try writer.write(uids)
        }
    }
}
