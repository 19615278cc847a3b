/* worker_flow.js -- the calls of the Flow view: flows that can go to any time, forwards and back. */
'use strict';

const FRAME = 'step,time,residual,diameter,energy,clusters,leaders,log10_step,log10_time'.split(',');
const JUDGED = 'steps,log10_steps,time,outcome,converged,residual,clusters,labels,leaders,target,' +
  'diameter,method,energy,certificate.kind,certificate.rate,certificate.groups,certificate.step,' +
  'certificate.still,certificate.distance,certificate.q1,certificate.q2,certificate.diameter,' +
  'certificate.token,certificate.wall,graph.components,graph.sinks';
const CHECKPOINTS = 48;

/* handle -> { length, checks: [{ moves, words }], every, closed }: states to come back to, evenly
 * spaced, half of them forgotten whenever there are too many. */
const runs = new Map();

function stateOf(handle) {
  const words = Number(wasm.web_flow_state_size(handle));
  return lend(8 * words, at => {
    wasm.web_flow_state_save(at, handle);
    return new BigInt64Array(wasm.memory.buffer, at, words).slice();
  });
}

function comeBack(handle, words) {
  lend(8 * words.length, at => {
    new BigInt64Array(wasm.memory.buffer, at, words.length).set(words);
    check(wasm.web_flow_state_load(handle, at, BigInt(words.length)));
  });
}

const movesOf = handle => Number(wasm.web_flow_moves(handle));
const isOver = handle => (wasm.web_flow_standing(handle) & 1) !== 0;
const isClosed = handle => (wasm.web_flow_standing(handle) & 2) !== 0;

function keep(handle, run) {
  const moves = movesOf(handle);
  if (run.closed || run.checks.some(c => c.moves === moves)) { return; }
  run.closed = isClosed(handle) && !isOver(handle);
  run.checks.push({ moves, clock: clockOf(handle), words: stateOf(handle) });
  if (run.checks.length > CHECKPOINTS) {
    run.every *= 2;
    run.checks = run.checks.filter((c, k) => c.moves % run.every === 0 || k + 1 === run.checks.length);
  }
}

/* What curves show of the states between two frames: rows of clock, residual, energy, clusters, at most so many; and of small
 * clouds the tokens, for trails. */
const TRACE = 100, SMALL = 240;
function note(handle, run) {
  const clock = clockOf(handle), place = clock < 12 ? Math.log10(1 + 10 ** clock) : clock;
  if (run.trace.length >= TRACE || Math.abs(place - run.place) < 0.03) { return clock; }
  run.place = place;
  run.trace.push([clock, watched(handle, 'residual'), watched(handle, 'energy'), watched(handle, 'clusters'),
    run.length <= SMALL ? tokensOf(handle) : null]);
  return clock;
}

/* Towards so many moves, as far as the budget in milliseconds goes; true when it is there, or over. */
function go(handle, target, budget) {
  const run = runs.get(handle), end = performance.now() + budget;
  if (movesOf(handle) > target) {
    const from = run.checks.filter(c => c.moves <= target).reduce((a, b) => b.moves > a.moves ? b : a);
    comeBack(handle, from.words);
  }
  for (;;) {
    const moves = movesOf(handle);
    if (moves >= target || isOver(handle)) { return true; }
    if (isClosed(handle)) {
      keep(handle, run);
      /* Each costs as much as the last; some on the way, evenly on the axis, are for the curves. */
      const here = Math.log10(1 + moves), there = Math.log10(1 + target);
      for (let u = here + 0.15; u < there && u < 15 && performance.now() < end; u += 0.15) {
        check(wasm.web_flow_step(handle, BigInt(Math.round(10 ** u - 1)) - BigInt(movesOf(handle))));
        note(handle, run);
      }
      check(wasm.web_flow_step(handle, BigInt(target) - wasm.web_flow_moves(handle)));
      return true;
    }
    /* Looks at the clock about every millisecond. */
    const stride = Math.max(1, Number(wasm.web_flow_stride(handle)) / 16);
    const samples = run.trace.length < TRACE ? Math.max(1, Math.floor(moves / 16)) : Infinity;
    const next = Math.min(target, moves + Math.floor(stride), moves + samples, (Math.floor(moves / run.every) + 1) * run.every);
    check(wasm.web_flow_step(handle, BigInt(next - moves)));
    if (next % run.every === 0 || isClosed(handle)) { keep(handle, run); }
    note(handle, run);
    if (performance.now() > end) { return movesOf(handle) >= target; }
  }
}

const names = new Map();
function watched(handle, name) {
  if (!names.has(name)) {
    const bytes = coder.encode(name + '\0'), at = wasm.web_take(bytes.length);
    new Uint8Array(wasm.memory.buffer, at, bytes.length).set(bytes);
    names.set(name, at);
  }
  return wasm.web_flow_watched(handle, names.get(name));
}

/* log10 of the time of a flow that has one, else of its steps. */
function clockOf(handle) {
  check(wasm.web_flow_look(handle));
  const leapt = watched(handle, 'log10_time'), time = watched(handle, 'time');
  return !Number.isNaN(leapt) ? leapt : !Number.isNaN(time) ? Math.log10(time) : watched(handle, 'log10_step');
}

const tokensOf = handle => new Float64Array(wasm.memory.buffer, wasm.web_flow_tokens(handle), runs.get(handle).length).slice();

function frameOf(handle, judge) {
  const frame = { handle, moves: movesOf(handle), clock: clockOf(handle) };
  for (const name of FRAME) { frame[name] = watched(handle, name); }
  frame.over = isOver(handle);
  frame.closed = isClosed(handle) || runs.get(handle).closed;
  frame.tokens = tokensOf(handle);
  frame.trace = runs.get(handle).trace;
  runs.get(handle).trace = [];
  if (judge) {
    check(wasm.web_flow_judge(handle));
    frame.judged = fieldsOf(handle, JUDGED);
  }
  return frame;
}

/* A flow at its first state. */
calls.flowNew = ({ options, arrays, old }) => {
  if (old) { calls.flowFree({ handle: old }); }
  const handle = create('flow', options, arrays);
  try {
    withText(FRAME.join(','), at => check(wasm.web_flow_watch(handle, at)));
    const shape = fieldsOf(handle, 'tokens').tokens;
    runs.set(handle, { length: shape.length * shape[0].length, checks: [], every: 16, closed: false, trace: [], place: 0 });
    keep(handle, runs.get(handle));
    const frame = frameOf(handle, true);
    return { handle, n: shape.length, d: shape[0].length, frame, transfer: [frame.tokens.buffer] };
  } catch (e) {
    runs.delete(handle);
    wasm.web_free(handle);
    throw e;
  }
};

calls.flowFree = ({ handle }) => {
  runs.delete(handle);
  wasm.web_free(handle);
  return {};
};

/* Flows at so many moves (each as far as it goes within the budget), for a picture. */
calls.flowAt = ({ handles, moves, budget = 12, judge = false }) => {
  const there = handles.map(h => go(h, moves, budget / handles.length)).every(x => x);
  const frames = handles.map(h => frameOf(h, judge));
  return { there, frames, transfer: frames.map(f => f.tokens.buffer) };
};

/* To where the clock shows 10^log10: for flows whose moves tell nothing of it. */
calls.flowClock = ({ handles, log10, budget = 40, judge = true }) => {
  let there = true;
  for (const handle of handles) {
    const run = runs.get(handle), end = performance.now() + budget / handles.length;
    if (clockOf(handle) > log10) {
      const before = run.checks.filter(c => c.clock <= log10);
      comeBack(handle, (before[before.length - 1] ?? run.checks[0]).words);
    }
    while (note(handle, run) < log10 && !isOver(handle) && performance.now() < end) {
      check(wasm.web_flow_step(handle, 1n));
      if (movesOf(handle) % run.every === 0) { keep(handle, run); }
    }
    there &&= isOver(handle) || clockOf(handle) >= log10;
  }
  const frames = handles.map(h => frameOf(h, judge));
  return { there, frames, transfer: frames.map(f => f.tokens.buffer) };
};

/* Everything that the program's JSON has of it. Of flows that leap: of the whole run, made once more, since what is told of
 * targets and leaders depends on when it was looked at, and the program looks at the end. */
calls.flowResult = ({ handle, whole }) => {
  const own = whole ? create('flow', whole.options, whole.arrays) : handle;
  try {
    while (whole && !isOver(own)) { check(wasm.web_flow_step(own, 0x7fffffffffffffffn)); }
    check(wasm.web_flow_look(own));
    check(wasm.web_flow_judge(own));
    return { fields: fieldsOf(own, '') };
  } finally {
    if (whole) { wasm.web_free(own); }
  }
};

/* Rows of attention weights, (count, n). */
calls.flowWeights = ({ handle, n, first = 0, count = n }) => lend(8 * n * count, at => {
  check(wasm.web_flow_look(handle));
  check(wasm.web_flow_weights(at, handle, n, first, count));
  const weights = new Float64Array(wasm.memory.buffer, at, n * count).slice();
  return { weights, transfer: [weights.buffer] };
});

/* Hull and cells of tokens. */
calls.cells = ({ options, tokens, n, d, arrays = {} }) => {
  const handle = create('cells', options, { ...arrays, tokens: { values: tokens, shape: [n, d] } });
  try {
    const wanted = 'vertices,owns_cell,labels,generic,obstacle,contains_origin,origin.distance,dimension' +
      (d === 2 ? ',cells,edges' : ',edges');
    return { cells: fieldsOf(handle, wanted) };
  } finally {
    wasm.web_free(handle);
  }
};

/* Where tokens end: labels of the clusters of another flow of the same options, run until it is
 * proved, or hardly moves, or the budget is spent. */
calls.flowEnd = ({ options, arrays, budget = 120, moves = 20000 }) => {
  const handle = create('flow', options, arrays), end = performance.now() + budget;
  try {
    withText('residual,diameter', at => check(wasm.web_flow_watch(handle, at)));
    check(wasm.web_flow_look(handle));
    const start = watched(handle, 'diameter');
    let more = 1, calm = false;
    while (!calm && !isOver(handle) && !isClosed(handle) && movesOf(handle) < moves && performance.now() < end) {
      check(wasm.web_flow_step(handle, BigInt(more)));
      check(wasm.web_flow_look(handle));
      calm = watched(handle, 'residual') < 1e-5 * start;
      more = Math.max(1, Math.min(64, Math.floor(Number(wasm.web_flow_stride(handle)) / 16)));
    }
    if (isClosed(handle) && !isOver(handle)) { check(wasm.web_flow_step(handle, 1000000n)); }
    check(wasm.web_flow_look(handle));
    check(wasm.web_flow_judge(handle));
    return { end: fieldsOf(handle, 'labels,clusters,certificate.kind,steps,residual') };
  } finally {
    wasm.web_free(handle);
  }
};
