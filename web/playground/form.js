// A scenario as a form: the board, its power mode, and a card a process. Each field changes the text, and nothing else.
import {element} from '../src/dom.js';
import {changed, tree, withoutProcess, withProcess} from './document.js';

const at = (value, path) => path.reduce((of, key) => of?.[key], value);
// Of the weights of language models, and what runs them (docs/scenario.md).
const weights = ['q4_k_m', 'q4_0', 'q8_0', 'awq', 'gptq', 'int4', 'mxfp4', 'nvfp4', 'w4a8', 'int8', 'fp8', 'fp16'], engines = ['llama.cpp', 'ollama', 'mlc', 'tensorrt-llm', 'vllm'];
const chat = {precision: 'q4_k_m', runtime: 'llama.cpp', generate: {prompt: 64, tokens: 64}};
const batches = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

let ids = 0;

// A field of a scenario: {element, show(scenario)}.
function field(label, input, path, {read, write}, edit) {
  input.id = `field-${++ids}`;
  input.dataset.key = path.join('.');
  input.addEventListener(input.type === 'text' ? 'change' : 'input', () => edit(path, write(input)));
  return {
    element: element('div', {class: 'field'}, element('label', {for: input.id}, label), input),
    show: (scenario) => { read(input, at(scenario, path)); },
  };
}

// texts: what may be chosen; `none`: what stands there when the key is absent; `group`: the heading above a text, if it has one.
function select(label, path, texts, none, edit, group = () => undefined) {
  const input = element('select');
  const fill = (value) => {
    const all = [...(none === null ? [] : ['']), ...texts, ...(value && !texts.includes(value) ? [value] : [])], groups = new Map();
    input.replaceChildren(...all.flatMap((text) => {
      const option = element('option', {value: text}, text || none), heading = group(text);
      if (heading === undefined) return [option];
      const known = groups.get(heading);
      if (known) known.append(option);
      else groups.set(heading, element('optgroup', {label: heading}, option));
      return known ? [] : [groups.get(heading)];
    }));
    input.value = value ?? '';
  };
  fill();
  return field(label, input, path, {read: (_, value) => fill(value === undefined ? '' : String(value)),
    write: () => input.value || undefined}, edit);
}

function slider(label, path, values, edit) {
  const output = element('output');
  const input = element('input', {type: 'range', min: 0, max: values.length - 1, step: 1});
  const say = () => {
    output.textContent = values[input.value];
    input.setAttribute('aria-valuetext', `${values[input.value]}`);
  };
  input.addEventListener('input', say);
  const made = field(label, input, path, {
    read: (_, value) => {
      const near = values.reduce((best, of, i) => (Math.abs(of - (value ?? 1)) < Math.abs(values[best] - (value ?? 1)) ? i : best), 0);
      input.value = near;
      say();
      if (typeof value === 'number' && value !== values[near]) output.textContent = value;
    },
    write: () => (values[input.value] === 1 ? undefined : values[input.value]),
  }, edit);
  made.element.querySelector('label').append(' ', output);
  return made;
}

// unit: of a number that is typed without one; none: the key takes plain numbers.
function text(label, path, hint, edit, unit = '') {
  const input = element('input', {type: 'text', placeholder: hint, size: 9});
  return field(label, input, path, {read: (_, value) => { input.value = value ?? ''; }, write: () => {
    const value = input.value.trim();
    if (unit && /^[\d.]+$/.test(value)) return `${value} ${unit}`;
    return /^\d+$/.test(value) ? Number(value) : value || undefined;
  }}, edit);
}

// A key that is true or absent.
function either(label, path, no, yes, edit) {
  const input = element('select', {}, ...[no, yes].map((of) => element('option', {}, of)));
  return field(label, input, path, {read: (_, value) => { input.selectedIndex = value === true ? 1 : 0; }, write: () => (input.selectedIndex ? true : undefined)}, edit);
}

// Requests: in a closed loop, or so many a second, evenly or by chance.
function arrivals(path, edit) {
  const kinds = {'': 'as soon as one is done', periodic: 'at a fixed rate', poisson: 'by chance, at a mean rate'};
  const kind = element('select', {}, ...Object.entries(kinds).map(([value, words]) => element('option', {value}, words)));
  const rate = element('input', {type: 'text', size: 6});
  const change = () => {
    edit(path, kind.value ? {[kind.value]: rate.value.trim() || '30 /s'} : undefined);
  };
  const parts = [['Requests come', kind, 'kind'], ['Rate', rate, 'rate']].map(([label, input, name]) => {
    input.id = `field-${++ids}`;
    input.dataset.key = `${path.join('.')}.${name}`;
    input.addEventListener('change', change);
    return element('div', {class: 'field'}, element('label', {for: input.id}, label), input);
  });
  return {
    element: element('div', {class: 'row'}, ...parts),
    show(scenario) {
      const value = at(scenario, path), known = ['periodic', 'poisson'].find((of) => value && typeof value[of] === 'string');
      kind.value = known ?? '';
      kind.disabled = value !== undefined && !known;
      rate.value = known ? value[known] : '';
      parts[1].hidden = !known;
    },
  };
}

// {element, show(text)}; changed(text) is called when the reader changes a field.
export function form({catalogue, change}) {
  const box = element('div', {class: 'form'});
  let current = '', shape = null, fields = [];
  const put = (text) => {
    current = text;
    change(text);
    show(text);
  };
  const edit = (path, value) => put(changed(current, path, value));

  const talks = (name) => catalogue.language_models.includes(name), families = new Map(catalogue.models.map(({name, family}) => [name, family]));
  const family = (name) => (talks(name) ? 'language models' : families.get(name));
  const names = (process, index) => select('Network', ['processes', index, 'model'], [...catalogue.models.map(({name}) => name), ...catalogue.language_models], null, (path, name) => {
    if (talks(name) === talks(process.model)) edit(path, name);
    else put(changed(current, path.slice(0, 2), talks(name) ? {model: name, ...chat} : {model: name, precision: 'fp16'}));
  }, family);

  function parts(process, index) {
    const path = (...keys) => ['processes', index, ...keys];
    if (talks(process.model)) {
      return [names(process, index), select('Weights', path('precision'), weights, null, edit), select('Runtime', path('runtime'), engines, 'the default', edit),
        text('Prompt, tokens', path('generate', 'prompt'), '64', edit), text('Answer, tokens', path('generate', 'tokens'), '64', edit),
        slider('Users', path('users'), [1, 2, 3, 4, 6, 8, 12, 16, 32], edit), slider('Processes', path('count'), [1, 2, 3, 4], edit)];
    }
    return [
      names(process, index),
      select('Precision', path('precision'), catalogue.precisions, null, edit),
      select('Runtime', path('runtime'), catalogue.runtimes, 'the default', edit),
      slider('Batch', path('batch'), batches, edit),
      slider('Processes', path('count'), [1, 2, 3, 4, 5, 6, 7, 8, 12, 16], edit),
      slider('Streams in each', path('streams'), [1, 2, 3, 4, 6, 8], edit),
      arrivals(path('arrivals'), edit),
    ];
  }

  function card(process, index, count) {
    const plain = typeof process?.model === 'string';
    const title = process?.name ?? (plain ? process.model : process?.load ? 'load' : 'process');
    const own = plain ? parts(process, index) : [];
    fields.push(...own);
    return element('fieldset', {class: 'card'}, element('legend', {}, title),
        ...(plain ? own.map((of) => of.element) : [element('p', {class: 'soft'}, 'Its parts are in the text.')]),
        element('div', {class: 'row'},
            plain ? element('button', {type: 'button', onclick: () => put(withProcess(current, {...process})), 'aria-label': `Another like it: process ${index + 1}`}, 'Another like it') : null,
            count > 1 ? element('button', {type: 'button', onclick: () => put(withoutProcess(current, index)), 'aria-label': `Remove process ${index + 1}`}, 'Remove') : null));
  }

  // What the board is held to, beside its mode: folded unless something of it is set.
  function limits(scenario, device) {
    const jetson = /jetson/.test(scenario.device), own = [
      either('Sharing the GPU', ['mps'], 'in turns', 'side by side: MPS', edit),
      text('Cores', ['host_cores'], device ? `all ${device.cores}` : 'all', edit),
      ...(jetson ? [either('Clocks', ['jetson_clocks'], 'by governors', 'at their highest: jetson_clocks', edit)] : []),
      text('GPU clock', ['clocks', 'gpu'], 'free', edit, 'MHz'), text('CPU clock', ['clocks', 'cpu'], 'free', edit, 'MHz'),
      ...(jetson ? [text('Memory clock', ['clocks', 'emc'], 'free', edit, 'MHz'), text('Power cap', ['power_cap', 'budget'], 'none', edit, 'W')]
        : [text('Power limit', ['power_limit'], 'its own', edit, 'W')])];
    fields.push(...own);
    return element('details', {open: ['mps', 'host_cores', 'jetson_clocks', 'clocks', 'power_cap', 'power_limit'].some((key) => scenario[key] !== undefined)},
        element('summary', {}, 'Sharing, cores, clocks, power'), ...own.map((of) => of.element));
  }

  function show(other) {
    current = other;
    const scenario = tree(other);
    box.classList.toggle('stale', scenario === null);
    if (scenario === null) return;
    const processes = Array.isArray(scenario.processes) ? scenario.processes : [];
    const kinds = JSON.stringify([scenario.device, processes.map((of) => [typeof of?.model, of?.name ?? (typeof of?.model === 'string' ? of.model : null), talks(of?.model)])]);
    if (kinds !== shape) {
      shape = kinds;
      const focused = box.contains(document.activeElement) ? document.activeElement.dataset.key : null;
      const device = catalogue.devices.find(({name}) => name === scenario.device);
      fields = [
        select('Board', ['device'], catalogue.devices.map(({name}) => name), null, edit),
        select('Power mode', ['power_mode'], device?.power_modes ?? [], device?.default_power_mode ? `${device.default_power_mode} (its own)` : 'none', edit),
        text('Simulated time', ['run', 'duration'], 'by itself', edit),
        text('Seed', ['run', 'seed'], '1', edit),
      ];
      const head = element('fieldset', {class: 'card'}, element('legend', {}, 'Board'), ...fields.map((of) => of.element),
          limits(scenario, device), device ? element('p', {class: 'soft'}, device.description) : null);
      box.replaceChildren(head, ...processes.map((process, i) => card(process, i, processes.length)),
          element('button', {type: 'button', onclick: () => put(withProcess(current, {model: 'mobilenet_v2', precision: 'fp16'}))}, 'Add a process'), ' ',
          element('button', {type: 'button', onclick: () => put(withProcess(current, {model: 'qwen2.5_0.5b', ...chat}))}, 'Add a language model'));
      if (focused) box.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
    }
    for (const of of fields) of.show(scenario);
  }
  return {element: box, show};
}
