/// The items to request of each message, always with `BODY.PEEK`, which does not set `\Seen`. RFC 3501 §6.4.5.
public struct FetchItems: Hashable, Sendable {
    /// How much of the message data to request.
    public enum Body: Hashable, Sendable {
        /// The whole message. If it is longer than `maximum` octets, the data is discarded and reported as omitted.
        case whole(maximum: Int)
        /// This many octets from the start.
        case first(Int)
    }

    public var flags = false
    public var internalDate = false
    public var size = false
    /// MODSEQ. Requires CONDSTORE.
    public var modSeq = false
    /// The header block. If it is longer than `headerMaximum` octets, it is discarded and reported as omitted.
    public var header = false
    public var headerMaximum = 1_024 * 1_024
    public var body: Body?
    /// Only messages whose MODSEQ is greater. Requires CONDSTORE; never 0. RFC 7162 §3.1.4.
    public var changedSince: UInt64?
    /// With ``changedSince``: also messages that are gone since. Requires QRESYNC, enabled. RFC 7162 §3.2.6.
    public var vanished = false
    public var envelope = false
    public var bodyStructure = false
    public var sections: [SectionRequest] = []
    /// EMAILID and THREADID. Requires OBJECTID. RFC 8474 §5.
    public var objectIDs = false
    /// X-GM-MSGID and X-GM-THRID. Requires X-GM-EXT-1.
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

    /// Only the flags.
    public static let flags = FetchItems(flags: true)
    /// Everything except the message: flags, time and size.
    public static let listing = FetchItems(flags: true, internalDate: true, size: true)

    /// Whether the request is only for beginnings of message data, so that the beginning of a longer answer is enough.
    public var wantsStart: Bool {
        guard !header, sections.allSatisfy({ $0.offset == 0 || $0.kind != .content }) else { return false }
        return switch body {
        case .first: true
        case .whole: false
        case nil: sections.contains { $0.offset == 0 }
        }
    }

    /// The most octets of message data in an answer to this request.
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
