// Two scenarios with the same random numbers: what differs, in figures and in one picture.
import {element} from '../src/dom.js';
import {figure as shown} from '../src/table.js';
import {powerGrade, title} from '../src/names.js';
import {inWords, oneMore} from './change.js';
import {percent} from './delta.js';
import {tree} from './document.js';
import {folded, panel} from './panel.js';
import {pictureOf, results} from './results.js';
import {metrics} from './sweep.js';

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
  const known = (value) => (typeof value === 'number' ? value : null);
  return rows.filter(([, x, y]) => known(x) !== null || known(y) !== null).map(([name, x, y]) => {
    const values = [known(x), known(y)], both = !values.includes(null);
    return element('tr', {}, element('th', {scope: 'row'}, name), ...[...values, both ? y - x : null].map((value) =>
      element('td', {class: 'number'}, shown(value === null ? null : Number(value.toPrecision(3))))), element('td', {class: 'number'}, percent(...values)));
  });
}

// page: as for simulate()
export function compare(page) {
  const names = ['a', 'b'], found = {a: null, b: null}, texts = {};
  const body = element('tbody'), said = element('h2', {}, 'What differs'), columns = element('tr');
  const table = element('details', {class: 'more'}, element('summary', {}, 'All figures, and those of each process'), element('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Differences'},
      element('table', {'data-name': 'differences'}, element('thead', {}, columns), body)));
  const get = (name) => async (kind) => (await page.simulators.ask(`files ${name}`, {ask: kind === 'json' ? 'run' : 'csv', text: texts[name]}))?.text;
  const shownHere = results({files: {A: get('a'), B: get('b')}, answer: table, foldedAs: 'B alone: its table, and how sure it is'});
  const draw = () => {
    if (!found.a || !found.b) return;
    const [a, b] = names.map((name) => found[name]), change = inWords(a.text, b.text), called = `A: ${tree(a.text)?.name ?? 'as it is'}`;
    said.textContent = change === 'the same' ? 'B is the same as A' : `B differs from A: ${change}`;
    columns.replaceChildren(...['Figure', called, `B: ${change}`, 'B − A', 'in %'].map((of) => element('th', {scope: 'col'}, of)));
    body.replaceChildren(...differences([a.picture.result, b.picture.result]));
    document.documentElement.dataset.compared = change;
    return shownHere.show(b.picture, {picture: a.picture, names: [called, `B: ${change}`]});
  };
  const sides = names.map((name) => {
    const label = `Scenario ${name.toUpperCase()}`;
    const run = async () => {
      const asked = texts[name];
      const reply = await page.simulators.ask(`compare ${name}`, {ask: 'picture', text: asked});
      if (!reply) return;
      side.problems(reply.status === 'problems' ? JSON.parse(reply.text) : []);
      shownHere.stale(reply.status !== 'answered');
      if (reply.status !== 'answered') return;
      found[name] = {text: asked, picture: pictureOf(reply.text)};
      draw();
    };
    const side = panel({name: label, catalogue: page.catalogue, words: page.words,
      ask: (of) => page.simulators.ask('completion', {ask: 'check', text: of}),
      changed: (text) => {
        texts[name] = text;
        page.keep({[name]: text});
        run();
      }});
    const copy = (other, of) => element('button', {type: 'button', onclick: () => side.put(of(texts[other]))}, name === 'b' ? 'Make it the same as A' : 'Make it the same as B');
    return {
      side: folded(`${label}: change it`, copy(name === 'b' ? 'a' : 'b', (text) => text), side.element),
      open() {
        side.show(texts[name]);
        run();
      },
    };
  });
  sides[0].side.open = false;
  return {
    element: element('div', {class: 'split'}, element('div', {class: 'sides'}, ...[sides[1], sides[0]].map(({side}) => side)),
        element('section', {'aria-label': 'Result'}, said, shownHere.element)),
    open() {
      Object.assign(texts, {a: page.state.a, b: page.state.b ?? oneMore(page.state.a)});
      for (const side of sides) side.open();
    },
    close() {},
  };
}
