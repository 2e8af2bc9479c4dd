// Writes a picture of a page for the documentation: of `validate`, predicted against measured, a panel for each group of
// runs; of `run`, who has the GPU and the cores in the first milliseconds after the warm-up.
//
//   jostle validate --html PAGE && node picture.mjs DIRECTORY PAGE > validation.svg      DIRECTORY/node_modules has ECharts
//   jostle run SCENARIO --html PAGE && node picture.mjs DIRECTORY PAGE MILLISECONDS > timeline.svg
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {resolve} from 'node:path';

const echarts = createRequire(resolve(process.argv[2], 'package.json'))('echarts');
const colours = ['#2f6fb0', '#d9772b', '#3a9a5f', '#8a5bb0', '#b04a5a', '#5a7f8f', '#c2a52f', '#7d5a3c', '#d07fb0', '#6f9a2f'];

const [, data] = readFileSync(process.argv[3], 'utf8').match(/<script type="application\/json" id="data">(.*?)<\/script>/s);
const page = JSON.parse(data);

function validated() {
  const size = 300, columns = 3, margin = {left: 58, right: 14, top: 34, bottom: 46};
  const groups = new Map();
  for (const {runs, values} of page.groups) {
    const shown = values.filter(({measured, predicted}) => measured > 0 && predicted > 0);
    if (shown.length) groups.set(runs, shown);
  }
  const quantities = [...new Set([...groups.values()].flat().map(({quantity}) => quantity))];
  const rows = Math.ceil(groups.size / columns);
  const option = {animation: false, backgroundColor: '#fff', title: [], grid: [], xAxis: [], yAxis: [], series: [],
    legend: {bottom: 0, data: quantities}};
  [...groups].forEach(([runs, values], panel) => {
    const left = (panel % columns) * size, top = Math.floor(panel / columns) * size;
    const all = values.flatMap(({measured, predicted}) => [measured, predicted]);
    const ends = [Math.min(...all) / 1.2, Math.max(...all) * 1.2];
    const axis = (name) => ({type: 'log', gridIndex: panel, name, nameLocation: 'middle', nameGap: 26, min: ends[0], max: ends[1],
      axisLabel: {hideOverlap: true, formatter: (value) => String(Number(value.toPrecision(2)))}});
    const line = (factor, type) => ({type: 'line', xAxisIndex: panel, yAxisIndex: panel, silent: true, showSymbol: false,
      data: ends.map((at) => [at, at * factor]), lineStyle: {color: '#999', width: 1, type}});
    option.title.push({text: runs, left: left + margin.left, top: top + 8, textStyle: {fontSize: 11, width: size - margin.left - 24, overflow: 'truncate'}});
    option.grid.push({left: left + margin.left, top: top + margin.top, width: size - margin.left - margin.right, height: size - margin.top - margin.bottom});
    option.xAxis.push(axis('measured'));
    option.yAxis.push({...axis('predicted'), nameGap: 44});
    option.series.push(line(1, 'solid'), line(1.1, 'dashed'), line(1 / 1.1, 'dashed'));
    for (const quantity of quantities) {
      const colour = colours[quantities.indexOf(quantity) % colours.length], of = values.filter((value) => value.quantity === quantity);
      if (!of.length) continue;
      option.series.push({type: 'scatter', name: quantity, xAxisIndex: panel, yAxisIndex: panel, symbolSize: 5, itemStyle: {color: colour, opacity: 0.75},
        data: of.map(({measured, predicted, covered}) => ({value: [measured, predicted],
          itemStyle: covered === false ? {color: 'transparent', borderColor: colour, borderWidth: 1.5, opacity: 1} : undefined}))});
    }
  });
  return {option, width: columns * size, height: rows * size + 60};
}

// Tracks of processes, of the GPU and of the cores that somebody used, a colour for each process.
function timeline(milliseconds) {
  const {traceEvents, window_us: [from]} = page.runs[0].timeline, row = 26, width = 900, left = 170;
  const names = new Map(traceEvents.filter(({name}) => name === 'thread_name').map(({tid, args}) => [tid, args.name]));
  const bars = traceEvents.filter(({ph, ts, tid}) => ph === 'X' && ts - from < 1000 * milliseconds && ts >= from && !/^kernels of/.test(names.get(tid)));
  const tracks = [...names].filter(([tid, name]) => !/who changed|^GPU: stream/.test(name) && bars.some((bar) => bar.tid === tid));
  const owner = ({tid, name}) => (name === 'batch' ? names.get(tid).replace(/^GPU: stream of |^process \d+ /, '') : name);
  const owners = [...new Set(bars.map(owner))].filter((name) => name !== 'switch');
  const series = [...owners, 'switch'].map((name, i) => ({type: 'custom', name, itemStyle: {color: name === 'switch' ? '#444' : colours[i % colours.length]},
    encode: {x: [1, 2], y: 0}, clip: true,
    data: bars.filter((bar) => owner(bar) === name).map(({tid, ts, dur}) => [tracks.findIndex(([of]) => of === tid), (ts - from) / 1000, (ts + dur - from) / 1000]),
    renderItem: (_, api) => {
      const [x, y] = api.coord([api.value(1), api.value(0)]), [end] = api.coord([Math.min(api.value(2), milliseconds), api.value(0)]);
      return {type: 'rect', shape: {x, y: y - 8, width: Math.max(end - x, 0.5), height: 16}, style: {fill: api.visual('color')}};
    }})).filter(({data: found}) => found.length);
  const top = series.length > 5 ? 60 : 34, height = tracks.length * row + top + 42;
  return {width, height, option: {animation: false, backgroundColor: '#fff', legend: {top: 4, left, itemGap: 24, data: series.map(({name}) => name)},
    grid: {left, right: 20, top, bottom: 40},
    xAxis: {type: 'value', min: 0, max: milliseconds, name: 'ms', nameLocation: 'middle', nameGap: 24},
    yAxis: {type: 'category', inverse: true, data: tracks.map(([, name]) => name), axisTick: {show: false}, axisLabel: {width: left - 12, overflow: 'truncate'}},
    series}};
}

const {option, width, height} = page.kind === 'validate' ? validated() : timeline(Number(process.argv[4]));
const picture = echarts.init(null, null, {renderer: 'svg', ssr: true, width, height});
picture.setOption(option);
const drawn = picture.renderToSVGString();
picture.dispose();
process.stdout.write(drawn);
