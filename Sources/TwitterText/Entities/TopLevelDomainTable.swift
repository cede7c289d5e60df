/// The top-level domains twitter-text knows: 1419 in ASCII letters, 155 in others.
///
/// Made by Tests/TwitterTextTests/generate-twitter-text-tables.py, which says how; do not edit.
enum TopLevelDomainTable {
  /// The longest name in ASCII letters.
  static let longest = 18

  /// All names of this many ASCII letters, in order, without anything between them.
  static func names(ofLength length: Int) -> StaticString {
    switch length {
    case 2:
      """
      acadaeafagaialamanaoaqarasatauawaxazbabbbdbebfbgbhbibjblbmbnbobqbrbsbtbvbwbybzcacccdcfcgchcickclcmcncocrcucvcwcx\
      cyczdedjdkdmdodzeceeegehereseteufifjfkfmfofrgagbgdgegfggghgiglgmgngpgqgrgsgtgugwgyhkhmhnhrhthuidieiliminioiqiris\
      itjejmjojpkekgkhkikmknkpkrkwkykzlalblclilklrlsltlulvlymamcmdmemfmgmhmkmlmmmnmompmqmrmsmtmumvmwmxmymznancnenfngni\
      nlnonpnrnunzompapepfpgphpkplpmpnprpsptpwpyqarerorsrurwsasbscsdsesgshsisjskslsmsnsosrssstsusvsxsysztctdtftgthtjtk\
      tltmtntotptrtttvtwtzuaugukumusuyuzvavcvevgvivnvuwfwsyeytzazmzw
      """
    case 3:
      """
      aaaabbabcacoadsaegaflaiganzaolappartawsaxabarbbcbbtbcgbcnbetbidbiobizbmsbmwbnlbomboobotboxbuybzhcabcalcamcarcat\
      cbacbncbscebceocfacfdcomcpacrscscdaddayddsdevdhldiydnpdogdotdtvdvreatecoeduesqeusfanfitflyfoofoxfrlftrfunfyigal\
      gapgaygdngeaglegmogmxgoogopgotgovhbohivhkthothowhtcibmiceicuifmincinginkintistitviwcjcbjcpjiojlcjlljmpjnjjotjoy\
      kfhkiakimkpnkrdlatlawldsllcllplollplltdmanmapmbamcdmedmenmeomilmitmlbmlsmmamoemoimommovmsdmtnmtrnabnbanecnetnew\
      nflngonhknownranrwnttnycobioffoneongonloooorgottovhpaypetphdpidpinpncproprupubpwcqvcredrenrilrioriprunrwesapsas\
      sbisbsscascbsessewsexsfrskiskysoysrlsrtstctabtaxtcitdktelthdtjxtoptrvtuitvsubsunouolupsvetvigvinvipwedwinwmewow\
      wtcwtfxinxxxxyzyouyunzip
      """
    case 4:
      """
      aarpableadacaeroaigoakdnallyamexarabarmyarpaarteasdaasiaaudiautobabybandbankbbvabeerbestbikebingblogbluebofabond\
      bookbuzzcafecallcampcarecarscasacasecashcbrecernchatciticityclubcoolcoopcyoudatadatedclkdealdelldesidietdishdocs\
      dohaduckdunsdvagernifagefailfansfarmfastfiatfidofilmfirefishflirfoodfordfreefundgamegbizgentggeegiftgmbhgoldgolf\
      googgugeguruhairhaushdfchelpherehgtvhosthsbcicbcieeeimdbimmoinfoitaujavajeepjobsjprskddikiwikpmgkredlandlegolgbt\
      lidllifelikelimolinkliveloanloftloveltdaluxemaifmeetmememenuminimintmobimodamotomtpcnamenavynewsnextniconikeollo\
      openpageparspccwpicspingpinkplaypluspohlpornpostprodprofqponraidreadreitrentrestrichrmitroomrsvpruhrsafesalesapo\
      sarlsavesaxoscorscotseatseeksexyshawshiashopshowsilksinasiteskinsncfsohusongsonyspotstarsurftalktaxiteamtechteva\
      tiaatipstowntoystubevanavisavivavivovotevotowangweirwienwikiwineworkxboxyogazarazerozone
      """
    case 5:
      """
      actoradultaetnaamfamamicaapplearchiaudioautosazurebaidubeatsbiblebingoblackboatsbootsboschbuildcanoncardschase\
      cheapchloeciscociticclickcloudcoachcodescrowncymrudaburdancedealsdeltadodgedrivedubaiearthedekaemailepostepson\
      faithfedexfinalforexforumgallogamesgiftsgivesgladeglassglobogmailgreengripegroupgucciguidehomeshondahorsehouse\
      hyattiinetikanointelirishivecojetztkoelnkyotolamerleaselegallexuslillylindelipsylixilloanslocuslottelottolupin\
      macysmangomediamiamimoneymoparmovienadexnexusnikonninjanokianowtvomegaonionosakaparispartspartyphonephotopizza\
      placepokerpraxipressprimepromoquestradiorehabreisericohrocksrodeorugbysalonsenersevensharpshellshoesskypesling\
      smartsmilesolarspacesportstadastorestudystylesucksswisstatartirestiroltmalltodaytokyotoolstoraytotaltourstrade\
      trusttunestushuubankvegasvideovistavodkavolvowaleswatchweberweiboworksworldxeroxyahoozippo
      """
    case 6:
      """
      abarthabbottabbvieactiveafricaagencyairbusairtelalipayalsacealstomanquanaramcoauthorbayernbeautyberlinbharti\
      blancobostikbostonbrokercameracareercaseihcasinocenterchanelchromechurchcircleclaimscliniccoffeecomseccondos\
      couponcreditcruisedatingdatsundealerdegreedentaldesigndirectdoctordoosandunlopdupontdurbanemerckenergyestate\
      eventsexpertfamilyflickrfutbolgallupgardengeorgegivingglobalgooglegratishealthhermeshiphophockeyhotelshughes\
      imamatinsureintuitjaguarjoburgjuegoskaufenkinderkindlekosherlancialatinolawyerlefraklivinglockerlondonluxury\
      madridmaisonmakeupmarketmattelmobilemobilymonashmormonmoscowmuseummutualnagoyanaturanissannissaynortonnowruz\
      officeolayanonlineoracleorangeotsukapfizerphotosphysiopiagetpictetquebecracingrealtyreisenrepairreportreview\
      rocherrogersryukyusafetysakurasanofischoolschulesearchsecureselectshoujisoccersocialstreamstudiosupplysuzuki\
      swatchsydneytaipeitaobaotargettattootennistiendatjmaxxtkmaxxtoyotatravelunicomviajesvikingvillasvirginvision\
      votingvoyagevueloswalterwarmanwebcamxihuanxperiayachtsyandexzappos
      """
    case 7:
      """
      abogadoacademyagakhanalibabaandroidathletaauctionaudibleauspostaviancabanamexbauhausbentleybestbuybookingbrother\
      bugatticapitalcaravancareerscartierchannelcharitychintaicitadelclubmedcollegecolognecomcastcompanycomparecontact\
      cookingcorsicacountrycouponscoursescricketcruisesdentistdigitaldomainsexposedexpressfarmersfashionferrariferrero\
      financefishingfitnessflightsfloristflowersforsalefrogansfujitsugallerygentinggodaddygroceryguitarshamburghangout\
      hitachiholidayhostinghoteleshotmailhyundaiiselectismailijewelryjuniperkitchenkomatsulacaixalancomelanxesslasalle\
      latrobeleclercliaisonlimitedlincolnmarketsmetlifemonsternetbanknetflixnetworkneustarokinawaoldnavyorganicorigins\
      paneraiphilipspioneerpolitierealtorrecipesrentalsreviewsrexrothsamsungsandvikschmidtschwarzscienceshikshashriram\
      singlesspiegelstaplesstarhubstatoilstoragesupportsurgerysystemstemasektheatertheatreticketstiffanytoshibatrading\
      walmartwanggouwatchesweatherwebsiteweddingwhoswhowindowswinnersxfinityyamaxunyoutubezuerich
      """
    case 8:
      """
      abudhabiairforceallstateattorneybarclaysbarefootbargainsbaseballboutiquebradescobroadwaybrusselsbudapestbuilders\
      businesscapetowncateringcatholicchryslerciprianicityeatscleaningcliniqueclothingcommbankcomputerdeliverydeloitte\
      democratdiamondsdiscountdiscoverdownloadengineerericssonesuranceetisalateverbankexchangefeedbackfidelityfirmdale\
      flsmidthfootballfrontiergoodyeargraingergraphicsguardianhdfcbankhelsinkiholdingshospitalinfinitiipirangaistanbul\
      jpmorganlightinglundbeckmarriottmaseratimckinseymemorialmerckmsdmortgagemovistarmutuelleobserverpartnerspharmacy\
      picturesplumbingpropertyredstonereliancesaarlandsamsclubsecurityservicesshoppingshowtimesoftbanksoftwarestcgroup\
      suppliessymantectelecitytraininguconnectvanguardventuresverisignwoodsideyokohama
      """
    case 9:
      """
      accenturealfaromeoallfinanzamsterdamanalyticsaquarellebarcelonabloombergchristmascommunitydirectoryeducation\
      equipmentfairwindsfinancialfirestonefreseniusfrontdoorfujixeroxfurnituregoldpointgoodhandshisamitsuhomedepot\
      homegoodshomesensehoneywellinstituteinsurancekuokgroupladbrokeslancasterlandroverlifestylemarketingmarshalls\
      mcdonaldsmelbournemicrosoftmontblancpanasonicpassagenspramericarichardliscjohnsonshangrilasolutionsstatebank\
      statefarmstockholmtravelersvacationsyodobashi
      """
    case 10:
      """
      accountantapartmentsassociatesbasketballbnpparibasboehringercapitaloneconsultingcreditcardcuisinellaeurovision\
      extraspacefoundationhealthcareimmobilienindustriesmanagementmitsubishinationwidenewhollandnextdirectonyourside\
      propertiesprotectionprudentialrealestaterepublicanrestaurantschaefflerswiftcovertatamotorstechnologytelefonica\
      universityvistaprintvlaanderenvolkswagen
      """
    case 11:
      """
      accountantsbarclaycardblackfridayblockbusterbridgestonecalvinkleincontractorscreditunionengineeringenterprises\
      foodnetworkinvestmentskerryhotelslamborghinimotorcyclesolayangroupphotographyplaystationproductionsprogressive\
      redumbrellarightathomewilliamhill
      """
    case 12:
      """
      constructionlplfinancialpamperedchefscholarshipsversicherung
      """
    case 13:
      """
      internationallifeinsuranceorientexpressspreadbettingtravelchannelwolterskluwer
      """
    case 14:
      """
      afamilycompanyamericanfamilybananarepubliccancerresearchcookingchannelkerrylogisticsweatherchannel
      """
    case 15:
      """
      americanexpresskerrypropertiessandvikcoromant
      """
    case 18:
      """
      northwesternmutualtravelersinsurance
      """
    default: ""
    }
  }

  /// The other names, longest first, a space after each.
  static var others: StaticString {
    """
    சிங்கப்பூர் இந்தியா vermögensberatung موريتانيا भारतम् இலங்கை ファッション vermögensberater السعودية भारोत संगठन বাংলা \
    భారత్ ഭാരതം 嘉里大酒店 католик اتصالات البحرين الجزائر العليان كاثوليك موبايلي پاکستان москва онлайн ابوظبي ارامكو \
    الاردن المغرب امارات فلسطين مليسيا भारत ভারত ভাৰত ਭਾਰਤ ભારત ଭାରତ ಭಾರತ ලංකා クラウド グーグル ポイント 大众汽车 组织机构 電訊盈科 香格里拉 \
    ایران بازار بھارت سودان سورية همراه कॉम नेट คอม ไทย ລາວ みんな ストア セール 中文网 天主教 我爱你 新加坡 淡马锡 诺基亚 飞利浦 дети сайт بارت \
    بيتك تونس شبكة عراق عمان موقع ڀارت бел ком мкд мон орг рус срб укр қаз հայ קום عرب قطر كوم مصر გე コム 世界 中信 中国 中國 \
    企业 佛山 信息 健康 八卦 公司 公益 台湾 台灣 商城 商店 商标 嘉里 在线 大拿 娱乐 家電 工行 广东 微博 慈善 手机 手表 招聘 政务 政府 新闻 时尚 書籍 机构 游戏 澳門 点看 珠宝 移动 网址 网店 网站 \
    网络 联通 谷歌 购物 通販 集团 食品 餐厅 香港 닷넷 닷컴 삼성 한국 ελ ευ бг ею рф
    """
  }
}
