/**
 * Lookups in one vocabulary: by IRI in any usual spelling, by code, by label in any language. Each index is built at its first
 * use.
 */

import { compareCodePoints } from '../text/code-points.ts'
import type { Concept } from './concept.ts'
import { readFileSync } from 'node:fs'

/**
 * Concepts of one vocabulary with their lookups; where several match, the first in the order of `concepts` is returned, by label
 * the one with the longest code.
 */
export type ConceptTable = {
  /** Concepts in use before deprecated ones, then by IRI. */
  readonly concepts: readonly Concept[]
  /** By IRI exactly as in the vocabulary. */
  readonly byIri: (iri: string) => Concept | undefined
  /** By IRI without regard to its scheme (`http`, `https`), `www.`, its case and trailing slashes. */
  readonly bySimilarIri: (iri: string) => Concept | undefined
  /** By code in any case. */
  readonly byCode: (code: string) => Concept | undefined
  /** By code of two letters (ISO 3166-1, ISO 639-1) in lower case. */
  readonly byAlpha2: (code: string) => Concept | undefined
  /** By preferred or alternative label in any language; only letters and digits are compared, in any case. */
  readonly byLabel: (label: string) => Concept | undefined
}

/** Sorts concepts for lookups: concepts in use before deprecated ones, then by IRI. */
export const currentFirst = (concepts: readonly Concept[]): readonly Concept[] =>
  [...concepts].sort(
    (a, b) => Number(a.deprecated) - Number(b.deprecated) || compareCodePoints(a.iri, b.iri),
  )

/** Map of pairs that keeps the first value of each key; empty keys are left out. */
export function mapKeepingFirst<T>(pairs: Iterable<readonly [string, T]>): ReadonlyMap<string, T> {
  const map = new Map<string, T>()
  for (const [key, value] of pairs) if (key !== '' && !map.has(key)) map.set(key, value)
  return map
}

/** Returns a function that makes a value at its first call and then returns it. */
export function lazy<T>(make: () => T): () => T {
  let memo: { readonly value: T } | undefined
  return () => (memo ??= { value: make() }).value
}

/** Key for comparing names: letters and digits only, in lower case, so that `CC-BY 4.0` equals `CC_BY_4_0`. */
export const comparisonKey = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')

/**
 * Key for comparing IRIs: in lower case, without scheme (`http`, `https`), `www.` and trailing slashes; IRIs of other schemes are
 * compared as they are.
 */
export function iriKey(iri: string): string {
  const [, withoutScheme] = /^https?:\/\/(?:www\.)?([^]+)$/i.exec(iri.trim()) ?? []
  return withoutScheme === undefined ? iri.trim() : trimTrailingSlashes(withoutScheme).toLowerCase()
}

/** Text without slashes at its end, in linear time. */
export function trimTrailingSlashes(text: string): string {
  let end = text.length
  while (text.charAt(end - 1) === '/') end -= 1
  return text.slice(0, end)
}

/** Preferred labels of a concept, then the alternative ones. */
export const labelsOf = ({ prefLabel, altLabel }: Concept): readonly string[] => [
  ...Object.values(prefLabel),
  ...Object.values(altLabel).flat(),
]

/**
 * Order for concepts that share a label: concepts in use first, then by the length of the code, because the longer one is more
 * exact: `CC_BY_4_0` before `CC_BY`.
 */
const byLengthOfCode = (a: Concept, b: Concept) =>
  Number(a.deprecated) - Number(b.deprecated) || b.id.length - a.id.length

/** Lookups in the concepts of one vocabulary. */
export function createConceptTable(unsorted: readonly Concept[]): ConceptTable {
  const concepts = currentFirst(unsorted)
  const index = (keysOf: (concept: Concept) => readonly string[], source = concepts) =>
    lazy(() =>
      mapKeepingFirst(
        source.flatMap((concept) =>
          keysOf(concept).map((key): [string, Concept] => [key, concept]),
        ),
      ),
    )
  const iris = index(({ iri }) => [iri])
  const similar = index(({ iri }) => [iriKey(iri)])
  const codes = index(({ id }) => [id.toLowerCase()])
  const alpha2 = index(({ extensions }) => [
    extensions.iso_31661_alpha2 ?? extensions.iso_6391_code ?? '',
  ])
  const labels = index(
    (concept) => labelsOf(concept).map(comparisonKey),
    concepts.toSorted(byLengthOfCode),
  )
  return {
    concepts,
    byIri: (iri) => iris().get(iri),
    bySimilarIri: (iri) => similar().get(iriKey(iri)),
    byCode: (code) => codes().get(code.toLowerCase()),
    byAlpha2: (code) => alpha2().get(code),
    byLabel: (label) => labels().get(comparisonKey(label)),
  }
}

const isHttpIri = (iri: string) => /^https?:/.test(iri)

/** IRI with `https` in place of `http`, or the other way round. */
const swapHttpScheme = (iri: string) =>
  iri.startsWith('http:') ? `https:${iri.slice(5)}` : `http:${iri.slice(6)}`

/** IRIs under which a vocabulary may have the concept that a record calls `iri`, the most similar first. */
export function* iriVariants(iri: string): Generator<string> {
  yield iri
  if (!isHttpIri(iri)) return
  yield swapHttpScheme(iri)
  if (!iri.endsWith('/')) return
  yield iri.slice(0, -1)
  yield swapHttpScheme(iri.slice(0, -1))
}

/** Inverse of `iriVariants`: IRIs that records may write for the concept `iri`. */
export function variantsInRecords(iri: string): readonly string[] {
  if (!isHttpIri(iri)) return [iri]
  const spellings = [iri, swapHttpScheme(iri)]
  return [...spellings, ...spellings.map((variant) => `${variant}/`)]
}

// The files in `shapes/names`: common names for the concepts of controlled vocabularies, one concept a line.

type NameTable =
  | 'access-rights'
  | 'formats'
  | 'frequencies'
  | 'inspire-themes'
  | 'iso-topics'
  | 'languages'
  | 'licences'
  | 'themes'

/** Reads a file with lines `CODE: name, name` as a map from name to code; lines that begin with `#` are comments. */
export function loadNames(table: NameTable): ReadonlyMap<string, string> {
  const file = new URL(`../../shapes/names/${table}.txt`, import.meta.url)
  const lines = readFileSync(file, 'utf8').split('\n')
  return new Map(
    lines.flatMap((line) => {
      const [, code = '', names = ''] = /^([^#].*?): (.*)$/.exec(line) ?? []
      return names === '' ? [] : names.split(', ').map((name) => [name, code] as const)
    }),
  )
}
