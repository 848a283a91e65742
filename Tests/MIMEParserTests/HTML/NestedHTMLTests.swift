import TestSupport
import Testing

@testable import MIMEParser

/// The reader without a tree against the reader with one: whatever the first one reads, it reads the same.
@Suite struct NestedHTMLTests {
    private static func both(_ html: String, limit: Int = 100_000) -> (nested: String?, tree: String?) {
        let bytes = HTMLInput.bytes(of: html, limit: 1_000_000)
        let tree = HTMLGuard.accepts(bytes) ? HTMLText.treeText(of: bytes, limit: limit) : nil
        return (NestedHTML.text(of: bytes, limit: limit), tree)
    }

    @Test(
        "well-nested HTML is read without a tree",
        arguments: [
            "<!DOCTYPE html>\n<html><head><meta charset=utf-8><title>t</title><style>a>b{}</style></head>\n<body>\n<p>x</p></body></html>\n",
            "<p>a<p>b<ul><li>c<li>d<ul><li>e</ul></ul>f",
            "<table><tr><td>a<td>b<tr><td>c</table>", "<table><tbody><tr><th>a</th></tr></tbody></table>",
            "<p>a</p></p>b", "<div><span>a<o:p></o:p></span></div>",
            "a<br/>b<hr>c<img src=x alt='y &amp; z'>",
            "<a href=\"https://x.org/?a=1&b=2&amp;c=3\">d</a>",
            "<!--[if mso]><table><![endif]-->a<![if !mso]>b<![endif]>",
            "<pre>\n a\n</pre>", "<dl><dt>a<dd>b</dl>", "AT&T &lt; &#8364; &#x20ac; &#146;",
            "<div style=\"display:none\">a<p>b</div>c",
            "<font><font><font><font><font>x</font></font></font></font></font>y",
        ])
    func nested(_ html: String) {
        let (nested, tree) = Self.both(html)
        #expect(nested != nil)
        #expect(nested == tree)
    }

    @Test(
        "HTML that the standard repairs is left to the tree builder",
        arguments: [
            "<b><p>a</b>b</p>", "<table>a<tr><td>b</table>", "<a href=x>a<a href=y>b</a>",
            "<p><table><td>a</table>",
            "<div>a</span></div>", "</br>", "<form><p>a</form>", "<svg><p>a", "<select><option>a</select>",
            "<body>a<body hidden>", "<table><tr><td>a</td></tr><br></table>", "a&notit;b", "a &copy b",
            "<p title=\"a", "<p a\"=b>c", "<h1><h2>a", "<script><!--<script></script>a",
            "<body style=\"display:none\">a",
        ])
    func refused(_ html: String) { #expect(Self.both(html).nested == nil) }

    private static let leaves = [
        "text", " ", "\n", "a &amp; b", "&nbsp;", "&zwnj;", "x &lt; y", "AT&T", "&copy", "&#8364;", "é", "日本",
        "\u{200B}", "<br>", "<br/>", "<img alt=\"i &gt; j\" src=x>", "<hr>", "<!-- c -->", "<![if !mso]>",
        "<style>p > b {}</style>", "<meta name=x>", "<wbr>", "</p>", "< ", "a\r\nb", "&bogus;", "<!-->",
        "</b>",
        "<!---->", "\t", "<input>", "<script>if (a<b) c</script>", "<title>t</title>", "&#10;", "<!--a--!>",
        "</img>",
    ]
    private static let wraps = [
        "div", "p", "span", "b", "i", "a href=\"https://x.org/?a=1&amp;b=2\"", "ul", "ol start=3", "li",
        "ol type=a", "ol type=I start=4", "ol reversed", "ol reversed start=2", "li type=i",
        "table", "tr", "td",
        "tbody", "th", "blockquote", "pre", "h1", "h2", "center", "font size=1", "o:p", "dl", "dt", "dd",
        "section", "q",
        "div style=\"display:none\"", "td style=\"font-size:0\"", "span style=\"font-size:12px\"", "caption",
        "colgroup",
        "address", "strong", "label", "p hidden", "body", "head", "html", "thead",
        "div style='visibility:hidden'",
        "li value=7", "a href=\"mailto:a@x.org\"", "col", "x-y",
    ]

    /// Mostly well nested: some end tags are left out, some come twice, some things stand where they may not.
    private static func document(_ random: inout SeededGenerator, depth: Int, sloppy: Int) -> String {
        var html = ""
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            if depth == 0 || Int.random(in: 0..<3, using: &random) == 0 {
                html += leaves.randomElement(using: &random) ?? ""
                continue
            }
            let open = wraps.randomElement(using: &random) ?? ""
            let name = open.prefix { $0 != " " }
            let inner = document(&random, depth: depth - 1, sloppy: sloppy)
            let isTable = name == "table"
            html += "<\(open)>" + (isTable ? "<tr><td>\(inner)</td></tr>" : inner)
            if Int.random(in: 0..<100, using: &random) >= sloppy { html += "</\(name)>" }
        }
        return html
    }

    @Test("HTML read without a tree gives the same text with a tree", arguments: [0, 3, 30])
    func differential(sloppy: Int) {
        var random = SeededGenerator(seed: UInt64(sloppy) + 11)
        var read = 0
        let rounds = Bound.rounds(20_000)
        for _ in 0..<rounds {
            let html = Self.document(&random, depth: Int.random(in: 1...5, using: &random), sloppy: sloppy)
            let (nested, tree) = Self.both(html)
            guard let nested, let tree else { continue }
            read += 1
            #expect(nested == tree, "\(html.debugDescription)")
        }
        #expect(read > rounds / 8, "only \(read) of \(rounds) were read without a tree")
    }

    @Test("random tags read without a tree give the same text with a tree")
    func soup() {
        var random = SeededGenerator(seed: 5)
        var read = 0
        for _ in 0..<Bound.rounds(60_000) {
            var html = ""
            for _ in 0..<Int.random(in: 1...9, using: &random) {
                let wrap = Self.wraps.randomElement(using: &random) ?? ""
                switch Int.random(in: 0..<3, using: &random) {
                case 0: html += "<\(wrap)>"
                case 1: html += "</\(wrap.prefix { $0 != " " })>"
                case _: html += Self.leaves.randomElement(using: &random) ?? ""
                }
            }
            let (nested, tree) = Self.both(html)
            guard let nested, let tree else { continue }
            read += 1
            #expect(nested == tree, "\(html.debugDescription)")
        }
        #expect(read > 1_000)
    }
}
