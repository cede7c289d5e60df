class Tw < Formula
  desc "@summary@"
  homepage "@homepage@"
  url "@homepage@/releases/download/v@version@/tw-@version@.tar.gz"
  sha256 "@sha256@"
  license "@license@"

  depends_on "pkgconf" => :build
  depends_on "@headers@" => :build
  depends_on "@needed@"
  uses_from_macos "swift" => :build

  def install
    # Homebrew has a sandbox of its own, in which SwiftPM cannot make another.
    system "make", "install", "PREFIX=#{prefix}", "FLAGS=--disable-sandbox"
  end

  test do
    assert_equal "@version@\n", shell_output("#{bin}/tw --version")
    record = pipe_output("#{bin}/tw-parse", '{"id":"20","text":"just setting up my twttr"}', 0)
    assert_match '"tw":"tweet"', record
  end
end
