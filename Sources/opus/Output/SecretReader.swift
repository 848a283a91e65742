import Glibc

/// Reads a line on a terminal without showing it, such as a password.
///
/// Ctrl-C and Ctrl-Z work as usual. The terminal shows what is typed again while the program is stopped and after it has
/// ended, and never while the line is read.
struct SecretReader {
    /// Prints the question, also again after the program was stopped.
    let ask: () -> Void

    private enum Key {
        static let interrupt: UInt8 = 3
        static let end: UInt8 = 4
        static let backspace: UInt8 = 8
        static let newline: UInt8 = 10
        static let enter: UInt8 = 13
        static let deleteLine: UInt8 = 21
        static let stop: UInt8 = 26
        static let delete: UInt8 = 127
    }

    /// nil: standard input is not a terminal.
    func line() -> String? {
        var before = termios()
        guard tcgetattr(STDIN_FILENO, &before) == 0 else { return nil }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        // Before the question: what is typed after it must not be discarded.
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        ask()
        defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &before) }
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { break }
            switch byte {
            case Key.enter, Key.newline: return String(decoding: bytes, as: UTF8.self)
            case Key.end where bytes.isEmpty: return ""
            case Key.end: continue
            case Key.deleteLine: bytes = []
            case Key.backspace, Key.delete: while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
            case Key.interrupt, Key.stop:
                tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
                send(byte == Key.stop ? SIGTSTP : SIGINT)
                tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
                ask()
            case _: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// With its usual effect: SIGINT ends the program, SIGTSTP stops it until it continues.
    private func send(_ number: Int32) {
        let handler = signal(number, SIG_DFL)
        raise(number)
        _ = signal(number, handler)
    }
}
