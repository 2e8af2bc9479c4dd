// Edge, cloud or split over links: who is best where, latency and energy over the round-trip time.
import {figure, narrow, symbol} from './chart.js';
import {element} from './dom.js';
import {inkOver} from './heatmap.js';
import {distinct, figure as shown, Table} from './table.js';
import {head, more} from './words.js';

const sides = ['edge', 'cloud', 'split', 'layers'];
const called = {edge: 'edge', cloud: 'cloud', split: 'split by stream', layers: 'split in the network'};

export function offload(data, page) {
  const points = data.lines.filter((line) => line.kind === 'point'), first = points[0];
  const of = (line) => (line.stream === undefined ? '' : `${line.stream} ${line.name ?? line.model}`);
  const streams = distinct(points.map((line) => line.stream));
  const bandwidths = distinct(points.map((line) => line.bandwidth_mbit_s)), rtts = distinct(points.map((line) => line.rtt_ms));
  const find = (bandwidth, rtt, stream) => points.find((line) =>
    line.bandwidth_mbit_s === bandwidth && line.rtt_ms === rtt && line.stream === stream);
  const present = sides.filter((side) => points.some((line) => line[side]));
  const streamNames = streams.map((stream) => of(points.find((line) => line.stream === stream)));
  page.append(head(data.words));
  // The grade of the watts and energies of the edge board.
  const grade = first.edge_power_grade ? ` Grade of the edge’s power: ${first.edge_power_grade}.` : '';

  const values = (side, line, get) => (line?.[side]?.served ? get(line[side]) : null);
  const p99 = (side) => side.latency_ms.p99, energy = (side) => side.edge_energy_per_image_mj;
  const rows = (get) => Table.of(['bandwidth_mbit_s', 'rtt_ms', 'stream', ...present],
      points.map((line) => [line.bandwidth_mbit_s, line.rtt_ms, line.stream, ...present.map((side) => values(side, line, get))]));
  // A link has one answer for all streams, that of the command: by the worst of them.
  const worst = (side, bandwidth, rtt, get) => {
    const all = streams.map((stream) => values(side, find(bandwidth, rtt, stream), get));
    return all.some((value) => value === null) ? null : Math.max(...all);
  };
  const numbered = rtts.length <= 12;  // cells have room for a figure
  const map = (name, about, unit, get, key) => {
    const cells = rtts.flatMap((rtt, i) => bandwidths.map((bandwidth, j) => {
      const line = find(bandwidth, rtt, streams[0]), side = line?.[key] ?? null;
      const served = side !== null && worst(side, bandwidth, rtt, get) !== null ? side : null;
      return {value: [i, j, served ? present.indexOf(served) : present.length], bandwidth, rtt, side: served};
    }));
    const words = ({bandwidth, rtt, side}) => `${shown(bandwidth)} Mbit/s, RTT ${shown(rtt)} ms: ${side ? called[side] : 'none'} (${
      present.map((of) => [of, worst(of, bandwidth, rtt, get)]).filter(([, value]) => value !== null).map(([of, value]) =>
        `${called[of]} ${shown(Number(value.toPrecision(3)))}`).join(', ') || 'no option serves all streams'})`;
    return figure({
      title: name, about: `${about}${numbered ? ` In each cell: ${unit}.` : ''}`, height: 360,
      table: () => Table.of(['bandwidth_mbit_s', 'rtt_ms', 'best', ...present],
          cells.map(({bandwidth, rtt, side}) => [bandwidth, rtt, side ?? 'none', ...present.map((of) => worst(of, bandwidth, rtt, get))])),
      option: (theme) => {
        const pieces = [...present.map((side) => called[side]), 'none'].map((label, i) => ({value: i, label,
          color: i < present.length ? theme.series[i] : theme.line}));
        return {
          legend: {data: pieces.map(({label}) => label), selectedMode: false, icon: 'rect'}, tooltip: {formatter: ({data: cell}) => (cell ? words(cell) : '')},
          ...(narrow() ? {grid: {left: 46, right: 6}} : {}),
          visualMap: {type: 'piecewise', show: false, pieces, seriesIndex: 0},
          xAxis: {type: 'category', name: 'Round-trip time, ms', data: rtts.map(shown)},
          yAxis: {type: 'category', name: 'Bandwidth, Mbit/s', data: bandwidths.map(shown)},
          series: [{type: 'heatmap', name, data: cells.map((cell) => ({...cell, label: {color: cell.side ? inkOver(theme.series[present.indexOf(cell.side)]) : theme.ink}})),
            itemStyle: {borderColor: theme.card, borderWidth: 1}, label: {show: numbered, fontSize: narrow() ? 9 : 11,
              formatter: ({data: {side, bandwidth, rtt}}) => (side ? shown(Number(worst(side, bandwidth, rtt, get).toPrecision(3))) : '–')},
            words: (item) => words(cells[item]), emphasis: {itemStyle: {borderColor: theme.ink, borderWidth: 2}}},
          // For the legend alone.
          ...pieces.map(({label, color}) => ({type: 'scatter', name: label, data: [], silent: true, color}))],
        };
      },
    });
  };
  const over = (name, about, unit, get) => figure({
    title: name, about,
    choices: [{label: 'Bandwidth, Mbit/s', texts: bandwidths.map(shown), selected: bandwidths.length - 1},
      ...(streams.length > 1 ? [{label: 'Stream', texts: streamNames}] : [])],
    table: () => rows(get),
    option: (theme, [bandwidth, stream = 0]) => ({
      tooltip: {trigger: 'axis', valueFormatter: (value) => `${shown(value)} ${unit}`},
      xAxis: {type: 'value', name: 'Round-trip time, ms', scale: true}, yAxis: {type: 'value', name: `${name}, ${unit}`, min: 0},
      series: present.map((side, i) => ({type: 'line', name: called[side], symbolSize: 6, symbol: symbol(i),
        data: rtts.map((rtt) => [rtt, values(side, find(bandwidths[bandwidth], rtt, streams[stream]), get)])})),
    }),
  });
  const figures = [
    map('Least latency', 'Who has the lowest p99 from capture to result of the worst stream, over the link.', 'its p99, ms', p99, 'best'),
    map('Least energy', `Who takes the least energy of board and radio for an image and serves all streams, over the link.${grade}`, 'mJ an image', energy, 'least_energy'),
    over('Latency p99', 'From capture to the result at the edge, of one stream.', 'ms', p99),
    over('Energy per image', `Of the edge board and the radio, for an image of any stream.${grade}`, 'mJ', energy),
  ];
  const boards = data.lines.filter((line) => line.kind === 'boards');
  if (boards.length > 2) figures.push(figure({
    title: 'More edge boards', about: `The streams spread over so many boards, without a cloud.${grade}`,
    table: () => Table.of(['boards', 'worst_p99_ms', 'power_w', 'throughput'], boards.map((row) => [row.boards, row.worst_p99_ms, row.power_w, row.throughput])),
    option: (theme) => ({
      tooltip: {trigger: 'axis', valueFormatter: shown}, grid: {right: 64},
      xAxis: {type: 'category', name: 'Boards', data: boards.map((row) => shown(row.boards))},
      yAxis: [{type: 'value', name: 'Latency p99, ms', min: 0}, {type: 'value', name: 'Power, W', min: 0, splitLine: {show: false}}],
      series: [{type: 'bar', name: 'Latency p99', barMaxWidth: 46, data: boards.map((row) => row.worst_p99_ms)},
        {type: 'line', name: 'Power', yAxisIndex: 1, itemStyle: {color: theme.series[1]}, data: boards.map((row) => row.power_w)}],
    }),
  }));
  page.append(element('div', {class: 'figures'}, ...figures), ...more(data.words));
}
