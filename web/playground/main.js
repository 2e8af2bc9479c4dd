// The playground: the simulator in a page. Views share one state, which is kept in the address.
import {practise} from '../src/chart.js';
import {element} from '../src/dom.js';
import {heatmap} from '../src/heatmap.js';
import {colours, themeButton} from '../src/theme.js';
import {timeline} from '../src/timeline.js';
import {read, written} from './address.js';
import {compare} from './compare.js';
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
run: {duration: 1 s}
`;

// A map and a timeline of next to nothing.
function unseen() {
  const axis = {name: '', labels: ['1', '2']}, cells = [{i: 0, j: 0, value: 1}, {i: 1, j: 1, value: 2}];
  const traceEvents = [{ph: 'M', name: 'thread_name', tid: 1, args: {name: 'GPU'}}, {ph: 'X', tid: 1, ts: 0, dur: 500, name: 'one'},
    {ph: 'C', name: 'clock', ts: 0, args: {MHz: 1}}];
  return [heatmap({x: axis, y: axis, name: '', cells}), timeline({traceEvents, window_us: [0, 1000]})].map((of) => of.option(colours()));
}

const named = (names) => names.map((label) => ({label}));

async function begin() {
  const refusal = element('p', {role: 'alert'});
  // The state in the address; null where there is none, and of one that is refused.
  const addressed = async () => {
    refusal.textContent = '';
    return read(location.hash).catch((error) => {
      refusal.textContent = error.message;
      return null;
    });
  };
  const state = await addressed(),
        catalogue = CATALOGUE;  // what the simulator answered when the page was made
  let timer = null, current = null;
  const page = {
    simulators, catalogue,
    state: {a: first, view: 'simulate', ...state},
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
  };
  // Whether the address now is that of the state.
  async function write() {
    const hash = await written(page.state);
    if (hash) history.replaceState(null, '', hash);
    return Boolean(hash);
  }
  const open = (text) => {
    page.keep({a: text});
    show('simulate');
  };
  const views = [['simulate', 'Simulate', simulate], ['compare', 'Compare', compare], ['map', 'Map', map], ['learn', 'Learn', learn]];
  const made = new Map(), main = document.getElementById('playground');
  const buttons = views.map(([name, label]) => element('button', {type: 'button', onclick: () => show(name)}, label));
  function show(name) {
    current?.close();
    const at = Math.max(0, views.findIndex(([of]) => of === name));
    if (!made.has(at)) made.set(at, views[at][2](page, open));
    current = made.get(at);
    buttons.forEach((button, i) => (i === at ? button.setAttribute('aria-current', 'page') : button.removeAttribute('aria-current')));
    main.replaceChildren(current.element);
    page.keep({view: views[at][0]});
    current.open();
  }
  const link = element(
      'button', {
        type: 'button',
        onclick: async () => {
          const fits = await write();
          if (fits) await navigator.clipboard?.writeText(location.href).catch(() => {});
          link.textContent = fits ? 'Address copied' : 'Too large for a link';
          setTimeout(() => {
            link.textContent = 'Copy the link';
          }, 2000);
        }
      },
      'Copy the link');
  document.getElementById('top').append(
      element('h1', {}, 'jostle playground'),
      element('nav', {class: 'views', 'aria-label': 'Views'}, ...buttons), link, themeButton(),
      element(
          'p', {class: 'soft'},
          'What happens when several neural networks share one board? Change the scenario, and the answer changes with it. Learn asks you questions.'),
      refusal);
  addEventListener('hashchange', async () => {
    const other = await addressed();
    if (!other) return;
    Object.assign(page.state, other);
    made.clear();
    show(page.state.view);
  });
  show(page.state.view);
  document.documentElement.dataset.ready = 'yes';
}
begin();
practise(...unseen());
