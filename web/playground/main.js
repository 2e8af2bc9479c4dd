// The playground: the simulator in a page. Views share one state, which is kept in the address.
import {practise} from '../src/chart.js';
import {element, save} from '../src/dom.js';
import {heatmap} from '../src/heatmap.js';
import {colours, themeButton} from '../src/theme.js';
import {timeline} from '../src/timeline.js';
import {mostBytes, read, written} from './address.js';
import {classPage} from './class.js';
import {compare} from './compare.js';
import {tree} from './document.js';
import {learn} from './learn.js';
import {map} from './map.js';
import {simulate} from './simulate.js';
import {simulators} from './start.js';

const first = `# A scenario: which board runs what. Change anything.
name: a camera beside two classifiers
device: jetson-orin-nano-super
power_mode: 25W
processes:
  - {model: yolov8n, precision: int8, arrivals: {periodic: 30 /s}}
  - {model: resnet50, precision: fp16, batch: 4, count: 2}
constraints: {processes.0.latency_ms.p99: {max: 33 ms}}   # what must hold
`;

// A map and a timeline of next to nothing.
function unseen() {
  const axis = {name: '', labels: ['1', '2']}, cells = [{i: 0, j: 0, value: 1}, {i: 1, j: 1, value: 2}];
  const traceEvents = [{ph: 'M', name: 'thread_name', tid: 1, args: {name: 'GPU'}}, {ph: 'X', tid: 1, ts: 0, dur: 500, name: 'one'},
    {ph: 'C', name: 'clock', ts: 0, args: {MHz: 1}}];
  return [heatmap({x: axis, y: axis, name: '', cells}), timeline({traceEvents, window_us: [0, 1000]})].map((of) => of.option(colours()));
}

const named = (names) => names.map((label) => ({label}));

// What is asked for by name: notes for the lecturer, and the page that reads a class's files.
const lecturer = '#lecturer';
// The view that an address names: #learn, #map. Null where it names none.
const viewOf = (hash) => (hash === lecturer ? 'learn' : ['simulate', 'compare', 'map', 'learn'].find((name) => hash === `#${name}`) ?? null);

// Links and files: a scenario comes in and goes out.
function exchange(page, {address, opened, refuse}, ...more) {
  const field = element('input', {type: 'text', id: 'link', placeholder: '#1…', autocomplete: 'off', spellcheck: 'false'});
  const said = element('span', {role: 'status', class: 'soft'});
  const paste = () => {
    const at = field.value.indexOf('#');
    if (at >= 0) opened(field.value.slice(at).trim());
    else refuse('A link of this page has “#1” in it, and the scenario after that.');
  };
  const file = element('input', {type: 'file', accept: '.yaml,.yml,.txt', hidden: true, 'aria-label': 'A scenario file', onchange: async () => {
    const [of] = file.files;
    if (!of) return;
    const text = of.size > mostBytes ? null : await of.text();
    file.value = '';
    if (text === null) refuse(`${of.name} was not opened: it holds more than a megabyte.`);
    else page.open(text);
  }});
  const copy = async () => {
    const hash = await address();
    said.textContent = hash ? 'Copied: it opens in any copy of this page.' : 'Too large for a link.';
    if (!hash) return;
    field.value = hash;
    await navigator.clipboard?.writeText(hash).catch(() => {
      said.textContent = 'The browser does not let the page copy: take it from the field.';
    });
  };
  field.addEventListener('keydown', ({key}) => { if (key === 'Enter') paste(); });
  const button = (label, onclick) => element('button', {type: 'button', onclick}, label);
  return element('details', {class: 'exchange'}, element('summary', {}, 'Links, files, colours'), element('div', {class: 'controls'},
      button('Copy the link', copy), element('label', {for: 'link'}, 'Paste a link', field), button('Open the link', paste),
      button('Open a scenario file', () => file.click()), file,
      button('Save the scenario', () => save(`${(tree(page.state.a)?.name ?? 'scenario').toLowerCase().replace(/[^a-z0-9]+/g, '-')}.yaml`, page.state.a, 'text/yaml')), ...more, said));
}

async function begin() {
  const refusal = element('p', {role: 'alert'});
  const refuse = (text) => { refusal.textContent = text; };
  // The state in an address; null where there is none, and of one that is refused.
  const stateOf = async (hash) => {
    refuse('');
    return read(hash).catch((error) => {
      refuse(error.message);
      return null;
    });
  };
  const state = await stateOf(location.hash),
        catalogue = CATALOGUE;  // what the simulator answered when the page was made
  let timer = null, current = null;
  const page = {
    simulators, catalogue, lecturer: location.hash === lecturer,
    state: {a: first, view: viewOf(location.hash) ?? 'simulate', ...state},
    words: {
      device: catalogue.devices.map(({name, description}) => ({label: name, info: description})),
      model: [...catalogue.models.map(({name, description}) => ({label: name, info: description})),
        ...named(catalogue.language_models)],
      power_mode: named([...new Set(catalogue.devices.flatMap((device) => device.power_modes))]),
      precision: named(catalogue.precisions), runtime: named(catalogue.runtimes), sync: named(catalogue.syncs),
    },
    // The address follows a little later, so that a moving slider does not write it a hundred times.
    keep(of) {
      Object.assign(page.state, of);
      clearTimeout(timer);
      timer = setTimeout(write, 250);
    },
    open(text) {
      page.keep({a: text});
      show('simulate');
    },
  };
  // The address of the state, or null; the window has it, unless a lecturer asked for the notes there.
  async function write() {
    const hash = await written(page.state);
    if (hash && !page.lecturer) history.replaceState(null, '', hash);
    return hash;
  }
  const views = [['simulate', 'Simulate', simulate], ['compare', 'Compare', compare], ['map', 'Map', map], ['learn', 'Learn', learn], ['class', 'Class', classPage]];
  const made = new Map(), main = document.getElementById('playground');
  const buttons = views.map(([name, label]) => element('button', {type: 'button', onclick: () => show(name)}, label));
  function show(name) {
    current?.close();
    const at = Math.max(0, views.findIndex(([of]) => of === name && (of !== 'class' || page.lecturer)));
    if (!made.has(at)) made.set(at, views[at][2](page));
    current = made.get(at);
    buttons.forEach((button, i) => (i === at ? button.setAttribute('aria-current', 'page') : button.removeAttribute('aria-current')));
    buttons.at(-1).hidden = !page.lecturer;
    main.replaceChildren(current.element);
    page.keep({view: views[at][0]});
    current.open();
  }
  const go = (other) => {
    Object.assign(page.state, {b: undefined, ...other});
    made.clear();
    show(page.state.view);
  };
  const opened = async (hash) => {
    const other = await stateOf(hash);
    if (other) go(other);
    else if (!refusal.textContent) refuse('This link was not opened: it is none of this page, or a part of it is missing.');
  };
  document.getElementById('top').append(
      element('h1', {}, 'jostle playground'),
      element('nav', {class: 'views', 'aria-label': 'Views'}, ...buttons),
      element(
          'p', {class: 'soft'},
          'What happens when several neural networks share one board? Change the scenario, and the answer changes with it. Learn asks you questions.'),
      exchange(page, {address: write, opened, refuse}, themeButton()), refusal);
  addEventListener('hashchange', async () => {
    const view = viewOf(location.hash);
    if (view) {
      page.lecturer = location.hash === lecturer;
      go({view});
      return;
    }
    const other = await stateOf(location.hash);
    if (other) go(other);
  });
  show(page.state.view);
  document.documentElement.dataset.ready = 'yes';
}
begin();
practise(...unseen());
