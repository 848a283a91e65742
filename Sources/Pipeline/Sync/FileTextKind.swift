import Models

/// The kinds of attached files whose text opus finds, and the program that extracts it.
///
/// Every program reads the file from its standard input and prints UTF-8. ``TextProgram`` limits what it can
/// do.
enum FileTextKind: String, CaseIterable, Sendable {
    case pdf
    case text
    case docx
    case xlsx
    case pptx
    case ppt
    case openDocument = "open-document"
    /// RTF too: the same program reads both.
    case doc
    case xls

    struct Row {
        /// Lowercase, with the dot.
        var suffixes: [String]
        var contentTypes: [String]
        /// nil: the parser that reads mail reads these files too.
        var program: String?
        var arguments: [String] = []
        /// The Debian package of the program.
        var package = ""
        /// The program prints XML, of which only the text counts.
        var printsXML = false
    }

    var row: Row {
        switch self {
        case .pdf:
            Row(
                suffixes: [".pdf"], contentTypes: ["application/pdf"], program: "pdftotext",
                arguments: ["-q", "-enc", "UTF-8", "-nopgbrk", "-", "-"], package: "poppler-utils")
        case .text: Row(suffixes: [], contentTypes: [], program: nil)
        case .docx:
            Row(
                suffixes: [".docx", ".docm", ".dotx"],
                contentTypes: ["application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
                program: "docx2txt", arguments: ["/dev/stdin", "-"], package: "docx2txt")
        case .xlsx:
            Row(
                suffixes: [".xlsx", ".xlsm"],
                contentTypes: ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
                program: "xlsx2csv", arguments: ["-a", "-d", " ", "/dev/stdin"], package: "xlsx2csv")
        case .pptx:
            // Slides and their notes; the pattern leaves out their layouts. The password keeps unzip from asking for one.
            Row(
                suffixes: [".pptx", ".pptm", ".ppsx", ".potx"],
                contentTypes: [
                    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
                    "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
                ],
                program: "unzip", arguments: ["-P", "none", "-p", "/dev/stdin", "ppt/*lides/*.xml"],
                package: "unzip",
                printsXML: true)
        case .ppt:
            Row(
                suffixes: [".ppt", ".pps"], contentTypes: ["application/vnd.ms-powerpoint"],
                program: "catppt", arguments: ["-d", "utf-8", "/dev/stdin"], package: "catdoc")
        case .openDocument:
            Row(
                suffixes: [".odt", ".ods", ".odp"],
                contentTypes: [
                    "application/vnd.oasis.opendocument.text",
                    "application/vnd.oasis.opendocument.spreadsheet",
                    "application/vnd.oasis.opendocument.presentation",
                ],
                program: "odt2txt", arguments: ["--encoding=UTF-8", "--width=-1", "/dev/stdin"],
                package: "odt2txt")
        case .doc:
            Row(
                suffixes: [".doc", ".rtf"],
                contentTypes: ["application/msword", "application/rtf", "text/rtf"], program: "catdoc",
                arguments: ["-d", "utf-8", "-w", "/dev/stdin"], package: "catdoc")
        case .xls:
            Row(
                suffixes: [".xls"], contentTypes: ["application/vnd.ms-excel"], program: "xls2csv",
                arguments: ["-d", "utf-8", "-q", "0", "-c", " ", "/dev/stdin"], package: "catdoc")
        }
    }

    /// nil: opus does not look for text in this file. The content type decides, then the name: many mail
    /// programs send every file as `application/octet-stream`.
    init?(_ attachment: Attachment) {
        let (type, name) = (attachment.contentType, attachment.name.lowercased())
        let kinds = Self.allCases.map { (kind: $0, row: $0.row) }
        let found =
            kinds.first { $0.row.contentTypes.contains(type) }
            ?? kinds.first { $0.row.suffixes.contains { name.hasSuffix($0) } }
        if let found {
            self = found.kind
        } else if type.hasPrefix("text/"), type != "text/calendar" {
            self = .text
        } else {
            return nil
        }
    }
}
