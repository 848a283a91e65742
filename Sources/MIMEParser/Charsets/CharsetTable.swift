/// The labels of charsets in mail, by converter. Each line is a charset as in the WHATWG Encoding Standard §4.2, with
/// labels that occur only in mail.
enum CharsetTable {
    /// The charset of a label as it occurs in mail: in any case, in quotes, after `charset=`, before other text
    /// (`utf-8;format=flowed`), with `_` for `-` or with neither.
    static func charset(labelled label: ArraySlice<UInt8>) -> Charset? {
        var word = label.drop { $0.isBlank || $0 == ASCII.quote || $0 == 0x27 }
        if word.count > 8, word.prefix(8).isWord("charset=") {
            word = word.dropFirst(8).drop { $0 == ASCII.quote || $0 == 0x27 }
        }
        word = word.prefix { byte in
            !byte.isBlank && byte != ASCII.quote && byte != 0x27 && byte != ASCII.semicolon
                && byte != ASCII.comma && byte != ASCII.leftParenthesis
        }
        return byLabel[word.lowercasedText] ?? bySqueezedLabel[squeezed(word)]
    }

    private static func squeezed(_ label: ArraySlice<UInt8>) -> String {
        label.filter { $0 != ASCII.hyphen && $0 != ASCII.underscore }[...].lowercasedText
    }

    static let byLabel: [String: Charset] = {
        var table: [String: Charset] = [:]
        for (charset, labels) in rows {
            for label in labels.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
                table[String(label)] = charset
            }
        }
        return table
    }()

    /// Without `-` and `_`, for labels such as `iso_8859_15`, `windows1251` or `cp-1250`.
    private static let bySqueezedLabel: [String: Charset] = {
        var table: [String: Charset] = [:]
        for (label, charset) in byLabel { table[squeezed(Array(label.utf8)[...])] = charset }
        return table
    }()

    /// The names passed to `iconv`, without duplicates.
    static let converters: [String] = {
        let names = rows.compactMap { row -> String? in
            guard case .iconv(let name, _) = row.0.kind else { return nil }
            return name
        }
        return Array(Set(names + ["ISO-2022-JP", "EUC-JP-MS", "GB18030"])).sorted()
    }()

    private static func set(_ name: String, unit: Int = 1) -> Charset {
        Charset(kind: .iconv(name: name, unit: unit))
    }

    static let rows: [(Charset, String)] = unicode + latin + cyrillic + asian + old

    private static let unicode: [(Charset, String)] = [
        (
            .utf8,
            "utf-8 utf8 utf_8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8 cp65001 utf8mb4"
        ),
        (
            .guess,
            "us-ascii ascii us ansi_x3.4-1968 ansi_x3.4-1986 iso646-us iso_646.irv:1991 iso-ir-6 csascii cp367 ibm367 7bit"
        ),
        (set("UTF-16", unit: 2), "utf-16 utf16 ucs-2 iso-10646-ucs-2 csunicode unicode"),
        (set("UTF-16LE", unit: 2), "utf-16le unicodefeff"),
        (set("UTF-16BE", unit: 2), "utf-16be unicodefffe"),
        (set("UTF-32", unit: 4), "utf-32 utf32 ucs-4 iso-10646-ucs-4 csucs4"),
        (set("UTF-32LE", unit: 4), "utf-32le"),
        (set("UTF-32BE", unit: 4), "utf-32be"),
        (set("UTF-7"), "utf-7 utf7 unicode-1-1-utf-7 csunicode11utf7 x-unicode20utf7"),
    ]

    private static let latin: [(Charset, String)] = [
        (
            Charset(kind: .windows1252),
            """
            windows-1252 cp1252 x-cp1252 iso-8859-1 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 iso-ir-100
            csisolatin1 l1 latin1 latin-1 iso-latin-1 cp819 ibm819 x-ansi ansi
            """
        ),
        (
            set("ISO-8859-2"),
            "iso-8859-2 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 iso-ir-101 csisolatin2 l2 latin2"
        ),
        (
            set("ISO-8859-3"),
            "iso-8859-3 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 iso-ir-109 csisolatin3 l3 latin3"
        ),
        (
            set("ISO-8859-4"),
            "iso-8859-4 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 iso-ir-110 csisolatin4 l4 latin4"
        ),
        (
            set("ISO-8859-6"),
            """
            iso-8859-6 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987 iso-8859-6-e iso-8859-6-i arabic asmo-708
            ecma-114 iso-ir-127 csisolatinarabic csiso88596e csiso88596i
            """
        ),
        (
            set("ISO-8859-7"),
            """
            iso-8859-7 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 greek greek8 ecma-118 elot_928
            sun_eu_greek iso-ir-126 csisolatingreek
            """
        ),
        (
            set("ISO-8859-8"),
            """
            iso-8859-8 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 iso-8859-8-e iso-8859-8-i logical visual
            hebrew iso-ir-138 csisolatinhebrew csiso88598e csiso88598i
            """
        ),
        (set("ISO-8859-10"), "iso-8859-10 iso8859-10 iso885910 iso-ir-157 csisolatin6 l6 latin6"),
        (set("ISO-8859-13"), "iso-8859-13 iso8859-13 iso885913"),
        (set("ISO-8859-14"), "iso-8859-14 iso8859-14 iso885914"),
        (set("ISO-8859-15"), "iso-8859-15 iso8859-15 iso885915 iso_8859-15 csisolatin9 l9 latin-9 latin9"),
        (set("ISO-8859-16"), "iso-8859-16 iso8859-16 iso885916"),
        (set("CP1250"), "windows-1250 cp1250 x-cp1250"),
        (set("CP1253"), "windows-1253 cp1253 x-cp1253"),
        (
            set("CP1254"),
            """
            windows-1254 cp1254 x-cp1254 iso-8859-9 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 iso-ir-148
            csisolatin5 l5 latin5
            """
        ),
        (set("CP1255"), "windows-1255 cp1255 x-cp1255"),
        (set("CP1256"), "windows-1256 cp1256 x-cp1256"),
        (set("CP1257"), "windows-1257 cp1257 x-cp1257"),
        (set("CP1258"), "windows-1258 cp1258 x-cp1258"),
        (set("MACINTOSH"), "macintosh mac csmacintosh x-mac-roman macroman"),
    ]

    private static let cyrillic: [(Charset, String)] = [
        (set("CP1251"), "windows-1251 cp1251 x-cp1251 win-1251 win1251"),
        (set("KOI8-R"), "koi8-r koi8_r koi8r koi8 koi cskoi8r"),
        (set("KOI8-U"), "koi8-u koi8-ru koi8u cskoi8u"),
        (
            set("ISO-8859-5"),
            "iso-8859-5 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988 iso-ir-144 cyrillic csisolatincyrillic"
        ),
        (set("CP866"), "ibm866 cp866 866 csibm866"),
        (set("MAC-CYRILLIC"), "x-mac-cyrillic x-mac-ukrainian mac-cyrillic"),
    ]

    private static let asian: [(Charset, String)] = [
        (
            set("GB18030"),
            """
            gb18030 gbk x-gbk gb2312 gb_2312 gb_2312-80 gb2312-80 csgb2312 csiso58gb231280 iso-ir-58 chinese cp936
            ms936 windows-936 euc-cn x-euc-cn gb13000
            """
        ),
        (Charset(kind: .hz), "hz-gb-2312 hz hz-gb2312"),
        (set("BIG5-HKSCS"), "big5 big-5 big5-hkscs cn-big5 csbig5 x-x-big5 cp950 windows-950 big5hk"),
        (set("EUC-TW"), "euc-tw x-euc-tw"),
        (
            set("CP932"),
            """
            shift_jis shift-jis sjis x-sjis csshiftjis ms_kanji ms932 windows-31j cswindows31j cp932 windows-932
            shiftjis
            """
        ),
        (set("EUC-JP-MS"), "euc-jp eucjp x-euc-jp x-euc ujis cseucpkdfmtjapanese cp51932"),
        (
            Charset(kind: .iso2022JP),
            "iso-2022-jp csiso2022jp iso-2022-jp-ms iso-2022-jp-1 cp50220 cp50221 cp50222 jis"
        ),
        (set("ISO-2022-JP-2"), "iso-2022-jp-2 csiso2022jp2"),
        (
            set("UHC"),
            """
            euc-kr euckr cseuckr ks_c_5601-1987 ks_c_5601-1989 ks_c_5601 ksc5601 ksc_5601 ks-c-5601
            csksc56011987 iso-ir-149 korean windows-949 cp949 ms949 uhc x-windows-949
            """
        ),
        (set("ISO-2022-KR"), "iso-2022-kr csiso2022kr"),
        (set("JOHAB"), "johab cp1361"),
        (
            set("CP874"),
            "windows-874 cp874 dos-874 x-windows-874 tis-620 tis620 iso-8859-11 iso8859-11 iso885911"
        ),
        (set("TCVN"), "tcvn tcvn-5712 x-viet-tcvn5712"),
        (set("VISCII"), "viscii csviscii"),
        (set("ARMSCII-8"), "armscii-8"),
        (set("GEORGIAN-PS"), "georgian-ps"),
    ]

    private static let old: [(Charset, String)] = [
        (set("CP437"), "ibm437 cp437 437 cspc8codepage437"),
        (set("CP737"), "cp737 ibm737"),
        (set("CP775"), "cp775 ibm775"),
        (set("CP850"), "ibm850 cp850 850 cspc850multilingual"),
        (set("CP852"), "ibm852 cp852 852 cspcp852"),
        (set("CP855"), "ibm855 cp855 855"),
        (set("CP857"), "ibm857 cp857 857"),
        (set("CP858"), "ibm00858 cp858 cp00858"),
        (set("CP862"), "ibm862 cp862 862"),
        (set("CP864"), "ibm864 cp864"),
    ]
}
