import Foundation
import Glibc

/// Files whose names come from strangers: a harmless name, a new file, in the folder and nowhere else.
enum SafeFile {
    /// Leaves room for a number within the 255 bytes that file systems take.
    private static let longest = 150

    /// The last path component, without what is invisible or means something to a shell, a file manager or Windows.
    /// Composed (NFC): the same name is the same file wherever it was typed.
    static func name(_ wished: String) -> String {
        let base = wished.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last ?? Substring().unicodeScalars
        let harmless = String(String.UnicodeScalarView(base.filter { !isUnsafe($0) }))
        var scalars = harmless.precomposedStringWithCanonicalMapping.unicodeScalars[...]
        // Scalars, not Characters: a dot with an accent is a hidden file all the same.
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

    /// At most ``longest`` bytes; an ending of usual length is kept.
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

    /// Stem, and ending with its dot.
    private static func split(_ name: String) -> (Substring, Substring) {
        let scalars = name.unicodeScalars
        let dot = scalars.lastIndex(of: ".") ?? scalars.endIndex
        return (name[..<dot], name[dot...])
    }

    /// Names that open a device where a folder is shared with Windows, whatever their ending.
    private static func isDevice(_ name: String) -> Bool {
        let stem = name.prefix { $0 != "." }.uppercased()
        if ["CON", "PRN", "AUX", "NUL"].contains(stem) { return true }
        return stem.utf8.count == 4 && (stem.hasPrefix("COM") || stem.hasPrefix("LPT"))
            && stem.utf8.last.map { (0x30...0x39).contains($0) } ?? false
    }

    /// Writes a new file; a name that is taken gets ` (2)` and so on.
    ///
    /// The folder is opened once: when somebody puts another in its place meanwhile, the files still go where the
    /// person pointed. No link is followed, no file is opened that was there.
    static func write(_ bytes: [UInt8], named wished: String, in folder: String) throws(Problem) -> String {
        let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw cannotWrite(folder, errno, next: ["mkdir -p \(folder)"]) }
        defer { close(directory) }
        let name = name(wished)
        let (stem, ending) = split(name)
        for attempt in 1...1_000 {
            let numbered = attempt == 1 ? name : "\(stem) (\(attempt))\(ending)"
            let path = folder.hasSuffix("/") ? folder + numbered : folder + "/" + numbered
            let descriptor = openat(
                directory, numbered, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            if descriptor < 0, errno == EEXIST { continue }
            guard descriptor >= 0 else { throw cannotWrite(path, errno) }
            let failure = write(bytes, to: descriptor)
            let closing = close(descriptor) == 0 ? 0 : errno
            guard failure == 0, closing == 0 else {
                unlinkat(directory, numbered, 0)
                throw cannotWrite(path, failure == 0 ? closing : failure, next: ["free some space"])
            }
            return path
        }
        throw Problem(
            "cannot-write", exit: .cannotCreate, message: "\(folder) has too many files named \(name)")
    }

    /// 0, or the number of the error.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        bytes.withUnsafeBytes { buffer in
            var offset = 0
            while offset < buffer.count, let start = buffer.baseAddress {
                let count = Glibc.write(descriptor, start + offset, buffer.count - offset)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count == 0 ? EIO : errno }
                offset += count
            }
            return 0
        }
    }

    private static func cannotWrite(_ path: String, _ number: Int32, next: [String] = []) -> Problem {
        Problem(
            "cannot-write", exit: .cannotCreate,
            message: "cannot write \(path): \(String(cString: strerror(number)))", next: next)
    }
}
