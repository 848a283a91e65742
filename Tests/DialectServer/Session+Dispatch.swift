/// From the name of a command to what carries it out.
extension Session {
    mutating func execute(_ command: ParsedCommand, _ state: inout ServerState) -> Reply {
        let arguments = command.arguments
        switch command.name {
        case "CAPABILITY": return capability(state)
        case "LOGIN": return login(arguments, &state)
        case "AUTHENTICATE": return startAuthenticate(command.tag, arguments, &state)
        case "ID": return identify(arguments, state)
        case "LOGOUT":
            return Reply(untagged: [Array("* BYE see you".utf8)], closes: true)
        case "ENABLE": return enable(arguments, state)
        case "NAMESPACE":
            guard state.profile.offers("NAMESPACE") else { return .bad("unknown command NAMESPACE") }
            let profile = state.profile
            return .ok(["* NAMESPACE ((\"\(profile.prefix)\" \"\(profile.delimiter)\")) NIL NIL"])
        case "NOOP", "CHECK": return updated(.ok(), state)
        case "LIST", "XLIST": return list(command, &state)
        case "STATUS": return status(arguments, state)
        case "CREATE": return create(arguments, &state)
        case "DELETE": return delete(arguments, &state)
        case "SUBSCRIBE", "UNSUBSCRIBE": return .ok()
        case "SELECT", "EXAMINE": return select(arguments, isReadOnly: command.name == "EXAMINE", &state)
        case "UNSELECT":
            guard state.profile.offers("UNSELECT") else { return .bad("unknown command UNSELECT") }
            view = nil
            return .ok()
        case "IDLE": return idle(command.tag, state)
        case "APPEND": return append(arguments, &state)
        default: return executeOnMessages(command, &state)
        }
    }

    private mutating func executeOnMessages(_ command: ParsedCommand, _ state: inout ServerState) -> Reply {
        let isUID = command.name.hasPrefix("UID ")
        let name = isUID ? String(command.name.dropFirst(4)) : command.name
        let reply: Reply
        switch name {
        case "FETCH": reply = fetch(command.arguments, isUID: isUID, &state)
        case "STORE": reply = store(command.arguments, isUID: isUID, &state)
        case "SEARCH": reply = search(command, isUID: isUID, &state)
        case "COPY": reply = transfer(command.arguments, isMove: false, isUID: isUID, &state)
        case "MOVE": reply = transfer(command.arguments, isMove: true, isUID: isUID, &state)
        case "EXPUNGE": reply = expunge(command.arguments, isUID: isUID, &state)
        case "CLOSE":
            reply = expunge([], isUID: false, &state)
            view = nil
            return reply
        default: return .bad("unknown command \(command.name)")
        }
        let before = reply.untagged.count
        var response = updated(reply, state, tellsExpunges: isUID || name == "EXPUNGE")
        if name == "MOVE", state.profile.expungesFirst {
            response.untagged = Array(response.untagged[before...] + response.untagged[..<before])
        }
        return response
    }

    /// The UIDs that a set names, of those that the client has been told of.
    func selected(
        _ argument: Argument?, isUID: Bool, _ state: inout ServerState
    ) -> (set: MessageSet, uids: [UInt32])? {
        guard let view, let text = argument?.text else { return nil }
        if text == "$" { return MessageSet("1:*").map { ($0, saved) } }
        guard let set = MessageSet(text) else { return nil }
        if set.hasStar { state.note("\(text) has a *, which Cyrus resolves against what it shows") }
        if !set.isAscending { state.note("\(text) is not ascending") }
        if isUID { return (set, set.select(view.known)) }
        let numbers = set.select((0..<view.known.count).map { UInt32($0 + 1) })
        return (set, numbers.map { view.known[Int($0) - 1] })
    }
}
