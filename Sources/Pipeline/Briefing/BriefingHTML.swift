/// A briefing as one HTML page: for a browser, a mail program, paper and a screen reader. It loads nothing.
extension Briefing {
    public func html(_ zone: ZoneClock) -> String {
        let title = BriefingDays(zone: zone).title(day)
        let sections = isEmpty ? [] : self.sections(zone)
        let body =
            sections.isEmpty
            ? "<p>\(Self.nothing)</p>"
            : sections.enumerated().map { Self.html($1, id: "chart-\($0)") }.joined(separator: "\n")
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <meta name="color-scheme" content="light dark">
            <title>\(HTMLText.escaped(title))</title>
            <style>
            \(Self.style)
            </style>
            </head>
            <body>
            <h1>\(HTMLText.escaped(title))</h1>
            \(body)
            </body>
            </html>

            """
    }

    /// Uses only the reader's own colors, so it is readable in dark mode and on paper.
    private static let style = """
        :root { color-scheme: light dark; }
        body { font: 16px/1.4 sans-serif; max-width: 50em; margin: 1em auto; padding: 0 1em; }
        table { border-collapse: collapse; }
        th, td { text-align: left; vertical-align: top; padding: 0.1em 1em 0.1em 0; overflow-wrap: anywhere; }
        svg { max-width: 100%; height: auto; }
        @media print { :root { color-scheme: light; } body { max-width: none; margin: 0; padding: 0; } \
        h2 { break-after: avoid; } tr, svg { break-inside: avoid; } thead { display: table-header-group; } }
        """

    private static func html(_ section: BriefingSection, id: String) -> String {
        let chart = section.chart.map { $0.svg(id: id) + "\n" } ?? ""
        let heads = section.columns.map { "<th scope=\"col\">\(HTMLText.escaped($0))</th>" }.joined()
        let rows = section.rows.map { row in
            "<tr>" + row.map { "<td>\(HTMLText.escaped($0))</td>" }.joined() + "</tr>"
        }
        let more = section.left > 0 ? "\n<p>… and \(section.left) more</p>" : ""
        return """
            <section>
            <h2>\(HTMLText.escaped(section.title))</h2>
            \(chart)<table>
            <thead><tr>\(heads)</tr></thead>
            <tbody>
            \(rows.joined(separator: "\n"))
            </tbody>
            </table>\(more)
            </section>
            """
    }
}
