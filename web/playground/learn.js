// The guided questions: guess, run, see the answer over the guess, change one thing, read why, go on.
import {element, moveTo} from '../src/dom.js';
import {charts} from '../src/run.js';
import {figure as shown} from '../src/table.js';
import {handIn, progress} from './answers.js';
import {delta} from './delta.js';
import {doubt, guess, unknown} from './guess.js';
import {termsIn} from '../src/glossary.js';
import {lessons, scenarioOf} from './lessons.js';
import {withBefore} from './overlay.js';
import {folded} from './panel.js';
import {Figures, pictureOf} from './results.js';
import {leastOf, nameOf, seriesFigure, verdict} from './series.js';

const drawnOf = ['Latency', 'Throughput per process', 'Tokens of language models', 'Where the time goes', 'Power', 'How busy the GPU is', 'Time at each clock', 'Timeline'];
const before = 'as it is';

const chartsOf = (picture) => charts(picture).filter(({title}) => drawnOf.includes(title))
    .sort((a, b) => drawnOf.indexOf(a.title) - drawnOf.indexOf(b.title));

// A lesson of bars: guesses of figures of one run, and its charts before and after the change.
function bars(lesson, ask, guessed) {
  const kept = progress.of(lesson.id).guesses ?? [], {guesses, change} = lesson;
  const all = guesses.map((_, i) => kept[i] ?? null);
  const made = guesses.map((of, i) => guess(of, kept[i], (value) => {
    all[i] = value;
    guessed(all);
  }));
  const figures = new Figures(), head = element('div', {class: 'stuck'}), below = element('div'), of = element('h3', {hidden: true});
  const draw = (all, what) => {
    of.hidden = false;
    of.textContent = `Charts: ${what}`;
    figures.show(all);
  };
  let first = null;
  return {
    ready: () => all.every((value) => value !== null),
    elements: made.map((of) => of.element), after: [of, figures.element], heads: [head, below],
    async run() {
      first = await ask([]);
      if (!first) return null;
      const truths = guesses.map((of) => of.of(first.result));
      made.forEach((of, i) => of.reveal(truths[i]));
      head.replaceChildren();
      below.replaceChildren();
      draw(chartsOf(first), before);
      return truths;
    },
    async change() {
      const other = await ask(change.set);
      if (!other) return false;
      draw(withBefore(chartsOf(other), chartsOf(first), before), `${change.label}, and in outlines ${before}`);
      const names = [before, change.label], results = [first.result, other.result];
      head.replaceChildren(delta(results, names));
      below.replaceChildren(asked(guesses, all, results, names));
      return true;
    },
  };
}

// The figures that were guessed: the guess, and what came out before and after the change.
function asked(guesses, own, results, names) {
  const value = (of, result) => {
    const found = of(result);
    return shown(typeof found === 'number' ? Number(found.toPrecision(3)) : null);
  };
  return element('details', {open: true}, element('summary', {}, 'What you guessed'), element('table', {'data-name': 'change'}, element('thead', {}, element('tr', {},
      ...['Figure', 'your guess', ...names].map((name) => element('th', {scope: 'col'}, name)))),
  element('tbody', {}, ...guesses.map(({ask, unit, of}, i) => element('tr', {}, element('th', {scope: 'row'}, `${ask}, ${unit}`),
      element('td', {class: 'number'}, typeof own[i] === 'number' ? shown(own[i]) : 'none'),
      ...results.map((result) => element('td', {class: 'number'}, value(of, result))))))));
}

// A fold with the terms of a lesson in plain words.
function glossary({title, tell, answer, guesses = [], change}) {
  const found = termsIn([title, tell, answer, change.label, ...guesses.map(({ask}) => ask)].join(' '));
  return found.length ? element('details', {class: 'terms'}, element('summary', {}, 'Words used here'),
      element('dl', {}, ...found.flatMap(([term, meaning]) => [element('dt', {}, term), element('dd', {}, meaning)]))) : null;
}

// A lesson of a curve: which of its values is best, or how many of its intervals hold the truth, is guessed.
function curve(lesson, ask, guessed) {
  const {series} = lesson, figures = new Figures(), counted = series.interval !== undefined;
  const most = counted ? series.values.length : series.values.length - 1;
  let value = progress.of(lesson.id).guesses?.[0] ?? null, results = series.values.map(() => null), truth, old = null;
  const input = series.labels ? element('select', {}, ...['choose one', ...series.labels].map((name, i) => element('option', {value: i ? i - 1 : ''}, name)))
    : element('input', {type: 'range', min: 0, max: most, step: 1, value: typeof value === 'number' ? value : Math.floor(most / 2)});
  const output = element('output');
  const draw = () => figures.show([seriesFigure(series, results, {old, ...(counted ? {truth} : {guessed: typeof value === 'number' ? value : undefined})})]);
  const say = () => {
    const known = typeof value === 'number';
    output.textContent = known ? (counted ? `${value} of ${most}` : series.labels ? '' : nameOf(series, value)) : value === unknown ? 'no guess' : series.labels ? '' : 'move the slider';
    if (series.labels) input.value = known ? value : '';
    else input.setAttribute('aria-valuetext', output.textContent);
    no.box.checked = value === unknown;
    draw();
  };
  const put = (to) => {
    value = to;
    guessed([value]);
    say();
  };
  const no = doubt(value, (is) => put(is ? unknown : null));
  input.addEventListener('input', () => put(input.value === '' ? null : Number(input.value)));
  say();
  const said = element('p', {'aria-live': 'polite', class: 'verdict'});
  const all = async (set, what) => {
    results = series.values.map(() => null);
    if (counted) {
      const result = await ask(series.long, 'run');
      if (!result) return null;
      truth = series.of(result);
    }
    for (const [i, at] of series.values.entries()) {
      const result = await ask([...set, `${series.key}=${at}`], 'run');
      if (!result) return null;
      results[i] = result;
      draw();
    }
    said.textContent = `${what}${verdict(series, results, {truth, guessed: typeof value === 'number' ? value : null})}`;
    return [counted ? truth : leastOf(series, results)];
  };
  return {
    ready: () => value !== null,
    elements: [element('div', {class: 'guess'}, element('label', {class: 'ask'}, `${series.ask ?? 'Your guess'} `, input), output, no.element)], heads: [said], after: [figures.element],
    run() {
      old = null;
      return all([], '');
    },
    async change() {
      old = results;
      return await all(lesson.change.set, `With the change (${lesson.change.label}): `) !== null;
    },
  };
}

// page: as for simulate()
export function learn(page) {
  const list = element('ol', {class: 'lessons'}), body = element('section', {class: 'lesson', 'aria-label': 'Question'});
  let current = lessons.find(({id}) => id === page.state.lesson) ?? lessons[0];
  const name = element('input', {type: 'text', id: 'hand-in', autocomplete: 'off'});

  const index = () => list.replaceChildren(...lessons.map((lesson) => element('li', {}, element('button', {type: 'button',
    'aria-current': lesson === current ? 'true' : null, onclick: () => go(lesson)}, lesson.title,
  progress.of(lesson.id).done ? element('span', {class: 'good'}, ' ✓ done') : null))));
  const go = (lesson) => {
    open(lesson);
    if (matchMedia('(max-width: 860px)').matches) nav.open = false;
    moveTo(body.querySelector('h2'));
  };

  function open(lesson) {
    page.simulators.stop('lesson');
    current = lesson;
    page.keep({lesson: lesson.id});
    index();
    // A run of the lesson's scenario with some values over it.
    const ask = async (set, kind = 'picture') => {
      const reply = await page.simulators.ask('lesson', {ask: kind, text: scenarioOf(lesson), set: [...(lesson.before ?? []), ...set]});
      if (reply && reply.status !== 'answered') throw new Error(reply.status === 'problems' ? JSON.parse(reply.text)[0].message : reply.text);
      return reply && (kind === 'picture' ? pictureOf(reply.text) : JSON.parse(reply.text));
    };
    const note = element('p', {role: 'status', class: 'soft'}), hint = element('p', {class: 'soft'});
    const ready = () => {
      run.disabled = !kind.ready();
      hint.textContent = run.disabled ? 'Guess everything first, or say that you don’t know: a guess that is wrong teaches more than none.' : '';
    };
    const kind = (lesson.series ? curve : bars)(lesson, ask, (guesses) => {
      progress.put(lesson.id, {guesses});
      ready();
    });
    const step = async (what) => {
      note.textContent = 'Simulating …';
      try {
        const done = await what();
        note.textContent = '';
        return done;
      } catch (error) {
        note.textContent = error.message;
        return null;
      }
    };
    const next = lessons[lessons.indexOf(lesson) + 1];
    const words = element('textarea', {rows: 2, id: 'own-words', onchange: () => progress.put(lesson.id, {words: words.value})});
    words.value = progress.of(lesson.id).words ?? '';
    const why = element('div', {hidden: true, class: 'reason'}, element('h3', {}, 'Why'), element('p', {}, lesson.answer),
        element('label', {for: 'own-words', class: 'soft'}, 'Say the cause in a sentence of your own; it goes into your file.'), words,
        next ? element('button', {type: 'button', class: 'main', onclick: () => go(next)}, `Next: ${next.title}`) : element('p', {}, 'That was the last question.'));
    const change = element('button', {type: 'button', hidden: true, class: 'main', onclick: async () => {
      if (!await step(kind.change)) return;
      why.hidden = false;
      (kind.heads[0] ?? why).scrollIntoView();
      change.classList.remove('main');
      progress.put(lesson.id, {done: true});
      index();
    }}, `Change one thing: ${lesson.change.label}`);
    const run = element('button', {type: 'button', class: 'main', onclick: async () => {
      const truths = await step(kind.run);
      if (!truths) return;
      progress.put(lesson.id, {truths});
      change.hidden = false;
      run.classList.remove('main');
    }}, 'Run');
    body.replaceChildren(element('h2', {tabindex: -1}, lesson.title), element('p', {}, lesson.tell), glossary(lesson) ?? '', element('h3', {}, 'Guess first'),
        ...kind.elements, element('div', {class: 'controls'}, run, change,
            element('button', {type: 'button', onclick: () => page.open(scenarioOf(lesson))}, 'Open as a scenario')),
        hint, note, ...kind.heads, why, ...kind.after,
        ...(page.lecturer ? [element('details', {open: true}, element('summary', {}, 'Notes for the lecturer'), element('p', {}, lesson.notes))] : []));
    ready();
  }

  const nav = folded('All questions', element('nav', {'aria-label': 'Questions'}, list),
      element('div', {class: 'controls'}, element('label', {for: 'hand-in'}, 'Your name', name),
          element('button', {type: 'button', onclick: () => handIn(name.value)}, 'Save my answers to hand in')));
  return {
    element: element('div', {class: 'split'}, nav, body),
    open: () => open(current),
    close: () => page.simulators.stop('lesson'),
  };
}
