import MAVLink

/// A message's fields as the judge writes them, in the order of the specification; names without
/// case and underscores.
func fieldsText(_ message: some Message) -> String {
  Mirror(reflecting: message).children
    .map { "\(plain($0.label ?? ""))=\(text(of: $0.value))" }.joined(separator: ";")
}

func plain(_ name: String) -> String { name.lowercased().filter { $0 != "_" } }

private func text(of value: Any) -> String {
  switch value {
  case let value as any FieldText: value.fieldText
  case let value as any PayloadConstant: "\(value.payloadBits)"
  case let value as any FixedWidthInteger: "\(value)"
  default: "unexpected \(type(of: value))"
  }
}

protocol FieldText {
  var fieldText: String { get }
}

extension Float: FieldText {
  var fieldText: String {
    let digits = String(bitPattern, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}

extension FixedText: FieldText {
  var fieldText: String { hex(bytes.elements) }
}

extension FixedArray: FieldText {
  var fieldText: String { elements.map { text(of: $0) }.joined(separator: ",") }
}
