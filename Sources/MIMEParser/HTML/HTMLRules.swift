import CGumbo

/// Classes of elements for ``HTMLGuard``. HTML Standard §13.1.2 and §13.2.4.2.
enum HTMLRules {
    static func isVoid(_ tag: GumboTag) -> Bool {
        switch tag {
        case GUMBO_TAG_AREA, GUMBO_TAG_BASE, GUMBO_TAG_BASEFONT, GUMBO_TAG_BGSOUND, GUMBO_TAG_BR,
            GUMBO_TAG_COL,
            GUMBO_TAG_EMBED, GUMBO_TAG_HR, GUMBO_TAG_IMAGE, GUMBO_TAG_IMG, GUMBO_TAG_INPUT, GUMBO_TAG_KEYGEN,
            GUMBO_TAG_LINK, GUMBO_TAG_META, GUMBO_TAG_PARAM, GUMBO_TAG_SOURCE, GUMBO_TAG_TRACK, GUMBO_TAG_WBR:
            true
        // These occur once, whatever the text contains.
        case GUMBO_TAG_HTML, GUMBO_TAG_HEAD, GUMBO_TAG_BODY: true
        case _: false
        }
    }

    /// Elements that the builder reopens in the next block if they are still open.
    static func isFormatting(_ tag: GumboTag) -> Bool {
        switch tag {
        case GUMBO_TAG_A, GUMBO_TAG_B, GUMBO_TAG_BIG, GUMBO_TAG_CODE, GUMBO_TAG_EM, GUMBO_TAG_FONT,
            GUMBO_TAG_I,
            GUMBO_TAG_NOBR, GUMBO_TAG_S, GUMBO_TAG_SMALL, GUMBO_TAG_STRIKE, GUMBO_TAG_STRONG, GUMBO_TAG_TT,
            GUMBO_TAG_U:
            true
        case _: false
        }
    }

    /// Elements whose content may contain no tags.
    static func isRawText(_ tag: GumboTag) -> Bool {
        switch tag {
        case GUMBO_TAG_SCRIPT, GUMBO_TAG_STYLE, GUMBO_TAG_TITLE, GUMBO_TAG_TEXTAREA, GUMBO_TAG_XMP,
            GUMBO_TAG_IFRAME, GUMBO_TAG_NOEMBED, GUMBO_TAG_NOFRAMES, GUMBO_TAG_PLAINTEXT:
            true
        case _: false
        }
    }

    /// Elements at which the search for an open element ends. There are more of them than in the standard, to be on the
    /// safe side.
    static func isScope(_ tag: GumboTag) -> Bool {
        switch tag {
        case GUMBO_TAG_APPLET, GUMBO_TAG_BUTTON, GUMBO_TAG_CAPTION, GUMBO_TAG_MARQUEE, GUMBO_TAG_MATH,
            GUMBO_TAG_OBJECT, GUMBO_TAG_OL, GUMBO_TAG_SELECT, GUMBO_TAG_SVG, GUMBO_TAG_TABLE, GUMBO_TAG_TD,
            GUMBO_TAG_TEMPLATE, GUMBO_TAG_TH, GUMBO_TAG_UL:
            true
        case _: false
        }
    }

    /// Blocks: they end the search for an inline element, and close a paragraph.
    static func isSpecial(_ tag: GumboTag) -> Bool {
        if isScope(tag) || closesParagraph(tag) || isRawText(tag) { return true }
        switch tag {
        case GUMBO_TAG_DD, GUMBO_TAG_DT, GUMBO_TAG_FRAMESET, GUMBO_TAG_LI, GUMBO_TAG_NOSCRIPT,
            GUMBO_TAG_COLGROUP,
            GUMBO_TAG_TBODY, GUMBO_TAG_TFOOT, GUMBO_TAG_THEAD, GUMBO_TAG_TR, GUMBO_TAG_FOREIGNOBJECT,
            GUMBO_TAG_DESC, GUMBO_TAG_MI, GUMBO_TAG_MO, GUMBO_TAG_MN, GUMBO_TAG_MS, GUMBO_TAG_MTEXT,
            GUMBO_TAG_ANNOTATION_XML:
            return true
        case _: return false
        }
    }

    static func closesParagraph(_ tag: GumboTag) -> Bool {
        switch tag {
        case GUMBO_TAG_ADDRESS, GUMBO_TAG_ARTICLE, GUMBO_TAG_ASIDE, GUMBO_TAG_BLOCKQUOTE, GUMBO_TAG_CENTER,
            GUMBO_TAG_DETAILS, GUMBO_TAG_DIR, GUMBO_TAG_DIV, GUMBO_TAG_DL, GUMBO_TAG_FIELDSET,
            GUMBO_TAG_FIGCAPTION, GUMBO_TAG_FIGURE, GUMBO_TAG_FOOTER, GUMBO_TAG_FORM, GUMBO_TAG_H1,
            GUMBO_TAG_H2, GUMBO_TAG_H3, GUMBO_TAG_H4, GUMBO_TAG_H5, GUMBO_TAG_H6, GUMBO_TAG_HEADER,
            GUMBO_TAG_HGROUP, GUMBO_TAG_LISTING, GUMBO_TAG_MAIN, GUMBO_TAG_MENU, GUMBO_TAG_NAV, GUMBO_TAG_OL,
            GUMBO_TAG_P, GUMBO_TAG_PRE, GUMBO_TAG_SECTION, GUMBO_TAG_SUMMARY, GUMBO_TAG_UL:
            true
        case _: false
        }
    }
}
