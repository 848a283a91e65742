/// The numbers of an `ol`. HTML Standard §4.4.5.
struct HTMLList {
    private enum Style {
        case decimal
        case letters(first: UInt8)
        case roman(isUpper: Bool)
    }

    private let style: Style
    private let step: Int
    private var next: Int

    init(_ list: some HTMLAttributes) {
        style = Self.style(list) ?? .decimal
        let isReversed = Self.isReversed(list)
        step = isReversed ? -1 : 1
        next = Self.start(list) ?? (isReversed ? list.itemCount ?? 1 : 1)
    }

    /// Whether the first number depends on how many items the list has.
    static func isCounted(_ list: some HTMLAttributes) -> Bool { isReversed(list) && start(list) == nil }

    /// The marker of the next item: `3. `, `c. `, `iii. `.
    mutating func marker(of item: some HTMLAttributes) -> String {
        let number = Self.number(item, "value") ?? next
        next = number + step
        return Self.text(number, Self.style(item) ?? style) + ". "
    }

    // MARK: Attributes

    private static func isReversed(_ list: some HTMLAttributes) -> Bool {
        list.withValue(of: "reversed") { _ in true } ?? false
    }

    private static func start(_ list: some HTMLAttributes) -> Int? { number(list, "start") }

    private static func style(_ element: some HTMLAttributes) -> Style? {
        element.withValue(of: "type") { value -> Style? in
            guard value.count == 1 else { return nil }
            switch value[0] {
            case UInt8(ascii: "1"): return .decimal
            case UInt8(ascii: "a"), UInt8(ascii: "A"): return .letters(first: value[0])
            case UInt8(ascii: "i"): return .roman(isUpper: false)
            case UInt8(ascii: "I"): return .roman(isUpper: true)
            case _: return nil
            }
        } ?? nil
    }

    /// Up to six digits, with or without a sign.
    private static func number(_ attributes: some HTMLAttributes, _ name: StaticString) -> Int? {
        let found: Int?? = attributes.withValue(of: name) { value in
            value.count <= 7 ? Int(String(decoding: value, as: UTF8.self)) : nil
        }
        return found ?? nil
    }

    // MARK: Numbers

    /// In digits where the style has no other way: letters begin at 1, and Roman numbers end at 3999.
    private static func text(_ number: Int, _ style: Style) -> String {
        switch style {
        case .letters(let first) where number > 0: letters(number, first)
        case .roman(let isUpper) where (1...3_999).contains(number):
            isUpper ? roman(number) : roman(number).lowercased()
        case .decimal, .letters, .roman: String(number)
        }
    }

    /// a … z, aa, ab …
    private static func letters(_ number: Int, _ first: UInt8) -> String {
        var text: [UInt8] = []
        var rest = number
        while rest > 0 {
            text.append(first + UInt8((rest - 1) % 26))
            rest = (rest - 1) / 26
        }
        return String(decoding: text.reversed(), as: UTF8.self)
    }

    private static func roman(_ number: Int) -> String {
        var text = ""
        var rest = number
        for (value, sign) in signs {
            while rest >= value {
                text += sign
                rest -= value
            }
        }
        return text
    }

    private static let signs = [
        (1_000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"),
        (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
    ]
}
