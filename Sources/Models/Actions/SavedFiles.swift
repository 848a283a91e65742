/// Files of a message to save below the attachments folder, with their new names.
public struct SavedFiles: Hashable, Codable, Sendable {
    /// One file of the message.
    public struct File: Hashable, Codable, Sendable {
        /// The number of the part in IMAP, as in ``Attachment/section``. RFC 3501 §6.4.5.
        public var section: String
        /// A safe file name, made from the sender's. The message keeps the sender's name.
        public var name: String
        /// Bytes after decoding; an estimate if only the structure of the message is known.
        public var size: Int

        public init(section: String, name: String, size: Int) {
            self.section = section
            self.name = name
            self.size = size
        }
    }

    /// opus saves at most this many files of a message.
    public static let mostFiles = 50
    /// The largest file that opus saves, in bytes.
    public static let largestFile = 50 << 20
    /// The largest message whose files opus saves, in bytes: the largest file in base64, and room for other parts.
    public static let largestMessage = 100 << 20

    /// The folder below the attachments folder, its parts joined by `/`; empty: the attachments folder itself.
    public var folder: String
    public var files: [File]

    public init(folder: String, files: [File]) {
        self.folder = folder
        self.files = files
    }

    /// The path of each file below the attachments folder.
    public var paths: [String] { files.map { Self.path($0.name, in: folder) } }

    public static func path(_ name: String, in folder: String) -> String {
        folder.isEmpty ? name : folder + "/" + name
    }

    /// `a.pdf`, `a (2).pdf`, `a (3).pdf`: the names that are tried for a file, one after the other.
    public static func numbered(_ name: String, _ number: Int) -> String {
        guard number > 1 else { return name }
        let scalars = name.unicodeScalars
        let dot = scalars.lastIndex(of: ".") ?? scalars.endIndex
        return "\(name[..<dot]) (\(number))\(name[dot...])"
    }
}

/// A step of the journal that is known to have saved a file, or to have found it there already.
public struct FileSaver: Hashable, Sendable {
    /// Its row in the journal.
    public var row: Int64
    /// SHA-256 of the file after the step, hex.
    public var digest: String?
    /// Whether the file came with this step, and was not there before.
    public var isMaker: Bool
    /// The row of the step that removed it again.
    public var undoneBy: Int64?

    public init(row: Int64, digest: String?, isMaker: Bool, undoneBy: Int64? = nil) {
        self.row = row
        self.digest = digest
        self.isMaker = isMaker
        self.undoneBy = undoneBy
    }
}
