/// The visible text of a link, and the host names in it.
struct LinkText {
    let shown: String
    private let hosts: [String]

    init(_ bytes: [UInt8]) {
        let visible = bytes.withUnsafeBufferPointer { VisibleText.collapsed($0) }
        shown = String(decoding: visible, as: UTF8.self)
        let words = visible.split { Self.isSeparator($0) }.prefix(64)
        hosts = words.compactMap { Self.host(in: $0, isWhole: words.count == 1) }
    }

    /// Whether the text shows a host other than the target's, or the target disguises its host.
    func misleads(about target: LinkTarget) -> Bool {
        guard let host = target.host else { return false }
        if target.hasDeceptiveUser || HostName.isMixed(host) { return true }
        let owner = HostName.registrable(host)
        return hosts.contains { HostName.registrable($0) != owner }
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case ASCII.space, ASCII.tab, ASCII.lf, ASCII.quote, ASCII.less, ASCII.greater, ASCII.leftParenthesis,
            ASCII.rightParenthesis, ASCII.comma, ASCII.semicolon, 0x27, 0x7C:
            true
        case _: false
        }
    }

    /// The host in a word: of a URL, of a mail address, or alone.
    private static func host(in word: ArraySlice<UInt8>, isWhole: Bool) -> String? {
        if let slashes = word.indices.first(where: { word[$0...].hasPrefix("://") }) {
            return authorityHost(word[(slashes + 3)...])
        }
        if word.count > 4, word.prefix(4).isWord("www.") { return authorityHost(word) }
        let bare = word.prefix { $0 != ASCII.slash && $0 != ASCII.question && $0 != 0x23 }
        let name = HostName.normalised((bare.lastIndex(of: ASCII.at).map { bare[($0 + 1)...] } ?? bare))
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1, let last = labels.last, labels.allSatisfy(isLabel) else { return nil }
        if bare.contains(ASCII.at) { return name }
        let isLast = last.count >= 2 && !last.utf8.contains(where: \.isDigit)
        guard isLast, !extensions.contains(String(last)) else { return nil }
        return isWhole || common.contains(String(last)) ? name : nil
    }

    private static func authorityHost(_ rest: ArraySlice<UInt8>) -> String? {
        let authority = HostName.authority(of: rest)
        let name = HostName.normalised(
            authority.lastIndex(of: ASCII.at).map { authority[($0 + 1)...] } ?? authority)
        return name.contains(".") ? name.hasPrefix("www.") ? String(name.dropFirst(4)) : name : nil
    }

    private static func isLabel(_ label: Substring) -> Bool {
        !label.isEmpty && label.utf8.count <= 63
            && label.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == ASCII.hyphen || $0 >= 0x80 }
    }

    /// Endings of files, which read like hosts and are none.
    private static let extensions: Set<String> = [
        "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "jpg", "jpeg", "png", "gif", "svg",
        "txt",
        "html", "htm", "php", "csv", "ics", "vcf", "js", "exe", "gz", "tar", "json", "xml", "yaml", "md",
        "log", "mail",
    ]

    /// Endings of hosts that are trusted to be ones in the middle of a sentence.
    private static let common: Set<String> = [
        "com", "org", "net", "edu", "gov", "info", "io", "de", "at", "ch", "uk", "fr", "it", "es", "nl", "eu",
        "ru", "pl",
        "jp", "cn", "br", "au", "ca", "us", "example", "test",
    ]
}
