// A figure over two dimensions as a map of cells: colours, numbers where there is room, and a word where there is none.
import {narrow, scale} from './chart.js';
import {figure as shown} from './table.js';

// Black or white, whichever is read more easily on a colour, "#rrggbb".
export function inkOver(colour) {
  const linear = (i) => {
    const value = parseInt(colour.slice(1 + 2 * i, 3 + 2 * i), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(0) + 0.7152 * linear(1) + 0.0722 * linear(2) > 0.179 ? '#000' : '#fff';
}

// The same on the ramp, at a share of it.
function inkOn(ramp, share) {
  const at = Math.min(Math.max(share, 0), 1) * (ramp.length - 1), low = Math.min(Math.floor(at), ramp.length - 2);
  const channel = (i) => {
    const [from, to] = [low, low + 1].map((place) => parseInt(ramp[place].slice(1 + 2 * i, 3 + 2 * i), 16));
    return Math.round(from + (at - low) * (to - from)).toString(16).padStart(2, '0');
  };
  return inkOver(`#${channel(0)}${channel(1)}${channel(2)}`);
}

const piece = 64, most = 128;  // cells: a map of more is drawn in pieces

const long = (labels) => labels.some((label) => label.length > 8);

// What figure() draws. x, y: {name, labels}; cells: [{i, j, value, why}], `why` there is no value in a word or two;
// `name` of the figure with its unit behind a comma, as title() gives it. The rest as for figure().
export function heatmap({x, y, cells, name, ...given}) {
  const full = cells.filter(({value}) => value !== null), empty = cells.filter(({value}) => value === null);
  const values = full.map(({value}) => value), low = Math.min(...values), high = Math.max(...values);
  const share = (value) => (high === low ? 0 : (value - low) / (high - low));
  const words = (cell) => `${x.name} ${x.labels[cell.i]}, ${y.name} ${y.labels[cell.j]}`;
  const few = y.labels.length <= 20 && (x.labels.length <= 7 || (x.labels.length <= 10 && (given.wide || !long(y.labels))));
  const wordy = few && x.labels.length <= 5 && !narrow();  // there is room for words
  const unit = /,([^,]*)$/.exec(name)?.[1].trim() ?? '';
  return {
    ...given,
    option: (theme) => ({
      legend: null,
      grid: {left: !long(y.labels) ? (narrow() ? 52 : 78) : narrow() ? 104 : 190, right: narrow() ? 44 : 108, top: 16},
      tooltip: {formatter: ({seriesIndex, dataIndex}) => (seriesIndex ? `${words(empty[dataIndex])}\n${empty[dataIndex].why}`
        : `${words(full[dataIndex])}\n${shown(full[dataIndex].value)} ${unit}`)},
      xAxis: {type: 'category', name: x.name, data: x.labels, splitLine: {show: false}},
      yAxis: {type: 'category', name: long(y.labels) ? '' : y.name, nameGap: narrow() ? 30 : 54, data: y.labels, splitLine: {show: false},
        axisLabel: {width: narrow() ? 92 : 172, overflow: 'truncate'}},
      visualMap: values.length ? scale(theme, values, 150, unit) : undefined,
      series: [{type: 'heatmap', name, progressive: piece, progressiveThreshold: most, data: full.map(({i, j, value}) => ({value: [i, j, value], label: {color: inkOn(theme.ramp, share(value))}})),
      words: (item) => `${words(full[item])}: ${shown(full[item].value)} ${unit}`,
      label: {show: few && !(narrow() && x.labels.length > 4), fontSize: 11,
        formatter: ({value}) => shown(Number(value[2].toPrecision(3)))},
      emphasis: {itemStyle: {borderColor: theme.ink, borderWidth: 2}}},
      {type: 'scatter', name: 'has no figure', symbol: 'rect', symbolSize: wordy ? 1 : 14,
        data: empty.map(({i, j}) => [i, j]),
        words: (item) => `${words(empty[item])}: ${empty[item].why}`,
        itemStyle: {color: 'transparent', borderColor: theme.soft, borderType: 'dashed', borderWidth: 1},
        label: {show: wordy, color: theme.soft, fontSize: 11, formatter: ({dataIndex}) => empty[dataIndex].why}}],
    }),
  };
}
