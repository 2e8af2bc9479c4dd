// What a run begins with: the question, the answer in a sentence and in figures, how sure it is.
import {element} from '../src/dom.js';
import {powerGrade} from '../src/names.js';
import {figure as shown} from '../src/table.js';

const three = (value) => shown(typeof value === 'number' ? Number(value.toPrecision(3)) : null);

// From the best to the least, in the command's words (scenarios/result/grades.hpp).
const {grades} = CATALOGUE;

// What was asked: the question, and the scenario in words.
const asked = ({question, processes, run}) => [element('p', {class: 'asked'}, element('b', {}, `${question}?`)),
  element('p', {class: 'soft small'}, `${processes.join('; ')}. ${run}.`)];

// The processes of an entry that all run are a row.
function rowsOf(processes) {
  const rows = [];
  for (const of of processes) {
    const last = rows.at(-1);
    if (last && last[0].entry === of.entry && last[0].status === 'ok' && of.status === 'ok') last.push(of);
    else rows.push([of]);
  }
  return rows;
}

function table({processes}) {
  const mean = (row, get) => row.reduce((sum, of) => sum + (get(of) ?? NaN), 0) / row.length, lost = (row) => row[0].status !== 'ok';
  const figure = (value) => three(Number.isFinite(value) ? value : null);
  const percentile = (row, name) => (lost(row) ? '' : row.some((of) => of.stable === false) ? 'grows' : figure(Math.max(...row.map((of) => of.latency_ms[name] ?? NaN))));
  const columns = [['Process', (row) => `${row.length > 1 ? `${row[0].index}–${row.at(-1).index}` : row[0].index} ${row[0].name ?? row[0].model}`],
    ['Images/s', (row) => (lost(row) ? 'does not fit' : `${figure(mean(row, (of) => of.throughput.mean))}${row.length > 1 ? ' each' : ''}`)],
    ...(processes.some((of) => of.tokens) ? [['Tokens/s', (row) => figure(mean(row, (of) => of.tokens?.decode_per_s?.mean))]] : []),
    ['p50, ms', (row) => percentile(row, 'p50')], ['p99, ms', (row) => percentile(row, 'p99')], ['Grade', (row) => row[0].grade ?? '']];
  return element('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Answer'}, element('table', {'data-name': 'answer'},
      element('thead', {}, element('tr', {}, ...columns.map(([name]) => element('th', {scope: 'col'}, name)))),
      element('tbody', {}, ...rowsOf(processes).map((row) => element('tr', {}, ...columns.map(([, get], i) =>
        element(i ? 'td' : 'th', i ? {class: 'number'} : {scope: 'row'}, get(row))))))));
}

// All processes together, and the board.
function total({system, ...result}) {
  const grade = powerGrade(result), graded = grade ? ` (${grade})` : '';
  const part = (name, value, unit) => (typeof value === 'number' ? [element('span', {}, element('b', {'data-figure': name}, three(value)), ` ${unit}`)] : []);
  return element('p', {class: 'total'}, ...part('throughput', system.throughput.mean, 'images/s together'), ...part('power', system.power_w?.mean, `W${graded}`),
      ...part('energy', system.energy_per_image_mj, 'mJ an image'), ...part('busy', 100 * system.gpu.busy, '% GPU busy'),
      ...(system.limited_by && !['none', 'power_mode'].includes(system.limited_by) ? [element('span', {}, `clocks held down by: ${system.limited_by.replaceAll('_', ' ')}`)] : []));
}

// Why percentiles are missing; lengthen(seconds): simulates so long.
function missing(result, lengthen) {
  const of = result.processes.map(({latency_ms: {p99, needs}}) => (p99 === null ? needs?.p99?.run_s ?? 0 : 0)), seconds = Math.ceil(Math.max(0, ...of) * 1.1);
  if (!seconds) return [];
  const lacking = result.processes.filter((_, i) => of[i]), whose = lacking.length === result.processes.length ? '' : ` of process ${lacking.map(({index}) => index).join(', ')}`;
  return [element('p', {class: 'soft'}, `No p99 yet${whose}: too few samples. `,
      lengthen && seconds <= 600 ? element('button', {type: 'button', onclick: () => lengthen(seconds)}, `Simulate ${seconds} s`) : '')];
}

function trust(result) {
  const least = Math.max(...result.processes.map(({grade}) => grades.findIndex(({name}) => name === grade)));
  if (least < 0) return [];
  const {name, meaning, error} = grades[least];
  return [element('p', {class: 'soft'}, element('b', {}, `How sure: a real board may differ by ${error} `), `(${name}: ${meaning}).`)];
}

// The answer to the limits in a sentence, where there are any.
const verdict = ({verdict: of}) => (of ? [element('p', {class: of.met === false ? 'verdict bad' : 'verdict'}, `${of.text[0].toUpperCase()}${of.text.slice(1)}.`)] : []);

export const head = ({result, words}, lengthen) => [...asked(words), element('h2', {}, 'Answer'), ...verdict(result), table(result), total(result),
  ...trust(result), ...missing(result, lengthen)];

// What to keep in mind of it.
export const warnings = (result) => [
  ...result.processes.filter(({status}) => status !== 'ok').map((of) => element('p', {class: 'bad'}, `Process ${of.index} does not fit: ${of.problem ?? ''}`)),
  ...(result.warnings ?? []).map((text) => element('p', {class: 'bad'}, `${/ served nothing in /.test(text) ? 'Unserved' : result.stationary === false ? 'Not steady' : 'Note'}: ${text}`)),
  ...(result.sharing_note ? [element('p', {class: 'soft'}, `Sharing: ${result.sharing_note}.`)] : [])];
