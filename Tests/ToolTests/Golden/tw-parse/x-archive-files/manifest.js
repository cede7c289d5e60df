window.__THAR_CONFIG = {
  "userInfo" : {
    "accountId" : "3002",
    "userName" : "bo_boat",
    "displayName" : "Bo Båt"
  },
  "dataTypes" : { }
}
