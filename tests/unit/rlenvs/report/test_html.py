import json
from html.parser import HTMLParser

from rlenvs.report.html import Safe, data, join, tag


def test_text_is_escaped_and_markup_is_not() -> None:
    assert tag("p", "a < b & c", tag("b", "d"), class_="x") == '<p class="x">a &lt; b &amp; c<b>d</b></p>'


def test_attributes_are_escaped() -> None:
    assert tag("i", title='"><script>', data_x=1, id=None) == '<i title="&quot;&gt;&lt;script&gt;" data-x="1"></i>'


def test_joining_keeps_what_is_safe_and_escapes_the_rest() -> None:
    joined = join(Safe("<br>"), "<br>", separator=" ")
    assert joined == "<br> &lt;br&gt;"
    assert isinstance(joined, Safe)


def test_no_text_in_data_can_end_its_element() -> None:
    evil = ["</script><script>alert(1)</script>", "<!--", "]]>", "\u2028", "&lt;"]
    element = data("d", evil)
    assert element.count("<") == 2
    found: list[str] = []

    class Reader(HTMLParser):
        def handle_data(self, data: str) -> None:
            found.append(data)

    Reader().feed(element)
    assert json.loads("".join(found)) == evil
