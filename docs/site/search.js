// The search field above each page. What it searches is in search-index.js, which is loaded when the field is used: a script, because a
// page that was opened from a file may not read other files.
'use strict';

// Finds the sections that have all words of the query, or words that begin with them, the best first. Each result is
// [the page's address, its title, [anchor, heading, text]].
function search(index, query) {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word);
  const patterns = words.map((word) => {
    const text = word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    // `since` finds --since, but `-n` is not in --dry-n.
    const start = new RegExp(`(?<![\\p{L}\\p{N}${word.startsWith('-') ? '-' : ''}])${text}`, 'iu');
    return { start, whole: new RegExp(start.source + '(?![\\p{L}\\p{N}_-])', 'iu') };
  });
  // What a word is worth here: a whole word comes before the beginning of another.
  const worth = (text, i, most) => !text.toLowerCase().includes(words[i]) ? 0 :
    patterns[i].whole.test(text) ? most : patterns[i].start.test(text) ? most / 2 : 0;
  const found = [];
  for (const [address, title, sections] of words.length ? index : []) {
    for (const section of sections) {
      const [, heading, text] = section;
      const isFirst = section === sections[0];
      const here = words.map((word, i) => Math.max(worth(heading, i, 8), worth(text, i, 1)));
      // `tw-cache` and `tw-cache list` are names of pages.
      const isNamed = isFirst && title.replace(/\(\d\)$/, '') === words.join('-');
      const above = words.map((word, i) => isNamed ? 16 : worth(title, i, 6));
      // The title alone finds the page, not each of its sections.
      if (!isFirst && !here.some((value) => value)) continue;
      const values = words.map((word, i) => Math.max(here[i], above[i]));
      if (values.every((value) => value)) {
        found.push({ value: values.reduce((sum, value) => sum + value), result: [address, title, section] });
      }
    }
  }
  return found.sort((one, other) => other.value - one.value).map((each) => each.result);
}

// The text around the longest word of the query: it says the most.
function excerpt(text, query) {
  const [longest] = query.toLowerCase().split(/\s+/).sort((one, other) => other.length - one.length);
  const start = text.lastIndexOf(' ', text.toLowerCase().indexOf(longest) - 40) + 1;
  const end = text.length > start + 150 ? text.lastIndexOf(' ', start + 150) : text.length;
  return (start ? '… ' : '') + text.slice(start, end) + (end < text.length ? ' …' : '');
}

function beginSearch(root) {
  const form = document.querySelector('form');
  const field = form.querySelector('input');
  const [status, list] = form.querySelector('.results').children;
  const most = 30;
  form.hidden = false;

  function load() {
    if (document.getElementById('index')) return;
    const script = document.createElement('script');
    script.id = 'index';
    script.src = root + 'search-index.js';
    script.onload = show;
    script.onerror = () => { status.textContent = 'search-index.js is missing.'; };
    document.head.append(script);
  }

  function show() {
    const query = field.value.trim();
    status.parentElement.hidden = !query;
    list.replaceChildren();
    if (!query || !globalThis.searchIndex) return;
    const found = search(searchIndex, query);
    status.textContent = found.length > most ? `The best ${most} of ${found.length} results` :
      found.length === 1 ? '1 result' : `${found.length} results`;
    for (const [address, title, [anchor, heading, text]] of found.slice(0, most)) {
      const link = document.createElement('a');
      link.href = root + address + (anchor && '#' + encodeURIComponent(anchor));
      link.append(title, heading && ': ', heading);
      const words = document.createElement('span');
      words.textContent = excerpt(text, query);
      link.append(words);
      const item = document.createElement('li');
      item.append(link);
      list.append(item);
    }
  }

  field.addEventListener('focus', load);
  field.addEventListener('input', show);
  // A link to a place on this page leaves the results open otherwise.
  list.addEventListener('click', () => { status.parentElement.hidden = true; });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    list.querySelector('a')?.click();
  });
  form.addEventListener('keydown', (event) => {
    const stops = [field, ...list.querySelectorAll('a')];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && !event.isComposing) {
      event.preventDefault();
      stops[stops.indexOf(document.activeElement) + step]?.focus();
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
  addEventListener('pageshow', () => { if (field.value) load(); });
}

if (globalThis.document) beginSearch(new URL('.', document.currentScript.src).href);
