import Models
import Testing

@testable import Pipeline

/// Brakes: a plan that looks like a mistake is applied only when its id is given.
@Suite("Brakes")
struct BrakeTests {
    private func planned(
        _ count: Int, limits: String, _ body: (Session, Plan) throws -> Void
    ) async throws {
        let work = try Workplace()
        try work.write(try work.read("opus.yaml") + "brakes: \(limits)\n", to: "opus.yaml")
        for number in 0..<count { try work.deliver("Invoice \(number)") }
        try await work.with { session in
            _ = try await session.sync.account(AccountID("work"))
            try body(
                session, try session.triage.plan(for: AccountID("work"), rules: try session.rules.library()))
        }
    }

    @Test("a plan that moves more than the limits say needs its id, and names it")
    func held() async throws {
        try await planned(4, limits: "{ share: 50, count: 2 }") { session, plan in
            let problem = try #require(
                try session.brakes.problem(with: plan, said: [], command: "opus triage --yes"))
            #expect(problem.code == "brake" && problem.exit == .someFailed)
            let name = plan.name
            #expect(problem.next.first == "to apply it anyway: opus triage --yes --plan \(name)")
            #expect(plan.warnings.contains { $0.hasSuffix("check the plan before you apply it") })
        }
    }

    @Test("the id of the plan releases it, with or without its prefix and in any case")
    func released() async throws {
        try await planned(4, limits: "{ share: 50, count: 2 }") { session, plan in
            let name = plan.name
            for said in [name, String(name.dropFirst(2)), name.dropFirst(2).uppercased()] {
                let problem = try session.brakes.problem(with: plan, said: [said], command: "opus triage")
                #expect(problem == nil)
            }
        }
    }

    @Test("the id of another plan is refused: something changed since it was shown")
    func other() async throws {
        try await planned(1, limits: "{ share: 50, count: 2 }") { session, plan in
            let refusal = TriageTests.refusal {
                try session.brakes.problem(with: plan, said: ["p:000000"], command: "opus triage")
            }
            #expect(refusal == "other-plan 3")
        }
    }

    @Test("a plan within the limits needs nothing")
    func within() async throws {
        try await planned(2, limits: "{ share: 50, count: 2 }") { session, plan in
            let problem = try session.brakes.problem(with: plan, said: [], command: "opus triage")
            #expect(problem == nil)
        }
    }
}
