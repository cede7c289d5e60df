window.YTD.account.part0 = [
  {
    "account" : {
      "email" : "bo@boat.example",
      "createdVia" : "web",
      "username" : "bo_boat",
      "accountId" : "3002",
      "createdAt" : "2013-03-05T07:08:09.000Z",
      "accountDisplayName" : "Bo Båt"
    }
  }
]
