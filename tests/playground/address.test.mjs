// The state in the address of the playground, without a browser.
//
//   node --test tests/playground/address.test.mjs
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {deflateRawSync} from 'node:zlib';
import {TooLarge, mostBytes, read, written} from '../../web/playground/address.js';

const address = (text) => `#1${deflateRawSync(Buffer.from(text)).toString('base64url')}`;

test('a state reads back from its address', async () => {
  const state = {a: 'device: jetson-nano\n# µs'.repeat(1000), view: 'compare'};
  assert.deepEqual(await read(await written(state)), state);
  assert.deepEqual(await read(address(JSON.stringify(state))), state);
});

test('an address without a state of ours has none', async () => {
  for (const hash of ['', '#', '#1', '#1broken', '#2AAAA', '#1!!', address('{"b": 1}'), address('{"a": 1}'), address('[')])
    assert.equal(await read(hash), null, hash);
});

test('a link that would inflate without limit is refused', async () => {
  const bomb = address(`{"a": "${'0'.repeat(64 << 20)}"}`);
  assert.ok(bomb.length < 512 << 10);
  await assert.rejects(read(bomb), (error) => error instanceof TooLarge && /more than a megabyte/.test(error.message));
});

test('what is too large to be read back is not written', async () => {
  assert.equal(await written({a: '0'.repeat(mostBytes)}), null);
  assert.notEqual(await written({a: '0'.repeat(mostBytes - 100)}), null);
});
