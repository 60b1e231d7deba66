/** Texts of whole lines in chunks of whole lines. */

/** UTF-16 units of a chunk, about. */
const chunkSize = 256 * 1024

export function* chunksOf(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', Math.min(at + chunkSize, text.length - 1)) + 1 || text.length
    yield text.slice(at, end)
    at = end
  }
}
