"""Synthetic DBLP: records as spark-xml reads them, with the null rates of the real ones, and a few planted records.

The generated records know no one of the planted names, venues and titles; the planted ones are literal rows beside
them. `rows` is the number of inproceedings; there are as many articles and homepages, and a volume for every 25.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from sparkwhy.scenarios.data.draw import Draw, Value, record

TABLES = ("article", "inproceedings", "proceedings", "www")
VERSION = "dblp 2"
SEED = 7

PERSON = "array<struct<_VALUE: string, _orcid: string, _pid: string>>"
LINK = "array<struct<_VALUE: string, _type: string>>"
NOTE = "array<struct<_VALUE: string, _type: string, _label: string>>"
NAMED = "struct<_VALUE: string, _href: string>"
TITLE = "struct<_VALUE: string, _bibtex: string>"
COMMON = f"_key string, _mdate string, _publtype string, title {TITLE}, year int, url {LINK}, ee {LINK}, note {NOTE}"

SCHEMAS = {
    "article": f"{COMMON}, author {PERSON}, editor {PERSON}, journal string, volume string, number string,"
    " pages array<string>, crossref array<string>, cite array<struct<_VALUE: string>>",
    "inproceedings": f"{COMMON}, author {PERSON}, editor {PERSON}, booktitle string, pages array<string>,"
    " crossref array<string>, cite array<struct<_VALUE: string>>",
    "proceedings": f"{COMMON}, author {PERSON}, editor {PERSON}, booktitle string, publisher {NAMED},"
    f" series {NAMED}, volume string, isbn array<string>",
    "www": f"{COMMON}, author {PERSON}, cite array<struct<_VALUE: string>>",
}
"""Of each table, as DDL; with it the real records are read too."""

_PER_VOLUME = 25

_FIRST = "Ada|Bela|Chen|Dana|Emil|Fatma|Goran|Hanna|Ivan|Jun|Karin|Luis|Mei|Nils|Olga|Pavel|Rita|Sara|Tim"
_LAST = "Adler|Brandt|Costa|Dey|Eriksen|Fischer|Gupta|Huang|Ito|Jansen|Keller|Liu|Moreau|Novak|Okoye"
_WORDS = (
    "adaptive|approximate|caching|columnar|consistent|distributed|efficient|elastic|graphs|indexing|joins|"
    "learning|mining|nested|optimizing|parallel|provenance|queries|ranking|replicated|sampling|scalable|schemas|"
    "searching|semantic|streams|transactions|tuning|versioned|views"
)
_VENUES = "BTW|CIDR|EDBT|ICDE|ISWC|KDD|PODS|SIGIR|SIGMOD Conference|SSDBM|VLDB|WISE"
_PUBLISHERS = "ACM|IEEE|Springer|OpenProceedings.org|CEUR-WS.org|Morgan Kaufmann"
_SERIES = "Lecture Notes in Computer Science|ACM International Conference Proceeding Series|LNI|CEUR"
_JOURNALS = "CoRR|Inf. Syst.|Proc. VLDB Endow.|IEEE Trans. Knowl. Data Eng.|VLDB J."
_CITIES = "Athens|Berlin|Chicago|Hangzhou|Melbourne|Porto|Zurich"
_PLACES = "University of Athens|University of Porto|TU Berlin|Zhejiang University|ETH Zurich"


def table(spark: SparkSession, name: str, rows: int, *, seed: int = SEED) -> DataFrame:
    """Return one of the tables, with its planted records."""
    count = volumes(rows) if name == "proceedings" else rows
    record_of = _RECORDS[name](rows, seed)
    drawn = spark.range(count).selectExpr(*(f"{_text(value)} as {field}" for field, value in record_of.items()))
    planted = spark.createDataFrame(list(_PLANTED[name]), SCHEMAS[name])
    return planted.union(drawn.to(planted.schema)).coalesce(count // 200_000 + 1)


def volumes(rows: int) -> int:
    """Return the number of proceedings for a number of inproceedings."""
    return max(rows // _PER_VOLUME, 1)


def _text(value: Value) -> str:
    return value if isinstance(value, str) else record(value)


# --- what all records share ---


def _name(number: str, seed: int) -> str:
    """Return the name of a person; some have a number to distinguish them, as in the real data."""
    d = Draw(number, seed)
    suffix = d.value_or_null("homonym", 0.04, f"concat(' 000', {d.number('suffix', 9, 1)})")
    return f"concat_ws('', {d.pick('first', _FIRST)}, ' ', {d.pick('last', _LAST)}, {suffix})"


def _person(number: str, seed: int) -> str:
    d = Draw(number, seed)
    return record(
        {
            "_VALUE": _name(number, seed),
            "_orcid": d.value_or_null("orcid", 0.16, f"concat('0000-0002-', {d.number('orcid', 9000, 1000)}, '-0001')"),
            "_pid": f"concat({d.number('pid', 300)}, '/', {number})",
        }
    )


def _people(d: Draw, name: str, rows: int, most: int) -> str:
    """Up to `most` persons, of a circle that grows with the data."""
    circle = max(rows // 3, 10)
    count = d.number(f"{name} count", most, 1)
    return d.array(name, count, lambda each: _person(each.number("person", circle), d.seed))


def _common(key: str, d: Draw, title: str, year: str) -> dict[str, Value]:
    link = record({"_VALUE": f"concat('db/', {key}, '.html')", "_type": "cast(null as string)"})
    doi = f"concat('https://doi.org/10.1/', {d.digits('doi', 8)})"
    edition = record({"_VALUE": doi, "_type": d.value_or_null("oa", 0.2, "'oa'")})
    return {
        "_key": key,
        "_mdate": f"cast(date_add(date '2015-01-01', cast({d.number('mdate', 3000)} as int)) as string)",
        "_publtype": d.value_or_null("publtype", 0.01, "'informal'"),
        "title": {"_VALUE": title, "_bibtex": d.value_or_null("bibtex", 0.005, f"concat('{{', {title}, '}}')")},
        "year": f"cast({year} as int)",
        "url": f"array({link})",
        "ee": d.value_or_null("ee", 0.97, f"array({edition})"),
    }


def _title(d: Draw) -> str:
    return f"concat(initcap({d.words('title', _WORDS, 3, 8)}), '.')"


def _pages(d: Draw) -> str:
    pages = f"array(concat({d.number('page', 500, 1)}, '-', {d.number('page', 500, 10)}))"
    return d.value_or_null("pages", 0.93, pages)


def _citations(d: Draw, rows: int) -> str:
    one = record({"_VALUE": f"concat('conf/x/', {d.number('cited', rows)})"})
    return d.value_or_null("cite", 0.02, f"array({one})")


# --- the four kinds of record ---


def _volume_key(number: str) -> str:
    return f"concat('conf/v', {number})"


def _volume_year(number: str, seed: int) -> str:
    return Draw(number, seed).number("year of volume", 25, 1998)


def _venue(number: str, seed: int) -> str:
    return Draw(number, seed).pick("venue", _VENUES)


def _inproceedings(rows: int, seed: int) -> Mapping[str, Value]:
    d = Draw("id", seed)
    volume = d.number("volume", volumes(rows))
    front_matter = d.is_drawn("front matter", 0.003)
    return {
        **_common("concat('conf/x/', id)", d, _title(d), _volume_year(volume, seed)),
        "author": f"if({front_matter}, null, {_people(d, 'author', rows, 5)})",
        "editor": f"if({front_matter}, {_people(d, 'editor', rows, 3)}, null)",
        "booktitle": _venue(volume, seed),
        "pages": _pages(d),
        "crossref": f"array({_volume_key(volume)})",
        "cite": _citations(d, rows),
    }


def _article(rows: int, seed: int) -> Mapping[str, Value]:
    d = Draw("id, 'article'", seed)
    return {
        **_common("concat('journals/x/', id)", d, _title(d), d.number("year", 25, 1998)),
        "author": _people(d, "author", rows, 5),
        "journal": d.pick("journal", _JOURNALS),
        "volume": f"cast({d.number('volume', 60, 1)} as string)",
        "number": d.value_or_null("number", 0.55, f"cast({d.number('number', 12, 1)} as string)"),
        "pages": _pages(d),
        "cite": _citations(d, rows),
    }


def _proceedings(rows: int, seed: int) -> Mapping[str, Value]:
    d = Draw("id, 'proceedings'", seed)
    year, venue = _volume_year("id", seed), _venue("id", seed)
    title = f"concat('Proceedings of ', {venue}, ' ', {year}, ', ', {d.pick('city', _CITIES)})"
    publisher = record({"_VALUE": d.pick("publisher", _PUBLISHERS), "_href": "cast(null as string)"})
    series = record(
        {"_VALUE": d.pick("series", _SERIES), "_href": d.value_or_null("href", 0.99, "'db/series/index.html'")}
    )
    return {
        **_common(_volume_key("id"), d, title, year),
        "editor": _people(d, "editor", rows, 6),
        "booktitle": venue,
        "publisher": d.value_or_null("publisher", 0.97, publisher),
        "series": d.value_or_null("series", 0.58, series),
        "volume": d.value_or_null("volume", 0.57, f"cast({d.number('volume', 900, 1)} as string)"),
        "isbn": d.value_or_null("isbn", 0.79, f"array(concat('978-1-', {d.number('isbn', 9000, 1000)}))"),
    }


def _www(_: int, seed: int) -> Mapping[str, Value]:
    d = Draw("id, 'www'", seed)
    page = f"concat('https://example.org/~', {d.digits('page', 6)})"
    home = record({"_VALUE": page, "_type": "cast(null as string)"})
    former = d.value_or_null("label", 0.25, "'former'")
    affiliation = record({"_VALUE": d.pick("place", _PLACES), "_type": "'affiliation'", "_label": former})
    return {
        **_common("concat('homepages/', id)", d, "'Home Page'", "cast(null as int)"),
        "author": f"array({_person('id', seed)})",
        "url": d.value_or_null("url", 0.66, f"array_repeat({home}, cast({d.number('urls', 3, 1)} as int))"),
        "ee": "cast(null as array<struct<_VALUE: string, _type: string>>)",
        "note": d.value_or_null("note", 0.87, f"array({affiliation})"),
    }


_RECORDS: Mapping[str, Callable[[int, int], Mapping[str, Value]]] = {
    "article": _article,
    "inproceedings": _inproceedings,
    "proceedings": _proceedings,
    "www": _www,
}


# --- planted records ---


def _people_named(*names: str) -> list[dict[str, str]]:
    return [{"_VALUE": name, "_pid": f"p/{name.replace(' ', '')}"} for name in names]


def _paper(key: str, title: str, volume: str, booktitle: str, year: int, *authors: str) -> dict[str, Any]:
    return {
        "_key": key,
        "_mdate": "2020-01-01",
        "title": {"_VALUE": title},
        "year": year,
        "url": [{"_VALUE": f"db/{key}.html"}],
        "author": _people_named(*authors),
        "booktitle": booktitle,
        "crossref": [volume],
    }


def _front_matter(key: str, booktitle: str, year: int, volume: str, *editors: str) -> dict[str, Any]:
    paper = _paper(key, "Front Matter.", volume, booktitle, year)
    return {**paper, "author": None, "editor": _people_named(*editors)}


def _volume(key: str, title: str, booktitle: str, year: int, publisher: str, series: str | None) -> dict[str, Any]:
    return {
        "_key": key,
        "_mdate": "2020-01-01",
        "title": {"_VALUE": title},
        "year": year,
        "url": [{"_VALUE": f"db/{key}.html"}],
        "editor": _people_named("Nora Haug"),
        "booktitle": booktitle,
        "publisher": {"_VALUE": publisher},
        "series": None if series is None else {"_VALUE": series},
    }


def _articles_of(author: str, *titles: str) -> list[dict[str, Any]]:
    return [
        {
            "_key": f"journals/planted/{number}",
            "_mdate": "2020-01-01",
            "title": {"_VALUE": title},
            "year": 2010 + number,
            "author": _people_named(author, "Ada Adler"),
            "journal": "VLDB J.",
        }
        for number, title in enumerate(titles)
    ]


def _homepage(key: str, name: str, url: str | None, note: str | None) -> dict[str, Any]:
    return {
        "_key": key,
        "_mdate": "2020-01-01",
        "title": {"_VALUE": "Home Page"},
        "author": _people_named(name),
        "url": None if url is None else [{"_VALUE": url}],
        "note": None if note is None else [{"_VALUE": note, "_type": "affiliation"}],
    }


_PLANTED: Mapping[str, tuple[dict[str, Any], ...]] = {
    "article": (
        *_articles_of(
            "Greta Lindqvist",
            "Skyline Views.",
            "Answers that are Missing.",
            "Tuning by Example.",
            "Lineage at Rest.",
            "Lineage in Motion.",
            "Nested Joins Revisited.",
            "Sampling the Web.",
        ),
    ),
    "inproceedings": (
        # D1: at SIGMOD by the short title of its volume, which the long one spells out
        _paper(
            "conf/planted/d1", "Why Rows Go Missing.", "conf/planted/sigmod13", "SIGMOD Conference", 2013, "Jun Ito"
        ),
        _paper(
            "conf/planted/d1b", "Where Rows Come From.", "conf/planted/sigmod09", "SIGMOD Conference", 2009, "Tim Ito"
        ),
        # D3: an editor of the volume who wrote nothing in it
        _front_matter("conf/planted/d3", "TaPP", 2014, "conf/planted/tapp14", "Nora Haug", "Sara Liu"),
        _paper("conf/planted/d3b", "Provenance of Graphs.", "conf/planted/tapp14", "TaPP", 2014, "Tim Ito", "Sara Liu"),
        _paper("conf/planted/d3c", "Provenance of Views.", "conf/planted/tapp15", "TaPP", 2015, "Nora Haug"),
        # D4: with other publishers in 2015, and in a series of ACM in 2010
        _paper("conf/planted/d4", "Elastic Joins.", "conf/planted/wise15", "WISE", 2015, "Jonas Weidmann", "Mei Huang"),
        _paper("conf/planted/d4b", "Elastic Views.", "conf/planted/wise12", "WISE", 2012, "Jonas Weidmann"),
        _paper("conf/planted/d4d", "Elastic Streams.", "conf/planted/acm15", "MOBI", 2015, "Mei Huang", "Rita Liu"),
        _paper(
            "conf/planted/d4c", "Elastic Graphs.", "conf/planted/mobi10", "MOBI", 2010, "Jonas Weidmann", "Rita Liu"
        ),
    ),
    "proceedings": (
        _volume(
            "conf/planted/sigmod13",
            "Proceedings of the International Conference on Management of Data, New York, 2013",
            "SIGMOD Conference",
            2013,
            "ACM",
            None,
        ),
        _volume("conf/planted/sigmod09", "ACM SIGMOD 2009, Providence", "SIGMOD Conference", 2009, "ACM", None),
        _volume("conf/planted/tapp14", "Theory and Practice of Provenance 2014", "TaPP", 2014, "USENIX", None),
        _volume("conf/planted/tapp15", "Theory and Practice of Provenance 2015", "TaPP", 2015, "USENIX", None),
        _volume("conf/planted/wise15", "Proceedings of WISE 2015, Porto", "WISE", 2015, "Springer", "LNI"),
        _volume("conf/planted/wise12", "Proceedings of WISE 2012, Athens", "WISE", 2012, "Springer", "LNI"),
        _volume("conf/planted/acm15", "Proceedings of MOBI 2015, Zurich", "MOBI", 2015, "ACM", None),
        _volume(
            "conf/planted/mobi10",
            "Proceedings of MOBI 2010, Berlin",
            "MOBI",
            2010,
            "ICST",
            "ACM International Conference Proceeding Series",
        ),
    ),
    "www": (
        _homepage("homepages/planted/1", "Lena Marchetti", None, "https://example.org/~marchetti"),
        _homepage("homepages/planted/2", "Oskar Brunn", "https://example.org/~brunn", None),
    ),
}
"""What the questions ask for, and neighbours of it that the queries do return."""
