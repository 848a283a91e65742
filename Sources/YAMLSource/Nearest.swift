/// The candidate that a mistyped word most probably means, for "did you mean".
///
/// Counts insertions, deletions, replacements and swaps of neighbours (optimal string alignment). A word of three
/// letters may have one difference, longer words one for each three letters. Otherwise the only candidate that begins
/// with the word.
public func nearest(to word: String, among candidates: [String]) -> String? {
    nearest(to: word, among: candidates) { _ in true }
}

/// The same among the candidates that are possible. `isPossible` is called only for similar candidates, the most similar
/// first.
public func nearest(
    to word: String, among candidates: [String], where isPossible: (String) throws -> Bool
) rethrows -> String? {
    let typed = Array(word.lowercased().prefix(64))
    guard !typed.isEmpty else { return nil }
    let allowed = max(1, typed.count / 3)
    var similar: [[String]] = Array(repeating: [], count: allowed + 1)
    for candidate in candidates {
        let letters = Array(candidate.lowercased().prefix(64))
        guard abs(letters.count - typed.count) <= allowed else { continue }
        let distance = editDistance(typed, letters)
        if distance <= allowed { similar[distance].append(candidate) }
    }
    if let best = try similar.joined().first(where: isPossible) { return best }
    guard typed.count >= 3 else { return nil }
    let longer = try candidates.filter { try $0.lowercased().hasPrefix(String(typed)) && isPossible($0) }
    return longer.count == 1 ? longer.first : nil
}

private func editDistance(_ a: [Character], _ b: [Character]) -> Int {
    var beforeLast = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for (i, letter) in a.enumerated() {
        var row = [i + 1]
        row.reserveCapacity(b.count + 1)
        for (j, other) in b.enumerated() {
            var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (letter == other ? 0 : 1))
            if i > 0, j > 0, letter == b[j - 1], a[i - 1] == other { cost = min(cost, beforeLast[j - 1] + 1) }
            row.append(cost)
        }
        (beforeLast, last) = (last, row)
    }
    return last[b.count]
}
