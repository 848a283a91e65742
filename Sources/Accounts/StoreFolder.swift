extension Workspace {
    /// Creates the folder of the store: only for its owner, and ignored by git if it is inside a workspace.
    public func makeStoreFolder() throws(AccountError) {
        do throws(Disk.Failure) {
            try Disk.makePrivateFolder(storeFolder)
            if storeFolder.hasPrefix(root + "/") {
                try Disk.writeIfMissing("*\n", to: storeFolder + "/.gitignore")
            }
        } catch {
            switch error {
            case .system(let number, let path):
                throw AccountError(.storeFolder(errno: number), command: path, place: configFile)
            }
        }
    }
}
