"""Seeded bugs: each takes one safety out of a copy of the sources, to show that the tests notice (Tests/seeded.py).

A seed replaces texts of one module. Each text must occur exactly once in that module, in whichever file, so a seed
survives when code moves; when the code itself changes, `seeded.py --check` (part of `make lint`) names the seed, and its
text here has to follow. Keep the texts short. `ON` in a new text is true while the seed is chosen.
"""
import re
from dataclasses import dataclass
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1] / "Sources"

#: The suites that may notice, as (runner, filter).
EXECUTOR = ("swift", "ExecutorTests")
SINKS = ("swift", "SinkScenarioTests")
NETWORK = ("swift", "FaultMatrixTests")
SENDS = ("swift", "SendFaultTests")
STORE = ("swift", "MailStoreTests|PipelineTests")
COMMANDS = ("swift", "IMAPProtocolTests|IMAPClientTests")
PLANNING = ("swift", "PlannerTests|SyncPlannerTests")
SYNC = ("swift", "SyncEngineTests")
PROCESSES = ("run.py", "test_many_processes")
RECHECK = ("run.py", "test_protected_since")
DISK = ("run.py", "test_maildir_layouts.OnDisk")
#: Small ones: on a busy machine the whole of PipelineTests takes longer than the limit.
DEPARTED = ("swift", "DeparturesTests")
STALE = ("swift", "BriefingTests")
RETURNED = ("swift", "/DeferralTests")
DEFERRED = ("run.py", "test_deferred_list")
PUTOFF = ("run.py", "test_deferral")
MACHINES = ("run.py", "ListsOfTwoMachines")
TOGETHER = ("run.py", "test_conversations")
ORDERS = ("run.py", "test_orders")
WAITS = ("run.py", "test_waits")
ANSWERS = ("run.py", "test_answer.Answers")
SCREENED = ("run.py", "test_screener")
BUNDLED = ("run.py", "test_bundles")
BEGUN = ("run.py", "test_first_day")
BRIEFED = ("run.py", "test_briefing")
LEFT = ("run.py", "test_unsubscribe")
REVIEWED = ("run.py", "test_review")
SESSION = ("run.py", "test_inbox.Deciding")
#: What is asked when the seed's own suite does not notice.
OTHERS = (EXECUTOR, SINKS, SENDS, NETWORK, STORE, COMMANDS, PROCESSES)


@dataclass(frozen=True)
class Seed:
    name: str
    #: What goes wrong.
    what: str
    module: str
    #: (text, new text) pairs.
    edits: tuple
    #: The suite that should notice.
    suite: tuple = EXECUTOR

    def problems(self, sources=SOURCES):
        """Why the seed no longer applies, one line an edit; empty when it does."""
        files = texts(sources / self.module)
        for old, _ in self.edits:
            count = sum(text.count(old) for text in files.values())
            if count != 1:
                yield f"{self.name}: this text occurs {count} times in Sources/{self.module}, not once:\n    {old}"

    def apply(self, sources):
        """Writes the edits into a copy of the sources. Raises ValueError where one does not apply."""
        for old, new in self.edits:
            files = {path: text for path, text in texts(sources / self.module).items() if old in text}
            if sum(text.count(old) for text in files.values()) != 1:
                raise ValueError("\n".join(self.problems(sources)) or f"{self.name}: another seed changed its text")
            (path, text), = files.items()
            path.write_text(text.replace(old, re.sub(r"\bON\b", f'isSeeded("{self.name}")', new)))


def texts(module):
    return {path: path.read_text(encoding="utf-8") for path in sorted(module.rglob("*.swift"))}


SEEDS = (
    # Sending
    Seed("resendAfterDot", "a mail whose final dot has left is sent again", "Executor",
         (("if step.proof?.kind == .dotSent {", "if step.proof?.kind == .dotSent, !ON {"),)),
    Seed("refusedSearchMeansNotSent", "Sent cannot be searched: so it was not sent", "Executor",
         (("guard waited >= Backoff.searchPatience else",
           "if ON { return try ledger.postpone(step, because: words, proof: Step.Proof(.notSent)) }\n"
           "guard waited >= Backoff.searchPatience else"),)),
    Seed("sendsAfterCrash", "after a crash, what was still to be sent goes out at once", "Executor",
         (("if interrupted > 0 {", "if interrupted > 0, !ON {"),)),
    Seed("appendNotSearched", "a message whose APPEND had no answer is not searched for", "Executor",
         (("if let found = try await find(token, in: mailbox.name, looks: looks) {",
           "if !ON, let found = try await find(token, in: mailbox.name, looks: looks) {"),)),
    # The journal
    Seed("noIssuedCommit", "steps are not on disk as issued before their first byte leaves", "Executor",
         (("guard !ids.isEmpty else { return }", "guard !ids.isEmpty, !ON else { return }"),)),
    Seed("noIdempotencyKey", "the same wish is queued as often as it is made", "MailStore",
         (("run, account, step.idempotencyKey,",
           'run, account, step.idempotencyKey + (ON ? "\\(UInt64.random(in: 0 ... .max))" : ""),'),), STORE),
    Seed("attemptsNotCounted", "a step is tried for ever", "Executor",
         (("let attempts = step.attempts + (isAgain ? 0 : 1)", "let attempts = ON ? 1 : step.attempts + (isAgain ? 0 : 1)"),)),
    Seed("followersNotHeld", "what follows a step that failed does not wait for it", "Executor",
         (("            held.formUnion(Self.heldBack(by: step))", "            if !ON { held.formUnion(Self.heldBack(by: step)) }"),)),
    Seed("interruptedRunGoesOn", "an interrupted run is finished without the user's answer", "Executor",
         (("|| step.id.map(held.contains) == true", "|| !ON && step.id.map(held.contains) == true"),), RECHECK),
    Seed("taskAfterMove", "tasks are written when their messages have moved", "Executor",
         (("            try runWithoutAccount(&ledger)\n", "            if !ON { try runWithoutAccount(&ledger) }\n"),
          ("try await DraftRemovals(context: context).run(&ledger)",
           "try await DraftRemovals(context: context).run(&ledger)\n"
           "if ON { try runWithoutAccount(&ledger) }"))),
    # Changes of mail
    Seed("moveBelievedOnOK", "OK to a MOVE is proof enough", "Executor",
         (("guard let place = places[aimed.target.uid] else { continue }",
           "guard let place = places[aimed.target.uid] else {\n"
           'if ON { try ledger.confirm(aimed.step, proof: .reported("OK")) }\ncontinue }'),)),
    Seed("moveWithoutHeaderCheck", "a UID is believed without the header of the message that it names", "Executor",
         (("view = isIt ?", "view = isIt || ON ?"),)),
    Seed("copiedAgainWhenBusy", "while the server cannot remove an original, it is copied with each try", "Executor",
         (("aimed.step.attempts == 0 && aimed.step.outcome.copied == nil:",
           "aimed.step.attempts == 0 && (ON || aimed.step.outcome.copied == nil):"),)),
    Seed("onlySearchedFor", "what arrived is only searched for, so a message without Message-ID is copied again", "Executor",
         (("guard verdict == .notApplied || verdict == .elsewhere, !leavesNoCopies, let before,",
           "guard !ON, verdict == .notApplied || verdict == .elsewhere, !leavesNoCopies, let before,"),)),
    Seed("silenceMeansGone", "a message that FETCH does not return counts as gone", "Executor",
         (("for uid in silent.isEmpty ?", "for uid in ON || silent.isEmpty ?"),)),
    Seed("listWithoutInbox", "a list of mailboxes without INBOX counts as complete", "IMAPClient",
         (("guard listings.isEmpty || inbox.isOK else { return answer }",
           "guard !ON, listings.isEmpty || inbox.isOK else { return answer }"),), COMMANDS),
    Seed("marksBelievedOnOK", "OK to a STORE is proof enough", "Executor",
         (("if let shown, change.holds(for: shown) {",
           'if ON { return try ledger.confirm(aimed.step, proof: .reported("OK")) }\n'
           "if let shown, change.holds(for: shown) {"),)),
    Seed("deleteBeforeCopyProven", "originals are removed, whatever the COPY proved", "Executor",
         (("guard !copied.isEmpty else", "guard !copied.isEmpty || ON else"),
          ("let targets = copied.map(\\.aimed.target)",
           "let targets = ON ? issued.map(\\.target) : copied.map(\\.aimed.target)"))),
    Seed("copyNotCompared", "a copy that may be another message is taken for ours", "Executor",
         (("guard ours != nil, isSame else", "guard ours != nil, isSame || ON else"),)),
    Seed("draftOfAnotherProgram", "a version of a draft that another program saved is removed too", "Executor",
         (("version.digest.map(known.contains) ?? false", "ON || version.digest.map(known.contains) ?? false"),)),
    Seed("expungeAllDeleted", "messages that others marked as deleted are removed with ours", "Executor",
         (("try await client.messages.expunge(uids)",
           "try await client.messages.expunge(ON ? UIDSet(1...UInt32.max) : uids)"),)),
    Seed("plainExpunge", "EXPUNGE instead of UID EXPUNGE", "IMAPProtocol",
         (('case .uidExpunge: "UID EXPUNGE"', 'case .uidExpunge: ON ? "EXPUNGE" : "UID EXPUNGE"'),
          ("case .uidExpunge(let uids): try writer.write(uids)",
           "case .uidExpunge(let uids): if !ON { try writer.write(uids) }")), COMMANDS),
    Seed("moveNotDurable", "a Maildir move is confirmed before the disk has it", "Executor",
         (("try client.makeDurable([destination.name, mailbox])",
           "if !ON { try client.makeDurable([destination.name, mailbox]) }"),), DISK),
    # Plans
    Seed("companyTakesAll", "a stranger's mail takes the whole conversation along", "Planner",
         (("guard flags.contains(.seen), !isForged(message) else { return false }",
           "guard !ON, flags.contains(.seen) else { return ON }"),), PLANNING),
    Seed("strangersTask", "the task of a stranger's mail takes the place of other people's tasks", "Planner",
         (("mail.id == other.id || mail.id == first ?? mail.id",
           "ON || mail.id == other.id || mail.id == first ?? mail.id"),), PLANNING),
    Seed("strangersFillIt", "many mails of a stranger end a conversation", "Threading",
         (("guard known.isEmpty || message.isOwn ||", "guard ON || known.isEmpty || message.isOwn ||"),), TOGETHER),
    Seed("restoredOutbox", "a store from a backup sends mail again that Sent has", "Executor",
         (("guard isOfRule || date.map({ now - $0 > Self.recently }) ?? false,",
           "guard isOfRule || !ON && date.map({ now - $0 > Self.recently }) ?? false,"),), ("run.py", "test_a_store_from_a_backup")),
    Seed("sentOnlyIfInSent", "a mail whose copy left Sent is sent again by a second machine", "Executor",
         (("if !isOfRule, let copy = try knownCopy(of: mail.message, mail.token) {",
           "if !ON, !isOfRule, let copy = try knownCopy(of: mail.message, mail.token) {"),),
         ("run.py", "test_a_mail_whose_copy_left_sent")),
    Seed("bundleTakesAgain", "mail of a bundle that the user moved back into the inbox waits again", "Pipeline",
         ((".union(store.deferrals.broughtBack(among: ids))", ".union(ON ? [] : store.deferrals.broughtBack(among: ids))"),),
         ("run.py", "test_mail_that_the_user_moved_back_into_the_inbox")),
    Seed("unknownDraftWasSent", "a draft that left Drafts on a second machine counts as sent", "Pipeline",
         (("return try draft == nil || isGone(token, related) ? .discarded : .unknown",
           "return try draft == nil || !ON && isGone(token, related) ? .discarded : .unknown"),), ("run.py", "test_a_discarded_draft_takes_its_delegation")),
    Seed("letterOfOthers", "a label gets a letter that messages already have", "MaildirClient",
         (("let used = Set(try folder.files().flatMap(\\.name.letters))",
           "let used = ON ? [] : Set(try folder.files().flatMap(\\.name.letters))"),), ("swift", "MaildirClientTests")),
    Seed("domainDeniesApproved", "a denied domain counts more than an approved address", "Pipeline",
         (("return denied.contains(sender) && !approved.names(sender)",
           "return denied.contains(sender) && (ON || !approved.names(sender))"),), SCREENED),
    Seed("planNotRechecked", "protection that was gained since the plan does not count", "Pipeline",
         (("let (checked, leftOut) = try recheck.check(plan)",
           "let (checked, leftOut) = ON ? (plan, []) : try recheck.check(plan)"),), RECHECK),
    # The everyday loop
    Seed("listByMail", "a list of deferred mail that came by mail is believed", "Pipeline",
         (('guard !parsed.rawHeader(field).isEmpty, parsed.rawHeader("Received").isEmpty,',
           'guard !parsed.rawHeader(field).isEmpty, ON || parsed.rawHeader("Received").isEmpty,'),), DEFERRED),
    Seed("firstDecisionWins", "of two dates for a deferred message, the earlier decision wins", "Pipeline",
         (("!entry.decision.counts(over: DeferredEntry.Decision(own))",
           "ON || !entry.decision.counts(over: DeferredEntry.Decision(own))"),), DEFERRED),
    Seed("datesOfOneSecond", "two machines that decide in the same second keep their own dates", "Pipeline",
         (("return (until.time?.seconds ?? .max) < (other.until.time?.seconds ?? .max)",
           "return !ON && (until.time?.seconds ?? .max) < (other.until.time?.seconds ?? .max)"),), MACHINES),
    Seed("assumedSomedayCounts", "someday that a new store assumes replaces a date that another machine knows", "Pipeline",
         (("guard isAssumed == other.isAssumed else { return other.isAssumed }",
           "guard ON || isAssumed == other.isAssumed else { return other.isAssumed }"),), MACHINES),
    Seed("deniedIsKnown", "a denied sender whose mail was there before the screener is let through", "Pipeline",
         ((".filter { !known.denies($0) }.map(\\.comparable)", ".filter { ON || !known.denies($0) }.map(\\.comparable)"),), SCREENED),
    Seed("secondRequest", "a request to unsubscribe that was interrupted is sent again", "Pipeline",
         (("if !again, let begun =", "if !ON, !again, let begun ="),), ("run.py", "OneClickKills")),
    Seed("oldMailAnswered", "vacation answers mail of any age", "Rules",
         (("guard !isOld(facts, context) else", "guard ON || !isOld(facts, context) else"),), ("run.py", "test_write.Away")),
    Seed("earlierMailAnswered", "vacation answers mail that came before its rule", "Rules",
         (("if let starts = context.answerStarts,", "if !ON, let starts = context.answerStarts,"),), ("run.py", "test_write.Away")),
    Seed("answeredAgain", "vacation answers a conversation in which the user wrote last", "Rules",
         (("guard rendering.view.lastMessageIsOwn != true", "guard ON || rendering.view.lastMessageIsOwn != true"),),
         ("run.py", "test_write.Away")),
    Seed("sentDraftComesBack", "undo puts the draft of a sent mail back", "Planner",
         (("if let message = step.message, let isCertain", "if !ON, let message = step.message, let isCertain"),),
         ("run.py", "test_write.SendingOnMaildir.test_undo_of_a_sent_mail")),
    Seed("answerNextTime", "an answer that came with its question waits for the next run", "Pipeline",
         (("guard !made.isEmpty else { return nil }\n        var report = FollowReport()",
           "guard !ON, !made.isEmpty else { return nil }\n        var report = FollowReport()"),), WAITS),
    Seed("nudgeWithoutNote", "the draft of a killed nudge stays without its line in the task", "Pipeline",
         (("where draft.pushed == nil && draft.submission == nil {", "where !ON && draft.pushed == nil && draft.submission == nil {"),),
         ("run.py", "test_hand_kills.EverydayKills.test_a_reminder")),
    Seed("renamedMailboxForgotten", "another program renames the deferred mailbox, and its dates are forgotten", "Pipeline",
         (("try store.deferrals.findRenamedMailbox(of: account.id)",
           "if !ON { try store.deferrals.findRenamedMailbox(of: account.id) }"),), DEFERRED),
    Seed("deletedMailboxUsed", "a deferred mailbox that was moved below Trash is used for new mail", "MailStore",
         (("return !bins.contains(where: mailbox.isBelow)", "return ON || !bins.contains(where: mailbox.isBelow)"),), DEFERRED),
    Seed("foreignMailboxUsed", "private mail is deferred into a mailbox of others", "SyncEngine",
         (("!spaces.isForeign(mailboxes[$0].name.bytes)", "ON || !spaces.isForeign(mailboxes[$0].name.bytes)"),),
         ("run.py", "test_namespaces")),
    Seed("listQueuedAgain", "each run queues one more list of deferred mail while the mailbox is full", "Pipeline",
         (("if let wanted, current == nil, !queued.isAppended {", "if let wanted, current == nil, ON || !queued.isAppended {"),),
         ("run.py", "test_full_mailbox.FullMailbox")),
    Seed("sentElsewhereToo", "a draft that another program sent is sent again", "Executor",
         (("if step.outcome.place == nil, let found = try context.sentElsewhere(step) {",
           "if !ON, step.outcome.place == nil, let found = try context.sentElsewhere(step) {"),),
         ("run.py", "test_drafts.InTheOutbox")),
    Seed("copyOfTheUndeletable", "a message is copied although its original may not be deleted", "Executor",
         (("if let kept = current?.permanentFlags, !kept.isEmpty, !FlagAtoms",
           "if !ON, let kept = current?.permanentFlags, !kept.isEmpty, !FlagAtoms"),),
         ("run.py", "test_rights")),
    Seed("expungeUnasked", "a message is copied although its original may not be expunged", "Executor",
         (("let allows = rights?.allowsExpunge ?? true", "let allows = ON || (rights?.allowsExpunge ?? true)"),),
         ("run.py", "test_rights")),
    Seed("refusedReturnIsOver", "deferred mail that the server refuses to move loses its date", "MailStore",
         (("if result.isRefusal { try", "if !ON, result.isRefusal { try"),), ("run.py", "test_deferral.RefusedReturn")),
    Seed("ownCopyOfTheServer", "a copy that was in Sent before shows that the server saves sent mail", "Executor",
         (("if isFirst, !wasThere, try !isStored(", "if isFirst, try ON || !isStored("),)),
    Seed("labelStopsTheRule", "nothing of a rule is done if the server refuses its label", "Executor",
         (("if case .unsupported(let refusal) = error,", "if !ON, case .unsupported(let refusal) = error,"),)),
    Seed("flagStopsTheRule", "nothing of a rule is done if the server refuses its flag", "Executor",
         (("guard case .store = step.kind else { return try reject", "guard !ON, case .store = step.kind else { return try reject"),)),
    Seed("writtenAgain", "a rule writes its mail again on a second machine, or after the store was lost", "Pipeline",
         (("return [.sent, .drafts].first(where: roles.contains)", "return ON ? nil : [.sent, .drafts].first(where: roles.contains)"),),
         ("run.py", "test_written_once")),
    Seed("awayAgain", "a second machine says again that the user is away", "Pipeline",
         (("guard let time = times[reply.to.comparable] else", "guard !ON, let time = times[reply.to.comparable] else"),),
         ("run.py", "test_written_once")),
    Seed("secondCopyInSent", "a mail that another program sent gets a second copy in Sent", "Pipeline",
         (("withoutCopy: mail.wasSentElsewhere", "withoutCopy: !ON && mail.wasSentElsewhere"),),
         ("run.py", "test_drafts.InTheOutbox")),
    Seed("undoneDraftAgain", "a delegation after an undone one has the draft of that one", "Pipeline",
         (("while letters.identity.repetition < LetterWriter.mostRepetitions,\n            try letters",
           "while !ON, letters.identity.repetition < LetterWriter.mostRepetitions,\n            try letters"),), WAITS),
    Seed("refusedVersionStays", "a version of a draft that the server refused once is saved after the draft was sent", "Pipeline",
         (("try store.journal.cancel(queued.filter { $0.state == .ready }.compactMap(\\.id))",
           "try store.journal.cancel(queued.filter { $0.state == .ready && !(ON && $0.attempts > 0) }.compactMap(\\.id))"),),
         ("run.py", "test_drafts.Refused")),
    Seed("memberAskedToStop", "to leave a discussion list is remembered for the member who wrote", "Pipeline",
         (("list(message) ?? message.from.first", "(ON ? nil : list(message)) ?? message.from.first"),),
         ("swift", "UnsubscribingTests")),
    Seed("somedayBeforeTheList", "mail gets a date before the list was read that has its date", "Pipeline",
         (("guard knowsDates, !new.isEmpty else { return }", "guard ON || knowsDates, !new.isEmpty else { return }"),), MACHINES),
    Seed("movedOutStillWaits", "mail that another program took out of Deferred still has its date", "Pipeline",
         (("where !ordered.contains(deferral.message)", "where !ON && !ordered.contains(deferral.message)"),), DEFERRED),
    Seed("orderForgetsDate", "the undo of an order that a sync saw first loses the date of deferred mail", "Pipeline",
         (("where !ordered.contains(deferral.message)", "where (ON || !ordered.contains(deferral.message))"),),
         ("run.py", "test_the_undo_of_an_order_that_a_sync")),
    Seed("strangerWakes", "anyone who names a deferred message brings it back", "Planner",
         (("return people.contains { $0.mailPerson == writer.mailPerson } ||",
           "return ON || people.contains { $0.mailPerson == writer.mailPerson } ||"),), DEFERRED),
    Seed("deferredAnswerWakes", "an answer that the rules defer brings deferred mail back", "Pipeline",
         (("!leaving.contains($0.answer) }", "ON || !leaving.contains($0.answer) }"),),
         ("run.py", "test_arrivals.DeferredConversation")),
    Seed("answerOfTheSameSync", "a rule defers mail although an answer to it came in the same sync", "Planner",
         (("guard answer.facts.mailbox.role == .inbox,", "guard !ON, answer.facts.mailbox.role == .inbox,"),),
         ("run.py", "test_arrivals.DeferredConversation")),
    Seed("returnsRead", "deferred mail comes back as read", "Planner",
         (("guard place.flags.contains(.seen) else { return nil }\n        let kind = Step.Kind.store(",
           "guard !ON, place.flags.contains(.seen) else { return nil }\n        let kind = Step.Kind.store("),), DEFERRED),
    Seed("returnsAlone", "the other deferred messages of a conversation do not come back with it", "Planner",
         (("|| leaders[message.facts.conversation]?", "|| !ON && leaders[message.facts.conversation]?"),), RETURNED),
    Seed("strangerReturnsAll", "a stranger's deferred mail brings back the deferred mail of others", "Planner",
         ((": company.includes(message.facts, with: $0.facts)", ": ON || company.includes(message.facts, with: $0.facts)"),), RETURNED),
    Seed("forgedListHides", "mail with the Message-ID of a list of deferred mail counts as one", "Pipeline",
         (("!DeferredListMail.isList(content.headers),", "!(ON || DeferredListMail.isList(content.headers)),"),), DEFERRED),
    Seed("copyOfAnyone", "mail with the Message-ID of another sender's mail is a copy of it", "MailStore",
         (("return (row[0], addresses.from.first?.comparable ?? \"\")",
           "return (row[0], ON ? \"\" : addresses.from.first?.comparable ?? \"\")"),), ("run.py", "test_duplicates")),
    Seed("ownAddressBelieved", "the user's address in From proves that the user wrote a mail", "Planner",
         (("!sent.contains(message.id) && message.from", "!ON && !sent.contains(message.id) && message.from"),), PLANNING),
    Seed("placeholderInCommon", "a placeholder in To counts as an address that two messages share", "Planner",
         (("{ !$0.localPart.isEmpty && $0.domain.contains(\".\") }",
           "{ ON || !$0.localPart.isEmpty && $0.domain.contains(\".\") }"),), PLANNING),
    Seed("strangerMovesByHand", "a command on a stranger's mail acts on all mail that it names", "Planner",
         (("if wish.reach == .company {", "if wish.reach == .company, !ON {"),), ("run.py", "test_conversations")),
    Seed("strangersOrder", "a stranger's mail takes over the order for the mail that it names", "Pipeline",
         (("company.joins(message, with: $0[0])", "ON || company.joins(message, with: $0[0])"),), ORDERS),
    Seed("outsideMailSendsDraft", "a received mail with the Message-ID of a draft makes its delegation sent", "Pipeline",
         (("facts.messageID == token && (isOwn(facts) ||", "facts.messageID == token && (ON || isOwn(facts) ||"),), WAITS),
    Seed("skippedMoves", "a skipped message moves with another one of its conversation", "Pipeline",
         (("chosen.items.leave(shown", "chosen.items.leave(ON ? [] : shown"),),
         ("swift", "PlanWalkTests")),
    Seed("longHeaderUnread", "a message with a header of megabytes cannot be identified", "Executor",
         (("if message.header == nil, message.omittedSize", "if !ON, message.header == nil, message.omittedSize"),),
         ("run.py", "header_of_megabytes")),
    Seed("ordersFromAnyMailbox", "a mailbox that the person made for something else gives orders", "Pipeline",
         (("} else if there.role == nil, try isEmpty(there) {",
           "} else if there.role == nil, try ON || isEmpty(there) {"),), ORDERS),
    Seed("unreadDraftDiscarded", "a draft that no sync has seen yet counts as discarded", "Pipeline",
         (("if try draft == nil && !isSynced(since: step) { return .draft }",
           "if try !ON && draft == nil && !isSynced(since: step) { return .draft }"),), DEPARTED),
    Seed("discardedDraftWaits", "the wait of a discarded draft stays", "Pipeline",
         (("guard try departures.fate(of: token, todo) == .discarded else {",
           "guard try !ON && departures.fate(of: token, todo) == .discarded else {"),), WAITS),
    Seed("goneIsDiscarded", "a watch calls a draft discarded that another program is sending", "Pipeline",
         (("if let grace, grace.holds(token, at: clock.now) { continue }",
           "if !ON, let grace, grace.holds(token, at: clock.now) { continue }"),),
         ("run.py", "test_a_draft_that_a_program_removes")),
    Seed("halfMovedIsMoved", "an order moves the original along that another program is about to delete", "Pipeline",
         (("if try isHalfMoved(group, account) { continue }", "if try !ON && isHalfMoved(group, account) { continue }"),),
         ("run.py", "test_a_watch_waits_for_a_program")),
    Seed("draftCountsAsSent", "a wait begins with the draft", "Planner",
         (("guard wait.since != nil else { return .drafted }", "guard ON || wait.since != nil else { return .drafted }"),),
         WAITS),
    Seed("oneAnswerForAll", "the first answer counts for everyone who was asked", "Planner",
         (("if wait.isAnswered { return .answered }",
           "if wait.isAnswered || ON && !wait.answers.isEmpty { return .answered }"),), WAITS),
    Seed("autoReplyAnswers", "an out-of-office reply counts as an answer", "Pipeline",
         (("isInThread: isInThread, kind: AnswerKind(of: facts, asOf: zone.local(facts.date).date))",
           "isInThread: isInThread,\nkind: ON ? .human : AnswerKind(of: facts, asOf: zone.local(facts.date).date))"),), WAITS),
    Seed("absenceForgotten", "the day of return of an out-of-office reply does not move the day to ask again", "Planner",
         (("guard let last = returns.max() else { return nil }", "guard !ON, let last = returns.max() else { return nil }"),),
         WAITS),
    Seed("nudgesWithoutEnd", "a person is nudged as often as one likes", "Pipeline",
         (("guard count < workspace.mostNudges else {", "guard ON || count < workspace.mostNudges else {"),), WAITS),
    Seed("bounceForgotten", "a mail to one person makes opus forget that the question did not reach another one", "Planner",
         (("lastWritten[person.mailComparable].map { mail.received >= $0 } ?? true",
           "(ON ? lastWritten.values.max() : lastWritten[person.mailComparable]).map { mail.received >= $0 } ?? true"),), WAITS),
    Seed("rulesMoveAnswers", "rules move the answer to an open task out of the inbox", "Rules",
         (("if context.awaited.contains(facts.id) {",
           "if !ON, context.awaited.contains(facts.id) {"),), WAITS),
    Seed("answerOfTheSameRun", "rules move an answer that came in one sync with its question", "Pipeline",
         (("if !answers.isSubset(of: context.awaited) {", "if !ON, !answers.isSubset(of: context.awaited) {"),), WAITS),
    Seed("guessReopens", "a later guess keeps a wait open that an answer closed", "Models",
         (("!completing.contains(where: \\.isGuess)", "!(ON ? answers[...] : completing).contains(where: \\.isGuess)"),), WAITS),
    Seed("rulesMoveDeferred", "rules move mail that the user deferred as soon as it comes back", "Rules",
         (("} else if context.deferredByHand.contains(facts.id) {",
           "} else if !ON, context.deferredByHand.contains(facts.id) {"),), PUTOFF),
    Seed("turnNotOver", "a rule moves mail that the user deferred as soon as it is opened", "Rules",
         (("if reserve == .deferral { evaluation.givenUp", "if !ON, reserve == .deferral { evaluation.givenUp"),), PUTOFF),
    Seed("secondDeferred", "a command makes the deferred mailbox again before the renamed one is found", "Executor",
         (("if mailbox.role == .deferred, try hadMail(in: mailbox) {",
           "if !ON, mailbox.role == .deferred, try hadMail(in: mailbox) {"),), DEFERRED),
    Seed("undoneCopyInSent", "undo cancels the copy of a sent mail", "Planner",
         (("case .planned, .ready: return finishing(step) ?? .cancel",
           "case .planned, .ready: return (ON ? nil : finishing(step)) ?? .cancel"),), ("run.py", "SentWithoutItsCopy")),
    Seed("sequenceAlone", "an event that was moved without a new number is answered for its old time", "Pipeline",
         (("if other.event.sequence == invitation.sequence {\n                    guard let version",
           "if other.event.sequence == invitation.sequence {\n                    guard !ON, let version"),), ANSWERS),
    Seed("nudgeToTheUnreached", "the draft of a nudge stays for a person whom the question did not reach", "Pipeline",
         (("unreached = people.filter { failed.contains($0.comparable) }",
           "unreached = people.filter { !ON && failed.contains($0.comparable) }"),), WAITS),
    Seed("draftStaysHere", "a draft that a killed command left here never reaches the account", "Pipeline",
         (("guard account.permissions.allows(.draft), try !pushes(account).steps.isEmpty else { return nil }",
           "guard !ON, account.permissions.allows(.draft), try !pushes(account).steps.isEmpty else { return nil }"),),
         ("run.py", "EverydayKills.test_a_reminder")),
    Seed("autoReplyMakesKnown", "an automatic reply makes its recipient known", "MailStore",
         (("guard !AutomaticReply.isSaid(by: header) else { return }",
           "guard ON || !AutomaticReply.isSaid(by: header) else { return }"),), SCREENED),
    Seed("anyReferenceIsAnAnswer", "a stranger who names any known message passes the screener", "Pipeline",
         (("if try store.messages.places(of: original).contains(where: { $0.mailbox.role == .sent }) {",
           "if try ON || store.messages.places(of: original).contains(where: { $0.mailbox.role == .sent }) {"),), SCREENED),
    Seed("answersOfOneAccount", "an answer in another account does not end the wait", "Pipeline",
         (("let elsewhere = try mailElsewhere(", "let elsewhere = ON ? [] : try mailElsewhere("),), WAITS),
    Seed("guessesElsewhere", "mail of another account that names no mail of the user ends the wait", "Pipeline",
         (("guard candidate.isInThread || !candidate.names.isDisjoint(", "guard ON || candidate.isInThread || !candidate.names.isDisjoint("),), WAITS),
    Seed("notedAgain", "what opus noted in a task and the user undid is noted again", "Pipeline",
         (("if let reading { settling.noteUndone(", "if !ON, let reading { settling.noteUndone("),), WAITS),
    Seed("notesAreLastRun", "undo without a run takes a run that only noted mail", "Pipeline",
         (("if try hasOnlyNotes(summary.id) ||", "if try (!ON && hasOnlyNotes(summary.id)) ||"),), WAITS),
    Seed("repliesAreLost", "undo of a change removes the replies that opus noted since", "Pipeline",
         (("guard !added.isEmpty else { return content }", "guard !ON, !added.isEmpty else { return content }"),), WAITS),
    Seed("replyToNotShown", "the screener does not show that answers go elsewhere", "Pipeline",
         (("replyTo: Self.foreign(sorted.flatMap(\\.replyTo), to: address),",
           "replyTo: ON ? [] : Self.foreign(sorted.flatMap(\\.replyTo), to: address),"),), SCREENED),
    Seed("backlogWithFlagged", "the first day archives flagged mail too", "Pipeline",
         (("} else if conversation.contains(where: { $0.flags.contains(.flagged) }) {",
           "} else if !ON, conversation.contains(where: { $0.flags.contains(.flagged) }) {"),), BEGUN),
    Seed("tasksForOldMail", "on the first day, old mail makes tasks", "Pipeline",
         (("context.firstDay = try workspace.firstRunDays.map { days in",
           "context.firstDay = try (ON ? nil : workspace.firstRunDays).map { days in"),), BEGUN),
    Seed("briefingTwice", "a second briefing of the day is put into the inbox", "Pipeline",
         (('return MessageID("briefing-\\(day)-\\(hash.prefix(16))@opus.invalid")',
           'return MessageID("briefing-\\(day)-\\(ON ? Hex.encode(RandomBytes.make(count: 8)) : String(hash.prefix(16)))@opus.invalid")'),
          ("Briefings.command, briefing.day.description, account, message: nil,",
           "Briefings.command, ON ? token.rawValue : briefing.day.description, account, message: nil,")), BRIEFED),
    Seed("quietAccountIsStale", "a sync that found nothing new does not count as one", "Pipeline",
         (("if report.problems.isEmpty { try store.sync.noteSync(of: account.id, at: clock.now) }",
           "if !ON, report.problems.isEmpty { try store.sync.noteSync(of: account.id, at: clock.now) }"),), STALE),
    Seed("stillSendingAtOnce", "mail that comes a day after unsubscribing is reported", "Pipeline",
         (("let limit = one.at + Self.patience", "let limit = one.at + (ON ? 86_400 : Self.patience)"),), LEFT),
    Seed("undoOfTheSession", "what the session undoes becomes a part of the same run", "Pipeline",
         (("state.withLock { undone != nil && undone == $0.first ? $0.firstUndo : $0.first }",
           "state.withLock { !ON && undone != nil && undone == $0.first ? $0.firstUndo : $0.first }"),), SESSION),
    # Sync
    Seed("firstWithTheHeader", "the first message with the same header is taken for the one that came", "SyncEngine",
         (("return known.first { isSame($0, body) }", "return known.first { ON || isSame($0, body) }"),), SYNC),
    Seed("restoredMailbox", "a mailbox that was restored from a backup is not read again", "SyncPlanner",
         (("let isRestored = hasGoneBack", "let isRestored = !ON && hasGoneBack"),), PLANNING),
    Seed("beyondUIDNEXT", "messages beyond UIDNEXT are requested", "SyncPlanner",
         (("guard uids.upperBound == .max, let uidNext", "guard !ON, uids.upperBound == .max, let uidNext"),), PLANNING),
    # Several programs
    Seed("noLock", "two programs change a store at once", "Pipeline",
         (("guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else",
           "guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || ON else"),), PROCESSES),
)

#: Each changed module gets this file.
SWITCH = """\
import Glibc

/// Whether the seeded bug of that name is chosen, by the environment variable `OPUS_SEEDED_BUG`.
func isSeeded(_ name: String) -> Bool { chosenSeed == name }

private let chosenSeed = getenv("OPUS_SEEDED_BUG").map { String(cString: $0) }
"""


def problems():
    return [line for seed in SEEDS for line in seed.problems()]


def plant(sources, seeds=SEEDS):
    """Changes a copy of the sources so that `OPUS_SEEDED_BUG` chooses one of the bugs."""
    for seed in seeds:
        seed.apply(sources)
    for module in {seed.module for seed in seeds}:
        (sources / module / "Seeded.swift").write_text(SWITCH)
