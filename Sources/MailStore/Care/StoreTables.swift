/// Where the rows of each table come from: what a rebuild reads again from the accounts, and what it copies
/// because only the store has it. A test compares this list with the schema.
public struct StoreTable: Sendable {
    public enum Origin: Sendable {
        /// A sync fills the table again; its rows belong to an account, a mailbox or a message.
        case account, mailbox, message
        /// Computed from other tables.
        case derived
        /// Numbers and names that other tables refer to: a rebuild keeps them, and a sync fills in the rest.
        case identity
        /// Only this store has these rows.
        case onlyHere
    }

    public var name: String
    public var origin: Origin
    /// The name of its rows in texts for users.
    public var contents: String

    init(_ name: String, _ origin: Origin, _ contents: String) {
        self.name = name
        self.origin = origin
        self.contents = contents
    }

    public static let all = [
        StoreTable("account", .identity, "accounts"),
        StoreTable("mailbox", .identity, "mailboxes"),
        StoreTable("message", .identity, "messages"),

        StoreTable("packed_content", .message, "headers and texts"),
        StoreTable("file_text", .message, "texts of attached files"),
        StoreTable("placement", .mailbox, "places of messages"),
        StoreTable("place_witness", .mailbox, "checked places"),
        StoreTable("message_doubt", .mailbox, "messages that the server could not return"),
        StoreTable("thread_link", .account, "threads"),
        StoreTable("conversation_due", .account, "threads whose conversations are not known yet"),
        StoreTable("subject_due", .account, "subjects that are to be compared"),
        StoreTable("subject_group", .account, "threads of one subject"),
        StoreTable("shown_due", .account, "threads that are to be shown again"),
        StoreTable("thread_settings", .account, "how subjects were compared"),
        StoreTable("thread_row", .derived, "the list of conversations"),
        StoreTable("search", .derived, "the search index"),
        StoreTable("word", .derived, "words of the search index"),
        StoreTable("word_part", .derived, "parts of words"),
        StoreTable("file_search", .derived, "the search index of attached files"),
        StoreTable("file_text_kind", .derived, "kinds of attached files that could be read"),
        StoreTable("unindexed", .derived, "messages that are not in the search index yet"),
        StoreTable("quiet_inbox", .derived, "inboxes in which the rules had nothing to do"),

        StoreTable("thread_edit", .onlyHere, "threads that you split or joined"),
        StoreTable("correspondent", .onlyHere, "people you wrote to"),
        StoreTable("sent_copy", .onlyHere, "which server saves sent mail"),
        StoreTable("unplaced", .onlyHere, "messages without a mailbox"),
        StoreTable("left_inbox", .onlyHere, "messages that left the inbox"),
        StoreTable("inbox_count", .onlyHere, "sizes of the inbox"),

        StoreTable("run", .onlyHere, "runs"),
        StoreTable("step", .onlyHere, "steps and outbox"),
        StoreTable("queue_halt", .onlyHere, "why steps wait"),
        StoreTable("draft", .onlyHere, "drafts"),
        StoreTable("rule_version", .onlyHere, "versions of rules"),
        StoreTable("rule_shadowed", .onlyHere, "matches of rules that came too late"),
        StoreTable("rule_hit", .onlyHere, "matches of rules that only keep"),
        StoreTable("rule_timer", .onlyHere, "timers of rules"),
        StoreTable("remembered", .onlyHere, "rules that acted on a message"),
        StoreTable("auto_reply", .onlyHere, "automatic answers"),
        StoreTable("answer_start", .onlyHere, "the starts of automatic answers"),

        StoreTable("todo_file", .onlyHere, "known task files"),
        StoreTable("todo_link", .onlyHere, "links between tasks and mail"),
        StoreTable("task_claim", .onlyHere, "your answers about links"),
        StoreTable("task_notice", .onlyHere, "notes in tasks"),

        StoreTable("deferral", .onlyHere, "deferred messages"),
        StoreTable("deferred_list", .onlyHere, "lists of deferred mail"),
        StoreTable("ended_deferral", .onlyHere, "deferrals that steps ended"),
        StoreTable("rule_deferral", .onlyHere, "deferrals by rules"),
        StoreTable("command_mailbox", .onlyHere, "command mailboxes"),
        StoreTable("order_origin", .onlyHere, "the origins of ordered messages"),
        StoreTable("order_home", .onlyHere, "the destinations of undone orders"),
        StoreTable("screener", .onlyHere, "the start of the screener"),
        StoreTable("unsubscription", .onlyHere, "unsubscribed senders"),
    ]
}
