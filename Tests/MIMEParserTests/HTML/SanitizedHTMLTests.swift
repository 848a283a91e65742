import TestSupport
import Testing

@testable import MIMEParser

@Suite struct SanitizedHTMLTests {
    @Test(
        "the output contains no script, no external content and no disguise",
        arguments: ScriptVectors.all)
    func vector(_ html: String) {
        let output = SanitizedHTML(html).html
        let finding = Inspector.finding(in: output)
        #expect(finding == nil, "\(output)")
        #expect(SanitizedHTML(output).html == output, "sanitising again changes it")
    }

    @Test("there are at least 150 different attack vectors")
    func vectors() {
        #expect(Set(ScriptVectors.all).count == ScriptVectors.all.count)
        #expect(ScriptVectors.all.count >= 150)
    }

    @Test("the check finds most of the attack vectors in their original form")
    func inspector() {
        let harmless = ScriptVectors.all.filter { Inspector.finding(in: $0) == nil }
        #expect(harmless.count * 6 < ScriptVectors.all.count, "\(harmless)")
    }

    @Test("random pieces of vectors leave nothing, and sanitising again changes nothing")
    func soup() {
        var random = SeededGenerator(seed: 21)
        let pieces = ScriptVectors.all.flatMap { vector in
            vector.split(separator: "<", omittingEmptySubsequences: true).map { "<" + $0 }
        }
        for _ in 0..<Bound.rounds(4_000) {
            let html = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            let output = SanitizedHTML(html).html
            #expect(Inspector.finding(in: output) == nil, "\(html) became \(output)")
            #expect(SanitizedHTML(output).html == output, "\(html)")
        }
    }

    @Test(
        "harmless HTML is kept",
        arguments: [
            ("<p>a <b>b</b></p>", "<p>a <b>b</b></p>"),
            (
                "<a href=\"https://x.org/?a=1&b=2\">x</a>",
                "<a href=\"https://x.org/?a=1&amp;b=2\" rel=\"noopener noreferrer nofollow\">x</a>"
            ),
            (
                "<a href=\"HTTPS:\\\\x.org\">x</a>",
                "<a href=\"https://x.org\" rel=\"noopener noreferrer nofollow\">x</a>"
            ),
            (
                "<a href=\"tel:+49 30 1\">x</a>",
                "<a href=\"tel:+49%2030%201\" rel=\"noopener noreferrer nofollow\">x</a>"
            ),
            (
                "<p style=\"COLOR: Red; margin:0 auto !important; font-family: Arial, &quot;Open Sans&quot;; position:fixed\">a</p>",
                "<p style=\"color:Red;margin:0 auto;font-family:Arial, &#39;Open Sans&#39;\">a</p>"
            ),
            ("<td style='width:10%'>a</td>", "a"),
            (
                "<table width=600 cellpadding=0 bgcolor='#fff'><tr><td colspan=2>a</table>",
                "<table width=\"600\" cellpadding=\"0\" bgcolor=\"#fff\"><tbody><tr><td colspan=\"2\">a</td></tr></tbody></table>"
            ),
            ("<body bgcolor=red text=blue>a", "<div bgcolor=\"red\">a</div>"),
            (
                "<img src=cid:logo@x.org alt=Logo width=10>",
                "<img data-cid=\"logo@x.org\" alt=\"Logo\" width=\"10\">"
            ),
            ("<img src=https://x.org/a alt=Photo>", "<img alt=\"Photo\">"),
            ("<img src=https://x.org/a width=1 height=1>a", "a"),
            ("<form><p>a</p><button>b</button></form>", "<p>a</p>b"),
            (
                "<ol start=3 type=a><li value=4>x</ol>",
                "<ol start=\"3\" type=\"a\"><li value=\"4\">x</li></ol>"
            ),
            ("<blockquote type=cite>x</blockquote>", "<blockquote type=\"cite\">x</blockquote>"),
            (
                "<font color=red size=+1 face=Arial>x</font>",
                "<font color=\"red\" size=\"+1\" face=\"Arial\">x</font>"
            ),
            ("a&nbsp;b &lt; c &amp; d", "a&nbsp;b &lt; c &amp; d"),
            ("<pre>\n\n a</pre>", "<pre>\n\n a</pre>"), ("", ""),
        ])
    func kept(_ html: String, _ expected: String) { #expect(SanitizedHTML(html).html == expected) }

    @Test(
        "everything that would have been loaded is counted",
        arguments: [
            ("<img src=https://x.org/a><img src=//x.org/b>", 2),
            ("<img src=cid:a><img src=data:image/png,x><img alt=a>", 0),
            ("<body background=https://x.org/a><table background=https://x.org/b>", 2),
            ("<p style=\"background:url(https://x.org/a)\">", 1),
            ("<style>@import 'https://x.org/a'; p { background: URL( 'https://x.org/b' ) }</style>", 2),
            ("<link rel=stylesheet href=https://x.org/a>", 1),
            ("<script src=https://x.org/a></script><iframe src=https://x.org/b></iframe>", 2),
            ("<video poster=https://x.org/a><source src=https://x.org/b></video>", 2),
            ("<svg><image xlink:href=https://x.org/a /></svg>", 1),
            ("<meta http-equiv=refresh content='0;url=https://x.org'>", 1),
            ("<a href=https://x.org>x</a>", 0),
            ("<img srcset='https://x.org/a 2x' src=https://x.org/b>", 2),
            ("<input type=image src=https://x.org/a>", 1), ("<object data=https://x.org/a></object>", 1),
        ])
    func remote(_ html: String, _ count: Int) { #expect(SanitizedHTML(html).removedRemote == count) }

    @Test("images inside the message are listed once, in order")
    func contentIDs() {
        let html = "<img src=cid:b@x><img src='CID:%61@x'><img src=cid:b@x><img src=https://x.org/a>"
        #expect(SanitizedHTML(html).contentIDs == ["b@x", "a@x"])
    }

    @Test(
        "a link whose text shows another host is flagged",
        arguments: [
            ("https://evil.example/", "https://bank.example"), ("https://evil.example/", "bank.example"),
            ("https://evil.example/", "www.bank.example/login"),
            ("https://evil.example/", "Go to https://bank.example/x now"),
            ("https://evil.example/", "BANK.EXAMPLE"), ("https://bank.example@evil.example/", "Log in"),
            ("https://bank.example%2Flogin@evil.example/", "Log in"),
            ("https://bank.example.evil.example/", "bank.example"), ("https:evil.example", "bank.example"),
            ("https:\\\\evil.example\\bank.example", "bank.example"),
            ("https://evil.example/", "b\u{200B}ank.example"),
            ("https://evil.example/", "<b>bank</b>.example"),
            ("https://evil.example/", "bank<span style='display:none'>x</span>.example"),
            ("https://evil.example/", "info@bank.example"), ("mailto:a@evil.example", "info@bank.example"),
            ("https://b\u{430}nk.example/", "bank.example"), ("https://b\u{430}nk.example/", "Log in"),
            ("https://xn--bnk-5cd.example/", "bank.example"),
            ("https://xn--bnk-5cd.example/", "b\u{430}nk.example"),
            ("https://evil.example/", "münchen.example"),
            ("https://evil.example/?u=https://bank.example", "https://bank.example"),
            ("https://192.0.2.1/", "bank.example"),
            ("https://evil.co.uk/", "bank.co.uk"), ("https://evil。example/", "bank.example"),
        ])
    func suspect(_ target: String, _ text: String) {
        #expect(SanitizedHTML("<p>a <a href=\"\(target)\">\(text)</a> b</p>").suspectLinks.count == 1)
    }

    @Test(
        "a link that leads where its text says is not flagged",
        arguments: [
            ("https://bank.example/", "https://bank.example"), ("https://www.bank.example/a", "bank.example"),
            ("http://bank.example", "https://www.bank.example/"),
            ("https://login.bank.example/", "bank.example"), ("https://BANK.example:443/x", "bank.EXAMPLE"),
            ("https://evil.example/", "Log in"), ("https://evil.example/", "report.pdf"),
            ("https://evil.example/", "e.g. this"), ("https://evil.example/", "1.234,50"),
            ("https://xn--mnchen-3ya.example/", "münchen.example"),
            ("https://münchen.example", "https://xn--mnchen-3ya.example"),
            ("mailto:info@bank.example", "info@bank.example"),
            ("mailto:info@bank.example?subject=x", "info@bank.example"), ("tel:+4930123", "+49 30 123"),
            ("https://a.bank.co.uk/", "www.bank.co.uk"),
            ("https://bank.example/", "Version 2.0"), ("https://user@bank.example/", "bank.example"),
            ("https://x.org", ""),
        ])
    func honest(_ target: String, _ text: String) {
        #expect(SanitizedHTML("<p>a <a href=\"\(target)\">\(text)</a> b</p>").suspectLinks.isEmpty)
    }

    @Test("a suspicious link says what it shows and where it leads")
    func suspectLink() {
        let links = SanitizedHTML("<a href=' HTTPS:/\\evil.example/a b'>\n www.<i>bank</i>.example </a>")
            .suspectLinks
        #expect(links == [SuspectLink(text: "www.bank.example", target: "https://evil.example/a%20b")])
    }

    @Test("HTML too hostile for a tree is shown as text")
    func tooDeep() {
        let deep = SanitizedHTML(String(repeating: "<div>", count: 60_000) + "<script>x</script>a &lt;b&gt;")
        #expect(deep.isTextOnly)
        #expect(deep.html == "<pre>a &lt;b&gt;</pre>")
        #expect(SanitizedHTML(deep.html).html == deep.html)
    }

    @Test(
        "the size of the output is limited",
        arguments: ["<p title='\"\"\"\"\"\"'>&&&&\"</p>", "<b>\u{A0}", "&lt;", "<img alt='````````'>"])
    func bounded(_ piece: String) {
        let limit = 20_000
        let output = SanitizedHTML(String(repeating: piece, count: 100_000 / piece.utf8.count), limit: limit)
            .html
        #expect(output.utf8.count < limit + 70_000)
        #expect(Inspector.finding(in: output) == nil)
    }
}

/// Reads a tree and says what in it is not harmless, by a list of its own.
private struct Inspector: HTMLTreeVisitor {
    private var finding: String?
    private var path: [String] = []

    static func finding(in html: String) -> String? {
        var inspector = Inspector()
        GumboTree.walk(Array(html.utf8), with: &inspector)
        return inspector.finding
    }

    private static let elements = Set(
        """
        p div span td tr table tbody a img br b strong i em u font center ul ol li blockquote pre hr h1 h2 h3 h4 h5 h6 th thead
        tfoot caption colgroup col abbr acronym address article aside bdi bdo big cite code dd del dfn dl dt figcaption figure
        footer header ins kbd main mark nav q rp rt ruby s samp section small strike sub sup tt var wbr
        """.split { $0 == " " || $0 == "\n" }.map(String.init))

    private static let attributes = Set(
        """
        href rel data-cid style align valign clear dir nowrap noshade reversed scope type lang face alt title border cellpadding
        cellspacing colspan rowspan hspace vspace span start size value width height bgcolor color
        """.split { $0 == " " || $0 == "\n" }.map(String.init))

    mutating func enter(_ element: HTMLElement) -> Bool {
        let name = element.name
        path.append(name)
        let isFrame = path == ["html"] || path == ["html", "head"] || path == ["html", "body"]
        if !element.isHTML { finding = "foreign \(name)" }
        if isFrame ? element.attributeCount > 0 : !Self.elements.contains(name) {
            finding = "element \(path)"
        }
        if path.count > 2, path[1] == "head" { finding = "head \(name)" }
        var bad: String?
        element.forEachAttribute { attribute, value in
            let (attribute, value) = (
                String(decoding: attribute, as: UTF8.self), String(decoding: value, as: UTF8.self)
            )
            if !Self.isHarmless(attribute, value, of: name) { bad = "\(name) \(attribute)=\(value)" }
        }
        finding = bad ?? finding
        return true
    }

    mutating func leave(_ element: HTMLElement) { path.removeLast() }

    mutating func take(text: UnsafeBufferPointer<UInt8>) {
        if path.count > 1, path[1] == "head" { finding = "text in the head" }
    }

    private static func isHarmless(_ attribute: String, _ value: String, of element: String) -> Bool {
        guard attributes.contains(attribute), !value.unicodeScalars.contains(where: { $0.value < 0x20 })
        else { return false }
        switch attribute {
        case "href":
            let schemes = ["https://", "http://", "mailto:", "tel:"]
            return element == "a" && schemes.contains { value.hasPrefix($0) && value.count > $0.count }
        case "rel": return element == "a" && value == "noopener noreferrer nofollow"
        case "data-cid": return element == "img" && !value.contains { "<>\"'`".contains($0) }
        case "style":
            let words = [
                "url", "expression", "import", "behavio", "binding", "position", "\\", "@", "/*", "{", "}",
                "<", "var(", "calc", ":-", " -", "z-index", "content",
            ]
            return !words.contains { value.lowercased().contains($0) }
        case "alt", "title": return true
        case _:
            return value.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || " ,-+#%".contains($0)) }
        }
    }
}
