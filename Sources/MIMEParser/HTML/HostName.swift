/// Compares names of hosts to find out whether they belong to the same owner.
enum HostName {
    /// The host of an authority without its user: percent codes decoded, without port and final dot, in lower case,
    /// full stops of other scripts as dots, internationalised labels in readable form.
    static func normalised(_ authority: ArraySlice<UInt8>) -> String {
        var name = PercentCoding.decoded(authority)[...]
        if let colon = name.lastIndex(of: ASCII.colon), name.last != ASCII.rightBracket {
            if name[(colon + 1)...].allSatisfy(\.isDigit) { name = name[..<colon] }
        }
        let dotted = name.text.lowercased().unicodeScalars.map { scalar -> Unicode.Scalar in
            [0x3002, 0xFF0E, 0xFF61].contains(scalar.value) ? "." : scalar
        }
        var labels = String(String.UnicodeScalarView(dotted)).split(
            separator: ".", omittingEmptySubsequences: false)
        while labels.last?.isEmpty ?? false { labels.removeLast() }
        return labels.map { Punycode.shown($0) }.joined(separator: ".")
    }

    /// The text between the slashes of a URL: user, host and port.
    static func authority(of rest: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        rest.prefix {
            $0 != ASCII.slash && $0 != ASCII.backslash && $0 != ASCII.question && $0 != 0x23
        }
    }

    /// The registered part of a name, as nearly as the name itself tells: `shop.example.co.uk` is
    /// `example.co.uk`.
    static func registrable(_ host: String) -> String {
        let labels = host.split(separator: ".")
        guard labels.count > 2, let last = labels.last, last.contains(where: \.isLetter) else { return host }
        let isShared = last.utf8.count == 2 && shared.contains(String(labels[labels.count - 2]))
        return labels.suffix(isShared ? 3 : 2).joined(separator: ".")
    }

    /// Second labels under which countries register.
    private static let shared: Set<String> = [
        "co", "com", "org", "net", "gov", "edu", "ac", "or", "ne", "go", "gob", "gouv", "gv", "nom", "mil",
        "sch",
    ]

    /// Whether a label mixes Latin letters with look-alikes of other scripts. UTS #39 §5.
    static func isMixed(_ host: String) -> Bool {
        host.split(separator: ".").contains { label in
            var (hasLatin, hasOther) = (false, false)
            for scalar in label.unicodeScalars {
                switch scalar.value {
                case 0x61...0x7A, 0xDF...0x24F, 0x1E00...0x1EFF: hasLatin = true
                case 0x370...0x3FF, 0x400...0x52F, 0x530...0x58F, 0x13A0...0x13FF, 0x1F00...0x1FFF:
                    hasOther = true
                case _: break
                }
            }
            return hasLatin && hasOther
        }
    }
}

/// Labels of internationalised domain names, decoded for comparing. RFC 3492.
enum Punycode {
    /// The label as it is shown; a label that does not decode stays as it is.
    static func shown(_ label: Substring) -> String {
        guard label.utf8.count > 4, label.utf8.count <= 63, label.lowercased().hasPrefix("xn--") else {
            return String(label)
        }
        return decoded(Array(label.utf8.dropFirst(4))) ?? String(label)
    }

    private static func decoded(_ bytes: [UInt8]) -> String? {
        let dash = bytes.lastIndex(of: ASCII.hyphen)
        var output = (dash.map { bytes[..<$0] } ?? []).compactMap { Unicode.Scalar($0) as Unicode.Scalar? }
        var index = dash.map { $0 + 1 } ?? 0
        var (code, place, bias) = (128, 0, 72)
        while index < bytes.count {
            let old = place
            guard let delta = integer(bytes, &index, bias: bias) else { return nil }
            place += delta
            let count = output.count + 1
            bias = adapted(place - old, count: count, isFirst: old == 0)
            code += place / count
            place %= count
            guard let scalar = UInt32(exactly: code).flatMap(Unicode.Scalar.init) else { return nil }
            output.insert(scalar, at: place)
            place += 1
        }
        return String(String.UnicodeScalarView(output))
    }

    /// A generalised variable-length integer, RFC 3492 §3.3.
    private static func integer(_ bytes: [UInt8], _ index: inout Int, bias: Int) -> Int? {
        var (value, weight, position) = (0, 1, 36)
        while index < bytes.count {
            let byte = bytes[index].lowercasedASCII
            index += 1
            guard byte.isDigit || byte.isLetter else { return nil }
            let digit = byte.isDigit ? Int(byte) - 0x30 + 26 : Int(byte) - 0x61
            value += digit * weight
            guard value < 0x110000 * 64 else { return nil }
            let threshold = min(26, max(1, position - bias))
            if digit < threshold { return value }
            weight *= 36 - threshold
            guard weight < 1 << 40 else { return nil }
            position += 36
        }
        return nil
    }

    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var step = 0
        while delta > 455 {
            delta /= 35
            step += 36
        }
        return step + 36 * delta / (delta + 38)
    }
}
