// Two scenarios side by side, with the same random numbers, and what differs.
import {element} from '../src/dom.js';
import {figure as shown} from '../src/table.js';
import {panel} from './panel.js';
import {pictureOf, results} from './results.js';
import {metrics} from './sweep.js';
import {powerGrade, title} from '../src/names.js';

// The figures of two results and their differences: rows of a table.
function differences([a, b]) {
  const grades = [...new Set([a, b].map(powerGrade).filter(Boolean))].join(', ');
  const rows = Object.entries(metrics).map(([name, get]) =>
    [title(name) + (grades && /power|energy/.test(name) ? ` (${grades})` : ''), get(a), get(b)]);
  a.processes.forEach((process, i) => {
    const other = b.processes[i];
    if (!other) return;
    const label = `${i}: ${process.name ?? process.model}`;
    rows.push([`${label}, images/s`, process.throughput.mean, other.throughput.mean]);
    rows.push([`${label}, latency p50, ms`, process.latency_ms.p50, other.latency_ms.p50]);
  });
  const known = (value) => typeof value === 'number';
  return rows.filter(([, x, y]) => known(x) || known(y)).map(([name, x, y]) => {
    const both = known(x) && known(y), change = both && x !== 0 ? (y - x) / x : null;
    return element('tr', {}, element('th', {scope: 'row'}, name), ...[x, y, both ? y - x : null].map((value) =>
      element('td', {class: 'number'}, shown(known(value) ? Number(value.toPrecision(4)) : null))),
    element('td', {class: 'number'}, change === null ? '–' : `${change > 0 ? '+' : ''}${(100 * change).toFixed(1)} %`));
  });
}

// page: as for simulate()
export function compare(page) {
  const names = ['a', 'b'], found = {a: null, b: null}, texts = {a: page.state.a, b: page.state.b ?? page.state.a};
  const body = element('tbody');
  const table = element('section', {'aria-label': 'Differences'}, element('h2', {}, 'What differs'), element('div', {class: 'scroll'},
      element('table', {'data-name': 'differences'}, element('thead', {}, element('tr', {},
          ...['', 'A', 'B', 'B − A', ''].map((of) => element('th', {scope: 'col'}, of)))), body)));
  const sides = names.map((name) => {
    const label = `Scenario ${name.toUpperCase()}`;
    const shownHere = results({files: async (kind) => (await page.simulators.ask(`files ${name}`, {ask: kind === 'json' ? 'run' : 'csv', text: texts[name]}))?.text});
    const run = async () => {
      const reply = await page.simulators.ask(`compare ${name}`, {ask: 'picture', text: texts[name]});
      if (!reply) return;
      side.problems(reply.status === 'problems' ? JSON.parse(reply.text) : []);
      shownHere.stale(reply.status !== 'answered');
      if (reply.status !== 'answered') return;
      const picture = pictureOf(reply.text);
      found[name] = picture.result;
      shownHere.show(picture);
      if (found.a && found.b) body.replaceChildren(...differences([found.a, found.b]));
    };
    const side = panel({name: label, catalogue: page.catalogue, words: page.words,
      ask: (of) => page.simulators.ask('completion', {ask: 'check', text: of}),
      changed: (text) => {
        texts[name] = text;
        page.keep({[name]: text});
        run();
      }});
    const copy = element('button', {type: 'button', onclick: () => {
      texts.b = texts.a;
      page.keep({b: texts.b});
      sides[1].open();
    }}, 'Make it the same as A');
    return {
      top: element('div', {}, element('div', {class: 'head'}, element('h2', {}, label), name === 'b' ? copy : null), side.element),
      results: element('section', {'aria-label': `Results of ${label}`}, element('h2', {}, label), shownHere.element),
      open() {
        side.show(texts[name]);
        run();
      },
    };
  });
  return {
    element: element('div', {}, element('div', {class: 'halves'}, ...sides.map((of) => of.top)), table,
        element('div', {class: 'halves'}, ...sides.map((of) => of.results))),
    open() {
      Object.assign(texts, {a: page.state.a, b: page.state.b ?? page.state.a});
      for (const side of sides) side.open();
    },
    close() {},
  };
}
