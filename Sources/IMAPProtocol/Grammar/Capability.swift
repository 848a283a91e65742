/// One thing that a server says it can do; compared without case. RFC 3501 §7.2.1.
public struct Capability: Hashable, Sendable, CustomStringConvertible {
    /// Upper case: `AUTH=PLAIN`.
    public let name: String

    public init(_ name: String) { self.name = name.utf8.uppercasedWord }

    public var description: String { name }

    public static let authPlain = Capability("AUTH=PLAIN")
    public static let condstore = Capability("CONDSTORE")
    public static let esearch = Capability("ESEARCH")
    public static let id = Capability("ID")
    public static let listExtended = Capability("LIST-EXTENDED")
    public static let literalMinus = Capability("LITERAL-")
    public static let literalPlus = Capability("LITERAL+")
    public static let loginDisabled = Capability("LOGINDISABLED")
    public static let move = Capability("MOVE")
    public static let namespace = Capability("NAMESPACE")
    public static let qresync = Capability("QRESYNC")
    public static let saslIR = Capability("SASL-IR")
    public static let specialUse = Capability("SPECIAL-USE")
    public static let startTLS = Capability("STARTTLS")
    public static let uidPlus = Capability("UIDPLUS")
    public static let unselect = Capability("UNSELECT")
    public static let xlist = Capability("XLIST")
}
