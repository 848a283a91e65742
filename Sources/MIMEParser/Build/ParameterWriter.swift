/// Writes one parameter, each piece on its own line. RFC 2045 §5.1, RFC 2231 §3–4.
enum ParameterWriter {
    /// `;\r\n filename="report.pdf"`, or the extended form; empty: the value is empty.
    static func parameter(_ name: String, _ value: String, field: String) throws(BuilderError) -> String {
        try HeaderWriter.refuseControls(value, field: field + " " + name, allowsTab: false)
        let bytes = Array(value.utf8)
        guard !bytes.isEmpty else { return "" }
        let isPlain = bytes.allSatisfy {
            $0 >= 0x20 && $0 < 0x7F && $0 != ASCII.quote && $0 != ASCII.backslash
        }
        if isPlain, bytes.count <= 60, !HeaderText.mayHoldWords(bytes[...]) {
            return ";\r\n \(name)=\"\(value)\""
        }
        let pieces = pieces(value)
        guard pieces.count > 1 else { return ";\r\n \(name)*=utf-8''\(pieces.joined())" }
        return pieces.enumerated().map { index, piece in
            ";\r\n \(name)*\(index)*=" + (index == 0 ? "utf-8''" : "") + piece
        }.joined()
    }

    /// The value in percent codes. No character is split: some programs decode each piece by itself.
    private static func pieces(_ value: String) -> [String] {
        var pieces: [String] = []
        var current = ""
        for scalar in value.unicodeScalars {
            let piece = String(scalar).utf8.map(code).joined()
            if current.utf8.count + piece.utf8.count > 45 {
                pieces.append(current)
                current = ""
            }
            current += piece
        }
        return pieces + [current]
    }

    private static func code(_ byte: UInt8) -> String {
        let isSafe = byte.isToken && byte != UInt8(ascii: "*") && byte != 0x27 && byte != ASCII.percent
        return isSafe
            ? String(Unicode.Scalar(byte))
            : "%" + String(decoding: QuotedPrintable.escaped(byte).dropFirst(), as: UTF8.self)
    }
}
