// swift-tools-version: 6.2
// The fuzz targets of the mail parser, apart from the main package: they are built with another run time and link
// nothing but the parser. Tests/fuzz.py builds and runs them.

import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// An executable whose `main` is libFuzzer's.
func fuzzer(_ name: String) -> Target {
    .executableTarget(
        name: "fuzz-" + name, dependencies: ["MIMEParser", "Models", "Oracle"],
        swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])])
}

let package = Package(
    name: "mail-fuzz",
    targets: [
        .systemLibrary(name: "CGumbo", pkgConfig: "gumbo"),
        .target(name: "Models", swiftSettings: strict),
        .target(name: "MIMEParser", dependencies: ["Models", "CGumbo"], swiftSettings: strict),
        .target(name: "Oracle", dependencies: ["MIMEParser", "Models"], swiftSettings: strict),
        fuzzer("message"),
        fuzzer("headerwords"),
        fuzzer("addresses"),
        fuzzer("dates"),
        fuzzer("html"),
        fuzzer("build"),
    ])
