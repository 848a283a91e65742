import ArgumentParser
import Documents
import Models
import Pipeline

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show, check and change opus.yaml.",
        subcommands: [Show.self, Get.self, Set.self, Check.self, Edit.self, Path.self, Schema.self],
        defaultSubcommand: Show.self)

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show all settings: those in the file and the defaults.")

        @OptionGroup var global: GlobalOptions

        @Flag(name: .long, help: "Also show where each value comes from: a line of the file, or the default.")
        var origin = false

        func run() throws {
            let console = global.listConsole()
            let tool = try ConfigTool(try global.sessionOptions())
            let settings = try tool.settings()
            let file = tool.shownFile
            if console.isJSON { return try console.print(json: ConfigDocument(settings, file: file)) }
            var table = Table(
                [.init(title: "KEY"), .init(title: "VALUE", isFlexible: true)]
                    + (origin ? [.init(title: "ORIGIN")] : []))
            for setting in settings {
                let place = setting.line.map { "\(TerminalText.line(file)):\($0)" } ?? "default"
                table.add(
                    [TerminalText.line(setting.key), TerminalText.line(setting.value)]
                        + (origin ? [place] : []))
            }
            console.print(table)
        }
    }

    struct Get: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "get", abstract: "Print one value, from the file or the default.",
            discussion: "A key is written with dots, and an account by its name: accounts.work.imap.host.")

        @OptionGroup var global: GlobalOptions

        @Argument(help: "The key, such as accounts.work.imap.host.")
        var key: String

        func run() throws {
            let console = global.console()
            let tool = try ConfigTool(try global.sessionOptions())
            let setting = try tool.value(of: key)
            if console.isJSON {
                return try console.print(
                    json: ConfigDocument([setting], file: tool.shownFile))
            }
            console.print(TerminalText.line(setting.value))
        }
    }

    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Set one value; comments and layout of the file stay.",
            discussion: """
                A value that begins with [ or { is YAML: opus config set accounts.work.allow '[mark, move]'. If the new file would \
                have an error, opus writes nothing.
                """)

        @OptionGroup var global: GlobalOptions

        @Argument(help: "The key, such as accounts.work.imap.host.")
        var key: String

        @Argument(help: "The value.")
        var value: String

        func run() throws {
            let console = global.console()
            let tool = try ConfigTool(try global.sessionOptions())
            let setting = try tool.set(key, to: value)
            let file = tool.shownFile
            if console.isJSON { return try console.print(json: ConfigDocument([setting], file: file)) }
            let place = setting.line.map { "\(file):\($0)" } ?? file
            console.print(
                "\(TerminalText.line(place)): \(TerminalText.line(key)) = \(TerminalText.line(value))")
        }
    }

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Check opus.yaml: each finding with its line, the reason and the next step.")

        @OptionGroup var global: GlobalOptions

        func run() throws {
            let console = global.console()
            let tool = try ConfigTool(try global.sessionOptions())
            let file = TerminalText.line(tool.shownFile)
            if let other = tool.misnamedFile {
                console.warn(
                    "opus: \(TerminalText.line(other)) is not read: opus reads \(file)")
            }
            if console.isJSON {
                try console.print(json: DiagnosticsDocument(tool.findings))
            } else {
                for finding in tool.findings { console.print(DiagnosticText.of(finding) + "\n") }
                let errors = tool.findings.count { $0.severity == .error }
                let accounts = tool.accountCount.map { ", " + counted($0, "account") } ?? ""
                console.print("\(file)\(accounts): \(counted(errors, "error"))")
            }
            if tool.findings.contains(where: { $0.severity == .error }) {
                throw Outcome(status: .configuration)
            }
        }
    }

    struct Path: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "path", abstract: "Print the full path of the opus.yaml that opus uses.")

        @OptionGroup var global: GlobalOptions

        func run() throws {
            let console = global.console()
            let tool = try ConfigTool(try global.sessionOptions())
            if console.isJSON { return try console.print(json: ConfigDocument([], file: tool.path)) }
            console.print(TerminalText.line(tool.path))
        }
    }

    struct Schema: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "schema", abstract: "Print the JSON Schema of opus.yaml, for editors.",
            discussion: """
                Save it, and name it in the first line of opus.yaml for yaml-language-server:
                # yaml-language-server: $schema=opus-1.json
                """)

        @OptionGroup var global: GlobalOptions

        func run() throws { global.console().print(bytes: Array(ConfigTool.schema.utf8)) }
    }
}
