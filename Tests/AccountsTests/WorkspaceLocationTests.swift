import Accounts
import Foundation
import Models
import TestSupport
import Testing

@Suite struct WorkspaceLocationTests {
    /// Which of these files exist, which one is requested, and which one is used.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let files: [String]
        var explicit: String?
        var variables: [String: String] = [:]
        let directory: String
        let found: String?

        init(
            _ name: String, files: [String], explicit: String? = nil, variables: [String: String] = [:],
            in directory: String, _ found: String?
        ) {
            testDescription = name
            self.files = files
            self.explicit = explicit
            self.variables = variables
            self.directory = directory
            self.found = found
        }
    }

    @Test(arguments: [
        Case("the nearest parent folder", files: ["a/opus.yaml", "opus.yaml"], in: "a/b/c", "a/opus.yaml"),
        Case("the folder itself", files: ["a/opus.yaml"], in: "a", "a/opus.yaml"),
        Case(
            "an option before everything", files: ["x/opus.yaml", "a/opus.yaml", "y/opus.yaml"],
            explicit: "../x",
            variables: ["OPUS_WORKSPACE": "@/y"], in: "a", "x/opus.yaml"),
        Case(
            "the variable before the parents", files: ["y/opus.yaml", "a/opus.yaml"],
            variables: ["OPUS_WORKSPACE": "@/y"],
            in: "a", "y/opus.yaml"),
        Case(
            "an empty variable is none", files: ["a/opus.yaml"], variables: ["OPUS_WORKSPACE": ""], in: "a",
            "a/opus.yaml"),
        Case(
            "the file itself may be named", files: ["x/other.yaml"], explicit: "x/other.yaml", in: "",
            "x/other.yaml"),
        Case(
            "what was named and is not there is still named", files: ["a/opus.yaml"], explicit: "../nowhere",
            in: "a", "nowhere/opus.yaml"),
        Case(
            "a tilde is the home folder", files: ["home/w/opus.yaml"], explicit: "~/w", in: "",
            "home/w/opus.yaml"),
        Case(
            "the installed user's folder last", files: ["home/.config/opus/opus.yaml"], in: "a",
            "home/.config/opus/opus.yaml"),
        Case(
            "the installed user's folder may be elsewhere",
            files: ["cfg/opus/opus.yaml", "home/.config/opus/opus.yaml"],
            variables: ["XDG_CONFIG_HOME": "@/cfg"], in: "a", "cfg/opus/opus.yaml"),
        Case(
            "a relative XDG variable is no variable", files: ["home/.config/opus/opus.yaml"],
            variables: ["XDG_CONFIG_HOME": "cfg"], in: "a", "home/.config/opus/opus.yaml"),
        Case("a folder called opus.yaml is no file", files: ["a/opus.yaml/x"], in: "a", nil),
        Case("nothing", files: [], in: "a", nil),
    ])
    func lookUp(_ example: Case) throws {
        let folder = try TemporaryFolder()
        for file in example.files { try folder.write("config-version: 1\n", to: file) }
        try folder.write("", to: example.directory + "/keep")
        var environment = ["HOME": folder.path + "/home"]
        for (name, value) in example.variables {
            environment[name] = value.replacingOccurrences(of: "@", with: folder.path)
        }
        let location = Workspace.locate(
            explicit: example.explicit, environment: environment,
            currentDirectory: folder.path + "/" + example.directory)
        #expect(location?.configFile == example.found.map { folder.path + "/" + $0 })
    }

    @Test func `a workspace in its own folder keeps everything beside opus.yaml`() throws {
        let folder = try TemporaryFolder()
        let workspace = try #require(try folder.load("config-version: 1\n").workspace)
        #expect(workspace.root == folder.path)
        #expect(workspace.rulesFolder == folder.path + "/rules")
        #expect(workspace.tasksFolder == folder.path + "/tasks")
        #expect(workspace.storeFolder == folder.path + "/.opus")
    }

    @Test
    func `without a workspace folder, rules are beside opus.yaml, and tasks and store in the data folder`()
        throws
    {
        let folder = try TemporaryFolder()
        try folder.write("config-version: 1\n", to: "home/.config/opus/opus.yaml")
        for variables in [[:], ["XDG_DATA_HOME": folder.path + "/data"]] {
            let environment = ["HOME": folder.path + "/home"].merging(variables) { first, _ in first }
            let location = try #require(
                Workspace.locate(explicit: nil, environment: environment, currentDirectory: "/"))
            let workspace = try #require(Workspace.load(location).workspace)
            let data =
                variables.isEmpty ? folder.path + "/home/.local/share/opus" : folder.path + "/data/opus"
            #expect(workspace.rulesFolder == folder.path + "/home/.config/opus/rules")
            #expect(workspace.tasksFolder == data + "/tasks")
            #expect(workspace.storeFolder == data)
        }
    }

    @Test func `only the owner can read the store, and git ignores it`() throws {
        let folder = try TemporaryFolder()
        let workspace = try #require(try folder.load("config-version: 1\n").workspace)
        for _ in 0..<2 {
            try workspace.makeStoreFolder()
            #expect(try folder.mode(".opus") == 0o700)
            #expect(
                FileManager.default.contents(atPath: folder.path + "/.opus/.gitignore") == Data("*\n".utf8))
        }
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: folder.path + "/.opus")
        try workspace.makeStoreFolder()
        #expect(try folder.mode(".opus") == 0o700)
    }

    @Test func `the error about a store that cannot be made names the path`() throws {
        let folder = try TemporaryFolder()
        try folder.write("in the way", to: ".opus")
        let workspace = try #require(try folder.load("config-version: 1\n").workspace)
        #expect(throws: AccountError.self) { try workspace.makeStoreFolder() }
    }

    @Test func `a missing or unreadable settings file is an error that names the file`() throws {
        let folder = try TemporaryFolder()
        let location = try #require(
            Workspace.locate(explicit: folder.path, environment: [:], currentDirectory: "/"))
        #expect(Workspace.load(location).diagnostics.map(\.code) == ["C001"])
        try Data([0x61, 0xFF, 0x3A]).write(to: URL(fileURLWithPath: folder.path + "/opus.yaml"))
        #expect(
            Workspace.load(location).diagnostics.map(\.message) == [
                "the file cannot be read: it is not UTF-8 text"
            ])
    }
}
