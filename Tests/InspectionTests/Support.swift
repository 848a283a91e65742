import Models

/// `code exit` of the problem that is thrown.
func refusal(_ body: () throws -> some Any) -> String {
    do {
        _ = try body()
        return "no refusal"
    } catch {
        guard let problem = error as? Problem else { return "\(error)" }
        return "\(problem.code) \(problem.exit.rawValue)"
    }
}
