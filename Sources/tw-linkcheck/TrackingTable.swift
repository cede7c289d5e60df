/// Parameters of URLs that only tell a site where its visitor came from: without them the URL leads to the same page.
///
/// Sources: the documentation of the services that add them, and the lists of ClearURLs and of Firefox's query
/// stripping, as of 2026. A name that is also used for other things (`ref`, `source`, `id`) is in the list of a site
/// only.
enum TrackingTable {
  /// - Parameters:
  ///   - name: of the parameter, in lower case.
  ///   - host: in lower case, without `www.` and the like.
  static func contains(_ name: String, host: String) -> Bool {
    names.contains(name) || prefixes.contains(where: name.hasPrefix)
      || Hosts.find(host, in: sites)?.contains(name) == true
  }

  private static let prefixes = ["utm_", "pk_", "mtm_", "matomo_", "hsa_", "oly_", "vero_", "at_custom", "ga_"]

  private static let names: Set<String> = [
    // Google, Microsoft, Meta, X, TikTok, Yandex, LinkedIn, Pinterest, Snapchat, Reddit
    "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "gad_source", "gad_campaignid", "srsltid", "msclkid", "fbclid",
    "fb_action_ids", "fb_action_types", "fb_source", "fb_ref", "igshid", "igsh", "twclid", "ttclid", "yclid", "ysclid",
    "_openstat", "li_fat_id", "epik", "sccid", "rdt_cid",
    // newsletters and campaigns
    "mc_cid", "mc_eid", "_hsenc", "_hsmi", "__hssc", "__hstc", "__hsfp", "hsctatracking", "mkt_tok", "ml_subscriber",
    "ml_subscriber_hash", "_ke", "_kx", "wickedid", "s_cid", "elqtrack", "elqtrackid", "trk_contact", "trk_msg",
    "trk_module", "trk_sid", "bsft_eid", "bsft_uid", "bsft_clkid", "dm_i", "ef_id", "irclickid", "cjevent",
    "rb_clickid",
    // publishers
    "ref_src", "ref_url", "smid", "cmpid", "ncid", "wt_mc", "wt_zmc", "xtor", "ns_mchannel", "ns_source", "ns_campaign",
    "guccounter", "guce_referrer", "guce_referrer_sig", "_branch_match_id", "_branch_referrer", "amp_js_v", "usqp",
  ]

  private static let sites: [Substring: Set<String>] = {
    var names: [Substring: Set<String>] = [:]
    for site in siteList { for host in site.hosts { names[host] = site.names } }
    return names
  }()

  private static let siteList: [(hosts: [Substring], names: Set<String>)] = [
    (["youtube.com", "youtu.be"], ["si", "feature", "pp", "ab_channel"]), (["soundcloud.com"], ["si", "in"]),
    (["spotify.com"], ["si", "nd", "dlsi", "context", "sp_cid"]),
    (["music.apple.com", "itunes.apple.com"], ["ls", "app", "ct"]),
    (["deezer.com"], ["deferredfl", "universal_link"]),
    (["bandcamp.com"], ["from", "search_item_id", "search_item_type"]),
    (["tiktok.com"], ["_t", "_r", "is_from_webapp", "sender_device", "is_copy_url"]),
    (["instagram.com"], ["ig_rid", "ig_mid"]),
    (["facebook.com"], ["__tn__", "__cft__[0]", "mibextid", "rdid", "share_url"]),
    (["reddit.com"], ["share_id", "rdt"]),
    (["linkedin.com"], ["trk", "trackingid", "lipi", "rcm"]), (["medium.com"], ["source"]),
    (["substack.com"], ["r", "s", "triedredirect", "publication_id", "post_id"]),
    (["bilibili.com"], ["spm_id_from", "vd_source", "share_source"]),
    (
      ["amazon.com", "amazon.co.uk", "amazon.de", "amazon.fr", "amazon.it", "amazon.es", "amazon.co.jp"],
      ["ref", "ref_", "pf_rd_p", "pf_rd_r", "pd_rd_w", "pd_rd_wg", "pd_rd_r", "qid", "sprefix", "crid", "tag"]
    ),
  ]
}
