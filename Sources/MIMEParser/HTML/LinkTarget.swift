/// The target of a link, read as in browsers: a web address, a mail address or a telephone number; anything else is not
/// a target.
///
/// Tabs, line ends and invisible characters are removed, backslashes become slashes, and any number of them may follow
/// the scheme. The same result is judged and written.
struct LinkTarget {
    private enum Scheme: CaseIterable {
        case https
        case http
        case mailto
        case tel

        var word: StaticString {
            switch self {
            case .https: "https"
            case .http: "http"
            case .mailto: "mailto"
            case .tel: "tel"
            }
        }
    }

    /// With the scheme in lower case; safe to show.
    let bytes: [UInt8]
    private let scheme: Scheme
    /// The text after the scheme and its slashes.
    private let rest: Range<Int>

    private static let maximumLength = 2_048

    init?(_ value: UnsafeBufferPointer<UInt8>) {
        guard value.count <= Self.maximumLength else { return nil }
        let url = VisibleText.stripped(value)
        guard let colon = url.prefix(7).firstIndex(of: ASCII.colon),
            let scheme = Scheme.allCases.first(where: { url[..<colon].isWord($0.word) })
        else { return nil }
        self.scheme = scheme
        let isWeb = scheme == .http || scheme == .https
        let after = url[(colon + 1)...]
        let rest = isWeb ? after.drop { $0 == ASCII.slash || $0 == ASCII.backslash } : after
        var bytes: [UInt8] = []
        bytes.reserveCapacity(rest.count + 9)
        scheme.word.withUTF8Buffer { bytes += $0 }
        bytes.append(ASCII.colon)
        if isWeb { bytes += [ASCII.slash, ASCII.slash] }
        self.rest = bytes.count..<(bytes.count + rest.count)
        self.bytes = bytes + rest
        guard isPlausible else { return nil }
    }

    private var isPlausible: Bool {
        switch scheme {
        case .http, .https: !hostPart.isEmpty
        case .mailto: !rest.isEmpty
        case .tel: bytes[rest].contains(where: \.isDigit) && bytes[rest].allSatisfy(Self.isOfNumber)
        }
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x23, ASCII.percent, 0x28...0x2E, ASCII.semicolon, ASCII.equals: true
        case _: byte.isDigit || byte.isLetter
        }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    // MARK: The host

    /// Of the web or of the mail address, in lower case; nil for telephone numbers.
    var host: String? {
        switch scheme {
        case .http, .https: HostName.normalised(hostPart)
        case .mailto: mailHost
        case .tel: nil
        }
    }

    /// A user name before the host that looks like a host itself: `https://bank.example@evil.example`.
    var hasDeceptiveUser: Bool {
        guard scheme != .mailto, let at = authority.lastIndex(of: ASCII.at) else { return false }
        let user = PercentCoding.decoded(authority[..<at])
        return user.contains(ASCII.dot) || user.contains(ASCII.at)
    }

    private var authority: ArraySlice<UInt8> { HostName.authority(of: bytes[rest]) }

    private var hostPart: ArraySlice<UInt8> {
        let authority = authority
        return authority.lastIndex(of: ASCII.at).map { authority[($0 + 1)...] } ?? authority
    }

    private var mailHost: String? {
        let address = PercentCoding.decoded(bytes[rest].prefix { $0 != ASCII.question })
        return address.lastIndex(of: ASCII.at).map { HostName.normalised(address[($0 + 1)...]) }
    }

    // MARK: The text of the link

    /// Whether a link's text says all that the target does, so that the target need not be written beside it.
    func isSaid(by text: ArraySlice<UInt8>) -> Bool {
        if scheme == .tel, !text.contains(where: \.isLetter) {
            let digits = text.filter(\.isDigit)
            return !digits.isEmpty && digits == bytes[rest].filter(\.isDigit)
        }
        let said = Self.core(of: text)
        let meant = Self.core(of: bytes[...])
        guard said.count == meant.count else { return false }
        // The case of a path may matter, that of a host does not.
        let hostEnd = meant.firstIndex(of: ASCII.slash) ?? meant.endIndex
        let hostCount = hostEnd - meant.startIndex
        return said.dropFirst(hostCount).elementsEqual(meant[hostEnd...])
            && said.prefix(hostCount).elementsEqual(meant[..<hostEnd]) {
                $0.lowercasedASCII == $1.lowercasedASCII
            }
    }

    /// Without scheme, `www.` and the last slash.
    private static func core(of url: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var core = url
        for start: StaticString in ["https://", "http://", "mailto:", "tel:", "www."] {
            let count = start.utf8CodeUnitCount
            if core.count > count, core.prefix(count).isWord(start) { core = core.dropFirst(count) }
        }
        return core.last == ASCII.slash ? core.dropLast() : core
    }
}
