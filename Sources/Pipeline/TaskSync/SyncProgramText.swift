import Crypto
import Foundation

/// The configuration of vdirsyncer or pimsync for the task folder. The first line contains a hash of the
/// rest, so that opus can tell whether the user has changed the file.
struct SyncProgramText {
    var program: SyncProgram
    var url: String
    var user: String
    var passwordCommand: [String]
    var caFile: String?
    var conflict: TaskSyncSetup.Conflict
    var lists: [String]
    var tasksFolder: String
    var statusFolder: String

    static let mark = "# Written by opus tasks sync-setup"

    var text: String {
        let body = program == .vdirsyncer ? vdirsyncer : pimsync
        return "\(Self.mark); replaced only while unchanged: \(Self.hash(body))\n\(body)"
    }

    /// Whether opus wrote the text, and the text is unchanged.
    static func isOwn(_ text: String) -> Bool {
        let parts = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].hasPrefix(mark) else { return false }
        return parts[0].hasSuffix(": " + hash(String(parts[1])))
    }

    /// The lists that a configuration of `sync-setup` names; nil: it is not of opus, or a person changed it.
    static func lists(in text: String) -> [String]? {
        guard isOwn(text) else { return nil }
        let lines = text.split(separator: "\n")
        if let list = lines.first(where: { $0.hasPrefix(collections) }) {
            return try? JSONDecoder().decode(
                [String].self, from: Data(list.dropFirst(collections.count).utf8))
        }
        let found = lines.filter { $0.hasPrefix(collection) }.map { $0.dropFirst(collection.count) }
        return found.isEmpty ? nil : found.map { $0.filter { $0 != "\"" } }
    }

    private static let collections = "collections = "
    private static let collection = "\tcollection "

    static func hash(_ text: String) -> String {
        SHA256.hash(Array(text.utf8)).prefix(16).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// The lines that say where the tasks are on the server.
    var place: Set<String> {
        switch program {
        case .vdirsyncer: ["url = \(Self.json(url))", "username = \(Self.json(user))"]
        case .pimsync: ["\turl \(Self.word(url))", "\tusername \(Self.word(user))"]
        }
    }

    // MARK: vdirsyncer

    private var vdirsyncer: String {
        let fetch = Self.json(["command"] + passwordCommand)
        let rule =
            switch conflict {
            case .keep: "null"
            case .here: "\"a wins\""
            case .server: "\"b wins\""
            }
        return """
            # A task that changed on both sides: null keeps both and reports it, "a wins" takes this machine's, "b wins" the server's.

            [general]
            status_path = \(Self.json(statusFolder + "/"))

            [pair tasks]
            a = "local"
            b = "remote"
            \(Self.collections)\(Self.json(lists))
            conflict_resolution = \(rule)

            [storage local]
            type = "filesystem"
            path = \(Self.json(tasksFolder + "/"))
            fileext = ".ics"

            [storage remote]
            type = "caldav"
            url = \(Self.json(url))
            username = \(Self.json(user))
            password.fetch = \(fetch)
            item_types = ["VTODO"]
            \(caFile.map { "verify = \(Self.json($0))\n" } ?? "")
            """
    }

    private static func json(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }

    // MARK: pimsync

    private var pimsync: String {
        let rule: String? =
            switch conflict {
            case .keep: nil
            case .here: "conflict_resolution keep a"
            case .server: "conflict_resolution keep b"
            }
        let pair =
            ["storage_a local", "storage_b remote"] + lists.map { "collection \(Self.word($0))" }
            + ["on_empty skip"] + [rule].compactMap(\.self)
        return """
            # A task that changed on both sides is reported and stays as it is, unless conflict_resolution says which side is kept.

            status_path \(Self.word(statusFolder + "/"))

            storage local {
            \ttype vdir/icalendar
            \tpath \(Self.word(tasksFolder + "/"))
            \tfileext ics
            }

            storage remote {
            \ttype caldav
            \turl \(Self.word(url))
            \tusername \(Self.word(user))
            \tpassword {
            \t\tcmd \(passwordCommand.map(Self.word).joined(separator: " "))
            \t}
            }

            pair tasks {
            \(pair.map { "\t" + $0 }.joined(separator: "\n"))
            }

            """
    }

    /// The text as one word in scfg, the format of pimsync's configuration.
    private static func word(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
