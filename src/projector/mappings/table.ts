/** Every mapping class and the function that does it. */

import type { MappingClass } from '../../profile/fields.ts'
import { agent, agentMultiLang } from './agent/agents.ts'
import { contactPoint } from './agent/contacts.ts'
import { format } from './concept/formats.ts'
import { documentFormat, labelledResource } from './concept/labelled.ts'
import { language } from './concept/language.ts'
import { license } from './concept/licences.ts'
import { spatialResource } from './concept/places.ts'
import { skosConcept, theme } from './concept/themes.ts'
import { accessRight, datasetType, distributionType, frequency } from './concept/types.ts'
import { spatial } from './geometry/spatial.ts'
import type { Mapping } from './mapping.ts'
import { nested } from './nested.ts'
import { keywords } from './text/keywords.ts'
import { multiLang } from './text/multi-lang.ts'
import {
  mediaType,
  standardDisabled,
  standardKeyword,
  standardResourceKeyword,
  standardText,
} from './text/strings.ts'
import { dateRange, dateTime } from './value/dates.ts'
import { numeric, truth } from './value/numbers.ts'
import { page } from './value/pages.ts'
import {
  admsIdentifier,
  checksum,
  metadataExtension,
  qualifiedRelation,
} from './value/structures.ts'

/** Metrics and TranslationMeta are never read from values: the platform fills them. */
const computed: Mapping = () => undefined

export const mappings = {
  SimpleMultiLangTitle: multiLang,
  SimpleMultiLang: multiLang,
  StandardText: standardText,
  StandardDisabled: standardDisabled,
  Keywords: keywords,
  Theme: theme,
  Language: language,
  Agent: agent,
  ContactPoint: contactPoint,
  DateTime: dateTime,
  Nested: nested,
  SpatialResource: spatialResource,
  Metrics: computed,
  License: license,
  Format: format,
  MultiLang: multiLang,
  MultiLangTitle: multiLang,
  TrimmedMultiLangTitle: multiLang,
  TrimmedMultiLangSubtitle: multiLang,
  StandardKeyword: standardKeyword,
  StandardResourceKeyword: standardResourceKeyword,
  Integer: numeric,
  Numeric: numeric,
  Boolean: truth,
  DateRange: dateRange,
  AccessRight: accessRight,
  Frequency: frequency,
  FrequencyMultiLang: frequency,
  AdmsSkos: labelledResource,
  LabeledResource: labelledResource,
  LabeledText: standardText,
  DatasetType: datasetType,
  DistributionType: distributionType,
  HvdCategory: skosConcept,
  EuroVoc: skosConcept,
  GenericSkosMultiLang: skosConcept,
  MediaType: mediaType,
  Document: documentFormat,
  Page: page,
  AgentMultiLang: agentMultiLang,
  Checksum: checksum,
  AdmsIdentifier: admsIdentifier,
  QualifiedRelation: qualifiedRelation,
  MetadataExtension: metadataExtension,
  Spatial: spatial,
  TranslationMeta: computed,
} satisfies Record<MappingClass, Mapping>
