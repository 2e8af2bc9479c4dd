// The state of the page in its address: #1 and the state as deflated JSON, so that a link is a scenario.

const alphabet = {'+': '-', '/': '_', '=': ''};

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

export async function written(state) {
  const bytes = await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(JSON.stringify(state)));
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return `#1${btoa(text).replace(/[+/=]/g, (of) => alphabet[of])}`;
}

// The state of an address; null of one that has none, or not one of ours.
export async function read(hash) {
  if (!hash.startsWith('#1')) return null;
  try {
    const text = atob(hash.slice(2).replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = await through(new DecompressionStream('deflate-raw'), Uint8Array.from(text, (of) => of.charCodeAt(0)));
    const state = JSON.parse(new TextDecoder().decode(bytes));
    return typeof state?.a === 'string' ? state : null;
  } catch {
    return null;
  }
}
