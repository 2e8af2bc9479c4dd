// The result before a change, as outlines in the figures of the one after it.
import {Table} from '../src/table.js';

const plain = (choices) => JSON.stringify((choices ?? []).map((of) => of.texts ?? of.range));
const first = (axis) => [axis].flat()[0];

// The axis that has names, and those of both options: by size where they are numbers.
function categories(before, after) {
  const key = ['yAxis', 'xAxis'].find((of) => first(after[of]).data && first(before[of]).data);
  if (!key) return null;
  const [from, to] = [before, after].map((option) => first(option[key]).data.map(String));
  const all = [...new Set([...to, ...from])];
  return {key, from, to, all: all.every((of) => Number.isFinite(Number(of))) ? all.sort((a, b) => a - b) : all};
}

// A series whose names were `from`, on an axis with the names `all`.
function moved(series, from, all) {
  if (series.type === 'bar') return {...series, data: all.map((name) => series.data[from.indexOf(name)] ?? null)};
  if (series.type === 'scatter') return {...series, data: series.data.map(([value, row]) => [value, all.indexOf(from[row])])};
  return {...series, data: series.data.map(([row, ...rest]) => [all.indexOf(from[row]), ...rest])};
}

function outline(series, colour, name) {
  const {words} = series, itemStyle = {color: 'transparent', borderColor: colour, borderType: 'dashed', borderWidth: 1.5};
  return {...series, name: `${series.name}, ${name}`, stack: series.stack ? name : undefined, itemStyle, markLine: undefined, z: 1,
    lineStyle: {...series.lineStyle, color: colour, type: 'dashed', width: 1.5},
    ...(words ? {words: (item) => `${name}: ${words(item)}`} : {})};
}

const drawable = ['bar', 'scatter', 'line'];

// The figure `given` with the series of `old` as outlines; `old` is one of the same title, or undefined.
export function outlined(given, old, name) {
  if (!old || plain(given.choices) !== plain(old.choices)) return given;
  const height = Math.max(given.height ?? 0, old.height ?? 0);
  return {
    ...given, lines: null, about: `${given.about ?? ''} Outlines: ${name}.`.trim(), ...(height ? {height: height + 24} : {}),
    table: (picked) => {
      const both = [['after', given.table(picked)], [name, old.table(picked)]];
      const names = [...new Set(both.flatMap(([, table]) => table.names))];
      return Table.of(['run', ...names], both.flatMap(([run, table]) =>
        Array.from({length: table.rows}, (_, row) => [run, ...names.map((column) => table.at(column, row))])));
    },
    option: (theme, picked) => {
      const after = given.option(theme, picked), before = old.option(theme, picked), common = categories(before, after);
      const palette = after.color ?? theme.series, names = [...new Set([...after.series, ...before.series].map((of) => of.name))];
      const colour = (of) => of.itemStyle?.color ?? of.lineStyle?.color ?? palette[names.indexOf(of.name) % palette.length];
      const put = (series, from) => (common ? moved(series, from, common.all) : series);
      const legend = after.legend === null ? null : {...after.legend, data: after.series.map((of) => of.name)};
      const axis = common && {[common.key]: {...first(after[common.key]), data: common.all}};
      return {...after, ...axis, legend, series: [
        ...after.series.map((of) => ({...put(of, common?.to), itemStyle: {color: colour(of), ...of.itemStyle}})),
        ...before.series.filter((of) => drawable.includes(of.type)).map((of) => outline(put(of, common?.from), colour(of), name))]};
    },
  };
}

// Figures after a change with those before it: outlines, and under the timeline the old one.
export function withBefore(after, before, name) {
  const of = (title) => before.find((given) => given.title === title);
  return after.flatMap((given) => {
    if (given.title !== 'Timeline') return [outlined(given, of(given.title), name)];
    return of('Timeline') ? [given, {...of('Timeline'), title: `Timeline, ${name}`}] : [given];
  });
}
