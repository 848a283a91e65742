import Foundation
import Testing

/// Holds the imports of `Sources/*` against the map in `docs/Modules.md`: an arrow that the map does not have
/// fails, and so does a module without a row, or a row that points upward.
@Suite struct ModuleMapTests {
    @Test("every import is an arrow of docs/Modules.md")
    func importsFollowTheMap() throws {
        let map = try ModuleMap.read()
        for (module, files) in try SourceTree.modules() {
            let row = try #require(map.rows[module], "Sources/\(module) has no row in docs/Modules.md")
            for file in files {
                for name in SourceTree.imports(of: try SourceTree.text(file)) {
                    guard !ModuleMap.free.contains(name) || ModuleMap.bare.contains(module) else { continue }
                    #expect(
                        row.imports.contains(name),
                        "\(module)/\(file.lastPathComponent) imports \(name), which the map does not allow")
                }
            }
        }
    }

    @Test("every arrow points to a lower layer or an earlier row, and every row has a folder")
    func layers() throws {
        let map = try ModuleMap.read()
        let folders = Set(try SourceTree.modules().keys)
        #expect(Set(map.rows.keys) == folders)
        for (module, row) in map.rows {
            for name in row.imports {
                guard let target = map.rows[name] else { continue }
                #expect(
                    target.layer <= row.layer && target.index < row.index,
                    "\(module) may not import \(name): it is not below")
            }
        }
    }

    @Test("no module contains a type with the module's name")
    func names() throws {
        for (module, files) in try SourceTree.modules() {
            let type = try Regex(
                #"(?m)^(?:[a-z@]+ )*(?:struct|class|actor|enum|protocol) "# + module + #"\b"#)
            for file in files {
                #expect(
                    try SourceTree.text(file).firstMatch(of: type) == nil,
                    "\(file.lastPathComponent) declares \(module) in the module \(module)")
            }
        }
    }

    @Test("the check reads every form of import")
    func reader() {
        let text = """
            public import Models
            @testable import Rules
            internal import struct NIOCore.ByteBuffer
            // import Nothing
                import GRDB
            let important = "import Nothing"
            """
        #expect(SourceTree.imports(of: text) == ["Models", "Rules", "NIOCore", "GRDB"])
    }
}

/// The table of `docs/Modules.md`.
private struct ModuleMap {
    struct Row {
        var layer: Int
        /// The place in the table, from the top.
        var index: Int
        var imports: Set<String>
    }

    /// Modules of the platform, which need no arrow.
    static let free: Set<String> = [
        "Foundation", "FoundationEssentials", "Glibc", "Synchronization", "Dispatch",
    ]
    /// Modules that may not even import those.
    static let bare: Set<String> = ["Models", "IMAPProtocol", "SMTPProtocol"]

    var rows: [String: Row] = [:]

    static func read() throws -> ModuleMap {
        var map = ModuleMap()
        let text = try String(contentsOf: SourceTree.root.appending(path: "docs/Modules.md"), encoding: .utf8)
        for line in text.split(separator: "\n") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 4, let layer = Int(cells[0]) else { continue }
            let names = cells[3].split(separator: "`").map(String.init).filter {
                $0.first?.isLetter == true && $0 != "nothing"
            }
            map.rows[cells[1].replacing("`", with: "")] = Row(
                layer: layer, index: map.rows.count, imports: Set(names))
        }
        try #require(map.rows.count > 20, "docs/Modules.md lost its table")
        return map
    }
}
