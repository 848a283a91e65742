/// LIST of every mailbox, with optional data for each. RFC 3501 §6.3.8, RFC 5258 §3, RFC 5819 §2, RFC 6154 §2.
///
/// Without options it is the plain form, which every server accepts. Options require LIST-EXTENDED; roles and STATUS
/// require their own capabilities too. If the answer does not contain INBOX, the server misunderstood the options:
/// repeat with ``plain``.
///
///     list = "LIST" SP mailbox SP mbox-or-pat [SP "RETURN" SP "(" [return-option *(SP return-option)] ")"]
public struct ListRequest: Equatable, Sendable {
    /// `LIST "" "*"`
    public static let plain = ListRequest()
    /// `LIST "" "*" RETURN (SPECIAL-USE)`
    public static let specialUse = ListRequest(roles: true)
    /// `XLIST "" "*"`: Gmail's command before SPECIAL-USE.
    public static let xlist = ListRequest(isXList: true)

    /// Whether to request the roles of mailboxes. RFC 6154 §2.
    public let roles: Bool
    /// The STATUS items to request for each mailbox; empty: none. RFC 5819 §2.
    public let status: [StatusItem]
    /// Whether the command is XLIST, which takes no options.
    let isXList: Bool

    public init(roles: Bool = false, status: [StatusItem] = []) {
        self.roles = roles
        self.status = status
        isXList = false
    }

    private init(isXList: Bool) {
        roles = false
        status = []
        self.isXList = isXList
    }
}

extension CommandWriter {
    mutating func write(_ request: ListRequest) throws(EncodingError) {
        words(#""" "*""#)
        var returns = request.roles ? ["SPECIAL-USE"] : []
        if !request.status.isEmpty {
            returns.append("STATUS (\(request.status.map(\.rawValue).joined(separator: " ")))")
        }
        if !returns.isEmpty { words("RETURN (\(returns.joined(separator: " ")))") }
    }
}
