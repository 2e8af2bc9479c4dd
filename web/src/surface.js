// A figure over two axes as a surface seen from a side: quads from the farthest to the nearest.

const mix = (ramp, share) => {
  const at = Math.min(Math.max(share, 0), 1) * (ramp.length - 1), low = Math.min(Math.floor(at), ramp.length - 2);
  const part = (hex, i) => parseInt(hex.slice(1 + 2 * i, 3 + 2 * i), 16);
  const channel = (i) => Math.round(part(ramp[low], i) + (at - low) * (part(ramp[low + 1], i) - part(ramp[low], i)));
  return `rgb(${channel(0)},${channel(1)},${channel(2)})`;
};

// xs, ys: values of the axes; z(i, j): the figure or null; marks: [{x, y, z, name, colour}], x and y as values;
// turn: degrees around the upright.
export function surface({xs, ys, z, names, marks, turn, theme, format}) {
  const angle = turn * Math.PI / 180, tilt = 0.52;
  const heights = xs.flatMap((_, i) => ys.map((__, j) => z(i, j))).filter((value) => value !== null);
  const low = Math.min(...heights), high = Math.max(...heights);
  const unit = (values, value) => (values.at(-1) === values[0] ? 0.5
    : (value - values[0]) / (values.at(-1) - values[0]));
  const rise = (value) => (high === low ? 0 : (value - low) / (high - low));
  // Places in the cube of side 1 around the middle, to the plane of the screen: right, up, and away.
  const project = (x, y, height) => {
    const a = x - 0.5, b = y - 0.5;
    const right = a * Math.cos(angle) - b * Math.sin(angle), away = a * Math.sin(angle) + b * Math.cos(angle);
    return [right, (height - 0.5) * 0.8 * Math.cos(tilt) + away * Math.sin(tilt), away];
  };
  const quads = [];
  for (let i = 0; i + 1 < xs.length; ++i)
    for (let j = 0; j + 1 < ys.length; ++j) {
      const corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
      if (corners.some(([a, b]) => z(a, b) === null)) continue;
      const placed = corners.map(([a, b]) => project(unit(xs, xs[a]), unit(ys, ys[b]), rise(z(a, b))));
      const mean = corners.reduce((sum, [a, b]) => sum + z(a, b), 0) / 4;
      quads.push({points: placed.map(([x, y]) => [x, y]), away: placed.reduce((sum, p) => sum + p[2], 0),
        colour: mix(theme.ramp, rise(mean)), words: `${names[0]} ${format(xs[i])} to ${format(xs[i + 1])}, ${names[1]} ${
          format(ys[j])} to ${format(ys[j + 1])}: ${names[2]} ${format(mean)}`});
    }
  quads.sort((a, b) => b.away - a.away);
  const floor = (x, y) => project(x, y, 0).slice(0, 2);
  const frame = [[[0, 0], [1, 0]], [[1, 0], [1, 1]], [[1, 1], [0, 1]], [[0, 1], [0, 0]]]
      .map(([a, b]) => [floor(...a), floor(...b)]);
  // The edges nearest to the eye carry the axes' names.
  const edge = (along) => [0, 1].map((side) => {
    const [x, y] = along === 0 ? [0.5, side] : [side, 0.5];
    return {side, away: project(x, y, 0)[2]};
  }).sort((a, b) => a.away - b.away)[0].side;
  const labels = [];
  const sideX = edge(0), sideY = edge(1);
  for (const [value, place] of [[xs[0], 0.06], [xs.at(-1), 0.94]])
    labels.push({text: format(value), at: floor(place, sideX + (sideX ? 0.08 : -0.08))});
  labels.push({text: names[0], at: floor(0.5, sideX + (sideX ? 0.16 : -0.16))});
  for (const [value, place] of [[ys[0], 0.06], [ys.at(-1), 0.94]])
    labels.push({text: format(value), at: floor(sideY + (sideY ? 0.08 : -0.08), place)});
  labels.push({text: names[1], at: floor(sideY + (sideY ? 0.16 : -0.16), 0.5)});

  const dots = marks.filter((mark) => mark.z !== null && mark.z !== undefined);
  return {
    legend: {data: dots.map((mark) => mark.name)},
    grid: {left: 8, right: 8, top: 32, bottom: 8},
    xAxis: {min: -0.88, max: 0.88, show: false},
    yAxis: {min: -0.82, max: 0.6, show: false},
    series: [
      {type: 'custom', name: names[2], data: quads.map((_, i) => [i, 0]), encode: {},
        words: (item) => quads[item].words,
        tooltip: {formatter: ({dataIndex}) => quads[dataIndex].words},
        renderItem: (params, api) => ({type: 'polygon',
          shape: {points: quads[params.dataIndex].points.map((point) => api.coord(point))},
          style: {fill: quads[params.dataIndex].colour, stroke: theme.card, lineWidth: 0.4}})},
      {type: 'custom', name: 'frame', silent: true, data: [...frame, ...labels].map((_, i) => [i, 0]), tooltip: {show: false},
        renderItem: (params, api) => {
          const i = params.dataIndex;
          if (i < frame.length) {
            const [a, b] = frame[i].map((point) => api.coord(point));
            return {type: 'line', shape: {x1: a[0], y1: a[1], x2: b[0], y2: b[1]}, style: {stroke: theme.line}};
          }
          const label = labels[i - frame.length], [x, y] = api.coord(label.at);
          return {type: 'text', style: {text: label.text, x, y, fill: theme.soft, align: 'center',
            verticalAlign: 'middle', fontSize: 12}};
        }},
      ...dots.map((mark, i) => ({
        type: 'scatter', name: mark.name, symbol: i ? 'diamond' : 'circle', symbolSize: 13, z: 10,
        itemStyle: {color: mark.colour, borderColor: theme.card, borderWidth: 1.5},
        data: [project(unit(xs, mark.x), unit(ys, mark.y), rise(mark.z)).slice(0, 2)],
        words: () => mark.words, tooltip: {formatter: () => mark.words},
      })),
    ],
    tooltip: {trigger: 'item'},
  };
}
