import Foundation
import Models

extension RuleSource {
    /// The version of the rules that the user named: a folder, or otherwise a git revision of the rules
    /// folder.
    ///
    /// A folder has precedence over a branch with the same name. Paths are relative to `directory`.
    static func named(_ typed: String, rulesFolder: String, directory: String) throws -> RuleSource {
        let path = typed.hasPrefix("/") ? typed : directory + "/" + typed
        var isFolder: ObjCBool = false
        if !typed.isEmpty, FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
            isFolder.boolValue
        {
            return .folder(URL(filePath: path).standardized.path, shownBelow: directory)
        }
        return try revision(typed, of: rulesFolder)
    }

    /// The folder in a commit. Nothing is checked out, and the repository does not change.
    private static func revision(_ typed: String, of folder: String) throws -> RuleSource {
        guard isRevision(typed) else {
            throw unknown(typed, "it is not a folder and cannot be a git revision")
        }
        let git = Git(folder: folder)
        guard
            let found = try git.run([
                "rev-parse", "--verify", "--quiet", "--end-of-options", typed + "^{commit}",
            ]),
            let commit = String(validating: found, as: UTF8.self)?.split(separator: "\n").first.map(
                String.init),
            commit.utf8.allSatisfy({ Git.hexDigits.contains($0) }), commit.utf8.count >= 40
        else { throw unknown(typed, "it is neither a folder nor a git revision of \(folder)") }
        let entries = try git.run(["ls-tree", "-z", commit]) ?? []
        let names = entries.split(separator: 0).compactMap { fileName($0) }
        let short = String(commit.prefix(10))
        return RuleSource(
            title: typed == commit ? short : "\(typed) (\(short))", names: ruleFiles(names),
            shownName: { "\(typed):\($0)" },
            read: { name in
                guard let bytes = try? git.run(["cat-file", "blob", "\(commit):./\(name)"]) else {
                    return .failure(ReadFailure(message: "cannot be read from git"))
                }
                return text(bytes)
            })
    }

    /// The name in a line of `ls-tree` for a regular file: `100644 blob 2f3a… TAB name`.
    private static func fileName(_ line: ArraySlice<UInt8>) -> String? {
        guard let tab = line.firstIndex(of: UInt8(ascii: "\t")), line.starts(with: "100".utf8) else {
            return nil
        }
        return String(validating: line[(tab + 1)...], as: UTF8.self)
    }

    /// Whether the text is a common commit name: `main`, `v1.2`, `HEAD~3`, `main@{yesterday}`. Excludes
    /// everything that git could take for an option or for a path in a commit.
    static func isRevision(_ text: String) -> Bool {
        (1...200).contains(text.utf8.count) && !text.hasPrefix("-")
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                    || "._/^~@{}-+ ".unicodeScalars.contains(scalar)
            }
    }

    private static func unknown(_ typed: String, _ reason: String) -> Problem {
        Problem(
            "no-such-version", exit: .notFound, message: "cannot read rules from \"\(typed)\": \(reason)",
            next: ["opus rules diff FOLDER", "opus rules diff HEAD~1"])
    }
}

/// Runs git in the repository of a folder, for reading only.
struct Git: Sendable {
    static let hexDigits = Set("0123456789abcdef".utf8)
    /// The maximum number of bytes of output.
    static let outputLimit = 4 << 20

    let folder: String

    /// The output of one command; nil if git fails.
    func run(_ arguments: [String]) throws -> [UInt8]? {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["git", "--no-pager", "--literal-pathspecs", "-C", folder] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"]) { _, ours in ours }
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        do {
            try process.run()
        } catch {
            throw Self.missing
        }
        var bytes: [UInt8] = []
        while bytes.count <= Self.outputLimit,
            let piece = try output.fileHandleForReading.read(upToCount: 1 << 16), !piece.isEmpty
        {
            bytes += piece
        }
        if bytes.count > Self.outputLimit { process.terminate() }
        process.waitUntilExit()
        if process.terminationStatus == 127 { throw Self.missing }
        return process.terminationReason == .exit && process.terminationStatus == 0 ? bytes : nil
    }

    private static var missing: Problem {
        Problem(
            "no-git", exit: .unavailable, message: "git could not be started",
            next: ["install git", "compare two folders"])
    }
}
