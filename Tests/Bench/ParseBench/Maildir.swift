/// The files of a Maildir, and their bytes, with nothing but system calls in between.
import Glibc

enum Maildir {
    /// Every file in `cur` and `new` of a Maildir and of its subfolders; of another folder its files.
    static func files(under folder: String) -> [String] {
        let entries = list(folder)
        let boxes = entries.filter { $0.hasPrefix(".") }.map { folder + "/" + $0 } + [folder]
        let places = boxes.flatMap { [$0 + "/cur", $0 + "/new"] } + (entries.contains("cur") ? [] : [folder])
        return places.flatMap { place in
            list(place).filter { !$0.hasPrefix(".") }.map { place + "/" + $0 }
        }
    }

    /// All bytes of a file, read into an array of just that size.
    static func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        let size = Int(status.st_size)
        var isWhole = false
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let taken = Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, size - count)
                guard taken > 0 else { break }
                count += taken
            }
            isWhole = count == size
        }
        return isWhole ? bytes : nil
    }

    private static func list(_ folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(entry.pointee.d_reclen)) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
