import Testing

@testable import MIMEParser

/// What the guard lets through takes time by its size, and no more.
@Suite(.serialized) struct HTMLTimeTests {
    @Test(
        "the time to convert HTML grows in proportion to its size",
        arguments: [
            "<a><b>", "<a href=x><b><i>x", "<p><b>x", "<b id=1><p>x</b>", "<table>x<tr>", "<table><b>x",
            "<table><tr><td><table>x", "<option>x", "<select><option>", "<font>x", "<font size=1><p>x",
            "<div>x</div>", "<div>x", "<li><ul>x", "<p>x", "<dd>x", "<td>x", "<i>x</p>", "</p>", "</a>",
            "<a>x</b>", "<nobr>x", "<button>x", "<form>x", "<h1>x", "<x>", "<svg><a>x", "<math><mi>x",
            "<template>x",
            "&amp;", "&", "<", "<!--x-->", "<!", "<x a=1 b=2>", "<x a=\"", "\u{A0}", "&zwnj;", "<br>", "<hr>",
            "<blockquote>x", "<ol><li>x", "<a href=https://x.org/>x</a>", "<pre>\n",
            "<span style='font-size:0'>x",
            "<table><tr><td>x</td><td>y</td></tr></table>", "<object>x</object>", "<ruby><rt>x", "<frameset>",
            "<body a=1>", "<html b=2>", "<title>x", "<script><!--", "<style>x", "<textarea>x", "<img alt=x>",
            "<isindex>",
        ])
    func growth(_ piece: String) {
        let small = String(repeating: piece, count: Bound.size / piece.utf8.count)
        let (once, eightfold) = (Self.time(small), Self.time(String(repeating: small, count: 8)))
        // Quadratic time would be sixty-four times as much. Small times are noise.
        #expect(eightfold < max(once, .milliseconds(Bound.noise)) * 32, "\(once), then \(eightfold)")
    }

    /// Of the reader with a tree, wherever it may be asked.
    private static func time(_ html: String) -> Duration {
        let bytes = Array(html.utf8)
        let times = (0..<3).map { _ in
            ContinuousClock().measure {
                guard HTMLGuard.accepts(bytes) else { return _ = HTMLTokens.text(of: bytes, limit: 1 << 20) }
                _ = HTMLText.treeText(of: bytes, limit: 1 << 20)
            }
        }
        return times.min() ?? .zero
    }
}

extension Bound {
    #if DEBUG
        fileprivate static let size = 8_000
        fileprivate static let noise = 15
    #else
        fileprivate static let size = 64_000
        fileprivate static let noise = 5
    #endif
}
