// The pages in a real browser: that each kind draws what it should, asks nothing of the network and says nothing on the
// console, is read by keys, and gives its data away.
//
//   node --test tests/web/report.test.mjs      in the environment: JOSTLE (the command), PACKAGES (a folder with node_modules),
//                              CHROMIUM (default /usr/bin/chromium), SHOTS (a folder for screenshots; default none)
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {after, before, test} from 'node:test';
import {fileURLToPath, pathToFileURL} from 'node:url';

const scenarios = join(dirname(fileURLToPath(import.meta.url)), '../../scenarios');
const axe = readFileSync(join(process.env.PACKAGES, 'node_modules/axe-core/axe.min.js'), 'utf8');
const {chromium} = createRequire(join(process.env.PACKAGES, 'package.json'))('playwright-core');
const folder = mkdtempSync(join(tmpdir(), 'jostle-report-'));
let browser;

const threeProcesses = `
name: three beside each other
device: jetson-orin-nano
gpu_metrics: 100 us
power_cap: {budget: 9 W, window: 100 ms}
processes:
  - {model: resnet50, precision: int8, batch: 4, count: 2}
  - {model: yolov8n, precision: fp16}
run: {duration: 500 ms}
`;
const streams = `
name: a server of two networks
device: nvidia-h200
processes:
  - name: server
    runtime: cuda-graph
    instances:
      - {name: detector, model: resnet50, precision: fp16, batch: 4, count: 2, priority: low}
      - {name: classifier, model: mobilenet_v2, precision: fp16, batch: 8, arrivals: {poisson: 400 /s}, max_queue_delay: 5 ms,
         priority: high}
run: {duration: 500 ms}
`;
const hostileName = `
scenario: {name: "</script><script>alert(1)</script>", device: jetson-orin-nano, processes: [{model: resnet50, precision: fp16}],
           run: {duration: 100 ms}}
sweep: {processes.0.batch: [1, 2], processes.0.count: [1, 2]}
`;

before(async () => {
  browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox',
    '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
    '--disable-sync']});
});
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true});
});

function jostle(...words) {
  return execFileSync(process.env.JOSTLE, words, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']});
}

// Opens FILE and gives `look` the page once `shown` is visible (charts below the screen are drawn later); what it asks of
// the network or says on the console is a failure.
async function opened(file, look, {shown = 'figure canvas', ...options} = {}) {
  const complaints = [];
  const context = await browser.newContext({viewport: {width: 1200, height: 900}, acceptDownloads: true, ...options});
  const page = await context.newPage();
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) complaints.push(`request: ${request.url()}`);
  });
  const began = Date.now();
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector('html[data-ready]', {timeout: 30_000});
  const ready = Date.now() - began;
  if (shown.startsWith('figure')) await page.locator('figure').first().scrollIntoViewIfNeeded();  // below the head on a phone
  await page.waitForSelector(shown, {timeout: 30_000});
  await look(page, ready);
  assert.deepEqual(complaints, []);
  await context.close();
}

async function shoot(page, name) {
  if (!process.env.SHOTS) return;
  await page.setViewportSize({width: page.viewportSize().width, height: 500 + await page.evaluate(() => document.body.scrollHeight)});
  await page.waitForTimeout(800);
  await page.screenshot({path: join(process.env.SHOTS, `${name}.png`), fullPage: true});
}

// What every page begins with, in sight without scrolling, and that nobody is kept from reading it.
async function begins(page, {why = true, screens = 1} = {}) {
  const seen = await page.evaluate(() => Object.fromEntries(['question', 'answers', 'trust', 'why'].map((name) =>
    [name, document.querySelector(`.head .${name}`)?.getBoundingClientRect().top ?? null])));
  for (const name of ['question', 'answers', 'trust', ...(why ? ['why'] : [])])
    assert.ok(seen[name] !== null && seen[name] < screens * page.viewportSize().height, `${name} is at ${seen[name]}`);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= page.viewportSize().width, 'wider than the window');
  await page.evaluate(() => document.querySelectorAll('details').forEach((of) => { of.open = true; }));
  await page.evaluate(axe);
  const {violations} = await page.evaluate(() => axe.run(document, {resultTypes: ['violations']}));
  assert.deepEqual(violations
      .map(({id, nodes}) => `${id}: ${nodes.slice(0, 3).map(({html}) => html.slice(0, 160)).join(' | ')}`), []);
}

// The pages that a test has written begin so on a screen and on a phone.
const screens = [{viewport: {width: 1440, height: 900}}, {viewport: {width: 360, height: 780}, colorScheme: 'dark'}];
async function beginsWell(file, options = {}) {
  for (const screen of screens) await opened(file, (page) => begins(page, options), {shown: '.head', ...screen});
}

const choice = (page, label) => page.locator('label', {hasText: new RegExp(`^${label}`)}).locator('select').first();

const titles = (page) => page.locator('figure h3').allTextContents();

// How many colours a figure's canvas shows: a blank one has one.
const colours = (page, name) => page.locator(`figure[data-name="${name}"]`).evaluate(async (figure) => {
  figure.scrollIntoView();
  for (let i = 0; i < 50 && !figure.querySelector('canvas'); ++i) await new Promise((done) => setTimeout(done, 50));
  const canvas = figure.querySelector('canvas');
  const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const seen = new Set();
  for (let i = 0; i < data.length; i += 4) seen.add(`${data[i]},${data[i + 1]},${data[i + 2]},${data[i + 3]}`);
  return seen.size;
});

async function csv(page, name) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator(`figure[data-name="${name}"] figcaption button:has-text("CSV")`).click()]);
  return readFileSync(await download.path(), 'utf8').trimEnd().split('\n').map((line) => line.split(','));
}

test('a verdict stands on top, with a dot, a band and a limit for each process', async () => {
  writeFileSync(join(folder, 'limits.yaml'), threeProcesses.replace('processes:', 'constraints: {processes.1.throughput: {min: 10}, processes.0.throughput: {min: 100000}}\nprocesses:'));
  const file = join(folder, 'limits.html');
  const {verdict} = JSON.parse(jostle('run', join(folder, 'limits.yaml'), '--html', file, '--format', 'json'));
  assert.equal(verdict.met, false);
  await opened(file, async (page) => {
    const top = page.locator('.verdict');
    assert.match(await top.locator('> p').textContent(), /throughput .*, at least 100000: no; 1 other limit met\.$/);
    assert.equal(await top.locator('li').count(), 2);
    assert.equal(await top.locator('li.bad').count(), 1);
    assert.equal(await top.locator('.band').count(), 2);
    assert.match(await top.locator('.track').first().getAttribute('aria-label'), /9 of 10 boards .* limit at least 10: met/);
    const [box, rest] = [await top.boundingBox(), await page.locator('.question').boundingBox()];
    assert.ok(box.y < rest.y, 'the verdict is first');
    assert.match(await top.locator('abbr', {hasText: '9 of 10 boards'}).getAttribute('title'), /nine of ten measurements/);
    assert.match(await page.locator('th abbr', {hasText: '±95 %'}).first().getAttribute('title'), /chance within the simulation/);
    await shoot(page, 'verdict');
  }, {shown: '.verdict'});
  await beginsWell(file);
});

test('on a phone each process has one line, and the answer and how sure it is need no scrolling', async () => {
  const robot = join(scenarios, 'templates/robot.yaml');
  for (const [command, ...more] of [['run'], ['explain'], ['compare', '--set-b', 'power_mode=15W']]) {
    const file = join(folder, `phone-${command}.html`);
    jostle(command, robot, ...more, '--html', file);
    await opened(file, async (page) => {
      for (const line of await page.locator('.process li').all()) assert.ok((await line.boundingBox()).height < 24, command);
      const sentence = await page.locator('.head .answers > p').first().boundingBox(), sure = await page.locator('.head .trust p').first().boundingBox();
      assert.ok(sentence.y + sentence.height < 844 && sure.y + sure.height < 844, `${command}: ${sentence.y}, ${sure.y}`);
      await page.locator('.process').focus();
      assert.ok((await page.locator('.process li').first().boundingBox()).height > 40, 'a tap shows all of it');
    }, {shown: '.head', viewport: {width: 390, height: 844}});
    await beginsWell(file);
  }
});

test('a run shows its processes, where time and watts go, distributions and a timeline', async () => {
  writeFileSync(join(folder, 'run.yaml'), threeProcesses);
  const file = join(folder, 'run.html'), trace = join(folder, 'trace.json');
  const result = JSON.parse(jostle('run', join(folder, 'run.yaml'), '--html', file, '--trace', trace, '--format', 'json'));
  await opened(file, async (page) => {
    assert.equal(await page.locator('h1').textContent(), 'three beside each other');
    assert.deepEqual(await titles(page), ['Throughput per process', 'Latency', 'Where the time goes', 'Timeline', 'ExecutionContext calls',
      'Memory', 'How busy the GPU is', 'SM active: distribution', 'Issue slot: distribution', 'Tensor active: distribution', 'Time at each clock']);
    const told = await page.locator('.head').textContent();
    assert.match(told, /How many images a second do 2 x resnet50 int8 and yolov8n fp16 get on jetson-orin-nano, power mode 15W, power capped at 9 W, and how long does each take\?.*2 x resnet50 int8, batch 4, tensorrt/);
    assert.match(told, /2 x resnet50 (p99|mean) [\d.]+ ms at [\d.]+ images\/s each.*yolov8n .*; board: [\d.]+ W/);
    assert.match(told, /31 samples are too few for p90, p95 and p99 of process 0/);
    assert.match(told, /Throughput and latency: 9 of 10 real boards should show \d+ to \d+ images\/s in total \(assumed: a judgement, not measured\)/);
    const whole = await page.locator('#report').textContent();
    assert.match(whole, /Power and energy: 9 of 10 real boards should show [\d.]+ to [\d.]+ W/);
    assert.match(whole, /tell only how far repeats of the simulation differ/);
    assert.match(told, /seed 1/);
    assert.match(told, /Best change/);
    await page.locator('summary', {hasText: 'More of the run'}).click();
    for (const name of ['throughput-per-process', 'where-the-time-goes', 'sm-active-distribution', 'timeline'])
      assert.ok(await colours(page, name) > 4, `${name} is blank`);
    const rows = await csv(page, 'throughput-per-process');
    assert.equal(rows.length, 4);
    assert.equal(Number(rows[1][1]), result.processes[0].throughput.mean);
    const tracks = new Set((await csv(page, 'timeline')).slice(1).map((row) => row[0]));
    for (const track of ['GPU: process', 'GPU: stream of resnet50 0', 'process 2 yolov8n 2'])
      assert.ok(tracks.has(track), `no track ${track}`);
    await shoot(page, 'run');
  });
  await beginsWell(file);
  assert.ok(JSON.parse(readFileSync(trace, 'utf8')).traceEvents.length > 100, 'the file of --trace is complete too');
});

test('a click on a bar of the timeline says why a process waits, and keys zoom it', async () => {
  await opened(join(folder, 'run.html'), async (page) => {
    const figure = page.locator('figure[data-name="timeline"]'), reading = figure.locator('.reading');
    await figure.scrollIntoViewIfNeeded();
    await figure.locator('canvas').waitFor();
    const box = await figure.locator('canvas').boundingBox(), said = new Set();
    for (let y = 40; y < 320; y += 24)
      for (const x of [0.4, 0.5, 0.6]) {
        await page.mouse.click(box.x + x * box.width, box.y + y);
        said.add(await reading.textContent());
      }
    const all = [...said].join('\n');
    assert.match(all, /resnet50 0 waits [\d.]+ ms: (it is the turn of (resnet50 1|yolov8n 2), which ends at its slice|the GPU switches to)/);
    assert.match(all, /has the GPU for 4\.1 ms; its turn ends at its slice/);
    const picture = () => figure.locator('canvas').evaluate((canvas) => canvas.toDataURL());
    const before = await picture();
    await page.keyboard.press('w');
    await page.waitForTimeout(300);
    assert.notEqual(await picture(), before, 'W zooms');
    const rows = (await csv(page, 'timeline')).slice(1).map((row) => row.join());
    assert.ok(rows.some((row) => row.startsWith('who changed clocks') && /MHz/.test(row)), 'no mark of a change of clocks');
    assert.ok(rows.filter((row) => /^"?kernels of resnet50 0,? alone/.test(row)).length > 40, 'no kernels by name');
  }, {viewport: {width: 1200, height: 1100}});
});

test('explain says on its page what each change would bring, and compare how B differs', async () => {
  const why = join(folder, 'why.html'), differ = join(folder, 'differ.html'), scenario = join(folder, 'run.yaml');
  const text = jostle('explain', scenario, '--html', why);
  await opened(why, async (page) => {
    assert.deepEqual(await titles(page), ['What each change would bring', 'Where the time goes']);
    const told = await page.locator('.head .why').textContent();
    assert.match(await page.locator('.head .answers').textContent(), /Limited by [^:]+: .*Best change: /);
    assert.match(await page.locator('.head .trust').textContent(), /9 of 10 real boards should show \d+ to \d+ images\/s in total \(assumed: /);
    const flat = text.replace(/\s+/g, ' ');
    for (const sentence of await page.locator('.head .why p').allTextContents())
      assert.ok(flat.includes(sentence.replace(/^[^:]*: /, '').replace(/\.$/, '')), `the terminal does not say: ${sentence}; ${told}`);
    assert.ok(await colours(page, 'what-each-change-would-bring') > 4);
  });
  await beginsWell(why);
  jostle('compare', scenario, '--set-b', 'processes.0.batch=8', '--replications', '3', '--html', differ);
  await opened(differ, async (page) => {
    assert.match(await page.locator('.head .question').textContent(), /What changes from A to B: batch 8 in place of batch 4 \(2 x resnet50 int8\)\?/);
    assert.match(await page.locator('.head .trust').textContent(), /Throughput and latency: a real board may differ by.*(throughput stays higher in B |less than the model's usual error: throughput \+[\d.]+ %)/i);
    assert.match(await page.locator('.head .why').textContent(), /B is faster because \S+ int8 b\d takes [\d.]+ ms an image in place of [\d.]+: [\d.]+ ms less/);
    assert.match(await page.locator('.head').textContent(), /B against A: throughput \+\d\.\d( ± \d+\.\d)? % \(\d+ to \d+ images\/s/);
    assert.ok(await colours(page, 'b-against-a') > 4);
  });
  await beginsWell(differ);
});

test('a run shows each stream of a process, in charts and on the timeline', async () => {
  writeFileSync(join(folder, 'streams.yaml'), streams);
  const file = join(folder, 'streams.html');
  const [process] = JSON.parse(jostle('run', join(folder, 'streams.yaml'), '--html', file, '--format', 'json')).processes;
  await opened(file, async (page) => {
    assert.ok((await titles(page)).includes('Latency per stream'));
    const rows = await csv(page, 'throughput-per-stream');
    assert.deepEqual(rows.slice(1).map((row) => row[0]), ['0.0 detector', '0.1 detector', '0.2 classifier']);
    assert.deepEqual(rows.slice(1).map((row) => Number(row[1])), process.instances.map((stream) => stream.throughput.mean));
    assert.ok(await colours(page, 'latency-per-stream') > 4, 'latency per stream is blank');
    const tracks = [...new Set((await csv(page, 'timeline')).slice(1).map((row) => row[0].replaceAll('"', '')))];
    assert.ok(tracks.some((track) => track.startsWith('GPU: ')), tracks.join('; '));
    await shoot(page, 'streams');
  });
  await opened(file, async (page) => {
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 360);
    await shoot(page, 'streams-phone');
  }, {viewport: {width: 360, height: 740}});
});

test('two runs in one page stand beside each other, and a click shows one of them', async () => {
  const file = join(folder, 'two.html');
  const lines = jostle('run', join(folder, 'run.yaml'), join(folder, 'streams.yaml'), '--html', file, '--format', 'json').trim().split('\n').map((line) => JSON.parse(line));
  await opened(file, async (page) => {
    const rows = page.getByRole('region', {name: 'All runs'}).locator('tbody tr');
    assert.deepEqual(await rows.locator('th').allTextContents(), lines.map(({scenario}) => scenario));
    for (const [i, {system}] of lines.entries())
      assert.ok(Math.abs(Number((await rows.nth(i).locator('td').first().textContent()).replace(/,/g, '')) / system.throughput.mean - 1) < 0.01);
    await rows.nth(1).getByRole('button').click();
    assert.equal(await rows.nth(1).getByRole('button').getAttribute('aria-pressed'), 'true');
    assert.match(await page.locator('.head .answers').textContent(), /server/);
    await shoot(page, 'two');
  });
  await beginsWell(file, {screens: 1.5});
});

test('the published grid of 600 points fits and can be looked at along every dimension', async () => {
  const file = join(folder, 'grid.html');
  jostle('sweep', join(scenarios, 'planning/paper_grid.yaml'), '--html', file);
  assert.ok(statSync(file).size <= 5e6, `${statSync(file).size} bytes`);
  await opened(file, async (page, ready) => {
    console.log(`# 600 points: ${statSync(file).size} bytes, ready after ${ready} ms`);
    assert.deepEqual(await titles(page), ['Throughput per process, as a map', 'Throughput per process over batch',
      'Memory, as a map', 'Memory over batch', 'Power', 'Throughput', 'Energy per image', 'Latency p99',
      'ExecutionContext calls over batch', 'ExecutionContext calls over processes', 'Pareto front']);
    assert.ok(await colours(page, 'throughput-per-process-as-a-map') > 8);
    await choice(page, 'Model').selectOption('yolov8n');
    await choice(page, 'Device').selectOption({index: 1});
    const rows = await csv(page, 'throughput-per-process-over-batch');
    const columns = Object.fromEntries(rows[0].map((name, i) => [name, i]));
    assert.equal(rows.length, 1 + 5 * 5);
    assert.ok(rows.slice(1).every((row) => row[columns.model] === 'yolov8n' && row[columns.device] === 'jetson-orin-nano'));
    await choice(page, 'Across').selectOption('Processes');
    assert.ok((await titles(page)).includes('Throughput per process over processes'));
    await shoot(page, 'grid');
  });
  await opened(file, async (page) => {
    assert.match(await page.locator('.head .verdict').textContent(), /board jetson-orin-nano, .*batch 16, processes 1: throughput 1125 images\/s/i);
    assert.match(await page.locator('.head .answers').textContent(), /most images\/s1125/);
    assert.match(await page.locator('.head .why').textContent(), /Throughput with .* in place of .*: [\d.]+ % less.*is slower because \S+ int8 b\d+ takes/);
  }, {shown: '.head'});
  await beginsWell(file);
});

test('a chat is drawn over the load that it meets', async () => {
  const file = join(folder, 'load.html');
  const study = readFileSync(join(scenarios, 'planning/chat_load.yaml'), 'utf8');
  writeFileSync(join(folder, 'load.yaml'), study.replace('duration: 100 s', 'duration: 20 s'));
  jostle('sweep', join(folder, 'load.yaml'), '--html', file);
  for (const width of [1200, 360]) {
    await opened(file, async (page) => {
      assert.deepEqual((await titles(page)).slice(0, 5), ['Time to the first token over requests', 'Time between tokens over requests',
        'Tokens of all sequences', 'Memory that is needed', 'What the memory holds over requests']);
      assert.ok(await colours(page, 'time-to-the-first-token-over-requests') > 4);
      const rows = await csv(page, 'time-to-the-first-token-over-requests');
      assert.deepEqual(rows[0].slice(-2), ['ttft_p50_ms', 'ttft_p99_ms']);
      assert.equal(rows.length, 1 + 12);
      const [p50, p99] = [-2, -1].map((at) => rows.slice(1).map((row) => row.at(at)));
      assert.ok(p50.some((ms) => ms !== ''));
      assert.ok(p99.every((ms, i) => ms === '' || Number(p50[i]) <= Number(ms)));  // Few answers of 20 s tell no p99.
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width);
      await shoot(page, `load-${width}`);
    }, {viewport: {width, height: 740}});
  }
});

test('what memory a context needs is drawn with what the board has, and also where it is more', async () => {
  const file = join(folder, 'memory.html');
  jostle('sweep', join(scenarios, 'planning/chat_memory.yaml'), '--html', file);
  for (const width of [1200, 360]) {
    await opened(file, async (page) => {
      assert.ok(await colours(page, 'memory-that-is-needed') > 4);
      const rows = await csv(page, 'what-the-memory-holds-over-context');
      const column = (name) => rows[0].indexOf(name), of = (row, name) => Number(row[column(name)]);
      assert.equal(rows.length, 1 + 6);
      const sizes = rows.slice(1).map((row) => of(row, 'memory_needed_mb')), capacity = of(rows[1], 'memory_capacity_mb');
      assert.deepEqual(sizes, [...sizes].sort((a, b) => a - b));
      assert.ok(sizes[0] < capacity && sizes.at(-1) > capacity);
      assert.ok(rows.slice(1).every((row) => of(row, 'weights_mb') + of(row, 'kv_cache_mb') < of(row, 'memory_needed_mb')));
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width);
      await shoot(page, `memory-${width}`);
    }, {viewport: {width, height: 740}});
  }
});

test('energy over both clocks is a surface with its least and what the governors do', async () => {
  const file = join(folder, 'clocks.html');
  const points = jostle('sweep', join(scenarios, 'paper/energy_clocks_nano.yaml'), '--html', file, '--export', 'csv')
      .trimEnd().split('\n').map((line) => line.split(','));
  await opened(file, async (page) => {
    const surface = page.locator('figure[data-name="energy-over-clocks-as-a-surface"]');
    const plot = surface.locator('.plot'), reading = surface.locator('.reading');
    assert.ok(await colours(page, 'energy-over-clocks-as-a-surface') > 30);
    await plot.focus();
    await page.keyboard.press('ArrowUp');   // to a first value
    await page.keyboard.press('ArrowUp');   // round to the last series
    const governors = await reading.textContent();
    assert.match(governors, /^Left to the governors: [\d.]+ mJ an image at mean clocks of [\d.]+ and [\d.]+ MHz/);
    await page.keyboard.press('ArrowUp');
    const least = await reading.textContent();
    const columns = Object.fromEntries(points[0].map((name, i) => [name, i]));
    const [fastest] = points.slice(1).sort((a, b) => b[columns.throughput] - a[columns.throughput]);  // where the page opens
    const energies = points.slice(1).filter((row) => row[columns.model] === fastest[columns.model]).map((row) => Number(row[columns.energy_per_image_mj]));
    assert.match(least, /^Least energy: /);
    assert.ok(Math.abs(parseFloat(least.slice(14)) / Math.min(...energies) - 1) < 1e-3, least);
    await surface.getByLabel('Turn').fill('90');
    await shoot(page, 'clocks');
  }, {colorScheme: 'dark'});
});

test('keys read a chart value by value, and leave it', async () => {
  const file = join(folder, 'small.html');
  writeFileSync(join(folder, 'small.yaml'), hostileName);
  jostle('sweep', join(folder, 'small.yaml'), '--html', file);
  await opened(file, async (page) => {
    assert.equal(await page.locator('h1').textContent(), '</script><script>alert(1)</script>');
    const figure = page.locator('figure[data-name="throughput-per-process-over-batch"]');
    await figure.locator('.plot').focus();
    const read = async (key) => {
      await page.keyboard.press(key);
      return figure.locator('.reading').textContent();
    };
    assert.match(await read('ArrowRight'), /^1 process: Batch 1, Throughput per process, images\/s \d/);
    assert.match(await read('ArrowRight'), /^1 process: Batch 2, /);
    assert.match(await read('ArrowRight'), /^1 process: Batch 1, /);
    assert.match(await read('End'), /^1 process: Batch 2, /);
    assert.match(await read('ArrowDown'), /^2 processes: Batch 2, /);
    assert.equal(await read('Escape'), '');
    const reachable = await page.evaluate(() => [...document.querySelectorAll('select, button, .plot, summary')]
        .every((one) => one.tabIndex >= 0));
    assert.ok(reachable);
    await figure.locator('summary').click();
    await figure.locator('tbody tr').first().waitFor();
    assert.equal(await figure.locator('tbody tr').count(), 4);
  });
});

test('names are text wherever a page shows them', async () => {
  const file = join(folder, 'hostile.html');
  writeFileSync(join(folder, 'hostile.yaml'), `
device: jetson-orin-nano
processes:
  - {name: "<img src=x onerror='document.title=1'>", model: resnet50, precision: fp16}
run: {duration: 100 ms}
`);
  jostle('run', join(folder, 'hostile.yaml'), '--html', file);
  await opened(file, async (page) => {
    const title = await page.title();
    assert.match(await page.locator('.head').textContent(), /<img src=x/);
    for (const name of ['timeline']) {
      const plot = page.locator(`figure[data-name="${name}"] .plot`);
      await plot.focus();
      await plot.locator('canvas').waitFor();
      const reading = page.locator(`figure[data-name="${name}"] .reading`);
      for (let i = 0; i < 40; ++i) {
        await page.keyboard.press('ArrowRight');
        if (/<img src=x/.test(await reading.textContent())) break;
      }
      assert.match(await reading.textContent(), /<img src=x/);
    }
    assert.equal(await page.locator('img').count(), 0);
    assert.equal(await page.title(), title);
    assert.match(await page.locator('.plot').first().getAttribute('aria-label'), /^Timeline\. Arrow keys/);
  });
});

test('lists are compared by what is said of them, and values that only look like lists are names', async () => {
  const file = join(folder, 'lists.html');
  writeFileSync(join(folder, 'lists.yaml'), `
scenario: {device: jetson-orin-nano, processes: [{model: resnet50, precision: fp16}], run: {duration: 100 ms}}
sweep:
  processes.0.arrivals: [{poisson: 30 /s}, {periodic: 30 /s}]
  processes.0.batch: [1, 2]
zip: [[processes.0.arrivals, processes.0.batch]]
`);
  jostle('sweep', join(folder, 'lists.yaml'), '--html', file);
  await opened(file, async (page) => {
    const plot = page.locator('figure .plot').first();
    await plot.focus();
    await page.keyboard.press('ArrowRight');
    assert.match(await page.locator('figure .reading').first().textContent(), /poisson/);
  });
});

test('a sample of a grid is drawn as its points', async () => {
  const file = join(folder, 'sample.html');
  writeFileSync(join(folder, 'sample.yaml'), `
scenario: {device: jetson-orin-nano, processes: [{model: resnet50, precision: fp16}], run: {duration: 100 ms}}
sweep: {processes.0.batch: [1, 2, 3, 4, 5, 6], processes.0.count: [1, 2, 3, 4], clocks.gpu: [306 MHz, 408 MHz, 510 MHz]}
sampling: {latin_hypercube: 12, seed: 1}
`);
  jostle('sweep', join(folder, 'sample.yaml'), '--html', file);
  await opened(file, async (page) => {
    assert.equal((await csv(page, 'power-over-batch')).length, 13);
    await shoot(page, 'sample');
  });
});

test('colours are those of the system until the button is pressed', async () => {
  await opened(join(folder, 'small.html'), async (page) => {
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await ground();
    await page.getByRole('button', {name: 'Light colours'}).click();
    const light = await ground();
    assert.notEqual(dark, light);
    assert.equal(light, 'rgb(255, 255, 255)');
  }, {colorScheme: 'dark'});
});

test('distributions of the SM array are drawn by precision', async () => {
  const file = join(folder, 'cdf.html');
  jostle('sweep', join(scenarios, 'paper/vision_gpu_metrics_precision.yaml'), '--html', file);
  await opened(file, async (page) => {
    assert.ok((await titles(page)).includes('SM active: distribution over precision'));
    assert.ok(await colours(page, 'sm-active-distribution-over-precision') > 4);
    const rows = await csv(page, 'sm-active-distribution-over-precision');
    assert.equal(rows.length, 102);
    for (let i = 2; i < rows.length; ++i)
      for (let j = 1; j < rows[i].length; ++j) assert.ok(Number(rows[i][j]) >= Number(rows[i - 1][j]), 'a distribution rises');
    assert.equal(rows.at(-1)[1], '1');
    await shoot(page, 'cdf');
  });
});

test('a plan shows its best point, the front and what was simulated', async () => {
  const file = join(folder, 'plan.html');
  const plan = JSON.parse(jostle('plan', join(scenarios, 'planning/throughput_or_watts.yaml'), '--no-interval', '--html', file,
      '--format', 'json'));
  await opened(file, async (page) => {
    assert.deepEqual(await titles(page), ['Pareto front', 'Points simulated']);
    assert.equal((await csv(page, 'pareto-front')).length, 1 + plan.front.length);
    await shoot(page, 'plan');
  });
  await beginsWell(file);
});

test('a plan of few points lists them all, the best first', async () => {
  writeFileSync(join(folder, 'few.yaml'), `
scenario: {device: nvidia-h200, processes: [{model: resnet50, precision: fp16, runtime: cuda-graph, sync: spin}],
           run: {duration: 60 ms, warmup: 20 ms}}
sweep: {processes.0.count: [4, 1], processes.0.streams: [1, 4]}
zip: [[processes.0.count, processes.0.streams]]
plan: {effort: 5}
objectives: [max system.throughput]
`);
  const file = join(folder, 'few.html');
  const plan = JSON.parse(jostle('plan', join(folder, 'few.yaml'), '--no-interval', '--html', file, '--format', 'json'));
  for (const viewport of [{width: 1200, height: 900}, {width: 360, height: 740}]) {
    await opened(file, async (page) => {
      const every = page.locator('details', {hasText: 'Every point'}), rows = every.locator('tbody tr');
      await every.locator('summary').click();
      assert.equal(await rows.count(), plan.every.length);
      assert.equal(await rows.first().getAttribute('class'), 'strong');
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= viewport.width);
      await shoot(page, `few-${viewport.width}`);
    }, {viewport});
  }
});

test('a fleet shows price, power and energy of its boards', async () => {
  const file = join(folder, 'fleet.html');
  jostle('plan', join(scenarios, 'planning/forty_cameras.yaml'), '--html', file);
  await opened(file, async (page) => {
    assert.deepEqual(await titles(page), ['p99 over the cameras on a board', 'Price', 'Power, W', 'Energy, kWh a day', 'Cameras a board could carry']);
    assert.match(await page.locator('.head .verdict').textContent(), /^\d+ x jetson-orin-nano-super in mode MAXN_SUPER.*: p99 latency [\d.]+ ms.*under 80: yes.*; [\d.]+ W, price \d+.*; or \d+ x /);
    assert.match(await page.locator('.head .why').textContent(), /carries \d+ cameras?; .* would overload the GPU at 15 frames\/s/);
    assert.match(await page.locator('.head .trust').textContent(), /At the model's usual error of \d+ % a board carries \d+ to \d+ cameras: it (stays at|would be)/);
    assert.doesNotMatch(await page.locator('.head').textContent(), /latency_ms/);
    await shoot(page, 'fleet');
    const curve = page.locator('figure, .figure, section', {hasText: 'p99 over the cameras on a board'}).last();
    await curve.locator('summary').click();
    assert.match(await curve.locator('tbody').textContent(), /jetson-orin-nano-super/);
  });
  await beginsWell(file);
});

test('a plan with headroom says what the best point carries, what it costs in energy, and what is out of reach', async () => {
  const file = join(folder, 'headroom.html');
  const plan = JSON.parse(jostle('plan', join(scenarios, 'planning/cameras_with_headroom.yaml'), '--no-interval', '--html', file,
      '--format', 'json'));
  for (const viewport of [{width: 1200, height: 900}, {width: 360, height: 740}]) {
    await opened(file, async (page) => {
      const told = await page.locator('#report').textContent();
      assert.ok(told.includes(plan.best.overload.sentence) && /with 25 % more requests, the headroom of 20 %, it keeps up and p99 latency is/.test(told), told);
      assert.match(told, /Energy: [\d.]+ kWh a day.*; it costs [\d.]+ a day.*\(fitted\)\./);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= viewport.width);
      await shoot(page, `headroom-${viewport.width}`);
    }, {viewport, shown: '.head'});
  }
});

test('an offload shows who is best over the link', async () => {
  const file = join(folder, 'offload.html');
  jostle('offload', join(scenarios, 'offload/gate_cameras.yaml'), '--html', file);
  await opened(file, async (page) => {
    assert.deepEqual(await titles(page), ['Least latency', 'Least energy', 'Latency p99', 'Energy per image', 'More edge boards']);
    const best = new Set((await csv(page, 'least-latency')).slice(1).map((row) => row[2]));
    assert.ok(best.has('edge') && best.has('cloud'), [...best].join());
    assert.ok(await page.locator('.head .answers tbody tr').count() >= 4);
    assert.match(await page.locator('.head .answers').textContent(), /There and back in [\d.]+ ms to [\d.]+ ms; with [\d.]+ .bit\/s (the cloud|the edge|split).* \(p99 [\d.]+( to [\d.]+)? ms\)/);
    assert.doesNotMatch(await page.locator('.head').textContent(), /– ms/);
    assert.match(await page.locator('.head .trust').textContent(), /the choice stays the same on \d+ of \d+ links/);
    const cut = await page.locator('.head .answers td:visible').evaluateAll((all) => all.filter((cell) =>
      cell.getBoundingClientRect().right > cell.closest('.scroll').getBoundingClientRect().right + 1).map((cell) => cell.textContent));
    assert.deepEqual(cut, [], 'cells are cut');
    await shoot(page, 'offload');
  });
  await beginsWell(file);
});

test('statements can be filtered, and say why they are missed', async () => {
  const file = join(folder, 'reproduce.html');
  jostle('reproduce', 'C01', 'C08', 'E42', '--html', file);
  await opened(file, async (page) => {
    const rows = page.locator('table[data-name="claims"] > tbody > tr');
    assert.equal(await rows.count(), 3);
    assert.match(await page.locator('.head .answers').textContent(), /Of 3 statements, 2 are reproduced, 0 are missed and 1 cannot be judged; 5 of 5 checks hold/);
    assert.ok(await page.evaluate(() => document.querySelector('[data-name="claims"]').compareDocumentPosition(document.querySelector('figure')) & 4), 'charts come last');
    await choice(page, 'Source').selectOption('energy-knobs');
    assert.equal(await rows.count(), 1);
    await choice(page, 'Source').selectOption('all');
    await choice(page, 'Basis').selectOption('fitted');
    assert.match(await rows.first().textContent(), /^C08/);
    await choice(page, 'Basis').selectOption('all');
    await choice(page, 'Verdict').selectOption('not judged');
    assert.match(await rows.first().textContent(), /^E42/);
    await choice(page, 'Verdict').selectOption('all');
    await page.getByLabel('Find').fill('fcn_resnet50');
    assert.equal(await rows.count(), 1);
    assert.match(await rows.first().textContent(), /^C08/);
    await shoot(page, 'reproduce');
  });
  await beginsWell(file, {why: false});
});

test('statements that are missed say what they have in common', async () => {
  const file = join(folder, 'missed.html');
  const text = jostle('reproduce', 'C15', 'C17', 'C20', 'C12', '--html', file).replace(/\s+/g, ' ');
  await opened(file, async (page) => {
    const [first] = await page.locator('.head .why p').allTextContents();
    assert.match(first, /^3 of 4 misses: memory traffic costs too much power/);
    assert.ok(text.includes(`${first.slice(0, -1)} (C15, C17, C20)`), text);
    assert.doesNotMatch(await page.locator('.head .answers > p').first().textContent(), /C\d\d/);
    await page.locator('summary', {hasText: 'Why the misses miss'}).click();
    assert.match(await page.locator('details', {hasText: 'Why the misses miss'}).textContent(), /\(C15, C17, C20\)/);
  }, {shown: '.head'});
  await beginsWell(file);
});

test('a phone sees no wider page than its own', async () => {
  await opened(join(folder, 'small.html'), async (page) => {
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 360);
    await shoot(page, 'phone');
  }, {viewport: {width: 360, height: 740}});
});

test('a validation shows each value against its measurement, and the errors of each group of runs', async () => {
  const file = join(folder, 'validate.html');
  jostle('validate', 'h200', '--html', file);
  for (const options of [{}, {viewport: {width: 360, height: 740}}]) {
    await opened(file, async (page) => {
      for (const summary of await page.locator('details.fold > summary').all()) await summary.click();
      assert.match(await page.locator('.head .why').textContent(), /\d+ of \d+ exceeded limits: .*microseconds/);
      assert.match(await page.locator('.head .answers').textContent(), /\d+ values of throughput: half are off by less than [\d.]+ %, nine of ten/);
      const rows = page.locator('table[data-name="values"] tbody tr'), errors = page.locator('table[data-name="errors"] tbody tr');
      assert.match(await errors.first().textContent(), /^one processgraph, images\/s48/);
      assert.match(await page.locator('table[data-name="errors"]').textContent(), /\d+ % of 168 in 36 runs \(\d+ to \d+\)mean ≤ /);
      await page.getByLabel('Only').selectOption('one process');
      await page.getByLabel('Order').selectOption('most wrong first');
      assert.match(await rows.first().textContent(), /^mobilenet_v2 fp32 b2 eager/);
      await page.getByLabel('Find').fill('resnet50 fp16 b64 graph');
      assert.equal(await rows.count(), 1);
      const plot = page.locator('figure[data-name="predicted-against-measured"]');
      await choice(plot, 'Runs').selectOption('equal GPU-bound processes');
      await plot.locator('.plot').focus();
      await page.keyboard.press('ArrowRight');
      assert.match(await plot.locator('.reading').textContent(), /^c\d+ .*: measured [\d.]+, predicted [\d.]+ \([-+]?[\d.]+ %\)/);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= page.viewportSize().width, 'wider than the window');
      await shoot(page, `validate-${page.viewportSize().width}`);
    }, options);
  }
  await beginsWell(file);
});

test('a profile from a probe shows how sure it is, what differs from the base, and what to record next', async () => {
  const file = join(folder, 'calibrate.html');
  jostle('calibrate', 'auto', join(scenarios, '../calibration/evidence/h100-probe'), '--html', file);
  for (const options of [{}, {viewport: {width: 360, height: 740}}]) {
    await opened(file, async (page) => {
      assert.match(await page.locator('#report').textContent(), /The base is this board or card: the driver calls the card/);
      const rows = page.locator('table[data-name="parameters"] tbody tr');
      assert.match(await rows.first().textContent(), /^gpu\.time_slicing\.slice2\.09/);
      for (const name of ['how-sure', 'what-differs-from-the-base', 'watts-of-single-loads', 'times-of-single-kernels'])
        assert.equal(await page.locator(`figure[data-name="${name}"]`).count(), 1, name);
      const plot = page.locator('figure[data-name="what-differs-from-the-base"]');
      await plot.locator('.plot').focus();
      await page.keyboard.press('ArrowRight');
      assert.match(await plot.locator('.reading').textContent(), /^[a-z_.]+: .* instead of .* times/);
      assert.match(await page.locator('#report').textContent(), /What to record next.*Not taken.*power\.gpu\.issue/s);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= page.viewportSize().width, 'wider than the window');
      await shoot(page, `calibrate-${page.viewportSize().width}`);
    }, options);
  }
  await beginsWell(file);
});
