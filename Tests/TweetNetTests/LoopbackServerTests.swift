import Foundation
import TestSupport
import Testing

/// The server of the tests does what scripts ask for. A tool that bears every fault would not show that one did not
/// happen.
@Suite(.onOwnThread) struct LoopbackServerTests {
  /// What a client gets up to the end of the connection, and whether a reset ends it.
  private func exchange(_ method: String, _ steps: [String]) throws -> (text: String, isReset: Bool) {
    let service = try FaultyService(([method + " /a"] + steps).joined(separator: "\n  "))
    let descriptor = try LoopbackSocket.connected(to: service.port)
    defer { close(descriptor) }
    // Two requests at once: the second one is answered only if the first answer leaves the connection open.
    let requests = Array(String(repeating: "\(method) /a?b HTTP/1.1\r\nHost: x\r\n\r\n", count: 2).utf8)
    try #require(send(descriptor, requests, requests.count, Int32(MSG_NOSIGNAL)) == requests.count)
    shutdown(descriptor, Int32(SHUT_WR))
    var text = ""
    var bytes = [UInt8](repeating: 0, count: 65_536)
    var count = 0
    repeat {
      count = recv(descriptor, &bytes, bytes.count, 0)
      text += String(decoding: bytes[..<max(0, count)], as: UTF8.self)
    } while count > 0
    let fault = count < 0 ? errno : 0
    #expect(fault == 0 || fault == ECONNRESET, "\(fault)")
    #expect(service.requests.first?.target == "\(method) /a?b")
    return (text, fault == ECONNRESET)
  }

  private static let head =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n"

  @Test(arguments: [
    (["text ab", "end"], head + "2\r\nab\r\n0\r\n\r\n", false),
    (["text ab", "close"], head + "2\r\nab\r\n", false),
    (["split 1", "text ab", "pause 20ms", "reset"], head + "2\r\nab\r\n", true),
    (["cut 37", "text ab"], String(decoding: Array(head.utf8).prefix(37), as: UTF8.self), true),
    (["raw", "text ab", "close"], "ab", false),
  ])
  func aStreamEndsAsItsScriptSays(_ steps: [String], _ text: String, _ isReset: Bool) throws {
    let got = try exchange("GET", steps)
    #expect(got.text == text && got.isReset == isReset)
  }

  @Test func aWholeAnswerHasItsLengthAndLeavesTheConnectionOpen() throws {
    let answer = "HTTP/1.1 404 No\r\nA: b\r\nContent-Length: 2\r\n\r\n"
    let steps = ["status 404 No", "header A: b", "body ab"]
    #expect(try exchange("GET", steps).text == answer + "ab" + answer + "ab")
    #expect(try exchange("HEAD", steps).text == answer + answer)
  }
}
