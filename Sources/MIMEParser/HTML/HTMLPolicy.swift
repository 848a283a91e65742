import CGumbo

/// The list of allowed elements: which are kept, which lose only their tags, and which are removed with their content.
enum HTMLPolicy {
    enum Fate {
        case kept(StaticString)
        case unwrapped
        case dropped
    }

    static func fate(of element: HTMLElement) -> Fate {
        guard element.isHTML else { return .dropped }
        if let name = name(of: element.tag) { return .kept(name) }
        if element.tag == GUMBO_TAG_BODY {
            return HTMLAttributeWriter(element).isEmpty ? .unwrapped : .kept("div")
        }
        return isDropped(element.tag) ? .dropped : .unwrapped
    }

    static func isPre(_ tag: GumboTag) -> Bool {
        tag == GUMBO_TAG_PRE || tag == GUMBO_TAG_LISTING || tag == GUMBO_TAG_XMP || tag == GUMBO_TAG_PLAINTEXT
    }

    /// Content that is not text of the mail: code, styles, other people's players, fallbacks for other programs.
    private static func isDropped(_ tag: GumboTag) -> Bool {
        switch tag {
        case GUMBO_TAG_HEAD, GUMBO_TAG_TITLE, GUMBO_TAG_STYLE, GUMBO_TAG_SCRIPT, GUMBO_TAG_TEMPLATE,
            GUMBO_TAG_IFRAME, GUMBO_TAG_FRAME, GUMBO_TAG_FRAMESET, GUMBO_TAG_NOFRAMES, GUMBO_TAG_NOEMBED,
            GUMBO_TAG_OBJECT, GUMBO_TAG_EMBED, GUMBO_TAG_APPLET, GUMBO_TAG_PARAM, GUMBO_TAG_SVG,
            GUMBO_TAG_MATH, GUMBO_TAG_VIDEO, GUMBO_TAG_AUDIO, GUMBO_TAG_SOURCE, GUMBO_TAG_TRACK,
            GUMBO_TAG_CANVAS, GUMBO_TAG_SELECT, GUMBO_TAG_INPUT, GUMBO_TAG_META, GUMBO_TAG_LINK,
            GUMBO_TAG_BASE,
            GUMBO_TAG_NOSCRIPT:
            true
        case _: false
        }
    }

    /// The name under which an element is written: from here, never from the mail.
    static func name(of tag: GumboTag) -> StaticString? {
        if isPre(tag) { return "pre" }
        return names.first { $0.tag == tag }?.name
    }

    static let names: [(tag: GumboTag, name: StaticString)] = [
        (GUMBO_TAG_P, "p"), (GUMBO_TAG_DIV, "div"), (GUMBO_TAG_SPAN, "span"), (GUMBO_TAG_TD, "td"),
        (GUMBO_TAG_TR, "tr"), (GUMBO_TAG_TABLE, "table"), (GUMBO_TAG_TBODY, "tbody"), (GUMBO_TAG_A, "a"),
        (GUMBO_TAG_IMG, "img"), (GUMBO_TAG_BR, "br"), (GUMBO_TAG_B, "b"), (GUMBO_TAG_STRONG, "strong"),
        (GUMBO_TAG_I, "i"), (GUMBO_TAG_EM, "em"), (GUMBO_TAG_U, "u"), (GUMBO_TAG_FONT, "font"),
        (GUMBO_TAG_CENTER, "center"), (GUMBO_TAG_UL, "ul"), (GUMBO_TAG_OL, "ol"), (GUMBO_TAG_LI, "li"),
        (GUMBO_TAG_BLOCKQUOTE, "blockquote"), (GUMBO_TAG_PRE, "pre"), (GUMBO_TAG_HR, "hr"),
        (GUMBO_TAG_H1, "h1"), (GUMBO_TAG_H2, "h2"), (GUMBO_TAG_H3, "h3"), (GUMBO_TAG_H4, "h4"),
        (GUMBO_TAG_H5, "h5"), (GUMBO_TAG_H6, "h6"), (GUMBO_TAG_TH, "th"), (GUMBO_TAG_THEAD, "thead"),
        (GUMBO_TAG_TFOOT, "tfoot"), (GUMBO_TAG_CAPTION, "caption"), (GUMBO_TAG_COLGROUP, "colgroup"),
        (GUMBO_TAG_COL, "col"), (GUMBO_TAG_ABBR, "abbr"), (GUMBO_TAG_ACRONYM, "acronym"),
        (GUMBO_TAG_ADDRESS, "address"), (GUMBO_TAG_ARTICLE, "article"), (GUMBO_TAG_ASIDE, "aside"),
        (GUMBO_TAG_BDI, "bdi"), (GUMBO_TAG_BDO, "bdo"), (GUMBO_TAG_BIG, "big"), (GUMBO_TAG_CITE, "cite"),
        (GUMBO_TAG_CODE, "code"), (GUMBO_TAG_DD, "dd"), (GUMBO_TAG_DEL, "del"), (GUMBO_TAG_DFN, "dfn"),
        (GUMBO_TAG_DL, "dl"), (GUMBO_TAG_DT, "dt"), (GUMBO_TAG_FIGCAPTION, "figcaption"),
        (GUMBO_TAG_FIGURE, "figure"), (GUMBO_TAG_FOOTER, "footer"), (GUMBO_TAG_HEADER, "header"),
        (GUMBO_TAG_INS, "ins"), (GUMBO_TAG_KBD, "kbd"), (GUMBO_TAG_MAIN, "main"), (GUMBO_TAG_MARK, "mark"),
        (GUMBO_TAG_NAV, "nav"), (GUMBO_TAG_Q, "q"), (GUMBO_TAG_RP, "rp"), (GUMBO_TAG_RT, "rt"),
        (GUMBO_TAG_RUBY, "ruby"), (GUMBO_TAG_S, "s"), (GUMBO_TAG_SAMP, "samp"),
        (GUMBO_TAG_SECTION, "section"),
        (GUMBO_TAG_SMALL, "small"), (GUMBO_TAG_STRIKE, "strike"), (GUMBO_TAG_SUB, "sub"),
        (GUMBO_TAG_SUP, "sup"), (GUMBO_TAG_TT, "tt"), (GUMBO_TAG_VAR, "var"), (GUMBO_TAG_WBR, "wbr"),
    ]
}
