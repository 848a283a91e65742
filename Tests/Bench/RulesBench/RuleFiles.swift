/// Rule files of any length: by sender alone, as `sorting.py` has them, or as people write them.
enum RuleFiles {
    /// The last ones match, so that every message is held against all of them.
    static func senders(_ count: Int) -> String {
        let real = Corpus.letters + Corpus.robots + ["vendor"]
        let all = (0..<max(0, count - real.count)).map { "nobody-\($0)" } + real
        let rules = all.enumerated().map { number, name in
            let box = real.contains(name) ? name : "vendor"
            return "  - { id: r\(number), when: 'from:@\(name).example', then: { move: Sorted-\(box) } }\n"
        }
        return "rules-version: 1\nrules:\n" + rules.joined()
    }

    /// Senders, and for every ten rules one each by subject, list, attachment, age, pattern and header.
    static func mixed(_ count: Int) -> String {
        let real = Corpus.letters + Corpus.robots + ["vendor"]
        var rules = "rules-version: 1\nprotect:\n  - flagged: is:flagged or has:open-task\nrules:\n"
        for number in 0..<count {
            let condition =
                switch number % 10 {
                case 4: "subject:\"nowhere \(number)\""
                case 5: "list-id:*list-\(number).example*"
                case 6: "has:pdf size>\(number + 20)M"
                case 7: "age>\(300 + number)d is:unread"
                case 8: "subject:/INV-\(number)-(?P<number>\\d+)/"
                case 9: "header:x-project:alpha-\(number)"
                case _:
                    "from:@\(number < count - real.count ? "nobody-\(number)" : real[count - 1 - number]).example"
                }
            rules += "  - { id: r\(number), when: '\(condition)', then: { label: l\(number) } }\n"
        }
        return rules
    }

    /// Two hundred patterns that take other engines minutes (as in HostilePatternTests).
    static let hostile: [String] = {
        let cores = ["a", "ab", "[a-z]", "\\w", ".", "(a|ab)", "(a|a)", "a?", "(?:a|b)*", "\\pL"]
        let shapes = [
            "(@+)+$", "(@*)*b", "(@|@@)+c", "@{1,50}@{1,50}x", "(@+)*(@+)*y", "^(@+)+z$", ".*@.*@.*@.*q",
            "(@?){30}@{30}w", "(?i)(@+)+!", "@*@*@*@*@*k", "((@*)*)*#", "(@+|@+)+%", "(?s).*(@+)+=",
            "\\b(@+\\s?)+~", "(?P<g>@+)+\\d", "(@{2,9}){2,9}v", "[^b]*@[^b]*;", "(?:@+,?)+:",
            "(?:(?:@)+)+-", "^(?:.*@){8}u",
        ]
        return shapes.flatMap { shape in
            cores.map { core in
                shape.split(separator: "@", omittingEmptySubsequences: false).joined(separator: core)
            }
        }
    }()
}
