// The simulator in the page gives the bytes of the command: in Node and in Chromium, for shipped scenarios and random ones.
//
//   node --test tests/playground/same_bytes.test.mjs     in the environment: JOSTLE (the command), MODULE (simulator.wasm),
//       PLAYGROUND (the page), PACKAGES (a folder with node_modules), RANDOM_SCENARIOS (how many; default 200)
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {simulator} from '../../web/playground/simulator.js';
import {browser} from './browser.mjs';
import {random, shipped} from './scenarios.mjs';

const count = Number(process.env.RANDOM_SCENARIOS ?? 200);
// It simulates kernels of streams block by block, which takes seconds: with SLOW_SCENARIOS only.
const slow = ['teaching/processes_or_streams.yaml'];

// What `jostle run -` prints; null where it refuses.
function native(text) {
  const {stdout, status} = spawnSync(process.env.JOSTLE, ['run', '-', '--format', 'json'], {input: text, encoding: 'utf8'});
  return status === 0 || status === 3 ? stdout.trimEnd() : null;
}

test('shipped and random scenarios give the same bytes', async () => {
  const ask = await simulator(await WebAssembly.compile(readFileSync(process.env.MODULE)));
  const names = JSON.parse(ask({ask: 'catalogue'}).text);
  const known = {devices: names.devices, models: names.models.map(({name}) => name)};
  const all = [...shipped().filter(([name]) => process.env.SLOW_SCENARIOS || !slow.includes(name)),
    ...Array.from({length: count}, (_, i) => [`random ${i + 1}`, random(i + 1, known)])];
  let answered = 0, inPage = 0, inCommand = 0;
  for (const [name, text] of all) {
    const began = performance.now();
    const {status, text: answer} = ask({ask: 'run', text});
    const between = performance.now();
    const wanted = native(text);
    inPage += between - began;
    inCommand += performance.now() - between;
    assert.equal(status === 'answered' ? answer : null, wanted, `${name}:\n${text}`);
    if (wanted !== null) ++answered;
  }
  console.log(`# ${answered} of ${all.length} scenarios run, the others refused by both; ${Math.round(inPage)} ms against ${Math.round(inCommand)} with starts`);
  assert.ok(answered > 0.5 * all.length, `${answered} of ${all.length} ran`);
});

test('Chromium gives them too', async () => {
  const {page, complaints, close} = await browser();
  await page.goto(pathToFileURL(process.env.PLAYGROUND).href);
  await page.waitForFunction(() => window.jostle?.run);
  for (const [name, text] of shipped().filter(([of]) => !slow.includes(of)))
    assert.equal(await page.evaluate((of) => window.jostle.run(of), text), native(text), name);
  assert.match(await page.evaluate(() => window.jostle.run('device: nowhere').catch((error) => error.message)), /^1: device: /);
  assert.deepEqual(complaints, []);
  await close();
});
