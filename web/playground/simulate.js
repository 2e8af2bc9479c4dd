// One scenario: what it is on one side, what comes out on the other, at once.
import {element, moveTo} from '../src/dom.js';
import {panel} from './panel.js';
import {pictureOf, results} from './results.js';
import {words} from './words.js';

const pause = 400;  // ms without a change before the many runs of an explanation begin

// page: {simulators, catalogue, words, state, keep(state)}
export function simulate(page) {
  const why = element('div', {'aria-live': 'polite'}), note = element('p', {class: 'soft', role: 'status'});
  const explanation = element('section', {class: 'why', 'aria-label': 'Explanation'}, element('h2', {}, 'Why'), why);
  let text = page.state.a, timer = null, waiting = null;
  const shown = results({files: async (kind) => (await page.simulators.ask('files', {ask: kind === 'json' ? 'run' : 'csv', text}))?.text});

  const explain = async () => {
    why.classList.add('stale');
    const reply = await page.simulators.ask('explain', {ask: 'explain', text});
    if (!reply) return;
    why.classList.remove('stale');
    if (reply.status === 'answered') why.replaceChildren(...words(JSON.parse(reply.text)));
    else if (reply.status === 'failed') why.replaceChildren(element('p', {class: 'bad'}, reply.text));
  };
  const run = async () => {
    clearTimeout(timer);
    page.simulators.stop('explain');
    const asked = text, began = performance.now();
    waiting ??= setTimeout(() => {
      note.textContent = 'Simulating …';
      shown.stale(true);
    }, 300);
    const reply = await page.simulators.ask('picture', {ask: 'picture', text});
    if (!reply) return;
    clearTimeout(waiting);
    waiting = null;
    side.problems(reply.status === 'problems' ? JSON.parse(reply.text) : []);
    shown.stale(reply.status !== 'answered');
    note.textContent = reply.status === 'failed' ? reply.text : '';
    if (reply.status !== 'answered') return;
    await shown.show(pictureOf(reply.text));
    document.documentElement.dataset.pictured = String(Math.round(performance.now() - began));
    if (asked === text) timer = setTimeout(explain, pause);
  };
  const side = panel({name: 'Scenario', catalogue: page.catalogue, words: page.words,
    ask: (of) => page.simulators.ask('completion', {ask: 'check', text: of}),
    changed: (of) => {
      text = of;
      page.keep({a: of});
      run();
    }});
  const result = element('section', {'aria-label': 'Result', tabindex: -1}, note, shown.element, explanation);
  side.element.prepend(element('button', {type: 'button', class: 'jump', onclick: () => moveTo(result)}, 'To the result'));
  return {
    element: element('div', {class: 'split'}, side.element, result),
    open() {
      text = page.state.a;
      side.show(text);
      run();
    },
    close() {
      clearTimeout(timer);
      page.simulators.stop('explain');
    },
  };
}
