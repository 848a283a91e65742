// swift-tools-version: 6.2
// One row a target, lowest layer first; docs/Modules.md says what each owns, and Tests/Architecture
// holds the imports of Sources/* against it.

import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: [.byName(name: name), "TestSupport"] + dependencies,
        path: "Tests/\(name)Tests",
        resources: resources, swiftSettings: strict)
}

let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioHTTP: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioTLS: Target.Dependency = .product(name: "NIOTLS", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let nioConcurrency: Target.Dependency = .product(name: "NIOConcurrencyHelpers", package: "swift-nio")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let yams: Target.Dependency = .product(name: "Yams", package: "Yams")
let subprocess: Target.Dependency = .product(name: "Subprocess", package: "swift-subprocess")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

/// What a fuzz target promises of its input, as a module of the program that plays the fixed inputs.
func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: "fuzz-" + name, dependencies: dependencies + ["Oracle"],
        path: "Tests/Fuzz/Sources/fuzz-" + name,
        swiftSettings: strict)
}

func oracle(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/Fuzz/Sources/" + name, swiftSettings: strict)
}

let fuzzers = [
    fuzzer("addresses", ["MIMEParser", "Models"]),
    fuzzer("build", ["MIMEParser", "Models"]),
    fuzzer("dates", ["MIMEParser", "Models"]),
    fuzzer("headerwords", ["MIMEParser", "Models"]),
    fuzzer("html", ["MIMEParser", "Models"]),
    fuzzer("imap-framer", ["IMAPProtocol", "IMAPOracle", nioCore]),
    fuzzer("imap-response", ["IMAPProtocol", "IMAPOracle", nioCore]),
    fuzzer("imap-written", ["IMAPProtocol", "IMAPOracle", nioCore]),
    fuzzer("message", ["MIMEParser", "Models"]),
    fuzzer("modified-utf7", ["IMAPProtocol", "CIconv"]),
    fuzzer("phrases", ["Rules", "RulesOracle", "YAMLSource", "Models"]),
    fuzzer("query", ["Rules", "RulesOracle", "YAMLSource", "Models"]),
    fuzzer("repeats", ["TodoCalendar", "Models"]),
    fuzzer("rules", ["Rules", "RulesOracle", "YAMLSource", "Models"]),
    fuzzer("scram", ["SASL", "Crypto"]),
    fuzzer("signature", ["Crypto", "MIMEParser"]),
    fuzzer("vtodo", ["TodoCalendar", "CLibical", "TodoOracle", "Models"]),
]

let package = Package(
    name: "magnum-opus",
    products: [.executable(name: "opus", targets: ["opus"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        // Layer 0
        // Without pkg-config, which adds two libraries that opus does not use, and libdb with them: every start would load
        // all three. The module map links libical.
        .systemLibrary(name: "CLibical", path: "Sources/CLibical", providers: [.apt(["libical-dev"])]),
        .systemLibrary(
            name: "COpenSSL", path: "Sources/COpenSSL", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CGumbo", path: "Sources/CGumbo", pkgConfig: "gumbo", providers: [.apt(["libgumbo-dev"])]),
        .systemLibrary(
            name: "CZlib", path: "Sources/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "CRE2", linkerSettings: [.linkedLibrary("re2")]),
        .target(name: "CLinux"),
        module("Models"),
        module("Files", ["CLinux"]),
        module("Crypto", ["COpenSSL"]),
        // Layer 1
        module("SASL", ["Crypto"]),
        module("MIMEParser", ["Models", "Crypto", "CGumbo"]),
        module("IMAPProtocol", ["SASL", nioCore]),
        module("SMTPProtocol", ["SASL", nioCore]),
        module("Threading", ["Models"]),
        module("TodoCalendar", ["Models", "CLibical"]),
        module("YAMLSource", ["Models", yams]),
        module("Rules", ["Models", "MIMEParser", "CRE2", "YAMLSource", yams]),
        module("SyncPlanner", ["Models"]),
        // Layer 2
        module("Planner", ["Models", "MIMEParser", "Rules", "Crypto"]),
        module("RuleImport", ["Models", "Rules", "IMAPProtocol"]),
        module(
            "Inspection",
            [
                "Models", "Files", "Crypto", "SASL", "MIMEParser", "IMAPProtocol", "Threading",
                "TodoCalendar",
                "Rules", nioCore,
            ]),
        // Layer 3
        module("MailStore", ["Models", "CZlib", grdb, grdbSQLite]),
        module("TaskStore", ["Models", "TodoCalendar", "Crypto", "Files"]),
        module("Transport", ["Crypto", "CZlib", nioCore, nioPosix, nioTLS, nioSSL, nioConcurrency, logging]),
        module("Accounts", ["Models", "SASL", "YAMLSource", "CLinux", "Files", yams, subprocess]),
        // Layer 4
        module("IMAPClient", ["Models", "IMAPProtocol", "SASL", "Transport", nioCore, logging]),
        module("SMTPClient", ["Models", "SMTPProtocol", "SASL", "Transport", nioCore, logging]),
        module("HTTPClient", ["Transport", nioCore, nioHTTP, nioConcurrency, logging]),
        module("MaildirClient", ["Models", "Files", "IMAPProtocol"]),
        .target(
            name: "Discovery",
            dependencies: ["Models", "CLinux", "Crypto", "Transport", "HTTPClient", nioCore, logging],
            resources: [.embedInCode("Providers/providers.json")], swiftSettings: strict),
        // Layer 5
        module(
            "SyncEngine",
            [
                "Models", "Crypto", "SyncPlanner", "MailStore", "IMAPProtocol", "IMAPClient", "MaildirClient",
                "MIMEParser", "Threading", "TodoCalendar", nioCore, logging,
            ]),
        module(
            "Executor",
            [
                "Models", "Crypto", "MailStore", "TaskStore", "IMAPProtocol", "IMAPClient", "SMTPProtocol",
                "SMTPClient", "MaildirClient", "MIMEParser", "Files", nioCore, logging,
            ]),
        // Layer 6
        module(
            "Pipeline",
            [
                "Models", "Crypto", "SASL", "MIMEParser", "YAMLSource", "Rules", "Planner", "RuleImport",
                "Inspection", "CLinux", "Files", "MailStore",
                "TaskStore",
                "TodoCalendar",
                "Transport", "Accounts", "IMAPProtocol", "IMAPClient", "SMTPProtocol", "SMTPClient",
                "HTTPClient", "Discovery",
                "MaildirClient",
                "SyncEngine",
                "Executor",
                nioCore, logging,
            ]),
        // Layer 7
        module("Documents", ["Models", "Rules", "Inspection", "Discovery", "Pipeline"]),
        // Layer 8
        .executableTarget(
            name: "opus",
            dependencies: [
                "Models", "Rules", "YAMLSource", "Inspection", "Discovery", "Pipeline", "Documents", "CLinux",
                "Files",
                argumentParser,
                logging,
            ],
            exclude: ["DemoMail"], swiftSettings: strict,
            // What every start reads: relative relocations in a few kilobytes instead of megabytes (lld writes them, and
            // glibc 2.36 of Debian 12 reads them), and no table of 47,000 exported symbols, which `-static-stdlib` asks for.
            linkerSettings: [
                .unsafeFlags(
                    [
                        "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
                        "-Xlinker", "--no-export-dynamic",
                    ],
                    .when(configuration: .release))
            ]),

        // What `make bench` times: the parser over a folder of messages, and nothing else
        .executableTarget(
            name: "parse-bench", dependencies: ["MIMEParser", "Models"], path: "Tests/Bench/ParseBench",
            swiftSettings: strict),

        // What planning costs: an inbox of any size without a server, rules of any number, hostile patterns
        .executableTarget(
            name: "rules-bench", dependencies: ["MailStore", "MIMEParser", "Rules", "Planner", "Models"],
            path: "Tests/Bench/RulesBench", swiftSettings: strict),

        // What `make bench` times of task files: a folder read, looked at again, and written
        .executableTarget(
            name: "task-bench", dependencies: ["TaskStore", "Models"], path: "Tests/Bench/TaskBench",
            swiftSettings: strict),

        // What tests of several modules need: random numbers with a seed, scratch folders, values behind a lock
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),

        // A simulated server with the habits of the real ones. It imports nothing of ours: it must not share our mistakes.
        .target(
            name: "DialectServer", dependencies: [nioCore, nioPosix], path: "Tests/DialectServer",
            swiftSettings: strict),
        // The same as a program, for the harnesses in Tests/Kill
        .executableTarget(
            name: "model-server", dependencies: ["DialectServer"], path: "Tests/ModelServer",
            swiftSettings: strict),
        .testTarget(
            name: "DialectTests",
            dependencies: [
                "TestSupport", "DialectServer", "Models", "Crypto", "SASL", "IMAPProtocol", "Transport",
                "IMAPClient", "MailStore",
                "SyncPlanner", "SyncEngine", "TaskStore", "Executor", "MIMEParser", "SMTPProtocol",
                "SMTPClient", "Planner", "Pipeline",
                nioCore, logging,
            ],
            path: "Tests/DialectTests", swiftSettings: strict),

        // The fixed inputs of fuzzing; Tests/Fuzz is the package with libFuzzer
        .systemLibrary(name: "CIconv", path: "Tests/Fuzz/Sources/CIconv"),
        oracle("Oracle", ["MIMEParser", "Models"]),
        oracle("IMAPOracle", ["IMAPProtocol", "Oracle", nioCore]),
        oracle("RulesOracle", ["Models", "Rules"]),
        oracle("TodoOracle", ["Models"]),
        .executableTarget(
            name: "fixed-inputs", dependencies: fuzzers.map { .byName(name: $0.name) },
            path: "Tests/Fuzz/FixedInputs", swiftSettings: strict),

        // Tests, mirrored
        .testTarget(name: "Architecture", path: "Tests/Architecture", swiftSettings: strict),
        tests("Models"),
        tests("Files"),
        tests("Crypto"),
        tests("SASL"),
        tests("MIMEParser", ["Models"]),
        tests("IMAPProtocol", [nioCore, "SASL"]),
        tests("SMTPProtocol", [nioCore, "SASL"]),
        tests("Threading", ["Models"]),
        tests("TodoCalendar", ["Models", "CLibical"]),
        tests("YAMLSource", ["Models"]),
        tests("Rules", ["Models"]),
        tests("SyncPlanner", ["Models"]),
        tests("Planner", ["Models", "Rules", "Crypto"]),
        tests("RuleImport", ["Models", "Rules"]),
        tests("Inspection", ["Models", "Rules"]),
        tests("MailStore", ["Models", grdb]),
        tests("TaskStore", ["Models", "Files", "TodoCalendar"]),
        tests("Transport", ["Crypto", nioCore, nioPosix, nioSSL, logging]),
        tests("Accounts", ["Models", "SASL"]),
        tests("IMAPClient", ["Models", "IMAPProtocol", "SASL", "Transport", nioCore, nioPosix, logging]),
        tests(
            "SMTPClient", ["Models", "SMTPProtocol", "SASL", "Transport", nioCore, nioPosix, nioSSL, logging]),
        tests("HTTPClient", ["Transport", nioCore, nioPosix, logging]),
        tests("MaildirClient", ["Models"]),
        tests("Discovery", ["Models", "Crypto", logging]),
        tests(
            "SyncEngine",
            [
                "Models", "MailStore", "SyncPlanner", "MaildirClient", "Crypto", "IMAPProtocol", "IMAPClient",
                "SASL", "Transport", "DialectServer", nioCore, logging, grdb, grdbSQLite,
            ]),
        tests(
            "Executor",
            [
                "Models", "Crypto", "MailStore", "TaskStore", "MaildirClient", "MIMEParser", "DialectServer",
                "IMAPClient",
                "IMAPProtocol", "SASL", "Transport", nioCore, logging,
            ]),
        tests(
            "Pipeline",
            [
                "Models", "Documents", "Inspection", "Accounts", "Rules", "Planner", "MailStore", "TaskStore",
                "MaildirClient",
                "IMAPClient",
                "SMTPClient", "SMTPProtocol", "HTTPClient", "Discovery", "Transport", "SyncEngine",
                "SyncPlanner",
                logging, grdb,
            ]),
        tests("Documents", ["Models", "Inspection", "Pipeline"]),
        tests("opus", ["Models", "Inspection", "Pipeline", "Rules"]),
    ] + fuzzers,
    cxxLanguageStandard: .cxx17
)
