// A plan: the front of two wishes and what was simulated; or the boards of a fleet.
import {figure, named, whiskers} from './chart.js';
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
  const label = choices.map((of) => `${of.boards} × ${of.device}${of.power_of === 'card' ? ' (card)' : ''}${of.power_mode ? ` ${of.power_mode}` : ''}`);
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
  return [bars('Price', 'Of all boards, in the currency of the study; in USD where the profile has the price.', 'price'),
    bars('Power, W', `Of all boards, with the 90 % prediction interval. ${grades}`, 'power_w', 'power_w_pi90'),
    bars('Energy, kWh a day', `Of all boards. ${grades}`, 'energy_kwh_day'), bars('Cameras a board could carry', 'At most, within the limits.', 'capacity')];
}

export function plan(data, page) {
  const {answer, words} = data, fleet = answer.schema.startsWith('jostle.fleet');
  const figures = fleet ? boards(answer) : [answer.best && answer.front.length > 1 ? wishes(answer) : null, looked(data.points)];
  page.append(head(words), element('div', {class: 'figures'}, ...figures.filter(Boolean)), ...more(words));
}
