/// What the user may do in a mailbox, as a letter for each right. RFC 4314 §3.8.
///
///     myrights-data = "MYRIGHTS" SP mailbox SP rights
public struct RightsResponse: Equatable, Sendable {
    public var mailbox: [UInt8]
    /// Lower-case letters and digits: `lrswite`.
    public var rights: String

    public init(mailbox: [UInt8], rights: String) {
        self.mailbox = mailbox
        self.rights = rights
    }
}

extension RightsResponse {
    /// Whether the user may EXPUNGE there: `e`, or `d` on a server of RFC 2086, which has none of the newer letters. An
    /// empty answer forbids nothing.
    public var allowsExpunge: Bool {
        if rights.contains(where: "texk".contains) { return rights.contains("e") }
        return rights.isEmpty || rights.contains("d")
    }

    static func read(_ cursor: inout Cursor) throws(ParseFailure) -> RightsResponse {
        let mailbox = try cursor.astring("mailbox name")
        cursor.skipSpaces()
        let rights = cursor.isAtEnd ? [] : try cursor.astring("rights")
        return RightsResponse(mailbox: mailbox, rights: serverText(rights, maximum: 64))
    }
}
