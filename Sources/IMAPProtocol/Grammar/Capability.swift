/// A capability of a server. Comparison ignores case. RFC 3501 §7.2.1.
public struct Capability: Hashable, Sendable, CustomStringConvertible {
    /// Upper case: `AUTH=PLAIN`.
    public let name: String

    public init(_ name: String) { self.name = name.utf8.uppercasedWord }

    public var description: String { name }

    public static let acl = Capability("ACL")
    public static let appendLimit = Capability("APPENDLIMIT")
    public static let authPlain = Capability("AUTH=PLAIN")
    public static let children = Capability("CHILDREN")
    public static let compressDeflate = Capability("COMPRESS=DEFLATE")
    public static let condstore = Capability("CONDSTORE")
    public static let enable = Capability("ENABLE")
    public static let esearch = Capability("ESEARCH")
    /// X-GM-EXT-1: Gmail's labels and ids.
    public static let gmail = Capability("X-GM-EXT-1")
    public static let id = Capability("ID")
    public static let idle = Capability("IDLE")
    public static let imap4rev1 = Capability("IMAP4REV1")
    public static let imap4rev2 = Capability("IMAP4REV2")
    public static let listExtended = Capability("LIST-EXTENDED")
    public static let listStatus = Capability("LIST-STATUS")
    public static let literalMinus = Capability("LITERAL-")
    public static let literalPlus = Capability("LITERAL+")
    public static let loginDisabled = Capability("LOGINDISABLED")
    public static let move = Capability("MOVE")
    public static let namespace = Capability("NAMESPACE")
    public static let notify = Capability("NOTIFY")
    public static let objectID = Capability("OBJECTID")
    public static let partial = Capability("PARTIAL")
    public static let qresync = Capability("QRESYNC")
    public static let quota = Capability("QUOTA")
    public static let saslIR = Capability("SASL-IR")
    public static let searchRes = Capability("SEARCHRES")
    public static let specialUse = Capability("SPECIAL-USE")
    public static let startTLS = Capability("STARTTLS")
    public static let statusSize = Capability("STATUS=SIZE")
    public static let uidPlus = Capability("UIDPLUS")
    public static let unselect = Capability("UNSELECT")
    public static let utf8Accept = Capability("UTF8=ACCEPT")
    public static let xlist = Capability("XLIST")
}

extension Set<Capability> {
    /// The longest message that APPEND takes in any mailbox: `APPENDLIMIT=35651584`. RFC 7889 §2.
    public var appendLimit: UInt64? {
        lazy.compactMap { capability in
            capability.name.hasPrefix("APPENDLIMIT=") ? UInt64(capability.name.dropFirst(12)) : nil
        }.first
    }

    /// The mechanisms that AUTHENTICATE offers, in upper case and sorted: `PLAIN`, `XOAUTH2`.
    public var authenticationMechanisms: [String] {
        compactMap { $0.name.hasPrefix("AUTH=") ? String($0.name.dropFirst(5)) : nil }.sorted()
    }

    /// What IMAP4rev2 means without naming it: a server may list that alone. RFC 9051 §1, appendix E.
    public var withImplied: Set<Capability> {
        guard contains(.imap4rev2) else { return self }
        return union([
            .namespace, .unselect, .uidPlus, .esearch, .searchRes, .enable, .idle, .saslIR, .listExtended,
            .listStatus, .move, .literalMinus, .specialUse, .statusSize,
        ])
    }
}
