"""Synthetic tweets of the API v1.1, as wide and deep as real ones, and a few planted ones.

Shares as counted in a stream of 23,541 tweets of 2019. A retweet or quote holds the whole tweet that it repeats,
of a pool in which few tweets are repeated often. No generated tweet has a planted name, hashtag or number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from sparkwhy.scenarios.data.draw import Draw, Value, record

TABLES = ("tweets",)
VERSION = "twitter 1"
SEED = 11

_FIRST = "alex|bao|carmen|deniz|eli|femi|gabi|hugo|inga|jo|kim|lou|max|noa|ola|per|quin|ria|sam|tao"
_LAST = "_x|99|loves|reads|runs|sings|daily|news|music|art|fan|dreams"
_WORDS = (
    "again|always|beautiful|because|coffee|concert|every|finally|friends|game|goal|good|happy|just|live|love|"
    "match|morning|music|never|news|night|photo|really|see|song|street|team|thanks|today|tonight|tour|video|"
    "watch|week|win|world"
)
_TOPICS = "Michael Jordan|LeBron James|BTS|UEFA|Brexit|NASA|Eurovision|Nobel Prize"
_TAGS = "BTSARMY|ChampionsLeague|Chelsea|NowPlaying|Monday|art|science|travel|vote"
_LANGUAGES = "en|ja|es|ko|ar|pt|th|und"
_COUNTRIES = "United States|Brazil|Japan|United Kingdom|Turkey|Indonesia"
_LOCATIONS = "Seoul|Texas, United States|London|Tokyo|earth|Sao Paulo, Brazil|she/her|Lagos"
_SOURCES = "Twitter for iPhone|Twitter for Android|Twitter Web App|TweetDeck"
_NULL = "cast(null as string)"
_NO_NUMBER = "cast(null as bigint)"
_TRUE, _FALSE = "true", "false"

_FIRST_TWEET = 1_100_000_000_000_000_000
_POOL_TWEET = 1_000_000_000_000_000_000


def table(spark: SparkSession, name: str, rows: int, *, seed: int = SEED) -> DataFrame:
    """Return the tweets, with the planted ones."""
    assert name in TABLES
    stages = (["id as nr"], _keys(rows, seed), _parts(rows, seed), _columns(rows, seed))
    drawn = reduce(lambda df, columns: df.selectExpr(*columns), stages, spark.range(rows).toDF("id"))
    planted = spark.createDataFrame([_complete(each) for each in PLANTED], drawn.schema.toNullable())
    return planted.union(drawn).coalesce(rows // 20_000 + 1)


def _keys(rows: int, seed: int) -> list[str]:
    """Return the number of the tweet, of the one it repeats, of the one it quotes, and of the one that the first
    quotes.
    """
    d = Draw("nr", seed)
    pool = max(rows // 4, 20)

    def popular(name: str) -> str:
        share = f"{d.number(name, 1000)} / 1000D"
        return f"cast(floor(pow({share}, 3) * {pool}) as bigint)"

    return [
        "nr",
        f"{d.value_or_null('retweet', 0.51, popular('repeated'))} as repeated",
        f"{d.value_or_null('quote', 0.09, popular('quoted'))} as quoted",
        f"{d.value_or_null('quote in retweet', 0.05, popular('quoted in repeated'))} as inner",
    ]


_ROLES = ("nr", "repeated", "quoted", "inner")


def _parts(rows: int, seed: int) -> list[str]:
    """Return what a tweet says in several places, computed once: for the tweet itself and for those within it."""
    found = [*_ROLES]
    for role in _ROLES:
        d = _draw(role, seed)
        parts = {"text": _tweet_text(d), "media": _media(d), "entities": record(_entities(d, rows))}
        found += [f"if({role} is null, null, {value}) as {role}_{name}" for name, value in parts.items()]
    return found


def _draw(role: str, seed: int) -> Draw:
    return Draw("nr" if role == "nr" else f"{role}, 'pool'", seed)


def _columns(rows: int, seed: int) -> list[str]:
    """Return the attributes of a tweet, and the tweets within it."""
    own = _draw("nr", seed)
    outer = {
        **_tweet("nr", own, rows, quotes=own.number("quote count", 1)),
        "timestamp_ms": f"cast({own.number('milliseconds', 86_400_000)} + 1546300800000 as string)",
        "quoted_status": _quote_column("quoted", own, rows),
        "retweeted_status": f"if(repeated is null, null, {record(_repeat_columns(own, rows))})",
    }
    return [f"{_text(value)} as {name}" for name, value in outer.items()]


def _repeat_columns(own: Draw, rows: int) -> dict[str, Value]:
    within = _draw("repeated", own.seed)
    return {
        **_tweet("repeated", within, rows, quotes=_draw_count(own, "quotes of retweet", 0.68)),
        "quoted_status": _quote_column("inner", own, rows),
    }


def _quote_column(role: str, own: Draw, rows: int) -> str:
    tweet = _tweet(role, _draw(role, own.seed), rows, quotes=_draw_count(own, f"quotes of {role}", 0.87))
    return f"if({role} is null, null, {record(tweet)})"


def _draw_count(d: Draw, name: str, share: float) -> str:
    """Return a count that is above 0 for that share; drawn for each copy, for it grows while a tweet is repeated."""
    return f"if({d.is_drawn(name, share)}, {d.number(f'{name} count', 5000, 1)}, 0L)"


def _text(value: Value) -> str:
    return value if isinstance(value, str) else record(value)


# --- the parts of a tweet ---


def _tweet_text(d: Draw) -> str:
    topic = d.value_or_null("topic", 0.1, d.pick("topic", _TOPICS))
    return f"concat_ws(' ', {topic}, {d.words('text', _WORDS, 3, 15)})"


def _tweet(role: str, d: Draw, rows: int, *, quotes: str) -> dict[str, Value]:
    """Return a tweet without the tweets within it."""
    number = f"({_FIRST_TWEET if role == 'nr' else _POOL_TWEET} + {role})"
    user = d.number("user", max(rows // 3, 10), 1000)
    answered = d.value_or_null("reply", 0.2, d.number("answered", 1000, _POOL_TWEET))
    answered_user = d.value_or_null("reply", 0.2, d.number("answered user", max(rows // 3, 10), 1000))
    quoted = d.value_or_null("quotes", 0.09, d.number("quoted", 1000, _POOL_TWEET))
    long = d.is_drawn("long", 0.1)
    point = {"type": "'Point'", "coordinates": f"array({d.number('lat', 90)} / 1D, {d.number('lon', 180)} / 1D)"}
    return {
        "created_at": f"concat('Mon Apr 01 ', {d.number('hour', 14, 10)}, ':00:00 +0000 2019')",
        "id": number,
        "id_str": f"cast({number} as string)",
        "text": f"{role}_text",
        "display_text_range": f"if({long}, array(0L, 140L), null)",
        "source": d.pick("source", _SOURCES),
        "truncated": long,
        "in_reply_to_status_id": answered,
        "in_reply_to_status_id_str": f"cast({answered} as string)",
        "in_reply_to_user_id": answered_user,
        "in_reply_to_user_id_str": f"cast({answered_user} as string)",
        "in_reply_to_screen_name": d.value_or_null("reply", 0.2, d.pick("answered name", _FIRST)),
        "user": _user(user, d),
        "geo": d.value_or_null("geo", 0.003, record(point)),
        "coordinates": d.value_or_null("geo", 0.003, record(point)),
        "place": d.value_or_null("place", 0.01, record(_place(d))),
        "contributors": _NULL,
        "quoted_status_id": quoted,
        "quoted_status_id_str": f"cast({quoted} as string)",
        "quoted_status_permalink": d.value_or_null(
            "quotes", 0.09, record(dict.fromkeys(_PERMALINK, "'https://t.co/q'"))
        ),
        "is_quote_status": d.is_drawn("quotes?", 0.09),
        "quote_count": quotes,
        "reply_count": d.number("replies", 20),
        "retweet_count": d.number("retweets", 300),
        "favorite_count": d.number("favorites", 900),
        "entities": _with_media(role),
        "extended_entities": f"if({role}_media is null, null, named_struct('media', {role}_media))",
        "extended_tweet": f"if({long}, {record(_extended_columns(role, d))}, null)",
        "favorited": _FALSE,
        "retweeted": _FALSE,
        "possibly_sensitive": d.value_or_null("links", 0.35, d.is_drawn("sensitive", 0.03)),
        "withheld_in_countries": d.value_or_null("withheld", 0.001, "array('DE', 'FR')"),
        "filter_level": "'low'",
        "lang": d.pick("language", _LANGUAGES),
    }


_PERMALINK = ("url", "expanded", "display")


def _extended_columns(role: str, d: Draw) -> dict[str, Value]:
    return {
        "full_text": f"concat({role}_text, ' ', {d.words('more', _WORDS, 10, 20)})",
        "display_text_range": "array(0L, 260L)",
        "entities": _with_media(role),
        "extended_entities": {"media": f"{role}_media"},
    }


def _with_media(role: str) -> dict[str, Value]:
    kinds = ("hashtags", "urls", "user_mentions", "symbols")
    return {**{kind: f"{role}_entities.{kind}" for kind in kinds}, "media": f"{role}_media"}


def _user(number: str, seen: Draw) -> dict[str, Value]:
    """Return a user by number; the counts are those of the day on which the tweet was seen."""
    d = Draw(f"{number}, 'user'", seen.seed)
    image = f"concat('pbs.twimg.com/profile_images/', {d.digits('image', 10)}, '.jpg')"
    flags = ("profile_background_tile", "contributors_enabled", "is_translator", "default_profile_image", "protected")
    colors = ("background", "link", "sidebar_border", "sidebar_fill", "text")
    return {
        "id": number,
        "id_str": f"cast({number} as string)",
        "name": _user_name(number, seen.seed),
        "screen_name": f"concat({d.pick('first', _FIRST)}, {number})",
        "location": d.value_or_null("location", 0.62, d.pick("location", _LOCATIONS)),
        "url": d.value_or_null("url", 0.25, f"concat('https://t.co/', {d.digits('url', 10)})"),
        "description": d.value_or_null("description", 0.8, d.words("description", _WORDS, 2, 8)),
        "translator_type": "'none'",
        "verified": d.is_drawn("verified", 0.01),
        "followers_count": seen.number("followers", 9000),
        "friends_count": seen.number("friends", 2000),
        "listed_count": seen.number("listed", 50),
        "favourites_count": seen.number("favourites", 50_000),
        "statuses_count": seen.number("statuses", 90_000),
        "created_at": f"concat('Tue Mar 05 09:00:00 +0000 ', {d.number('joined', 12, 2007)})",
        "utc_offset": _NO_NUMBER,
        "time_zone": _NULL,
        "geo_enabled": d.is_drawn("geo", 0.4),
        "lang": d.pick("language", _LANGUAGES),
        **dict.fromkeys(flags, _FALSE),
        **{f"profile_{part}_color": d.digits(f"{part} color", 6) for part in colors},
        "profile_background_image_url": "'http://abs.twimg.com/images/themes/theme1/bg.png'",
        "profile_background_image_url_https": "'https://abs.twimg.com/images/themes/theme1/bg.png'",
        "profile_use_background_image": _TRUE,
        "profile_image_url": f"concat('http://', {image})",
        "profile_image_url_https": f"concat('https://', {image})",
        "profile_banner_url": d.value_or_null("banner", 0.75, f"concat('https://', {image}, '/banner')"),
        "default_profile": d.is_drawn("default", 0.6),
        "following": "cast(null as boolean)",
        "follow_request_sent": "cast(null as boolean)",
        "notifications": "cast(null as boolean)",
    }


def _user_name(number: str, seed: int) -> str:
    d = Draw(f"{number}, 'user'", seed)
    return f"concat({d.pick('first', _FIRST)}, {d.pick('last', _LAST)})"


def _place(d: Draw) -> dict[str, Value]:
    corners = "array(array(array(0D, 0D), array(0D, 1D), array(1D, 1D), array(1D, 0D)))"
    return {
        "id": d.digits("place", 16),
        "url": f"concat('https://api.twitter.com/1.1/geo/id/', {d.digits('place', 16)}, '.json')",
        "place_type": d.pick("place type", "city|admin|country"),
        "name": d.pick("place name", _LOCATIONS),
        "full_name": d.pick("place name", _LOCATIONS),
        "country_code": f"upper(substr({d.pick('country', _COUNTRIES)}, 1, 2))",
        "country": d.pick("country", _COUNTRIES),
        "bounding_box": {"type": "'Polygon'", "coordinates": corners},
        "attributes": {"street_address": _NULL, "locality": _NULL, "region": _NULL, "iso3": _NULL, "phone": _NULL},
    }


def _entities(d: Draw, rows: int) -> dict[str, Value]:
    """Return the entities without media; where there are none the arrays are empty."""
    return {
        "hashtags": _array_or_empty(
            d, "hashtags", 0.13, 3, lambda e: {"text": e.pick("tag", _TAGS), "indices": _INDICES}
        ),
        "urls": _array_or_empty(d, "urls", 0.18, 2, lambda e: {**_link(e), "indices": _INDICES}),
        "user_mentions": _array_or_empty(d, "mentions", 0.74, 3, lambda e: _mention(e, rows)),
        "symbols": _array_or_empty(
            d, "symbols", 0.01, 1, lambda e: {"text": e.pick("symbol", "TSLA"), "indices": _INDICES}
        ),
    }


_INDICES = "array(0L, 10L)"


def _array_or_empty(d: Draw, name: str, share: float, most: int, element: Callable[[Draw], Mapping[str, Value]]) -> str:
    count = f"if({d.is_drawn(name, share)}, {d.number(f'{name} count', most, 1)}, 0L)"
    return d.array(name, count, lambda each: record(element(each)))


def _link(d: Draw) -> dict[str, Value]:
    return {
        "url": f"concat('https://t.co/', {d.digits('link', 10)})",
        "expanded_url": f"concat('https://example.org/', {d.digits('link', 10)})",
        "display_url": f"concat('example.org/', {d.digits('link', 5)})",
    }


def _mention(d: Draw, rows: int) -> dict[str, Value]:
    number = d.number("user", max(rows // 3, 10), 1000)
    return {
        "screen_name": f"concat({Draw(number + ', 1', d.seed).pick('first', _FIRST)}, {number})",
        "name": _user_name(number, d.seed),
        "id": number,
        "id_str": f"cast({number} as string)",
        "indices": _INDICES,
    }


def _media(d: Draw) -> str:
    """Null where there is none: tweets have no such field then."""
    count = d.number("media count", 2, 1)
    return d.value_or_null("media", 0.23, d.array("media", count, lambda each: record(_medium(each))))


def _medium(d: Draw) -> dict[str, Value]:
    image = f"concat('pbs.twimg.com/media/', {d.digits('medium', 12)}, '.jpg')"
    size = {"w": d.number("width", 1000, 200), "h": d.number("height", 1000, 200), "resize": "'fit'"}
    video = {
        "aspect_ratio": "array(16L, 9L)",
        "duration_millis": d.number("length", 100_000),
        "variants": f"array({record({'bitrate': '832000L', 'content_type': _MP4, 'url': _MP4})})",
    }
    about = {"title": _NULL, "description": _NULL, "embeddable": "cast(null as boolean)", "monetizable": _FALSE}
    origin = d.value_or_null("source", 0.3, d.number("source", 1000, _POOL_TWEET))
    return {
        "id": d.number("id", 1_000_000, _POOL_TWEET),
        "id_str": f"cast({d.number('id', 1_000_000, _POOL_TWEET)} as string)",
        **_link(d),
        "indices": _INDICES,
        "media_url": f"concat('http://', {image})",
        "media_url_https": f"concat('https://', {image})",
        "type": d.pick("type", "photo|video|animated_gif"),
        "sizes": {"thumb": size, "small": size, "medium": size, "large": size},
        "source_status_id": origin,
        "source_status_id_str": f"cast({origin} as string)",
        "source_user_id": d.value_or_null("source", 0.3, d.number("source user", 1000, 1000)),
        "source_user_id_str": f"cast({d.value_or_null('source', 0.3, d.number('source user', 1000, 1000))} as string)",
        "video_info": d.value_or_null("video", 0.2, record(video)),
        "additional_media_info": d.value_or_null("about", 0.02, record(about)),
    }


_MP4 = "'video/mp4'"


# --- planted tweets ---


def _plant_tweet(
    number: int,
    text: str,
    user: tuple[int, str],
    *,
    location: str | None = None,
    country: str | None = None,
    tags: Sequence[str] = (),
    mentions: Sequence[tuple[int, str]] = (),
    urls: int = 0,
    media: int = 0,
    **more: Any,
) -> dict[str, Any]:
    """Return a tweet by what matters of it; `_complete` adds what every tweet has."""
    links = [
        {"url": f"https://t.co/{number}{nr}", "expanded_url": f"https://example.org/{number}/{nr}"} for nr in range(3)
    ]
    return {
        "id": number,
        "text": text,
        "user": {"id": user[0], "name": user[1], "location": location},
        "place": None if country is None else {"country": country, "full_name": country, "place_type": "country"},
        "entities": {
            "hashtags": [{"text": tag} for tag in tags],
            "urls": links[:urls],
            "user_mentions": [{"id": each, "name": name, "screen_name": name} for each, name in mentions],
            "symbols": [],
            "media": links[:media] or None,
        },
        **more,
    }


def _complete(tweet: dict[str, Any]) -> dict[str, Any]:
    user = tweet["user"]
    return {
        "created_at": "Mon Apr 01 12:00:00 +0000 2019",
        "id_str": str(tweet["id"]),
        "lang": "en",
        "truncated": False,
        "is_quote_status": False,
        **dict.fromkeys(("quote_count", "reply_count", "retweet_count", "favorite_count"), 0),
        **tweet,
        "user": {
            "id_str": str(user["id"]),
            "screen_name": user["name"].lower().replace(" ", "_"),
            "lang": "en",
            **user,
        },
    }


_MARIE, _ROSA, _THEO, _BEN = (501, "Marie Duarte"), (502, "Rosa Kowalczyk"), (503, "Theo Achterberg"), (504, "Ben Osei")
_ANNOUNCED = _complete(_plant_tweet(900_000_000_000_000_001, "We found it, first picture ever", _THEO, urls=1))
_OTHER = _complete(_plant_tweet(900_000_000_000_000_002, "Nothing to see here", _BEN))

PLANTED: tuple[dict[str, Any], ...] = (
    # T1: LeBron James, with links and without media; and what the query returns
    _plant_tweet(901, "LeBron James does it again, what a game", _BEN, urls=2),
    _plant_tweet(902, "Michael Jordan, the greatest", _BEN, media=1),
    # T2: a fan from the US, seen once with another location, and never with a place
    _plant_tweet(911, "BTS tonight, finally", _MARIE, location="Austin, United States"),
    _plant_tweet(912, "good morning world", _MARIE, location="on tour"),
    _plant_tweet(913, "BTS at the airport", _ROSA, location="Warsaw", country="United States"),
    # T3: mentioned with a hashtag in tweets that have links and no media; with other hashtags also with media
    _plant_tweet(921, "thanks all", _THEO),
    _plant_tweet(922, "great talk by Theo", _ROSA, tags=("SparkDay",), mentions=(_THEO, _BEN), urls=1),
    _plant_tweet(923, "Theo on stage", _ROSA, tags=("DataDay",), mentions=(_THEO,), media=2),
    _plant_tweet(924, "Marie on stage", _ROSA, tags=("SparkDay",), mentions=(_MARIE,), media=1),
    # T4: about UEFA and the club from a user with a location and no place; without UEFA from nowhere
    _plant_tweet(931, "UEFA draw today, come on", _BEN, location="London", tags=("Arsenal",)),
    _plant_tweet(932, "what a goal", _ROSA, tags=("ArsenalFC",)),
    _plant_tweet(933, "UEFA final", _MARIE, country="Spain", location="Madrid", tags=("Valencia", "final")),
    # T_ASD: one tweet repeated before and after anybody quoted it, and one that is quoted
    _plant_tweet(941, "RT we found it", _ROSA, retweeted_status={**_ANNOUNCED, "quote_count": 0}),
    _plant_tweet(942, "RT we found it", _MARIE, retweeted_status={**_ANNOUNCED, "quote_count": 12}),
    _plant_tweet(943, "RT we found it", _BEN, retweeted_status={**_ANNOUNCED, "quote_count": 57}),
    _plant_tweet(944, "look at this", _BEN, quoted_status={**_OTHER, "quote_count": 3}, is_quote_status=True),
)
"""What the questions ask for, and neighbours of it that the queries do return."""
