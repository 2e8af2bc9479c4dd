// What the page makes of scenarios as texts: differences, and the what-ifs of an explanation applied to what somebody wrote.
//
//   node --test tests/playground/changes.test.mjs     in the environment: MODULE (simulator.wasm), PACKAGES (a folder with
//       node_modules)
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {simulator} from '../../web/playground/simulator.js';

const esbuild = createRequire(join(process.env.PACKAGES, 'package.json'))('esbuild');
const here = dirname(fileURLToPath(import.meta.url));

async function loaded() {
  const {outputFiles} = await esbuild.build({entryPoints: [join(here, '../../web/playground/change.js')], bundle: true, write: false, format: 'esm',
    nodePaths: [join(process.env.PACKAGES, 'node_modules')]});
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

const scenario = `# The camera that we have.
name: a camera beside two classifiers
device: jetson-orin-nano-super
power_mode: 25W
processes:
  - {model: yolov8n, precision: int8, arrivals: {periodic: 30 /s}}  # thirty frames
  - {model: resnet50, precision: fp16, batch: 4, count: 2}
run: {duration: 500 ms}
`;

test('every change that can be tried makes the text into the scenario that was simulated', async () => {
  const {applied} = await loaded(), ask = await simulator(await WebAssembly.compile(readFileSync(process.env.MODULE)));
  const {what_ifs: all, resolved} = JSON.parse(ask({ask: 'explain', text: scenario}).text);
  const possible = all.filter(({scenarios, fits}) => fits && scenarios.length === 1);
  assert.ok(possible.length >= 8);
  for (const {label, scenarios: [wanted]} of possible) {
    const text = applied(scenario, resolved, wanted), {status, text: answer} = ask({ask: 'run', text});
    assert.equal(status, 'answered', `${label}: ${answer}`);
    assert.deepEqual(JSON.parse(answer).resolved, wanted, label);
    if (wanted.processes.length === resolved.processes.length) assert.match(text, /^# The camera that we have\./, label);
  }
});

test('a difference is said in words', async () => {
  const {inWords, oneMore} = await loaded();
  assert.equal(inWords(scenario, scenario), 'the same');
  assert.equal(inWords(scenario, oneMore(scenario)), 'Processes of resnet50: 2 → 3');
  assert.equal(inWords(scenario, scenario.replace('25W', '15W').replace('int8', 'fp16').replace('500 ms', '1 s')), 'Power mode: 25W → 15W, Precision of yolov8n: int8 → fp16 and 1 more');
  assert.equal(inWords(scenario, `${scenario}mps: true\n`), 'MPS: none → true');
  assert.equal(oneMore('device: nowhere\n'), 'device: nowhere\n');
});
