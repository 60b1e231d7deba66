/**
 * Properties of datasets, distributions and services: a table of functions that write one each, so that the mapping of a
 * platform only assigns fields to names in the table.
 */

import type { NamedNode } from '@rdfjs/types'
import type { Finding } from '../../pipe/message.ts'
import { adms, dcat, dcatap, dct, foaf, owl, prov, rdfs, skos, xsd } from '../../rdf/namespaces.ts'
import { isJsonObject } from '../../text/json.ts'
import { type AuthorityName, conceptIri } from '../../vocabularies/authorities.ts'
import {
  accessRightOf,
  frequencyOf,
  languageOf,
  themesOf,
} from '../../vocabularies/coded-values.ts'
import { textFromHtml } from '../../vocabularies/html-text.ts'
import {
  fieldsOf,
  listOf,
  plainText,
  meaningfulText,
  embeddedList,
} from '../../vocabularies/loose-values.ts'
import { nameOf, separateAddresses } from './addresses.ts'
import {
  writeAgent,
  boxFrom,
  type AgentFields,
  writeContact,
  type ContactFields,
  writePeriod,
  writePeriodFrom,
  writePlace,
  writePlaceFrom,
} from './parts.ts'
import { mapValues } from '../../text/records.ts'
import type { Subject } from './record.ts'

/** Converts HTML to text, also in lists and texts by language. */
export function fromHtml(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromHtml)
  if (isJsonObject(value)) return mapValues(value, fromHtml)
  const text = plainText(value)
  return text === undefined ? value : textFromHtml(text)
}

type Slug = Finding['slug']

// Writers of properties; values may have any type.

const text = (predicate: NamedNode) => (node: Subject, value: unknown) =>
  node.text(predicate, value)
const plain = (predicate: NamedNode) => (node: Subject, value: unknown) =>
  node.literal(predicate, value)
const link = (predicate: NamedNode) => (node: Subject, value: unknown) =>
  node.link(predicate, value)

/** Writes the first readable date. */
const date = (predicate: NamedNode) => (node: Subject, value: unknown) =>
  listOf(value).some((item) => node.date(predicate, item))

/** Maps a name used by sources to the IRI of a concept. */
type Lookup = typeof languageOf

/**
 * Writes each value, or its `uri`, as the concept that `lookup` finds. Unknown values are reported, or kept if they are IRIs
 * and `keepsIris` permits it.
 */
const authorityValue =
  (
    predicate: NamedNode,
    lookup: Lookup,
    { slug, keepsIris }: { slug?: Slug; keepsIris?: true } = {},
  ) =>
  (node: Subject, value: unknown): boolean => {
    const values = embeddedList(value).flatMap((item) =>
      keepsIris ? separateAddresses(item, node.record, nameOf(predicate)) : [item],
    )
    const results = values.map((item) => {
      const name = meaningfulText(item) ?? meaningfulText(fieldsOf(item)['uri'])
      const iri = lookup(name, node.record.options.authorities) ?? (keepsIris && name)
      if (node.iri(predicate, iri)) return true
      if (slug && name !== undefined) node.record.note(slug, name, nameOf(predicate))
      return slug ? false : node.noteLoss(predicate, item)
    })
    return results.includes(true)
  }
const iris = (predicate: NamedNode) =>
  authorityValue(predicate, () => undefined, { keepsIris: true })
const concept = (predicate: NamedNode, table: AuthorityName) =>
  authorityValue(predicate, (name, authorities) => conceptIri(table, name, authorities), {
    keepsIris: true,
  })
const frequency = authorityValue(dct('accrualPeriodicity'), frequencyOf)

/** Writes text of a certain form; other values are reported. */
const typed = (predicate: NamedNode, form: RegExp, datatype: NamedNode) => {
  return (node: Subject, value: unknown): boolean =>
    form.test(meaningfulText(value) ?? '')
      ? node.literal(predicate, value, datatype)
      : node.noteLoss(predicate, value)
}
/** ISO 8601-1, 5.5.2. */
const duration =
  /^P(?=.)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=.)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$/
const metres = /^\d{1,12}(?:\.\d{1,12})?$/

const agents =
  (predicate: NamedNode) => (node: Subject, value: AgentFields | readonly AgentFields[]) => {
    for (const fields of [value].flat()) writeAgent(node, predicate, fields)
  }

/** Agent in a role other than the usual ones. */
type Attribution = { readonly agent: AgentFields; readonly role?: unknown }

/** Writes an agent in a role for which DCAT has no property. */
function attribution(node: Subject, { agent, role }: Attribution): void {
  const part = node.part(prov('qualifiedAttribution'), prov('Attribution'))
  if (writeAgent(part, prov('agent'), agent) && !part.iri(dcat('hadRole'), role))
    part.noteLoss(dcat('hadRole'), role)
}

/** Writer of a node with only a label. */
const statement = (predicate: NamedNode, type: NamedNode, label: NamedNode) => {
  return (node: Subject, value: unknown) => void node.part(predicate, type).text(label, value)
}
const provenance = statement(dct('provenance'), dct('ProvenanceStatement'), rdfs('label'))
const accessStatement = statement(dct('accessRights'), dct('RightsStatement'), rdfs('label'))
const rightsStatement = statement(dct('rights'), dct('RightsStatement'), rdfs('label'))
const standard = statement(dct('conformsTo'), dct('Standard'), dct('title'))

/**
 * Writes themes; each may be a list of alternative names. A value unknown to the authority becomes a keyword by its last
 * name; IRIs of other vocabularies stay themes.
 */
function themes(node: Subject, value: unknown): void {
  const { record } = node
  for (const theme of listOf(value)) {
    const names = listOf(theme).filter((name) => meaningfulText(name) !== undefined)
    const irisByName = names.map((name) => themesOf(name, record.options.authorities))
    const iris = irisByName.find(({ length }) => length > 0)
    const lastName = names.at(-1)
    const text = meaningfulText(lastName) ?? ''
    for (const iri of iris ?? []) node.iri(dcat('theme'), iri)
    if (iris) continue
    if (/^https?:\/\//.test(text) && node.iri(dcat('theme'), text))
      record.note('unknown-theme', text)
    else node.text(dcat('keyword'), lastName)
  }
}

/**
 * Writes access rights; each may be a list of alternative names: a concept of the authority, else an IRI, else the last name
 * as text.
 */
function accessRights(node: Subject, value: unknown): void {
  const predicate = dct('accessRights')
  for (const right of listOf(value)) {
    const names = listOf(right)
    const concept = names
      .map((name) => accessRightOf(name, node.record.options.authorities))
      .find(Boolean)
    if (![concept, ...names].some((iri) => node.iri(predicate, iri)))
      accessStatement(node, names.at(-1))
  }
}

/** Writes one rights statement: a single web address as IRI, else all texts. */
function rights(node: Subject, value: unknown): void {
  const texts = listOf(value).flatMap((item) => meaningfulText(item) ?? [])
  const [firstText = ''] = texts
  const isAddress = texts.length === 1 && /^https?:\/\/\S+$/.test(firstText)
  if (texts.length > 0 && !(isAddress && node.iri(dct('rights'), firstText)))
    rightsStatement(node, texts)
}

/** Writes standards by IRI, or by name as a `dct:Standard`. */
function standards(node: Subject, value: unknown): void {
  const where = nameOf(dct('conformsTo'))
  const names = listOf(value).flatMap((item) => separateAddresses(item, node.record, where))
  for (const name of names.flatMap((item) => meaningfulText(item) ?? [])) {
    const isAddress = /^[a-z][a-z0-9+.-]*:\S+$/i.test(name)
    if (!isAddress || !node.iri(dct('conformsTo'), name)) standard(node, name)
  }
}

/** Writes other identifiers without duplicates. */
function otherIdentifiers(node: Subject, value: unknown): void {
  for (const id of new Set(listOf(value).flatMap((item) => meaningfulText(item) ?? [])))
    node.part(adms('identifier'), adms('Identifier')).literal(skos('notation'), id)
}

type ServiceFields = Pick<PropertyValues, 'title' | 'description'> & {
  readonly iri?: unknown
  readonly endpoint: unknown
  readonly endpointDescription?: unknown
}

/** Writes the services that give access to a distribution. */
function services(node: Subject, value: readonly ServiceFields[]): void {
  for (const { iri, title, description, endpoint, endpointDescription } of value) {
    const part = node.part(dcat('accessService'), dcat('DataService'), meaningfulText(iri))
    writeProperties(part, { title, description })
    part.link(dcat('endpointURL'), endpoint)
    part.link(dcat('endpointDescription'), endpointDescription)
  }
}

/** Makes a writer of lists of a writer of single values. */
const each =
  <T>(writeValue: (node: Subject, value: T) => void) =>
  (node: Subject, values: readonly T[]) => {
    for (const value of values) writeValue(node, value)
  }

/** Writers in a fixed order, so that findings have a stable order. */
const writers = {
  identifier: plain(dct('identifier')),
  otherIdentifiers,
  title: text(dct('title')),
  alternative: text(skos('altLabel')),
  description: text(dct('description')),
  /** Text, list of texts, or texts by language. */
  keywords: each<unknown>(text(dcat('keyword'))),
  themes,
  hvdCategory: concept(dcatap('hvdCategory'), 'hvdCategory'),
  type: concept(dct('type'), 'datasetType'),
  landingPage: link(dcat('landingPage')),
  /** First valid address. */
  firstLandingPage(node: Subject, value: readonly unknown[]) {
    value.some((address) => node.link(dcat('landingPage'), address))
  },
  page: link(foaf('page')),
  publisher: agents(dct('publisher')),
  creator: agents(dct('creator')),
  contributor: agents(dct('contributor')),
  rightsHolder: agents(dct('rightsHolder')),
  attributions: each<Attribution>(attribution),
  contact: each<ContactFields>((node, fields) => writeContact(node, dcat('contactPoint'), fields)),
  issued: date(dct('issued')),
  created: date(dct('created')),
  modified: date(dct('modified')),
  /** First known frequency of a list. */
  frequency: (node: Subject, value: unknown) => listOf(value).some((item) => frequency(node, item)),
  language: authorityValue(dct('language'), languageOf, { slug: 'unknown-language' }),
  /** Concepts of the authority only. */
  accessLevel: authorityValue(dct('accessRights'), accessRightOf),
  accessRights,
  rights,
  provenance: each<unknown>(provenance),
  conformsTo: standards,
  legislation: iris(dcatap('applicableLegislation')),
  version(node: Subject, value: unknown) {
    node.literal(dcat('version'), value)
    node.literal(owl('versionInfo'), value)
  },
  versionNotes: text(adms('versionNotes')),
  places: each<Parameters<typeof writePlace>[1]>(writePlace),
  /** A box of four numbers, or IRIs, geometries and names. */
  spatial: (node: Subject, value: unknown) =>
    boxFrom(value)
      ? writePlace(node, { bbox: value })
      : listOf(value).map((item) => writePlaceFrom(node, item)),
  periods: each<Parameters<typeof writePeriod>[1]>(writePeriod),
  /** `start/end`, or single dates. */
  temporal: (node: Subject, value: unknown) =>
    listOf(value).map((item) => writePeriodFrom(node, item)),
  temporalResolution: typed(dcat('temporalResolution'), duration, xsd('duration')),
  spatialResolution: typed(dcat('spatialResolutionInMeters'), metres, xsd('decimal')),
  source: iris(dct('source')),
  sample: iris(adms('sample')),
  hasVersion: iris(dcat('hasVersion')),
  isVersionOf: iris(dct('isVersionOf')),
  isReferencedBy: iris(dct('isReferencedBy')),
  relation: iris(dct('relation')),
  /** Web addresses only, as `relatedPage`. */
  sourcePage: link(dct('source')),
  relatedPage: link(dct('relation')),
  wasGeneratedBy: iris(prov('wasGeneratedBy')),
  status: concept(adms('status'), 'distributionStatus'),
  availability: concept(dcatap('availability'), 'availability'),
  services,
}
type Writers = typeof writers

/** Values as given by the source; absent or `undefined` if there are none. */
export type PropertyValues = {
  readonly [Name in keyof Writers]?: Parameters<Writers[Name]>[1]
}

/** Writes all properties that have a value. */
export function writeProperties(node: Subject, values: PropertyValues): void {
  for (const [name, writer] of Object.entries(writers)) {
    const value: unknown = Reflect.get(values, name)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of the values says so
    if (value !== undefined) (writer as (node: Subject, value: unknown) => unknown)(node, value)
  }
}
