import TweetCore

/// libchafa, which draws pictures as sixels and in symbols (<https://hpjansson.org/chafa/ref/>). It is loaded when such
/// a picture is drawn.
final class ChafaCanvas {
  static let libraries = ["libchafa.so.0", "libchafa.0.dylib", "libchafa.dylib"]

  /// The values of chafa-canvas-config.h.
  enum Mode {
    case sixel
    case symbols(isTrueColour: Bool)

    fileprivate var pixels: Int32 {
      switch self {
      case .symbols: 0
      case .sixel: 1
      }
    }

    fileprivate var colours: Int32 {
      switch self {
      case .symbols(isTrueColour: false): 2
      case .symbols, .sixel: 0
      }
    }
  }

  /// GString of glib/gstring.h begins so.
  private struct Text {
    var start: UnsafePointer<UInt8>?
    var count: Int
  }

  private struct Functions {
    let defaultTerminals: @convention(c) () -> OpaquePointer?
    let fallbackTerminal: @convention(c) (OpaquePointer) -> OpaquePointer?
    let newSymbols: @convention(c) () -> OpaquePointer?
    let addSymbols: @convention(c) (OpaquePointer, Int32) -> Void
    let newConfiguration: @convention(c) () -> OpaquePointer?
    let setGeometry: @convention(c) (OpaquePointer, Int32, Int32) -> Void
    let setCellGeometry: @convention(c) (OpaquePointer, Int32, Int32) -> Void
    let setPixelMode: @convention(c) (OpaquePointer, Int32) -> Void
    let setColourMode: @convention(c) (OpaquePointer, Int32) -> Void
    let setSymbols: @convention(c) (OpaquePointer, OpaquePointer) -> Void
    let newCanvas: @convention(c) (OpaquePointer) -> OpaquePointer?
    let draw: @convention(c) (OpaquePointer, Int32, UnsafePointer<UInt8>, Int32, Int32, Int32) -> Void
    let print: @convention(c) (OpaquePointer, OpaquePointer) -> UnsafeMutableRawPointer?
    let release: @convention(c) (OpaquePointer) -> Void
    let freeText: @convention(c) (UnsafeMutableRawPointer, Int32) -> UnsafeMutableRawPointer?

    init(_ symbols: LibrarySymbols) throws(MissingSymbol) {
      defaultTerminals = try symbols.function("chafa_term_db_get_default")
      fallbackTerminal = try symbols.function("chafa_term_db_get_fallback_info")
      newSymbols = try symbols.function("chafa_symbol_map_new")
      addSymbols = try symbols.function("chafa_symbol_map_add_by_tags")
      newConfiguration = try symbols.function("chafa_canvas_config_new")
      setGeometry = try symbols.function("chafa_canvas_config_set_geometry")
      setCellGeometry = try symbols.function("chafa_canvas_config_set_cell_geometry")
      setPixelMode = try symbols.function("chafa_canvas_config_set_pixel_mode")
      setColourMode = try symbols.function("chafa_canvas_config_set_canvas_mode")
      setSymbols = try symbols.function("chafa_canvas_config_set_symbol_map")
      newCanvas = try symbols.function("chafa_canvas_new")
      draw = try symbols.function("chafa_canvas_draw_all_pixels")
      print = try symbols.function("chafa_canvas_print")
      release = try symbols.function("chafa_canvas_unref")
      // GLib's, which libchafa is linked with.
      freeText = try symbols.function("g_string_free")
    }
  }

  private let functions: Functions
  private let configuration: OpaquePointer
  private let terminal: OpaquePointer

  /// - Returns: `nil` if the library is not there or lacks a function.
  init?(_ mode: Mode, cell: CellSize) {
    guard let library = LibrarySymbols(firstOf: Self.libraries), let functions = try? Functions(library),
      let terminals = functions.defaultTerminals(), let terminal = functions.fallbackTerminal(terminals),
      let configuration = functions.newConfiguration(), let symbols = functions.newSymbols()
    else { return nil }
    // chafa-symbol-map.h: spaces, solid blocks, quarters, halves. All are Block Elements, which most fonts have.
    functions.addSymbols(symbols, 1 << 0 | 1 << 1 | 1 << 7 | 1 << 8 | 1 << 9)
    functions.setSymbols(configuration, symbols)
    functions.setPixelMode(configuration, mode.pixels)
    functions.setColourMode(configuration, mode.colours)
    functions.setCellGeometry(configuration, Int32(cell.width), Int32(cell.height))
    self.functions = functions
    self.configuration = configuration
    self.terminal = terminal
  }

  /// What draws a picture.
  /// - Parameter pixels: red, green, blue and alpha of each pixel, row by row.
  func draw(_ pixels: [UInt8], of picture: SmallPicture, on area: PictureArea) -> [UInt8]? {
    functions.setGeometry(configuration, Int32(area.columns), Int32(area.rows))
    guard let canvas = functions.newCanvas(configuration) else { return nil }
    defer { functions.release(canvas) }
    // chafa-common.h: CHAFA_PIXEL_RGBA8_UNASSOCIATED is 4.
    functions.draw(canvas, 4, pixels, Int32(picture.width), Int32(picture.height), Int32(picture.width * 4))
    guard let text = functions.print(canvas, terminal) else { return nil }
    defer { _ = functions.freeText(text, 1) }
    let content = text.load(as: Text.self)
    guard let start = content.start, content.count > 0 else { return nil }
    return Array(ByteView(start: start, count: content.count))
  }
}
