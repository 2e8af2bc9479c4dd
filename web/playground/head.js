// What a run begins with: the scenario in words, the answer in figures, why something is missing, how sure it is.
import {element} from '../src/dom.js';
import {powerGrade} from '../src/names.js';
import {figure as shown} from '../src/table.js';

const three = (value) => shown(typeof value === 'number' ? Number(value.toPrecision(3)) : null);

// From the best to the least, in the command's words (scenarios/result/grades.hpp).
const {grades} = CATALOGUE;

function arrivals({arrivals: of, after, users, bench}) {
  if (after) return `for what ${after} finds`;
  if (users) return `${users} users who wait for their answers`;
  if (bench || !of) return bench ? 'one step after the other' : 'one batch after the other';
  if (of.clients) return `${of.clients} clients who wait for their answers`;
  return of.periodic ? `${of.periodic} at regular times` : of.poisson ? `${of.poisson} at random times` : 'requests at the times of a trace';
}

function process(of) {
  if (of.load) return `background load ${of.load}`;
  if (of.instances) return `${of.name ?? 'a process'} with ${of.runtime}: ${of.instances.map(process).join('; ')}`;
  const model = typeof of.model === 'string' ? of.model : 'kernels', token = of.generate || of.bench;
  return [`${of.count > 1 ? `${of.count} x ` : ''}${of.name && of.name !== model ? `${of.name}: ` : ''}${model}${of.precision ? ` ${of.precision}` : ''}`,
    token ? null : `batch ${of.batch}`, of.runtime, of.streams ? `${of.streams} streams` : null, arrivals(of)].filter(Boolean).join(', ');
}

const board = (of) => [of.device, of.power_mode ? `power mode ${of.power_mode.mode ?? of.power_mode}` : null, of.mps ? 'MPS' : null,
  of.host_cores ? `${of.host_cores} cores` : null, ...Object.entries(of.clocks ?? {}).map(([domain, clock]) => `${domain} at ${clock}`), of.jetson_clocks ? 'jetson_clocks' : null,
  of.power_cap?.budget ? `power capped at ${of.power_cap.budget}` : null, of.power_limit ? `limited to ${of.power_limit}` : null].filter(Boolean).join(', ');

// The scenario in words; of a result's `resolved`.
function scenario({resolved: of, simulated_s: seconds, seed}) {
  return element('p', {class: 'asked'}, element('b', {}, board(of)), `: ${of.processes.map(process).join('; ')}. `,
      element('span', {class: 'soft'}, `${three(seconds)} s simulated, seed ${seed}.`));
}

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
      ...(system.limited_by && system.limited_by !== 'none' ? [element('span', {}, `clocks held down by: ${system.limited_by.replaceAll('_', ' ')}`)] : []));
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

export const head = (result, lengthen) => [scenario(result), table(result), total(result), ...trust(result), ...missing(result, lengthen)];

// What to keep in mind of it.
export const warnings = (result) => [
  ...result.processes.filter(({status}) => status !== 'ok').map((of) => element('p', {class: 'bad'}, `Process ${of.index} does not fit: ${of.problem ?? ''}`)),
  ...(result.warnings ?? []).map((text) => element('p', {class: 'bad'}, `${/ served nothing in /.test(text) ? 'Unserved' : result.stationary === false ? 'Not steady' : 'Note'}: ${text}`)),
  ...(result.sharing_note ? [element('p', {class: 'soft'}, `Sharing: ${result.sharing_note}.`)] : [])];
