import Models

/// The programs of this machine that extract text from attached files, found once for a sync.
struct FileTextPrograms: Sendable {
    private let programs: [FileTextKind: TextProgram]

    /// `scratch` is a folder for unnamed temporary files.
    init(scratch: String, limits: TextProgram.Limits = .init()) {
        var programs: [FileTextKind: TextProgram] = [:]
        for kind in FileTextKind.allCases {
            let row = kind.row
            guard let name = row.program, var program = TextProgram(name, row.arguments, scratch: scratch)
            else { continue }
            program.limits = limits
            // Most of it is markup.
            if row.printsXML { program.limits.output *= 8 }
            programs[kind] = program
        }
        self.programs = programs
    }

    func program(of kind: FileTextKind) -> TextProgram? { programs[kind] }

    var readable: [FileTextKind] {
        FileTextKind.allCases.filter { $0.row.program == nil || programs[$0] != nil }
    }

    func canRead(_ attachment: Attachment) -> Bool {
        FileTextKind(attachment).map(readable.contains) ?? false
    }

    /// For `opus doctor`: each kind, read or not, with the packages that are missing.
    var finding: Finding {
        func names(_ kinds: [FileTextKind]) -> String {
            kinds.flatMap { $0.row.suffixes.isEmpty ? ["text"] : $0.row.suffixes }.joined(separator: ", ")
        }
        let readable = self.readable
        let missing = FileTextKind.allCases.filter { !readable.contains($0) }
        guard !missing.isEmpty else { return .good("attached files", "text is read from \(names(readable))") }
        let packages = Set(missing.map(\.row.package)).sorted().joined(separator: " ")
        return .good(
            "attached files",
            "text is read from \(names(readable)); not from \(names(missing)) (Debian: \(packages))")
    }
}
