// Why it comes out so, in the words of `jostle explain`.
import {element} from '../src/dom.js';

const percent = (share) => (share === null || share === undefined ? '–' : `${share > 0 ? '+' : ''}${(100 * share).toFixed(1).replace(/^-0\.0$/, '0.0')} %`);
const sentence = (text) => (text ? `${text[0].toUpperCase()}${text.slice(1)}.` : '');

// explained: what the simulator answers to "explain".
export function words(explained) {
  const {groups, critical, overload, tenants, what_ifs: tried, power_grade: grade} = explained;
  const rows = tried.map((of) => element('tr', {}, element('th', {scope: 'row'}, of.label),
      ...[of.throughput, of.latency_p99_ms, of.power_w].map((change) => element('td', {class: 'number'}, percent(change.relative))),
      element('td', {}, of.fits ? of.sentence : 'does not fit into memory')));
  return [
    ...groups.map((group) => element('p', {}, element('b', {}, `${group.label}: `), `${group.sentence}.`)),
    ...(tenants ?? []).map((text) => element('p', {}, sentence(text))),
    overload?.sentence ? element('p', {class: 'bad'}, sentence(overload.sentence)) : null,
    critical ? element('p', {}, element('b', {}, 'What is short: '), `${critical.sentence}.`) : null,
    rows.length ? element('details', {open: true}, element('summary', {}, 'What each change would bring'),
        element('div', {class: 'scroll'}, element('table', {}, element('thead', {}, element('tr', {},
            ...['Change', 'Images/s', 'Latency p99', grade ? `Power (${grade})` : 'Power', ''].map((name) => element('th', {scope: 'col'}, name)))), element('tbody', {}, ...rows)))) : null,
  ].filter(Boolean);
}
