// Elements in as few words as a page needs.

// element('p', {class: 'soft'}, 'text', child, ...); keys that start with "on" are listeners.
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// Gives an element the focus, and shows where it begins.
export function moveTo(of) {
  of.focus({preventScroll: true});
  of.scrollIntoView();
}

// A labelled choice among texts; `changed` is given the index.
export function choice(label, texts, selected, changed) {
  const select = element('select', {onchange: () => changed(select.selectedIndex)},
      ...texts.map((text, i) => element('option', {selected: i === selected}, String(text))));
  return element('label', {}, label, select);
}

export function tiles(pairs) {
  return element('div', {class: 'tiles'},
      ...pairs.filter((pair) => pair).map(([what, value, unit]) =>
        element('div', {class: 'tile'}, element('b', {}, `${value}${unit ? ` ${unit}` : ''}`), what)));
}

export function save(name, content, type = 'text/csv') {
  const url = URL.createObjectURL(new Blob([content], {type}));
  const link = element('a', {href: url, download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
