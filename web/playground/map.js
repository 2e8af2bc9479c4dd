// A small study: two keys of the scenario at several values each, as a map that fills while the worker runs.
import {figure} from '../src/chart.js';
import {choice, element} from '../src/dom.js';
import {heatmap} from '../src/heatmap.js';
import {title} from '../src/names.js';
import {Table} from '../src/table.js';
import {called} from './change.js';
import {tree} from './document.js';
import {metrics} from './sweep.js';

const most = 400;  // points

// "1 2 4", "1, 2, 4" or "1 to 10"; a comma or several blanks separate values that have units.
export function values(text) {
  const range = /^\s*(\d+)\s+to\s+(\d+)\s*$/.exec(text);
  if (range) return Array.from({length: Math.max(0, Math.min(most, range[2] - range[1] + 1))}, (_, i) => String(Number(range[1]) + i));
  return text.split(text.includes(',') ? ',' : /\s+/).map((of) => of.trim()).filter(Boolean);
}

// Keys that a scenario has, with values to begin with.
function keys(text, catalogue) {
  const scenario = tree(text), found = [];
  (scenario?.processes ?? []).forEach((process, i) => {
    if (typeof process?.model !== 'string') return;
    found.push([`processes.${i}.batch`, '1 to 10'], [`processes.${i}.count`, '1 to 10'], [`processes.${i}.precision`, 'fp32, fp16, int8']);
  });
  const device = catalogue.devices.find(({name}) => name === scenario?.device);
  if (device?.power_modes.length > 1) found.push(['power_mode', device.power_modes.join(', ')]);
  found.push(['power_cap.budget', '6 W, 8 W, 10 W, 12 W'], ['run.seed', '1 to 5']);
  return found;
}

// page: as for simulate()
export function map(page) {
  const chosen = {x: 'processes.0.batch', xs: '1 to 10', y: 'processes.0.count', ys: '1 to 10', metric: 'throughput', ...page.state.map};
  const known = element('datalist', {id: 'map-keys'}), note = element('p', {role: 'status', class: 'soft'});
  const bar = element('progress', {max: 1, value: 0, 'aria-label': 'Points simulated'});
  const place = element('div');
  let cells = [], drawn = null;
  const input = (name, label, extra = {}) => {
    const made = element('input', {type: 'text', value: chosen[name], ...extra, onchange: () => {
      chosen[name] = made.value.trim();
      const suggested = keys(page.state.a, page.catalogue).find(([key]) => key === chosen[name]);
      if (suggested && extra.list) fields[`${name}s`].input.value = chosen[`${name}s`] = suggested[1];
      page.keep({map: {...chosen}});
    }});
    return {input: made, element: element('label', {}, label, made)};
  };
  const fields = {x: input('x', 'Key across', {list: 'map-keys'}), xs: input('xs', 'Values across'), y: input('y', 'Key upwards', {list: 'map-keys'}), ys: input('ys', 'Values upwards')};
  const of = (key, list) => ({key, values: values(list)});
  const show = () => {
    const x = of(chosen.x, chosen.xs), y = of(chosen.y, chosen.ys), name = title(chosen.metric);
    const given = {...heatmap({title: name, about: cells.length ? `${cells.length} points, each a run with seed and length of the scenario.` : '',
      wide: true, height: 420, name,
      x: {name: called(x.key, page.state.a), labels: x.values}, y: {name: called(y.key, page.state.a), labels: y.values},
      cells: cells.map(({i, j, values: found, why}) => ({i, j, value: found?.[chosen.metric] ?? null, why: why ?? (found?.[chosen.metric] === null ? 'none' : undefined)})),
      table: () => Table.of([x.key, y.key, ...Object.keys(metrics), 'status'], cells.map(({i, j, values: found, why}) =>
        [x.values[i], y.values[j], ...Object.keys(metrics).map((metric) => found?.[metric] ?? null), why ?? 'ok'])),
    })};
    if (drawn?.dataset.title === given.title) {
      drawn.update(given);
      return;
    }
    drawn?.end();
    drawn = figure(given);
    drawn.dataset.title = given.title;
    place.replaceChildren(drawn);
  };
  const run = async () => {
    const x = of(chosen.x, chosen.xs), y = of(chosen.y, chosen.ys), count = x.values.length * y.values.length;
    if (!count || count > most) {
      note.textContent = `${count} points; it takes 1 to ${most}.`;
      return;
    }
    cells = [];
    show();  // the axes, at once
    const began = performance.now();
    note.textContent = `Simulating ${count} points …`;
    const tell = (more) => {
      cells.push(...more);
      bar.value = cells.length / count;
      show();
    };
    const reply = await page.simulators.ask('map', {ask: 'map', text: page.state.a, x, y}, tell);
    if (!reply) return;
    if (reply.status !== 'answered') {
      note.textContent = reply.text;
      return;
    }
    cells = JSON.parse(reply.text);
    bar.value = 1;
    const refused = cells.find(({problems}) => problems);
    note.textContent = refused ? `Some points are no scenarios: ${refused.problems[0].path}: ${refused.problems[0].message}`
      : `${count} points in ${((performance.now() - began) / 1000).toFixed(1)} s.`;
    show();
    document.documentElement.dataset.mapped = String(Math.round(performance.now() - began));
  };
  const names = Object.keys(metrics);
  const metric = choice('Show', names.map(title), names.indexOf(chosen.metric), (index) => {
    chosen.metric = names[index];
    page.keep({map: {...chosen}});
    show();
  });
  return {
    element: element('div', {}, element('p', {class: 'soft'}, 'Two keys of the scenario at several values each: “1 to 10”, or values with commas between them.'), known,
        element('div', {class: 'controls'}, ...Object.values(fields).map(({element: made}) => made), metric,
            element('button', {type: 'button', class: 'main', onclick: run}, 'Run'),
            element('button', {type: 'button', onclick: () => { page.simulators.stop('map'); note.textContent = 'Stopped.'; }}, 'Stop')),
        bar, note, place),
    open() {
      known.replaceChildren(...keys(page.state.a, page.catalogue).map(([key]) => element('option', {value: key})));
      run();
    },
    close() { page.simulators.stop('map'); },
  };
}
