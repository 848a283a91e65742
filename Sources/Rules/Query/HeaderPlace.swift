/// One field among those of a name: `received#1` is the topmost, `received#-1` the last, RFC 5260 §6.
///
/// A name without a place is every field of that name. `#` is a letter of names too, so only a number after it is a place.
struct HeaderPlace: Equatable {
    let name: String
    /// Never 0; negative: from the end. nil: every field.
    let index: Int?

    private static let mostDigits = 3

    init(_ spelling: String) {
        guard let sign = spelling.lastIndex(of: "#"), sign > spelling.startIndex else {
            (name, index) = (spelling, nil)
            return
        }
        let number = spelling[spelling.index(after: sign)...]
        let digits = number.hasPrefix("-") ? number.dropFirst() : number
        let isNumber =
            (1...Self.mostDigits).contains(digits.utf8.count)
            && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard isNumber, let found = Int(number), found != 0 else {
            (name, index) = (spelling, nil)
            return
        }
        (name, index) = (String(spelling[..<sign]), found)
    }

    /// The fields of that name that are meant.
    func select(_ bodies: [String]) -> [String] {
        guard let index else { return bodies }
        let place = index > 0 ? index - 1 : bodies.count + index
        return bodies.indices.contains(place) ? [bodies[place]] : []
    }

    /// Sieve's arguments: `:index 2 :last `, or nothing.
    var sieve: String {
        guard let index else { return "" }
        return ":index \(abs(index)) " + (index < 0 ? ":last " : "")
    }
}
