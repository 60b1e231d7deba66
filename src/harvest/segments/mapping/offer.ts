/** From a JSON record of a source to what the importer offers, mapped or as it came. */
import { Failure } from '../../../errors.ts'
import type { Found } from '../found.ts'
import { canonicalJson } from '../import-config.ts'
import type { MappedRecord } from './record.ts'
import { fieldsOf } from './values/json.ts'

export type Offer = {
  /** The record as the source sent it. */
  readonly value: unknown
  readonly sourceId: string
  /** Most likely one first; blank ones are left out. */
  readonly aliases: readonly (string | undefined)[]
  readonly sourceUrl?: string
  readonly output: 'dcat-ap' | 'source'
  /** Keys whose values change by themselves; at any depth, they are no part of the source hash. */
  readonly volatile: ReadonlySet<string>
  readonly map: () => MappedRecord
}

/** A record, or `refused` with `item-malformed` when it is no object or cannot be read; never throws. */
export function offer({ value, sourceId, output, volatile, map, ...more }: Offer): Found {
  const where = more.sourceUrl === undefined ? {} : { sourceUrl: more.sourceUrl }
  try {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new Error('not a JSON object')
    const aliases = more.aliases.filter((alias) => alias !== undefined)
    const hashed = canonicalJson(without(value, volatile))
    const names = { sourceId, aliases, hashed, ...where }
    if (output === 'dcat-ap') return map().found(names)
    return { kind: 'record', mediaType: 'application/json', text: JSON.stringify(value), ...names }
  } catch (cause) {
    const problem = new Failure('item-malformed', 'The record cannot be read.', { cause })
    const named = sourceId === '' ? {} : { sourceId }
    return { kind: 'refused', problem, ...named, ...where, ...excerptOf(value) }
  }
}

function without(value: unknown, keys: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((one) => without(one, keys))
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(fieldsOf(value)).filter(([key]) => !keys.has(key))
  return Object.fromEntries(kept.map(([key, one]) => [key, without(one, keys)]))
}

/** What cannot be written as JSON is nested too deep for anybody to read. */
function excerptOf(value: unknown): { readonly excerpt?: string } {
  try {
    const excerpt = JSON.stringify(value)
    return excerpt === undefined ? {} : { excerpt }
  } catch {
    return {}
  }
}
