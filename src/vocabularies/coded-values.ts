/**
 * Concepts for coded values as sources write them: update frequencies, access rights, countries, languages (ISO 639, BCP 47) and
 * themes of datasets.
 */

import { conceptIri, type Authorities } from './authorities.ts'
import { authorityBase } from './concept.ts'
import { comparisonKey, loadNames } from './concept-table.ts'
import { meaningfulText } from './loose-values.ts'

/** IRI of a code in a vocabulary of the EU Publications Office; `undefined` without a code. */
const conceptOf = (table: 'frequency' | 'access-right' | 'language', code: string | undefined) =>
  code === undefined ? undefined : `${authorityBase}${table}/${code}`

const frequencies = loadNames('frequencies')

/**
 * Concept of a frequency: a duration (`R/P1Y`, `P1M`), a common word (also at the end of an IRI), or an IRI, code or name of the
 * vocabulary.
 */
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

/** Concept of an access right: a word of portals, or a name of the vocabulary. */
export function accessRightOf(value: unknown, authorities: Authorities): string | undefined {
  const code = accessRights.get(comparisonKey(meaningfulText(value) ?? ''))
  return conceptOf('access-right', code) ?? conceptIri('accessRight', value, authorities)
}

/** Country codes of other lists than ISO 3166 → code of ISO 3166-1, both in lower case. */
export const alpha2Aliases: ReadonlyMap<string, string> = new Map([
  ['uk', 'gb'],
  ['el', 'gr'],
])

/** Concept of a country: its code of two or three letters, or a name in any language. */
export function countryOf(value: unknown, authorities: Authorities): string | undefined {
  const alpha2 = meaningfulText(value)?.toLowerCase() ?? ''
  const country = authorities.table('country').byAlpha2(alpha2Aliases.get(alpha2) ?? alpha2)
  return country?.iri ?? conceptIri('country', value, authorities)
}

/** Code of ISO 639-1 or ISO 639-2/B → code of ISO 639-3. */
const languageCodes = loadNames('languages')
const alpha3Codes = new Set(languageCodes.values())
/** Code of ISO 639-3 → code of ISO 639-1. */
const alpha2Codes = new Map(
  [...languageCodes].flatMap(([short, code]) => (short.length === 2 ? [[code, short]] : [])),
)

/** Comparison key of a name of a language, in itself, English, German or French → code of ISO 639-3. */
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
 * ISO 639-3 code in lower case of a language: by a code of ISO 639-1, 639-2 (both) or 639-3, a language tag (its primary subtag)
 * or a name. `undefined` for an unknown language.
 */
function languageCode(text: string): string | undefined {
  const tag = /^([A-Za-z]{2,3})(?:[_-][A-Za-z0-9_-]{1,40})?$/.exec(text)?.[1]?.toLowerCase()
  if (tag === undefined) return (languageNames ??= createLanguageNames()).get(comparisonKey(text))
  const isCode = tag.length === 3 && (alpha3Codes.has(tag) || displayName(tag, 'en') !== undefined)
  return languageCodes.get(tag) ?? (isCode ? tag : undefined)
}

/**
 * Language tag for the untagged texts of a source that declares one language: the shortest tag (RFC 5646, 2.2.1), `de` for `DEU`;
 * a code of two letters, alone or with one subtag (`de-AT`), is returned unchanged. `undefined` for several or unknown languages.
 */
export function defaultTextTag(languages: readonly unknown[]): string | undefined {
  const text = languages.length === 1 ? meaningfulText(languages[0]) : undefined
  if (text === undefined) return undefined
  if (/^[a-z]{2}(?:-[A-Za-z0-9]{2,8})?$/i.test(text)) return text
  const code = languageCode(text.replace(/^https?:.*[/#]/, ''))
  return code === undefined || code === 'und' ? undefined : (alpha2Codes.get(code) ?? code)
}

/**
 * Code of three letters (ISO 639-3): `swa` for `sw`; any code of three letters is returned unchanged; `undefined` for an unknown
 * one of two.
 */
export const alpha3CodeOf = (code: string): string | undefined =>
  code.length === 3 ? code : languageCodes.get(code)

/** Codes for an undetermined or uncoded language, several languages, and no language (ISO 639-2). */
const noLanguage = /^(?:und|mis|mul|zxx)$/i

/** Concept of a language by code, tag, name, or IRI of any list of codes. */
export function languageOf(value: unknown, authorities: Authorities): string | undefined {
  const text = meaningfulText(value) ?? ''
  const name = /^https?:/i.test(text) ? text.replace(/^.*[/#]/, '') : text
  if (noLanguage.test(name)) return undefined
  const code = languageCode(name)?.toUpperCase()
  return conceptOf('language', code) ?? conceptIri('language', value, authorities)
}

// Themes of datasets as concepts of the EU data themes: from words of portals, INSPIRE themes and ISO topics.

const [synonyms, inspire, isoTopics] = [
  loadNames('themes'),
  loadNames('inspire-themes'),
  loadNames('iso-topics'),
]

/** Codes of EU data themes for the IRI of an INSPIRE theme or ISO topic. */
function foreignThemes(iri: string): readonly string[] {
  const [, list, name = ''] =
    /^https?:\/\/inspire\.ec\.europa\.eu\/(theme|metadata-codelist\/TopicCategory)\/(\w+)\/?$/i.exec(
      iri,
    ) ?? []
  if (list !== 'theme') return list === undefined ? [] : topicThemes(name)
  return inspire.get(name.toLowerCase())?.split(' ') ?? []
}

/**
 * Codes of EU data themes for the name of an ISO 19115 topic; its table has INSPIRE themes, or EU data themes themselves. Only
 * for fields of topics: elsewhere the name is a common word.
 */
function topicThemes(topic: string): readonly string[] {
  const codes = isoTopics.get(comparisonKey(topic))?.split(' ') ?? []
  return [...new Set(codes.flatMap((code) => inspire.get(code)?.split(' ') ?? [code]))]
}

const themeIri = (code: string) => `${authorityBase}data-theme/${code}`

/** IRIs of EU data themes for any name of a theme, or the IRI of an INSPIRE theme or ISO topic; otherwise none. */
export function themesOf(value: unknown, authorities: Authorities): readonly string[] {
  const text = meaningfulText(value)
  if (text === undefined) return []
  const iri = conceptIri('dataTheme', text, authorities)
  if (iri !== undefined) return [iri]
  const code = synonyms.get(comparisonKey(text))
  return (code === undefined ? foreignThemes(text) : [code]).map(themeIri)
}

/** IRIs of EU data themes for a value of a field of ISO topics: the name of a topic, otherwise as `themesOf`. */
export function themesOfTopic(value: unknown, authorities: Authorities): readonly string[] {
  const codes = topicThemes(meaningfulText(value) ?? '')
  return codes.length > 0 ? codes.map(themeIri) : themesOf(value, authorities)
}
