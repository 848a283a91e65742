import CGumbo

/// The parts of tables, which end each other. HTML Standard §13.2.6.4.9 to §13.2.6.4.15.
extension NestedHTML {
    /// What begins a part of a table ends the parts before it.
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

    /// The parts that end where a row, a section or a table ends, innermost first.
    mutating func closeParts(inside kind: NestingKind) {
        closeCell()
        if kind == .row { return }
        close(while: .row)
        if kind == .section { return }
        close(while: .section)
        close(while: .columns)
    }

    /// Up to the cell, if only what ends by itself is open in it.
    mutating func closeCell() {
        guard stack.top?.kind == .cell || stack.top?.kind.isImplied ?? false else { return }
        while let top = stack.top, top.kind.isImplied { pop() }
        close(while: .cell)
    }

    mutating func close(while kind: NestingKind) { if stack.top?.kind == kind { pop() } }

    /// The `tbody` that rows without one get.
    mutating func pushSection() {
        if hiddenFrom == nil, !renderer.open(GUMBO_TAG_TBODY, NoAttributes()) { hiddenFrom = stack.count }
        stack.push(OpenElement(tag: GUMBO_TAG_TBODY, kind: .section))
    }
}
