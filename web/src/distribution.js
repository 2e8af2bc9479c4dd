// Shares of windows at or below each percent of a metric, a curve each.
import {figure as shown, Table} from './table.js';

// What figure() draws. given: as for it, with `name` of the metric, `interval_us`, and curves(picked): [{name, shares: 101}];
// `columns`: what the table calls percent and a curve.
export function distribution({name, interval_us: interval, curves, columns, where = '', ...given}) {
  return {
    ...given, about: `${where}Share of the windows of ${shown(interval)} µs at or below each value.`,
    table: (picked) => {
      const found = curves(picked);
      return Table.of([columns.percent, ...found.map((curve) => columns.curve(curve.name))],
          Array.from({length: 101}, (_, percent) => [percent, ...found.map(({shares}) => shares[percent])]));
    },
    option: (theme, picked) => ({
      tooltip: {trigger: 'axis', valueFormatter: (share) => `${shown(100 * share)} %`},
      xAxis: {type: 'value', name: `${name}, %`, min: 0, max: 100},
      yAxis: {type: 'value', name: 'Share of windows', share: true, min: 0, max: 1},
      series: curves(picked).map((curve) => ({type: 'line', step: 'end', showSymbol: false, name: curve.name,
        color: curve.process === undefined ? undefined : curve.process === null ? theme.soft : theme.series[curve.process % theme.series.length],
        data: curve.shares.map((share, percent) => [percent, share])})),
    }),
  };
}
