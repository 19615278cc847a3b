/* engine.js -- the library, as the page sees it: calls that answer later.
 *
 *   await engine.start();             which module runs: engine.module, and engine.why the exact one
 *   engine.tables.nouns.flow.options  the option table, with help texts and ranges
 *   await engine.call('flowNew', { options: { rule: 'hardmax' } })
 *
 * A call that fails throws an Error whose message is the library's sentence.
 */
const held = id => document.getElementById(id)?.textContent ?? '';

export const engine = {
  tables: null,
  module: '',
  why: '',
  waiting: new Map(),
  count: 0,

  async start() {
    const address = URL.createObjectURL(new Blob([held('worker')], { type: 'text/javascript' }));
    this.worker = new Worker(address);
    this.worker.onmessage = ({ data }) => {
      const { done, fail } = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      clearTimeout(this.slow);
      document.body.classList.remove('busy');
      if (this.waiting.size) { this.slow = setTimeout(() => document.body.classList.add('busy'), 600); }
      if (data.error !== undefined) { fail(new Error(data.error)); } else { done(data); }
    };
    const { module, why = '', tables } = await this.call('load', { relaxed: held('relaxed'), exact: held('exact') });
    Object.assign(this, { module, why, tables });
    URL.revokeObjectURL(address);
    ['worker', 'relaxed', 'exact'].forEach(id => document.getElementById(id)?.remove());
  },

  call(name, more = {}, transfer = []) {
    return new Promise((done, fail) => {
      const id = ++this.count;
      this.waiting.set(id, { done, fail });
      if (this.waiting.size === 1) { this.slow = setTimeout(() => document.body.classList.add('busy'), 600); }
      this.worker.postMessage({ id, call: name, ...more }, transfer);
    });
  },

  option(noun, name) {
    return this.tables.nouns[noun].options.find(o => o.name === name.replace(/-/g, '_'));
  },
};
