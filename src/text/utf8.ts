/** Texts as bytes, for as long as somebody looks at them. */

/** Bytes that are kept for the next text; hardly a graph has more. */
const most = 2 ** 20

const encoder = new TextEncoder()
let room = new Uint8Array(2 ** 16)

/**
 * What `work` makes of the text in UTF-8; it must be done with the bytes when it returns. They lie where those of the text before
 * lay: bytes of their own for each would lie outside of the heap, and V8 collects all of its heap again and again for them.
 */
export function inUtf8<T>(text: string, work: (bytes: Uint8Array) => T): T {
  const wanted = text.length * 3
  if (wanted > most) return work(encoder.encode(text))
  if (wanted > room.length) room = new Uint8Array(wanted)
  return work(room.subarray(0, encoder.encodeInto(text, room).written))
}
