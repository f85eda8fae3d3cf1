import MAVLinkServices

extension VehicleLink {
  /// Stops repeating the action under way and sends nothing in its place: a pilot has the vehicle.
  public func abandon() {
    heldTarget = nil
    carryOut(driver.abandon(because: "given up"))
  }
}
