"""What a reader sees of a page before unfolding anything, in words: nothing that is folded, hidden, drawn or a tab."""

from html.parser import HTMLParser

UNSEEN = {"nav", "script", "style", "svg", "select", "datalist", "noscript", "template", "head"}
VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}


class Reader(HTMLParser):
    """Reads the words of `main`, in order; `before_figure` are those that stand before its first figure."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, str, bool]] = []
        self.words: list[str] = []
        self.answer: list[str] = []
        self.before_figure: int | None = None

    def handle_starttag(self, tag, attrs):
        facts = dict(attrs)
        if tag in VOID:
            return
        classes = facts.get("class") or ""
        if tag == "figure" and self.before_figure is None and self.is_seen():
            self.before_figure = len(self.words)
        hidden = tag in UNSEEN or "hidden" in facts or "sr-only" in classes.split()
        closed = tag == "details" and "open" not in facts
        self.open.append((tag, classes, "hidden" if hidden else "closed" if closed else ""))

    def handle_endtag(self, tag):
        places = [place for place, (name, *_) in enumerate(self.open) if name == tag]
        if places:
            del self.open[places[-1] :]

    def is_seen(self) -> bool:
        names = [name for name, *_ in self.open]
        if "main" not in names:
            return False
        for place, (_, _, state) in enumerate(self.open):
            is_its_summary = names[place + 1 : place + 2] == ["summary"]
            if state == "hidden" or (state == "closed" and not is_its_summary):
                return False
        return True

    def handle_data(self, data):
        if not self.is_seen():
            return
        words = [word for word in data.split() if any(letter.isalnum() for letter in word)]
        self.words += words
        in_answer = any(name == "section" and "answer" in classes.split() for name, classes, _ in self.open)
        if in_answer and not any(name == "figure" for name, *_ in self.open):
            self.answer += words


def visible_words(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    return reader


def expect_the_answer_first(page: str, *, most: int = 650) -> None:
    """The answer stands in one block, sentence, figure, cautions and method in this order, and little stands before it."""
    reader, (before, _, block) = visible_words(page), page.partition('<section class="answer card"')
    block = block.partition("</section>")[0]
    assert page.count('<section class="answer card"') == 1
    places = [block.find(part) for part in ('class="sentence"', "<figure", "Read with care", "<summary>Method")]
    assert [place for place in places if place >= 0] == sorted(place for place in places if place >= 0)
    assert "<table" not in before
    assert (reader.before_figure or 0) <= 60, reader.words[: reader.before_figure]
    assert len(reader.answer) <= 60, reader.answer
    assert len(reader.words) <= most, len(reader.words)
