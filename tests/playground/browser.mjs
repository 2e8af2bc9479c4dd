// A page in Debian's Chromium; what it asks of the network or says on the console is kept as a complaint.
import {createRequire} from 'node:module';
import {join} from 'node:path';

const {chromium} = createRequire(join(process.env.PACKAGES, 'package.json'))('playwright-core');

export async function browser(options = {}) {
  const chrome = await chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox',
    '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
    '--disable-sync']});
  const context = await chrome.newContext({viewport: {width: 1200, height: 900}, acceptDownloads: true, ...options});
  const page = await context.newPage(), complaints = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) complaints.push(`request: ${request.url()}`);
  });
  return {page, complaints, close: () => chrome.close()};
}
