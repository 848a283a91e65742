/// Decodes `${hex: 66 C3 BC}` and `${unicode: fc 20AC}` in the strings of a script that requires `encoded-character`.
/// RFC 5228 §2.4.2.4.
///
/// A sequence that is not valid stays as it is written.
enum SieveEncodedCharacters {
    static let extensionName = "encoded-character"

    static func decoded(_ commands: [SieveCommand]) -> [SieveCommand] {
        let isRequired = commands.contains { command in
            command.name == "require"
                && command.arguments.contains { argument in
                    guard case .strings(let names) = argument else { return false }
                    return names.contains(extensionName)
                }
        }
        return isRequired ? commands.map(decoded) : commands
    }

    private static func decoded(_ command: SieveCommand) -> SieveCommand {
        var command = command
        command.arguments = command.arguments.map(decoded)
        command.tests = command.tests.map(decoded)
        command.block = command.block?.map(decoded)
        return command
    }

    private static func decoded(_ test: SieveTest) -> SieveTest {
        var test = test
        test.arguments = test.arguments.map(decoded)
        test.tests = test.tests.map(decoded)
        return test
    }

    private static func decoded(_ argument: SieveArgument) -> SieveArgument {
        guard case .strings(let texts) = argument else { return argument }
        return .strings(texts.map(text))
    }

    static func text(_ source: String) -> String {
        var bytes: [UInt8] = []
        var rest = source[...]
        while let mark = rest.firstRange(of: "${") {
            bytes += rest[..<mark.lowerBound].utf8
            rest = rest[mark.lowerBound...]
            if let end = rest.firstIndex(of: "}"),
                let decoded = characters(rest[mark.upperBound..<end])
            {
                bytes += decoded
                rest = rest[rest.index(after: end)...]
            } else {
                bytes += rest[..<mark.upperBound].utf8
                rest = rest[mark.upperBound...]
            }
        }
        bytes += rest.utf8
        return String(validating: bytes, as: UTF8.self) ?? source
    }

    /// The octets of `hex: 66 C3 BC` or `unicode: fc`; nil: it is neither.
    private static func characters(_ body: Substring) -> [UInt8]? {
        let parts = body.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let numbers = parts[1].split(whereSeparator: \.isWhitespace).map { word -> UInt32? in
            word.allSatisfy(\.isHexDigit) && word.count <= 8 ? UInt32(word, radix: 16) : nil
        }
        guard !numbers.isEmpty, !numbers.contains(nil) else { return nil }
        switch parts[0].lowercased() {
        case "hex":
            let octets = numbers.compactMap { $0.flatMap { UInt8(exactly: $0) } }
            return octets.count == numbers.count ? octets : nil
        case "unicode":
            let scalars = numbers.compactMap { $0.flatMap { Unicode.Scalar($0) } }
            return scalars.count == numbers.count ? scalars.flatMap { String($0).utf8 } : nil
        case _: return nil
        }
    }
}
