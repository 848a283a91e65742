import YAMLSource

/// `brakes: { share: 50, count: 50, sends: 20, trash: 50 }`: a plan that exceeds one of these is applied only
/// with its id.
enum BrakesReader {
    static func read(_ node: YAMLNode, _ reader: inout ConfigReader) -> Workspace.Brakes {
        var brakes = Workspace.Brakes()
        guard let section = reader.section(node, "brakes", keys: ["share", "count", "sends", "trash"]) else {
            return brakes
        }
        if let share = reader.number("share", in: section, 1...100) { brakes.share = share }
        if let count = reader.number("count", in: section, 0...1_000_000) { brakes.count = count }
        if let sends = reader.number("sends", in: section, 0...10_000) { brakes.sends = sends }
        if let trash = reader.number("trash", in: section, 0...1_000_000) { brakes.trash = trash }
        return brakes
    }
}
