/* worker_train.js -- the calls of the Training view: runs that can go to any step, forwards and back; solutions; basins. */
'use strict';

const LIVE = 'steps,loss,loss_infimum,log_gap,alpha,undecided,saturation,norm,log_norm,correlation,bregman,locally_optimal,' +
  'solution.weights,solution.norm,history';

/* handle -> { checks: [{ k, words }], trace: end of what was traced, pace: steps that take about a millisecond }. */
const trainings = new Map();
const stepsOf = handle => Number(wasm.web_train_steps(handle));

function trainWords(handle) {
  const words = Number(wasm.web_train_state_size(handle));
  return lend(8 * words, at => {
    wasm.web_train_state_save(at, handle);
    return new BigInt64Array(wasm.memory.buffer, at, words).slice();
  });
}

function trainBack(handle, words) {
  lend(8 * words.length, at => {
    new BigInt64Array(wasm.memory.buffer, at, words.length).set(words);
    check(wasm.web_train_state_load(handle, at, BigInt(words.length)));
  });
}

/* Every tensor: its name, shape, values, and the log of their scale. */
function tensorsOf(handle) {
  return lend(32, at => {
    const out = [];
    for (let k = 0; ; k++) {
      const name = wasm.web_train_tensor(at, handle, k);
      if (!name) { return out; }
      const [place, log, rows, columns] = new Float64Array(wasm.memory.buffer, at, 4);
      out.push({ name: textAt(name), log, rows, columns, values: Array.from(new Float64Array(wasm.memory.buffer, place, rows * columns)) });
    }
  });
}

/* The steps at which weights are traced and, more rarely, states are kept. */
const nextTrace = k => (k < 24 ? k + 1 : Math.ceil(k * 1.05));

function trainGo(handle, target, budget) {
  const run = trainings.get(handle), end = performance.now() + budget;
  if (stepsOf(handle) > target) {
    trainBack(handle, run.checks.filter(c => c.k <= target).reduce((a, b) => (b.k > a.k ? b : a)).words);
  }
  for (;;) {
    const k = stepsOf(handle);
    if (k > run.traced) {
      run.traced = k;
      run.fresh.push({ k, tensors: tensorsOf(handle) });
    }
    if (k >= 1.3 * run.checks[run.checks.length - 1].k + 1) { run.checks.push({ k, words: trainWords(handle) }); }
    if (k >= target || performance.now() > end) { return k >= target; }
    const next = Math.min(target, nextTrace(k), k + run.pace), from = performance.now();
    check(wasm.web_train_step(handle, BigInt(next - k)));
    const spent = performance.now() - from;
    if (next - k === run.pace) { run.pace = spent < 1 ? run.pace * 2 : spent > 4 ? Math.max(1, run.pace >> 1) : run.pace; }
  }
}

function trainFrame(handle, judge) {
  const run = trainings.get(handle), frame = { k: stepsOf(handle), tensors: tensorsOf(handle), trace: run.fresh };
  run.fresh = [];
  if (judge) {
    check(wasm.web_train_look(handle));
    frame.judged = fieldsOf(handle, LIVE);
  }
  return frame;
}

calls.trainNew = ({ options, arrays }) => {
  const handle = create('train', { ...options, steps: '1e15' }, arrays);
  try {
    const first = { k: 0, words: trainWords(handle) };
    trainings.set(handle, { checks: [first], traced: 0, fresh: [{ k: 0, tensors: tensorsOf(handle) }], pace: 1 });
    return { handle, frame: trainFrame(handle, true) };
  } catch (e) {
    calls.trainFree({ handle });
    throw e;
  }
};

calls.trainFree = ({ handle }) => {
  trainings.delete(handle);
  wasm.web_free(handle);
  return {};
};

/* To that step, as far as the budget of milliseconds goes. */
calls.trainAt = ({ handle, steps, budget = 12, judge = false }) => {
  const there = trainGo(handle, steps, budget);
  return { there, frame: trainFrame(handle, judge) };
};

/* Everything that the program's JSON has of a run that ends at the present step. */
calls.trainResult = ({ handle }) => {
  check(wasm.web_train_look(handle));
  return { fields: fieldsOf(handle, '') };
};

/* The max-margin solutions of the tokens that are selected, in several norms: an answer each, or what refused it. */
calls.trainSolve = ({ options, arrays, norms }) => ({
  solutions: norms.map(norm => {
    let handle = 0;
    try {
      handle = create('margin', { ...options, ...norm }, arrays);
      return fieldsOf(handle, 'outcome,norm,margin,weights.p,weights.W,lower,upper,gap,support');
    } catch (e) {
      return { error: e.message };
    } finally {
      if (handle) { wasm.web_free(handle); }
    }
  }),
});

calls.trainPath = ({ options, arrays }) => {
  const handle = create('path', options, arrays);
  try { return { path: fieldsOf(handle, '') }; } finally { wasm.web_free(handle); }
};

/* Where descent ends from some of the starts, (count, size): the selected tokens, which are looked at after 400 steps, and
 * then after twice as many while an input is undecided. As many starts as the budget allows; at least one. */
calls.trainBasins = ({ options, arrays, starts, size, first, budget = 14, longest = 3200 }) => {
  const end = performance.now() + budget, ends = [];
  for (let k = first; (k + 1) * size <= starts.length && (k === first || performance.now() < end); k++) {
    let handle = 0;
    try {
      handle = create('train', { ...options, steps: '1e15', compare: 'none', records: '1' },
        { ...arrays, start: { values: starts.subarray(k * size, (k + 1) * size), shape: [size] } });
      let told = null;
      for (let steps = 400; steps <= longest && (!told || told.undecided > 0); steps *= 2) {
        check(wasm.web_train_step(handle, BigInt(steps - stepsOf(handle))));
        check(wasm.web_train_look(handle));
        told = fieldsOf(handle, 'alpha,undecided');
      }
      ends.push(told.undecided > 0 ? '' : told.alpha.join(','));
    } catch (e) {
      ends.push('');
    } finally {
      if (handle) { wasm.web_free(handle); }
    }
  }
  return { ends };
};
