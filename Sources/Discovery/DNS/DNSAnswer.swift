/// The SRV, MX and TXT records of a DNS answer. RFC 1035 §4. Every length and pointer is checked.
struct DNSAnswer {
    enum Record: Hashable {
        /// A service. RFC 2782. An empty target means that the service does not exist.
        case srv(priority: Int, weight: Int, port: Int, target: String)
        case mx(preference: Int, exchanger: String)
        /// The strings of the record, joined.
        case txt(String)
    }

    static let typeMX = 15
    static let typeTXT = 16
    static let typeSRV = 33
    private static let mostRecords = 64

    private(set) var records: [Record] = []
    private let bytes: [UInt8]

    /// Records up to the first malformed one.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        guard bytes.count >= 12 else { return }
        var index = 12
        for _ in 0..<min(number(at: 4), 4) {
            guard let end = name(at: index)?.end else { return }
            index = end + 4
        }
        for _ in 0..<min(number(at: 6), Self.mostRecords) {
            guard let end = name(at: index)?.end, end + 10 <= bytes.count else { return }
            let (type, length) = (number(at: end), number(at: end + 8))
            let data = end + 10
            guard data + length <= bytes.count else { return }
            if let record = record(type, at: data, length) { records.append(record) }
            index = data + length
        }
    }

    private func record(_ type: Int, at data: Int, _ length: Int) -> Record? {
        switch type {
        case Self.typeSRV where length >= 7:
            guard let target = name(at: data + 6)?.text else { return nil }
            return .srv(
                priority: number(at: data), weight: number(at: data + 2), port: number(at: data + 4),
                target: target)
        case Self.typeMX where length >= 3:
            guard let exchanger = name(at: data + 2)?.text else { return nil }
            return .mx(preference: number(at: data), exchanger: exchanger)
        case Self.typeTXT where length >= 1: return strings(from: data, to: data + length).map { .txt($0) }
        case _: return nil
        }
    }

    /// The strings of a TXT record. RFC 1035 §3.3.14.
    private func strings(from start: Int, to end: Int) -> String? {
        var text: [UInt8] = []
        var index = start
        while index < end {
            let next = index + 1 + Int(bytes[index])
            guard next <= end else { return nil }
            text += bytes[(index + 1)..<next]
            index = next
        }
        return String(decoding: text, as: UTF8.self)
    }

    private func number(at index: Int) -> Int {
        index + 1 < bytes.count ? Int(bytes[index]) << 8 | Int(bytes[index + 1]) : 0
    }

    /// A name and the position after it. Pointers must lead backwards, so reading ends.
    private func name(at start: Int) -> (text: String, end: Int)? {
        var labels: [String] = []
        var (index, end, limit) = (start, Int?.none, start)
        var total = 0
        while index < bytes.count {
            let length = Int(bytes[index])
            switch length & 0xC0 {
            case 0 where length == 0:
                return (labels.joined(separator: "."), end ?? index + 1)
            case 0:
                guard index + 1 + length <= bytes.count else { return nil }
                total += length + 1
                guard total <= 255 else { return nil }
                labels.append(String(decoding: bytes[(index + 1)..<(index + 1 + length)], as: UTF8.self))
                index += 1 + length
            case 0xC0:
                guard index + 1 < bytes.count else { return nil }
                let target = (length & 0x3F) << 8 | Int(bytes[index + 1])
                guard target < limit else { return nil }
                end = end ?? index + 2
                (index, limit) = (target, target)
            case _: return nil
            }
        }
        return nil
    }
}
