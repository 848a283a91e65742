import Models
import Pipeline

/// The message ids of a command, each at least a prefix of an id; `-` reads ids from standard input.
enum MessageIDs {
    /// The most ids to read from standard input.
    static let most = 100_000

    /// Reads the first word of each line of standard input, so that the output of `opus list` can be piped in.
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
