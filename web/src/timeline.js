// A stretch of a run: who has each core, the GPU and its streams, copies and DLAs; and the counters under it.
// Events are those of Chrome's JSON (docs/result.md, Timeline).
import {narrow} from './chart.js';
import {Table} from './table.js';

const groups = [
  ['Clocks, MHz', (unit) => unit === 'MHz'],
  ['Power, W', (unit) => unit === 'W'],
  ['GPU active, %', (unit) => unit === '%'],
  ['Waiting', (unit) => unit === 'processes' || unit === 'threads'],
];

// What figure() draws; null of an empty trace.
export function timeline(trace) {
  const tracks = [], names = new Map(), slices = [], counters = new Map();
  for (const event of trace.traceEvents) {
    if (event.ph === 'M' && event.name === 'thread_name') {
      names.set(event.tid, tracks.length);
      tracks.push(event.args.name);
    } else if (event.ph === 'X') {
      slices.push([names.get(event.tid), event.ts / 1000, (event.ts + event.dur) / 1000, event.name]);
    } else if (event.ph === 'C') {
      const [[unit, value]] = Object.entries(event.args);
      if (!counters.has(event.name)) counters.set(event.name, {unit, points: []});
      counters.get(event.name).points.push([event.ts / 1000, value]);
    }
  }
  if (!tracks.length) return null;
  const [begin, end] = trace.window_us.map((us) => us / 1000);
  for (const {points} of counters.values()) points.push([end, points.at(-1)[1]]);
  const used = tracks.map((_, i) => i).filter((i) => slices.some((slice) => slice[0] === i));
  const place = new Map(used.map((track, i) => [track, i]));
  const label = used.map((track) => tracks[track]);
  const panels = groups.map(([name, holds]) => [name, [...counters].filter(([, {unit}]) => holds(unit))])
      .filter(([, found]) => found.length);
  const rows = Math.max(90, used.length * 24), each = 92;
  // One colour a process, wherever it appears: its own tracks are named after it.
  const owner = (slice) => (slice[3] === 'batch' ? tracks[slice[0]].replace(/^GPU: stream of |^process \d+ /, '') : slice[3]);
  const owners = [...new Set(slices.map(owner))];
  const words = (slice) => `${tracks[slice[0]]}: ${slice[3]} from ${slice[1].toFixed(3)} to ${slice[2].toFixed(3)} ms (${
    (slice[2] - slice[1]).toFixed(3)} ms)`;
  return {
    title: 'Timeline', wide: true, height: rows + 90 + panels.length * each,
    about: `${(end - begin).toFixed(1)} ms of the run, after its warm-up. The whole of it: jostle run --trace FILE, for ui.perfetto.dev.`,
    table: () => Table.of(['track', 'begin_ms', 'end_ms', 'name'], slices.map((slice) => [tracks[slice[0]], ...slice.slice(1)])),
    option: (theme) => {
      // The same room for tracks as for counters; on a phone names are short.
      const left = narrow() ? 92 : 176;
      const outerBoundsMode = 'none';  // names above the panels do not make them narrower
      const grid = [{left, right: 20, top: 36, height: rows, bottom: undefined, outerBoundsMode},
        ...panels.map((_, i) => ({left, right: 20, top: 36 + rows + 22 + i * each, height: each - 32, bottom: undefined, outerBoundsMode}))];
      const all = grid.map((_, i) => i);
      return {
        legend: null,
        tooltip: {trigger: 'item'},
        grid,
        xAxis: all.map((i) => ({gridIndex: i, type: 'value', min: begin, max: end,
          axisLabel: {show: i === all.length - 1, alignMaxLabel: 'right', formatter: (value) => `${Number(value.toFixed(3))} ms`},
          axisTick: {show: i === all.length - 1}})),
        yAxis: [{gridIndex: 0, type: 'category', data: label, inverse: true, axisLabel: {interval: 0, hideOverlap: false,
          width: left - 12, overflow: 'truncate'}},
        ...panels.map(([name, found], i) => ({gridIndex: i + 1, type: 'value', nameLocation: 'end', nameGap: narrow() ? 13 : 6, nameRotate: 0,
          name: `${name}:  ${found.map(([of], n) => `{c${n}|${of.replace(/^GPU: |^clock of (the )?/, '')}}`).join('   ')}`,
          nameTextStyle: {align: 'left', color: theme.soft, padding: [0, 0, 0, narrow() ? 8 - left : 0],
            rich: Object.fromEntries(found.map((_, n) => [`c${n}`, {color: theme.series[n % theme.series.length]}]))},
          splitNumber: 2, min: 0}))],
        dataZoom: [
          {type: 'slider', xAxisIndex: all, filterMode: 'none', bottom: 4, height: 18, startValue: begin, endValue: begin + Math.min(end - begin, 40),
            labelFormatter: (value) => `${value.toFixed(1)} ms`, textStyle: {color: theme.soft}},
          {type: 'inside', xAxisIndex: all, zoomOnMouseWheel: 'ctrl', filterMode: 'none'}],
        series: [{type: 'custom', name: 'Timeline', xAxisIndex: 0, yAxisIndex: 0, encode: {x: [1, 2], y: 0},
          data: slices.map((slice) => [place.get(slice[0]), slice[1], slice[2], owners.indexOf(owner(slice))]),
          words: (item) => words(slices[item]),
          tooltip: {formatter: ({dataIndex}) => words(slices[dataIndex])},
          renderItem: (params, api) => {
            const area = params.coordSys, from = api.coord([api.value(1), api.value(0)]), to = api.coord([api.value(2), api.value(0)]);
            const x = Math.max(from[0], area.x), width = Math.min(to[0], area.x + area.width) - x;
            if (width < 0 || from[0] > area.x + area.width) return null;
            // Of those narrower than a pixel, one a pixel: the rest would be drawn over it.
            const columns = params.context.columns ??= [], column = Math.floor(x);
            if (width < 1 && columns[api.value(0)] === column) return null;
            columns[api.value(0)] = Math.floor(x + width);
            const name = owners[api.value(3)];
            return {type: 'rect', shape: {x, y: from[1] - 8, width: Math.max(width, 0.6), height: 16},
              style: {fill: name === 'switch' ? theme.soft : theme.series[api.value(3) % theme.series.length], stroke: theme.card, lineWidth: 0.6}};
          }},
        ...panels.flatMap(([, found], i) => found.map(([name, {points, unit}], n) => ({type: 'line', step: 'end', name, xAxisIndex: i + 1,
          yAxisIndex: i + 1, showSymbol: false, data: points, lineStyle: {width: 1.5, color: theme.series[n % theme.series.length]},
          tooltip: {formatter: ({value}) => `${name}: ${value[1]} ${unit}`},
          words: (item) => `${name}: ${points[item][1]} ${unit} at ${points[item][0].toFixed(3)} ms`,
          endLabel: {show: false}})))],
      };
    },
  };
}
