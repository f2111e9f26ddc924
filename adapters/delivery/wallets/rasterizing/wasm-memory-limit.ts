/** Length of a WebAssembly module's header: its magic number and version. */
const HEAD_LENGTH = 8;

/** The ID of the section that declares a module's memory (WebAssembly 1.0, section 5.5.8). */
const MEMORY_SECTION = 5;

/** Flags for a memory without a maximum, and with a maximum. */
const UNLIMITED = 0;
const LIMITED = 1;

/**
 * Returns a copy of a WebAssembly module with its memory limited to the given number of 64 KiB pages. This is necessary because a
 * thread's resource limits don't apply to WebAssembly memory. A module that needs more memory than the limit fails.
 * @throws {TypeError} if the module doesn't declare exactly one memory.
 */
export function withMemoryLimit(module: Uint8Array, maxPages: number): Uint8Array<ArrayBuffer> {
  for (let at = HEAD_LENGTH; at < module.byteLength; ) {
    const id = module[at];
    const size = numberAt(module, at + 1);
    const end = size.end + size.value;
    if (id === MEMORY_SECTION) {
      const count = numberAt(module, size.end);
      const [flags] = module.subarray(count.end);
      const least = numberAt(module, count.end + 1);
      if (count.value !== 1 || flags !== UNLIMITED || least.end !== end) break;
      const limits = [1, LIMITED, ...encoded(least.value), ...encoded(maxPages)];
      const section = Uint8Array.from([MEMORY_SECTION, ...encoded(limits.length), ...limits]);
      return joined(module.subarray(0, at), section, module.subarray(end));
    }
    at = end;
  }
  throw new TypeError("the memory of the rasterizer can't be limited");
}

function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts));
}

/**
 * Decodes an unsigned LEB128 number.
 * @returns its value, and the offset after it.
 */
function numberAt(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let at = start, unit = 1; at < bytes.byteLength; at += 1, unit *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte % 128) * unit;
    if (byte < 128) return { value, end: at + 1 };
  }
  return { value, end: bytes.byteLength };
}

function encoded(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...encoded(Math.floor(value / 128))];
}
