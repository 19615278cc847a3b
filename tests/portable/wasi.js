// wasi.js -- runs a WebAssembly program of WASI with arguments; write(text) gets what it prints to
// standard output. Enough of WASI for the probe: no files, no clock, no environment.
"use strict";

function runWasi(bytes, args, write) {
    const decoder = new TextDecoder();
    const encoded = args.map((arg) => new TextEncoder().encode(arg + "\0"));
    let memory;
    const view = () => new DataView(memory.buffer);
    const wasi = {
        args_sizes_get(count, size) {
            view().setUint32(count, encoded.length, true);
            view().setUint32(size, encoded.reduce((sum, arg) => sum + arg.length, 0), true);
            return 0;
        },
        args_get(pointers, at) {
            encoded.forEach((arg, k) => {
                view().setUint32(pointers + 4 * k, at, true);
                new Uint8Array(memory.buffer, at).set(arg);
                at += arg.length;
            });
            return 0;
        },
        fd_write(fd, parts, count, written) {
            let total = 0;
            for (let k = 0; k < count; k++) {
                const at = view().getUint32(parts + 8 * k, true);
                const length = view().getUint32(parts + 8 * k + 4, true);
                if (fd === 1) {
                    write(decoder.decode(new Uint8Array(memory.buffer, at, length)));
                }
                total += length;
            }
            view().setUint32(written, total, true);
            return 0;
        },
        proc_exit(code) {
            throw new Error("exit " + code);
        },
    };
    // Whatever else it names is not there: 52 is "not supported".
    const imports = new Proxy(wasi, { get: (known, name) => known[name] || (() => 52) });
    const module = new WebAssembly.Module(bytes);
    const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: imports });
    memory = instance.exports.memory;
    try {
        instance.exports._start();
    } catch (error) {
        write(error.message === "exit 0" ? "" : error.message + "\n");
    }
}

if (typeof require === "function") {
    const text = [];
    runWasi(require("fs").readFileSync(process.argv[2]), process.argv.slice(2), (part) => text.push(part));
    require("fs").writeSync(1, text.join(""));
}
