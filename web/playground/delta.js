// What a change brings, in four figures that stay in sight: images, the tail of the latency, watts, joules.
import {element} from '../src/dom.js';
import {powerGrade} from '../src/names.js';
import {figure as shown} from '../src/table.js';

const number = (value) => (typeof value === 'number' ? value : null);
const three = (value) => shown(value === null ? null : Number(value.toPrecision(3)));

function worst(result, percentile) {
  const values = result.processes.map((process) => number(process.latency_ms[percentile]));
  return values.length && !values.includes(null) ? Math.max(...values) : null;
}

// The highest percentile that all results have; p99 if none.
const percentileOf = (results) => ['p99', 'p95', 'p90', 'p50'].find((of) => results.every((result) => worst(result, of) !== null)) ?? 'p99';

const tokens = (result) => result.processes.reduce((sum, {tokens: of}) => sum + (number(of?.decode_per_s?.mean) ?? 0), 0);

// [{name, values, better}] of some results; better: 1 where more is.
export function headline(results) {
  const grade = results.map(powerGrade).find((of) => of), tail = percentileOf(results), graded = grade ? ` (${grade})` : '';
  return [
    {name: 'images/s', better: 1, values: results.map((of) => number(of.system.throughput.mean))},
    ...(results.some((of) => tokens(of) > 0) ? [{name: 'tokens/s', better: 1, values: results.map(tokens)}] : []),
    {name: `latency ${tail}, ms`, better: -1, values: results.map((of) => worst(of, tail))},
    {name: `W${graded}`, better: -1, values: results.map((of) => number(of.system.power_w?.mean))},
    {name: 'mJ an image', better: -1, values: results.map((of) => number(of.system.energy_per_image_mj))},
  ];
}

// Seconds to simulate until every process has its p99; 0 if all have, or none says.
const needed = (results) => Math.max(0, ...results.flatMap(({processes}) => processes.map(({latency_ms: of}) =>
  (of.p99 === null ? of.needs?.p99?.run_s ?? 0 : 0))));

export function percent(before, after) {
  if (before === null || after === null || before === 0) return '–';
  const change = 100 * (after / before - 1);
  return Math.abs(change) < 0.05 ? '0 %' : `${change > 0 ? '+' : ''}${Number(change.toPrecision(3))} %`;
}

// A head that stays at the top: a row a result and their difference. names: of the two; more: elements behind it.
export function delta(results, names, ...more) {
  const rows = headline(results), seconds = needed(results);
  const judged = ({values: [before, after], better}) => {
    const change = before && after !== null ? after / before - 1 : 0;
    return Math.abs(change) < 0.01 ? '' : change * better > 0 ? ' good' : ' bad';
  };
  const line = (name, cell) => element('tr', {}, element('th', {scope: 'row'}, name), ...rows.map(cell));
  return element('section', {class: 'delta', 'aria-label': 'Before and after'}, element('table', {'data-name': 'delta'},
      element('thead', {}, element('tr', {}, element('td'), ...rows.map(({name}) => element('th', {scope: 'col'}, name)))),
      element('tbody', {}, ...names.map((name, i) => line(name, ({values}) => element('td', {class: 'number'}, three(values[i])))),
          line('change', (row) => element('td', {class: `number${judged(row)}`}, element('b', {}, percent(...row.values)))))),
  seconds ? element('p', {class: 'soft'}, `Too few samples for p99 of each process: simulate about ${three(seconds)} s.`) : null, ...more);
}
