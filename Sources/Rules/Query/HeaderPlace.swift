/// One of several fields with the same name: `received#1` is the topmost, `received#-1` the last one. RFC
/// 5260 §6.
///
/// A name without an index means all fields with that name. A name may contain `#`, so only a number after it
/// is an index.
struct HeaderPlace: Equatable {
    let name: String
    /// Never 0; negative: counted from the end. nil: all fields.
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

    /// The selected fields with that name.
    func select(_ bodies: [String]) -> [String] {
        guard let index else { return bodies }
        let place = index > 0 ? index - 1 : bodies.count + index
        return bodies.indices.contains(place) ? [bodies[place]] : []
    }

    /// The arguments in Sieve: `:index 2 :last `, or nothing.
    var sieve: String {
        guard let index else { return "" }
        return ":index \(abs(index)) " + (index < 0 ? ":last " : "")
    }
}
