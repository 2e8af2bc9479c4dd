// No view of the playground has a finding of axe-core that it calls serious or critical, at a desk and on a phone, in light
// and in dark colours.
//
//   node --test tests/playground/accessible.test.mjs     in the environment: PLAYGROUND (the page), PACKAGES (a folder with
//       node_modules)
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {browser} from './browser.mjs';

const axe = createRequire(join(process.env.PACKAGES, 'package.json')).resolve('axe-core/axe.min.js');

// What axe finds, as "rule: element", with its experimental rules.
async function findings(page) {
  const {violations} = await page.evaluate(() => window.axe.run(document, {resultTypes: ['violations'],
    rules: {'label-content-name-mismatch': {enabled: true}}}));
  return violations.filter(({impact}) => ['serious', 'critical'].includes(impact))
      .flatMap(({id, nodes}) => nodes.slice(0, 3).map(({html}) => `${id}: ${html.slice(0, 160)}`));
}

const view = (page, name) => page.getByRole('navigation', {name: 'Views'}).getByRole('button', {name, exact: true}).click();
const unfold = (page) => page.evaluate(() => { for (const of of document.querySelectorAll('details')) of.open = true; });

// Each view with something in it, and everything unfolded.
const states = {
  async Simulate(page) {
    await page.getByRole('button', {name: /^Try it: /}).click({timeout: 60_000});
    await page.locator('table[data-name="delta"]').waitFor();
  },
  async Text(page) {
    await page.getByRole('tab', {name: 'Text'}).first().click();
    await page.locator('.cm-editor').first().waitFor();
  },
  async Compare(page) {
    await view(page, 'Compare');
    await page.waitForSelector('html[data-compared]');
  },
  async Map(page) {
    await view(page, 'Map');
    await page.waitForSelector('html[data-mapped]', {timeout: 60_000});
  },
  async Learn(page) { await view(page, 'Learn'); },
  async Answered(page) {
    await page.locator('.guess input[type="number"]').first().fill('7');
    for (const of of await page.locator('.doubt input').all()) await of.check();
    await page.getByRole('button', {name: 'Run', exact: true}).click();
    await page.getByRole('button', {name: /^Change one thing/}).click();
    await page.getByRole('heading', {name: 'Why', exact: true}).waitFor();
  },
  async Curve(page) { await page.locator('.lessons button').nth(5).click(); },
  async Class(page) {
    await page.evaluate(() => { location.hash = '#lecturer'; });
    await view(page, 'Class');
    const lessons = {'two-processes': {guesses: [7, 'unknown'], truths: [9.15, 443], words: 'They take turns.'}};
    await page.locator('#class-files').setInputFiles(['Ada', 'Grace'].map((name) => ({name: `${name}.json`, mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify({schema: 'jostle.answers/1', name, lessons}))})));
    await page.locator('table[data-name="class"]').waitFor();
  },
};

for (const options of [{viewport: {width: 1440, height: 900}}, {viewport: {width: 360, height: 780}, colorScheme: 'dark'}])
  test(`no view has a serious finding at a width of ${options.viewport.width}`, async () => {
    const {page, close} = await browser(options);
    try {
      await page.goto(pathToFileURL(process.env.PLAYGROUND).href);
      await page.waitForSelector('html[data-pictured]');
      await page.evaluate(readFileSync(axe, 'utf8'));  // as a script of the page it would break the page's own policy
      const found = {};
      for (const [name, to] of Object.entries(states)) {
        await unfold(page);
        await to(page);
        await unfold(page);
        await page.waitForTimeout(700);
        const all = await findings(page);
        if (all.length) found[name] = all;
      }
      assert.deepEqual(found, {});
    } finally {
      await close();
    }
  });
