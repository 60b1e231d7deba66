/**
 * Finds the licence that a source names (`licenceOf`): a concept of the EU licences, an address, or only a text. `licenceKey`
 * makes the addresses of one licence comparable.
 */

import type { Term } from '@rdfjs/types'
import type { Graph } from '../rdf/read.ts'
import type { Authorities } from './authorities.ts'
import type { Concept } from './concept.ts'
import {
  mapKeepingFirst,
  labelsOf,
  comparisonKey,
  trimTrailingSlashes,
  loadNames,
} from './concept-table.ts'
import { identityIri, labelTerms } from './described-values.ts'
import { isHtml, textFromHtml } from './html-text.ts'
import { isPlaceholder, plainText } from './loose-values.ts'

/**
 * Key that the addresses of one licence share, for comparison only: in lower case, without scheme, `www.`, trailing slashes, and
 * a last segment `legalcode` or `deed` with or without a language.
 */
export function licenceKey(iri: string): string {
  const withoutScheme = trimTrailingSlashes(
    iri
      .trim()
      .toLowerCase()
      .replace(/^https?:\/\/(?:www\.)?/, ''),
  )
  return trimTrailingSlashes(
    withoutScheme.replace(/\/(?:legalcode|deed)(?:[._-][^/]*)?(?:\/[^/]*)?$/, ''),
  )
}

/** Lookups of licences by IRI, and by code or label. */
export type LicenceLookup = {
  readonly byIri: (iri: string) => Concept | undefined
  readonly byText: (text: string) => Concept | undefined
}

/**
 * Lookups in `licences` and, by IRI, also in `matching`, concepts of other vocabularies with `skos:exactMatch`. Both lists are in
 * order of preference.
 */
export function licenceLookup(
  licences: readonly Concept[],
  matching: readonly Concept[],
): LicenceLookup {
  const all = [...licences, ...matching]
  const pairs = (
    keysOf: (concept: Concept) => readonly string[],
    concepts: readonly Concept[] = all,
  ) =>
    concepts.flatMap((concept) => keysOf(concept).map((key): [string, Concept] => [key, concept]))
  const exact = mapKeepingFirst(pairs(({ exactMatch }) => exactMatch))
  const similar = mapKeepingFirst(
    pairs(({ exactMatch, iri }) => [...exactMatch, iri].map(licenceKey)),
  )
  const texts = mapKeepingFirst([
    ...pairs(({ id }) => [comparisonKey(id)], licences),
    ...pairs(({ prefLabel }) => Object.values(prefLabel).map(comparisonKey), licences),
    ...pairs((concept) => labelsOf(concept).map(comparisonKey), licences),
  ])
  return {
    byIri: (iri) => exact.get(iri) ?? similar.get(licenceKey(iri)),
    byText: (text) => texts.get(comparisonKey(text)),
  }
}

/**
 * Licence of a record: `iri` = its address, `label` = only its name is known, `rights` = a statement in HTML, or one beside which
 * another text says that there is no licence.
 */
type Licence =
  | { readonly kind: 'iri'; readonly iri: string }
  | { readonly kind: 'label'; readonly label: string }
  | { readonly kind: 'rights'; readonly text: string }

/** Licence as a source names it; values may be of any type. */
export type LicenceNames = {
  readonly url?: unknown
  readonly id?: unknown
  readonly title?: unknown
}

/** Licence that is known by its names. */
type NamedLicence = {
  /** Code in the EU licences, which may lack the licence. */
  readonly code?: string
  /** Address of a licence without a concept. */
  readonly address?: string
  readonly otherAddresses?: readonly string[]
}

/** Comparison key of a name → code of the EU licences, and the addresses of the licence that their table lacks. */
const byWord = new Map(
  [...loadNames('licences')].map(([name, head]): [string, NamedLicence] => {
    const [code, address, ...otherAddresses] = head.split(' ')
    return [name, { code, address, otherAddresses }]
  }),
)
const byAddress = new Map(
  [...byWord.values()].flatMap((entry) =>
    (entry.address ? [entry.address, ...(entry.otherAddresses ?? [])] : []).map(
      (address): [string, NamedLicence] => [licenceKey(address), entry],
    ),
  ),
)

/** Comparison keys of texts that name no licence. */
const placeholders = new Set(
  (
    'notspecified otheropen otherat otherclosed othernc other seetermsofuse none licensenotspecified ' +
    'licencenotspecified otherattribution othernotopen othernoncommercial unknown nolicense nolicence ' +
    'nolicenseprovided custom customlicense seedescription ka na keineangabe keineangaben ohneangabe ' +
    'nichtangegeben unbekannt keine keinelizenz notavailable notapplicable tbd nonspecifie nonspécifié ' +
    'nonspecificato noespecificado undefined null nichtspezifiziert ohnelizenz aucune aucunelicence sanslicence ' +
    'nonspécifiée nessuna nessunalicenza ninguna sinlicencia geen geenlicentie niewskazano braklicencji'
  ).split(' '),
)

/** Whether a text, or an address of a list of licences, says that the licence is absent or unspecified. */
function isNoLicence(text: string): boolean {
  const [, id] = licenceListPattern.exec(licenceKey(text)) ?? []
  // The id in an address of a list is more exact than the address.
  const name = id === undefined || id.startsWith('other') ? text : id
  return isPlaceholder(text.trim()) || placeholders.has(comparisonKey(name))
}

/** Whether a value and its labels say that there is no licence. */
export function saysNoLicence(value: Term, graph: Graph): boolean {
  const labels = labelTerms(value, graph)
  const statements = labels.length > 0 || value.termType === 'BlankNode' ? labels : [value]
  if (identityIri(value, graph) !== undefined) return false
  return statements.length > 0 && statements.every((statement) => isNoLicence(statement.value))
}

/**
 * Licence of a record: the first of `url`, `id` and `title` that leads to a concept, otherwise the first address, unchanged,
 * otherwise the address of a licence with this name, otherwise the last text. Texts may be HTML and may contain an address.
 * `undefined` when all are blank or say that there is no licence.
 */
export function licenceOf(names: LicenceNames, authorities: Authorities): Licence | undefined {
  const texts = [names.url, names.id, names.title]
    .map(plainText)
    .filter((text) => text !== undefined)
    .filter((text) => !isPlaceholder(text))
  const candidates = texts.flatMap((text) => {
    const plain = textFromHtml(text)
    return isAddress(text) ? [text] : [...addressesIn(plain), plain]
  })
  const iri =
    candidates.map((text) => conceptOf(text, authorities)).find(Boolean) ??
    candidates.find((text) => isAddress(text) && !isNoLicence(text)) ??
    candidates.map((text) => namedLicence(text)?.address).find(Boolean)
  if (iri !== undefined) return { kind: 'iri', iri }
  const hasNoLicence = texts.some(isNoLicence)
  const lastText = texts.findLast((text) => !isNoLicence(text))
  if (lastText === undefined) return undefined
  const text = textFromHtml(lastText)
  if (text === '') return undefined
  return hasNoLicence || isHtml(lastText)
    ? { kind: 'rights', text }
    : { kind: 'label', label: text }
}

const isAddress = (text: string) => /^https?:\/\/\S+$/i.test(text)

/** Addresses in a text, without the punctuation after them. */
const addressesIn = (text: string): readonly string[] =>
  (text.match(/https?:\/\/[^\s<>"']+/gi) ?? []).map((address) => {
    const trimmed = address.replace(/[.,;:!?]+$/, '')
    return trimmed.includes('(') ? trimmed : trimmed.replace(/\)[.,;:!?)]*$/, '')
  })

/** IRI of the concept that a text or address names. */
function conceptOf(text: string, authorities: Authorities): string | undefined {
  if (isAddress(text)) return conceptOfAddress(text, authorities)
  const licences = authorities.table('licence')
  const entry = namedLicence(text)
  if (entry) {
    const { code = '', address = '' } = entry
    return (licences.byCode(code) ?? conceptMatching(licenceKey(address), authorities))?.iri
  }
  const concept = licences.byCode(text.replaceAll(/[\s.-]+/g, '_')) ?? licences.byLabel(text)
  return concept?.iri ?? readParenthesised(text, (part) => conceptOf(part, authorities))
}

/** IRI of the concept of an address, also of the translations of Creative Commons and of pages in lists of licences. */
function conceptOfAddress(address: string, authorities: Authorities): string | undefined {
  const licences = authorities.table('licence')
  const key = licenceKey(address)
  const canonicalKey = key.startsWith('creativecommons.org/')
    ? key
        .replace(/[?#].*$/, '')
        .replace(/(\/(?:4\.0|zero\/1\.0|mark\/1\.0))\/[a-z]{2}(?:[_-][a-z]+)?$/, '$1')
    : key
  const concept =
    licences.bySimilarIri(address) ??
    conceptMatching(canonicalKey, authorities) ??
    licences.byCode(byAddress.get(canonicalKey)?.code ?? '')
  const [, id] = licenceListPattern.exec(key) ?? []
  return (
    concept?.iri ?? (id === undefined ? undefined : conceptOf(id.replaceAll('/', '-'), authorities))
  )
}

/**
 * Addresses of lists of licences, which end with the id of a licence: `dcat-ap.de/def/licenses/dl-by-de/2.0`,
 * `spdx.org/licenses/CC-BY-4.0.html`.
 */
const licenceListPattern =
  /^(?:opendefinition\.org|opensource\.org|spdx\.org|dcat-ap\.de\/def|publications\.europa\.eu\/resource\/authority)\/licen[cs]es?\/([^?#]+?)(?:-only)?(?:\.(?:html|json|php|txt))?$/

/** Result of `read` for the text in parentheses, then for the rest: `Open Database License (ODbL)`. */
function readParenthesised<T>(text: string, read: (part: string) => T | undefined): T | undefined {
  const [, before = '', inside = '', after = ''] =
    /^([^()]{0,300})\(([^()]{1,300})\)([^()]{0,300})$/.exec(text) ?? []
  const parts = [inside, `${before} ${after}`].map((part) => part.trim())
  for (const part of parts) {
    const result = part === '' ? undefined : read(part)
    if (result !== undefined) return result
  }
  return undefined
}

/** Licence by a common name; the EU licences may not have it. */
function namedLicence(text: string): NamedLicence | undefined {
  const read = (name: string) => byWord.get(comparisonKey(name)) ?? readCreativeCommons(name)
  return read(text) ?? readParenthesised(text, read)
}

const exactMatches = new WeakMap<Authorities, ReadonlyMap<string, Concept>>()

/** Concept of the EU licences, if only one, with a `skos:exactMatch` of this licence key. */
function conceptMatching(key: string, authorities: Authorities): Concept | undefined {
  let index = exactMatches.get(authorities)
  if (!index) {
    const pairs = authorities
      .table('licence')
      .concepts.flatMap((concept) =>
        concept.exactMatch.map((iri): [string, Concept] => [licenceKey(iri), concept]),
      )
    // Some addresses belong to several concepts and therefore identify none.
    const groups = [...Map.groupBy(pairs, ([address]) => address).values()]
    index = new Map(groups.filter((group) => group.length === 1).flat())
    exactMatches.set(authorities, index)
  }
  return index.get(key)
}

/** Licence by a short name of Creative Commons: `cc-by-sa-4.0`, `CC BY SA 3.0`, `CC BY-NC-ND 2.5`. */
function readCreativeCommons(text: string): NamedLicence | undefined {
  const [, parts = '', version = ''] =
    /^(?:creativecommons|cc)(by(?:nc)?(?:sa|nd)?)([1-4]\.[05])(?:international|unported|generic)?$/.exec(
      text.toLowerCase().replaceAll(/[\s_-]+/g, ''),
    ) ?? []
  if (version === '') return undefined
  const kind = parts.replaceAll(/(?<=.)(nc|sa|nd)/g, '-$1')
  return { address: `https://creativecommons.org/licenses/${kind}/${version}/` }
}
