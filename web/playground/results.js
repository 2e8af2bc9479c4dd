// What a run gives: figures in words, the report's charts, and the whole of it as files. Charts stay in their places
// when others' data comes, so that a moving slider moves bars.
import {drawn, figure} from '../src/chart.js';
import {element, save} from '../src/dom.js';
import {charts, summary} from '../src/run.js';

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

// A picture of the simulator, {"result", "window_us", "timeline"}, as a report has one.
export function pictureOf(text) {
  const {result, window_us, timeline} = JSON.parse(text);
  return {result, timeline: {...timeline, window_us}};
}

// {element, show(picture), stale(is)}; files(): {json, csv}, promises of the whole result as text.
export function results({files, wanted = () => true}) {
  const head = element('div', {class: 'summary', 'aria-live': 'polite'}), figures = new Figures();
  const button = (kind, type) => element('button', {type: 'button', 'aria-label': `Save the whole result as ${kind.toUpperCase()}`, onclick: async () => {
    const text = await files(kind);
    if (text) save(`result.${kind}`, text, type);
  }}, kind.toUpperCase());
  const box = element('div', {class: 'results'}, head,
      element('p', {class: 'files'}, 'The whole result: ', button('json', 'application/json'), button('csv', 'text/csv')), figures.element);
  return {
    element: box,
    show(picture) {
      head.replaceChildren(...summary(picture.result));
      return figures.show(charts(picture).filter(wanted));
    },
    stale: (is) => box.classList.toggle('stale', is),
  };
}
