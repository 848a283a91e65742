import ArgumentParser
import Files
import Foundation
import Glibc
import Models
import Pipeline

extension ConfigCommand {
    /// Opens the file in an editor and checks it. Like visudo, it asks before it keeps a file with errors.
    struct Edit: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "edit",
            abstract:
                "Edit opus.yaml in $VISUAL or $EDITOR; opus checks it before it saves it.",
            discussion: """
                You edit a copy. Without an error it replaces the file. With one, opus asks: edit it again, keep it, or discard it. \
                Without a terminal to ask on, opus.yaml stays as it was, and the copy stays beside it.
                """)

        @OptionGroup var global: GlobalOptions

        func run() throws {
            let console = global.console()
            let tool = try ConfigTool(try global.sessionOptions())
            let copy = tool.folder + "/.opus-edit-\(getpid()).yaml"
            try write(tool.text, to: copy)
            while true {
                let ending = try Editor(environment: global.environment).edit(copy)
                let typed = try read(copy, tool)
                if case .failed(let reason) = ending { throw failed(reason, typed, tool, copy) }
                guard typed != tool.text else {
                    unlink(copy)
                    return console.note("Nothing was changed.")
                }
                let errors = tool.errors(in: typed)
                guard !errors.isEmpty else { return try keep(typed, tool, copy, console) }
                for finding in errors { console.note(DiagnosticText.of(finding) + "\n") }
                guard console.canAsk else {
                    throw Problem(
                        "bad-settings", exit: .configuration,
                        message:
                            "the edited file has \(counted(errors.count, "error")); \(tool.shownFile) stays as it was",
                        place: copy, next: ["correct it, then mv \(copy) \(tool.path)"])
                }
                let question =
                    "\(counted(errors.count, "error")): (e)dit again, (k)eep it anyway, (d)iscard your changes? [e]"
                // The end of the input keeps nothing.
                let answer = console.word(question).map { $0.lowercased().first ?? "e" } ?? "d"
                if answer == "k" { return try keep(typed, tool, copy, console) }
                if answer == "d" {
                    unlink(copy)
                    return console.note("Your changes are discarded; \(tool.shownFile) stays as it was.")
                }
            }
        }

        private func read(_ copy: String, _ tool: ConfigTool) throws -> String {
            guard let data = FileManager.default.contents(atPath: copy) else {
                throw Problem(
                    "editor", exit: .badData,
                    message: "the editor removed its file; \(tool.shownFile) stays as it was",
                    next: ["opus config edit"])
            }
            guard let text = String(validating: data, as: UTF8.self) else {
                throw Problem(
                    "editor", exit: .badData, message: "what the editor left is not UTF-8 text",
                    place: copy, next: ["opus config edit"])
            }
            return text
        }

        /// The text may be half written, so it is not used. If it has changes, it stays.
        private func failed(_ reason: String, _ typed: String, _ tool: ConfigTool, _ copy: String) -> Problem
        {
            let message = "\(reason); \(tool.shownFile) stays as it was"
            guard typed != tool.text else {
                unlink(copy)
                return Problem("editor", exit: .badData, message: message, next: ["opus config edit"])
            }
            return Problem(
                "editor", exit: .badData, message: message + ", and your text is in the copy", place: copy,
                next: ["check it, then mv \(copy) \(tool.path)"])
        }

        private func keep(_ text: String, _ tool: ConfigTool, _ copy: String, _ console: Console) throws {
            do {
                try tool.write(text)
            } catch {
                console.note("Your text is in \(TerminalText.line(copy)).")
                throw error
            }
            unlink(copy)
            console.note("Wrote \(TerminalText.line(tool.shownFile)).")
        }

        private func write(_ text: String, to path: String) throws {
            do throws(FileFailure) {
                try NewFile.write(Array(text.utf8), to: path, mode: 0o600, isDurable: false)
            } catch {
                throw Problem(
                    "cannot-create", exit: .cannotCreate,
                    message: "cannot write \(path): \(String(cString: strerror(error.number)))")
            }
        }
    }
}
