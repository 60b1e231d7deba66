/** The order of hits: what clients write into `sort`, as keys of fields that can be sorted by. */

import type { OrderKey } from '../../search-index/search-index.ts'
import type { IndexSettings } from '../../search-index/index-settings.ts'
import { withoutLanguage } from '../query/scopes.ts'

/**
 * `field asc`, `field+asc`, `field-asc`, `field:asc`; a missing or misspelt direction is descending. Fields that not all of
 * the indices can sort by are left out; nothing left means the engine's default order.
 */
export function orderOf(
  entries: readonly string[],
  settings: readonly IndexSettings[],
): readonly OrderKey[] {
  const known = settings.map(sortable)
  const isKnown = (name: string) => name === 'relevance' || known.every((has) => has(name))
  return entries.flatMap((entry) => keyOf(entry, isKnown) ?? [])
}

const blanks = /[\s+]+/
const joined = /[-:](asc|desc)$/i

function keyOf(entry: string, isKnown: (name: string) => boolean): OrderKey | undefined {
  const [name = '', direction = ''] = entry.split(blanks).filter((part) => part !== '')
  if (isKnown(name)) return { by: name, direction: directionOf(direction) }
  const suffix = joined.exec(name)
  const field = suffix ? name.slice(0, suffix.index) : ''
  return isKnown(field) ? { by: field, direction: directionOf(suffix?.[1] ?? '') } : undefined
}

const directionOf = (text: string): 'asc' | 'desc' =>
  text.toLowerCase() === 'asc' ? 'asc' : 'desc'

function sortable({ dates, numbers, flags, orders }: IndexSettings): (name: string) => boolean {
  const exact = new Set([...dates, ...numbers, ...flags, ...orders])
  const texts = new Set(orders)
  return (name) => exact.has(name) || texts.has(withoutLanguage(name))
}
