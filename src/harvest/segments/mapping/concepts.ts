/** Properties whose values are concepts of an authority: what sources write, looked up. */
import type { NamedNode } from '@rdfjs/types'
import { namedNode } from '../../../rdf/terms.ts'
import type { Finding } from '../../../pipe/message.ts'
import type { Authorities, AuthorityName } from './authority/authorities.ts'
import { formatOf } from './authority/formats.ts'
import { frequencyCode } from './authority/frequencies.ts'
import { languageCode } from './authority/languages.ts'
import { squashed } from './authority/spellings.ts'
import { foreignThemes, synonymousTheme, topicThemes } from './authority/themes.ts'
import type { Subject } from './subject.ts'
import { fieldsOf, saidText, structuredList } from './values/json.ts'
import { nameOf } from './values/names.ts'

const authority = 'http://publications.europa.eu/resource/authority/'

/** The concept that a text means: its IRI, its code, or its label in any language. */
export function conceptOf(
  name: AuthorityName,
  value: unknown,
  authorities: Authorities,
): string | undefined {
  const text = saidText(value)
  if (text === undefined) return undefined
  const table = authorities.table(name)
  return table.byIri(text) ?? table.byCode(text) ?? table.byLabel(text)
}

export function frequencyOf(value: unknown, authorities: Authorities): string | undefined {
  const text = saidText(value)
  if (text === undefined) return undefined
  const code = frequencyCode(text)
  return (
    authorities.table('frequency').byIri(text) ??
    (code === undefined ? undefined : `${authority}frequency/${code}`) ??
    conceptOf('frequency', text, authorities)
  )
}

/** Codes that say that the language is unknown, or that there is none or many. */
const noLanguage = /^(?:und|mis|mul|zxx)$/i

export function languageOf(value: unknown, authorities: Authorities): string | undefined {
  const text = saidText(value)
  if (text === undefined) return undefined
  const name = /^https?:/i.test(text) ? text.replace(/^.*[/#]/, '') : text
  if (noLanguage.test(name)) return undefined
  const code = languageCode(name)
  return code === undefined
    ? conceptOf('language', text, authorities)
    : `${authority}language/${code}`
}

/** Codes that other lists than ISO 3166 use. */
const countries: Readonly<Record<string, string>> = { uk: 'gb', el: 'gr' }

export function countryOf(value: unknown, authorities: Authorities): string | undefined {
  const text = saidText(value)
  if (text === undefined) return undefined
  const alpha2 = text.toLowerCase()
  const table = authorities.table('country')
  return (
    table.byAlpha2(Object.hasOwn(countries, alpha2) ? (countries[alpha2] ?? alpha2) : alpha2) ??
    conceptOf('country', text, authorities)
  )
}

const themeIri = (code: string) => `${authority}data-theme/${code}`

/** Themes for a concept of the authority in any of its names, or the IRI of an INSPIRE theme or ISO topic; else none. */
export function themesOf(value: unknown, authorities: Authorities): readonly string[] {
  const text = saidText(value)
  if (text === undefined) return []
  const own = conceptOf('theme', text, authorities)
  if (own !== undefined) return [own]
  const code = synonymousTheme(text)
  return (code === undefined ? foreignThemes(text) : [code]).map(themeIri)
}

/** Themes for what a field for ISO topics holds: their names, else as `themesOf`. */
export function themesOfTopic(value: unknown, authorities: Authorities): readonly string[] {
  const codes = topicThemes(saidText(value) ?? '')
  return codes.length > 0 ? codes.map(themeIri) : themesOf(value, authorities)
}

const access: Readonly<Record<string, string>> = {
  public: 'PUBLIC',
  open: 'PUBLIC',
  openaccess: 'PUBLIC',
  openwithaccount: 'PUBLIC',
  restricted: 'RESTRICTED',
  restrictedpublic: 'RESTRICTED',
  nonpublic: 'NON_PUBLIC',
  private: 'NON_PUBLIC',
  confidential: 'NON_PUBLIC',
}

export function accessOf(value: unknown, authorities: Authorities): string | undefined {
  const text = saidText(value)
  if (text === undefined) return undefined
  const word = squashed(text)
  const code = Object.hasOwn(access, word) ? access[word] : undefined
  return code === undefined
    ? conceptOf('access', text, authorities)
    : `${authority}access-right/${code}`
}

const lookups = {
  format: formatOf,
  frequency: frequencyOf,
  language: languageOf,
  country: countryOf,
  access: accessOf,
} as const

const slugs: Partial<Record<keyof typeof lookups, Finding['slug']>> = {
  format: 'unknown-format',
  language: 'unknown-language',
}

/** A property for each value that is known; what is unknown is left out and told. */
export function concepts(
  subject: Subject,
  predicate: NamedNode,
  kind: keyof typeof lookups,
  value: unknown,
): boolean {
  let isAny = false
  for (const one of structuredList(value)) {
    const text = saidText(one)
    if (text === undefined) continue
    const iri = lookups[kind](text, subject.record.options.authorities)
    const slug = slugs[kind]
    if (iri !== undefined) isAny = subject.add(predicate, namedNode(iri)) || isAny
    else if (slug) subject.record.note(slug, `${nameOf(predicate)}: ${text}`)
    else subject.lost(predicate, text)
  }
  return isAny
}

/** A property for each value that is a concept of the table; others stay IRIs when they are some, else they are told. */
export function concept(
  subject: Subject,
  predicate: NamedNode,
  name: AuthorityName,
  value: unknown,
): boolean {
  let isAny = false
  for (const one of structuredList(value)) {
    const text = saidText(one) ?? saidText(fieldsOf(one)['uri'])
    const iri = conceptOf(name, text, subject.record.options.authorities)
    isAny = subject.iri(predicate, iri ?? text) || subject.lost(predicate, one) || isAny
  }
  return isAny
}
