#!/usr/bin/env python3
"""Makes the dictionary that the tweet store packs records with: generate-dictionary.py > FILE

The records that it is trained from are all invented here: the keys are those that the services use, as tw-parse writes them
(tweet(5)), and names, texts, ids and counts are drawn from the lists below by a fixed chance; the descriptions of topics are the
ones that X sends with every tweet. So nothing in it is taken from people's posts, and the same libzstd makes the same bytes each time:
Sources/CRecords/records-1.zdict is from 1.5.4. Stores that were packed with it cannot be read with another one: a better
dictionary is a further one, with a number of its own, and this one stays. With --records it prints what it trains from.
"""

import ctypes
import ctypes.util
import json
import random
import sys

COUNT = 6000
SIZE = 32_768  # one of 112 KB saves no more
chance = random.Random(1)
pick = chance.choice

# Words that most texts of a language have. A text has several of them in a row.
WORDS = {
    "en": "the of and to a in is you that it for on are with as I this be at have from or by not but what all were we when your "
          "can said there use an each which she do how their if will up other about out many then them so some her would make like "
          "him into time has look two more write go see no way could people my than first been call who its now find long down day "
          "did get come made may just love today know think good new great thanks please happy year world news video live read "
          "watch never always really because still want need work home team game free best next last here right back",
    "es": "de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha me si sin sobre este ya "
          "entre cuando todo esta ser son dos también fue había era muy años hasta desde está mi porque qué sólo han yo hay vez "
          "puede todos así nos ni parte tiene él uno donde bien tiempo mismo ese ahora cada vida otro después te otros aunque hoy "
          "gracias mejor siempre día gente quiero nuevo",
    "pt": "de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu sua ou ser "
          "quando muito há nos já está eu também só pelo pela até isso ela entre era depois sem mesmo aos ter seus quem nas me esse "
          "eles estão você tinha foram essa num nem suas meu às minha têm hoje gente obrigado amor melhor sempre dia",
    "fr": "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec son on comme mais nous "
          "tout vous aux elle cette ses été être leur même si ces deux bien fait aussi ans sans très peut jour encore entre merci "
          "aujourd’hui bonjour c’est j’ai n’est d’une qu’il",
    "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie "
          "nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man sein "
          "wurde sei heute wir ich schon wenn jetzt immer gut neue Jahre danke schön",
    "it": "di e il la che in a per un è del le non con si da una i dei al della sono nel alla più anche come ma gli o lo ha su se "
          "questo delle ho ci mi dal tutti cosa oggi sempre grazie bene essere fatto molto quando giorno anni",
    "nl": "de het een van en in is dat op te zijn met voor niet aan er om ook als dan maar bij nog uit naar heeft ze hij we wat zo "
          "door over meer wel geen jaar vandaag goed",
    "id": "yang dan di itu dengan untuk tidak ini dari dalam akan pada juga saya ke karena ada mereka sudah aku kamu bisa lagi aja "
          "banyak semua orang hari kalau tapi gak udah apa kita",
    "tr": "bir ve bu da de için çok ne ben o daha gibi var kadar ama mi en sonra olarak olan değil diye bana her şey iyi gün yok "
          "güzel bugün teşekkürler",
    "pl": "i w na z do się nie że to jest o jak po co tak za od ale przez dla już tylko jego był czy może bardzo dzisiaj dziękuję",
    "sv": "och i att det som en på är av för med den till inte har de ett om jag man men var sig från så kan när år idag tack",
    "vi": "và của là có cho không người một trong được với các đã này khi những để đến như về anh tôi năm ngày",
    "ru": "и в не на я что он с как это по но они мы к у его за из от так же все ты бы вот для о если была только есть было мне "
          "меня уже когда сегодня очень время год люди спасибо",
    "uk": "і в не на що я з як це та до але вони ми за від так все для якщо вже коли сьогодні дуже час рік люди дякую",
    "el": "και το να του η της με που την από για είναι στο τα θα δεν ο οι στη μου σου τον αλλά αν πολύ σήμερα",
    "ar": "في من على أن إلى هذا كان لا ما التي الذي عن مع هذه كل قد بعد هو هي بين أو عند الله يا اليوم الناس حتى لم إن كما",
    "fa": "و در به از که این را با است برای آن یک خود تا کرد بر هم نیز شد دارد من ما امروز",
    "he": "של את לא על זה הוא כל אני עם גם היא אבל יש מה אם או כי היום טוב",
    "ur": "کے میں کی ہے اور سے کا کو نے پر ہیں یہ نہیں اس کہ بھی",
    "hi": "के में है की और से का को पर यह नहीं हैं एक भी ने कि हो था लिए तो इस कर आज जी",
    "bn": "এবং এই করে না থেকে জন্য আমার তার একটি কি হয় আজ",
    "ta": "ஒரு என்று இந்த அது நான் என் இல்லை உள்ள",
    "th": "ที่ และ ใน เป็น ไม่ ของ มี ได้ ให้ ว่า จะ กับ มา ก็ ไป นี้ คน แล้ว วันนี้ ครับ ค่ะ",
    "ja": "の は を に が と で も です ます した から ない こと この その それ これ って なんか ありがとう 今日 今 人 日 私 思う 見る さん "
          "ください お願い 明日 時間 すごい 本当に 楽しい フォロー 情報 発売 開催",
    "zh": "的 是 了 在 不 我 有 和 人 这 中 大 为 上 个 国 他 们 要 来 到 时 地 出 就 说 对 我们 可以 今天 中国 没有 什么 一个 时间 問題 這個 台灣",
    "ko": "이 그 는 은 를 을 에 가 도 의 하다 있다 없다 진짜 너무 오늘 사람 우리 하고 해서 그리고 감사합니다 사랑",
}
UNSPACED = ("ja", "zh", "th")
LANGUAGES = ["en"] * 20 + ["ja"] * 6 + ["es"] * 6 + ["pt"] * 3 + ["ar"] * 3 + ["fr"] * 2 + ["de"] * 2 + ["ko"] * 2 + list(WORDS)
SIGNS = "😂 ❤️ 😍 🙏 🔥 😊 👍 🎉 ✨ 💕 🇺🇸 🇬🇧 🏳️‍🌈 👇 ➡️ 💙 … — “ ” ! ? , . : ; ( ) & &amp; | •".split(" ")
BIOS = ["Journalist at ", "Official account of ", "Views are my own", "RTs are not endorsements", "Opinions my own. ", "He/Him",
    "She/Her", "they/them",
        "Writer, ", "Author of ", "Professor of ", "PhD student", "Software engineer", "Photographer", "Musician | ",
            "Founder of ", "CEO ",
        "Father, husband, ", "Mum of two. ", "Instagram: @", "IG: ", "Snapchat: ", "DM for business", "Contact: ", "@gmail.com",
            "https://t.co/",
        "http://t.co/", "Husband. Father. ", "music, football, ", "Love ", "Proud ", "News and updates from ", "Follow us on "]
CITIES = ["London, England", "London", "New York, NY", "Los Angeles, CA", "California, USA", "Washington, DC", "Chicago, IL",
    "Texas, USA", "Toronto, Ontario",
          "United States", "United Kingdom", "Paris, France", "Berlin, Germany", "Madrid, Spain", "España", "México",
              "Buenos Aires, Argentina", "Brasil",
          "São Paulo, Brazil", "Rio de Janeiro", "日本", "東京", "大阪", "Tokyo, Japan", "Seoul", "Jakarta, Indonesia",
              "Lagos, Nigeria", "Nairobi, Kenya",
          "Cairo, Egypt", "الرياض", "Istanbul, Turkey", "İstanbul", "Mumbai, India", "New Delhi, India", "Bangkok", "Moscow",
              "Москва", "Sydney", "Melbourne, Victoria",
          "Worldwide", "Earth", "Global", "Everywhere", "Internet", "Europe", "Scotland", "Wales", "Manchester, England",
              "Boston, MA", "Seattle, WA", "San Francisco, CA"]
SOURCES = ["Twitter for iPhone"] * 6 + ["Twitter for Android"] * 5 + ["Twitter Web App"] * 4 + ["Twitter Web Client"] * 3 + [
    "TweetDeck", "Twitter for iPad", "Instagram", "Facebook", "Hootsuite", "Hootsuite Inc.", "IFTTT", "Buffer", "WordPress.com",
        "dlvr.it", "SocialFlow", "Echofon",
    "Twitter Lite", "Twitter for Mac", "Twitter for Windows", "Mobile Web (M2)", "Mobile Web", "LinkedIn", "Sprout Social",
    "Twitter for BlackBerry®", "Twitter Media Studio", "Google", "Foursquare", "Paper.li", "TweetCaster for Android", "web"]
SITES = ["https://www.youtube.com/watch?v=", "https://youtu.be/", "https://www.instagram.com/p/", "https://www.facebook.com/",
    "https://bit.ly/", "http://bit.ly/",
         "https://www.theguardian.com/", "https://www.bbc.co.uk/news/", "https://www.nytimes.com/2021/",
             "https://www.washingtonpost.com/", "https://edition.cnn.com/",
         "https://open.spotify.com/track/", "https://github.com/", "https://medium.com/", "https://www.reuters.com/",
             "https://www.linkedin.com/in/", "https://linktr.ee/",
         "https://www.amazon.com/", "https://docs.google.com/", "http://www.", "https://", "https://www.", "http://",
             "https://tinyurl.com/", "https://en.wikipedia.org/wiki/",
         "https://www.tiktok.com/@", "https://www.twitch.tv/", "https://soundcloud.com/", "https://ow.ly/", "http://ow.ly/",
             "http://dlvr.it/", "http://fb.me/", "http://goo.gl/"]
ZONES = [("Eastern Time (US & Canada)", -18000), ("Pacific Time (US & Canada)", -28800), ("Central Time (US & Canada)", -21600),
    ("London", 0), ("Tokyo", 32400),
         ("Brasilia", -10800), ("Buenos Aires", -10800), ("Athens", 7200), ("Quito", -18000),
             ("Mountain Time (US & Canada)", -25200), ("Amsterdam", 3600), ("Hawaii", -36000),
         ("Arizona", -25200), ("Jakarta", 25200), ("Madrid", 3600), ("Paris", 3600), ("Atlantic Time (Canada)", -14400),
             ("Santiago", -14400), ("Irkutsk", 28800), ("Baghdad", 10800)]
DOMAINS = [("3", "TV Shows", "Television shows from around the world"),
    ("10", "Person", "Named people in the world like Nelson Mandela"),
           ("35", "Politician", "Politicians in the world, like Joe Biden"), ("38", "Political Race", ""),
               ("45", "Brand Vertical", "Top level entities that describe a Brands industry"),
           ("46", "Brand Category", "Categories within Brand Verticals that narrow down the scope of Brands"),
               ("46", "Business Taxonomy", "Categories within Brand Verticals that narrow down the scope of Brands"),
           ("47", "Brand", "Brands and Companies"), ("48", "Product",
               "Products created by Brands.  Examples: Ford Explorer, Apple iPhone."),
               ("54", "Musician", "A musician in the world, like Adele or Bob Dylan"),
           ("55", "Music Genre", "A category for a musical style, like Pop, Rock, or Rap"),
               ("65", "Interests and Hobbies Vertical", "Top level interests and hobbies groupings, like Food or Travel"),
           ("66", "Interests and Hobbies Category",
               "A grouping of interests and hobbies entities, like Novelty Food or Destinations"),
               ("67", "Interests and Hobbies",
               "Interests, opinions, and behaviors of individuals, groups, or cultures; like Speciality Cooking or Theme Parks"),
           ("56", "Actor", "An actor or actress in the world, like Kate Winslet or Leonardo DiCaprio"),
               ("86", "Movie", "A film like Rogue One: A Star Wars Story"),
               ("11", "Sport", "Types of sports, like soccer and basketball"),
           ("12", "Sports Team", "A sports team organization, like Arsenal and the Boston Celtics"),
               ("60", "Athlete", "An athlete in the world, like Serena Williams or Lionel Messi"),
               ("94", "Journalist", "A journalist like Anderson Cooper"),
           ("29", "Events [Entity Service]", "Entity Service related Events domain"),
               ("30", "Entities [Entity Service]",
               "Entity Service top level domain, every item that is in Entity Service should be in this domain"),
           ("119", "Holiday", "Holidays like Christmas or Halloween"), ("122", "Public Figure", ""),
               ("123", "Ongoing News Story", "Ongoing News Stories like 'Brexit'"),
               ("131", "Unified Twitter Taxonomy", "A taxonomy of user interests. "),
           ("165", "Technology", "Technology and computing"), ("166", "Stocks", ""), ("172", "Emergency Events", ""),
               ("174", "Digital Assets & Crypto", "For cryptocurrency entities"),
               ("40", "Video Game", "Video games like Fallout 3")]


def digits(count, first="1"):
    return first + "".join(chance.choices("0123456789", k=count - len(first)))


def letters(count, alphabet="abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"):
    return "".join(chance.choices(alphabet, k=count))


def text(language, most=18):
    """Words of a language, with signs, names, tags and links between them."""
    words = WORDS[language].split()
    parts = []
    while len(parts) < most:
        start = chance.randrange(len(words))
        parts += words[start:start + chance.randint(1, 4)]
        kind = chance.random()
        if kind < 0.15: parts.append(pick(SIGNS))
        if 0.15 < kind < 0.2: parts.append("@" + name())
        if 0.2 < kind < 0.25: parts.append("#" + pick(words))
        if 0.25 < kind < 0.3: parts.append("https://t.co/" + letters(10))
    return ("" if language in UNSPACED else " ").join(parts)


def name():
    return pick(["the", "real", "Mr", "its", "", "", ""]) + letters(chance.randint(4, 10),
        "aaeeiioourrnnttsslldmkhbcgpvyw") + pick(["", "", "", "_", "news", "tv", digits(2), digits(4, "19")])


def full_name():
    return pick(["", "", "Dr. ", "The ", "El ", "La "]) + name().title() + pick(["", " ", " "]) + pick([name().title(), "",
        "🇺🇸", "News", "Official", "さん", " Jr."])


def moment(zone="Z", first=2009):
    return (f"{chance.randint(first, 2026)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}T{chance.randint(0, 23):02}:"
            f"{chance.randint(0, 59):02}:{chance.randint(0, 59):02}.000{zone}")


def count(most=0.7):
    return int(chance.paretovariate(most)) - 1


def maybe(part, **members):
    return members if chance.random() < part else {}


def link(start=None):
    start = chance.randint(0, 200) if start is None else start
    address = pick(SITES) + letters(chance.randint(5, 11)) + pick(["", "", ".com", ".com/", ".org/", ".html", "/2021/05/"])
    shown = address.split("://")[1].removeprefix("www.")
    return {"start": start, "end": start + 23, "url": pick(["https://t.co/", "http://t.co/"]) + letters(10),
        "expanded_url": address,
            "display_url": shown[:26] + ("…" if len(shown) > 26 else "")}


def mention(number, **more):
    start = chance.randint(0, 100)
    return {"start": start, "end": start + 12, "username": name(), "id": number, "name": full_name(), **more}


def tag(language):
    start = chance.randint(0, 200)
    return {"start": start, "end": start + 10, "tag": pick(WORDS[language].split()).title()}


def some(make, most=3):
    return [make() for _ in range(chance.randint(1, most))]


def bio(language):
    return pick(["", " "]).join([pick(BIOS), text(language, chance.randint(2, 14)), pick(BIOS)])


# MARK: X

def x_author(number, old, language):
    host = "https://pbs.twimg.com/profile_images/"
    author = {"id": number, "username": name(), "name": full_name(),
              "profile_image_url": pick([host] * 9 + ["http://pbs.twimg.com/profile_images/"]) + digits(pick([18, 19,
                  9])) + "/" + letters(8) + "_normal." + pick(["jpg", "jpg", "jpeg", "png"])}
    if chance.random() < 0.06:
        author["profile_image_url"] = pick(["https://abs.twimg.com/sticky/default_profile_images/default_profile_normal.png",
            "http://abs.twimg.com/sticky/default_profile_images/default_profile_6_normal.png"])
    author |= {"verified": chance.random() < 0.15, "protected": chance.random() < 0.01}
    author |= maybe(0.8, description=bio(language)) | maybe(0.65, location=pick(CITIES)) | maybe(0.4,
        url="https://t.co/" + letters(10))
    author |= {"created_at": moment(first=2007)}
    author["public_metrics"] = {"followers_count": count(0.3), "following_count": count(0.3), "tweet_count": count(0.2),
        "listed_count": count(0.5)}
    if old or chance.random() < 0.2: author["public_metrics"]["like_count"] = count(0.25)
    if not old: author |= maybe(0.3, pinned_tweet_id=digits(19))
    entities = maybe(0.4, url={"urls": [link(0)]})
    if chance.random() < 0.3:
        entities["description"] = maybe(0.5, urls=some(link, 2)) | maybe(0.5, hashtags=some(lambda: tag(language))) | maybe(0.5,
            mentions=[{"start": 10, "end": 24, "username": name()}])
    if entities: author["entities"] = entities
    if old: author["extra"] = x_old_author(number, language)
    return author


def x_old_author(number, language):
    zone = pick(ZONES)
    themes = "abs.twimg.com/images/themes/theme" + pick(["1", "1", "1", "14", "9", "5", "2", "15", "16", "10", "4", "18",
        "13"]) + "/bg." + pick(["png", "png", "gif"])
    if chance.random() < 0.25: themes = "pbs.twimg.com/profile_background_images/" + digits(18) + "/" + letters(8) + ".jpeg"
    banner = maybe(0.8, profile_banner_url=f"https://pbs.twimg.com/profile_banners/{number}/{digits(10)}")
    extra = maybe(0.9, time_zone=zone[0], utc_offset=zone[1]) | maybe(0.9, geo_enabled=pick([True, False])) | maybe(0.8,
        lang=language)
    extra |= {"contributors_enabled": False, "is_translator": False, "is_translation_enabled": chance.random() < 0.03,
              "profile_background_color": pick(["C0DEED"] * 5 + ["000000", "F5F8FA", "131516", "022330", "EBEBEB", "1A1B1F",
                  "FFFFFF", "9AE4E8", "FF6699", "0099B9", "642D8B", letters(6, "0123456789ABCDEF")]),
              "profile_background_image_url": "http://" + themes, "profile_background_image_url_https": "https://" + themes,
                  "profile_background_tile": chance.random() < 0.25} | banner
    extra |= {"profile_link_color": pick(["1DA1F2", "0084B4", "0084B4", "009999", "3B94D9", "ABB8C2", "DD2E44", "FA743E",
        "19CF86", "FF0000", "000000", "2FC2EF", "B40B43", "FF3300", letters(6, "0123456789ABCDEF")]),
              "profile_sidebar_border_color": pick(["C0DEED", "C0DEED", "FFFFFF", "000000", "EEEEEE", "DFDFDF", "181A1E",
                  "A8C7F7"]),
              "profile_sidebar_fill_color": pick(["DDEEF6", "DDEEF6", "DDEEF6", "000000", "EFEFEF", "F3F3F3", "252429",
                  "C0DFEC", "F6F6F6", "E6F6F9"]),
              "profile_text_color": pick(["333333", "333333", "333333", "000000", "666666", "0C3E53"]),
                  "profile_use_background_image": chance.random() < 0.8}
    extra |= maybe(0.8, has_extended_profile=pick([True, False])) | {"default_profile": pick([True, False]),
        "default_profile_image": False}
    extra |= maybe(0.85, following=False, follow_request_sent=False, notifications=False) | maybe(0.4,
        translator_type=pick(["none", "none", "regular"]))
    keys = list(extra)
    if chance.random() < 0.5: chance.shuffle(keys)
    return {key: extra[key] for key in keys}


def sizes():
    shapes = [("thumb", 150, 150, "crop"), ("small", 680, pick([383, 510, 680]), "fit"),
        ("medium", 1200, pick([675, 900, 1200]), "fit"), ("large", pick([1200, 2048]), pick([675, 1152, 1536, 2048]), "fit")]
    if chance.random() < 0.5: chance.shuffle(shapes)
    return {shape: {"w": width, "h": height, "resize": way} for shape, width, height, way in shapes}


def x_media(old):
    kind = pick(["photo", "photo", "photo", "video", "animated_gif"])
    key = {"photo": "3_", "video": "7_", "animated_gif": "16_"}[kind] + digits(19)
    number = digits(19)
    media = {"media_key": key, "type": kind}
    if kind == "photo":
        media["url"] = "https://pbs.twimg.com/media/" + letters(15) + pick([".jpg", ".jpg", ".png"])
    elif kind == "video":
        media["preview_image_url"] = pick([f"https://pbs.twimg.com/ext_tw_video_thumb/{number}/pu/img/",
            f"https://pbs.twimg.com/amplify_video_thumb/{number}/img/", "https://pbs.twimg.com/media/"]) + letters(16) + ".jpg"
    else:
        media["preview_image_url"] = "https://pbs.twimg.com/tweet_video_thumb/" + letters(15) + ".jpg"
    media |= {"width": pick([1200, 1080, 1280, 720, 2048, 1920, 640]), "height": pick([675, 1080, 1200, 720, 1536, 2048, 900])}
    if kind == "video":
        media["duration_ms"] = chance.randint(3000, 140000)
        base = pick([f"https://video.twimg.com/ext_tw_video/{number}/pu/", f"https://video.twimg.com/amplify_video/{number}/"])
        media["variants"] = [{"bit_rate": rate, "content_type": "video/mp4",
            "url": f"{base}vid/{size}/{letters(16)}.mp4?tag={pick(['12', '10', '14'])}"}
                             for rate, size in [(2176000, "1280x720"), (832000, "640x360"),
                                 (256000, "480x270")]] + [{"content_type": "application/x-mpegURL",
                                 "url": f"{base}pl/{letters(16)}.m3u8?tag=12"}]
    if kind == "animated_gif": media["variants"] = [{"bit_rate": 0, "content_type": "video/mp4",
        "url": "https://video.twimg.com/tweet_video/" + letters(15) + ".mp4"}]
    if kind == "video" and not old: media["public_metrics"] = {"view_count": count(0.2)}
    media |= maybe(0.2, alt_text=text("en", 12))
    if old:
        media["extra"] = {"sizes": sizes()} | maybe(0.2, source_status_id=int(digits(19)), source_status_id_str=digits(19),
            source_user_id=int(digits(9)), source_user_id_str=digits(9))
    return media


def x_place():
    west, south = chance.uniform(-120, 140), chance.uniform(-40, 55)
    corners = [round(number, 6) for number in (west, south, west + 0.3, south + 0.2)]
    country = pick([("United States", "US"), ("United Kingdom", "GB"), ("Argentina", "AR"), ("Brasil", "BR"), ("España", "ES"),
        ("日本", "JP"), ("India", "IN"), ("Canada", "CA")])
    place = {"place_id": letters(16, "0123456789abcdef"), "full_name": pick(CITIES), "name": pick(CITIES).split(",")[0],
        "country": country[0], "country_code": country[1], "place_type": pick(["city", "city", "admin", "poi"])}
    if chance.random() < 0.5:
        return place | {"geo": {"type": "Feature", "bbox": corners, "properties": {}}}
    ring = [[corners[0], corners[1]], [corners[2], corners[1]], [corners[2], corners[3]], [corners[0], corners[3]]]
    return place | {"url": f"https://api.twitter.com/1.1/geo/id/{place['place_id']}.json",
        "bounding_box": {"type": "Polygon", "coordinates": [ring]}, "attributes": {}}


def topics():
    found = []
    for _ in range(chance.randint(1, 8)):
        number, domain, description = pick(DOMAINS)
        found.append({"domain": {"id": number, "name": domain} | ({"description": description} if description else {}),
            "entity": {"id": digits(pick([11, 18, 19])), "name": name().title()} | maybe(0.4, description=text("en", 6))})
    return found


def x_tweet(old, depth=0, kind=None, inner=False):
    language = pick(LANGUAGES)
    number, author = digits(19), digits(pick([19, 18, 10, 9, 8]), pick(["1", "2", "3", "4", "7", "8", "9"]))
    profile = x_author(author, old, language)
    tweet = {} if inner else {"tw": "tweet"}
    tweet |= {"id": number}
    if not inner: tweet["service"] = "x"
    if not inner or old: tweet["url"] = f"https://x.com/{profile['username']}/status/{number}"
    tweet |= {"created_at": moment(first=2012), "text": text(language) if inner else "", "lang": pick([language] * 9 + ["und"]),
        "source": pick(SOURCES)}
    if not old: tweet["conversation_id"] = pick([number, digits(19)])
    tweet |= maybe(0.85, possibly_sensitive=chance.random() < 0.03) | {"author_id": author, "author": profile}
    counts = {"retweet_count": count(), "like_count": count()}
    if not old: counts = {"retweet_count": count(), "reply_count": count(), "like_count": count(),
        "quote_count": count()} | maybe(0.3, bookmark_count=count(), impression_count=count(0.3))
    tweet["public_metrics"] = counts
    if old: tweet |= maybe(0.8, viewer={"liked": chance.random() < 0.02, "retweeted": chance.random() < 0.02})
    entities = maybe(0.3, hashtags=some(lambda: tag(language))) | maybe(0.5,
        mentions=some(lambda: mention(digits(9)))) | maybe(0.03, cashtags=[{"start": 0, "end": 5, "tag": "AAPL"}])
    if chance.random() < 0.45: entities["urls"] = some(link, 2)
    media = [x_media(old)] if chance.random() < 0.3 else []
    for one in media:
        start = chance.randint(20, 250)
        url = "https://t.co/" + letters(10)
        entities["urls"] = entities.get("urls", []) + [{"start": start, "end": start + 23, "url": url,
            "expanded_url": f"https://{pick(['twitter.com', 'twitter.com', 'x.com'])}/{profile['username']}/status/{number}/{pick(['photo', 'video'])}/1",
                                                        "display_url": "pic.twitter.com/" + url[-10:],
                                                            "media_key": one["media_key"]}]
    if not old:
        entities |= maybe(0.3, annotations=[{"start": 10, "end": 24, "probability": round(chance.uniform(0.4, 1), 4),
            "type": pick(["Person", "Place", "Organization", "Product", "Other"]), "normalized_text": name().title()}])
        for one in entities.get("urls", []):
            if chance.random() < 0.2: one |= {"status": 200, "title": text(language, 8), "description": text(language, 14),
                "unwound_url": one["expanded_url"]}
            if chance.random() < 0.15: one["images"] = [{"url": f"https://pbs.twimg.com/news_img/{digits(19)}/{letters(8)}?format=jpg&name={size}", "width": width, "height": width} for size, width in [("orig", 1200), ("150x150", 150)]]
    if entities: tweet["entities"] = entities
    if media: tweet["attachments"] = {"media_keys": [one["media_key"] for one in media], "media": media}
    if chance.random() < 0.03:
        tweet["attachments"] = {"poll_ids": [digits(19)], "poll": {"id": digits(19),
            "options": [{"position": place, "label": text(language, 2), "votes": count()} for place in (1, 2, 3)],
            "duration_minutes": 1440, "end_datetime": moment(), "voting_status": pick(["open", "closed"])}}
    kind = kind or pick(["", "", "retweeted", "retweeted", "replied_to", "quoted"])
    if kind == "replied_to":
        tweet["in_reply_to_user_id"] = digits(9)
        tweet["in_reply_to_user"] = {"id": digits(9),
            "username": name()} if old or chance.random() < 0.3 else x_author(digits(9), old, language)
    if kind:
        full = depth < 2 and chance.random() < 0.85 and not (old and kind == "replied_to")
        tweet["referenced_tweets"] = [{"type": kind} | (x_tweet(old, depth + 1,
            pick(["", "", "quoted", "replied_to"]) if kind != "replied_to" else None, True) if full else {"id": digits(19)})]
    tweet |= maybe(0.08, geo=x_place())
    if not old:
        tweet |= maybe(0.35, context_annotations=topics())
        tweet |= maybe(0.4, edit_history_tweet_ids=[number]) | maybe(0.2,
            edit_controls={"edits_remaining": 5, "is_edit_eligible": pick([True, False]), "editable_until": moment(first=2022)})
        tweet |= maybe(0.7, reply_settings=pick(["everyone", "everyone", "everyone", "following", "mentionedUsers"]))
        if not inner: tweet |= maybe(0.15, matching_rules=[{"id": digits(19), "tag": name()}])
    elif chance.random() < 0.3:
        tweet["extra"] = maybe(0.5, filter_level="low", timestamp_ms=digits(13)) | {"display_text_range": [0, 140]} | maybe(0.5,
            metadata={"iso_language_code": language, "result_type": "recent"}) | maybe(0.3, is_quote_status=False,
            contributors=None)
    if not inner: tweet |= maybe(0.6, feeds=[pick(["#", "search:", "user:", ""]) + pick(["home", name()])]) | maybe(0.7,
        retrieved_at=moment(first=2019))
    return tweet


def x_archive():
    author, number = digits(9), digits(19)
    username = name()
    tweet = {"tw": "tweet", "id": number, "service": "x", "url": f"https://x.com/{username}/status/{number}",
        "created_at": moment(), "text": "", "lang": pick(LANGUAGES), "source": pick(SOURCES),
             "possibly_sensitive": False, "author_id": author,
                 "author": {"id": author, "username": username, "name": full_name()},
                 "public_metrics": {"retweet_count": count(), "like_count": count()}}
    tweet["entities"] = maybe(0.4, mentions=some(lambda: mention(digits(9)))) | maybe(0.4, urls=some(link)) | maybe(0.3,
        hashtags=some(lambda: tag("en")))
    tweet |= maybe(0.3, in_reply_to_user_id=digits(9), in_reply_to_user={"id": digits(9), "username": name()},
        referenced_tweets=[{"type": "replied_to", "id": digits(19)}])
    media = [x_media(True)] if chance.random() < 0.3 else []
    if media: tweet["attachments"] = {"media_keys": [one["media_key"] for one in media], "media": media}
    return tweet | {"extra": {"display_text_range": [0, chance.randint(10, 280)],
        "edit_info": {"initial": {"editTweetIds": [number], "editableUntil": moment(), "editsRemaining": "5",
        "isEditEligible": True}}}}


# MARK: Mastodon and Bluesky

SERVERS = ["mastodon.social"] * 5 + ["fosstodon.org", "mstdn.social", "mas.to", "hachyderm.io", "mastodon.online",
    "infosec.exchange", "chaos.social", "mstdn.jp", "pawoo.net", "techhub.social", "social.example"]


def mastodon_author(number, server, language):
    username = name()
    home = pick([server, server] + SERVERS)
    files = pick([f"https://files.{server}/", f"https://{server}/system/", "https://media." + server + "/",
        f"https://cdn.{server}/"])
    folder = "/".join(number[place:place + 3] for place in range(0, 18, 3))
    cache = "" if home == server else "cache/"
    def picture(part, missing):
        if chance.random() < missing: return f"https://{server}/{part}/original/missing.png"
        return f"{files}{cache}accounts/{part}/{folder}/original/{letters(16, '0123456789abcdef')}.{pick(['jpg', 'png', 'jpeg'])}"
    avatar, header = picture("avatars", 0.1), picture("headers", 0.3)
    address = f"https://{home}/@{username}"
    author = {"id": number, "username": username if home == server else f"{username}@{home}"} | maybe(0.9, name=full_name())
    author |= {"profile_image_url": avatar, "protected": chance.random() < 0.2} | maybe(0.8, description=bio(language))
    author |= {"url": address, "created_at": moment(first=2017)[:11] + "00:00:00.000Z",
        "public_metrics": {"followers_count": count(0.3), "following_count": count(0.3), "tweet_count": count(0.25)}}
    author |= maybe(0.3, entities={"description": {"urls": [link() | {"url": pick(SITES) + name()}]}})
    def field(): return {"name": pick(["Website", "Pronouns", "GitHub", "Blog", "Web", "Matrix", "Location", "Home"]),
        "value": pick([
        "he/him", "she/her", "they/them",
            f"<a href=\"https://{name()}.org\" target=\"_blank\" rel=\"nofollow noopener noreferrer me\" translate=\"no\"><span class=\"invisible\">https://</span><span class=\"\">{name()}.org</span><span class=\"invisible\"></span></a>"]),
        "verified_at": pick([None, None, moment("+00:00")])}
    emojis = [{"shortcode": name(),
        "url": f"{files}custom_emojis/images/{folder[:11]}/original/{letters(16, '0123456789abcdef')}.png",
        "static_url": f"{files}custom_emojis/images/{folder[:11]}/static/{letters(16, '0123456789abcdef')}.png",
        "visible_in_picker": True}]
    return author | {"extra": {"avatar_static": avatar, "bot": chance.random() < 0.1}
        | maybe(0.6, discoverable=pick([True, False])) | maybe(0.9, indexable=pick([True, False])) | {
        "group": False, "uri": f"https://{home}/{pick(['users', 'ap/users'])}/{username}", "header": header,
            "header_static": header, "last_status_at": moment(first=2023)[:10]}
            | maybe(0.5, hide_collections=pick([True, False, None])) | maybe(0.4, noindex=False)
        | {"emojis": pick([[], [], emojis]), "roles": [], "fields": some(field) if chance.random() < 0.5 else []}}


def mastodon_post(depth=0, server=None):
    language, server = pick(LANGUAGES), server or pick(SERVERS)
    number, author = digits(18), digits(pick([18, 18, 6]))
    profile = mastodon_author(author, server, language)
    username = profile["username"].split("@")[0]
    home = profile["url"].split("/")[2]
    post = ({"tw": "tweet", "id": number,
        "service": "mastodon:" + server} if depth == 0 else {"id": number}) | {"url": f"https://{home}/@{username}/{digits(18)}", "created_at": moment(first=2017), "text": text(language) if depth else "", "lang": language}
    post |= maybe(0.3, source=pick(["Web", "Mastodon for Android", "Mastodon for iOS", "Tusky", "Ivory for iOS",
        "Ice Cubes for iOS", "Toot!", "Moshidon"])) | {"possibly_sensitive": chance.random() < 0.1, "author_id": author,
        "author": profile}
    post["public_metrics"] = {"retweet_count": count(), "reply_count": count(), "like_count": count()} | maybe(0.5,
        quote_count=0)
    post |= maybe(0.7, viewer={"liked": False, "retweeted": False})
    entities = maybe(0.4, hashtags=some(lambda: tag(language), 5)) | maybe(0.3,
        mentions=some(lambda: mention(digits(18), url=f"https://{pick(SERVERS)}/@{name()}"))) | maybe(0.4,
        urls=some(lambda: link() | {"url": pick(SITES) + name()}, 2))
    if entities: post["entities"] = entities
    if chance.random() < 0.3:
        media = digits(18)
        path = "/".join(media[place:place + 3] for place in range(0, 18, 3))
        file = f"https://files.{server}/media_attachments/files/{path}/original/{letters(16, '0123456789abcdef')}.{pick(['jpg', 'png', 'webp', 'mp4'])}"
        post["attachments"] = {"media_keys": [media], "media": [{"media_key": media, "type": pick(["photo", "photo", "video"]),
            "url": file, "preview_image_url": file.replace("original", "small"), "width": 1280, "height": 960}
            | maybe(0.6, alt_text=text(language, 14)) | {
            "extra": {"preview_url": file.replace("original", "small"), "remote_url": None, "preview_remote_url": None,
                "text_url": None, "meta": {"original": {"width": 1280, "height": 960, "size": "1280x960",
                "aspect": 1.3333333333333333},
                      "small": {"width": 554, "height": 416, "size": "554x416", "aspect": 1.3317307692307692},
                          "focus": {"x": 0.0, "y": 0.0}}, "blurhash": letters(36)}}]}
    if depth == 0: post |= maybe(0.25, in_reply_to_user_id=digits(18), in_reply_to_user={"id": digits(18), "username": name()},
        referenced_tweets=[{"type": "replied_to", "id": digits(18)}])
    if depth == 0 and "referenced_tweets" not in post: post |= maybe(0.3,
        referenced_tweets=[{"type": pick(["retweeted", "retweeted", "quoted"])} | mastodon_post(1, server)])
    extra = maybe(0.1, spoiler_text=text(language, 4)) | {"visibility": pick(["public", "public", "public", "unlisted",
        "private", "direct"])} | maybe(0.4, uri=f"https://{home}/users/{username}/statuses/{digits(18)}") | maybe(0.7,
        muted=False, bookmarked=False) | maybe(0.3, pinned=False)
    extra |= maybe(0.15, card={"url": pick(SITES) + name(), "title": text(language, 8), "description": text(language, 18),
        "language": language, "type": pick(["link", "link", "video"]), "author_name": "", "author_url": "",
        "provider_name": name().title(), "provider_url": "", "html": "",
                              "width": 1200, "height": 630,
                                  "image": f"https://files.{server}/cache/preview_cards/images/000/{digits(3)}/{digits(3)}/original/{letters(16, '0123456789abcdef')}.jpg", "image_description": "", "embed_url": "", "blurhash": letters(36), "published_at": None, "authors": []})
    extra |= maybe(0.6, filtered=[]) | {"emojis": []} | maybe(0.3, tagged_collections=[]) | maybe(0.4,
        quote_approval={"automatic": pick([[], ["public"], ["followers"]]), "manual": [],
        "current_user": pick(["automatic", "denied", "unknown"])}) | maybe(0.1, edited_at=moment())
    post["extra"] = extra
    return post | (maybe(0.5, feeds=[pick(["home", "#" + name()])])
        | maybe(0.6, retrieved_at=moment(first=2023)) if depth == 0 else {})


BASE32 = "abcdefghijklmnopqrstuvwxyz234567"


def bluesky_post(depth=0):
    language = pick(LANGUAGES)
    author, key = "did:plc:" + letters(24, BASE32), "3" + letters(12, BASE32)
    address = f"at://{author}/app.bsky.feed.post/{key}"
    def cid(start="bafyrei"): return start + letters(52, BASE32)
    full = chance.random() < 0.6
    post = ({"tw": "tweet", "id": address,
        "service": "bluesky"} if depth == 0 else {"id": address}) | {"url": f"https://bsky.app/profile/{author}/post/{key}",
        "created_at": moment(first=2023), "text": text(language) if depth else "", "lang": language} | maybe(0.3,
        conversation_id=f"at://{author}/app.bsky.feed.post/3{letters(12, BASE32)}")
    profile = {"id": author}
    if full:
        profile |= {"username": name() + ".bsky.social"} | maybe(0.9,
            name=full_name()) | {"profile_image_url": f"https://cdn.bsky.app/img/avatar/plain/{author}/{cid('bafkrei')}{pick(['@jpeg', ''])}", "created_at": moment(first=2023)}
        profile |= {"extra": {"associated": maybe(0.7, chat={"allowIncoming": pick(["all", "following", "none"])})
            | maybe(0.7, activitySubscription={"allowSubscriptions": "followers"}),
            "viewer": {"muted": False, "blockedBy": False}, "labels": []}}
    post |= {"author_id": author, "author": profile}
    if full: post |= {"public_metrics": {"retweet_count": count(), "reply_count": count(), "like_count": count(),
        "quote_count": count()} | maybe(0.5, bookmark_count=count()), "viewer": {"liked": False, "retweeted": False}}
    entities = maybe(0.3, hashtags=some(lambda: tag(language))) | maybe(0.1,
        mentions=[mention("did:plc:" + letters(24, BASE32))]) | maybe(0.35,
        urls=[link() | {"url": pick(SITES) + name()} | maybe(0.5, title=text(language, 8), description=text(language, 18))])
    if entities: post["entities"] = entities
    if chance.random() < 0.35:
        media = cid("bafkrei")
        post["attachments"] = {"media_keys": [media], "media": [{"media_key": media, "type": "photo",
            "url": f"https://cdn.bsky.app/img/feed_fullsize/plain/{author}/{media}@jpeg", "width": pick([1500, 2000, 1080]),
            "height": pick([2000, 1080, 1350])} | maybe(0.5, alt_text=text(language, 14))

                | {"extra": {"thumb": f"https://cdn.bsky.app/img/feed_thumbnail/plain/{author}/{media}@jpeg"} if full else {"image": {"$type": "blob", "ref": {"$link": media}, "mimeType": "image/jpeg", "size": chance.randint(90000, 990000)}}}]}
    if chance.random() < 0.3: post |= {"in_reply_to_user_id": "did:plc:" + letters(24, BASE32),
        "referenced_tweets": [{"type": "replied_to",
        "id": f"at://did:plc:{letters(24, BASE32)}/app.bsky.feed.post/3{letters(12, BASE32)}"}]}
    elif depth == 0: post |= maybe(0.3, referenced_tweets=[{"type": pick(["quoted", "retweeted"])} | bluesky_post(1)])
    post["extra"] = ({"cid": cid(), "indexedAt": moment(first=2023), "viewer": maybe(0.5, bookmarked=False)
        | {"threadMuted": False} | maybe(0.7, embeddingDisabled=False),
        "labels": []} if full else {"rev": "3" + letters(12, BASE32), "cid": cid()} | maybe(0.3, record={"langs": [language]}))
    return post | (maybe(0.5, feeds=["home"]) | maybe(0.6, retrieved_at=moment(first=2023)) if depth == 0 else {})


def record(number):
    """The bytes that zstd packs: a record without its text; every fifteenth is a user's profile."""
    kind = number % 15
    if kind < 6: made = x_tweet(old=False)
    elif kind < 9: made = x_tweet(old=True)
    elif kind < 10: made = x_archive()
    elif kind < 12: made = mastodon_post()
    elif kind < 14: made = bluesky_post()
    else: made = pick([lambda: x_author(digits(9), True, pick(LANGUAGES)), lambda: x_author(digits(19), False, pick(LANGUAGES)),
        lambda: mastodon_author(digits(18), pick(SERVERS), pick(LANGUAGES))])()
    escaped = kind in (6, 7)  # as X's old API writes strings
    line = json.dumps(made, ensure_ascii=escaped, separators=(",", ":"))
    return (line.replace("/", "\\/") if escaped else line).encode()


class Parameters(ctypes.Structure):
    """ZDICT_fastCover_params_t (zdict.h): k and d are the lengths of what is chosen and of what is counted."""
    _fields_ = ([(name, ctypes.c_uint) for name in ("k", "d", "f", "steps", "threads")] + [("part", ctypes.c_double)]
                + [(name, ctypes.c_uint) for name in ("speed", "shrinks", "regression")]
                + [("level", ctypes.c_int), ("notes", ctypes.c_uint), ("number", ctypes.c_uint)])


def train(samples):
    library = ctypes.CDLL(ctypes.util.find_library("zstd"))
    library.ZDICT_trainFromBuffer_fastCover.restype = ctypes.c_size_t
    room = ctypes.create_string_buffer(SIZE)
    counts = (ctypes.c_size_t * len(samples))(*map(len, samples))
    # Of all lengths tried these make the recorded tweets of the services shortest.
    parameters = Parameters(k=700, d=8, f=20, steps=4, threads=1, part=1.0, speed=1, level=3)
    size = library.ZDICT_trainFromBuffer_fastCover(
        room, ctypes.c_size_t(SIZE), b"".join(samples), counts, ctypes.c_uint(len(samples)), parameters)
    if library.ZDICT_isError(ctypes.c_size_t(size)): sys.exit("generate-dictionary: libzstd cannot make a dictionary")
    return room.raw[:size]


if __name__ == "__main__":
    samples = [record(number) for number in range(COUNT)]
    sys.stdout.buffer.write(b"\n".join(samples) if "--records" in sys.argv else train(samples))
