import TweetCore
import TweetDisplay

/// The style sheet of a page. It uses no font, picture or script from elsewhere.
///
/// Colours have at least the contrast that WCAG 2.1 asks of text, 4.5 to 1, on both grounds. A tweet that is not on the
/// screen is not laid out (`content-visibility`), so that a page of many thousands opens at once. The last column of a
/// phone and of paper are used whole.
enum PageStyle {
  static func append(to output: inout ByteBuffer) {
    output.append(sheet)
    // The grounds of initials, as on a terminal.
    for (number, colour) in AuthorColour.palette.enumerated() {
      output.append(".c\(number){background:#\(hex(colour.red))\(hex(colour.green))\(hex(colour.blue))}")
      output.append(UInt8(ascii: "\n"))
    }
  }

  /// What is different where nothing stands beside tweets.
  static func appendWithoutAvatars(to output: inout ByteBuffer) {
    output.append("article{display:block}.joined::before{inset-inline-start:0}\n")
  }

  /// How photos look.
  static func appendForPhotos(to output: inout ByteBuffer) {
    output.append(
      """
      .media img{display:block;max-width:100%;height:auto;border-radius:.5rem}
      .grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(14rem,100%),1fr));gap:.6rem}

      """)
  }

  private static func hex(_ value: UInt8) -> String { (value < 16 ? "0" : "") + String(value, radix: 16) }

  private static let sheet: StaticString = """
    :root{color-scheme:light dark;--page:#fff;--text:#14181c;--dim:#56636f;--line:#dde3e8;--link:#0b5cab;--warn:#a4320f;\
    --soft:#f3f6f8}
    @media (prefers-color-scheme:dark){:root{--page:#14181d;--text:#e8eaec;--dim:#9ba7b3;--line:#303942;--link:#84bdf7;\
    --warn:#ff9e80;--soft:#1d232a}}
    *{box-sizing:border-box}
    html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
    body{margin:0;background:var(--page);color:var(--text);font:1.0625rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,\
    "Noto Sans",sans-serif}
    main{max-width:42rem;margin:0 auto;padding:1.5rem 1rem 4rem}
    h1{font-size:1.6rem;line-height:1.25;margin:0 0 1.25rem;overflow-wrap:anywhere}
    a{color:var(--link);text-decoration-thickness:1px;text-underline-offset:.15em}
    a:focus-visible,summary:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:2px}
    article{display:grid;grid-template-columns:3rem minmax(0,1fr);column-gap:.8rem;padding:1.1rem 0;\
    border-top:1px solid var(--line);overflow-wrap:anywhere;content-visibility:auto;contain-intrinsic-size:auto 8rem}
    article:target{background:var(--soft);box-shadow:0 0 0 .6rem var(--soft)}
    .joined{border-top-color:transparent;position:relative}
    .joined::before{content:"";position:absolute;inset-inline-start:1.5rem;top:-1px;height:1rem;border-inline-start:2px solid var(--line)}
    .face{width:3rem;height:3rem;border-radius:50%;display:flex;align-items:center;justify-content:center;\
    color:#fff;font-weight:600;font-size:1.05rem;overflow:hidden;white-space:nowrap;print-color-adjust:exact;\
    -webkit-print-color-adjust:exact}
    h2,.head{margin:0;font-size:1em;font-weight:400;display:flex;flex-wrap:wrap;align-items:baseline;gap:0 .5rem}
    h2 .p-name,.head .p-name{font-weight:650;color:inherit}
    h2 a,.head a{text-decoration:none}
    h2 a:hover,.head a:hover{text-decoration:underline}
    .handle,.head time,h2 time,.note,.counts,.votes,.host,.media,.place{color:var(--dim)}
    .handle,time,.note,.counts,.votes,.media,.place{font-size:.9em}
    .verified{color:var(--link)}
    time{white-space:nowrap}
    .note{margin:0}
    .note a{color:inherit;text-decoration-color:var(--line)}
    .text,.card{margin:.25rem 0 0;unicode-bidi:plaintext;text-align:start}
    .verdict{color:var(--warn);font-size:.9em}
    .card{padding:.5rem .75rem;border:1px solid var(--line);border-radius:.5rem;margin-top:.6rem}
    .media,.poll,.counts{list-style:none;margin:.5rem 0 0;padding:0}
    .poll li{margin-top:.3rem;display:grid;grid-template-columns:minmax(0,1fr) 3.5rem;align-items:end}
    .poll label{display:block}
    .poll li{font-variant-numeric:tabular-nums;text-align:end}
    .poll label{text-align:start}
    meter{display:block;width:100%;height:.7rem}
    .votes{margin:.3rem 0 0}
    .counts{display:flex;flex-wrap:wrap;gap:0 1.1rem}
    blockquote{margin:.7rem 0 0;padding:.6rem .8rem;border:1px solid var(--line);border-radius:.7rem}
    summary{cursor:pointer;margin-top:.25rem}
    .notice{border-top:1px solid var(--line);padding:.8rem 0;padding-inline-start:3.8rem;color:var(--dim);font-size:.9em;\
    overflow-wrap:anywhere}
    .notice p{margin:0}
    .profile p{margin:.25rem 0 0}
    @media (max-width:30rem){main{padding:1rem .8rem 3rem}article{grid-template-columns:2.5rem minmax(0,1fr);\
    column-gap:.65rem}.face{width:2.5rem;height:2.5rem;font-size:.9rem}.joined::before{inset-inline-start:1.25rem}\
    .notice{padding-inline-start:3.15rem}}
    @media print{:root{--page:#fff;--text:#000;--dim:#444;--line:#bbb;--link:#000;--warn:#000;--soft:#fff}\
    main{max-width:none;padding:0}article{content-visibility:visible;break-inside:avoid}\
    details::details-content{content-visibility:visible}summary{list-style:none}summary::before{content:"⚠ "}}

    """
}
