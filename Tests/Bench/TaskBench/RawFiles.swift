import Glibc

/// The time of the disk for complete new files: the system calls only, without tasks.
struct RawFiles {
    let folder: String
    let count: Int
    /// About as many as a task has.
    private let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 600)

    func write(each: Bool) {
        mkdir(folder, 0o755)
        let directory = open(folder, O_RDONLY | O_DIRECTORY)
        for number in 0..<count {
            make(number, syncs: each)
            if each { name(number, directory) }
        }
        guard !each else { return }
        sync()
        for number in 0..<count { name(number, nil) }
        fsync(directory)
        close(directory)
    }

    private func make(_ number: Int, syncs: Bool) {
        let file = open("\(folder)/.\(number).tmp", O_WRONLY | O_CREAT | O_EXCL, 0o644)
        _ = Glibc.write(file, bytes, bytes.count)
        if syncs { fsync(file) }
        close(file)
    }

    private func name(_ number: Int, _ directory: Int32?) {
        rename("\(folder)/.\(number).tmp", "\(folder)/\(number).ics")
        if let directory { fsync(directory) }
    }
}
