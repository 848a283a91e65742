/// A list of senders that opus writes: a file of the workspace. Rules can name it in `lists:`.
public struct SenderList: RawRepresentable, Hashable, Codable, Sendable {
    /// The file name without its extension.
    public let rawValue: String

    /// nil: the text cannot be the name of a list.
    public init?(rawValue: String) {
        let isName =
            !rawValue.isEmpty && rawValue.utf8.count <= 64
            && rawValue.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || $0 == 0x2D || $0 == 0x5F
            }
        guard isName else { return nil }
        self.rawValue = rawValue
    }

    private init(_ name: String) { rawValue = name }

    /// Senders whose mail goes to the inbox.
    public static let approved = SenderList("approved")
    /// Senders whose mail the user does not want.
    public static let denied = SenderList("denied")

    /// Senders from which the user unsubscribed; a comment says when.
    public static let unsubscribed = SenderList("unsubscribed")

    /// The folder of all lists, relative to the workspace.
    public static let folder = "lists"

    public var fileName: String { rawValue + ".txt" }

    /// Relative to the workspace: `lists/approved.txt`.
    public var path: String { Self.folder + "/" + fileName }
}
