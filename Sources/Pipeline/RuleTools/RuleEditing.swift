import Accounts
import Files
import Foundation
import Glibc
public import Models
import Rules
import YAMLSource

/// A change of rule files by a command: shown as a diff, and written only if it adds no errors to the rules.
public struct RuleEdit: Sendable {
    struct File: Sendable {
        let path: String
        let shown: String
        let old: String
        let new: String
    }

    let workspace: Workspace
    var files: [File] = []
    /// The parts that were left unchanged, with their place and the reason.
    public internal(set) var notes: [String] = []

    public var isEmpty: Bool { files.isEmpty }

    /// In the format of `diff -u`.
    public var diff: String {
        files.map { file in
            LineDiff(old: file.old, new: file.new)
                .unified(from: file.old.isEmpty ? "/dev/null" : file.shown, to: file.shown)
        }.joined()
    }

    public var fileNames: [String] { files.map(\.shown) }
}

/// A rule file to edit, as it was read.
struct RuleDocument {
    let path: String
    /// The path as in findings.
    let shown: String
    let text: String
    let document: YAMLDocument
}

extension Workspace {
    /// The rule files by name, with their documents. Throws if a file cannot be read, because the edit would
    /// leave it out.
    func ruleDocuments() throws -> [RuleDocument] {
        let source = RuleSource.folder(rulesFolder, shownBelow: root)
        return try source.names.map { name in
            let shown = source.shownName(name)
            let text: String
            switch source.read(name) {
            case .success(let found): text = found
            case .failure(let problem):
                throw DiagnosticFailure(
                    [Diagnostic(code: "R001", file: shown, message: problem.message)], exit: .badData)
            }
            let (document, diagnostics) = YAMLDocument.read(file: shown, text: text)
            guard let document else { throw DiagnosticFailure(diagnostics, exit: .badData) }
            return RuleDocument(path: rulesFolder + "/" + name, shown: shown, text: text, document: document)
        }
    }
}

extension RuleEdit {
    /// Throws if the edit would add an error to the rules.
    public func check() throws {
        let before = Set(RuleLibrary.load(workspace).errors.map(\.message))
        let after = RuleLibrary.load(source, workspace).errors.filter { !before.contains($0.message) }
        guard after.isEmpty else { throw DiagnosticFailure(after, exit: .badData) }
    }

    /// The rule files after the edit.
    var source: RuleSource {
        let base = workspace.rulesFolder
        let folder = RuleSource.folder(base, shownBelow: workspace.root)
        let texts = Dictionary(files.map { ($0.path, $0.new) }, uniquingKeysWith: { first, _ in first })
        let names = files.map(\.path).filter { $0.hasPrefix(base + "/") }.map {
            String($0.dropFirst(base.count + 1))
        }
        return RuleSource(
            title: folder.title,
            names: RuleSource.ruleFiles(Array(Set(folder.names + names.filter { !$0.contains("/") }))),
            shownName: folder.shownName,
            read: { name in texts[base + "/" + name].map { .success($0) } ?? folder.read(name) })
    }

    /// Writes each file completely or not at all. A file that another program changed meanwhile is not
    /// written.
    public func write() throws(Problem) {
        for file in files { try AtomicFile.replace(file.path, old: file.old, new: file.new) }
    }
}

/// A text file of the user, replaced as a whole.
enum AtomicFile {
    /// Writes a temporary file and renames it. If the path is a symbolic link, its target is replaced. The
    /// permissions stay.
    static func replace(_ path: String, old: String, new: String) throws(Problem) {
        let real = realPath(path) ?? path
        var status = stat()
        let mode = stat(real, &status) == 0 ? status.st_mode & 0o777 : 0o644
        let now = (try? Data(contentsOf: URL(filePath: real))).map { Array($0) } ?? []
        guard now == Array(old.utf8) else {
            throw Problem(
                "file-changed", exit: .temporary,
                message: "\(path) was changed meanwhile; nothing was written",
                next: ["try again"])
        }
        let beside = real + ".\(getpid()).opus"
        do throws(FileFailure) {
            try ReplacedFile.write(Array(new.utf8), to: real, through: beside, mode: mode)
        } catch {
            throw cannotWrite(path, error.number)
        }
    }

    private static func realPath(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    private static func cannotWrite(_ path: String, _ number: Int32) -> Problem {
        Problem(
            "cannot-write", exit: .cannotCreate,
            message: "cannot write \(path): \(String(cString: strerror(number)))",
            next: ["check its permissions"])
    }
}
