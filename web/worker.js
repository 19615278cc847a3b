/* worker.js -- the library, in a Worker: loads a module and answers calls by name.
 *
 * The page sends { id, call, ... } and gets { id, ... } back, or { id, error } with the library's
 * sentence. `calls` is the registry; a view adds its own in worker_NAME.js, which the build puts
 * behind this file. Calls are answered in order, one at a time.
 */
'use strict';

const calls = {};
let wasm = null;

/* ---- memory ---------------------------------------------------------------------------------- */

const coder = new TextEncoder(), decoder = new TextDecoder();

/* What f returns, with room for so many bytes that is given back. */
function lend(bytes, f) {
  const at = wasm.web_take(Math.max(8, bytes));
  if (!at) { throw new Error('there is no memory left for this'); }
  try { return f(at); } finally { wasm.web_give(at); }
}

function withText(text, f) {
  const bytes = coder.encode(text + '\0');
  return lend(bytes.length, at => {
    new Uint8Array(wasm.memory.buffer, at, bytes.length).set(bytes);
    return f(at);
  });
}

function textAt(at) {
  const bytes = new Uint8Array(wasm.memory.buffer, at);
  return decoder.decode(bytes.subarray(0, bytes.indexOf(0)));
}

const failure = () => new Error(textAt(wasm.web_error()));
const check = status => { if (status) { throw failure(); } };
const jsonAt = at => { if (!at) { throw failure(); } return JSON.parse(textAt(at)); };
const pairsOf = options => Object.entries(options).map(([k, v]) => k + '\0' + v + '\0').join('');

/* ---- loading ---------------------------------------------------------------------------------- */

/* What wasi-libc imports: a program would print and exit by it. The library does neither; a failed
 * assertion comes here. */
function wasi(name) {
  if (name === 'fd_write') {
    return (fd, list, count, written) => {
      const view = new DataView(wasm.memory.buffer);
      let text = '', bytes = 0;
      for (let k = 0; k < count; k++) {
        const from = view.getUint32(list + 8 * k, true), length = view.getUint32(list + 8 * k + 4, true);
        text += decoder.decode(new Uint8Array(wasm.memory.buffer, from, length));
        bytes += length;
      }
      view.setUint32(written, bytes, true);
      console.error(text);
      return 0;
    };
  }
  if (name === 'proc_exit') { return code => { throw new Error('the module ended, with ' + code); }; }
  return () => 52; /* there is no such thing here */
}

async function load(base64) {
  const bytes = Uint8Array.from(atob(base64), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const module = await WebAssembly.compile(await new Response(stream).arrayBuffer());
  const imports = {};
  for (const { module: space, name } of WebAssembly.Module.imports(module)) {
    (imports[space] ||= {})[name] = wasi(name);
  }
  wasm = (await WebAssembly.instantiate(module, imports)).exports;
  wasm._initialize?.();
}

/* The relaxed module multiplies and adds in one instruction, which some machines round twice. */
function isFused() {
  const a = 1 + 2 ** -30;
  return lend(32, at => {
    new Float64Array(wasm.memory.buffer, at, 4).set([a, a, -(1 + 2 ** -29), 2 ** -60]);
    return wasm.web_is_fused(at) === 1;
  });
}

calls.load = async ({ relaxed, exact }) => {
  let why = '';
  if (relaxed) {
    try {
      await load(relaxed);
      if (isFused()) { return { module: 'relaxed', tables: jsonAt(wasm.web_tables()) }; }
      why = 'its multiply-add rounds twice on this machine';
    } catch (e) {
      why = 'this browser has no relaxed SIMD';
    }
  }
  await load(exact);
  if (!isFused()) { throw new Error('multiply-add rounds twice in both modules: results would differ'); }
  return { module: 'exact', why, tables: jsonAt(wasm.web_tables()) };
};

/* ---- nouns ------------------------------------------------------------------------------------ */

/* arrays: { name: { values: Float64Array, shape: [a, b, c] } }, copied by the noun. */
function create(noun, options, arrays = {}) {
  const lent = [];
  try {
    for (const [name, { values, shape }] of Object.entries(arrays)) {
      const at = wasm.web_take(Math.max(8, 8 * values.length));
      if (!at) { throw new Error('there is no memory left for ' + name); }
      lent.push(at);
      new Float64Array(wasm.memory.buffer, at, values.length).set(values);
      withText(name, text => wasm.web_array(text, at, shape[0] ?? 0, shape[1] ?? 0, shape[2] ?? 0));
    }
    const handle = withText(noun, n => withText(pairsOf(options), o => wasm.web_create(n, o)));
    if (!handle) { throw failure(); }
    return handle;
  } finally {
    lent.forEach(at => wasm.web_give(at));
  }
}

const fieldsOf = (handle, names) => withText(names, at => jsonAt(wasm.web_fields(handle, at)));

calls.create = ({ noun, options, arrays }) => ({ handle: create(noun, options, arrays) });
calls.free = ({ handle }) => { wasm.web_free(handle); return {}; };
calls.fields = ({ handle, names = '' }) => ({ fields: fieldsOf(handle, names) });
/* The options that have a part under these, with their present values. */
calls.applies = ({ noun, options }) => ({
  options: withText(noun, n => withText(pairsOf(options), o => jsonAt(wasm.web_applies(n, o)))),
});
calls.memory = () => ({ bytes: wasm.memory.buffer.byteLength });

/* ---- messages --------------------------------------------------------------------------------- */

let queue = Promise.resolve();
onmessage = ({ data }) => {
  queue = queue.then(async () => {
    try {
      if (!calls[data.call]) { throw new Error('the worker knows no ' + data.call); }
      const answer = await calls[data.call](data);
      postMessage({ id: data.id, ...answer }, answer.transfer ?? []);
    } catch (e) {
      postMessage({ id: data.id, error: e.message });
    }
  });
};
