import ArgumentParser
import Rules

extension RulesCommand {
    struct Schema: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "schema", abstract: "Print the JSON Schema of rule files, for editors.",
            discussion: """
                Save it, and name it in the first line of a rule file for yaml-language-server:
                # yaml-language-server: $schema=../rules-1.json
                """)

        @OptionGroup var global: GlobalOptions

        func run() throws { global.console().print(bytes: Array(RulesLanguage.schema.utf8)) }
    }
}
