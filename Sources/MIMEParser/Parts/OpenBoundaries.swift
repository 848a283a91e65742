/// The boundaries of the open parts, the outermost first, and the meaning of a line for them.
struct OpenBoundaries {
    /// Empty for a leaf, a message, and a multipart whose closing boundary has come.
    private var boundaries: [[UInt8]] = []
    private var waiting = 0
    /// The closing boundaries that have come, of multiparts that are still open.
    private var closed: [(level: Int, boundary: [UInt8])] = []

    /// Whether a multipart still waits for a boundary.
    var isWaiting: Bool { waiting > 0 }

    /// Whether a boundary would have a meaning, even if it comes too late.
    var isWatching: Bool { waiting > 0 || !closed.isEmpty }

    mutating func append(_ boundary: [UInt8]) {
        if !boundary.isEmpty { waiting += 1 }
        boundaries.append(boundary)
    }

    /// Removes the boundary at a level after its closing boundary.
    mutating func close(_ level: Int) {
        guard !boundaries[level].isEmpty else { return }
        closed.append((level, boundaries[level]))
        boundaries[level] = []
        waiting -= 1
    }

    mutating func removeAll(above level: Int) {
        while boundaries.count > level + 1 { if !boundaries.removeLast().isEmpty { waiting -= 1 } }
        closed.removeAll { $0.level > level }
    }

    /// The longest boundary after the `--` of a line, because one may be a prefix of another; of equal ones the
    /// innermost.
    func match(_ bytes: [UInt8], lineStart: Int) -> (level: Int, length: Int)? {
        guard isWaiting else { return nil }
        var best: (level: Int, length: Int)?
        for level in boundaries.indices.reversed() {
            let boundary = boundaries[level]
            if boundary.count > best?.length ?? 0, Self.line(bytes, lineStart, hasBoundary: boundary) {
                best = (level, boundary.count)
            }
        }
        return best
    }

    /// Whether a line begins with the boundary of a closed multipart. True only once for each.
    mutating func matchClosed(_ bytes: [UInt8], lineStart: Int) -> Bool {
        guard
            let found = closed.lastIndex(where: { Self.line(bytes, lineStart, hasBoundary: $0.boundary) })
        else { return false }
        let after = lineStart + 2 + closed[found].boundary.count
        // A repeated closing boundary is harmless.
        guard !bytes[after...].hasPrefix("--") else { return false }
        closed.remove(at: found)
        return true
    }

    private static func line(_ bytes: [UInt8], _ start: Int, hasBoundary boundary: [UInt8]) -> Bool {
        guard start + 2 + boundary.count <= bytes.count else { return false }
        for offset in 0..<boundary.count where bytes[start + 2 + offset] != boundary[offset] { return false }
        return true
    }
}

extension ContentType {
    /// The boundary of a multipart as written on its lines, without `--`; empty where there is none.
    ///
    /// Blanks at its end are lost on the way. RFC 2046 §5.1.1.
    var delimiter: [UInt8] {
        guard isMultipart else { return [] }
        let boundary = parameters.boundary
        guard let last = boundary.lastIndex(where: { !$0.isBlank }) else { return [] }
        return Array(boundary[...last])
    }
}
