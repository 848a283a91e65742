// swift-tools-version: 6.2
// The fuzz targets of what reads strangers' bytes, and of what reads the rules, apart from the main package: they are built
// with libFuzzer and link nothing but the parsers of mail, of IMAP, of rules and of task files. Tests/fuzz.py builds and
// runs them. The main package has the same targets without libFuzzer, for the fixed inputs of `make test`.

import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")

/// An executable whose `main` is libFuzzer's.
func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: "fuzz-" + name, dependencies: dependencies,
        swiftSettings: strict + [.define("LIBFUZZER"), .unsafeFlags(["-parse-as-library"])])
}

let mail: [Target.Dependency] = ["MIMEParser", "Models", "Oracle"]
let yams: Target.Dependency = .product(name: "Yams", package: "Yams")
let rules: [Target.Dependency] = ["Rules", "RulesOracle", "YAMLSource", "Oracle", "Models"]
let tasks: [Target.Dependency] = ["TodoCalendar", "CLibical", "TodoOracle", "Oracle", "Models"]
let imap: [Target.Dependency] = ["IMAPProtocol", "IMAPOracle", "Oracle", nioCore]

let package = Package(
    name: "mail-fuzz",
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        .systemLibrary(name: "CGumbo", pkgConfig: "gumbo"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto"),
        .systemLibrary(name: "CIconv"),
        .target(name: "Models", swiftSettings: strict),
        .target(name: "MIMEParser", dependencies: ["Models", "CGumbo"], swiftSettings: strict),
        .target(name: "Crypto", dependencies: ["COpenSSL"], swiftSettings: strict),
        .target(name: "SASL", dependencies: ["Crypto"], swiftSettings: strict),
        .target(name: "IMAPProtocol", dependencies: ["SASL", nioCore], swiftSettings: strict),
        .target(name: "Oracle", dependencies: ["MIMEParser", "Models"], swiftSettings: strict),
        .target(
            name: "IMAPOracle", dependencies: ["IMAPProtocol", "Oracle", nioCore], swiftSettings: strict),
        .target(name: "CRE2", linkerSettings: [.linkedLibrary("re2")]),
        .target(name: "YAMLSource", dependencies: ["Models", yams], swiftSettings: strict),
        .target(
            name: "Rules", dependencies: ["Models", "MIMEParser", "CRE2", "YAMLSource", yams],
            swiftSettings: strict),
        .target(name: "RulesOracle", dependencies: ["Models", "Rules"], swiftSettings: strict),
        .systemLibrary(name: "CLibical", pkgConfig: "libical"),
        .target(name: "TodoCalendar", dependencies: ["Models", "CLibical"], swiftSettings: strict),
        .target(name: "TodoOracle", dependencies: ["Models"], swiftSettings: strict),
        fuzzer("vtodo", tasks),
        fuzzer("repeats", ["TodoCalendar", "Oracle", "Models"]),
        fuzzer("query", rules),
        fuzzer("rules", rules),
        fuzzer("phrases", rules),
        fuzzer("message", mail),
        fuzzer("headerwords", mail),
        fuzzer("addresses", mail),
        fuzzer("dates", mail),
        fuzzer("html", mail),
        fuzzer("build", mail),
        fuzzer("imap-framer", imap),
        fuzzer("imap-response", imap),
        fuzzer("imap-written", imap),
        fuzzer("modified-utf7", ["IMAPProtocol", "Oracle", "CIconv"]),
        fuzzer("scram", ["SASL", "Crypto", "Oracle"]),
        fuzzer("signature", ["Crypto", "MIMEParser", "Oracle"]),
    ])
