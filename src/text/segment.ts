/** Scripts that write words without spaces between them, and where their words end. */

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/** The words of one run of letters, digits and marks; a run of a script with spaces is one word. */
export function segment(run: string): readonly string[] {
  if (!unspaced.test(run)) return [run]
  return Array.from(segmenter.segment(run), (part) => part.segment)
}

/** Word borders come from ICU and may change with it: an index remembers under which version it was built. */
export const icuVersion = process.versions['icu'] ?? 'none'
