import Models
public import Pipeline

/// `opus.undo/1`
public struct UndoDocument: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var kind: String
        var message: String?
        var rule: String
        /// `undo`, `cancel`, `nothing` or `cannot`.
        var answer: String
        var reason: String?
    }

    var schema = "opus.undo/1"
    var account: String
    /// Only if there are several accounts.
    var accounts: [String]?
    var undoes: String
    var alreadyUndoneBy: [String]
    var items: [Item]
    /// The result of the first account; missing if nothing was done.
    var result: RunDocument.Item?
    /// The results of all accounts, if there are several.
    var results: [RunDocument.Item]?

    public init(_ plan: UndoPlan, _ reports: [RunReport]) {
        let names = plan.accounts.map(\.rawValue)
        account = names.first ?? ""
        accounts = names.count > 1 ? names : nil
        undoes = plan.run.id.description
        alreadyUndoneBy = plan.undoneBy.map(\.description)
        items = plan.lines.map {
            Item(
                kind: StepName.kind($0.step.kind), message: $0.step.message?.shown,
                rule: $0.step.cause.name,
                answer: UndoWord.fate($0.fate), reason: UndoWord.reason($0.fate))
        }
        let items = reports.map(RunDocument.Item.init)
        result = items.first
        results = items.count > 1 ? items : nil
    }
}

/// The effect of an undo on one step, as a keyword for programs.
public enum UndoWord {
    /// `undo`, `cancel`, `nothing` or `cannot`.
    public static func fate(_ fate: UndoPlan.Line.Fate) -> String {
        switch fate {
        case .inverse: "undo"
        case .cancelled: "cancel"
        case .nothing: "nothing"
        case .cannot: "cannot"
        }
    }

    /// How the step is undone, or why not.
    public static func reason(_ fate: UndoPlan.Line.Fate) -> String? {
        switch fate {
        case .inverse(let kind): StepWords.inverse(kind)
        case .cancelled: nil
        case .nothing(let reason), .cannot(let reason): reason
        }
    }
}
