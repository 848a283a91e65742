import Glibc
import Inspection
import Pipeline

/// Safe HTML for a browser, or its text; links that lead elsewhere are named on standard error.
struct HTMLOutput {
    let console: Console

    /// HTML goes out as it is, but escaped where a terminal would show it.
    func show(html: String, _ suspects: [HTMLInspection.Link]) {
        print(isatty(STDOUT_FILENO) == 1 ? TerminalText.block(html) : html)
        name(suspects)
    }

    func show(text: String, _ suspects: [HTMLInspection.Link]) {
        print(TerminalText.block(text))
        name(suspects)
    }

    private func print(_ text: String) {
        console.print(text.hasSuffix("\n") ? String(text.dropLast()) : text)
    }

    private func name(_ suspects: [HTMLInspection.Link]) {
        for link in suspects {
            console.note(
                "opus: the link \"\(TerminalText.line(link.text))\" leads to \(TerminalText.line(link.target))"
            )
        }
    }
}
