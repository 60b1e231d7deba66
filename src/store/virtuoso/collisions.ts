/** Lines that go and lines that come which Virtuoso holds for one triple: it would delete what it has just inserted. */

import { shown } from '../remote/values.ts'
import type { Edit } from '../remote/dialect.ts'
import { virtuosoFidelity } from './virtuoso-values.ts'

/** Lines have different keys unless they end in a value that may be spelled in several ways. */
const isSpelled = (line: string) => /"(?:@[^"]+|\^\^<[^"]+>) \.$/.test(line)

const keyOf = (line: string) => virtuosoFidelity.key(shown(line))

/** The lines of an edit that have to be gone before the others come. */
export function collidingOf({ remove, add }: Pick<Edit, 'remove' | 'add'>): ReadonlySet<string> {
  const keys = new Set([...add].filter(isSpelled).map(keyOf))
  if (keys.size === 0) return keys
  return new Set([...remove].filter((line) => isSpelled(line) && keys.has(keyOf(line))))
}

/** Whether an edit cannot be one operation. */
export const hasCollisions = (edit: Edit): boolean =>
  (edit.clear && edit.add.size > 0) || collidingOf(edit).size > 0
