import Models
import Pipeline
import TestSupport
import Testing

@testable import opus

/// The session on the screen: keys from bytes, and lines that fit.
@Suite("Inbox on the screen")
struct InboxScreenTests {
    private func keys(_ text: String) -> [String] {
        var reader = ScreenKeys()
        return (reader.read(text.utf8) + reader.pause()).map(\.name)
    }

    @Test("bytes become keys, and unknown sequences are ignored completely")
    func reading() {
        #expect(keys("e#!") == ["e", "#", "!"])
        #expect(keys("é中") == ["é", "中"])
        #expect(keys(" \r\u{7F}\u{03}\u{0C}") == ["space", "enter", "backspace", "ctrl-c", "ctrl-l"])
        #expect(keys("\u{1B}[A\u{1B}OB\u{1B}[1~\u{1B}[6~") == ["up", "down", "home", "page-down"])
        #expect(keys("\u{1B}") == ["esc"])
        // Focus, a mouse, a function key with modifiers, Alt and a key: no archive, no trash.
        #expect(keys("\u{1B}[I\u{1B}[<0;3;4M\u{1B}[15;2~\u{1B}ej").allSatisfy { $0 == "j" })
        #expect(keys("\u{FF}\u{1B}[200~e#q\u{1B}[201~z") == ["ÿ", "", "z"])
    }

    @Test("a sequence cut anywhere gives the same keys")
    func pieces() {
        let bytes = Array("a\u{1B}[B中\u{1B}[200~paste e\u{1B}[201~\u{1B}OAz".utf8)
        var whole = ScreenKeys()
        let expected = whole.read(bytes)
        for cut in 0...bytes.count {
            var reader = ScreenKeys()
            let keys = reader.read(bytes[..<cut]) + reader.read(bytes[cut...])
            #expect(keys == expected, "cut at \(cut)")
        }
    }

    @Test("only a lone escape byte becomes Esc soon; the rest of a cut key may come later")
    func patience() throws {
        var reader = ScreenKeys()
        #expect(reader.patience == nil)
        _ = reader.read([0x1B])
        let escape = try #require(reader.patience)
        #expect(escape <= 50)
        _ = reader.read([UInt8(ascii: "[")])
        let sequence = try #require(reader.patience)
        #expect(sequence >= 500)
        #expect(reader.read([UInt8(ascii: "B")]).map(\.name) == ["down"])
        #expect(reader.patience == nil)
        _ = reader.read([0xC3])
        let character = try #require(reader.patience)
        #expect(character >= 500)
        #expect(reader.read([0xA9]).map(\.name) == ["é"])
    }

    @Test("broken UTF-8 and endless sequences never become a command key")
    func broken() {
        var reader = ScreenKeys()
        let broken = reader.read([0xC3, 0x28, 0xFF, 0xF0, 0x9F])
        #expect(broken.map(\.name) == ["("])
        _ = reader.pause()
        let endless = reader.read(
            [0x1B, UInt8(ascii: "[")] + Array(repeating: UInt8(ascii: "1"), count: 100))
        #expect(endless.isEmpty)
    }

    private func screen(_ subjects: [String]) -> InboxScreen {
        InboxScreen(
            subjects.enumerated().map {
                InboxItem(
                    account: AccountID("work"), messages: [EmailID(rawValue: "m\($0)")],
                    from: "王小明 \u{1B}]0;x\u{07}",
                    subject: $1, date: Timestamp(seconds: 1_773_127_800))
            }, at: 0)
    }

    private var when: When {
        When(zone: ZoneClock(zone: "UTC"), now: Timestamp(seconds: 1_773_131_400))
    }

    @Test("the end names changes that were not sent, also after an interruption")
    func unsentChanges() {
        var screen = screen(["One", "Two"])
        _ = screen.press(.text("e"), at: 1)
        let lines = { (screen: InboxScreen, isOpen: Bool) in
            InboxSummary(screen: screen, run: RunID(rawValue: 2), isOpen: isOpen).lines
        }
        #expect(
            lines(screen, true).contains(
                "Not sent yet: opus was interrupted. The next opus run sends the changes."))
        #expect(!lines(screen, false).contains { $0.hasPrefix("Not sent") })
    }

    @Test(
        "every line fits every screen, and foreign control characters are removed",
        arguments: [(80, 24), (200, 50), (20, 6), (41, 10), (10, 3), (139, 24), (141, 24)])
    func sizes(_ columns: Int, _ rows: Int) {
        let hostile = "\u{1B}[2J\u{1B}]52;c;ZQ==\u{07}\u{9B}31m\u{202E}evil 日本語 👩‍👩‍👧 e\u{301}"
        var screen = screen(
            [hostile, String(repeating: "語", count: 300), "plain", ""] + (0..<60).map { "n\($0)" })
        let text = WrappedText.lines(String(repeating: hostile + " ", count: 50), width: columns - 1)
        for key in ["j", "x", "?", "q", "h", "\u{1B}", "e", "/"] {
            _ = screen.press(key == "\u{1B}" ? .named("esc") : .text(Character(key)), at: 1)
            let frame = InboxFrame(screen, ScreenSize(columns: columns, rows: rows), when) { width in
                text.map { ScreenLine($0) }
            }
            #expect(frame.lines.count <= rows)
            for line in frame.lines {
                #expect(line.width < max(2, columns), "\(line.text)")
                #expect(!line.text.unicodeScalars.contains { $0.isHarmfulOnTerminal }, "\(line.text)")
            }
            if let cursor = frame.cursor { #expect(cursor.row < rows && cursor.column < columns) }
        }
    }

    @Test("a question and a warning are complete on a narrow screen, and typed text stays visible")
    func narrow() {
        var screen = screen([String(repeating: "long ", count: 800)])
        let lines = { (screen: InboxScreen) in
            InboxFrame(screen, ScreenSize(columns: 40, rows: 10), when) { _ in [] }.lines.map(\.text)
        }
        let words =
            "Write a draft to out@news.example that leaves the list? (The address is of another domain.)"
        screen.mode = .question([words], .quit)
        #expect(lines(screen).joined().filter { $0 != " " }.contains(words.filter { $0 != " " }))
        #expect(lines(screen).count == 10)
        screen.mode = .browsing
        screen.status = .init(text: "protected: a rule that keeps this mail in the inbox", isWarning: true)
        #expect(lines(screen).joined().contains("in the inbox"))
        for (key, typed) in [("h", "friday"), ("w", "friday"), ("n", ""), ("t", " end")] {
            _ = screen.press(.text(Character(key)), at: 1)
            for character in typed { _ = screen.press(.text(character), at: 1) }
            let end = key == "n" ? "archive" : typed
            #expect(lines(screen)[8].hasSuffix(end), "\(key)")
            _ = screen.press(.named("esc"), at: 1)
        }
    }

    @Test("Ctrl-Z suspends the program on every screen")
    func suspending() {
        var screen = screen(["One"])
        for key in ["j", "t", "?"] {
            _ = screen.press(.text(Character(key)), at: 1)
            #expect(screen.press(.named("ctrl-z"), at: 1) == [.suspend])
            _ = screen.press(.named("esc"), at: 1)
        }
    }

    @Test("lines break at blanks, and wide characters are not cut")
    func wrapping() {
        #expect(WrappedText.lines("one two three", width: 8) == ["one two ", "three"])
        #expect(WrappedText.lines("日本語日本語", width: 5) == ["日本", "語日", "本語"])
        #expect(WrappedText.lines("a\n\nb\n\n", width: 5) == ["a", "", "b"])
        #expect(WrappedText.lines("abcdefghij", width: 4) == ["abcd", "efgh", "ij"])
        #expect(
            WrappedText.lines(String(repeating: "x\n", count: 9_000), width: 4).count <= WrappedText.mostLines
                + 1)
    }

    @Test("a key becomes an order with its typed value, and an impossible order is refused")
    func orders() {
        var screen = screen(["One", "Two", "Three"])
        func press(_ keys: Key...) -> [InboxScreen.Effect] { keys.flatMap { screen.press($0, at: 1) } }
        let first = press(.text("e"))
        guard case .order(let order)? = first.first else {
            Issue.record("no order")
            return
        }
        #expect(order.verb == .archive && order.items.map(\.subject) == ["One"])
        let typed = press(
            .text("h"), .text("f"), .text("r"), .text("x"), .named("backspace"), .pasted("iday\nq"),
            .named("enter"))
        #expect(screen.model.rows == [2])
        guard case .order(let second)? = typed.first else {
            Issue.record("no second order")
            return
        }
        #expect(second.verb == .deferUntil("friday"))
        let undone = press(.text("z"))
        #expect(undone == [.undo(2)])
        #expect(screen.model.item?.subject == "Two")
        screen.check = { _, _ in "not a day" }
        let refused = press(.text("e"))
        #expect(refused.isEmpty && screen.status?.text == "not a day")
        // A pasted text is not a row of keys.
        let pasted = press(.pasted("e#!"))
        #expect(pasted.isEmpty)
        let quit = press(.text("q"))
        #expect(quit == [.quit])
    }
}
