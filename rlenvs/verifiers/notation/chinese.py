r"""Chinese words of final answers as the signs that they stand for: measure words, units, `无解`, `选B`, `三分之一`.

Text in, text out. What is left in Chinese is a word like any other.
"""

import re
from collections.abc import Callable

_HAN = re.compile("[\u4e00-\u9fff]")
_UNITS = {
    "平方千米": "square km", "平方公里": "square km", "平方米": "square m", "平方分米": "square dm",
    "平方厘米": "square cm", "立方米": "cubic m", "立方分米": "cubic dm", "立方厘米": "cubic cm", "千米": "km",
    "公里": "km", "米": "m", "分米": "dm", "厘米": "cm", "毫米": "mm", "千克": "kg", "公斤": "kg", "克": "g",
    "毫升": "ml", "升": "l", "元": "yuan", "小时": "hours", "分钟": "minutes", "秒": "seconds", "天": "days",
    "周": "weeks",
}  # fmt: skip
_UNIT_NAMES = "|".join(sorted(_UNITS, key=len, reverse=True))
_MEASURES = "个只名人条张本件位头匹棵朵颗粒次种支枝辆台块杯瓶盒箱间套双对组页道"
_DIGITS = {sign: digit for digit, sign in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_TENS = {"十": 10, "百": 100, "千": 1000}
_NUMERAL = (  # 三五 is no thirty-five, and 一百二 no 102
    "(?![一二两三四五六七八九]{2})(?![一二两三四五六七八九十]*[百千][一二三四五六七八九](?![十百千]))[零〇一二两三四五六七八九十百千]+"
    "(?:万[零〇一二两三四五六七八九十百千]*)?"
)
_WORDS = {
    "无解": "no solution", "无实数解": "no real solution", "无实数根": "no real solution", "空集": r"\emptyset",
    "正无穷": r"\infty", "负无穷": r"-\infty", "无穷大": r"\infty", "无穷": r"\infty",
    "全体实数": "all real numbers", "任意实数": "all real numbers", "正确": "true", "错误": "false",
    "对": "true", "错": "false", "是": "yes", "否": "no",
}  # fmt: skip


def translated(text: str) -> str:
    """The text with what is Chinese in it in the signs of mathematics, as far as it is known."""
    if not _HAN.search(text):
        return text
    stripped = text.strip(" .。")
    if stripped in _WORDS:
        return _WORDS[stripped]
    for pattern, replacement in _COMPILED:
        text = pattern.sub(replacement, text)
    return text


def _numeral(text: str) -> int:
    """`三十五` as 35, `三万` as 30,000."""
    above, ten_thousands, text = text.rpartition("万")
    value, digit = 10_000 * _numeral(above) if ten_thousands else 0, 0
    for sign in text:
        if sign in _TENS:
            value += (digit or 1) * _TENS[sign]
            digit = 0
        else:
            digit = _DIGITS[sign]
    return value + digit


def _number(found: re.Match[str]) -> str:
    places = "".join(str(_DIGITS[sign]) for sign in found["places"] or "")
    return f"{'-' if found['sign'] else ''}{_numeral(found['whole'])}{'.' if places else ''}{places}"


def _quotient(found: re.Match[str]) -> str:
    bottom, top = (part if part.isdigit() else str(_numeral(part)) for part in found.group("bottom", "top"))
    return rf"\frac{{{top}}}{{{bottom}}}"


def _unit(found: re.Match[str]) -> str:
    return rf" \text{{{_UNITS[found[0].strip()]}}}"


_REWRITES: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (r"^\s*(?:答案?(?:是|为|选)?|故?选择?|选项)\s*[:：]?\s*(?=\(?[A-J]\)?\s*$)", ""),
    (r"百分之\s*(\d+(?:\.\d+)?)", r"\1%"),
    (rf"(?P<bottom>\d+|{_NUMERAL})分之(?P<top>\d+|{_NUMERAL})", _quotient),
    (r"(\d{4})年(\d{1,2})月(\d{1,2})[日号]", r"\1-\2-\3"),
    (r"(\d{1,2})[点时](\d{2}(?=分|$)|\d(?=分))分?(?!钟)", lambda found: f"{found[1]}:{int(found[2]):02d}"),
    (r"(?<=\d)万", r" \\cdot 10^4 "),
    (r"(?<=\d)亿", r" \\cdot 10^8 "),
    (r"根号\s*(\d+)", r"\\sqrt{\1}"),
    (r"负(?=\s*[\d\\])", "-"),
    (r"(?<=\d)度", r"^\\circ "),
    (
        rf"^(?P<sign>负?)(?P<whole>{_NUMERAL}?)(?:点(?P<places>[零〇一二三四五六七八九]+))?(?=(?:[{_MEASURES}]|{_UNIT_NAMES})?$)",
        _number,
    ),
    (r"(?<=[\d}])\s*(?:" + _UNIT_NAMES + r")(?![\u4e00-\u9fff])", _unit),
    (rf"(?<=[\d}}])\s*[{_MEASURES}](?![\u4e00-\u9fff])", ""),
]
_COMPILED = [(re.compile(pattern), replacement) for pattern, replacement in _REWRITES]
