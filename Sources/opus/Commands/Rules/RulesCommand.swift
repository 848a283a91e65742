import ArgumentParser
import Documents
import Foundation
import Models
import Pipeline
import Rules
import YAMLSource

struct RulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Check, test, list, import and change the rule files.",
        subcommands: [
            Check.self, Test.self, List.self, Stats.self, Diff.self, New.self, Suggest.self, AddTo.self,
            RenameMailbox.self, Import.self, Export.self, Schema.self,
        ], defaultSubcommand: Check.self)

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Show all errors and warnings of all rule files, or of some of them.",
            discussion: "opus always reads all files, because they share ids, lists and definitions.")

        @OptionGroup var global: GlobalOptions

        @Argument(help: "Only findings in these files.", completion: .file(extensions: ["yaml", "yml"]))
        var files: [String] = []

        func run() throws {
            let console = global.console()
            let options = try global.sessionOptions()
            let workspace = try options.loadWorkspace()
            let library = try RuleLibrary.required(workspace)
            let wanted = try library.files(
                named: files, of: workspace, from: FileManager.default.currentDirectoryPath)
            let all = try library.check(options)
            guard files.isEmpty else { return try show(all, of: wanted, console) }
            let diagnostics = all
            if console.isJSON {
                try console.print(json: DiagnosticsDocument(diagnostics))
            } else {
                for diagnostic in diagnostics { console.print(DiagnosticText.of(diagnostic) + "\n") }
                let rules = library.rules
                let errors = library.errors.count
                let warnings = diagnostics.count - errors
                guard library.rules.fileCount > 0 || !diagnostics.isEmpty else {
                    console.print(TerminalText.line(library.emptiness(of: workspace)))
                    return
                }
                console.print(
                    "\(counted(rules.fileCount, "file")), \(counted(rules.ruleCount, "rule")), "
                        + "\(counted(rules.testCount, "test")): "
                        + (errors == 0 ? "no errors" : counted(errors, "error"))
                        + (warnings == 0 ? "" : ", " + counted(warnings, "warning")))
            }
            if !library.errors.isEmpty { throw Outcome(status: .badData) }
        }

        private func show(_ all: [Diagnostic], of files: Set<String>, _ console: Console) throws {
            let diagnostics = all.filter { files.contains($0.file) }
            let errors = diagnostics.count { $0.severity == .error }
            if console.isJSON {
                try console.print(json: DiagnosticsDocument(diagnostics))
            } else {
                for diagnostic in diagnostics { console.print(DiagnosticText.of(diagnostic) + "\n") }
                let warnings = diagnostics.count - errors
                console.print(
                    counted(files.count, "file") + ": "
                        + (errors == 0 ? "no errors" : counted(errors, "error"))
                        + (warnings == 0 ? "" : ", " + counted(warnings, "warning")))
                let others = all.count { $0.severity == .error } - errors
                if others > 0 {
                    console.note("\(counted(others, "error")) in other files (opus rules check)")
                }
            }
            if errors > 0 { throw Outcome(status: .badData) }
        }
    }

    struct Test: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test", abstract: "Run the tests in the rule files.")

        @OptionGroup var global: GlobalOptions

        @Option(
            name: .long,
            help: ArgumentHelp("Run only tests whose name contains this text.", valueName: "text"))
        var only: String?

        func run() throws {
            let console = global.console()
            let options = try global.sessionOptions()
            let workspace = try options.loadWorkspace()
            let library = try RuleLibrary.required(workspace)
            guard library.errors.isEmpty else { throw DiagnosticFailure(library.diagnostics, exit: .badData) }
            let context = workspace.ruleContext(now: SessionClock(fixed: options.now).now)
            let results = library.rules.runTests(context: context).filter { result in
                only.map { result.name.contains($0) } ?? true
            }
            if let only, results.isEmpty {
                throw Problem(
                    "no-such-test", exit: .notFound,
                    message: "no rule test has a name that contains \"\(only)\"",
                    next: ["opus rules test"])
            }
            if console.isJSON {
                try console.print(json: RuleTestsDocument(results))
            } else {
                if results.isEmpty { return console.print("The rules have no tests: nothing to check.") }
                for result in results { console.print(RuleTestText.of(result, style: console.style)) }
                let failed = results.filter { !$0.passed }.count
                console.print("\(results.count - failed) passed, \(failed) failed")
                for warning in RuleSet.warnings(of: results) { console.note(DiagnosticText.of(warning)) }
            }
            if results.contains(where: { !$0.passed }) { throw Outcome(status: .someFailed) }
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the rules in the order in which they are tried.")

        @OptionGroup var global: GlobalOptions

        func run() throws {
            let console = global.console()
            let library = try RuleLibrary.required(try global.sessionOptions().loadWorkspace())
            guard library.errors.isEmpty else { throw DiagnosticFailure(library.diagnostics, exit: .badData) }
            if console.isJSON { return try console.print(json: RulesDocument(library.rules.rules)) }
            var table = Table([
                .init(title: "RULE"), .init(title: "PLACE"), .init(title: "DESCRIPTION", isFlexible: true),
            ])
            for rule in library.rules.rules {
                table.add([
                    TerminalText.line(rule.id), TerminalText.line("\(rule.file):\(rule.line)"),
                    TerminalText.line(rule.description),
                ])
            }
            console.print(table)
        }
    }
}

/// A finding in the form of compiler output.
enum DiagnosticText {
    static func of(_ diagnostic: Diagnostic) -> String { TerminalText.block(diagnostic.rendered()) }
}

enum RuleTestText {
    static func of(_ result: RuleTestResult, style: Style) -> String {
        let place = TerminalText.line("\(result.file):\(result.line)")
        let mark = result.passed ? style.green("✓") : style.red("✗")
        let head = "\(mark) \(TerminalText.line(result.name))  \(style.dim(place))"
        guard !result.passed, !result.detail.isEmpty else { return head }
        return head + "\n    " + TerminalText.block(result.detail).replacing("\n", with: "\n    ")
    }
}

extension RuleLibrary {
    /// A folder without rule files is not an error, but rarely what the user wants.
    func warnIfEmpty(_ session: Session, _ console: Console) {
        guard rules.fileCount == 0 else { return }
        console.note(console.style.yellow("! ") + TerminalText.line(emptiness(of: session.workspace)))
    }
}
