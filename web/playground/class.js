// A class's files of answers, question by question: who guessed what, and what came out.
import {figure, limitLines} from '../src/chart.js';
import {element, save} from '../src/dom.js';
import {figure as shown, Table} from '../src/table.js';
import {answersOf} from './answers.js';
import {lessons} from './lessons.js';
import {nameOf} from './series.js';

const most = {files: 400, bytes: 1 << 18};
const number = (of) => (typeof of === 'number' ? of : null);
const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b), half = sorted.length / 2;
  return sorted.length % 2 ? sorted[Math.floor(half)] : (sorted[half - 1] + sorted[half]) / 2;
};
const three = (value) => shown(value === null ? null : Number(value.toPrecision(3)));

// A row a thing that is guessed: [{lesson, ask, unit, nameOf(value), answers: [{name, guess, truth}]}].
export function questions(files) {
  return lessons.flatMap((lesson) => {
    const {series} = lesson, named = series && !series.interval;
    const parts = lesson.guesses ?? [{ask: series.interval ? 'Intervals that contain the truth' : `${series.name} with the least`, unit: series.interval ? `of ${series.values.length}` : ''}];
    return parts.map(({ask, unit}, i) => ({lesson, ask, unit, nameOf: (value) => (value === null ? '–' : named ? nameOf(series, Math.min(series.values.length - 1, Math.max(0, Math.round(value)))) : three(value)),
      answers: files.map(({name, lessons: all}) => ({name, given: all[lesson.id]?.guesses?.[i] ?? null, truth: number(series?.interval ? null : all[lesson.id]?.truths?.[i])}))
          .filter(({given}) => given !== null)}));
  });
}

// What stands in the table of one: how many answered, did not know, their median, what is so, how many were near it.
export function summaryOf({answers}) {
  const guesses = answers.map(({given}) => number(given)).filter((of) => of !== null), truths = answers.map(({truth}) => truth).filter((of) => of !== null);
  const truth = truths.length ? median(truths) : null;
  return {answered: answers.length, unsure: answers.length - guesses.length, median: guesses.length ? median(guesses) : null, truth,
    // A figure is near within 10 %.
    near: truth === null ? null : guesses.filter((of) => Math.abs(of - truth) <= 0.1 * Math.abs(truth)).length};
}

function spread({ask, unit, answers, lesson}) {
  const known = answers.filter(({given}) => typeof given === 'number'), {truth} = summaryOf({answers});
  if (known.length < 2 || lesson.series) return null;
  return figure({title: ask, about: `${lesson.title} A dot a reader, in the order of their guesses.`, height: 230,
    table: () => Table.of(['name', 'guess', 'answer'], known.map(({name, given, truth: found}) => [name, given, found])),
    option: (theme) => ({legend: null, tooltip: {trigger: 'item', formatter: ({data}) => `${data[2]}: ${shown(data[0])} ${unit}`},
      xAxis: {type: 'value', name: unit, min: 0}, yAxis: {type: 'value', name: 'Readers', min: 0, minInterval: 1},
      series: [{type: 'scatter', name: 'guess', symbolSize: 10, data: [...known].sort((a, b) => a.given - b.given).map(({name, given}, i) => [given, i + 1, name]),
        words: (item) => `${known[item].name}: ${shown(known[item].given)} ${unit}`,
        markLine: truth === null ? undefined : limitLines(theme, 'xAxis', [{value: truth, name: `answer: ${three(truth)}`}])}]})});
}

export function classPage() {
  const files = new Map(), said = element('div', {role: 'status'}), place = element('div');
  const draw = () => {
    const all = [...files.values()], rows = questions(all).filter(({answers}) => answers.length);
    if (!all.length) return place.replaceChildren();
    const cells = rows.map((row) => {
      const of = summaryOf(row);
      return [row.lesson.title, `${row.ask}${row.unit ? `, ${row.unit}` : ''}`, of.answered, of.unsure, row.nameOf(of.median), row.nameOf(of.truth), row.lesson.series ? null : of.near];
    });
    const names = ['Question', 'What was guessed', 'Answers', 'Don’t know', 'Median guess', 'What came out', 'Within 10 %'];
    const wordsOf = lessons.map((lesson) => [lesson, all.filter(({lessons: of}) => of[lesson.id]?.words?.trim())]).filter(([, of]) => of.length);
    place.replaceChildren(element('h2', {}, `${all.length} ${all.length === 1 ? 'file' : 'files'}: ${all.map(({name}) => name || 'without a name').join(', ')}`),
        element('div', {class: 'scroll whole', tabindex: 0, role: 'region', 'aria-label': 'Summary'}, element('table', {'data-name': 'class'}, element('thead', {}, element('tr', {}, ...names.map((of) => element('th', {scope: 'col'}, of)))),
            element('tbody', {}, ...cells.map((row) => element('tr', {}, ...row.map((of) => element('td', {class: typeof of === 'number' ? 'number' : null}, of === null ? '–' : String(of)))))))),
        element('p', {class: 'files'}, element('button', {type: 'button', onclick: () => save('class.csv', Table.of(names, cells).csv())}, 'Save as CSV')),
        element('div', {class: 'figures'}, ...rows.map(spread).filter(Boolean)),
        ...wordsOf.flatMap(([lesson, of]) => [element('h2', {}, `${lesson.title} In their own words`),
          element('ul', {}, ...of.map(({name, lessons: answers}) => element('li', {}, element('b', {}, `${name || 'Without a name'}: `), answers[lesson.id].words)))]));
  };
  const take = async (list) => {
    const bad = [];
    for (const of of [...list].slice(0, most.files)) {
      try {
        if (of.size > most.bytes) throw new Error('it is larger than 256 kB');
        files.set(of.name, answersOf(await of.text()));
      } catch (error) {
        bad.push(`${of.name} was left out: ${error.message}.`);
      }
    }
    if (list.length > most.files) bad.push(`Only the first ${most.files} files were read.`);
    said.replaceChildren(...bad.map((text) => element('p', {class: 'bad'}, text)));
    draw();
  };
  const input = element('input', {type: 'file', id: 'class-files', multiple: true, accept: '.json', onchange: () => take(input.files)});
  return {
    element: element('div', {}, element('h2', {}, 'A class’s answers'),
        element('p', {class: 'soft'}, 'Choose the files that students saved in Learn. They are read in this page and go nowhere.'),
        element('div', {class: 'controls'}, element('label', {for: 'class-files'}, 'Files of answers', input)), said, place),
    open() {},
    close() {},
  };
}
