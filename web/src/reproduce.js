// Published statements: which come out, by how much values and bounds miss, and why.
import {figure} from './chart.js';
import {choice, element} from './dom.js';
import {distinct, figure as shown, Table} from './table.js';
import {fold, head, more} from './words.js';

const verdicts = ['reproduced', 'missed', 'not judged'];
const bases = ['predicted', 'fitted', 'given', 'not judged'];

// Which of `verdicts` a statement has.
const verdictOf = (claim) => claim.basis === 'not judged' ? 2 : claim.holds ? 0 : 1;

export function reproduce(data, page) {
  const claims = data.claims;
  const sources = distinct(claims.map((claim) => claim.source)), kinds = distinct(claims.map((claim) => claim.kind));
  const all = (basis) => claims.filter((claim) => claim.basis === basis).length;
  const checks = claims.flatMap((claim) => claim.checks.map((check) => ({claim, ...check})));
  const judged = checks.filter((check) => check.verdict !== 'not judged');
  page.append(head(data.words));

  const counts = (keys, key) => verdicts.map((verdict, i) => ({type: 'bar', stack: 'all', name: verdict, barMaxWidth: 34,
    data: keys.map((value) => claims.filter((claim) => claim[key] === value && verdictOf(claim) === i).length)}));
  const bars = (title, keys, key) => figure({
    title, about: 'Statements that come out, and that do not.', height: 260,
    table: () => Table.of([key, ...verdicts], keys.map((value) => [value, ...verdicts.map((_, i) =>
      claims.filter((claim) => claim[key] === value && verdictOf(claim) === i).length)])),
    option: (theme) => ({color: [theme.series[0], theme.series[1], theme.soft], tooltip: {trigger: 'axis', axisPointer: {type: 'shadow'}}, grid: {left: 150},
      xAxis: {type: 'value', name: 'Statements', minInterval: 1}, yAxis: {type: 'category', data: keys, inverse: true, name: ''},
      series: counts(keys, key)}),
  });
  const errors = judged.filter((check) => check.error !== null && check.error !== undefined);
  const clipped = (error) => Math.max(-100, Math.min(100, 100 * error));
  const ids = distinct(errors.map((check) => check.claim.id));
  const words = (check) => `${check.claim.id} ${check.quantity}: stated ${check.stated}, simulated ${check.simulated}`;
  const charts = element('div', {class: 'figures'}, bars('By source', sources, 'source'), bars('By kind', kinds, 'kind'),
      bars('By what the verdict rests on', bases.filter(all), 'basis'),
      ids.length ? figure({
        title: 'How far values and bounds are off', wide: true, height: 340,
        about: 'Each check of a figure; beyond 100 % at the edge. A value comes out within the lines (15 %), a bound within 3 %.',
        table: () => Table.of(['claim', 'quantity', 'stated', 'simulated', 'error'],
            errors.map((check) => [check.claim.id, check.quantity, check.stated, check.simulated, check.error])),
        option: (theme) => ({
          tooltip: {trigger: 'item', formatter: ({data: dot}) => dot.words},
          xAxis: {type: 'category', name: 'Statement', data: ids, splitLine: {show: true, lineStyle: {color: theme.grid}}},
          yAxis: {type: 'value', name: 'Error, %', min: -100, max: 100},
          series: verdicts.slice(0, 2).map((verdict, i) => {
            const of = errors.filter((check) => (check.verdict === 'reproduced') === (i === 0));
            return {type: 'scatter', name: verdict, symbol: i ? 'diamond' : 'circle', symbolSize: 8,
              itemStyle: {color: theme.series[i]}, words: (item) => words(of[item]),
              data: of.map((check) => ({value: [check.claim.id, clipped(check.error)], words: words(check)})),
              markLine: i ? undefined : {silent: true, symbol: 'none', label: {show: false}, lineStyle: {color: theme.soft, type: 'dashed'},
                data: [{yAxis: 15}, {yAxis: -15}]}};
          }),
        }),
      }) : null);

  const shownClaims = {source: 0, basis: 0, verdict: 0, text: ''};
  const body = element('div'), count = element('p', {class: 'soft', 'aria-live': 'polite'});
  const row = (claim) => element('tr', {}, element('td', {}, claim.id),
      element('td', {}, claim.statement, element('details', {}, element('summary', {}, `${claim.checks.length} checks`),
          element('table', {}, element('tbody', {}, ...claim.checks.map((check) => element('tr', {}, element('td', {}, check.quantity),
              element('td', {}, check.stated), element('td', {}, check.simulated),
              element('td', {class: check.verdict === 'reproduced' ? 'good' : check.verdict === 'not judged' ? 'soft' : 'bad'}, check.verdict)))))),
      claim.why && !claim.holds ? element('p', {class: 'soft'}, claim.why) : null),
      element('td', {}, claim.chosen ? `${claim.basis}: ${claim.chosen}` : claim.basis), element('td', {}, claim.grade || '–'),
      element('td', {class: ['good', 'bad', 'soft'][verdictOf(claim)]}, verdicts[verdictOf(claim)]),
      element('td', {class: 'number'}, claim.error === null ? '–' : `${shown(Number((100 * claim.error).toPrecision(2)))} %`));
  // Folded by source; open if few are left, so that what is looked for is seen.
  const few = 12;
  const fill = () => {
    const found = claims.filter((claim) => (!shownClaims.source || claim.source === sources[shownClaims.source - 1])
      && (!shownClaims.basis || claim.basis === bases[shownClaims.basis - 1])
      && (!shownClaims.verdict || verdictOf(claim) === shownClaims.verdict - 1)
      && JSON.stringify(claim).toLowerCase().includes(shownClaims.text));
    count.textContent = `${found.length} of ${claims.length}`;
    body.replaceChildren(...sources.map((source) => [source, found.filter((claim) => claim.source === source)]).filter(([, all]) => all.length).map(([source, all]) => {
      const made = fold(`${source}: ${all.filter((claim) => claim.holds).length} of ${all.length} reproduced`,
          element('div', {class: 'scroll tall', tabindex: 0, role: 'group', 'aria-label': source}, element('table', {'data-name': 'claims'},
              element('thead', {}, element('tr', {}, ...['Claim', 'Statement', 'Basis', 'Grade', 'Verdict', 'Error'].map((name) => element('th', {scope: 'col'}, name)))),
              element('tbody', {}, ...all.map(row)))));
      made.open = found.length <= few;
      return made;
    }));
  };
  page.append(element('h2', {}, 'Statements'), element('div', {class: 'controls'},
      choice('Source', ['all', ...sources], 0, (i) => { shownClaims.source = i; fill(); }),
      choice('Basis', ['all', ...bases], 0, (i) => { shownClaims.basis = i; fill(); }),
      choice('Verdict', ['all', ...verdicts], 0, (i) => { shownClaims.verdict = i; fill(); }),
      element('label', {}, 'Find', element('input', {type: 'search', oninput: (event) => {
        shownClaims.text = event.target.value.toLowerCase();
        fill();
      }})), count), body, charts, ...more(data.words));
  fill();
}
