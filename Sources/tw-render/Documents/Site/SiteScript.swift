/// The script of a site: its search, which needs no server, and a way from a tweet's old place to its new one.
enum SiteScript {
  static let text: StaticString = """
    // The search of this site. What it searches are scripts in the folder search, one for each page, which are loaded
    // when the field is used: a page that was opened from a file may not read other files.
    'use strict';

    const form = document.querySelector('form');
    const field = form.querySelector('input');
    const panel = form.querySelector('.results');
    const [status, list] = panel.children;
    const language = document.documentElement.lang;
    const step = 50;
    let shown = step;
    let pages = null;
    let loaded = 0;
    const tweets = [];

    // Without accents and marks, in lower case: `uber` finds `Über`; with one sort of apostrophes and quotation marks;
    // addresses without what differs between those of one page.
    const fold = (text) => text.replace(/[\\u2018\\u2019\\u02BC\\uFF07\\u0060\\u00B4]/g, "'").replace(/[\\u201C\\u201D\\u201E]/g, '"')
      .normalize('NFKD').replace(/\\p{M}+/gu, '').toLowerCase().replace(/\\bhttps?:\\/\\/|\\b(?:www|mobile)\\.(?=\\S)/g, '')
      .replace(/\\btwitter\\.com\\//g, 'x.com/').replace(/(\\/status\\/\\d+)[/?#]\\S*/g, '$1').replace(/\\/(?=\\s|"|$)/g, '');

    // Called by search/pages.js and by the scripts of the pages.
    function tweetPages(names) { pages = names; loadNext(); }
    function tweetsOf(page, added) {
      for (const [anchor, name, user, time, text, more] of added.reverse()) {
        tweets.push({ page, anchor, name, user, time, text, folded: fold(`${name} @${user} ${text} ${more}`) });
      }
    }

    function load(name, next) {
      const script = document.createElement('script');
      script.src = `${form.dataset.root}search/${name}.js`;
      script.onload = next;
      script.onerror = () => { status.textContent = script.src; };
      document.head.append(script);
    }

    function loadNext() {
      show();
      if (loaded < pages.length) load(pages[loaded++], loadNext);
    }

    // Words that a tweet must have, or words that begin with them; "…" keeps words together. In scripts that write no
    // spaces a word may stand anywhere.
    function patterns(query) {
      return [...fold(query).matchAll(/"([^"]+)"?|[^\\s"]+/g)].map(([word, quoted]) => {
        const text = (quoted ?? word).trim().replace(/[\\\\^$.*+?()[\\]{}|]/g, '\\\\$&');
        const anywhere = /^[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}]/u.test(text);
        return new RegExp(anywhere ? text : `(?<![\\\\p{L}\\\\p{N}])${text}`, 'u');
      });
    }

    function count(number) {
      const forms = form.dataset.found.split('|');
      const category = new Intl.PluralRules(language).select(number) + '=';
      const found = forms.find((text) => text.startsWith(category))?.slice(category.length) ?? forms.at(-1);
      return found.replace('{0}', number.toLocaleString(language));
    }

    // The text around the first word that was found.
    function excerpt(text, words) {
      const found = text.search(new RegExp(words[0].source, 'iu'));
      const start = found > 60 ? text.lastIndexOf(' ', found - 40) + 1 : 0;
      return (start ? '… ' : '') + text.slice(start, start + 180) + (text.length > start + 180 ? ' …' : '');
    }

    function result(tweet, words) {
      const link = document.createElement('a');
      link.href = `${form.dataset.root}${tweet.page}.html#${tweet.anchor}`;
      const add = (name, text) => {
        const element = document.createElement(name);
        element.textContent = text;
        link.append(element, ' ');
      };
      add('bdi', tweet.name);
      add('time', tweet.time);
      add('span', excerpt(tweet.text, words));
      link.children[2].dir = 'auto';
      const item = document.createElement('li');
      item.append(link);
      return item;
    }

    function show() {
      const words = patterns(field.value);
      panel.hidden = words.length === 0;
      if (!pages || panel.hidden) return;
      const found = tweets.filter((tweet) => words.every((word) => word.test(tweet.folded)));
      const isWhole = loaded === pages.length;
      status.textContent = (found.length || !isWhole ? count(found.length) : form.dataset.none) + (isWhole ? '' : ' …');
      // What the reader has reached stays while more is loaded.
      if (list.contains(document.activeElement)) return;
      list.replaceChildren(...found.slice(0, shown).map((tweet) => result(tweet, words)));
      // The others come when the last one is reached.
      end.disconnect();
      if (found.length > shown) end.observe(list.lastElementChild);
    }

    const end = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      const first = list.children.length;
      shown += step;
      const words = patterns(field.value);
      const found = tweets.filter((tweet) => words.every((word) => word.test(tweet.folded)));
      list.append(...found.slice(first, shown).map((tweet) => result(tweet, words)));
      end.disconnect();
      if (found.length > shown) end.observe(list.lastElementChild);
    }, { root: panel });

    function begin() {
      if (!document.querySelector('script[src$="search/pages.js"]')) load('pages', null);
    }

    form.hidden = false;
    field.addEventListener('focus', begin);
    field.addEventListener('input', () => { shown = step; show(); });
    list.addEventListener('click', () => { panel.hidden = true; });
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      list.querySelector('a')?.click();
    });
    form.addEventListener('keydown', (event) => {
      const stops = [field, ...list.querySelectorAll('a')];
      const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (way && !event.isComposing) {
        event.preventDefault();
        stops[stops.indexOf(document.activeElement) + way]?.focus();
      } else if (event.key === 'Escape') {
        field.value = '';
        show();
        field.focus();
      }
    });
    document.addEventListener('keydown', (event) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || document.activeElement === field) return;
      event.preventDefault();
      field.focus();
    });
    // A browser that goes back to this page keeps the field's words.
    addEventListener('pageshow', () => { if (field.value) begin(); });

    // Where older tweets came into a month of several pages, those that were last on a page are on the next one.
    function follow() {
      const next = document.querySelector('link[rel=next]')?.getAttribute('href');
      const isPart = next && /-\\d{4}-|^\\d{4}-\\d\\d-\\d+\\.html$/.test(next);
      if (location.hash.startsWith('#t') && isPart && !document.getElementById(location.hash.slice(1))) {
        location.replace(next + location.hash);
      }
    }
    addEventListener('hashchange', follow);
    follow();

    """
}
