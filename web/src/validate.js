// A validation: each predicted value against the measured one, and what the errors come to.
import {figure, named} from './chart.js';
import {choice, element} from './dom.js';
import {distinct, figure as shown, Table} from './table.js';
import {fold, head, more} from './words.js';

const percent = (share, digits = 2) => (100 * share).toFixed(digits).replace(/^-(0\.?0*)$/, '$1');
const error = (value) => value.predicted / value.measured - 1;
const most = 400;  // rows of a table

// "mean ≤ 2 %: met", as the command says it.
function limit({limit: of, limit_exceeded: exceeded, n}) {
  if (!of) return '–';
  const verdict = !exceeded ? 'met' : of.on === 'each' ? `${of.over} of ${n} over` : 'exceeded';
  return `${of.on} ≤ ${shown(100 * of.most)} %: ${verdict}`;
}

// How many limits are met, of those that groups have: a sentence for the answer. Null without limits.
function limitsMet(errors) {
  const held = errors.filter(({limit: of}) => of), over = held.filter(({limit_exceeded: exceeded}) => exceeded).length;
  if (!held.length) return null;
  return element('p', {}, `${held.length - over} of ${held.length} limits are met, `,
      over ? element('b', {class: 'bad'}, `${over} exceeded`) : element('span', {class: 'good'}, 'none exceeded'), '.');
}

function coverage({coverage: of}) {
  if (!of) return '–';
  const runs = of.runs < of.n ? ` in ${of.runs} runs` : '';
  return `${percent(of.covered / of.n, 0)} % of ${of.n}${runs} (${of.ci95.map((share) => percent(share, 0)).join(' to ')})`;
}

// Predicted over measured, of the group that the reader picks.
function scatter(groups) {
  const drawn = groups.map(({runs, note, values}) => ({runs, note, values: values.filter((of) => of.measured > 0 && of.predicted > 0)}))
      .filter(({values}) => values.length);
  if (!drawn.length) return null;
  const words = (of) => `${of.run}, ${of.quantity}: measured ${shown(of.measured)}, predicted ${shown(of.predicted)} (${percent(error(of), 1)} %)${
    of.covered === false ? ', outside its 90 % interval' : ''}`;
  return figure({
    title: 'Predicted against measured', wide: true, height: 460,
    about: 'The line marks exact predictions, the dashed lines ±10 %. A ring marks a value outside its 90 % interval.',
    choices: [{label: 'Runs', texts: drawn.map(({runs}) => runs)}],
    table: ([group]) => Table.of(['run', 'quantity', 'measured', 'predicted', 'error'],
        drawn[group].values.map((of) => [of.run, of.quantity, of.measured, of.predicted, error(of)])),
    option: (theme, [group]) => {
      const {values} = drawn[group], all = values.flatMap((of) => [of.measured, of.predicted]);
      const ends = [Math.min(...all) / 1.2, Math.max(...all) * 1.2];
      const line = (factor, type) => ({type: 'line', name: 'exact', silent: true, showSymbol: false, data: ends.map((at) => [at, at * factor]),
        lineStyle: {color: theme.soft, width: 1, type}, tooltip: {show: false}});
      const axis = (name) => ({type: 'log', name, min: ends[0], max: ends[1], axisLabel: {formatter: (value) => shown(Number(value.toPrecision(2)))}});
      const quantities = distinct(values.map((of) => of.quantity));
      return {
        legend: {data: quantities},
        tooltip: {trigger: 'item', formatter: ({data}) => data.words},
        xAxis: axis('Measured'), yAxis: axis('Predicted'),
        series: [...quantities.map((quantity, i) => {
          const of = values.filter((value) => value.quantity === quantity), colour = theme.series[i % theme.series.length];
          return {type: 'scatter', name: quantity, symbolSize: 8, itemStyle: {color: colour, opacity: 0.75}, words: (item) => words(of[item]),
            data: of.map((value) => ({value: [value.measured, value.predicted], words: words(value),
              itemStyle: value.covered === false ? {color: 'transparent', borderColor: colour, borderWidth: 2, opacity: 1} : undefined}))};
        }), line(1, 'solid'), line(1.1, 'dashed'), line(1 / 1.1, 'dashed')],
      };
    },
  });
}

// How large the errors of the group are that the reader picks.
function bars(errors) {
  const groups = distinct(errors.map(({runs}) => runs)), of = (group) => errors.filter(({runs}) => runs === groups[group]);
  return figure({
    title: 'Error of each quantity', wide: true, height: 110 + 34 * Math.max(...groups.map((_, group) => of(group).length)),
    about: 'The error is |predicted / measured − 1|.',
    choices: [{label: 'Runs', texts: groups}],
    table: ([group]) => Table.of(['quantity', 'n', 'median_error', 'p90_error'], of(group).map((row) => [row.quantity, row.n, row.median_error, row.p90_error])),
    option: (theme, [group]) => ({
      tooltip: {trigger: 'axis', axisPointer: {type: 'shadow'}, valueFormatter: (value) => `${shown(value)} %`},
      ...named(of(group).map(({quantity}) => quantity), 230, 136),
      xAxis: {type: 'value', name: 'Error, %', min: 0},
      series: [['Median', 'median_error'], ['Nine of ten below', 'p90_error']].map(([name, key]) => ({type: 'bar', name, barMaxWidth: 16,
        data: of(group).map((row) => Number((100 * row[key]).toPrecision(4)))})),
    }),
  });
}

const missed = /: (exceeded|\d+ of \d+ over)$/;
const cells = (name, of) => element('tr', {}, ...of.map((text) =>
  element(name, {class: /^[+-]?[\d.]+$/.test(text) ? 'number' : missed.test(text) ? 'bad' : null}, text)));
const table = (name, heads, body) => element('div', {class: 'scroll', tabindex: 0, role: 'group', 'aria-label': name}, element('table', {'data-name': name}, element('thead', {}, cells('th', heads)), body));

function errorsTable(errors) {
  return table('errors', ['Runs', 'Quantity', 'Values', '|Error| %', 'Median %', 'P90 %', 'Bias %', 'Worst %', 'Worst run', 'Coverage', 'Limit'],
      element('tbody', {}, ...errors.map((of) => cells('td', [of.runs, of.quantity, String(of.n), percent(of.mean_error), percent(of.median_error),
        percent(of.p90_error), percent(of.bias), percent(of.worst), of.worst_run, coverage(of), limit(of)]))));
}

// All values, those that the reader looks for.
function valuesTable(groups) {
  const all = groups.flatMap(({runs, values}) => values.map((of) => ({runs, ...of})));
  const kinds = distinct(all.map((of) => of.runs)), wanted = {runs: 0, order: 0, text: ''};
  const body = element('tbody'), count = element('p', {class: 'soft', 'aria-live': 'polite'});
  const fill = () => {
    const found = all.filter((of) => (!wanted.runs || of.runs === kinds[wanted.runs - 1]) && `${of.run} ${of.quantity}`.toLowerCase().includes(wanted.text));
    if (wanted.order) found.sort((a, b) => Math.abs(error(b)) - Math.abs(error(a)));
    count.textContent = `${found.length} of ${all.length}${found.length > most ? `, the first ${most} shown` : ''}`;
    body.replaceChildren(...found.slice(0, most).map((of) => cells('td', [of.run, of.quantity, shown(of.measured), shown(of.predicted), percent(error(of))])));
  };
  fill();
  return [element('div', {class: 'controls'},
      choice('Only', ['all', ...kinds], 0, (i) => { wanted.runs = i; fill(); }),
      choice('Order', ['as they come', 'most wrong first'], 0, (i) => { wanted.order = i; fill(); }),
      element('label', {}, 'Find', element('input', {type: 'search', oninput: (event) => {
        wanted.text = event.target.value.toLowerCase();
        fill();
      }})), count),
  table('values', ['Run', 'Quantity', 'Measured', 'Predicted', 'Error, %'], body)];
}

export function validate({words, errors, groups}, page) {
  const first = head(words);
  first.querySelectorAll('.answers td').forEach((cell) => cell.classList.toggle('bad', missed.test(cell.textContent)));
  first.querySelector('.answers h2')?.after(limitsMet(errors) ?? '');
  page.append(first, element('div', {class: 'figures'}, scatter(groups), bars(errors)),
      fold('Errors of each group', element('p', {class: 'soft'}, 'The error is predicted / measured − 1; bias is the mean error, |error| the mean absolute error. Coverage: the share of values inside their 90 % interval, and what 95 % sure of that share.'), errorsTable(errors)),
      fold('All measured values', ...valuesTable(groups)), ...more(words));
}
