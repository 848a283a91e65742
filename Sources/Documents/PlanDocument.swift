import Foundation
public import Models
public import Pipeline

/// A plan as a file and as JSON output: `opus.plan/1`.
public struct PlanDocument: Codable, Sendable {
    var schema = Self.schemaName
    var generated: Timestamp
    /// The id of the reviewed plan, such as `p:4f2a91`. It is missing in files of earlier versions, and if
    /// the user removed it in order to edit the rest.
    var id: String?
    var plan: Plan

    private static let schemaName = "opus.plan/1"
    /// A plan file larger than this was not written by opus.
    static let sizeLimit = 256 << 20

    public init(_ plan: Plan, at now: Timestamp) {
        generated = now
        id = plan.name
        self.plan = plan
    }

    public func bytes() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        return Array(try encoder.encode(self))
    }

    /// Reads a plan file.
    ///
    /// - Throws: ``Problem`` if the file is missing, is not a plan, or was changed after it was saved.
    public static func read(_ path: String) throws -> SavedPlan {
        let bad = { (reason: String) in
            Problem(
                "bad-plan", exit: .badData, message: "\(path) \(reason)",
                next: ["opus triage --out \(path)"])
        }
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw Problem(
                "no-plan", exit: .notFound, message: "cannot open the plan file \(path)",
                next: ["opus triage --out \(path)"])
        }
        defer { try? handle.close() }
        let data: Data
        do {
            data = try handle.read(upToCount: sizeLimit) ?? Data()
        } catch {
            throw bad("is not a plan file: it cannot be read")
        }
        do {
            let document = try JSONDecoder().decode(PlanDocument.self, from: data)
            guard document.schema == schemaName else {
                throw bad("is not a plan file: its schema is \(document.schema)")
            }
            // opus applies a saved plan without asking, because the user reviewed it; this is not the plan
            // that was reviewed.
            if let id = document.id, id != document.plan.name {
                throw bad("was changed after it was saved as \(id); without its id, it is accepted as it is")
            }
            return SavedPlan(
                document.plan, generated: document.generated, isEdited: document.id == nil, path: path)
        } catch let error as DecodingError {
            throw bad("is not a plan file: \(Self.reason(error))")
        }
    }

    private static func reason(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, _): "\(key.stringValue) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            context.codingPath.map(\.stringValue).joined(separator: ".") + " " + context.debugDescription
        @unknown default: "it cannot be read"
        }
    }

    /// Writes a temporary file and renames it. If the path is a symbolic link, its target is replaced.
    public func write(to path: String) throws {
        let target = URL(filePath: path).resolvingSymlinksInPath()
        var status = stat()
        // A rename would replace a device, a pipe or a folder with a file.
        if stat(target.path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw Problem(
                "cannot-write", exit: .cannotCreate, message: "cannot write the plan to \(path)",
                details: ["it is not a regular file"], next: ["opus triage --dry-run --json"])
        }
        do {
            try Data(try bytes()).write(to: target, options: .atomic)
        } catch let error as CocoaError {
            throw Problem(
                "cannot-write", exit: .cannotCreate, message: "cannot write the plan to \(path)",
                details: [error.localizedDescription])
        }
    }
}
