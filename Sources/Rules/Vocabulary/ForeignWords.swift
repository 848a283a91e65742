/// Words of Gmail, notmuch and other programs that opus does not support, with the replacement.
enum ForeignWords {
    /// The replacement for a condition: as a query term, and in a mapping if its form differs.
    struct Hint {
        let query: String
        let mapping: String

        init(_ query: String, _ mapping: String? = nil) {
            self.query = query
            self.mapping = mapping ?? query
        }
    }

    /// By the word before the colon.
    static func condition(_ name: String) -> Hint? { conditions[name.lowercased()] }

    /// By both words, such as `is:starred`. A negated state is the state with `-` before it, never the state
    /// itself.
    static func state(_ word: String, family: String) -> String? {
        let word = word.lowercased()
        if let known = states["\(family):\(word)"] { return known }
        for prefix in ["un", "not-", "no-", "non-"] where word.hasPrefix(prefix) {
            let rest = String(word.dropFirst(prefix.count))
            for other in [family, "is", "has"] where ConditionTable.entry("\(other):\(rest)") != nil {
                return "-\(other):\(rest)"
            }
        }
        for other in ["is", "has", "thread", "task"] where other != family {
            if ConditionTable.entry("\(other):\(word)") != nil { return "\(other):\(word)" }
        }
        return nil
    }

    /// A state of a query as keys of a mapping: `-is:answered` becomes `not: { is: answered }`.
    static func mapping(_ hint: String) -> String {
        guard let colon = hint.firstIndex(of: ":"), !hint.contains(" ") else { return hint }
        guard hint.hasPrefix("-") else {
            let value = String(hint[hint.index(after: colon)...])
            return "\(hint[..<colon]): " + (value.contains("*") ? "'\(value)'" : value)
        }
        return "not: { \(mapping(String(hint.dropFirst()))) }"
    }

    /// The replacement for an action.
    static func action(_ word: String) -> String? { actions[word.lowercased()] }

    static let conditions: [String: Hint] = {
        var hints: [String: Hint] = [:]
        func add(_ words: [String], _ query: String, _ mapping: String? = nil) {
            for word in words { hints[word] = Hint(query, mapping) }
        }
        add(["older_than", "olderthan", "older-than"], "older:7d", "older: 7d")
        add(["newer_than", "newerthan", "newer-than"], "newer:7d", "newer: 7d")
        add(["after", "since"], "date>=2026-01-01", "date: '>=2026-01-01'")
        add(["before", "until"], "date<2026-01-01", "date: '<2026-01-01'")
        add(["larger", "larger_than", "larger-than", "bigger"], "size>5M", "size: '>5M'")
        add(["smaller", "smaller_than", "smaller-than"], "size<5M", "size: '<5M'")
        add(["filename", "file", "attachment-name"], "attachment:name:*.pdf", "attachment:name: '*.pdf'")
        add(
            ["mimetype", "mime-type", "content-type"], "attachment:type:image/*", "attachment:type: 'image/*'"
        )
        add(["tag", "tags", "keywords", "labels", "category"], "label:reading", "label: reading")
        add(["folder", "folders", "path", "mailbox", "directory"], "in:Archive", "in: Archive")
        add(["deliveredto", "delivered_to"], "delivered-to:me", "delivered-to: me")
        add(["replyto", "reply_to"], "reply-to:bob@x.org", "reply-to: bob@x.org")
        add(["author"], "from:bob@x.org", "from: bob@x.org")
        add(["recipients", "to-or-cc", "tocc"], "recipient:bob@x.org", "recipient: bob@x.org")
        add(["title"], "subject:invoice", "subject: invoice")
        add(["content", "message"], "body:invoice", "body: invoice")
        add(
            ["rfc822msgid", "msgid", "messageid", "message-id"], "mid:a@x.org",
            "mid: a@x.org")
        add(["listid", "mailing-list", "mailinglist"], "list-id:swift", "list-id: swift")
        add(["flag", "star", "starred", "flagged"], "is:flagged", "is: flagged")
        add(["unread"], "is:unread", "is: unread")
        add(["read", "seen"], "is:read", "is: read")
        add(["attachments", "has-attachment"], "has:attachment", "has: attachment")
        add(["spam"], "in:junk", "in: junk")
        return hints
    }()

    static let states: [String: String] = [
        "is:starred": "is:flagged", "is:star": "is:flagged", "is:important": "is:flagged",
        "has:star": "is:flagged", "has:yellow-star": "is:flagged", "has:flag": "is:flagged",
        "has:flagged": "is:flagged", "is:marked": "is:flagged",
        "is:replied": "is:answered", "is:seen": "is:read", "is:opened": "is:read", "is:new": "is:unread",
        "is:unseen": "is:unread", "is:unopened": "is:unread", "is:unreplied": "-is:answered",
        "is:unanswered": "-is:answered",
        "is:deferred": "is:snoozed", "in:snoozed": "is:snoozed", "is:returned": "is:back",
        "is:woken": "is:back", "is:spam": "in:junk", "is:junk": "in:junk",
        "is:trash": "in:trash", "is:deleted": "in:trash", "is:inbox": "in:inbox", "is:sent": "in:sent",
        "is:archived": "in:archive", "is:list": "is:bulk", "is:newsletter": "is:bulk",
        "is:attachment": "has:attachment", "is:attached": "has:attachment",
        "has:attachments": "has:attachment",
        "has:file": "has:attachment", "has:document": "has:attachment",
        "has:image": "has:attachment",
        "has:label": "label:reading", "has:userlabels": "label:reading", "has:tag": "label:reading",
        "has:calendar": "is:invite", "has:task": "has:open-task", "is:task": "has:open-task",
        "has:list": "is:bulk", "is:important-to-me": "is:flagged", "is:waiting": "task:waiting",
    ]

    static let actions: [String: String] = {
        var hints: [String: String] = [:]
        func add(_ words: [String], _ hint: String) {
            for word in words { hints[word] = hint }
        }
        add(["delete", "remove", "discard", "bin", "expunge", "purge", "erase"], "trash")
        add(["spam", "mark-spam"], "junk")
        add(["star", "pin", "mark-flagged", "important"], "flag")
        add(["unstar", "unpin"], "unflag")
        add(["tag", "keyword", "category", "add-label", "addtag", "add-tag"], "label: reading")
        add(["untag", "remove-label", "remove-tag"], "unlabel: reading")
        add(["read", "seen", "mark-read", "mark_read", "mark-as-read"], "mark: read")
        add(["unread", "unseen", "mark-unread", "mark_unread", "mark-as-unread"], "mark: unread")
        add(["fileinto", "file", "folder", "mailbox", "move-to", "moveto"], "move: Projects")
        add(["snooze", "postpone", "later", "wait-until"], "defer: next monday")
        add(["todo", "add-task", "create-task", "reminder"], "task: 'Answer {{subject}}'")
        add(["redirect", "resend", "bounce"], "forward: bob@acme.example")
        add(["autoreply", "auto-reply", "autorespond", "out-of-office"], "vacation: I am away until Monday.")
        add(["answer", "respond"], "reply: Thank you.")
        add(["inbox", "leave", "nothing", "ignore"], "keep")
        add(["skip-inbox", "done"], "archive")
        add(["notification", "alert"], "notify")
        add(["save", "save-attachments", "download"], "save-attachment: Invoices")
        return hints
    }()
}
