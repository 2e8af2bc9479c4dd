// A profile from a probe: what was measured, how sure, what differs from the base, what to record next.
import {figure, named, narrow, whiskers} from './chart.js';
import {element} from './dom.js';
import {figure as shown, Table} from './table.js';
import {fold, head} from './words.js';

const percent = (share) => shown(Number((100 * share).toPrecision(2)));
// A path's last two steps: they tell parameters apart where there is little room.
const short = (path) => path.split('.').slice(-2).join('.');
const tall = (rows) => 100 + 26 * rows;

function sureness(figures) {
  const all = figures.filter((of) => of.relative_sd > 0).sort((a, b) => b.relative_sd - a.relative_sd);
  if (!all.length) return null;
  return figure({
    title: 'How sure', wide: true, height: tall(all.length),
    about: 'The standard error of each parameter, in percent of it. Those that are counted or switched on or off have none.',
    table: () => Table.of(['parameter', 'standard_error_pct'], all.map((of) => [of.path, 100 * of.relative_sd])),
    option: () => ({
      legend: null, tooltip: {trigger: 'item', formatter: ({dataIndex}) => `${all[dataIndex].path}: ${all[dataIndex].value} ± ${percent(all[dataIndex].relative_sd)} %`},
      ...named(all.map((of) => short(of.path)), 250, 150),
      xAxis: {type: 'log', name: 'Standard error, %', min: 0.001},
      series: [{type: 'scatter', name: 'Standard error', symbolSize: 9, data: all.map((of, i) => [Number((100 * of.relative_sd).toPrecision(3)), i]),
        words: (item) => `${all[item].path}: ${all[item].value}, standard error ${percent(all[item].relative_sd)} %`}],
    }),
  });
}

// Probed over base, with 90 % of what the probe leaves open.
function ratios(figures, base) {
  const all = figures.filter((of) => of.ratio > 0).sort((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio)));
  if (!all.length) return null;
  const ends = ({ratio, relative_sd: sd}) => [ratio * Math.exp(-1.645 * sd), ratio * Math.exp(1.645 * sd)];
  const labels = all.map((of) => short(of.path));
  const words = (of) => `${of.path}: ${of.value} (${of.grade}) instead of ${of.base} (${of.base_grade}), ${shown(Number(of.ratio.toPrecision(3)))} times`;
  return figure({
    title: 'What differs from the base', wide: true, height: tall(all.length),
    about: `Each parameter over that of ${base}, those that differ most first; the line holds 90 % of what the probe leaves open.`,
    table: () => Table.of(['parameter', 'ratio', 'from', 'to'], all.map((of) => [of.path, of.ratio, ...ends(of)])),
    option: (theme) => ({
      tooltip: {trigger: 'item', formatter: ({dataIndex}) => words(all[dataIndex])},
      ...named(labels, 250, 150),
      xAxis: {type: 'log', name: 'Probed / base', axisLabel: {formatter: (value) => shown(Number(value.toPrecision(2)))}},
      series: [{type: 'scatter', name: 'Probed / base', symbolSize: 9, data: all.map((of, i) => [of.ratio, i]), words: (item) => words(all[item]),
        markLine: {silent: true, symbol: 'none', label: {show: false}, lineStyle: {color: theme.soft, type: 'dashed'}, data: [{xAxis: 1}]}},
      whiskers('90 %', labels, all.map(ends))],
    }),
  });
}

function watts(loads) {
  const all = loads.filter((of) => !of.left_out), out = loads.filter((of) => of.left_out);
  if (!all.length) return null;
  return figure({
    title: 'Watts of single loads', height: 130 + 46 * all.length,
    about: `Measured, by the base, and as fitted.${out.length ? ` Not fitted: ${out.map((of) => `${of.load} (${shown(of.measured_w)} W; ${of.left_out})`).join('; ')}.` : ''}`,
    table: () => Table.of(['load', 'measured_w', 'base_w', 'fitted_w', 'left_out'],
        loads.map((of) => [of.load, of.measured_w, of.base_w, of.fitted_w, of.left_out])),
    option: () => ({
      tooltip: {trigger: 'axis', axisPointer: {type: 'shadow'}, valueFormatter: (value) => `${shown(value)} W`},
      ...named(all.map((of) => of.load), 150, 110),
      xAxis: {type: 'value', name: 'Board, W', min: 0},
      series: [['Measured', 'measured_w'], ['Base', 'base_w'], ['Fitted', 'fitted_w']].map(([name, key]) =>
        ({type: 'bar', name, barMaxWidth: 12, data: all.map((of) => of[key])})),
    }),
  });
}

function kernelTimes(kernels) {
  if (!kernels.length) return null;
  const kinds = [...new Set(kernels.map((of) => of.kind))];
  const words = (of) => `${of.kind} ${of.size}: measured ${shown(of.measured_us)} us, base ${shown(of.base_us)}, fitted ${shown(of.fitted_us)}`;
  const all = kernels.flatMap((of) => [of.measured_us, of.fitted_us]), ends = [Math.min(...all) / 1.3, Math.max(...all) * 1.3];
  const axis = (name) => ({type: 'log', name, min: ends[0], max: ends[1], axisLabel: {formatter: (value) => shown(Number(value.toPrecision(2)))}});
  return figure({
    title: 'Times of single kernels', height: narrow() ? 360 : 420,
    about: 'The cost model as fitted against the measured time; on the line they agree.',
    table: () => Table.of(['kind', 'size', 'measured_us', 'base_us', 'fitted_us'],
        kernels.map((of) => [of.kind, of.size, of.measured_us, of.base_us, of.fitted_us])),
    option: (theme) => ({
      legend: {data: kinds}, tooltip: {trigger: 'item', formatter: ({data}) => data.words},
      xAxis: axis('Measured, us'), yAxis: axis('Cost model, us'),
      series: [...kinds.map((kind) => {
        const of = kernels.filter((one) => one.kind === kind);
        return {type: 'scatter', name: kind, symbolSize: 9, words: (item) => words(of[item]),
          data: of.map((one) => ({value: [one.measured_us, one.fitted_us], words: words(one)}))};
      }), {type: 'line', name: 'exact', silent: true, showSymbol: false, data: ends.map((at) => [at, at]), lineStyle: {color: theme.soft, width: 1}, tooltip: {show: false}}],
    }),
  });
}

const row = (name, of) => element('tr', {}, ...of.map((text) => element(name, {}, text)));

function parameters(figures) {
  return element('div', {class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Parameters'}, element('table', {'data-name': 'parameters'},
      element('thead', {}, row('th', ['Parameter', 'Probed', '± %', 'Grade', 'Base', 'Its grade', 'Source'])),
      element('tbody', {}, ...figures.map((of) => row('td', [of.path, of.value, percent(of.relative_sd), of.grade, of.base || '–', of.base_grade, of.source])))));
}

const list = (heading, lines) => (lines.length ? [fold(heading, element('ul', {}, ...lines.map((line) => element('li', {}, line))))] : []);

export function calibrate(data, page) {
  const {base, figures, words} = data;
  page.append(head(words), element('p', {class: 'soft'}, `All that is not below is as in the base${
    data.identity.length ? `, except for what the system tells: ${data.identity.join(', ')}` : ''}.`));
  const drawn = [ratios(figures, base.device), sureness(figures), watts(data.loads), kernelTimes(data.kernels)].filter((of) => of);
  page.append(element('div', {class: 'figures'}, ...drawn), fold('Parameters', parameters(figures)),
      ...list('What to record next', data.next), ...list('Not taken', data.left_out), ...list('Set aside by the probe', data.set_aside));
}
