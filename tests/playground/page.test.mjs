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
const phone = {viewport: {width: 360, height: 780}};
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
    const titles = await page.locator('.results h3').allTextContents();  // charts, and lines of text in their place
    for (const title of ['Throughput per process', 'Latency', 'Where the time goes', 'Power', 'Time at each clock', 'Timeline'])
      assert.ok(titles.includes(title), titles.join());
    assert.ok(await throughput(page) > 100);
    await shoot(page, 'simulate');
  });
});

test('the first screen has question, answer, why and how sure, on a screen and on a phone', async () => {
  for (const viewport of [{width: 1280, height: 800}, {width: 390, height: 844}])
    await opened(async (page) => {
      await pictured(page);
      const shown = async (place) => {
        const box = await place.boundingBox();
        assert.ok(box && box.y >= 0 && box.y < viewport.height - 20, `${JSON.stringify(box)} on ${viewport.width}`);
        return place.textContent();
      };
      assert.match(await shown(page.locator('.asked')), /^Does jetson-orin-nano-super, power mode 25W, keep yolov8n p99 under 33 ms, running yolov8n int8 and 2 x resnet50 fp16\?$/);
      assert.match(await shown(page.locator('.summary .verdict')), /^Yolov8n p99 [\d.]+ ms .*, under 33: yes; /);
      assert.match(await shown(page.getByText(/^How sure:/)), /a real board may differ by/);
      assert.match(await shown(page.locator('.results .why p').first()), /^.*yolov8n.*\d %/i);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= viewport.width, 'wider than the window');
    }, {viewport});
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
    const families = await page.getByLabel('Network').locator('optgroup').evaluateAll((all) => Object.fromEntries(all.map((of) => [of.label, [...of.children].map(({value}) => value)])));
    assert.deepEqual(families.mobilenet_v3, ['mobilenet_v3_large', 'mobilenet_v3_small']);
    assert.ok(families['language models'].includes('qwen3_4b') && !families.resnet.includes('vgg16'));
    const before = await throughput(page);
    await page.getByLabel(/^Batch/).fill('5');
    await page.getByLabel(/^Precision/).selectOption('int8');
    await page.getByLabel(/^Requests come/).selectOption('poisson');
    await page.getByLabel(/^Power mode/).selectOption('15W');
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
    const slider = page.getByLabel(/^Batch/);
    await slider.focus();
    for (let i = 0; i < 7; ++i) await page.keyboard.press('ArrowRight');
    await page.waitForTimeout(800);
    const last = await throughput(page);
    const result = JSON.parse(await page.evaluate((text) => window.jostle.run(text), small.replace('fp16', 'fp16, batch: 16')));
    assert.equal(last, Number(result.system.throughput.mean.toPrecision(3)));
  });
});

test('it explains in words: reasons of the process that is asked about, which stay when the changes come', async () => {
  await opened(async (page) => {
    const reasons = async () => (await page.locator('.why > div').first().locator('p').allTextContents()).join(' ');
    await page.locator('.why > div > p').first().waitFor({timeout: 60_000});
    const before = await reasons();
    assert.match(before, /^Yolov8n int8 /);
    await page.locator('.why .lead').waitFor({timeout: 60_000});
    assert.match(await page.locator('.why').textContent(), /waiting for .*What is short: .*Try it: .*What each change would bring/s);
    assert.equal(await reasons(), before);
    assert.match(await page.locator('.why .lead').textContent(), /Try it: precision int8 of resnet50 speed .*how many times as fast each process is/);
    assert.equal(await page.locator('.why > div > p').count(), 4);
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
    assert.ok(await page.getByRole('button', {name: 'Run', exact: true}).isDisabled(), 'there is another guess to make');
    for (let i = 0; i < 2; ++i) await until(/^I don’t know$/);
    await page.keyboard.press('Space');
    await until(/^Run$/);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => /It is .* ms/.test(document.querySelector('.said')?.textContent ?? ''));
    await until(/^Change one thing/);
    await page.keyboard.press('Enter');
    await page.locator('table[data-name="change"]').waitFor();
    await until(/^Say the cause/);
    await page.keyboard.insertText('They take turns.');
    await until(/^Next: Is a GPU/);
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Is a GPU that reports 100 % full?');
    const unnamed = await page.evaluate(() => [...document.querySelectorAll('button, input, select, [role="slider"], .plot')]
        .filter((of) => !(of.getAttribute('aria-label') || of.labels?.length || of.textContent.trim())).map((of) => of.outerHTML));
    assert.deepEqual(unnamed, []);
  });
});

test('every lesson wants a guess, runs, says why after the change, and is handed in', async () => {
  await opened(async (page) => {
    await view(page, 'Learn');
    const lessons = page.locator('.lessons button'), run = page.getByRole('button', {name: 'Run', exact: true});
    const change = page.getByRole('button', {name: /^Change one thing/}), why = page.getByRole('heading', {name: 'Why', exact: true});
    const count = await lessons.count();
    assert.equal(count, 19);
    for (let i = 0; i < count; ++i) {
      if (i === 0) await lessons.first().click();
      else await page.getByRole('button', {name: /^Next: /}).click();
      const title = await page.locator('.lesson h2').textContent();
      assert.ok(await run.isDisabled(), title);
      const numbers = page.locator('.guess input[type="number"]'), bars = await numbers.count();
      for (let n = 0; n < bars; ++n) await numbers.nth(n).fill('10');
      if (title === 'Which board should I buy?') await page.locator('.guess select').selectOption('orin-nano-super');
      else if (!bars) await page.locator('.guess input[type="range"]').press('ArrowRight');
      await run.click();
      await change.waitFor({timeout: 60_000});
      assert.ok(await why.isHidden(), `${title}: the answer comes after the change`);
      const said = await page.locator('.said, .verdict').allTextContents();
      assert.ok(said.every((of) => /^(It is [\d.]+ .*\.|The least is at .*|(1[5-9]|20) of 20 intervals contain [\d.]+ ms; .*)$/.test(of)), `${title}: ${said.join(' | ')}`);
      if (bars) assert.equal(await page.locator('.legend:visible').first().textContent(), ' the answer   your guess  ');
      await change.click();
      await why.waitFor({timeout: 60_000});
      assert.equal(await page.locator('.lesson [role="status"]').textContent(), '', title);
      const outlined = await page.locator('figure .about').allTextContents();
      assert.ok(outlined.some((of) => /Outlines: as it is\.|Dashed: as it is\.|of 20 intervals/.test(of)) || title.includes('least energy'), `${title}: ${outlined}`);
      if (i === 0) await page.getByLabel(/^Say the cause/).fill('They take turns.');
      await shoot(page, `lesson-${i + 1}`);
    }
    assert.equal(await page.getByText('Notes for the lecturer').count(), 0);
    await page.reload();
    await page.waitForSelector('html[data-ready]');
    assert.equal(await page.locator('.lessons .good').count(), count);
    await page.getByLabel('Your name').fill('Ada L.');
    const file = JSON.parse((await saved(page, page.getByRole('button', {name: 'Save my answers to hand in'}))).toString());
    assert.equal(file.schema, 'jostle.answers/1');
    assert.deepEqual([file.name, Object.keys(file.lessons).length], ['Ada L.', count]);
    const {guesses, truths, words} = file.lessons['two-processes'];
    assert.deepEqual([guesses, truths.map((of) => Math.round(of)), words], [[10, 10], [9, 465], 'They take turns.']);
  });
});

test('a lecturer has notes, and a class’s files summed up', async () => {
  const file = (name, lessons) => ({name: `${name}.json`, mimeType: 'application/json', buffer: Buffer.from(typeof lessons === 'string' ? lessons : JSON.stringify({schema: 'jostle.answers/1', name, lessons}))});
  await opened(async (page) => {
    await page.getByText('Notes for the lecturer').waitFor();
    await view(page, 'Class');
    const answered = (...guesses) => ({'two-processes': {guesses, truths: [9.15, 443], words: 'They <b>take</b> turns.'}});
    await page.locator('#class-files').setInputFiles([file('Ada', answered(9, 'unknown')), file('Grace', answered(4, 400)), file('Alan', answered(20, 900)),
      file('other', '{"schema": "jostle.result/1"}'), file('torn', '{'), file('odd', {'two-processes': {guesses: ['<b>']}})]);
    const rows = page.locator('table[data-name="class"] tbody tr');
    await rows.first().waitFor();
    assert.deepEqual(await rows.first().locator('td').allTextContents(), ['Why does a second program double the wait?', 'Latency of an image (p50), ms', '3', '0', '9', '9.15', '1']);
    assert.deepEqual(await rows.nth(1).locator('td').allTextContents(), ['Why does a second program double the wait?', 'Images per second of both together, images/s', '3', '1', '650', '443', '1']);
    assert.deepEqual(await page.locator('[role="status"] .bad').allTextContents(), ['other.json was left out: its schema is not jostle.answers/1: it is no file of answers.',
      'torn.json was left out: it is not JSON.', 'odd.json was left out: lesson two-processes is damaged.']);
    assert.equal(await page.locator('li').filter({hasText: 'Ada: '}).textContent(), 'Ada: They <b>take</b> turns.');
    assert.match((await saved(page, page.getByRole('button', {name: 'Save as CSV'}))).toString(), /^Question,What was guessed,Answers,/);
    assert.ok(await page.locator('figure').count() === 2);
    await fits(page, 1200);
    await shoot(page, 'class');
  }, {hash: '#lecturer'});
  await opened(async (page) => assert.ok(await page.locator('nav button', {hasText: 'Class'}).isHidden()));
});

test('a link is copied and pasted, and a scenario opened and saved', async () => {
  await opened(async (page) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await type(page, small);
    await page.locator('.exchange summary').click();
    await page.getByRole('button', {name: 'Copy the link'}).click();
    await page.getByText('Copied: it opens').waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(link, /^#1[\w-]+$/);
    assert.equal((await saved(page, page.getByRole('button', {name: 'Save the scenario'}))).toString(), small);
    const [chosen] = await Promise.all([page.waitForEvent('filechooser'), page.getByRole('button', {name: 'Open a scenario file'}).click()]);
    await chosen.setFiles({name: 'mine.yaml', mimeType: 'text/yaml', buffer: Buffer.from(`# mine\n${small.replace('resnet50', 'mobilenet_v2')}`)});
    await page.waitForFunction(() => document.querySelector('.asked')?.textContent.includes('mobilenet_v2'));
    const paste = async (text) => {
      await page.getByLabel('Paste a link').fill(text);
      await page.getByRole('button', {name: 'Open the link'}).click();
    };
    await paste(`somewhere/playground.html${link}`);
    await page.waitForFunction(() => document.querySelector('.asked')?.textContent.includes('resnet50'));
    const refusal = page.locator('#top [role=alert]');
    for (const [text, said] of [['nothing', /has “#1” in it/], [link.slice(0, -9), /none of this page, or a part of it is missing/],
      [`#1${deflateRawSync(Buffer.from(JSON.stringify({a: ' '.repeat(2 << 20)}))).toString('base64url')}`, /holds more than a megabyte/]]) {
      await paste(text);
      await page.waitForFunction(() => document.querySelector('#top [role=alert]').textContent);
      assert.match(await refusal.textContent(), said);
    }
    const [large] = await Promise.all([page.waitForEvent('filechooser'), page.getByRole('button', {name: 'Open a scenario file'}).click()]);
    await large.setFiles({name: 'large.yaml', mimeType: 'text/yaml', buffer: Buffer.alloc(2 << 20, ' ')});
    await page.waitForFunction(() => /large.yaml was not opened/.test(document.querySelector('#top [role=alert]').textContent));
  });
});

test('the form knows sharing, cores, clocks, power and language models', async () => {
  await opened(async (page) => {
    await type(page, small.replace('nano', 'nano-super'));
    await page.getByRole('tab', {name: 'Form'}).click();
    await page.locator('summary:has-text("Sharing, cores, clocks, power")').click();
    await page.getByLabel(/^Sharing the GPU/).selectOption('side by side: MPS');
    for (const [label, value] of [['Cores', '4'], ['GPU clock', '510'], ['Power cap', '9']]) {
      await page.getByLabel(label, {exact: true}).fill(value);
      await page.getByLabel(label, {exact: true}).press('Enter');
    }
    await page.getByLabel(/^Streams in each/).fill('2');
    await page.getByRole('button', {name: 'Add a language model'}).click();
    await page.getByLabel(/^Users/).fill('2');
    await page.getByLabel(/^Weights/).selectOption('q8_0');
    await page.getByLabel('Network').first().selectOption('qwen2.5_0.5b');
    await page.getByLabel('Network').first().selectOption('resnet50');
    await page.getByRole('tab', {name: 'Text'}).click();
    const text = await page.getByRole('textbox', {name: 'Scenario as text'}).innerText();
    for (const part of [/^mps: true$/m, /^host_cores: 4$/m, /clocks:\s*\{\s*gpu: 510 MHz\s*\}/, /power_cap:\s*\{\s*budget: 9 W\s*\}/, /model: resnet50/,
      /model: qwen2.5_0.5b[^-]*precision: q8_0[^-]*runtime: llama.cpp[^-]*prompt: 64[^-]*users: 3/s]) assert.match(text, part);
    await page.waitForFunction(() => /MPS.*gpu at 510 MHz.*capped at 9 W.*4 cores/.test(document.querySelector('.asked')?.parentElement.textContent ?? ''));
    assert.equal(await page.locator('.problems p').count(), 0);
    await page.getByRole('tab', {name: 'Form'}).click();
    await page.getByLabel(/^Power cap/).fill('');
    await page.getByLabel(/^Power cap/).press('Enter');
    await page.waitForFunction(() => !/capped/.test(document.querySelector('.asked').parentElement.textContent));
  });
});

test('five questions make a scenario, as the command asks them', async () => {
  await opened(async (page) => {
    await pictured(page);
    await page.getByText('New: five questions').click();
    await page.getByLabel('What comes in').selectOption('cpu');
    assert.equal(await page.getByLabel('Which board').inputValue(), 'raspberry-pi-5');
    await page.getByLabel('What comes in').selectOption('robot');
    await page.getByLabel('Which models').fill('yolo11n, resnet50, resnet18');
    await page.getByLabel('At what rate').fill('10 /s');
    await page.getByLabel('What must hold').fill('80 ms');
    await shoot(page, 'new');
    await page.getByRole('button', {name: 'Write the scenario'}).click();
    await page.waitForFunction(() => /segmenter_3: resnet18 fp16/.test(document.querySelector('.asked')?.parentElement.textContent ?? ''));
    assert.match(await page.locator('.asked + p').textContent(), /10 \/s at regular times/);
    await page.getByLabel('Which models').fill('yolo11q');
    await page.getByRole('button', {name: 'Write the scenario'}).click();
    await page.waitForFunction(() => /yolo11q/.test(document.querySelector('.problems')?.textContent ?? ''));
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
        await page.getByText('The scenario: change it').click();
        await page.getByRole('button', {name: 'To the result'}).press('Enter');
        const top = await page.evaluate(() => document.activeElement.getBoundingClientRect().top);
        assert.ok(Math.abs(top) < 100, `the result begins at ${top}`);
      }
      await shoot(page, `phone-${name.toLowerCase()}`);
    }
    await page.locator('.exchange summary').click();
    await page.getByRole('button', {name: 'Light colours'}).click();
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
  }, {...phone, colorScheme: 'dark'});
});
