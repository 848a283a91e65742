import Glibc

/// Reads one answer: a key on a terminal, otherwise a line with one character.
struct KeyReader {
    /// What ``key()`` returns for a line with more than one character. It is on no keyboard.
    private static let unknown: Character = "\u{FFFD}"

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
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != 3, byte != 4 else { return nil }
            return Character(Unicode.Scalar(byte))
        }
    }

    /// A line of text; nil: the input has ended.
    func line() -> String? { readLine() }
}
