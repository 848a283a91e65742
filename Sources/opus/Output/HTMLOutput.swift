import Inspection
import Pipeline

/// Prints safe HTML or its text, and on standard error the links whose text shows another address.
struct HTMLOutput {
    let console: Console

    /// Prints HTML: escaped on a terminal, even through a pager; otherwise unchanged.
    func show(html: String, _ suspects: [HTMLInspection.Link]) {
        print(console.isTerminal ? TerminalText.block(html) : html)
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
                "opus: the link “\(TerminalText.line(link.text))” leads to \(TerminalText.line(link.target))"
            )
        }
    }
}
