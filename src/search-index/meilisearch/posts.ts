/** Sending documents in portions that a server takes. */

import { attributes, keyOf } from './attributes.ts'
import { type Layout, storedOf, type Told, type Words } from './stored-document.ts'
import { jsonText, type Wire } from './engine-client.ts'
import type { Plan } from './write-plan.ts'

/** Per request; servers take 100 MB by default. */
const mostDocuments = 5000
const mostChars = 16_000_000

/** What one plan sends. */
export type Post = {
  readonly uid: string
  readonly lines: readonly string[]
  /** Keys of what goes. */
  readonly removed: readonly string[]
}

type Making = { readonly words: Words; readonly told: Told; readonly next: () => number }

export function postOf({ held, finals }: Plan, { words, told, next }: Making): Post {
  const layout: Layout = { settings: held.settings, languages: held.languages, words }
  const [lines, removed]: [string[], string[]] = [[], []]
  for (const [id, final] of finals) {
    if ('removed' in final) removed.push(keyOf(id))
    else {
      const { document, version } = final
      const numbers = { [attributes.number]: next(), [attributes.version]: version }
      lines.push(jsonText({ ...storedOf(document, layout, told), ...numbers }))
    }
  }
  return { uid: held.uid, lines, removed }
}

/** The tasks that were begun. They are done in the order of the requests. */
export async function sent(
  wire: Wire,
  { uid, lines, removed }: Post,
  signal?: AbortSignal,
): Promise<unknown[]> {
  const documents = `/indexes/${uid}/documents`
  const tasks: unknown[] = []
  for (const portion of portions(lines)) tasks.push(await wire.lines(documents, portion, signal))
  if (removed.length > 0) tasks.push(await wire.post(`${documents}/delete-batch`, removed, signal))
  return tasks
}

function* portions(lines: readonly string[]): Generator<readonly string[]> {
  let [from, chars] = [0, 0]
  for (const [i, line] of lines.entries()) {
    if (i > from && (i - from >= mostDocuments || chars + line.length > mostChars)) {
      yield lines.slice(from, i)
      from = i
      chars = 0
    }
    chars += line.length
  }
  if (from < lines.length) yield lines.slice(from)
}
