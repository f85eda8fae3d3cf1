/// The top dictionary of a keyed archive: where its objects are and which of them is the archived one.
struct ArchiveHeader {
  /// Property list object of the archived object: a dictionary.
  let rootObject: Int
  /// Property list object of `$null`, the first of `$objects`.
  let nullObject: Int
  private let objects: PropertyListObject

  init(_ layout: PropertyListLayout, _ bytes: Span<UInt8>, rootKey: String) throws(KeyedArchiveError) {
    let top = try layout.object(layout.topObject, bytes)
    guard top.kind == .dictionary, top.count == 4 else { throw .badHeader(.shape) }
    var archiver: PropertyListObject?
    var version: PropertyListObject?
    var topKeys: PropertyListObject?
    var objects: PropertyListObject?
    for index in 0..<4 {
      let key = try layout.object(layout.reference(top, index, bytes), bytes)
      let value = try layout.object(layout.reference(top, 4 + index, bytes), bytes)
      if matches(key, "$archiver", bytes) {
        archiver = value
      } else if matches(key, "$version", bytes) {
        version = value
      } else if matches(key, "$top", bytes) {
        topKeys = value
      } else if matches(key, "$objects", bytes) {
        objects = value
      }
    }
    // Four keys, four of these: none is missing and none is there twice.
    guard let archiver, let version, let topKeys, let objects else { throw .badHeader(.shape) }
    guard matches(archiver, "NSKeyedArchiver", bytes) else { throw .badHeader(.archiver) }
    guard version.kind == .integer, version.count <= 8,
      bigEndian(bytes, at: Int(version.start), size: Int(version.count)) == 100_000
    else { throw .badHeader(.version) }
    guard topKeys.kind == .dictionary, topKeys.count == 1 else { throw .badHeader(.top) }
    guard objects.kind == .array, objects.count > 0 else { throw .badHeader(.objects) }
    nullObject = layout.reference(objects, 0, bytes)
    guard matches(try layout.object(nullObject, bytes), "$null", bytes) else { throw .badHeader(.objects) }

    let key = try layout.object(layout.reference(topKeys, 0, bytes), bytes)
    guard matches(key, rootKey, bytes) else { throw .missingRoot(key: rootKey) }
    let uid = try layout.object(layout.reference(topKeys, 1, bytes), bytes)
    guard uid.kind == .uid else { throw .badHeader(.top) }
    self.objects = objects
    guard let root = Self.object(forUID: uid, in: objects, layout, bytes),
      try layout.object(root, bytes).kind == .dictionary
    else { throw .missingRoot(key: rootKey) }
    rootObject = root
  }

  /// The property list object that a UID stands for: an index into `$objects`. `nil` when there is none.
  func object(forUID uid: PropertyListObject, _ layout: PropertyListLayout, _ bytes: Span<UInt8>) -> Int? {
    Self.object(forUID: uid, in: objects, layout, bytes)
  }

  private static func object(
    forUID uid: PropertyListObject, in objects: PropertyListObject, _ layout: PropertyListLayout,
    _ bytes: Span<UInt8>
  ) -> Int? {
    let index = bigEndian(bytes, at: Int(uid.start), size: Int(uid.count))
    guard index < UInt64(objects.count) else { return nil }
    return layout.reference(objects, Int(index), bytes)
  }

  /// Refuses objects beside the archived one and its class that are more than a single value, wanted or not.
  func checkNoStrayObjects(classObject: Int, _ layout: PropertyListLayout, _ bytes: Span<UInt8>)
    throws(KeyedArchiveError)
  {
    for index in 1..<Int(objects.count) {
      let number = layout.reference(objects, index, bytes)
      if number == rootObject || number == classObject { continue }
      let kind = try layout.object(number, bytes).kind
      guard !kind.isContainer, kind != .uid else { throw .badHeader(.strayObject) }
    }
  }
}
