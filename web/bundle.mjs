// Puts script and style into a page: one file that asks for nothing. Packages are those in DIRECTORY/node_modules.
//
//   node bundle.mjs report DIRECTORY                   src/page.html as DIRECTORY/page.html
//   node bundle.mjs playground DIRECTORY MODULE FILE   playground/page.html as FILE, with a module of WebAssembly in it
import {createHash} from 'node:crypto';
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';
import {simulator} from './playground/simulator.js';

const here = dirname(fileURLToPath(import.meta.url));
const [kind, packages, module, file] = process.argv.slice(2);
const esbuild = createRequire(join(packages, 'package.json'))('esbuild');

const common = {
  bundle: true,
  minify: true,
  write: false,
  format: 'iife',
  target: 'es2020',
  charset: 'utf8',
  legalComments: 'inline',
  loader: {'.yaml': 'text', '.md': 'text'},
  nodePaths: [join(packages, 'node_modules')],
  logLevel: 'warning',
};
const withWords = (words) => ({define: {'process.env.NODE_ENV': '"production"', ...words}});

async function bundled(options) {
  const {outputFiles} = await esbuild.build({...common, ...options});
  return outputFiles[0].text;
}

// What earlier scripts of the page have is taken from there. modules: by file, {place: an expression, names: what it exports}.
const earlier = (modules) => ({name: 'earlier', setup(build) {
  build.onResolve({filter: /./}, async ({path, resolveDir, kind, pluginData}) => {
    if (kind === 'entry-point' || pluginData === earlier) return null;
    const found = await build.resolve(path, {resolveDir, kind, pluginData: earlier});
    return modules.has(found.path) ? {path: found.path, namespace: 'earlier', sideEffects: false} : found;
  });
  build.onLoad({filter: /./, namespace: 'earlier'}, ({path}) => {
    const {place, names} = modules.get(path);
    return {contents: names.map((of) => (of === 'default' ? `export default ${place}.default;` : `export const ${of} = /* @__PURE__ */ (() => ${place}.${of})();`)).join('\n')};
  });
}});

// The scripts of a page. Each of `parts`, {name: [file, ...]}, is one before the last, so that no task of the browser has
// to compile and run all of them; it gives later ones every module that it holds.
async function scripts(entry, parts, words) {
  const modules = new Map(), found = [], given = withWords(words);
  for (const [name, entries] of Object.entries(parts)) {
    const plugins = [earlier(new Map(modules))], resolveDir = here;
    const all = (files) => ({contents: files.map((file, i) => `export * as of${i} from ${JSON.stringify(file)};`).join('\n'), resolveDir});
    const held = async (options) => Object.values((await esbuild.build({...common, ...given, plugins, metafile: true, outdir: here, ...options})).metafile.outputs);
    const [{inputs}] = await held({stdin: all(entries)});
    const files = Object.keys(inputs).filter((file) => inputs[file].bytesInOutput && existsSync(file)).map((file) => resolve(file));
    found.push(await bundled({...given, plugins, stdin: all(files), globalName: name}));
    const outputs = await held({entryPoints: files, format: 'esm', splitting: true});
    for (const {entryPoint, exports} of outputs) {
      const i = entryPoint ? files.indexOf(resolve(entryPoint)) : -1;
      if (i >= 0) modules.set(files[i], {place: `window.${name}.of${i}`, names: exports});
    }
  }
  found.push(await bundled({...given, plugins: [earlier(modules)], entryPoints: [entry]}));
  return found.map((script) => script.replaceAll('</script', '<\\/script'));
}

async function page(folder, rules = '', parts = {}, words = {}) {
  const all = await scripts(join(here, folder, 'main.js'), parts, words);
  const style = await bundled({entryPoints: [join(here, folder, 'style.css')]});
  // No other script may run, whatever stands in the data.
  const hashes = all.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  return readFileSync(join(here, folder, 'page.html'), 'utf8')
      .replace("script-src 'none'", `script-src ${hashes.join(' ')}${rules}`)
      .replace('<!--style-->', () => `<style>${style}</style>`)
      .replace('<!--script-->', () => all.map((script) => `<script>${script}</script>`).join('\n'));
}

if (kind === 'report') {
  writeFileSync(join(packages, 'page.html'), await page('src'));
} else {
  const worker = JSON.stringify(await bundled({...withWords({}), entryPoints: [join(here, 'playground/worker.js')]}));
  const ask = await simulator(await WebAssembly.compile(readFileSync(module))), catalogue = ask({ask: 'catalogue'}).text;
  const parts = {simulators: ['./playground/start.js'], drawing: ['zrender'], charts: ['echarts/core'], figures: ['./src/chart.js'],
    texts: ['@codemirror/view'], editors: ['./playground/editor.js']};
  // A memory level of 7 makes smaller blocks, which suit this module: 5 kB less than the default's 8.
  const [, version] = readFileSync(join(here, '../CMakeLists.txt'), 'utf8').match(/^project\(jostle VERSION ([\d.]+)/m);
  writeFileSync(file, (await page('playground', " 'wasm-unsafe-eval'", parts, {WORKER: worker, CATALOGUE: catalogue}))
      .replace('<!--version-->', version)
      .replace('<!--simulator-->', () => gzipSync(readFileSync(module), {level: 9, memLevel: 7}).toString('base64')));
}
