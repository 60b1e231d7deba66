/** `PLATFORM_SEARCH_CONFIG`: enrichment by vocabularies, facets, weights and bounds of the search. */

import { z } from 'zod'
import { shown } from '../errors.ts'
import { nearest } from '../text/nearest.ts'
import { readSynonyms, type Synonyms } from './synonyms.ts'
import { intBetween, json, matching, messageOf, object, opaqueSchema, text } from './settings.ts'

type IndexName = 'dataset' | 'catalogue' | 'vocabulary' | `resource_${string}`

/** Names of indices as requests write them. */
const isIndexName = (value: unknown): value is IndexName =>
  typeof value === 'string' &&
  /^(dataset|catalogue|vocabulary|resource_[A-Za-z0-9-]{1,64})$/.test(value)

const isFacetName = /^[A-Za-z][\w-]{0,63}$/
const dottedPath = /^[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)*$/

/** Valid paths of a facet, in words. */
const pathForm = 'a field of the profile such as "distributions.format"'

const textLike = (pattern: RegExp, expected: string) =>
  matching((value) => pattern.test(value), expected)

const number = intBetween(-1_000_000_000, 1_000_000_000)
const band = z
  .object({ id: z.string().regex(isFacetName), title: text, from: number, to: number })
  .refine(({ from, to }) => from <= to)

/** '' is allowed: the value itself is the term. `name.raw` is what Elasticsearch calls the exact form of `name`. */
const term = z
  .string(messageOf('the key of a value, or "" for the value itself'))
  .transform((value) => value.replace(/(^|\.)raw$/, ''))

/**
 * Kinds of facets. `values`: terms at the path, the default; `scope`: whether one of the countries is none of
 * `nonCountries`; `exists`: whether there is a value; `bands`: band of the number; `catalogue`: the catalogue; `parent`: the
 * catalogue above it;
 * `vocabulary`: that of a concept.
 */
const kinds = ['values', 'scope', 'exists', 'bands', 'catalogue', 'parent', 'vocabulary'] as const

const facetForm = 'the name of a default facet or an object such as {"name","title","path"}'
const bandsForm = 'an array such as [{"id":"good","title":"Good","from":221,"to":350}]'
const bandsAlone = 'belongs to facets of "kind":"bands" alone'

/** One facet as it is configured; `completeFacets` adds what is absent. */
const configuredFacet = object(
  {
    name: textLike(isFacetName, 'letters, digits, _ and -, a letter first'),
    title: text.optional(),
    path: textLike(dottedPath, pathForm).optional(),
    indices: opaqueSchema(
      z.array(z.custom<IndexName>(isIndexName)).min(1),
      'an array of dataset, catalogue, vocabulary, resource_<type>',
    ).optional(),
    aggregation_term: term.optional(),
    display_title: term.optional(),
    kind: z.enum(kinds, messageOf(`one of ${kinds.join(', ')}`)).optional(),
    bands: opaqueSchema(z.array(band).min(1), bandsForm).optional(),
  },
  'is not read',
  facetForm,
).transform(({ name, aggregation_term: term, display_title: display, ...facet }, context) => {
  const { kind, bands } = facet
  const hasUnusedBands = bands && kind !== undefined && kind !== 'bands'
  const message = hasUnusedBands ? bandsAlone : kind === 'bands' && !bands && `must be ${bandsForm}`
  if (message) context.addIssue({ code: 'custom', path: ['bands'], message })
  return {
    id: name,
    ...facet,
    ...(term !== undefined && { term }),
    ...(display !== undefined && { display }),
  }
})

type ConfiguredFacet = z.output<typeof configuredFacet>

/** Schema that takes a text for the name of a default facet. */
const facet = z.preprocess(
  (value) => (typeof value === 'string' ? { name: value } : value),
  configuredFacet,
)

const facets = z
  .array(facet, messageOf('an array of names of default facets and of {"name","title","path"}'))
  .superRefine((list, context) => {
    const names = list.map(({ id }) => id)
    for (const name of new Set(names.filter((name, i) => names.indexOf(name) !== i)))
      context.addIssue(`must name each facet once, ${name} is a duplicate`)
  })

const dateForm = 'issued, modified or temporal'

/** Index → the date that limits its records where a request does not name one. */
const dateTypes = z.record(
  z.custom<string>(isIndexName, messageOf(`an index such as dataset, and ${dateForm}`)),
  z.enum(['issued', 'modified', 'temporal'], messageOf(dateForm)),
  messageOf(`an object of index → ${dateForm}, such as {"dataset":"modified"}`),
)

const weight = messageOf('a number of at least 0')

/** Field → default weight in the ranking. */
const boosts = z.record(
  z.string(),
  z.number(weight).min(0, weight),
  messageOf('an object of field → weight, such as {"title":3}'),
)

const ruleForm =
  '{"fields":["publisher"],"replacements":["name:pref_label.en"],"documentTypes":["dataset"]}'
const pairForm = /^\s*([A-Za-z][\w-]*)\s*:\s*([A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)*)\s*$/

/** Key of the field → dotted path in the indexed concept. */
const replacement = textLike(
  pairForm,
  '"target:source", a key of the field and a path in the concept',
).transform((pair) => {
  const [, target = '', source = ''] = pairForm.exec(pair) ?? []
  return { target, source }
})

const isDocumentType = (value: unknown) => isIndexName(value) && value !== 'vocabulary'

/** One vocabulary whose concepts fill fields. */
const rule = object(
  {
    /** Names of fields, at any depth; a dotted one is exact. */
    fields: opaqueSchema(z.array(text).min(1), 'an array of field names such as ["publisher"]'),
    replacements: z.array(replacement, messageOf('an array such as ["name:pref_label.en"]')).min(1),
    /** Indices whose documents are enriched. */
    documentTypes: opaqueSchema(
      z.array(z.custom<string>(isDocumentType)),
      'an array of dataset, catalogue, resource_<type>',
    ).default(['dataset', 'catalogue']),
  },
  'is not read',
  ruleForm,
).transform(({ documentTypes, ...settings }) => ({ ...settings, documents: documentTypes }))

/** Vocabularies that fill fields, in the order in which they are tried. */
const vocabularies = z
  .record(z.string(), rule, messageOf(`an object of vocabulary id → ${ruleForm}`))
  .transform((rules) =>
    Object.entries(rules).map(([vocabulary, rule]) => ({ vocabulary, ...rule })),
  )

const isFolder = (value: string) => /^https?:\/\/[^?#]*\/$/.test(value) && URL.canParse(value)

/** Path of a file of synonyms, which is read. */
const synonymsFile = text.transform((path, context): Synonyms => {
  const reading = readSynonyms(path)
  if (reading.ok) return reading.synonyms
  for (const problem of reading.problems) context.addIssue(problem)
  return z.NEVER
})

/** Schema of `PLATFORM_SEARCH_CONFIG`; each mistake is reported as a problem of its own. */
export const searchConfig = object({
  /** Facets in the order of answers; absent for the default ones. */
  facets: facets.optional(),
  /**
   * Start of the addresses of pages at another portal. When absent, the pages of this platform's portal, or without one the
   * descriptions of records.
   */
  portal: matching(isFolder, 'an http(s) address that ends in /').optional(),
  dateType: dateTypes.optional(),
  /** Form of dates without a time: `faithful` as they are, `utc` as instants; absent for the form with which the data began. */
  dates: z.enum(['faithful', 'utc'], messageOf('faithful or utc')).optional(),
  /** Values of `country.id` that are no countries; absent for the default ones. */
  nonCountries: opaqueSchema(
    z.array(text),
    'an array of country ids such as ["eu","io"]',
  ).optional(),
  /** Path of the number that `minScoring` and `maxScoring` limit; absent for the default one. */
  scoreField: textLike(dottedPath, 'the path of a number such as quality_meas.scoring').optional(),
  vocabulary: vocabularies.default([]),
  boost: boosts.default({}),
  synonyms: synonymsFile.optional(),
  /** Most items of a facet. */
  maxAggSize: intBetween(1, 10_000).default(50),
  /** Hits reachable by page. */
  maxResultWindow: intBetween(1, 1_000_000).default(10_000),
  /** Hours after which the sitemap is made again. */
  sitemapHours: intBetween(1, 8760).default(24),
  /** Hours between two comparisons of index and store; 0 for none that begins by itself. */
  reconcileHours: intBetween(0, 8760).default(24),
}).transform(({ maxAggSize, maxResultWindow, boost, dateType, ...settings }) => ({
  ...settings,
  boosts: boost,
  facetSize: maxAggSize,
  window: maxResultWindow,
  ...(dateType && { dateTypes: dateType }),
}))

type Band = z.output<typeof band>

/** Facet as the search service takes it. */
export type SearchFacet = {
  readonly id: string
  readonly title: string
  readonly indices: readonly IndexName[]
  /** Dotted path of the field. */
  readonly path: string
  /** Key of the value that is compared; empty for the value itself. */
  readonly term?: string
  /** Key of the value that is shown; empty for the value itself. */
  readonly display?: string
  readonly kind?: (typeof kinds)[number]
  readonly bands?: readonly Band[]
  /** Whether it is counted only for requests that name it. */
  readonly hidden?: boolean
}

/**
 * Completes configured facets: one with the name of a default facet, and no path or that of the default (also with `.id` after it),
 * takes the path and the members that it lacks from that, its bands only for the same kind. Other ones count datasets unless they
 * name indices; one without a path is left out.
 */
export const completeFacets = (
  configured: readonly ConfiguredFacet[],
  defaults: readonly SearchFacet[],
): readonly SearchFacet[] =>
  configured.flatMap(({ path, ...configuration }): readonly SearchFacet[] => {
    const defaultFacet = defaults.find(({ id }) => id === configuration.id)
    if (
      defaultFacet &&
      (path === undefined || path === defaultFacet.path || path === `${defaultFacet.path}.id`)
    ) {
      const { bands, ...definition } = defaultFacet
      const isSameKind =
        configuration.kind === undefined || configuration.kind === defaultFacet.kind
      return [{ ...definition, ...(bands && isSameKind && { bands }), ...configuration }]
    }
    return path === undefined
      ? []
      : [{ title: configuration.id, indices: ['dataset'], path, ...configuration }]
  })

/**
 * Problems of the facets in the variable's text, checked together with the default ones, as sentences with the place of each
 * problem.
 */
export function facetProblems(text: string, defaults: readonly SearchFacet[]): string[] {
  const ids = defaults.map(({ id }) => id)
  return facetsIn(text).flatMap((entry, i): string[] => {
    if (typeof entry === 'string' && entry.trim() !== '' && !ids.includes(entry)) {
      const similar = nearest(entry, ids)
      const hint = similar === undefined ? `they are ${ids.join(', ')}` : `did you mean ${similar}?`
      return [`facets names ${shown(entry)}, which is no default facet (${hint})`]
    }
    if (typeof entry !== 'object' || entry === null || !('name' in entry)) return []
    const defaultFacet = defaults.find(({ id }) => id === entry.name)
    if (!defaultFacet && !('path' in entry))
      return [`facets.${i}.path must be ${pathForm}; it is missing`]
    const hasBands = 'bands' in entry && !('kind' in entry)
    return hasBands && defaultFacet?.kind !== 'bands' ? [`facets.${i}.bands ${bandsAlone}`] : []
  })
}

/** Facets as they were written; none where the text is no such JSON. */
const facetsIn = (text: string): readonly unknown[] =>
  json(z.object({ facets: z.array(z.unknown()) })).safeParse(text).data?.facets ?? []
