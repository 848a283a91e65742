import CGumbo

/// The parts of tables, which close each other. HTML Standard §13.2.6.4.9 to §13.2.6.4.15.
extension NestedHTML {
    /// The start of a part of a table closes the parts before it.
    mutating func startTablePart(_ kind: NestingKind, _ tag: GumboTag) -> Bool {
        switch kind {
        case .section:
            closeParts(inside: .table)
        case .row:
            closeParts(inside: .section)
            close(while: .columns)
            if stack.top?.kind == .table { pushSection() }
            guard stack.top?.kind == .section else { return false }
            return push(OpenElement(tag: tag, kind: kind))
        case .cell:
            closeCell()
            guard stack.top?.kind == .row else { return false }
            return push(OpenElement(tag: tag, kind: kind))
        case .column:
            return stack.top?.kind == .columns
        case .caption, .columns, .void, .rule, .inline, .formatting, .link, .block, .heading, .paragraph,
            .preformatted, .item, .definition, .table, .html, .head, .body, .raw, .silent, .other:
            break
        }
        return stack.top?.kind == .table && push(OpenElement(tag: tag, kind: kind))
    }

    /// Closes the parts that end with a row, a section or a table, the innermost first.
    mutating func closeParts(inside kind: NestingKind) {
        closeCell()
        if kind == .row { return }
        close(while: .row)
        if kind == .section { return }
        close(while: .section)
        close(while: .columns)
    }

    /// Closes up to the cell, if only elements that end by themselves are open in it.
    mutating func closeCell() {
        guard stack.top?.kind == .cell || stack.top?.kind.isImplied ?? false else { return }
        while let top = stack.top, top.kind.isImplied { pop() }
        close(while: .cell)
    }

    mutating func close(while kind: NestingKind) { if stack.top?.kind == kind { pop() } }

    /// Opens the `tbody` for rows without one.
    mutating func pushSection() {
        if hiddenFrom == nil, !renderer.open(GUMBO_TAG_TBODY, NoAttributes()) { hiddenFrom = stack.count }
        stack.push(OpenElement(tag: GUMBO_TAG_TBODY, kind: .section))
    }
}
