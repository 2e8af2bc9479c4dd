// The words of docs/glossary.md: what a text uses of them, and a text with each explained where it first stands.
import {element} from './dom.js';
import page from '../../docs/glossary.md';

const plain = (cell) => cell.trim().replaceAll('`', '').replace(/\*([^*]+)\*/g, '$1');
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
// An abbreviation is found as it is written, other words in any case.
const spelling = (text) => (/^[A-Z]{2,}/.test(text) ? escaped(text) : escaped(text).replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`));

const terms = page.split('\n').filter((line) => line.startsWith('| ')).slice(1).map((line) => {
  const [, word, meaning, seen] = line.split('|').map(plain);
  const spellings = seen.split(',').map((each) => spelling(each.trim())).sort((a, b) => b.length - a.length);
  return {word, meaning, pattern: new RegExp(`(?<![\\w-])(?:${spellings.join('|')})(?![\\w-])`)};
});

// The terms that a text uses: [term, meaning] each.
export const termsIn = (text) => terms.filter(({pattern}) => pattern.test(text)).map(({word, meaning}) => [word, meaning]);

// The text as nodes, with a tooltip at the first place of each word that `told`, a set, does not have yet.
export function explained(text, told) {
  const found = terms.filter(({word}) => !told.has(word)).map(({word, meaning, pattern}) => ({word, meaning, at: pattern.exec(text)}))
      .filter(({at}) => at).sort((a, b) => a.at.index - b.at.index || b.at[0].length - a.at[0].length);
  const nodes = [];
  let end = 0;
  for (const {word, meaning, at: [shown], at: {index}} of found) {
    if (index < end) continue;
    told.add(word);
    nodes.push(text.slice(end, index), element('abbr', {title: meaning, tabindex: 0}, shown));
    end = index + shown.length;
  }
  return [...nodes, text.slice(end)].filter(Boolean);
}
