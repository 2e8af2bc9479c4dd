// A stretch of a run: who has each core, the GPU and its streams, copies and DLAs; the counters under it, and who changed
// the clocks. Events are those of Chrome's JSON (docs/result.md, Timeline).
import {narrow} from './chart.js';
import {Table} from './table.js';

const groups = [
  ['Clocks, MHz', (unit) => unit === 'MHz'],
  ['Power, W', (unit) => unit === 'W'],
  ['GPU active, %', (unit) => unit === '%'],
  ['Waiting', (unit) => unit === 'processes' || unit === 'threads'],
];
const marked = 'who changed clocks';
const parts = /^kernels of .*, alone$/;  // a batch, kernel by kernel

const ms = (value) => `${Number(value.toPrecision(3))} ms`;

// {tracks, slices: [[track, begin_ms, end_ms, name]], counters, marks: [[ms, words]]}
function read(events) {
  const tracks = [], names = new Map(), slices = [], counters = new Map(), marks = [];
  for (const event of events) {
    if (event.ph === 'M' && event.name === 'thread_name') {
      names.set(event.tid, tracks.length);
      tracks.push(event.args.name);
    } else if (event.ph === 'X') {
      const track = names.get(event.tid);
      if (tracks[track] === marked) marks.push([event.ts / 1000, event.name]);
      else slices.push([track, event.ts / 1000, (event.ts + event.dur) / 1000, event.name]);
    } else if (event.ph === 'C') {
      const [[unit, value]] = Object.entries(event.args);
      if (!counters.has(event.name)) counters.set(event.name, {unit, points: []});
      counters.get(event.name).points.push([event.ts / 1000, value]);
    }
  }
  return {tracks, slices, counters, marks};
}

// What a moment of a track means, in a sentence: told(track, ms); null where nothing can be said.
function teller({tracks, slices}, owner) {
  const gpu = tracks.indexOf('GPU: process');
  const turns = slices.filter(([track]) => track === gpu).sort((a, b) => a[1] - b[1]);
  const holds = (at) => ([, begin, end]) => begin <= at && at < end;
  const streams = new Map(tracks.map((name, i) => [name.replace(/^GPU: stream of /, ''), i]));
  // Why a turn ends: what it worked on is done, or its slice is over.
  const ends = ([, , end, name]) => (slices.some(([track, , done]) => track === streams.get(name) && Math.abs(done - end) < 0.002)
    ? 'as its batch is done' : 'at its slice');
  const waits = (name, batch, at) => {
    const own = turns.filter((turn) => turn[3] === name);
    const from = Math.max(batch[1], ...own.filter(([, , end]) => end <= at).map(([, , end]) => end));
    const to = Math.min(batch[2], ...own.filter(([, begin]) => begin > at).map(([, begin]) => begin));
    const turn = turns.find(holds(at)), told = `${name} waits ${ms(to - from)}: `;
    if (!turn) return `${told}nothing runs on the GPU; its thread on the host has not launched the next kernels`;
    if (turn[3] === 'switch') return `${told}the GPU switches to ${turns.find(([, begin, , who]) => begin >= turn[2] && who !== 'switch')?.[3] ?? 'another process'}`;
    return `${told}it is the turn of ${turn[3]}, which ends ${ends(turn)}`;
  };
  return (track, at) => {
    const slice = slices.find((of) => of[0] === track && holds(at)(of));
    if (!slice) return `${tracks[track]}: nothing at ${at.toFixed(2)} ms`;
    const name = owner(slice), long = ms(slice[2] - slice[1]);
    if (parts.test(tracks[track])) return `${slice[3]}: ${long} of a batch of ${name} alone at these clocks`;
    if (track === gpu) return name === 'switch' ? `the GPU switches between processes for ${long}` : `${name} has the GPU for ${long}; its turn ends ${ends(slice)}`;
    if (slice[3] !== 'batch' || gpu < 0 || !turns.some((turn) => turn[3] === name)) return `${tracks[track]}: ${slice[3] === 'batch' ? 'a batch' : slice[3]} for ${long}`;
    const turn = turns.find(holds(at));
    return turn?.[3] === name ? `${name} runs on the GPU; its turn takes ${ms(turn[2] - turn[1])} and ends ${ends(turn)}` : waits(name, slice, at);
  };
}

// What figure() draws; null of an empty trace.
export function timeline(trace) {
  const parsed = read(trace.traceEvents), {tracks, slices, counters, marks} = parsed;
  if (!tracks.length) return null;
  const [begin, end] = trace.window_us.map((us) => us / 1000);
  for (const {points} of counters.values()) points.push([end, points.at(-1)[1]]);
  const used = tracks.map((_, i) => i).filter((i) => slices.some((slice) => slice[0] === i));
  const place = new Map(used.map((track, i) => [track, i]));
  const label = used.map((track) => tracks[track]);
  const panels = groups.map(([name, holds]) => [name, [...counters].filter(([, {unit}]) => holds(unit))])
      .filter(([, found]) => found.length);
  const row = narrow() ? 36 : 24, rows = Math.max(90, used.length * row), each = 92;
  // One colour a process, that of other charts, wherever it appears: its own tracks are named after it.
  const owner = ([track, , , name]) => (name === 'batch' || parts.test(tracks[track]) ? tracks[track].replace(/^GPU: stream of |^process \d+ |^kernels of |, alone$/g, '') : name);
  const processes = tracks.filter((name) => /^process \d+ /.test(name)).map((name) => name.replace(/^process \d+ /, ''));
  const owners = [...new Set([...processes, ...slices.map(owner)])];
  const tell = teller(parsed, owner);
  const words = (slice) => `${tracks[slice[0]]}: ${slice[3]} from ${slice[1].toFixed(3)} to ${slice[2].toFixed(3)} ms (${
    (slice[2] - slice[1]).toFixed(3)} ms)`;
  return {
    title: 'Timeline', wide: true, height: rows + 90 + panels.length * each,
    about: `${(end - begin).toFixed(1)} ms of the run, after its warm-up. Click a bar for what it means and why it waits; then the wheel or W and S zoom, A and D move. ${
      marks.length ? 'Triangles mark who changed a clock. ' : ''}The whole of it: jostle run --trace FILE, for ui.perfetto.dev.`,
    table: () => Table.of(['track', 'begin_ms', 'end_ms', 'name'], [...slices.map((slice) => [tracks[slice[0]], ...slice.slice(1)]),
      ...marks.map(([at, name]) => [marked, at, at, name])]),
    zooms: true,
    pointed: (x, y) => (used[Math.round(y)] === undefined ? null : tell(used[Math.round(y)], x)),
    option: (theme) => {
      // On a phone names stand over their bars.
      const phone = narrow(), left = phone ? 8 : 190;
      const outerBoundsMode = 'none';  // names above the panels do not make them narrower
      const grid = [{left, right: phone ? 8 : 20, top: 36, height: rows, bottom: undefined, outerBoundsMode},
        ...panels.map((_, i) => ({left: phone ? 44 : left, right: phone ? 8 : 20, top: 36 + rows + 22 + i * each, height: each - 32, bottom: undefined, outerBoundsMode}))];
      const all = grid.map((_, i) => i);
      const colour = (name) => (name === 'switch' ? theme.soft : theme.series[owners.filter((of) => of !== 'switch').indexOf(name) % theme.series.length]);
      const clocks = panels.findIndex(([name]) => name.startsWith('Clocks'));
      const height = (at, name) => counters.get(name.slice(0, name.indexOf(':')))?.points.filter(([time]) => time <= at).at(-1)?.[1] ?? 0;
      return {
        legend: {data: owners, selectedMode: false, icon: 'roundRect'},
        tooltip: {trigger: 'item'},
        grid,
        xAxis: all.map((i) => ({gridIndex: i, type: 'value', min: begin, max: end,
          axisLabel: {show: i === all.length - 1, alignMaxLabel: 'right', formatter: (value) => `${Number(value.toFixed(3))} ms`},
          axisTick: {show: i === all.length - 1}})),
        yAxis: [{gridIndex: 0, type: 'category', data: label, inverse: true, z: 10, axisTick: {show: !phone}, axisLabel: {interval: 0, hideOverlap: false,
          ...(phone ? {inside: true, align: 'left', color: theme.ink, fontSize: 11, margin: 2, verticalAlign: 'bottom', padding: [0, 0, 1, 0]} : {width: left - 12, overflow: 'truncate'})}},
        ...panels.map(([name, found], i) => ({gridIndex: i + 1, type: 'value', nameLocation: 'end', nameGap: phone ? 13 : 6, nameRotate: 0,
          name: `${name}:  ${found.map(([of], n) => `{c${n}|${of.replace(/^GPU: |^clock of (the )?/, '')}}`).join('   ')}`,
          nameTextStyle: {align: 'left', color: theme.soft, padding: [0, 0, 0, phone ? -36 : 0],
            rich: Object.fromEntries(found.map((_, n) => [`c${n}`, {color: theme.parts[n % theme.parts.length]}]))},
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
            return {type: 'rect', shape: {x, y: from[1] - (phone ? 0 : 8), width: Math.max(width, 0.6), height: 16},
              style: {fill: colour(owners[api.value(3)]), stroke: theme.card, lineWidth: width > 3 ? 0.6 : 0}};
          }},
        ...panels.flatMap(([, found], i) => found.map(([name, {points, unit}], n) => ({type: 'line', step: 'end', name, xAxisIndex: i + 1,
          yAxisIndex: i + 1, showSymbol: false, data: points, lineStyle: {width: 1.5}, color: theme.parts[n % theme.parts.length],
          tooltip: {formatter: ({value}) => `${name}: ${value[1]} ${unit}`},
          words: (item) => `${name}: ${points[item][1]} ${unit} at ${points[item][0].toFixed(3)} ms`,
          endLabel: {show: false}}))),
        ...(clocks < 0 || !marks.length ? [] : [{type: 'scatter', name: marked, xAxisIndex: clocks + 1, yAxisIndex: clocks + 1, symbol: 'triangle', symbolSize: 8, z: 6,
          color: theme.bad, data: marks.map(([at, name]) => [at, height(at, name)]), words: (item) => `${marks[item][0].toFixed(1)} ms: ${marks[item][1]}`,
          tooltip: {formatter: ({dataIndex}) => `${marks[dataIndex][0].toFixed(1)} ms: ${marks[dataIndex][1]}`}}]),
        // For the legend alone.
        ...owners.map((name) => ({type: 'scatter', name, xAxisIndex: 0, yAxisIndex: 0, data: [], silent: true, color: colour(name)}))],
      };
    },
  };
}
