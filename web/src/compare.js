// Two scenarios side by side: the differences with what is sure of them.
import {figure, named, whiskers} from './chart.js';
import {element} from './dom.js';
import {figure as shown, Table} from './table.js';
import {head, more} from './words.js';

export function compare({words, comparison}, page) {
  const of = (name, metrics) => metrics.filter(({relative}) => relative !== null && relative !== undefined)
      .map((one) => ({...one, label: name ? `${name}: ${one.figure}` : one.figure}));
  const board = of('', comparison.system);
  const parts = [['Board', board], ...comparison.processes.map((process) => [`#${process.a} ${process.label}`, of('', process.figures)])].filter(([, rows]) => rows.length);
  const room = (rows) => named(rows.map(({label}) => label), 170, 110);
  const percent = (value) => `${value > 0 ? '+' : ''}${shown(value)} %`;
  const ends = (rows) => rows.map(({a, ci95: pair}) => (pair && a ? pair.map((value) => 100 * value / Math.abs(a)) : null));
  page.append(head(words), element('div', {class: 'figures'}, ...(parts.length ? [figure({
    title: 'B against A', wide: true, height: 110 + 26 * Math.max(...parts.map(([, rows]) => rows.length)),
    about: 'How much more or less B has, in percent of A; ends of a bar: 95 % confidence. A bar whose ends span zero may be chance.',
    choices: parts.length > 1 ? [{label: 'Of', texts: parts.map(([name]) => name)}] : undefined,
    table: ([which = 0]) => Table.of(['figure', 'unit', 'a', 'b', 'difference', 'relative'], parts[which][1].map((one) => [one.figure, one.unit, one.a, one.b, one.difference, one.relative])),
    option: (theme, [which = 0]) => {
      const rows = parts[which][1];
      return {legend: null, tooltip: {trigger: 'axis', axisPointer: {type: 'shadow'}, valueFormatter: percent}, grid: {...room(rows).grid, top: 10},
        xAxis: {type: 'value', name: 'B - A, % of A'}, yAxis: room(rows).yAxis,
        series: [{type: 'bar', name: 'B - A', barMaxWidth: 18, words: (item) => `${rows[item].label}: ${percent(100 * rows[item].relative)}, ${shown(rows[item].a)} to ${shown(rows[item].b)} ${rows[item].unit}`,
          data: rows.map(({relative, significant}) => ({value: 100 * relative, itemStyle: {color: significant ? theme.parts[0] : theme.line}}))},
        ...(ends(rows).some((pair) => pair) ? [whiskers('95 % confidence', rows.map(({label}) => label), ends(rows))] : [])]};
    },
  })] : [])), ...more(words));
}
