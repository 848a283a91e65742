/// Ticket systems, trackers and forums. They send confirmations and pass on what people wrote, with the same header, so
/// only the text shows which it is.
enum RelaySystems {
    static let names: Set<String> = fields.union(["x-mailer", "x-powered-by", "user-agent"])

    static func wrote(_ evidence: AnswerEvidence) -> Bool {
        evidence.hasAny(fields)
            || ["x-mailer", "x-powered-by", "user-agent"].contains { name in
                evidence.all(name).contains { body in mailers.contains { body.contains($0) } }
            }
    }

    private static let fields: Set<String> = [
        "x-zendesk-from-account-id", "x-zendesk-email-id", "x-zendesk-priority-mail",
        "x-rt-ticket", "rt-ticket", "x-rt-loop-prevention", "x-managed-by", "managed-by", "rt-originator",
        "x-otrs-loop", "x-otrs-ticketnumber", "x-freshdesk-ticket-id", "x-fd-ticket-id", "x-fw-entity-id",
        "x-jira-fingerprint", "x-atlassian-token", "x-hubspot-ticket-id", "x-hs-email-id",
        "x-helpscout-conversation",
        "x-intercom-conversation", "x-servicenow-generated", "x-sfdc-lk", "x-glpi-itemtype", "x-redmine-host",
        "x-redmine-issue-id", "x-github-reason", "x-gitlab-project", "x-bugzilla-type", "x-discourse-post-id",
        "x-launchpad-message-rationale", "x-youtrack-issue", "x-phabricator-mail-id",
    ]

    private static let mailers = [
        "zendesk", "otrs", "znuny", "zammad", "freshdesk", "osticket", "jira", "redmine", "glpi", "hesk",
        "help scout",
    ]
}
