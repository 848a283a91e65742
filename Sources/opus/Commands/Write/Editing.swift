import Files
import Foundation
import Glibc
import Models
import Pipeline

/// Opens a draft in the user's editor, reports mistakes, and opens it again if the user wants to.
///
/// The text is on disk before opus reports anything, so that a crash of the editor or of opus does not lose it.
struct Editing {
    let session: Session
    let console: Console
    let environment: [String: String]

    /// A person needs longer to read the text and close the editor.
    private static let shortest = Duration.seconds(1)

    /// The saved draft; nil: the user typed or changed nothing.
    func edit(_ draft: OpenDraft, isNew: Bool) throws -> OpenDraft? {
        let opened = draft
        var draft = try session.drafts.holdBack(opened)
        let file = try session.drafts.editingFile(of: draft)
        defer { file.release() }
        for left in file.left {
            console.note(
                "An editor of this draft was interrupted; its text is in \(TerminalText.line(left)).")
        }
        let path = file.path
        // An existing file comes from an earlier opus that ended before its editor.
        if !FileManager.default.fileExists(atPath: path) { try write(draft.text, to: path) }
        let before = draft.text
        while true {
            let opening = ContinuousClock.now
            let ending = try Editor(environment: environment).edit(path)
            let isAtOnce = ContinuousClock.now - opening < Self.shortest
            let typed = try read(path)
            if typed.allSatisfy(\.isWhitespace) || typed == before {
                if !isNew { try session.drafts.letGo(draft, opened) }
                return try aborted(
                    draft, path, isNew: isNew, ending, isEmpty: typed != before, isAtOnce: isAtOnce)
            }
            let (kept, mistakes) = try keep(draft, typed, path)
            if kept.messageID != draft.messageID {
                let name = try session.drafts.shortName(of: kept.stored)
                console.note(
                    "The draft was changed, sent or discarded while you edited it: your text is the new draft \(name)."
                )
            }
            draft = kept
            // The store has the draft now.
            unlink(path)
            let name = try session.drafts.shortName(of: draft.stored)
            if case .failed(let reason) = ending {
                console.note(
                    console.style.yellow("! ") + TerminalText.line("\(reason); your text is saved"))
                if mistakes.isEmpty { return draft }
            }
            if mistakes.isEmpty { return draft }
            for mistake in mistakes { console.note(console.style.yellow("! ") + TerminalText.line(mistake)) }
            guard console.canAsk, console.ask("The draft is saved as \(name). Edit it again?") else {
                throw Problem(
                    "unfinished-draft", exit: .badData,
                    message: "the header of draft \(name) cannot be read",
                    details: mistakes, next: ["opus drafts edit \(name)"])
            }
            try write(typed, to: path)
        }
    }

    /// If the store cannot be written, as on a full disk, the text stays in the file, and the next edit continues there.
    private func keep(
        _ draft: OpenDraft, _ typed: String, _ path: String
    ) throws -> (draft: OpenDraft, mistakes: [String]) {
        do {
            return try session.drafts.keep(draft, typed: typed)
        } catch {
            var problem = Problem(error)
            problem.details.append("your text is kept in \(path)")
            problem.next = ["opus drafts edit \(try session.drafts.shortName(of: draft.stored))"]
            throw problem
        }
    }

    /// Nothing was typed: removes a new draft, keeps an old one unchanged.
    private func aborted(
        _ draft: OpenDraft, _ path: String, isNew: Bool, _ ending: Editor.Ending, isEmpty: Bool,
        isAtOnce: Bool
    ) throws -> OpenDraft? {
        unlink(path)
        if isNew { try session.drafts.forget(draft) }
        if case .failed(let reason) = ending {
            throw Problem(
                "editor-failed", exit: .someFailed,
                message: "\(reason); nothing was typed, so nothing was saved",
                next: ["set $EDITOR or $VISUAL", "--body FILE writes without an editor"])
        }
        console.note(
            isEmpty
                ? "The text is empty; nothing was saved."
                : "Nothing was typed; nothing was saved."
                    + (isAtOnce
                        ? " If your editor is still open, opus cannot wait for it: try EDITOR='code --wait'."
                        : ""))
        throw Outcome(status: .someFailed)
    }

    private func write(_ text: String, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw cannotWrite(path, errno) }
        defer { close(descriptor) }
        do throws(FileFailure) {
            try NewFile.writeAll(Array(text.utf8), to: descriptor)
        } catch {
            throw cannotWrite(path, error.number)
        }
    }

    private func cannotWrite(_ path: String, _ number: Int32) -> Problem {
        Problem(
            "cannot-write", exit: .cannotCreate,
            message: "cannot write \(path): \(String(cString: strerror(number)))")
    }

    /// A file that the editor removed counts as empty.
    private func read(_ path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path) else { return "" }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw Problem(
                "bad-text", exit: .badData, message: "the editor did not write UTF-8 text; the file is kept",
                place: path, next: ["iconv -f CHARSET -t UTF-8 \(path) > NEW-FILE", "opus drafts"])
        }
        return text
    }
}
