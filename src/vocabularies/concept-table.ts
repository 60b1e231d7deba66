/**
 * One vocabulary with its lookups: by IRI in any usual spelling, by code, by label in any language. Each index is built when it
 * is first needed.
 */

import { compareCodePoints } from '../text/code-points.ts'
import type { Concept } from './concept.ts'
import { readFileSync } from 'node:fs'

export type ConceptTable = {
  /** Current concepts before deprecated ones, then by IRI. */
  readonly concepts: readonly Concept[]
  /** By IRI as it stands in the vocabulary. */
  readonly byIri: (iri: string) => Concept | undefined
  /** By IRI whatever its scheme, `www.`, its case and slashes at its end. */
  readonly bySimilarIri: (iri: string) => Concept | undefined
  /** By code, any case. */
  readonly byCode: (code: string) => Concept | undefined
  /** By two-letter code (ISO 3166-1, ISO 639-1), lower case. */
  readonly byAlpha2: (code: string) => Concept | undefined
  /** By preferred or alternative label in any language; letters and digits alone count. */
  readonly byLabel: (label: string) => Concept | undefined
}

/** Current concepts before deprecated ones, then by IRI: the first of several matches is the right one. */
export const currentFirst = (concepts: readonly Concept[]): readonly Concept[] =>
  [...concepts].sort(
    (a, b) => Number(a.deprecated) - Number(b.deprecated) || compareCodePoints(a.iri, b.iri),
  )

/** A map in which the first key wins; empty keys are left out. */
export function mapKeepingFirst<T>(pairs: Iterable<readonly [string, T]>): ReadonlyMap<string, T> {
  const map = new Map<string, T>()
  for (const [key, value] of pairs) if (key !== '' && !map.has(key)) map.set(key, value)
  return map
}

/** A value that is made when it is first asked for. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/** Letters and digits only, lower case: `CC-BY 4.0` and `CC_BY_4_0` are the same. */
export const comparisonKey = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')

/** An IRI without what does not tell concepts apart: scheme, `www.`, slashes at the end, upper and lower case. */
export function iriKey(iri: string): string {
  const [, bare] = /^https?:\/\/(?:www\.)?([^]+)$/i.exec(iri.trim()) ?? []
  return bare === undefined ? iri.trim() : trimTrailingSlashes(bare).toLowerCase()
}

/** Without slashes at the end, in linear time. */
export function trimTrailingSlashes(text: string): string {
  let end = text.length
  while (text.charAt(end - 1) === '/') end -= 1
  return text.slice(0, end)
}

/** All preferred labels, then all alternative ones. */
export const labelsOf = ({ prefLabel, altLabel }: Concept): readonly string[] => [
  ...Object.values(prefLabel),
  ...Object.values(altLabel).flat(),
]

/** Several concepts may share a label; the longer code is the more exact one: `CC_BY_4_0` before `CC_BY`. */
const byLengthOfCode = (a: Concept, b: Concept) =>
  Number(a.deprecated) - Number(b.deprecated) || b.id.length - a.id.length

/** The lookups of a vocabulary. */
export function createConceptTable(given: readonly Concept[]): ConceptTable {
  const concepts = currentFirst(given)
  const index = (keysOf: (concept: Concept) => readonly string[], from = concepts) =>
    lazy(() =>
      mapKeepingFirst(
        from.flatMap((one) => keysOf(one).map((key): [string, Concept] => [key, one])),
      ),
    )
  const iris = index(({ iri }) => [iri])
  const similar = index(({ iri }) => [iriKey(iri)])
  const codes = index(({ id }) => [id.toLowerCase()])
  const alpha2 = index(({ extensions }) => [
    extensions.iso_31661_alpha2 ?? extensions.iso_6391_code ?? '',
  ])
  const labels = index((one) => labelsOf(one).map(comparisonKey), concepts.toSorted(byLengthOfCode))
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

const swapHttpScheme = (iri: string) =>
  iri.startsWith('http:') ? `https:${iri.slice(5)}` : `http:${iri.slice(6)}`

/** IRIs under which a concept may be known when a record writes `iri`, the nearest first. */
export function* iriVariants(iri: string): Generator<string> {
  yield iri
  if (!isHttpIri(iri)) return
  yield swapHttpScheme(iri)
  if (!iri.endsWith('/')) return
  yield iri.slice(0, -1)
  yield swapHttpScheme(iri.slice(0, -1))
}

/** The other way round: what records may write for a concept. */
export function variantsInRecords(iri: string): readonly string[] {
  if (!isHttpIri(iri)) return [iri]
  const both = [iri, swapHttpScheme(iri)]
  return [...both, ...both.map((one) => `${one}/`)]
}

// The tables of `shapes/names`: other names for the concepts of controlled vocabularies, one concept a line.

type NameTable =
  | 'access-rights'
  | 'formats'
  | 'frequencies'
  | 'inspire-themes'
  | 'iso-topics'
  | 'languages'
  | 'licences'
  | 'themes'

/** Name → what is before the colon of its line, `CODE: name, name`; lines that begin with `#` are comments. */
export function loadNames(table: NameTable): ReadonlyMap<string, string> {
  const file = new URL(`../../shapes/names/${table}.txt`, import.meta.url)
  const lines = readFileSync(file, 'utf8').split('\n')
  return new Map(
    lines.flatMap((line) => {
      const [, meaning = '', names = ''] = /^([^#].*?): (.*)$/.exec(line) ?? []
      return names === '' ? [] : names.split(', ').map((name) => [name, meaning] as const)
    }),
  )
}
