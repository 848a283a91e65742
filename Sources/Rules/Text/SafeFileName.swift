import Foundation

/// Makes a safe file name from an untrusted one.
public enum SafeFileName {
    /// Leaves space for a number within the limit of 255 bytes in most file systems.
    private static let longest = 150

    /// The last path component, without invisible characters and those with a special meaning in a shell, a
    /// file manager or Windows. Composed (NFC), so that the same name is always the same file.
    public static func make(_ wished: String) -> String {
        let base = wished.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last ?? Substring().unicodeScalars
        let harmless = String(String.UnicodeScalarView(base.filter { !isUnsafe($0) }))
        var scalars = harmless.precomposedStringWithCanonicalMapping.unicodeScalars[...]
        // Scalars instead of Characters: a dot with a combining accent still makes a hidden file.
        while let first = scalars.first, isMargin(first) || first == "-" { scalars.removeFirst() }
        while let last = scalars.last, isMargin(last) { scalars.removeLast() }
        let name = shortened(String(Substring(scalars)))
        return name.isEmpty ? "attachment" : isDevice(name) ? "_" + name : name
    }

    private static func isMargin(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "." || scalar.properties.isWhitespace
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.properties.isDefaultIgnorableCodePoint { return true }
        return switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            true
        case _: ":*?\"<>|".unicodeScalars.contains(scalar)
        }
    }

    /// At most ``longest`` bytes; an extension of usual length is kept.
    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > longest else { return name }
        let (stem, ending) = split(name)
        guard ending.utf8.count <= 16 else { return prefix(name[...], bytes: longest) }
        return prefix(stem, bytes: longest - ending.utf8.count) + ending
    }

    private static func prefix(_ text: Substring, bytes limit: Int) -> String {
        var kept = ""
        var used = 0
        for scalar in text.unicodeScalars {
            used += UTF8.width(scalar)
            guard used <= limit else { break }
            kept.unicodeScalars.append(scalar)
        }
        return kept
    }

    /// The base name, and the extension with its dot.
    private static func split(_ name: String) -> (Substring, Substring) {
        let scalars = name.unicodeScalars
        let dot = scalars.lastIndex(of: ".") ?? scalars.endIndex
        return (name[..<dot], name[dot...])
    }

    /// Device names on Windows, with any extension.
    private static func isDevice(_ name: String) -> Bool {
        let stem = name.prefix { $0 != "." }.uppercased()
        if ["CON", "PRN", "AUX", "NUL"].contains(stem) { return true }
        return stem.utf8.count == 4 && (stem.hasPrefix("COM") || stem.hasPrefix("LPT"))
            && stem.utf8.last.map { (0x30...0x39).contains($0) } ?? false
    }
}
