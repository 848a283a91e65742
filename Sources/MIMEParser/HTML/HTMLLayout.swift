import CGumbo

/// What an element does to the lines of the text round it.
enum HTMLLayout {
    case inline
    case lineBreak
    /// Stands on lines of its own.
    case block
    /// With an empty line before and after.
    case paragraph
    case item
    case row
    case cell
    case rule
    case preformatted
    case quote

    init(_ tag: GumboTag) {
        switch tag {
        case GUMBO_TAG_BR: self = .lineBreak
        case GUMBO_TAG_P, GUMBO_TAG_H1, GUMBO_TAG_H2, GUMBO_TAG_H3, GUMBO_TAG_H4, GUMBO_TAG_H5, GUMBO_TAG_H6,
            GUMBO_TAG_FIGURE:
            self = .paragraph
        case GUMBO_TAG_LI: self = .item
        case GUMBO_TAG_TR: self = .row
        case GUMBO_TAG_TD, GUMBO_TAG_TH: self = .cell
        case GUMBO_TAG_HR: self = .rule
        case GUMBO_TAG_PRE, GUMBO_TAG_TEXTAREA, GUMBO_TAG_LISTING, GUMBO_TAG_XMP, GUMBO_TAG_PLAINTEXT:
            self = .preformatted
        case GUMBO_TAG_BLOCKQUOTE: self = .quote
        case GUMBO_TAG_ADDRESS, GUMBO_TAG_ARTICLE, GUMBO_TAG_ASIDE, GUMBO_TAG_CAPTION, GUMBO_TAG_CENTER,
            GUMBO_TAG_DD, GUMBO_TAG_DETAILS, GUMBO_TAG_DIR, GUMBO_TAG_DIV, GUMBO_TAG_DL, GUMBO_TAG_DT,
            GUMBO_TAG_FIELDSET, GUMBO_TAG_FIGCAPTION, GUMBO_TAG_FOOTER, GUMBO_TAG_FORM, GUMBO_TAG_HEADER,
            GUMBO_TAG_HGROUP, GUMBO_TAG_LEGEND, GUMBO_TAG_MAIN, GUMBO_TAG_MENU, GUMBO_TAG_NAV, GUMBO_TAG_OL,
            GUMBO_TAG_SECTION, GUMBO_TAG_SUMMARY, GUMBO_TAG_TABLE, GUMBO_TAG_TBODY, GUMBO_TAG_TFOOT,
            GUMBO_TAG_THEAD, GUMBO_TAG_UL:
            self = .block
        case _: self = .inline
        }
    }

    /// The element of that (ASCII) name, in any case.
    static func tag(named name: ArraySlice<UInt8>) -> GumboTag {
        guard name.count <= 32 else { return GUMBO_TAG_UNKNOWN }
        return name.map(\.lowercasedASCII).withUnsafeBytes { raw in
            guard let base = raw.bindMemory(to: CChar.self).baseAddress else { return GUMBO_TAG_UNKNOWN }
            return gumbo_tagn_enum(base, UInt32(raw.count))
        }
    }

    /// Elements whose content nobody reads.
    static func isSilent(_ tag: GumboTag) -> Bool {
        switch tag {
        case GUMBO_TAG_HEAD, GUMBO_TAG_STYLE, GUMBO_TAG_SCRIPT, GUMBO_TAG_TITLE, GUMBO_TAG_TEMPLATE,
            GUMBO_TAG_IFRAME, GUMBO_TAG_NOEMBED, GUMBO_TAG_NOFRAMES, GUMBO_TAG_OBJECT, GUMBO_TAG_SELECT,
            GUMBO_TAG_SVG, GUMBO_TAG_MATH:
            true
        case _: false
        }
    }

    /// Whether a style keeps an element from being shown: preheaders are hidden this way.
    static func hides(_ style: String) -> Bool {
        let squeezed = style.utf8.filter { !$0.isBlank }.map(\.lowercasedASCII)
        return String(decoding: squeezed, as: UTF8.self).contains("display:none")
    }
}

/// The links of a text: numbered in the order in which they come, written below it.
struct LinkNotes {
    private var open: [(target: String?, start: Int)] = []
    private var numbers: [String: Int] = [:]
    private var targets: [String] = []

    private static let limit = 500

    mutating func begin(_ target: String?, at start: Int) {
        open.append((target.flatMap(Self.shown), start))
    }

    /// The mark behind a link's text; none where there is no text, or where the text is the target.
    mutating func end(_ writer: TextWriter) -> String? {
        guard let link = open.popLast(), let target = link.target else { return nil }
        let text = writer.bytes(from: link.start).trimmed.text
        guard !text.isEmpty, !target.hasSuffix(text), !target.hasSuffix(text + "/") else { return nil }
        if let number = numbers[target] { return " [\(number)]" }
        guard targets.count < Self.limit else { return nil }
        targets.append(target)
        numbers[target] = targets.count
        return " [\(targets.count)]"
    }

    /// `[1] https://…` a line, with an empty line before.
    var footnotes: String {
        guard !targets.isEmpty else { return "" }
        let lines = targets.enumerated().map { "[\($0.offset + 1)] \($0.element)" }
        return "\n\n" + lines.joined(separator: "\n")
    }

    /// A target worth showing: of the web or a mail address, without blanks and controls.
    private static func shown(_ target: String) -> String? {
        let scalars = target.unicodeScalars.filter { $0.value > 0x20 && !(0x7F...0xA0).contains($0.value) }
        let clean = String(String.UnicodeScalarView(scalars))
        let head = clean.prefix(8).lowercased()
        guard clean.utf8.count <= 2_000,
            head.hasPrefix("http://") || head.hasPrefix("https://") || head.hasPrefix("mailto:")
        else { return nil }
        return clean
    }
}
