/// LIST of every mailbox, and what to tell of each. RFC 3501 §6.3.8, RFC 5258 §3, RFC 5819 §2, RFC 6154 §2.
///
/// Without options it is the plain form, which every server takes. Options need LIST-EXTENDED; SPECIAL-USE and STATUS need
/// their own capabilities too. If INBOX does not come back, the server means something else by the options: ask again
/// with ``plain``.
///
///     list = "LIST" SP mailbox SP mbox-or-pat [SP "RETURN" SP "(" [return-option *(SP return-option)] ")"]
public struct ListRequest: Equatable, Sendable {
    /// `LIST "" "*"`
    public static let plain = ListRequest()
    /// `LIST "" "*" RETURN (SPECIAL-USE)`
    public static let specialUse = ListRequest(roles: true)
    /// `XLIST "" "*"`: what Gmail had before SPECIAL-USE.
    public static let xlist = ListRequest(isXList: true)

    /// Whether to request the roles of mailboxes. RFC 6154 §2.
    public let roles: Bool
    /// A STATUS for each mailbox that is listed; none when empty. RFC 5819 §2.
    public let status: [StatusItem]
    /// Whether the command is XLIST, which has no options.
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
