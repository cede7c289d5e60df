import TweetAccounts
import TweetCLI
import TweetCore

/// What the service says of itself as a server of Mastodon's API, and the programs that register themselves.
extension Endpoint {
  static let mastodonServer = [
    Endpoint("GET", path: "/api/v2/instance", limit: 300, access: .open) { service, _ in
      ServerResponse(json: service.instance)
    },
    // Clients ask it for the version.
    Endpoint("GET", path: "/api/v1/instance", limit: 300, access: .open) { service, _ in
      ServerResponse(json: service.oldInstance)
    },
    Endpoint("GET", path: "/.well-known/nodeinfo", limit: 300, access: .open) { service, _ in
      let address = "\(service.site.base)/nodeinfo/2.0"
      return ServerResponse(
        json: ["links": [["rel": "http://nodeinfo.diaspora.software/ns/schema/2.0", "href": .string(address)]]])
    },
    Endpoint("GET", path: "/nodeinfo/2.0", limit: 300, access: .open) { _, _ in
      ServerResponse(
        json: [
          "version": "2.0", "software": ["name": "mastodon", "version": .string(Service.mastodonVersion)],
          "protocols": [], "services": ["inbound": [], "outbound": []], "openRegistrations": true,
          "usage": ["users": [:]], "metadata": [:],
        ])
    },
    Endpoint("GET", path: "/.well-known/oauth-authorization-server", limit: 300, access: .open) { service, _ in
      func address(_ path: String) -> JSON { .string(service.site.base + path) }
      return ServerResponse(
        json: [
          "issuer": address("/"), "authorization_endpoint": address("/oauth/authorize"),
          "token_endpoint": address("/oauth/token"), "revocation_endpoint": address("/oauth/revoke"),
          "app_registration_endpoint": address("/api/v1/apps"),
          "scopes_supported": ["read", "write", "follow", "profile"], "response_types_supported": ["code"],
          "code_challenge_methods_supported": ["S256"],
          "grant_types_supported": ["authorization_code", "client_credentials"],
          "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        ])
    },
    Endpoint("POST", path: "/api/v1/apps", limit: 300, access: .open) { try $0.registerApp($1) },
  ]
}

extension Service {
  /// The version of Mastodon's API that answers are like.
  static let mastodonVersion = "4.5.0"
  /// Mastodon's limits.
  static let longestStatus = 500
  static let mastodonOptions = 2...4
  static let longestOption = 50
  static let pollSeconds = 300...2_629_746

  private var configuration: JSON {
    let everybody: JSON = ["local": "public", "remote": "public"]
    return [
      "urls": ["streaming": .string("ws://\(site.authority)")],
      "statuses": [
        "max_characters": .number(Self.longestStatus), "max_media_attachments": 4, "characters_reserved_per_url": 23,
      ],
      "accounts": [
        "max_featured_tags": 0, "max_pinned_statuses": 0, "max_profile_fields": 1, "profile_field_name_limit": 255,
        "profile_field_value_limit": 255,
      ],
      // Of videos none is taken.
      "media_attachments": [
        "supported_mime_types": ["image/jpeg", "image/png", "image/gif", "image/webp"], "description_limit": 1000,
        "image_size_limit": .number(5 << 20), "image_matrix_limit": 33_177_600, "video_size_limit": 0,
        "video_frame_rate_limit": 0, "video_matrix_limit": 0,
      ],
      "polls": [
        "max_options": .number(Self.mastodonOptions.upperBound),
        "max_characters_per_option": .number(Self.longestOption),
        "min_expiration": .number(Self.pollSeconds.lowerBound),
        "max_expiration": .number(Self.pollSeconds.upperBound),
      ],
      "timelines_access": ["live_feeds": everybody, "hashtag_feeds": everybody, "trending_link_feeds": everybody],
      "translation": ["enabled": false],
    ]
  }

  fileprivate var instance: JSON {
    [
      "domain": .string(MastodonView.host), "title": "tw-local", "version": .string(Self.mastodonVersion),
      "source_url": .string(Version.project), "description": "A small service for trying tw.",
      "usage": ["users": ["active_month": 1]], "thumbnail": ["url": .string("\(site.base)/media/harbour.png")],
      "icon": [], "languages": ["en"], "configuration": configuration,
      "registrations": ["enabled": true, "approval_required": false, "message": .null],
      "api_versions": ["mastodon": 7], "contact": ["email": "nobody@example.com", "account": .null], "rules": [],
    ]
  }

  fileprivate var oldInstance: JSON {
    [
      "uri": .string(MastodonView.host), "title": "tw-local", "short_description": "",
      "description": "A small service for trying tw.", "email": "nobody@example.com",
      "version": .string(Self.mastodonVersion), "urls": ["streaming_api": .string("ws://\(site.authority)")],
      "stats": ["user_count": 1, "status_count": 1, "domain_count": 1], "thumbnail": .null, "languages": ["en"],
      "registrations": true, "approval_required": false, "invites_enabled": false, "configuration": configuration,
      "contact_account": .null, "rules": [],
    ]
  }

  private static let longestAppName = 60
  private static let mostRedirects = 16

  fileprivate func registerApp(_ call: Call) throws -> ServerResponse {
    let request = call.request
    let name = request.parameter("client_name") ?? ""
    guard !name.isEmpty, name.utf8.count <= Self.longestAppName else {
      throw Problem.notValid("Name is blank or too long")
    }
    let redirects = (request.values("redirect_uris") + request.values("redirect_uris[]"))
      .flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) }
    guard (1...Self.mostRedirects).contains(redirects.count),
      redirects.allSatisfy({ $0 == Client.codePage || Client.isLoopback($0) })
    else {
      throw Problem.notValid("Redirect URI must be an address on this machine, or \(Client.codePage)")
    }
    let scopes = request.parameter("scopes") ?? "read"
    guard Scope.mastodon(scopes) != nil else {
      throw Problem.notValid("Scopes doesn't match configured on the server.")
    }
    let app = Client(
      key: try Crypto.newToken(), secret: try Crypto.newToken(), name: name, redirects: redirects)
    try store.write { () throws(ToolError) in try store.add(app) }
    return ServerResponse(
      json: [
        "id": "1", "name": .string(name), "website": .null,
        "scopes": .array(scopes.split(separator: " ").map { .string(String($0)) }),
        "redirect_uris": .array(redirects.map { .string($0) }),
        "redirect_uri": .string(redirects.joined(separator: "\n")), "client_id": .string(app.key),
        "client_secret": .string(app.secret ?? ""), "client_secret_expires_at": 0,
      ])
  }
}
