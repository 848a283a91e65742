import Models
import Testing

@testable import RuleImport

/// Nothing goes to the trash that a filter above would have saved, when that one cannot be translated.
@Suite struct SavedMailTests {
    private static func subject(_ words: String) -> (inout MessageFacts) -> Void { { $0.subject = words } }

    @Test(
        "a translated script deletes no more mail than the original",
        arguments: [
            // A variable changes under a condition that cannot be asked.
            #"""
            set "spam" "N"; if spamtest :value "ge" "5" { set "spam" "Y"; }
            if string :is "${spam}" "N" { discard; }
            """#,
            #"if duplicate :handle "h" { stop; } discard; stop;"#,
            #"if duplicate :handle "h" { return; } discard; stop;"#,
            #"if duplicate :handle "h" { keep; stop; } if header :contains "subject" "sale" { discard; stop; }"#,
            #"if duplicate :handle "h" { fileinto "A"; } if header :contains "subject" "sale" { discard; }"#,
            #"if duplicate :handle "h" { if header :contains "subject" "sale" { stop; } } discard; stop;"#,
            #"if duplicate :handle "h" { redirect "bob@x.org"; } if header :contains "subject" "sale" { discard; }"#,
            #"if header :contains "subject" "sale" { redirect "bob@x.org"; discard; stop; }"#,
            #"if header :contains "subject" "sale" { reject "no"; } discard;"#,
            #"if header :matches "subject" "*sale*" { fileinto "${missing}"; } discard;"#,
            #"if header :regex "subject" "(?<=x)sale" { keep; stop; } discard;"#,
            #"if duplicate :handle "h" { keep; stop; } if true { discard; } else { keep; }"#,
            #"include :global "other"; discard;"#,
            #"if header :contains "subject" "sale" { include "keepthem"; } discard;"#,
            #"foreverypart { if header :mime :contenttype "content-type" "application/pdf" { stop; } } discard;"#,
            #"addheader "X-Seen" "1"; if not exists "x-seen" { discard; }"#,
            #"if duplicate :handle "h" { include "other"; } discard;"#,
            // A mail without a sender; the one here has no name either.
            #"if address :is "from" "" { discard; }"#,
        ])
    func sieve(script: String) throws {
        let imported = try Imported(script, .sieve)
        #expect(!imported.outcome(Self.subject("A sale")).contains("trash"), "\(imported.body)")
        let nameless = imported.outcome {
            $0.subject = "A sale"
            $0.from = [EmailAddress(localPart: "bob", domain: "x.org")]
        }
        #expect(!nameless.contains("trash"), "\(imported.body)")
        #expect(!imported.dropped.isEmpty)
    }

    @Test(
        "a translated script moves no mail that the original refuses, or leaves where a known condition holds",
        arguments: [
            #"if header :contains "subject" "sale" { reject "no"; } fileinto "A";"#,
            #"if header :contains "subject" "sale" { include "other"; } if true { fileinto "A"; }"#,
            #"if allof (header :contains "subject" "sale", duplicate :handle "h") { stop; } fileinto "A";"#,
            #"if allof (header :contains "subject" "sale", duplicate :handle "h") { ereject "no"; } fileinto "A";"#,
        ])
    func ended(script: String) throws {
        let imported = try Imported(script, .sieve)
        #expect(imported.outcome(Self.subject("A sale")) == [], "\(imported.body)")
        #expect(imported.outcome(Self.subject("other")) == ["move A"], "\(imported.body)")
        #expect(imported.changed.contains { $0.hasPrefix("leaves alone what untranslated commands above") })
    }

    @Test(
        "a command of unknown effect is reported, and the rules below it stay",
        arguments: [
            #"include :global "other"; fileinto "A";"#,
            #"addheader "X-Seen" "1"; fileinto "A";"#,
            #"foreverypart { if header :mime :contenttype "content-type" "application/pdf" { stop; } } fileinto "A";"#,
        ])
    func unknownEffect(script: String) throws {
        let imported = try Imported(script, .sieve)
        #expect(imported.outcome(Self.subject("A sale")) == ["move A"], "\(imported.body)")
        #expect(imported.dropped.contains { $0.contains("below") }, "\(imported.dropped)")
    }

    @Test(
        "a move into the trash is a deletion",
        arguments: [
            #"include :global "other"; fileinto "Trash";"#,
            #"if duplicate :handle "h" { keep; stop; } fileinto "INBOX.Trash";"#,
            #"if header :contains "subject" "sale" { fileinto "Deleted Items"; } fileinto "${missing}";"#,
        ])
    func trashMailbox(script: String) throws {
        let imported = try Imported(script, .sieve)
        #expect(imported.outcome(Self.subject("A sale")) == [], "\(imported.body)")
        #expect(!imported.dropped.isEmpty)
    }

    @Test("mail that untranslated commands cannot save is deleted as before")
    func surely() throws {
        let imported = try Imported(
            #"""
            if allof (header :contains "from" "bob", duplicate :handle "h") { stop; }
            if header :contains "subject" "sale" { discard; stop; }
            """#, .sieve)
        #expect(imported.outcome(Self.subject("A sale")) == ["trash"], "\(imported.body)")
        #expect(imported.changed.contains { $0.hasPrefix("leaves alone what untranslated commands above") })
        let fromBob = imported.outcome {
            $0.subject = "A sale"
            $0.from = [EmailAddress(localPart: "bob", domain: "x.org")]
        }
        #expect(fromBob == [])
    }

    @Test("a variable has the value at its place in the script")
    func order() throws {
        let imported = try Imported(
            #"""
            set "x" "A";
            if header :contains "subject" "a" { addflag "one"; }
            addflag "${x}"; set "x" "B"; fileinto "${x}";
            """#, .sieve)
        #expect(imported.outcome(Self.subject("none")) == ["label A", "move B"], "\(imported.body)")
    }

    private static func filter(_ name: String, _ lines: String, _ condition: String) -> String {
        "name=\"\(name)\"\nenabled=\"yes\"\ntype=\"17\"\n\(lines)\ncondition=\"\(condition)\"\n"
    }

    @Test(
        "translated Thunderbird filters delete no more mail than the originals",
        arguments: [
            ("action=\"Stop execution\"", "AND (subject,contains,sale)"),
            ("action=\"Stop execution\"", "AND (from,is in ab,jsaddrbook://abook.sqlite)"),
            ("action=\"JunkScore\"\nactionValue=\"0\"\naction=\"Stop execution\"", "AND (priority,is,High)"),
            ("action=\"Move to folder\"\nactionValue=\"imap://\"", "AND (subject,contains,sale)"),
            ("action=\"Move to folder\"\nactionValue=\"imap://a@x.org/A\"", "AND (junk status,isn't,2)"),
        ])
    func thunderbird(lines: String, condition: String) throws {
        let imported = try Imported(
            Self.filter("Wanted", lines, condition) + Self.filter("Rest", "action=\"Delete\"", "ALL"),
            .thunderbird)
        #expect(!imported.outcome(Self.subject("A sale")).contains("trash"), "\(imported.body)")
    }

    @Test("a disabled filter saves nothing")
    func switchedOff() throws {
        let off = Self.filter("Off", "action=\"Stop execution\"", "AND (from,is in ab,x)")
            .replacing("\"yes\"", with: "\"no\"")
        let imported = try Imported(off + Self.filter("Rest", "action=\"Delete\"", "ALL"), .thunderbird)
        #expect(imported.outcome(Self.subject("A sale")) == ["trash"])
    }
}
