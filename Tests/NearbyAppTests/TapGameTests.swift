import NearbyApp
import TestSupport
import Testing

/// Two players and what is on its way between them.
private struct Match {
  var games = [TapGame(), TapGame()]
  var ways: [[TapMessage]] = [[], []]
  var results: [TapGame.Result?] = [nil, nil]
  var now = ContinuousClock.now

  mutating func perform(_ actions: [TapGame.Action], of player: Int) {
    for action in actions {
      switch action {
      case .send(let message): ways[player].append(message)
      case .started: results[player] = nil
      case .ended(let result): results[player] = result
      }
    }
  }

  mutating func ready(_ player: Int) { perform(games[player].ready(at: now), of: player) }
  mutating func press(_ player: Int) { perform(games[player].press(at: now), of: player) }
  mutating func tick() { for player in 0...1 { perform(games[player].tick(at: now), of: player) } }

  /// Hands on the oldest message of a player.
  mutating func deliver(from player: Int) {
    guard !ways[player].isEmpty else { return }
    let message = ways[player].removeFirst()
    guard let received = TapMessage(message.encoded) else {
      Issue.record("\(message) does not survive the way")
      return
    }
    perform(games[1 - player].received(received, at: now), of: 1 - player)
  }

  mutating func deliverAll() {
    while !ways[0].isEmpty || !ways[1].isEmpty {
      deliver(from: 0)
      deliver(from: 1)
    }
  }

  mutating func begin() {
    ready(0)
    ready(1)
    deliverAll()
  }
}

struct TapGameTests {
  @Test func aRoundBeginsWhenBothAreReadyAndTakes30Seconds() {
    var match = Match()
    match.ready(0)
    #expect(match.games[0].phase == .waiting)
    match.deliverAll()
    #expect(match.games[1].isOpponentReady)
    match.ready(1)
    match.deliverAll()
    let until = match.now.advanced(by: .seconds(30))
    #expect(match.games.map(\.phase) == [.playing(until: until), .playing(until: until)])
    #expect(match.games[0].timeLeft(at: match.now) == .seconds(30))
  }

  @Test func pressesAreCountedAndShownOnTheOtherSide() {
    var match = Match()
    match.begin()
    for _ in 0..<3 { match.press(0) }
    match.press(1)
    match.deliverAll()
    #expect(match.games[0].ownCount == 3 && match.games[0].theirCount == 1)
    #expect(match.games[1].ownCount == 1 && match.games[1].theirCount == 3)
  }

  @Test func pressesBeforeAndAfterTheRoundDoNotCount() {
    var match = Match()
    match.press(0)
    match.begin()
    match.press(0)
    match.now = match.now.advanced(by: .seconds(30))
    match.press(0)
    #expect(match.games[0].ownCount == 1)
    #expect(match.ways[0] == [TapMessage(.playing, count: 1), TapMessage(.finished, count: 1)])
  }

  @Test(arguments: [(5, 3, TapGame.Result.won), (3, 5, .lost), (4, 4, .drawn), (0, 0, .drawn)])
  func bothSeeTheSameWinner(_ first: Int, _ second: Int, _ result: TapGame.Result) {
    var match = Match()
    match.begin()
    for _ in 0..<first { match.press(0) }
    for _ in 0..<second { match.press(1) }
    match.now = match.now.advanced(by: .seconds(30))
    match.tick()
    #expect(match.results == [nil, nil])
    match.deliverAll()
    #expect(match.results == [result, result == .won ? .lost : result == .lost ? .won : .drawn])
  }

  @Test func lastPressesThatCrossDoNotDivideThem() {
    var match = Match()
    match.begin()
    match.now = match.now.advanced(by: .milliseconds(29_999))
    // Both press in the last moment; nothing has arrived when both are over.
    match.press(0)
    match.press(1)
    match.press(1)
    match.now = match.now.advanced(by: .milliseconds(1))
    match.tick()
    // The frozen count of one arrives long before the other's.
    match.deliver(from: 1)
    match.deliver(from: 1)
    match.deliver(from: 1)
    match.now = match.now.advanced(by: .seconds(5))
    match.tick()
    #expect(match.results == [.lost, nil])
    match.deliverAll()
    #expect(match.results == [.lost, .won])
  }

  @Test func anotherRoundNeedsBothAgain() {
    var match = Match()
    match.begin()
    match.press(0)
    match.now = match.now.advanced(by: .seconds(30))
    match.tick()
    match.deliverAll()
    match.ready(0)
    match.ready(0)
    match.deliverAll()
    #expect(match.games[0].phase == .over(.won))
    match.ready(1)
    match.deliverAll()
    #expect(match.games.map(\.ownCount) == [0, 0])
    guard case .playing = match.games[1].phase else {
      Issue.record("\(match.games[1].phase)")
      return
    }
    #expect(match.games[0].score == (1, 0, 0))
    #expect(match.games[1].score == (0, 1, 0))
  }

  @Test func aLostOpponentEndsTheGame() {
    var match = Match()
    match.begin()
    match.games[0].opponentLost()
    #expect(match.games[0].phase == .abandoned)
    match.press(0)
    match.ready(0)
    match.tick()
    #expect(match.ways[0].isEmpty)
  }

  @Test func anOpponentThatNeverFinishesIsNotWaitedForForever() {
    var match = Match()
    match.begin()
    match.now = match.now.advanced(by: .seconds(30))
    match.tick()
    match.now = match.now.advanced(by: .seconds(30))
    match.tick()
    #expect(match.results[0] == .unknown)
    #expect(match.games[0].score == (0, 0, 0))
    match.ready(0)
    #expect(match.ways[0].last == TapMessage(.playing, count: 0))
  }

  @Test func whatFollowsTheFrozenCountIsIgnored() {
    var match = Match()
    match.begin()
    let now = match.now
    _ = match.games[0].received(TapMessage(.playing, count: 9), at: now)
    _ = match.games[0].received(TapMessage(.playing, count: 4), at: now)
    #expect(match.games[0].theirCount == 9)
    _ = match.games[0].received(TapMessage(.finished, count: 10), at: now)
    _ = match.games[0].received(TapMessage(.playing, count: 99), at: now)
    _ = match.games[0].received(TapMessage(.finished, count: 99), at: now)
    #expect(match.games[0].theirCount == 10)
  }

  @Test func anyOrderOfEventsEndsWithOneWinner() {
    for seed in UInt64(0)..<200 {
      var random = SplitMix64(seed: seed)
      var match = Match()
      let start = match.now
      var steps = 0
      while match.results.contains(nil), steps < 20_000 {
        steps += 1
        match.now = match.now.advanced(by: .milliseconds(Int.random(in: 0...40, using: &random)))
        let player = Int.random(in: 0...1, using: &random)
        switch random.next() % 5 {
        case 0: match.deliver(from: player)
        case 1: match.ready(player)
        case 2: match.press(player)
        default: match.perform(match.games[player].tick(at: match.now), of: player)
        }
        // Before a result was seen there is no other round to begin.
        if match.results[player] != nil { match.deliverAll() }
      }
      let isFair: Bool
      switch (match.results[0], match.results[1]) {
      case (.won?, .lost?), (.lost?, .won?), (.drawn?, .drawn?): isFair = true
      default: isFair = false
      }
      #expect(isFair, "seed \(seed): \(match.results) after \(start.duration(to: match.now))")
    }
  }
}

struct TapMessageTests {
  @Test func theFormIsThatOfTheGame() {
    #expect(
      String(decoding: TapMessage(.playing, count: 7).encoded, as: UTF8.self) == #"{"code":0,"count":7}"#)
    #expect(
      String(decoding: TapMessage(.finished, count: 0).encoded, as: UTF8.self) == #"{"code":1,"count":0}"#)
    #expect(
      TapMessage(Array(#"{ "count": 3, "code": 1, "more": [] }"#.utf8)) == TapMessage(.finished, count: 3))
  }

  @Test(arguments: [
    "", "{}", "[]", #"{"code":0}"#, #"{"code":2,"count":1}"#, #"{"code":0,"count":-1}"#,
    #"{"code":0,"count":1.5}"#,
    #"{"code":0,"count":100001}"#, #"{"code":0,"count":"1"}"#, #"{"code":0,"count":1}x"#,
    #"{"code":0,"count":99999999999999999999}"#, String(repeating: "[", count: 300),
  ])
  func anythingElseIsNoMessage(_ text: String) { #expect(TapMessage(Array(text.utf8)) == nil) }
}
