// The playground in a real browser: what each view does, at both widths, by keys alone, and how fast.
//
//   node --test tests/playground/page.test.mjs     in the environment: PLAYGROUND (the page), PACKAGES (a folder with
//       node_modules), SHOTS (a folder for screenshots; default none)
import assert from 'node:assert/strict';
import {readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {deflateRawSync} from 'node:zlib';
import {browser} from './browser.mjs';

const url = pathToFileURL(process.env.PLAYGROUND).href;
const phone = {viewport: {width: 360, height: 740}};
const small = `device: jetson-orin-nano
processes:
  - {model: resnet50, precision: fp16}
run: {duration: 200 ms}
`;

// Opens the page, at an address of its own, for `look`; a request, or a word on the console, is a failure.
async function opened(look, {hash = '', ...options} = {}) {
  const {page, complaints, close} = await browser(options);
  try {
    const began = Date.now();
    await page.goto(url + hash);
    await page.waitForSelector('html[data-ready]');
    await look(page, Date.now() - began);
    assert.deepEqual(complaints, []);
  } finally {
    await close();
  }
}

const view = (page, name) => page.getByRole('navigation', {name: 'Views'}).getByRole('button', {name, exact: true}).click();
const pictured = (page) => page.waitForSelector('html[data-pictured]');
const throughput = async (page) => Number((await page.locator('[data-figure="throughput"]').textContent()));
const fits = async (page, width) => assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width, 'wider than the window');

// The scenario as text, written by somebody who types it.
async function type(page, text) {
  await page.getByRole('tab', {name: 'Text'}).first().click();
  const editor = page.getByRole('textbox', {name: /as text/}).first();
  await editor.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

async function shoot(page, name) {
  if (!process.env.SHOTS) return;
  await page.evaluate(async () => {
    for (let y = 0; y < document.body.scrollHeight; y += 400) {
      scrollTo(0, y);
      await new Promise((done) => setTimeout(done, 120));
    }
    scrollTo(0, 0);
  });
  await page.screenshot({path: join(process.env.SHOTS, `${name}.png`), fullPage: true});
}

async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return readFileSync(await download.path());
}

test('it is one file of at most 4 MB that opens with a picture of its own scenario', async () => {
  const {size} = statSync(process.env.PLAYGROUND);
  assert.ok(size <= 4e6, `${size} bytes`);
  await opened(async (page, ready) => {
    await pictured(page);
    console.log(`# ${size} bytes, ready after ${ready} ms`);
    const titles = await page.locator('figure h3').allTextContents();
    for (const title of ['Throughput per process', 'Latency', 'Where the time goes', 'Power', 'Time at each clock', 'Timeline'])
      assert.ok(titles.includes(title), titles.join());
    assert.ok(await throughput(page) > 100);
    await shoot(page, 'simulate');
  });
});

test('no task of its opening has to compile much, and what is not seen is not made', async () => {
  const page = readFileSync(process.env.PLAYGROUND, 'utf8');
  const scripts = [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(([, text]) => text.length);
  assert.ok(scripts.length > 3 && Math.max(...scripts) <= 350e3, scripts.join());
  await opened(async (page) => {
    await pictured(page);
    assert.equal(await page.locator('.cm-editor').count(), 0);
    const figures = await page.locator('figure').count(), drawn = await page.locator('figure canvas').count();
    assert.ok(drawn < figures, `${drawn} of ${figures} charts are drawn`);
    await type(page, small);
    assert.equal(await page.locator('.cm-editor').count(), 1);
  });
});

test('form and text are in step, and comments stay', async () => {
  await opened(async (page) => {
    await type(page, `# mine\n${small}`);
    await page.getByRole('tab', {name: 'Form'}).click();
    assert.equal(await page.getByLabel('Network').inputValue(), 'resnet50');
    const before = await throughput(page);
    await page.getByLabel('Batch').fill('5');
    await page.getByLabel('Precision').selectOption('int8');
    await page.getByLabel('Requests come').selectOption('poisson');
    await page.getByLabel('Power mode').selectOption('15W');
    await page.getByRole('tab', {name: 'Text'}).click();
    const text = await page.getByRole('textbox', {name: 'Scenario as text'}).innerText();
    for (const part of ['# mine', 'batch: 8', 'precision: int8', 'poisson: 30 /s', 'power_mode: 15W']) assert.ok(text.includes(part), text);
    await page.waitForFunction((of) => document.querySelector('[data-figure="throughput"]').textContent !== of, String(before));
    await page.getByRole('tab', {name: 'Form'}).click();
    await page.getByRole('button', {name: 'Add a process'}).click();
    assert.equal(await page.getByLabel('Network').count(), 2);
    await page.getByRole('button', {name: 'Remove process 2'}).click();
    assert.equal(await page.getByLabel('Network').count(), 1);
  });
});

test('what is wrong stands at its line, and the picture waits', async () => {
  await opened(async (page) => {
    await pictured(page);
    await type(page, `${small}power_mod: 15W\n`);
    await page.locator('.problems p').waitFor();
    assert.match(await page.locator('.problems').textContent(), /^Line 5: power_mod: .*power_mode/);
    await page.locator('.cm-lint-marker-error').waitFor();
    assert.ok(await page.locator('.results.stale').count());
    await type(page, small);
    await page.waitForSelector('.results:not(.stale)');
    assert.equal(await page.locator('.problems p').count(), 0);
  });
});

test('the editor completes keys, as the loader knows them, networks and devices', async () => {
  await opened(async (page) => {
    const offered = async (text) => {
      await type(page, text);
      await page.keyboard.press('Control+Space');
      await page.locator('.cm-tooltip-autocomplete li').first().waitFor();
      const labels = await page.locator('.cm-tooltip-autocomplete .cm-completionLabel').allTextContents();
      await page.keyboard.press('Escape');
      return labels;
    };
    assert.ok((await offered('device: jetson-o')).includes('jetson-orin-nano'));
    assert.ok((await offered('device: jetson-orin-nano\nprocesses:\n  - {model: yolov8')).includes('yolov8n'));
    assert.ok((await offered('device: jetson-orin-nano\nprocesses:\n  - {model: resnet50, precision: fp16, stre')).includes('streams'));
    assert.ok((await offered(`${small}ambi`)).includes('ambient'));
  });
});

test('a moving slider moves the picture, and the last place counts', async () => {
  await opened(async (page) => {
    await type(page, small);
    await page.getByRole('tab', {name: 'Form'}).click();
    const slider = page.getByLabel('Batch');
    await slider.focus();
    for (let i = 0; i < 7; ++i) await page.keyboard.press('ArrowRight');
    await page.waitForTimeout(800);
    const last = await throughput(page);
    const result = JSON.parse(await page.evaluate((text) => window.jostle.run(text), small.replace('fp16', 'fp16, batch: 16')));
    assert.equal(last, Number(result.system.throughput.mean.toPrecision(3)));
  });
});

test('it explains in words', async () => {
  await opened(async (page) => {
    await page.locator('.why .lead').waitFor({timeout: 60_000});
    assert.match(await page.locator('.why').textContent(), /waiting for .*What is short: .*Try it: .*What each change would bring/s);
    assert.equal(await page.locator('.why > div > p').count(), 3);
    const {y, height} = await page.locator('.why .lead').boundingBox();
    assert.ok(y + height <= 900, `the best change ends at ${y + height}`);
  });
});

const delta = (page, row) => page.locator('table[data-name="delta"] tbody tr').nth(row).locator('td').allTextContents();

test('two scenarios are compared on the first screen, B beginning with one change', async () => {
  for (const options of [{viewport: {width: 1440, height: 900}}, phone]) {
    await opened(async (page) => {
      await view(page, 'Compare');
      await page.waitForSelector('html[data-compared]');
      assert.match(await page.locator('h2').first().textContent(), /^B differs from A: Processes of resnet50: 2 → 3$/);
      const table = page.locator('table[data-name="delta"]');
      const {y, height} = await table.boundingBox();
      assert.ok(y + height <= page.viewportSize().height, `the answer ends at ${y + height}`);
      assert.match((await table.textContent()), /images\/slatency p\d\d, msW \(fitted\)mJ an imageA: a camera beside two classifiers.*B: Processes of resnet50: 2 → 3/);
      const [a, b, change] = [await delta(page, 0), await delta(page, 1), await delta(page, 2)];
      assert.ok(Number(b[1]) > Number(a[1]), 'a further process waits longer');
      assert.match(change[1], /^\+\d+(\.\d)? %$/);
      assert.ok((await page.locator('figure .about').allTextContents()).filter((of) => /Outlines: before\.$/.test(of)).length >= 3);
      assert.ok((await page.locator('figure h3').allTextContents()).includes('Timeline, before'));
      const rows = (await saved(page, page.locator('figure[data-name="latency"] button:has-text("CSV")'))).toString();
      assert.match(rows, /^run,process,p50.*\nafter,0 yolov8n,.*\nbefore,0 yolov8n,/s);
      await fits(page, page.viewportSize().width);
      await shoot(page, `compare-${page.viewportSize().width}`);
      await page.locator('summary:has-text("Scenario B")').evaluate((of) => { of.parentElement.open = true; });
      await page.getByRole('button', {name: 'Make it the same as A'}).click();
      await page.waitForFunction(() => document.documentElement.dataset.compared === 'the same');
      assert.deepEqual((await delta(page, 2)).filter((of) => !/^(0 %|–)$/.test(of)), []);
    }, options);
  }
});

test('what is kept stays as an outline under what is changed, and its best change is a button', async () => {
  await opened(async (page) => {
    await pictured(page);
    const attempt = page.getByRole('button', {name: /^Try it: /});
    await attempt.waitFor({timeout: 60_000});
    const before = await throughput(page);
    await attempt.click();
    await page.waitForSelector('table[data-name="delta"]');
    await page.waitForFunction((of) => Number(document.querySelector('[data-figure="throughput"]').textContent) !== of, before);
    const kept = (await delta(page, 0)).map(Number), now = (await delta(page, 1)).map(Number);
    assert.equal(kept[0], before);
    assert.ok(now[0] > kept[0], `${now[0]} images/s after the best change, ${kept[0]} before`);
    assert.ok((await page.locator('figure .about').allTextContents()).some((of) => /Outlines: before\.$/.test(of)));
    await page.evaluate(() => scrollTo(0, 1500));
    await page.waitForTimeout(200);
    assert.ok((await page.locator('table[data-name="delta"]').boundingBox()).y < 60, 'it stays in sight');
    await shoot(page, 'kept');
    await page.getByRole('button', {name: 'Back to it'}).click();
    await page.waitForFunction((of) => Number(document.querySelector('[data-figure="throughput"]').textContent) === of, before);
    await page.getByRole('button', {name: 'Forget it'}).click();
    assert.equal(await page.locator('table[data-name="delta"]').count(), 0);
    await page.getByRole('button', {name: 'Keep this to compare'}).click();
    await page.locator('table[data-name="delta"]').waitFor();
  });
});

test('a map that fills draws its cells a few times, not each time that one is known', async () => {
  await opened(async (page) => {
    await pictured(page);
    await view(page, 'Map');
    await page.waitForSelector('html[data-mapped]', {timeout: 60_000});
    await page.evaluate(() => {
      const {fillText} = CanvasRenderingContext2D.prototype;
      window.labels = 0;
      CanvasRenderingContext2D.prototype.fillText = function(...of) {
        ++window.labels;
        return fillText.apply(this, of);
      };
      delete document.documentElement.dataset.mapped;
    });
    const began = Date.now();
    await page.getByRole('button', {name: 'Run', exact: true}).click();
    await page.waitForSelector('html[data-mapped]', {timeout: 60_000});
    const pictures = 3 + (Date.now() - began) / 1000;  // axes, one a second, the whole, and one to spare
    const labels = await page.evaluate(() => window.labels);
    assert.ok(labels >= 100 && labels <= pictures * 125, `${labels} labels`);
  });
});

test('two keys make a map while the page stays awake', async () => {
  await opened(async (page) => {
    await pictured(page);
    await view(page, 'Map');
    await page.waitForSelector('html[data-mapped]', {timeout: 60_000});
    const rows = (await saved(page, page.locator('figure button:has-text("CSV")'))).toString().trimEnd().split('\n');
    assert.equal(rows.length, 101);
    console.log(`# a map of 100 points in ${await page.evaluate(() => document.documentElement.dataset.mapped)} ms`);
    await page.getByLabel('Show').selectOption('Power, W');
    await page.getByLabel('Key upwards').fill('power_mode');
    await page.getByLabel('Key upwards').press('Enter');
    await page.evaluate(() => { delete document.documentElement.dataset.mapped; });
    await page.getByRole('button', {name: 'Run', exact: true}).click();
    await page.waitForSelector('html[data-mapped]', {timeout: 60_000});
    const modes = (await saved(page, page.locator('figure button:has-text("CSV")'))).toString().trimEnd().split('\n');
    assert.match(modes[0], /^processes\.0\.batch,power_mode,throughput,/);
    assert.equal(modes.length, 1 + 10 * new Set(modes.slice(1).map((row) => row.split(',')[1])).size);
    assert.ok(modes.length > 21, 'as many rows as the board has power modes');
    await shoot(page, 'map');
  });
});

test('the address is the scenario', async () => {
  let hash = '';
  await opened(async (page) => {
    await type(page, small.replace('resnet50', 'mobilenet_v2'));
    await view(page, 'Compare');
    await page.waitForFunction(() => location.hash.length > 20);
    await page.waitForTimeout(600);
    hash = await page.evaluate(() => location.hash);
  });
  await opened(async (page) => {
    assert.equal(await page.getByLabel('Network').first().inputValue(), 'mobilenet_v2');
    assert.equal(await page.locator('nav [aria-current="page"]').textContent(), 'Compare');
  }, {hash});
  await opened(async (page) => assert.equal(await page.getByLabel('Network').count(), 2), {hash: '#1broken'});
  const bomb = `#1${deflateRawSync(Buffer.from(JSON.stringify({a: small + ' '.repeat(2 << 20)}))).toString('base64url')}`;
  await opened(async (page) => {
    assert.equal(await page.locator('#top [role=alert]').textContent(), 'This link was not opened: it holds more than a megabyte.');
    assert.equal(await page.getByLabel('Network').count(), 2);
  }, {hash: bomb});
});

test('data and pictures can be taken away', async () => {
  await opened(async (page) => {
    await pictured(page);
    const result = JSON.parse((await saved(page, page.getByRole('button', {name: 'Save the whole result as JSON'}))).toString());
    assert.equal(result.schema, 'jostle.result/1');
    assert.match((await saved(page, page.getByRole('button', {name: 'Save the whole result as CSV'}))).toString(), /^[a-z_]+,.*\n/);
    const figure = page.locator('figure[data-name="where-the-time-goes"]');
    const png = await saved(page, figure.locator('button:has-text("PNG")'));
    assert.equal(png.subarray(1, 4).toString(), 'PNG');
    assert.ok(png.length > 5000);
    assert.match((await saved(page, figure.locator('button:has-text("SVG")'))).toString(), /^<svg .*GPU/s);
  });
});

test('keys alone go from the first view to a changed picture and through a lesson', async () => {
  await opened(async (page) => {
    await pictured(page);
    const until = async (name) => {
      for (let i = 0; i < 60; ++i) {
        await page.keyboard.press('Tab');
        const focused = await page.evaluate(() => {
          const of = document.activeElement;
          return of.getAttribute('aria-label') ?? (of.labels?.[0] ?? of).textContent.trim();
        });
        if (name.test(focused)) return;
      }
      assert.fail(`no ${name} by Tab`);
    };
    const before = await throughput(page);
    await until(/^Batch/);
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction((of) => document.querySelector('[data-figure="throughput"]').textContent !== of, String(before));
    await page.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); });
    await page.locator('h1').click();
    await until(/^Learn$/);
    await page.keyboard.press('Enter');
    await until(/draw your guess$/);
    await page.keyboard.press('PageUp');
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.locator('.track').first().getAttribute('aria-valuenow'), '2.2');
    await until(/^Run$/);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => /It is .* ms/.test(document.querySelector('.said')?.textContent ?? ''));
    await until(/^Change one thing/);
    await page.keyboard.press('Enter');
    await page.locator('table[data-name="change"]').waitFor();
    await page.keyboard.press('Shift+Tab');
    await until(/^What does an interval mean/);
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'What does an interval mean?');
    const unnamed = await page.evaluate(() => [...document.querySelectorAll('button, input, select, [role="slider"], .plot')]
        .filter((of) => !(of.getAttribute('aria-label') || of.labels?.length || of.textContent.trim())).map((of) => of.outerHTML));
    assert.deepEqual(unnamed, []);
  });
});

test('every lesson runs, tells how far the guess was, and is remembered', async () => {
  await opened(async (page) => {
    await view(page, 'Learn');
    const lessons = page.locator('.lessons button');
    for (let i = 0; i < await lessons.count(); ++i) {
      await lessons.nth(i).click();
      const numbers = page.locator('.guess input[type="number"]');
      for (let n = 0; n < await numbers.count(); ++n) await numbers.nth(n).fill('10');
      await page.getByRole('button', {name: 'Run', exact: true}).click();
      await page.getByRole('heading', {name: 'Why', exact: true}).waitFor({timeout: 60_000});
      const said = await page.locator('.said, .lesson > p[aria-live]').allTextContents();
      assert.ok(said.every((of) => /^(It is [\d.]+ .*\.|The least is at .*|(1[5-9]|20) of 20 intervals contain [\d.]+ ms; .*)$/.test(of)), `${await lessons.nth(i).textContent()}: ${said.join(' | ')}`);
      const change = page.getByRole('button', {name: /^Change one thing/});
      const status = page.locator('.lesson [role="status"]');
      await change.click();
      await page.waitForFunction(() => document.querySelector('.lesson [role="status"]').textContent === '', null, {timeout: 60_000});
      assert.equal(await status.textContent(), '');
      await shoot(page, `lesson-${i + 1}`);
    }
    await page.reload();
    await page.waitForSelector('html[data-ready]');
    assert.equal(await page.locator('.lessons .good').count(), await lessons.count());
  });
});

test('a phone sees no wider page than its own, in dark colours too', async () => {
  await opened(async (page) => {
    await pictured(page);
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.notEqual(ground, 'rgb(255, 255, 255)');
    for (const name of ['Simulate', 'Compare', 'Map', 'Learn']) {
      await view(page, name);
      await page.waitForTimeout(1200);
      await fits(page, 360);
      if (name === 'Simulate') {
        await page.getByRole('button', {name: 'To the result'}).press('Enter');
        const top = await page.evaluate(() => document.activeElement.getBoundingClientRect().top);
        assert.ok(Math.abs(top) < 100, `the result begins at ${top}`);
      }
      await shoot(page, `phone-${name.toLowerCase()}`);
    }
    await page.getByRole('button', {name: 'Light colours'}).click();
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
  }, {...phone, colorScheme: 'dark'});
});
