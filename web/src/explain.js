// Why a run comes out so: where the time goes, and what each change would bring.
import {figure, named, whiskers} from './chart.js';
import {element} from './dom.js';
import {charts} from './run.js';
import {figure as shown, Table} from './table.js';
import {head, more} from './words.js';

// Bars of what each change does to a figure, in percent of what it is; most first.
function changes({what_ifs: all, objective}) {
  const {images, tokens} = all[0]?.by_unit ?? {};
  const kinds = [[objective.name, (of) => of.objective], ...(images || !tokens ? [['images/s', (of) => of.throughput]] : []),
    ...(tokens ? [['tokens/s', (of) => of.by_unit.tokens.per_s], ['energy of a token', (of) => of.by_unit.tokens.energy_mj]] : []),
    [objective.p99, (of) => of.latency_p99_ms], ['power', (of) => of.power_w]]
      .filter(([name], i, kept) => kept.findIndex(([other]) => other === name) === i).map(([name, of]) => [name[0].toUpperCase() + name.slice(1), of]);
  const of = ([which]) => all.map((one) => ({label: one.label, ...kinds[which][1](one)})).filter(({relative}) => relative !== null)
      .sort((a, b) => b.relative - a.relative);
  if (!all.length) return null;
  const room = (rows) => named(rows.map(({label}) => label), 210, 130);
  return figure({
    title: 'What each change would bring', wide: true, height: 110 + 26 * all.length,
    about: 'Relative to the scenario as it is; ends of a bar: 95 % of simulations. The table below has prices and watts.',
    choices: [{label: 'Of', texts: kinds.map(([name]) => name)}],
    table: (picked) => Table.of(['change', 'before', 'after', 'relative'], of(picked).map((one) => [one.label, one.before, one.after, one.relative])),
    option: (theme, picked) => {
      const rows = of(picked), percent = (value) => `${value > 0 ? '+' : ''}${shown(value)} %`;
      const ends = rows.map(({before, difference_ci95: pair}) => (pair && before ? pair.map((value) => 100 * value / before) : null));
      return {legend: null, tooltip: {trigger: 'axis', axisPointer: {type: 'shadow'}, valueFormatter: percent}, grid: {...room(rows).grid, top: 10},
        xAxis: {type: 'value', name: `${kinds[picked[0]][0]}, change in %`}, yAxis: room(rows).yAxis,
        series: [{type: 'bar', name: kinds[picked[0]][0], barMaxWidth: 18, words: (item) => `${rows[item].label}: ${percent(100 * rows[item].relative)}`,
          data: rows.map(({relative}) => ({value: 100 * relative, itemStyle: {color: relative < 0 ? theme.soft : theme.parts[0]}}))},
        ...(ends.some((pair) => pair) ? [whiskers('95 % of simulations', rows.map(({label}) => label), ends)] : [])]};
    },
  });
}

export function explain({words, explanation, result}, page) {
  const time = charts({result}).find(({title}) => title === 'Where the time goes');
  page.append(head(words),
      ...(time?.lines ? [element('h3', {}, time.title), ...time.lines.map((text) => element('p', {class: 'line'}, text))] : []),
      element('div', {class: 'figures'}, ...[changes(explanation), time && !time.lines ? figure(time) : null].filter(Boolean)), ...more(words));
}
