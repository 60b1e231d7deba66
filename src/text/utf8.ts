/** Encodes texts as UTF-8 in a shared buffer, for the embedded store, which takes graphs as bytes. */

/** Maximum size of the shared buffer in bytes; hardly any graph is larger. */
const maxBufferBytes = 2 ** 20

const encoder = new TextEncoder()
let buffer = new Uint8Array(2 ** 16)

/**
 * Calls `work` with the text in UTF-8; `work` must not use the bytes after it has returned, because every call reuses the buffer.
 * New buffers would be memory outside of the heap, for which V8 would run full garbage collections too often.
 */
export function inUtf8<T>(text: string, work: (bytes: Uint8Array) => T): T {
  const neededBytes = text.length * 3
  if (neededBytes > maxBufferBytes) return work(encoder.encode(text))
  if (neededBytes > buffer.length) buffer = new Uint8Array(neededBytes)
  return work(buffer.subarray(0, encoder.encodeInto(text, buffer).written))
}
