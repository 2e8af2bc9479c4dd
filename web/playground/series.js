// A lesson's figure over one key: a curve whose least value is guessed, or intervals and what is true.
import {limitLines, named, narrow} from '../src/chart.js';
import {figure as shown, Table} from '../src/table.js';

// Whether the interval of a result holds a value.
export function holds(series, result, truth) {
  const [low, high] = series.interval(result);
  return low <= truth && truth <= high;
}

const three = (value) => shown(Number(value.toPrecision(3)));
export const nameOf = (series, i) => (series.labels ?? series.values)[i].replace(/ us$/, ' µs');

// The index of the least figure; -1 if no result has one.
export function leastOf(series, results) {
  const found = results.map((result) => result && series.of(result)).map((value) => (typeof value === 'number' ? value : Infinity));
  const least = Math.min(...found);
  return Number.isFinite(least) ? found.indexOf(least) : -1;
}

// What came out, and what was guessed, in a sentence. guessed: null or a number.
export function verdict(series, results, {truth, guessed}) {
  if (series.interval) {
    const hits = results.filter((result) => holds(series, result, truth)).length;
    return `${hits} of ${results.length} intervals contain ${three(truth)} ${series.unit}${guessed === null ? '.' : `; you guessed ${guessed}.`}`;
  }
  const least = leastOf(series, results), at = (i) => {
    const value = series.of(results[i]);
    return typeof value === 'number' ? `${three(value)} ${series.unit}` : series.none ?? 'not known';
  };
  if (least < 0) return `None has a figure: ${series.none}.`;
  return `The least is at ${nameOf(series, least)}: ${at(least)}${guessed === null ? '.' : `; at your guess, ${nameOf(series, guessed)}, it is ${at(guessed)}.`}`;
}

function rowsOf(series, results) {
  return results.map((result, i) => {
    const pair = result && series.interval ? series.interval(result) : null;
    return [series.labels ? i : parseFloat(series.values[i]), result ? series.of(result) : null, ...(pair ?? [null, null])];
  });
}

// Named values, such as boards: a bar each.
function choices(series, rows, old, guessed) {
  const labels = series.labels, limit = guessed === undefined ? undefined : labels[guessed];
  return (theme) => ({
    legend: null, tooltip: {trigger: 'axis', axisPointer: {type: 'shadow'}, valueFormatter: shown},
    ...named(labels.map((of) => (of === limit ? `▸ ${of}` : of)), 190, 120), xAxis: {type: 'value', name: series.what, min: 0},
    series: [{type: 'bar', name: series.what, barMaxWidth: 22, itemStyle: {color: theme.series[0]}, data: rows.map((row) => row[1])},
      ...(old ? [{type: 'bar', name: 'as it is', barMaxWidth: 22, itemStyle: {color: 'transparent', borderColor: theme.soft, borderType: 'dashed', borderWidth: 1.5}, data: old.map((row) => row[1])}] : [])],
  });
}

// What figure() draws. series: as in lessons.js; results: one a value, or null; {guessed}: index of a value; {truth};
// {old}: results before a change, or null.
export function seriesFigure(series, results, {guessed, truth, old}) {
  const rows = rowsOf(series, results), before = old && rowsOf(series, old);
  const hits = results.filter((result) => result && series.interval && holds(series, result, truth)).length;
  const about = truth !== undefined ? `${hits} of ${rows.length} intervals contain ${shown(truth)} ${series.unit}.`
    : `A run at each value.${series.labels && guessed !== undefined ? ' ▸ is your guess.' : ''}${before ? ' Dashed: as it is.' : ''}`;
  const given = {title: series.what.replace(/,.*/, ''), height: 340, wide: true, about,
    table: () => Table.of([series.name, series.what, ...(series.interval ? ['low', 'high'] : []), ...(before ? [`${series.what}, before`] : [])],
        rows.map((row, i) => [series.labels ? series.labels[i] : row[0], row[1], ...(series.interval ? row.slice(2) : []), ...(before ? [before[i][1]] : [])]))};
  if (series.labels) return {...given, option: choices(series, rows, before, guessed)};
  const dashed = (theme) => ({type: series.interval ? 'scatter' : 'line', name: 'as it is', symbolSize: 6, data: before.map((row) => row.slice(0, 2)), z: 1,
    itemStyle: {color: 'transparent', borderColor: theme.soft}, lineStyle: {color: theme.soft, type: 'dashed', width: 1.5}});
  return {
    ...given,
    option: (theme) => ({
      legend: null, tooltip: {trigger: 'item', formatter: ({data}) => `${series.name} ${shown(data[0])}\n${series.what} ${shown(data[1])}`},
      grid: narrow() ? {left: 48, right: 12} : {},
      xAxis: {type: series.log ? 'log' : 'value', name: series.name, scale: true},
      yAxis: {type: 'value', name: series.what, scale: true},
      series: [
        {type: series.interval ? 'scatter' : 'line', name: series.what, symbolSize: 8, data: rows.map((row) => row.slice(0, 2)),
          itemStyle: {color: theme.series[0]}, lineStyle: {color: theme.series[0]},
          markLine: truth !== undefined ? limitLines(theme, 'yAxis', [{value: truth, name: `true: ${shown(truth)}`}])
            : guessed === undefined ? undefined : limitLines(theme, 'xAxis', [{value: parseFloat(series.values[guessed]), name: 'your guess'}])},
        ...(before ? [dashed(theme)] : []),
        ...(series.interval ? [{type: 'custom', name: '95 % interval', silent: true, encode: {x: 0, y: [2, 3]}, data: rows,
          renderItem: (_, api) => {
            const [from, to] = [2, 3].map((of) => api.coord([api.value(0), api.value(of)]));
            const miss = !(api.value(2) <= truth && truth <= api.value(3));
            return {type: 'line', shape: {x1: from[0], y1: from[1], x2: to[0], y2: to[1]}, style: {stroke: miss ? theme.bad : theme.series[0], lineWidth: 2}};
          }}] : []),
      ],
    }),
  };
}
