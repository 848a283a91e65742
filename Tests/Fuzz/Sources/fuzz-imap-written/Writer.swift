import IMAPProtocol

/// Writes what servers say, by the letter of RFC 9051 §9; strings take any of their forms, words any case.
struct Writer {
    var source: Source
    private(set) var bytes: [UInt8] = []

    init(_ source: Source) { self.source = source }

    /// For the report of a broken promise.
    var text: String { String(decoding: bytes, as: UTF8.self).debugDescription }

    mutating func write(_ text: String) { bytes += text.utf8 }
    mutating func write(_ octets: [UInt8]) { bytes += octets }

    /// A word of the protocol, in upper case, lower case, or both.
    mutating func keyword(_ word: String) {
        switch source.below(3) {
        case 0: write(word)
        case 1: write(word.lowercased())
        case _: write(word.prefix(1).lowercased() + word.dropFirst())
        }
    }

    mutating func string(_ value: [UInt8]) {
        let form = source.below(4)
        guard form < 2, !value.contains(0x0D), !value.contains(0x0A) else {
            write(["{\(value.count)}\r\n", "{\(value.count)+}\r\n", "~{\(value.count)}\r\n"][form % 3])
            return write(value)
        }
        write("\"")
        for byte in value {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { write("\\") }
            write([byte])
        }
        write("\"")
    }

    mutating func string(_ value: String) { string(Array(value.utf8)) }

    mutating func nstring(_ value: [UInt8]?) {
        if let value { string(value) } else { keyword("NIL") }
    }

    mutating func list<Item>(
        _ items: [Item], separator: String = " ", _ one: (inout Writer, Item) -> Void
    ) {
        write("(")
        for (index, item) in items.enumerated() {
            if index > 0 { write(separator) }
            one(&self, item)
        }
        write(")")
    }

    /// `NIL` for none.
    mutating func nlist<Item>(
        _ items: [Item], separator: String = " ", _ one: (inout Writer, Item) -> Void
    ) {
        if items.isEmpty { keyword("NIL") } else { list(items, separator: separator, one) }
    }

    /// The numbers in their order, runs of them as `5:9`.
    mutating func numbers(_ values: [UInt32]) {
        var rest = values[...]
        var isFirst = true
        while let first = rest.popFirst() {
            var last = first
            let joins = source.maybe()
            while joins, last < .max, rest.first == last + 1 { last = rest.removeFirst() }
            write((isFirst ? "" : ",") + (last == first ? "\(first)" : "\(first):\(last)"))
            isFirst = false
        }
    }

    /// Ranges that ascend and do not touch.
    mutating func set() -> UIDSet {
        var start: UInt32 = 1
        let ranges = (0...source.below(6)).map { _ in
            let lower = start + UInt32(source.below(200))
            let upper = lower + UInt32(source.below(200))
            start = upper + 2
            return lower...upper
        }
        return UIDSet(ranges: ranges)
    }

    mutating func delimiter() -> UInt8? {
        let delimiters: [UInt8?] = [nil, 0x2F, 0x2E, 0x5C, 0x22, 0x7C]
        let chosen = delimiters[source.below(delimiters.count)]
        guard let chosen else {
            keyword("NIL")
            return nil
        }
        write(chosen == 0x5C || chosen == 0x22 ? "\"\\" : "\"")
        write([chosen])
        write("\"")
        return chosen
    }

    mutating func flags(wildcard: Bool = false) -> [String] {
        var flags = source.list(5) { ($0.maybe() ? "\\" : "") + $0.word() }
        if wildcard { flags.append("\\*") }
        list(flags) { $0.write($1) }
        return flags
    }
}
