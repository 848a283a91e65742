import Foundation
import Glibc

/// The content type of a file by its name, as in desktop programs.
///
/// Uses the globs of shared-mime-info: the one with the highest weight, then the longest one. If these are
/// not installed, a small table is used. An unknown extension is `application/octet-stream`.
struct MediaTypes: Sendable {
    private struct Glob {
        var weight: Int
        var type: String
        var pattern: String
        var isCaseSensitive: Bool

        func matches(_ name: String) -> Bool {
            isCaseSensitive
                ? fnmatch(pattern, name, 0) == 0 : fnmatch(pattern.lowercased(), name.lowercased(), 0) == 0
        }
    }

    private var endings: [String: (weight: Int, type: String)] = [:]
    private var globs: [Glob] = []

    /// `globs2`: the text of the file with that name, with lines `weight:type:pattern[:flags]`.
    init(globs2: String) {
        for line in globs2.split(separator: "\n") where line.first != "#" {
            let parts = line.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false).map(
                String.init)
            guard parts.count >= 3, let weight = Int(parts[0]) else { continue }
            let glob = Glob(
                weight: weight, type: parts[1], pattern: parts[2],
                isCaseSensitive: parts.count > 3 && parts[3].split(separator: ",").contains("cs"))
            add(glob)
        }
    }

    private mutating func add(_ glob: Glob) {
        let ending = glob.pattern.dropFirst(2)
        guard glob.pattern.hasPrefix("*."), !glob.isCaseSensitive,
            !ending.contains(where: { "*?[".contains($0) })
        else { return globs.append(glob) }
        let key = ending.lowercased()
        if endings[key].map({ $0.weight < glob.weight }) ?? true { endings[key] = (glob.weight, glob.type) }
    }

    /// The types of the system, read once.
    static let system = MediaTypes(
        globs2: (try? String(contentsOfFile: "/usr/share/mime/globs2", encoding: .utf8)) ?? "")

    func type(of name: String) -> String {
        let base = name.split(separator: "/").last.map(String.init) ?? name
        var best: (weight: Int, length: Int, type: String)?
        let offer = { (weight: Int, length: Int, type: String) in
            if best.map({ ($0.weight, $0.length) < (weight, length) }) ?? true {
                best = (weight, length, type)
            }
        }
        let lowered = base.lowercased()
        for (index, character) in lowered.enumerated() where character == "." {
            let ending = String(lowered.dropFirst(index + 1))
            if let found = endings[ending] { offer(found.weight, ending.count + 2, found.type) }
        }
        for glob in globs where glob.matches(base) { offer(glob.weight, glob.pattern.count, glob.type) }
        if let best { return best.type }
        let ending = lowered.split(separator: ".").dropFirst().last.map(String.init) ?? ""
        return Self.usual[ending] ?? "application/octet-stream"
    }

    /// The most common types, for systems without shared-mime-info.
    private static let usual: [String: String] = [
        "pdf": "application/pdf", "txt": "text/plain", "csv": "text/csv", "html": "text/html",
        "ics": "text/calendar", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
        "gif": "image/gif", "svg": "image/svg+xml", "webp": "image/webp", "zip": "application/zip",
        "gz": "application/gzip", "json": "application/json", "xml": "application/xml",
        "doc": "application/msword", "odt": "application/vnd.oasis.opendocument.text",
        "ods": "application/vnd.oasis.opendocument.spreadsheet",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "mp3": "audio/mpeg", "mp4": "video/mp4", "eml": "message/rfc822", "patch": "text/x-patch",
        "md": "text/markdown", "vcf": "text/vcard",
    ]
}
