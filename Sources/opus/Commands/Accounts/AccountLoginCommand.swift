import ArgumentParser
import Documents
import Models
import Pipeline

extension AccountCommand {
    struct Login: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "login", abstract: "Log in by OAuth 2.0, for an account with login: { oauth: … }.",
            discussion: """
                opus prints an address. A browser on this machine logs you in and comes back to opus on 127.0.0.1. With --paste, you \
                use a browser on any machine and paste its last address. With --device, you type a code on another device.
                """)

        @OptionGroup var global: GlobalOptions

        @Flag(
            name: .long, help: "Paste the last address of the browser; for ssh and machines without a screen."
        )
        var paste = false

        @Flag(name: .long, help: "Type a code on another device, where the provider allows that.")
        var device = false

        @Argument(help: "An account in opus.yaml.")
        var name: String

        func validate() throws {
            if paste, device { throw ValidationError("use either --paste or --device, not both") }
        }

        func run() async throws {
            let console = global.console()
            try await Session.with(try global.sessionOptions(), .reading) { session in
                // Prints on standard error, so that standard output with --json is one document.
                let screen = AccountLogin.Screen(
                    show: { console.tell(TerminalText.line($0)) }, ask: { console.word($0) })
                let done = try await session.logins.logIn(
                    name, by: paste ? .paste : device ? .device : .loopback, screen)
                if console.isJSON { return try console.print(json: AccountLoginDocument(done)) }
                console.print("Logged in. The tokens are in \(TerminalText.line(done.place))")
                console.note("next: opus account check \(TerminalText.line(done.account.rawValue))")
            }
        }
    }
}
