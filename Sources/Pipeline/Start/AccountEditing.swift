import Accounts
import Files
import Foundation
import Glibc
import Models

/// Adds an account to the opus.yaml that is there, or removes one. Everything else in the file stays as it is, comments too.
///
/// The new text is read before it is written: it must have exactly the one account more or less.
public struct AccountEditing: Sendable {
    let place: NewWorkspace

    public init(_ place: NewWorkspace) { self.place = place }

    public func add(_ wish: AccountWish) throws {
        let (text, workspace) = try read()
        if workspace.accounts.contains(where: { $0.address.comparable == wish.address.comparable }) {
            throw Problem(
                "account-exists", exit: .cannotCreate,
                message: "\(wish.address.addrSpec) has an account already",
                place: place.location.shownFile, next: ["opus account check"])
        }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let line = lines.firstIndex { $0.hasPrefix("accounts:") }
        if let line {
            let rest = lines[line].dropFirst("accounts:".count).drop { $0 == " " }
            if rest.hasPrefix("[]") { lines[line] = "accounts:" + rest.dropFirst(2) }
            let block = Self.block(in: lines, after: line)
            let indent = block.first.map { Self.indent(lines[$0.lowerBound]) } ?? 2
            lines.insert(
                AccountText(wish: wish).entry(indent: indent), at: block.last?.upperBound ?? line + 1)
        } else {
            while lines.last?.isEmpty == true { lines.removeLast() }
            lines += ["accounts:", AccountText(wish: wish).entry(indent: 2), ""]
        }
        let edited = lines.joined(separator: "\n")
        try write(edited, wanted: workspace.accounts.map(\.id) + [AccountID(wish.name)])
    }

    /// What the server has stays there; the local copy of the mail stays in the store until the account is added again.
    public func remove(_ name: String) throws {
        let (text, workspace) = try read()
        guard let account = workspace.accounts.first(where: { $0.id.rawValue == name }) else {
            throw Problem(
                "no-such-account", exit: .notFound, message: "there is no account \"\(name)\"",
                place: place.location.shownFile,
                next: ["one of: " + workspace.accounts.map(\.id.rawValue).joined(separator: ", ")])
        }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let line = lines.firstIndex(where: { $0.hasPrefix("accounts:") }),
            let item = Self.block(in: lines, after: line).first(where: {
                $0.contains(account.place.line - 1)
            })
        else { throw cannotEdit("the account is not a list entry of its own") }
        lines.removeSubrange(item)
        if workspace.accounts.count == 1 {
            let rest = lines[line].dropFirst("accounts:".count)
            lines[line] = "accounts: []" + rest
        }
        try write(
            lines.joined(separator: "\n"), wanted: workspace.accounts.map(\.id).filter { $0 != account.id })
    }

    // MARK: Text

    private func read() throws -> (String, Workspace) {
        guard let data = FileManager.default.contents(atPath: place.location.configFile),
            let text = String(data: data, encoding: .utf8)
        else { throw Problem.noWorkspace }
        return (text, try place.parsed(text))
    }

    private func write(_ text: String, wanted: [AccountID]) throws {
        let found = try? place.parsed(text).accounts.map(\.id)
        guard found?.sorted() == wanted.sorted() else {
            throw cannotEdit("its accounts are written in a way that opus does not edit")
        }
        let path = URL(filePath: place.location.configFile).resolvingSymlinksInPath().path
        var status = stat()
        let mode = stat(path, &status) == 0 ? status.st_mode & 0o777 : 0o600
        do throws(FileFailure) {
            try ReplacedFile.write(Array(text.utf8), to: path, through: path + ".new", mode: mode)
        } catch {
            throw Problem(
                "cannot-write", exit: .cannotCreate,
                message: "\(path) cannot be written: \(String(cString: strerror(error.number)))")
        }
    }

    private func cannotEdit(_ reason: String) -> Problem {
        Problem(
            "cannot-edit", exit: .configuration, message: "opus.yaml was not changed: \(reason)",
            place: place.location.shownFile, next: ["edit the file; opus help config explains its keys"])
    }

    /// The entries of the list below a key, each with the comments above it.
    private static func block(in lines: [String], after key: Int) -> [Range<Int>] {
        guard let first = lines[(key + 1)...].firstIndex(where: { isContent($0) }),
            lines[first].drop(while: { $0 == " " }).hasPrefix("-")
        else { return [] }
        let indent = indent(lines[first])
        var starts: [Int] = []
        var end = first
        for index in first..<lines.count {
            guard isContent(lines[index]) else { continue }
            let here = Self.indent(lines[index])
            guard here > indent || (here == indent && lines[index].dropFirst(indent).hasPrefix("-")) else {
                break
            }
            if here == indent { starts.append(index) }
            end = index + 1
        }
        return zip(starts, starts.dropFirst() + [end]).map { $0..<$1 }
    }

    private static func isContent(_ line: String) -> Bool {
        let text = line.drop { $0 == " " }
        return !text.isEmpty && !text.hasPrefix("#")
    }

    private static func indent(_ line: String) -> Int { line.prefix { $0 == " " }.count }
}
