/** Lines that go and lines that come which Virtuoso holds for one triple: it would delete what it has just inserted. */

import { shown, valueOf, xsdName } from '../remote/values/value.ts'
import type { Edit } from '../remote/dialect.ts'
import { numberKey } from './numbers.ts'
import { virtuosoFidelity } from './values.ts'

/** Lines have different keys unless they end in a value that may be spelled in several ways. */
const isSpelled = (line: string) => /"(?:@[^"]+|\^\^<[^"]+>) \.$/.test(line)

/** The key of a line; a year has that of its number too, because `"2020"^^xsd:decimal` in its place would become an integer. */
function keysOf(line: string): readonly string[] {
  const plain = shown(line)
  const key = virtuosoFidelity.key(plain)
  const value = valueOf(plain)
  if (!value || xsdName(value.datatype) !== 'gYear') return [key]
  return [key, `${value.head}${numberKey('decimal', value.lexical)}" number`]
}

/** The lines of an edit that have to be gone before the others come. */
export function collidingOf({ remove, add }: Pick<Edit, 'remove' | 'add'>): ReadonlySet<string> {
  const keys = new Set([...add].filter(isSpelled).flatMap(keysOf))
  if (keys.size === 0) return keys
  return new Set(
    [...remove].filter((line) => isSpelled(line) && keysOf(line).some((key) => keys.has(key))),
  )
}

/** Whether an edit cannot be one operation. */
export const hasCollisions = (edit: Edit): boolean =>
  (edit.clear && edit.add.size > 0) || collidingOf(edit).size > 0
