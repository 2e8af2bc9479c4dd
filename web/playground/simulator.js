// The simulator's module: what it needs of a system (next to nothing), and questions as texts.

const badDescriptor = 8, notSupported = 58, success = 0;

// The functions of WASI that wasi-libc links in. There are no files and no arguments; what is printed is lost, as
// the simulator prints nothing.
function system(memory) {
  const view = () => new DataView(memory().buffer);
  const nothing = (count, size) => {
    view().setUint32(count, 0, true);
    view().setUint32(size, 0, true);
    return success;
  };
  const known = {
    environ_sizes_get: nothing,
    environ_get: () => success,
    args_sizes_get: nothing,
    args_get: () => success,
    fd_prestat_get: () => badDescriptor,
    proc_exit: (code) => { throw new Error(`the simulator ended (${code})`); },
    clock_time_get: (_id, _precision, at) => {
      view().setBigUint64(at, 0n, true);
      return success;
    },
  };
  return new Proxy(known, {get: (of, name) => of[name] ?? (() => notSupported)});
}

// The module as it stands in a page: gzip, in base64.
export async function compiled(packed) {
  const text = atob(packed.trim()), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

// A simulator of a compiled module. ask({ask: 'run', text, set}) gives {status, text}: playground/answers.hpp says what.
export async function simulator(module) {
  let exports = null;
  const wasi = system(() => exports.memory);
  const imports = {};
  for (const {module: of, name} of WebAssembly.Module.imports(module)) (imports[of] ??= {})[name] = wasi[name];
  ({exports} = await WebAssembly.instantiate(module, imports));
  exports._initialize?.();
  const encoder = new TextEncoder(), decoder = new TextDecoder();
  return (question) => {
    const bytes = encoder.encode(JSON.stringify(question));
    new Uint8Array(exports.memory.buffer, exports.room(bytes.length), bytes.length).set(bytes);
    const status = ['answered', 'problems', 'failed'][exports.answer()];
    const text = decoder.decode(new Uint8Array(exports.memory.buffer, exports.text(), exports.size()));
    return {status, text};
  };
}
