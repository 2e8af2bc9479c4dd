// Throughput of boards against their power, and the points that none beats in both.
import {figure, limitLines} from './chart.js';
import {gradesOf, title} from './names.js';

// Of rows that have both figures, by ascending power: those with more throughput than any that takes less.
function front(rows, power, throughput) {
  const kept = [];
  let most = -Infinity;
  for (const row of [...rows].sort((a, b) => power(a) - power(b) || throughput(b) - throughput(a))) {
    if (throughput(row) <= most) continue;
    most = throughput(row);
    kept.push(row);
  }
  return kept;
}

// given: as for figure(), with the table's `points`, rows to draw (all that have both figures), words(row), what the
// points and the `line` are called, and texts or tables that depend on the front's rows; the row that is `best`, and
// limits(axis) to draw. None of fewer than two.
export function throughputAgainstPower({points, rows, words, line, name, about, table, best: chosen, limits = () => [], ...given}) {
  const x = (row) => points.at('power_w', row), y = (row) => points.at('throughput', row);
  const all = rows.filter((row) => x(row) !== null && y(row) !== null);
  if (all.length < 2) return null;
  const best = front(all, x, y);
  const grades = gradesOf(points, all);
  const data = (of) => of.map((row) => ({value: [x(row), y(row)], row}));
  return figure({
    ...given, wide: true, about: `${about(all, best)}${grades}`, table: () => table(best),
    option: (theme) => ({
      tooltip: {trigger: 'item', formatter: ({data: {row}}) => words(row)},
      xAxis: {type: 'value', name: title('power_w'), scale: true},
      yAxis: {type: 'value', name: title('throughput'), scale: true},
      series: [{type: 'line', name: line, step: 'end', symbolSize: 9, lineStyle: {color: theme.series[1]},
        itemStyle: {color: theme.series[1]}, z: 5, words: (item) => words(best[item]), data: data(best),
        markLine: limitLines(theme, 'yAxis', limits('yAxis'))},
      {type: 'scatter', name, symbolSize: 6, itemStyle: {color: theme.series[0], opacity: 0.55},
        words: (item) => words(all[item]), data: data(all), markLine: limitLines(theme, 'xAxis', limits('xAxis'))},
      ...(chosen === undefined || !all.includes(chosen) ? [] : [{type: 'scatter', name: 'best', symbol: 'diamond', symbolSize: 16, z: 6,
        itemStyle: {color: theme.series[1]}, words: () => `Best: ${words(chosen)}`, data: data([chosen])}])],
    }),
  });
}
