// A guess, drawn as a bar or typed, and beside it what came out.
import {element} from '../src/dom.js';
import {figure as shown} from '../src/table.js';

// What a guess of `ratio` times the truth is: in percent, or as a multiple where percents say little.
function distance(ratio) {
  const few = (of) => shown(Number(of.toPrecision(2)));
  if (Math.abs(ratio - 1) < 0.1) return 'within 10 %';
  if (ratio >= 2) return `${few(ratio)} times too high`;
  if (ratio > 0 && ratio <= 0.5) return `${few(1 / ratio)} times too low`;
  return `${few(100 * Math.abs(ratio - 1))} % too ${ratio > 1 ? 'high' : 'low'}`;
}

// {element, value(), reveal(truth)} of {ask, unit, most}; kept: an earlier guess; told(value) when there is one.
export function guess({ask, unit, most}, kept, told) {
  let value = typeof kept === 'number' ? kept : null;
  const own = element('div', {class: 'bar own'}), truth = element('div', {class: 'bar truth', hidden: true});
  const number = element('input', {type: 'number', min: 0, max: most, step: 'any', 'aria-label': `${ask}, ${unit}: your guess`});
  const said = element('span', {class: 'said', 'aria-live': 'polite'});
  const track = element('div', {class: 'track', role: 'slider', tabindex: 0, 'aria-label': `${ask}, ${unit}: draw your guess`,
    'aria-valuemin': 0, 'aria-valuemax': most}, own, truth);
  const put = (to, from) => {
    value = Math.min(Math.max(Number(to.toPrecision(3)), 0), most);
    own.style.width = `${100 * value / most}%`;
    track.setAttribute('aria-valuenow', value);
    track.setAttribute('aria-valuetext', `${value} ${unit}`);
    if (from !== number) number.value = value;
    if (from) told(value);
  };
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
    put((value ?? 0) + steps[event.key] * most, track);
  });
  number.addEventListener('input', () => { if (number.value !== '') put(Number(number.value), number); });
  if (value !== null) put(value, null);
  return {
    element: element('div', {class: 'guess'}, element('div', {class: 'ask'}, ask), track, element('label', {}, number, ` ${unit}`), said),
    value: () => value,
    reveal(found) {
      truth.hidden = found === null || found === undefined;
      if (truth.hidden) {
        said.textContent = 'This run gives no such figure.';
        return;
      }
      truth.style.width = `${Math.min(100, 100 * found / most)}%`;
      const off = value === null || found === 0 ? '' : ` Your guess is ${distance(value / found)}.`;
      said.textContent = `It is ${shown(Number(found.toPrecision(4)))} ${unit}.${off}`;
    },
  };
}
