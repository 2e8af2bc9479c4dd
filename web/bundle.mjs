// node bundle.mjs DIRECTORY: puts script and style into src/page.html and writes DIRECTORY/page.html. Packages are
// those in DIRECTORY/node_modules.
import {createHash} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const source = join(dirname(fileURLToPath(import.meta.url)), 'src');
const target = process.argv[2];
const esbuild = createRequire(join(target, 'package.json'))('esbuild');

async function bundled(entry) {
  const {outputFiles} = await esbuild.build({
    entryPoints: [join(source, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2020',
    charset: 'utf8',
    legalComments: 'inline',
    nodePaths: [join(target, 'node_modules')],
    define: {'process.env.NODE_ENV': '"production"'},
    logLevel: 'warning',
  });
  return outputFiles[0].text;
}

const script = (await bundled('main.js')).replaceAll('</script', '<\\/script');
const style = await bundled('style.css');
const page = readFileSync(join(source, 'page.html'), 'utf8');
// No other script may run, whatever stands in the data.
const hash = createHash('sha256').update(script).digest('base64');
writeFileSync(join(target, 'page.html'),
    page.replace("script-src 'none'", `script-src 'sha256-${hash}'`)
        .replace('<!--style-->', () => `<style>${style}</style>`)
        .replace('<!--script-->', () => `<script>${script}</script>`));
