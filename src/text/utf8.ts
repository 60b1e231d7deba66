/** Texts as bytes, for as long as somebody looks at them. */

/** Bytes that are kept for the next text; hardly a graph has more. */
const most = 2 ** 20

const encoder = new TextEncoder()
let buffer = new Uint8Array(2 ** 16)

/**
 * Calls `work` with the text in UTF-8; `work` must not use the bytes after it has returned. They are in a buffer that every call uses
 * again: a new buffer for each text would be outside the heap, and V8 would collect its whole heap too often for them.
 */
export function inUtf8<T>(text: string, work: (bytes: Uint8Array) => T): T {
  const wanted = text.length * 3
  if (wanted > most) return work(encoder.encode(text))
  if (wanted > buffer.length) buffer = new Uint8Array(wanted)
  return work(buffer.subarray(0, encoder.encodeInto(text, buffer).written))
}
