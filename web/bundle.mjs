// Puts script and style into a page: one file that asks for nothing. Packages are those in DIRECTORY/node_modules.
//
//   node bundle.mjs report DIRECTORY                   src/page.html as DIRECTORY/page.html
//   node bundle.mjs playground DIRECTORY MODULE FILE   playground/page.html as FILE, with a module of WebAssembly in it
import {createHash} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const [kind, packages, module, file] = process.argv.slice(2);
const esbuild = createRequire(join(packages, 'package.json'))('esbuild');

async function bundled(entry, define = {}) {
  const {outputFiles} = await esbuild.build({
    entryPoints: [join(here, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2020',
    charset: 'utf8',
    legalComments: 'inline',
    loader: {'.yaml': 'text'},
    nodePaths: [join(packages, 'node_modules')],
    define: {'process.env.NODE_ENV': '"production"', ...define},
    logLevel: 'warning',
  });
  return outputFiles[0].text;
}

async function page(folder, rules, define) {
  const script = (await bundled(`${folder}/main.js`, define)).replaceAll('</script', '<\\/script');
  const style = await bundled(`${folder}/style.css`);
  // No other script may run, whatever stands in the data.
  const hash = createHash('sha256').update(script).digest('base64');
  return readFileSync(join(here, folder, 'page.html'), 'utf8')
      .replace("script-src 'none'", `script-src 'sha256-${hash}'${rules}`)
      .replace('<!--style-->', () => `<style>${style}</style>`)
      .replace('<!--script-->', () => `<script>${script}</script>`);
}

if (kind === 'report') {
  writeFileSync(join(packages, 'page.html'), await page('src', ''));
} else {
  const worker = JSON.stringify(await bundled('playground/worker.js'));
  writeFileSync(file, (await page('playground', " 'wasm-unsafe-eval'", {WORKER: worker}))
      .replace('<!--simulator-->', () => gzipSync(readFileSync(module), {level: 9}).toString('base64')));
}
