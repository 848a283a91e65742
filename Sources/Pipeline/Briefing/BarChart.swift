/// A bar chart as inline SVG: no script, no font and nothing from the network.
///
/// It uses the color of the surrounding text, so it is readable on a dark screen and on paper. Its title and
/// description are for screen readers.
struct BarChart: Equatable {
    struct Bar: Equatable {
        var label: String
        /// nil: unknown.
        var value: Int?
    }

    var title: String
    var bars: [Bar]

    private static let barWidth = 24
    private static let gap = 6
    private static let height = 80
    private static let margin = 16

    /// `id` is unique within the page.
    func svg(id: String) -> String {
        let width = bars.count * (Self.barWidth + Self.gap) + Self.gap
        let total = Self.height + 2 * Self.margin
        let values = bars.map { bar in bar.label + ": " + (bar.value.map { "\($0)" } ?? "not known") }
        let description = values.joined(separator: ", ")
        return """
            <svg role="img" aria-labelledby="\(id)-title \(id)-desc" viewBox="0 0 \(width) \(total)" \
            width="\(width)" height="\(total)" fill="currentColor" font-family="sans-serif" font-size="11" \
            text-anchor="middle">
            <title id="\(id)-title">\(HTMLText.escaped(title))</title>
            <desc id="\(id)-desc">\(HTMLText.escaped(description))</desc>
            \(bars.indices.map(bar).joined(separator: "\n"))
            </svg>
            """
    }

    private func bar(_ index: Int) -> String {
        let most = max(1, bars.compactMap(\.value).max() ?? 1)
        let left = Self.gap + index * (Self.barWidth + Self.gap)
        let middle = left + Self.barWidth / 2
        let bottom = Self.margin + Self.height
        let label =
            "<text x=\"\(middle)\" y=\"\(bottom + 12)\">\(HTMLText.escaped(bars[index].label))</text>"
        guard let value = bars[index].value else { return label }
        let height = value == 0 ? 0 : max(1, value * Self.height / most)
        return """
            <rect x="\(left)" y="\(bottom - height)" width="\(Self.barWidth)" height="\(height)" opacity="0.6"/>\
            <text x="\(middle)" y="\(bottom - height - 3)">\(value)</text>\(label)
            """
    }
}

/// Text inside HTML.
enum HTMLText {
    /// Escapes markup characters; control characters and direction marks are made visible first.
    static func escaped(_ text: some StringProtocol) -> String {
        var shown = ""
        for character in HarmlessText.line(text).unicodeScalars {
            switch character {
            case "&": shown += "&amp;"
            case "<": shown += "&lt;"
            case ">": shown += "&gt;"
            case "\"": shown += "&quot;"
            case "'": shown += "&#39;"
            case _: shown.unicodeScalars.append(character)
            }
        }
        return shown
    }
}
