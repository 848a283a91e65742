import Models
import Rules
import Testing

@testable import Planner

/// The replay of the arrivals of one conversation.
@Suite struct ArrivalReplayTests {
    @Test(arguments: [(30, 465), (100, 3_825), (400, 4_800), (3_000, 3_000)])
    func `a long conversation is judged a limited number of times`(_ count: Int, _ judgements: Int) {
        let messages = (1...count).map { Sample.facts(UInt32($0)) }
        let rules = ArrivalReplay.Rules(
            scope: ThreadScope(account: Sample.context.account, todoRules: [:], company: Company()),
            making: TodoMaking(account: Sample.context.account, timeZone: "UTC", now: Sample.now),
            changingFacts: [.thread])
        let members = messages.enumerated().map { index, facts in
            ThreadScope.Member(index: index, facts: facts, judgement: Judgement())
        }
        var replay = ArrivalReplay(rules, members, conversation: messages)
        var judged = 0
        _ = replay.run(
            { _, _ in
                judged += 1
                return Judgement()
            }, isAnswer: { _ in false })
        #expect(judged <= judgements)
    }
}
