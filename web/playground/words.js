// Why it comes out so, in the words of `jostle explain`.
import {element} from '../src/dom.js';
import {explained as explainedWords} from '../src/glossary.js';

const percent = (share) => (share === null || share === undefined ? '–' : `${share > 0 ? '+' : ''}${(100 * share).toFixed(1).replace(/^-0\.0$/, '0.0')} %`);
const sentence = (text) => (text ? `${text[0].toUpperCase()}${text.slice(1)}.` : '');

// A change that can be made: of this scenario and not of the hardware, on one board.
const possible = (of) => of.role !== 'hypothesis' && of.fits && of.scenarios?.length === 1;

// The change that brings most for its price; undefined where none brings much.
export const best = ({leading, what_ifs: tried}) => (leading ?? []).map((name) => tried.find((of) => of.name === name)).find((of) => of && possible(of));

// What was gained by it, in words: "images/s +75.7 %, -8.4 % power, accuracy unknown".
const gains = (of, name) => [name === 'speed' ? `${of.figure} (how many times as fast each process is, their mean)` : of.figure, Math.abs(of.power_w?.relative ?? 0) >= 0.005 ? `${percent(of.power_w.relative)} power` : '', ...(of.worth?.words ?? [])].filter(Boolean).join(', ');

// The best change as a button; the rest is folded. tried(what_if): makes the change.
export function words(explained, tried) {
  const {groups, critical, overload, tenants, what_ifs: all, power_grade: grade, objective} = explained;
  const lead = best(explained), seen = new Set(), glossed = (text) => explainedWords(text, seen);
  const attempt = (of, label) => element('button', {type: 'button', class: label ? 'main' : null, onclick: () => tried(of), 'aria-label': label ? null : `Try: ${of.label}`}, label ?? 'Try');
  const columns = [[objective.name, (of) => of.objective], ['images/s', (of) => of.throughput], [objective.p99, (of) => of.latency_p99_ms], [grade ? `power (${grade})` : 'power', (of) => of.power_w]]
      .filter(([name], i, kept) => kept.findIndex(([other]) => other === name) === i);
  const rows = all.map((of) => element('tr', {}, element('th', {scope: 'row'}, of.label),
      ...columns.map(([, change]) => element('td', {class: 'number'}, percent(change(of).relative))),
      element('td', {}, of.fits ? of.sentence : 'does not fit into memory'), element('td', {}, possible(of) ? attempt(of) : '')));
  const rest = [
    ...groups.map((group) => element('p', {}, element('b', {}, `${group.label}: `), `${group.sentence}.`)),
    ...(tenants ?? []).map((text) => element('p', {}, sentence(text))),
    rows.length ? element('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'What each change would bring'}, element('table', {}, element('thead', {}, element('tr', {},
        ...['Change', ...columns.map(([name]) => name[0].toUpperCase() + name.slice(1)), 'Notes', 'Try it'].map((name) => element('th', {scope: 'col'}, name)))), element('tbody', {}, ...rows))) : null];
  return [
    overload?.sentence ? element('p', {class: 'bad'}, sentence(overload.sentence)) : null,
    critical ? element('p', {}, element('b', {}, 'What is short: '), ...glossed(critical.sentence), '.') : null,
    lead ? element('p', {class: 'lead'}, attempt(lead, `Try it: ${lead.label}`), ' ', ...glossed(gains(lead, objective.name))) : null,
    element('details', {}, element('summary', {}, 'What each change would bring'), ...rest.filter(Boolean)),
  ].filter(Boolean);
}
