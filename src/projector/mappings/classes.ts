/**
 * Table of all mapping classes: the function that makes the JSON, how that JSON is indexed and what a facet counts. Documents,
 * index settings and facets use it.
 */

import type { MappingClass } from '../../profile/profile.ts'
import { namedAgent, agentMultiLang, contactPoint } from './agents.ts'
import {
  accessRight,
  datasetType,
  distributionType,
  documentFormat,
  format,
  frequency,
  frequencyMultiLang,
  hvdCategory,
  labelledResource,
  language,
  skosConcept,
  theme,
} from './concepts.ts'
import { license } from './licences.ts'
import { type Mapping, nested } from './mapping.ts'
import { spatial, spatialResource } from './places.ts'
import {
  keywords,
  mediaType,
  multiLang,
  standardDisabled,
  standardKeyword,
  standardResourceKeyword,
  standardText,
} from './texts.ts'
import {
  admsIdentifier,
  checksum,
  dateRange,
  dateTime,
  metadataExtension,
  numeric,
  qualifiedRelation,
  truth,
  webPage,
} from './values.ts'

/**
 * Language in which a text is indexed: `map`: the value is an object language → text; `own`: the key `language` beside it;
 * `record`: the default language of the record, or that of the only name of an agent; `code`: no language for labels of concepts,
 * else as `record`; `none`: no language; `en`: English, as most labels of concepts are. Texts by language keep their
 * languages in any case.
 */
export type TextLanguage = 'map' | 'own' | 'record' | 'code' | 'none' | 'en'

type TextRule = {
  /** Keys of the value that hold text; '' = the value itself. */
  readonly keys: readonly string[]
  readonly language: TextLanguage
  /** Key of an object language → text that is indexed too; texts of `keys` among its texts are not indexed again. */
  readonly translated?: string
  /**
   * Whether the other labels of the concept whose IRI is the key `resource` are indexed; where `language` is `en`, the English ones.
   */
  readonly isConcept?: true
}

/** Rule for indexing the JSON of a class. */
export type IndexRule = {
  readonly text?: TextRule
  /** True when the text is used for autocompletion. */
  readonly autocomplete?: true
  /** Keys by which records are sorted; '' = the value itself. */
  readonly order?: readonly string[]
  /** Typed member of the document that gets the value: dates, one number, a number for each key, a flag, or bounding boxes. */
  readonly column?: 'instant' | 'period' | 'number' | 'numbers' | 'flag' | 'boxes'
}

/** Keys of a value that a facet counts and shows; '' = the value itself. */
export type FacetTerms = { readonly term: string; readonly display: string }

type Class = {
  readonly map: Mapping
  readonly index?: IndexRule
  /** Terms for classes whose values are objects; other values are their own term. */
  readonly facet?: FacetTerms
}

const facet: FacetTerms = { term: 'id', display: 'label' }
const byResource: FacetTerms = { term: 'resource', display: 'label' }
const textOf = (language: TextLanguage, ...keys: readonly string[]): IndexRule => ({
  text: { keys, language },
})
const english = textOf('en', 'label')
/** Concepts with their labels in all languages. */
const multilingual: IndexRule = { text: { keys: ['label'], language: 'map', isConcept: true } }
/** Licences are known by their short names (`CC BY 4.0`), which are alternative labels. */
const licenceTexts: IndexRule = { text: { keys: ['label'], language: 'en', isConcept: true } }
const languages = textOf('map', '')
const texts: Class = { map: multiLang, index: languages }
const title: Class = { map: multiLang, index: { ...languages, autocomplete: true, order: [''] } }
const plain: Class = { map: standardText, index: { ...textOf('none', ''), order: [''] } }
const skos: Class = { map: skosConcept, index: multilingual, facet }
const number: Class = { map: numeric, index: { column: 'number' } }
/** Concepts with one label. */
const concept = (map: Mapping): Class => ({ map, index: english, facet })
const party = (map: Mapping, index: IndexRule): Class => ({
  map,
  index: { ...index, order: ['name'] },
  facet: { term: 'name', display: 'name' },
})
/** Mapping without values: the platform fills these fields. */
const computed: Mapping = () => undefined

/** Mapping classes by their names in profiles (`mappingClass`). */
export const mappingClasses: Readonly<Record<MappingClass, Class>> = {
  SimpleMultiLangTitle: title,
  SimpleMultiLang: texts,
  StandardText: plain,
  StandardDisabled: { map: standardDisabled },
  Keywords: { map: keywords, index: textOf('own', 'label'), facet },
  Theme: { ...skos, map: theme },
  Language: concept(language),
  Agent: party(namedAgent, {
    text: { keys: ['name'], language: 'record', translated: 'name_translated', isConcept: true },
  }),
  ContactPoint: party(contactPoint, textOf('record', 'name', 'organisation_name')),
  DateTime: { map: dateTime, index: { column: 'instant' } },
  Nested: { map: nested, facet },
  SpatialResource: { map: spatialResource, index: { ...english, order: ['id'] }, facet },
  Metrics: { map: computed, index: { column: 'numbers' } },
  License: { ...concept(license), index: licenceTexts },
  Format: concept(format),
  MultiLang: texts,
  MultiLangTitle: title,
  TrimmedMultiLangTitle: title,
  TrimmedMultiLangSubtitle: { map: multiLang, index: { ...languages, order: [''] } },
  StandardKeyword: { map: standardKeyword, index: { order: [''] } },
  StandardResourceKeyword: { map: standardResourceKeyword },
  Integer: number,
  Numeric: number,
  Boolean: { map: truth, index: { column: 'flag' } },
  DateRange: { map: dateRange, index: { column: 'period' } },
  AccessRight: concept(accessRight),
  Frequency: concept(frequency),
  FrequencyMultiLang: { ...skos, map: frequencyMultiLang },
  AdmsSkos: { map: labelledResource, index: english, facet: byResource },
  LabeledResource: {
    map: labelledResource,
    index: textOf('code', 'label'),
    facet: byResource,
  },
  LabeledText: plain,
  DatasetType: concept(datasetType),
  DistributionType: concept(distributionType),
  HvdCategory: { ...skos, map: hvdCategory },
  EuroVoc: skos,
  GenericSkosMultiLang: skos,
  MediaType: { map: mediaType },
  Document: { map: documentFormat, index: english, facet: byResource },
  Page: {
    map: webPage,
    index: textOf('map', 'title', 'description'),
    facet: { term: 'resource', display: 'title' },
  },
  AgentMultiLang: party(agentMultiLang, {
    text: { keys: ['name'], language: 'map', isConcept: true },
  }),
  Checksum: { map: checksum },
  AdmsIdentifier: {
    map: admsIdentifier,
    index: textOf('none', 'identifier'),
    facet: { term: 'identifier', display: 'identifier' },
  },
  QualifiedRelation: { map: qualifiedRelation },
  MetadataExtension: { map: metadataExtension },
  Spatial: { map: spatial, index: { column: 'boxes' } },
  TranslationMeta: { map: computed },
}
