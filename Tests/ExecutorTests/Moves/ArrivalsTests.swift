import Testing

@testable import Executor

/// One who hands over and one who takes: nothing is lost, nothing comes twice, the order stays.
@Suite("Arrivals")
struct ArrivalsTests {
    @Test("waiting elements arrive together, also those added before the end")
    func atOnce() async {
        let arrivals = Arrivals<Int>()
        var iterator = arrivals.makeAsyncIterator()
        for number in 1...3 { arrivals.add(number) }
        #expect(await iterator.next() == [1, 2, 3])
        arrivals.add(4)
        arrivals.add(5)
        arrivals.finish()
        #expect(await iterator.next() == [4, 5])
        #expect(await iterator.next() == nil)
    }

    @Test("every element arrives once, in order, while another task adds")
    func race() async {
        for count in [0, 1, 2, 1_000] {
            let arrivals = Arrivals<Int>()
            async let adding: Void = {
                for number in 0..<count {
                    arrivals.add(number)
                    if number.isMultiple(of: 7) { await Task.yield() }
                }
                arrivals.finish()
            }()
            var taken: [Int] = []
            for await some in arrivals {
                #expect(!some.isEmpty)
                taken += some
            }
            await adding
            #expect(taken == Array(0..<count))
        }
    }
}
