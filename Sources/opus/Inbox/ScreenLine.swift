/// A line of the screen: pieces of escaped text, each with a look.
struct ScreenLine: Hashable {
    enum Look: Hashable {
        case plain
        case bold
        case dim
        case warning
        case focus
    }

    struct Piece: Hashable {
        var text: String
        var look: Look
    }

    private(set) var pieces: [Piece] = []

    init() {}

    /// `text` is escaped.
    init(_ text: String, _ look: Look = .plain) { pieces = [Piece(text: text, look: look)] }

    mutating func add(_ text: String, _ look: Look = .plain) {
        if !text.isEmpty { pieces.append(Piece(text: text, look: look)) }
    }

    mutating func add(_ other: ScreenLine) { pieces += other.pieces }

    var text: String { pieces.map(\.text).joined() }
    var width: Int { pieces.reduce(0) { $0 + TerminalText.width($1.text) } }

    /// The line, cut to this many columns.
    func cut(to columns: Int) -> ScreenLine {
        guard width > columns else { return self }
        var cut = ScreenLine()
        var used = 0
        for piece in pieces {
            let wide = TerminalText.width(piece.text)
            if used + wide >= columns {
                cut.add(TerminalText.truncated(piece.text + " ", to: max(1, columns - used)), piece.look)
                break
            }
            cut.add(piece.text, piece.look)
            used += wide
        }
        return cut
    }

    /// The line with exactly that many columns.
    func filled(to columns: Int) -> ScreenLine {
        var filled = cut(to: columns)
        filled.add(String(repeating: " ", count: max(0, columns - filled.width)))
        return filled
    }

    func rendered(_ style: Style) -> String {
        pieces.map { piece in
            switch piece.look {
            case .plain: piece.text
            case .bold, .focus: style.bold(piece.text)
            case .dim: style.dim(piece.text)
            case .warning: style.yellow(piece.text)
            }
        }.joined()
    }
}

struct ScreenSize: Hashable {
    var columns: Int
    var rows: Int
}
