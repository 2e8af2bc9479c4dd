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

// What `jostle run -` prints; null where it refuses.
function native(text) {
  const {stdout, status} = spawnSync(process.env.JOSTLE, ['run', '-', '--format', 'json'], {input: text, encoding: 'utf8'});
  return status === 0 || status === 3 ? stdout.trimEnd() : null;
}

// [[name, text, what the command prints], ...] of all that is compared.
function compared(ask) {
  const names = JSON.parse(ask({ask: 'catalogue'}).text);
  const all = [...shipped(), ...Array.from({length: count}, (_, i) => [`random ${i + 1}`, random(i + 1, names)])];
  return all.map(([name, text]) => [name, text, native(text)]);
}

test('shipped and random scenarios give the same bytes, in Node and in Chromium', async () => {
  const ask = await simulator(await WebAssembly.compile(readFileSync(process.env.MODULE)));
  const {page, complaints, close} = await browser();
  await page.goto(pathToFileURL(process.env.PLAYGROUND).href);
  await page.waitForFunction(() => window.jostle?.run);
  const all = compared(ask), refused = [];
  for (const [name, text, wanted] of all) {
    const {status, text: answer} = ask({ask: 'run', text});
    assert.equal(status === 'answered' ? answer : null, wanted, `${name}, in Node:\n${text}`);
    assert.equal(await page.evaluate((of) => window.jostle.run(of).catch(() => null), text), wanted, `${name}, in Chromium:\n${text}`);
    if (wanted === null) refused.push(name);
  }
  console.log(`# ${all.length - refused.length} of ${all.length} scenarios run`);
  assert.deepEqual(refused, []);
  assert.match(await page.evaluate(() => window.jostle.run('device: nowhere').catch((error) => error.message)), /^1: device: /);
  assert.deepEqual(complaints, []);
  await close();
});
