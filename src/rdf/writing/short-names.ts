/** Prefixed names for IRIs, and a record of which prefixes a document came to use. */
import { prefixes } from '../namespaces.ts'

const byNamespace = new Map(Object.entries(prefixes).map(([prefix, iri]) => [iri, prefix]))

// A cautious subset of PN_LOCAL (Turtle 1.1, 6.5) that JSON-LD reads alike.
const local = /^[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?$/

export type ShortNames = {
  /** `dct:title`, or `undefined` when the IRI has no short name. */
  readonly shorten: (iri: string) => string | undefined
  /** The prefixes used so far, in alphabetical order. */
  readonly used: () => readonly (readonly [prefix: string, namespace: string])[]
}

/** One per document. Prefixes in `without` are not used. */
export function shortNames(without: ReadonlySet<string> = new Set()): ShortNames {
  const known = new Map<string, string | undefined>()
  const used = new Set<string>()
  const find = (iri: string): string | undefined => {
    const end = Math.max(iri.lastIndexOf('#'), iri.lastIndexOf('/')) + 1
    const prefix = byNamespace.get(iri.slice(0, end))
    const name = iri.slice(end)
    if (prefix === undefined || without.has(prefix) || !local.test(name)) return undefined
    used.add(prefix)
    return `${prefix}:${name}`
  }
  return {
    shorten: (iri) => {
      let short = known.get(iri)
      if (short === undefined && !known.has(iri)) known.set(iri, (short = find(iri)))
      return short
    },
    used: () => [...used].sort().map((prefix) => [prefix, prefixes[prefix] ?? ''] as const),
  }
}
