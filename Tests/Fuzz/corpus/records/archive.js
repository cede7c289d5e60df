window.YTD.account.part0 = [
  {
    "account": {
      "email": "ann@example.com",
      "username": "ann",
      "accountId": "12",
      "accountDisplayName": "Ann"
    }
  }
]
window.YTD.tweets.part0 = [
{
  "tweet": {
    "id": "5",
    "id_str": "5",
    "created_at": "Wed Nov 03 21:30:00 +0000 2021",
    "full_text": "mine",
    "display_text_range": [
      "0",
      "4"
    ],
    "favorite_count": "1",
    "entities": {
      "hashtags": [],
      "urls": [],
      "user_mentions": []
    }
  }
},
{"like":{"tweetId":"6","fullText":"liked","expandedUrl":"https://twitter.com/i/web/status/6"}}
]
