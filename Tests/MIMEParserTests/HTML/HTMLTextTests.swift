import TestSupport
import Testing

@testable import MIMEParser

@Suite struct HTMLTextTests {
    @Test(
        "HTML is converted to text",
        arguments: [
            ("<p>one</p><p>two</p>", "one\n\ntwo"),
            ("<div>one</div><div>two</div>", "one\ntwo"),
            ("one<br>two<br><br>three", "one\ntwo\n\nthree"),
            ("<b>a</b> <i> b</i>\n\n c", "a b c"),
            ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a\tb\nc"),
            ("<ul><li>a</li><li>b</li></ul>", "- a\n- b"),
            ("<pre>a\n  b</pre>c", "a\n  b\nc"),
            ("<div style=\"white-space: pre-wrap\">a\n  b\n\nc</div>d\n e", "a\n  b\n\nc\nd e"),
            ("x <span style='white-space:pre-line'>a \n   b  c</span> d", "x a\nb c d"),
            ("<div style='white-space:pre'>a\n<p style='white-space:normal'>b\nc</p></div>", "a\n\nb c"),
            (
                "<table><tr><td>a<td style='white-space:pre-wrap'>\nb</table>", "a\tb"
            ),
            ("a<hr>b", "a\n---\nb"),
            ("<blockquote>a<br>b</blockquote>c", "> a\n> b\nc"),
            ("&lt;b&gt; &amp; &euro; &#8364;", "<b> & € €"),
            ("<img alt=\"a photo\">", "a photo"),
            ("<head><title>t</title><style>s</style></head><script>x</script>a", "a"),
            ("<div style=\"DISPLAY : none\">hidden</div>a", "a"),
            ("<p hidden>hidden</p>a", "a"),
            ("<![if !mso]>a<![endif]><!-- b -->", "a"),
            ("a&nbsp;&zwnj;&nbsp;&zwnj;&nbsp;&#8203;&#65279;b", "a b"),
            ("&zwnj;&zwnj;&zwnj;a", "a"),
            ("می&zwnj;خواهم", "می\u{200C}خواهم"),
            (
                "<a href=\"https://x.org/a\">here</a> and <a href=\"https://y.org\">there</a>",
                "here [1] and there [2]\n\n[1] https://x.org/a\n[2] https://y.org"
            ),
            (
                "<a href=\"https://x.org\">a</a> <a href=\"https://x.org\">b</a>",
                "a [1] b [1]\n\n[1] https://x.org"
            ),
            ("<a href=\"https://x.org/\">https://x.org</a>", "https://x.org"),
            ("<a href=\"mailto:a@x.org\">a@x.org</a>", "a@x.org"),
            ("<a href=\"java\tscript:alert(1)\">a</a>", "a"),
            ("<a href=\"#top\">a</a>", "a"),
            ("<a href=\"https://x.org\"><img></a>", ""),
            ("<svg><style><img onerror=x></svg>a", "a"),
            ("", ""),
            ("<", "<"),
            ("a <b", "a"),
        ])
    func convert(_ html: String, _ expected: String) {
        #expect(HTMLText.convert(html) == expected)
    }

    @Test(
        "without links, the converter without a tree gives the same text",
        arguments: [
            "<p>one</p><p>two</p>", "<div>one</div><div>two</div>", "one<br>two", "<b>a</b> <i> b</i>\n\n c",
            "<table><tr><td>a</td><td>b</td></tr></table>", "<ul><li>a</li><li>b</li></ul>",
            "&lt;b&gt; &amp; &euro; &#8364; &#x20AC;", "<style>x</style><script>if (a<b) {}</script>a",
            "a<!-- > -->b",
            "<!-->a", "a < b",
        ])
    func tokens(_ html: String) {
        #expect(HTMLTokens.text(of: Array(html.utf8), limit: 1_000) == HTMLText.convert(html))
    }

    @Test(
        "the guard accepts ordinary HTML",
        arguments: [
            String(repeating: "<p>unclosed", count: 2_000),
            String(repeating: "<li>unclosed", count: 2_000),
            "<table>" + String(repeating: "<tr><td>unclosed<td>cell", count: 2_000) + "</table>",
            String(
                repeating:
                    "<table><tbody><tr><td><div><p><b><font size=1>x</font></b></p></div></td></tr></tbody></table>",
                count: 2_000),
            String(repeating: "<div>", count: 300),
            "<style>a > b { }</style>" + String(repeating: "<img src=x><br><o:p></o:p>", count: 2_000),
            String(
                repeating:
                    "<!--[if mso]><table><tr><td><![endif]-->x<!--[if mso]></td></tr></table><![endif]-->",
                count: 1_000),
        ])
    func accepted(_ html: String) { #expect(HTMLGuard.accepts(Array(html.utf8))) }

    @Test(
        "the guard refuses HTML that would slow down the tree builder, and it is read in bounded time",
        arguments: [
            String(repeating: "<div>", count: 60_000),
            String(repeating: "<div></b>", count: 60_000),
            String(repeating: "<span><div></span></div>", count: 30_000),
            String(repeating: "<b id=1><object></b></object>", count: 20_000),
            String(repeating: "<table><td>", count: 20_000),
            "<svg>" + String(repeating: "<tr>", count: 60_000),
            "<select><xmp></select>" + String(repeating: "<div>", count: 60_000),
            "<!-->" + String(repeating: "<div>", count: 60_000),
            "<a " + (0..<20_000).map { "a\($0)=1" }.joined(separator: " ") + ">",
            (0..<390).map { "<b id=\($0)>" }.joined() + String(repeating: "<p>x", count: 200_000),
            String(repeating: "<x></y>", count: 60_000),
            "<title>" + String(repeating: "<div>", count: 60_000),
        ])
    func refused(_ html: String) {
        #expect(!HTMLGuard.accepts(Array(html.utf8)))
        let time = ContinuousClock().measure { _ = HTMLText.convert(html + "<p>end") }
        #expect(time < Bound.time)
    }

    @Test("HTML from random pieces is converted in bounded time")
    func fuzz() {
        let pieces = [
            "<div>", "</div>", "<b id=1>", "</b>", "<p>", "<table>", "<td>", "</table>", "<a href=x>", "</a>",
            "<svg>",
            "</svg>", "<!--", "-->", "<li>", "<ul>", "</ul>", "x", "<select>", "<option>", "<xmp>", "</xmp>",
            "<i>",
            "<template>", "</template>", "<math><mi>", "<frameset>", "<object>", "</object>", "&amp;",
            "<nobr>",
        ]
        var random = SeededGenerator(seed: 7)
        for _ in 0..<Bound.rounds(150) {
            let used = (0..<Int.random(in: 1...6, using: &random)).compactMap { _ in
                pieces.randomElement(using: &random)
            }
            let html = String(repeating: used.joined(), count: 3_000)
            let time = ContinuousClock().measure { _ = HTMLText.convert(html) }
            #expect(time < Bound.time, "\(used)")
        }
    }
}
