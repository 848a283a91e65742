import Testing

@testable import opus

/// Who decides about colour: the option, then CLICOLOR_FORCE, then NO_COLOR and CLICOLOR, then the terminal.
@Suite("Style")
struct StyleTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let choice: Style.Choice
        let environment: [String: String]
        let isTerminal: Bool
        let isOn: Bool

        init(
            _ words: String, _ choice: Style.Choice, _ environment: [String: String], terminal: Bool, on: Bool
        ) {
            testDescription = words
            self.choice = choice
            self.environment = environment
            isTerminal = terminal
            isOn = on
        }
    }

    @Test(
        "colors follow the environment",
        arguments: [
            Case("a terminal has colour", .auto, [:], terminal: true, on: true),
            Case("a pipe has none", .auto, [:], terminal: false, on: false),
            Case("NO_COLOR turns it off", .auto, ["NO_COLOR": "1"], terminal: true, on: false),
            Case("an empty NO_COLOR says nothing", .auto, ["NO_COLOR": ""], terminal: true, on: true),
            Case("CLICOLOR=0 turns it off", .auto, ["CLICOLOR": "0"], terminal: true, on: false),
            Case("CLICOLOR=1 does not colour a pipe", .auto, ["CLICOLOR": "1"], terminal: false, on: false),
            Case("CLICOLOR_FORCE colours a pipe", .auto, ["CLICOLOR_FORCE": "1"], terminal: false, on: true),
            Case(
                "CLICOLOR_FORCE=0 forces nothing", .auto, ["CLICOLOR_FORCE": "0"], terminal: false, on: false),
            Case("a dumb terminal has none", .auto, ["TERM": "dumb"], terminal: true, on: false),
            Case("--color always beats NO_COLOR", .always, ["NO_COLOR": "1"], terminal: false, on: true),
            Case(
                "--color never beats CLICOLOR_FORCE", .never, ["CLICOLOR_FORCE": "1"], terminal: true,
                on: false),
        ])
    func choice(_ row: Case) {
        let style = Style(choice: row.choice, environment: row.environment, isTerminal: row.isTerminal)
        #expect(style.isOn == row.isOn)
    }

    @Test("without color the text is unchanged")
    func plain() {
        let style = Style(choice: .never, environment: [:], isTerminal: true)
        #expect(style.bold("a") + style.red("b") + style.dim("c") == "abc")
    }

    @Test("a color ends with its text, and an empty text has no color")
    func wrapped() {
        let style = Style(choice: .always, environment: [:], isTerminal: true)
        #expect(style.green("ok") == "\u{1B}[32mok\u{1B}[0m")
        #expect(style.green("").isEmpty)
    }
}
