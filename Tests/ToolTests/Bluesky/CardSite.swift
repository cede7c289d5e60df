import Foundation
import TestSupport

/// Pages that a card can be of: `/` with a title, a text and a picture, others that are slow, large, or lead elsewhere.
struct CardSite {
  let server: LoopbackServer

  init() throws {
    // More than apps show, and no more than is fetched.
    let picture = try PictureSample.noise(width: 1400, height: 300)
    let count = StoredText()
    server = try LoopbackServer { request, connection in
      func page(_ head: String) -> String { "<!doctype html><html><head>\(head)</head><body>tea</body></html>" }
      func image(_ address: String) -> String { "<meta property=\"og:image\" content=\"\(address)\">" }
      let html = ["Content-Type: text/html; charset=utf-8"]
      let path = request.path
      switch path {
      case "/":
        connection.answer(
          200,
          page(
            "<title>no</title><meta property=og:title content='Tea &amp; milk'>"
              + "<meta property=og:description content='All of it'>" + image("/moved.png")), headers: html)
      case "/moved.png": connection.answer(302, "", headers: ["Location: /picture.png"])
      case "/picture.png": connection.answer(200, picture, headers: ["Content-Type: image/png"])
      case "/plain": connection.answer(200, page("<title>Plain</title>"), headers: html)
      // Another title each time.
      case "/counted":
        count.text += "x"
        connection.answer(200, page("<title>\(count.text)</title>"), headers: html)
      case "/inward": connection.answer(302, "", headers: ["Location: http://127.0.0.1:1/secret"])
      case "/inward-picture": connection.answer(200, page("<title>In</title>" + image("/inward")), headers: html)
      case "/broken-picture": connection.answer(200, page("<title>Br</title>" + image("/broken")), headers: html)
      case "/broken":
        connection.answer(200, Array(picture.prefix(1000)), headers: ["Content-Type: image/png"])
      case "/bomb-picture": connection.answer(200, page("<title>Bo</title>" + image("/bomb")), headers: html)
      case "/bomb":
        connection.answer(
          200,
          PictureSample.pngHeader(width: 60000, height: 60000) + PictureSample.chunk("IDAT", [0, 1, 2])
            + PictureSample.chunk("IEND", []), headers: ["Content-Type: image/png"])
      case "/endless", "/endless-picture":
        if path == "/endless-picture" {
          return connection.answer(200, page("<title>En</title>" + image("/endless")), headers: html)
        }
        // It goes on as long as somebody takes it, up to a gigabyte.
        connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<title>Endless</title>")
        let block = [UInt8](repeating: 0x20, count: 1 << 20)
        for _ in 0..<1024 where connection.isOpen { connection.send(block) }
      default: connection.answer(404)
      }
    }
  }
}
