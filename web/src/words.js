// What a page begins with: the question, the answer as the terminal's table, why it is so, and how sure it is. The words
// come with the data (cli/page/html_page.hpp); here they get their places.
import {element} from './dom.js';
import {explained} from './glossary.js';
import {verdict as verdictOf} from './verdict.js';

// Figures as a page has them: three digits that matter; "249.23" becomes "249". Whole numbers stay.
export const threeDigits = (cell) => cell.replace(/(?<![\w.])\d+\.(\d+)(?![\w.]*\d)/g, (text, decimals) => {
  const value = Number(text);
  return value ? value.toFixed(Math.min(decimals.length, Math.max(0, 2 - Math.floor(Math.log10(value))))) : '0';
});

// Fades the lower edge of a place that has more rows than it shows, until the reader has scrolled to the last one.
const fade = (place) => place.classList.toggle('cut', place.scrollTop + place.clientHeight + 4 < place.scrollHeight);

// Hides the least important columns until the table is no wider than its place, as the terminal does; at least one stays.
// The note says what is hidden, and how many rows there are if some are below the edge.
function fit(table, columns, note) {
  const cells = (i) => table.querySelectorAll(`tr > :nth-child(${i + 1})`);
  columns.forEach((_, i) => cells(i).forEach((cell) => { cell.hidden = false; }));
  const order = columns.map((column, i) => ({...column, i})).filter(({importance}) => importance > 0)
      .sort((a, b) => a.importance - b.importance || b.i - a.i), hidden = [];
  const room = table.parentElement.clientWidth;
  while (order.length && table.scrollWidth > room) {
    const {i} = order.shift();
    hidden.push(i);
    cells(i).forEach((cell) => { cell.hidden = true; });
  }
  note.firstChild.textContent = hidden.length ? `Not shown: ${hidden.sort((a, b) => a - b).map((i) => columns[i].name).join(', ')}. ` : '';
  fade(table.parentElement);
  const cut = table.parentElement.classList.contains('cut');
  const whole = [cut ? `${table.tBodies[0].rows.length} rows` : '', hidden.length ? `${columns.length} columns` : ''].filter(Boolean).join(' and ');
  note.lastChild.textContent = `Show ${hidden.length === 1 && !cut ? 'it' : `all ${whole}`}`;
  note.hidden = !hidden.length && !cut;
}

// A table of the terminal, {columns, rows}; `whole`: with all its columns, to be scrolled.
export function wordTable({columns, rows}, {whole = false, label = 'The answer'} = {}) {
  const told = new Set();
  const table = element('table', {class: 'words'},
      element('thead', {}, element('tr', {}, ...columns.map(({name, right}) => element(name ? 'th' : 'td', {scope: name ? 'col' : null, class: right ? 'number' : null}, ...explained(name, told))))),
      element('tbody', {}, ...rows.map(({cells, style}) => element('tr', {class: style === 'plain' ? null : style}, ...cells.map((cell, i) =>
        element('td', {class: columns[i].right ? 'number' : cell.length > 30 ? 'long' : null}, threeDigits(cell)))))));
  const place = element('div', {class: 'scroll', tabindex: 0, role: 'group', 'aria-label': label, onscroll: () => fade(place)}, table);
  if (whole) return place;
  const note = element('p', {class: 'soft small hidden', hidden: true}, element('span'), element('button', {type: 'button', class: 'link', onclick: () => {
    watch.disconnect();
    columns.forEach((_, i) => table.querySelectorAll(`tr > :nth-child(${i + 1})`).forEach((cell) => { cell.hidden = false; }));
    place.classList.remove('cut');
    place.classList.add('open');
    note.hidden = true;
  }}));
  const watch = new ResizeObserver(() => fit(table, columns, note));
  watch.observe(place);
  return element('div', {class: 'answer'}, place, note);
}

const passage = ({title, lines, table}, options) => [title ? element('h3', {}, title[0].toUpperCase() + title.slice(1)) : null,
  table ? wordTable(table, {...options, label: title || 'The answer'}) : null, ...lines.map((line) => element('p', {}, threeDigits(line)))].filter(Boolean);

// A fold with what few readers need.
export const fold = (title, ...children) => element('details', {class: 'fold'}, element('summary', {}, title), ...children);

// Scenario files by their names alone: their folders say nothing to a reader.
const withoutFolders = (text) => text.replace(/[^\s()]*\/([^\s()/]+\.ya?ml)/g, '$1');

// The reasons; on a phone those after the first lines are scrolled to.
function reasons(why, told) {
  if (!why.length) return null;
  const place = element('div', {class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Why', onscroll: () => fade(place)},
      ...why.map((text) => element('p', {}, ...explained(text, told))));
  new ResizeObserver(() => fade(place)).observe(place);
  // On a phone they take what the first screen has left below how sure it is.
  setTimeout(() => {
    const free = matchMedia('(max-width: 600px)').matches ? innerHeight - scrollY - (document.querySelector('.head .trust')?.getBoundingClientRect().bottom ?? innerHeight) : 0;
    if (free > 0) place.style.maxHeight = `${place.clientHeight + free}px`;
  }, 100);
  return place;
}

// The elements of the first screen.
export function head(words) {
  const {scenario, processes, run, question, answer, missing, why, best, trust, warnings, verdict} = words;
  const part = (name, title, ...children) => (children.some((child) => child) ? element('section', {class: name}, element('h2', {}, title), ...children) : null);
  const told = new Set(), lines = (texts) => texts.map((text) => element('p', {}, ...explained(text, told)));
  const asked = [question ? element('p', {}, `${withoutFolders(question)}?`) : null,
    scenario ? element('p', {}, element('b', {}, scenario)) : null,
    processes.length === 1 ? element('p', {class: 'process', tabindex: 0}, processes[0]) : processes.length ? element('ul', {class: 'process', tabindex: 0}, ...processes.map((text) => element('li', {}, text))) : null].filter(Boolean);
  const wide = answer.some((of) => of.wide);
  const answers = part('answers', 'Answer', ...answer.flatMap((of) => passage(of)), missing.length ? element('p', {class: 'soft small'}, missing.join(' ')) : null);
  const sure = part('trust', 'How sure', ...lines(trust).flatMap((line) => [line, ' ']));
  return element('div', {class: 'head'},
      verdict ? verdictOf(verdict) : null,
      wide ? answers : null,
      element('div', {}, part('question', 'Question', ...asked), wide ? sure : answers),
      element('div', {}, part('why', 'Why', reasons(why, told)), wide ? null : sure,
          best ? part('best', 'Best change', element('p', {}, best)) : null,
          warnings.length ? element('section', {class: 'warnings'}, ...warnings.map(({title, text}) =>
            element('p', {}, element('b', {class: 'bad'}, `${title[0].toUpperCase()}${title.slice(1)}: `), text))) : null,
          run ? element('p', {class: 'soft small run'}, `${run[0].toUpperCase()}${run.slice(1)}.`) : null));
}

// Folds with the rest of the words.
export const more = (words) => words.more.map(({title, ...rest}) =>
  fold(title[0].toUpperCase() + title.slice(1), ...passage({title: '', ...rest}, {whole: true})));
