window.YTD.follower.part0 = [ {
  "follower" : {
    "accountId" : "2001",
    "userLink" : "https://twitter.com/intent/user?user_id=2001"
  }
} ]
