import CGumbo

/// The effect of an element on the lines of the text around it.
enum HTMLLayout {
    case inline
    case lineBreak
    /// On separate lines.
    case block
    /// With an empty line before and after.
    case paragraph
    case item
    case row
    case cell
    case rule
    case preformatted
    case quote
    /// Indented: the definition of a `dt`.
    case definition

    init(_ tag: GumboTag) {
        let index = Int(tag.rawValue)
        self = index < Self.table.count ? Self.table[index] : .inline
    }

    private static let table: [HTMLLayout] = {
        var table = [HTMLLayout](repeating: .inline, count: Int(GUMBO_TAG_LAST.rawValue))
        func set(_ layout: HTMLLayout, _ tags: [GumboTag]) {
            for tag in tags { table[Int(tag.rawValue)] = layout }
        }
        set(.lineBreak, [GUMBO_TAG_BR])
        set(
            .paragraph,
            [
                GUMBO_TAG_P, GUMBO_TAG_H1, GUMBO_TAG_H2, GUMBO_TAG_H3, GUMBO_TAG_H4, GUMBO_TAG_H5,
                GUMBO_TAG_H6,
                GUMBO_TAG_FIGURE,
            ])
        set(.item, [GUMBO_TAG_LI])
        set(.row, [GUMBO_TAG_TR])
        set(.cell, [GUMBO_TAG_TD, GUMBO_TAG_TH])
        set(.rule, [GUMBO_TAG_HR])
        set(
            .preformatted,
            [GUMBO_TAG_PRE, GUMBO_TAG_TEXTAREA, GUMBO_TAG_LISTING, GUMBO_TAG_XMP, GUMBO_TAG_PLAINTEXT])
        set(.quote, [GUMBO_TAG_BLOCKQUOTE])
        set(.definition, [GUMBO_TAG_DD])
        set(
            .block,
            [
                GUMBO_TAG_ADDRESS, GUMBO_TAG_ARTICLE, GUMBO_TAG_ASIDE, GUMBO_TAG_CAPTION, GUMBO_TAG_CENTER,
                GUMBO_TAG_DETAILS, GUMBO_TAG_DIR, GUMBO_TAG_DIV, GUMBO_TAG_DL, GUMBO_TAG_DT,
                GUMBO_TAG_FIELDSET,
                GUMBO_TAG_FIGCAPTION, GUMBO_TAG_FOOTER, GUMBO_TAG_FORM, GUMBO_TAG_HEADER, GUMBO_TAG_HGROUP,
                GUMBO_TAG_LEGEND, GUMBO_TAG_MAIN, GUMBO_TAG_MENU, GUMBO_TAG_NAV, GUMBO_TAG_OL,
                GUMBO_TAG_SECTION,
                GUMBO_TAG_SUMMARY, GUMBO_TAG_TABLE, GUMBO_TAG_TBODY, GUMBO_TAG_TFOOT, GUMBO_TAG_THEAD,
                GUMBO_TAG_UL,
            ])
        return table
    }()

    /// Elements whose content readers do not see.
    static func isSilent(_ tag: GumboTag) -> Bool {
        switch tag {
        case GUMBO_TAG_HEAD, GUMBO_TAG_STYLE, GUMBO_TAG_SCRIPT, GUMBO_TAG_TITLE, GUMBO_TAG_TEMPLATE,
            GUMBO_TAG_IFRAME, GUMBO_TAG_NOEMBED, GUMBO_TAG_NOFRAMES, GUMBO_TAG_OBJECT, GUMBO_TAG_SELECT,
            GUMBO_TAG_SVG, GUMBO_TAG_MATH:
            true
        case _: false
        }
    }
}

extension GumboTag {
    /// The element with this ASCII name, in any case.
    @inline(__always)
    init(named name: UnsafeBufferPointer<UInt8>) {
        guard let base = name.baseAddress, name.count <= 32 else {
            self = GUMBO_TAG_UNKNOWN
            return
        }
        self = gumbo_tagn_enum(
            UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self), UInt32(name.count))
    }

    init(named name: ArraySlice<UInt8>) { self = name.withUnsafeBufferPointer { GumboTag(named: $0) } }
}
