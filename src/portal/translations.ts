/** Texts in the language of a page: what the portal says (ICU messages) and what records say (language maps). */

import { readFileSync } from 'node:fs'
import { IntlMessageFormat } from 'intl-messageformat'
import {
  type Fields,
  isJsonObject,
  listed,
  memberFields,
  textAt,
  textOr,
  valueAt,
} from '../text/json.ts'
import { html, type HtmlContent, type HtmlMarkup } from './html.ts'
import { shortText } from '../text/code-points.ts'
import { timeRangeOf } from '../vocabularies/dates.ts'
import { fieldsAt, listAt, distributionValues } from './record.ts'

/** Languages that the portal speaks. */
export const interfaceLanguages = ['en', 'de', 'fr', 'it'] as const

type Messages = Readonly<Record<string, string>>

/** A message of the portal in the language of the page; `values` fill its arguments. */
type Translate = (key: string, values?: Readonly<Record<string, string | number>>) => string

const messagesOf = (language: string): Messages =>
  JSON.parse(readFileSync(new URL(`texts/${language}.json`, import.meta.url), 'utf8'))

/** Own messages win over those that come with the portal; English stands in for what is missing. */
function translator(language: string, own: Messages = {}): Translate {
  const messages = { ...messagesOf('en'), ...messagesOf(language), ...own }
  const compiled = new Map<string, IntlMessageFormat>()
  const locale = localeOf(language)
  return (key, values) => {
    const message = messages[key] ?? key
    if (!message.includes('{')) return message
    const known = compiled.get(key) ?? new IntlMessageFormat(message, locale, undefined, literal)
    compiled.set(key, known)
    return String(known.format(values))
  }
}

/** Tags in messages are text. */
const literal = { ignoreTag: true } as const

/** Dates in English are written as in Britain. */
export const localeOf = (language: string): string => (language === 'en' ? 'en-GB' : language)

/** Languages written from right to left. */
const rightToLeft: ReadonlySet<string> = new Set(['ar', 'fa', 'he', 'ur', 'yi'])

/** Value of the attribute `dir`. */
export const directionOf = (language: string): 'ltr' | 'rtl' =>
  rightToLeft.has(language.split('-')[0] ?? '') ? 'rtl' : 'ltr'

/** A text of a record and the language that it is in; of a text without language that is `undefined`. */
type Text = { readonly text: string; readonly language?: string | undefined }

/**
 * A text of a language map (`{"en": "…"}`) or a plain text: the wanted languages in their order, then English, then any. Machine
 * translations (`de-t-en-t0-mtec`) count as their language.
 */
export function pickText(value: unknown, wanted: readonly string[]): Text | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : { text: value }
  if (!isJsonObject(value)) return undefined
  const texts = Object.entries(value).flatMap(([key, given]) => {
    const text = Array.isArray(given) ? (given[0] as unknown) : given
    return typeof text === 'string' && text.trim() !== '' ? [{ key, text }] : []
  })
  const [found = texts[0]] = [...wanted, 'en'].flatMap((language) => {
    const own = texts.find(({ key }) => key === language)
    return own ?? texts.find(({ key }) => key.startsWith(`${language}-`)) ?? []
  })
  return found && { text: found.text, language: found.key.split('-t-')[0] }
}

/** Dates, numbers and sizes as readers of the language write them. */
function localFormats(language: string, timeZone: string) {
  const locale = localeOf(language)
  const number = new Intl.NumberFormat(locale)
  const names = new Intl.DisplayNames(locale, { type: 'language', fallback: 'code' })
  const countries = new Intl.DisplayNames(locale, { type: 'region' })
  const withoutZone = plainDates(locale)
  const dated = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone, ...options })
    return (value: unknown): HtmlMarkup | undefined => {
      const isText = typeof value === 'string'
      const hasNoZone = isText && !/T.*(?:Z|[+-]\d\d:\d\d)$/.test(value)
      const isTime = isText && value.includes('T')
      const date = new Date(isText ? value + (isTime && hasNoZone ? 'Z' : '') : Number.NaN)
      if (Number.isNaN(date.getTime())) return undefined
      const fitting = hasNoZone ? withoutZone(isTime ? 10 : value.length) : format
      return html`<time datetime="${value}">${fitting.format(date)}</time>`
    }
  }
  return {
    /** A day of the portal's zone; a year, month or day as it is written. */
    day: dated({}),
    /** A day (`YYYY-MM-DD`) as text alone. */
    dayText: (day: string): string => withoutZone(10).format(new Date(day)),
    isoDate: isoDates(timeZone),
    moment: dated({ timeStyle: 'short' }),
    number: (value: number) => number.format(value),
    /** `413 kB`: decimal units, as browsers show downloads. */
    size: (bytes: number) => sizeText(bytes, locale),
    /** A country by its number in ISO 3166, of which a locale makes the letters that name it. */
    countryName: (number: string): string => {
      const { region } = new Intl.Locale(`und-${number}`)
      return countries.of(region ?? number) ?? number
    },
    languageName: (code: string) => {
      try {
        return names.of(code) ?? code
      } catch {
        return code
      }
    },
  }
}

type Formats = ReturnType<typeof localFormats>

/** The format of a date without a time by the length of its text: years and months are no days, and none of them has a zone. */
function plainDates(locale: string) {
  const clock = { timeZone: 'UTC' } as const
  const precisions: Readonly<Record<number, Intl.DateTimeFormat>> = {
    4: new Intl.DateTimeFormat(locale, { year: 'numeric', ...clock }),
    7: new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'short', ...clock }),
  }
  const wholeDay = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', ...clock })
  return (length: number) => precisions[length] ?? wholeDay
}

/** Dates in digits, in the precision that they have: `2024-03-31`, `2024-03`, `2024`. */
function isoDates(timeZone: string) {
  const digits = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  const isoDay = new Intl.DateTimeFormat('en-CA', { timeZone, ...digits })
  return (value: unknown): string | undefined => {
    const extent = typeof value === 'string' ? timeRangeOf(value) : undefined
    if (!extent?.text.includes('T')) return extent?.text
    return extent.text.endsWith('Z') ? isoDay.format(extent.from) : extent.text.slice(0, 10)
  }
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const

function sizeText(bytes: number, locale: string): string {
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(bytes || 1) / 3)))
  const value = bytes / 1000 ** step
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: units[step] ?? 'byte',
    unitDisplay: 'short',
    maximumFractionDigits: value < 10 && step > 0 ? 1 : 0,
  }).format(value)
}

type PageLanguage = { readonly language: string; readonly t: Translate; readonly formats: Formats }

/** Members that name a value, the best first. */
const nameMembers = ['label', 'title', 'name_translated', 'name', 'pref_label']

/** Codes of licences that say their name: `CC_BY_4_0` is CC BY 4.0. */
const licenceCode = /^(?:CC|ODC|DL|IODL|OGL|LO)[\w-]*$/

const codeName = (id: string): string | undefined =>
  licenceCode.test(id) ? id.replaceAll(/(\d)_(?=\d)/g, '$1.').replaceAll('_', ' ') : undefined

/** In which language a title is where that is not the page's, and that a machine has translated it. */
function titleBadge(
  { language, t, formats }: PageLanguage,
  record: Fields,
  text: Text,
): HtmlContent {
  const origin = fieldsAt(record, `translation_meta.details.${text.language}`)
  const isMachine = origin['machine_translated'] === true
  if (!isMachine && (text.language ?? language) === language) return false
  const code = (isMachine ? textAt(origin, 'original_language') : text.language) ?? ''
  const name = formats.languageName(code)
  const title = isMachine ? t('machine-translated', { language: name }) : name
  return html` <abbr class="lang" title="${title}">${isMachine ? 'MT' : code}</abbr>`
}

/** What a value with a label, a title or a name is called, cut at 200 characters or at `most`. */
function nameIn(language: string, value: unknown, most?: number): Text | undefined {
  const fields = memberFields(value)
  const texts = nameMembers.map((name) => pickText(fields[name], [language]))
  const code = textAt(fields, 'id') ?? textAt(fields, 'resource')
  const [text] =
    typeof value === 'string'
      ? [pickText(value, [])]
      : [...texts.filter(Boolean), code === undefined ? undefined : { text: code }]
  return text && { ...text, text: shortText(text.text, most) }
}

function keywordsIn(record: Fields, language: string): readonly Fields[] {
  const all = listAt(record, 'keywords').map((one): Fields => ({
    ...one,
    label: shortText(textAt(one, 'label') ?? ''),
  }))
  const own = all.filter((one) => (one['language'] ?? language) === language)
  return own.length > 0 ? own : all
}

/** What every page of a language says and how: messages, dates and numbers, texts of records. `own` are messages in place of ours. */
export function translationsOf(language: string, timeZone: string, own?: Messages) {
  const [t, formats] = [translator(language, own), localFormats(language, timeZone)]
  const spoken = { language, t, formats }
  /** The language of the page, then those of the record's catalogue. */
  const wanted = (record: unknown): readonly string[] => {
    const own = valueAt(record, 'catalog.language') ?? valueAt(record, 'language')
    return [language, ...listed(own).flatMap((one) => textAt(one, 'id') ?? [])]
  }
  const textOf = (value: unknown, record?: unknown) => pickText(value, wanted(record))
  const inLanguage = (text: Text, content: HtmlContent = text.text): HtmlContent =>
    (text.language ?? language) === language
      ? html`<bdi>${content}</bdi>`
      : html`<span lang="${text.language}" dir="${directionOf(text.language ?? '')}">${content}</span>`
  const titleIn = (record: Fields): Text =>
    textOf(record['title'], record) ?? {
      text: textOr(listed(record['identifier'])[0]) ?? textAt(record, 'id') ?? t('untitled'),
    }
  const named = (value: unknown, most?: number) => nameIn(language, value, most)
  const labelOf = (value: unknown, most?: number): HtmlContent => {
    const label = named(value, most)
    return label && inLanguage(label)
  }
  return {
    ...spoken,
    /** The text of a language map in the best language there is. */
    textOf,
    /** A text in an element that says its language where that is not the page's. */
    inLanguage,
    /** A title with a badge that names its language where that is not the page's, and says that a machine translated it. */
    titleOf: (record: Fields, content?: HtmlContent): HtmlContent => {
      const text = titleIn(record)
      return html`${inLanguage(text, content ?? text.text)}${titleBadge(spoken, record, text)}`
    },
    /** The title alone, for places that take text only. */
    plainTitle: (record: Fields): string => titleIn(record).text,
    /** What a value with a label, a title or a name is called; the text itself where it is one. Cut at 200 characters, or at `most`. */
    labelOf,
    /** The same as text alone. */
    nameOf: (value: unknown, most?: number): string | undefined => named(value, most)?.text,
    licenceName: (licence: unknown): HtmlContent =>
      codeName(textAt(licence, 'id') ?? '') ?? labelOf(licence),
    /** Keywords in the language of the page and those in none; all of them where there are no such. */
    keywordsOf: (record: Fields): readonly Fields[] => keywordsIn(record, language),
    /** Formats of all distributions, each once, in their order. */
    formatsOf: (record: Fields): readonly string[] => [
      ...new Set(distributionValues(record, 'format').flatMap((one) => named(one)?.text ?? [])),
    ],
  }
}

export type Translations = ReturnType<typeof translationsOf>
