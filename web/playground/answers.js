// What a reader guessed, found and wrote, by lesson: kept in the browser, and handed in as a file.
import {save} from '../src/dom.js';

const place = 'jostle playground lessons';
export const schema = 'jostle.answers/1';

// {id: {guesses: [number or 'unknown', ...], truths: [number, ...], words, done}}; a browser that keeps nothing forgets
// it with the page.
export const progress = {
  all: (() => {
    try {
      return JSON.parse(localStorage.getItem(place)) ?? {};
    } catch {
      return {};
    }
  })(),
  of(id) { return this.all[id] ?? {}; },
  put(id, what) {
    this.all[id] = {...this.of(id), ...what};
    try {
      localStorage.setItem(place, JSON.stringify(this.all));
    } catch { /* kept in this.all */ }
  },
};

export function handIn(name) {
  const file = name.trim().toLowerCase().replace(/[^a-z0-9]+/g, '-') || 'answers';
  save(`${file}.jostle.json`, `${JSON.stringify({schema, name: name.trim(), lessons: progress.all}, null, 2)}\n`, 'application/json');
}

const guessed = (of) => of === null || of === undefined || of === 'unknown' || Number.isFinite(of);
const list = (of, holds) => of === undefined || (Array.isArray(of) && of.length <= 8 && of.every(holds));

// {name, lessons} of a file's text; throws an Error that says what is wrong.
export function answersOf(text) {
  let read = null;
  try {
    read = JSON.parse(text);
  } catch {
    throw new Error('it is not JSON');
  }
  if (read?.schema !== schema) throw new Error(`its schema is not ${schema}: it is no file of answers`);
  if (typeof read.name !== 'string' || read.lessons === null || typeof read.lessons !== 'object') throw new Error('it lacks a name or lessons');
  for (const [id, of] of Object.entries(read.lessons))
    if (!of || !list(of.guesses, guessed) || !list(of.truths, guessed) || !['undefined', 'string'].includes(typeof of.words)) throw new Error(`lesson ${id} is damaged`);
  return {name: read.name, lessons: read.lessons};
}
