// The main program of the unit tests.
//
// Without this file, the build looks for XCTest's test cases, and needs an index of all sources for it: an eighth of the
// processor time of a build. All tests use Swift Testing.

import Testing

@main
struct UnitTests {
    static func main() async {
        await Testing.__swiftPMEntryPoint() as Never
    }
}
