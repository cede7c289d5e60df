"""One pass over the HTML that mandoc and cmark-gfm make of a page: its links lead to the other pages, its headings have ids and stand
below the page's title, what is wide scrolls by itself, and its text is cut into the sections that the search finds."""

import html
import posixpath
import re
from html.parser import HTMLParser

HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
VOID = {"br", "col", "hr", "img"}
# Text does not run on from one of these into the next.
BLOCKS = HEADINGS | {"dd", "div", "dt", "li", "p", "pre", "td", "th"}


class BrokenPage(Exception):
    pass


def address(path):
    """The finished page of a file: README.html, man/tw.1.html."""
    return path.removesuffix(".md") + ".html"


class Section:
    """What a result of the search stands for: a heading or an option, and the text up to the next one."""

    def __init__(self, anchor=""):
        self.anchor, self.title, self.text = anchor, "", ""

    def end(self):
        self.title, self.text = " ".join(self.title.split()), " ".join(self.text.split())


class Markup(HTMLParser):
    """What is shown of the page at `path`, of which a program made `text`.

    `place(path)` is "page", "file" or None: what the sources have at that path. `names` has pages by the names that texts use for
    them, such as tw-cache(1)."""

    def __init__(self, path, text, place, names):
        super().__init__()
        self.path, self.place, self.names = path, place, names
        self.folder = posixpath.dirname(path)
        self.is_manual = not path.endswith(".md")
        self.out, self.open, self.skipped = [], [], 0
        # (level, anchor, title) of each heading; the files of the pictures.
        self.headings, self.pictures = [], []
        self.section = Section()
        self.sections = [self.section]
        # Sections that go on when the list in them ends; where in `out` the last heading begins.
        self.lists, self.heading = [], 0
        # Whether text belongs to the section's title.
        self.says_title = False
        self.feed(text)
        self.close()
        if self.open:
            raise BrokenPage(f"{path}: <{self.open[-1][0]}> has no end")
        for section in self.sections:
            section.end()
        # A corner that is empty heads nothing.
        self.body = "".join(self.out).replace("<th></th>", "<td></td>")

    # MARK: Tags

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        # mandoc's lines above and below a page.
        if self.skipped or attributes.get("class") in ("head", "foot"):
            self.skipped += tag not in VOID
            return
        # The width that mandoc gives to the terms of a list is a terminal's.
        attributes.pop("style", None)
        if "align" in attributes:
            attributes["class"] = attributes.pop("align")
        name, end = tag, f"</{tag}>"
        if tag in HEADINGS:
            # The title of a manual page stands above mandoc's highest heading, whatever level that has.
            level = {"Sh": 2, "Ss": 3}.get(attributes.get("class"), int(tag[1]))
            name, end = f"h{level}", f"</h{level}>"
            self.heading, self.says_title = len(self.out), True
            if level > 1:
                self.begin_section(attributes.pop("id", ""))
        elif tag == "a" and "href" in attributes:
            attributes["href"] = self.target(attributes["href"])
            if attributes["href"] is None:
                name, end, attributes = "span", "</span>", {}
        elif tag == "img":
            self.add_picture(attributes["src"])
        elif tag == "pre":
            # What scrolls can be reached by the keyboard.
            attributes["tabindex"] = "0"
        elif tag == "table" and attributes.get("class") != "Nm":
            self.out.append('<div class="wide" tabindex="0">')
            end += "</div>"
        elif tag == "dl":
            self.lists.append(self.section)
        elif tag == "dt":
            self.section = self.lists[-1]
            if "id" in attributes:
                self.begin_section(attributes["id"])
                self.says_title = True
        self.out.append(f"<{name}{''.join(f' {key}={quoted(value)}' for key, value in attributes.items())}>")
        if tag not in VOID:
            self.open.append((tag, end))

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if self.skipped:
            self.skipped -= 1
            return
        if not self.open or self.open[-1][0] != tag:
            raise BrokenPage(f"{self.path}: </{tag}> ends what is not open")
        if tag in BLOCKS:
            self.say(" ")
        if tag in HEADINGS:
            self.end_heading()
        elif tag == "dt":
            self.says_title = False
        elif tag == "dl":
            self.section = self.lists.pop()
        self.out.append(self.open.pop()[1])

    # MARK: Text

    def handle_data(self, text):
        if self.skipped:
            return
        self.say(text)
        shown = html.escape(text, quote=False)
        around = {tag for tag, _ in self.open}
        if not around & {"a", "pre", *HEADINGS}:
            if "code" in around:
                shown = self.link(" ".join(text.split()), shown)
            else:
                shown = re.sub(r"\b[a-z][a-z-]*\([1-8]\)", lambda name: self.link(name[0], name[0]), shown)
        self.out.append(shown)

    def say(self, text):
        """Adds to what the search finds."""
        if self.says_title:
            self.section.title += text
        else:
            self.section.text += text

    # MARK: Sections

    def begin_section(self, anchor):
        self.section = Section(anchor)
        self.sections.append(self.section)

    def end_heading(self):
        level = int(self.out[self.heading][2])
        title = " ".join(self.section.title.split())
        if level > 1:
            anchor = self.section.anchor = self.section.anchor or self.new_anchor(title)
            self.out[self.heading] = self.out[self.heading].replace(">", f" id={quoted(anchor)}>")
            self.headings.append((level, anchor, title))
        self.says_title = False

    def new_anchor(self, title):
        """The id that GitHub gives to a heading, so that links work in both places."""
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        count = sum(re.sub(r"-\d+$", "", other) == anchor for _, other, _ in self.headings)
        return f"{anchor}-{count}" if count else anchor

    # MARK: Links

    def link(self, name, shown):
        page = self.names.get(name, self.path)
        return shown if page == self.path else f"<a href={quoted(self.relative(page))}>{shown}</a>"

    def relative(self, page):
        return posixpath.relpath(address(page), self.folder or ".")

    def target(self, link):
        """Where a link leads from the finished page, or None for what is not a page: a source file, another system's manual."""
        if re.match(r"https?://|#", link):
            return link
        file, mark, anchor = link.partition("#")
        path = posixpath.normpath(posixpath.join(self.folder, file))
        place = self.place(path)
        if place == "page":
            return self.relative(path) + mark + anchor
        # What the kit does not have is in another one's manual, but for its own pages.
        if place is None and (not self.is_manual or file.startswith("tw")):
            raise BrokenPage(f"{self.path}: there is no {path}")
        return None

    def add_picture(self, file):
        path = posixpath.normpath(posixpath.join(self.folder, file))
        if self.place(path) != "file":
            raise BrokenPage(f"{self.path}: there is no picture {path}")
        self.pictures.append(path)


def quoted(value):
    return f'"{html.escape(value or "")}"'
