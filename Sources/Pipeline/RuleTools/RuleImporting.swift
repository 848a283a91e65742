import Files
import Glibc
import Inspection
public import Models
import RuleImport
import Rules

/// Filters of another program, read from a file and converted to rules.
public struct ImportedRules: Sendable {
    public struct Note: Sendable {
        /// `dropped` or `changed`.
        public var kind: String
        public var line: Int
        public var piece: String
        public var reason: String
    }

    /// `gmail`, `sieve` or `thunderbird`.
    public var format: String
    /// The text of a rule file.
    public var text: String
    public var ruleCount: Int
    public var testCount: Int
    public var notes: [Note]

    /// The formats by name.
    public static let formats = RuleImporter.Format.allCases.map(\.rawValue)

    /// Reads a file (`-` is standard input). Without a format, opus detects it by file name and content.
    ///
    /// `options`: the workspace of the rules, whose ids are not reused.
    public static func read(
        _ path: String, format: String?, beside options: SessionOptions? = nil
    ) throws(Problem) -> ImportedRules {
        // One byte more than the limit, so that the importer can report the excess.
        let bytes = try InspectionFile.read(path, limit: RuleImporter.maximumBytes + 1)
        let wanted = format.flatMap { RuleImporter.Format(rawValue: $0) }
        guard let wanted = wanted ?? RuleImporter.detect(bytes, fileName: path) else {
            throw Problem(
                "unknown-filters", exit: .badData,
                message: "cannot tell which program wrote the filters in \(path)",
                next: formats.map { "opus rules import --format \($0) \(path)" })
        }
        do {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            let taken = options.flatMap { try? $0.loadWorkspace() }.map {
                RuleLibrary.load($0).rules.rules.map(\.id)
            }
            return ImportedRules(
                wanted,
                try RuleImporter.translate(bytes, as: wanted, name: name, taken: Set(taken ?? [])))
        } catch {
            throw Problem(
                "bad-filters", exit: .badData,
                message: "cannot be read as \(wanted.rawValue): \(error.message)",
                place: "\(path):\(error.line):\(error.column)")
        }
    }

    private init(_ format: RuleImporter.Format, _ result: ImportResult) {
        self.format = format.rawValue
        text = result.text
        ruleCount = result.ruleCount
        testCount = result.testCount
        notes = result.notes.map {
            Note(kind: $0.kind.rawValue, line: $0.line, piece: $0.piece, reason: $0.reason)
        }
    }

    /// Writes the rules into a new file; an existing file is not changed.
    public func write(to path: String) throws(Problem) { try Self.write(text, to: path) }

    static func write(_ text: String, to path: String) throws(Problem) {
        do throws(FileFailure) {
            try NewFile.write(Array(text.utf8), to: path, isDurable: false)
        } catch {
            let next =
                switch error.number {
                case EEXIST: ["choose another file name"]
                case ENOSPC, EDQUOT: ["free some space"]
                case _: [String]()
                }
            throw cannotWrite(path, error.number, next)
        }
    }

    private static func cannotWrite(_ path: String, _ number: Int32, _ next: [String]) -> Problem {
        Problem(
            "cannot-write", exit: .cannotCreate,
            message: "cannot write \(path): \(String(cString: strerror(number)))", next: next)
    }
}
