/// Files of a message that are to be saved below the attachments folder, with the names that they will have.
public struct SavedFiles: Hashable, Codable, Sendable {
    /// One file of the message.
    public struct File: Hashable, Codable, Sendable {
        /// The part's number as IMAP counts, as in ``Attachment/section``.
        public var section: String
        /// A file name that is safe to use; what the sender called it stays in the message.
        public var name: String
        /// Decoded bytes; an estimate when only the structure is known.
        public var size: Int

        public init(section: String, name: String, size: Int) {
            self.section = section
            self.name = name
            self.size = size
        }
    }

    /// More files of one message are not saved.
    public static let mostFiles = 50
    /// Bytes of one file.
    public static let largestFile = 50 << 20
    /// Bytes of a message whose files are saved: the largest file in base64, and room for its company.
    public static let largestMessage = 100 << 20

    /// Below the attachments folder, parts joined by `/`; empty: that folder itself.
    public var folder: String
    public var files: [File]

    public init(folder: String, files: [File]) {
        self.folder = folder
        self.files = files
    }

    /// Each file as a path below the attachments folder.
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
