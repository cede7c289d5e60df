// The names are those of the recorded vectors.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation
import TestSupport
import Testing
import TweetAccounts
import TweetCore

struct OAuth1SignatureTests {
  private struct Vectors: Decodable {
    struct Signature: Decodable {
      let name: String
      let method: String
      let url: String
      let params: [String: String]
      let consumer_secret: String
      let token_secret: String
      let signature: String
    }
    struct Challenge: Decodable {
      let code_verifier: String
      let code_challenge: String
    }
    struct Basic: Decodable {
      let consumer_key: String
      let consumer_secret: String
      let basic: String
    }
    let oauth1_hmac_sha1: [Signature]
    let percent_encoding: [String: String]
    let pkce_s256: Challenge
    let app_only_basic: Basic
  }

  @Test(.enabled(if: TestData.isAvailable, Comment(rawValue: TestData.comment))) func publishedVectors() throws {
    let vectors = try JSONDecoder().decode(Vectors.self, from: Data(try TestData.bytes("oauth/vectors.json")))
    #expect(vectors.oauth1_hmac_sha1.count >= 5)
    for vector in vectors.oauth1_hmac_sha1 {
      let signature = OAuth1Signature(
        consumerKey: vector.params["oauth_consumer_key"] ?? "", consumerSecret: Secret(vector.consumer_secret),
        token: vector.params["oauth_token"], tokenSecret: Secret(vector.token_secret))
      let parameters = vector.params.map { (name: $0.key, value: $0.value) }
      #expect(try signature.signature(of: vector.method, vector.url, parameters) == vector.signature, "\(vector.name)")
    }
    for (plain, encoded) in vectors.percent_encoding {
      #expect(PercentEncoding.encode(plain) == encoded && PercentEncoding.decode(encoded) == plain)
    }
    #expect(try PKCE(verifier: vectors.pkce_s256.code_verifier).challenge == vectors.pkce_s256.code_challenge)
    let basic = vectors.app_only_basic
    #expect(
      BasicField.value(key: basic.consumer_key, secret: Secret(basic.consumer_secret)).exposed == "Basic " + basic.basic
    )
  }

  /// RFC 5849 §3.4.1.3.2, with names that come twice, empty values and characters that must be encoded before sorting.
  @Test func parametersAreSortedAsTheRFCShows() throws {
    // §1.2: the request for a photo.
    let photos = OAuth1Signature(
      consumerKey: "dpf43f3p2l4k3l03", consumerSecret: Secret("kd94hf93k423kf44"), token: "nnch734d00sl2jdk",
      tokenSecret: Secret("pfkkdhi9sl3r4s00"))
    let message = OAuth1Signature.Message(
      method: "GET", url: "http://photos.example.net/photos",
      parameters: [("size", "original"), ("file", "vacation.jpg")])
    let field = try photos.field(for: message, nonce: "chapoH", seconds: 137_131_202).exposed
    #expect(
      field.hasPrefix("OAuth oauth_consumer_key=\"dpf43f3p2l4k3l03\", oauth_nonce=\"chapoH\", oauth_signature=\""))
    // Signed with the version, which the RFC's example leaves out.
    #expect(field.contains("oauth_version=\"1.0\"") && field.contains("oauth_timestamp=\"137131202\""))
    // §3.4.1.1, whose secrets §3.4.2 does not give: computed with Python's hmac and oauthlib 4.0.1.
    let twice = OAuth1Signature(
      consumerKey: "9djdj82h48djs9d2", consumerSecret: Secret("j49sk3j29djd"), token: "kkk9d7dh3k39sjv7",
      tokenSecret: Secret("dh893hdasih9"))
    let parameters: [(name: String, value: String)] = [
      ("b5", "=%3D"), ("a3", "a"), ("c@", ""), ("a2", "r b"), ("c2", ""), ("a3", "2 q"),
      ("oauth_consumer_key", "9djdj82h48djs9d2"), ("oauth_token", "kkk9d7dh3k39sjv7"),
      ("oauth_signature_method", "HMAC-SHA1"), ("oauth_timestamp", "137131201"), ("oauth_nonce", "7d8f3e4a"),
    ]
    #expect(try twice.signature(of: "POST", "http://example.com/request", parameters) == "r6/TJjbCOr97/+UU0NsvSne7s5g=")
  }

  @Test func noncesAndVerifiersAreNew() throws {
    #expect(try PKCE().verifier != PKCE().verifier)
    #expect(try PKCE().verifier.exposed.utf8.count == 43)
    let signature = OAuth1Signature(consumerKey: "k", consumerSecret: Secret("s"))
    let message = OAuth1Signature.Message(method: "GET", url: "http://a/", parameters: [])
    #expect(try signature.field(for: message) != signature.field(for: message))
  }

  @Test func formsAreReadAsTheyWereWritten() {
    let pairs = [("a b", "c&d=é"), ("+", "%"), ("empty", "")]
    let read = PercentEncoding.pairs(PercentEncoding.form(pairs))
    #expect(read.map(\.name) == pairs.map(\.0) && read.map(\.value) == pairs.map(\.1))
    #expect(PercentEncoding.pairs("a+b=%zz&%4=%").map { "\($0.name)|\($0.value)" } == ["a b|%zz", "%4|%"])
  }
}
