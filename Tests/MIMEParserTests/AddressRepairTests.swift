import Models
import Testing

@testable import MIMEParser

/// Address fields as real mail has them: each row is a program that once sent it.
@Suite struct AddressRepairTests {
    static func read(_ input: String) -> [String] {
        AddressList.read(input).map { "\($0.displayName)|\($0.addrSpec)" }
    }

    @Test(
        "the members of a group are read, without the group itself",
        arguments: [
            ("two members", "Team: a@x.org, Bob <b@y.org>;", ["|a@x.org", "Bob|b@y.org"]),
            ("empty", "undisclosed-recipients:;", []),
            ("empty with blanks and a comment", "Undisclosed recipients : (nobody) ;", []),
            ("empty without its end", "undisclosed-recipients:", []),
            ("without its end", "Team: a@x.org, b@y.org", ["|a@x.org", "|b@y.org"]),
            ("a group in a group", "All: Team: a@x.org; , b@y.org;", ["|a@x.org", "|b@y.org"]),
            ("quoted name with a colon", "\"A: the team\": a@x.org;", ["|a@x.org"]),
            ("encoded name", "=?utf-8?q?=C3=89quipe?=: a@x.org;", ["|a@x.org"]),
            ("between addresses", "c@z.org, Team: a@x.org; d@z.org", ["|c@z.org", "|a@x.org", "|d@z.org"]),
            ("empty members", "Team: , a@x.org,, ;", ["|a@x.org"]),
            ("semicolons all over", ";;Team:;;a@x.org;;", ["|a@x.org"]),
            (
                "an unquoted comma in a member", "Team: Doe, John <j@x.org>, b@y.org;",
                ["Doe, John|j@x.org", "|b@y.org"]
            ),
        ])
    func groups(_ name: String, _ input: String, _ expected: [String]) {
        #expect(Self.read(input) == expected, "\(name)")
    }

    @Test(
        "an obsolete route is not part of the address behind it",
        arguments: [
            ("one host", "<@a.b:ana@x.org>", ["|ana@x.org"]),
            ("two hosts", "Ana <@a,@b:ana@x.org>", ["Ana|ana@x.org"]),
            ("an address with colons", "<@a,@b:ana@[IPv6:2001:db8::1]>", ["|ana@[ipv6:2001:db8::1]"]),
            ("a route with colons", "<@[IPv6:2001:db8::2]:ana@x.org>", ["|ana@x.org"]),
            ("a colon in quotes", "<@a.b:\"x:y\"@x.org>", ["|\"x:y\"@x.org"]),
            ("blanks", "< @a.b: ana @ x.org >", ["|ana@x.org"]),
        ])
    func routes(_ name: String, _ input: String, _ expected: [String]) {
        #expect(Self.read(input) == expected, "\(name)")
    }

    @Test(
        "a comment is the name if there is no other, and is never part of an address",
        arguments: [
            ("behind", "a@x.org (Ana Smith)", ["Ana Smith|a@x.org"]),
            ("before", "(Ana Smith) a@x.org", ["Ana Smith|a@x.org"]),
            ("nested", "a@x.org (Ana (the (one)) Smith)", ["Ana (the (one)) Smith|a@x.org"]),
            ("encoded", "a@x.org (=?utf-8?q?Ren=C3=A9?=)", ["René|a@x.org"]),
            ("with an address inside", "a@x.org (was b@y.org, c@z.org)", ["was b@y.org, c@z.org|a@x.org"]),
            ("with a bracket inside", "a@x.org (<b@y.org>)", ["<b@y.org>|a@x.org"]),
            (
                "between the parts of an address", "ana(the local part)@(the host)x.org",
                ["the host|ana@x.org"]
            ),
            ("inside brackets", "Ana <ana(c)@x.org(d)>", ["Ana|ana@x.org"]),
            ("inside brackets behind a route", "Ana <@a.b:ana(c)@x.org>", ["Ana|ana@x.org"]),
            ("beside a name", "Ana (work) <a@x.org>", ["Ana|a@x.org"]),
            ("between bracket and comma", "Ana <a@x.org> (work), b@y.org", ["Ana|a@x.org", "|b@y.org"]),
            ("without its end", "a@x.org (Ana Smith", ["Ana Smith|a@x.org"]),
            ("without its end, others behind", "(Ana <a@x.org>, b@y.org", ["Ana|a@x.org", "|b@y.org"]),
            ("of an address without a host", "MAILER-DAEMON (Mail System)", ["Mail System|MAILER-DAEMON"]),
            ("an escaped parenthesis", #"a@x.org (Ana \) Smith)"#, [#"Ana \) Smith|a@x.org"#]),
        ])
    func comments(_ name: String, _ input: String, _ expected: [String]) {
        #expect(Self.read(input) == expected, "\(name)")
    }

    @Test(
        "the local part and the host are returned as on the wire",
        arguments: [
            ("quoted local part", "\"a b\"@x.org", ["|\"a b\"@x.org"]),
            ("@ in a quoted local part", "<\"a@b\"@x.org>", ["|\"a@b\"@x.org"]),
            ("bracket in a quoted local part", "<\"a>b\"@x.org>", ["|\"a>b\"@x.org"]),
            ("needless quotes", "Ana <\"ana.smith\"@x.org>", ["Ana|ana.smith@x.org"]),
            ("quotes needed for a dot", "<\"ana.\"@x.org>", ["|\"ana.\"@x.org"]),
            ("quoted in its middle", "a.\"b c\".d@x.org", ["|a.\"b c\".d@x.org"]),
            ("domain literal", "a@[192.0.2.1]", ["|a@[192.0.2.1]"]),
            ("IPv6 literal", "Ana <a@[IPv6:2001:db8::1]>", ["Ana|a@[ipv6:2001:db8::1]"]),
            ("international domain", "a@bücher.example", ["|a@bücher.example"]),
            ("the same in ASCII", "a@XN--bcher-KVA.example", ["|a@xn--bcher-kva.example"]),
            ("international local part", "Ренé <рене@пример.рф>", ["Ренé|рене@пример.рф"]),
            ("dot at the end of the host", "a@x.org.", ["|a@x.org"]),
            ("dots at the end, in brackets", "Ana <a@x.org..>", ["Ana|a@x.org"]),
            ("blanks round @", "ana @ x.org", ["|ana@x.org"]),
            ("blank before @", "ana @x.org, bob@y.org", ["|ana@x.org", "|bob@y.org"]),
            ("blank behind @", "Ana <ana@ x.org>", ["Ana|ana@x.org"]),
            ("blanks round dots", "ana . smith @ x . org", ["|ana.smith@x.org"]),
            ("blanks round dots in brackets", "Ana < ana . smith @ x . org >", ["Ana|ana.smith@x.org"]),
            ("host cut at its dot", "ana@x. org", ["|ana@x.org"]),
            ("a sentence goes on behind the dot", "ana@x.org. Thanks", ["Thanks|ana@x.org"]),
            ("an initial is no part of the address", "John A. ana@x.org", ["John A.|ana@x.org"]),
            ("plus and slash", "a+b/c=d@x.org", ["|a+b/c=d@x.org"]),
            ("two @", "a@b@x.org", ["|a@b@x.org"]),
            ("the domain in capitals", "<Ana@X.ORG>", ["|Ana@x.org"]),
        ])
    func parts(_ name: String, _ input: String, _ expected: [String]) {
        #expect(Self.read(input) == expected, "\(name)")
    }

    @Test(
        "missing and extra brackets, commas and quotes are tolerated",
        arguments: [
            ("no brackets", "John Doe j@x.org", ["John Doe|j@x.org"]),
            ("no brackets, name behind", "j@x.org John Doe", ["John Doe|j@x.org"]),
            ("no opening bracket", "John Doe j@x.org>", ["John Doe|j@x.org"]),
            ("no closing bracket", "John <j@x.org, Ann <a@y.org>", ["John|j@x.org", "Ann|a@y.org"]),
            ("no closing bracket, no comma", "John <j@x.org <a@y.org>", ["John|j@x.org", "|a@y.org"]),
            ("doubled brackets", "John <<j@x.org>>", ["John|j@x.org"]),
            ("a pair of pairs", "John <j@x.org> <j@y.org>", ["John|j@x.org", "|j@y.org"]),
            ("no comma between addresses", "A <a@x.org> B <b@y.org>", ["A|a@x.org", "B|b@y.org"]),
            ("blanks between addresses", "a@x.org b@y.org", ["|a@x.org", "|b@y.org"]),
            ("folds between addresses", "a@x.org\r\n b@y.org", ["|a@x.org", "|b@y.org"]),
            ("brackets without an address before", "Ana <work> <a@x.org>", ["Ana work|a@x.org"]),
            ("the name inside the brackets", "<John Doe j@x.org>", ["John Doe|j@x.org"]),
            ("comma in the name", "Doe, John <j@x.org>", ["Doe, John|j@x.org"]),
            ("commas in the name", "Doe, John, Dr. <j@x.org>", ["Doe, John, Dr.|j@x.org"]),
            ("comma in the name, no brackets", "Doe, John j@x.org", ["Doe, John|j@x.org"]),
            (
                "commas in names of several", "Doe, John <j@x.org>, Smith, Ann <a@y.org>",
                ["Doe, John|j@x.org", "Smith, Ann|a@y.org"]
            ),
            ("a local name before an address", "root, a@x.org", ["|root", "|a@x.org"]),
            ("a local name before a cut address", "root, a @ x.org", ["|root", "|a@x.org"]),
            ("semicolons as some write them", "A <a@x.org>; B <b@y.org>;", ["A|a@x.org", "B|b@y.org"]),
            ("unquoted @ in a name", "Ana @ Work <a@x.org>", ["Ana @ Work|a@x.org"]),
            ("an address as the name", "a@x.org <b@y.org>", ["a@x.org|b@y.org"]),
            ("an address in quotes as the name", "\"a@x.org\" <b@y.org>", ["a@x.org|b@y.org"]),
            ("the whole address in quotes", "\"a@x.org\"", ["|a@x.org"]),
            ("the whole address in apostrophes", "'a@x.org'", ["|a@x.org"]),
            ("a name glued to its address", "\"Ana Smith\"a@x.org", ["Ana Smith|a@x.org"]),
            ("a name glued to its bracket", "\"Ana Smith\"<a@x.org>", ["Ana Smith|a@x.org"]),
            ("a quote too many", "Ana\" <a@x.org>", ["Ana\"|a@x.org"]),
            ("a quote that never ends", "\"Ana <a@x.org>, b@y.org", ["Ana|a@x.org", "|b@y.org"]),
            ("a word in quotes inside the name", "Ana \"Ace\" Smith <a@x.org>", ["Ana Ace Smith|a@x.org"]),
            ("route", "<@a.org,@b.org:c@d.org>", ["|c@d.org"]),
            ("route with a name", "Ana <@a.org:c@d.org>", ["Ana|c@d.org"]),
            ("mailto", "<mailto:a@x.org>", ["|a@x.org"]),
            ("mailto in capitals, with a question", "Ana <MAILTO:a@x.org?subject=hi>", ["Ana|a@x.org"]),
            ("mailto without brackets", "mailto:a@x.org", ["|a@x.org"]),
            ("a link pasted", "a@x.org<mailto:a@x.org>", ["a@x.org|a@x.org"]),
            ("empty brackets", "<>", []),
            ("empty brackets behind a name that is none", "=?utf-8?q??= <>, =?utf-8?q??= <", []),
            ("empty brackets behind a name", "Ana <>", ["Ana|"]),
            ("empty brackets behind an address", "a@x.org <>", ["|a@x.org"]),
            ("a daemon", "MAILER-DAEMON", ["|MAILER-DAEMON"]),
            (
                "a daemon in brackets", "Mail Delivery System <MAILER-DAEMON>",
                ["Mail Delivery System|MAILER-DAEMON"]
            ),
            ("a name alone", "John Doe", ["John Doe|"]),
            ("a handle", "@ana", ["@ana|"]),
            ("nothing but an @", "@:", []), ("nothing but an @ in brackets", "<@>", []),
            ("only separators", ", ; ,, > ,", []),
            ("no host", "ana@", ["|ana"]),
        ])
    func repairs(_ name: String, _ input: String, _ expected: [String]) {
        #expect(Self.read(input) == expected, "\(name)")
    }

    @Test(
        "names are decoded after the addresses are found, so a name never becomes an address",
        arguments: [
            ("encoded", "=?utf-8?q?Ren=C3=A9_D?= <r@x.org>", ["René D|r@x.org"]),
            ("encoded in quotes", "\"=?utf-8?q?Ren=C3=A9?= D\" <r@x.org>", ["René D|r@x.org"]),
            ("half encoded", "Dr. =?utf-8?q?Ren=C3=A9?= <r@x.org>", ["Dr. René|r@x.org"]),
            (
                "a character split over two words", "=?utf-8?b?UmVuww==?= =?utf-8?b?qQ==?= <r@x.org>",
                ["René|r@x.org"]
            ),
            ("a comma in the clear", "=?utf-8?Q?Doe,_John?= <j@x.org>", ["Doe, John|j@x.org"]),
            ("a comma and a blank in the clear", "=?utf-8?Q?Doe, John?= <j@x.org>", ["Doe, John|j@x.org"]),
            ("an @ in the clear", "=?utf-8?Q?ana@y.org?= <j@x.org>", ["ana@y.org|j@x.org"]),
            ("quotes in the clear", "=?utf-8?Q?\"Ana\"?= <j@x.org>", ["\"Ana\"|j@x.org"]),
            (
                "an encoded bracket and comma", "=?utf-8?q?evil=40x=2Eorg=3E=2C_other?= <r@x.org>",
                ["evil@x.org>, other|r@x.org"]
            ),
            (
                "the whole `name <address>`", "=?utf-8?q?Ana_=3Ca=40x=2Eorg=3E?=",
                ["Ana <a@x.org>|"]
            ),
            (
                "the whole in base64, another behind", "=?utf-8?b?QW5hIDxhQHgub3JnPg==?=, b@y.org",
                ["Ana <a@x.org>|", "|b@y.org"]
            ),
            ("an encoded address", "=?utf-8?q?a=40x=2Eorg?=", ["a@x.org|"]),
            ("an encoded line break", "=?utf-8?q?a=0D=0ABcc:_e=40x?= <r@x.org>", ["a Bcc: e@x|r@x.org"]),
            ("right-to-left override stays text", "\u{202E}Ana <a@x.org>", ["\u{202E}Ana|a@x.org"]),
            ("a blank of no width stays text", "A\u{200B}na <a@x.org>", ["A\u{200B}na|a@x.org"]),
            ("nor does it leave an address", "a\u{200B}b@x.org", ["|a\u{200B}b@x.org"]),
            ("a no-break space", "Ana\u{A0}Smith <a@x.org>", ["Ana\u{A0}Smith|a@x.org"]),
            ("unknown charset", "=?x-klingon?q?abc?= <a@x.org>", ["=?x-klingon?q?abc?=|a@x.org"]),
        ])
    func names(_ name: String, _ input: String, _ expected: [String]) {
        #expect(Self.read(input) == expected, "\(name)")
    }

    @Test("spellings of one mailbox have one comparable form; an A-label keeps its own")
    func comparable() {
        let spellings = ["Ana <ANA@Bücher.Example>", "ana@bücher.example", "<Ana@BÜCHER.example.>"]
        #expect(Set(spellings.flatMap { AddressList.read($0).map(\.comparable) }) == ["ana@bücher.example"])
        #expect(
            AddressList.read("Ana@XN--BCHER-kva.example").first?.comparable == "ana@xn--bcher-kva.example")
    }

    @Test("a raw ISO-2022-JP name is read")
    func escapes() {
        let found = AddressList.read("\u{1B}$BF|K\\\u{1B}(B <a@x.org>, \u{1B}$BK<K,\u{1B}(B <b@x.org>")
        #expect(found.map(\.displayName) == ["日本", "房訪"])
    }

    @Test("a thousand recipients are read")
    func many() {
        let found = AddressList.read((0..<1_000).map { "N\($0), X <u\($0)@x.org>" }.joined(separator: ", "))
        #expect(found.count == 1_000)
        #expect(found.last?.displayName == "N999, X")
    }

    @Test(
        "hostile lists take linear time and never crash",
        arguments: [
            "<", ">", "<a@", "a@b ", "a,", "((", "(\\", "\"", "\"\\", "\"a\",", "=?", "=?utf-8?q?", "=?a?q?,",
            "<@a,", "a<b>", "<a@b>", ":", "a:", ";", "@", ". ", "@ ", "a@b<", "\u{0}", "<\"", "é@é,",
        ])
    func floods(_ piece: String) {
        let input = String(repeating: piece, count: 65_536 / piece.utf8.count)
        let time = ContinuousClock().measure { _ = AddressList.read(input) }
        #expect(time < Bound.time)
    }

    @Test("a list cut at any length does not crash the reader")
    func cuts() {
        let input = Array("T: \"A, \\\" b\" (c (d)) <@r,@s:\"x y\"@[1.2]>, =?utf-8?Q?a, b?= c@d . e;".utf8)
        for low in 0..<input.count {
            for high in low...input.count { _ = AddressList.read(input[low..<high]) }
        }
    }
}
