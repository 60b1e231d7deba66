/**
 * Licences: one form under which the addresses of a licence are the same, the lookups that use it, and what sources call a licence
 * (`licenceOf`): a concept of the EU licence table, a web address, or just a text.
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
 * A key that all addresses of one licence share, for comparison only: lower case, without scheme, `www.`, slashes at the end, and
 * a last step `legalcode` or `deed` with or without a language.
 */
export function licenceKey(iri: string): string {
  const bare = trimTrailingSlashes(
    iri
      .trim()
      .toLowerCase()
      .replace(/^https?:\/\/(?:www\.)?/, ''),
  )
  return trimTrailingSlashes(bare.replace(/\/(?:legalcode|deed)(?:[._-][^/]*)?(?:\/[^/]*)?$/, ''))
}

export type LicenceLookup = {
  readonly byIri: (iri: string) => Concept | undefined
  readonly byText: (text: string) => Concept | undefined
}

/**
 * Lookups over the licences and over every concept that says what it exactly matches. Both lists are in order of
 * preference.
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

/** `iri`: a licence · `label`: one of which only the name is known · `rights`: words that are no licence. */
type Licence =
  | { readonly kind: 'iri'; readonly iri: string }
  | { readonly kind: 'label'; readonly label: string }
  | { readonly kind: 'rights'; readonly text: string }

/** A licence as a source names it, in any of three ways. */
export type LicenceNames = {
  readonly url?: unknown
  readonly id?: unknown
  readonly title?: unknown
}

type NamedLicence = {
  readonly code?: string
  readonly address?: string
  readonly others?: readonly string[]
}

/** Squashed names → code in the EU table, and addresses of the licence that the table does not have. */
const byWord = new Map(
  [...loadNames('licences')].map(([name, head]): [string, NamedLicence] => {
    const [code, address, ...others] = head.split(' ')
    return [name, { code, address, others }]
  }),
)
const byAddress = new Map(
  [...byWord.values()].flatMap((entry) =>
    (entry.address ? [entry.address, ...(entry.others ?? [])] : []).map(
      (one): [string, NamedLicence] => [licenceKey(one), entry],
    ),
  ),
)

/** Words that say that there is no licence, or none worth the name. */
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

/** Whether a text, or an address of a list of licences, says that there is no licence, or none worth the name. */
function isNoLicence(text: string): boolean {
  const [, id] = licenceListPattern.exec(licenceKey(text)) ?? []
  // An address that a source took from a list says more than the word.
  const name = id === undefined || id.startsWith('other') ? text : id
  return isPlaceholder(text.trim()) || placeholders.has(comparisonKey(name))
}

/** Whether all that is said of a value is that there is no licence. */
export function saysNoLicence(value: Term, graph: Graph): boolean {
  const labels = labelTerms(value, graph)
  const said = labels.length > 0 || value.termType === 'BlankNode' ? labels : [value]
  if (identityIri(value, graph) !== undefined) return false
  return said.length > 0 && said.every((one) => isNoLicence(one.value))
}

/**
 * The first way that leads to a concept counts, then the first address, byte for byte as the source wrote it, then the
 * address of a licence that goes by that name, then the last name. Texts may be HTML, and may hold an address.
 * `undefined` when nothing was said, or only that there is no licence.
 */
export function licenceOf(given: LicenceNames, authorities: Authorities): Licence | undefined {
  const said = [given.url, given.id, given.title]
    .map(plainText)
    .filter((text) => text !== undefined)
    .filter((text) => !isPlaceholder(text))
  const candidates = said.flatMap((text) => {
    const plain = textFromHtml(text)
    return isAddress(text) ? [text] : [...addressesIn(plain), plain]
  })
  const iri =
    candidates.map((text) => conceptOf(text, authorities)).find(Boolean) ??
    candidates.find((text) => isAddress(text) && !isNoLicence(text)) ??
    candidates.map((text) => namedLicence(text)?.address).find(Boolean)
  if (iri !== undefined) return { kind: 'iri', iri }
  const isNone = said.some(isNoLicence)
  const last = said.findLast((text) => !isNoLicence(text))
  if (last === undefined) return undefined
  const text = textFromHtml(last)
  if (text === '') return undefined
  return isNone || isHtml(last) ? { kind: 'rights', text } : { kind: 'label', label: text }
}

const isAddress = (text: string) => /^https?:\/\/\S+$/i.test(text)

/** Addresses inside a text, without the punctuation around them. */
const addressesIn = (text: string): readonly string[] =>
  (text.match(/https?:\/\/[^\s<>"']+/gi) ?? []).map((found) => {
    const bare = found.replace(/[.,;:!?]+$/, '')
    return bare.includes('(') ? bare : bare.replace(/\)[.,;:!?)]*$/, '')
  })

/** The IRI of the concept that a text names. */
function conceptOf(text: string, authorities: Authorities): string | undefined {
  if (isAddress(text)) return conceptOfAddress(text, authorities)
  const licences = authorities.table('licence')
  const entry = namedLicence(text)
  if (entry) {
    const { code = '', address = '' } = entry
    return (licences.byCode(code) ?? conceptMatching(licenceKey(address), authorities))?.iri
  }
  const own = licences.byCode(text.replaceAll(/[\s.-]+/g, '_')) ?? licences.byLabel(text)
  return own?.iri ?? readParenthesised(text, (part) => conceptOf(part, authorities))
}

/** The concept of an address, with the translations of Creative Commons and the pages about licences by their names. */
function conceptOfAddress(address: string, authorities: Authorities): string | undefined {
  const licences = authorities.table('licence')
  const key = licenceKey(address)
  const plain = key.startsWith('creativecommons.org/')
    ? key
        .replace(/[?#].*$/, '')
        .replace(/(\/(?:4\.0|zero\/1\.0|mark\/1\.0))\/[a-z]{2}(?:[_-][a-z]+)?$/, '$1')
    : key
  const concept =
    licences.bySimilarIri(address) ??
    conceptMatching(plain, authorities) ??
    licences.byCode(byAddress.get(plain)?.code ?? '')
  const [, id] = licenceListPattern.exec(key) ?? []
  return (
    concept?.iri ?? (id === undefined ? undefined : conceptOf(id.replaceAll('/', '-'), authorities))
  )
}

/** Addresses of lists whose last steps are the id of a licence: `dcat-ap.de/def/licenses/dl-by-de/2.0`, `spdx.org/licenses/CC-BY-4.0.html`. */
const licenceListPattern =
  /^(?:opendefinition\.org|opensource\.org|spdx\.org|dcat-ap\.de\/def|publications\.europa\.eu\/resource\/authority)\/licen[cs]es?\/([^?#]+?)(?:-only)?(?:\.(?:html|json|php|txt))?$/

/** `Open Database License (ODbL)`: what is in parentheses by itself, then the text without it. */
function readParenthesised<T>(text: string, read: (part: string) => T | undefined): T | undefined {
  const [, before = '', inside = '', after = ''] =
    /^([^()]{0,300})\(([^()]{1,300})\)([^()]{0,300})$/.exec(text) ?? []
  const parts = [inside, `${before} ${after}`].map((part) => part.trim())
  for (const part of parts) {
    const found = part === '' ? undefined : read(part)
    if (found !== undefined) return found
  }
  return undefined
}

/** A licence that goes by that name, whether or not the table has it. */
function namedLicence(text: string): NamedLicence | undefined {
  const read = (name: string) => byWord.get(comparisonKey(name)) ?? readCreativeCommons(name)
  return read(text) ?? readParenthesised(text, read)
}

const exactMatches = new WeakMap<Authorities, ReadonlyMap<string, Concept>>()

/** The concept that says that it is exactly the licence with that key. */
function conceptMatching(key: string, authorities: Authorities): Concept | undefined {
  let known = exactMatches.get(authorities)
  if (!known) {
    const pairs = authorities
      .table('licence')
      .concepts.flatMap((one) =>
        one.exactMatch.map((iri): [string, Concept] => [licenceKey(iri), one]),
      )
    // The table gives some addresses to several concepts: such an address tells none of them.
    const groups = [...Map.groupBy(pairs, ([address]) => address).values()]
    known = new Map(groups.filter((all) => all.length === 1).flat())
    exactMatches.set(authorities, known)
  }
  return known.get(key)
}

/** `cc-by-sa-4.0`, `CC BY SA 3.0`, `CC BY-NC-ND 2.5` … */
function readCreativeCommons(text: string): NamedLicence | undefined {
  const [, parts = '', version = ''] =
    /^(?:creativecommons|cc)(by(?:nc)?(?:sa|nd)?)([1-4]\.[05])(?:international|unported|generic)?$/.exec(
      text.toLowerCase().replaceAll(/[\s_-]+/g, ''),
    ) ?? []
  if (version === '') return undefined
  const kind = parts.replaceAll(/(?<=.)(nc|sa|nd)/g, '-$1')
  return { address: `https://creativecommons.org/licenses/${kind}/${version}/` }
}
