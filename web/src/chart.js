// A figure: a chart that keys can read, what it shows in words, and its data as a table and as CSV.
import * as echarts from 'echarts/core';
import {BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart} from 'echarts/charts';
import {DataZoomComponent, GridComponent, LegendComponent, MarkLineComponent, TooltipComponent,
  VisualMapComponent} from 'echarts/components';
import {CanvasRenderer, SVGRenderer} from 'echarts/renderers';
import {choice, element, save} from './dom.js';
import {colours, forgetTheme, forgetThemes, onTheme} from './theme.js';
import {figure as shown} from './table.js';

echarts.use([BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart, DataZoomComponent,
  GridComponent, LegendComponent, MarkLineComponent, TooltipComponent, VisualMapComponent, CanvasRenderer, SVGRenderer]);

const open = new Set(), waiting = new Set();

const most = 16;  // ms of drawing in one task
const queue = new Set();
let emptied = null;

// Lets the browser do what waits: paint, keys.
const breath = () => new Promise((resolve) => {
  const {port1, port2} = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    resolve();
  };
  port2.postMessage(null);
});

async function work() {
  try {
    let began = -Infinity;
    for (const draw of queue) {
      if (performance.now() - began >= most) {
        await breath();
        began = performance.now();
      }
      if (queue.delete(draw)) draw();
    }
  } finally {
    emptied = null;
  }
}

// Charts are drawn one after the other, a few in a task, so that the page never stands still for long.
function later(draw) {
  queue.add(draw);
  emptied ??= work();
}
// Resolves when all that waits is drawn.
export const drawn = async () => emptied;

// Ends all charts of the page.
export function clear() {
  for (const chart of open) chart.dispose();
  open.clear();
  waiting.clear();
  queue.clear();
  forgetThemes();
}
addEventListener('beforeprint', () => { for (const begin of waiting) begin(); });

// On a phone, names beside a chart get less room.
export const narrow = () => innerWidth < 600;
// The axis of those names, and the room for it in pixels: where there is as much, and on a phone.
export const named = (labels, room = 150, least = 88) => {
  const left = narrow() ? least : room;
  return {grid: {left, right: narrow() ? 16 : 28},
    yAxis: {type: 'category', data: labels, inverse: true, name: '', axisLabel: {width: left - 14, overflow: 'truncate'}}};
};

// What a value of each name may lie between, [low, high] or null, as a line with ends.
export const whiskers = (name, labels, pairs) => ({type: 'custom', name, encode: {x: [1, 2], y: 0}, z: 4,
  data: pairs.map((pair, i) => (pair ? [i, ...pair] : [i, null, null])),
  words: (item) => `${labels[item]}: ${name} ${pairs[item] ? pairs[item].map(shown).join(' to ') : 'not known'}`,
  tooltip: {formatter: ({dataIndex}) => `${labels[dataIndex]}: ${name} ${(pairs[dataIndex] ?? []).map(shown).join(' to ')}`},
  renderItem: (params, api) => {
    if (Number.isNaN(api.value(1)) || api.value(1) === null) return null;
    const from = api.coord([api.value(1), api.value(0)]), to = api.coord([api.value(2), api.value(0)]);
    const style = {stroke: api.visual('color'), lineWidth: 2};
    const line = (x1, y1, x2, y2) => ({type: 'line', shape: {x1, y1, x2, y2}, style});
    return {type: 'group', children: [line(from[0], from[1], to[0], to[1]), line(from[0], from[1] - 6, from[0], from[1] + 6),
      line(to[0], to[1] - 6, to[0], to[1] + 6)]};
  }});

// Of the i-th series: with the eight colours 32 look different.
export const symbol = (i) => ['circle', 'rect', 'triangle', 'diamond'][(i + Math.floor(i / 8)) % 4];

export const hollow = (i) => symbol(i).replace(/^./, (first) => `empty${first.toUpperCase()}`);

// The scale beside a map, with its ends in numbers; on a phone the unit is in the title alone.
export const scale = (theme, values, itemHeight, unit = '') => {
  const min = Math.min(...values), max = Math.max(...values), end = (value) => `${shown(Number(value.toPrecision(3)))} ${narrow() ? '' : unit}`.trim();
  return {min, max: max > min ? max : min + 1, right: 4, top: 'middle', itemHeight, itemWidth: 14, calculable: false, seriesIndex: 0,
    inRange: {color: theme.ramp}, textStyle: {color: theme.soft, fontSize: 11}, text: [end(max), end(min)], textGap: 6};
};

// Lines across a chart at [{value, name}], the figures of the axis ('xAxis' or 'yAxis'); `start`: named at their beginning.
export const limitLines = (theme, axis, limits, start = false) => (!limits.length ? undefined : {silent: true, symbol: 'none', lineStyle: {color: theme.bad, type: 'dashed'},
  label: {color: theme.bad, position: start ? 'insideStartTop' : 'insideEndTop', formatter: ({name}) => name},
  data: limits.map(({value, name}) => ({[axis]: value, name}))});

const list = (value) => (value === undefined ? [] : Array.isArray(value) ? value : [value]);

// Names come from scenarios: what a tooltip says is text, never markup.
const text = (of) => (typeof of?.formatter === 'function' ? {...of, formatter: (...given) =>
  echarts.format.encodeHTML(String(of.formatter(...given))).replaceAll('\n', '<br>')} : of);

const legendRow = 20;  // pixels
// Rows beyond the first that a phone's legend takes to show all its names; 0 of so many that it turns pages instead.
function legendRows(option, width) {
  if (!narrow() || option.legend === null) return 0;
  const names = new Set(option.legend?.data ?? option.series.map((of) => of.name));
  let rows = 0, at = 0;
  for (const name of names) {
    const room = 34 + 6.4 * Math.min(34, String(name ?? '').length);
    if (at + room > width) [rows, at] = [rows + 1, 0];
    at += room;
  }
  return rows <= 5 ? rows : 0;
}

// more: pixels that the legend needs beyond its first row.
function dressed(option, theme, more) {
  const axis = (of) => ({
    nameLocation: 'middle',
    nameGap: of.nameGap ?? 28,
    ...of,
    nameTextStyle: {color: theme.soft, ...of.nameTextStyle},
    axisLabel: {color: theme.soft, hideOverlap: true, ...(of.share ? {formatter: (value) => `${shown(100 * value)} %`} : {}), ...of.axisLabel},
    axisLine: {lineStyle: {color: theme.line}, ...of.axisLine},
    axisTick: {lineStyle: {color: theme.line}, ...of.axisTick},
    splitLine: {lineStyle: {color: theme.grid}, ...of.splitLine},
  });
  return {
    animation: false,
    color: theme.series,
    backgroundColor: 'transparent',
    textStyle: {color: theme.ink, fontFamily: 'system-ui, "DejaVu Sans", sans-serif'},
    ...option,
    grid: list(option.grid ?? {}).map((grid) => ({left: 64, right: 20, bottom: 48, ...grid, top: (grid.top ?? 40) + more})),
    legend: option.legend === null ? undefined :
      {type: more ? 'plain' : 'scroll', top: 0, formatter: (name) => (name.length > 34 ? `${name.slice(0, 33)}…` : name), itemWidth: 18, itemHeight: 14, itemGap: 8, textStyle: {color: theme.ink, fontSize: 11.5}, pageTextStyle: {color: theme.ink}, ...option.legend},
    tooltip: {confine: true, backgroundColor: theme.card, borderColor: theme.line,
      extraCssText: 'max-width: min(480px, 80vw); white-space: normal; overflow-wrap: anywhere',
      textStyle: {color: theme.ink}, ...text(option.tooltip)},
    series: option.series.map((of) => (of.tooltip ? {...of, tooltip: text(of.tooltip)} : of)),
    xAxis: list(option.xAxis).map(axis),
    yAxis: list(option.yAxis).map((of) => axis({nameGap: 46, ...of})),
  };
}

// Draws small charts that nobody sees: the browser compiles what draws on first use, and would do so in the task that
// draws the first chart of the page. further: options of kinds that the page has beside bars and dots.
export function practise(...further) {
  const chart = echarts.init(element('div'), null, {width: 320, height: 200}), labels = ['one', 'two'];
  const of = (...series) => ({...named(labels), xAxis: {type: 'value', name: 'x'}, legend: series.length ? {} : null, series});
  const bar = {type: 'bar', stack: 'all', name: 'bars', data: [1, 2]};
  for (const option of [of(), of({type: 'scatter', name: 'dots', data: [[1, 0], [2, 1]]}),
    of(bar, {...bar, name: 'more'}, whiskers('ends', labels, [[1, 2], null])), ...further])
    later(() => chart.setOption(dressed(option, colours(), 0), true));
  later(() => chart.dispose());
}

// What stands at a place of a series, in words.
function words(option, series, item) {
  const of = option.series[series];
  if (of.words) return of.words(item);
  const datum = of.data[item];
  const value = datum !== null && typeof datum === 'object' && 'value' in datum ? datum.value : datum;
  const x = list(option.xAxis)[of.xAxisIndex ?? 0], y = list(option.yAxis)[of.yAxisIndex ?? 0];
  const named = (axis, at) => `${axis.name ? `${axis.name} ` : ''}${axis.data ? axis.data[at] : axis.share ? `${shown(100 * at)} %` : shown(at)}`;
  const parts = Array.isArray(value) ? [named(x, value[0]), named(y, value[1])]
    : x.data ? [named(x, item), named(y, value)] : [named(y, item), named(x, value)];
  if (Array.isArray(value) && of.type === 'heatmap') parts.push(`${of.name ?? ''} ${shown(value[2])}`);
  return `${of.name && of.type !== 'heatmap' ? `${of.name}: ` : ''}${parts.join(', ')}`;
}

// given: {title, about, option(theme, picked), table(picked), height?, wide?, name?,
//         choices?: [{label, texts, selected?} | {label, range: [from, to], value}],
//         zooms?: the wheel, once the chart has the focus, and W, A, S, D zoom and move,
//         pointed?(x, y): a sentence on a place of the first grid that was clicked, or null}
// `picked` holds, for each choice, the index or value chosen. The element's update(given) shows other data in its place:
// of the same title, with the same choices; drawn soon if it is near the window, else when it comes there. Its end()
// frees what it holds.
export function figure(given) {
  const picked = (given.choices ?? []).map((of) => (of.range ? of.value : of.selected ?? 0));
  const plot = element('div', {class: 'plot', tabindex: 0, role: 'application', 'aria-label':
    `${given.title}. Arrow keys read the values.`, style: `height:${given.height ?? 320}px`});
  const reading = element('p', {class: 'reading', 'aria-live': 'polite'});
  const name = (given.name ?? given.title).toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
  const rows = element('div', {class: 'scroll', tabindex: 0, role: 'group', 'aria-label': `${given.title}: data`});
  const details = element('details', {ontoggle: () => fill()}, element('summary', {}, 'Data'), rows);
  let chart = null, option = null, at = null, seeable = false;
  let more = 0;  // pixels
  let late = false;  // the data have changed since it was drawn

  const fill = () => {
    if (!details.open) return;
    const table = given.table(picked);
    const most = 400, count = Math.min(table.rows, most);
    const body = [];
    for (let row = 0; row < count; ++row)
      body.push(element('tr', {}, ...table.names.map((column) => {
        const value = table.at(column, row);
        return element('td', {class: typeof value === 'number' ? 'number' : null}, shown(value));
      })));
    rows.replaceChildren(element('table', {},
        element('thead', {}, element('tr', {}, ...table.names.map((column) => element(column ? 'th' : 'td', {}, column)))),
        element('tbody', {}, ...body)),
    ...(table.rows > most ? [element('p', {class: 'soft'}, `The first ${most} of ${table.rows}; the CSV has all.`)] : []));
  };
  const size = () => {
    const height = `${(given.height ?? 320) + more}px`;
    if (plot.style.height === height) return;
    plot.style.height = height;
    chart?.resize();
  };
  const draw = () => {
    if (!chart) return;
    late = false;
    const theme = colours();
    option = given.option(theme, picked);
    more = legendRow * legendRows(option, plot.clientWidth);
    size();
    chart.setOption(dressed(option, theme, more), true);
    fill();
  };
  // Resolves when the picture is whole: charts of many parts are drawn in pieces.
  const whole = () => new Promise((resolve) => {
    const done = () => {
      chart.off('finished', done);
      resolve();
    };
    chart.on('finished', done);
    chart.getZr().refresh();
  });
  // The picture as a file; of SVG, drawn anew as one.
  const png = async () => {
    begin();
    await whole();
    const url = chart.getDataURL({pixelRatio: 2, backgroundColor: colours().card});
    save(`${name}.png`, Uint8Array.from(atob(url.slice(url.indexOf(',') + 1)), (byte) => byte.charCodeAt(0)), 'image/png');
  };
  const svg = () => {
    begin();
    const drawn = echarts.init(null, null, {renderer: 'svg', ssr: true, width: chart.getWidth(), height: chart.getHeight()});
    drawn.setOption({...dressed(option, colours(), more), backgroundColor: colours().card});
    save(`${name}.svg`, drawn.renderToSVGString(), 'image/svg+xml');
    drawn.dispose();
  };
  const controls = (given.choices ?? []).map((of, i) => of.range
    ? element('label', {}, of.label, element('input', {type: 'range', min: of.range[0], max: of.range[1], value: of.value,
      oninput: (event) => { picked[i] = Number(event.target.value); draw(); }}))
    : choice(of.label, of.texts, of.selected ?? 0, (index) => { picked[i] = index; at = null; draw(); }));

  const length = (series) => option.series[series].data?.length ?? 0;
  const readable = (series) => length(series) > 0 && !option.series[series].silent;
  const tell = () => {
    reading.textContent = words(option, at[0], at[1]);
    chart.dispatchAction({type: 'downplay'});
    chart.dispatchAction({type: 'highlight', seriesIndex: at[0], dataIndex: at[1]});
    chart.dispatchAction({type: 'showTip', seriesIndex: at[0], dataIndex: at[1]});
  };
  const step = (series, item) => {
    const count = option.series.length;
    if (!at) {
      const first = option.series.findIndex((_, i) => readable(i));
      if (first < 0) return;
      at = [first, 0];
    } else if (series) {
      let next = at[0];
      do next = (next + series + count) % count; while (!readable(next));
      at = [next, Math.min(at[1], length(next) - 1)];
    } else {
      at = [at[0], item === -Infinity ? 0 : item === Infinity ? length(at[0]) - 1
        : (at[1] + item + length(at[0])) % length(at[0])];
    }
    tell();
  };
  const keys = {ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0], Home: [0, -Infinity],
    End: [0, Infinity]};
  // Shows a part of the axis that is `factor` as wide and moved by a share of its width.
  const zoom = (factor, moved) => {
    const [{start, end}] = chart.getOption().dataZoom, half = Math.min(50, factor * (end - start) / 2);
    const middle = Math.min(100 - half, Math.max(half, (start + end) / 2 + moved * (end - start)));
    chart.dispatchAction({type: 'dataZoom', start: middle - half, end: middle + half});
  };
  const zooming = {w: [0.7, 0], s: [1 / 0.7, 0], a: [1, -0.3], d: [1, 0.3]};
  const wheel = (by) => { if (chart && given.zooms) chart.setOption({dataZoom: [{}, {zoomOnMouseWheel: by}]}); };
  plot.addEventListener('focus', () => wheel(true));
  plot.addEventListener('blur', () => wheel('ctrl'));
  const clicked = ({offsetX, offsetY}) => {
    plot.focus();
    const place = [offsetX, offsetY];
    if (!given.pointed || !chart.containPixel({gridIndex: 0}, place)) return;
    const said = given.pointed(...chart.convertFromPixel({gridIndex: 0}, place));
    if (said) reading.textContent = said;
  };
  plot.addEventListener('keydown', (event) => {
    if (!chart || event.altKey || event.ctrlKey || event.metaKey) return;
    if (given.zooms && zooming[event.key.toLowerCase()]) {
      event.preventDefault();
      zoom(...zooming[event.key.toLowerCase()]);
    } else if (event.key === 'Escape') {
      at = null;
      reading.textContent = '';
      chart.dispatchAction({type: 'downplay'});
      chart.dispatchAction({type: 'hideTip'});
    } else if (keys[event.key]) {
      event.preventDefault();
      step(...keys[event.key]);
    }
  });

  const about = element('span', {class: 'about'}, given.about ?? '');
  const made = element('figure', {class: given.wide ? 'wide' : null, 'data-name': name},
      element('figcaption', {}, element('h3', {}, given.title), element('span', {class: 'files'},
          ...[['CSV', 'the data', () => save(`${name}.csv`, given.table(picked).csv())], ['PNG', 'the picture', png], ['SVG', 'the picture', svg]]
              .map(([kind, what, onclick]) => element('button', {type: 'button', 'aria-label': `${given.title}: save ${what} as ${kind}`, onclick}, kind))),
      about),
      controls.length ? element('div', {class: 'controls'}, ...controls) : null, plot, reading, details);

  const fit = () => {
    if (chart.getWidth() !== plot.clientWidth || chart.getHeight() !== plot.clientHeight) chart.resize();
  };
  const sizes = new ResizeObserver(() => {
    if (plot.clientWidth) later(fit);  // it has no width while its view is not shown
  });
  // Charts are made when they come near the window: a page of many opens at once.
  const begin = () => {
    if (chart) {
      if (late) draw();
      return;
    }
    waiting.delete(begin);
    chart = echarts.init(plot);
    open.add(chart);
    sizes.observe(plot);
    chart.getZr().on('click', clicked);
    draw();
  };
  const near = new IntersectionObserver((seen) => {
    seeable = seen.at(-1).isIntersecting;
    if (seeable) later(begin);
  }, {rootMargin: '120px'});
  near.observe(plot);
  waiting.add(begin);
  const redraw = () => {
    late = true;
    if (seeable) later(begin);
  };
  onTheme(redraw);
  made.end = () => {
    near.disconnect();
    waiting.delete(begin);
    queue.delete(begin);
    queue.delete(fit);
    sizes.disconnect();
    forgetTheme(redraw);
    chart?.dispose();
    open.delete(chart);
  };
  made.update = (other) => {
    given = other;
    about.textContent = given.about ?? '';
    size();
    at = null;
    fill();
    redraw();
  };
  return made;
}
