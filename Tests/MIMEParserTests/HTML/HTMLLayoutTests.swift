import Testing

@testable import MIMEParser

/// How HTML reads as text: each case by both readers, where the one without a tree takes it.
@Suite struct HTMLLayoutTests {
    private func check(_ html: String, _ expected: String) {
        #expect(HTMLText.convert(html) == expected)
        #expect(HTMLText.treeText(of: Array(html.utf8), limit: 100_000) == expected)
    }

    @Test(
        "lists become text with bullets and numbers",
        arguments: [
            ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c"),
            ("<ol><li>a</li><li>b</li></ol>", "1. a\n2. b"),
            ("<ol start=9><li>a<li>b<br>c</ol>", "9. a\n10. b\n    c"),
            ("<ol><li value=4>a<li>b</ol>", "4. a\n5. b"), ("<ol start=x><li>a</ol>", "1. a"),
            ("<ol><li>a<ul><li>b</ul><li>c</ol>", "1. a\n   - b\n2. c"),
            ("<ol type=a><li>a<li>b</ol>", "a. a\nb. b"),
            ("<ol type=A start=26><li>a<li>b</ol>", "Z. a\nAA. b"),
            ("<ol type=i start=8><li>a<li>b</ol>", "viii. a\nix. b"),
            ("<ol type=I start=3999><li>a<li>b</ol>", "MMMCMXCIX. a\n4000. b"),
            ("<ol type=a start=0><li>a<li>b</ol>", "0. a\na. b"), ("<ol type=x><li>a</ol>", "1. a"),
            ("<ol type=1><li>a<li type=a>b</ol>", "1. a\nb. b"),
            ("<ol reversed><li>a<li>b<ol><li>x</ol></ol>", "2. a\n1. b\n   1. x"),
            ("<ol reversed start=9 type=a><li>a<li>b</ol>", "i. a\nh. b"),
            ("<ol reversed><li value=7>a<li>b</ol>", "7. a\n6. b"), ("<ol reversed></ol>a", "a"),
            ("<ul><li><p>a</p></li><li><p>b</p></li></ul>", "- a\n\n- b"),
            ("<ul><li></li><li>b</li></ul>c", "- b\nc"), ("<ul><li>a<p>b</p></li></ul>c", "- a\n\n  b\n\nc"),
            ("<dl><dt>a</dt><dd>b</dd></dl>c", "a\n  b\nc"), ("<li>a</li>", "- a"),
            ("<blockquote><ol><li>a<li>b</ol></blockquote>", "> 1. a\n> 2. b"),
            ("<ul><li><blockquote>a</blockquote></ul>", "  > a"),
        ])
    func lists(_ html: String, _ expected: String) { check(html, expected) }

    @Test(
        "tables become lines of text",
        arguments: [
            ("<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>c", "a\tb\n1\t2\nc"),
            (
                "<table><tr><td><p>a</p></td><td><p>b</p></td></tr><tr><td><p>c</p></td><td><p>d</p></td></tr></table>",
                "a\tb\n\nc\td"
            ),
            ("<table><tr><td>a</td></tr><tr><td>b</td></tr></table>", "a\nb"),
            (
                "<table><tr><td><table><tr><td>a</td></tr></table></td></tr><tr><td><div>b</div></td></tr></table>",
                "a\nb"
            ),
            ("<table><tr><td>a<br>b</td><td>c</td></tr></table>", "a\nb\nc"),
            ("<table><tr><td></td><td>&nbsp;</td><td>a</td><td></td><td>b</td></tr></table>", "a\tb"),
            ("<table><tr>\n<td>\n<div>a</div>\n</td>\n<td>\n<div>b</div>\n</td>\n</tr></table>", "a\tb"),
            ("<table><caption>t</caption><tr><td>a<td>b</table>", "t\na\tb"),
            ("<blockquote><table><tr><td>a<td>b<tr><td>c</table></blockquote>", "> a\tb\n> c"),
            ("<table><tr><td>a</td><td><ul><li>b</ul></td></tr></table>", "a\n- b"),
        ])
    func tables(_ html: String, _ expected: String) { check(html, expected) }

    @Test(
        "quotations get a quote mark on each line",
        arguments: [
            ("<blockquote>a<blockquote>b</blockquote>c</blockquote>d", "> a\n> > b\n> c\nd"),
            ("<blockquote><p>a</p><p>b</p></blockquote><p>c</p>", "> a\n>\n> b\n\nc"),
            ("<blockquote><pre>a\n\n  b</pre></blockquote>", "> a\n>\n>   b"),
            ("a<blockquote></blockquote>b", "a\nb"), ("He said <q>a</q>", "He said \"a\""),
        ])
    func quotations(_ html: String, _ expected: String) { check(html, expected) }

    @Test(
        "links become footnotes",
        arguments: [
            (
                "<a href=\"https://x.org/a\"><div>here</div></a>there",
                "here [1]\nthere\n\n[1] https://x.org/a"
            ),
            ("<a href=\"https://x.org/a\">here </a>there", "here [1] there\n\n[1] https://x.org/a"),
            ("<a href=\"https://www.x.org/\">x.org</a>", "x.org"),
            ("<a href=\"https://x.org/\">X.org</a>", "X.org"),
            ("<a href=\"https://x.org/a\">org/a</a>", "org/a [1]\n\n[1] https://x.org/a"),
            ("<a href=\"mailto:a@x.org?subject=b\">write</a>", "write [1]\n\n[1] mailto:a@x.org?subject=b"),
            ("<a href=\"tel:+49301\">+49 (30) 1</a>", "+49 (30) 1"),
            ("<a href=\"tel:+49301\">call</a>", "call [1]\n\n[1] tel:+49301"),
            ("<a href=https://x.org/a><img alt=Logo></a>", "Logo [1]\n\n[1] https://x.org/a"),
            ("<blockquote><a href=\"https://x.org/\">https://x.org</a></blockquote>", "> https://x.org"),
            (
                "<a href=\"https://evil.example\">https://bank.example</a>",
                "https://bank.example [1]\n\n[1] https://evil.example"
            ),
            (
                "<a href=\"https://x.org/?a=1&amp;b=2&copy=3\">x</a>",
                "x [1]\n\n[1] https://x.org/?a=1&b=2&copy=3"
            ), ("<a href=\"data:text/html,x\">a</a>", "a"),
            ("<a href=\"\n https://x.org/\na\">b</a>", "b [1]\n\n[1] https://x.org/a"),
        ])
    func links(_ html: String, _ expected: String) { check(html, expected) }

    @Test(
        "text that the sender hid is not shown",
        arguments: [
            "display:none", "display: none !important", "DISPLAY:NONE", "color:red;display:none",
            "visibility:hidden", "font-size:0", "font-size:0px;line-height:0", "font-size:.0em",
            "max-height:0", "max-height:0px;overflow:hidden", "opacity:0", "opacity:0.00",
            "font:0/0 a",
        ])
    func hidden(_ style: String) {
        check("<div style=\"\(style)\">hidden <b>too</b></div>seen", "seen")
        check("<p><span style='\(style)'>hidden</span>seen</p>", "seen")
    }

    @Test(
        "text that only looks hidden is shown",
        arguments: [
            "<div style=\"font-size:0\"><p style=\"font-size:13px\">seen</p>gone</div>",
            "<td style=\"font-size:0px\"><span style=\"font:12px Arial\">seen</span>",
            "<p style=\"visibility:hidden\"><b style=\"visibility:visible\">seen</b></p>",
            "<p style=\"opacity:0.5\">seen</p>", "<p style=\"max-height:0.5em\">seen</p>",
            "<p style=\"display:none;display:block\">seen</p>", "<p style=\"font-size:0.9em\">seen</p>",
            "<p style=\"x-display:none\">seen</p>", "<p aria-hidden=true>seen</p>",
            "<div style=\"font-size:0\"><img alt=seen></div>", "<p style=\"font-size:10px\">seen</p>",
            // Only Outlook hides it, which shows the version in a comment instead.
            "<a style=\"color:red;mso-hide:all;\">seen</a>",
        ])
    func seen(_ html: String) { check(html, "seen") }

    @Test(
        "invisible characters are removed",
        arguments: [
            ("a&zwnj;&nbsp;&#8199;&#847;&shy;&#8203;b", "a b"), ("Zusammen&shy;hang", "Zusammenhang"),
            ("a\u{202E}b\u{2066}c\u{200F}", "abc"), ("a\u{1}b\u{85}c\u{7F}d", "abcd"),
            ("&#1;a", "a"), ("a\u{FFFE}b", "ab"), ("👨&zwj;👩", "👨\u{200D}👩"), ("a\u{2028}b", "a b"),
            ("\u{2800}\u{2800}a", "a"), ("a\tb\r\nc", "a b c"),
        ])
    func invisible(_ html: String, _ expected: String) { #expect(HTMLText.convert(html) == expected) }

    @Test("the text is cut at its limit, between characters and notes", arguments: [0, 1, 5, 17, 100])
    func limit(_ limit: Int) {
        for html in [
            "<p>ääääääääääääääääääää", "<form><p>日本日本日本日本日本",
            "<a href=https://x.org/abc>a</a> <a href=https://y.org>b</a>",
            String(repeating: "<div>", count: 900) + "ääääääääää",
        ] {
            let text = HTMLText.convert(html, limit: limit)
            #expect(text.utf8.count <= limit)
            #expect(!text.contains("\u{FFFD}"))
        }
    }
}

@Suite struct HTMLCharsetTests {
    @Test(
        "the charset is read from the page",
        arguments: [
            ("<meta charset=\"koi8-r\">", "koi8-r"), ("<META CHARSET = 'KOI8-R' >", "KOI8-R"),
            ("<html><head><title>charset=x</title><meta name=a><meta charset=big5>", "big5"),
            ("<meta http-equiv=\"Content-Type\" content=\"text/html; charset=iso-8859-2\">", "iso-8859-2"),
            ("<meta content='text/html; charset = \"gbk\"' http-equiv=content-type>", "gbk"),
            ("<meta http-equiv=content-type content=\"charset charset=x-sjis\">", "x-sjis"),
            ("<meta charset=utf-16le>", "utf-8"), ("<!-- <meta charset=big5> --><meta charset=gbk>", "gbk"),
            ("<p>charset=big5</p>", nil), ("<meta content='text/html; charset=gbk'>", nil),
            ("<meta charset>", nil), ("<meta charset=''>", nil), ("<meta charset=", nil), ("", nil),
            (String(repeating: " ", count: 5_000) + "<meta charset=gbk>", nil),
        ] as [(String, String?)])
    func declared(_ html: String, _ expected: String?) {
        #expect(HTMLCharset.declared(in: Array(html.utf8)) == expected)
    }
}
