// The guided questions: guess, run, see the difference, change one thing; how far one has come is kept in the browser.
import {element, moveTo} from '../src/dom.js';
import {powerGrade} from '../src/names.js';
import {charts} from '../src/run.js';
import {figure as shown} from '../src/table.js';
import {guess} from './guess.js';
import {lessons, scenarioOf} from './lessons.js';
import {Figures, pictureOf} from './results.js';
import {holds, seriesFigure} from './series.js';

const place = 'jostle playground lessons';
// What was guessed and done, by lesson; a browser that keeps nothing forgets it with the page.
const progress = {
  all: (() => {
    try {
      return JSON.parse(localStorage.getItem(place)) ?? {};
    } catch {
      return {};
    }
  })(),
  of(id) { return this.all[id] ?? {}; },
  put(id, what) {
    this.all[id] = {...this.of(id), ...what};
    try {
      localStorage.setItem(place, JSON.stringify(this.all));
    } catch { /* kept in this.all */ }
  },
};

const drawnOf = ['Throughput per process', 'Latency', 'Where the time goes', 'Power', 'How busy the GPU is', 'Time at each clock', 'Timeline'];

// page: as for simulate(); opened(text) shows a scenario on the page of its own.
export function learn(page, opened) {
  const list = element('ol', {class: 'lessons'}), body = element('section', {class: 'lesson'});
  let current = lessons.find(({id}) => id === page.state.lesson) ?? lessons[0];

  const index = () => list.replaceChildren(...lessons.map((lesson) => element('li', {}, element('button', {type: 'button',
    'aria-current': lesson === current ? 'true' : null, onclick: () => {
      open(lesson);
      moveTo(body.querySelector('h2'));  // on a phone it is below the list
    }}, lesson.title,
  progress.of(lesson.id).done ? element('span', {class: 'good'}, ' ✓ done') : null))));

  // A run of the lesson's scenario with some values over it.
  const ask = async (lesson, set, kind = 'picture') => {
    const reply = await page.simulators.ask('lesson', {ask: kind, text: scenarioOf(lesson), set: [...(lesson.before ?? []), ...set]});
    if (reply && reply.status !== 'answered') throw new Error(reply.status === 'problems' ? JSON.parse(reply.text)[0].message : reply.text);
    return reply && (kind === 'picture' ? pictureOf(reply.text) : JSON.parse(reply.text));
  };

  function bars(lesson) {
    const kept = progress.of(lesson.id).guesses ?? [];
    const guesses = lesson.guesses.map((of, i) => guess(of, kept[i], (value) => {
      const all = progress.of(lesson.id).guesses ?? [];
      all[i] = value;
      progress.put(lesson.id, {guesses: all});
    }));
    const figures = new Figures(), table = element('div', {class: 'scroll'}), of = element('h3', {hidden: true});
    const draw = (picture, what) => {
      of.hidden = false;
      of.textContent = `Charts: ${what}`;
      figures.show(chartsOf(picture));
    };
    let first = null;
    return {
      elements: guesses.map((of) => of.element), after: [table, of, figures.element],
      async run() {
        first = await ask(lesson, []);
        if (!first) return false;
        guesses.forEach((of, i) => of.reveal(lesson.guesses[i].of(first.result)));
        draw(first, 'as it is');
        return true;
      },
      async change() {
        const other = await ask(lesson, lesson.change.set);
        if (!other) return;
        draw(other, lesson.change.label);
        table.replaceChildren(element('table', {'data-name': 'change'}, element('thead', {}, element('tr', {},
            ...['', 'As it is', lesson.change.label, 'Difference'].map((name) => element('th', {scope: 'col'}, name)))),
        element('tbody', {}, ...rowsOf(lesson, first.result, other.result))));
      },
    };
  }

  function curve(lesson) {
    const {series} = lesson, figures = new Figures(), counted = series.interval !== undefined;
    const most = counted ? series.values.length : series.values.length - 1;
    const kept = progress.of(lesson.id).guesses?.[0];
    const input = element('input', {type: 'range', min: 0, max: most, step: 1, value: kept ?? Math.floor(most / 2), 'aria-label': 'Your guess'});
    const output = element('output');
    let results = series.values.map(() => null), truth;
    const draw = () => figures.show([seriesFigure(series, results, counted ? {truth} : {guessed: Number(input.value)})]);
    const say = () => {
      output.textContent = counted ? `${input.value} of ${most}` : series.values[input.value];
      input.setAttribute('aria-valuetext', output.textContent);
      draw();
    };
    input.addEventListener('input', () => {
      progress.put(lesson.id, {guesses: [Number(input.value)]});
      say();
    });
    say();
    const said = element('p', {'aria-live': 'polite'});
    const all = async (set) => {
      results = series.values.map(() => null);
      if (counted) {
        const result = await ask(lesson, series.long, 'run');
        if (!result) return false;
        truth = series.of(result);
      }
      for (const [i, value] of series.values.entries()) {
        const result = await ask(lesson, [...set, `${series.key}=${value}`], 'run');
        if (!result) return false;
        results[i] = result;
        draw();
      }
      const found = results.map(series.of);
      said.textContent = counted
        ? `${results.filter((result) => holds(series, result, truth)).length} of ${results.length} intervals contain ${shown(truth)} ${series.unit}; you guessed ${input.value}.`
        : `The least is at ${series.values[found.indexOf(Math.min(...found))]}: ${shown(Math.min(...found))} ${series.unit}; at your guess, ${series.values[input.value]}, it is ${shown(found[input.value])} ${series.unit}.`;
      return true;
    };
    return {
      elements: [element('label', {class: 'guess'}, element('span', {class: 'ask'}, 'Your guess '), input, output)], after: [said, figures.element],
      run: () => all([]),
      change: () => all(lesson.change.set),
    };
  }

  function open(lesson) {
    current = lesson;
    page.keep({lesson: lesson.id});
    index();
    const kind = lesson.series ? curve(lesson) : bars(lesson);
    const note = element('p', {role: 'status', class: 'soft'});
    const answer = element('div', {hidden: true}, element('h3', {}, 'Why'), element('p', {}, lesson.answer));
    const step = async (what) => {
      note.textContent = 'Simulating …';
      try {
        const done = await what();
        note.textContent = '';
        return done;
      } catch (error) {
        note.textContent = error.message;
        return false;
      }
    };
    const change = element('button', {type: 'button', disabled: true, onclick: () => step(kind.change)}, `Change one thing: ${lesson.change.label}`);
    const run = element('button', {type: 'button', class: 'main', onclick: async () => {
      if (!await step(kind.run)) return;
      answer.hidden = false;
      change.disabled = false;
      progress.put(lesson.id, {done: true});
      index();
    }}, 'Run');
    body.replaceChildren(element('h2', {tabindex: -1}, lesson.title), element('p', {}, lesson.tell), element('h3', {}, 'Guess first'),
        ...kind.elements, element('div', {class: 'controls'}, run, change,
            element('button', {type: 'button', onclick: () => opened(scenarioOf(lesson))}, 'Open as a scenario')),
        note, answer, ...kind.after,
        element('details', {}, element('summary', {}, 'Notes for the lecturer'), element('p', {}, lesson.notes)));
  }

  return {
    element: element('div', {class: 'split'}, element('nav', {'aria-label': 'Questions'}, list), body),
    open: () => open(current),
    close: () => page.simulators.stop('lesson'),
  };
}

function chartsOf(picture) {
  return charts(picture).filter(({title}) => drawnOf.includes(title));
}

function rowsOf(lesson, before, after) {
  const grade = powerGrade(before), graded = grade ? ` (${grade})` : '';
  const all = [...lesson.guesses.map(({ask, unit, of}) => [`${ask}, ${unit}`, of]),
    [`Power, W${graded}`, (result) => result.system.power_w?.mean], [`Energy per image, mJ${graded}`, (result) => result.system.energy_per_image_mj]];
  return all.map(([name, of]) => {
    const [a, b] = [of(before), of(after)].map((value) => (typeof value === 'number' ? value : null));
    return element('tr', {}, element('th', {scope: 'row'}, name), ...[a, b].map((value) => element('td', {class: 'number'}, shown(value === null ? null : Number(value.toPrecision(4))))),
        element('td', {class: 'number'}, a && b !== null ? `${b > a ? '+' : ''}${(100 * (b / a - 1)).toFixed(1)} %` : '–'));
  });
}
