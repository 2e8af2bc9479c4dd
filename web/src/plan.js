// A plan: the front of two wishes and what was simulated; or the boards of a fleet.
import {figure, limitLines, named, symbol, whiskers} from './chart.js';
import {element} from './dom.js';
import {throughputAgainstPower} from './front.js';
import {metric, title} from './names.js';
import {figure as shown, Table} from './table.js';
import {head, more} from './words.js';

const setting = (settings) => Object.entries(settings).map(([key, value]) => `${key.replace(/^processes\.\d+\./, '')} ${
  typeof value === 'object' ? JSON.stringify(value) : value}`).join(', ');

function wishes(plan) {
  const [x, y] = [plan.best.objectives[1], plan.best.objectives[0]];
  const at = (of, i) => of.objectives[i].value;
  return figure({
    title: 'Pareto front', wide: true, height: 380,
    about: `${plan.front.length} points that no other simulated one beats in both; the first objective decides which is called the best.`,
    table: () => Table.of(['settings', metric(y.figure), metric(x.figure)], plan.front.map((of) => [setting(of.settings), at(of, 0), at(of, 1)])),
    option: (theme) => {
      const points = [...plan.front].sort((a, b) => at(a, 1) - at(b, 1));
      return {
        tooltip: {trigger: 'item', formatter: ({data}) => data.words},
        xAxis: {type: 'value', name: metric(x.figure), scale: true}, yAxis: {type: 'value', name: metric(y.figure), scale: true},
        series: [{type: 'line', step: 'end', name: 'front', symbolSize: 8, words: (item) => setting(points[item].settings) +
          `: ${metric(y.figure)} ${shown(at(points[item], 0))}, ${metric(x.figure)} ${shown(at(points[item], 1))}`,
        data: points.map((of) => ({value: [at(of, 1), at(of, 0)], words: setting(of.settings)}))},
        {type: 'scatter', name: 'best', symbol: 'diamond', symbolSize: 16, z: 5, itemStyle: {color: theme.series[1]},
          data: [{value: [at(plan.best, 1), at(plan.best, 0)], words: setting(plan.best.settings)}],
          words: () => `Best: ${setting(plan.best.settings)}`}],
      };
    },
  });
}

// Limits as lines: of the constraints on a figure.
const limitsOf = (constraints, path) => constraints.filter((of) => of.figure === path)
  .map((of) => ({value: of.min ?? of.max, name: `at ${of.min === undefined ? 'most' : 'least'} ${shown(of.min ?? of.max)}`}));
const diamond = (theme, name, value, words) => ({type: 'scatter', name, symbol: 'diamond', symbolSize: 16, z: 6,
  itemStyle: {color: theme.series[1]}, data: [{value, words}], words: () => words});

// The first objective, and the first limit, over the key of a plan that varies one.
function overKey(plan) {
  const keys = plan.every.length > 1 ? Object.keys(plan.every[0].settings) : [];
  const varied = keys.filter((key) => new Set(plan.every.map((of) => JSON.stringify(of.settings[key]))).size > 1);
  if (varied.length !== 1) return [];
  const [key] = varied, at = (of) => parseFloat(of.settings[key]);
  const points = plan.every.every((of) => Number.isFinite(at(of))) ? [...plan.every].sort((a, b) => at(a) - at(b)) : plan.every;
  const labels = points.map((of) => String(of.settings[key])), name = setting({[key]: ''}).trim();
  const chart = (kind) => {
    const path = plan.best[kind][0].figure, value = (of) => of[kind][0].value, limits = limitsOf(plan.best.constraints, path);
    const most = Math.max(...points.map(value), ...limits.map((of) => of.value));
    return figure({
      title: `${metric(path).replace(/,[^,]*$/, '')} over ${name}`, about: `The best: ${name} ${plan.best.settings[key]}.${limits.length ? ' The line is the limit.' : ''}`,
      table: () => Table.of([name, metric(path)], points.map((of) => [String(of.settings[key]), value(of)])),
      option: (theme) => ({tooltip: {trigger: 'axis', valueFormatter: shown}, xAxis: {type: 'category', name, data: labels},
        yAxis: {type: 'value', name: metric(path), max: Number((1.05 * most).toPrecision(2))},
        series: [{type: 'line', name: metric(path), symbolSize: 8, data: points.map(value), markLine: limitLines(theme, 'yAxis', limits)},
          diamond(theme, 'best', [labels.indexOf(String(plan.best.settings[key])), plan.best[kind][0].value],
              `Best: ${name} ${plan.best.settings[key]}, ${metric(path)} ${shown(plan.best[kind][0].value)}`)]}),
    });
  };
  return ['objectives', 'constraints'].filter((kind) => plan.best[kind].length).map(chart);
}

// What was simulated on the way, whichever way the plan looked, with the limits and the best of it.
function looked(points, best) {
  const table = new Table(points);
  const own = table.names.filter((name) => name !== 'status');
  return throughputAgainstPower({
    title: 'Points simulated', height: 340, points: table, rows: table.indices(() => true), name: 'simulated', line: 'least power for a throughput',
    about: (all) => `${all.length} of them: throughput of the board against its power.`,
    best: best ? table.indices((row) => table.at('point', row) === best.point)[0] : undefined,
    limits: (axis) => limitsOf(best?.constraints ?? [], axis === 'xAxis' ? 'system.power_w' : 'system.throughput'),
    words: (row) => own.map((name) => `${title(name)} ${shown(table.at(name, row))}`).join(', '), table: () => table,
  });
}

// The latency of each kind over the cameras on a board, with the limit and the choice.
function curves(fleet) {
  const {choices} = fleet, latency = 'processes.latency_ms.p99';
  const kinds = choices.filter((of) => of.curve.length > 1);
  if (!kinds.length) return null;
  const limits = limitsOf(choices[0].constraints, latency), band = choices[0].curve.filter((of) => of.pi90);
  const most = 1.6 * Math.max(...limits.map((of) => of.value), ...choices.map((of) => of.latency_ms_p99 ?? 0));
  const value = (of) => [of.cameras, of.latency_ms_p99 > most ? null : of.latency_ms_p99];
  const bandName = `9 of 10 boards of ${choices[0].device}`;
  return figure({
    title: 'p99 over the cameras on a board', wide: true, height: 360,
    about: `In the busiest hour, of one board of each kind; a diamond is the choice. ${limits.length ? 'The line is the limit. ' : ''}A curve ends where the board does not keep up.${
      kinds.some((of) => of.settings['processes.0.batch'] > 1) ? ' With few cameras a batch fills late.' : ''}`,
    table: () => Table.of(['device', 'cameras', 'p99 ms', 'low', 'high'],
        kinds.flatMap((kind) => kind.curve.map((of) => [kind.device, of.cameras, of.latency_ms_p99, ...(of.pi90 ?? [])]))),
    option: (theme) => ({
      tooltip: {trigger: 'item', formatter: ({seriesName, value: [cameras, p99]}) => `${seriesName}: ${cameras} cameras, p99 ${shown(p99)} ms`},
      xAxis: {type: 'value', name: 'Cameras on a board', minInterval: 1}, yAxis: {type: 'value', name: title('latency_p99_ms'), min: 0, max: Number(most.toPrecision(2))},
      series: [...(band.length > 1 ? [{type: 'custom', name: bandName, itemStyle: {color: theme.series[0]}, encode: {x: 0, y: [1, 2]},
        data: band.map((of) => [of.cameras, ...of.pi90]), clip: true,
        words: (item) => `${bandName}: ${band[item].cameras} cameras, ${band[item].pi90.map(shown).join(' to ')} ms`,
        renderItem: ({dataIndex}, api) => (dataIndex ? null : {type: 'polygon', silent: true, style: {fill: theme.series[0], opacity: 0.18}, shape: {points:
          [...band.map((of) => api.coord([of.cameras, of.pi90[0]])), ...[...band].reverse().map((of) => api.coord([of.cameras, Math.min(of.pi90[1], most)]))]}})}] : []),
      ...kinds.map((of, i) => ({type: 'line', name: of.device, symbolSize: 7, symbol: symbol(i), connectNulls: false, itemStyle: {color: theme.series[i % theme.series.length]},
        data: of.curve.map(value), markLine: i === 0 ? limitLines(theme, 'yAxis', limits) : undefined})),
      ...kinds.map((of, i) => ({...diamond(theme, of.device, [of.cameras_per_board, of.latency_ms_p99],
          `${of.device}: the choice, ${of.cameras_per_board} cameras a board, p99 ${shown(of.latency_ms_p99)} ms`), itemStyle: {color: theme.series[i % theme.series.length]}}))],
    }),
  });
}

const wide = (labels) => named(labels, 210);

function boards(fleet) {
  const {choices} = fleet;
  const label = choices.map((of) => `${of.boards} × ${of.device}${of.power_of === 'board' ? '' : ` (${of.power_of})`}${of.power_mode ? ` ${of.power_mode}` : ''}`);
  // Two boards are a line of the table above.
  const bars = (name, about, key, range) => (choices.length > 2 && choices.some((of) => of[key] !== null && of[key] !== undefined) ? figure({
    title: name, about, height: 130 + 34 * choices.length,
    table: () => Table.of(['boards', 'device', 'mode', 'settings', key, ...(range ? [`${key} low`, `${key} high`] : [])],
      choices.map((of) => [of.boards, of.device, of.power_mode ?? '', setting(of.settings), of[key], ...(range ? of[range] ?? [] : [])])),
    option: () => ({legend: null, tooltip: {trigger: 'axis', axisPointer: {type: 'shadow'}, valueFormatter: shown},
      grid: wide(label).grid, xAxis: {type: 'value', name}, yAxis: wide(label).yAxis,
      series: [{type: 'bar', name, barMaxWidth: 28, data: choices.map((of) => of[key])},
        ...(range && choices.some((of) => of[range]) ? [whiskers('90 % of measurements', label, choices.map((of) => of[range]))] : [])]}),
  }) : null);
  const grades = `Grades: ${choices.map((of) => `${of.device} ${of.power_grade ?? 'unknown'}`).join(', ')}.`;
  return [curves(fleet), bars('Price', 'Of all boards, in the currency of the study; in USD where the profile has the price.', 'price'),
    choices.some((of) => of.price === null) ? bars('Cost an hour', 'Of all boards: rent, or the price over their life and their energy.', 'cost_per_hour') : null,
    bars('Power, W', `Of all boards, with the 90 % prediction interval. ${grades}`, 'power_w', 'power_w_pi90'),
    bars('Energy, kWh a day', `Of all boards. ${grades}`, 'energy_kwh_day'), bars('Cameras a board could carry', 'At most, within the limits.', 'capacity')];
}

export function plan(data, page) {
  const {answer, words} = data, fleet = answer.schema.startsWith('jostle.fleet');
  const figures = fleet ? boards(answer) : [answer.best && answer.front.length > 1 ? wishes(answer) : null,
    ...(answer.best ? overKey(answer) : []), looked(data.points, answer.best)];
  page.append(head(words), element('div', {class: 'figures'}, ...figures.filter(Boolean)), ...more(words));
}
