import Testing

@testable import opus

@Suite("Table")
struct TableTests {
    private let plain = Style(choice: .never, environment: [:], isTerminal: true)

    private func table(_ rows: [[String]]) -> Table {
        var table = Table([
            .init(title: "ID"), .init(title: "FROM", isFlexible: true),
            .init(title: "SUBJECT", isFlexible: true),
            .init(title: "N", alignsRight: true),
        ])
        for row in rows { table.add(row) }
        return table
    }

    @Test("columns are as wide as their widest cell, without blanks at the end of lines")
    func aligned() {
        let text = table([["7k2q", "Ana", "Hello", "3"], ["m4xd", "Bo", "", "12"]]).text(
            width: 80, style: plain)
        #expect(
            text == """
                ID    FROM  SUBJECT   N
                7k2q  Ana   Hello     3
                m4xd  Bo             12
                """)
    }

    @Test("the widest flexible column is cut first, and none below ten characters")
    func fitting() {
        let long = String(repeating: "s", count: 60)
        let wide = table([["7k2q", "Ana Ruiz", long, "3"]]).text(width: 40, style: plain, heading: false)
        #expect(wide == "7k2q  Ana Ruiz  " + String(repeating: "s", count: 20) + "…  3")
        let narrow = table([["7k2q", "Ana Maria Ruiz", long, "3"]]).text(
            width: 10, style: plain, heading: false)
        #expect(narrow == "7k2q  Ana Maria…  sssssssss…  3")
    }

    @Test(
        "no line is wider than the terminal if flexible columns can be cut enough",
        arguments: [60, 80, 132])
    func neverWider(width: Int) {
        let rows = ["日本語の件名がとても長い場合にどうなるか", "👨‍👩‍👧 family", "plain and rather long subject that goes on and on"]
            .map { ["7k2q", "Somebody With A Long Name", $0 + $0, "1"] }
        for line in table(rows).text(width: width, style: plain).split(separator: "\n") {
            #expect(TerminalText.width(line) <= width)
        }
    }

    @Test("wide characters keep their columns aligned")
    func wideCharacters() {
        let lines = table([["a", "日本", "x", "1"], ["b", "abcd", "x", "1"]])
            .text(width: 80, style: plain, heading: false).split(separator: "\n").map(String.init)
        #expect(lines == ["a   日本  x        1", "b   abcd  x        1"])
    }

    @Test("output for programs is not cut")
    func separated() {
        let long = String(repeating: "x", count: 500)
        #expect(table([["a", "b", long, "1"], ["c", "", "", ""]]).separated == "a\tb\t\(long)\t1\nc\t\t\t")
    }

    @Test("a row with too few or too many cells is accepted")
    func unevenRows() {
        let text = table([["a"], ["a", "b", "c", "d", "e"]]).text(width: 80, style: plain, heading: false)
        #expect(text == "a\na   b     c        d")
    }
}
