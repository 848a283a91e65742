import Glibc

/// Reads one answer: a key on a terminal, otherwise a line with one character.
struct KeyReader {
    /// What ``key()`` returns for more than one character: a line, a paste, or a key such as an arrow. It is on no keyboard.
    private static let unknown: Character = "\u{FFFD}"

    /// Drops what was typed on a terminal so far. It cannot be meant for a question that was not on the screen.
    func dropTyped() {
        if isatty(STDIN_FILENO) == 1 { tcflush(STDIN_FILENO, TCIFLUSH) }
    }

    /// nil: the input has ended, or the user pressed Ctrl-C or Ctrl-D.
    func key() -> Character? {
        guard isatty(STDIN_FILENO) == 1 else {
            return readLine().map { $0.count > 1 ? Self.unknown : $0.first ?? "\n" }
        }
        var before = termios()
        guard tcgetattr(STDIN_FILENO, &before) == 0 else { return nil }
        var raw = before
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
        defer { tcsetattr(STDIN_FILENO, TCSADRAIN, &before) }
        var bytes = [UInt8](repeating: 0, count: 256)
        while true {
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0, bytes[0] != 3, bytes[0] != 4 else { return nil }
            return count == 1 ? Character(Unicode.Scalar(bytes[0])) : Self.unknown
        }
    }

    /// A line of text; nil: the input has ended.
    func line() -> String? { readLine() }
}
