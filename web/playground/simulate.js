// One scenario: what it is on one side, what comes out on the other, at once; and what was kept before a change.
import {element, moveTo} from '../src/dom.js';
import {applied, inWords} from './change.js';
import {changed} from './document.js';
import {questions} from './new.js';
import {folded, panel} from './panel.js';
import {pictureOf, results} from './results.js';
import {words} from './words.js';

const pause = 400;  // ms without a change before the many runs of an explanation begin

// page: {simulators, catalogue, words, state, keep(state)}
export function simulate(page) {
  const why = element('div', {'aria-live': 'polite'}), changes = element('div', {'aria-live': 'polite'});
  const note = element('p', {class: 'soft', role: 'status'});
  const explanation = element('section', {class: 'why', 'aria-label': 'Explanation'}, element('h2', {}, 'Why'), why, changes);
  let text = page.state.a, timer = null, waiting = null, explained = null, now = null, kept = null;  // {text, picture}
  const shown = results({files: {'': async (kind) => (await page.simulators.ask('files', {ask: kind === 'json' ? 'run' : 'csv', text}))?.text}, answer: explanation,
    lengthen: (seconds) => side.put(changed(text, ['run', 'duration'], `${seconds} s`))});

  const keep = element('button', {type: 'button', disabled: true, onclick: () => {
    kept = now;
    draw();
  }}, 'Keep this to compare');
  const forget = () => {
    kept = null;
    draw();
  };
  const draw = () => {
    const more = [element('p', {class: 'row'}, element('span', {class: 'soft'}, kept ? inWords(kept.text, now.text) : ''),
        element('button', {type: 'button', onclick: () => side.put(kept.text)}, 'Back to it'),
        element('button', {type: 'button', onclick: forget}, 'Forget it'))];
    keep.disabled = now === kept;
    if (explained !== now.text) {
      stale(false);
      changes.replaceChildren(element('p', {class: 'soft small'}, 'Asking what each change would bring …'));
    }
    why.replaceChildren(...now.picture.words.why.map((of) => element('p', {}, `${of[0].toUpperCase()}${of.slice(1)}.`)));
    return shown.show(now.picture, kept && {picture: kept.picture, names: ['kept', 'now'], more});
  };
  // An explanation of another text: its changes are not to be tried.
  const stale = (is) => {
    changes.classList.toggle('stale', is);
    changes.inert = is;
  };
  const explain = async () => {
    const asked = text;
    const reply = await page.simulators.ask('explain', {ask: 'explain', text: asked});
    if (!reply) return;
    stale(false);
    explained = asked;
    if (reply.status === 'answered') {
      const told = JSON.parse(reply.text);
      changes.replaceChildren(...words(told, (of) => {
        kept = now;
        side.put(applied(asked, told.resolved, of.scenarios[0]));
        scrollTo({top: 0});
      }));
    } else if (reply.status === 'failed') changes.replaceChildren(element('p', {class: 'bad'}, reply.text));
  };
  const run = async () => {
    clearTimeout(timer);
    page.simulators.stop('explain');
    const asked = text, began = performance.now();
    waiting ??= setTimeout(() => {
      note.textContent = 'Simulating …';
      shown.stale(true);
    }, 300);
    stale(true);
    const reply = await page.simulators.ask('picture', {ask: 'picture', text});
    if (!reply) return;
    clearTimeout(waiting);
    waiting = null;
    side.problems(reply.status === 'problems' ? JSON.parse(reply.text) : []);
    shown.stale(reply.status !== 'answered');
    note.textContent = reply.status === 'failed' ? reply.text : '';
    if (reply.status !== 'answered') return;
    now = {text: asked, picture: pictureOf(reply.text)};
    await draw();
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
  const result = element('section', {'aria-label': 'Result', tabindex: -1}, element('div', {class: 'titled'}, element('h2', {}, 'Question'), keep, note), shown.element);
  const offer = questions({catalogue: page.catalogue, ask: (of) => page.simulators.ask('new', of), made: (of) => side.put(of)});
  side.element.prepend(offer.element, element('button', {type: 'button', class: 'jump', onclick: () => moveTo(result)}, 'To the result'));
  return {
    element: element('div', {class: 'split'}, folded('The scenario: change it', side.element), result),
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
