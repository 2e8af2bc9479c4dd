// Scenarios to compare two simulators by: every shipped one, those of studies among them, and random ones.
import {readdirSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const {parse, stringify} = createRequire(join(process.env.PACKAGES, 'package.json'))('yaml');
const root = join(dirname(fileURLToPath(import.meta.url)), '../../scenarios');

// Kernels of its streams are simulated block by block, which takes a page ten seconds for the length in its file.
const shorter = {'teaching/processes_or_streams.yaml': {duration: '60 ms', warmup: '20 ms'}};

// [[name, text], ...]
export function shipped() {
  const files = readdirSync(root, {withFileTypes: true}).filter((of) => of.isDirectory())
      .flatMap(({name}) => readdirSync(join(root, name)).filter((file) => file.endsWith('.yaml')).map((file) => join(name, file))).sort();
  return files.map((file) => {
    const text = readFileSync(join(root, file), 'utf8'), tree = parse(text);
    if (tree.scenario) return [file, stringify(tree.scenario)];
    return [file, shorter[file] ? stringify({...tree, run: shorter[file]}) : text];
  });
}

// Numbers from 0 to 1 that depend on the seed alone (mulberry32).
function chance(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let of = Math.imul(state ^ (state >>> 15), state | 1);
    of ^= of + Math.imul(of ^ (of >>> 7), of | 61);
    return ((of ^ (of >>> 14)) >>> 0) / 4294967296;
  };
}

// names: the page's catalogue, of what may be chosen.
export function random(seed, names) {
  const next = chance(seed), one = (list) => list[Math.floor(next() * list.length)], maybe = (share, text) => (next() < share ? text : '');
  const device = one(names.devices);
  const network = () => {
    const on = device.gpu ? `precision: ${one(['fp32', 'tf32', 'fp16', 'fp16', 'int8'])}, ` +
        `runtime: ${one(['tensorrt', 'tensorrt', 'cuda-graph', 'eager', 'libtorch', 'onnxruntime'])}` : 'precision: fp32, placement: cpu';
    return `  - {model: ${one(names.models).name}, ${on}, batch: ${one([1, 1, 2, 3, 8, 16])}, count: ${one([1, 1, 1, 2, 3])}` +
        maybe(0.3, `, arrivals: {${one(['periodic', 'poisson'])}: ${one([3, 15, 30, 60])} /s}`) +
        maybe(0.3, `, sync: ${one(['spin', 'yield', 'blocking', 'auto'])}`) + maybe(0.1, ', nice: 5') + maybe(0.1, ', cpus: [0, 1]') + '}';
  };
  const language = () => `  - {model: ${one(names.language_models)}, precision: ${one(['q4_k_m', 'fp16'])}, runtime: llama.cpp, ` +
      `generate: {prompt: ${one([16, 64])}, tokens: ${one([8, 32])}}}`;
  const process = () => (/orin/.test(device.name) && next() < 0.3 ? language() : network());
  return [`name: random ${seed}`, `device: ${device.name}`,
    device.power_modes.length ? maybe(0.5, `power_mode: ${one(device.power_modes)}`) : '',
    maybe(0.15, 'jetson_clocks: true'), maybe(0.15, 'gpu_metrics: 1 ms'), /xeon/.test(device.name) ? '' : maybe(0.1, 'ambient: 40 degC'), device.gpu ? maybe(0.1, 'observer: nsys') : '',
    device.gpu ? maybe(0.1, 'compositor: true') : '', maybe(0.1, 'interrupts: {cpu: 0, load: 5 %}'), /h[12]00|xeon/.test(device.name) ? '' : maybe(0.15, 'power_cap: {budget: 9 W, window: 100 ms}'),
    'processes:', ...Array.from({length: 1 + Math.floor(next() * 3)}, process),
    `run: {duration: ${one([100, 300, 500])} ms, warmup: 50 ms, seed: ${1 + Math.floor(next() * 1000)}${maybe(0.1, ', replications: 3')}}`, '']
      .filter((line, i, all) => line || i === all.length - 1).join('\n');
}
