/** `PLATFORM_SEARCH_CONFIG`: enrichment by vocabularies, facets, weights and bounds of the search. */

import { z } from 'zod'
import { facetsOf, type FacetList } from './facet-config.ts'
import {
  checked,
  isIndexName,
  isObject,
  isText,
  isTexts,
  isWeight,
  isWhole,
  join,
  must,
  unknownKeys,
  type Tell,
} from './faults.ts'

/** One vocabulary whose concepts fill fields. */
export type VocabularyRule = {
  readonly vocabulary: string
  /** Names of fields, at any depth; a dotted one is exact. */
  readonly fields: readonly string[]
  /** Key of the field → dotted path in the indexed concept. */
  readonly replacements: readonly { readonly target: string; readonly source: string }[]
  /** Indices whose documents are enriched. */
  readonly documents: readonly string[]
}

export type SearchConfig = {
  /** In the order in which they are tried. */
  readonly vocabulary: readonly VocabularyRule[]
  /** Absent = the default ones. */
  readonly facets?: FacetList
  /** Field → default weight in the ranking. */
  readonly boosts: Readonly<Record<string, number>>
  /** Items per facet. */
  readonly facetSize: number
  /** Hits reachable by page. */
  readonly window: number
  /** For how long a sitemap is good. */
  readonly sitemapHours: number
  /** Between two comparisons of index and store; 0 = none by itself. */
  readonly reconcileHours: number
  /** Index → the date that limits its records where a request does not name one. */
  readonly dateTypes?: Readonly<Record<string, DateType>>
  /** Values of `country.id` that are no countries; absent = the usual ones. */
  readonly nonCountries?: readonly string[]
  /** The number that scores limit; absent = the usual one. */
  readonly scoreField?: string
  /** Start of the addresses of pages for people; absent = that of the platform's own addresses. */
  readonly portal?: string
}

const bounds = {
  maxAggSize: { least: 1, most: 10_000, standard: 50 },
  maxResultWindow: { least: 1, most: 1_000_000, standard: 10_000 },
  sitemapHours: { least: 1, most: 8760, standard: 24 },
  reconcileHours: { least: 0, most: 8760, standard: 24 },
} as const

const keys = [
  'vocabulary',
  'facets',
  'boost',
  'dateType',
  'nonCountries',
  'scoreField',
  'portal',
  ...Object.keys(bounds),
]

/** What an absent variable stands for. */
export const defaultSearch: SearchConfig = {
  vocabulary: [],
  boosts: {},
  facetSize: bounds.maxAggSize.standard,
  window: bounds.maxResultWindow.standard,
  sitemapHours: bounds.sitemapHours.standard,
  reconcileHours: bounds.reconcileHours.standard,
}

/** Every mistake is a problem of its own. */
export const searchConfig = z
  .record(z.string(), z.unknown())
  .transform((given, context): SearchConfig => {
    let problems = 0
    const tell: Tell = (place, message) => {
      problems += 1
      context.addIssue({
        code: 'custom',
        message,
        path: place === '' ? [] : place.split('.'),
        params: { told: true },
      })
    }
    unknownKeys(given, keys, tell)
    const number = (key: keyof typeof bounds): number => {
      const { least, most, standard } = bounds[key]
      const wrong = () => tell(key, must(`a whole number ${least}..${most}`, given[key]))
      return checked(given[key], isWhole(least, most), wrong) ?? standard
    }
    const facets = facetsOf(given['facets'], tell)
    const right = 'an http(s) address that ends in /'
    const portal = checked(given['portal'], isFolder, () =>
      tell('portal', must(right, given['portal'])),
    )
    const [dateTypes, others] = [datesOf(given['dateType'], tell), fieldsOf(given, tell)]
    const config = {
      vocabulary: rulesOf(given['vocabulary'], tell),
      boosts: boostsOf(given['boost'], tell),
      facetSize: number('maxAggSize'),
      window: number('maxResultWindow'),
      sitemapHours: number('sitemapHours'),
      reconcileHours: number('reconcileHours'),
      ...(dateTypes && { dateTypes }),
      ...others,
      ...(portal !== undefined && { portal }),
      ...(facets && { facets }),
    }
    return problems > 0 ? z.NEVER : config
  })

const dates = ['issued', 'modified', 'temporal'] as const
type DateType = (typeof dates)[number]
const isDate = (value: unknown): value is DateType => dates.some((name) => name === value)

function datesOf(value: unknown, tell: Tell): Readonly<Record<string, DateType>> | undefined {
  const right = 'an object of index → issued, modified or temporal, such as {"dataset":"modified"}'
  const given = checked(value, isObject, () => tell('dateType', must(right, value)))
  if (!given) return undefined
  const entries = Object.entries(given).flatMap(([index, date]): [string, DateType][] => {
    if (isIndexName(index) && isDate(date)) return [[index, date]]
    const known = isIndexName(index) ? '' : 'an index such as dataset, and '
    tell(join('dateType', index), must(`${known}issued, modified or temporal`, date))
    return []
  })
  return Object.fromEntries(entries)
}

const isList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(isText)
const isField = (value: unknown): value is string =>
  isText(value) && /^[A-Za-z][\w-]*(\.[A-Za-z][\w-]*)*$/.test(value)

function fieldsOf(
  { nonCountries: ids, scoreField: field }: Readonly<Record<string, unknown>>,
  tell: Tell,
): Pick<SearchConfig, 'nonCountries' | 'scoreField'> {
  const nonCountries = checked(ids, isList, () =>
    tell('nonCountries', must('an array of country ids such as ["eu","io"]', ids)),
  )
  const scoreField = checked(field, isField, () =>
    tell('scoreField', must('the path of a number such as quality_meas.scoring', field)),
  )
  return { ...(nonCountries && { nonCountries }), ...(scoreField && { scoreField }) }
}

const isFolder = (value: unknown): value is string =>
  isText(value) && /^https?:\/\/[^?#]*\/$/.test(value) && URL.canParse(value)

function boostsOf(value: unknown, tell: Tell): Readonly<Record<string, number>> {
  const right = 'an object of field → weight, such as {"title":3}'
  const given = checked(value, isObject, () => tell('boost', must(right, value))) ?? {}
  const entries = Object.entries(given).flatMap(([field, weight]): [string, number][] => {
    if (isWeight(weight)) return [[field, weight]]
    tell('boost', `${field} ${must('a number of at least 0', weight)}`)
    return []
  })
  return Object.fromEntries(entries)
}

const form =
  '{"fields":["publisher"],"replacements":["name:pref_label.en"],"documentTypes":["dataset"]}'

function rulesOf(value: unknown, tell: Tell): readonly VocabularyRule[] {
  const right = `an object of vocabulary id → ${form}`
  const given = checked(value, isObject, () => tell('vocabulary', must(right, value))) ?? {}
  return Object.entries(given).flatMap(([id, rule]) => ruleOf(id, rule, tell) ?? [])
}

const ruleKeys = ['fields', 'replacements', 'documentTypes'] as const

function ruleOf(vocabulary: string, rule: unknown, tell: Tell): VocabularyRule | undefined {
  const at = join('vocabulary', vocabulary)
  if (!isObject(rule)) {
    tell(at, must(form, rule))
    return undefined
  }
  unknownKeys(rule, ruleKeys, tell, at)
  const { fields, replacements, documentTypes = ['dataset', 'catalogue'] } = rule
  const say = (key: string, right: string) => tell(join(at, key), must(right, rule[key]))
  const types = Array.isArray(documentTypes) && documentTypes.every(isDocumentType)
  if (!isTexts(fields)) say('fields', 'an array of field names such as ["publisher"]')
  if (!isTexts(replacements)) say('replacements', 'an array such as ["name:pref_label.en"]')
  if (!types) say('documentTypes', 'an array of dataset, catalogue, resource_<type>')
  if (!isTexts(fields) || !isTexts(replacements) || !types) return undefined
  const pairs = replacements.flatMap((text, n) => {
    const pair = pairOf(text)
    if (!pair) {
      const right = '"target:source", a key of the field and a path in the concept'
      tell(join(at, join('replacements', n)), must(right, text))
    }
    return pair ?? []
  })
  return { vocabulary, fields, replacements: pairs, documents: documentTypes }
}

const isDocumentType = (value: unknown): value is string =>
  isIndexName(value) && value !== 'vocabulary'

const replacement = /^\s*([A-Za-z][\w-]*)\s*:\s*([A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)*)\s*$/

function pairOf(text: string): VocabularyRule['replacements'][number] | undefined {
  const [, target, source] = replacement.exec(text) ?? []
  return target === undefined || source === undefined ? undefined : { target, source }
}
