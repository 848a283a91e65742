/// Reads a Sieve script into its commands, RFC 5228 §8.2.
///
///     command  = identifier arguments (";" / block)
///     argument = string-list / number / tag,  then at most one test or a list of tests in brackets
struct SieveParser {
    static let maximumDepth = 32
    static let maximumCommands = 10_000

    private var lexer: SieveLexer
    private var token = SieveLexer.Token.end
    private var range = 0..<0
    private var comments: [String] = []
    private var lastEnd = 0
    private var depth = 0
    private var count = 0

    private init(_ source: SourceText) throws(ImportError) {
        lexer = SieveLexer(source)
        try advance()
    }

    static func parse(_ source: SourceText) throws(ImportError) -> [SieveCommand] {
        var parser = try SieveParser(source)
        let commands = try parser.commands()
        guard parser.token == .end else { throw parser.unexpected("a command was expected here") }
        return SieveEncodedCharacters.decoded(commands)
    }

    private mutating func advance() throws(ImportError) {
        lastEnd = range.upperBound
        (token, range) = try lexer.next()
        comments = lexer.comments
    }

    private func unexpected(_ message: String) -> ImportError {
        lexer.source.error(range.lowerBound, message)
    }

    private mutating func descend() throws(ImportError) {
        depth += 1
        guard depth <= Self.maximumDepth else {
            throw unexpected("nested more than \(Self.maximumDepth) deep")
        }
    }

    private mutating func commands() throws(ImportError) -> [SieveCommand] {
        var result: [SieveCommand] = []
        while case .identifier(let name) = token {
            let start = range.lowerBound
            let next = try command(name)
            try check(next, after: result.last?.name, start)
            result.append(next)
        }
        return result
    }

    /// Checks that `if` and `elsif` have a test and a block, `else` has a block, and the latter two follow one of the
    /// former. RFC 5228 §3.1.
    private func check(_ command: SieveCommand, after last: String?, _ start: Int) throws(ImportError) {
        guard ["if", "elsif", "else"].contains(command.name) else { return }
        if command.name != "if", last != "if", last != "elsif" {
            throw lexer.source.error(start, "'\(command.name)' without an 'if' before it")
        }
        guard command.tests.count == (command.name == "else" ? 0 : 1), command.arguments.isEmpty else {
            throw lexer.source.error(
                start, command.name == "else" ? "'else' takes no test" : "'\(command.name)' takes one test")
        }
        guard command.block != nil else { throw lexer.source.error(start, "'\(command.name)' takes a block") }
    }

    private mutating func command(_ name: String) throws(ImportError) -> SieveCommand {
        count += 1
        guard count <= Self.maximumCommands else {
            throw unexpected("more than \(Self.maximumCommands) commands")
        }
        let start = range.lowerBound
        let comment = comments.last { !$0.isEmpty }
        try advance()
        let (arguments, tests) = try self.arguments()
        let end = lastEnd
        var command = SieveCommand(
            name: name, arguments: arguments, tests: tests, block: nil, range: start..<end, comment: comment)
        switch token {
        case .sign(";"): try advance()
        case .sign("{"):
            let opening = range.lowerBound
            try descend()
            try advance()
            command.block = try commands()
            guard token == .sign("}") else {
                throw token == .end
                    ? lexer.source.error(opening, "this '{' is not closed")
                    : unexpected("a command or '}' was expected here")
            }
            depth -= 1
            try advance()
        case .identifier, .tag, .number, .string, .sign, .end:
            throw unexpected("'\(name)' must end with ';' or a block, not with \(words)")
        }
        return command
    }

    private var words: String {
        token == .end ? "the end of the file" : "'\(lexer.source.piece(range))'"
    }

    private mutating func arguments() throws(ImportError) -> ([SieveArgument], [SieveTest]) {
        var arguments: [SieveArgument] = []
        while true {
            switch token {
            case .tag(let name): arguments.append(.tag(name))
            case .number(let number): arguments.append(.number(number))
            case .string(let text): arguments.append(.strings([text]))
            case .sign("["):
                arguments.append(.strings(try strings()))
                continue
            case .identifier(let name): return (arguments, [try test(name)])
            case .sign("("): return (arguments, try tests())
            case .sign, .end: return (arguments, [])
            }
            try advance()
        }
    }

    private mutating func strings() throws(ImportError) -> [String] {
        let opening = range.lowerBound
        var result: [String] = []
        repeat {
            try advance()
            guard case .string(let text) = token else {
                throw token == .end
                    ? lexer.source.error(opening, "this '[' is not closed")
                    : unexpected("a string was expected here, not \(words)")
            }
            result.append(text)
            try advance()
        } while token == .sign(",")
        guard token == .sign("]") else {
            throw token == .end
                ? lexer.source.error(opening, "this '[' is not closed")
                : unexpected("',' or ']' was expected here, not \(words)")
        }
        try advance()
        return result
    }

    private mutating func test(_ name: String) throws(ImportError) -> SieveTest {
        count += 1
        guard count <= Self.maximumCommands else {
            throw unexpected("more than \(Self.maximumCommands) commands")
        }
        let start = range.lowerBound
        try descend()
        try advance()
        let (arguments, tests) = try self.arguments()
        depth -= 1
        if let inner = tests.first, !["not", "allof", "anyof"].contains(name) {
            throw lexer.source.error(
                inner.range.lowerBound, "'\(name)' takes no test; ';' or ',' or '{' was expected here")
        }
        return SieveTest(name: name, arguments: arguments, tests: tests, range: start..<lastEnd)
    }

    private mutating func tests() throws(ImportError) -> [SieveTest] {
        let opening = range.lowerBound
        var result: [SieveTest] = []
        repeat {
            try advance()
            guard case .identifier(let name) = token else {
                throw unexpected("a test was expected here, not \(words)")
            }
            result.append(try test(name))
        } while token == .sign(",")
        guard token == .sign(")") else {
            throw token == .end
                ? lexer.source.error(opening, "this '(' is not closed")
                : unexpected("',' or ')' was expected here, not \(words)")
        }
        try advance()
        return result
    }
}
