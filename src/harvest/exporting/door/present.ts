/** The original ids that a catalogue of the repository has now, read as they come. */

import { Failure } from '../../../errors.ts'
import type { Answer, Door } from './door.ts'

/**
 * Throws `unknown-catalogue`, `export-refused` by key, `export-failed` when the list breaks off: half a list would make
 * new records out of known ones.
 */
export async function* presentIds(
  door: Door,
  catalogue: string,
  signal: AbortSignal,
): AsyncGenerator<readonly string[], void> {
  const path = `/catalogues/${catalogue}/datasets?valueType=originalIds`
  const answer = await door.ask({ method: 'GET', path }, signal)
  if (answer.status !== 200) {
    await answer.text().catch(() => '')
    throw new Failure('export-failed', `The list of original ids answered ${answer.status}.`)
  }
  try {
    yield* idsIn(answer)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof Failure) throw error
    throw new Failure('export-failed', 'The list of original ids broke off.', { cause: error })
  }
}

/** The strings of a JSON array of strings, piece by piece. */
async function* idsIn({ body }: Answer): AsyncGenerator<readonly string[], void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true })
    const { ids, end } = stringsIn(rest)
    rest = rest.slice(end)
    if (ids.length > 0) yield ids
  }
  if (!/^[\s,[]*\]\s*$/.test(rest)) throw new Failure('export-failed', 'The list of ids is cut.')
}

/** Complete strings, and where the last one ends. */
function stringsIn(text: string): { readonly ids: readonly string[]; readonly end: number } {
  const ids: string[] = []
  let end = 0
  for (;;) {
    const start = text.indexOf('"', end)
    const close = start < 0 ? -1 : closing(text, start)
    if (close < 0) return { ids, end }
    const id: unknown = JSON.parse(text.slice(start, close + 1))
    if (typeof id === 'string') ids.push(id)
    end = close + 1
  }
}

/** The quote that ends the string which starts at `start`; -1 when it is not there yet. */
function closing(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0
    while (text[at - 1 - escapes] === '\\') escapes += 1
    if (escapes % 2 === 0) return at
  }
  return -1
}
