/**
 * Values with few codes, as sources write them: how often a dataset changes, who may use it, which country it is about and in which
 * language it is (ISO 639, BCP 47).
 */

import { conceptIri, type Authorities } from './authorities.ts'
import { authorityBase } from './concept.ts'
import { comparisonKey, loadNames } from './concept-table.ts'
import { meaningfulText } from './loose-values.ts'

/** The concept of a code in a table of the EU Publications Office, else what the table itself says of the text. */
const conceptOf = (table: 'frequency' | 'access-right' | 'language', code: string | undefined) =>
  code === undefined ? undefined : `${authorityBase}${table}/${code}`

const frequencies = loadNames('frequencies')

/** The concept of a duration (`R/P1Y`, `P1M`), of a word, or of a name of the table. */
export function frequencyOf(value: unknown, authorities: Authorities): string | undefined {
  const text = meaningfulText(value)
  if (text === undefined) return undefined
  const duration = text.toUpperCase().replace(/^R\d*\//, '')
  const code =
    frequencies.get(duration) ?? frequencies.get(comparisonKey(text.replace(/^.*[/#]/, '')))
  return (
    authorities.table('frequency').bySimilarIri(text)?.iri ??
    conceptOf('frequency', code) ??
    conceptIri('frequency', text, authorities)
  )
}

const accessRights = loadNames('access-rights')

/** The concept of an access right: what portals call it, or a name of the table. */
export function accessRightOf(value: unknown, authorities: Authorities): string | undefined {
  const code = accessRights.get(comparisonKey(meaningfulText(value) ?? ''))
  return conceptOf('access-right', code) ?? conceptIri('accessRight', value, authorities)
}

/** Codes of two letters that other lists than ISO 3166 use. */
export const alpha2Aliases: ReadonlyMap<string, string> = new Map([
  ['uk', 'gb'],
  ['el', 'gr'],
])

/** The concept of a country: its code of two or three letters, or a name in any language. */
export function countryOf(value: unknown, authorities: Authorities): string | undefined {
  const alpha2 = meaningfulText(value)?.toLowerCase() ?? ''
  const country = authorities.table('country').byAlpha2(alpha2Aliases.get(alpha2) ?? alpha2)
  return country?.iri ?? conceptIri('country', value, authorities)
}

/** ISO 639-1 and ISO 639-2/B → ISO 639-3. */
const languageCodes = loadNames('languages')
const alpha3Codes = new Set(languageCodes.values())
/** ISO 639-3 → ISO 639-1. */
const alpha2Codes = new Map(
  [...languageCodes].flatMap(([short, code]) => (short.length === 2 ? [[code, short]] : [])),
)

/** Squashed names in the language itself, English, German and French. */
let languageNames: ReadonlyMap<string, string> | undefined

function createLanguageNames(): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const [code, alpha2] of alpha2Codes)
    for (const language of [alpha2, 'en', 'de', 'fr']) {
      const name = comparisonKey(displayName(alpha2, language) ?? '')
      if (name !== '' && !names.has(name)) names.set(name, code)
    }
  return names
}

function displayName(code: string, language: string): string | undefined {
  try {
    return new Intl.DisplayNames([language], { type: 'language', fallback: 'none' }).of(code)
  } catch {
    return undefined
  }
}

/**
 * The code in lower case for ISO 639-1, 639-2 (both), 639-3, a language tag (its primary subtag) or a name; `undefined`
 * when there is no such language.
 */
function languageCode(text: string): string | undefined {
  const tag = /^([A-Za-z]{2,3})(?:[_-][A-Za-z0-9_-]{1,40})?$/.exec(text)?.[1]?.toLowerCase()
  if (tag === undefined) return (languageNames ??= createLanguageNames()).get(comparisonKey(text))
  const isCode = tag.length === 3 && (alpha3Codes.has(tag) || displayName(tag, 'en') !== undefined)
  return languageCodes.get(tag) ?? (isCode ? tag : undefined)
}

/**
 * The tag of untagged text when a source says that it has one language, the shortest one (RFC 5646, 2.2.1): `de` for
 * `DEU`; a two-letter tag stays as it is.
 */
export function defaultTextTag(languages: readonly unknown[]): string | undefined {
  const text = languages.length === 1 ? meaningfulText(languages[0]) : undefined
  if (text === undefined) return undefined
  if (/^[a-z]{2}(?:-[A-Za-z0-9]{2,8})?$/i.test(text)) return text
  const code = languageCode(text.replace(/^https?:.*[/#]/, ''))
  return code === undefined || code === 'und' ? undefined : (alpha2Codes.get(code) ?? code)
}

/** `swa` of `sw`; a code of three letters is its own. */
export const alpha3CodeOf = (code: string): string | undefined =>
  code.length === 3 ? code : languageCodes.get(code)

/** Codes that say that the language is unknown, or that there is none or many. */
const noLanguage = /^(?:und|mis|mul|zxx)$/i

/** The concept of a language by code, tag, name, or IRI of any list of codes. */
export function languageOf(value: unknown, authorities: Authorities): string | undefined {
  const text = meaningfulText(value) ?? ''
  const name = /^https?:/i.test(text) ? text.replace(/^.*[/#]/, '') : text
  if (noLanguage.test(name)) return undefined
  const code = languageCode(name)?.toUpperCase()
  return conceptOf('language', code) ?? conceptIri('language', value, authorities)
}

// Subjects of datasets as concepts of the EU data themes: what portals call them, INSPIRE themes and ISO topics.

const [synonyms, inspire, isoTopics] = [
  loadNames('themes'),
  loadNames('inspire-themes'),
  loadNames('iso-topics'),
]

/** Codes of the data themes for the IRI of an INSPIRE theme or of an ISO topic. */
function foreignThemes(iri: string): readonly string[] {
  const [, list, name = ''] =
    /^https?:\/\/inspire\.ec\.europa\.eu\/(theme|metadata-codelist\/TopicCategory)\/(\w+)\/?$/i.exec(
      iri,
    ) ?? []
  if (list !== 'theme') return list === undefined ? [] : topicThemes(name)
  return inspire.get(name.toLowerCase())?.split(' ') ?? []
}

/** Data themes for the name of an ISO 19115 topic. Only for fields that hold topics: elsewhere the name is a common word. */
function topicThemes(topic: string): readonly string[] {
  const codes = isoTopics.get(comparisonKey(topic))?.split(' ') ?? []
  return [...new Set(codes.flatMap((code) => inspire.get(code)?.split(' ') ?? [code]))]
}

const themeIri = (code: string) => `${authorityBase}data-theme/${code}`

/** Themes for a concept of the table in any of its names, or the IRI of an INSPIRE theme or ISO topic; else none. */
export function themesOf(value: unknown, authorities: Authorities): readonly string[] {
  const text = meaningfulText(value)
  if (text === undefined) return []
  const own = conceptIri('dataTheme', text, authorities)
  if (own !== undefined) return [own]
  const code = synonyms.get(comparisonKey(text))
  return (code === undefined ? foreignThemes(text) : [code]).map(themeIri)
}

/** Themes for what a field for ISO topics holds: their names, else as `themesOf`. */
export function themesOfTopic(value: unknown, authorities: Authorities): readonly string[] {
  const codes = topicThemes(meaningfulText(value) ?? '')
  return codes.length > 0 ? codes.map(themeIri) : themesOf(value, authorities)
}
