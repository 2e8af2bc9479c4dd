// A timeline of many short events draws no more of them than there are pixels.
//
//   node --test tests/playground/timeline.test.mjs     in the environment: PACKAGES (a folder with node_modules)
import assert from 'node:assert/strict';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';

const esbuild = createRequire(join(process.env.PACKAGES, 'package.json'))('esbuild');
const source = join(dirname(fileURLToPath(import.meta.url)), '../../web/src/timeline.js');

// The module, of which a page is expected to be around it.
async function loaded() {
  Object.assign(globalThis, {addEventListener: () => {}, innerWidth: 1200});
  const {outputFiles} = await esbuild.build({entryPoints: [source], bundle: true, write: false, format: 'esm',
    nodePaths: [join(process.env.PACKAGES, 'node_modules')]});
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

const theme = {soft: '', card: '', series: ['']};
const ms = 1000;  // in the unit of a trace's times

// What is drawn of a timeline whose first `shown` ms are as wide as 1000 pixels.
function drawn(figure, shown) {
  const [series] = figure.option(theme).series, params = {coordSys: {x: 0, width: 1000}, context: {}};
  return series.data.map((data) => series.renderItem(params, {value: (i) => data[i], coord: ([time, track]) => [time * 1000 / shown, track]})).filter(Boolean);
}

test('of events that are narrower than a pixel one a pixel and track is drawn, and all are told', async () => {
  const {timeline} = await loaded();
  const name = (tid) => ({ph: 'M', name: 'thread_name', tid, args: {name: `track ${tid}`}});
  const short = (tid, i) => ({ph: 'X', tid, ts: i * 0.01 * ms, dur: 0.005 * ms, name: 'batch'});
  const traceEvents = [name(1), name(2), ...Array.from({length: 20_000}, (_, i) => short(1 + i % 2, i)),
    {ph: 'X', tid: 1, ts: 200 * ms, dur: 100 * ms, name: 'long'}];
  const figure = timeline({traceEvents, window_us: [0, 300 * ms]});
  const all = drawn(figure, 300);
  assert.ok(all.length <= 2 * 1000, `${all.length} drawn`);
  assert.ok(all.length > 1000, `${all.length} drawn`);  // no gap where something happens
  assert.ok(Math.max(...all.map(({shape}) => shape.width)) > 300, 'the long one is there');
  assert.equal(figure.table().rows, 20_001);
  assert.match(figure.option(theme).series[0].words(1), /^track 2: batch from 0\.010 to 0\.015 ms/);
  assert.equal(drawn(figure, 1).length, 101, 'near enough, each is drawn');
});
