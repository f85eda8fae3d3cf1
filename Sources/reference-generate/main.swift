// Writes the manual pages and completion scripts of all programs, for packages and for who installs by hand.
//
// usage: reference-generate PROSE-DIRECTORY OUTPUT-DIRECTORY [YYYY-MM-DD]

import Configuration
import Glibc
import Reference
import ServiceRuntime

func complain(_ text: String) {
  var line = "\(text)\n"
  line.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard (2...3).contains(arguments.count) else {
  complain("usage: reference-generate PROSE-DIRECTORY OUTPUT-DIRECTORY [YYYY-MM-DD]")
  exit(ExitCode.usage.rawValue)
}
do throws(SystemError) {
  for document in ReferenceDocument.all(date: arguments.count == 3 ? arguments[2] : "") {
    var prose = ""
    if let name = document.proseFile {
      prose = String(
        decoding: try Files.read("\(arguments[0])/\(name)", maximumBytes: 1 << 20), as: UTF8.self)
    }
    let path = "\(arguments[1])/\(document.path)"
    try Files.makeDirectory(Files.parent(of: path), mode: 0o755)
    try Files.replace(path, with: Array(document.text(prose).utf8), mode: 0o644)
  }
} catch {
  complain("reference-generate: \(error)")
  exit(ExitCode.internalError.rawValue)
}
