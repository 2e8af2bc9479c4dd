// What a run gives: figures in words, the report's charts, and the whole of it as files. Charts stay in their places
// when others' data comes, so that a moving slider moves bars.
import {drawn, figure} from '../src/chart.js';
import {element, save} from '../src/dom.js';
import {charts} from '../src/run.js';
import {delta} from './delta.js';
import {head as begin, warnings} from './head.js';
import {withBefore} from './overlay.js';

const key = (given) => JSON.stringify([given.title, (given.choices ?? []).map((of) => of.texts ?? of.range)]);

// Figures by what they show; the elements of those that stay are kept.
export class Figures {
  constructor() {
    this.element = element('div', {class: 'figures'});
    this.shown = new Map();
  }

  // Resolves when those in sight are drawn.
  show(all) {
    const now = new Map();
    for (const given of all) {
      const before = this.shown.get(key(given));
      before?.update(given);
      now.set(key(given), before ?? figure(given));
    }
    for (const [of, old] of this.shown) if (!now.has(of)) old.end();
    this.shown = now;
    const wanted = [...now.values()];
    if (wanted.length !== this.element.children.length || wanted.some((of, i) => this.element.children[i] !== of))
      this.element.replaceChildren(...wanted);
    return drawn();
  }
}

// A picture of the simulator, {"result", "words", "window_us", "timeline"}.
export function pictureOf(text) {
  const {result, words, window_us, timeline} = JSON.parse(text);
  return {result, words, timeline: {...timeline, window_us}};
}

// Those that answer most questions; the others are folded.
const leading = ['Latency', 'Throughput per process', 'Tokens of language models', 'Where the time goes', 'Timeline', 'Timeline, before'];

// A chart that says no more than a line of text is that line.
const told = (of) => element('section', {}, element('h3', {}, of.title), ...of.lines.map((text) => element('p', {}, text)));

// files: {label: files(kind), a promise of the whole result as text, ...}; answer: an element behind the head; folded: the
// head is folded, under that name; lengthen(seconds): the reader wants so long a run.
// show(picture, before): before is null or {picture, names: [old, new], more: [element, ...]}.
export function results({files, answer = null, foldedAs = null, lengthen = null}) {
  const head = element('div', {class: 'summary', 'aria-live': 'polite'}), changes = element('div', {class: 'stuck'}), notes = element('div'), lines = element('div'), said = element('div');
  const open = new Figures(), folded = new Figures();
  const more = element('details', {class: 'more'}, element('summary', {}, 'More charts'), lines, folded.element);
  const first = [head, answer, notes];
  const button = (label, get, kind, type) => element('button', {type: 'button', 'aria-label': `Save the whole result${label ? ` of ${label}` : ''} as ${kind.toUpperCase()}`,
    onclick: async () => {
      const text = await get(kind);
      if (text) save(`result${label ? `-${label.toLowerCase()}` : ''}.${kind}`, text, type);
    }}, kind.toUpperCase());
  const saved = Object.entries(files).flatMap(([label, get]) => [label ? `${label}: ` : '', button(label, get, 'json', 'application/json'), button(label, get, 'csv', 'text/csv')]);
  const box = element('div', {class: 'results'}, changes,
      ...(foldedAs ? [answer, element('details', {class: 'more'}, element('summary', {}, foldedAs), head, notes)] : first), said, open.element, more,
      element('p', {class: 'files'}, 'The whole result: ', ...saved));
  return {
    element: box,
    async show(picture, before = null) {
      head.replaceChildren(...begin(picture, lengthen));
      notes.replaceChildren(...warnings(picture.result));
      changes.replaceChildren(...(before ? [delta([before.picture.result, picture.result], before.names, ...(before.more ?? []))] : []));
      const drawings = charts(picture), all = before ? withBefore(drawings, charts(before.picture), 'before') : drawings.filter((of) => !of.lines);
      const texts = before ? [] : drawings.filter((of) => of.lines), time = texts.filter(({title}) => title === 'Where the time goes');
      said.replaceChildren(...time.map(told));
      lines.replaceChildren(...texts.filter((of) => !time.includes(of)).map(told));
      const shown = all.filter(({title}) => leading.includes(title)).sort((a, b) => leading.indexOf(a.title) - leading.indexOf(b.title));
      open.show(shown);
      return folded.show(all.filter((given) => !shown.includes(given)));
    },
    stale: (is) => box.classList.toggle('stale', is),
  };
}
