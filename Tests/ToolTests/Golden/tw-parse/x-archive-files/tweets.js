window.YTD.tweets.part0 = [
  {
    "tweet": {
      "created_at": "Wed Nov 03 21:30:00 +0000 2021",
      "id": "9001",
      "id_str": "9001",
      "truncated": false,
      "entities": {
        "hashtags": [
          {
            "text": "mug",
            "indices": [
              "39",
              "43"
            ]
          }
        ],
        "symbols": [
          {
            "text": "TEA",
            "indices": [
              "78",
              "82"
            ]
          }
        ],
        "user_mentions": [
          {
            "screen_name": "bo_boat",
            "name": "Bo Båt 🚤",
            "id": "3002",
            "id_str": "3002",
            "indices": [
              "44",
              "52"
            ]
          }
        ],
        "urls": [
          {
            "url": "https://t.co/aaaaaaaaaa",
            "expanded_url": "https://kettle.example/four?x=1&y=2",
            "display_url": "kettle.example/four…",
            "indices": [
              "54",
              "77"
            ]
          }
        ]
      },
      "source": "<a href=\"https://kettle.example\" rel=\"nofollow\">Kettle</a>",
      "retweet_count": "1",
      "favorite_count": "41",
      "favorited": false,
      "retweeted": false,
      "lang": "en",
      "full_text": "🍵 Tea at 4 &amp; cake, &lt;bring&gt; a #mug @bo_boat! https://t.co/aaaaaaaaaa $TEA",
      "display_text_range": [
        "0",
        "82"
      ],
      "edit_info": {
        "initial": {
          "editTweetIds": [
            "9001"
          ],
          "editableUntil": "2021-11-03T22:30:00.000Z",
          "editsRemaining": "5",
          "isEditEligible": true
        }
      }
    }
  },
  {
    "tweet": {
      "created_at": "Wed Nov 03 21:30:00 +0000 2021",
      "id": "9005",
      "id_str": "9005",
      "truncated": false,
      "entities": {
        "hashtags": [],
        "symbols": [],
        "user_mentions": [
          {
            "screen_name": "ada_tea",
            "name": "Ada Teapot",
            "id": "2001",
            "id_str": "2001",
            "indices": [
              "0",
              "8"
            ]
          }
        ],
        "urls": []
      },
      "source": "<a href=\"https://kettle.example\" rel=\"nofollow\">Kettle</a>",
      "in_reply_to_status_id": "9001",
      "in_reply_to_status_id_str": "9001",
      "in_reply_to_user_id": "2001",
      "in_reply_to_user_id_str": "2001",
      "in_reply_to_screen_name": "ada_tea",
      "retweet_count": "5",
      "favorite_count": "45",
      "favorited": true,
      "retweeted": false,
      "lang": "en",
      "full_text": "@ada_tea at four, then 👍🏽",
      "display_text_range": [
        "0",
        "25"
      ],
      "edit_info": {
        "initial": {
          "editTweetIds": [
            "9005"
          ],
          "editableUntil": "2021-11-03T22:30:00.000Z",
          "editsRemaining": "5",
          "isEditEligible": true
        }
      }
    }
  }
]
