// The state of the page in its address: #1 and the state as deflated JSON, so that a link is a scenario.

const alphabet = {'+': '-', '/': '_', '=': ''};

// Of a state. A link of a few lines inflates to a thousand times its length, which would fill the memory of
// who opens it.
export const mostBytes = 1 << 20;

export class TooLarge extends Error {}

async function through(stream, bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(), pieces = [];
  for (let size = 0;;) {
    const {done, value} = await reader.read();
    if (done) return new Uint8Array(await new Blob(pieces).arrayBuffer());
    size += value.length;
    if (size > mostBytes) {
      await reader.cancel();
      throw new TooLarge('This link was not opened: it holds more than a megabyte.');
    }
    pieces.push(value);
  }
}

// The address of a state; null of one that is too large for a link.
export async function written(state) {
  const plain = new TextEncoder().encode(JSON.stringify(state));
  if (plain.length > mostBytes) return null;
  const bytes = await through(new CompressionStream('deflate-raw'), plain);
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return `#1${btoa(text).replace(/[+/=]/g, (of) => alphabet[of])}`;
}

// The state of an address; null of one that has none, or not one of ours. Throws TooLarge.
export async function read(hash) {
  if (!hash.startsWith('#1')) return null;
  try {
    const text = atob(hash.slice(2).replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = await through(new DecompressionStream('deflate-raw'), Uint8Array.from(text, (of) => of.charCodeAt(0)));
    const state = JSON.parse(new TextDecoder().decode(bytes));
    return typeof state?.a === 'string' && ['b', 'view', 'lesson'].every((key) => ['undefined', 'string'].includes(typeof state[key])) ? state : null;
  } catch (error) {
    if (error instanceof TooLarge) throw error;
    return null;
  }
}
