// A guess, drawn as a bar or typed, or none; what came out is drawn over it.
import {element} from '../src/dom.js';
import {figure as shown} from '../src/table.js';

export const unknown = 'unknown';  // in place of a number: the reader does not know

// What a guess of `ratio` times the truth is: in percent, or as a multiple where percents say little.
export function distance(ratio) {
  const few = (of) => shown(Number(of.toPrecision(2)));
  if (Math.abs(ratio - 1) < 0.1) return 'within 10 %';
  if (ratio >= 2) return `${few(ratio)} times too high`;
  if (ratio > 0 && ratio <= 0.5) return `${few(1 / ratio)} times too low`;
  return `${few(100 * Math.abs(ratio - 1))} % too ${ratio > 1 ? 'high' : 'low'}`;
}

export const doubt = (kept, changed) => {
  const box = element('input', {type: 'checkbox', checked: kept === unknown, onchange: () => changed(box.checked)});
  return {box, element: element('label', {class: 'doubt'}, box, ' I don’t know')};
};

// {element, reveal(truth)} of {ask, unit, most}; kept: an earlier guess, a number or unknown; told(value or null).
export function guess({ask, unit, most}, kept, told) {
  let value = kept ?? null;
  const own = element('div', {class: 'bar own', hidden: true}), truth = element('div', {class: 'bar truth', hidden: true});
  const number = element('input', {type: 'number', min: 0, max: most, step: 'any', 'aria-label': `${ask}, ${unit}: your guess`});
  const said = element('p', {class: 'said', 'aria-live': 'polite'}), legend = element('p', {class: 'legend', hidden: true});
  const track = element('div', {class: 'track', role: 'slider', tabindex: 0, 'aria-label': `${ask}, ${unit}: draw your guess`,
    'aria-valuemin': 0, 'aria-valuemax': most, 'aria-valuenow': 0, 'aria-valuetext': 'no guess yet'}, truth, own);
  const put = (to, from) => {
    const known = typeof to === 'number';
    value = known ? Math.min(Math.max(Number(to.toPrecision(3)), 0), most) : to;
    track.toggleAttribute('data-guessed', value !== null);
    own.style.width = `${known ? 100 * value / most : 0}%`;
    own.hidden = !known;
    track.setAttribute('aria-valuenow', known ? value : 0);
    track.setAttribute('aria-valuetext', known ? `${value} ${unit}` : 'no guess');
    if (from !== number) number.value = known ? value : '';
    no.box.checked = value === unknown;
    if (from) told(value);
  };
  const no = doubt(kept, (is) => put(is ? unknown : null, no));
  const drawn = (event) => {
    const area = track.getBoundingClientRect();
    put((event.clientX - area.left) / area.width * most, track);
  };
  track.addEventListener('pointerdown', (event) => {
    track.setPointerCapture(event.pointerId);
    drawn(event);
  });
  track.addEventListener('pointermove', (event) => { if (track.hasPointerCapture(event.pointerId)) drawn(event); });
  const steps = {ArrowRight: 0.01, ArrowUp: 0.01, ArrowLeft: -0.01, ArrowDown: -0.01, PageUp: 0.1, PageDown: -0.1};
  track.addEventListener('keydown', (event) => {
    if (!(event.key in steps)) return;
    event.preventDefault();
    put((typeof value === 'number' ? value : 0) + steps[event.key] * most, track);
  });
  number.addEventListener('input', () => put(number.value === '' ? null : Number(number.value), number));
  if (value !== null) put(value, null);
  const entry = (name, text) => element('span', {}, element('i', {class: `bar ${name}`}), ` ${text}  `);
  return {
    element: element('div', {class: 'guess'}, element('div', {class: 'ask'}, ask), track,
        element('div', {class: 'typed'}, element('span', {}, number, ` ${unit}`), no.element), legend, said),
    reveal(found) {
      truth.hidden = legend.hidden = found === null || found === undefined;
      if (truth.hidden) {
        said.textContent = 'This run gives no such figure.';
        return;
      }
      const is = `${shown(Number(found.toPrecision(3)))} ${unit}`, guessed = typeof value === 'number';
      truth.style.width = `${Math.min(100, 100 * found / most)}%`;
      legend.replaceChildren(entry('truth', 'the answer'), ...(guessed ? [entry('own', 'your guess')] : []));
      said.textContent = `It is ${is}.${guessed && found !== 0 ? ` Your guess is ${distance(value / found)}.` : ''}`;
    },
  };
}
