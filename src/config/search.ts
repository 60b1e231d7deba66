/** `PLATFORM_SEARCH_CONFIG`: enrichment by vocabularies, facets, weights and bounds of the search. */

import { z } from 'zod'
import { shown } from '../errors.ts'
import { nearest } from '../text/nearest.ts'
import { mustGot, object, whole } from './settings.ts'

type IndexName = 'dataset' | 'catalogue' | 'vocabulary' | `resource_${string}`

/** Names of indices as requests write them. */
const isIndexName = (value: unknown): value is IndexName =>
  typeof value === 'string' &&
  /^(dataset|catalogue|vocabulary|resource_[A-Za-z0-9-]{1,64})$/.test(value)

const filled = z.string().refine((value) => value.trim() !== '')
const isFacetName = /^[A-Za-z][\w-]{0,63}$/
const dottedPath = /^[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)*$/

/** What the path of a facet must be. */
const pathForm = 'a field of the profile such as "distributions.format"'

/** Checks as a whole: each mistake inside is this one sentence. */
const wholly = <Schema extends z.ZodType>(schema: Schema, right: string) =>
  z.custom<z.output<Schema>>((value) => schema.safeParse(value).success, mustGot(right))

const matching = (pattern: RegExp, right: string) =>
  z.string(mustGot(right)).regex(pattern, mustGot(right))

const number = whole(-1_000_000_000, 1_000_000_000)
const band = z
  .object({ id: z.string().regex(isFacetName), title: filled, from: number, to: number })
  .refine(({ from, to }) => from <= to)

/** '' is allowed: the value itself is the term. `name.raw` is what Elasticsearch calls the exact form of `name`. */
const term = z
  .string(mustGot('the key of a value, or "" for the value itself'))
  .transform((value) => value.replace(/(^|\.)raw$/, ''))

const kinds = ['values', 'scope', 'exists', 'bands', 'catalogue', 'parent', 'vocabulary'] as const

const facetForm = 'the name of a default facet or an object such as {"name","title","path"}'
const bandsForm = 'an array such as [{"id":"good","title":"Good","from":221,"to":350}]'
const bandsAlone = 'belongs to facets of "kind":"bands" alone'

/** One facet as it is configured; what is absent is that of the default facet with its name. */
const ownFacet = object(
  {
    name: matching(isFacetName, 'letters, digits, _ and -, a letter first'),
    title: wholly(filled, 'text').optional(),
    path: matching(dottedPath, pathForm).optional(),
    indices: wholly(
      z.array(z.custom<IndexName>(isIndexName)).min(1),
      'an array of dataset, catalogue, vocabulary, resource_<type>',
    ).optional(),
    aggregation_term: term.optional(),
    display_title: term.optional(),
    kind: z.enum(kinds, mustGot(`one of ${kinds.join(', ')}`)).optional(),
    bands: wholly(z.array(band).min(1), bandsForm).optional(),
  },
  'is not read',
  facetForm,
).transform((facet, context) => {
  const { name, title, path, indices, aggregation_term, display_title, kind, bands } = facet
  const wrong =
    bands && kind !== undefined && kind !== 'bands'
      ? bandsAlone
      : kind === 'bands' && !bands && `must be ${bandsForm}; it is missing`
  if (wrong) context.addIssue({ code: 'custom', path: ['bands'], message: wrong })
  return {
    id: name,
    ...(title !== undefined && { title }),
    ...(path !== undefined && { path }),
    ...(indices && { indices }),
    ...(aggregation_term !== undefined && { term: aggregation_term }),
    ...(display_title !== undefined && { display: display_title }),
    ...(kind && { kind }),
    ...(bands && { bands }),
  }
})

type OwnFacet = z.output<typeof ownFacet>

/** A text is the name of a facet of the platform. */
const facet = z.unknown().transform((value, context): string | OwnFacet => {
  if (typeof value === 'string' && value.trim() !== '') return value
  const result = ownFacet.safeParse(value)
  if (result.success) return result.data
  for (const { path, message, ...issue } of result.error.issues) {
    const params = 'params' in issue ? issue.params : undefined
    context.addIssue({ code: 'custom', path, message, ...(params && { params }) })
  }
  return z.NEVER
})

const facets = z
  .array(facet, mustGot('an array of names of default facets and of {"name","title","path"}'))
  .superRefine((all, context) => {
    const names = all.map((one) => (typeof one === 'string' ? one : one.id))
    for (const name of new Set(names.filter((one, at) => names.indexOf(one) !== at)))
      context.addIssue(`must name each facet once, ${name} is there twice`)
  })

const dates = ['issued', 'modified', 'temporal'] as const
type DateType = (typeof dates)[number]
const isDate = (value: unknown): value is DateType => dates.some((name) => name === value)

const dateForm = 'an object of index → issued, modified or temporal, such as {"dataset":"modified"}'

/** Index → the date that limits its records where a request does not name one. */
const dateTypes = z
  .record(z.string(), z.unknown(), mustGot(dateForm))
  .transform((given, context): Readonly<Record<string, DateType>> => {
    const taken: Record<string, DateType> = {}
    for (const [index, date] of Object.entries(given)) {
      const known = isIndexName(index) ? '' : 'an index such as dataset, and '
      const { error } = mustGot(`${known}issued, modified or temporal`)
      if (known === '' && isDate(date)) taken[index] = date
      else context.addIssue({ code: 'custom', path: [index], message: error({ input: date }) })
    }
    return taken
  })

/** Field → default weight in the ranking. */
const boosts = z
  .record(z.string(), z.unknown(), mustGot('an object of field → weight, such as {"title":3}'))
  .transform((given, context): Readonly<Record<string, number>> => {
    const taken: Record<string, number> = {}
    for (const [field, weight] of Object.entries(given)) {
      if (typeof weight === 'number' && Number.isFinite(weight) && weight >= 0)
        taken[field] = weight
      else {
        const { error } = mustGot('a number of at least 0')
        context.addIssue(`${field} ${error({ input: weight })}`)
      }
    }
    return taken
  })

const ruleForm =
  '{"fields":["publisher"],"replacements":["name:pref_label.en"],"documentTypes":["dataset"]}'
const replacement = /^\s*([A-Za-z][\w-]*)\s*:\s*([A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)*)\s*$/
const pairForm = '"target:source", a key of the field and a path in the concept'
const isDocumentType = (value: unknown) => isIndexName(value) && value !== 'vocabulary'

/** One vocabulary whose concepts fill fields. */
const rule = object(
  {
    /** Names of fields, at any depth; a dotted one is exact. */
    fields: wholly(z.array(filled).min(1), 'an array of field names such as ["publisher"]'),
    /** Key of the field → dotted path in the indexed concept. */
    replacements: wholly(z.array(filled).min(1), 'an array such as ["name:pref_label.en"]'),
    /** Indices whose documents are enriched. */
    documentTypes: wholly(
      z.array(z.custom<string>(isDocumentType)),
      'an array of dataset, catalogue, resource_<type>',
    ).default(['dataset', 'catalogue']),
  },
  'is not read',
  ruleForm,
).transform(({ fields, replacements, documentTypes }, context) => ({
  fields,
  replacements: replacements.flatMap((text, at) => {
    const [, target, source] = replacement.exec(text) ?? []
    if (target !== undefined && source !== undefined) return { target, source }
    const message = mustGot(pairForm).error({ input: text })
    context.addIssue({ code: 'custom', path: ['replacements', at], message })
    return []
  }),
  documents: documentTypes,
}))

/** In the order in which they are tried. */
const vocabularies = z
  .record(z.string(), rule, mustGot(`an object of vocabulary id → ${ruleForm}`))
  .transform((rules) => Object.entries(rules).map(([vocabulary, one]) => ({ vocabulary, ...one })))

const isFolder = (value: string) => /^https?:\/\/[^?#]*\/$/.test(value) && URL.canParse(value)

/** Every mistake is a problem of its own. */
export const searchConfig = object({
  /** In the order of answers; absent = the default ones. */
  facets: facets.exactOptional(),
  /** Start of the addresses of pages for people; absent = that of the platform's own addresses. */
  portal: z
    .string(mustGot('an http(s) address that ends in /'))
    .refine(isFolder, mustGot('an http(s) address that ends in /'))
    .exactOptional(),
  dateType: dateTypes.exactOptional(),
  /** Values of `country.id` that are no countries; absent = the usual ones. */
  nonCountries: wholly(
    z.array(filled),
    'an array of country ids such as ["eu","io"]',
  ).exactOptional(),
  /** The number that scores limit; absent = the usual one. */
  scoreField: matching(
    dottedPath,
    'the path of a number such as quality_meas.scoring',
  ).exactOptional(),
  vocabulary: vocabularies.default([]),
  boost: boosts.default({}),
  /** Items per facet. */
  maxAggSize: whole(1, 10_000, mustGot).default(50),
  /** Hits reachable by page. */
  maxResultWindow: whole(1, 1_000_000, mustGot).default(10_000),
  /** For how long a sitemap is good. */
  sitemapHours: whole(1, 8760, mustGot).default(24),
  /** Between two comparisons of index and store; 0 = none by itself. */
  reconcileHours: whole(0, 8760, mustGot).default(24),
}).transform(({ maxAggSize, maxResultWindow, boost, dateType, ...others }) => ({
  ...others,
  boosts: boost,
  facetSize: maxAggSize,
  window: maxResultWindow,
  ...(dateType && { dateTypes: dateType }),
}))

export type SearchConfig = z.output<typeof searchConfig>

type Band = z.output<typeof band>

/** A facet as the search service takes it. */
export type SearchFacet = {
  readonly id: string
  readonly title: string
  readonly indices: readonly IndexName[]
  readonly path: string
  readonly term?: string
  readonly display?: string
  readonly kind?: (typeof kinds)[number]
  readonly bands?: readonly Band[]
  readonly hidden?: boolean
}

/** The whole definitions of configured facets; a name stands for a default one. */
export const wholeFacets = (
  configured: NonNullable<SearchConfig['facets']>,
  defaults: readonly SearchFacet[],
): readonly SearchFacet[] =>
  configured.flatMap(
    (one) =>
      (typeof one === 'string'
        ? defaults.find(({ id }) => id === one)
        : wholeFacet(one, defaults)) ?? [],
  )

/** An object that names a default facet, and no other field, keeps what it does not say, above all the kind. */
function wholeFacet(
  { path, ...given }: OwnFacet,
  defaults: readonly SearchFacet[],
): SearchFacet | undefined {
  const usual = defaults.find(({ id }) => id === given.id)
  if (usual && (path === undefined || path === usual.path || path === `${usual.path}.id`)) {
    const { bands, ...rest } = usual
    const sameKind = given.kind === undefined || given.kind === usual.kind
    return { ...rest, ...(bands && sameKind && { bands }), ...given }
  }
  return path === undefined ? undefined : { title: given.id, indices: ['dataset'], path, ...given }
}

/** What is wrong with the facets of the variable's text beside the default ones, as sentences with their place. */
export function facetProblems(text: string, defaults: readonly SearchFacet[]): string[] {
  const ids = defaults.map(({ id }) => id)
  return facetsIn(text).flatMap((one, at): string[] => {
    if (typeof one === 'string' && one.trim() !== '' && !ids.includes(one)) {
      const close = nearest(one, ids)
      const meant = close === undefined ? `they are ${ids.join(', ')}` : `did you mean ${close}?`
      return [`facets names ${shown(one)}, which is no default facet (${meant})`]
    }
    if (typeof one !== 'object' || one === null || !('name' in one)) return []
    const usual = defaults.find(({ id }) => id === one.name)
    if (!usual && !('path' in one)) return [`facets.${at}.path must be ${pathForm}; it is missing`]
    const hasBands = 'bands' in one && !('kind' in one)
    return hasBands && usual?.kind !== 'bands' ? [`facets.${at}.bands ${bandsAlone}`] : []
  })
}

/** The facets as they were written; none when the text is no such JSON. */
function facetsIn(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && 'facets' in value
    return isObject && Array.isArray(value.facets) ? value.facets : []
  } catch {
    return []
  }
}
