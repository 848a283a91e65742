import Models

extension GTDList {
    /// The GTD name of the list. Other programs show it in place of the folder's name.
    var title: String {
        switch self {
        case .inbox: "Inbox"
        case .next: "Next actions"
        case .waiting: "Waiting for"
        case .scheduled: "Scheduled"
        case .someday: "Someday/maybe"
        case .reference: "Reference"
        case _: rawValue
        }
    }
}
