/// What the server writes: strings, sets and flag lists as bytes. RFC 3501 §4, §9.
enum Wire {
    /// In quotes, or as a literal when quotes cannot hold it.
    static func string(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let isPlain = bytes.count <= 1_000 && bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
        guard isPlain else { return Array("{\(bytes.count)}\r\n".utf8) + bytes }
        var quoted: [UInt8] = [UInt8(ascii: "\"")]
        for byte in bytes {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { quoted.append(UInt8(ascii: "\\")) }
            quoted.append(byte)
        }
        return quoted + [UInt8(ascii: "\"")]
    }

    static func string(_ text: String) -> [UInt8] { string(Array(text.utf8)) }

    static func literal(_ bytes: some Collection<UInt8>) -> [UInt8] {
        Array("{\(bytes.count)}\r\n".utf8) + bytes
    }

    static func flags(_ flags: Set<String>) -> String { "(" + flags.sorted().joined(separator: " ") + ")" }

    /// `1:3,7`, of ascending numbers.
    static func set(_ numbers: [UInt32]) -> String {
        var parts: [String] = []
        var index = 0
        while index < numbers.count {
            var end = index
            while end + 1 < numbers.count, numbers[end + 1] == numbers[end] + 1 { end += 1 }
            parts.append(end == index ? "\(numbers[index])" : "\(numbers[index]):\(numbers[end])")
            index = end + 1
        }
        return parts.joined(separator: ",")
    }
}

/// The answer to one command: responses in their order, and how it ends.
struct Reply {
    /// Each without its line end; literals are inside.
    var untagged: [[UInt8]] = []
    var status = "OK"
    var code: String?
    var text = "done"
    /// The connection ends after it.
    var closes = false
    /// The end of the command does not come.
    var isWithoutEnd = false

    static func ok(_ untagged: [String] = [], code: String? = nil, text: String = "done") -> Reply {
        Reply(untagged: untagged.map { Array($0.utf8) }, code: code, text: text)
    }

    static func no(_ text: String, code: String? = nil) -> Reply {
        Reply(status: "NO", code: code, text: text)
    }

    static func bad(_ text: String) -> Reply { Reply(status: "BAD", text: text) }

    mutating func say(_ text: String) { untagged.append(Array(text.utf8)) }

    func end(tag: String) -> [UInt8] {
        Array("\(tag) \(status) \(code.map { "[\($0)] " } ?? "")\(text)".utf8)
    }
}
