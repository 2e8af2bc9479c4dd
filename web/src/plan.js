// A plan: the best point and the next, the front of two wishes, what the limits cost; or the boards of a fleet.
import {figure, named, whiskers} from './chart.js';
import {element, tiles} from './dom.js';
import {throughputAgainstPower} from './front.js';
import {metric, plain, title, unit} from './names.js';
import {figure as shown, Table} from './table.js';

const setting = (settings) => Object.entries(settings).map(([key, value]) => `${key.replace(/^processes\.\d+\./, '')} ${
  typeof value === 'object' ? JSON.stringify(value) : value}`).join(', ');

const short = (value) => shown(Number(value.toPrecision(3)));
// Behind watts, energies and what they cost: the grade of the power model.
const graded = (grade) => (grade ? `, ${grade}` : '');
const interval = (pi90) => (pi90 ? ` (${pi90.map(short).join(' to ')})` : '');

function point(name, of) {
  const figures = [...of.objectives, ...of.constraints];
  return element('div', {}, element('h3', {}, name), element('p', {}, setting(of.settings)),
      tiles(figures.map(({figure: path, value, pi90, grade, min}) =>
        [`${plain(metric(path))}${interval(pi90)}${graded(grade)}`, path === 'headroom'
          ? `${value >= min ? '≥ ' : ''}${shown(Number((100 * value).toPrecision(2)))} %` : `${shown(value)}${unit(metric(path))}`])));
}

// What the best point carries, and its energy with the grade of its board's power.
const margins = ({overload, energy}) => [overload ? `Carries: ${overload.sentence}.` : null,
  energy ? `Energy: ${short(energy.kwh_day)} kWh a day${energy.per_image_mj === null ? '' : `, ${short(energy.per_image_mj)} mJ an image`}${
    energy.cost_per_day === null ? '' : `; it costs ${short(energy.cost_per_day)} a day`}${graded(energy.grade)}.` : null]
    .filter(Boolean).map((text) => element('p', {class: 'margins'}, text));

// A better point that misses the limits, and why.
const outOfReach = (next) => element('div', {}, element('h3', {}, 'Next better, out of reach'),
    element('p', {}, setting(next.settings)), element('p', {class: 'margins'}, `${next.sentence}.`));

// Few points: all of them, those that meet the limits first.
function everyPoint(points) {
  const criteria = (of) => [...of.objectives, ...of.constraints];
  const limit = ({min, max}) => (max !== undefined ? ` ≤ ${shown(max)}` : min !== undefined ? ` ≥ ${shown(min)}` : '');
  const missed = ({value, min, max}) => (max !== undefined && value > max) || (min !== undefined && value < min);
  return [element('h2', {}, 'Every point'), element('div', {class: 'scroll'}, element('table', {'data-name': 'every'},
      element('thead', {}, element('tr', {}, element('th', {}, 'settings'),
          ...criteria(points[0]).map((of) => element('th', {}, `${metric(of.figure)}${limit(of)}`)))),
      element('tbody', {}, ...points.map((of) => element('tr', {}, element('td', {}, setting(of.settings)),
          ...criteria(of).map((one) => element('td', missed(one) ? {class: 'bad'} : {}, `${shown(one.value)}${graded(one.grade)}`)))))))];
}

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

// What was simulated on the way, whichever way the plan looked.
function looked(points) {
  const table = new Table(points);
  const own = table.names.filter((name) => name !== 'status');
  return throughputAgainstPower({
    title: 'Points simulated', height: 340, points: table, rows: table.indices(() => true), name: 'simulated', line: 'least power for a throughput',
    about: (all) => `${all.length} of them: throughput of the board against its power.`,
    words: (row) => own.map((name) => `${title(name)} ${shown(table.at(name, row))}`).join(', '), table: () => table,
  });
}

const wide = (labels) => named(labels, 210);

function boards(fleet) {
  const {choices} = fleet;
  const label = choices.map((of) => `${of.boards} × ${of.device}${of.power_mode ? ` ${of.power_mode}` : ''}`);
  const bars = (name, about, key, range) => (choices.some((of) => of[key] !== null && of[key] !== undefined) ? figure({
    title: name, about, height: 130 + 34 * choices.length,
    table: () => Table.of(['boards', 'device', 'mode', 'settings', key, ...(range ? [`${key} low`, `${key} high`] : [])],
      choices.map((of) => [of.boards, of.device, of.power_mode ?? '', setting(of.settings), of[key], ...(range ? of[range] ?? [] : [])])),
    option: () => ({legend: null, tooltip: {trigger: 'axis', axisPointer: {type: 'shadow'}, valueFormatter: shown},
      grid: wide(label).grid, xAxis: {type: 'value', name}, yAxis: wide(label).yAxis,
      series: [{type: 'bar', name, barMaxWidth: 28, data: choices.map((of) => of[key])},
        ...(range && choices.some((of) => of[range]) ? [whiskers('90 % of measurements', label, choices.map((of) => of[range]))] : [])]}),
  }) : null);
  const grades = `Grades: ${choices.map((of) => `${of.device} ${of.power_grade ?? 'unknown'}`).join(', ')}.`;
  return [bars('Price', 'Of all boards, in the currency of the study; in USD where the profile has the price.', 'price'),
    bars('Power, W', `Of all boards, with the 90 % prediction interval. ${grades}`, 'power_w', 'power_w_pi90'),
    bars('Energy, kWh a day', `Of all boards. ${grades}`, 'energy_kwh_day'), bars('Cameras a board could carry', 'At most, within the limits.', 'capacity')];
}

export function plan(data, page) {
  const {answer} = data;
  const figures = [];
  if (answer.schema.startsWith('jostle.fleet')) {
    page.append(tiles([['cameras', answer.cameras], ['images/s each', shown(answer.rate)], ['settings', answer.settings], ['simulated', answer.simulated]]));
    if (!answer.choices.length) page.append(element('p', {class: 'bad'}, 'No board carries a camera within the limits.'));
    else page.append(element('table', {}, element('tbody', {}, ...answer.choices.map((of) => element('tr', {},
        element('td', {}, `${of.boards} × ${of.device}`), element('td', {}, of.power_mode ?? ''),
        element('td', {}, setting(of.settings)), element('td', {}, `${of.cameras_per_board} cameras a board`),
        element('td', {}, of.price === null ? '' : `price ${shown(of.price)}`),
        element('td', {}, `${short(of.power_w)} W${interval(of.power_w_pi90)}${graded(of.power_grade)}`),
        element('td', {}, of.energy_cost_per_hour === null ? '' : `energy costs ${short(24 * of.energy_cost_per_hour)} a day${graded(of.power_grade)}`),
        element('td', {}, of.latency_ms_p99 === null ? '' : `p99 ${short(of.latency_ms_p99)} ms${interval(of.latency_ms_p99_pi90)}`))))));
    page.append(...answer.choices.map((of) => element('p', {class: 'margins'}, `One ${of.device} carries ${of.carries}.${of.fewer_boards
      ? ` With ${of.fewer_boards.boards} instead of ${of.boards} boards, ${of.fewer_boards.cameras_per_board} cameras each: ${of.fewer_boards.why}.` : ''}`)));
    if (answer.power_note) page.append(element('p', {class: 'soft'}, `Power: ${answer.power_note}`));
    figures.push(...boards(answer));
  } else {
    page.append(tiles([['points', answer.points], ['simulated', answer.simulated],
      answer.do_not_fit ? ['do not fit', answer.do_not_fit] : null,
      answer.overloaded ? ['overloaded', answer.overloaded] : null]));
    const named = element('div', {class: 'figures'});
    page.append(named);
    if (answer.best) {
      named.append(point('Best', answer.best));
      page.append(...margins(answer.best));
      if (answer.best.sharing_note) page.append(element('p', {class: 'soft'}, `Sharing: ${answer.best.sharing_note}`));
    }
    else if (answer.do_not_fit >= answer.points) page.append(element('p', {class: 'bad'}, 'No point fits.'));
    else page.append(element('p', {class: 'bad'}, `No point keeps all limits. ${answer.missed.length ? answer.missed.map((of) =>
      `The nearest to ${plain(metric(of.figure))} ${shown(of.limit)}${unit(metric(of.figure))}: ${shown(of.nearest)}.`).join(' ') : 'Each can be kept, but not all together.'}`));
    if (answer.power_note) page.append(element('p', {class: 'soft'}, `Power: ${answer.power_note}`));
    if (answer.runner_up) named.append(point('Next', answer.runner_up));
    if (answer.runner_up) page.append(element('p', {class: 'margins'}, `Next: ${answer.runner_up.sentence}`));
    if (answer.next_better) named.append(outOfReach(answer.next_better));
    for (const of of answer.relaxed)
      named.append(point(`Without the limit ${plain(metric(of.figure))} ${shown(of.limit)}${unit(metric(of.figure))} (it would take ${shown(Number(of.needed.toPrecision(3)))})`, of.best));
    if (answer.every?.length > 1) page.append(...everyPoint(answer.every));
    if (answer.best && answer.front.length > 1) figures.push(wishes(answer));
    figures.push(looked(data.points));
  }
  page.append(element('div', {class: 'figures'}, ...figures.filter(Boolean)));
}
