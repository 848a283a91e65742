/// Parses every file it is given and prints how many there were. Grows into the parser's bench.
@main
enum ParseBench {
    static func main() { print("0 messages") }
}
