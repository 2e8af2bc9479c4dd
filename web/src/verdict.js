// The verdict of a page: the sentence, and beside it each value with its band against its limit.
import {element} from './dom.js';
import {explained} from './glossary.js';
import {figure as shown} from './table.js';

const most = ({value, pi90, limit}) => Math.max(value ?? 0, pi90?.[1] ?? 0, limit ?? 0);

// What a row says, for those who do not see it.
const told = ({words, unit, value, pi90, limit, least, grows, met}) => [
  `${words} ${grows ? 'grows without bound' : value === null ? 'is not known' : `${shown(value)} ${unit}`}`,
  pi90 ? `9 of 10 boards ${shown(pi90[0])} ${pi90[1] === null ? 'and more, and it grows on others' : `to ${shown(pi90[1])}`}` : '',
  limit === null ? '' : `limit ${least ? 'at least' : 'at most'} ${shown(limit)}: ${met === null ? 'not known' : met ? 'met' : 'missed'}`]
    .filter(Boolean).join(', ');

function row(of, top) {
  const {words, unit, value, pi90, limit, least, grows, met} = of, at = (figure) => `${(100 * figure / top).toFixed(1)}%`;
  const place = (name, style) => element('i', {class: name, style});
  return element('li', {class: met === false ? 'bad' : null},
      element('span', {}, words),
      element('span', {class: 'track', role: 'img', 'aria-label': told(of)},
          pi90 ? place(pi90[1] === null ? 'band open' : 'band', `left:${at(pi90[0])};right:${pi90[1] === null ? 0 : `calc(100% - ${at(pi90[1])})`}`) : null,
          limit === null ? null : place('limit', `left:${at(limit)}`),
          value === null ? null : place('dot', `left:${at(value)}`)),
      element('span', {class: 'number'}, grows ? 'grows' : value === null ? '–' : `${shown(value)} ${unit}`,
          limit === null ? null : element('small', {}, ` ${least ? 'at least' : 'at most'} ${shown(limit)}`)));
}

export function verdict({text, met, limits}) {
  const seen = new Set();
  const tops = new Map();
  for (const of of limits) tops.set(of.unit, Math.max(tops.get(of.unit) ?? 0, 1.08 * most(of)));
  const shows = limits.filter((of) => tops.get(of.unit) > 0);
  const keys = [shows.some(({pi90}) => pi90) ? shows.some(({pi90}) => pi90?.[1] === null) ? 'grey: 9 of 10 boards (red: grows)' : 'grey: 9 of 10 boards' : '', shows.some(({limit}) => limit !== null) ? 'line: the limit' : ''].filter(Boolean);
  return element('section', {class: 'verdict'},
      element('p', {class: met === false ? 'bad' : null}, ...explained(text, seen)),
      shows.length ? element('div', {}, element('ul', {class: 'gauges'}, ...shows.map((of) => row(of, tops.get(of.unit)))),
          keys.length ? element('p', {class: 'soft small'}, ...explained(`Dot: simulated; ${keys.join('; ')}.`, seen)) : null) : null);
}
