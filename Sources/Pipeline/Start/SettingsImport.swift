import Foundation
import Glibc
public import Models

/// Finds accounts in the settings of other mail programs. Files are read, never executed; no passwords are
/// taken from them.
public struct SettingsImport: Sendable {
    private let home: String
    private let config: String
    private static let longestFile = 1 << 20

    public static let programs = ["mbsync", "offlineimap", "notmuch", "aerc", "himalaya", "thunderbird"]

    public init(environment: [String: String]) {
        home = environment["HOME"] ?? "/"
        config = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.config"
    }

    /// The accounts of all programs, in the order of ``programs``.
    public func all() -> [ImportedAccount] {
        Self.programs.flatMap { (try? accounts(of: $0)) ?? [] }
    }

    /// - Throws: ``Problem`` if the program is unknown, or has no usable settings.
    public func accounts(of program: String) throws -> [ImportedAccount] {
        guard Self.programs.contains(program) else {
            throw Problem(
                "no-such-program", exit: .usage, message: "settings of \"\(program)\" cannot be read",
                next: ["one of: " + Self.programs.joined(separator: ", ")])
        }
        let files = files(of: program)
        let found = files.flatMap { file -> [ImportedAccount] in
            guard let text = read(file) else { return [] }
            return switch program {
            case "mbsync": MbsyncSettings.accounts(text, file, home: home)
            case "offlineimap": OfflineimapSettings.accounts(text, file, home: home)
            case "notmuch": NotmuchSettings.accounts(text, file, home: home)
            case "aerc": AercSettings.accounts(text, file, home: home)
            case "himalaya": HimalayaSettings.accounts(text, file, home: home)
            case _: ThunderbirdSettings.accounts(text, file)
            }
        }.filter(\.isUseful)
        guard !found.isEmpty else {
            throw Problem(
                "no-settings", exit: .notFound,
                message: "no settings of \(program) with an account were found",
                details: files.isEmpty ? [] : ["read: " + files.joined(separator: ", ")],
                next: ["opus init ADDRESS"])
        }
        return found
    }

    /// The account with an address. Settings without an address match by their user name, or by the domain of
    /// their server.
    public static func match(
        _ found: [ImportedAccount], _ wanted: EmailAddress, user: String?
    ) -> ImportedAccount? {
        if let exact = found.first(where: { $0.address?.comparable == wanted.comparable }) { return exact }
        let open = found.filter { $0.address == nil }
        if open.count == 1, found.count == 1 { return open.first }
        let byUser = open.filter { $0.user != nil && ($0.user == user || $0.user == wanted.localPart) }
        let byHost = open.filter {
            $0.imap?.host.lowercased().hasSuffix("." + wanted.domain.lowercased()) == true
        }
        return [byUser, byHost].first { $0.count == 1 }?.first
    }

    private func files(of program: String) -> [String] {
        switch program {
        case "mbsync": [home + "/.mbsyncrc", config + "/isyncrc"]
        case "offlineimap": [home + "/.offlineimaprc", config + "/offlineimap/config"]
        case "notmuch": [home + "/.notmuch-config", config + "/notmuch/default/config"]
        case "aerc": [config + "/aerc/accounts.conf"]
        case "himalaya": [config + "/himalaya/config.toml", home + "/.himalayarc"]
        case _:
            // The paths of Debian, of the snap and of the Flatpak.
            [
                "/.thunderbird", "/snap/thunderbird/common/.thunderbird",
                "/.var/app/org.mozilla.Thunderbird/.thunderbird",
            ]
            .flatMap { profiles(home + $0) }.map { $0 + "/prefs.js" }
        }
    }

    private func profiles(_ folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter {
            FileManager.default.fileExists(atPath: folder + "/" + $0 + "/prefs.js")
        }.sorted().prefix(16).map { folder + "/" + $0 }
    }

    /// Reads a regular file of limited size.
    private func read(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return nil }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= Self.longestFile, let data = try? handle.read(upToCount: Self.longestFile)
        else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    /// Replaces `~` in paths such as `~/Mail` with the user's home folder.
    static func path(_ text: String, home: String) -> String {
        text.hasPrefix("~/") ? home + text.dropFirst() : text.hasPrefix("/") ? text : home + "/" + text
    }
}

/// Files with sections and keys: `[name]`, then `key = value`.
struct SectionFile {
    struct Section {
        var name: String
        var values: [String: String]
    }

    private(set) var sections: [Section] = []

    init(_ text: String) {
        var current = Section(name: "", values: [:])
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.trimmingCharacters(in: .whitespaces)
            if words.isEmpty || words.hasPrefix("#") || words.hasPrefix(";") { continue }
            if words.hasPrefix("["), let end = words.firstIndex(of: "]") {
                sections.append(current)
                current = Section(
                    name: String(words[words.index(after: words.startIndex)..<end]), values: [:])
            } else if let sign = words.firstIndex(of: "=") {
                let key = words[..<sign].trimmingCharacters(in: .whitespaces)
                current.values[key] = words[words.index(after: sign)...].trimmingCharacters(in: .whitespaces)
            }
        }
        sections.append(current)
    }
}
