window.YTD.saved_search.part0 = [ {
  "savedSearch" : {
    "savedSearchId" : "55",
    "query" : "#mug"
  }
} ]
