import Glibc
import Models

/// The file names of a mailbox from one reading, sorted by the unique part.
///
/// All names are in one block of memory, and a row has a few bytes, because a mailbox may have a million of them.
struct MailboxNames: Sendable {
    private struct Row {
        var offset: Int
        /// The length of the name, and of its part up to the colon.
        var length: UInt16
        var base: UInt16
        /// The position of mbsync's UID in the name, and its length with its marker.
        var uidStart: UInt16
        var uidLength: UInt16
        var isNew: Bool
    }

    private var bytes: [UInt8] = []
    private var rows: [Row] = []

    var count: Int { rows.count }

    func count(isNew: Bool) -> Int { rows.count { $0.isNew == isNew } }

    func file(_ index: Int) -> MessageFile {
        let row = rows[index]
        return MessageFile(raw: Array(bytes[row.offset..<(row.offset + Int(row.length))]), isNew: row.isNew)
    }

    // MARK: Reading

    /// File systems have no longer names. The limit prevents an overflow of the small numbers in a row.
    private static let longest = 4_096

    mutating func add(_ name: UnsafeRawBufferPointer, isNew: Bool) {
        guard name.count <= Self.longest else { return }
        let base = name.firstIndex(of: UInt8(ascii: ":")) ?? name.count
        var row = Row(
            offset: bytes.count, length: UInt16(name.count), base: UInt16(base), uidStart: UInt16(base),
            uidLength: 0, isNew: isNew)
        if name.contains(UInt8(ascii: ",")),
            let field = MaildirFileName.syncField(of: UnsafeRawBufferPointer(rebasing: name[..<base]))
        {
            row.uidStart = UInt16(field.lowerBound)
            row.uidLength = UInt16(field.count)
        }
        bytes.append(contentsOf: name)
        rows.append(row)
    }

    mutating func add(_ other: MailboxNames) {
        for index in 0..<other.count {
            let file = other.file(index)
            file.raw.withUnsafeBytes { add($0, isNew: file.isNew) }
        }
    }

    /// Sorts, and keeps of each message the name that was read last.
    mutating func settle() {
        bytes.withUnsafeBytes { bytes in
            rows.sort { a, b in
                let order = Self.compare(a, b, bytes)
                return order == 0 ? a.offset < b.offset : order < 0
            }
            var kept: [Row] = []
            kept.reserveCapacity(rows.count)
            for row in rows {
                if let last = kept.last, Self.compare(last, row, bytes) == 0 { kept.removeLast() }
                kept.append(row)
            }
            rows = kept
        }
    }

    /// What identifies each message of `new`, or else of `cur`, and its letters, in the order of the rows, in pieces of some
    /// size.
    func forEachPiece(isNew: Bool, where isWanted: ((String) -> Bool)?, _ body: ([UInt8]) -> Void) {
        var piece: [UInt8] = []
        piece.reserveCapacity(Self.piece + Self.longest)
        bytes.withUnsafeBytes { bytes in
            for (index, row) in rows.enumerated() where row.isNew == isNew {
                if let isWanted, !isWanted(file(index).name.unique) { continue }
                let (first, second) = Self.pieces(row, bytes)
                piece.append(contentsOf: first)
                piece.append(contentsOf: second)
                piece.append(0)
                piece.append(contentsOf: bytes[(row.offset + Int(row.base))..<(row.offset + Int(row.length))])
                piece.append(0)
                guard piece.count >= Self.piece else { continue }
                body(piece)
                piece.removeAll(keepingCapacity: true)
            }
        }
        body(piece)
    }

    private static let piece = 16_384

    // MARK: Finding

    /// The full file name of the message with this unique name, whatever UID mbsync wrote into it.
    func find(stem: [UInt8]) -> MessageFile? {
        let index: Int? = bytes.withUnsafeBytes { bytes in
            stem.withUnsafeBytes { stem in
                var low = 0
                var high = rows.count
                while low < high {
                    let middle = (low + high) / 2
                    let order = Self.compare(Self.pieces(rows[middle], bytes), (stem, Self.nothing))
                    if order == 0 { return middle }
                    if order < 0 { low = middle + 1 } else { high = middle }
                }
                return nil
            }
        }
        return index.map(file)
    }

    // MARK: Comparing

    private typealias Pieces = (UnsafeRawBufferPointer, UnsafeRawBufferPointer)

    private static var nothing: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

    /// The stem of a name: what is before mbsync's UID, and what is after it.
    private static func pieces(_ row: Row, _ bytes: UnsafeRawBufferPointer) -> Pieces {
        let start = row.offset
        let cut = start + Int(row.uidStart)
        let after = cut + Int(row.uidLength)
        return (
            UnsafeRawBufferPointer(rebasing: bytes[start..<cut]),
            UnsafeRawBufferPointer(rebasing: bytes[after..<(start + Int(row.base))])
        )
    }

    private static func compare(_ a: Row, _ b: Row, _ bytes: UnsafeRawBufferPointer) -> Int {
        compare(pieces(a, bytes), pieces(b, bytes))
    }

    /// Below 0: `a` comes first.
    private static func compare(_ a: Pieces, _ b: Pieces) -> Int {
        var (a, b) = (a, b)
        while true {
            if a.0.isEmpty { a = (a.1, nothing) }
            if b.0.isEmpty { b = (b.1, nothing) }
            guard let first = a.0.baseAddress, let second = b.0.baseAddress, !a.0.isEmpty, !b.0.isEmpty else {
                return (a.0.isEmpty ? 0 : 1) - (b.0.isEmpty ? 0 : 1)
            }
            let count = min(a.0.count, b.0.count)
            let order = memcmp(first, second, count)
            if order != 0 { return Int(order) }
            a.0 = UnsafeRawBufferPointer(rebasing: a.0[count...])
            b.0 = UnsafeRawBufferPointer(rebasing: b.0[count...])
        }
    }
}
