/// A number and its noun: `1 message`, `2 messages`, `0 entries`.
public func counted(_ number: some BinaryInteger, _ noun: String, _ plural: String? = nil) -> String {
    "\(number) " + (number == 1 ? noun : plural ?? noun + "s")
}
