import Models
import Pipeline

/// The messages that a command names, each by the beginning of its id; `-` stands for standard input.
enum MessageIDs {
    /// More lines than this are no list of messages.
    static let most = 100_000

    /// From standard input the first word of each line, so that the output of `opus list` will do.
    static func read(_ typed: [String]) throws -> [String] {
        var ids: [String] = []
        for word in typed {
            guard word == "-" else {
                ids.append(word)
                continue
            }
            while let line = readLine() {
                guard let id = line.split(whereSeparator: \.isWhitespace).first else { continue }
                ids.append(String(id))
                guard ids.count <= most else {
                    throw Problem(
                        "too-many", exit: .badData, message: "more than \(most) ids on standard input")
                }
            }
        }
        return ids
    }
}
