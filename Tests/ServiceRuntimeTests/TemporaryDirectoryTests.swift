import Glibc
import TestSupport
import Testing

@Suite struct TemporaryDirectoryTests {
  /// Once a test put a link to a directory of the system into its own, and the clean-up emptied that.
  @Test func whatALinkPointsToSurvives() throws {
    let other = try TemporaryDirectory()
    let file = "\(other.path)/kept"
    close(creat(file, 0o600))
    var directory: TemporaryDirectory? = try TemporaryDirectory()
    let path = try #require(directory?.path)
    mkdir("\(path)/folder", 0o700)
    for place in ["\(path)/link", "\(path)/folder/link"] { #expect(symlink(other.path, place) == 0) }
    directory = nil
    #expect(access(path, F_OK) != 0)
    #expect(other.mode(of: "kept") == 0o600)
  }
}
