import Models
import Rules
import Testing

@testable import RuleImport

/// Parts of addresses, fields that opus reads only as text, and what a body is.
@Suite struct SieveAddressTests {
    private func takes(_ imported: Imported, to address: String) throws -> Bool {
        let address = try #require(EmailAddress(address))
        return imported.outcome { $0.to = [address] } == ["move A"]
    }

    private func rule(_ test: String) throws -> Imported {
        try Imported("if \(test) { fileinto \"A\"; }", .sieve)
    }

    @Test(
        "the user part of an address ends at the first plus, and the detail begins there",
        arguments: [
            (
                #":user "to" "ana""#, ["ana@x.org", "ana+lists@x.org", "ANA+a+b@x.org"],
                ["anab@x.org", "b+ana@x.org"]
            ),
            (
                #":user :contains "to" "lists""#, ["mylists@x.org", "lists2+ana@x.org"],
                ["ana+lists@x.org", "ana@lists.org"]
            ),
            (#":user :matches "to" "*s""#, ["lists@x.org", "s+ana@x.org"], ["ana+lists@x.org"]),
            (#":user :matches "to" "a?a""#, ["ana@x.org", "ana+b@x.org"], ["a+a@x.org"]),
            (
                #":detail "to" "lists""#, ["ana+lists@x.org"],
                ["ana+a+lists@x.org", "lists@x.org", "ana@x.org"]
            ),
            (#":detail "to" "a+lists""#, ["ana+a+lists@x.org"], ["ana+lists@x.org"]),
            (
                #":detail :contains "to" "an""#, ["bob+man@x.org", "bob+a+an@x.org"],
                ["ana+b@x.org", "b+b@an.org"]
            ),
            (#":detail :matches "to" "*""#, ["ana+b@x.org", "ana+@x.org"], ["ana@x.org"]),
            (#":detail "to" """#, ["ana+@x.org"], ["ana+b@x.org", "ana@x.org"]),
            (#":localpart "to" "ana+lists""#, ["ana+lists@x.org"], ["ana@x.org"]),
            (#":user :comparator "i;octet" "to" "Ana""#, ["Ana@x.org", "Ana+b@x.org"], ["ana@x.org"]),
        ])
    func parts(_ test: String, _ taken: [String], _ left: [String]) throws {
        let imported = try rule("address " + test)
        #expect(imported.dropped.isEmpty && imported.changed.isEmpty)
        #expect(imported.result.testCount == 2)
        for address in taken { #expect(try takes(imported, to: address), "\(address)") }
        for address in left { #expect(try !takes(imported, to: address), "\(address)") }
    }

    @Test("a user part with a plus never matches")
    func plus() throws {
        let imported = try rule(#"address :user "to" "ana+lists""#)
        #expect(imported.result.ruleCount == 0)
        #expect(imported.dropped == ["its condition cannot be translated, or never holds"])
    }

    @Test(
        "addresses in other fields are found in their text",
        arguments: [
            (
                #"address "resent-from" "ana@x.org""#, "Resent-From",
                ["ana@x.org", "Ana <ANA@x.org>", "bob@x.org, Ana <ana@x.org>", "bob@x.org,ana@x.org (Ana)"],
                [
                    "mana@x.org", "ana@x.org.example", "\"ana@x.org\" <bob@x.org>",
                    "\"x, ana@x.org, x\" <bob@x.org>",
                ]
            ),
            (
                #"address :domain :matches "resent-to" "*.x.org""#, "Resent-To",
                ["a@b.x.org", "A <a@c.b.x.org>"], ["a@x.org", "a@b.x.org.example"]
            ),
            (#"address :localpart :contains "resent-cc" "na""#, "Resent-Cc", ["ana+b@x.org"], ["bob@na.org"]),
            (
                #"address :user "delivered-to" "ana""#, "Delivered-To", ["ana+lists@x.org", "<ana@x.org>"],
                ["b+ana@x.org"]
            ),
            (
                #"address :detail "x-original-to" "b""#, "X-Original-To", ["ana+b@x.org"],
                ["b@x.org", "ana+a+b@x.org"]
            ),
            (#"address :contains "x-original-to" "a@x""#, "X-Original-To", ["ana@x.org"], ["ana@y.org"]),
            (
                #"address :comparator "i;octet" "delivered-to" "Ana@x.org""#, "Delivered-To", ["Ana@x.org"],
                ["ana@x.org"]
            ),
            (#"envelope "from" "ana@x.org""#, "Return-Path", ["<ana@x.org>", "ana@x.org"], ["<mana@x.org>"]),
            (#"envelope :localpart "to" "ana""#, "Delivered-To", ["ana@x.org"], ["mana@x.org"]),
            (
                #"envelope :comparator "i;octet" :domain "from" "x.org""#, "Return-Path", ["<a@x.org>"],
                ["<a@X.org>"]
            ),
        ])
    func fields(_ test: String, _ field: String, _ taken: [String], _ left: [String]) throws {
        let imported = try rule(test)
        #expect(imported.dropped.isEmpty)
        #expect(imported.result.testCount == 2)
        let says = imported.changed.contains { $0.hasPrefix("finds the addresses in the text of the field") }
        #expect(says == field.hasPrefix("Resent"))
        for (text, isTaken) in taken.map({ ($0, true) }) + left.map({ ($0, false) }) {
            let outcome = imported.outcome { $0.headers = [HeaderField(name: field, body: text)] }
            #expect(outcome == (isTaken ? ["move A"] : []), "\(text)")
        }
    }

    @Test(
        ":index selects a field by its position, from the first or with :last from the last",
        arguments: [
            (#"header :index 1 :contains "x-tag" "one""#, [["one", "two"]], [["two", "one"]]),
            (#"header :index 2 "x-tag" "one""#, [["two", "one"]], [["one"], ["one", "two"], []]),
            (#"header :index 1 :last "x-tag" "one""#, [["two", "one"], ["one"]], [["one", "two"]]),
            (
                #"header :last :index 2 :matches "x-tag" "o*""#, [["one", "two"], ["x", "one", "two"]],
                [["one"], ["two", "one"]]
            ),
            (#"not header :index 1 "x-tag" "one""#, [["two", "one"], []], [["one", "two"]]),
        ])
    func index(_ test: String, _ taken: [[String]], _ left: [[String]]) throws {
        let imported = try rule(test)
        #expect(imported.dropped.isEmpty && imported.changed.isEmpty)
        for (bodies, isTaken) in taken.map({ ($0, true) }) + left.map({ ($0, false) }) {
            let outcome = imported.outcome { facts in
                facts.headers = bodies.map { HeaderField(name: "X-Tag", body: $0) }
            }
            #expect(outcome == (isTaken ? ["move A"] : []), "\(bodies)")
        }
    }

    @Test(":index selects an address field, and From has only one")
    func addressIndex() throws {
        #expect(try rule(#"address :index 1 "from" "ana@x.org""#).body.contains("from: 'ana@x.org'"))
        let second = try rule(#"address :index 2 :domain "resent-to" "x.org""#)
        for (bodies, isTaken) in [(["b@y.org", "A <ana@x.org>"], true), (["ana@x.org", "b@y.org"], false)] {
            let outcome = second.outcome { facts in
                facts.headers = bodies.map { HeaderField(name: "Resent-To", body: $0) }
            }
            #expect(outcome == (isTaken ? ["move A"] : []), "\(bodies)")
        }
    }

    @Test("a condition on an address in a header compares addresses, and this is reported")
    func spoofed() throws {
        let imported = try rule(#"header :contains "from" "boss@x.org""#)
        #expect(
            imported.changed == [
                "compares the addresses, and not the names beside them, which a sender chooses"
            ])
        for (from, isTaken) in [
            (EmailAddress(displayName: "boss@x.org", localPart: "x", domain: "evil.example"), false),
            (EmailAddress(displayName: "", localPart: "boss", domain: "x.org"), true),
        ] {
            #expect(imported.outcome { $0.from = [from] } == (isTaken ? ["move A"] : []))
        }
    }

    @Test("i;octet compares constant texts with case", arguments: [("a", true), ("A", false)])
    func octet(_ text: String, _ holds: Bool) throws {
        let script =
            "set \"x\" \"a\"; if string :comparator \"i;octet\" \"${x}\" \"\(text)\" { fileinto \"A\"; }"
        #expect(try Imported(script, .sieve).result.ruleCount == (holds ? 1 : 0))
    }

    @Test("the case of a domain is ignored, and this is reported")
    func domainCase() throws {
        let imported = try rule(#"address :domain :comparator "i;octet" "to" "X.org""#)
        #expect(imported.changed == ["addresses and domains are compared without regard to case"])
        #expect(try takes(imported, to: "ana@x.org"))
    }

    @Test(
        "the meaning of a body test is reported",
        arguments: [
            (":text ", ""), ("", ""), (":raw ", " and nothing else"),
            (":content \"text\" ", " and nothing else"),
        ])
    func body(_ transform: String, _ words: String) throws {
        let imported = try rule("body \(transform):contains \"x\"")
        #expect(
            imported.changed == [
                "tests the readable text of the message\(words): HTML is read as text, and attached messages and files are not searched"
            ])
    }

    @Test(
        "a comparison that cannot be translated is reported with its reason",
        arguments: [
            (#"address :last "to" "a""#, "':last' needs ':index'"),
            (#"header :index 0 "x-tag" "a""#, "':index' is not translated"),
            (
                #"header :index 1 :count "ge" "x-tag" "1""#,
                "no condition counts the fields at a place"
            ),
            (#"address "x-foo" "a@x.org""#, "'x-foo' is not one of the fields with addresses"),
            (
                #"address :domain :regex "to" "a""#,
                "no condition compares this part of an address in this way"
            ),
            (#"address :value "gt" "to" "a""#, "no condition compares an address in this way"),
            (#"envelope "orcpt" "a""#, "no condition tests 'orcpt' of the envelope"),
        ])
    func reports(_ test: String, _ reason: String) throws {
        let imported = try rule(test)
        #expect(imported.dropped.contains(reason), "\(imported.dropped)")
        #expect(imported.result.ruleCount == 0)
    }

    @Test(
        "the else branch of a date has a test with a fixed time",
        arguments: [
            #"date :value "ge" "date" "date" "2026-01-01""#, #"currentdate :value "ge" "date" "2020-01-01""#,
            #"date "date" "weekday" ["0", "6"]"#, #"date :value "ge" "date" "hour" "08""#,
            #"not date "date" "weekday" ["0", "6"]"#, #"date :value "lt" "date" "hour" "18""#,
        ])
    func elses(_ test: String) throws {
        let imported = try Imported("if \(test) { fileinto \"A\"; } else { fileinto \"B\"; }", .sieve)
        let lines = imported.result.text.split(separator: "\n").map(String.init)
        let start = try #require(lines.firstIndex { $0.contains("name: 'move-to-b takes its mail'") })
        #expect(lines[start + 1] == "    at: 2026-03-20 12:00")
        #expect(lines[start...].contains("    expect: { rule: move-to-b, move: 'B' }"))
    }
}
