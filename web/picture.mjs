// Writes the picture of docs/validation.md: predicted against measured, a panel for each group of runs.
//
//   jostle validate --html PAGE && node picture.mjs DIRECTORY PAGE > validation.svg      DIRECTORY/node_modules has ECharts
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {resolve} from 'node:path';

const echarts = createRequire(resolve(process.argv[2], 'package.json'))('echarts');
const colours = ['#2f6fb0', '#d9772b', '#3a9a5f', '#8a5bb0', '#b04a5a', '#5a7f8f'];
const size = 300, columns = 3, margin = {left: 58, right: 14, top: 34, bottom: 46};

const [, data] = readFileSync(process.argv[3], 'utf8').match(/<script type="application\/json" id="data">(.*?)<\/script>/s);
const groups = new Map();
for (const {runs, values} of JSON.parse(data).groups) {
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
const picture = echarts.init(null, null, {renderer: 'svg', ssr: true, width: columns * size, height: rows * size + 60});
picture.setOption(option);
const drawn = picture.renderToSVGString();
picture.dispose();
process.stdout.write(drawn);
