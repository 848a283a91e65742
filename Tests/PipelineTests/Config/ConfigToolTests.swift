import Accounts
import Foundation
import Models
import Testing

@testable import Pipeline

/// `opus config`: values with their place, and changes that keep the rest of the file.
@Suite("The settings")
struct ConfigToolTests {
    private func tool(_ work: Workplace) throws -> ConfigTool { try ConfigTool(work.options()) }

    private func refusal(_ body: () throws -> Void) -> String {
        do { try body() } catch let problem as Problem { return problem.code } catch let failure
            as DiagnosticFailure
        {
            return failure.diagnostics.map(\.code).joined(separator: " ")
        } catch { return "\(error)" }
        return "none"
    }

    @Test("a value of the file has its line, and a default has none")
    func values() throws {
        let tool = try tool(try Workplace())
        let zone = try tool.value(of: "time-zone")
        #expect(zone.value == "Europe/Paris" && zone.line == 3)
        let address = try tool.value(of: "accounts.work.address")
        #expect(address.value == "ana@acme.example" && address.line == 6)
        let count = try tool.value(of: "brakes.count")
        #expect(count.line == nil && Int(count.value) != nil)
        #expect(tool.accountCount == 1 && tool.findings.isEmpty)
    }

    @Test("all settings are listed once, with the defaults that depend on others")
    func settings() throws {
        let work = try Workplace()
        let settings = try tool(work).settings()
        #expect(Set(settings.map(\.key)).count == settings.count)
        let byKey = Dictionary(uniqueKeysWithValues: settings.map { ($0.key, $0) })
        #expect(byKey["time-zone"]?.line == 3)
        #expect(byKey["tasks.path"]?.value == work.root + "/tasks" && byKey["tasks.path"]?.line == nil)
        #expect(byKey["brakes.trash"]?.value == byKey["brakes.count"]?.value)
        // A section that is only listed if it is in the file.
        #expect(!settings.contains { $0.key.hasPrefix("accounts.work.imap") })
    }

    @Test("a changed value is on its line, and every other byte stays")
    func set() throws {
        let work = try Workplace()
        let before = try work.read("opus.yaml").replacing(
            "time-zone: Europe/Paris", with: "# where I live\ntime-zone:   Europe/Paris   # for now")
        try work.write(before, to: "opus.yaml")
        let setting = try tool(work).set("time-zone", to: "Asia/Tokyo")
        #expect(setting.line == 4 && setting.value == "Asia/Tokyo")
        let after = try work.read("opus.yaml")
        #expect(after == before.replacing("Europe/Paris", with: "Asia/Tokyo"))
        #expect(try tool(work).value(of: "time-zone").value == "Asia/Tokyo")
    }

    @Test("a new value gets a line of its own, and can be removed again")
    func setAndUnset() throws {
        let work = try Workplace()
        let before = try work.read("opus.yaml")
        _ = try tool(work).set("searches.boss", to: "from:boss@acme.example")
        let added = try tool(work).value(of: "searches.boss")
        #expect(added.value == "from:boss@acme.example" && added.line != nil)
        try tool(work).unset(["searches", "boss"])
        #expect(try work.read("opus.yaml") == before)
    }

    @Test(
        "a change that would break the file is refused, and nothing is written",
        arguments: [
            ("time-zone", "Mars/Base"), ("brakes.count", "many"), ("nonsense", "1"), ("brakes.nonsense", "1"),
            ("accounts.home.address", "a@b.example"), ("time-zone", "Asia/Tokyo\nme: x"),
        ])
    func refused(_ key: String, _ value: String) throws {
        let work = try Workplace()
        let before = try work.read("opus.yaml")
        #expect(refusal { _ = try tool(work).set(key, to: value) } != "none")
        #expect(try work.read("opus.yaml") == before)
    }

    @Test("an unknown key gets a suggestion, and an unset one the command that sets it")
    func unknown() throws {
        let work = try Workplace()
        do {
            _ = try tool(work).value(of: "time-zne")
            Issue.record("it has a value")
        } catch let problem as Problem {
            #expect(problem.code == "unknown-key" && problem.next == ["did you mean 'time-zone'?"])
        }
        #expect(refusal { _ = try tool(work).value(of: "searches.none") } == "not-set")
    }

    @Test("a file with errors can be read and repaired, but not listed")
    func broken() throws {
        let work = try Workplace()
        try work.configure("nonsense: 1")
        let tool = try tool(work)
        #expect(tool.accountCount == nil && !tool.findings.isEmpty)
        #expect(refusal { _ = try tool.settings() } != "none")
        #expect(try tool.value(of: "time-zone").value == "Europe/Paris")
        // The old error does not prevent a change elsewhere.
        _ = try tool.set("time-zone", to: "Asia/Tokyo")
        #expect(try work.read("opus.yaml").contains("nonsense: 1"))
        #expect(!tool.errors(in: "accounts: {").isEmpty)
    }

    @Test("a file that another program changed meanwhile is not overwritten")
    func changed() throws {
        let work = try Workplace()
        let tool = try tool(work)
        try work.configure("# a note")
        #expect(refusal { _ = try tool.set("time-zone", to: "Asia/Tokyo") } == "settings-changed")
        #expect(try work.read("opus.yaml").contains("Europe/Paris"))
    }

    @Test("a missing workspace is reported")
    func missing() throws {
        let work = try Workplace()
        try FileManager.default.removeItem(atPath: work.root + "/opus.yaml")
        #expect(refusal { _ = try tool(work) } == "no-workspace")
    }
}

@Suite("Saved searches")
struct SearchBookTests {
    private func refusal(_ body: () throws -> Void) -> String {
        do { try body() } catch let problem as Problem { return problem.code } catch is DiagnosticFailure {
            return "findings"
        } catch { return "\(error)" }
        return "none"
    }

    @Test("a saved search is listed by its name, replaced, and removed")
    func saved() throws {
        let work = try Workplace()
        func book() throws -> SearchBook { try SearchBook(work.options()) }
        let before = try work.read("opus.yaml")
        try book().save("boss", "from:boss@acme.example")
        try book().save("all-boss", "query:boss or to:boss@acme.example")
        try book().save("boss", "from:chief@acme.example")
        let names = try book().all.map { "\($0.name): \($0.query)" }
        #expect(names == ["all-boss: query:boss or to:boss@acme.example", "boss: from:chief@acme.example"])
        try book().remove("all-boss")
        try book().remove("boss")
        #expect(try work.read("opus.yaml") == before)
    }

    @Test("a name or a query that cannot be used is refused, and nothing is saved")
    func refused() throws {
        let work = try Workplace()
        let before = try work.read("opus.yaml")
        let book = try SearchBook(work.options())
        #expect(refusal { try book.save("a b", "from:x") } == "bad-search-name")
        #expect(refusal { try book.save("a", "") } == "no-query")
        #expect(refusal { try book.save("a", "form:x") } == "findings")
        #expect(refusal { try book.save("loop", "query:loop") } == "findings")
        #expect(refusal { try book.remove("none") } == "no-such-search")
        #expect(try work.read("opus.yaml") == before)
    }
}
