/// The items to request of each message. Always `BODY.PEEK`, which does not set `\Seen`. RFC 3501 §6.4.5.
public struct FetchItems: Hashable, Sendable {
    /// How much of the message itself.
    public enum Body: Hashable, Sendable {
        /// All of it; what is longer than `maximum` is read past and reported as omitted.
        case whole(maximum: Int)
        /// So many octets from the start.
        case first(Int)
    }

    public var flags = false
    public var internalDate = false
    public var size = false
    /// Needs CONDSTORE.
    public var modSeq = false
    /// The header block, up to `headerMaximum`; a longer one is read past and reported as omitted.
    public var header = false
    public var headerMaximum = 1_024 * 1_024
    public var body: Body?
    /// Only messages whose MODSEQ is greater. Needs CONDSTORE; never 0. RFC 7162 §3.1.4.
    public var changedSince: UInt64?
    /// With ``changedSince``: also what is gone since then. Needs QRESYNC, enabled. RFC 7162 §3.2.6.
    public var vanished = false
    public var envelope = false
    public var bodyStructure = false
    public var sections: [SectionRequest] = []
    /// EMAILID and THREADID. Need OBJECTID.
    public var objectIDs = false
    /// X-GM-MSGID and X-GM-THRID. Need X-GM-EXT-1.
    public var gmailIDs = false
    public var gmailLabels = false

    public init(
        flags: Bool = false, internalDate: Bool = false, size: Bool = false, modSeq: Bool = false,
        header: Bool = false, body: Body? = nil, changedSince: UInt64? = nil
    ) {
        self.flags = flags
        self.internalDate = internalDate
        self.size = size
        self.modSeq = modSeq
        self.header = header
        self.body = body
        self.changedSince = changedSince
    }

    /// Flags only.
    public static let flags = FetchItems(flags: true)
    /// Everything but the message: flags, time and size.
    public static let listing = FetchItems(flags: true, internalDate: true, size: true)

    /// Whether only beginnings of message data are requested, so that the beginning of a longer answer will do.
    public var wantsStart: Bool {
        guard !header, sections.allSatisfy({ $0.offset == 0 || $0.kind != .content }) else { return false }
        return switch body {
        case .first: true
        case .whole: false
        case nil: sections.contains { $0.offset == 0 }
        }
    }

    /// The most octets of message data that a fitting answer can carry.
    public var bodyLimit: Int {
        let headerLimit = (header ? headerMaximum : 0) + sections.reduce(0) { $0 + $1.count }
        return switch body {
        case nil: headerLimit
        case .whole(let maximum): headerLimit + max(0, maximum)
        case .first(let count): headerLimit + max(0, count)
        }
    }
}

extension FetchItems {
    /// `(UID FLAGS BODY.PEEK[HEADER])`; the UID is always requested.
    func text() throws(EncodingError) -> String {
        var names = ["UID"]
        if flags { names.append("FLAGS") }
        if internalDate { names.append("INTERNALDATE") }
        if size { names.append("RFC822.SIZE") }
        if modSeq { names.append("MODSEQ") }
        if envelope { names.append("ENVELOPE") }
        if bodyStructure { names.append("BODYSTRUCTURE") }
        if objectIDs { names += ["EMAILID", "THREADID"] }
        if gmailIDs { names += ["X-GM-MSGID", "X-GM-THRID"] }
        if gmailLabels { names.append("X-GM-LABELS") }
        if header { names.append("BODY.PEEK[HEADER]") }
        for section in sections { names.append(try section.text()) }
        switch body {
        case nil: break
        case .whole: names.append("BODY.PEEK[]")
        case .first(let count): names.append("BODY.PEEK[]<0.\(max(1, count))>")
        }
        let list = "(\(names.joined(separator: " ")))"
        guard let changedSince, changedSince > 0 else { return list }
        return "\(list) (CHANGEDSINCE \(changedSince)\(vanished ? " VANISHED" : ""))"
    }
}
