/// Parses every message of a Maildir, does the asked work with it, and prints what it saw: the parser's bench.
///
///     parse-bench [--threads N] [--work read|tree|decode|summary|full] [--repeat N] DIR
///
/// It reads no clock: its caller measures the whole process.
import Glibc
import Synchronization

@main
enum ParseBench {
    static func main() async {
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            print("usage: parse-bench [--threads N] [--work read|tree|decode|summary|full] [--repeat N] DIR")
            exit(64)
        }
        let files = Maildir.files(under: options.folder)
        var total = Tally()
        for _ in 0..<options.repeats {
            total += await tally(of: files, options)
        }
        print(
            "\(total.messages) messages \(total.bytes) bytes \(total.characters) characters "
                + "\(total.fileBytes) bytes in files \(total.failures) failures")
        exit(total.messages > 0 && total.failures == 0 ? 0 : 1)
    }

    /// Each worker takes the next free file; no other state is shared.
    private static func tally(of files: [String], _ options: Options) async -> Tally {
        let next = Counter()
        return await withTaskGroup(of: Tally.self) { group in
            for _ in 0..<options.threads {
                group.addTask {
                    var tally = Tally()
                    while true {
                        let index = next.take()
                        guard index < files.count else { return tally }
                        tally.add(files[index], options.work)
                    }
                }
            }
            return await group.reduce(into: Tally()) { $0 += $1 }
        }
    }
}

/// Hands out 0, 1, 2 … to any thread.
private final class Counter: Sendable {
    private let value = Atomic(0)

    func take() -> Int { value.wrappingAdd(1, ordering: .relaxed).oldValue }
}

/// The arguments of the command line.
struct Options {
    var threads = 1
    var work = Work.full
    var repeats = 1
    var folder = ""

    init?(_ arguments: some Sequence<String>) {
        var iterator = arguments.makeIterator()
        while let argument = iterator.next() {
            switch argument {
            case "--threads": threads = iterator.next().flatMap { Int($0) } ?? 0
            case "--repeat": repeats = iterator.next().flatMap { Int($0) } ?? 0
            case "--work":
                guard let found = iterator.next().flatMap(Work.init(rawValue:)) else { return nil }
                work = found
            case _: folder = argument
            }
        }
        guard !folder.isEmpty, threads > 0, repeats > 0 else { return nil }
    }
}
