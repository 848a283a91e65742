import Accounts
import MailStore
import Models
import Planner
import Rules

/// Plans for mail that is older than the rules.
extension TriagePlanner {
    /// The decisions of rules about old mail in all mailboxes. Sends nothing: replies to old mail are left
    /// out, and delegations are drafts.
    func plan(
        forHistory query: Query, account id: AccountID, rules library: RuleLibrary, limit: Int?,
        sending allowance: inout SendAllowance, isAgain: Bool = false, only rule: String? = nil
    ) throws -> Plan {
        let account = try accounts.require(id)
        let busy = try store.journal.messagesWithOpenSteps(of: account.id)
        var found: [MessageFacts] = []
        try oldMail.each(of: account, matching: query) { messages in
            found += messages.lazy.filter { !busy.contains($0.id) }.map(\.withoutContent)
        }
        var context = try surroundings.surrounded(
            surroundings.ruleContext(for: account, remembering: isAgain ? [] : [.ids(found.map(\.id))]),
            for: found,
            needs: library.rules.needs, account: account, forRules: true)
        if !isAgain {
            try RuleMemory(store: store, loader: loader, library: library).recall(
                into: &context, for: found, account: account.id)
        }
        context.sendRefusal = "rules send nothing over old mail"
        // All answers are left out, and counted.
        context.answerStarts = nil
        // The user has requested old mail.
        context.firstDay = nil
        var request = Planning.Request(account: account.id, rulesDigest: library.digest)
        request.todoRules = try store.todos.links(for: Array(Set(found.flatMap(\.openTodos)))).mapValues(
            \.rule)
        var plan = try Planning.decide(
            found, library.rules, context, request,
            names: { try store.threads.ownNames(account: account.id, in: $0) },
            isAnswer: { _ in false }, reading: loader.reader(for: library.rules))
        plan.leaveOutAnswers()
        plan.removeWhatIsDone(try accounts.stepContext(account))
        if !isAgain {
            try EarlierMail(store: store, loader: loader, accounts: accounts.workspace.accounts)
                .leaveOut(of: &plan, account, sending: &allowance)
        }
        if let rule { plan.keepOnly(rule) }
        let looked = plan.items.count
        plan.items.removeAll { $0.isUntouched && $0.protectedBy == nil && $0.warnings.isEmpty }
        if looked > plan.items.count {
            plan.warnings.append(
                "\(looked - plan.items.count) of \(counted(looked, "message that matches stays", "messages that match stay")) as "
                    + (looked == 1 ? "it is" : "they are"))
        }
        if let reason = try brakes.reason(against: plan) {
            plan.warnings.append(reason.text + "; check the plan before you apply it")
        }
        if let limit { plan.keepNewest(limit) }
        return plan
    }
}

extension MessageFacts {
    /// Without header and text; rules read them again if needed.
    fileprivate var withoutContent: MessageFacts {
        guard !headers.isEmpty || text != nil else { return self }
        var facts = self
        facts.take(MessageContent(headers: [], text: nil))
        return facts
    }
}
