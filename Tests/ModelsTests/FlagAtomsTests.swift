import Models
import Testing

@Suite("Flag atoms")
struct FlagAtomsTests {
    @Test("every flag is written as its system flag and read back, in any case")
    func everyFlag() {
        for flag in Flag.allCases {
            let atom = FlagAtoms.atoms([flag])
            #expect(atom == ["\\" + flag.rawValue.prefix(1).uppercased() + flag.rawValue.dropFirst()])
            #expect(FlagAtoms.flags(atom) == [flag])
            #expect(FlagAtoms.flags(atom.map { $0.uppercased() }) == [flag])
        }
    }

    @Test("other words are keywords, and unknown system flags are ignored")
    func words() {
        let atoms = ["\\Recent", "\\Seen", "$Forwarded", "Work", "", "\\", "seen", "\\*"]
        #expect(FlagAtoms.flags(atoms) == [.seen])
        #expect(FlagAtoms.keywords(atoms) == [Keyword("$Forwarded"), Keyword("Work"), Keyword("seen")])
    }

    @Test("flags come before keywords, each sorted by name")
    func order() {
        let atoms = FlagAtoms.atoms([.seen, .answered], [Keyword("b"), Keyword("a")])
        #expect(atoms == ["\\Answered", "\\Seen", "a", "b"])
    }
}
