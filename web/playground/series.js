// A lesson's figure over one key: a curve whose least value is guessed, or intervals and what is true.
import {limitLines} from '../src/chart.js';
import {figure as shown, Table} from '../src/table.js';

// Whether the interval of a result holds a value.
export function holds(series, result, truth) {
  const [low, high] = series.interval(result);
  return low <= truth && truth <= high;
}

// What figure() draws. series: as in lessons.js; results: one a value, or null; {guessed}: index of a value; {truth}.
export function seriesFigure(series, results, {guessed, truth}) {
  const rows = results.map((result, i) => {
    const pair = result && series.interval ? series.interval(result) : null;
    return [parseFloat(series.values[i]), result ? series.of(result) : null, ...(pair ?? [null, null])];
  });
  const hits = results.filter((result) => result && series.interval && holds(series, result, truth)).length;
  return {
    title: series.what.replace(/,.*/, ''), height: 340, wide: true,
    about: truth === undefined ? 'A run at each value.' : `${hits} of ${rows.length} intervals contain ${shown(truth)} ${series.unit}.`,
    table: () => Table.of([series.name, series.what, ...(series.interval ? ['low', 'high'] : [])], rows),
    option: (theme) => ({
      legend: null, tooltip: {trigger: 'item', formatter: ({data}) => `${series.name} ${shown(data[0])}\n${series.what} ${shown(data[1])}`},
      xAxis: {type: 'value', name: series.name, scale: true},
      yAxis: {type: 'value', name: series.what, scale: true},
      series: [
        {type: series.interval ? 'scatter' : 'line', name: series.what, symbolSize: 8, data: rows.map((row) => row.slice(0, 2)),
          itemStyle: {color: theme.series[0]}, lineStyle: {color: theme.series[0]},
          markLine: truth !== undefined ? limitLines(theme, 'yAxis', [{value: truth, name: `true: ${shown(truth)}`}])
            : guessed === undefined ? undefined : limitLines(theme, 'xAxis', [{value: parseFloat(series.values[guessed]), name: 'your guess'}])},
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
