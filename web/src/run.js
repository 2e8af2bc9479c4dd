// The result of a run: each process, the board, where the time and the watts go, and a timeline.
import {clear, figure, limitLines, named, symbol, whiskers} from './chart.js';
import {distribution} from './distribution.js';
import {element, tiles} from './dom.js';
import {budget, powerGrade, windowed} from './names.js';
import {figure as shown, Table} from './table.js';
import {timeline} from './timeline.js';
import {fold, head, more} from './words.js';

const words = (key) => {
  const text = key.replace(/_mb$/, '').replaceAll('_', ' ').replace(/\b(gpu|cpu|dla|sm|io|soc|dram)\b/g, (of) => ({io: 'I/O', soc: 'SoC'}[of] ?? of.toUpperCase()));
  return `${text[0].toUpperCase()}${text.slice(1)}`;
};

// Charts of fewer rows say no more than a line of text.
const fewest = 3;
export const percent = (share) => `${shown(100 * share)} %`;

// Bars, one a process, of parts on top of each other; `line`: the same in text, of few rows.
function stacked({title, about, unit, labels, parts, values, wide, limit, share}) {
  const names = parts.filter((part) => values.some((row) => row[part]));
  if (!names.length) return null;
  const value = (of) => (share ? percent(of) : `${shown(of)} ${unit}`);
  return {
    title, about, wide, height: Math.max(170, 110 + 30 * labels.length), lines: labels.length < fewest ? labels.map((label, i) =>
      `${label}: ${names.filter((name) => values[i][name]).sort((a, b) => values[i][b] - values[i][a]).map((name) => `${words(name)} ${value(values[i][name])}`).join(', ')}.`) : null,
    table: () => Table.of(['', ...names], labels.map((label, i) => [label, ...names.map((name) => values[i][name] ?? null)])),
    option: (theme) => ({
      tooltip: {trigger: 'axis', axisPointer: {type: 'shadow'}, valueFormatter: value},
      grid: named(labels).grid,
      xAxis: {type: 'value', name: share ? 'Share of the time' : unit, share, max: share ? 1 : limit ? ({max}) => Math.max(max, limit.value * 1.05) : null},
      yAxis: named(labels).yAxis,
      series: names.map((name, i) => ({type: 'bar', stack: 'all', name: words(name), barMaxWidth: 26,
        itemStyle: {color: /^idle|switch/.test(name) || /_switch/.test(name) ? (name === 'idle' ? theme.line : theme.soft) : theme.parts[i % theme.parts.length]},
        data: values.map((row) => row[name] ?? 0),
        markLine: limit && i === 0 ? limitLines(theme, 'xAxis', [limit]) : undefined})),
    }),
  };
}

// A dot a process or stream; of few, their `lines` in text, with what it may lie between. `columns`: in the table only.
function dots({title, about, name, labels, values, between, columns = {}}) {
  return {
    title, about, height: Math.max(190, 120 + 30 * labels.length), lines: labels.length < fewest ? labels.map((label, i) =>
      `${label}: ${values.map((of) => `${of.name} ${shown(of.values[i])}`).join(', ')} ${name}${between.filter((of) => of.values[i]).map((of) =>
        `, ${of.name} within ${of.values[i].map(shown).join(' to ')}`).join('')}.`) : null,
    table: () => Table.of(['process', ...values.map((of) => of.name), ...between.flatMap((of) => [`${of.name} low`, `${of.name} high`]), ...Object.keys(columns)],
        labels.map((label, i) => [label, ...values.map((of) => of.values[i]), ...between.flatMap((of) => of.values[i] ?? [null, null]),
          ...Object.values(columns).map((of) => of[i])])),
    option: (theme) => ({
      color: theme.parts,
      tooltip: {trigger: 'item', valueFormatter: shown},
      grid: named(labels).grid,
      xAxis: {type: 'value', name, min: 0},
      yAxis: named(labels).yAxis,
      series: [
        ...between.map((of) => whiskers(of.name, labels, of.values)),
        ...values.map((of, i) => ({type: 'scatter', name: of.name, symbolSize: 11, symbol: symbol(i),
          data: of.values.map((value, row) => [value, row]),
          words: (item) => `${labels[item]}: ${of.name} ${shown(of.values[item])}`})),
      ],
    }),
  };
}

function residency(states) {
  const domains = Object.keys(states).filter((domain) => Object.keys(states[domain]).length);
  if (!domains.length) return null;
  const of = (domain) => Object.entries(states[domain]).map(([mhz, share]) => [Number(mhz), share]).sort((a, b) => a[0] - b[0]);
  return {
    title: 'Time at each clock', about: 'What governors and controllers made of the clocks; as time_in_state of cpufreq tells it.',
    lines: domains.every((domain) => of(domain).length < 2) ? [`${domains.map((domain) => `${domain} at ${shown(of(domain)[0][0])} MHz`).join(', ')}, all the time.`] : null,
    choices: [{label: 'Domain', texts: domains, selected: Math.max(0, domains.indexOf(domains.includes('gpu') && of('gpu').length > 1 ? 'gpu' : domains.find((domain) => of(domain).length > 1)))}],
    table: ([domain]) => Table.of(['mhz', 'share'], of(domains[domain])),
    option: (_, [domain]) => ({
      legend: null, tooltip: {trigger: 'axis', valueFormatter: percent},
      xAxis: {type: 'category', name: 'Clock, MHz', data: of(domains[domain]).map(([mhz]) => shown(mhz))},
      yAxis: {type: 'value', name: 'Share of the time', share: true, min: 0, max: 1},
      series: [{type: 'bar', name: domains[domain], barMaxWidth: 40, data: of(domains[domain]).map(([, share]) => share)}],
    }),
  };
}

// Of processes, or of streams: what their throughput may lie between, and percentiles of their latency.
const between = (rows) => [['pi90', '90 % of measurements'], ['ci95', '95 % of simulations']]
    .map(([key, name]) => ({name, values: rows.map(({throughput}) => throughput[key])})).filter(({values}) => values.some((pair) => pair));
const tails = (rows) => [{name: '90 % of measurements of p99', values: rows.map(({latency_ms: {pi90}}) => (pi90?.p99?.includes(null) ? null : pi90?.p99 ?? null))}].filter(({values}) => values.some((pair) => pair));
const percentiles = (rows) => ['p50', 'p90', 'p99'].map((name) => ({name, values: rows.map((row) => row.latency_ms[name])}));

// What figure() draws of a run, in order.
export function charts({result, timeline: trace}) {
  const {system} = result, ok = result.processes.filter((process) => process.status === 'ok');
  const labels = ok.map((process) => `${process.index} ${process.name ?? process.model}`);
  const found = [];
  if (ok.length) {
    found.push(dots({title: 'Throughput per process', name: 'Images/s', labels,
      about: 'Mean, with the noise of the simulation and, if requested, the 90 % prediction interval.',
      values: [{name: 'mean', values: ok.map((process) => process.throughput.mean)}],
      between: between(ok)}));
    found.push(dots({title: 'Latency', name: 'ms', labels, about: 'From the request to the answer that the host sees.', between: tails(ok),
      values: percentiles(ok)}));
    found.push(stacked({title: 'Where the time goes', about: 'Of each process: every instant belongs to one of these.', unit: '', share: true,
      labels, parts: Object.keys(ok[0].time_share), values: ok.map((process) => process.time_share), wide: true}));
    found.push(stacked({title: 'ExecutionContext calls', unit: 'ms', labels, parts: ['launch', 'reschedule', 'compute', 'blocking'],
      about: 'What one enqueue call of the host is made of.', values: ok.map((process) => process.ec_ms)}));
  }
  const streams = ok.flatMap((process) => (process.instances ?? []).map((stream) => ({...stream, process})));
  if (streams.length) {
    const of = streams.map(({process, index, name, model}) => `${process.index}.${index} ${name ?? model}`);
    const batches = streams.some((stream) => stream.mean_batch !== null && stream.mean_batch < stream.batch);
    found.push(dots({title: 'Throughput per stream', name: 'Images/s', labels: of,
      about: `Of each stream of a process, named as on the timeline${batches ? '; the table has the mean batch that formed' : ''}.`,
      values: [{name: 'mean', values: streams.map((stream) => stream.throughput.mean)}],
      columns: {'priority': streams.map((stream) => stream.priority), 'mean batch': streams.map((stream) => stream.mean_batch),
        'drops': streams.map((stream) => stream.drops)},
      between: between(streams)}));
    found.push(dots({title: 'Latency per stream', name: 'ms', labels: of, between: tails(streams),
      about: 'From the request to the answer that the host sees; without percentiles where the backlog grows.',
      values: percentiles(streams)}));
  }
  const talkers = [...ok.map((process, i) => ({name: labels[i], tokens: process.tokens})),
    ...streams.map(({process, index, name, model, tokens}) => ({name: `${process.index}.${index} ${name ?? model}`, tokens}))].filter(({tokens}) => tokens);
  if (talkers.length) {
    const of = talkers.map(({name}) => name), values = (get) => talkers.map(({tokens}) => get(tokens));
    found.push(dots({title: 'Tokens of language models', name: 'Tokens/s', labels: of, between: [],
      about: 'Decode steps, in the time that these take; the table also has prompts, tokens per joule, and what weights and KV cache hold.',
      values: [{name: 'decode', values: values((tokens) => tokens.decode_per_s.mean)}],
      columns: {'prefill, tokens/s': values((tokens) => tokens.prefill_per_s.mean), 'tokens/J': values((tokens) => tokens.tokens_per_joule),
        'weights, MB': values((tokens) => tokens.weights_mb), 'KV cache, MB': values((tokens) => tokens.kv_cache_mb)}}));
    for (const [key, title, about] of [['ttft_ms', 'Time to the first token', 'From the request to its first token.'],
      ['itl_ms', 'Time between tokens', 'From one token of a sequence to its next.']])
      if (talkers.some(({tokens}) => tokens[key].mean !== null))
        found.push(dots({title, about, name: 'ms', labels: of, between: [],
          values: ['p50', 'p99'].map((name) => ({name, values: values((tokens) => tokens[key][name])}))}));
  }
  const held = result.processes.map((process) => process.memory ?? {});
  found.push(stacked({title: 'Memory', unit: 'MB', about: system.memory.used_mb === null ? '' : `${shown(system.memory.used_mb)} of ${shown(system.memory.capacity_mb)} MB are held, the system's own included.`,
    labels: result.processes.map((process) => `${process.index} ${process.name ?? process.model}`),
    parts: ['context_mb', 'engine_mb', 'arena_mb', 'io_mb'], values: held}));
  const power = system.power_w;
  if (power?.mean) {
    const cap = parseFloat(result.resolved?.power_cap?.budget ?? '');
    const nominal = budget(result.resolved?.power_mode);
    const limit = cap ? {value: cap, name: `cap ${cap} W`} : nominal && {value: nominal.value, name: `mode ${nominal.mode}`};
    found.push(stacked({title: 'Power', unit: 'W', about: `At the module's input: ${shown(power.mean)} W in the mean${pi90Of(power)}, ${shown(power.peak)} W over the worst 100 ms${gradeOf(result)}.`,
      labels: ['module'], parts: Object.keys(power.parts), values: [power.parts], limit}));
  }
  if (system.gpu.sm_active !== null && system.gpu.sm_active !== undefined) {
    const of = ['busy', 'reported_load', 'sm_active', 'issue_slot', 'tensor_active', 'occupancy'].filter((key) => system.gpu[key] !== null);
    found.push({title: 'How busy the GPU is', about: 'What tegrastats would report, and what the SMs do in that time.',
      table: () => Table.of(['figure', 'share'], of.map((key) => [key, system.gpu[key]])),
      height: 110 + 30 * of.length,
      option: () => ({legend: null, tooltip: {trigger: 'axis', valueFormatter: percent}, grid: {...named(of.map(words)).grid, top: 16},
        xAxis: {type: 'value', name: 'Share of the time', share: true, min: 0, max: 1}, yAxis: named(of.map(words)).yAxis,
        series: [{type: 'bar', name: 'GPU', barMaxWidth: 26, data: of.map((key) => system.gpu[key])}]})});
  }
  if (system.gpu.metrics) {
    const metrics = [{name: 'all', process: null, windows: system.gpu.metrics},
      ...ok.map((process, i) => ({name: labels[i], process: process.index, windows: process.gpu.metrics}))];
    for (const [key, name] of windowed)
      found.push(distribution({title: `${name}: distribution`, name, interval_us: system.gpu.metrics.interval_us,
        columns: {percent: 'percent', curve: (of) => of},
        curves: () => metrics.filter(({windows}) => windows?.[key]?.cdf.length).map((of) => ({name: of.name, process: of.process,
          shares: of.windows[key].cdf.map(([, share]) => share)}))}));
  }
  found.push(residency(system.time_in_state ?? {}));
  if (trace) found.push(timeline(trace));
  return found.filter(Boolean);
}

// Behind watts or energies: ", assumed"; empty where the board's power is not known.
const gradeOf = (result) => (powerGrade(result) ? `, ${powerGrade(result)}` : '');
const pi90Of = ({pi90}) => (pi90 ? ` (90 % within ${pi90.map(shown).join(' to ')} W)` : '');

const within = ({pi90}, unit) => (pi90 ? ` (90 % within ${pi90.map(shown).join(' to ')} ${unit})` : '');

const titleOf = (warning, result) =>
    (/ served nothing in /.test(warning) ? 'Unserved' :
         result.stationary === false     ? 'Not steady' :
                                           'Note');

// The run in figures, what does not fit, and what to keep in mind.
export function summary(result) {
  const {system} = result, images = result.processes.some(({throughput}) => throughput?.unit === 'images/s');
  const lost = result.processes.filter((process) => process.status !== 'ok'), ok = lost.length < result.processes.length;
  return [
    tiles([
      ok && images ? ['images/s, all processes', shown(system.throughput.mean)] : null,
      system.tokens ? [`tokens/s, all language models${within(system.tokens.per_s, 'tokens/s')}`, shown(system.tokens.per_s.mean)] : null,
      system.power_w?.mean ? [`at the module’s input${gradeOf(result)}`, shown(system.power_w.mean), 'W'] : null,
      images && system.energy_per_image_mj ? [`an image${gradeOf(result)}`, shown(system.energy_per_image_mj), 'mJ'] : null,
      system.tokens?.energy_mj.mean ? [`a token${gradeOf(result)}${within(system.tokens.energy_mj, 'mJ')}`, shown(system.tokens.energy_mj.mean), 'mJ'] : null,
      ok && typeof system.gpu.busy === 'number' ?
          ['of the time a kernel runs', shown(100 * system.gpu.busy), '%'] :
          null,
      ok && ['holds the clocks down', system.limited_by === 'none' ? 'nothing' : system.limited_by.replaceAll('_', ' ')],
      ['board', result.device],
    ]),
    ...lost.map(
        (process) =>
            element('p', {class: 'bad'}, `Process ${process.index} does not fit: ${process.problem ?? ''}`)),
    ...(result.warnings ?? [])
        .map((warning) => element('p', {class: 'bad'}, `${titleOf(warning, result)}: ${warning}`)),
    ...(result.sharing_note ? [element('p', {class: 'soft'}, `Sharing: ${result.sharing_note}`)] : [])
  ];
}

// Of the charts of a run, those that everyone looks at; the others are folded.
const first = new Set(['Throughput per process', 'Latency', 'Where the time goes', 'Throughput per stream', 'Latency per stream', 'Tokens of language models', 'Time to the first token', 'Timeline']);

// Charts, and lines of text in place of those that say nothing more; of few rows the table above has throughput and latency.
export function drawings(all) {
  const lines = all.filter((of) => of.lines), drawn = all.filter((of) => !of.lines);
  const told = (of) => element('section', {}, element('h3', {}, of.title), ...of.lines.map((text) => element('p', {class: 'line'}, text)));
  const time = lines.find((of) => of.title === 'Where the time goes');
  return [
    time ? told(time) : null,
    element('div', {class: 'figures'}, ...drawn.filter((of) => first.has(of.title)).map(figure)),
    fold('More of the run', ...lines.filter((of) => of !== time).map(told), element('div', {class: 'figures'}, ...drawn.filter((of) => !first.has(of.title)).map(figure))),
  ].filter(Boolean);
}

// Several runs beside each other, a row each; the first cell of a row shows its run.
function beside(runs, show) {
  const worst = ({processes}, name) => Math.max(...processes.map(({latency_ms: of}) => of?.[name] ?? NaN));
  const columns = [['images/s', ({system}) => system.throughput.mean], ['p50 ms, slowest', (of) => worst(of, 'p50')],
    ['p99 ms, slowest', (of) => worst(of, 'p99')], ['W', ({system}) => system.power_w?.mean], ['mJ an image', ({system}) => system.energy_per_image_mj]];
  const seen = columns.filter(([, get]) => runs.some(({result}) => Number.isFinite(get(result))));
  return element('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'All runs'}, element('table', {},
      element('thead', {}, element('tr', {}, ...['Scenario', ...seen.map(([name]) => name)].map((name) => element('th', {scope: 'col'}, name)))),
      element('tbody', {}, ...runs.map(({result}, i) => element('tr', {},
          element('th', {scope: 'row'}, element('button', {type: 'button', onclick: () => show(i)}, result.scenario)),
          ...seen.map(([, get]) => element('td', {class: 'number'}, shown(Number.isFinite(get(result)) ? get(result) : null))))))));
}

export function run(data, page) {
  const body = element('div'), buttons = [];
  page.append(body);
  const draw = (index) => {
    clear();
    const shownRun = data.runs[index];
    buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(i === index)));
    body.replaceChildren(head(shownRun.words), ...drawings(charts(shownRun)), ...more(shownRun.words));
  };
  if (data.runs.length > 1) {
    const all = beside(data.runs, draw);
    buttons.push(...all.querySelectorAll('button'));
    page.prepend(all);
  }
  draw(0);
}
