import tw_local

// The only one that needs libcrypto and no libcurl.
TwLocal.main()
