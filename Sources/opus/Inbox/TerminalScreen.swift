import CLinux
import Glibc

/// The terminal during a full-screen program: raw keys, the alternate screen, no line wrapping. ``leave()`` restores
/// it.
final class TerminalScreen {
    private var before = termios()
    private var isEntered = false
    /// The lines on the screen.
    private var drawn: [String] = []
    private let style: Style

    init(style: Style) { self.style = style }

    /// Whether the terminal supports a full screen.
    static func isPossible(environment: [String: String]) -> Bool {
        isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && environment["OPUS_NO_INPUT"] == nil
            && !["", "dumb"].contains(environment["TERM"] ?? "")
    }

    var size: ScreenSize {
        let (columns, rows) = (opus_terminal_columns(STDOUT_FILENO), opus_terminal_rows(STDOUT_FILENO))
        return ScreenSize(columns: columns > 0 ? Int(columns) : 80, rows: rows > 0 ? Int(rows) : 24)
    }

    func enter() {
        guard !isEntered, tcgetattr(STDIN_FILENO, &before) == 0 else { return }
        var raw = before
        cfmakeraw(&raw)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
        isEntered = true
        // The alternate screen, no line wrapping, bracketed paste, no cursor.
        write("\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h\u{1B}[?25l")
        forget()
    }

    func leave() {
        guard isEntered else { return }
        isEntered = false
        write("\u{1B}[0m\u{1B}[?25h\u{1B}[?2004l\u{1B}[?7h\u{1B}[?1049l")
        tcsetattr(STDIN_FILENO, TCSADRAIN, &before)
    }

    /// Another program used the terminal and may have changed it.
    func enterAgain() {
        guard isEntered else { return }
        leave()
        enter()
    }

    /// Makes the next drawing redraw every line.
    func forget() {
        drawn = []
        write("\u{1B}[2J")
    }

    /// Draws the lines that changed.
    func draw(_ lines: [ScreenLine], cursor: (row: Int, column: Int)?) {
        let new = lines.map { $0.rendered(style) }
        var output = "\u{1B}[?25l"
        for row in 0..<max(new.count, drawn.count) {
            let line = row < new.count ? new[row] : ""
            guard row >= drawn.count || drawn[row] != line else { continue }
            output += "\u{1B}[\(row + 1);1H\u{1B}[2K" + line
        }
        if let cursor { output += "\u{1B}[\(cursor.row + 1);\(cursor.column + 1)H\u{1B}[?25h" }
        drawn = new
        write(output)
    }

    private func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return }
            bytes.removeFirst(count)
        }
    }
}
